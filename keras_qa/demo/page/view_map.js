// A number for each pair of a word of the question and one of the answer.

import { html, number } from "./dom.js";

// More words would make the page slow.
const MOST = 60;

/** A table of shaded cells, the question's words as columns. */
export function viewMap(view, output, pair) {
  const { question, answer } = pair.read;
  const columns = wordsOf(pair.question, question);
  const rows = wordsOf(pair.answer, answer);
  const width = output.dims[1];
  const value = (q, a) => output.data[q * width + a];
  const all = rows.flatMap((_, a) => columns.map((_, q) => value(q, a)));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const most = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const cell = (q, a) => {
    const found = value(q, a);
    const title = `${columns[q]} / ${rows[a]}: ${number(found)}`;
    const made = html("td", {
      class: found < 0 ? "below" : null,
      title,
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
    html("thead", {}, html("tr", {}, html("td"), ...head)),
    html(
      "tbody",
      {},
      ...rows.map((word, a) =>
        html(
          "tr",
          {},
          html("th", { scope: "row" }, html("bdi", {}, word)),
          ...columns.map((_, q) => cell(q, a)),
        ),
      ),
    ),
  );
  const cut =
    answer.ids.length > MOST || question.ids.length > MOST
      ? ` The first ${MOST} words of each text are shown.`
      : "";
  const signs = low < 0 ? " Hatched: below 0." : "";
  const title = view.title ?? "one number for each two words";
  const caption =
    `${title[0].toUpperCase()}${title.slice(1)}. Columns: the ` +
    `question; rows: the answer; from ${number(low)} to ${number(high)}, ` +
    `the darker the further from 0.${signs}${cut}`;
  return html(
    "figure",
    {},
    html(
      "div",
      { class: "wide", tabindex: 0, role: "group", "aria-label": "Map" },
      table,
    ),
    html("figcaption", {}, caption),
  );
}

function wordsOf(text, read) {
  return read.spans.slice(0, MOST).map(([from, to]) => text.slice(from, to));
}
