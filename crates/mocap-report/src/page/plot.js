// Curves over time: the view is a span of time; heights follow what is in it.
const $ = id => document.getElementById(id), data = JSON.parse($("data").textContent);
const canvas = $("chart"), ink = canvas.getContext("2d");
const LIGHT = ["#c8442a", "#2b8a3e", "#1f6fc4", "#8a4fbf", "#b07a00", "#0f8a8a"], DARK = ["#ff8a6b", "#6bd18a", "#6fb3ff", "#c49bff", "#e8c15a", "#5fd6d6"];
const DASHES = [[], [6, 4], [2, 4], [10, 3, 2, 3]];
for (const c of data.curves) { c.shown = true; c.values = Float64Array.from(c.values, v => v === null ? NaN : v / 10 ** c.places); }
const end = Math.max(0, ...data.curves.map(c => (c.values.length - 1) / c.fps)), seconds = end || 1;
const shortest = Math.min(seconds, 4 / Math.max(1, ...data.curves.map(c => c.fps)));
let from = 0, to = seconds, cursor = null, asked = false, dark = false, whole = false;
const STRIP = 9, strips = data.contacts.length * STRIP;
const room = () => ({ left: 64, right: canvas.clientWidth - 14, top: 20, bottom: canvas.clientHeight - 36 - strips });

function ticks(low, high, count) {
  const least = (high - low) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5].find(s => s * power >= least * (1 - 1e-9)) || 10) * power, marks = [];
  for (let i = Math.ceil(low / step - 1e-6); i * step <= high + 1e-6 * step; i++) marks.push(i * step);
  return [marks, Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)))];
}
function bounds() {
  let low = Infinity, high = -Infinity;
  for (const c of data.curves) if (c.shown) {
    const first = Math.max(0, Math.floor(from * c.fps)), last = Math.min(c.values.length - 1, Math.ceil(to * c.fps));
    for (let i = first; i <= last; i++) if (!isNaN(c.values[i])) { low = Math.min(low, c.values[i]); high = Math.max(high, c.values[i]); }
  }
  if (low > high) return [0, 1];
  // Broken frames are cut off, unless nothing else is in view.
  const [a, b] = whole ? [null, null] : data.cut, floor = a === null ? low : Math.max(low, a), roof = b === null ? high : Math.min(high, b);
  if (floor < roof) { low = floor; high = roof; }
  const air = (high - low) * .06 || Math.max(1e-6, Math.abs(high) * .05);
  return [low - air, high + air];
}
function draw() {
  asked = false;
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * ratio; canvas.height = height * ratio;
  ink.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
  const { left, right, top, bottom } = room(), [low, high] = bounds();
  const x = t => left + (t - from) / (to - from) * (right - left), y = v => bottom - (v - low) / (high - low) * (bottom - top);
  ink.font = "11px system-ui,sans-serif"; ink.textBaseline = "middle";
  ink.save(); ink.beginPath(); ink.rect(left, 0, right - left, height); ink.clip();
  const own = data.contacts.filter(foot => foot.own).length;
  data.contacts.forEach((foot, row) => {
    const [strip, tint] = foot.left ? ["#e8703f", "#e8703f24"] : ["#4084d6", "#4084d624"];
    for (let i = 0; i < foot.spans.length; i += 2) {
      const a = x(foot.spans[i] / foot.fps), wide = x(Math.min(end, foot.spans[i + 1] / foot.fps)) - a;
      if (foot.own && own === 1) { ink.fillStyle = tint; ink.fillRect(a, top, wide, bottom - top); }
      ink.fillStyle = strip; ink.fillRect(a, bottom + 2 + row * STRIP, wide, STRIP - 3);
    }
  });
  ink.restore();
  ink.fillStyle = colour("--muted"); ink.textAlign = "right"; ink.lineWidth = 1.6;
  // Which foot a row is of, and the line of its motion.
  data.contacts.forEach((foot, row) => {
    const at = bottom + 5 + row * STRIP, c = data.curves[foot.curve];
    ink.fillText(foot.left ? "L" : "R", left - 6, at);
    if (!c) return;
    ink.strokeStyle = (dark ? DARK : LIGHT)[c.ink]; ink.setLineDash(DASHES[c.dash]);
    ink.beginPath(); ink.moveTo(8, at); ink.lineTo(left - 18, at); ink.stroke();
  });
  ink.setLineDash([]);
  ink.lineWidth = 1; ink.strokeStyle = colour("--line"); ink.fillStyle = colour("--muted");
  const [marks, places] = ticks(low, high, (bottom - top) / 40), [times, decimals] = ticks(from, to, (right - left) / 90);
  ink.beginPath(); ink.textAlign = "right";
  for (const mark of marks) { ink.moveTo(left, y(mark)); ink.lineTo(right, y(mark)); ink.fillText((mark + 0).toFixed(places), left - 6, y(mark)); }
  ink.textAlign = "center";
  for (const time of times) { ink.moveTo(x(time), top); ink.lineTo(x(time), bottom); ink.fillText(time.toFixed(decimals), x(time), bottom + strips + 14); }
  ink.stroke();
  ink.textAlign = "left"; ink.fillText(`[${data.unit}]`, 8, 9);
  ink.textAlign = "right"; ink.fillText("time [s]", right, bottom + strips + 28);
  ink.save(); ink.beginPath(); ink.rect(left, top, right - left, bottom - top); ink.clip();
  ink.lineWidth = 1.6; ink.lineJoin = "round";
  for (const c of data.curves) if (c.shown) {
    ink.strokeStyle = (dark ? DARK : LIGHT)[c.ink]; ink.setLineDash(DASHES[c.dash]);
    const first = Math.max(0, Math.floor(from * c.fps) - 1), last = Math.min(c.values.length - 1, Math.ceil(to * c.fps) + 1);
    // Of many frames in a pixel, the lowest and the highest.
    const step = Math.max(1, Math.floor((last - first) / (2 * (right - left))));
    ink.beginPath();
    let open = false;
    for (let i = first; i <= last; i += step) {
      let a = i, b = i;
      for (let k = i; k < Math.min(i + step, last + 1); k++) { if (!(c.values[k] >= c.values[a])) a = k; if (!(c.values[k] <= c.values[b])) b = k; }
      // A value that is not known ends a line.
      for (const k of a < b ? [a, b] : a > b ? [b, a] : [a]) {
        if (isNaN(c.values[k])) open = false; else { ink[open ? "lineTo" : "moveTo"](x(k / c.fps), y(c.values[k])); open = true; }
      }
    }
    ink.stroke();
    if (step === 1 && (right - left) / (last - first) > 12) {
      ink.fillStyle = ink.strokeStyle;
      for (let i = first; i <= last; i++) if (!isNaN(c.values[i])) { ink.beginPath(); ink.arc(x(i / c.fps), y(c.values[i]), 2.4, 0, 7); ink.fill(); }
    }
  }
  ink.setLineDash([]);
  ink.lineWidth = 1.6;
  for (const c of data.curves) if (c.shown) {
    ink.strokeStyle = (dark ? DARK : LIGHT)[c.ink]; ink.beginPath();
    for (let i = Math.max(0, Math.ceil(from * c.fps)); i <= Math.min(c.values.length - 1, to * c.fps); i++) {
      const v = c.values[i], at = x(i / c.fps), edge = v > high ? top : bottom, inward = v > high ? 6 : -6;
      if (v > high || v < low) { ink.moveTo(at - 5, edge + inward); ink.lineTo(at, edge); ink.lineTo(at + 5, edge + inward); }
    }
    ink.stroke();
  }
  if (cursor !== null) {
    ink.strokeStyle = colour("--muted"); ink.lineWidth = 1; ink.beginPath(); ink.moveTo(x(cursor), top); ink.lineTo(x(cursor), bottom); ink.stroke();
  }
  ink.restore();
}
function redraw() { if (!asked) { asked = true; requestAnimationFrame(draw); } }
function show(a, b) {
  const wide = Math.min(seconds, Math.max(shortest, b - a)), middle = (a + b) / 2;
  from = Math.max(0, Math.min(seconds - wide, middle - wide / 2)); to = from + wide;
  redraw();
}
// `at` keeps its place.
function zoom(factor, at) { const wide = Math.min(seconds, Math.max(shortest, (to - from) * factor)), share = (at - from) / (to - from); show(at - share * wide, at + (1 - share) * wide); }
const middle = () => cursor !== null && cursor >= from && cursor <= to ? cursor : (from + to) / 2;
function read(t) {
  cursor = t === null ? null : Math.max(0, Math.min(end, t));
  const c = data.curves[0], frame = c && cursor !== null ? Math.round(cursor * c.fps) : 0;
  $("now").textContent = cursor === null || !c ? "" : [`${cursor.toFixed(3)} s`, `frame ${frame}`, ...data.curves.filter(c => c.shown && Math.round(cursor * c.fps) < c.values.length)
    .filter(c => !isNaN(c.values[Math.round(cursor * c.fps)])).map(c => `${c.label} ${c.values[Math.round(cursor * c.fps)].toFixed(Math.max(0, Math.min(6, c.places - 1)))}`)].join(" · ");
  redraw();
}
const time = e => { const { left, right } = room(); return from + (e.clientX - canvas.getBoundingClientRect().left - left) / (right - left) * (to - from); };
canvas.onwheel = e => { e.preventDefault(); zoom(1.0015 ** e.deltaY, time(e)); };
const down = new Map();
canvas.onpointerdown = e => { canvas.setPointerCapture(e.pointerId); down.set(e.pointerId, time(e)); };
canvas.onpointermove = e => {
  if (!down.has(e.pointerId)) { read(time(e)); return; }
  if (down.size === 1) { const far = down.get(e.pointerId) - time(e); show(from + far, to + far); return; }
  // Two fingers: both stay on their times.
  const [a, b] = [...down.keys()], other = down.get(e.pointerId === a ? b : a), was = down.get(e.pointerId), now = time(e);
  if (Math.abs(now - other) > 1e-6) zoom(Math.abs((was - other) / (now - other)), other);
};
canvas.onpointerup = canvas.onpointercancel = e => down.delete(e.pointerId);
canvas.ondblclick = () => show(0, seconds);
canvas.onpointerleave = () => read(null);
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const frame = 1 / (data.curves[0]?.fps || 30), tenth = (to - from) / 10;
  const keys = { "+": () => zoom(.7, middle()), "-": () => zoom(1 / .7, middle()), "0": () => show(0, seconds),
    ArrowLeft: () => e.shiftKey ? show(from - tenth, to - tenth) : read(middle() - frame), ArrowRight: () => e.shiftKey ? show(from + tenth, to + tenth) : read(middle() + frame) };
  if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
});
$("closer").onclick = () => zoom(.7, middle());
$("wider").onclick = () => zoom(1 / .7, middle());
$("whole").hidden = data.cut.every(v => v === null);
$("whole").onclick = () => { whole = !whole; $("whole").setAttribute("aria-pressed", whole); redraw(); };
$("all").onclick = () => show(0, seconds);
for (const c of data.curves) {
  const button = document.createElement("button");
  button.innerHTML = '<svg viewBox="0 0 22 8" aria-hidden="true"><path d="M0 4h22" stroke-width="3"/></svg>';
  c.line = button.querySelector("path");
  c.line.setAttribute("stroke-dasharray", DASHES[c.dash].join(" "));
  button.append(c.label); button.setAttribute("aria-pressed", true);
  button.onclick = () => { c.shown = !c.shown; button.setAttribute("aria-pressed", c.shown); redraw(); };
  $("legend").append(button);
}
function theme(on) {
  dark = on; document.documentElement.classList.toggle("dark", on);
  for (const c of data.curves) c.line.setAttribute("stroke", (dark ? DARK : LIGHT)[c.ink]);
  redraw();
}
$("theme").onclick = () => theme(!dark);
const prefers = matchMedia("(prefers-color-scheme: dark)");
prefers.onchange = () => theme(prefers.matches);
theme(prefers.matches);
new ResizeObserver(redraw).observe(canvas);
window.plot = { get view() { return [from, to]; }, get cursor() { return cursor; }, curves: data.curves };
