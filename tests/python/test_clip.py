"""Clips and skeletons."""

import copy
import pickle
import threading

import numpy as np
import pytest

import mocap

pytestmark = pytest.mark.filterwarnings("ignore::mocap.MocapWarning")


@pytest.fixture
def walk(alex):
    return mocap.read(alex, unit="cm")


def test_shapes_and_units(walk):
    joints = len(walk.skeleton)
    assert walk.rotations.shape == (walk.frames, joints, 4) and walk.rotations.dtype == np.float64
    assert walk.translations.shape == (walk.frames, joints, 3)
    assert walk.positions().shape == (walk.frames, joints, 3)
    assert np.allclose(np.linalg.norm(walk.rotations, axis=-1), 1, atol=1e-12)
    assert np.array_equal(walk.positions(unit="m"), walk.positions() * 0.01)
    assert walk.skeleton.unit == 0.01 and walk.skeleton.up == "Y"
    assert walk.duration == pytest.approx((walk.frames - 1) / walk.fps)


def test_positions_are_those_of_the_rotations(walk):
    parents, offsets = walk.skeleton.parents, walk.translations
    rotations, places = [None] * len(parents), [None] * len(parents)

    def multiply(a, b):
        aw, ax, ay, az = a.T
        bw, bx, by, bz = b.T
        return np.stack(
            [
                aw * bw - ax * bx - ay * by - az * bz,
                aw * bx + ax * bw + ay * bz - az * by,
                aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw,
            ],
            axis=-1,
        )

    def turn(q, v):
        pure = np.concatenate([np.zeros((len(v), 1)), v], axis=1)
        return multiply(multiply(q, pure), q * [1, -1, -1, -1])[:, 1:]

    for joint, parent in enumerate(parents):
        local = walk.rotations[:, joint]
        rotations[joint] = local if parent < 0 else multiply(rotations[parent], local)
        moved = offsets[:, joint]
        places[joint] = moved if parent < 0 else places[parent] + turn(rotations[parent], moved)
    assert np.allclose(np.stack(places, axis=1), walk.positions(), atol=1e-9)
    assert np.allclose(np.abs(np.sum(np.stack(rotations, axis=1) * walk.orientations(), axis=-1)), 1, atol=1e-12)


def test_views_share_the_memory_of_the_library(walk):
    joint = walk.names[3]
    view = walk.joint_rotations(joint)
    assert view.shape == (walk.frames, 4) and not view.flags.writeable
    again = walk.joint_rotations(joint)
    assert view.__array_interface__["data"] == again.__array_interface__["data"]
    assert np.array_equal(view[:, [3, 0, 1, 2]], walk.rotations[:, 3])
    with pytest.raises(ValueError):
        view[0, 0] = 1
    with pytest.raises(ValueError):
        walk.rotations[0, 0, 0] = 1
    del walk
    assert np.isfinite(view).all()


def test_velocities_and_contacts_are_those_of_arrays(walk):
    arrays = walk.arrays(dtype="f64")
    assert np.array_equal(walk.positions(unit="m"), arrays["positions"])
    assert np.array_equal(walk.velocities(unit="m"), arrays["velocities"])
    assert np.array_equal(walk.contacts(), arrays["contacts"])
    assert walk.contacts().any(axis=0).all()


def test_arrays_make_the_same_clip(walk):
    made = mocap.Clip.from_arrays(walk.rotations, walk.skeleton, walk.fps, root_translation=walk.root_translation)
    assert made.rotations.tobytes() == walk.rotations.tobytes()
    assert made.positions().tobytes() == walk.positions().tobytes()


def test_a_skeleton_of_arrays(walk):
    given = walk.skeleton
    made = mocap.Skeleton.from_arrays(
        given.names, given.parents, given.offsets, rest_rotations=given.rest_rotations, unit="cm"
    )
    assert made.names == given.names and np.array_equal(made.offsets, given.offsets)
    moved = mocap.Clip.from_arrays(walk.rotations, made, walk.fps, translations=walk.translations)
    assert np.allclose(moved.positions(), walk.positions(), atol=1e-12)


def test_skeletons_are_edited(walk):
    body = walk.skeleton.with_roles()
    assert body.roles["Hips"] == "Hips"
    first = body.names[0]
    renamed = body.with_names({first: "base"})
    assert renamed.names[0] == "base" and body.names[0] == first
    assert renamed.find("Hips") == 0 or renamed.find("base") == 0
    knee = body.names[body.find("LeftLowerLeg")]
    limited = body.with_limits({knee: {"x": (0.0, 2.5)}})
    assert limited.limits[knee] == {"x": (0.0, 2.5)}
    longer = body.with_offsets(body.offsets * 2)
    assert np.array_equal(longer.offsets, body.offsets * 2)
    assert longer.rest_positions().shape == (len(body), 3)
    swapped = body.with_roles({knee: None})
    assert knee not in swapped.roles
    with pytest.raises(mocap.OptionError):
        body.find("no such joint")
    with pytest.raises(mocap.OptionError, match="end site"):
        body.find(body.end_sites[0][0])
    with pytest.raises(mocap.OptionError):
        walk.joint_translations(body.end_sites[0][0])
    with pytest.raises(mocap.ModelError):
        body.with_names({body.names[1]: body.names[2]})


def test_parts_and_rates(walk):
    assert walk[10:20] == walk.trim(10, 20)
    assert walk[10:20].frames == 10
    assert walk.resample(30).frames == (walk.frames + 3) // 4
    up = walk.convert(unit="m", up="Z")
    assert up.skeleton.up == "Z" and up.skeleton.unit == 1.0
    heights = walk.positions(unit="m")[..., 1]
    assert np.allclose(up.positions()[..., 2], heights, atol=1e-9)


def test_edits_keep_their_order_and_report(walk):
    edited = walk.edit(trim=(0, 100), mirror=True, in_place=True)
    assert [report["name"] for report in edited.reports] == ["trim", "mirror", "in-place"]
    curve = walk.root_curve()
    assert curve.positions.shape == (walk.frames, 3)
    back = walk.edit(in_place=True).edit(apply_root=curve)
    assert np.allclose(back.positions(), walk.positions(), atol=1e-6)
    joined = walk.edit(join=(walk, {"transition": 0.2}))
    assert joined.frames > walk.frames
    assert walk.edit(mirror=False) == walk
    with pytest.raises(mocap.OptionError, match="turn"):
        walk.edit(turn="left")
    with pytest.raises(mocap.OptionError, match="edits are"):
        walk.edit(shake=True)


def test_help_shows_names_and_defaults():
    import inspect

    assert "denoise" in inspect.signature(mocap.Clip.edit).parameters
    assert inspect.signature(mocap.retarget).parameters["method"].default == "scale"
    assert inspect.signature(mocap.compress).parameters["shell"].default == 0.03


def test_compressed_clips_are_sampled(walk, tmp_path):
    small = mocap.compress(walk, error=1e-4)
    assert small.report.max_error <= 1e-4 and small.ratio > 3
    pose = small.pose(1.25)
    assert pose.rotations.shape == (len(walk.skeleton), 4)
    rotations, _ = walk.pose(1.25)
    assert np.abs(np.sum(pose.rotations * rotations, axis=-1)).min() > 1 - 1e-5
    poses = small.poses(np.arange(5) / walk.fps)
    assert np.array_equal(poses.rotations[0], small.pose(0.0).rotations)
    small.write(tmp_path / "walk.mocz")
    opened = mocap.open_compressed(tmp_path / "walk.mocz")
    assert opened.to_clip() == small.to_clip() == mocap.read(tmp_path / "walk.mocz")
    assert pickle.loads(pickle.dumps(small)).to_bytes() == small.to_bytes()
    with pytest.raises(mocap.CompressError):
        mocap.open_compressed(b"HIERARCHY")
    assert mocap.compare(walk, small.to_clip()).max < 2e-4


def test_reports_have_tables(walk, robin):
    moved, report = mocap.retarget(walk, robin)
    assert moved.frames == walk.frames
    assert report.feet == report["feet"] and "mapping" in str(report)
    assert report._repr_html_().startswith("<table>") and "feet" in report._repr_html_()
    assert "iframe" in moved[0:10]._repr_html_()
    quality = walk.quality()
    assert quality["feet"][0]["foot"] == "left" and "floor" in str(quality)
    with pytest.raises(AttributeError):
        report.nothing
    text, file = mocap.explain(walk, mocap.read_skeleton(robin))
    assert "LeftFoot" in text
    again, _ = mocap.retarget(walk, robin, map=file.encode())
    assert again.frames == moved.frames


def test_several_clips_in_threads(walk, robin):
    target, expected = mocap.read_skeleton(robin), mocap.retarget(walk, robin)[0]
    made = []
    work = [threading.Thread(target=lambda: made.append(mocap.retarget(walk, target)[0])) for _ in range(4)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert len(made) == 4 and all(clip == expected for clip in made)


def test_the_lock_is_released(walk, robin):
    target = mocap.read_skeleton(robin)
    ticks, done = [0], threading.Event()

    def count():
        while not done.is_set():
            ticks[0] += 1

    counting = threading.Thread(target=count)
    counting.start()
    before = ticks[0]
    mocap.retarget(walk, target)
    during = ticks[0] - before
    done.set()
    counting.join()
    assert during > 0


def test_clips_of_no_frames(walk):
    empty = mocap.Clip.from_arrays(np.zeros((0, len(walk.skeleton), 4)), walk.skeleton, 30)
    assert empty.frames == 0 and empty.positions().shape == (0, len(walk.skeleton), 3)
    assert empty.velocities().shape == (0, len(walk.skeleton), 3)
    with pytest.raises(mocap.OptionError):
        empty.pose(0.0)
    assert "0 frames" in empty._repr_html_()


def test_markers(alex):
    from conftest import FIXTURES

    arrays = mocap.read_markers(FIXTURES / "markers/knee.c3d")
    assert arrays["marker_positions"].shape[1] == len(arrays["marker_names"])


def test_skeletons_are_pickled(robin):
    body = mocap.read_skeleton(robin)
    assert pickle.loads(pickle.dumps(body)) == body == copy.copy(body)


def test_presets_and_formats():
    assert "smpl" in mocap.presets()
    assert len(mocap.preset("smpl")) > 20
    assert mocap.formats()["bvh"] == {"read": True, "write": True}
    with pytest.raises(mocap.OptionError):
        mocap.preset("none")
