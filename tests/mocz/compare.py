"""Compares decode.py with `mocap decompress`: every fixture, profile and a fine and a coarse bound, to 1e-12.

    python3 compare.py PATH/TO/mocap
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import decode

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXACT = 1e-12


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


def main(mocap):
    clips = sorted((FIXTURES / "clips").glob("*.bvh")) + sorted((FIXTURES / "clips").glob("*.amc"))
    compared = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        packed, plain = Path(folder) / "clip.mocz", Path(folder) / "clip.json"
        for clip in clips:
            for profile in ("archive", "runtime", "keys"):
                for error in ("0.1mm", "10mm"):
                    options = ["--profile", profile, "--error", error, "--overwrite", "-q"]
                    subprocess.run([mocap, "compress", clip, "-o", packed, *options], check=True)
                    subprocess.run([mocap, "decompress", packed, "-o", plain, "--overwrite", "-q"], check=True)
                    off = compare(decode.decode(packed.read_bytes()), json.loads(plain.read_text()))
                    compared += 1
                    if not off <= EXACT:
                        failed += 1
                        print(f"{clip.name} {profile} {error}: {off}")
    print(f"{compared} files decoded from the page, {failed} differ")
    return int(failed > 0 or compared == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
