// The time line: contacts, skate, suspicious frames, the range that plays, a curve, and the moment.
const time = $("time"), tctx = time.getContext("2d");
const timeX = t => 6 + (time.clientWidth - 12) * (seconds ? t / seconds : 0);
// The events of a clip that are shown.
const happening = clip => clip.happens.filter(it => !state.event || it.name === state.event);
// Calls `each` with the first and last sample of every run of a flag.
function eachRun(count, flag, each) {
  for (let s = 0, from = -1; s <= count; s++) {
    const on = s < count && flag(s);
    if (on && from < 0) from = s;
    if (!on && from >= 0) { each(from, s - 1); from = -1; }
  }
}
function drawTime() {
  const w = time.clientWidth, h = time.clientHeight, clip = compared || clips[0];
  tctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  tctx.clearRect(0, 0, w, h);
  tctx.fillStyle = css.bg; tctx.fillRect(0, 0, w, h);
  if (!clip) return;
  const rows = min(clips.length, 3), foot = 12 * rows;
  // Suspicious spans behind everything.
  clips.forEach(of => of.findings.forEach(f => {
    const a = timeX(f.from / of.fps), b = timeX(f.to / of.fps);
    tctx.fillStyle = css.warn; tctx.globalAlpha = 0.25; tctx.fillRect(a - 1, 0, max(3, b - a + 2), h - foot); tctx.globalAlpha = 1;
    tctx.fillRect(a - 1, 0, max(3, b - a + 2), 3);
  }));
  // What happens, above the curve: a line for each name, as far as there is room.
  const lines = [...new Set(clips.flatMap(of => happening(of).map(it => it.name)))];
  clips.forEach(of => happening(of).forEach(it => {
    const a = timeX(it.from), y = 5 + 3 * min(lines.indexOf(it.name), Math.floor((h - foot) / 3) - 3);
    tctx.fillStyle = css.trail; tctx.fillRect(a, y, max(2, timeX(it.to) - a), 2);
  }));
  tctx.strokeStyle = css.muted; tctx.lineWidth = 1; tctx.beginPath();
  for (let i = 0; i < clip.curve.length; i++) {
    const at = [timeX(i / max(1, clip.curve.length - 1) * clip.seconds), h - foot - 3 - (h - foot - 8) * clip.curve[i] / 255];
    i ? tctx.lineTo(...at) : tctx.moveTo(...at);
  }
  tctx.stroke();
  clips.slice(0, rows).forEach((of, row) => of.feet.forEach(it => {
    const y = h - foot + 12 * row + (it.side === 1 ? 0 : 6), at = s => timeX(s / of.rate);
    const bar = (flag, colour) => eachRun(of.samples, flag, (a, b) => { tctx.fillStyle = colour; tctx.fillRect(at(a), y, max(1, at(b) - at(a)), 4); });
    bar(s => it.toe_on[s] || it.heel_on[s], it.side === 1 ? css.left : css.right);
    bar(s => it.skate[s], css.warn);
  }));
  if (compared && compared.differences.worst) {
    const at = timeX(compared.differences.worst.frame / compared.fps);
    tctx.fillStyle = css.accent; tctx.beginPath(); tctx.moveTo(at - 4, 0); tctx.lineTo(at + 4, 0); tctx.lineTo(at, 7); tctx.fill();
  }
  if (state.from > 0 || state.to < seconds) {
    tctx.fillStyle = css.bg; tctx.globalAlpha = 0.75;
    tctx.fillRect(0, 0, timeX(state.from), h); tctx.fillRect(timeX(state.to), 0, w, h);
    tctx.globalAlpha = 1; tctx.fillStyle = css.accent;
    tctx.fillRect(timeX(state.from) - 1, 0, 2, h); tctx.fillRect(timeX(state.to) - 1, 0, 2, h);
  }
  tctx.fillStyle = css.text; tctx.fillRect(timeX(state.t) - 1, 0, 2, h);
}
