"""Errors and warnings: kinds, codes, places."""

import warnings

import pytest

import mocap
from conftest import FIXTURES, command


def test_a_file_that_is_not_there():
    with pytest.raises(mocap.NotFoundError) as caught:
        mocap.read("no/such.bvh")
    error = caught.value
    assert isinstance(error, FileNotFoundError) and isinstance(error, mocap.MocapError)
    assert (error.code, error.path) == ("io::not-found", "no/such.bvh")


@pytest.mark.filterwarnings("ignore::mocap.MocapWarning")
@pytest.mark.parametrize("path", sorted((FIXTURES / "bvh").glob("error-*")), ids=lambda path: path.name)
def test_errors_have_the_place_of_the_command_line(path):
    rows, code = command("info", path)
    assert code == 1
    expected = rows[0]["error"]
    with pytest.raises(mocap.FormatError) as caught:
        mocap.read(path)
    error = caught.value
    assert error.code == expected["code"]
    assert (error.line, error.column) == (expected.get("line"), expected.get("column"))
    assert (error.joint, error.frame) == (expected.get("joint"), expected.get("frame"))
    assert error.path == str(path) and error.code in str(error)


def test_warnings_have_codes_and_hints():
    with pytest.warns(mocap.MocapWarning) as caught:
        mocap.retarget(mocap.read(FIXTURES / "clips/alex_walk.bvh"), FIXTURES / "clips/robin.skel")
    found = {warning.message.code: warning.message for warning in caught}
    assert found["unit::guessed"].hint == "read(..., unit='cm') states the unit"
    with warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", message="unit::guessed")
        mocap.retarget(mocap.read(FIXTURES / "clips/alex_walk.bvh"), FIXTURES / "clips/robin.skel")
    assert {warning.message.code for warning in left} == set(found) - {"unit::guessed"}


@pytest.mark.filterwarnings("ignore::mocap.MocapWarning")
def test_edits_that_fail_have_hints_in_keywords():
    walk = mocap.read(FIXTURES / "clips/alex_walk.bvh")
    with pytest.raises(mocap.EditError) as caught:
        mocap.join([walk, mocap.read(FIXTURES / "clips/robin_walk.bvh")])
    error = caught.value
    assert error.code == "edit::skeletons" and "mocap.retarget()" in error.hint
    with pytest.raises(mocap.EditError) as caught:
        mocap.join([walk, walk], transition=60.0)
    error = caught.value
    assert error.code == "edit::too-short" and "transition=" in error.hint and "--" not in error.hint


def test_strict_makes_the_first_warning_an_error():
    warned = next(path for path in sorted((FIXTURES / "bvh").glob("warn-*")))
    with pytest.raises(mocap.FormatError):
        mocap.read(warned, strict=True)


@pytest.mark.parametrize(
    "options",
    [
        {"unit": "parsec"},
        {"unit": [1]},
        {"rate": 0},
        {"rate": True},
        {"up": "W"},
        {"format": "mp4"},
        {"position_channels": "guess"},
        {"repair": "yes"},
        {"limits": {"bytes": -1}},
        {"limits": {"colour": 1}},
        {"skeleton": "no.asf"},
    ],
    ids=str,
)
def test_wrong_options(options):
    path = FIXTURES / ("clips/alex_walk.amc" if "skeleton" in options else "clips/alex_walk.bvh")
    with pytest.raises(mocap.MocapError) as caught:
        mocap.read(path, **options)
    assert caught.value.code in ("usage::value", "io::not-found")


@pytest.mark.filterwarnings("ignore::mocap.MocapWarning")
def test_each_kind():
    walk = mocap.read(FIXTURES / "clips/alex_walk.bvh")
    trot = mocap.read(FIXTURES / "bodies/dog_trot.bvh")
    with pytest.raises(mocap.OptionError, match="unsupported output format"):
        walk.write("walk.mp4")
    with pytest.raises(mocap.CompareError):
        mocap.compare(walk, trot)
    with pytest.raises(mocap.EditError):
        walk.edit(trim=(5000, 6000))
    with pytest.raises(mocap.OptionError):
        walk.convert(scale=-1.0)
    with pytest.raises(mocap.CompressError):
        mocap.compress(walk, error=1e-300)
    with pytest.raises(mocap.RobotError) as caught:
        mocap.retarget(walk, FIXTURES / "robots/arm.urdf")
    assert caught.value.code == "robot::not-humanoid"
    with pytest.raises(mocap.FileError):
        walk.write("/no/such/folder/walk.bvh")
    with pytest.raises(mocap.OptionError):
        mocap.Clip(1)
    with pytest.raises(mocap.OptionError):
        mocap.retarget(walk, FIXTURES / "clips/robin.skel", method="magic")


def test_the_motion_of_a_robot_needs_its_model(tmp_path, pip_robot):
    walk = mocap.read(FIXTURES / "clips/alex_walk.bvh", unit="cm")[:30]
    moved, _ = mocap.retarget(walk, pip_robot)
    moved.write(tmp_path / "walk.csv")
    with pytest.raises(mocap.FormatError) as caught:
        mocap.read(tmp_path / "walk.csv", format="robot-csv")
    assert caught.value.code == "robot-motion::needs-robot" and "skeleton=" in caught.value.hint
    assert mocap.read(tmp_path / "walk.csv", skeleton=pip_robot).frames == moved.frames
