#!/usr/bin/env python3
"""How long reading a BVH and finding the positions of its joints takes, against other readers and the Rust program.

    speed.py FILE.bvh [--runs 7] [--rust target/release/examples/12_positions]

Prints medians and ratios. Readers that are not installed are left out. The Rust program prints its own seconds.
"""
import argparse
import gc
import statistics
import subprocess
import sys
import time
import warnings

warnings.simplefilter("ignore")


def mocap_reader(path):
    import mocap

    return mocap.read(path).positions()


def bvhio_reader(path):
    import bvhio

    root = bvhio.readAsHierarchy(path)
    frames = range(*root.getKeyframeRange()) if hasattr(root, "getKeyframeRange") else None
    layout = root.layout()
    places = []
    for frame in frames:
        root.loadPose(frame)
        places.append([joint.PositionWorld.to_tuple() for joint, _, _ in layout])
    return places


def pybvh_reader(path):
    from pybvh import read_bvh_file

    return read_bvh_file(path).get_spatial_coord()


def pymotion_reader(path):
    import numpy as np
    from pymotion.io.bvh import BVH
    from pymotion.ops.forward_kinematics import fk

    bvh = BVH()
    bvh.load(path)
    rotations, places, parents, offsets, _, _ = bvh.get_data()
    return fk(rotations, places[:, 0, :], np.asarray(offsets), np.asarray(parents))


READERS = {
    "mocap": mocap_reader,
    "pymotion": pymotion_reader,
    "pybvh": pybvh_reader,
    "bvhio": bvhio_reader,
}


def timed(reader, path, runs):
    seconds = []
    for _ in range(runs):
        gc.collect()
        start = time.perf_counter()
        reader(path)
        seconds.append(time.perf_counter() - start)
        # Slow readers are timed less often: their share of noise is small.
        if seconds[-1] > 5 and len(seconds) > 1:
            break
    return statistics.median(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--rust")
    options = parser.parse_args()
    found = {}
    if options.rust:
        words = [options.rust, options.file, str(options.runs * 3)]
        found["Rust"] = float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    for name, reader in READERS.items():
        try:
            reader(options.file)
        except Exception as error:
            print(f"{name}: left out: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        runs = options.runs * 3 if name == "mocap" else options.runs
        found[name] = timed(reader, options.file, runs)
    print("| reader | median [ms] | times mocap |\n|---|---|---|")
    for name, seconds in found.items():
        print(f"| {name} | {seconds * 1e3:.1f} | {seconds / found['mocap']:.2f} |")


if __name__ == "__main__":
    main()
