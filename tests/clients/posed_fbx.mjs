// Where three.js puts the vertices of an FBX file: FILE OUT TIME... writes OUT.TIME.f64, in units of the file.
import fs from 'node:fs';
globalThis.self = globalThis; globalThis.window = globalThis;
globalThis.document = { createElementNS: () => ({ addEventListener() {}, removeEventListener() {}, set src(v) {} , style:{}}) };
globalThis.URL.createObjectURL ??= () => '';
console.warn = () => {};
const THREE = await import('three');
const { FBXLoader } = await import('three/examples/jsm/loaders/FBXLoader.js');
const [file, out, ...times] = process.argv.slice(2);
const b = fs.readFileSync(file);
const root = new FBXLoader().parse(b.buffer.slice(b.byteOffset, b.byteOffset + b.length), '');
const mixer = new THREE.AnimationMixer(root);
for (const t of times) {
  if (root.animations[0]) { const c = root.animations[0]; mixer.clipAction(c).play(); mixer.setTime(Number(t)); }
  root.updateMatrixWorld(true);
  const all = [];
  root.traverse(o => { if (!o.isMesh) return;
    const p = o.geometry.attributes.position; const v = new THREE.Vector3();
    if (o.isSkinnedMesh) o.skeleton.update();
    for (let i = 0; i < p.count; i++) { v.fromBufferAttribute(p, i); if (o.isSkinnedMesh) o.applyBoneTransform(i, v); v.applyMatrix4(o.matrixWorld); all.push(v.x, v.y, v.z); } });
  fs.writeFileSync(`${out}.${t}.f64`, Buffer.from(new Float64Array(all).buffer));
}
