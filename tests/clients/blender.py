"""GLB files imported into Blender: the heads of bones are where the table of positions has the joints."""
import csv
import os
import subprocess
import sys
import tempfile

import numpy

for old in (bool, object, int, float):
    # The add-ons of older releases use names that numpy has dropped.
    if old.__name__ not in vars(numpy):
        setattr(numpy, old.__name__, old)
import bpy
import addon_utils
from mathutils import Vector

addon_utils.enable("io_scene_gltf2")
MOCAP = os.environ["MOCAP"]
CORPUS = os.environ.get("MOCAP_CORPUS", "../shared/data")
clips = ["fixtures/clips/alex_walk.bvh"]
clips += [f for f in (f"{CORPUS}/cmu/12_01_walk.bvh", f"{CORPUS}/misc/makehuman_doubleclap.bvh") if os.path.exists(f)]
worst, failures = 0.0, []


def mocap(*arguments):
    subprocess.run([MOCAP, *arguments], check=True, capture_output=True)


with tempfile.TemporaryDirectory() as folder:
    for clip in clips:
        file, positions = os.path.join(folder, "clip.glb"), os.path.join(folder, "clip.csv")
        mocap("convert", clip, "-o", file, "--overwrite")
        mocap("convert", clip, "-o", positions, "--overwrite", "--unit", "m", "--up", "Y")
        frames = {}
        with open(positions, newline="", encoding="utf8") as rows:
            for row in csv.DictReader(rows):
                place = [float(row[axis]) for axis in "xyz"]
                frames.setdefault(float(row["time"]), {})[row["joint"]] = place
        bpy.ops.wm.read_factory_settings(use_empty=True)
        addon_utils.enable("io_scene_gltf2")
        bpy.context.scene.render.fps = 120
        bpy.ops.import_scene.gltf(filepath=file)
        armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
        meshes = [thing for thing in bpy.data.objects if thing.type == "MESH" and thing.parent == armature]
        if not meshes:
            failures.append(f"{clip}: no mesh follows the armature")
        scene = bpy.context.scene
        fps = scene.render.fps / scene.render.fps_base
        times = sorted(frames)
        for time in times[:: max(1, len(times) // 9)]:
            at = time * fps
            scene.frame_set(int(at), subframe=at - int(at))
            for bone in armature.pose.bones:
                if bone.name in frames[time]:
                    x, y, z = frames[time][bone.name]
                    # Blender has Z up.
                    off = (armature.matrix_world @ bone.head - Vector((x, -z, y))).length
                    worst = max(worst, off)
if worst > 1e-4:
    failures.append(f"off by {worst:.2g} m")
for failure in failures:
    print("FAILED", failure)
print(f"Blender {bpy.app.version_string}: {len(clips)} clips, bones within {worst:.1g} m")
sys.exit(bool(failures))
