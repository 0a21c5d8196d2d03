"""The command ``mocap``, as the program has it: ``python -m mocap --help``."""

from __future__ import annotations

import sys

from . import _mocap


def main() -> int:
    """Runs the command of the words of this process; returns its exit code."""
    sys.stdout.flush()
    return _mocap.main(["mocap", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
