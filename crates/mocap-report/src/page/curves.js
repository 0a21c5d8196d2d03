// Curves under the picture: position, speed, or the angle of the selected joint, or numbers over time, such as shapes.
const curves = $("curves"), cctx = curves.getContext("2d");
const QUANTITIES = {
  position: { unit: () => data.unit, of: (clip, j, s) => place(clip, j, s), names: ["x", "y", "z"] },
  speed: { unit: () => `${data.unit}/s`, of: (clip, j, s) => [speed(clip, j, s)], names: ["speed"] },
  angle: { unit: () => "°", of: (clip, j, s) => [angle(clip, j, s)], names: ["angle"] },
};
const INKS = () => [css.left, css.muted, css.right];
// Of numbers over time, so many with the widest range are drawn at once.
const MOST = 6, WIDEST = "widest";
// Curves that are nearer to each other than this share of the widest range are one line.
const ALIKE = 0.05;
// Which numbers of a clip are drawn: the one that is chosen, or the widest. Those that would cover each other are one group.
function drawnNumbers(numbers) {
  const chosen = numbers.names.indexOf($("number").value);
  return chosen >= 0 ? [[chosen]] : numbers.widest ??= widestNumbers(numbers);
}
function widestNumbers({ names, values }) {
  const range = i => { let low = Infinity, high = -Infinity; for (let at = i; at < values.length; at += names.length) { low = min(low, values[at]); high = max(high, values[at]); } return high - low; };
  const wide = names.map((_, i) => range(i)), most = ALIKE * max(...wide), groups = [];
  const alike = (a, b) => { for (let at = 0; at < values.length; at += names.length) if (!(Math.abs(values[at + a] - values[at + b]) <= most)) return false; return true; };
  const order = names.map((_, i) => i).filter(i => wide[i] > most).sort((a, b) => wide[b] - wide[a] || a - b);
  for (const i of order) {
    const group = groups.find(([first]) => alike(first, i));
    if (group) group.push(i);
    else if (groups.length < MOST) groups.push([i]);
  }
  return groups;
}
// The part of a name behind that of a mesh which all names have.
const shortName = (name, names) => { const at = names[0].indexOf(".") + 1; return at && names.every(other => other.startsWith(names[0].slice(0, at))) ? name.slice(at) : name; };
function drawCurves() {
  const numbered = clips.findIndex(clip => clip.numbers), ofNumbers = numbered >= 0 && $("quantity").value === "numbers";
  const it = ofNumbers && state.numbers ? { clip: clips[state.selected?.clip]?.numbers ? state.selected.clip : numbered } : state.selected;
  $("plot").hidden = !it; $("number").hidden = !ofNumbers;
  if (!it || !clips[it.clip]) return;
  const clip = clips[it.clip], w = curves.clientWidth, h = curves.clientHeight;
  if (curves.width !== Math.round(w * ratio) || curves.height !== Math.round(h * ratio)) { curves.width = Math.round(w * ratio); curves.height = Math.round(h * ratio); }
  const drawn = ofNumbers ? drawnNumbers(clip.numbers) : [], inks = [css.accent, css.left, css.trail, css.warn, css.muted, css.text];
  const what = !ofNumbers ? QUANTITIES[$("quantity").value] : {
    unit: () => "", names: drawn.map(group => group.map(i => shortName(clip.numbers.names[i], clip.numbers.names)).join(" = ")),
    of: (clip, _, s) => drawn.map(([i]) => clip.numbers.values[s * clip.numbers.names.length + i]),
  };
  const inkOf = k => ofNumbers ? inks[k] : what.names.length > 1 ? INKS()[k] : css.accent;
  const skip = max(1, Math.floor(clip.samples / 1200)), rows = [];
  for (let s = 0; s < clip.samples; s += skip) rows.push([s, what.of(clip, it.joint, s)]);
  const all = rows.flatMap(r => r[1]).filter(v => v !== null), low = min(...all), high = max(...all);
  cctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  cctx.fillStyle = css.bg; cctx.fillRect(0, 0, w, h);
  cctx.font = "11px system-ui,sans-serif";
  const now = what.of(clip, it.joint, sample(clip));
  const values = what.names.map((name, k) => Object.assign(document.createElement("span"), { textContent: `${name} ${(now[k] ?? 0).toFixed(what.unit() === "°" ? 1 : ofNumbers ? 2 : 3)}  ` }));
  if (ofNumbers) values.forEach((span, k) => { span.style.color = inkOf(k); });
  $("about").replaceChildren(ofNumbers ? "" : `${clip.joints[it.joint]} · `, ...all.length ? [...values, ` ${what.unit()}`] : ["no angle at the end of a chain"]);
  if (!all.length) return;
  const y = v => 6 + (h - 12) * (high > low ? (high - v) / (high - low) : 0.5);
  what.names.forEach((_, k) => {
    cctx.strokeStyle = inkOf(k); cctx.lineWidth = 1.4; cctx.beginPath();
    rows.forEach(([s, v], i) => i ? cctx.lineTo(timeX(s / clip.rate), y(v[k])) : cctx.moveTo(timeX(s / clip.rate), y(v[k])));
    cctx.stroke();
  });
  cctx.fillStyle = css.muted;
  const digits = high - low < 10 ? 2 : 0;
  cctx.fillText(high.toFixed(digits), 8, 12); cctx.fillText(low.toFixed(digits), 8, h - 4);
  cctx.fillStyle = css.text; cctx.fillRect(timeX(state.t) - 1, 0, 2, h);
}
// The choices of curves that depend on the clips.
function offerCurves() {
  const names = [...new Set(clips.flatMap(clip => clip.numbers ? clip.numbers.names : []))], quantities = Object.keys(QUANTITIES);
  if (names.length) quantities.push("numbers");
  const before = $("quantity").value;
  $("quantity").replaceChildren(...quantities.map(name => new Option(name, name)));
  $("quantity").value = names.length && !state.selected ? "numbers" : quantities.includes(before) ? before : "position";
  $("number").replaceChildren(new Option(`${min(MOST, names.length)} widest`, WIDEST), ...names.map(name => new Option(name, name)));
  state.numbers = names.length > 0;
}
