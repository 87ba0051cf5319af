// The tokenizers that the kit's ONNX export writes: `*_tokenizer.json`, in the
// format of Hugging Face's `tokenizers`, of which this reads what the kit uses
// and refuses the rest. All positions are those of JavaScript's strings.

import { ENCODERS } from "./word_pieces.js";
import { MappedText } from "./mapped_text.js";
import { lowerCase } from "./overlap.js";

/** One side's tokenizer; `ids` are those of the kit for any text. */
export class Tokenizer {
  /** @param {object} file the content of a tokenizer's file. */
  constructor(file) {
    this.normalise = normaliser(file.normalizer);
    this.split = splitter(file.pre_tokenizer);
    this.encodeWord = model(file.model);
    const ids = new Map(Object.entries(file.model.vocab));
    this.unknown = ids.get(file.model.unk_token);
    this.firstBucket = ids.get("[UNK1]") ?? Infinity;
    this.added = addedIds(file.post_processor);
    this.most = mostIds(file.truncation, this.added.length);
    const padding = file.padding ?? refuse("padding", file.padding);
    this.padding = padding.pad_id;
    this.width = padding.strategy.Fixed ?? null;
  }

  /** Whether an id is that of an unknown word. */
  isUnknown(id) {
    return id === this.unknown || id >= this.firstBucket;
  }

  /**
   * Splits a text into the tokens that the model reads.
   *
   * @param {string} text
   * @returns {{ids: number[], spans: [number, number][], more: boolean}} The
   *   tokens' ids, the part of `text` that each was made of, and whether
   *   further tokens were cut off.
   */
  read(text) {
    const mapped = new MappedText(text);
    mapped.replaceEach(wellFormed);
    this.normalise(mapped);
    const ids = [];
    const spans = [];
    let more = false;
    for (const [start, end] of this.split(mapped.text)) {
      for (const [id, from, to] of this.encodeWord(mapped.text, start, end)) {
        if (ids.length === this.most) {
          more = true;
          return { ids, spans, more };
        }
        ids.push(id);
        spans.push(mapped.source(from, to));
      }
    }
    return { ids, spans, more };
  }

  /**
   * The rows of several texts, of equal length.
   *
   * @param {number[][]} rows the ids of each text.
   * @returns {{data: Int32Array, dims: [number, number]}}
   */
  pad(rows) {
    const longest = Math.max(0, ...rows.map((ids) => ids.length));
    const width = this.width ?? longest + this.added.length;
    const data = new Int32Array(rows.length * width).fill(this.padding);
    rows.forEach((ids, row) => data.set([...ids, ...this.added], row * width));
    return { data, dims: [rows.length, width] };
  }
}

/** The kit reads lone surrogates and Unicode's noncharacters as U+FFFD. */
function wellFormed(character) {
  const none = /[\p{Cs}\p{Noncharacter_Code_Point}]/u.test(character);
  return none ? "\ufffd" : undefined;
}

/** A regular expression of Oniguruma as one of JavaScript. */
export function translate(pattern) {
  return pattern.replaceAll(/\\x\{([0-9a-f]+)\}/gi, "\\u{$1}");
}

function refuse(part, received) {
  const shown = JSON.stringify(received)?.slice(0, 80);
  throw new Error(`This page cannot read the tokenizer's ${part}: ${shown}`);
}

// Normalisers ---------------------------------------------------------------

/** A function that changes a `MappedText` in place. */
function normaliser(description) {
  if (description?.type === "BertNormalizer") {
    return ENCODERS.normaliser(description);
  }
  if (description?.type !== "Sequence") refuse("normalizer", description);
  const steps = [];
  let letters = null;
  for (const step of description.normalizers) {
    if (step.type !== "Replace") refuse("normalizer", step);
    if (step.pattern.String !== undefined) {
      if (letters === null) {
        letters = new Letters();
        steps.push(letters.replace);
      }
      letters.add(step.pattern.String, step.content);
    } else {
      letters = null;
      steps.push(numbers(step.pattern.Regex, step.content));
    }
  }
  return (mapped) => steps.forEach((step) => step(mapped));
}

/** Replacements of single characters, one after the other, as one table. */
class Letters {
  constructor() {
    this.table = new Map();
    this.results = new Set();
    this.replace = (mapped) =>
      mapped.replaceEach((character) => this.table.get(character));
  }

  add(from, to) {
    if ([...from].length !== 1 || [...to].length !== 1) {
      refuse("normalizer", { from, to });
    }
    // What an earlier step made is replaced, too.
    if (this.results.has(from)) {
      for (const [key, value] of this.table) {
        if (value === from) this.table.set(key, to);
      }
    }
    if (!this.table.has(from)) this.table.set(from, to);
    this.results.add(to);
  }
}

// JavaScript has neither \G, which begins a search where the last one ended,
// nor \K, which keeps what was passed over, nor possessive repetition. The kit
// uses them only so: \G(?:(?!NUMBER)OTHER)*+\KNUMBER.
const TOKEN_BY_TOKEN = /^\\G\(\?:\(\?!([^]*)\)\*\+\\K([^]*)$/;

/** A function that replaces numbers by a word. */
function numbers(pattern, content) {
  const walk = TOKEN_BY_TOKEN.exec(pattern);
  if (walk === null) {
    const found = compile(pattern, "gu");
    return (mapped) => {
      const all = [...mapped.text.matchAll(found)];
      mapped.replaceRanges(
        all.map((m) => [m.index, m.index + m[0].length, content]),
      );
    };
  }
  const [, passed, wanted] = walk;
  if (!passed.startsWith(`${wanted})`)) refuse("normalizer", pattern);
  // A step of the walk is one match, so that nothing is left to backtrack.
  const rest = passed.slice(wanted.length + 1).replace("(?>", "(?:");
  const number = compile(wanted, "uy");
  const other = compile(rest, "uy");
  return (mapped) => {
    const ranges = [];
    for (let at = 0; ; ) {
      const end = endOfMatch(number, mapped.text, at);
      if (end !== null) {
        ranges.push([at, end, content]);
        at = end;
        continue;
      }
      const next = endOfMatch(other, mapped.text, at);
      if (next === null) break;
      at = next;
    }
    mapped.replaceRanges(ranges);
  };
}

function endOfMatch(sticky, text, at) {
  sticky.lastIndex = at;
  return sticky.test(text) && sticky.lastIndex > at ? sticky.lastIndex : null;
}

function compile(pattern, flags) {
  try {
    return new RegExp(translate(pattern), flags);
  } catch {
    return refuse("pattern", pattern);
  }
}

// Splitting and ids ---------------------------------------------------------

/** A function from a text to the ranges of its words. */
function splitter(description) {
  if (description?.type === "BertPreTokenizer") return ENCODERS.splitter();
  const { type, pattern, behavior, invert } = description ?? {};
  if (type !== "Split" || behavior !== "Removed" || invert !== true) {
    refuse("pre-tokenizer", description);
  }
  const word = compile(pattern.Regex, "gu");
  return function* (text) {
    for (const match of text.matchAll(word)) {
      yield [match.index, match.index + match[0].length];
    }
  };
}

/** A function from a word's range to the ids of its tokens, with ranges. */
function model(description) {
  const ids = new Map(Object.entries(description.vocab));
  const unknown = ids.get(description.unk_token);
  if (unknown === undefined) refuse("unknown word", description.unk_token);
  if (description.type === "WordPiece") {
    return ENCODERS.wordPieces(description, ids, unknown);
  }
  if (description.type !== "WordLevel") refuse("model", description.type);
  const unknownId = hashed(ids) ?? (() => unknown);
  return (text, start, end) => {
    const word = text.slice(start, end);
    return [[ids.get(word) ?? unknownId(word), start, end]];
  };
}

// The constants of `keras_qa.text.vocabulary`.
const HASH_BASE = 1000003;
const HASH_PRIME = 2 ** 31 - 1;
const HASHED_CHARACTERS = 64;

/**
 * A function from an unknown word to its id, as `bucket_of` has it, or null if
 * all of them have one.
 */
function hashed(ids) {
  const first = ids.get("[UNK1]");
  if (first === undefined) return null;
  let buckets = 1;
  while (ids.has(`[UNK${buckets + 1}]`)) buckets += 1;
  return (word) => {
    let total = 0;
    let power = 1;
    for (const character of [...lowerCase(word)].slice(0, HASHED_CHARACTERS)) {
      // Below 2^53, so exact.
      power = (power * HASH_BASE) % HASH_PRIME;
      total = (total + character.codePointAt(0) * power) % HASH_PRIME;
    }
    return first + (total % buckets);
  };
}

/** The ids that follow each text. */
function addedIds(description) {
  if (description === null) return [];
  const [first, ...rest] = description.single ?? [];
  if (description.type !== "TemplateProcessing" || !first?.Sequence) {
    refuse("post-processor", description);
  }
  return rest.flatMap(
    (part) =>
      description.special_tokens[part.SpecialToken?.id]?.ids ??
      refuse("post-processor", part),
  );
}

/** The number of tokens that texts are cut to. */
function mostIds(truncation, added) {
  if (truncation === null) return Infinity;
  if (truncation.direction !== "Right") refuse("truncation", truncation);
  return truncation.max_length - added;
}
