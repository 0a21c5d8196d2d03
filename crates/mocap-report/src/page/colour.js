// Colours of the theme, of scales, and of parts of a body; as [red, green, blue] from 0 to 1.
const RAMP = [[52, 92, 170], [38, 150, 165], [120, 180, 80], [235, 180, 40], [215, 60, 45]].map(c => c.map(v => v / 255));
const OTHERS = "2b9a57 b0559e b58900 0f8a8a 7358d0 c0453a 5f8f1d 99602f 3a86c8 d6488c 6b7785 2f6f4f 9a4fd0".split(" ");
const THEME = ["bg", "panel", "text", "muted", "line", "grid", "grid-strong", "left", "right", "middle", "faint", "trail", "accent", "ghost", "warn"];
const css = {}, rgb = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of THEME) { css[name] = style.getPropertyValue("--" + name).trim(); rgb[name] = parse(css[name]); }
}
function parse(hex) {
  const full = hex.length < 7 ? hex.replace(/[^#]/g, "$&$&") : hex;
  return [1, 3, 5].map(i => parseInt(full.slice(i, i + 2), 16) / 255);
}
const other = index => "#" + OTHERS[(index - 1) % OTHERS.length];
const text = c => `rgb(${c.map(v => Math.round(v * 255)).join()})`;
function ramp(u) {
  const x = max(0, min(1, u)) * (RAMP.length - 1), i = min(RAMP.length - 2, Math.floor(x)), f = x - i;
  return RAMP[i].map((v, k) => v + (RAMP[i + 1][k] - v) * f);
}
// Beside another, a body keeps left and right; on top of it, it has its own colour.
function jointColour(clip, index, joint, s) {
  if (state.colour === "speed") return ramp(speed(clip, joint, s) / topSpeed);
  if (state.colour === "difference") {
    const d = difference(clip, joint, s) ?? difference(clip, clip.parents[joint], s);
    return d === null ? rgb.ghost : ramp(d / (clip.differences.max || 1));
  }
  const side = state.colour === "file" && clip.skin ? 0 : clip.sides[joint];
  return index && state.layout === "over" ? parse(other(index)) : [rgb.middle, rgb.left, rgb.right][side];
}
