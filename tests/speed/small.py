#!/usr/bin/env python3
"""What many small files cost: `info`, `convert` and `retarget` over links to one short clip.

    small.py MOCAP [--clip FILE] [--target FILE] [--clips 2000] [--runs 3] [--verbs info,csv,bvh,retarget,manifest]

The clip is the first 40 frames of a fixture, unless another one is named. Prints the processor time of a clip with one
job [ms], user and system apart, what 20,000 clips take at that pace [s], and the ratio to a process that reads and writes
the same bytes as often: the least of the runs.
"""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "clips"
COPY = """
import pathlib, sys
place = pathlib.Path(sys.argv[2])
for at, path in enumerate(sorted(pathlib.Path(sys.argv[1]).rglob("*.bvh"))):
    (place / f"{at}.bvh").write_bytes(path.read_bytes())
"""


def spent(command):
    """Processor time of a command [s]: user, system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mocap")
    parser.add_argument("--clip", type=pathlib.Path)
    parser.add_argument("--target", type=pathlib.Path, default=FIXTURES / "robin_walk.bvh")
    parser.add_argument("--clips", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--verbs", default="info,csv,bvh,retarget,manifest")
    options = parser.parse_args()
    # In memory where the system has such a folder: disks differ more than programs.
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        folder = pathlib.Path(folder)
        clip = folder / "clip.bvh"
        if options.clip:
            shutil.copyfile(options.clip, clip)
        else:
            walk = FIXTURES / "alex_walk.bvh"
            subprocess.run([options.mocap, "convert", walk, "--trim", "0:39", "-o", clip, "-q"], check=True,
                           stdout=subprocess.DEVNULL)
        database, out = folder / "database", folder / "out"
        for at in range(options.clips):
            place = database / f"{at // 100:03}"
            place.mkdir(parents=True, exist_ok=True)
            os.link(clip, place / f"{at:05}.bvh")
        print(f"{options.clips} clips of {clip.stat().st_size} bytes, one job, {options.runs} runs")
        to = ["-o", f"{out}/", "-j", "1", "-q"]
        verbs = {
            "info": ["info", database, "--json", "-j", "1"],
            "csv": ["convert", database, "--to", "csv", *to],
            "bvh": ["convert", database, "--to", "bvh", "--drop-first-frame", *to],
            "retarget": ["retarget", database, options.target, *to],
            "manifest": ["convert", database, "--to", "csv", "--resume", *to],
        }
        print(f"{'':10} {'user [ms]':>10} {'system [ms]':>12} {'20,000 [s]':>11} {'× copying':>10}")
        copied = None
        for name in ["copying", *options.verbs.split(",")]:
            times = []
            for _ in range(options.runs):
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                if name == "copying":
                    times.append(spent([sys.executable, "-c", COPY, database, out]))
                else:
                    times.append(spent([options.mocap, *map(str, verbs[name])]))
            user, system = min(times, key=sum)
            copied = copied or user + system
            each = 1000 / options.clips
            print(f"{name:10} {user * each:10.3f} {system * each:12.3f} {(user + system) / options.clips * 20000:11.1f} "
                  f"{(user + system) / copied:10.2f}", flush=True)


if __name__ == "__main__":
    main()
