// Runs the rankers beside the page, so that it stays usable while they work.
// A message {id, task, ...} is answered by {id, result} or {id, error}.

import * as runtime from "./vendor/ort.wasm.bundle.min.mjs";
import { Ranker } from "./ranker.js";

runtime.env.wasm.numThreads = 1;
runtime.env.logLevel = "error";

const rankers = new Map();
const tasks = {
  async load({ ranker, folder }) {
    rankers.set(ranker, await Ranker.load(runtime, folder));
  },
  rank: ({ ranker, question, answers }) =>
    rankers.get(ranker).rank(question, answers),
  outputs: ({ ranker, question, answers, names }) =>
    rankers.get(ranker).outputs(question, answers, names),
};

// One after the other: a session runs one batch at a time, and the times that
// the page shows are those of one ranker alone.
let last = Promise.resolve();
addEventListener("message", ({ data: { id, task, ...given } }) => {
  last = last
    .then(() => tasks[task](given))
    .then(
      (result) => postMessage({ id, result }),
      (error) => postMessage({ id, error: String(error?.message ?? error) }),
    );
});
