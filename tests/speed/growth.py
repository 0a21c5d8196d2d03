#!/usr/bin/env python3
"""How the cost of every verb, edit and format grows with frames, joints, vertices and files.

    growth.py MOCAP [--only WORD,...] [--runs 3] [--limit 2.3] [--frames 4000] [--files 150] [--quick]

Runs each with n, 2 n and 4 n frames, joints, vertices or files, and prints the processor time (the least of the runs) and the
peak memory of the process. Fails where either grows by more than the limit where the input doubles, and where a verb or
an edit has no case here. The verbs, edits and formats come from the schemas that MOCAP writes. Inputs are made from the
fixtures.

A measure counts only above a floor: below, start-up and rounding decide. A measure that grows too much is taken again,
with twice as many runs, before it counts.
"""
import argparse
import json
import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
# Cases that take longer than the others together.
SLOW = ["solve {points}"]
# Below these, processor time [s] and peak [MB] say nothing about growth.
FLOOR = {"time": 0.02, "peak": 24.0}

# The words of each verb. {in} is a motion of the size that grows, {clip} a short one, {body} another skeleton, {out} a
# path for the output, {folder} a folder of files; the others are made in `prepare`. None: it has cases elsewhere.
VERBS = {
    "info": ["info {in} --json"],
    "validate": ["validate {in}"],
    "convert": ["convert {in} -o {out}.bvh --euler XYZ", "convert {in} -o {out}.bvh --drop-first-frame"],
    "edit": None,
    "join": ["join {in} {in} -o {out}.bvh --no-lock", "join {in} {in} -o {out}.bvh"],
    "split": ["split {in} -o {out} --every 1s"],
    "blend": ["blend {in} {clip} -o {out}.bvh"],
    "play": ["play {graph} --timeline {timeline} -o {out}.bvh"],
    "bands": ["bands {in} --gain high=0 -o {out}.bvh"],
    "warp": ["warp {in} --keys {keys} -o {out}.bvh"],
    "fourier": ["fourier {in} -o {out}.bvh"],
    "terrain": ["terrain {in} --terrain-mesh {mesh} -o {out}.bvh"],
    "find": ["find {clip} {in}", "find {clip} {index}", "find --duplicates {in} {in}"],
    "index": ["index {in} -o {out}.index"],
    "label": ["label {in}"],
    "compare": ["compare {in} {in}"],
    "compress": [f"compress {{in}} -o {{out}}.mocz --error 1cm --profile {profile}" for profile in
                 ("runtime", "archive", "keys", "direct")],
    "decompress": ["decompress {mocz} -o {out}.bvh"],
    "skel": ["skel {in} -o {out}.skel"],
    "retarget": ["retarget {in} {body} -o {out}.bvh"],
    "bake": ["bake {glb} -o {out}.pc2"],
    "view": ["view {in} -o {out}.html"],
    "sheet": ["sheet {in} -o {out}.svg"],
    "plot": ["plot {in} --joint Hips -o {out}.svg"],
    "render": ["render {in} --end 1s --size 64x64 -o {out}.gif"],
    "gallery": ["gallery {in} -o {out}"],
    "run": ["run {pipeline} {in} -o {out}"],
    "face": ["face {take} {head} -o {out}.glb"],
    "poses": ["poses {in} -o {out}.poses"],
    "solve": ["solve {trc} {clip} -o {out}.bvh", "solve {points} {clip} --poses {people} -o {out}.bvh"],
    # Each edit has its own cases; manifests grow with files, and rigs with vertices: see there.
    "edit": None,
    "manifest": None,
    "rig": None,
}

# The words of edits that take something; an edit that is not here is run as its flag alone.
EDITS = {
    "trim": "--trim 10:",
    "fps": "--fps 24",
    "scale": "--scale 2",
    "denoise": "--denoise auto",
    "bands": "--bands high=0",
    "repeat": "--loop=0:60 --repeat {times}",
    "speed": "--speed 0.5",
    "duration": "--duration {seconds}s",
    "time-map": "--time-map {map}",
    "sync": "--sync {in}",
    "join": "--join {in}",
    "blend": "--blend {in}",
    "warp": "--warp {keys}",
    "terrain": "--terrain 0.01,0.5",
    "turn": "--turn 90",
    "along": "--along {path}",
    "add": "--add {clip}",
    "strip": "--strip fingers",
    "extract-root": "--extract-root {out}.curve.csv",
    "apply-root": "--apply-root {curve}",
    "root-joint": "--root-joint add",
    "heading": "--heading Z",
    "start-at": "--start-at origin",
    "attach": "--attach LeftHand=RightHand",
    "detach": "--detach LeftHand",
}
# Steps of pipelines that are no edits.
STEPS = {"read", "edit", "retarget", "compress", "write", "compare", "face", "keep", "solve"}

# What is done with a folder of small files.
FOLDERS = [
    "info {folder} --json",
    "validate {folder}",
    "convert {folder} --to csv -o {out}",
    "convert {folder} --to bvh -o {folder}-converted --resume --overwrite",
    "convert {folder} --to bvh -o {folder}-converted --resume",
    "manifest verify {folder}-converted",
    "manifest stats {folder}-converted",
    "compress {folder} -o {out}",
    "edit {folder} --mirror -o {out}",
    "retarget {folder} {body} -o {out}",
    "split {folder} --every 1s -o {out}",
    "label {folder}",
    "find {clip} {folder}",
    "find --duplicates {folder}",
    "index {folder} -o {folder}.index",
    "find {clip} {folder}.index",
    "poses {folder} -o {out}.poses",
    "run {pipeline} {folder} -o {out}",
    "compare {folder} {folder}-converted",
    "gallery {folder} -o {out}",
    "skel {folder} -o {out}",
]


class Failure(Exception):
    pass


def serve():
    """Runs the commands that stdin lists, and prints what each took. A process inherits the peak of the one that started
    it: this one stays small."""
    for line in sys.stdin:
        command, errors = json.loads(line)
        output = os.open(errors, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        pid = os.posix_spawn(command[0], command, {**os.environ, "NO_COLOR": "1"}, file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0), (os.POSIX_SPAWN_DUP2, output, 2)])
        _, status, usage = os.wait4(pid, 0)
        os.close(output)
        scale = 1 if sys.platform == "darwin" else 1024
        peak = usage.ru_maxrss * scale / 1e6
        print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, peak]), flush=True)


def run(server, mocap, words, where):
    """Processor time [s] and peak memory [MB] of a command."""
    command = [mocap, *shlex.split(words), "-q"]
    if "--resume" not in words and " -o " in f" {words} " and "--overwrite" not in words:
        command.append("--overwrite")
    errors = where / "stderr"
    server.stdin.write(json.dumps([command, str(errors)]) + "\n")
    server.stdin.flush()
    code, time, peak = json.loads(server.stdout.readline())
    said = errors.read_text(errors="replace")
    if code not in (0, 1) or (code == 1 and "error" in said):
        raise Failure(f"exit code {code}: mocap {words}\n{said}")
    return time, peak


def measured(server, mocap, words, where, runs):
    taken = [run(server, mocap, words, where) for _ in range(runs)]
    return {"time": min(time for time, _ in taken), "peak": min(peak for _, peak in taken)}


def growth(sizes, measure, floor):
    """The largest factor from one size to the next that counts."""
    pairs = zip(sizes, sizes[1:])
    return max((after[measure] / max(before[measure], floor) for before, after in pairs), default=0.0)


class Bench:
    def __init__(self, options, where):
        self.options, self.where, self.failed, self.count = options, where, [], 0
        words = [sys.executable, __file__, "--serve"]
        self.server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def case(self, name, commands):
        """Measures commands of growing size."""
        if self.options.quick and any(word in name for word in SLOW):
            return
        if self.options.only and not any(word in name for word in self.options.only):
            return
        self.count += 1
        try:
            for runs in (self.options.runs, 2 * self.options.runs):
                sizes = [measured(self.server, self.options.mocap, words, self.where, runs) for words in commands]
                factors = {measure: growth(sizes, measure, floor) for measure, floor in FLOOR.items()}
                if max(factors.values()) <= self.options.limit:
                    break
        except Failure as failure:
            self.failed.append(name)
            print(f"{name}: {failure}", flush=True)
            return
        bad = [measure for measure, factor in factors.items() if factor > self.options.limit]
        times = " ".join(f"{size['time'] * 1e3:7.0f}" for size in sizes)
        peaks = " ".join(f"{size['peak']:6.0f}" for size in sizes)
        word = f"  grows: {', '.join(bad)}" if bad else ""
        print(f"{name:44} {times} ms {factors['time']:5.2f}  {peaks} MB {factors['peak']:5.2f}{word}", flush=True)
        if bad:
            self.failed.append(name)


def table(mocap, where):
    """The verbs, edits and output formats that the program has."""
    subprocess.run([mocap, "generate", "schema", "-o", f"{where}/"], check=True, stdout=subprocess.DEVNULL)
    config = json.loads((where / "config.schema.json").read_text())["properties"]
    verbs = [name for name, value in config.items() if value.get("type") == "object"] + ["manifest"]
    steps = json.loads((where / "pipeline.schema.json").read_text())["properties"]["step"]["items"]["anyOf"]
    edits = [step["properties"]["do"]["const"] for step in steps]
    write = next(step for step in steps if step["properties"]["do"]["const"] == "write")
    described = json.dumps(write["properties"]["to"])
    return verbs, [edit for edit in edits if edit not in STEPS], described


def rows_of(path):
    """A BVH: the lines up to the rows, and the rows."""
    lines = path.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("Frame Time"))
    return lines[:at + 1], lines[at + 1:]


def with_frames(head, rows):
    return "\n".join([f"Frames: {len(rows)}" if line.startswith("Frames:") else line for line in head] + rows) + "\n"


def long_walk(mocap, where, frames):
    """A walk of so many frames: one cycle again and again, at a rate at which no two look alike for a while."""
    loop = where / "cycle.bvh"
    if not loop.exists():
        words = [mocap, "edit", str(FIXTURES / "clips/alex_walk.bvh"), "--loop", "-o", str(loop), "-q"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    cycle = len(rows_of(loop)[1]) - 1
    # At 30 frames per second the shortest is longer than the longest cycle that is searched.
    path, times = where / f"walk-{frames}.bvh", 1 + -(-frames * 4 // cycle)
    words = [mocap, "edit", str(loop), "--repeat", str(times), "--fps", "30", "--trim", f":{frames}", "-o", str(path),
             "-q"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return path


def with_joints(where, joints):
    """The walk with so many further joints, in chains of ten below the head."""
    head, rows = rows_of(FIXTURES / "clips/alex_walk.bvh")
    at = next(at for at, line in enumerate(head) if line.split()[:2] == ["JOINT", "Head"])
    depth = next(at for at in range(at, len(head)) if head[at].strip().startswith("CHANNELS"))
    before = sum(int(line.split()[1]) for line in head[:depth + 1] if line.strip().startswith("CHANNELS"))
    made = []
    for chain in range(joints // 10):
        for link in range(10):
            made += [f"JOINT Tail{chain}_{link}", "{", f"OFFSET 0 2 {link % 3}",
                     "CHANNELS 3 Zrotation Xrotation Yrotation"]
        made += ["End Site", "{", "OFFSET 0 1 0", "}"] + ["}"] * 10
    count, lines = joints // 10 * 10, []
    for frame, row in enumerate(rows):
        cells = row.split()
        tail = [f"{((frame * 7 + at * 13) % 97) * 0.05:.4f}" for at in range(3 * count)]
        lines.append(" ".join(cells[:before] + tail + cells[before:]))
    path = where / f"joints-{joints}.bvh"
    path.write_text(with_frames(head[:depth + 1] + made + head[depth + 1:], lines))
    return path


def person(corners):
    """A person of capsules with so many corners around, as OBJ."""
    vertices, faces = [], []

    def capsule(start, end, radii):
        rings, first = 16, len(vertices) + 1
        way = [b - a for a, b in zip(start, end)]
        size = math.hypot(*way)
        along = [value / size for value in way]
        least = min(range(3), key=lambda axis: abs(along[axis]))
        other = [float(axis == least) for axis in range(3)]
        across = cross(along, other)
        across = [value / math.hypot(*across) for value in across]
        third = cross(along, across)
        vertices.append([a - d * radii[0] for a, d in zip(start, along)])
        for ring in range(rings):
            share = ring / (rings - 1)
            t = min(max((share - 0.3) / 0.4, 0.0), 1.0)
            angle = (min(share / 0.3 - 1.0, 0.0) + max((share - 0.7) / 0.3, 0.0)) * 1.5
            radius = radii[0] + (radii[1] - radii[0]) * t
            for corner in range(corners):
                turn = math.tau * corner / corners
                vertices.append([start[k] + way[k] * t + along[k] * radius * math.sin(angle)
                                 + (across[k] * math.cos(turn) + third[k] * math.sin(turn)) * radius * math.cos(angle)
                                 for k in range(3)])
        vertices.append([a + d * radii[1] for a, d in zip(end, along)])
        at = lambda ring, corner: first + 1 + ring * corners + corner % corners
        last = first + 1 + rings * corners
        for corner in range(corners):
            faces.append((first, at(0, corner + 1), at(0, corner)))
            for ring in range(rings - 1):
                a, b, c, d = (at(ring + up, corner + side) for up in (0, 1) for side in (0, 1))
                faces.extend([(a, b, d), (a, d, c)])
            faces.append((last, at(rings - 1, corner), at(rings - 1, corner + 1)))

    for side in (-1, 1):
        capsule((0.05 * side, 0.97, 0), (0.08 * side, 1.33, 0), (0.11, 0.11))
    capsule((0, 1.35, 0), (0, 1.55, 0), (0.055, 0.055))
    capsule((0, 1.63, 0.01), (0, 1.65, 0.01), (0.1, 0.1))
    for side in (-1, 1):
        along_arm = lambda way: ((0.19 + 0.7 * way) * side, 1.4 - 0.72 * way, 0)
        capsule((0.1 * side, 1.38, 0), along_arm(0), (0.07, 0.06))
        capsule(along_arm(0), along_arm(0.27), (0.052, 0.042))
        capsule(along_arm(0.27), along_arm(0.525), (0.042, 0.026))
        capsule(along_arm(0.575), along_arm(0.665), (0.038, 0.03))
        capsule((0.1 * side, 0.92, 0), (0.1 * side, 0.5, 0), (0.085, 0.055))
        capsule((0.1 * side, 0.5, 0), (0.1 * side, 0.09, 0), (0.055, 0.036))
        capsule((0.1 * side, 0.06, -0.01), (0.1 * side, 0.045, 0.15), (0.04, 0.03))
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in vertices]
    return "\n".join(lines + [f"f {a} {b} {c}" for a, b, c in faces]) + "\n"


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def long_take(frames):
    """A take of a face of so many frames: that of the fixtures again and again."""
    head, *rows = (FIXTURES / "faces/take.csv").read_text().splitlines()
    lines = [head]
    for frame in range(frames):
        seconds, part = divmod(frame, 60)
        time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}:{part:02}.000"
        lines.append(",".join([time, *rows[frame % len(rows)].split(",")[1:]]))
    return "\n".join(lines) + "\n"


def prepare(mocap, where, walk):
    """What cases need beside a motion of some size."""
    clip, frames = FIXTURES / "clips/alex_walk.bvh", len(rows_of(walk)[1])
    fps = 1 / float(next(line for line in rows_of(walk)[0] if line.startswith("Frame Time")).split()[-1])
    seconds = frames / fps
    made = {"in": walk, "clip": clip, "body": FIXTURES / "clips/robin.skel", "times": max(frames // 60, 1),
            "seconds": round(seconds * 1.5, 3), "head": FIXTURES / "faces/head.glb"}
    for name, ending, text in [
        ("keys", "toml", f"from = 0.1\nto = {seconds * 0.9}\n\n[[key]]\ntime = {seconds / 2}\njoint = \"LeftHand\"\n"
                         "by = [0, 10, 0]\n"),
        ("map", "csv", f"0,0\n{seconds / 2},{seconds / 4}\n{seconds},{seconds * 0.99}\n"),
        ("path", "csv", "0,0,0\n0,0,1000\n500,0,2000\n"),
        ("mesh", "obj", "v -9999 0 -9999\nv 9999 0 -9999\nv 9999 0 9999\nv -9999 0 9999\nf 1 2 3\nf 1 3 4\n"),
        ("graph", "toml", f"output = \"walk\"\n\n[clip.walk]\npath = \"{clip}\"\nloop = true\n"),
        ("timeline", "csv", f"time\n0\n{seconds}\n"),
        ("take", "csv", long_take(frames)),
        ("pipeline", "toml", "[[step]]\ndo = \"mirror\"\n\n[[step]]\ndo = \"write\"\nto = \"csv\"\n"),
    ]:
        made[name] = where / f"{name}-{frames}.{ending}"
        made[name].write_text(text)
    for name, words in [
        ("mocz", f"compress {walk} -o {where}/made-{frames}.mocz --error 1cm"),
        ("glb", f"convert {walk} -o {where}/made-{frames}.glb --mesh body"),
        ("trc", f"convert {walk} -o {where}/made-{frames}.trc --marker-set plug-in-gait"),
        ("points", f"convert {walk} -o {where}/points-{frames}.csv"),
        ("people", f"poses {FIXTURES}/clips/alex_walk.bvh {FIXTURES}/clips/alex_jump.bvh {FIXTURES}/clips/alex_turn.bvh "
                   f"-o {where}/made-{frames}.people"),
        ("index", f"index {walk} -o {where}/made-{frames}.index"),
        ("curve", f"edit {walk} --extract-root {where}/made-{frames}.csv -o {where}/made-{frames}.bvh"),
    ]:
        subprocess.run([mocap, *words.split(), "-q", "--overwrite"], check=True, stdout=subprocess.DEVNULL)
        made[name] = where / {"curve": f"made-{frames}.csv", "points": f"points-{frames}.csv"}.get(
            name, f"made-{frames}.{name}")
    # A drawn body is none that is baked: it gets the names of another program.
    drawn = made["glb"].read_bytes()
    made["glb"].write_bytes(drawn.replace(b"mocap ", b"other ").replace(b"Body", b"Suit"))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mocap", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=2.3)
    parser.add_argument("--frames", type=int, default=4000)
    parser.add_argument("--joints", type=int, default=200)
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--corners", type=int, default=24, help="corners around the limbs of a mesh: 6,500 vertices")
    parser.add_argument("--quick", action="store_true", help="small inputs once, in a minute: what is quadratic shows")
    options = parser.parse_args()
    if options.quick:
        # Twice as much may take up to three times as long: start-up counts more, and other programs run as well.
        small = {"runs": 1, "limit": 3.0, "frames": 2000, "joints": 100, "files": 50, "corners": 12}
        vars(options).update(small)
    with tempfile.TemporaryDirectory() as where:
        where = pathlib.Path(where)
        bench = Bench(options, where)
        verbs, edits, formats = table(options.mocap, where)
        missing = [verb for verb in verbs if verb not in VERBS]
        for verb in missing:
            print(f"{verb}: this verb has no case: add its words to VERBS in {pathlib.Path(__file__).name}")
        bench.failed += missing
        print(f"{'case':44} {'processor time, n 2n 4n':>26} {'×':>6}  {'peak':>20} {'×':>9}")

        sizes = [prepare(options.mocap, where, long_walk(options.mocap, where, factor * options.frames))
                 for factor in (1, 2, 4)]
        out = where / "out"

        def of_sizes(words, sizes):
            return [words.format(**size, out=out) for size in sizes]

        for verb, cases in VERBS.items():
            for words in (cases or []) if verb in verbs else []:
                short = words.replace(" -o {out}", "").replace("{in}", "IN")
                bench.case(f"frames: {short}", of_sizes(words, sizes))
        for edit in edits:
            words = EDITS.get(edit, f"--{edit}")
            bench.case(f"frames: edit {words}", of_sizes(f"edit {{in}} {words} -o {{out}}.bvh", sizes))
        for name in ("json", "csv", "npz", "glb", "fbx", "amc", "usda", "safetensors"):
            if name in formats:
                bench.case(f"frames: convert to {name}", of_sizes(f"convert {{in}} -o {{out}}.{name}", sizes))

        joints = [{**sizes[0], "in": with_joints(where, factor * options.joints)} for factor in (1, 2, 4)]
        for words in ("info {in}", "validate {in}", "convert {in} -o {out}.csv", "convert {in} -o {out}.glb",
                      "convert {in} -o {out}.fbx", "convert {in} -o {out}.bvh --euler XYZ", "edit {in} --mirror -o {out}.bvh",
                      "edit {in} --denoise auto -o {out}.bvh", "edit {in} --loop -o {out}.bvh",
                      "compress {in} -o {out}.mocz", "retarget {in} {body} -o {out}.bvh", "skel {in} -o {out}.skel",
                      "label {in}", "compare {in} {in}", "view {in} -o {out}.html"):
            bench.case(f"joints: {words.replace(' -o {out}', '').replace('{in}', 'IN')}", of_sizes(words, joints))

        meshes = [{**sizes[0], "mesh": where / f"person-{factor}.obj"} for factor in (1, 2, 4)]
        for factor, size in zip((1, 2, 4), meshes):
            size["mesh"].write_text(person(factor * options.corners))
        for words in ("rig {mesh} -o {out}.glb", "rig {mesh} --weight-method voxel -o {out}.glb"):
            bench.case(f"vertices: {words.replace(' -o {out}.glb', '').replace('{mesh}', 'MESH')}",
                       of_sizes(words, meshes))

        text = (FIXTURES / "clips/alex_wave.bvh").read_text()
        folders = []
        for factor in (1, 2, 4):
            folder = where / f"files-{factor}"
            for at in range(factor * options.files):
                path = folder / f"{at // 100:03}" / f"{at:05}.bvh"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            folders.append({**sizes[0], "folder": folder})
        for words in FOLDERS:
            short = words.replace(" -o {out}", "").replace("{folder}", "FOLDER")
            bench.case(f"files: {short}", of_sizes(f"{words}", folders))

        print(f"{bench.count} cases, {len(bench.failed)} grow by more than {options.limit} or failed")
        for name in bench.failed:
            print(f"  {name}")
        return 1 if bench.failed or not bench.count else 0


if __name__ == "__main__":
    sys.exit(serve() if sys.argv[1:] == ["--serve"] else main())
