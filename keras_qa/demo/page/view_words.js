// The words of a text, shaded by what a ranker gives them.

import { html, number } from "./dom.js";
import { largest, legend } from "./legend.js";

const SHOWN = 2000;

/** Words shaded by attention; those above the uniform level are underlined. */
export function viewWeights(view, output, pair) {
  const read = pair.read[view.side];
  const weights = [...output.data].slice(0, read.spans.length);
  // The end of a text has a weight, too.
  const count = Math.max(1, weights.length + (view.end ? 1 : 0));
  const uniform = 1 / count;
  return figure(
    shaded(view, pair, weights, 0, uniform, "weight"),
    legend(0, Math.max(uniform, ...weights), { name: "uniform", value: uniform }),
    `Attention to the words of the ${view.side}. Underlined: more than the ` +
      `uniform level, 1/${count} = ${number(uniform)}` +
      (view.end ? ", with the end of the text." : "."),
    ...largest(namedWords(pair[view.side], read, weights)),
  );
}

/** Words shaded by numbers; those above their mean are underlined. */
export function viewNumbers(view, output, pair) {
  const read = pair.read[view.side];
  const numbers = [...output.data].slice(0, read.spans.length);
  const low = Math.min(0, ...numbers);
  const sum = numbers.reduce((total, x) => total + x, 0);
  const mean = sum / Math.max(1, numbers.length);
  return figure(
    shaded(view, pair, numbers, low, mean, "number"),
    legend(low, Math.max(mean, ...numbers), { name: "mean", value: mean }),
    `${view.title[0].toUpperCase()}${view.title.slice(1)}. Underlined: more ` +
      `than the mean of these words, ${number(mean)}.`,
    ...largest(namedWords(pair[view.side], read, numbers)),
  );
}

/** The words of a text; `low` has no shade, the largest number the darkest. */
function shaded(view, pair, numbers, low, level, name) {
  const range = Math.max(level, ...numbers) - low || 1;
  return paragraph(
    ...words(pair[view.side], pair.read[view.side], (i) => {
      const word = {
        class: numbers[i] > level ? "word above" : "word",
        title: `${name} ${number(numbers[i])}`,
      };
      return [word, (numbers[i] - low) / range];
    }),
  );
}

function namedWords(text, read, numbers) {
  return numbers.map((x, i) => [`“${text.slice(...read.spans[i])}”`, x]);
}

/** Words of the answer that the question has, for rankers without views. */
export function viewShared(pair) {
  const { question, answer } = pair.read;
  // Unknown words of one id may differ.
  const asked = new Set(question.ids.filter((_, i) => question.apart[i]));
  const shared = (i) => asked.has(answer.ids[i]);
  return figure(
    paragraph(
      ...words(pair.answer, answer, (i) => [
        { class: shared(i) ? "word above" : "word" },
        shared(i) ? 0.5 : 0,
      ]),
    ),
    null,
    "Shaded: words of the answer that the question has.",
  );
}

/**
 * A text with an element for each word.
 *
 * @param {string} text
 * @param {{spans: [number, number][], unknown: boolean[]}} read
 * @param {(i: number) => [object, number]} look the attributes of a word's
 *   element, and its level from 0 to 1.
 */
function words(text, read, look) {
  const parts = [];
  let at = 0;
  for (const [i, [from, to]] of read.spans.entries()) {
    if (from < at) continue;
    if (to > SHOWN) break;
    const [attributes, level] = look(i);
    const name = read.unknown[i] ? "s" : "span";
    const word = html(name, attributes, text.slice(from, to));
    word.style.setProperty("--level", level);
    parts.push(text.slice(at, from), word);
    at = to;
  }
  const rest = text.slice(at, SHOWN);
  if (rest.trim()) {
    parts.push(html("span", { class: "unread" }, rest));
  }
  return parts;
}

function paragraph(...parts) {
  const made = html("bdi", {}, ...parts);
  return html("p", { class: "words", dir: "auto" }, made);
}

function figure(text, scale, ...caption) {
  return html("figure", {}, text, scale, html("figcaption", {}, ...caption));
}
