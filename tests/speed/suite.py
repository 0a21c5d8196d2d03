#!/usr/bin/env python3
"""Processor time of the test suite: of each test binary, and of each test of the slow ones.

    tests/speed/suite.py [--tests SECONDS] [--only NAME ...] [ARGUMENTS OF CARGO TEST]

User and system time, those of child processes included, so that other programs on the machine change little. Each
test of a binary that takes longer than SECONDS (default 5; 0 for all) runs once more in a process of its own: what
tests of a binary compute once for all of them is counted with each.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys


def build(arguments: list[str]) -> list[tuple[str, str, str]]:
    """Builds the test binaries: package and target, path, folder of the package."""
    command = ["cargo", "test", "--workspace", "--no-run", "--message-format=json", *arguments]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    binaries = []
    for message in map(json.loads, lines):
        if message["reason"] == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            folder = pathlib.Path(message["manifest_path"]).parent
            target = message["target"]
            name = f"{folder.name}/{target['name'] if target['kind'] == ['test'] else 'src'}"
            binaries.append((name, message["executable"], str(folder)))
    return sorted(binaries)


def cost(command: list[str], folder: str) -> tuple[float, int]:
    """Processor time [s] of a command and its children, and its exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = dict(os.environ, CARGO_MANIFEST_DIR=folder)
    code = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, code


def tests(binary: str, folder: str) -> list[str]:
    """The names of the tests that run without `--ignored`."""

    def names(*more: str) -> list[str]:
        listed = subprocess.run([binary, "--list", *more], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
        return [line.removesuffix(": test") for line in listed.stdout.splitlines() if line.endswith(": test")]

    ignored = set(names("--ignored"))
    return [name for name in names() if name not in ignored]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    options, arguments = parser.parse_known_args()
    binaries = [entry for entry in build(arguments) if not options.only or entry[0] in options.only]
    total, failed, slow = 0.0, [], []
    for name, binary, folder in binaries:
        seconds, code = cost([binary, "--quiet"], folder)
        total += seconds
        print(f"{seconds:8.1f} s  {name}", flush=True)
        if code != 0:
            failed.append(name)
        if seconds > options.tests:
            slow.append((name, binary, folder))
    print(f"{total:8.1f} s  {len(binaries)} binaries")
    alone = [
        (cost([binary, "--exact", test], folder)[0], f"{name} {test}")
        for name, binary, folder in slow
        for test in tests(binary, folder)
    ]
    for seconds, name in sorted(alone, reverse=True)[:60]:
        print(f"{seconds:8.1f} s  {name}")
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
