// The order of answers and the average precision of a question.

/**
 * Positions of scores, from the highest to the lowest; equal scores keep their
 * order, and NaN comes last, as in the kit's `best_first`.
 */
export function bestFirst(scores) {
  const value = (i) => (Number.isNaN(scores[i]) ? -Infinity : scores[i]);
  return Array.from(scores.keys()).sort((a, b) => value(b) - value(a) || a - b);
}

/**
 * The average precision of a question, equal scores in random order: its mean
 * over their orders, which is what the kit's shuffles give on average
 * (McSherry and Najork, 2008, "Computing information retrieval performance
 * measures efficiently in the presence of tied scores").
 *
 * @param {ArrayLike<number>} scores
 * @param {(boolean | null)[]} right whether each answer is right.
 * @returns {number | null} null if no answer is right, or of one nothing is
 *   known.
 */
export function averagePrecision(scores, right) {
  const total = right.filter((one) => one === true).length;
  if (total === 0 || right.some((one) => one === null)) return null;
  const order = bestFirst(scores);
  let [sum, before] = [0, 0];
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && same(scores, order[start], order[end])) end++;
    const size = end - start;
    const found = order.slice(start, end).filter((i) => right[i] === true);
    for (let place = start; place < end; place++) {
      // Right answers among the equal ones that stand before this place.
      const others =
        size > 1 ? ((place - start) * (found.length - 1)) / (size - 1) : 0;
      sum += ((found.length / size) * (before + others + 1)) / (place + 1);
    }
    before += found.length;
    start = end;
  }
  return sum / total;
}

function same(scores, a, b) {
  return Object.is(scores[a], scores[b]) || scores[a] === scores[b];
}
