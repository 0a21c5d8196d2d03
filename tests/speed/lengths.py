#!/usr/bin/env python3
"""What a frame costs in short and in long clips: processor time a frame, and peak memory.

    lengths.py MOCAP CLIP.bvh [--target FILE] [--frames 2000,60000] [--runs 3] [--verbs info,csv,...]

The rows of the clip are repeated until there are that many frames. The start of a command is not counted: it is what the
command takes with 20 frames. Prints frames per second of processor time at each length and the ratio of the last to the
first; the peak of the last length over the size of its file, and what is beyond it [MB]; the time as a share of `cp`,
which copies the same file in turns.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERBS = {
    "info": ["info", "{clip}"],
    "csv": ["convert", "{clip}", "-o", "{out}.csv"],
    "json": ["convert", "{clip}", "-o", "{out}.json"],
    "bvh": ["convert", "{clip}", "-o", "{out}.bvh", "--euler", "XYZ"],
    "glb": ["convert", "{clip}", "-o", "{out}.glb"],
    "npz": ["convert", "{clip}", "-o", "{out}.npz"],
    "compress": ["compress", "{clip}", "-o", "{out}.mocz", "--effort", "0"],
    "retarget": ["retarget", "{clip}", "{target}", "-o", "{out}.bvh"],
    "cp": None,
}


def write_repeated(source, frames, path):
    """Writes a BVH with its rows repeated until there are so many, row by row: the memory of a process counts for those
    that it starts."""
    head, motion = source.split(b"Frames:", 1)
    time = motion.index(b"\n", motion.index(b"Frame Time")) + 1
    rows = [row for row in motion[time:].split(b"\n") if row.strip()]
    with open(path, "wb") as out:
        out.write(head + b"Frames: %d" % frames + motion[motion.index(b"\n"):time])
        for frame in range(frames):
            out.write(rows[frame % len(rows)] + b"\n")


def spent(command):
    """Processor time [s] and peak memory [bytes] of a command."""
    with open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, stdout=null, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"exit code {child.returncode}: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mocap")
    parser.add_argument("clip", type=pathlib.Path)
    parser.add_argument("--target", default=ROOT / "fixtures" / "clips" / "robin_walk.bvh")
    parser.add_argument("--frames", default="2000,60000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--verbs", default=",".join(VERBS))
    options = parser.parse_args()
    lengths = [20, *map(int, options.frames.split(","))]
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        folder = pathlib.Path(folder)
        source = options.clip.read_bytes()
        clips = {frames: folder / f"{frames}.bvh" for frames in lengths}
        for frames, clip in clips.items():
            write_repeated(source, frames, clip)
        del source
        size = clips[lengths[-1]].stat().st_size
        best = {}
        # In turns: what else the machine does falls on all of them. Short runs are many: the clock is coarse.
        for run in range(options.runs):
            for verb in options.verbs.split(","):
                for frames, clip in clips.items():
                    words = VERBS[verb]
                    fill = dict(clip=clip, out=folder / "out", target=options.target)
                    command = ["cp", clip, folder / "copy"]
                    if words:
                        tail = [] if verb == "info" else ["--overwrite"]
                        command = [options.mocap, *(word.format(**fill) for word in words), *tail, "-j", "1", "-q"]
                    times = 10 if frames < 10000 and words else 1
                    runs = [spent(command) for _ in range(times)]
                    here = (sum(time for time, _ in runs) / times, max(peak for _, peak in runs))
                    best[verb, frames] = min(best.get((verb, frames), here), here)
        for verb in options.verbs.split(","):
            start = best[verb, 20][0]
            rates = [(frames - 20) / max(best[verb, frames][0] - start, 1e-9) for frames in lengths[1:]]
            time, peak = best[verb, lengths[-1]]
            line = f"{verb:9}" + "".join(f"{rate:12,.0f}" for rate in rates) + f" frames/s, ratio {rates[-1] / rates[0]:.2f}"
            line += f"; peak {peak / size:.2f} x input, {(peak - size) / 1e6:+.0f} MB"
            if "cp" in options.verbs.split(",") and verb != "cp":
                line += f"; {best['cp', lengths[-1]][0] / time:.3f} of cp"
            print(line, flush=True)


if __name__ == "__main__":
    main()
