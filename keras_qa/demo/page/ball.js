// Points of the Poincaré ball, and their picture around one of them.

const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);

export const norm = (x) => Math.sqrt(dot(x, x));

/** The hyperbolic distance of two points, at curvature -1. */
export function distance(x, y) {
  const difference = x.map((value, i) => value - y[i]);
  const room = inside(x) * inside(y);
  return Math.acosh(1 + (2 * dot(difference, difference)) / room);
}

// A point that float32 rounded onto the sphere is taken as one just inside.
const inside = (x) => Math.max(1 - dot(x, x), 2 ** -24);

/** The Möbius translation of the ball that takes `from` to 0, at `x`. */
export function translate(from, x) {
  const [xy, xx, yy] = [-dot(from, x), dot(from, from), dot(x, x)];
  const bottom = 1 + 2 * xy + xx * yy;
  return x.map(
    (value, i) => ((1 - xx) * value - (1 + 2 * xy + yy) * from[i]) / bottom,
  );
}

/**
 * Places points in a plane around a centre: at their hyperbolic distance from
 * it, in the direction of their translated points on the two principal
 * directions of these.
 *
 * @param {number[]} centre
 * @param {number[][]} points
 * @returns {{places: [number, number][], distances: number[], part: number}}
 *   The places, in units of hyperbolic distance, and the part of the squared
 *   length of all directions that lies in the plane.
 */
export function around(centre, points) {
  const distances = points.map((point) => distance(centre, point));
  // Unit vectors, so that far points do not decide alone.
  const directions = points.map((point) => unit(translate(centre, point)));
  const [first, second] = principal(directions);
  let inPlane = 0;
  const places = directions.map((direction, i) => {
    const [x, y] = [dot(direction, first), dot(direction, second)];
    inPlane += x * x + y * y;
    const length = Math.hypot(x, y);
    if (length === 0) return [distances[i], 0];
    return [(x / length) * distances[i], (y / length) * distances[i]];
  });
  const all = directions.filter((d) => norm(d) > 0).length;
  return { places, distances, part: all ? inPlane / all : 1 };
}

function unit(x) {
  const length = norm(x);
  return length > 0 ? x.map((value) => value / length) : x;
}

/** The two directions with the largest sum of squared components. */
function principal(points) {
  const size = points[0]?.length ?? 0;
  const found = [];
  for (let n = 0; n < 2; n++) {
    // Begins off any axis; the same picture comes each time.
    let axis = Array.from({ length: size }, (_, i) => Math.cos(i + 1 + n));
    for (let step = 0; step < 300; step++) {
      for (const other of found) axis = without(axis, other);
      axis = unit(axis);
      const next = new Array(size).fill(0);
      for (const point of points) {
        const along = dot(point, axis);
        point.forEach((value, i) => (next[i] += along * value));
      }
      for (const other of found) {
        next.splice(0, size, ...without(next, other));
      }
      if (norm(next) < 1e-12) break;
      axis = unit(next);
    }
    found.push(axis);
  }
  return found;
}

function without(x, axis) {
  const along = dot(x, axis);
  return x.map((value, i) => value - along * axis[i]);
}
