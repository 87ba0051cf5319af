// <qa-links>: lines that join an answer's places in neighbouring columns.

import { svg } from "./dom.js";

export class QaLinks extends HTMLElement {
  #picture = null;
  #watcher = null;
  #drawing = 0;

  /** @param {import("./qa-ranking.js").QaRanking[]} columns */
  start(columns) {
    this.columns = columns;
    this.setAttribute("aria-hidden", "true");
    this.#picture = svg("svg");
    this.replaceChildren(this.#picture);
    this.#watcher?.disconnect();
    this.#watcher = new ResizeObserver(() => this.draw());
    for (const column of [this, ...columns]) this.#watcher.observe(column);
  }

  /** Draws the lines once the columns have their sizes. */
  draw() {
    cancelAnimationFrame(this.#drawing);
    this.#drawing = requestAnimationFrame(() => this.#draw());
  }

  /** Brings one answer's lines to the front, or none's. */
  point(answer) {
    for (const path of this.#picture.children) {
      const pointed = path.dataset.answer === String(answer);
      path.classList.toggle("pointed", pointed);
    }
  }

  #draw() {
    const origin = this.getBoundingClientRect();
    const paths = [];
    const edge = Math.max(
      ...this.columns.flatMap((column) =>
        column.cards.slice(-1).map((one) => one.getBoundingClientRect().bottom),
      ),
    );
    for (let i = 0; i + 1 < this.columns.length; i++) {
      const [left, right] = [this.columns[i], this.columns[i + 1]];
      const [from, to] = [ends(left, "right"), ends(right, "left")];
      for (const [answer, start] of from) {
        const end = to.get(answer);
        // A line to a place that is not shown leaves at the bottom.
        const y2 = end?.y ?? edge;
        const x2 = right.getBoundingClientRect().left;
        paths.push(this.#path(answer, start, { x: x2, y: y2 }, origin, !end));
      }
      for (const [answer, end] of to) {
        if (from.has(answer)) continue;
        const x = left.getBoundingClientRect().right;
        const start = { ...end, x, y: edge };
        paths.push(this.#path(answer, start, end, origin, true));
      }
    }
    // Lines of right answers lie above the others.
    const above = (path) => Number(path.classList.contains("right"));
    paths.sort((a, b) => above(a) - above(b));
    this.#picture.replaceChildren(...paths);
  }

  #path(answer, from, to, origin, leaves) {
    const [x1, y1] = [from.x - origin.left, from.y - origin.top];
    const [x2, y2] = [to.x - origin.left, to.y - origin.top];
    const middle = (x1 + x2) / 2;
    const right = from.right || to.right ? "right" : "";
    return svg("path", {
      d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`,
      class: `${right} ${leaves ? "leaves" : ""}`.trim(),
      "data-answer": answer,
    });
  }
}

/** By answer, where its lines end at one side of its card. */
function ends(column, side) {
  return new Map(
    column.cards.map((card) => {
      const box = card.getBoundingClientRect();
      const right = card.classList.contains("right");
      const end = { x: box[side], y: box.top + box.height / 2, right };
      return [card.dataset.answer, end];
    }),
  );
}

customElements.define("qa-links", QaLinks);
