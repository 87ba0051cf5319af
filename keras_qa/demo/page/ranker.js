// One ranker: an ONNX model with the tokenizers of both sides.

import { Overlap, lowerCase } from "./overlap.js";
import { Tokenizer } from "./tokenizer.js";

/** The characters of a text that are read; the rest is cut off. */
export const MOST_CHARACTERS = 10_000;
// The most ids of the answers in a batch, to bound the memory.
const BATCH_IDS = 4096;
const SIDES = ["question", "answer"];

export class Ranker {
  /**
   * Loads a ranker.
   *
   * @param {object} runtime the module of onnxruntime-web.
   * @param {string | URL} folder where `export_onnx` wrote the ranker.
   * @param {(work: () => any) => Promise} [alone] runs what computes, when
   *   nothing else does.
   * @returns {Promise<Ranker>}
   */
  static async load(runtime, folder, alone = async (work) => work()) {
    const at = (name) => new URL(name, folder);
    const [bytes, ...tokenizers] = await Promise.all([
      fetched(at("model.onnx")).then((answer) => answer.arrayBuffer()),
      ...SIDES.map((side) => json(at(`${side}_tokenizer.json`))),
    ]);
    const session = await alone(() =>
      runtime.InferenceSession.create(new Uint8Array(bytes)),
    );
    const others = session.inputNames.filter((name) => !SIDES.includes(name));
    if (others.some((name) => name !== "overlap")) {
      throw new Error(`This page cannot make the model's inputs: ${others}`);
    }
    const [question, answer] = tokenizers.map((file) => new Tokenizer(file));
    const overlap = others.length
      ? new Overlap(await json(at("overlap.json")))
      : null;
    const ranker = new Ranker(runtime, session, { question, answer }, overlap);
    // The first run prepares the session; its time says nothing.
    await alone(() => ranker.rank("a", ["a"]));
    return ranker;
  }

  constructor(runtime, session, tokenizers, overlap) {
    this.runtime = runtime;
    this.session = session;
    this.tokenizers = tokenizers;
    this.overlap = overlap;
  }

  /**
   * Reads a text as the model does.
   *
   * @param {"question" | "answer"} side
   * @param {string} text
   * @returns {{ids: number[], spans: [number, number][], unknown: boolean[],
   *   apart: boolean[], more: boolean}} The tokens, where they stand, which of
   *   them the model does not know and which it tells from other words, and
   *   whether the text goes on.
   */
  read(side, text) {
    const tokenizer = this.tokenizers[side];
    const read = tokenizer.read(text.slice(0, MOST_CHARACTERS));
    return {
      ...read,
      unknown: read.ids.map((id) => tokenizer.isUnknown(id)),
      apart: read.ids.map((id) => id !== tokenizer.unknown),
      more: read.more || text.length > MOST_CHARACTERS,
    };
  }

  /**
   * Scores answers to a question.
   *
   * @param {string} question
   * @param {string[]} answers
   * @returns {Promise<{scores: Float32Array, question: object, answers:
   *   object[], milliseconds: number}>} The scores, how the texts were read,
   *   and the time that all this took.
   */
  async rank(question, answers) {
    const started = performance.now();
    const { read, rows, places } = this.#pairs(question, answers);
    const scores = new Float32Array(answers.length);
    for (const batch of batches(rows)) {
      const outputs = await this.#run(read.question, question, batch, [
        "score",
      ]);
      batch.forEach((row, i) => {
        for (const place of places.get(row)) {
          scores[place] = outputs.score.data[i];
        }
      });
    }
    const milliseconds = performance.now() - started;
    return { scores, ...read, milliseconds };
  }

  /**
   * Further outputs of the model for each answer.
   *
   * @param {string} question
   * @param {string[]} answers
   * @param {string[]} names of outputs.
   * @returns {Promise<object[]>} For each answer, by output, the `dims` without
   *   that of the pairs, and the `data`.
   */
  async outputs(question, answers, names) {
    const { read, rows, places } = this.#pairs(question, answers);
    const found = new Array(answers.length);
    for (const row of rows) {
      const outputs = await this.#run(read.question, question, [row], names);
      const one = Object.fromEntries(
        names.map((name) => [
          name,
          { dims: outputs[name].dims.slice(1), data: outputs[name].data },
        ]),
      );
      for (const place of places.get(row)) found[place] = one;
    }
    return found;
  }

  /** The distinct texts: equal ones must have equal scores in any batch. */
  #pairs(question, answers) {
    const read = {
      question: this.read("question", question),
      answers: answers.map((text) => this.read("answer", text)),
    };
    const places = new Map();
    const known = new Map();
    read.answers.forEach((row, place) => {
      const key = this.overlap ? answers[place] : row.ids.join();
      if (!known.has(key)) {
        known.set(key, row);
        places.set(row, []);
        row.text = answers[place];
      }
      places.get(known.get(key)).push(place);
    });
    return { read, rows: [...places.keys()], places };
  }

  async #run(question, text, rows, names) {
    const { tokenizers } = this;
    const inputs = {
      question: tokenizers.question.pad(rows.map(() => question.ids)),
      answer: tokenizers.answer.pad(rows.map((row) => row.ids)),
    };
    const feeds = {};
    for (const side of SIDES) {
      const { data, dims } = inputs[side];
      feeds[side] = new this.runtime.Tensor("int32", data, dims);
    }
    if (this.overlap) {
      const words = tokens(question, text);
      const data = rows.flatMap((row) =>
        this.overlap.pair(words, tokens(row, row.text)),
      );
      feeds.overlap = new this.runtime.Tensor(
        "float32",
        Float32Array.from(data),
        [rows.length, 4],
      );
    }
    return this.session.run(feeds, names);
  }
}

/** Groups of texts of similar length, each of at most BATCH_IDS ids. */
export function* batches(rows) {
  const sorted = [...rows].sort((a, b) => a.ids.length - b.ids.length);
  let batch = [];
  for (const row of sorted) {
    if (batch.length && (batch.length + 1) * row.ids.length > BATCH_IDS) {
      yield batch;
      batch = [];
    }
    batch.push(row);
  }
  if (batch.length) yield batch;
}

function tokens(read, text) {
  return read.spans.map(([start, end]) => lowerCase(text.slice(start, end)));
}

async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url.pathname} cannot be read`);
  return answer;
}

const json = async (url) => (await fetched(url)).json();
