// HyperQA's points in the open unit ball, around that of the question.

import { around, distance, norm } from "./ball.js";
import { html, number, svg } from "./dom.js";

const SIZE = 320;
const EDGE = 24;

/**
 * The picture of all answers, and the numbers of the chosen one.
 *
 * @param {object} view
 * @param {object[]} outputs of each answer.
 * @param {number} chosen
 * @param {(boolean | null)[]} right
 */
export function viewPoints(view, outputs, chosen, right) {
  const question = [...outputs[chosen][view.question].data];
  const answers = outputs.map((one) => [...one[view.answer].data]);
  // The model's own distance has digits left where float32 points have none.
  const distances = answers.map((answer, i) =>
    view.distance
      ? outputs[i][view.distance].data[0]
      : distance(question, answer),
  );
  const { places, part } = around(answers, distances);
  // The chosen point is drawn last, the right ones before it.
  const layer = (i) => (i === chosen ? 2 : right[i] ? 1 : 0);
  const order = [...distances.keys()].sort((a, b) => layer(a) - layer(b));
  const dots = order.map((i) => ({
    place: places[i],
    distance: distances[i],
    kind: `point${right[i] ? " right" : ""}${i === chosen ? " chosen" : ""}`,
    title: `distance ${number(distances[i])}${right[i] ? ", right" : ""}`,
  }));
  const numbers = html(
    "dl",
    { class: "figures" },
    ...entry("distance", number(distances[chosen], 4)),
    ...entry("norm of the question", nearOne(norm(question))),
    ...entry("norm of the answer", nearOne(norm(answers[chosen]))),
  );
  const held = `${number(100 * part, 0)}%`;
  return html(
    "figure",
    { class: "points" },
    ball(dots, distances[chosen]),
    html(
      "div",
      {},
      numbers,
      strip(dots),
      html(
        "figcaption",
        {},
        "The question is in the middle, where a Möbius translation of the " +
          "ball can take it without changing a distance. Each answer is as " +
          "far from it as in the ball: rings and line show the hyperbolic " +
          "distance. Directions are those of the answers’ points from their " +
          `mean, on their two principal directions (${held} of their ` +
          "variance): alike answers lie in like directions, but distances " +
          "between answers are not kept.",
      ),
    ),
  );
}

function ball(dots, chosen) {
  const furthest = Math.max(...dots.map((dot) => dot.distance)) || 1;
  const scale = (SIZE / 2 - EDGE) / furthest;
  const step = niceStep(furthest);
  const rings = [];
  for (let radius = step; radius <= furthest * 1.001; radius += step) {
    rings.push(
      svg("circle", { class: "ring", r: radius * scale }),
      svg(
        "text",
        { class: "ring", y: -radius * scale, dy: "-0.25em" },
        String(Number(radius.toPrecision(3))),
      ),
    );
  }
  const [x, y] = dots.at(-1).place;
  return svg(
    "svg",
    {
      class: "ball",
      viewBox: `${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`,
      role: "img",
      "aria-label": `The question in the middle, this answer at distance ${number(chosen)}`,
    },
    ...rings,
    svg("line", { x2: x * scale, y2: -y * scale }),
    ...dots.map((dot) =>
      point(dot, dot.place[0] * scale, -dot.place[1] * scale),
    ),
    svg("circle", { class: "question", r: 5 }),
  );
}

/** The same distances on a line from the least to the greatest. */
function strip(dots) {
  const all = dots.map((dot) => dot.distance);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const [width, middle] = [SIZE - 2 * EDGE, 12];
  const at = (value) =>
    EDGE + (high > low ? ((value - low) / (high - low)) * width : width / 2);
  return svg(
    "svg",
    {
      class: "ball strip",
      viewBox: `0 0 ${SIZE} 40`,
      role: "img",
      "aria-label": `Distances of all answers, from ${number(low)} to ${number(high)}`,
    },
    svg("path", { class: "ring", d: `M${EDGE} ${middle}h${width}` }),
    ...dots.map((dot) => point(dot, at(dot.distance), middle)),
    svg("text", { x: at(low), y: 36 }, number(low)),
    high > low ? svg("text", { x: at(high), y: 36 }, number(high)) : null,
  );
}

function point({ kind, title }, cx, cy) {
  const r = kind.includes("chosen") ? 6 : 4.5;
  return svg("circle", { class: kind, cx, cy, r }, svg("title", {}, title));
}

function entry(name, value) {
  return [html("div", {}, html("dt", {}, name), html("dd", {}, value))];
}

/** A norm, as a difference from 1 where its digits say nothing. */
function nearOne(value) {
  if (1 - value > 1e-3) return number(value, 4);
  const [digits, power] = Math.max(0, 1 - value).toExponential(1).split("e");
  if (Number(digits) === 0) return "1";
  const raised = [...power].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
  return `1 − ${digits} · 10${raised.join("")}`;
}

/** A round number, three to six of which fit into a length. */
function niceStep(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  const fits = [1, 0.5, 0.2].map((n) => n * power);
  return fits.find((step) => length / step >= 3);
}
