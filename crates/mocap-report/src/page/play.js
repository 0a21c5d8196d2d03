// The clock: motion plays in real time at any frame rate.
let before = 0, asked = false;
const waiting = [];
function redraw() { if (!asked) { asked = true; requestAnimationFrame(tick); } }
function tick(now) {
  asked = false;
  if (state.playing) {
    // The timestamp of the first frame can precede the click.
    state.t += max(0, now - before) / 1000 * state.speed;
    if (state.t > state.to) {
      const length = state.to - state.from;
      if (state.loop && length > 0) state.t = state.from + (state.t - state.from) % length;
      else { state.t = state.to; play(false); }
    }
    before = max(before, now);
  }
  draw();
  for (const after of waiting.splice(0)) after();
  if (state.playing) redraw();
}
function play(on) {
  if (on && (state.t >= state.to || state.t < state.from)) state.t = state.from;
  state.playing = on && state.to > state.from; before = performance.now();
  $("play").textContent = state.playing ? "❚❚" : "▶";
  // A screen reader says where the motion stands, not every frame that passes.
  $("now").setAttribute("aria-live", state.playing ? "off" : "polite");
  redraw();
}
// Time in hidden tabs is skipped.
document.addEventListener("visibilitychange", () => { before = performance.now(); });
function seek(t) { state.t = max(0, min(seconds, t)); redraw(); }
function toFrame(f) { if (clips.length) seek(f / clips[0].fps); }
function setRange(from, to) {
  state.from = max(0, min(from, to)); state.to = min(seconds, max(from, to));
  redraw();
}
// Where to jump: the largest differences, then what is suspicious, then the fastest moment of each clip, then what happens.
function places() {
  const found = [];
  clips.forEach((clip, index) => {
    const of = clips.length > 1 ? ` — ${clip.name}` : "", w = clip.differences && clip.differences.worst;
    if (w) found.push({ words: `largest ${clip.differences.label}: ${small(w.value)}, frame ${w.frame}${of}`, t: w.frame / clip.fps, clip: index, joint: w.joint });
    for (const f of clip.findings.slice(0, 40)) found.push({ words: `${f.kind}: ${f.value}, frame ${f.peak}${of}`, t: f.peak / clip.fps, clip: index, joint: f.joint });
    const skate = worstSkate(clip);
    if (skate) found.push({ words: `fastest planted foot: ${skate.v.toFixed(2)} ${data.unit}/s, frame ${skate.s * clip.step}${of}`, t: skate.s / clip.rate, clip: index, joint: skate.joint });
    const deep = lowest(clip);
    if (deep) found.push({ words: `deepest below the floor: ${small(deep.v)}, frame ${deep.s * clip.step}${of}`, t: deep.s / clip.rate, clip: index, joint: deep.joint });
  });
  clips.forEach((clip, index) => happening(clip).slice(0, 80).forEach(it => found.push({ words: `${it.name}, ${it.from.toFixed(2)} s${clips.length > 1 ? ` — ${clip.name}` : ""}`, t: it.from, clip: index, joint: -1 })));
  return found;
}
function worstSkate(clip) {
  let worst = null;
  for (const foot of clip.feet) for (let s = 0; s < clip.samples; s++) if (foot.toe_on[s]) {
    const v = speed(clip, foot.toe, s, true);
    if (!worst || v > worst.v) worst = { v, s, joint: foot.toe };
  }
  return worst;
}
function lowest(clip) {
  let worst = null;
  for (const foot of clip.feet) for (let s = 0; s < clip.samples; s++) {
    const v = clip.floor - place(clip, foot.toe, s)[1];
    if (v > 0.005 * clip.size && (!worst || v > worst.v)) worst = { v, s, joint: foot.toe };
  }
  return worst;
}
function jump(it) {
  play(false); seek(it.t);
  if (it.joint >= 0) { state.hover = null; state.selected = { clip: it.clip, joint: it.joint }; state.pinned = true; }
}
function worst() {
  const list = places();
  if (list.length) jump(list.find(it => compared && clips[it.clip] === compared) || list[0]);
}
