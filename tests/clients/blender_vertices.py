"""Posed vertices in Blender: a mesh as GLB and as FBX, of one motion, is the same within 1e-5 of its height.

    MOCAP=target/debug/mocap blender --background --python blender_vertices.py

Also runs in a Python with the module bpy. Fixtures are always compared, files of a corpus (MOCAP_CORPUS) where there is
one: converted both ways, retargeted, through a pipeline, and two characters in one file.
"""
import json
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

MOCAP = os.environ["MOCAP"]
CORPUS = os.environ.get("MOCAP_CORPUS", "../shared/data")
WALK = "fixtures/clips/alex_walk.bvh"
TOLERANCE = 1e-5  # of the height
SAMPLES = 4


def mocap(*arguments):
    done = subprocess.run([MOCAP, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mocap {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def frames_and_rate(file):
    row = json.loads(mocap("info", file, "--json"))
    return row["frames"], row["fps"]


def posed(file, fps, frames):
    """By frame: the places [m] of the corners of all skinned faces, as an array (corners, 3)."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    # Keys of a GLB are put at times in frames of the scene: at its own rate they fall on whole frames.
    scene.render.fps, scene.render.fps_base = round(fps), round(fps) / fps
    if file.endswith(".fbx"):
        addon_utils.enable("io_scene_fbx")
        bpy.ops.import_scene.fbx(filepath=file, ignore_leaf_bones=False)
        start = 1
    else:
        addon_utils.enable("io_scene_gltf2")
        bpy.ops.import_scene.gltf(filepath=file)
        start = 0
    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    meshes = [thing for thing in scene.objects if thing.type == "MESH" and follows_bones(thing)]
    if not meshes:
        sys.exit(f"{file}: Blender finds no mesh that follows bones")
    found = []
    for frame in frames:
        at = start + frame / fps * rate
        whole = int(numpy.floor(at + 1e-3))
        scene.frame_set(whole, subframe=max(0.0, at - whole))
        graph = bpy.context.evaluated_depsgraph_get()
        if not found:
            # Names of meshes may be alike, and importers make objects in orders of their own.
            meshes.sort(key=lambda thing: tuple(corners(thing.evaluated_get(graph)).mean(axis=0)))
        found.append(numpy.concatenate([corners(thing.evaluated_get(graph)) for thing in meshes]))
    return found


def follows_bones(thing):
    armature = any(modifier.type == "ARMATURE" for modifier in thing.modifiers)
    return armature or thing.parent_type == "BONE"


def corners(thing):
    mesh = thing.to_mesh()
    places = numpy.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", places)
    of_corners = numpy.empty(len(mesh.loops), dtype=numpy.int32)
    mesh.loops.foreach_get("vertex_index", of_corners)
    world = numpy.array(thing.matrix_world)
    places = places.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    thing.to_mesh_clear()
    return places[of_corners]


def apart(one, other):
    """The largest distance between places, corner by corner; each face may begin at any of its corners."""
    if one.shape != other.shape:
        return numpy.inf
    faces = other.reshape(-1, 3, 3)
    turned = [numpy.roll(faces, by, axis=1).reshape(-1, 3) for by in range(3)]
    off = [numpy.abs(one - places).reshape(-1, 9).max(axis=1) for places in turned]
    return numpy.min(off, axis=0).max()


failed = False


def compare(what, one, other):
    """Prints how far a mesh is apart in two files of one motion."""
    global failed
    frames, fps = frames_and_rate(one)
    sampled = sorted({round(share * (frames - 1)) for share in numpy.linspace(0, 1, SAMPLES)})
    both = [posed(file, fps, sampled) for file in (one, other)]
    height = numpy.ptp(both[0][0][:, 2])
    off = max(apart(a, b) for a, b in zip(*both)) / height
    moves = max(numpy.abs(places - both[0][0]).max() for places in both[0]) / height
    good = off <= TOLERANCE and height > 0.1 and moves > 0.01
    failed |= not good
    print(
        f"{'ok' if good else 'FAILED'}: Blender {bpy.app.version_string}, {what}: {len(both[0][0])} corners at "
        f"{len(sampled)} frames, {off:.1e} of the height of {height:.2f} m; moves by {moves:.2f} of it"
    )


def both_ways(what, source, folder):
    """A mesh in another format and back."""
    ending = ".glb" if source.endswith(".fbx") else ".fbx"
    there = os.path.join(folder, "there" + ending)
    back = os.path.join(folder, "back" + (".fbx" if ending == ".glb" else ".glb"))
    mocap("convert", source, "-o", there, "--overwrite", "--key-error", "0")
    mocap("convert", there, "-o", back, "--overwrite", "--key-error", "0")
    compare(f"{what} as {ending[1:].upper()}", source, there)
    compare(f"{what} and back", there, back)


def retargeted(what, source, target, folder):
    """The mesh of a target, written as FBX, and as GLB by a pipeline."""
    fbx, glb = (os.path.join(folder, "put" + ending) for ending in (".fbx", ".glb"))
    for file in (fbx, glb):
        mocap("retarget", source, target, "-o", file, "--overwrite", "--subject", "all", "--key-error", "0")
    compare(f"{what}, retarget to GLB and FBX", glb, fbx)
    pipeline = os.path.join(folder, "put.toml")
    with open(pipeline, "w", encoding="utf8") as text:
        text.write(
            f"inputs = {os.path.abspath(source)!r}\noutput = {folder + '/out'!r}\n\n[[step]]\ndo = 'read'\nsubject = 'all'\n\n"
            f"[[step]]\ndo = 'retarget'\ntarget = {os.path.abspath(target)!r}\n\n"
            "[[step]]\ndo = 'write'\nto = 'glb'\nerror = 0\n\n[[step]]\ndo = 'write'\nto = 'fbx'\nerror = 0\n"
        )
    mocap("run", pipeline, "--overwrite")
    stem = os.path.join(folder, "out", os.path.splitext(os.path.basename(source))[0])
    compare(f"{what}, pipeline to GLB and FBX", stem + ".glb", stem + ".fbx")


def two_people(file):
    """The walk twice in one file, as Alice and, beside her, as Bob."""
    with open(WALK, encoding="utf8") as walk:
        tree, motion = walk.read().split("MOTION")
    tree = tree.replace("HIERARCHY", "")
    count, time, *frames = motion.strip().splitlines()
    trees = [tree.replace("ROOT ", f"ROOT {name}:").replace("JOINT ", f"JOINT {name}:") for name in ("Alice", "Bob")]

    def beside(frame):
        x, rest = frame.split(maxsplit=1)
        return f"{float(x) + 150} {rest}"

    rows = [f"{frame} {beside(frame)}" for frame in frames]
    with open(file, "w", encoding="utf8") as out:
        out.write("\n".join(["HIERARCHY", *trees, "MOTION", count, time, *rows, ""]))


def corpus(name):
    file = os.path.join(CORPUS, name)
    if not os.path.exists(file):
        print(f"skipped: {name} is not in the corpus")
    return os.path.exists(file) and os.path.abspath(file)


with tempfile.TemporaryDirectory() as folder:
    drawn = os.path.join(folder, "alex_walk.glb")
    mocap("convert", WALK, "-o", drawn, "--key-error", "0")
    both_ways("a drawn body", drawn, folder)
    two = os.path.join(folder, "two.bvh")
    two_people(two)
    for name in ("gltf/walk_woman_cm.glb", "gltf/cesium_man.gltf"):
        if file := corpus(name):
            both_ways(os.path.basename(name), file, folder)
    for name in ("bodies/woman.glb", "bodies/child.glb"):
        if file := corpus(name):
            retargeted(f"walk on {os.path.basename(name)}", WALK, file, folder)
    if file := corpus("bodies/woman.glb"):
        retargeted("two people on woman.glb", two, file, folder)
sys.exit(failed)
