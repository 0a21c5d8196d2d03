// `mocap bake` against three.js: the vertices of linear blend skinning on the same GLB, and their normals by the inverse
// transpose of the blended matrix in 64 bits (three.js multiplies normals by the matrix itself).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const THREE = await import('three');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');

const root = process.cwd();
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'mocap-bake-'));
const mocap = (...args) => execFileSync(process.env.MOCAP, args, { stdio: ['ignore', 'ignore', 'inherit'] });
let failures = 0;
const check = (holds, message) => {
  if (!holds) { failures += 1; console.log(`FAILED ${message}`); }
};

/** The arrays of an NPZ file with stored members: { name: { shape, values } }. */
function arrays(file) {
  const bytes = fs.readFileSync(file), out = {};
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
    const size = bytes.readUInt32LE(at + 18), names = bytes.readUInt16LE(at + 26), fields = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 30, at + 30 + names).replace('.npy', ''), start = at + 30 + names + fields;
    const header = bytes.toString('latin1', start + 10, start + 10 + bytes.readUInt16LE(start + 8));
    const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').filter((part) => part.trim()).map(Number);
    const data = bytes.subarray(start + 10 + header.length, start + size);
    const copy = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
    const kind = /'descr': '([^']*)'/.exec(header)[1];
    out[name] = { shape, values: kind === '<f4' ? new Float32Array(copy) : kind === '<f8' ? new Float64Array(copy) : new Int32Array(copy) };
    at = start + size;
  }
  return out;
}

/** A GLB without pictures, which need a browser. */
function withoutPictures(file) {
  const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12), json = JSON.parse(bytes.subarray(20, 20 + length));
  for (const list of ['images', 'textures', 'materials']) delete json[list];
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  const rest = bytes.subarray(20 + length), head = Buffer.alloc(20);
  head.write('glTF');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  head.write('JSON', 16);
  return Buffer.concat([head, text, rest]);
}

async function scene(file) {
  const data = withoutPictures(file);
  return new Promise((resolve, reject) => new GLTFLoader().parse(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), '', resolve, reject));
}

/** The unit normal of a vertex: the inverse transpose of Σ wᵢ Kᵢ, by its cofactors. */
function normalOf(mesh, vertex, palette) {
  const { skinIndex, skinWeight, normal } = mesh.geometry.attributes, m = new Array(16).fill(0);
  let sum = 0;
  for (let k = 0; k < 4; k++) sum += skinWeight.getComponent(vertex, k);
  for (let k = 0; k < 4; k++) {
    const weight = skinWeight.getComponent(vertex, k) / sum, one = palette[skinIndex.getComponent(vertex, k)].elements;
    for (let i = 0; i < 16; i++) m[i] += weight * one[i];
  }
  const [a, b, c] = [0, 4, 8].map((i) => new THREE.Vector3(m[i], m[i + 1], m[i + 2]));
  const cross = (u, v) => new THREE.Vector3().crossVectors(u, v);
  const out = cross(b, c).multiplyScalar(normal.getX(vertex)).addScaledVector(cross(c, a), normal.getY(vertex)).addScaledVector(cross(a, b), normal.getZ(vertex));
  return out.multiplyScalar(Math.sign(a.dot(cross(b, c))) || 1).normalize();
}

async function compare(file) {
  const npz = path.join(temporary, 'baked.npz');
  mocap('bake', file, '-o', npz, '--overwrite', '-qq');
  const { vertices, normals, fps } = arrays(npz), [frames, count] = vertices.shape;
  const gltf = await scene(file), meshes = [];
  // In the order of the nodes of the file, which three.js keeps in its associations.
  gltf.scene.traverse((node) => { if (node.isSkinnedMesh) meshes.push(node); });
  const node = (mesh) => gltf.parser.associations.get(mesh)?.nodes ?? gltf.parser.associations.get(mesh.parent)?.nodes ?? 0;
  meshes.sort((a, b) => node(a) - node(b));
  check(meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0) === count, `${file}: ${count} vertices`);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[0]).setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  let far = 0, turned = 0;
  for (let i = 0; i < 5; i++) {
    const frame = Math.round(i * (frames - 1) / 4);
    mixer.setTime(frame / fps.values[0]);
    gltf.scene.updateMatrixWorld(true);
    let at = frame * count;
    for (const mesh of meshes) {
      const { skeleton } = mesh, place = new THREE.Vector3();
      const palette = skeleton.bones.map((bone, b) => new THREE.Matrix4().multiplyMatrices(bone.matrixWorld, skeleton.boneInverses[b]));
      for (let vertex = 0; vertex < mesh.geometry.attributes.position.count; vertex++, at++) {
        // In the space of the scene, whatever node holds the mesh.
        mesh.getVertexPosition(vertex, place).applyMatrix4(mesh.matrixWorld);
        const own = [0, 1, 2].map((k) => vertices.values[3 * at + k]);
        far = Math.max(far, Math.hypot(place.x - own[0], place.y - own[1], place.z - own[2]));
        if (mesh.geometry.attributes.normal) {
          const n = normalOf(mesh, vertex, palette), m = new THREE.Vector3(...[0, 1, 2].map((k) => normals.values[3 * at + k]));
          turned = Math.max(turned, Math.atan2(new THREE.Vector3().crossVectors(n, m).length(), n.dot(m)) * 180 / Math.PI);
        }
      }
    }
  }
  check(far < 1e-5, `${file}: vertices off by ${far} m`);
  check(turned < 0.01, `${file}: normals off by ${turned}°`);
  return [far, turned];
}

/** Shapes of a face whose joints stand still: its vertices in frames, and in the middle between two. */
async function compareFace(file) {
  const npz = path.join(temporary, 'face.npz');
  mocap('bake', file, '--rigid', '-o', npz, '--overwrite', '-qq');
  const { vertices, fps } = arrays(npz), [frames, count] = vertices.shape;
  const gltf = await scene(file);
  let mesh;
  gltf.scene.traverse((node) => { if (node.isMesh) mesh = node; });
  check(mesh.geometry.attributes.position.count === count, `${file}: ${count} vertices`);
  const mixer = new THREE.AnimationMixer(gltf.scene), place = new THREE.Vector3();
  const action = mixer.clipAction(gltf.animations[0]).setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  let far = 0, moved = 0;
  for (let i = 0; i < 2 * frames - 1; i++) {
    mixer.setTime(i / 2 / fps.values[0]);
    gltf.scene.updateMatrixWorld(true);
    for (let vertex = 0; vertex < count; vertex++) {
      mesh.getVertexPosition(vertex, place).applyMatrix4(mesh.matrixWorld);
      const at = (frame, k) => vertices.values[3 * (frame * count + vertex) + k];
      const own = [0, 1, 2].map((k) => (at(Math.floor(i / 2), k) + at(Math.ceil(i / 2), k)) / 2);
      far = Math.max(far, Math.hypot(place.x - own[0], place.y - own[1], place.z - own[2]));
      moved = Math.max(moved, Math.hypot(...own.map((v, k) => v - at(0, k))));
    }
  }
  check(moved > 1e-3, `${file}: nothing moves`);
  check(far < 1e-6, `${file}: vertices of shapes off by ${far} m`);
  return far;
}

const corpus = process.env.MOCAP_CORPUS ?? path.join(root, '../shared/data');
const files = [];
const character = path.join(corpus, 'bodies/woman.glb');
if (fs.existsSync(character)) {
  const moved = path.join(temporary, 'woman.glb');
  mocap('retarget', path.join(root, 'fixtures/clips/alex_walk.bvh'), character, '-o', moved, '-qq');
  files.push(moved);
}
for (const name of ['gltf/walk_woman_cm.glb']) if (fs.existsSync(path.join(corpus, name))) files.push(path.join(corpus, name));
for (const file of process.argv.slice(2)) files.push(file);
/** The head without its skin: its joints of vertices are cut short, which three.js does not take. */
function withoutSkin(file) {
  const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12), json = JSON.parse(bytes.subarray(20, 20 + length));
  for (const node of json.nodes) delete node.skin;
  delete json.skins;
  for (const { primitives } of json.meshes) for (const { attributes } of primitives) { delete attributes.JOINTS_0; delete attributes.WEIGHTS_0; }
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  const rest = bytes.subarray(20 + length), head = Buffer.from(bytes.subarray(0, 20));
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  const copy = path.join(temporary, 'head.glb');
  fs.writeFileSync(copy, Buffer.concat([head, text, rest]));
  return copy;
}

const faces = [];
for (const [take, head] of [
  [path.join(root, 'fixtures/faces/take.csv'), path.join(root, 'fixtures/faces/head.glb')],
  [path.join(corpus, 'faces/livelink_61.csv'), path.join(corpus, 'faces/face_woman.glb')],
]) {
  if (!fs.existsSync(head)) continue;
  const talk = path.join(temporary, `talk-${faces.length}.glb`);
  mocap('face', take, faces.length ? withoutSkin(head) : head, '--no-turns', '-o', talk, '-qq');
  faces.push(await compareFace(talk));
}
console.log(`face: ${faces.length} files, vertices within ${Math.max(...faces).toExponential(1)} m of three.js, in frames and between them`);
if (!files.length) { fs.rmSync(temporary, { recursive: true }); console.log('skipped: bake needs a skinned GLB; set MOCAP_CORPUS'); process.exit(failures ? 1 : 0); }
const all = [];
for (const file of files) all.push(await compare(file));
fs.rmSync(temporary, { recursive: true });
console.log(`bake: ${files.length} files, vertices within ${Math.max(...all.map(([far]) => far)).toExponential(1)} m of three.js, normals within ${Math.max(...all.map(([, turned]) => turned)).toExponential(1)}°`);
process.exit(failures ? 1 : 0);
