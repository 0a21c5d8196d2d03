// Files that are dropped on the page: BVH, GLB and .mocz take the place of what is shown; with Shift they stand beside it.
const PARTS = [
  ["finger", /thumb|index|middle|ring|pinky|little|finger/], ["toes", /toe|ball/], ["foot", /foot|ankle/],
  ["thigh", /up.*leg|thigh|hip.*joint|(left|right|[lr]_?)hip/], ["shank", /leg|calf|shin|knee/], ["hand", /hand|wrist/],
  ["forearm", /fore.*arm|low.*arm|elbow/], ["shoulder", /shoulder|clavicle|collar/], ["arm", /arm/],
  ["head", /head/], ["neck", /neck/], ["trunk", /hip|pelvis|spine|chest|torso|abdomen|waist|back/],
];
const WIDTHS = { finger: .006, toes: .018, foot: .022, thigh: .047, shank: .032, hand: .016, forearm: .0225, shoulder: .031, arm: .029, head: .04, neck: .034, trunk: .075 };
function partOf(name) {
  const plain = name.replace(/^.*:/, "").toLowerCase(), found = PARTS.find(([, words]) => words.test(plain));
  return found ? found[0] : null;
}
function sideOf(name) {
  const plain = name.replace(/^.*:/, "");
  if (/left|(^|[_.\s-])l([_.\s-]|$)/i.test(plain) || /^[Ll](?=[A-Z])/.test(plain)) return 1;
  return /right|(^|[_.\s-])r([_.\s-]|$)/i.test(plain) || /^[Rr](?=[A-Z])/.test(plain) ? 2 : 0;
}
// Places of all joints in all frames, in metres where the unit can be told, with Y up.
function placed(file) {
  const n = file.joints.length, step = max(1, Math.ceil(file.frames / 6000)), samples = Math.floor((file.frames - 1) / step) + 1;
  const pos = new Float32Array(samples * n * 3), turns = file.mesh ? new Float32Array(samples * n * 4) : null, chain = new Array(n);
  for (let s = 0; s < samples; s++) file.pose(s * step).forEach(({ move, spin, scale }, j) => {
    const up = chain[file.joints[j].parent];
    const at = up ? plus(up.at, turned(up.spin, move.map((v, k) => v * up.scale[k]))) : move;
    chain[j] = { at, spin: up ? product(up.spin, spin) : spin, scale: up ? up.scale.map((v, k) => v * scale[k]) : scale };
    pos.set(at, (s * n + j) * 3);
    if (turns) turns.set(chain[j].spin, (s * n + j) * 4);
  });
  return { pos, turns, step, samples };
}
function extent(pos, n, axis) {
  let low = Infinity, high = -Infinity;
  for (let j = 0; j < n; j++) { low = min(low, pos[3 * j + axis]); high = max(high, pos[3 * j + axis]); }
  return high - low;
}
function clipOf(name, file) {
  const { joints } = file, n = joints.length, { pos, turns, step, samples } = placed(file);
  const tall = max(...[0, 1, 2].map(axis => extent(pos, n, axis)), 1e-9);
  // The unit that makes the first pose as large as a person.
  const metres = file.metres ?? [1, 0.01, 0.0254, 0.0564, 0.001].find(m => tall * m > 1 && tall * m < 2.6) ?? 1.75 / tall;
  for (let i = 0; i < pos.length; i++) pos[i] *= metres;
  const H = max(0.3, tall * metres), parents = joints.map(j => j.parent), parts = joints.map(j => partOf(j.name));
  const bones = joints.flatMap((j, i) => j.parent >= 0 ? [[j.parent, i, 0]] : []);
  const find = (part, side) => joints.findIndex(j => partOf(j.name) === part && sideOf(j.name) === side);
  const hips = [find("thigh", 1), find("thigh", 2)], pair = hips.every(j => j >= 0) ? hips : [];
  const solids = bones.flatMap(([from, to]) => {
    const a = parts[from] ?? parts[to], b = parts[to] ?? a, d = hypot(...[0, 1, 2].map(k => pos[3 * from + k] - pos[3 * to + k]));
    if (d < 1e-3 * H) return [];
    if (!a) return [[from, to, min(.015 * H, .2 * d), min(.012 * H, .2 * d), to, 1, 0, []]];
    if (a === "trunk" && b === "trunk") return [[from, to, .075 * H, .078 * H, from, .68, 0, pair]];
    if (a === "trunk" && b !== "neck") return [[from, to, .94 * WIDTHS[b] * H, .94 * WIDTHS[b] * H, from, 1, 0, []]];
    return [[from, to, WIDTHS[a] * H, WIDTHS[b] * H, from, 1, 0, []]];
  });
  const head = parts.indexOf("head");
  if (head >= 0 && !parents.includes(head)) solids.push([head, head, .055 * H, .055 * H, head, 1.1, 0, []]);
  const floor = Array.from({ length: samples }, (_, s) => { let low = Infinity; for (let j = 0; j < n; j++) low = min(low, pos[(s * n + j) * 3 + 1]); return low; }).sort((a, b) => a - b)[Math.floor(samples / 20)];
  const clip = {
    name, joints: joints.map(j => j.name), parents, sides: joints.map(j => sideOf(j.name)), ends: joints.map(j => +j.end), bones, solids,
    feet: [], findings: [], centre: max(0, parts.indexOf("trunk")), fps: file.fps, frames: file.frames, step, samples,
    size: 1.3 * H, pair, floor, curve: [], differences: null, pos, turns,
  };
  if (file.mesh) wear(clip, file.mesh, bone => file.nodes.indexOf(bone.node));
  childrenOf(clip); prepare(clip);
  const speeds = Array.from({ length: samples }, (_, s) => speed(clip, clip.centre, s)), most = max(...speeds.map((v, i) => speeds.length > 600 && i % 3 ? 0 : v), 1e-9);
  clip.curve = speeds.filter((_, s) => s % Math.ceil(samples / 600) === 0).map(v => min(255, 255 * v / most));
  return clip;
}
function headingOf(clip) {
  if (!clip.pair.length) return 0;
  const [left, right] = clip.pair.map(joint => place(clip, joint, 0));
  return Math.atan2(right[2] - left[2], left[0] - right[0]);
}
async function openFiles(files, beside) {
  const opened = [];
  for (const file of files) {
    if (file.size > 300e6) throw new Error(`${file.name} is larger than 300 MB`);
    if (/\.bvh$/i.test(file.name)) opened.push(clipOf(file.name, readBvh(await file.text())));
    else if (/\.glb$/i.test(file.name)) opened.push(clipOf(file.name, readGlb(await file.arrayBuffer())));
    else if (/\.mocz$/i.test(file.name)) opened.push(clipOf(file.name, readMocz(await file.arrayBuffer(), file.name)));
    else throw new Error(`${file.name} is not a BVH, GLB or .mocz file`);
  }
  play(false); select(null);
  state.pair = []; state.hover = null;
  clips.splice(0, beside ? 0 : clips.length);
  clips.push(...opened);
  for (const clip of clips) clip.differences = beside ? clip.differences : null;
  data.unit = "m"; data.grid = 0.5;
  if (!beside) data.heading = headingOf(clips[0]);
  measureAll();
  Object.assign(state, { t: 0, from: 0, to: seconds, colour: clips.some(clip => clip.skin) ? "file" : "side", layout: clips.length > 1 ? "beside" : "over" });
  settle();
  document.querySelector("header").replaceChildren(...clips.map(clip => {
    const box = document.createElement("div"), facts = document.createElement("span");
    facts.className = "facts";
    facts.textContent = `${clip.ends.filter(end => !end).length} joints · ${clip.frames} frames at ${+clip.fps.toFixed(3)} fps, ${((clip.frames - 1) / clip.fps).toFixed(2)} s`;
    box.append(Object.assign(document.createElement("h1"), { textContent: clip.name }), facts);
    return box;
  }));
  document.title = clips.map(clip => clip.name).join(", ");
  offer(); legend(); reset(); seek(0);
  if (!$("panel").hidden) fillTree();
}
addEventListener("dragover", e => { e.preventDefault(); $("scene").classList.add("drop"); });
addEventListener("dragleave", e => { if (!e.relatedTarget) $("scene").classList.remove("drop"); });
addEventListener("drop", e => {
  e.preventDefault();
  $("scene").classList.remove("drop");
  if (e.dataTransfer.files.length) openFiles([...e.dataTransfer.files], e.shiftKey).catch(error => note(error.message));
});
