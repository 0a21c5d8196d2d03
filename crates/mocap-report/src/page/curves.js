// Curves of the selected joint under the picture: position, speed, or the angle at the joint.
const curves = $("curves"), cctx = curves.getContext("2d");
const QUANTITIES = {
  position: { unit: () => data.unit, of: (clip, j, s) => place(clip, j, s), names: ["x", "y", "z"] },
  speed: { unit: () => `${data.unit}/s`, of: (clip, j, s) => [speed(clip, j, s)], names: ["speed"] },
  angle: { unit: () => "°", of: (clip, j, s) => [angle(clip, j, s)], names: ["angle"] },
};
const INKS = () => [css.left, css.muted, css.right];
function drawCurves() {
  const it = state.selected;
  $("plot").hidden = !it;
  if (!it || !clips[it.clip]) return;
  const clip = clips[it.clip], w = curves.clientWidth, h = curves.clientHeight;
  if (curves.width !== Math.round(w * ratio) || curves.height !== Math.round(h * ratio)) { curves.width = Math.round(w * ratio); curves.height = Math.round(h * ratio); }
  const what = QUANTITIES[$("quantity").value], skip = max(1, Math.floor(clip.samples / 1200)), rows = [];
  for (let s = 0; s < clip.samples; s += skip) rows.push([s, what.of(clip, it.joint, s)]);
  const all = rows.flatMap(r => r[1]).filter(v => v !== null), low = min(...all), high = max(...all);
  cctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  cctx.fillStyle = css.bg; cctx.fillRect(0, 0, w, h);
  cctx.font = "11px system-ui,sans-serif";
  const now = what.of(clip, it.joint, sample(clip));
  $("about").textContent = `${clip.joints[it.joint]} · ` + (all.length ? what.names.map((name, k) => `${name} ${now[k].toFixed(what.unit() === "°" ? 1 : 3)}`).join("  ") + ` ${what.unit()}` : "no angle at the end of a chain");
  if (!all.length) return;
  const y = v => 6 + (h - 12) * (high > low ? (high - v) / (high - low) : 0.5);
  what.names.forEach((_, k) => {
    cctx.strokeStyle = what.names.length > 1 ? INKS()[k] : css.accent; cctx.lineWidth = 1.4; cctx.beginPath();
    rows.forEach(([s, v], i) => i ? cctx.lineTo(timeX(s / clip.rate), y(v[k])) : cctx.moveTo(timeX(s / clip.rate), y(v[k])));
    cctx.stroke();
  });
  cctx.fillStyle = css.muted;
  const digits = high - low < 10 ? 2 : 0;
  cctx.fillText(high.toFixed(digits), 8, 12); cctx.fillText(low.toFixed(digits), 8, h - 4);
  cctx.fillStyle = css.text; cctx.fillRect(timeX(state.t) - 1, 0, 2, h);
}
