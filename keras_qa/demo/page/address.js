// What the page shows, in the part of its address after #.

/** The longest address that is made. */
export const LONGEST = 4000;

/**
 * @typedef {{sample: number | null, question: string, own: string[] | null}}
 *   State the number of a sample question or null; the question's text; one's
 *   own answers, or null for those of the sample.
 */

/**
 * The part of the address after #, or null if the answers are too long for it.
 *
 * @param {State} state
 * @param {{question: string}[]} samples
 */
export function addressOf(state, samples) {
  const parts = new URLSearchParams();
  if (state.sample !== null) parts.set("q", String(state.sample + 1));
  if (state.question !== samples[state.sample]?.question) {
    parts.set("text", state.question);
  }
  for (const answer of state.own ?? []) parts.append("answer", answer);
  const address = parts.toString();
  return address.length <= LONGEST ? address : null;
}

/** The state that an address names; that of the first sample if none. */
export function stateOf(address, samples) {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  const number = Number(parts.get("q") ?? (parts.has("text") ? 0 : 1));
  const named = Number.isInteger(number) && number >= 1;
  const sample = named && number <= samples.length ? number - 1 : null;
  const own = parts.getAll("answer");
  return {
    sample,
    question: parts.get("text") ?? samples[sample]?.question ?? "",
    own: own.length ? own : null,
  };
}
