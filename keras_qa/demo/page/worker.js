// Runs the rankers beside the page, so that it stays usable while they work.
// A message {id, task, ...} is answered by {id, result} or {id, error}.

import * as runtime from "./vendor/ort.wasm.bundle.min.mjs";
import { Ranker } from "./ranker.js";

runtime.env.wasm.numThreads = 1;
runtime.env.logLevel = "error";

// What is computed, is computed one after the other: the times that the page
// shows are those of one ranker alone.
let last = Promise.resolve();
function alone(work) {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

// By ranker, the promise of it.
const rankers = new Map();
const tasks = {
  async load({ ranker, folder }) {
    rankers.set(ranker, Ranker.load(runtime, folder, alone));
    await rankers.get(ranker);
  },
  async rank({ ranker, question, answers }) {
    const loaded = await rankers.get(ranker);
    return alone(() => loaded.rank(question, answers));
  },
  async outputs({ ranker, question, answers, names }) {
    const loaded = await rankers.get(ranker);
    return alone(() => loaded.outputs(question, answers, names));
  },
};

addEventListener("message", ({ data: { id, task, ...given } }) => {
  tasks[task](given).then(
    (result) => postMessage({ id, result }),
    (error) => postMessage({ id, error: String(error?.message ?? error) }),
  );
});
