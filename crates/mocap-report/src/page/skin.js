// Meshes of characters: skins, and rigid parts that hang on a joint. A vertex goes with up to four bones; a bone is a joint of
// a clip and the matrix that takes a vertex into its frame. Matrices have their columns one after the other.
const times = (a, b) => Array.from({ length: 16 }, (_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * k + i % 4] * b[4 * (i >> 2) + k], 0));
function matrixOf(q, t, s = [1, 1, 1]) {
  const columns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis, i) => turned(q, axis).map(v => v * s[i]));
  return [...columns.flatMap(c => [...c, 0]), ...t, 1];
}
const back = q => [-q[0], -q[1], -q[2], q[3]];
const undo = ({ q, t }) => matrixOf(back(q), turned(back(q), t).map(v => -v));
// Of a matrix without shear.
function inverse(m) {
  const { rotation: q, translation: t, scale: s } = parts(m), turn = matrixOf(back(q), [0, 0, 0]);
  const shrink = [1 / s[0], 0, 0, 0, 0, 1 / s[1], 0, 0, 0, 0, 1 / s[2], 0, 0, 0, 0, 1];
  return times(times(shrink, turn), matrixOf([0, 0, 0, 1], t.map(v => -v)));
}
// The meshes of a file, bound; null without one. A bone has the frame of its node at rest.
function readMesh({ json, nodes, rows, above }) {
  const frames = [], frame = i => frames[i] ??= (() => {
    const node = nodes[i], up = above[i] < 0 ? null : frame(above[i]);
    const q = node.rotation || [0, 0, 0, 1], t = node.translation || [0, 0, 0], s = node.scale || [1, 1, 1];
    if (!up) return { q, t, s };
    return { q: product(up.q, q), t: plus(up.t, turned(up.q, t.map((v, k) => v * up.s[k]))), s: up.s.map((v, k) => v * s[k]) };
  })();
  const bones = [], points = [], slots = [], weights = [], triangles = [];
  const addBone = (node, bind, rest = frame(node)) => bones.push({ node, name: nodes[node].name || `node ${node}`, rest, bind, size: frame(node).s[0] });
  const moves = new Set((json.skins || []).flatMap(skin => skin.joints));
  nodes.forEach((node, i) => {
    if (node.mesh === undefined) return;
    const skin = node.skin === undefined ? null : json.skins[node.skin];
    let first = bones.length;
    if (skin) {
      const binds = skin.inverseBindMatrices === undefined ? null : rows(skin.inverseBindMatrices);
      // The frame of a joint in which the skin is bound is where its matrix leads from.
      skin.joints.forEach((joint, k) => {
        if (!binds) { addBone(joint, undo(frame(joint))); return; }
        const { rotation: q, translation: t } = parts(inverse(binds[k]));
        addBone(joint, undo({ q, t }), { q, t });
      });
    } else {
      let joint = i;
      while (moves.size && !moves.has(joint) && above[joint] >= 0) joint = above[joint];
      const own = frame(i);
      addBone(joint, times(undo(frame(joint)), matrixOf(own.q, own.t, own.s)));
    }
    for (const { attributes, indices, mode = 4 } of json.meshes[node.mesh].primitives) {
      if (mode !== 4 || attributes.POSITION === undefined) continue;
      const start = points.length / 3, places = rows(attributes.POSITION);
      const bound = skin && attributes.JOINTS_0 !== undefined && attributes.WEIGHTS_0 !== undefined;
      const joints = bound ? rows(attributes.JOINTS_0) : null, shares = bound ? rows(attributes.WEIGHTS_0) : null;
      places.forEach((p, v) => {
        const sum = bound ? shares[v].reduce((a, b) => a + b, 0) || 1 : 1;
        points.push(...p);
        slots.push(...(bound ? joints[v].map(k => first + k) : [first, first, first, first]));
        weights.push(...(bound ? shares[v].map(w => w / sum) : [1, 0, 0, 0]));
      });
      const order = indices === undefined ? places.map((_, v) => v) : rows(indices).map(([v]) => v);
      for (let k = 0; k + 2 < order.length; k += 3) triangles.push(start + order[k], start + order[k + 1], start + order[k + 2]);
    }
  });
  if (!triangles.length) return null;
  return { bones, above, points: new Float32Array(points), normals: normalsOf(points, triangles), slots: new Float32Array(slots), weights: new Float32Array(weights), triangles: new Uint32Array(triangles) };
}
// By vertex the first one in its place: they share a normal, so that seams of textures do not show.
function seamsOf(points) {
  const first = new Map();
  return Uint32Array.from({ length: points.length / 3 }, (_, v) => {
    const key = [0, 1, 2].map(k => points[3 * v + k].toFixed(6)).join();
    if (!first.has(key)) first.set(key, v);
    return first.get(key);
  });
}
function normalsOf(points, triangles, seams = seamsOf(points), normals = new Float32Array(points.length)) {
  const sums = new Float64Array(points.length);
  for (let k = 0; k < triangles.length; k += 3) {
    const a = 3 * triangles[k], b = 3 * triangles[k + 1], c = 3 * triangles[k + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const wx = points[c] - points[a], wy = points[c + 1] - points[a + 1], wz = points[c + 2] - points[a + 2];
    const x = uy * wz - uz * wy, y = uz * wx - ux * wz, z = ux * wy - uy * wx;
    for (let i = 0; i < 3; i++) { const v = 3 * seams[triangles[k + i]]; sums[v] += x; sums[v + 1] += y; sums[v + 2] += z; }
  }
  seams.forEach((of, v) => {
    const x = sums[3 * of], y = sums[3 * of + 1], z = sums[3 * of + 2], n = hypot(x, y, z);
    if (n > 0) { normals[3 * v] = x / n; normals[3 * v + 1] = y / n; normals[3 * v + 2] = z / n; }
    else { normals[3 * v] = normals[3 * v + 2] = 0; normals[3 * v + 1] = 1; }
  });
  return normals;
}
// The shapes of a mesh: for each the place of its weights among the numbers of the clip, and displacements of vertices.
function unpackShapes(mesh, { numbers, counts, vertices, offsets }) {
  const all = counts.reduce((a, b) => a + b, 0), steps = decode(vertices, 1, all), moves = Float32Array.from(decode(offsets, 3, all));
  let at = 0;
  const list = counts.map((count, i) => {
    const from = at, own = steps.slice(from, at += count);
    for (let k = 1; k < count; k++) own[k] += own[k - 1];
    return { number: numbers[i], vertices: own, offsets: moves.subarray(3 * from, 3 * at) };
  });
  return { list, seams: seamsOf(mesh.points), points: mesh.points.slice(), normals: mesh.normals.slice(), sample: -1, fresh: false };
}
// Displacements add to the mesh at rest, before the skin; the renderer takes what is fresh.
function takeShapes(clip, s) {
  const { mesh } = clip.skin, { shapes } = mesh;
  if (!shapes || shapes.sample === s) return;
  const { points, normals, seams, list } = shapes, { names, values } = clip.numbers;
  points.set(mesh.points);
  for (const { number, vertices, offsets } of list) {
    const weight = values[s * names.length + number];
    if (weight) for (let i = 0; i < vertices.length; i++) for (let k = 0; k < 3; k++) points[3 * vertices[i] + k] += weight * offsets[3 * i + k];
  }
  normalsOf(points, mesh.triangles, seams, normals);
  shapes.sample = s; shapes.fresh = true;
}
// The mesh that a clip brings, from whole numbers: places in a box of its own, which the binds take to the joints.
function unpackSkin(clip) {
  const { vertices, triangles, joints, binds, palette, ...it } = clip.skin, n = clip.joints.length;
  const points = Float32Array.from(decode(it.points, 3, vertices)), order = Uint32Array.from(decode(it.order, 3, triangles));
  for (let i = 1; i < order.length; i++) order[i] += order[i - 1];
  const colours = new Float32Array(4 * vertices);
  decode(it.colours, 1, vertices).forEach((c, v) => { if (c) colours.set([...palette[c - 1].map(part => part / 255), 1], 4 * v); });
  if (it.turns) clip.turns = Float32Array.from(decode(it.turns, 4 * n, clip.samples), v => v / 8192);
  const frames = it.frames && Float32Array.from(decode(it.frames, 12 * joints.length, clip.samples), (v, i) => i % 4 === 3 ? v * clip.quantum : v / 8192);
  const mesh = {
    points, normals: normalsOf(points, order), colours, triangles: order,
    slots: Float32Array.from(decode(it.slots, 4, vertices)), weights: Float32Array.from(decode(it.weights, 4, vertices), w => w / 255),
  };
  if (it.shapes) mesh.shapes = unpackShapes(mesh, it.shapes);
  clip.skin = { mesh, frames, bones: joints.map((joint, i) => ({ joint, bind: columns(binds[i]) })) };
}
// A matrix from its first three rows.
const columns = rows => Array.from({ length: 16 }, (_, i) => i % 4 === 3 ? +(i === 15) : rows[4 * (i % 4) + (i >> 2)]);
// The frame of a bone; with scales, a clip brings whole matrices.
function frameOf(clip, i, s, shift) {
  const { bones, frames } = clip.skin, { joint } = bones[i];
  if (frames) {
    const at = 12 * (s * bones.length + i), m = columns(frames.subarray(at, at + 12));
    shift.forEach((v, k) => { m[12 + k] += v; });
    return m;
  }
  const at = (s * clip.joints.length + joint) * 4;
  return matrixOf(clip.turns.subarray(at, at + 4), plus(place(clip, joint, s), shift));
}
// Puts a mesh on a clip; `jointOf` a bone, -1 for none. Where `clip.rest` has the frames of its joints at rest, they must be
// those of the file, but for the unit and a turn of the whole: else nothing says how the mesh hangs on them.
function wear(clip, mesh, jointOf) {
  const found = mesh.bones.map(jointOf), known = found.map((joint, i) => [joint, mesh.bones[i]]).filter(([joint]) => joint >= 0);
  if (!known.length) return false;
  const [joint0, bone0] = known[0];
  let scale = bone0.size;
  if (clip.rest) {
    const apart = of => { const [a] = known.map(of); return max(1e-9, ...known.map(it => hypot(...minus(of(it), a)))); };
    scale = apart(([joint]) => clip.rest[joint].t) / apart(([, bone]) => bone.rest.t);
    const whole = product(clip.rest[joint0].q, back(bone0.rest.q));
    const off = known.map(([joint, bone]) => Math.abs(product(whole, bone.rest.q).reduce((sum, v, k) => sum + v * clip.rest[joint].q[k], 0)));
    if (off.filter(v => v > 0.9998).length < 0.8 * off.length) return false;
  }
  const grow = [scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, 1], at = new Map(known.map(([joint, bone]) => [bone.node, { joint, bone }]));
  clip.skin = {
    mesh,
    bones: mesh.bones.map(bone => {
      // A bone that the clip does not have goes with the nearest one above that it has.
      let node = bone.node;
      while (node >= 0 && !at.has(node)) node = mesh.above[node];
      const to = at.get(node) ?? at.get(bone0.node);
      const bind = to.bone.node === bone.node ? bone.bind : times(undo(to.bone.rest), times(matrixOf(bone.rest.q, bone.rest.t), bone.bind));
      return { joint: to.joint, bind: times(grow, bind) };
    }),
  };
  // Room for what reaches above the joints, such as a large head.
  const { points, slots, weights } = mesh;
  const rows = clip.skin.bones.map(({ joint, bind }) => times(matrixOf(clip.turns.subarray(4 * joint, 4 * joint + 4), place(clip, joint, 0)), bind));
  slots.forEach((bone, v) => {
    const m = rows[bone], i = 3 * (v >> 2);
    if (weights[v] > 0.5) clip.size = max(clip.size, 1.2 * (m[1] * points[i] + m[5] * points[i + 1] + m[9] * points[i + 2] + m[13] - clip.floor));
  });
  return true;
}
// Three rows of a matrix and a colour for each bone in a frame.
function bonesOf(clip, index, s, shift) {
  const { bones } = clip.skin, out = new Float32Array(bones.length * 16);
  const own = state.colour === "file", over = index && state.layout === "over";
  bones.forEach(({ joint, bind }, i) => {
    const m = times(frameOf(clip, i, s, shift), bind);
    for (let row = 0; row < 3; row++) for (let k = 0; k < 4; k++) out[16 * i + 4 * row + k] = m[4 * k + row];
    out.set(jointColour(clip, index, joint, s), 16 * i + 12);
    // The share of the file's colours: a tint tells several motions apart.
    out[16 * i + 15] = own ? over ? 0.5 : 1 : 0;
  });
  return out;
}
// The rotation of a matrix without shear; of one that mirrors, that of its negative.
function quaternionOf(m) {
  const at = (row, column) => m[4 * column + row], scale = [0, 1, 2].map(c => hypot(at(0, c), at(1, c), at(2, c)) || 1);
  const det = at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)) - at(0, 1) * (at(1, 0) * at(2, 2) - at(1, 2) * at(2, 0)) + at(0, 2) * (at(1, 0) * at(2, 1) - at(1, 1) * at(2, 0));
  const r = (row, column) => at(row, column) / scale[column] * (det < 0 ? -1 : 1), trace = r(0, 0) + r(1, 1) + r(2, 2);
  const all = [r(0, 0), r(1, 1), r(2, 2), trace], i = all.indexOf(max(...all)), q = [0, 0, 0, 0];
  if (i === 3) return unit([r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1), 1 + trace]);
  const j = (i + 1) % 3, k = (i + 2) % 3;
  q[i] = 1 + r(i, i) - r(j, j) - r(k, k); q[j] = r(j, i) + r(i, j); q[k] = r(k, i) + r(i, k); q[3] = r(k, j) - r(j, k);
  return unit(q);
}
// For dual quaternions (Kavan et al. 2007): by bone the real and the dual part of its rigid motion, and three rows of what
// stretches the mesh about the joint before it. `bones` is what bonesOf gives.
function rigidOf(clip, bones) {
  const out = new Float32Array(clip.skin.bones.length * 20);
  clip.skin.bones.forEach((bone, i) => {
    const m = columns(bones.subarray(16 * i, 16 * i + 12)), q = quaternionOf(m), of = k => m.slice(4 * k, 4 * k + 3);
    if (!bone.centre) {
      const [a, b, c] = [0, 1, 2].map(k => bone.bind.slice(4 * k, 4 * k + 3));
      // Where the bind takes to the joint, by Cramer's rule.
      const dot = (u, v) => u.reduce((sum, x, k) => sum + x * v[k], 0), det = dot(a, cross(b, c)), t = bone.bind.slice(12, 15);
      bone.centre = det ? [cross(b, c), cross(c, a), cross(a, b)].map(v => -dot(v, t) / det) : [0, 0, 0];
      bone.scale = Math.cbrt(Math.abs(det));
    }
    const linear = v => [0, 1, 2].map(k => m[k] * v[0] + m[4 + k] * v[1] + m[8 + k] * v[2]);
    const stretch = [0, 1, 2].map(k => turned(back(q), of(k))), middle = bone.centre.map(v => v * bone.scale);
    const [x, y, z, w] = q, [a, b, c] = minus(plus(linear(bone.centre), m.slice(12, 15)), turned(q, middle));
    out.set([...q, (a * w + b * z - c * y) / 2, (b * w + c * x - a * z) / 2, (c * w + a * y - b * x) / 2, -(a * x + b * y + c * z) / 2], 20 * i);
    const rest = minus(middle, turned(back(q), linear(bone.centre)));
    for (let row = 0; row < 3; row++) out.set([stretch[0][row], stretch[1][row], stretch[2][row], rest[row]], 20 * i + 8 + 4 * row);
  });
  return out;
}
for (const clip of clips) if (clip.skin) unpackSkin(clip);
if (data.mesh) {
  const bytes = Uint8Array.from(atob(data.mesh), c => c.charCodeAt(0)), mesh = readMesh(openGlb(bytes.buffer));
  const plain = name => name.replace(/^.*:/, "").toLowerCase();
  for (const clip of clips) if (clip.turns) {
    clip.turns = Float32Array.from(decode(clip.turns, 4 * clip.joints.length, clip.samples), v => v / 8192);
    clip.rest = clip.rest.map(([x, y, z, w, ...t]) => ({ q: [x, y, z, w], t }));
    if (mesh && !wear(clip, mesh, bone => clip.joints.findIndex(name => plain(name) === plain(bone.name))))
      note(`The joints of ${clip.name} are not turned as those of the mesh: retarget to its file and write GLB.`);
  }
  measureAll(); settle(); camera = { ...home };
}
if (clips.some(clip => clip.skin)) {
  if (data.colours !== "side" && state.colour === "side") state.colour = "file";
  offer(); legend(); redraw();
}
