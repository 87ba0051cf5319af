// Points of the Poincaré ball, and their picture around another.

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

/**
 * Places points in a plane around a centre, at given distances from it. The
 * Möbius translation that takes the centre to 0 keeps hyperbolic distance, so
 * that a picture with the centre in its middle can keep the distances from it.
 * It cannot keep the directions, too: from a centre near the sphere, all points
 * lie in nearly the same one. Shown are the directions of the points from their
 * mean, on the two principal directions of these.
 *
 * @param {number[][]} points
 * @param {number[]} distances
 * @returns {{places: [number, number][], part: number}} The places, in units of
 *   distance, and the part of the points' variance that the plane holds.
 */
export function around(points, distances) {
  const mean = points[0].map(
    (_, i) => points.reduce((sum, point) => sum + point[i], 0) / points.length,
  );
  const centred = points.map((point) => point.map((x, i) => x - mean[i]));
  const [first, second] = principal(centred);
  let [inPlane, all] = [0, 0];
  const places = centred.map((point, i) => {
    const [x, y] = [dot(point, first), dot(point, second)];
    inPlane += x * x + y * y;
    all += dot(point, point);
    const length = Math.hypot(x, y);
    if (length === 0) return [distances[i], 0];
    return [(x / length) * distances[i], (y / length) * distances[i]];
  });
  return { places, part: all > 0 ? inPlane / all : 1 };
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
      if (norm(next) < 1e-30) break;
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
