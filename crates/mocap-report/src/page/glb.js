// Reads GLB files: those that are dropped on the page, and the mesh in it. Of a file dropped, the joints of its first skin,
// or what its first animation moves.
// A matrix without shear as translation, scale and rotation.
function parts(m) {
  const scale = [0, 4, 8].map(i => hypot(m[i], m[i + 1], m[i + 2])), at = (row, column) => m[4 * column + row] / (scale[column] || 1);
  const [a, b, c] = [at(0, 0), at(1, 1), at(2, 2)], half = (v, sign) => Math.sqrt(max(0, v)) / 2 * (sign < 0 ? -1 : 1);
  const rotation = [half(1 + a - b - c, at(2, 1) - at(1, 2)), half(1 - a + b - c, at(0, 2) - at(2, 0)), half(1 - a - b + c, at(1, 0) - at(0, 1)), half(1 + a + b + c, 1)];
  return { translation: m.slice(12, 15), rotation: unit(rotation), scale };
}
function openGlb(buffer) {
  const view = new DataView(buffer);
  if (view.byteLength < 20 || view.getUint32(0, true) !== 0x46546c67) throw new Error("the file is not a GLB file");
  let json = null, bin = 0, binSize = 0;
  for (let at = 12; at + 8 <= buffer.byteLength;) {
    const size = view.getUint32(at, true), kind = view.getUint32(at + 4, true);
    if (kind === 0x4e4f534a) json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at + 8, size)));
    if (kind === 0x004e4942) { bin = at + 8; binSize = size; }
    at += 8 + size;
  }
  const nodes = json && json.nodes || [];
  const KINDS = { 5120: ["getInt8", 1, 127], 5121: ["getUint8", 1, 255], 5122: ["getInt16", 2, 32767], 5123: ["getUint16", 2, 65535], 5125: ["getUint32", 4, 1], 5126: ["getFloat32", 4, 1] };
  const rows = index => {
    const it = json.accessors[index], part = json.bufferViews[it.bufferView], wide = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 }[it.type];
    const [read, bytes, most] = KINDS[it.componentType], stride = part.byteStride || wide * bytes, start = (part.byteOffset || 0) + (it.byteOffset || 0);
    if (part.buffer || it.sparse || start + stride * (it.count - 1) + wide * bytes > binSize) throw new Error("the GLB file keeps numbers outside itself, or sparsely");
    return Array.from({ length: it.count }, (_, i) => Array.from({ length: wide }, (_, k) => view[read](bin + start + i * stride + k * bytes, true) / (it.normalized ? most : 1)));
  };
  const above = nodes.map(() => -1);
  nodes.forEach((node, i) => (node.children || []).forEach(child => {
    if (!nodes[child] || above[child] >= 0) throw new Error(`the GLB file has a node ${child} that is not there or has two parents`);
    above[child] = i;
  }));
  const reached = nodes.map((_, i) => i).filter(i => above[i] < 0);
  for (const i of reached) reached.push(...nodes[i].children || []);
  if (reached.length < nodes.length) throw new Error("the GLB file has nodes in a circle");
  for (const node of nodes) if (node.matrix) Object.assign(node, parts(node.matrix));
  return { json, nodes, rows, above };
}
function readGlb(buffer) {
  const glb = openGlb(buffer), { json, nodes, rows, above } = glb, animation = json && json.animations && json.animations[0];
  if (!animation) throw new Error("the GLB file has no animation");
  const wanted = new Set(json.skins && json.skins[0] ? json.skins[0].joints : animation.channels.map(it => it.target.node));
  for (const i of [...wanted]) for (let j = above[i]; j >= 0; j = above[j]) wanted.add(j);
  // Ends of bones are nodes below joints.
  const addEnds = i => (nodes[i].children || []).forEach(child => { if (nodes[child].mesh === undefined) { wanted.add(child); addEnds(child); } });
  if (json.skins && json.skins[0]) json.skins[0].joints.forEach(addEnds);
  // Parents first.
  const order = [], visit = i => { if (wanted.has(i)) order.push(i); (nodes[i].children || []).forEach(visit); };
  nodes.forEach((_, i) => { if (above[i] < 0) visit(i); });
  const tracks = new Map();
  let end = 0, gap = Infinity;
  for (const { sampler, target } of animation.channels) {
    const { input, output, interpolation = "LINEAR" } = animation.samplers[sampler], times = rows(input).map(t => t[0]);
    end = max(end, times[times.length - 1] || 0);
    for (let i = 1; i < times.length; i++) if (times[i] - times[i - 1] > 1e-4) gap = min(gap, times[i] - times[i - 1]);
    tracks.set(`${target.node}.${target.path}`, { times, values: rows(output), interpolation, cubic: interpolation === "CUBICSPLINE" });
  }
  const fps = min(240, max(24, Math.round(1 / gap) || 30)), frames = max(1, Math.round(end * fps) + 1);
  const sampled = (node, path, rest, t) => {
    const track = tracks.get(`${node}.${path}`);
    if (!track || !track.times.length) return rest;
    const { times, values, cubic } = track, of = i => values[cubic ? 3 * i + 1 : i];
    let i = times.findIndex(time => time > t) - 1;
    if (i === -2) i = times.length - 1;
    if (i < 0 || i >= times.length - 1 || track.interpolation === "STEP") return of(max(0, i));
    const dt = times[i + 1] - times[i], f = (t - times[i]) / dt, a = of(i), b = of(i + 1);
    if (cubic) {
      const out = values[3 * i + 2], into = values[3 * i + 3], f2 = f * f, f3 = f2 * f;
      const v = a.map((p, k) => (2 * f3 - 3 * f2 + 1) * p + (f3 - 2 * f2 + f) * dt * out[k] + (3 * f2 - 2 * f3) * b[k] + (f3 - f2) * dt * into[k]);
      return path === "rotation" ? unit(v) : v;
    }
    return path === "rotation" ? between(a, b, f) : a.map((v, k) => v + (b[k] - v) * f);
  };
  const joints = order.map(i => ({ name: nodes[i].name || `node ${i}`, parent: order.indexOf(above[i]), end: /_End$/.test(nodes[i].name || "") && !(nodes[i].children || []).length }));
  const pose = frame => order.map(i => {
    const node = nodes[i], t = frame / fps;
    return {
      move: sampled(i, "translation", node.translation || [0, 0, 0], t),
      spin: sampled(i, "rotation", node.rotation || [0, 0, 0, 1], t),
      scale: sampled(i, "scale", node.scale || [1, 1, 1], t),
    };
  });
  return { joints, frames, fps, pose, metres: 1, mesh: readMesh(glb), nodes: order };
}
