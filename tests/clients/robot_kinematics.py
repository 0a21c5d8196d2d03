#!/usr/bin/env python3
"""Compares the forward kinematics of robots with MuJoCo and Pinocchio on random joint values.

usage: robot_kinematics.py ROBOT_POSES MODEL...   (the built example `robot_poses`, then URDF or MJCF files)
Ends with 1 where a body is further than 1e-6 m or rad from where another program has it.
"""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

POSES = 1000
LIMIT = 1e-6


def values_of(joints, rng):
    """Random bases and joint values: POSES x (7 + joints)."""
    values = rng.uniform(-1.5, 1.5, (POSES, 7 + joints))
    values[:, 3:7] = rng.normal(size=(POSES, 4))
    values[:, 3:7] /= np.linalg.norm(values[:, 3:7], axis=1, keepdims=True)
    return values


def ours(exe, model):
    """Names of joints and bodies, the values used, and POSES x bodies x 7."""
    names = subprocess.run([exe, model], input="", capture_output=True, text=True, check=True).stdout
    joints, bodies = (line.split("\t") for line in names.splitlines()[:2])
    joints = [name for name in joints if name]
    values = values_of(len(joints), np.random.default_rng(7))
    text = "\n".join(" ".join(map(repr, map(float, row))) for row in values)
    out = subprocess.run([exe, model], input=text, capture_output=True, text=True, check=True).stdout
    placed = np.array([line.split() for line in out.splitlines()[2:]], float)
    return joints, bodies, values, placed.reshape(POSES, len(bodies), 7)


def without_meshes(element):
    for child in list(element):
        is_mesh = child.tag == "geom" and (child.get("mesh") or child.get("type") == "mesh")
        drop = ("mesh", "texture", "material", "sensor", "actuator", "camera", "light", "keyframe", "skin", "pair")
        if child.tag in drop or is_mesh:
            element.remove(child)
        else:
            if child.tag == "default" and child.find("geom") is not None:
                geom = child.find("geom")
                if geom.get("type") == "mesh":
                    geom.attrib.pop("type")
            child.attrib.pop("material", None)
            if child.tag == "geom" and child.get("type") is None and child.get("size") is None and child.get("fromto") is None and child.get("class") is None:
                element.remove(child)
                continue
            without_meshes(child)


def inline(element, folder):
    for index, child in reversed(list(enumerate(list(element)))):
        inline(child, folder)
        if child.tag == "include":
            path = folder / child.get("file")
            root = ET.parse(path).getroot()
            inline(root, path.parent)
            element.remove(child)
            for offset, inner in enumerate(list(root)):
                element.insert(index + offset, inner)


def by_mujoco(model, joints, bodies, values):
    import mujoco

    root = ET.parse(model).getroot()
    inline(root, Path(model).parent)
    without_meshes(root)
    compiled = mujoco.MjModel.from_xml_string(ET.tostring(root).decode())
    data = mujoco.MjData(compiled)
    addresses = [compiled.joint(name).qposadr[0] for name in joints]
    ids = [compiled.body(name).id for name in bodies]
    placed = np.empty((POSES, len(bodies), 7))
    for pose, row in enumerate(values):
        data.qpos[:7] = row[:7]
        data.qpos[addresses] = row[7:]
        mujoco.mj_kinematics(compiled, data)
        placed[pose] = np.concatenate([data.xpos[ids], data.xquat[ids]], axis=1)
    return placed


def by_pinocchio(model, joints, bodies, values):
    import pinocchio

    compiled = pinocchio.buildModelFromUrdf(model, pinocchio.JointModelFreeFlyer())
    data = compiled.createData()
    q = pinocchio.neutral(compiled)
    frames = [compiled.getFrameId(name, pinocchio.FrameType.BODY) for name in bodies]
    placed = np.empty((POSES, len(bodies), 7))
    for pose, row in enumerate(values):
        q[:7] = row[[0, 1, 2, 4, 5, 6, 3]]
        for name, value in zip(joints, row[7:]):
            joint = compiled.joints[compiled.getJointId(name)]
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                q[joint.idx_q] = value
        pinocchio.framesForwardKinematics(compiled, data, q)
        for body, frame in enumerate(frames):
            turn = pinocchio.Quaternion(data.oMf[frame].rotation)
            placed[pose, body] = [*data.oMf[frame].translation, turn.w, turn.x, turn.y, turn.z]
    return placed


def main():
    exe, models = sys.argv[1], sys.argv[2:]
    failed = False
    for model in models:
        joints, bodies, values, placed = ours(exe, model)
        reference = (by_pinocchio if model.endswith(".urdf") else by_mujoco)(model, joints, bodies, values)
        apart = np.linalg.norm(placed[..., :3] - reference[..., :3], axis=-1).max()
        dots = np.abs((placed[..., 3:] * reference[..., 3:]).sum(-1)).clip(max=1)
        turned = np.sqrt(np.maximum(0, 1 - dots**2)).max() * 2
        good = apart <= LIMIT and turned <= LIMIT * 10
        failed |= not good
        print(f"{model}: {len(joints)} joints, {len(bodies)} bodies, off by {apart:.2g} m, {turned:.2g} rad")
    sys.exit(failed)


if __name__ == "__main__":
    main()
