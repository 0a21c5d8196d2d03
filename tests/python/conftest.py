"""Where files are, and the command line to compare with."""

import json
import os
import subprocess
from pathlib import Path

import mocap
import pytest

HOME = Path(__file__).resolve().parents[2]
FIXTURES = HOME / "fixtures"
BINARY = os.environ.get("MOCAP", str(HOME / "target/debug/mocap"))


def corpus():
    """The folder of real motion files, or None."""
    named = os.environ.get("MOCAP_CORPUS")
    folder = Path(named) if named is not None else HOME.parent / "shared/data"
    return folder if folder.is_dir() else None


NO_CORPUS = "needs real motion files; set MOCAP_CORPUS to their folder"


def motions(folder):
    """The motion files below a folder, by path."""
    known = {"." + name.rsplit("-")[-1] for name, can in mocap.formats().items() if can["read"]}
    known -= {".asf", ".skel", ".urdf", ".mjcf"}  # Skeletons.
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in known and path.is_file())


def command(*words):
    """Rows of the command line, its first error's code, and its exit code."""
    words = [BINARY, *map(str, words), "--json", "--config", "none", "--progress", "never"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MOCAP_")}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return rows, done.returncode


@pytest.fixture
def alex():
    return FIXTURES / "clips/alex_walk.bvh"


@pytest.fixture
def robin():
    return FIXTURES / "clips/robin.skel"


@pytest.fixture
def pip_robot():
    return FIXTURES / "robots/pip.xml"
