"""Checks that Blender, three.js and bvhio place a body where mocap does.

Usage: python3 bvh_positions.py MOCAP
"""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# Where `run` installs packages of npm, with a copy of the scripts that import them.
PACKAGES = pathlib.Path(os.environ.get("MOCAP_CLIENTS", "target/clients")).resolve()
FRAMES = 4
# Single precision, of a body of 170 units.
TOLERANCE = 2e-3

# Positions add to OFFSET, at the root and at 'arm'; two joints are called 'hand'.
ADDS = """HIERARCHY
ROOT hips
{
OFFSET 0 100 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT arm
{
OFFSET 20 40 5
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT hand
{
OFFSET 30 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 8 0 0
}
}
}
JOINT leg
{
OFFSET 10 -50 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT hand
{
OFFSET 0 -45 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 0 12
}
}
}
}
MOTION
Frames: 4
Frame Time: 0.0333333
1 -2 3 10 5 -20 0.5 1 -0.25 30 -10 5 12 0 40 5 10 -15 0 30 5
2 -1 6 12 4 -25 0.5 1.5 -0.5 35 -12 6 14 1 42 6 12 -16 1 32 6
3 0 9 14 3 -30 0.25 2 -0.25 40 -14 7 16 2 44 7 14 -17 2 34 7
4 -1 12 16 2 -35 0 1 0 45 -16 8 18 3 46 8 16 -18 3 36 8
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def truth(mocap, path):
    """World positions by joint, without End Sites: one list of triples per joint."""
    table = path.with_suffix(".csv")
    run(mocap, "convert", path, "-o", table, "--overwrite", "-q")
    joints = {}
    with open(table, newline="") as rows:
        for row in csv.DictReader(rows):
            if not row["joint"].endswith("_End"):
                joints.setdefault(row["joint"], []).append([float(row[axis]) for axis in "xyz"])
    return joints


def blender(path):
    if shutil.which("blender") is None or os.environ.get("NO_BLENDER"):
        return None
    out = path.with_suffix(".blender.json")
    run("blender", "--background", "--factory-startup", "--python", HERE / "blender_positions.py", "--", path, out)
    return json.loads(out.read_text())


def three(path):
    if shutil.which("node") is None or not (PACKAGES / "three_positions.js").is_file():
        return None
    return json.loads(run("node", PACKAGES / "three_positions.js", path))


def bvhio(path):
    try:
        import bvhio as reader
    except ImportError:
        return None
    root = reader.readAsHierarchy(str(path))
    joints = {}
    for frame in range(FRAMES):
        root.loadPose(frame)
        for joint, _, _ in root.layout():
            joints.setdefault(joint.Name, []).append(list(joint.PositionWorld))
    return joints


def farthest(expected, found):
    pairs = [(expected[name][frame], found[name][frame]) for name in expected for frame in range(FRAMES)]
    return max(sum((a - b) ** 2 for a, b in zip(*pair)) ** 0.5 for pair in pairs)


def main():
    mocap = pathlib.Path(sys.argv[1]).resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "adds.bvh")
        source.write_text(ADDS)
        expected = truth(mocap, source)
        for name, reader, style in [("Blender", blender, "replace"), ("bvhio", bvhio, "replace"), ("three.js", three, "add")]:
            written = source.with_name(f"{style}.bvh")
            run(mocap, "convert", source, "-o", written, "--position-style", style, "--overwrite", "-q")
            found = reader(written)
            if found is None:
                print(f"skipped: {name} is not installed")
                continue
            distance = farthest(expected, found)
            untouched = reader(source)
            try:
                before = f"{farthest(expected, untouched):.3f}"
            except (KeyError, IndexError):
                before = "joints of one name are confused"
            verdict = "ok" if distance <= TOLERANCE else "FAILED"
            failed += distance > TOLERANCE
            print(f"{verdict}: {name} is off by {distance:.6f} ({style}); untouched: {before}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
