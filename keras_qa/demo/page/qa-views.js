// <qa-views>: one answer in detail, as each ranker sees it.

import { html, score, struck } from "./dom.js";
import { bestFirst } from "./measures.js";
import { viewBlocks, viewMap } from "./view_map.js";
import { viewPoints } from "./view_points.js";
import { viewNumbers, viewShared, viewWeights } from "./view_words.js";

/** The pictures of one output, by the kind of a view. */
const MAKE = { weights: viewWeights, numbers: viewNumbers, map: viewMap };
/** The characters of a text that the details show. */
const SHOWN = 2000;

export class QaViews extends HTMLElement {
  #rankers = null;
  #asked = 0;

  /** @param {import("./rankers.js").Rankers} rankers */
  start(rankers) {
    this.#rankers = rankers;
    this.clear();
  }

  clear() {
    this.#asked++;
    this.replaceChildren();
  }

  /**
   * Shows an answer.
   *
   * @param {object} shown the question, its answers, the results by ranker,
   *   the answer's number and the ranker whose column it was chosen in.
   */
  async show(shown) {
    const asked = ++this.#asked;
    const { question, answers, answer, ranker, results } = shown;
    const heading = html("h2", { id: "detail", tabindex: -1 }, "An answer");
    const first = results.get(ranker);
    this.replaceChildren(
      html(
        "section",
        { "aria-labelledby": "detail" },
        html("div", { class: "row" }, heading, ...this.#steps(shown)),
        html(
          "dl",
          { class: "pair" },
          html("dt", {}, "Question"),
          html(
            "dd",
            { dir: "auto" },
            html("bdi", {}, ...struck(question, first.question, SHOWN)),
          ),
          html("dt", {}, "Answer"),
          html(
            "dd",
            { dir: "auto" },
            html(
              "bdi",
              {},
              ...struck(answers[answer], first.answers[answer], SHOWN),
            ),
          ),
        ),
      ),
    );
    heading.focus({ preventScroll: true });
    this.scrollIntoView({ block: "start" });
    const order = [ranker, ...[...results.keys()].filter((r) => r !== ranker)];
    for (const one of order) {
      const article = html(
        "article",
        { "aria-label": one.label },
        html("h3", {}, one.label),
        html("p", { class: "quiet" }, placeOf(results.get(one), answer)),
      );
      this.firstElementChild.append(article);
      try {
        const views = await this.#views(one, shown);
        if (asked !== this.#asked) return;
        article.append(...views);
      } catch (error) {
        if (asked !== this.#asked) return;
        article.append(html("p", {}, `No picture: ${error.message}`));
      }
    }
    this.dispatchEvent(new CustomEvent("qa-shown", { bubbles: true }));
  }

  async #views(ranker, { question, answers, right, answer, results }) {
    const result = results.get(ranker);
    const pair = {
      question,
      answer: answers[answer],
      read: { question: result.question, answer: result.answers[answer] },
    };
    if (ranker.views.length === 0) return [viewShared(pair)];
    const made = [];
    for (const view of ranker.views) {
      if (view.kind === "points") {
        const points = await this.#rankers.outputs(ranker, question, answers, [
          view.question,
          view.answer,
          ...(view.distance ? [view.distance] : []),
        ]);
        made.push(viewPoints(view, points, answer, right));
        continue;
      }
      const names =
        view.kind === "blocks" ? [view.question, view.answer] : [view.output];
      const [found] = await this.#rankers.outputs(
        ranker,
        question,
        [pair.answer],
        names,
      );
      made.push(
        view.kind === "blocks"
          ? viewBlocks(view, found, pair)
          : MAKE[view.kind](view, found[view.output], pair),
      );
    }
    return made;
  }

  /** The buttons to the neighbours in the ranker's order, and back. */
  #steps(shown) {
    const order = bestFirst(shown.results.get(shown.ranker).scores);
    const at = order.indexOf(shown.answer);
    const step = (label, to) =>
      html(
        "button",
        {
          type: "button",
          disabled: order[to] === undefined,
          onclick: () => this.show({ ...shown, answer: order[to] }),
        },
        label,
      );
    return [
      step("Better", at - 1),
      step("Worse", at + 1),
      html(
        "button",
        {
          type: "button",
          onclick: () =>
            this.dispatchEvent(
              new CustomEvent("qa-back", { detail: shown, bubbles: true }),
            ),
        },
        "Back to the ranking",
      ),
    ];
  }
}

function placeOf(result, answer) {
  const place = bestFirst(result.scores).indexOf(answer) + 1;
  const value = score(result.scores[answer], 4);
  const read = result.answers[answer];
  const cut = read.more ? `, first ${read.ids.length} words read` : "";
  return `Place ${place} of ${result.scores.length}, score ${value}${cut}`;
}

customElements.define("qa-views", QaViews);
