#!/usr/bin/env python3
"""How fast `mocap convert` writes a database in each format, and how much of a second core it uses.

    convert.py MOCAP FOLDER [--clips 2000] [--runs 3] [--formats bvh,glb,npz] [--edits=--drop-first-frame]

Makes a database of the BVH files below FOLDER, each as often as needed, and converts it with one job and with one job
per core, with these edits. Prints the median over the runs: seconds, bytes read per second, the speed against that of
the first format, and the speed with all cores against cores × one. On a machine that does other work as well, compare
the processor time.
"""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile
import time


def database(sources, folder, clips):
    """Links to the sources, in folders of 100; the bytes that are read."""
    total = 0
    for clip in range(clips):
        source = sources[clip % len(sources)]
        place = folder / f"{clip // 100:03}"
        place.mkdir(parents=True, exist_ok=True)
        os.link(source, place / f"{clip:05}.bvh")
        total += source.stat().st_size
    return total


def timed(mocap, clips, fmt, edits, jobs, out):
    shutil.rmtree(out, ignore_errors=True)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [mocap, "convert", clips, "--to", fmt, "-o", f"{out}/", "-j", str(jobs), "-q", *edits.split()]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    written = sum(file.stat().st_size for file in pathlib.Path(out).rglob("*") if file.is_file())
    return wall, spent, written


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mocap")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--clips", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--formats", default="bvh,glb,npz")
    parser.add_argument("--edits", default="")
    options = parser.parse_args()
    cores = os.cpu_count()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        sources = []
        for at, source in enumerate(sorted(options.folder.rglob("*.bvh"))):
            sources.append(shutil.copyfile(source, folder / f"{at}.bvh"))
        total = database(sources, folder / "database", options.clips)
        print(f"{options.clips} clips of {len(sources)} files, {total / 1e6:.0f} MB, {cores} cores, {options.runs} runs")
        print("format  jobs  wall [s]  processor [s]  read [MB/s]  against 1st  cores × one  written [MB]")
        reference, single = {}, {}
        for fmt in options.formats.split(","):
            for jobs in (1, cores):
                command = (options.mocap, folder / "database", fmt, options.edits, jobs, folder / "out")
                runs = [timed(*command) for _ in range(options.runs)]
                wall, spent, written = (statistics.median(column) for column in zip(*runs))
                reference.setdefault(jobs, wall)
                single.setdefault(fmt, wall)
                share = single[fmt] / wall / jobs
                print(f"{fmt:6}  {jobs:4}  {wall:8.1f}  {spent:13.1f}  {total / wall / 1e6:11.0f}  "
                      f"{reference[jobs] / wall:11.2f}  {share:11.2f}  {written / 1e6:12.0f}", flush=True)


if __name__ == "__main__":
    main()
