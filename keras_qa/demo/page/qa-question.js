// <qa-question>: the question, a sample or one's own, and one's own answers.

import { beginning, html } from "./dom.js";
import { answersOf } from "./own_answers.js";

// The characters that a text field shows without becoming slow.
const MOST_SHOWN = 50_000;
const WAIT = 350;

export class QaQuestion extends HTMLElement {
  #samples = [];
  #state = null;
  #parts = {};
  #timer = 0;
  // The edits of either field that the timer waits for.
  #pending = [];

  /** @param {{question: string}[]} samples */
  start(samples) {
    this.#samples = samples;
    const parts = (this.#parts = {
      sample: html("select", {
        id: "sample",
        onchange: () => this.#choose(parts.sample.value),
      }),
      question: html("input", {
        id: "question",
        autocomplete: "off",
        spellcheck: "false",
        dir: "auto",
        maxlength: 2000,
        oninput: () => this.#later({ question: parts.question.value }),
      }),
      own: html("textarea", {
        id: "own",
        rows: 5,
        dir: "auto",
        spellcheck: "false",
        "aria-describedby": "own-note",
        oninput: () => this.#later(() => this.#given(parts.own.value)),
      }),
      file: html("input", {
        id: "file",
        type: "file",
        accept: ".txt,text/plain",
        onchange: () => this.#readFile(parts.file.files[0]),
      }),
      note: html("p", { id: "own-note", class: "quiet" }),
      back: html(
        "button",
        { type: "button", hidden: true, onclick: () => this.#clear() },
        "Remove your answers",
      ),
    });
    parts.sample.append(
      html("option", { value: "" }, "None: type a question below"),
      ...samples.map(({ question }, i) =>
        html("option", { value: i }, `${i + 1}. ${beginning(question, 90)}`),
      ),
    );
    const details = html(
      "details",
      {},
      html("summary", {}, "Your own answers"),
      html("label", { for: "own" }, "One answer a line"),
      parts.own,
      html(
        "p",
        { class: "row" },
        html("label", { for: "file" }, "or a text file, also dropped on the page"),
        parts.file,
        parts.back,
      ),
      parts.note,
    );
    this.#parts.details = details;
    this.replaceChildren(
      html(
        "form",
        {
          onsubmit: (event) => {
            event.preventDefault();
            this.#now({ question: parts.question.value });
          },
        },
        html("label", { for: "sample" }, "Sample question"),
        parts.sample,
        html("label", { for: "question" }, "Question"),
        parts.question,
        details,
      ),
    );
    this.#takeDrops();
  }

  /** @param {import("./address.js").State} state */
  set state(state) {
    clearTimeout(this.#timer);
    this.#pending = [];
    this.#state = state;
    const { sample, question, own, details } = this.#parts;
    sample.value = state.sample === null ? "" : String(state.sample);
    question.value = state.question;
    if (state.own !== null) details.open = true;
    const text = (state.own ?? []).join("\n");
    own.value = text.length <= MOST_SHOWN ? text : "";
    this.#say("");
  }

  #choose(value) {
    const sample = value === "" ? null : Number(value);
    const question = sample === null ? "" : this.#samples[sample].question;
    this.state = { sample, question, own: sample === null ? this.#own : null };
    if (sample === null) {
      this.#parts.details.open = true;
      this.#parts.question.focus();
    }
    this.#now({});
  }

  get #own() {
    return this.#state.own;
  }

  #clear() {
    this.#parts.file.value = "";
    this.#apply();
    this.state = { ...this.#state, own: null };
    this.#now({});
  }

  async #readFile(file) {
    if (!file) return;
    // What lies after it is not read: no list of answers is that long.
    const text = await file.slice(0, 50_000_000).text();
    this.#apply();
    const given = this.#given(text);
    const shown = text.length <= MOST_SHOWN;
    this.#parts.own.value = shown ? (given.own ?? []).join("\n") : "";
    this.#parts.details.open = true;
    this.#now(given);
  }

  #given(text) {
    const { answers, note } = answersOf(text);
    this.#say(note, answers.length > 0);
    return { own: answers.length ? answers : null };
  }

  #say(note, own = this.#own !== null) {
    this.#parts.note.textContent = note;
    this.#parts.back.hidden = !own;
  }

  #later(change) {
    clearTimeout(this.#timer);
    this.#pending.push(change);
    this.#timer = setTimeout(() => this.#now({}), WAIT);
  }

  #now(change) {
    clearTimeout(this.#timer);
    this.#apply();
    this.#state = { ...this.#state, ...change };
    this.dispatchEvent(new CustomEvent("qa-change", { detail: this.#state }));
  }

  /** Takes the edits that wait. */
  #apply() {
    for (const change of this.#pending.splice(0)) {
      const made = typeof change === "function" ? change() : change;
      this.#state = { ...this.#state, ...made };
    }
  }

  #takeDrops() {
    // Anywhere: a browser would leave the page to show a file beside the field.
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.classList.add("dropping");
    });
    document.addEventListener("dragleave", () => {
      this.classList.remove("dropping");
    });
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.classList.remove("dropping");
      this.#readFile(event.dataTransfer.files[0]);
    });
  }
}

customElements.define("qa-question", QaQuestion);
