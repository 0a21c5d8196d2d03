// The drawing of a browser without WebGL2: bodies as broad lines, the farthest first.
function line(a, b, colour, w) {
  if (!a[3] || !b[3]) return;
  ctx.strokeStyle = colour; ctx.lineWidth = w;
  ctx.beginPath(); ctx.moveTo(a[0], a[1]); ctx.lineTo(b[0] + (a[0] === b[0] && a[1] === b[1] ? 0.01 : 0), b[1]); ctx.stroke();
}
function flatGrid() {
  const unit = data.grid, reach = 12;
  const cx = Math.round(view.target[0] / unit), cz = Math.round(view.target[2] / unit);
  for (let i = -reach; i <= reach; i++) {
    ctx.globalAlpha = 1 - Math.abs(i) / (reach + 1);
    // In short pieces: only those behind the eye are lost.
    for (let k = -reach; k < reach; k += 2) {
      const x = (cx + i) * unit, z = (cz + i) * unit;
      line(project([x, floor, (cz + k) * unit]), project([x, floor, (cz + k + 2) * unit]), (cx + i) % 5 ? css.grid : css["grid-strong"], 1);
      line(project([(cx + k) * unit, floor, z]), project([(cx + k + 2) * unit, floor, z]), (cz + i) % 5 ? css.grid : css["grid-strong"], 1);
    }
  }
  ctx.globalAlpha = 1;
}
function flatScene({ solid, clear }) {
  ctx.fillStyle = css.bg; ctx.fillRect(0, 0, width, height);
  ctx.lineCap = "round";
  flatGrid();
  const found = [];
  for (const list of [...solid, ...clear]) for (let i = 0; i < list.length; i += NUMBERS) {
    const a = project(list.slice(i, i + 3)), b = project(list.slice(i + 4, i + 7));
    const w = (list[i + 3] * a[3] + list[i + 7] * b[3]) * max(0.7, min(1, list[i + 11]));
    found.push([a[2] + b[2], a, b, w, list.slice(i + 16, i + 20)]);
  }
  for (const [, a, b, w, colour] of found.sort((p, q) => q[0] - p[0])) {
    ctx.globalAlpha = colour[3];
    line(a, b, css.bg, w + 2); line(a, b, text(colour.slice(0, 3)), max(1, w));
  }
  ctx.globalAlpha = 1;
}
