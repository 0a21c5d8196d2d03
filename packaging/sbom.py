"""Writes the packages that a build for a target consists of as CycloneDX 1.5: sbom.py TARGET OUT.cdx.json

Everything is from Cargo.lock and `cargo metadata`. Packages that only tests and benchmarks need are left out.
"""
import json
import subprocess
import sys
from datetime import datetime, timezone
from os import environ


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def built(resolve, root):
    """Packages below a root without the dependencies of tests, and what each depends on."""
    nodes = {node["id"]: node for node in resolve["nodes"]}
    found, waiting = {}, [root]
    while waiting:
        package = waiting.pop()
        if package in found:
            continue
        wanted = [
            dependency["pkg"]
            for dependency in nodes[package]["deps"]
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
        ]
        found[package] = sorted(wanted)
        waiting += wanted
    return found


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def checksums():
    """By name and version."""
    import re
    from pathlib import Path

    entry = re.compile(r'name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"')
    return {(name, version): sum for name, version, sum in entry.findall(Path("Cargo.lock").read_text())}


def component(package, sums):
    found = {
        "type": "library" if package["name"] != "mocap-cli" else "application",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": purl(package),
        "licenses": [{"expression": (package["license"] or "NOASSERTION").replace("/", " OR ")}],
    }
    checksum = sums.get((package["name"], package["version"]))
    return found | ({"hashes": [{"alg": "SHA-256", "content": checksum}]} if checksum else {})


def main():
    target, out = sys.argv[1:]
    data = metadata(target)
    packages = {package["id"]: package for package in data["packages"]}
    root = next(key for key, package in packages.items() if package["name"] == "mocap-cli")
    tree = built(data["resolve"], root)
    sums = checksums()
    order = sorted(tree, key=lambda key: purl(packages[key]))
    time = datetime.fromtimestamp(int(environ.get("SOURCE_DATE_EPOCH", "0")), timezone.utc)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": component(packages[root], sums),
            "properties": [{"name": "target", "value": target}],
        },
        "components": [component(packages[key], sums) for key in order if key != root],
        "dependencies": [
            {"ref": purl(packages[key]), "dependsOn": [purl(packages[on]) for on in tree[key]]} for key in order
        ],
    }
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
