"""Lowers every direct dependency in Cargo.lock to the oldest version that the manifests allow.

    python3 packaging/oldest.py && cargo check --workspace

A dependency that stays newer, because another one needs it so, is named with the reason.
"""
import json
import re
import subprocess


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], capture_output=True, text=True)


def oldest(requirement):
    """The version at the lower end of a plain requirement such as ^1.2."""
    numbers = re.fullmatch(r"\^(\d+)(?:\.(\d+))?(?:\.(\d+))?", requirement).groups()
    return ".".join(number or "0" for number in numbers)


def main():
    packages = json.loads(cargo("metadata", "--no-deps", "--format-version", "1").stdout)["packages"]
    wanted = {
        (dependency["name"], oldest(dependency["req"]))
        for package in packages
        for dependency in package["dependencies"]
        if dependency["source"]
    }
    locked = re.findall(r'name = "(.*)"\nversion = "(.*)"\nsource', open("Cargo.lock", encoding="utf-8").read())
    for name, version in sorted(wanted):
        # Of several versions the one that the requirement is about.
        digits = version.split(".")[: 2 if version.startswith("0.") else 1]
        same = [found for package, found in locked if package == name and found.split(".")[: len(digits)] == digits]
        for found in same:
            done = cargo("update", "--package", f"{name}@{found}", "--precise", version)
            if done.returncode:
                why = [line.strip() for line in done.stderr.splitlines() if "required by" in line or "error" in line]
                print(f"{name} stays {found}, not {version}: {'; '.join(why)[:160]}")


if __name__ == "__main__":
    main()
