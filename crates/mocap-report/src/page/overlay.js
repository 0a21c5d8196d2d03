// What is drawn on top of the bodies: names, joints, the selection, a measured distance; and the whole picture.
const renderer = location.hash.includes("flat") ? null : createRenderer($("bodies"));
const isDark = () => document.documentElement.classList.contains("dark");
function dot(at, radius, fill, ring) {
  if (!at[3]) return;
  ctx.beginPath(); ctx.arc(at[0], at[1], radius, 0, 7);
  if (fill) { ctx.fillStyle = fill; ctx.fill(); }
  if (ring) { ctx.strokeStyle = ring; ctx.lineWidth = 2; ctx.stroke(); }
}
function label(words, x, y) {
  ctx.font = "600 12px system-ui,sans-serif";
  const w = ctx.measureText(words).width;
  ctx.fillStyle = css.panel; ctx.globalAlpha = 0.9; ctx.fillRect(x - w / 2 - 5, y - 10, w + 10, 19); ctx.globalAlpha = 1;
  ctx.fillStyle = css.text; ctx.fillText(words, x - w / 2, y + 4);
}
function drawNames(clip) {
  ctx.fillStyle = css.muted; ctx.font = "11px system-ui,sans-serif";
  // Names that would cover another one are left out; those near the root come first.
  const taken = [];
  clip.joints.forEach((name, j) => {
    const [x, y, , scale] = clip.seen[j], w = ctx.measureText(name).width;
    if (!scale || clip.ends[j] || taken.some(t => Math.abs(t[1] - y) < 12 && x < t[0] + t[2] && t[0] < x + w)) return;
    taken.push([x, y, w]); ctx.fillText(name, x + 5, y - 3);
  });
}
const seenOf = it => it && clips[it.clip] && clips[it.clip].seen[it.joint];
function drawMeasure() {
  const [a, b] = state.pair.map(seenOf);
  if (a) dot(a, 4, css.accent);
  if (!b) return;
  dot(b, 4, css.accent); line(a, b, css.accent, 2);
  const at = it => plus(place(clips[it.clip], it.joint, sample(clips[it.clip])), offset(it.clip));
  label(small(hypot(...minus(...state.pair.map(at)))), (a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 14);
}
function drawScale() {
  const unit = data.grid, px = view.zoom / camera.distance * unit;
  const start = clips.length ? plus(place(clips[0], clips[0].centre, 0), offset(0)) : null;
  ctx.font = "11px system-ui,sans-serif"; ctx.fillStyle = css.muted;
  if (px > 20 && px < width / 2) {
    ctx.strokeStyle = css.muted; ctx.lineWidth = 1.5; ctx.beginPath();
    ctx.moveTo(14, height - 20); ctx.lineTo(14, height - 14); ctx.lineTo(14 + px, height - 14); ctx.lineTo(14 + px, height - 20); ctx.stroke();
    ctx.fillText(`${unit} ${data.unit}`, 18, height - 19);
  }
  if (!start || view.sp > 0.99) return;
  const at = project([start[0] + Math.sin(data.heading) * 1.15 * unit, floor, start[2] + Math.cos(data.heading) * 1.15 * unit]);
  if (at[3]) { ctx.globalAlpha = 0.8; ctx.fillText("forward", at[0] - 18, at[1] + 4); ctx.globalAlpha = 1; }
}
// Soles on the floor, the centre of mass over its ground point, and where the floor has to push.
function drawBalance(clip, index) {
  const b = clip.balance, s = sample(clip), shift = offset(index);
  if (!b || !state.balance || !b.centre[s]) return;
  const onFloor = ([x, z]) => project([x, clip.floor, z], shift), ink = b.off[s] ? css.warn : css.accent;
  const centre = project(b.centre[s], shift), ground = onFloor([b.centre[s][0], b.centre[s][2]]);
  const soles = b.soles[s].map(onFloor);
  if (soles.length && soles.every(at => at[3])) {
    ctx.beginPath(); soles.forEach((at, i) => ctx[i ? "lineTo" : "moveTo"](at[0], at[1])); ctx.closePath();
    ctx.fillStyle = ink; ctx.globalAlpha = 0.22; ctx.fill(); ctx.globalAlpha = 1;
    ctx.strokeStyle = ink; ctx.lineWidth = 1.5; ctx.stroke();
  }
  const far = onFloor(b.extrapolated[s]), push = b.zero_moment[s] && onFloor(b.zero_moment[s]);
  line(centre, ground, css.text, 1); line(ground, far, css.muted, 1.5);
  dot(far, 3.5, css.panel, css.muted); dot(ground, 4, css.text); dot(centre, 6, css.panel, css.text);
  if (push && push[3]) for (const [x, y] of [[5, 5], [5, -5]]) line([push[0] - x, push[1] - y, 0, 1], [push[0] + x, push[1] + y, 0, 1], ink, 2.5);
}
function draw() {
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  look();
  const shapes = scene();
  if (renderer) renderer.render(shapes, isDark()); else flatScene(shapes);
  clips.forEach((clip, index) => {
    const s = sample(clip), shift = offset(index);
    clip.seen = clip.joints.map((_, j) => project(place(clip, j, s), shift));
    if (state.style === "joints") clip.joints.forEach((_, j) => { if (!clip.ends[j]) dot(clip.seen[j], 2.5, css.text); });
    if (state.names) drawNames(clip);
    drawBalance(clip, index);
  });
  drawScale(); drawMeasure();
  const chosen = seenOf(state.selected), over = seenOf(state.hover);
  if (chosen) dot(chosen, 8, null, css.accent);
  if (over) dot(over, 6, null, css.text);
  drawTime(); drawCurves(); tell();
}
// Status text.
function tell() {
  if (!clips.length) { $("now").textContent = "no motion"; return; }
  const clip = clips[0], box = $("frame");
  const strong = document.createElement("b");
  strong.textContent = `${state.t.toFixed(2)} s`;
  $("now").replaceChildren(strong, ` of ${seconds.toFixed(2)} s · frame ${frame(clip)} of ${clip.frames}${clip.seconds < seconds ? " of the first" : ""}`, ...new Set(happening(clip).filter(it => it.from <= state.t && state.t <= max(it.to, it.from + .2)).map(it => ` · ${it.name}`)));
  if (document.activeElement !== box) box.value = frame(clip);
  const set = (name, value) => time.setAttribute(`aria-value${name}`, value);
  set("min", 0); set("max", seconds.toFixed(2)); set("now", state.t.toFixed(2)); set("text", `frame ${frame(clip)}`);
  const tip = $("tip"), it = state.hover || (state.pinned ? state.selected : null);
  tip.hidden = !it;
  if (!it) return;
  const of = clips[it.clip], s = sample(of), p = place(of, it.joint, s), d = difference(of, it.joint, s), at = of.seen[it.joint];
  tip.textContent = `${of.joints[it.joint]}${clips.length > 1 ? ` — ${of.name}` : ""}\n${p.map(v => v.toFixed(3)).join("  ")} ${data.unit}\n${speed(of, it.joint, s).toFixed(2)} ${data.unit}/s${d === null ? "" : `\n${of.differences.label}: ${small(d)}`}`;
  tip.style.left = `${max(4, min(width - tip.offsetWidth - 4, at[0] + 14))}px`;
  tip.style.top = `${max(4, min(height - tip.offsetHeight - 4, at[1] - 10))}px`;
}
function legend() {
  const box = $("legend"), d = compared && compared.differences;
  const scale = state.colour === "speed" ? ["speed", "0", `${topSpeed.toFixed(1)} ${data.unit}/s`] : state.colour === "difference" ? [d.label, "0", small(d.max)] : null;
  box.textContent = "";
  if (!scale) {
    if (!clips.some(clip => clip.sides.some(Boolean))) return;
    for (const [name, words] of [["left", "left"], ["right", "right"]]) {
      const chip = document.createElement("span");
      chip.className = `key ${name}`; chip.textContent = words; box.append(chip);
    }
    return;
  }
  const bar = document.createElement("i"), ends = document.createElement("span");
  bar.style.background = `linear-gradient(90deg,${[0, .25, .5, .75, 1].map(u => text(ramp(u))).join()})`;
  ends.className = "ends"; ends.append(...scale.slice(1).map(words => Object.assign(document.createElement("em"), { textContent: words })));
  box.append(scale[0], bar, ends);
}
