// BERT's word pieces: the normaliser, the splitting into words and the pieces
// of the package `tokenizers`.

import {
  CHINESE,
  DROPPED,
  MARKS,
  PUNCTUATION,
  WHOLE,
} from "./character_classes.js";

const one = (content) => new RegExp(`^[${content}]$`, "u");
const [chinese, dropped, mark, whole] = [CHINESE, DROPPED, MARKS, WHOLE].map(
  one,
);
const space = /^\p{White_Space}$/u;
const WORDS = new RegExp(
  `[${PUNCTUATION}]|[^\\p{White_Space}${PUNCTUATION}]+`,
  "gu",
);

function clean(character) {
  if (/^[\t\n\r]$/.test(character)) return " ";
  if (dropped.test(character)) return "";
  return space.test(character) ? " " : undefined;
}

function withoutAccents(character) {
  const parts = whole.test(character) ? character : character.normalize("NFD");
  return [...parts].filter((part) => !mark.test(part)).join("");
}

export const ENCODERS = {
  /** A function that changes a `MappedText` in place. */
  normaliser(description) {
    const { clean_text, handle_chinese_chars, lowercase } = description;
    const steps = [];
    if (clean_text) steps.push(clean);
    if (handle_chinese_chars) {
      steps.push((c) => (chinese.test(c) ? ` ${c} ` : undefined));
    }
    if (description.strip_accents ?? lowercase) steps.push(withoutAccents);
    if (lowercase) steps.push((c) => c.toLowerCase());
    return (mapped) => steps.forEach((step) => mapped.replaceEach(step));
  },

  /** A function from a text to the ranges of its words. */
  splitter() {
    return function* (text) {
      for (const match of text.matchAll(WORDS)) {
        yield [match.index, match.index + match[0].length];
      }
    };
  },

  /** A function from a word's range to the ids of its pieces, with ranges. */
  wordPieces(description, ids, unknown) {
    const prefix = description.continuing_subword_prefix;
    const most = description.max_input_chars_per_word;
    return (text, start, end) => {
      const characters = [...text.slice(start, end)];
      const pieces = [];
      if (characters.length > most) return [[unknown, start, end]];
      for (let first = 0, at = start; first < characters.length; ) {
        let last = characters.length;
        let id;
        for (; last > first; last--) {
          const piece = characters.slice(first, last).join("");
          id = ids.get(first > 0 ? prefix + piece : piece);
          if (id !== undefined) break;
        }
        if (id === undefined) return [[unknown, start, end]];
        const next = at + characters.slice(first, last).join("").length;
        pieces.push([id, at, next]);
        [first, at] = [last, next];
      }
      return pieces;
    };
  },
};
