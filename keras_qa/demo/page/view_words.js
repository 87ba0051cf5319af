// The words of a text, shaded by what a ranker gives them.

import { html, number } from "./dom.js";

const SHOWN = 2000;

/** Words shaded by attention; those above the uniform level are underlined. */
export function viewWeights(view, output, pair) {
  const read = pair.read[view.side];
  const weights = [...output.data].slice(0, read.spans.length);
  const uniform = 1 / Math.max(1, weights.length);
  const most = Math.max(uniform, ...weights);
  return figure(
    html(
      "p",
      { class: "words", dir: "auto" },
      html(
        "bdi",
        {},
        ...words(pair[view.side], read, (i) => {
          const weight = weights[i];
          const word = {
            class: weight > uniform ? "word above" : "word",
            title: `weight ${number(weight)}`,
          };
          return [word, weight / most];
        }),
      ),
    ),
    scale(uniform, most),
    `Attention to the words of the ${view.side}. Underlined: more than the ` +
      `uniform level, 1/${weights.length} = ${number(uniform)}.`,
  );
}

/** Words of the answer that the question has, for rankers without views. */
export function viewShared(pair) {
  const { question, answer } = pair.read;
  // Unknown words have one id and may differ.
  const asked = new Set(question.ids.filter((_, i) => !question.unknown[i]));
  const shared = (i) => asked.has(answer.ids[i]);
  return figure(
    html(
      "p",
      { class: "words", dir: "auto" },
      html(
        "bdi",
        {},
        ...words(pair.answer, answer, (i) => [
          { class: shared(i) ? "word above" : "word" },
          shared(i) ? 0.5 : 0,
        ]),
      ),
    ),
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

/** From no weight to the largest, with the uniform level between them. */
function scale(uniform, most) {
  const mark = html("span", { class: "uniform" }, "uniform");
  mark.style.setProperty("--at", uniform / most);
  return html(
    "div",
    { class: "scale", "aria-hidden": "true" },
    html("span", {}, "0"),
    html("span", { class: "bar" }, mark),
    html("span", {}, number(most)),
  );
}

function figure(...parts) {
  const caption = parts.pop();
  return html("figure", {}, ...parts, html("figcaption", {}, caption));
}
