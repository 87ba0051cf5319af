// <qa-ranking>: one ranker's column.

import { html, number, score, struck, svg } from "./dom.js";
import { averagePrecision, bestFirst } from "./measures.js";

export class QaRanking extends HTMLElement {
  #parts = {};
  #ranker = null;

  /** @param {object} ranker an entry of site.json. */
  start(ranker) {
    this.#ranker = ranker;
    const heading = `heading-${ranker.id}`;
    const parts = (this.#parts = {
      figures: html("dl", { class: "figures" }),
      reads: html("p", { class: "reads quiet", hidden: true }),
      list: html("ol", { class: "answers" }),
      copy: html(
        "button",
        {
          type: "button",
          class: "plain",
          hidden: !ranker.command,
          onclick: () => this.#tell("qa-command", { ranker }),
        },
        "Copy as command",
      ),
    });
    this.setAttribute("role", "region");
    this.setAttribute("aria-labelledby", heading);
    this.replaceChildren(
      html(
        "header",
        {},
        html("h2", { id: heading, title: ranker.label }, ranker.label),
        html("div", { class: "dev" }, ...devFigure(ranker.dev)),
        parts.figures,
        parts.reads,
        html("button", {
          type: "button",
          class: "expand",
          "aria-label": `Show the texts in the column ${ranker.label}`,
          onclick: () => this.#tell("qa-expand", { column: this }),
        }),
      ),
      parts.list,
      html("footer", {}, parts.copy),
    );
    this.wait("Loading …");
    parts.list.addEventListener("keydown", (event) => this.#move(event));
  }

  get ranker() {
    return this.#ranker;
  }

  /** The buttons of the answers, best first. */
  get cards() {
    return [...this.#parts.list.querySelectorAll("button")];
  }

  /** The button of an answer, if it is shown. */
  card(answer) {
    return this.#parts.list.querySelector(`[data-answer="${answer}"]`);
  }

  /** Shows a message in place of answers. */
  wait(message) {
    this.#parts.figures.replaceChildren();
    this.#parts.reads.hidden = true;
    this.#parts.list.replaceChildren(
      html("li", { class: "message quiet" }, message),
    );
  }

  /**
   * Shows a ranking.
   *
   * @param {object} result of `Ranker.rank`.
   * @param {{question: string, answers: string[], right: (boolean |
   *   null)[]}} given
   * @param {number} most answers to show.
   */
  show(result, given, most) {
    const { list, figures, reads } = this.#parts;
    const order = bestFirst(result.scores);
    const measured = averagePrecision(result.scores, given.right);
    figures.replaceChildren(
      ...(measured === null
        ? []
        : figure("average precision", number(measured))),
      ...figure("time", `${number(result.milliseconds, 1)} ms`),
    );
    const { ids, more, unknown } = result.question;
    reads.hidden = !more && !unknown.includes(true);
    reads.replaceChildren(
      more ? `Reads the first ${ids.length} words: ` : "Reads: ",
      html("bdi", {}, ...struck(given.question, result.question)),
    );
    const shown = order.slice(0, most);
    list.replaceChildren(
      ...shown.map((answer, place) =>
        this.#item(answer, place, result, given),
      ),
    );
    return order;
  }

  #item(answer, place, result, given) {
    const right = given.right[answer] === true;
    const button = html(
      "button",
      {
        type: "button",
        class: right ? "answer right" : "answer",
        "data-answer": answer,
        tabindex: place === 0 ? 0 : -1,
        onclick: () => this.#tell("qa-answer", { answer, ranker: this.#ranker }),
        onfocus: () => this.#focused(button),
        onpointerenter: () => this.#tell("qa-point", { answer }),
        onpointerleave: () => this.#tell("qa-point", { answer: null }),
      },
      html("span", { class: "place" }, String(place + 1)),
      html(
        "bdi",
        { class: "text", dir: "auto" },
        ...struck(given.answers[answer], result.answers[answer]),
      ),
      html(
        "span",
        { class: "score" },
        html("span", { class: "hidden" }, "score "),
        score(result.scores[answer]),
        right ? html("span", { class: "mark" }, " ✓ right") : null,
      ),
    );
    return html("li", {}, button);
  }

  #focused(button) {
    for (const card of this.cards) card.tabIndex = card === button ? 0 : -1;
    this.#tell("qa-point", { answer: Number(button.dataset.answer) });
  }

  #move(event) {
    const cards = this.cards;
    const at = cards.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    if (at < 0) return;
    if (event.key in to) {
      event.preventDefault();
      const next = event.key === "ArrowUp" && at === 0 ? 0 : to[event.key];
      cards.at(Math.min(next, cards.length - 1)).focus();
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      event.preventDefault();
      const step = event.key === "ArrowRight" ? 1 : -1;
      const answer = Number(event.target.dataset.answer);
      this.#tell("qa-aside", { column: this, answer, step });
    }
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}

function figure(name, value) {
  return [html("div", {}, html("dt", {}, name), html("dd", {}, value))];
}

/** The figure of the dev set, in words and as a line from 0 to 1. */
function devFigure(dev) {
  if (!dev) return [html("p", { class: "quiet" }, "No dev figure is known.")];
  const { dataset, split, measure, value, low, high, questions } = dev;
  const known = Number.isFinite(low) && Number.isFinite(high);
  const percent = (x) => `${100 * x}%`;
  const line = svg(
    "svg",
    { class: "interval", "aria-hidden": "true" },
    svg("line", { class: "scale", x1: 0, x2: "100%", y1: 6, y2: 6 }),
    known
      ? svg("line", { x1: percent(low), x2: percent(high), y1: 6, y2: 6 })
      : null,
    svg("circle", { cx: percent(value), cy: 6, r: 4 }),
  );
  const interval = known ? ` (${number(low)} to ${number(high)})` : "";
  return [
    html(
      "p",
      {},
      html("strong", {}, `${measure} ${number(value)}`),
      html("span", { class: "quiet" }, interval),
    ),
    line,
    html(
      "p",
      { class: "quiet" },
      `${dataset} ${split}${questions ? `, ${questions} questions` : ""}`,
    ),
  ];
}

customElements.define("qa-ranking", QaRanking);
