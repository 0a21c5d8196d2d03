// The camera turns about its target; a view from front, side or top is parallel.
const home = { yaw: data.heading - 0.7, pitch: 0.2, distance: (state.layout === "beside" ? 2.3 : 1.9) * size, x: 0, y: 0.4 * size + floor, z: 0, parallel: false };
let camera = { ...home }, view = null, width = 0, height = 0, ratio = 1;
function look() {
  const target = [camera.x, camera.y, camera.z];
  if (state.follow && clips.length) {
    const p = place(clips[0], clips[0].centre, sample(clips[0]));
    // Up with those who climb or fly, not with every step.
    target[0] += p[0]; target[1] += Math.max(0, p[1] - floor - 0.48 * size); target[2] += p[2];
  }
  const sy = Math.sin(camera.yaw), cy = Math.cos(camera.yaw), sp = Math.sin(camera.pitch), cp = Math.cos(camera.pitch);
  view = {
    target, sy, cy, sp, cp, zoom: Math.min(width * (state.layout === "beside" ? 1 : 2), height * 1.4) * 1.35,
    right: [cy, 0, -sy], up: [-sy * sp, cp, -cy * sp], back: [sy * cp, sp, cy * cp],
  };
}
// Pixels from the left and the top, distance from the eye, pixels per unit (0 behind the eye).
function project(p, shift = [0, 0, 0]) {
  const d = [p[0] + shift[0] - view.target[0], p[1] + shift[1] - view.target[1], p[2] + shift[2] - view.target[2]];
  const along = axis => d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2];
  const depth = camera.distance - along(view.back);
  const scale = camera.parallel ? view.zoom / camera.distance : depth > 0.02 * size ? view.zoom / depth : 0;
  return [width / 2 + along(view.right) * scale, height / 2 - along(view.up) * scale, depth, scale];
}
// The shift of a clip from its own place: roots side by side on one floor, with shared time.
function offset(index) {
  if (state.layout === "over" || clips.length < 2) return [0, 0, 0];
  const clip = clips[index], far = (index - (clips.length - 1) / 2) * 0.56 * size;
  const root = c => place(c, c.centre, sample(c)), a = root(clips[0]), b = root(clip);
  return [a[0] - b[0] + view.right[0] * far, floor - clip.floor, a[2] - b[2] + view.right[2] * far];
}
