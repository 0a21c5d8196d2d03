"""Runs over many files, and windows over their outputs."""

import contextlib
import errno
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import mocap
from conftest import FIXTURES, command

pytestmark = pytest.mark.filterwarnings("ignore::mocap.MocapWarning")
CLIPS = FIXTURES / "clips"


def inputs(rows):
    return [row for row in rows if "path" in row]


def test_rows_are_those_of_the_command_line(tmp_path):
    rows = list(mocap.batch.convert(CLIPS, to="npz", out=f"{tmp_path}/python/", jobs=2, include=["*.bvh"]))
    expected, code = command("convert", CLIPS, "--to", "npz", "-o", f"{tmp_path}/cli/", "--include", "*.bvh")
    assert code == 0
    assert [row["frames"] for row in inputs(rows)] == [row["frames"] for row in inputs(expected)]
    assert rows[-1]["ok"] == expected[-1]["ok"] == len(inputs(rows))
    made = sorted(path.relative_to(tmp_path / "python") for path in (tmp_path / "python").rglob("*.npz"))
    assert made
    for path in made:
        assert (tmp_path / "python" / path).read_bytes() == (tmp_path / "cli" / path).read_bytes()


def test_a_run_is_resumed(tmp_path):
    def run():
        return list(mocap.batch.convert(CLIPS, to="npz", out=f"{tmp_path}/", resume=True, include=["*.bvh"]))

    first, second = run()[-1], run()[-1]
    assert first["ok"] > 0 and second["ok"] == 0
    assert second["skipped"] == first["ok"]


def test_an_input_that_fails_is_a_row(tmp_path):
    rows = list(mocap.batch.convert([FIXTURES / "bvh"], to="csv", out=f"{tmp_path}/", include=["*nan*.bvh", "clean.bvh"]))
    failed = [row for row in inputs(rows) if "error" in row]
    assert failed and all(row["error"]["code"] for row in failed)
    assert rows[-1]["failed"] == len(failed)


def test_wrong_arguments_raise_before_anything_is_done(tmp_path):
    for options in ({"to": "mp4"}, {"no_such_flag": True}, {"jobs": 0}, {"fps": -1}):
        with pytest.raises(mocap.OptionError):
            list(mocap.batch.convert(CLIPS, out=f"{tmp_path}/", **{"to": "npz", **options}))
    with pytest.raises(mocap.OptionError):
        list(mocap.batch.convert(FIXTURES / "*.nothing", to="npz", out=f"{tmp_path}/"))


def test_an_unknown_keyword_names_the_nearest(tmp_path):
    with pytest.raises(mocap.OptionError) as error:
        list(mocap.batch.convert(CLIPS, to="npz", out=f"{tmp_path}/", input_fsp=30))
    assert error.value.code == "usage::arguments" and "'input_fsp'" in str(error.value)
    assert "'input_fps'" in error.value.hint
    with pytest.raises(mocap.OptionError):
        list(mocap.batch.rows("convrt", CLIPS))
    assert not list(tmp_path.iterdir())


def test_manifests_of_keywords_and_flags_continue_each_other(tmp_path):
    keywords = {"to": "npz", "fps": 60.0, "trim": "0:50", "strict": False, "include": ["*walk.bvh"]}
    flags = ["--to", "npz", "--fps", "60", "--trim", "0:50", "--include", "*walk.bvh", "--resume"]
    first = list(mocap.batch.convert(CLIPS, out=f"{tmp_path}/", resume=True, **keywords))
    assert first[-1]["ok"] > 0
    again, code = command("convert", CLIPS, "-o", f"{tmp_path}/", *flags)
    assert code == 0 and (again[-1]["ok"], again[-1]["skipped"]) == (0, first[-1]["ok"])
    # Other options are another run: nothing is done, and nothing is silent.
    with pytest.raises(mocap.MocapError) as error:
        list(mocap.batch.convert(CLIPS, out=f"{tmp_path}/", resume=True, **{**keywords, "fps": 30}))
    assert error.value.hint


def test_values_of_all_kinds_are_keywords(tmp_path):
    pipeline = tmp_path / "pipeline.toml"
    pipeline.write_text("[variables]\nrate = 60\n[[step]]\ndo = 'edit'\nfps = '${rate}'\n[[step]]\ndo = 'write'\nto = 'csv'\n")
    inputs_ = CLIPS / "alex_walk.bvh"
    rows = list(mocap.batch.rows("run", [pipeline, inputs_], set={"rate": 30.0}, out=tmp_path / "out/", jobs=1))
    assert rows[0]["fps"] == 30
    bounds = {"Finger*": "1mm", "Toe*": "2mm"}
    rows = list(mocap.batch.compress(inputs_, out=tmp_path / "a.mocz", joint_error=bounds, error="0.2mm"))
    assert rows[0]["max_error"] <= 0.002
    # The first row of an edit that may have a value, or none.
    for mirror in (True, "retarget"):
        out = tmp_path / f"{mirror}.bvh"
        assert list(mocap.batch.edit(inputs_, {"mirror": mirror}, out=out))[0]["edits"][0]["name"] == "mirror"


def test_old_names_of_keywords_work_with_a_warning(tmp_path):
    inputs_ = CLIPS / "alex_walk.bvh"
    new = list(mocap.batch.compress(inputs_, out=tmp_path / "new.mocz", joint_error=["Toe*=2mm"]))
    with pytest.warns(FutureWarning, match="'set' is now called 'joint_error'"):
        old = list(mocap.batch.rows("compress", inputs_, output=tmp_path / "old.mocz", set=["Toe*:error=2mm"]))
    assert old[0]["bounds"] == new[0]["bounds"]
    assert (tmp_path / "old.mocz").read_bytes() == (tmp_path / "new.mocz").read_bytes()


def test_leaving_the_loop_ends_the_run(tmp_path):
    for row in mocap.batch.convert(CLIPS, to="csv", out=f"{tmp_path}/", jobs=1, include=["*.bvh"]):
        break
    assert "path" in row
    # The next run is not interrupted.
    assert list(mocap.batch.info(CLIPS / "alex_walk.bvh"))[0]["frames"] == 301


def test_other_commands(tmp_path, alex, robin):
    retargeted = list(mocap.batch.retarget(alex, robin, out=tmp_path / "walk.bvh"))
    assert retargeted[0]["frames"] == 301 and (tmp_path / "walk.bvh").exists()
    small = list(mocap.batch.compress(alex, out=tmp_path / "walk.mocz", error="0.1mm"))
    assert small[0]["ratio"] > 3
    list(mocap.batch.decompress(tmp_path / "walk.mocz", out=tmp_path / "back.bvh"))
    edited = list(mocap.batch.edit(alex, {"mirror": True, "trim": "0:50"}, out=tmp_path / "edited.bvh"))
    assert [edit["name"] for edit in edited[0]["edits"]] == ["mirror", "trim"]
    assert "quality" in list(mocap.batch.info(alex, quality=True))[0]
    assert mocap.convert(alex, tmp_path / "one.csv")["frames"] == 301
    with pytest.raises(mocap.FormatError):
        mocap.convert(sorted((FIXTURES / "bvh").glob("error-*.bvh"))[0], tmp_path / "two.csv")


def held_inputs(folder):
    """Pipes: each holds a run until something is written into it."""
    held = [folder / f"held_{at:02}.bvh" for at in range(60)]
    for path in held:
        os.mkfifo(path)
    return held


def reader_of(path, running):
    """The pipe, when the run reads it; None where the run ends without that."""
    while running.poll() is None:
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as nobody_reads:
            assert nobody_reads.errno == errno.ENXIO
            time.sleep(0.01)
        else:
            os.set_blocking(pipe, True)
            return os.fdopen(pipe, "wb", buffering=0)
    return None


def interrupt(running, held):
    """Ctrl-C while the first pipe is read. Nothing says when it is seen, so one input after another is given until the
    run ends; a run that misses it reads all of them."""
    for at, path in enumerate(held):
        pipe = reader_of(path, running)
        if pipe is None:
            return at
        if at == 0:
            running.send_signal(signal.SIGINT)
        time.sleep(0.5)
        with pipe, contextlib.suppress(BrokenPipeError):
            pipe.write((CLIPS / "alex_walk.bvh").read_bytes())
    raise AssertionError("the run went on to its end")


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes are those of Unix")
def test_ctrl_c_ends_a_batch_in_order(tmp_path):
    (tmp_path / "db").mkdir()
    for copy in range(3):
        (tmp_path / f"db/{copy}.bvh").write_bytes((CLIPS / "alex_walk.bvh").read_bytes())
    # A pipe has no size, so they are the last to be read.
    held = held_inputs(tmp_path)
    program = """
        import signal, sys, mocap
        # A shell that runs tests in the background lets them ignore Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            for row in mocap.batch.compress(sys.argv[2:], out=sys.argv[1], jobs=1, profile="archive", resume=True):
                print("row", flush=True)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.exit(7)
    """
    words = [sys.executable, "-c", textwrap.dedent(program), f"{tmp_path}/out/", f"{tmp_path}/db", *map(str, held)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        try:
            interrupt(running, held)
            assert running.wait(60) == 7 and running.stdout.read().endswith("interrupted\n")
        finally:
            running.kill()
    made = list((tmp_path / "out").rglob("*"))
    assert not [path for path in made if path.name.startswith(".mocap-") and "manifest" not in path.name]
    assert 3 <= len([path for path in made if path.suffix == ".mocz"]) < 63
    assert [path for path in made if "manifest" in path.name]


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes are those of Unix")
@pytest.mark.parametrize("verb", ["label", "find"])
def test_ctrl_c_ends_a_search_before_its_last_file(tmp_path, verb):
    held = held_inputs(tmp_path)
    program = """
        import signal, sys, mocap
        signal.signal(signal.SIGINT, signal.default_int_handler)
        options = {"duplicates": True} if sys.argv[1] == "find" else {}
        try:
            list(mocap.batch.rows(sys.argv[1], sys.argv[2:], jobs=1, **options))
        except KeyboardInterrupt:
            sys.exit(7)
    """
    words = [sys.executable, "-c", textwrap.dedent(program), verb, *map(str, held)]
    with subprocess.Popen(words) as running:
        try:
            assert interrupt(running, held) > 0
            assert running.wait(60) == 7
        finally:
            running.kill()


@pytest.mark.parametrize("pack", [None, 2])
def test_a_dataset_gives_windows(tmp_path, pack):
    options = {} if pack is None else {"pack": pack, "normalise": True}
    clips = [FIXTURES / "clips/alex_walk.bvh", FIXTURES / "clips/alex_walk.amc"][: 1 if pack is None else 1]
    start = [tmp_path / f"take_{at}.bvh" for at in range(3)]
    for path in start:
        path.write_bytes(clips[0].read_bytes())
    list(mocap.batch.convert(start, to="npz", out=f"{tmp_path}/set/", **options))
    dataset = mocap.Dataset(tmp_path / "set", window=64, stride=16)
    each = (301 - 64) // 16 + 1
    assert len(dataset) == 3 * each
    sample = dataset[each]
    assert sample["rotations"].shape == (64, 24, 4) and sample["rotations"].dtype == np.float32
    where = dataset.where(each + 1)
    assert where.start == 16 and where.clip.endswith("take_1")
    walk = mocap.read(start[1]).arrays()
    assert np.array_equal(dataset[each + 1]["rotations"], walk["rotations"][16:80])
    assert np.array_equal(dataset[-1]["contacts"], walk["contacts"][224:288])
    batch = dataset[[0, 5, 9]]
    assert batch["positions"].shape == (3, 64, 24, 3)
    assert dataset[2:4]["heading"].shape == (2, 64)
    assert sum(1 for _ in dataset) == len(dataset)
    assert len(pickle.loads(pickle.dumps(dataset))) == len(dataset)
    with pytest.raises(IndexError):
        dataset[len(dataset)]
    with pytest.raises(mocap.OptionError):
        mocap.Dataset(tmp_path / "set", window=0)
    with pytest.raises(mocap.OptionError):
        mocap.Dataset(tmp_path / "set", keys=["colour"])
    with pytest.raises(mocap.NotFoundError):
        mocap.Dataset(tmp_path / "none")
    if pack is None:
        with pytest.raises(mocap.NotFoundError):
            mocap.Dataset(tmp_path / "set", normalise=True)
    else:
        normal = mocap.Dataset(tmp_path / "set", window=64, normalise=True)
        everything = np.concatenate([sample["rotations"] for sample in normal])
        assert abs(everything.mean()) < 0.2


def test_a_dataset_in_a_trainer(tmp_path, alex):
    torch = pytest.importorskip("torch")
    list(mocap.batch.convert(alex, to="npz", out=f"{tmp_path}/set/"))
    loader = torch.utils.data.DataLoader(mocap.Dataset(tmp_path / "set", window=32, keys=["rotations"]), batch_size=4)
    assert next(iter(loader))["rotations"].shape == (4, 32, 24, 4)
