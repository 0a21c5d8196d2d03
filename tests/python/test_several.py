"""Blends, joins, warps, splits and the other edits: files equal those of the command line, bit for bit."""

from pathlib import Path

import numpy as np
import pytest

import mocap
from conftest import FIXTURES, command

pytestmark = pytest.mark.filterwarnings("ignore::mocap.MocapWarning")
CLIPS = FIXTURES / "clips"


@pytest.fixture
def walk(alex):
    return mocap.read(alex)


@pytest.fixture
def turn():
    return mocap.read(CLIPS / "alex_turn.bvh")


def check(made, tmp_path, *words):
    """The clip, and its reports, are those of a command."""
    rows, code = command(*words, "--overwrite", "-o", tmp_path / "cli.json")
    assert code == 0, rows
    made.write(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()
    # The command names the files of a blend space in a note.
    reports = [{**report.to_dict(), "notes": []} for report in made.reports]
    assert reports == [{**report, "notes": []} for report in rows[0]["edits"]]


@pytest.mark.parametrize(
    "weights, options, words",
    [
        (0.4, {}, ["--weights", "0.4"]),
        (None, {"timing": "stretch", "lock_feet": False}, ["--timing", "stretch", "--no-lock"]),
        ([1, 2], {"timing": "registration"}, ["--weights", "1,2", "--timing", "registration"]),
        (0.5, {"repeat": False}, ["--weights", "0.5", "--no-repeat"]),
        (0.5, {"duration": 4}, ["--weights", "0.5", "--duration", "4s"]),
    ],
    ids=str,
)
def test_blend(walk, turn, alex, tmp_path, weights, options, words):
    check(mocap.blend([walk, turn], weights, **options), tmp_path, "blend", alex, CLIPS / "alex_turn.bvh", *words)


def test_blend_space(walk, alex, tmp_path):
    fast = walk.edit(speed=1.5)
    fast.write(tmp_path / "fast.json")
    text = "kind = '1d'\nparams = ['speed']\n"
    text += "".join(f"[[clip]]\npath = '{path}'\n" for path in (alex, tmp_path / "fast.json"))
    (tmp_path / "space.toml").write_text(text)
    space = mocap.BlendSpace([walk, fast], {"speed": None})
    slow, quick = space.params["speed"]
    assert quick == pytest.approx(1.5 * slow, rel=0.02)
    assert space.weights(speed=slow) == [1.0, 0.0] and sum(space.weights(speed=1.2 * slow)) == pytest.approx(1)
    made = space.blend({"speed": 1.25 * slow})
    words = ["--space", tmp_path / "space.toml", "--param", f"speed={1.25 * slow!r}"]
    check(made, tmp_path, "blend", *words)
    for wrong in ({}, {"pace": 1.0}, {"speed": float("nan")}):
        with pytest.raises(mocap.OptionError):
            space.weights(**wrong)
    with pytest.raises(mocap.EditError):
        mocap.BlendSpace([walk, walk], {"speed": [1.0, 1.0]})
    with pytest.raises(mocap.OptionError):
        mocap.BlendSpace([walk, fast], {"mood": None})


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, []),
        ({"kind": "inertial", "transition": 0.5}, ["--kind", "inertial", "--transition", "0.5s"]),
        ({"lock_feet": False}, ["--no-lock"]),
    ],
    ids=str,
)
def test_join(walk, turn, alex, tmp_path, options, words):
    made = mocap.join([walk, turn, walk], **options)
    assert len(made.reports) == 2
    check(made, tmp_path, "join", alex, CLIPS / "alex_turn.bvh", alex, *words)


@pytest.mark.parametrize("gains", ["high=0,mid=1.5", {"high": 0, "mid": np.float32(1.5)}], ids=str)
def test_bands(walk, alex, tmp_path, gains):
    check(walk.bands(gains), tmp_path, "bands", alex, "--gain", "high=0,mid=1.5")
    assert walk.edit(bands=gains) == walk.bands(gains)


def test_warp(walk, alex, tmp_path):
    keys = [
        {"time": 1.0, "joint": "RightHand", "by": np.array([0, 10, 0])},
        {"time": 1.2, "joint": "Head", "turn": (0, 30, 0)},
        {"time": 1.6, "pose": walk[20:21]},
    ]
    walk[20:21].write(tmp_path / "pose.json")
    (tmp_path / "keys.toml").write_text(
        "from = 0.5\nto = 2\n[[key]]\ntime = 1\njoint = 'RightHand'\nby = [0, 10, 0]\n"
        "[[key]]\ntime = 1.2\njoint = 'Head'\nturn = [0, 30, 0]\n[[key]]\ntime = 1.6\npose = 'pose.json'\n"
    )
    made = walk.warp(keys, 0.5, 2)
    check(made, tmp_path, "warp", alex, "--keys", tmp_path / "keys.toml")
    assert made == walk.edit(warp={"from": 0.5, "to": 2, "keys": keys})
    assert walk.warp([], 0.5, 2, times=[(1.0, 1.2)]) != walk
    assert walk.warp(keys, 0.5, 2, mode="scale-offset") != made
    for wrong in ([], [{"time": 1}], [{"time": 1, "joint": "Head"}], [{"time": 1, "joint": "Head", "by": [1, 2]}], [3]):
        with pytest.raises(mocap.OptionError):
            walk.warp(wrong, 0.5, 2)
    with pytest.raises(mocap.EditError):
        walk.warp(keys, 0.5, 99)
    with pytest.raises(mocap.OptionError, match="no option 'form'"):
        walk.edit(warp={"form": 0.5, "to": 2, "keys": keys})


def test_fourier(walk, turn, alex, tmp_path):
    made = walk.fourier(harmonics=6)
    check(made, tmp_path, "fourier", alex, "--harmonics", "6")
    assert made == walk.edit(fourier={"harmonics": 6})
    fast = walk.edit(speed=1.5)
    fast.write(tmp_path / "fast.json")
    styled = walk.fourier(neutral=walk, styled=fast, gain=0.5)
    words = ["--neutral", alex, "--styled", tmp_path / "fast.json", "--style-gain", "0.5"]
    check(styled, tmp_path, "fourier", alex, *words)
    with pytest.raises(mocap.OptionError):
        walk.fourier(neutral=walk)
    with pytest.raises(mocap.EditError):
        walk.fourier(harmonics=0)


def test_terrain(walk, alex, tmp_path):
    made = walk.terrain(steps=(0.15, 0.4, 8))
    check(made, tmp_path, "terrain", alex, "--steps", "0.15,0.4,8")
    ahead, left = np.meshgrid(np.linspace(1, -1, 101), np.linspace(-1, 1, 101), indexing="ij")
    heights = 0.05 * np.sin(3 * ahead) * np.cos(2 * left)
    np.savez(tmp_path / "hill.npz", heights=heights, cell=0.1)
    hill = walk.terrain(heights=heights[::-1][::-1], cell=0.1, origin="start")
    check(hill, tmp_path, "terrain", alex, "--heights", tmp_path / "hill.npz", "--terrain-origin", "start")
    corners = np.array([[-20, 0, -20], [20, 0, -20], [0, 2, 40]])
    obj = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 3\n"
    (tmp_path / "slope.obj").write_text(obj)
    check(walk.terrain(mesh=corners[None]), tmp_path, "terrain", alex, "--terrain-mesh", tmp_path / "slope.obj")
    for wrong in ({}, {"steps": (0.1, 0.2), "mesh": corners[None]}, {"steps": "up"}):
        with pytest.raises(mocap.OptionError):
            walk.terrain(**wrong)
    for wrong in ({"heights": [1.0, 2.0]}, {"mesh": corners}, {"heights": [["a"]]}):
        with pytest.raises(mocap.ArrayError):
            walk.terrain(**wrong)


def test_blends_and_mirrors_between_edits(walk, turn):
    assert walk.edit(blend=(turn, {"weight": 0.3})) == mocap.blend([walk, turn], 0.3)
    assert walk.edit(mirror="rotations") == walk.edit(mirror=True) != walk.edit(mirror="retarget")
    with pytest.raises(mocap.OptionError, match="no option 'transitoin'"):
        walk.edit(join=(walk, {"transitoin": 1}))
    with pytest.raises(mocap.OptionError):
        walk.edit(mirror="glass")


@pytest.mark.parametrize(
    "options, words",
    [
        ({"every": 0.5}, ["--every", "0.5s"]),
        ({"ranges": [(0, 0.5), (0.25, 1.0)]}, ["--ranges", "cuts.csv"]),
        ({"still": 0.5}, ["--still=0.5s"]),
    ],
    ids=str,
)
def test_split(walk, turn, tmp_path, options, words, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cuts.csv").write_text("0,0.5\n0.25,1\n")
    take = mocap.join([walk, walk[300:301].edit(duration=1.0) if walk.frames > 301 else turn])
    take.write(tmp_path / "take.json")
    rows, code = command("split", tmp_path / "take.json", *words, "-o", tmp_path / "cli")
    assert code == 0, rows
    parts = mocap.read(tmp_path / "take.json").split(**options)
    assert [part.frames for part in parts] == [clip["frames"] for clip in rows[0]["clips"]]
    for part, clip in zip(parts, rows[0]["clips"]):
        part.write(tmp_path / "part.json")
        assert (tmp_path / "part.json").read_bytes() == Path(clip["output"]).read_bytes()
    with pytest.raises(mocap.OptionError):
        take.split()
    with pytest.raises(mocap.EditError):
        take.split(every=0.0)
    with pytest.raises(mocap.ArrayError):
        take.split(ranges=[1, 2])


GRAPH = """
[params]
speed = 1.0
[clip.walk]
path = '{walk}'
loop = true
[clip.turn]
path = '{turn}'
[node.moves]
type = 'states'
[[node.moves.state]]
node = 'walk'
[[node.moves.state]]
node = 'turn'
[[node.moves.transition]]
from = 'walk'
to = 'turn'
when = 'event turn'
"""


def test_play(tmp_path):
    graph = tmp_path / "graph.toml"
    graph.write_text(GRAPH.format(walk=CLIPS / "alex_walk.bvh", turn=CLIPS / "alex_turn.bvh"))
    (tmp_path / "inputs.csv").write_text("time,speed,event\n0,1,\n1.5,1,turn\n3,1,\n")
    made = mocap.play(graph, {"time": [0, 1.5, 3], "speed": np.ones(3), "event": [None, "turn", ""]})
    rows, code = command("play", graph, "--timeline", tmp_path / "inputs.csv", "-o", tmp_path / "cli.json")
    assert code == 0, rows
    made.write(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()
    assert [report.to_dict() for report in made.reports] == rows[0]["edits"]
    assert "play" in str(made.reports[0])
    assert mocap.play(graph, tmp_path / "inputs.csv") == made
    with pytest.raises(mocap.OptionError):
        mocap.play(graph, {"time": [0, 1], "speed": [1]})
    with pytest.raises(mocap.MocapError) as caught:
        mocap.play(tmp_path / "none.toml", tmp_path / "inputs.csv")
    assert caught.value.code == "io::not-found"
    graph.write_text(GRAPH.replace("to = 'turn'", "to = 'trun'"))
    with pytest.raises(mocap.EditError) as caught:
        mocap.play(graph, tmp_path / "inputs.csv")
    assert caught.value.code == "play::graph" and caught.value.line


def test_rest_poses_before_a_motion_are_left_out(walk, turn, tmp_path):
    path = tmp_path / "cmu.bvh"
    rest = mocap.Clip.from_arrays(
        np.tile(walk.skeleton.rest_rotations, (1, 1, 1)), walk.skeleton, walk.fps, root_translation=np.zeros((1, 3))
    )
    both = mocap.Clip.from_arrays(
        np.concatenate([rest.rotations, walk.rotations]),
        walk.skeleton,
        walk.fps,
        root_translation=np.concatenate([rest.root_translation, walk.root_translation]),
    )
    both.write(path)
    led = mocap.read(path)
    assert led.lead_in == 1
    blended = mocap.blend([led, turn], 0.4)
    assert blended.lead_in == 0
    check(blended, tmp_path, "blend", path, CLIPS / "alex_turn.bvh", "--weights", "0.4")
    assert sum(part.frames for part in led.split(every=0.5)) == walk.frames
