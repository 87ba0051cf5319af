// A text that normalisers change, with the part of the original that each
// character was made of.

export class MappedText {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    // Position i was made of original[starts[i]..ends[i]]; null: unchanged.
    this.starts = null;
    this.ends = null;
  }

  /** The range of the original text that a range was made of. */
  source(from, to) {
    if (this.starts === null) return [from, to];
    return [this.starts[from], this.ends[to - 1]];
  }

  /**
   * Replaces characters one by one.
   *
   * @param {(character: string) => string | undefined} change the new text, ""
   *   to drop a character, or undefined to keep it.
   */
  replaceEach(change) {
    const ranges = [];
    let at = 0;
    for (const character of this.text) {
      const changed = change(character);
      const end = at + character.length;
      if (changed !== undefined) ranges.push([at, end, changed]);
      at = end;
    }
    this.replaceRanges(ranges);
  }

  /** @param {[number, number, string][]} ranges in order, without overlap. */
  replaceRanges(ranges) {
    if (ranges.length === 0) return;
    const parts = [];
    const starts = [];
    const ends = [];
    let at = 0;
    const keep = (until) => {
      parts.push(this.text.slice(at, until));
      for (; at < until; at++) {
        starts.push(this.starts?.[at] ?? at);
        ends.push(this.ends?.[at] ?? at + 1);
      }
    };
    for (const [from, to, content] of ranges) {
      keep(from);
      const [start, end] = this.source(from, to);
      parts.push(content);
      for (let i = 0; i < content.length; i++) {
        starts.push(start);
        ends.push(end);
      }
      at = to;
    }
    keep(this.text.length);
    this.text = parts.join("");
    this.starts = starts;
    this.ends = ends;
  }
}
