// Solids of bodies as numbers for the renderer: 20 a solid. Two ends with a radius each, the wide direction at both with
// the depth and a mark of faces, and a colour with opacity.
const FORMS = 3, NUMBERS = 20;
function emptyLists() { return Array.from({ length: FORMS }, () => []); }
function put(list, a, r0, b, r1, sides, depth, face, colour, opacity) {
  const [s, t] = sides;
  list.push(a[0], a[1], a[2], r0, b[0], b[1], b[2], r1, s[0], s[1], s[2], depth, t[0], t[1], t[2], face, colour[0], colour[1], colour[2], opacity);
}
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mixed = (a, b, f) => a.map((v, i) => v + (b[i] - v) * f);
const unit = v => { const n = hypot(...v); return n > 0 ? v.map(x => x / n) : v; };
const ROUND = [[0, 0, 0], [0, 0, 0]];
function sidesOf(wide, at) {
  const pair = i => unit(minus(at(wide[i]), at(wide[i + 1])));
  switch (wide.length) {
    case 2: { const s = pair(0); return [s, s]; }
    case 3: { const o = at(wide[0]), s = cross(minus(at(wide[1]), o), minus(at(wide[2]), o)); return [s, s]; }
    case 6: { const a = pair(0), b = pair(2); return [mixed(a, b, wide[4]), mixed(a, b, wide[5])]; }
    default: return ROUND;
  }
}
function addBody(lists, clip, index, s, shift, opacity, tint) {
  const at = joint => plus(place(clip, joint, s), shift);
  for (const [from, to, r0, r1, joint, depth, form, wide] of clip.solids) {
    const colour = tint || jointColour(clip, index, joint, s);
    put(lists[form % 3], at(from), r0, at(to), r1, sidesOf(wide, at), depth, form === 3 ? 1 : 0, colour, opacity);
  }
}
// Thin bones with balls at the joints.
function addSticks(lists, clip, index, s, shift, opacity) {
  const at = joint => plus(place(clip, joint, s), shift), r = 0.0055 * clip.size;
  for (const [from, to, faint] of clip.bones)
    put(lists[0], at(from), faint ? r / 3 : r, at(to), faint ? r / 3 : r, ROUND, 1, 0, faint ? rgb.faint : jointColour(clip, index, to, s), opacity);
  clip.joints.forEach((_, j) => {
    if (!clip.ends[j]) put(lists[0], at(j), 1.7 * r, at(j), 1.7 * r, ROUND, 1, 0, jointColour(clip, index, j, s), opacity);
  });
}
// A flat disc on the floor under a planted foot, and the same in a warning colour where it skates.
function addContacts(lists, clip, s, shift) {
  for (const foot of clip.feet) for (const [joint, on] of [[foot.toe, foot.toe_on[s]], [foot.ankle, foot.heel_on[s]]]) {
    if (!on) continue;
    const p = plus(place(clip, joint, s), shift), y = floor + 0.0015 * size;
    const colour = foot.skate[s] ? rgb.warn : foot.side === 1 ? rgb.left : rgb.right, r = 0.036 * clip.size;
    put(lists[1], [p[0], floor, p[2]], r, [p[0], y, p[2]], r, ROUND, 1, 0, colour, 0.6);
  }
}
function addPath(lists, clip, index, shift) {
  const skip = max(1, Math.floor(clip.samples / 400)), r = 0.0022 * size, y = floor + r;
  const colour = index && state.layout === "over" ? parse(other(index)) : rgb.trail;
  let last = null;
  for (let s = 0; s < clip.samples; s += skip) {
    const p = place(clip, clip.centre, s), at = [p[0] + shift[0], y, p[2] + shift[2]];
    if (last && hypot(at[0] - last[0], at[2] - last[2]) < 2 * r) continue;
    if (last) put(lists[0], last, r, at, r, ROUND, 1, 0, colour, 1);
    last = at;
  }
}
// The surface below the first motion, which moves with one bone.
const above = clips[0], terrain = data.ground ? meshOf(new Float32Array(Uint8Array.from(atob(data.ground), c => c.charCodeAt(0)).buffer)) : null;
function meshOf(points) {
  const count = points.length / 3, normals = new Float32Array(points.length);
  for (let k = 0; k < points.length; k += 9) {
    const [a, b, c] = [0, 3, 6].map(i => [...points.subarray(k + i, k + i + 3)]), n = unit(cross(minus(b, a), minus(c, a)));
    for (const i of [0, 3, 6]) normals.set(n, k + i);
  }
  return { points, normals, slots: new Float32Array(4 * count), weights: Float32Array.from({ length: 4 * count }, (_, i) => +!(i % 4)), triangles: Uint32Array.from({ length: count }, (_, i) => i) };
}
// Everything in the frame shown: first solid parts, then transparent ones.
function scene() {
  const solid = emptyLists(), clear = emptyLists(), skins = [];
  clips.forEach((clip, index) => {
    const s = sample(clip), shift = offset(index);
    if (state.path) addPath(solid, clip, index, shift);
    if (!terrain) addContacts(clear, clip, s, shift);
    const reference = state.colour === "difference" && !clip.differences;
    const add = state.style === "bodies" ? addBody : addSticks;
    // A mesh stands for the body where it can be drawn.
    if (renderer && clip.skin && state.style === "bodies") {
      takeShapes(clip, s);
      const bones = bonesOf(clip, index, s, shift);
      skins.push({ clip, bones, rigid: state.skinning === "dual" ? rigidOf(clip, bones) : null });
    }
    else add(reference ? clear : solid, clip, index, s, shift, reference ? 0.35 : 1);
    if (state.ghosts) for (const step of [-3, -2, -1, 1, 2, 3]) {
      const near = s + Math.round(step * 0.2 * clip.rate);
      if (near < 0 || near >= clip.samples) continue;
      // Where they were then, seen from where this one stands now.
      addBody(clear, clip, index, near, shift, 0.3 - 0.06 * Math.abs(step), step < 0 ? rgb.trail : rgb.ghost);
    }
  });
  if (terrain && renderer && clips[0] === above) {
    const [x, y, z] = offset(0);
    skins.push({ clip: { skin: { mesh: terrain } }, bones: new Float32Array([1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, ...rgb.faint.map(v => 0.75 * v), 1]) });
  }
  return { solid, clear, skins };
}
