"""Batches of windows from a packed set, with numpy only:

  mocap convert database/ --to npz --pack 256 --split 8:1:1 --fps 30 --window 64 --stride 16 --normalise -o set/
  python batch.py set/ 32
"""
import json
import os
import sys

import numpy as np


def load(folder, split):
    """The packs of a part of the set, and what its index says."""
    with open(os.path.join(folder, "dataset.json"), encoding="utf-8") as file:
        index = json.load(file)
    files = [entry["path"] for entry in index["files"] if entry.get("split", "train") == split]
    return index, [np.load(os.path.join(folder, path), allow_pickle=False) for path in files]


def features(pack, mean):
    """Rotations of all joints and the velocity of the root for every frame, with mean 0 and deviation 1."""
    def normal(name):
        std = np.maximum(mean[name + "_std"], 1e-8)
        values = (pack[name] - mean[name + "_mean"]) / std
        return values.reshape(len(values), -1)
    return np.concatenate([normal("rotations"), normal("planar_velocity")], axis=1).astype(np.float32)


def batches(packs, mean, size, seed=0):
    """Arrays (size, window, numbers), shuffled; each window once."""
    data = [(features(pack, mean), pack["window_starts"], int(pack["window"])) for pack in packs]
    windows = [(i, start) for i, (_, starts, _) in enumerate(data) for start in starts]
    np.random.default_rng(seed).shuffle(windows)
    for first in range(0, len(windows) - size + 1, size):
        rows = [data[i][0][start:start + data[i][2]] for i, start in windows[first:first + size]]
        yield np.stack(rows)


def main(folder, size):
    index, packs = load(folder, "train")
    mean = np.load(os.path.join(folder, index["normalise"]), allow_pickle=False)
    count = 0
    for batch in batches(packs, mean, size):
        assert batch.shape[:2] == (size, index["window"]["frames"]) and np.isfinite(batch).all()
        count += 1
    print(f"{count} batches of {size} windows, {batch.shape[2]} numbers a frame")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
