// HyperQA's points in the open unit ball, around that of the question.

import { around, norm } from "./ball.js";
import { html, number, svg } from "./dom.js";

const SIZE = 320;
const EDGE = 24;

/** The picture of all answers, and the numbers of the chosen one. */
export function viewPoints(view, outputs, chosen, scores) {
  const question = [...outputs[chosen][view.question].data];
  const answers = outputs.map((one) => [...one[view.answer].data]);
  const { places, distances, part } = around(question, answers);
  const furthest = Math.max(...distances) || 1;
  const scale = (SIZE / 2 - EDGE) / furthest;
  const step = niceStep(furthest);
  const rings = [];
  for (let radius = step; radius <= furthest * 1.001; radius += step) {
    rings.push(
      svg("circle", { class: "ring", r: radius * scale }),
      svg(
        "text",
        { class: "ring", y: -radius * scale, dy: "-0.25em" },
        number(radius, step < 1 ? 1 : 0),
      ),
    );
  }
  const dots = places.map(([x, y], i) =>
    svg(
      "circle",
      {
        class: i === chosen ? "point chosen" : "point",
        cx: x * scale,
        cy: -y * scale,
        r: i === chosen ? 6 : 4,
      },
      svg("title", {}, `distance ${number(distances[i])}, score ${number(scores[i])}`),
    ),
  );
  // The chosen point is not hidden by others.
  dots.push(...dots.splice(chosen, 1));
  const [x, y] = places[chosen];
  const picture = svg(
    "svg",
    {
      class: "ball",
      viewBox: `${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`,
      role: "img",
      "aria-label": `The question in the middle; this answer at distance ${number(distances[chosen])}`,
    },
    ...rings,
    svg("line", { x2: x * scale, y2: -y * scale }),
    ...dots,
    svg("circle", { class: "question", r: 5 }),
  );
  const numbers = html(
    "dl",
    { class: "figures" },
    ...entry("distance", distances[chosen]),
    ...entry("norm of the question", norm(question)),
    ...entry("norm of the answer", norm(answers[chosen])),
  );
  const percent = number(100 * part, 0);
  return html(
    "figure",
    { class: "points" },
    picture,
    html(
      "div",
      {},
      numbers,
      html(
        "figcaption",
        {},
        "The question is in the middle, where a Möbius translation of the " +
          "ball moves it. Each answer is as far from it as in the ball: the " +
          "rings show hyperbolic distance. Its direction is that of its " +
          "translated point on the two principal directions of all answers, " +
          `which hold ${percent}% of the directions’ squared length; ` +
          "distances between answers are not kept.",
      ),
    ),
  );
}

function entry(name, value) {
  return [
    html("div", {}, html("dt", {}, name), html("dd", {}, number(value, 4))),
  ];
}

/** A round number, three to six of which fit into a length. */
function niceStep(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return [1, 0.5, 0.2].map((n) => n * power).find((n) => length / n >= 3) ?? power / 5;
}
