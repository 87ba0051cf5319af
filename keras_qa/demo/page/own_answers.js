// One's own answers: the lines of a text.

import { MOST_CHARACTERS } from "./ranker.js";

/** The most answers that are ranked at once. */
export const MOST_ANSWERS = 200;

/**
 * The answers in a text, one a line, and a note on what was left out.
 *
 * @param {string} text
 * @returns {{answers: string[], note: string}}
 */
export function answersOf(text) {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
  const answers = lines
    .slice(0, MOST_ANSWERS)
    .map((line) => line.slice(0, MOST_CHARACTERS));
  const notes = [];
  if (lines.length > MOST_ANSWERS) {
    notes.push(`the first ${MOST_ANSWERS} of ${lines.length} lines are ranked`);
  } else if (lines.length) {
    notes.push(`${lines.length} ${lines.length === 1 ? "answer" : "answers"}`);
  }
  const cut = lines
    .slice(0, MOST_ANSWERS)
    .filter((line) => line.length > MOST_CHARACTERS).length;
  if (cut) {
    const most = MOST_CHARACTERS.toLocaleString("en");
    notes.push(`${cut} cut to ${most} characters`);
  }
  const note = notes.join(", ");
  return { answers, note: note && `${note[0].toUpperCase()}${note.slice(1)}.` };
}
