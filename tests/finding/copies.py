#!/usr/bin/env python3
"""How many changed copies of clips `mocap find --duplicates` finds, and whether it takes others for copies.

    copies.py MOCAP FOLDER... --targets SKELETON... [--every 1] [--keep FOLDER]

Each clip below the folders that can be searched is copied: trimmed, mirrored, at 24 frames per second, turned, 5 %
faster, with noise of 1 degree in each angle, and retargeted to each of the targets. Prints the duplicates among the
clips themselves, which a person has to judge, then for each kind of copy how many are in one cluster with their clip,
which are not, and each cluster that joins clips which are no duplicates by themselves. Exit code 1 where there is one.
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ENDINGS = {".bvh", ".amc", ".fbx", ".glb", ".gltf", ".mocz"}
EDITS = {
    "mirrored": "--mirror",
    "24 fps": "--fps 24",
    "turned": "--heading X",
    "5 % faster": "--speed 1.05",
}


def run(mocap, *words):
    return subprocess.run([mocap, *map(str, words), "-q"], capture_output=True, text=True)


def searchable(mocap, folders):
    """The clips below some folders that are moving human bodies."""
    files = sorted(file for folder in folders for file in folder.rglob("*") if file.suffix in ENDINGS)
    rows = {}
    for file in files:
        done = run(mocap, "info", file, "--json")
        row = json.loads(done.stdout.splitlines()[0]) if done.returncode == 0 and done.stdout else {}
        searched = run(mocap, "label", file, "--json")
        if row.get("frames", 0) > 1 and searched.returncode == 0:
            rows[file] = row["frames"]
    return rows


def with_noise(text, degrees, seed):
    """A BVH with noise in each angle."""
    lines = text.splitlines()
    channels = [line.split()[2:] for line in lines if line.strip().startswith("CHANNELS")]
    is_angle = [name.endswith("rotation") for names in channels for name in names]
    first = next(at for at, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    numbers = random.Random(seed)
    for at in range(first, len(lines)):
        cells = lines[at].split()
        lines[at] = " ".join(f"{float(cell) + numbers.gauss(0, degrees):.5f}" if angle else cell
                             for cell, angle in zip(cells, is_angle))
    return "\n".join(lines) + "\n"


def copies(mocap, clip, frames, name, targets, folder):
    """Writes the copies of a clip; their kinds by their names."""
    made = {}

    def write(kind, *words):
        out = folder / f"{name}_{kind.replace(' ', '-').replace('%', 'percent')}.bvh"
        done = run(mocap, *words, "-o", out, "--overwrite")
        if done.returncode == 0 and out.exists():
            made[out.name] = kind
        else:
            print(f"not made: {out.name}: {done.stderr.strip().splitlines()[:1]}")
        return out

    write("trimmed", "convert", clip, "--trim", f"{frames * 15 // 100}:{frames * 85 // 100 + 1}")
    for kind, words in EDITS.items():
        write(kind, "edit", clip, *words.split())
    for target in targets:
        write(f"retargeted to {target.stem}", "retarget", clip, target)
    noisy = write("1 degree of noise", "convert", clip)
    if noisy.exists():
        noisy.write_text(with_noise(noisy.read_text(), 1.0, name))
    return made


def clusters(mocap, folder):
    done = run(mocap, "find", "--duplicates", folder, "--json")
    if done.returncode:
        sys.exit(done.stderr)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [{pathlib.Path(clip["path"]).name for clip in row["clips"]} for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mocap", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--targets", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--every", type=int, default=1, help="copy only each Nth clip")
    parser.add_argument("--keep", type=pathlib.Path, help="write the database here, and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as where:
        where = options.keep or pathlib.Path(where)
        (where / "clips").mkdir(parents=True, exist_ok=True)
        (where / "all").mkdir(exist_ok=True)
        clip_of, kind_of = {}, {}
        for at, (clip, frames) in enumerate(searchable(options.mocap, options.folders).items()):
            name = f"{clip.parent.name}-{clip.stem}{clip.suffix.replace('.', '-')}"
            # Every format becomes BVH: what is copied and what is compared differ by the change alone.
            plain = where / "clips" / f"{name}.bvh"
            done = run(options.mocap, "convert", clip, "-o", plain, "--overwrite")
            if done.returncode:
                print(f"not made: {plain.name}: {done.stderr.strip().splitlines()[:1]}")
                continue
            shutil.copy(plain, where / "all")
            clip_of[plain.name] = plain.name
            if at % options.every == 0:
                made = copies(options.mocap, plain, frames, name, options.targets, where / "all")
                kind_of |= made
                clip_of |= {copy: plain.name for copy in made}
        own = clusters(options.mocap, where / "clips")
        print(f"{len(clip_of) - len(kind_of)} clips; duplicates among them, to be judged:")
        for cluster in own:
            print(f"  {', '.join(sorted(cluster))}")
        found = clusters(options.mocap, where / "all")
        cluster_of = {clip: at for at, cluster in enumerate(found) for clip in cluster}
        same = {clip: min(cluster) for cluster in own for clip in cluster}
        missed, count = {}, {}
        for copy, kind in kind_of.items():
            kind = kind.split(" to ")[0]
            count[kind] = count.get(kind, 0) + 1
            at = cluster_of.get(copy)
            if at is None or at != cluster_of.get(clip_of[copy]):
                missed.setdefault(kind, []).append(copy)
        for kind, many in count.items():
            lost = missed.get(kind, [])
            print(f"{kind}: {many - len(lost)} of {many} found{': missed ' if lost else ''}{', '.join(lost)}")
        wrong = 0
        for cluster in found:
            clips = {same.get(clip_of[clip], clip_of[clip]) for clip in cluster}
            if len(clips) > 1:
                wrong += 1
                print(f"no copies of each other: {', '.join(sorted(clips))} (by {', '.join(sorted(cluster)[:6])} …)")
        total = sum(map(len, missed.values()))
        print(f"{len(kind_of) - total} of {len(kind_of)} copies found, {wrong} false clusters")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
