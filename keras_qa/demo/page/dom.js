// Making elements. All text is set as text, never read as markup.

/** An HTML element with attributes (null: none), and with children. */
export function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An SVG element. */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  return fill(made, attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, String(value));
    }
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** The characters of an answer that the page shows in a list. */
export const SHOWN = 320;

/** The beginning of a text, not cut within a character. */
export function beginning(text, length = SHOWN) {
  if (text.length <= length) return text;
  const cut = text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  return `${cut}…`;
}

/**
 * A text with its unknown words struck through.
 *
 * @param {string} text
 * @param {{spans: [number, number][], unknown: boolean[]}} read
 * @param {number} [length] characters to show.
 */
export function struck(text, read, length = SHOWN) {
  const shown = beginning(text, length);
  const end = text.length > length ? shown.length - 1 : shown.length;
  const parts = [];
  let at = 0;
  read.spans.forEach(([from, to], i) => {
    if (!read.unknown[i] || from < at || to > end) return;
    parts.push(shown.slice(at, from));
    parts.push(html("s", { title: "unknown word" }, shown.slice(from, to)));
    at = to;
  });
  parts.push(shown.slice(at));
  return parts;
}

/** A number with a fixed count of digits, and a true minus sign. */
export function number(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  return value.toFixed(digits).replace("-", "−");
}

// The kit's score of an answer without a word that counts; see
// keras_qa/text/readable.py.
const UNREAD = -(2 ** 100);

/** A score, or that the answer has no readable word. */
export function score(value, digits = 3) {
  return value <= UNREAD ? "not readable" : number(value, digits);
}
