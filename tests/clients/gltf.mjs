// GLB and glTF files against the Khronos validator and three.js.
//
// Written: the validator finds nothing, and three.js puts every joint where `mocap convert … --to csv` puts it.
// Read: our positions of a glTF file are those of three.js.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import validator from 'gltf-validator';

// The loader of three.js wants a few names of a browser.
globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const warn = console.warn;
console.warn = () => {};
const THREE = await import('three');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');

const root = process.cwd();
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'mocap-gltf-'));
const WITHIN = 1e-4;
let failures = 0;
const check = (holds, message) => {
  if (!holds) { failures += 1; console.log(`FAILED ${message}`); }
};

const mocap = (...args) => execFileSync(process.env.MOCAP, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Frames of a table of positions: [{ time, joints: Map(name → [x, y, z]) }]. */
function table(input, ...edits) {
  const file = path.join(temporary, 'positions.csv');
  mocap('convert', input, '-o', file, '--overwrite', ...edits);
  const frames = [];
  for (const line of fs.readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
    // A name may be quoted and hold commas; numbers do not.
    const [frame, time] = line.split(',', 2).map(Number);
    const cells = line.split(',');
    const name = cells.slice(2, -3).join(',').replace(/^"|"$/g, '').replace(/""/g, '"');
    frames[frame] ??= { time, joints: new Map() };
    frames[frame].joints.set(name, cells.slice(-3).map(Number));
  }
  return frames;
}

/** The file without pictures, which need a browser, as three.js takes it. */
function withoutPictures(file) {
  const bytes = fs.readFileSync(file);
  const binary = bytes.readUInt32LE(0) === 0x46546c67;
  const length = binary ? bytes.readUInt32LE(12) : bytes.length;
  const json = JSON.parse(binary ? bytes.subarray(20, 20 + length) : bytes);
  for (const list of ['images', 'textures', 'materials']) delete json[list];
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  for (const buffer of json.buffers ?? []) {
    if (buffer.uri && !buffer.uri.startsWith('data:')) {
      const data = fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(buffer.uri)));
      buffer.uri = `data:application/octet-stream;base64,${data.toString('base64')}`;
    }
  }
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  if (!binary) return text;
  const rest = bytes.subarray(20 + length);
  const head = Buffer.alloc(20);
  head.write('glTF');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  head.write('JSON', 16);
  return Buffer.concat([head, text, rest]);
}

async function scene(file) {
  const data = withoutPictures(file);
  const copy = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
  return new Promise((resolve, reject) => new GLTFLoader().parse(copy, '', resolve, reject));
}

/** By time: the places of all nodes, [{ name, place }]. */
function places(gltf, clip, times) {
  const mixer = new THREE.AnimationMixer(gltf.scene);
  if (clip) {
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
  }
  return times.map((time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const nodes = [];
    gltf.scene.traverse((node) => {
      nodes.push({ name: node.userData.name ?? node.name, place: node.getWorldPosition(new THREE.Vector3()).toArray() });
    });
    return nodes;
  });
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const some = (frames) => frames.filter((_, i) => i % Math.max(1, Math.floor(frames.length / 9)) === 0);

async function validate(file) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { uri: path.basename(file) });
  const { numErrors, numWarnings, numInfos, messages } = report.issues;
  const first = messages[0] ? `${messages[0].code} ${messages[0].pointer}` : '';
  check(numErrors + numWarnings + numInfos === 0, `${path.basename(file)}: validator ${numErrors}/${numWarnings}/${numInfos} ${first}`);
}

/** The largest distance of a joint in three.js from where it is in the motion. */
async function compareWritten(input, file, within) {
  const frames = some(table(input, '--unit', 'm', '--up', 'Y'));
  const gltf = await scene(file);
  check(gltf.animations.length === 1, `${file}: ${gltf.animations.length} animations`);
  let worst = 0;
  places(gltf, gltf.animations[0], frames.map((frame) => frame.time)).forEach((nodes, i) => {
    const named = new Map(nodes.map((node) => [node.name, node.place]));
    for (const [name, place] of frames[i].joints) {
      if (name.endsWith('_End')) continue;
      check(named.has(name), `${file}: no node ${name}`);
      if (named.has(name)) worst = Math.max(worst, distance(named.get(name), place));
    }
  });
  check(worst < within, `${file}: off by ${worst} m`);
  return worst;
}

/** The largest distance of a joint that we read from the nearest node of three.js that goes with it in all frames. */
async function compareRead(file, clip) {
  const frames = some(table(clip === null ? file : `${file}#${clip}`));
  const gltf = await scene(file);
  const animation = gltf.animations.find((each) => each.name === clip) ?? gltf.animations[0];
  // Held values change at a key, whose time has 32 bits in the file and six decimals in the table.
  const later = clip?.startsWith('Step') ? 2e-5 : 0;
  const theirs = places(gltf, animation, frames.map((frame) => frame.time + later));
  let worst = 0;
  for (const name of frames[0].joints.keys()) {
    const off = theirs[0].map((_, node) => Math.max(...frames.map((frame, i) => distance(frame.joints.get(name), theirs[i][node].place))));
    worst = Math.max(worst, Math.min(...off));
  }
  check(worst < WITHIN, `read ${file}#${clip}: off by ${worst} m`);
  return worst;
}

const corpus = process.env.MOCAP_CORPUS ?? path.join(root, '../shared/data');
const real = (...names) => names.map((name) => path.join(corpus, name)).filter((file) => fs.existsSync(file));
const clips = ['alex_walk.bvh', 'robin_turn.amc', 'alex_jump.bvh'].map((name) => path.join(root, 'fixtures/clips', name));
clips.push(...real('cmu/12_01_walk.bvh', 'iclone/007_12.bvh', 'misc/makehuman_doubleclap.bvh'));
const modes = [['body'], ['sticks', '--mesh', 'sticks'], ['none', '--mesh', 'none'], ['short', '--short-rotations'], ['all', '--key-error', '0']];

let worst = 0;
for (const clip of clips) {
  for (const [mode, ...flags] of modes) {
    const file = path.join(temporary, `${path.basename(clip).replace(/\..*/, '')}-${mode}.glb`);
    mocap('convert', clip, '-o', file, ...flags);
    await validate(file);
    // Integers of 16 bits turn a body by up to 0.003° per joint.
    const off = await compareWritten(clip, file, mode === 'short' ? 3e-3 : WITHIN);
    if (mode !== 'short') worst = Math.max(worst, off);
  }
}
const text = path.join(temporary, 'text.gltf');
mocap('convert', clips[0], '-o', text);
await validate(text);
await compareWritten(clips[0], text, WITHIN);

let read = await compareRead(path.join(root, 'fixtures/gltf/clean.glb'), 'raise');
for (const name of ['gltf/other-sparse.glb', 'gltf/other-no-skin.glb', 'scenes/beside.gltf']) {
  read = Math.max(read, await compareRead(path.join(root, 'fixtures', name), 'raise'));
}
for (const file of real('gltf/cesium_man.gltf', 'gltf/rigged_simple.gltf', 'gltf/box_animated.gltf', 'gltf/interpolation_test.gltf')) {
  const names = (await scene(file)).animations.map((animation) => animation.name);
  for (const name of names.length > 1 ? names : [null]) read = Math.max(read, await compareRead(file, name));
}

// A motion on a character that has a mesh: it keeps its mesh and skin, and the joints are where they should be.
const character = path.join(temporary, 'alex_walk-body.glb');
const moved = path.join(temporary, 'moved.glb');
mocap('retarget', path.join(root, 'fixtures/clips/robin_walk.bvh'), character, '-o', moved);
await validate(moved);
const [before, after] = [await scene(character), await scene(moved)];
const skinned = (gltf) => { let found; gltf.scene.traverse((node) => { if (node.isSkinnedMesh) found = node; }); return found; };
check(skinned(after)?.geometry.attributes.position.count === skinned(before).geometry.attributes.position.count, 'retarget: the mesh changed');
read = Math.max(read, await compareRead(moved, null));

// A face whose shapes move.
const talk = path.join(temporary, 'talk.glb');
mocap('face', path.join(root, 'fixtures/faces/take.csv'), path.join(root, 'fixtures/faces/head.glb'), '-o', talk, '-qq');
await validate(talk);
const vrma = path.join(temporary, 'talk.vrma');
mocap('convert', path.join(root, 'fixtures/faces/take.csv'), '-o', vrma, '-qq');
// The validator does not know the extension, and what it names counts as unused.
const { numErrors, numWarnings } = (await validator.validateBytes(new Uint8Array(fs.readFileSync(vrma)))).issues;
check(numErrors + numWarnings === 0, `talk.vrma: validator ${numErrors}/${numWarnings}`);

console.warn = warn;
fs.rmSync(temporary, { recursive: true });
console.log(`glTF: ${clips.length * modes.length + 4} files valid; written within ${worst.toExponential(1)} m, read within ${read.toExponential(1)} m of three.js`);
process.exit(failures ? 1 : 0);
