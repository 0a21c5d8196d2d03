"use strict";
(() => {
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const clips = data.clips;

// Decoding: the counterpart of the writer's Golomb-Rice codes.
function decode(text, channels, rows) {
  const raw = atob(text), out = new Int32Array(rows * channels);
  const last = new Int32Array(channels), step = new Int32Array(channels), mean = new Int32Array(channels).fill(64);
  let at = 0, held = 0, count = 0;
  const bit = () => {
    if (!count) { held = raw.charCodeAt(at++); count = 8; }
    return held >> --count & 1;
  };
  const bits = n => {
    let value = 0;
    while (n) {
      if (!count) { held = raw.charCodeAt(at++); count = 8; }
      const take = Math.min(n, count);
      count -= take; n -= take;
      value = value << take | held >> count & (1 << take) - 1;
    }
    return value;
  };
  for (let i = 0, row = 0; row < rows; row++) for (let c = 0; c < channels; c++, i++) {
    const low = 31 - Math.clz32(mean[c] * 11 >> 8 | 1);
    let ones = 0;
    while (ones < 24 && bit()) ones++;
    const code = ones < 24 ? (ones << low | bits(low)) >>> 0 : (bits(16) << 16 | bits(16)) >>> 0;
    step[c] = step[c] + (code >>> 1 ^ -(code & 1)) | 0;
    out[i] = last[c] = last[c] + step[c] | 0;
    mean[c] += Math.min(code, 1 << 20) - (mean[c] >> 4);
    if (!row) { step[c] = 0; mean[c] = 64; }
  }
  return out;
}

for (const clip of clips) {
  const n = clip.joints.length;
  const q = decode(clip.data, 3 * n, clip.samples);
  clip.pos = new Float32Array(q.length);
  for (let s = 0; s < clip.samples; s++) for (let j = 0; j < n; j++) for (let k = 0; k < 3; k++) {
    const i = (s * n + j) * 3 + k, p = clip.parents[j];
    if (p >= 0) q[i] += q[(s * n + p) * 3 + k];
  }
  q.forEach((v, i) => clip.pos[i] = v * clip.quantum);
  clip.quantised = q;
  clip.rate = clip.fps / clip.step;
  clip.seconds = (clip.samples - 1) / clip.rate;
  for (const foot of clip.feet) for (const part of ["toe_on", "heel_on"]) {
    const flags = new Uint8Array(clip.samples), runs = foot[part];
    for (let i = 0; i < runs.length; i += 2) flags.fill(1, runs[i], runs[i + 1]);
    foot[part] = flags;
  }
  const d = clip.differences;
  if (d) d.levels = decode(d.data, d.channels, clip.samples);
}
const seconds = Math.max(...clips.map(c => c.seconds), 0);
const size = Math.max(...clips.map(c => c.size));
const floor = clips[0].floor;
const compared = clips.find(c => c.differences);

// State.
const state = { t: 0, playing: false, speed: 1, loop: true, follow: true, colour: compared ? "difference" : "side", layout: "over", names: false };
const home = { yaw: data.heading - 0.7, pitch: 0.2, distance: 2.4 * size, x: 0, y: 0.38 * size + floor, z: 0 };
let camera = { ...home }, hover = null, width = 0, height = 0, ratio = 1, css = {}, drawn = false;

const sample = clip => Math.max(0, Math.min(clip.samples - 1, Math.round(state.t * clip.rate)));
function place(clip, joint, s) {
  const i = (s * clip.joints.length + joint) * 3;
  return [clip.pos[i], clip.pos[i + 1], clip.pos[i + 2]];
}
function speed(clip, joint, s) {
  const a = Math.max(0, s - 1), b = Math.min(clip.samples - 1, s + 1);
  if (a === b) return 0;
  const p = place(clip, joint, a), q = place(clip, joint, b);
  return Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]) * clip.rate / (b - a);
}
function difference(clip, joint, s) {
  const d = clip.differences, c = d ? d.channel[joint] : -1;
  return c < 0 ? null : d.levels[s * d.channels + c] / 255 * d.max;
}
const topSpeed = (() => {
  const found = [];
  for (const clip of clips) {
    const skip = Math.max(1, Math.floor(clip.samples * clip.joints.length / 20000));
    for (let i = 0; i < clip.samples * clip.joints.length; i += skip) found.push(speed(clip, i % clip.joints.length, Math.floor(i / clip.joints.length)));
  }
  found.sort((a, b) => a - b);
  return found[Math.floor(found.length * 0.98)] || 1;
})();

// Colour.
const RAMP = [[52, 92, 170], [38, 150, 165], [120, 180, 80], [235, 180, 40], [215, 60, 45]];
function ramp(u) {
  const x = Math.max(0, Math.min(1, u)) * (RAMP.length - 1), i = Math.min(RAMP.length - 2, Math.floor(x)), f = x - i;
  return `rgb(${RAMP[i].map((v, k) => Math.round(v + (RAMP[i + 1][k] - v) * f)).join()})`;
}
const OTHERS = ["", "#2b9a57", "#b0559e", "#b58900", "#0f8a8a"];
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["bg", "panel", "text", "muted", "line", "grid", "grid-strong", "left", "right", "middle", "faint", "trail", "accent", "ghost"]) css[name] = style.getPropertyValue("--" + name).trim();
}
function boneColour(clip, index, from, to, s) {
  if (state.colour === "speed") return ramp(speed(clip, to, s) / topSpeed);
  if (state.colour === "difference") {
    const d = difference(clip, to, s) ?? difference(clip, from, s);
    return d === null ? css.ghost : ramp(d / (clip.differences.max || 1));
  }
  return index ? OTHERS[(index - 1) % 4 + 1] : [css.middle, css.left, css.right][clip.sides[to]];
}

// Projection: the camera turns about its target.
let view = null;
function look() {
  const target = [camera.x, camera.y, camera.z];
  if (state.follow) {
    const clip = clips[0], p = place(clip, clip.centre, sample(clip));
    target[0] += p[0]; target[2] += p[2];
  }
  const sy = Math.sin(camera.yaw), cy = Math.cos(camera.yaw), sp = Math.sin(camera.pitch), cp = Math.cos(camera.pitch);
  view = { target, sy, cy, sp, cp, zoom: Math.min(width, height * 1.4) * 1.35, right: [cy, 0, -sy] };
}
function project(p, shift) {
  const x = p[0] + shift[0] - view.target[0], y = p[1] - view.target[1], z = p[2] + shift[2] - view.target[2];
  const u = x * view.cy - z * view.sy, w = x * view.sy + z * view.cy;
  const v = y * view.cp - w * view.sp, near = w * view.cp + y * view.sp;
  const depth = camera.distance - near;
  const scale = depth > 0.02 * size ? view.zoom / depth : 0;
  return [width / 2 + u * scale, height / 2 - v * scale, depth, scale];
}
function offset(index) {
  if (state.layout === "over" || clips.length < 2) return [0, 0, 0];
  const far = (index - (clips.length - 1) / 2) * 0.62 * size;
  return [view.right[0] * far, 0, view.right[2] * far];
}

const stage = $("stage"), ctx = stage.getContext("2d");
function line(a, b, colour, w) {
  if (!a[3] || !b[3]) return;
  ctx.strokeStyle = colour; ctx.lineWidth = w;
  ctx.beginPath(); ctx.moveTo(a[0], a[1]); ctx.lineTo(b[0], b[1]); ctx.stroke();
}
function drawGrid() {
  const unit = data.grid, reach = 12;
  const cx = Math.round(view.target[0] / unit), cz = Math.round(view.target[2] / unit);
  for (let i = -reach; i <= reach; i++) {
    ctx.globalAlpha = 1 - Math.abs(i) / (reach + 1);
    // In short pieces: only those behind the eye are lost.
    for (let k = -reach; k < reach; k += 2) {
      const x = (cx + i) * unit, z = (cz + i) * unit, none = [0, 0, 0];
      line(project([x, floor, (cz + k) * unit], none), project([x, floor, (cz + k + 2) * unit], none), (cx + i) % 5 ? css.grid : css["grid-strong"], 1);
      line(project([(cx + k) * unit, floor, z], none), project([(cx + k + 2) * unit, floor, z], none), (cz + i) % 5 ? css.grid : css["grid-strong"], 1);
    }
  }
  ctx.globalAlpha = 1;
}
function drawTrail(clip, index) {
  const skip = Math.max(1, Math.floor(clip.samples / 600)), shift = offset(index);
  ctx.strokeStyle = index ? OTHERS[(index - 1) % 4 + 1] : css.trail;
  ctx.lineWidth = 1; ctx.globalAlpha = 0.8; ctx.beginPath();
  let pen = false;
  for (let s = 0; s < clip.samples; s += skip) {
    const p = place(clip, clip.centre, s);
    const at = project([p[0], floor, p[2]], shift);
    if (at[3]) pen ? ctx.lineTo(at[0], at[1]) : ctx.moveTo(at[0], at[1]);
    pen = at[3] > 0;
  }
  ctx.stroke(); ctx.globalAlpha = 1;
}
function drawClip(clip, index) {
  const s = sample(clip), shift = offset(index), n = clip.joints.length;
  const ghost = state.colour === "difference" && !clip.differences;
  clip.seen = [];
  for (let j = 0; j < n; j++) clip.seen.push(project(place(clip, j, s), shift));
  const shadow = place(clip, clip.centre, s), under = project([shadow[0], floor, shadow[2]], shift);
  if (under[3]) {
    ctx.fillStyle = css["grid-strong"]; ctx.globalAlpha = 0.5; ctx.beginPath();
    ctx.ellipse(under[0], under[1], 0.1 * size * under[3], Math.max(1, 0.1 * size * under[3] * Math.abs(view.sp)), 0, 0, 7);
    ctx.fill(); ctx.globalAlpha = 1;
  }
  ctx.globalAlpha = ghost ? 0.7 : 1;
  for (const foot of clip.feet) for (const [joint, on] of [[foot.toe, foot.toe_on[s]], [foot.ankle, foot.heel_on[s]]]) {
    const at = clip.seen[joint];
    if (!on || !at[3]) continue;
    ctx.fillStyle = foot.side === 1 ? css.left : css.right; ctx.globalAlpha = 0.3; ctx.beginPath();
    ctx.arc(at[0], at[1], 0.028 * size * at[3], 0, 7); ctx.fill(); ctx.globalAlpha = ghost ? 0.7 : 1;
  }
  const round = (clip.capsules || []).map(c => [clip.seen[c[0]][2] + clip.seen[c[1]][2], c]).sort((a, b) => b[0] - a[0]);
  for (const [, [from, to, radius]] of round) {
    const a = clip.seen[from], b = clip.seen[to], w = 2 * radius * (a[3] + b[3]) / 2;
    const end = a[0] === b[0] && a[1] === b[1] ? [b[0] + 0.01, ...b.slice(1)] : b;
    ctx.globalAlpha = 1; line(a, end, css["grid-strong"], w + 1.5); line(a, end, css.panel, w);
  }
  ctx.globalAlpha = ghost ? 0.7 : 1;
  const order = clip.bones.map(b => [clip.seen[b[0]][2] + clip.seen[b[1]][2], b]).sort((a, b) => b[0] - a[0]);
  for (const [, [from, to, faint]] of order) {
    const a = clip.seen[from], b = clip.seen[to];
    if (faint) { line(a, b, css.faint, 1); continue; }
    const w = Math.max(1.5, Math.min(7, 0.011 * size * b[3]));
    ctx.lineCap = "butt"; line(a, b, css.bg, w + 2); ctx.lineCap = "round";
    line(a, b, ghost ? css.ghost : boneColour(clip, index, from, to, s), w);
  }
  if (clip.head) {
    const [h, e] = clip.head.map(j => clip.seen[j]);
    if (h[3]) {
      ctx.fillStyle = ghost ? css.ghost : boneColour(clip, index, clip.head[0], clip.head[0], s);
      ctx.beginPath(); ctx.arc((h[0] + e[0]) / 2, (h[1] + e[1]) / 2, 0.042 * size * h[3], 0, 7); ctx.fill();
    }
  }
  if (n === 1 || !clip.bones.length) for (const at of clip.seen) if (at[3]) { ctx.fillStyle = css.middle; ctx.beginPath(); ctx.arc(at[0], at[1], 4, 0, 7); ctx.fill(); }
  if (state.names) {
    ctx.fillStyle = css.muted; ctx.font = "11px system-ui,sans-serif";
    // Names that would cover another one are left out; those near the root come first.
    const taken = [];
    clip.joints.forEach((name, j) => {
      const [x, y, , scale] = clip.seen[j], w = ctx.measureText(name).width;
      if (!scale || clip.ends[j] || taken.some(t => Math.abs(t[1] - y) < 12 && x < t[0] + t[2] && t[0] < x + w)) return;
      taken.push([x, y, w]); ctx.fillText(name, x + 5, y - 3);
    });
  }
  ctx.globalAlpha = 1;
}
function draw() {
  drawn = true;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = css.bg; ctx.fillRect(0, 0, width, height);
  ctx.lineCap = "round";
  look(); drawGrid();
  clips.forEach(drawTrail);
  clips.forEach(drawClip);
  if (hover) {
    const at = clips[hover.clip].seen[hover.joint];
    ctx.strokeStyle = css.accent; ctx.lineWidth = 2; ctx.beginPath(); ctx.arc(at[0], at[1], 7, 0, 7); ctx.stroke();
  }
  drawTime(); tell();
}

// The time line: contacts, a curve, and where we are.
const time = $("time"), tctx = time.getContext("2d");
function drawTime() {
  const w = time.clientWidth, h = time.clientHeight, clip = compared || clips[0];
  tctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  tctx.clearRect(0, 0, w, h);
  tctx.fillStyle = css.bg; tctx.fillRect(0, 0, w, h);
  const x = t => 6 + (w - 12) * (seconds ? t / seconds : 0);
  tctx.strokeStyle = css.muted; tctx.lineWidth = 1; tctx.beginPath();
  for (let i = 0; i < clip.curve.length; i++) {
    const at = [x(i / Math.max(1, clip.curve.length - 1) * clip.seconds), h - 15 - (h - 19) * clip.curve[i] / 255];
    i ? tctx.lineTo(...at) : tctx.moveTo(...at);
  }
  tctx.stroke();
  for (const foot of clips[0].feet) {
    tctx.fillStyle = foot.side === 1 ? css.left : css.right;
    const y = foot.side === 1 ? h - 12 : h - 6;
    for (let s = 0, from = -1; s <= clips[0].samples; s++) {
      const on = s < clips[0].samples && (foot.toe_on[s] || foot.heel_on[s]);
      if (on && from < 0) from = s;
      if (!on && from >= 0) { tctx.fillRect(x(from / clips[0].rate), y, Math.max(1, x((s - 1) / clips[0].rate) - x(from / clips[0].rate)), 4); from = -1; }
    }
  }
  if (compared && compared.differences.worst) {
    tctx.fillStyle = css.accent; const at = x(compared.differences.worst.frame / compared.fps);
    tctx.beginPath(); tctx.moveTo(at - 4, 0); tctx.lineTo(at + 4, 0); tctx.lineTo(at, 7); tctx.fill();
  }
  tctx.fillStyle = css.text; tctx.fillRect(x(state.t) - 1, 0, 2, h);
}

const metres = v => `${v.toFixed(data.unit === "m" ? 3 : 2)} ${data.unit}`;
const small = v => data.unit !== "m" ? metres(v) : v < 0.1 ? `${(v * 1000).toPrecision(3)} mm` : metres(v);
const frame = clip => sample(clip) * clip.step;
function tell() {
  const clip = clips[0];
  $("now").innerHTML = "";
  const strong = document.createElement("b");
  strong.textContent = `${state.t.toFixed(2)} s`;
  $("now").append(strong, ` of ${seconds.toFixed(2)} s · frame ${frame(clip)} of ${clip.frames}`);
  time.setAttribute("aria-valuemin", 0); time.setAttribute("aria-valuemax", seconds.toFixed(2)); time.setAttribute("aria-valuenow", state.t.toFixed(2));
  time.setAttribute("aria-valuetext", `frame ${frame(clip)}`);
  const tip = $("tip");
  tip.hidden = !hover;
  if (!hover) return;
  const of = clips[hover.clip], s = sample(of), p = place(of, hover.joint, s), d = difference(of, hover.joint, s);
  tip.textContent = `${of.joints[hover.joint]}${clips.length > 1 ? ` — ${of.name}` : ""}\n${p.map(v => v.toFixed(3)).join("  ")} ${data.unit}\n${speed(of, hover.joint, s).toFixed(2)} ${data.unit}/s${d === null ? "" : `\n${of.differences.label}: ${small(d)}`}`;
  const at = of.seen[hover.joint];
  tip.style.left = `${Math.max(4, Math.min(width - tip.offsetWidth - 4, at[0] + 14))}px`;
  tip.style.top = `${Math.max(4, Math.min(height - tip.offsetHeight - 4, at[1] - 10))}px`;
}
function legend() {
  const box = $("legend");
  box.textContent = "";
  const d = compared && compared.differences;
  const scale = state.colour === "speed" ? ["speed", "0", `${topSpeed.toFixed(1)} ${data.unit}/s`] : state.colour === "difference" ? [d.label, "0", small(d.max)] : null;
  if (!scale) return;
  const bar = document.createElement("i"), ends = document.createElement("span");
  bar.style.background = `linear-gradient(90deg,${[0, .25, .5, .75, 1].map(ramp).join()})`;
  for (const text of scale.slice(1)) ends.append(Object.assign(document.createElement("em"), { textContent: text, style: "font-style:normal" }));
  box.append(scale[0], bar, ends);
}

// Playing.
let before = 0, asked = false;
function redraw() { if (!asked) { asked = true; requestAnimationFrame(tick); } }
function tick(now) {
  asked = false;
  if (state.playing) {
    state.t += Math.min(0.1, (now - before) / 1000) * state.speed;
    if (state.t > seconds) {
      if (state.loop && seconds > 0) state.t %= seconds; else { state.t = seconds; play(false); }
    }
    before = now;
  }
  draw();
  if (state.playing) redraw();
}
function play(on) {
  if (on && state.t >= seconds) state.t = 0;
  state.playing = on && seconds > 0; before = performance.now();
  $("play").textContent = state.playing ? "❚❚" : "▶";
  redraw();
}
function seek(t) { state.t = Math.max(0, Math.min(seconds, t)); redraw(); }
function toFrame(f) { seek(f / clips[0].fps); }
function worst() {
  const w = compared && compared.differences.worst;
  if (!w) return;
  play(false); seek(w.frame / compared.fps);
  hover = { clip: clips.indexOf(compared), joint: w.joint };
}
function press(id, on) { $(id).setAttribute("aria-pressed", on); redraw(); }
function setView(name) {
  const to = { free: [-0.7, 0.2], front: [0, 0], side: [-Math.PI / 2, 0], top: [0, Math.PI / 2] }[name];
  camera.yaw = data.heading + to[0]; camera.pitch = to[1]; $("view").value = name; redraw();
}
function reset() { camera = { ...home }; if (!state.follow) aim(); setView("free"); }
function aim() { const p = place(clips[0], clips[0].centre, sample(clips[0])); camera.x = p[0]; camera.z = p[2]; }
function follow(on) {
  state.follow = on;
  if (on) { camera.x = camera.z = 0; } else aim();
  press("follow", on);
}
function theme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  readTheme(); legend(); redraw();
}

// Controls.
$("play").onclick = () => play(!state.playing);
$("speed").onchange = e => { state.speed = +e.target.value; };
$("loop").onclick = () => press("loop", state.loop = !state.loop);
$("follow").onclick = () => follow(!state.follow);
$("reset").onclick = reset;
$("worst").onclick = worst;
$("view").onchange = e => setView(e.target.value);
$("layout").onchange = e => { state.layout = e.target.value; redraw(); };
$("colour").onchange = e => { state.colour = e.target.value; legend(); redraw(); };
$("theme").onclick = () => theme(!document.documentElement.classList.contains("dark"));
$("keys").onclick = () => { $("help").hidden = !$("help").hidden; };
if (compared) {
  $("colour").append(new Option(compared.differences.label, "difference"));
  $("colour").value = "difference";
  $("worst").hidden = !compared.differences.worst;
}
$("layout").hidden = clips.length < 2;
const choose = (id, values) => { const select = $(id), all = values || [...select.options].map(o => o.value); select.value = all[(all.indexOf(select.value) + 1) % all.length]; select.onchange({ target: select }); };
const KEYS = [
  [" ", "Space", "play or pause", () => play(!state.playing)],
  ["ArrowLeft", "←", "one frame back (Shift: ten)", e => { play(false); toFrame(frame(clips[0]) - clips[0].step * (e.shiftKey ? 10 : 1)); }],
  ["ArrowRight", "→", "one frame forward (Shift: ten)", e => { play(false); toFrame(frame(clips[0]) + clips[0].step * (e.shiftKey ? 10 : 1)); }],
  ["Home", "Home", "first frame", () => seek(0)],
  ["End", "End", "last frame", () => seek(seconds)],
  ["l", "L", "loop", () => $("loop").click()],
  ["s", "S", "next speed", () => choose("speed")],
  ["f", "F", "follow the body", () => $("follow").click()],
  ["r", "R", "reset the view", reset],
  ["v", "V", "next view", () => choose("view")],
  ["c", "C", "next colouring", () => choose("colour")],
  ["o", "O", "overlaid or side by side", () => clips.length > 1 && choose("layout")],
  ["n", "N", "joint names", () => { state.names = !state.names; redraw(); }],
  ["e", "E", "jump to the worst error", worst],
  ["t", "T", "light or dark", () => $("theme").click()],
  ["?", "?", "these keys", () => $("keys").click()],
];
for (const [, key, does] of KEYS) $("help").append(Object.assign(document.createElement("kbd"), { textContent: key }), does, document.createElement("br"));
$("help").append("Drag: turn · right drag, two fingers: move · wheel, pinch: zoom");
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT" || (e.key === " " && e.target.tagName === "BUTTON")) return;
  const key = KEYS.find(k => k[0] === e.key || k[0] === e.key.toLowerCase());
  if (key) { e.preventDefault(); key[3](e); }
});

// Pointers: one turns, two or the other buttons move, pinch and wheel zoom.
const pointers = new Map();
function pan(dx, dy) {
  const scale = camera.distance / view.zoom;
  camera.x -= (view.cy * dx + view.sy * view.sp * dy) * scale;
  camera.z -= (-view.sy * dx + view.cy * view.sp * dy) * scale;
  camera.y += view.cp * dy * scale;
}
const zoom = factor => { camera.distance = Math.max(0.05 * size, Math.min(60 * size, camera.distance * factor)); };
function point(e) {
  const box = stage.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
  let best = 16; hover = null;
  clips.forEach((clip, c) => (clip.seen || []).forEach((at, j) => {
    const d = Math.hypot(at[0] - x, at[1] - y);
    if (at[3] && d < best && !(clip.capsules && j >= clip.capsules[0][0])) { best = d; hover = { clip: c, joint: j }; }
  }));
  redraw();
}
stage.onpointerdown = e => { stage.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]); stage.classList.add("dragging"); point(e); };
stage.onpointermove = e => {
  const old = pointers.get(e.pointerId);
  if (!old) return point(e);
  const dx = e.clientX - old[0], dy = e.clientY - old[1];
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== e.pointerId)[1];
    const was = Math.hypot(old[0] - other[0], old[1] - other[1]), is = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
    if (was > 1 && is > 1) zoom(was / is);
    pan(dx / 2, dy / 2);
  } else if (e.shiftKey || e.buttons & 6) pan(dx, dy);
  else {
    camera.yaw -= dx * 0.008;
    camera.pitch = Math.max(-1.5, Math.min(Math.PI / 2, camera.pitch + dy * 0.008));
  }
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  redraw();
};
stage.onpointerup = stage.onpointercancel = e => { pointers.delete(e.pointerId); if (!pointers.size) stage.classList.remove("dragging"); };
stage.onpointerleave = () => { if (!pointers.size && hover) { hover = null; redraw(); } };
stage.oncontextmenu = e => e.preventDefault();
stage.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(e.deltaY * (e.deltaMode ? 0.05 : 0.0015))); redraw(); }, { passive: false });
const scrub = e => { const box = time.getBoundingClientRect(); play(false); seek((e.clientX - box.left - 6) / (box.width - 12) * seconds); };
time.onpointerdown = e => { time.setPointerCapture(e.pointerId); scrub(e); };
time.onpointermove = e => { if (e.buttons) scrub(e); };

function resize() {
  ratio = window.devicePixelRatio || 1;
  for (const canvas of [stage, time]) { canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio; }
  width = stage.clientWidth; height = stage.clientHeight;
  redraw();
}
addEventListener("resize", resize);
const prefers = matchMedia("(prefers-color-scheme: dark)");
prefers.onchange = () => theme(prefers.matches);
theme(prefers.matches); resize(); setView("free");
// For the console: what is shown, and where joints are in the frame shown.
window.viewer = { state, clips, seek, toFrame, play, worst, get frame() { return frame(clips[0]); }, get camera() { return camera; },
  joint: (name, clip = 0, s = sample(clips[clip])) => place(clips[clip], clips[clip].joints.indexOf(name), s), screen: (joint, clip = 0) => clips[clip].seen[joint] };
})();
