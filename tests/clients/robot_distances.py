#!/usr/bin/env python3
"""Compares what mocap reports of parts inside each other and inside the floor with MuJoCo: which pairs meet by
mj_collision, how deep by mj_geomDistance.

usage: robot_distances.py MOCAP MODEL... -- CLIP...   (the built command; URDF or MJCF files; motions of people)

Each clip goes onto each model as it is, with parts kept apart and without, and onto the model rebuilt with thicker
shapes, boxes, cylinders, ellipsoids, and meshes in files of their own (STL and OBJ). Meshes of the models themselves are
left out. Ends with 1 where shares differ by more than 0.01 or depths by more than 1 mm.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
from robot_kinematics import inline, without_meshes

INSIDE, DEEP = 0.01, 0.005
SHARE, DEPTH = 0.01, 0.001
FLOOR = "floor of the comparison"
VERBOSE = "VERBOSE" in os.environ


def described(path):
    """The root element of a model, without meshes and includes."""
    root = ET.parse(path).getroot()
    inline(root, path.parent)
    if root.tag == "robot":
        for link in root.iter("link"):
            for part in list(link):
                if part.tag == "visual" or part.tag == "collision" and part.find("geometry/mesh") is not None:
                    link.remove(part)
        # MuJoCo refuses bodies without a mass.
        ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="false", boundmass="0.001", boundinertia="0.001")
    else:
        without_meshes(root)
    return root


def spec_of(root, files=None):
    """A model with a free base."""
    spec = mujoco.MjSpec.from_string(ET.tostring(root).decode(), assets=files)
    if root.tag == "robot":
        spec.worldbody.first_body().add_freejoint()
    return spec


def on_floor(spec):
    """The model on a floor that meets all shapes."""
    for geom in list(spec.worldbody.geoms):
        spec.delete(geom)
    everything = 2**31 - 1
    spec.worldbody.add_geom(
        name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=everything, conaffinity=everything
    )
    return spec.compile()


def rebuilt(root, kind):
    """The same model as text, with other collision shapes about the same size."""
    spec, types = spec_of(root), mujoco.mjtGeom
    model = spec.compile()
    for geom in spec.geoms:
        index = geom.id
        old, size = types(int(model.geom_type[index])), model.geom_size[index].copy()
        if old == types.mjGEOM_PLANE:
            continue
        geom.fromto = [np.nan] * 6
        geom.pos, geom.quat, new = model.geom_pos[index], model.geom_quat[index], old
        round_ones = (types.mjGEOM_SPHERE, types.mjGEOM_CAPSULE, types.mjGEOM_CYLINDER)
        if kind == "thick":
            size[: 1 if old in round_ones else 3] += 0.03
        elif old in round_ones:
            long = (size[1] if old != types.mjGEOM_SPHERE else 0.0) + (size[0] if old != types.mjGEOM_CYLINDER else 0.0)
            match kind:
                case "box":
                    new, size = types.mjGEOM_BOX, [size[0], size[0] * 0.8, long]
                case "ellipsoid":
                    new, size = types.mjGEOM_ELLIPSOID, [size[0], size[0] * 1.2, long]
                case "cylinder":
                    new, size = types.mjGEOM_CYLINDER, [size[0], long, 0]
        elif kind in ("cylinder", "ellipsoid"):
            new = types.mjGEOM_ELLIPSOID if kind == "ellipsoid" else types.mjGEOM_CYLINDER
            size = size if kind == "ellipsoid" else [min(size[:2]), size[2], 0]
        geom.type, geom.size = new, size
    spec.compile()
    return ET.fromstring(spec.to_xml())


def surface(kind, size):
    """Points on a shape, along Z, and triangles between them: rings from one end to the other."""
    types, around = mujoco.mjtGeom, 24
    if kind == types.mjGEOM_BOX:
        rings = [(z, [(x, y) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]) for z in (-1, 1)]
        points = [[(x * size[0], y * size[1], z * size[2]) for x, y in ring] for z, ring in rings]
    else:
        angles = np.linspace(0, np.pi, 13)
        if kind == types.mjGEOM_CYLINDER:
            profile = [(1, -size[1]), (1, size[1])]
            radii = [size[0], size[0]]
        elif kind == types.mjGEOM_ELLIPSOID:
            profile, radii = [(np.sin(a), -size[2] * np.cos(a)) for a in angles], size[:2]
        else:
            half = size[1] if kind == types.mjGEOM_CAPSULE else 0.0
            ends = [(np.sin(a), -size[0] * np.cos(a) + np.sign(a - np.pi / 2) * half) for a in angles]
            profile, radii = [end for end in ends if end != ends[6]] + [(1, -half), (1, half)], [size[0], size[0]]
            profile.sort(key=lambda end: end[1])
        turns = np.arange(around) * 2 * np.pi / around
        points = [[(r * radii[0] * np.cos(t), r * radii[1] * np.sin(t), z) for t in turns] for r, z in profile]
    count, triangles = len(points[0]), []
    for ring in range(len(points) - 1):
        for a in range(count):
            b = (a + 1) % count
            low, high = ring * count, (ring + 1) * count
            triangles += [(low + a, low + b, high + b), (low + a, high + b, high + a)]
    last = (len(points) - 1) * count
    for a in range(1, count - 1):
        triangles += [(0, a + 1, a), (last, last + a, last + a + 1)]
    return np.array(points).reshape(-1, 3), triangles


def meshed(root):
    """The same model with a mesh for each shape, as text, and the files of the meshes."""
    spec, types = spec_of(root), mujoco.mjtGeom
    model = spec.compile()
    # MuJoCo knows no sizes of shapes before it has compiled them.
    found = [(geom, types(int(model.geom_type[geom.id])), model.geom_size[geom.id].copy(), geom.id) for geom in spec.geoms]
    files = {}
    for geom, kind, size, index in found:
        if kind == types.mjGEOM_PLANE:
            continue
        points, triangles = surface(kind, size)
        name = f"shape{index}.{'obj' if index % 2 else 'stl'}"
        if index % 2:
            lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
            lines += ["f " + " ".join(str(corner + 1) for corner in triangle) for triangle in triangles]
            files[name] = "\n".join(lines).encode()
        else:
            facets = [struct.pack("<12fH", 0, 0, 0, *points[list(triangle)].flatten(), 0) for triangle in triangles]
            files[name] = b"\0" * 80 + struct.pack("<I", len(facets)) + b"".join(facets)
        spec.add_mesh(name=f"shape{index}", file=name)
        geom.fromto = [np.nan] * 6
        geom.pos, geom.quat = model.geom_pos[index], model.geom_quat[index]
        geom.type, geom.meshname = types.mjGEOM_MESH, f"shape{index}"
    spec.assets, spec.meshdir = files, ""
    spec.compile()
    return ET.fromstring(spec.to_xml()), files


def depths(model, base, joints, values):
    """By frame: how deep the deepest parts are in each other, and in the floor [m]."""
    data = mujoco.MjData(model)
    addresses = [model.joint(name).qposadr[0] for name in joints]
    floor = model.geom(FLOOR).id
    own, ground = np.zeros(len(values)), np.zeros(len(values))
    for frame in range(len(values)):
        data.qpos[:7], data.qpos[addresses] = base[frame], values[frame]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        for contact in data.contact[: data.ncon]:
            pair = int(contact.geom1), int(contact.geom2)
            if floor in pair:
                ground[frame] = max(ground[frame], -contact.dist)
            else:
                own[frame] = max(own[frame], -mujoco.mj_geomDistance(model, data, *pair, 1.0, None))
    return own, ground


def figures(depths, limit):
    return (depths > limit).mean(), max(depths.max(), 0.0)


def main():
    mocap, models, clips = sys.argv[1], sys.argv[2 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    motions, differ, worst = 0, 0, [0.0] * 4
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for model in map(Path, models):
            root = described(model)
            kinds = {"as it is": root, **{kind: rebuilt(root, kind) for kind in ("thick", "box", "cylinder", "ellipsoid")}}
            kinds = {kind: (root, {}) for kind, root in kinds.items()} | {"mesh": meshed(root)}
            for kind, (root, files) in kinds.items():
                for name, content in files.items():
                    (folder / name).write_bytes(content)
                path = folder / f"model{'.urdf' if root.tag == 'robot' else '.xml'}"
                path.write_bytes(ET.tostring(root))
                physics = on_floor(spec_of(root, files))
                for clip in clips:
                    for flags in ([], ["--no-separation"]):
                        out = folder / "motion.csv"
                        words = [mocap, "retarget", clip, path, "-o", out, "--to", "unitree-csv", "--json", "--overwrite", *flags]
                        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
                        what = f"{model.name} {kind}, {Path(clip).stem}{' '.join(['', *flags])}"
                        if done.returncode:
                            print(f"{what}: {done.stdout.strip()} {done.stderr.strip()}")
                            differ += 1
                            continue
                        report = json.loads(done.stdout.splitlines()[0])["robot"]
                        joints = json.loads((folder / "motion.csv.joints.json").read_text())["joints"]
                        table = np.loadtxt(out, delimiter=",", ndmin=2)
                        own, ground = depths(physics, table[:, [0, 1, 2, 6, 3, 4, 5]], joints, table[:, 7:])
                        found = report["self_penetration"] or {"share": 0.0, "max": 0.0}
                        pairs = [
                            (found["share"], figures(own, INSIDE)[0]),
                            (found["max"], figures(own, INSIDE)[1]),
                            (report["penetration"]["share"], figures(ground, DEEP)[0]),
                            (max(report["penetration"]["max"], 0.0), figures(ground, DEEP)[1]),
                        ]
                        motions += 1
                        off = [abs(a - b) for a, b in pairs]
                        worst = [max(pair) for pair in zip(worst, off)]
                        if VERBOSE:
                            print(what, *(f"{a:.4f}/{b:.4f}" for a, b in pairs))
                        if any(value > limit for value, limit in zip(off, (SHARE, DEPTH) * 2)):
                            differ += 1
                            numbers = ", ".join(f"{a:.4f} / {b:.4f}" for a, b in pairs)
                            print(f"{what}: mocap / MuJoCo: itself share, depth, floor share, depth {numbers}")
    off = "itself {:.4f} of frames, {:.5f} m; floor {:.4f} of frames, {:.5f} m".format(*worst)
    print(f"robots against MuJoCo's distances: {motions} motions, {differ} differ; greatest difference: {off}")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
