"""Run by Blender: where the bones of an FBX file are. Reads the plan that fbx.py writes, and puts the places there."""
import json
import sys

import addon_utils
import bpy

plan_path = sys.argv[sys.argv.index("--") + 1]
with open(plan_path, encoding="utf8") as plan:
    plan = json.load(plan)
bpy.ops.wm.read_factory_settings(use_empty=True)
addon_utils.enable("io_scene_fbx")
bpy.ops.import_scene.fbx(filepath=plan["file"], ignore_leaf_bones=False)
scene = bpy.context.scene
rate = scene.render.fps / scene.render.fps_base
armatures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
assert len(armatures) == 1, f"{len(armatures)} armatures"
armature = armatures[0]
found = {}
for clip, times in plan["clips"].items():
    # The importer names an action after armature, stack and layer.
    actions = [action for action in bpy.data.actions if action.name.split("|")[1:2] == [clip]]
    if not actions and len(plan["clips"]) == 1:
        # A clip without a name is the only one.
        actions = list(bpy.data.actions)
    assert len(actions) == 1, f"{clip}: actions are {[action.name for action in bpy.data.actions]}"
    armature.animation_data.action = actions[0]
    found[clip] = {}
    for frame, time in times.items():
        # The importer starts at frame 1.
        at = 1 + time * rate
        scene.frame_set(int(at // 1), subframe=at % 1)
        bpy.context.view_layer.update()
        places = {bone.name: list((armature.matrix_world @ bone.matrix).translation) for bone in armature.pose.bones}
        found[clip][frame] = places
with open(plan_path, "w", encoding="utf8") as out:
    json.dump(found, out)
