// Rotations as quaternions [x, y, z, w], for files that are dropped on the page.
const turned = (q, v) => {
  const [x, y, z, w] = q, t = cross([x, y, z], v).map(c => 2 * c), u = cross([x, y, z], t);
  return v.map((c, i) => c + w * t[i] + u[i]);
};
const product = ([a, b, c, d], [x, y, z, w]) => [
  d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x, d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z,
];
function about(axis, degrees) {
  const half = degrees * Math.PI / 360, q = [0, 0, 0, Math.cos(half)];
  q[axis] = Math.sin(half);
  return q;
}
function between(p, q, f) {
  const dot = p.reduce((sum, v, i) => sum + v * q[i], 0), sign = dot < 0 ? -1 : 1;
  return unit(p.map((v, i) => v + (sign * q[i] - v) * f));
}
