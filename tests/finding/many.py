#!/usr/bin/env python3
"""Time and memory of searches in a database of many clips, and how both grow with their number.

    many.py MOCAP FOLDER [--clips 5000,10000,20000] [--keep FOLDER] [--only index,find]

The BVH files below FOLDER that are at most 400 kB are changed (other speeds, in the mirror, trimmed) until there are so
many. Prints for each number of clips and each command: wall-clock time, processor time and peak memory, and by how much
the processor time grew over the number of clips before. One job.
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import tempfile
import time

LARGEST = 400_000
SPEEDS = [0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3]
# The frames that are kept.
TRIMS = ["0:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:", "10:", "11:", "12:"]


def variants():
    for trim, speed, mirror in itertools.product(TRIMS, SPEEDS, ([], ["--mirror"])):
        if (trim, speed, mirror) != ("0:", 1.0, []):
            yield ["--trim", trim, "--speed", str(speed), *mirror]


def make(mocap, sources, folder, count):
    """Files of one directory each: the sources, then their variants."""
    made = list(folder.rglob("*.bvh")) if folder.exists() else []
    for at, words in enumerate(itertools.chain([None], variants())):
        if len(made) >= count:
            break
        out = folder / f"{at:03}"
        if not out.exists():
            words = ["convert"] if words is None else ["edit", *words]
            subprocess.run([mocap, words[0], *map(str, sources), *words[1:], "-o", f"{out}/", "-qq"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        made = list(folder.rglob("*.bvh"))
    return sorted(made)


def measured(command):
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{said[-2000:]}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mocap", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--clips", type=lambda text: [int(number) for number in text.split(",")],
                        default=[5000, 10000, 20000])
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", default="index,update,indexed,find,label,duplicates")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as where:
        where = options.keep or pathlib.Path(where)
        sources = [file for file in sorted(options.folder.rglob("*.bvh")) if file.stat().st_size <= LARGEST]
        clips = make(options.mocap, sources, where / "database", max(options.clips))
        query, before = str(sources[0]), {}
        for count in options.clips:
            part = clips[:count]
            names = where / f"{count}.list"
            names.write_text("".join(f"{clip}\n" for clip in part))
            index = where / f"{count}.index"
            frames = 0
            for clip in part:
                with open(clip, encoding="utf-8", errors="replace") as file:
                    frames += next(int(line.split()[1]) for line in file if line.startswith("Frames"))
            size = sum(clip.stat().st_size for clip in part)
            print(f"{len(part)} clips, {frames} frames, {size / 1e6:.0f} MB")
            database = ["--files-from", str(names)]
            for name, words in {
                "index": ["index", *database, "-o", str(index), "--overwrite"],
                "update": ["index", *database, "-o", str(index)],
                "indexed": ["find", query, str(index)],
                "find": ["find", query, *database],
                "label": ["label", *database],
                "duplicates": ["find", "--duplicates", *database],
            }.items():
                if name in options.only.split(","):
                    wall, spent, peak = measured([options.mocap, *words, "-q", "-j", "1"])
                    growth = f", {spent / before[name]:.2f} times the one before" if name in before else ""
                    before[name] = spent
                    rate = f", {frames / spent:.0f} frames/s" if name in ("index", "find", "label") else ""
                    print(f"  {name}: {wall:.1f} s, processor {spent:.1f} s{rate}, peak {peak:.0f} MB{growth}", flush=True)
            if index.exists():
                print(f"  the index has {index.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
