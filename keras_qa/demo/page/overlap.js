// The features of word overlap that some models take beside the words; the
// file overlap.json has the counts. docs/exports.md states the formulas.

export class Overlap {
  /** @param {object} file the content of overlap.json. */
  constructor(file) {
    this.documents = file.documents;
    this.frequencies = new Map(Object.entries(file.document_frequencies));
    this.stopWords = new Set(file.stop_words);
  }

  /**
   * @param {string[]} question the tokens of the question.
   * @param {string[]} answer the tokens of the answer.
   * @returns {number[]} four numbers.
   */
  pair(question, answer) {
    const q = new Set(question);
    const a = new Set(answer);
    const content = (words) => [...words].filter((w) => !this.#isStopWord(w));
    const part = (q, a) => {
      const shared = q.filter((word) => a.includes(word));
      const size = Math.max(1, q.length + a.length);
      const idf = shared.map((word) => this.#idf(word)).reduce(sum, 0);
      return [shared.length / size, idf / size];
    };
    return [...part([...q], [...a]), ...part(content(q), content(a))];
  }

  #idf(word) {
    return Math.log(this.documents / (this.frequencies.get(word) ?? 1));
  }

  #isStopWord(word) {
    return this.stopWords.has(word) || !/[\p{L}\p{N}]/u.test(word);
  }
}

/**
 * The lower case of a token, letter by letter as the kit's. A tokenizer's file
 * has only that of known words; unknown words of both texts overlap, too.
 */
export function lowerCase(token) {
  return [...token.replaceAll("İ", "i")].map((c) => c.toLowerCase()).join("");
}

const sum = (a, b) => a + b;
