"""Compares decode.py with `mocap decompress`: in every profile, at a fine and a coarse bound, to 1e-12.

    python3 compare.py PATH/TO/mocap

The fixtures are small and together run every line of the decoder.
"""
import itertools
import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import decode

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXACT = 1e-12
PROFILES = ("archive", "runtime", "keys", "direct")
#: A clip, the flags of its conversion, and bounds of the error.
CLIPS = (
    ("clips/alex_wave.bvh", [], ("0.1mm", "10mm")),
    # Rest rotations, and limits and roles of joints.
    ("clips/robin_jump.amc", [], ("0.1mm", "10mm")),
    # A joint that moves, and one whose constant place is not its offset.
    ("acclaim/other-moving-bone.amc", [], ("0.1mm", "10mm")),
    # Offsets that are not multiples of one step.
    ("fbx/clean.fbx", [], ("0.1mm", "10mm")),
    # More frames than a block has.
    ("gltf/clean.glb", ["--fps", "8200"], ("1mm",)),
    # No frames.
    ("gltf/warn-no-animation.glb", [], ("1mm",)),
)


def compare(ours, theirs):
    fps, frames, joints = ours
    skeleton = theirs["skeleton"]["joints"]
    if (fps, frames, len(joints)) != (theirs["fps"], theirs["frames"], len(skeleton)):
        return math.inf
    tracks = {track["joint"]: track for track in theirs["tracks"]}
    worst = 0.0
    for joint, wanted in zip(joints, skeleton):
        if joint["name"] != wanted["name"]:
            return math.inf
        track = tracks.get(joint["name"], {})
        pairs = [(joint["offset"], wanted["offset"])]
        w, x, y, z = wanted.get("rotation", [1, 0, 0, 0])
        rotations = track.get("rotation") or [[w, x, y, z]]
        found = joint["rotation"] or [joint["rest"]]
        for frame in range(frames):
            x, y, z, w = found[frame % len(found)]
            length = math.hypot(x, y, z, w)
            pairs.append(([w / length, x / length, y / length, z / length], rotations[frame % len(rotations)]))
        places = track.get("translation") or [wanted["offset"]]
        found = joint["translation"] or [joint["offset"]]
        pairs += [(found[frame % len(found)], places[frame % len(places)]) for frame in range(frames)]
        worst = max([worst] + [abs(a - b) for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True)])
    return worst


def error_of(mocap, name, words, profile, error):
    """The greatest difference of a clip that is compressed and decoded by both."""
    with tempfile.TemporaryDirectory() as folder:
        clip, packed, plain = (Path(folder) / name for name in ("clip.json", "clip.mocz", "plain.json"))
        for words in (
            ["convert", FIXTURES / name, "-o", clip, *words],
            ["compress", clip, "-o", packed, "--profile", profile, "--error", error],
            ["decompress", packed, "-o", plain],
        ):
            subprocess.run([mocap, *words, "-qq"], check=True)
        return compare(decode.decode(packed.read_bytes()), json.loads(plain.read_text()))


def main(mocap):
    cases = [
        (mocap, name, words, profile, error)
        for name, words, errors in CLIPS
        for profile, error in itertools.product(PROFILES, errors)
    ]
    with ProcessPoolExecutor() as pool:
        # Long ones first.
        found = list(pool.map(error_of, *zip(*reversed(cases))))
    failed = 0
    for (_, name, _, profile, error), off in zip(reversed(cases), found):
        if not off <= EXACT:
            failed += 1
            print(f"{name} {profile} {error}: {off}")
    print(f"{len(cases)} files decoded from the page, {failed} differ")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
