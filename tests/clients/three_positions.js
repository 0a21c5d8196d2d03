// Reads a BVH with three.js and prints the places of its bones, frame by frame, as JSON.
import { readFileSync } from "node:fs";
import { AnimationMixer, Group, LoopOnce, Vector3 } from "three";
import { BVHLoader } from "three/examples/jsm/loaders/BVHLoader.js";

const { skeleton, clip } = new BVHLoader().parse(readFileSync(process.argv[2], "utf8"));
const scene = new Group();
scene.add(skeleton.bones[0]);
const mixer = new AnimationMixer(skeleton.bones[0]);
const action = mixer.clipAction(clip).setLoop(LoopOnce);
// The last frame is at the end of the clip.
action.clampWhenFinished = true;
action.play();
const joints = {};
for (const time of clip.tracks[0].times) {
  mixer.setTime(time);
  scene.updateMatrixWorld(true);
  for (const bone of skeleton.bones.filter((bone) => bone.name !== "ENDSITE")) {
    (joints[bone.name] ??= []).push(bone.getWorldPosition(new Vector3()).toArray());
  }
}
console.log(JSON.stringify(joints));
