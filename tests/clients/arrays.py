"""numpy and safetensors read every array that mocap writes, and a training loop builds batches from a packed set."""
import os
import subprocess
import sys
import tempfile

import numpy as np
from safetensors.numpy import load_file

MOCAP = sys.argv[1]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
CLIPS = os.path.join(ROOT, "fixtures", "clips")


def mocap(*arguments, ok=True):
    done = subprocess.run([MOCAP, *map(str, arguments)], capture_output=True, text=True)
    assert (done.returncode == 0) == ok, (arguments, done.stderr)
    return done


def matrices(q):
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.stack(rows, -1).reshape(q.shape[:-1] + (3, 3))


def kinematics(clip):
    """World positions from local rotations, offsets and the way of the root."""
    local = matrices(clip["rotations"].astype(float))
    frames, joints = local.shape[:2]
    moves = clip["translations"] if "translations" in clip else None
    turn, place = np.empty_like(local), np.empty((frames, joints, 3))
    for j, parent in enumerate(clip["parents"]):
        offset = clip["root_translation"] if j == 0 else (
            moves[:, j] if moves is not None else np.broadcast_to(clip["offsets"][j], (frames, 3)))
        if parent < 0:
            turn[:, j], place[:, j] = local[:, j], offset
        else:
            turn[:, j] = turn[:, parent] @ local[:, j]
            place[:, j] = place[:, parent] + np.einsum("fij,fj->fi", turn[:, parent], offset)
    return place


def check_clip(folder):
    source = os.path.join(CLIPS, "alex_walk.bvh")
    path = os.path.join(folder, "walk.npz")
    mocap("convert", source, "-o", path)
    clip = np.load(path, allow_pickle=False)
    for name in clip.files:
        assert clip[name].dtype != object, name
    assert np.abs(kinematics(clip) - clip["positions"]).max() < 1e-5
    tensors = os.path.join(folder, "walk.safetensors")
    mocap("convert", source, "-o", tensors)
    for name, tensor in load_file(tensors).items():
        assert np.array_equal(tensor, clip[name], equal_nan=tensor.dtype.kind == "f"), name
    # Compressed by numpy, and with axes in the other order.
    arrays = {name: clip[name] for name in clip.files}
    arrays["rotations"] = np.asfortranarray(arrays["rotations"])
    other = os.path.join(folder, "other.npz")
    np.savez_compressed(other, **arrays)
    mocap("convert", other, "-o", os.path.join(folder, "other.bvh"))
    mocap("convert", path, "-o", os.path.join(folder, "walk.bvh"))
    with open(os.path.join(folder, "other.bvh")) as a, open(os.path.join(folder, "walk.bvh")) as b:
        assert a.read() == b.read()
    # Pickles are refused, and not run.
    arrays["rotations"] = np.array([{"a": 1}], dtype=object)
    np.savez(other, **arrays)
    refused = mocap("convert", other, "-o", os.path.join(folder, "no.bvh"), ok=False)
    assert "rotations.npy" in refused.stderr and "objects" in refused.stderr, refused.stderr


def check_set(folder):
    flags = ["--to", "npz", "--pack", 3, "--split", "3:1", "--fps", 30, "--window", 16, "--stride", 4, "--normalise",
             "--include", "alex_*.bvh"]
    for jobs in (1, 4):
        mocap("convert", CLIPS, *flags, "-j", jobs, "-o", os.path.join(folder, f"set{jobs}"))
    names = []
    for where, _, files in os.walk(os.path.join(folder, "set1")):
        for name in files:
            path = os.path.join(where, name)
            twin = path.replace("set1", "set4", 1)
            with open(path, "rb") as a, open(twin, "rb") as b:
                assert a.read() == b.read(), path
            names.append(name)
    assert "dataset.json" in names and "normalise.npz" in names, names
    batch = os.path.join(ROOT, "examples", "training", "batch.py")
    done = subprocess.run([sys.executable, batch, os.path.join(folder, "set1"), "4"], capture_output=True, text=True)
    assert done.returncode == 0 and "batches of 4 windows" in done.stdout, done.stdout + done.stderr
    print(done.stdout.strip())


with tempfile.TemporaryDirectory() as work:
    check_clip(work)
    check_set(work)
print("arrays: numpy, safetensors and the batches agree")
