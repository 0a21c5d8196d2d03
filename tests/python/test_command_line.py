"""Values equal those of the command line, bit for bit, on every file."""

import warnings

import numpy as np
import pytest

import mocap
from conftest import FIXTURES, NO_CORPUS, command, corpus, motions

pytestmark = pytest.mark.filterwarnings("ignore::mocap.MocapWarning")


def files():
    """Fixtures, and the real files where they are there."""
    found = [pytest.param(path, id=str(path.relative_to(FIXTURES))) for path in motions(FIXTURES)]
    real = corpus()
    if real is None:
        return [*found, pytest.param(None, id="corpus", marks=pytest.mark.skip(reason=NO_CORPUS))]
    return [*found, *(pytest.param(path, id=f"corpus/{path.relative_to(real)}") for path in motions(real))]


def clips():
    """Motions that are retargeted, edited and compressed: whole ones, not cases of readers."""
    named = [FIXTURES / "clips/alex_walk.bvh", FIXTURES / "clips/robin_walk.bvh", FIXTURES / "bodies/child_walk.bvh"]
    found = [pytest.param(path, id=path.name) for path in named]
    real = corpus()
    if real is None:
        return [*found, pytest.param(None, id="corpus", marks=pytest.mark.skip(reason=NO_CORPUS))]
    kinds = {".bvh", ".amc", ".fbx", ".glb", ".gltf"}
    names = (path for path in motions(real) if path.suffix.lower() in kinds)
    return [*found, *(pytest.param(path, id=f"corpus/{path.relative_to(real)}") for path in names)]


def read(path):
    """The motion and the codes of its warnings, or the code of its error."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            clip = mocap.read(path)
        except mocap.MocapError as error:
            return None, error.code
    return clip, [warning.message.code for warning in found]


def same(made, expected):
    assert made.read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("path", files())
def test_read(path, tmp_path):
    rows, code = command("convert", path, "-o", tmp_path / "cli.npz", "--dtype", "f64")
    clip, codes = read(path)
    if clip is None:
        if codes.startswith("format::") and code == 0:
            # Recordings of markers are converted, and are no motion.
            return
        assert code != 0
        assert rows[-1]["error"]["code"] == codes
        return
    assert code == 0, rows
    arrays = clip.arrays(dtype="f64")
    with np.load(tmp_path / "cli.npz") as expected:
        assert set(arrays) | {"clip_name"} == set(expected.files) | {"clip_name"}
        for name in set(arrays) & set(expected.files):
            value = np.asarray(arrays[name])
            if value.dtype.kind == "U":
                assert value.tolist() == expected[name].tolist(), name
            else:
                assert value.dtype == expected[name].dtype and value.shape == expected[name].shape, name
                assert value.tobytes() == expected[name].tobytes(), name
        if clip.skeleton.metres_per_unit == 1.0:
            assert clip.rotations.tobytes() == expected["rotations"].tobytes()
    # The commands judge motions, too: a file is read the same by both.
    of_commands = ("unit::guessed", "motion::too-fast")
    found = [warning["code"] for warning in rows[0]["warnings"]]
    assert [code for code in codes if code not in of_commands] == [
        code for code in found if code not in of_commands
    ]


@pytest.mark.parametrize("path", clips())
def test_retarget(path, robin, tmp_path):
    rows, code = command("retarget", path, robin, "-o", tmp_path / "cli.json")
    try:
        moved, report = mocap.retarget(mocap.read(path), robin)
    except mocap.MocapError as error:
        assert code != 0 and rows[-1]["error"]["code"] == error.code
        return
    assert code == 0, rows
    moved.write(tmp_path / "python.json")
    same(tmp_path / "python.json", tmp_path / "cli.json")
    figures = report.to_dict()
    assert figures == {name: rows[0][name] for name in figures}


@pytest.mark.parametrize("path", clips())
def test_edit(path, tmp_path):
    words = ["--trim", "2:40", "--denoise", "gaussian", "--mirror", "--in-place"]
    rows, code = command("edit", path, *words, "-o", tmp_path / "cli.json")
    try:
        edited = mocap.read(path).edit(trim=(2, 40), denoise="gaussian", mirror=True, in_place=True)
    except mocap.MocapError as error:
        assert code != 0 and rows[-1]["error"]["code"] == error.code
        return
    assert code == 0, rows
    edited.write(tmp_path / "python.json")
    same(tmp_path / "python.json", tmp_path / "cli.json")
    assert [report.to_dict() for report in edited.reports] == rows[0]["edits"]


@pytest.mark.parametrize("path", clips())
def test_compress(path, tmp_path):
    command("convert", path, "--trim", ":300", "-o", tmp_path / "start.json")
    try:
        start = mocap.read(path).convert(trim=":300")
    except mocap.MocapError:
        assert not (tmp_path / "start.json").exists()
        return
    rows, code = command("compress", tmp_path / "start.json", "-o", tmp_path / "cli.mocz")
    try:
        small = mocap.compress(mocap.read(tmp_path / "start.json"))
    except mocap.MocapError as error:
        assert code != 0 and rows[-1]["error"]["code"] == error.code
        return
    assert code == 0, rows
    assert small.to_bytes() == (tmp_path / "cli.mocz").read_bytes()
    figures = small.report.to_dict()
    assert figures == {name: rows[0][name] for name in figures}
    assert small.to_clip() == mocap.read(tmp_path / "cli.mocz")
    assert start.frames == small.frames


@pytest.mark.parametrize("path", [FIXTURES / "clips/alex_walk.bvh"])
@pytest.mark.parametrize("output", ["motion.csv", "motion.npz"])
def test_robot(path, output, pip_robot, tmp_path):
    rows, code = command("retarget", path, pip_robot, "-o", tmp_path / output)
    assert code == 0, rows
    fps = rows[0]["fps"] if "fps" in rows[0] else (50 if output.endswith("npz") else 30)
    moved, report = mocap.retarget(mocap.read(path), pip_robot, fps=fps)
    stated = {"format": "mjlab-npz"} if output.endswith("npz") else {}
    moved.write(tmp_path / f"python_{output}", **stated)
    same(tmp_path / f"python_{output}", tmp_path / output)
    assert report.to_dict()["robot"] == rows[0]["robot"]


def test_robot_of_the_corpus(tmp_path):
    if corpus() is None:
        pytest.skip(NO_CORPUS)
    walk, g1 = corpus() / "misc/games105_walk60.bvh", corpus() / "robots/g1.xml"
    rows, code = command("retarget", walk, g1, "--trim", ":200", "-o", tmp_path / "cli.csv")
    assert code == 0, rows
    moved, _ = mocap.retarget(mocap.read(walk).convert(trim=":200"), g1)
    moved.write(tmp_path / "python.csv")
    same(tmp_path / "python.csv", tmp_path / "cli.csv")
