#!/usr/bin/env python3
"""FBX files that mocap writes, as Blender and assimp read them.

    MOCAP=target/debug/mocap fbx.py

Writes motions as FBX and compares the places of all joints with the table of positions that mocap writes of the same
motion, at ten frames of every clip. Both programs must agree within 0.1 mm. A program that is not installed is reported
as skipped. Needs no Python package.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

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


def expected_places(mocap, source, clip, folder):
    """(frame, joint) -> place [m], times by frame"""
    table = os.path.join(folder, "places.csv")
    run(mocap, "convert", source, *clip, "--unit", "m", "-o", table, "--overwrite")
    places, times = {}, {}
    with open(table, newline="", encoding="utf8") as file:
        for row in csv.DictReader(file):
            frame = int(row["frame"])
            times[frame] = float(row["time"])
            places[frame, row["joint"]] = [float(row[axis]) for axis in "xyz"]
    step = max(1, len(times) // FRAMES)
    kept = sorted(times)[::step]
    return {key: place for key, place in places.items() if key[0] in kept}, {frame: times[frame] for frame in kept}


def worst(expected, found):
    """The largest distance [m], and the joint where it is; every joint has to be there."""
    lacking = sorted({joint for _, joint in expected} - {joint for _, joint in found})
    if lacking:
        sys.exit(f"joints are missing: {', '.join(lacking[:5])}")
    off = {key: sum((a - b) ** 2 for a, b in zip(place, found[key])) ** 0.5 for key, place in expected.items()}
    key = max(off, key=off.get)
    return off[key], key


def blender_places(file, clips):
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


def clip_names(mocap, source):
    """The names of the clips of a file; one without a name where the format holds one clip."""
    if not source.endswith(".fbx"):
        return [None]
    names = json.loads(run(mocap, "info", "--json", source)).get("clips") or [None]
    return [clip["name"] if isinstance(clip, dict) else clip for clip in names]


def check(mocap, source, file, clients, folder):
    """How many clips of a file are not where the table of positions of the source has them."""
    stem = os.path.splitext(os.path.basename(file))[0]
    expected, times, failed = {}, {}, 0
    for name in clip_names(mocap, source):
        choice = ["--clip", name] if name else []
        expected[name or stem], times[name or stem] = expected_places(mocap, source, choice, folder)
    for client in clients:
        found = blender_places(file, times) if client == "Blender" else assimp_places(file, times, folder)
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
    clients = {"Blender": "blender", "assimp": "assimp"}
    for name, program in list(clients.items()):
        why = os.environ.get("NO_BLENDER") if name == "Blender" else None
        if why or not shutil.which(program):
            print(f"skipped: {why or name + ' is not installed'}")
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
