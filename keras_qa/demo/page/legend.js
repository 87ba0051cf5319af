// What a shade means: a bar from the least to the most, with a mark between.

import { html, number } from "./dom.js";

/**
 * A bar of shades.
 *
 * @param {number} low the number without a shade.
 * @param {number} high the number with the darkest shade.
 * @param {{name: string, value: number} | null} [mark] a level to show.
 */
export function legend(low, high, mark = null) {
  const shown =
    mark && high > low ? html("span", { class: "uniform" }, mark.name) : null;
  shown?.style.setProperty("--at", (mark.value - low) / (high - low));
  return html(
    "div",
    { class: "scale", "aria-hidden": "true" },
    html("span", {}, low === 0 ? "0" : number(low)),
    html("span", { class: "bar" }, shown),
    html("span", {}, number(high)),
  );
}

/**
 * The largest numbers in words, for whoever cannot tell shades.
 *
 * @param {[string, number][]} named
 */
export function largest(named, most = 3) {
  const first = [...named]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .flatMap(([name, value], i) => [
      i ? ", " : "",
      html("bdi", {}, name),
      ` ${number(value)}`,
    ]);
  return first.length ? [" Largest: ", ...first, "."] : [];
}
