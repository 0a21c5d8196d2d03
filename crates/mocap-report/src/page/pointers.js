// Pointers: one turns, two or the other buttons move, pinch and wheel zoom, a click selects. And the start of the page.
const pointers = new Map();
let travelled = 0;
function pan(dx, dy) {
  const scale = camera.distance / view.zoom;
  for (const [axis, i] of [["x", 0], ["y", 1], ["z", 2]]) camera[axis] += (-view.right[i] * dx + view.up[i] * dy) * scale;
}
const zoom = factor => { camera.distance = max(0.05 * size, min(60 * size, camera.distance * factor)); };
function jointAt(e, reach) {
  const box = stage.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
  let best = reach, found = null;
  clips.forEach((clip, c) => clip.seen.forEach((at, j) => {
    const d = hypot(at[0] - x, at[1] - y);
    if (at[3] && d < best) { best = d; found = { clip: c, joint: j }; }
  }));
  return found;
}
function click(e) {
  const it = jointAt(e, 22);
  if (!state.measuring) { select(it); return; }
  if (it) { state.pair = state.pair.length === 1 ? [state.pair[0], it] : [it]; redraw(); }
}
stage.onpointerdown = e => {
  stage.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]);
  stage.classList.add("dragging"); if (pointers.size === 1) travelled = 0;
};
stage.onpointermove = e => {
  const old = pointers.get(e.pointerId);
  if (!old) { state.hover = jointAt(e, 16); redraw(); return; }
  const dx = e.clientX - old[0], dy = e.clientY - old[1];
  travelled += hypot(dx, dy);
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== e.pointerId)[1];
    const was = hypot(old[0] - other[0], old[1] - other[1]), is = hypot(e.clientX - other[0], e.clientY - other[1]);
    if (was > 1 && is > 1) zoom(was / is);
    pan(dx / 2, dy / 2);
  } else if (e.shiftKey || e.buttons & 6) pan(dx, dy);
  else if (travelled > 3) {
    camera.yaw -= dx * 0.008;
    camera.pitch = max(-1.5, min(Math.PI / 2, camera.pitch + dy * 0.008));
    if (camera.parallel) { camera.parallel = false; $("view").value = "free"; }
  }
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  redraw();
};
stage.onpointerup = stage.onpointercancel = e => {
  if (e.type === "pointerup" && pointers.size === 1 && travelled <= 3 && e.button === 0) click(e);
  pointers.delete(e.pointerId);
  if (!pointers.size) stage.classList.remove("dragging");
};
stage.onpointerleave = () => { if (!pointers.size && state.hover) { state.hover = null; redraw(); } };
stage.oncontextmenu = e => e.preventDefault();
stage.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(e.deltaY * (e.deltaMode ? 0.05 : 0.0015))); redraw(); }, { passive: false });
const scrub = e => { const box = time.getBoundingClientRect(); play(false); seek((e.clientX - box.left - 6) / (box.width - 12) * seconds); };
for (const strip of [time, curves]) {
  strip.onpointerdown = e => { strip.setPointerCapture(e.pointerId); scrub(e); };
  strip.onpointermove = e => { if (e.buttons) scrub(e); };
}
function resize() {
  ratio = window.devicePixelRatio || 1;
  for (const canvas of [stage, $("bodies"), time]) { canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio; }
  width = stage.clientWidth; height = stage.clientHeight;
  redraw();
}
addEventListener("resize", resize);
new ResizeObserver(resize).observe(stage);
const prefers = matchMedia("(prefers-color-scheme: dark)");
prefers.onchange = () => theme(prefers.matches);
offer(); theme(prefers.matches); resize(); setView("free"); openLink();
addEventListener("hashchange", openLink);
// For the console: what is shown, and where joints are in the frame shown.
window.viewer = { state, clips, bonesOf, rigidOf, seek, toFrame, play, worst, places, select, link, openFiles, readMocz, xxh3, get webgl() { return !!renderer; }, get frame() { return frame(clips[0]); }, get camera() { return camera; },
  joint: (name, clip = 0, s = sample(clips[clip])) => place(clips[clip], clips[clip].joints.indexOf(name), s), screen: (joint, clip = 0) => clips[clip].seen[joint] };
