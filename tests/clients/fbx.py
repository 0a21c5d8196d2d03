#!/usr/bin/env python3
"""FBX files that mocap writes, as Blender, assimp and ufbx read them.

    MOCAP=target/debug/mocap fbx.py

Writes motions as FBX and compares the places of all joints with the table of positions that mocap writes of the same
motion, at ten frames of every clip; ufbx also in the middle between two frames, where curves are interpolated. All must
agree within 0.1 mm. A program that is not installed is reported as skipped, as is the Python package `ufbx`.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import ufbx
except ImportError:
    ufbx = None

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.environ.get("MOCAP_CORPUS", "../shared/data")
FIXTURES = ["fixtures/clips/alex_walk.bvh", "fixtures/clips/robin_jump.bvh", "fixtures/fbx/warn-two-clips.fbx",
            "fixtures/fbx/clean.fbx"]
# The last ones have joints that are turned at rest.
REAL = ["cmu/12_01_walk.bvh", "bandai/dataset-1_kick_normal_001.bvh", "misc/makehuman_doubleclap.bvh",
        "gltf/cesium_man.gltf"]
TOLERANCE = 1e-4  # [m]
FRAMES = 10


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def frame_rate(mocap, source, options):
    return json.loads(run(mocap, "info", "--json", *options, source))["fps"]


def expected_places(mocap, source, options, folder, odd=False):
    """(frame, joint) -> place [m], times by frame; of `odd` frames only if that is asked"""
    table = os.path.join(folder, "places.csv")
    run(mocap, "convert", source, *options, "--unit", "m", "-o", table, "--overwrite")
    places, times = {}, {}
    with open(table, newline="", encoding="utf8") as file:
        for row in csv.DictReader(file):
            frame = int(row["frame"])
            times[frame] = float(row["time"])
            places[frame, row["joint"]] = [float(row[axis]) for axis in "xyz"]
    frames = [frame for frame in sorted(times) if not odd or frame % 2]
    kept = frames[:: max(1, len(frames) // FRAMES)]
    return {key: place for key, place in places.items() if key[0] in kept}, {frame: times[frame] for frame in kept}


def worst(expected, found):
    """The largest distance [m], and the joint where it is; every joint has to be there."""
    lacking = sorted({joint for _, joint in expected} - {joint for _, joint in found})
    if lacking:
        sys.exit(f"joints are missing: {', '.join(lacking[:5])}")
    off = {key: sum((a - b) ** 2 for a, b in zip(place, found[key])) ** 0.5 for key, place in expected.items()}
    key = max(off, key=off.get)
    return off[key], key


def blender_places(file, clips, _folder):
    """By clip: (frame, joint) -> place [m]. Blender has Z up: X, Y, Z are our X, -Z, Y."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as plan:
        json.dump({"file": file, "clips": clips}, plan)
    script = os.path.join(HERE, "fbx_blender.py")
    run("blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python", script, "--", plan.name)
    with open(plan.name, encoding="utf8") as found:
        found = json.load(found)
    os.unlink(plan.name)
    return {
        clip: {(int(frame), joint): [x, z, -y] for frame, joints in frames.items() for joint, (x, y, z) in joints.items()}
        for clip, frames in found.items()
    }


def turned(q, v):
    w, x, y, z = q
    a, b, c = v
    tx, ty, tz = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx]


def matrix(place, q, scale):
    columns = [turned(q, [scale[i] if j == i else 0 for j in range(3)]) for i in range(3)]
    return [[columns[j][i] for j in range(3)] + [place[i]] for i in range(3)] + [[0, 0, 0, 1]]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def only(found):
    (one,) = found
    return one


def assimp_places(file, clips, folder):
    """As blender_places; the library keeps Y up and centimetres."""
    exported = os.path.join(folder, "assimp.json")
    run("assimp", "export", file, exported, "-fassjson")
    with open(exported, encoding="utf8") as scene:
        scene = json.load(scene)
    by_name = {animation["name"]: animation for animation in scene["animations"]}
    places = {}
    for clip, times in clips.items():
        # A clip without a name is the only one.
        animation = by_name[clip] if clip in by_name else only(scene["animations"])
        channels = {channel["name"]: channel for channel in animation["channels"]}
        places[clip] = {}

        def value(keys, ticks):
            return min(keys, key=lambda key: abs(key[0] - ticks))[1]

        def visit(node, above, frame, ticks):
            flat = node["transformation"]
            local = [flat[4 * i : 4 * i + 4] for i in range(4)]
            channel = channels.get(node["name"])
            if channel:
                keys = [value(channel[kind], ticks) for kind in ("positionkeys", "rotationkeys", "scalingkeys")]
                local = matrix(*keys)
            world = product(above, local)
            places[clip][frame, node["name"]] = [world[i][3] / 100 for i in range(3)]
            for child in node.get("children", []):
                visit(child, world, frame, ticks)

        identity = [[float(i == j) for j in range(4)] for i in range(4)]
        for frame, time in times.items():
            visit(scene["rootnode"], identity, int(frame), time * animation["tickspersecond"])
    return places


def ufbx_places(file, clips, _folder):
    """As blender_places. Times may lie between frames; the library keeps Y up and centimetres."""
    scene = ufbx.load_file(file)
    stacks = {stack.name: stack for stack in scene.anim_stacks}
    places = {}
    for clip, times in clips.items():
        stack = stacks[clip] if clip in stacks else only(scene.anim_stacks)
        places[clip] = {}
        for frame, time in times.items():
            posed = ufbx.evaluate_scene(scene, stack.anim, stack.time_begin + time)
            for node in posed.nodes:
                to_world = node.node_to_world
                places[clip][frame, node.name] = [axis / 100 for axis in (to_world.c3.x, to_world.c3.y, to_world.c3.z)]
    return places


def clip_names(mocap, source):
    """The names of the clips of a file; one without a name where the format holds one clip."""
    if not source.endswith(".fbx"):
        return [None]
    names = json.loads(run(mocap, "info", "--json", source)).get("clips") or [None]
    return [clip["name"] if isinstance(clip, dict) else clip for clip in names]


def check(mocap, source, file, clients, folder):
    """How many clips of a file are not where the table of positions of the source has them."""
    stem = os.path.splitext(os.path.basename(file))[0]
    expected, times, between, times_between, failed = {}, {}, {}, {}, 0
    for name in clip_names(mocap, source):
        clip, choice = name or stem, ["--clip", name] if name else []
        expected[clip], times[clip] = expected_places(mocap, source, choice, folder)
        # At twice the rate, each second frame lies in the middle between two of the clip.
        twice = 2 * frame_rate(mocap, source, choice)
        between[clip], times_between[clip] = expected_places(mocap, source, [*choice, "--fps", twice], folder, odd=True)
    for client, places in clients.items():
        failed += compare(client, stem, expected, places(file, times, folder))
    if "ufbx" in clients:
        failed += compare("ufbx between frames", stem, between, ufbx_places(file, times_between, folder))
    return failed


def compare(client, stem, expected, found):
    """Prints how far each clip is off, and returns how many are too far."""
    failed = 0
    for clip in expected:
        off, (frame, joint) = worst(expected[clip], found[clip])
        good = off <= TOLERANCE
        failed += not good
        where = "" if good else f", at {joint} in frame {frame}"
        print(f"{'ok' if good else 'FAILED'}: {client}, {stem} '{clip}': off by {off:.1e} m{where}")
    return failed


def main():
    mocap = os.environ["MOCAP"]
    sources = FIXTURES + [file for file in (os.path.join(CORPUS, name) for name in REAL) if os.path.exists(file)]
    failed = 0
    clients = {"Blender": blender_places, "assimp": assimp_places, "ufbx": ufbx_places}
    lacking = {
        "Blender": os.environ.get("NO_BLENDER") or (not shutil.which("blender") and "blender is not installed"),
        "assimp": not shutil.which("assimp") and "assimp is not installed",
        "ufbx": not ufbx and "the Python package ufbx is not installed",
    }
    for name, why in lacking.items():
        if why:
            print(f"skipped: {why}")
            del clients[name]
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            stem = os.path.splitext(os.path.basename(source))[0]
            file = os.path.join(folder, stem + ".fbx")
            if source.endswith(".fbx"):
                shutil.copyfile(source, file)
            else:
                run(mocap, "convert", source, "-o", file)
            kept = os.path.join(folder, stem + "_kept.fbx")
            # A file of which only the animation is replaced; text files are written anew.
            run(mocap, "convert", file, "--trim", "1:", "-o", kept)
            # How clients read text is not about files that mocap writes.
            with open(file, "rb") as start:
                is_text = not start.read(18).startswith(b"Kaydara FBX Binary")
            for of, written in [(kept, kept)] if is_text else [(source, file), (kept, kept)]:
                failed += check(mocap, of, written, clients, folder)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
