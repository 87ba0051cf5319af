// Grids of shaded cells: a number for each two words, or for a word and a block.

import { html, number } from "./dom.js";
import { largest, legend } from "./legend.js";

// More words would make the page slow.
const MOST = 60;

/** A number for each two words, the question's words as columns. */
export function viewMap(view, output, pair) {
  const { question, answer } = pair.read;
  const columns = wordsOf(pair.question, question);
  const rows = wordsOf(pair.answer, answer);
  const width = output.dims[1];
  const value = (a, q) => output.data[q * width + a];
  const cells = named(rows, columns, value);
  const all = cells.map(([, found]) => found);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const most = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const uniform = 1 / Math.max(1, answer.spans.length);
  const sums = view.weights
    ? " The weights of a word of the question sum to 1; at the uniform level " +
      `each is 1/${answer.spans.length} = ${number(uniform)}.`
    : "";
  const signs = low < 0 ? " Hatched: below 0." : "";
  const title = view.title ?? "one number for each two words";
  return figure(
    grid("Map", rows, columns, value, most),
    legend(0, most, view.weights ? { name: "uniform", value: uniform } : null),
    `${title[0].toUpperCase()}${title.slice(1)}. Columns: the ` +
      `question; rows: the answer; from ${number(low)} to ${number(high)}, ` +
      `stronger shades are further from 0.${signs}${sums}`,
    ...largest(cells),
    cutOf(question, answer),
  );
}

/** The weights of MRNN's blocks at each word, a grid for each text. */
export function viewBlocks(view, outputs, pair) {
  const columns = view.grams.map((words) => `${words}-gram`);
  const sides = ["question", "answer"].map((side) => {
    const { data } = outputs[view[side]];
    const rows = wordsOf(pair[side], pair.read[side]);
    const value = (word, block) => data[word * columns.length + block];
    return { side, rows, value, cells: named(rows, columns, value) };
  });
  const cells = sides.flatMap((one) => one.cells);
  const uniform = 1 / columns.length;
  const most = Math.max(uniform, ...cells.map(([, found]) => found));
  const grids = sides.map(({ side, rows, value }) => {
    const label = `Blocks of the ${side}`;
    return grid(label, rows, columns, value, most, side);
  });
  return figure(
    html("div", { class: "grids" }, ...grids),
    legend(0, most, { name: "uniform", value: uniform }),
    "The weights of the blocks at each word of the question and of the " +
      "answer: the block of n-grams reads n neighbouring words. The weights " +
      `of a word sum to 1; at the uniform level each is 1/${columns.length} = ` +
      `${number(uniform)}.`,
    ...largest(cells),
    cutOf(pair.read.question, pair.read.answer),
  );
}

/** A table of shaded cells, which can be scrolled. */
function grid(label, rows, columns, value, most, corner = null) {
  const cell = (row, column) => {
    const found = value(row, column);
    const made = html("td", {
      class: found < 0 ? "below" : null,
      title: `${columns[column]} / ${rows[row]}: ${number(found)}`,
      "aria-label": number(found),
    });
    made.style.setProperty("--level", Math.abs(found) / most);
    return made;
  };
  const head = columns.map((word) =>
    html("th", { scope: "col" }, html("bdi", {}, word)),
  );
  const table = html(
    "table",
    { class: "map" },
    html("thead", {}, html("tr", {}, html("td", {}, corner), ...head)),
    html(
      "tbody",
      {},
      ...rows.map((word, row) =>
        html(
          "tr",
          {},
          html("th", { scope: "row" }, html("bdi", {}, word)),
          ...columns.map((_, column) => cell(row, column)),
        ),
      ),
    ),
  );
  return html(
    "div",
    { class: "wide", tabindex: 0, role: "group", "aria-label": label },
    table,
  );
}

/** The cells with their names. */
function named(rows, columns, value) {
  return rows.flatMap((row, i) =>
    columns.map((column, j) => [`“${column}” / “${row}”`, value(i, j)]),
  );
}

function cutOf(question, answer) {
  return answer.ids.length > MOST || question.ids.length > MOST
    ? ` The first ${MOST} words of each text are shown.`
    : "";
}

function figure(pictures, scale, ...caption) {
  const said = html("figcaption", {}, ...caption);
  return html("figure", { class: "map-figure" }, pictures, scale, said);
}

function wordsOf(text, read) {
  return read.spans.slice(0, MOST).map(([from, to]) => text.slice(from, to));
}
