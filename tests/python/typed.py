"""Programs as users write them: checked by mypy --strict, not run."""

from typing import List

import numpy as np
import numpy.typing as npt

import mocap


def retarget(path: str, body: mocap.Skeleton) -> npt.NDArray[np.float64]:
    clip = mocap.read(path, unit="cm", rate=30)
    moved, report = mocap.retarget(clip, body, method="limb-ratio", foot_lock="on")
    skate: float = report["feet"][0]["slide"]
    assert skate >= 0
    edited = moved.edit(denoise="auto", trim=(1, 20), mirror=True)
    small = mocap.compress(edited, error=1e-4, joint_tolerances={"*Hand*": 1e-3})
    rotations, translations = small.pose(1.25)
    assert rotations.dtype == np.float32 and translations.ndim == 2
    return edited.positions(unit="m")


def train(folder: str) -> List[npt.NDArray[np.float32]]:
    for row in mocap.batch.convert("database/", to="npz", out=folder, jobs=8, resume=True):
        print(row["path"])
    dataset = mocap.Dataset(folder, window=64, stride=16)
    return [sample["rotations"] for sample in dataset]


def build() -> mocap.Clip:
    body = mocap.Skeleton.from_arrays(["a", "b"], [-1, 0], np.zeros((2, 3)), unit="m")
    try:
        return mocap.Clip.from_arrays([[[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]], body, fps=30)
    except mocap.ArrayError as error:
        print(error.code, error.frame, error.hint)
        raise


def blend(walk: mocap.Clip, run: mocap.Clip) -> List[mocap.Clip]:
    space = mocap.BlendSpace([walk, run], {"speed": [1.2, 3.1]}, kind="1d")
    weights: List[float] = space.weights(speed=2.0)
    assert len(weights) == 2
    jog = space.blend({"speed": 2.0}, duration=6).edit(blend=(run, {"weight": 0.1}), mirror="retarget")
    higher = jog.warp([{"time": 1.0, "joint": "RightHand", "by": [0, 10, 0]}], 0.5, 1.5)
    taken = mocap.play("graph.toml", {"time": [0, 4], "speed": np.array([0.0, 2.0])})
    return [mocap.join([mocap.blend([walk, run], 0.4), higher]), *taken.terrain(steps=(0.17, 0.29)).split(every=1.0)]
