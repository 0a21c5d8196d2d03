// What the user has chosen, and facts of all clips together.
const stage = $("stage"), ctx = stage.getContext("2d");
let seconds, size, floor, compared, topSpeed;
function measureAll() {
  seconds = max(...clips.map(c => c.seconds), 0);
  size = max(...clips.map(c => c.size), 1e-9);
  floor = clips.length ? clips[0].floor : 0;
  compared = clips.find(c => c.differences);
  const found = [];
  for (const clip of clips) {
    const n = clip.joints.length, skip = max(1, Math.floor(clip.samples * n / 20000));
    for (let i = 0; i < clip.samples * n; i += skip) found.push(speed(clip, i % n, Math.floor(i / n)));
  }
  topSpeed = found.sort((a, b) => a - b)[Math.floor(found.length * 0.98)] || 1;
}
measureAll();
// Who asks for less motion sees a motion once.
const lessMotion = window.matchMedia?.("(prefers-reduced-motion: reduce)")?.matches === true;
const state = {
  t: 0, playing: false, speed: 1, loop: !lessMotion, from: 0, to: seconds,
  follow: true, colour: "side", layout: "over", style: "bodies", skinning: "linear",
  event: "", names: false, path: true, ghosts: false, balance: true, measuring: false,
  hover: null, selected: null, pair: [], numbers: false,
};
const onTop = ["object-space error", "residual of markers"];
if (clips.length > 3 || compared && !onTop.includes(compared.differences.label)) state.layout = "beside";
else if (compared) state.colour = "difference";
const sample = clip => max(0, min(clip.samples - 1, Math.round(state.t * clip.rate)));
const frame = clip => sample(clip) * clip.step;
const metres = v => `${v.toFixed(data.unit === "m" ? 3 : 2)} ${data.unit}`;
const small = v => data.unit !== "m" ? metres(v) : v < 0.1 ? `${(v * 1000).toPrecision(3)} mm` : metres(v);
