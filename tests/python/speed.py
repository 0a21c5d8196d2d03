#!/usr/bin/env python3
"""How long reading a BVH and finding the positions of its joints takes, against other readers and the Rust program.

    speed.py FILE.bvh [--runs 7] [--rust target/release/examples/12_positions] [--threads 2]

Prints medians and ratios. Readers that are not installed are left out. The Rust program prints its own seconds. With
`--threads`, the same file is also compressed in one thread and in several.
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

    return read_bvh_file(path).joint_positions()


def pymotion_reader(path):
    import numpy as np
    from pymotion.io.bvh import BVH
    from pymotion.ops.skeleton import fk

    bvh = BVH()
    bvh.load(path)
    rotations, places, parents, offsets, _, _ = bvh.get_data()
    return fk(rotations, places[:, 0, :], np.asarray(offsets), np.asarray(parents))


def native_reader(path):
    """The same work in the native module only: what the layer of Python adds is the difference."""
    from mocap import _mocap

    return _mocap.read(path, {})[0].positions()


READERS = {
    "mocap": mocap_reader,
    "native module": native_reader,
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


def compress(path):
    import mocap

    return mocap.compress(mocap.read(path, unit="cmu"), profile="archive").size


def scaling(path, threads, runs):
    """How many times more clips several threads compress in the same time."""
    from concurrent.futures import ThreadPoolExecutor

    def seconds(workers):
        start = time.perf_counter()
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(compress, [path] * (2 * threads)))
        return time.perf_counter() - start

    pairs = [(seconds(1), seconds(threads)) for _ in range(runs)]
    return statistics.median(one / several for one, several in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--rust")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    found = {}
    # They alternate: what else the machine does slows all alike. Each runs three times: the first one warms up.
    ours = {name: [] for name in ("mocap", "native module", *(["Rust"] if options.rust else []))}
    for _ in range(options.runs * 5):
        for name, seconds in ours.items():
            if name == "Rust":
                words = [options.rust, options.file, "3"]
                seconds.append(float(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
            else:
                seconds.append(timed(READERS[name], options.file, 3))
    found.update((name, statistics.median(seconds)) for name, seconds in ours.items())
    for name, reader in READERS.items():
        if name in ours:
            continue
        try:
            reader(options.file)
        except Exception as error:
            print(f"{name}: left out: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        found[name] = timed(reader, options.file, options.runs)
    print("| reader | median [ms] | times mocap |\n|---|---|---|")
    for name, seconds in found.items():
        print(f"| {name} | {seconds * 1e3:.1f} | {seconds / found['mocap']:.2f} |")
    if options.threads:
        times = scaling(options.file, options.threads, 3)
        print(f"{options.threads} threads compress {times:.2f} times as many clips as one in the same time")


if __name__ == "__main__":
    main()
