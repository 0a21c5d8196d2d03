"""ezc3d and mocap agree on the values and gaps of C3D files that either of them writes."""
import csv
import os
import subprocess
import sys
import tempfile

import ezc3d
import numpy as np

MOCAP = sys.argv[1]


def mocap(*arguments):
    done = subprocess.run([MOCAP, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)


def by_ezc3d(path):
    """(frames, markers, 3) with NaN in gaps, and the rate."""
    c = ezc3d.c3d(path)
    places = c["data"]["points"][:3].transpose(2, 1, 0).copy()
    places[c["data"]["meta_points"]["residuals"][0].T < 0] = np.nan
    return places, c["parameters"]["POINT"]["RATE"]["value"][0]


def by_mocap(path, folder, shape):
    table = os.path.join(folder, "table.csv")
    mocap("convert", path, "-o", table, "--overwrite")
    places = np.full(shape, np.nan).reshape(-1, 3)
    with open(table, newline="", encoding="utf-8") as file:
        for i, row in enumerate(csv.DictReader(file)):
            if row["x"]:
                places[i] = [float(row[axis]) for axis in "xyz"]
    assert i + 1 == len(places), (i, shape)
    return places.reshape(shape)


def written(path, frames, markers, rng):
    c = ezc3d.c3d()
    point = c["parameters"]["POINT"]
    point["RATE"]["value"], point["UNITS"]["value"] = [200.0], ("mm",)
    point["LABELS"]["value"] = tuple(f"M{i:03}" for i in range(markers))
    places = np.ones((4, markers, frames))
    places[:3] = 1000 * np.cumsum(rng.normal(size=(3, markers, frames)) * 0.01, axis=2)
    places[:3, 0, frames // 3:frames // 2] = np.nan
    c["data"]["points"] = places
    c.write(path)
    return places[:3].transpose(2, 1, 0)


with tempfile.TemporaryDirectory() as work:
    random = np.random.default_rng(5)
    for frames, markers in [(100, 3), (10, 300), (70_000, 2)]:
        path, again = (os.path.join(work, name) for name in ("a.c3d", "b.c3d"))
        theirs = written(path, frames, markers, random)
        # ezc3d reads back at most 65,535 frames of what it writes.
        readable, rate = by_ezc3d(path)
        assert np.allclose(readable, theirs[:65_535], rtol=1e-6, atol=1e-3, equal_nan=True)
        ours = by_mocap(path, work, theirs.shape)
        size = np.nanmax(np.abs(theirs))
        assert np.array_equal(np.isnan(ours), np.isnan(theirs))
        assert np.nanmax(np.abs(ours - theirs)) < 1e-6 * size
        mocap("convert", path, "-o", again, "--unit", "m", "--overwrite")
        back, again_rate = by_ezc3d(again)
        assert back.shape == theirs.shape and rate == again_rate
        assert np.array_equal(np.isnan(back), np.isnan(theirs))
        assert np.nanmax(np.abs(back * 1000 - theirs)) < 1e-6 * size
        print(f"{frames} frames of {markers} markers agree")
