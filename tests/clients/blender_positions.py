"""Runs within Blender: imports a BVH and writes the heads of its bones, frame by frame, as JSON."""

import builtins
import json
import sys

import addon_utils
import bpy

addon_utils.enable("io_anim_bvh")
from io_anim_bvh import import_bvh  # noqa: E402

# The importer of Blender 3.4 opens files with a mode that Python 3.11 no longer has.
import_bvh.open = lambda path, mode="r", **more: builtins.open(path, mode.replace("U", ""), **more)

path, out = sys.argv[sys.argv.index("--") + 1:]
before = set(bpy.data.objects)
# The axes of Blender itself, so that nothing is turned.
bpy.ops.import_anim.bvh(filepath=path, axis_forward="Y", axis_up="Z", frame_start=1)
rig = next(thing for thing in bpy.data.objects if thing not in before and thing.type == "ARMATURE")
first, last = (int(frame) for frame in rig.animation_data.action.frame_range)
joints = {}
for frame in range(first, last + 1):
    bpy.context.scene.frame_set(frame)
    for bone in rig.pose.bones:
        joints.setdefault(bone.name, []).append(list(rig.matrix_world @ bone.head))
with open(out, "w") as file:
    json.dump(joints, file)
