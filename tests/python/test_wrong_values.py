"""Wrong values of any argument raise exceptions of the package or `TypeError`; nothing else, and nothing crashes.

A text that is no Unicode raises `UnicodeEncodeError`, as everywhere in Python.
"""

import inspect
import warnings

import numpy as np
import pytest

import mocap
from conftest import FIXTURES

pytestmark = pytest.mark.filterwarnings("ignore::mocap.MocapWarning")


class Odd:
    """A value that nothing expects."""

    def __getattr__(self, name):
        raise AttributeError(name)


TYPED = (mocap.MocapError, TypeError, UnicodeEncodeError)
WRONG = [
    Odd(),
    b"\xff",
    -1,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "no such word \udc80",
    [],
    [[]],
    {},
    {"frames": []},
    (None, "x"),
    slice("a", None, 2),
    np.zeros((0, 3)),
    np.array(["a"]),
    np.array([np.nan]),
    np.array([1, None], dtype=object),
    np.array([1 + 2j]),
    np.datetime64("2020"),
    np.frombuffer(bytes(24), dtype=np.float64),
    np.zeros((4, 4))[::-1, ::2],
    lambda: 0,
    mocap.Skeleton.from_arrays(["a"], [-1], [[0, 0, 0]]),
]


@pytest.fixture(scope="module")
def walk():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mocap.read(FIXTURES / "clips/alex_walk.bvh")[:40]


def calls(walk, folder):
    """Functions with arguments that are right."""
    body, small = walk.skeleton, mocap.compress(walk)
    space = mocap.BlendSpace([walk, walk.edit(speed=1.5)], {"speed": [1.0, 1.5]})
    source = FIXTURES / "clips/alex_walk.bvh"
    return [
        (mocap.read, dict(path=source)),
        (mocap.read_all, dict(path=source)),
        (mocap.read_skeleton, dict(path=source)),
        (mocap.read_markers, dict(path=FIXTURES / "markers/knee.c3d")),
        (mocap.preset, dict(name="smpl")),
        (mocap.retarget, dict(clip=walk[:3], target=body)),
        (mocap.explain, dict(clip=walk, target=body)),
        (mocap.compress, dict(clip=walk[:5])),
        (mocap.compare, dict(reference=walk, other=walk)),
        (mocap.open_compressed, dict(path=small.to_bytes())),
        (mocap.blend, dict(clips=[walk, walk], weights=0.5, timing="stretch")),
        (mocap.BlendSpace, dict(clips=[walk, walk], params={"speed": [1.0, 2.0]})),
        (mocap.join, dict(clips=[walk, walk])),
        (mocap.Dataset, dict(root=folder)),
        (mocap.Clip, dict(native=walk._native)),
        (mocap.Clip.from_arrays, dict(rotations=walk.rotations, skeleton=body, fps=30)),
        (mocap.Skeleton.from_arrays, dict(names=["a"], parents=[-1], offsets=[[0, 0, 0]])),
        (walk.joint_rotations, dict(joint="Hips")),
        (walk.joint_translations, dict(joint="Hips")),
        (walk.positions, {}),
        (walk.velocities, {}),
        (walk.contacts, {}),
        (walk.arrays, {}),
        (walk.pose, dict(time=0.1)),
        (walk.convert, {}),
        (walk.resample, dict(rate=30)),
        (walk.trim, {}),
        (walk.__getitem__, dict(frames=slice(0, 3))),
        (walk.bands, dict(gains="high=0")),
        (walk.warp, dict(keys=[{"time": 0.1, "joint": "Head", "turn": (0, 9, 0)}], from_=0.0, to=0.3)),
        (walk.fourier, {}),
        (walk.terrain, dict(steps=(0.1, 0.4))),
        (walk.split, {}),
        (walk.root_curve, {}),
        (walk.quality, {}),
        (walk.with_name, dict(name="x")),
        (walk.with_skeleton, dict(skeleton=body)),
        (walk[:2].write, dict(path=folder / "walk.bvh")),
        (space.blend, dict(values={"speed": 1.2})),
        (small.pose, dict(time=0.1)),
        (small.poses, dict(times=[0.1])),
        (small.write, dict(path=folder / "walk.mocz")),
        (body.find, dict(name="Hips")),
        (body.with_name, dict(name="x")),
        (body.with_names, dict(names={})),
        (body.with_roles, {}),
        (body.with_offsets, dict(offsets=body.offsets)),
        (body.with_limits, dict(limits={})),
        (body.with_space, {}),
        (body.write, dict(path=folder / "body.skel")),
    ]


def test_every_argument_of_every_function(walk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set").mkdir()
    walk.write(tmp_path / "set/walk.npz")
    tried = 0
    for function, right in calls(walk, tmp_path / "set"):
        names = [name for name in inspect.signature(function).parameters if name != "others"]
        for name in names:
            for value in WRONG:
                tried += 1
                try:
                    function(**{**right, name: value})
                except TYPED:
                    continue
                except BaseException as error:
                    raise AssertionError(f"{function.__qualname__}({name}={value!r})") from error
    assert tried > 3000


def test_every_edit(walk):
    for name, _ in mocap._mocap.EDITS:
        for value in [*WRONG, (walk, Odd()), (walk, {"weight": "x"}), (walk, {"x": 1}), walk, True]:
            try:
                made = walk[:20].edit(**{name: value})
            except TYPED:
                continue
            except BaseException as error:
                raise AssertionError(f"edit({name}={value!r})") from error
            assert np.isfinite(made.positions()).all(), (name, value)
