"""Puts a binary with its man pages, completions, documents and licences into an archive and, on Linux, a Debian package.

    python3 packaging/package.py --binary BIN --writer BIN --target TARGET --version VERSION --out DIR

Names are sorted, and times are $SOURCE_DATE_EPOCH: the same binary gives the same archives.
"""
import argparse
import gzip
import io
import os
import posixpath
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
#: By shell: where its completions lie in a system, and in the archive.
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/mocap",
    "zsh": "usr/share/zsh/vendor-completions/_mocap",
    "fish": "usr/share/fish/vendor_completions.d/mocap.fish",
    "powershell": None,
    "elvish": None,
}
#: What README.md shows and names: its first commands work in the archive.
READABLE = ("docs/", "examples/", "fixtures/clips/", "crates/mocap-solve/src/marker_table.toml")
#: Documents beside README.md that it links to.
BESIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE-MIT", "LICENSE-APACHE")
#: A link that is no picture: its text, the path, and the heading.
LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([^()#\s]+)(#[^()\s]*)?\)")
DEBIAN_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
DESCRIPTION = """\
Description: motion capture on the command line
 mocap reads motion capture files (BVH, ASF/AMC, FBX, glTF, C3D and others),
 converts them, retargets them to other skeletons and to robots, compresses,
 edits and blends them, measures the result and draws it.
"""


def written(writer, *arguments):
    return subprocess.run([writer, "generate", *arguments], check=True, capture_output=True).stdout


def put(path, content, executable=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755 if executable else 0o644)


def readable():
    """Documents, examples and the clips of their commands, by path: what the commit has."""
    listed = subprocess.run(["git", "ls-files", "-z", *READABLE], check=True, capture_output=True, text=True).stdout
    return {path: Path(path).read_bytes() for path in sorted(listed.rstrip("\0").split("\0"))}


def linked(path, content, packaged):
    """A document whose links lead to what is packaged: links to sources are their text."""
    if not path.endswith(".md"):
        return content

    def shown(link):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[2]))
        inside = any(name == target or name.startswith(f"{target}/") for name in packaged)
        return link[0] if inside or ":" in link[2] else link[1]

    return LINK.sub(shown, content.decode()).encode()


def man_pages(writer):
    with tempfile.TemporaryDirectory() as folder:
        written(writer, "man", "-o", folder)
        return {page.name: page.read_bytes() for page in sorted(Path(folder).iterdir())}


def files(options):
    """The files of the archive: by path their content, and whether they can be run."""
    name = options.binary.name
    found = {name: (options.binary.read_bytes(), True)}
    documents = {document: Path(document).read_bytes() for document in BESIDE} | readable()
    for path, content in documents.items():
        found[path] = (linked(path, content, documents), False)
    for page, content in man_pages(options.writer).items():
        found[f"man/{page}"] = (content, False)
    for shell in COMPLETIONS:
        found[f"completions/mocap.{shell}"] = (written(options.writer, "completions", shell), False)
    return found


def tar(path, top, content):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, (data, executable) in sorted(content.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime, entry.mode = len(data), EPOCH, 0o755 if executable else 0o644
            archive.addfile(entry, io.BytesIO(data))
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=EPOCH) as packed:
        packed.write(raw.getvalue())


def zipped(path, top, content):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, executable) in sorted(content.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}", time.gmtime(max(EPOCH, 315_532_800))[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if executable else 0o644) << 16
            archive.writestr(entry, data)


def debian(options, content):
    machine = DEBIAN_MACHINES[options.target.split("-")[0]]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        put(root / "usr/bin/mocap", content["mocap"][0], executable=True)
        for name, (data, _) in content.items():
            if name.startswith("man/"):
                put(root / f"usr/share/man/man1/{name[4:]}.gz", gzip.compress(data, 9, mtime=0))
        for shell, place in COMPLETIONS.items():
            if place:
                put(root / place, content[f"completions/mocap.{shell}"][0])
        documents = root / "usr/share/doc/mocap"
        for name, (data, _) in content.items():
            if name in BESIDE or name.startswith(READABLE):
                put(documents / name, data)
        put(documents / "changelog.gz", gzip.compress(content["CHANGELOG.md"][0], 9, mtime=0))
        licences = content["LICENSE-MIT"][0] + b"\nor\n\n" + content["LICENSE-APACHE"][0]
        put(documents / "copyright", licences)
        size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024 + 1
        # A static binary depends on nothing.
        control = (
            f"Package: mocap\nVersion: {options.version}\nArchitecture: {machine}\n"
            f"Maintainer: The developers of mocap <mocap@localhost>\nSection: graphics\nPriority: optional\n"
            f"Installed-Size: {size}\n{DESCRIPTION}"
        )
        put(root / "DEBIAN/control", control.encode())
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (EPOCH, EPOCH))
        out = options.out / f"mocap_{options.version}_{machine}.deb"
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True, help="the binary of the target")
    parser.add_argument("--writer", required=True, help="a binary that runs here, for man pages and completions")
    parser.add_argument("--target", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    top = f"mocap-{options.version}-{options.target}"
    content = files(options)
    if "windows" in options.target:
        zipped(options.out / f"{top}.zip", top, content)
    else:
        tar(options.out / f"{top}.tar.gz", top, content)
    if "linux" in options.target and shutil.which("dpkg-deb"):
        debian(options, content)


if __name__ == "__main__":
    main()
