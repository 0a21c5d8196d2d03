#!/usr/bin/env python3
"""Reads robot motions that mocap writes with numpy and pickle, plays them through MuJoCo, and compares.

usage: robots.py MOCAP   (the built command)
Ends with 1 where a body is further than 1e-6 m (1e-5 in 32-bit files) from where MuJoCo has it, or a value differs.
"""

import json
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MODEL = FIXTURES / "robots/pip.xml"
CLIP = FIXTURES / "clips/alex_walk.bvh"


def bodies_of(model, base, names, values):
    """Frames x bodies x 7 by MuJoCo, in the order of the model without the world."""
    data = mujoco.MjData(model)
    addresses = [model.joint(name).qposadr[0] for name in names]
    placed = np.empty((len(values), model.nbody - 1, 7))
    for frame in range(len(values)):
        data.qpos[:7] = base[frame]
        data.qpos[addresses] = values[frame]
        mujoco.mj_kinematics(model, data)
        placed[frame] = np.concatenate([data.xpos[1:], data.xquat[1:]], axis=1)
    return placed


def main():
    mocap = sys.argv[1]
    model = mujoco.MjModel.from_xml_path(str(MODEL))
    bodies = [model.body(index).name for index in range(1, model.nbody)]
    problems = []

    def check(what, good):
        if not good:
            problems.append(what)

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)

        def write(name, *flags):
            command = [mocap, "retarget", CLIP, MODEL, "-o", folder / name, "--fps", "30", "-q", *flags]
            subprocess.run([str(part) for part in command], check=True)
            return json.loads((folder / f"{name}.joints.json").read_text())

        beside = write("walk.csv")
        table = np.loadtxt(folder / "walk.csv", delimiter=",")
        joints, base = beside["joints"], table[:, [0, 1, 2, 6, 3, 4, 5]]
        expected = bodies_of(model, base, joints, table[:, 7:])
        check("unitree-csv: order of joints", joints == [model.joint(i).name for i in range(1, model.njnt)])
        low, high = model.jnt_range[1:].T
        check("unitree-csv: limits", ((table[:, 7:] >= low) & (table[:, 7:] <= high)).all())

        write("head.csv", "--to", "robot-csv")
        names = (folder / "head.csv").read_text().splitlines()[0].split(",")
        check("robot-csv: header", names[8:] == joints)
        headed = np.loadtxt(folder / "head.csv", delimiter=",", skiprows=1)
        check("robot-csv: values", np.array_equal(headed[:, 1:], table))

        for order in ("dfs", "bfs"):
            beside = write(f"{order}.npz", "--to", "mjlab-npz", "--order", order)
            npz = np.load(folder / f"{order}.npz")
            rows = [bodies.index(name) for name in beside["bodies"]]
            columns = [joints.index(name) for name in beside["joints"]]
            check(f"mjlab-npz {order}: fps", npz["fps"].shape == (1,) and npz["fps"][0] == 30)
            check(f"mjlab-npz {order}: joints", np.abs(npz["joint_pos"] - table[:, 7:][:, columns]).max() < 1e-6)
            check(f"mjlab-npz {order}: bodies", np.abs(npz["body_pos_w"] - expected[:, rows, :3]).max() < 1e-5)
            dots = np.abs((npz["body_quat_w"] * expected[:, rows, 3:]).sum(-1))
            check(f"mjlab-npz {order}: rotations", (1 - dots).max() < 1e-6)
            speed = np.gradient(expected[:, rows, :3], 1 / 30, axis=0)
            check(f"mjlab-npz {order}: speeds", np.abs(npz["body_lin_vel_w"] - speed).max() < 1e-4)
            speed = np.gradient(table[:, 7:][:, columns], 1 / 30, axis=0)
            check(f"mjlab-npz {order}: joint speeds", np.abs(npz["joint_vel"] - speed).max() < 1e-4)
            check(f"mjlab-npz {order}: turns", np.isfinite(npz["body_ang_vel_w"]).all())

        write("amp.npz", "--to", "isaac-npz")
        npz = np.load(folder / "amp.npz")
        check("isaac-npz: names", list(npz["dof_names"]) == joints and list(npz["body_names"]) == bodies)
        check("isaac-npz: bodies", np.abs(npz["body_positions"] - expected[..., :3]).max() < 1e-5)

        write("gmr.npz", "--to", "gmr-npz")
        write("pickled.pkl", "--to", "gmr-pkl")
        npz = np.load(folder / "gmr.npz")
        pickled = pickle.loads((folder / "pickled.pkl").read_bytes())
        check("gmr: keys", set(pickled) == set(npz.files))
        check("gmr-npz: base", np.array_equal(npz["root_rot"], table[:, 3:7]))
        for key in ("root_pos", "root_rot", "dof_pos", "local_body_pos"):
            check(f"gmr-pkl: {key}", np.array_equal(pickled[key], npz[key]) and pickled[key].ndim == npz[key].ndim)
        check("gmr-pkl: fps", pickled["fps"] == 30)
        local = expected[:, :, :3] - base[:, None, :3]
        away = np.linalg.norm(pickled["local_body_pos"], axis=-1) - np.linalg.norm(local, axis=-1)
        check("gmr: places", np.abs(away).max() < 1e-6)

    for problem in problems:
        print("differs:", problem)
    print(f"robots: {len(table)} frames in 6 formats, {len(problems)} differences from MuJoCo and numpy")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
