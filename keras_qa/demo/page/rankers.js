// The page's side of worker.js.

export class Rankers {
  #worker = new Worker(new URL("worker.js", import.meta.url), {
    type: "module",
  });
  #waiting = new Map();
  #next = 0;

  constructor() {
    this.#worker.addEventListener("message", ({ data }) => {
      const { resolve, reject } = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) resolve(data.result);
      else reject(new Error(data.error));
    });
    this.#worker.addEventListener("error", (event) => {
      const error = new Error(event.message || "The rankers cannot be started");
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
  }

  /** Loads a ranker of site.json; `rank` may be called before it ends. */
  load({ id, folder }) {
    const url = new URL(`${folder}/`, document.baseURI).href;
    return this.#ask({ task: "load", ranker: id, folder: url });
  }

  /** See `Ranker.rank`. */
  rank({ id }, question, answers) {
    return this.#ask({ task: "rank", ranker: id, question, answers });
  }

  /** See `Ranker.outputs`. */
  outputs({ id }, question, answers, names) {
    return this.#ask({ task: "outputs", ranker: id, question, answers, names });
  }

  #ask(message) {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message });
    });
  }
}
