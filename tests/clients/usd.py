"""USD files against usd-core: joint transforms of UsdSkel are those of the table of positions; validators are silent."""
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np
from pxr import Usd, UsdGeom, UsdSkel, UsdValidation

MOCAP = os.environ["MOCAP"]
CORPUS = os.environ.get("MOCAP_CORPUS", "../shared/data")
WITHIN = 1e-5
clips = ["fixtures/clips/alex_walk.bvh", "fixtures/clips/robin_turn.amc"]
clips += [f for f in (f"{CORPUS}/cmu/12_01_walk.bvh", f"{CORPUS}/bandai/dataset-1_kick_normal_001.bvh") if os.path.exists(f)]
failures, worst = 0, 0.0


def mocap(*arguments):
    subprocess.run([MOCAP, *arguments], check=True, capture_output=True)


def check(holds, message):
    global failures
    if not holds:
        failures += 1
        print("FAILED", message)


def table(clip, folder):
    """Frames by number: joint -> place in metres."""
    file = os.path.join(folder, "positions.csv")
    mocap("convert", clip, "-o", file, "--overwrite", "--unit", "m", "--up", "Y")
    frames = {}
    with open(file, newline="", encoding="utf8") as rows:
        for row in csv.DictReader(rows):
            frames.setdefault(int(row["frame"]), {})[row["joint"]] = [float(row[axis]) for axis in "xyz"]
    return frames


with tempfile.TemporaryDirectory() as folder:
    for clip in clips:
        for mesh in ("body", "sticks", "none"):
            # A stage of one path is opened once.
            file = os.path.join(folder, f"{os.path.basename(clip)}-{mesh}.usda")
            mocap("convert", clip, "-o", file, "--overwrite", "--mesh", mesh)
            stage = Usd.Stage.Open(file)
            frames = table(clip, folder)
            check(stage.GetDefaultPrim().IsA(UsdSkel.Root), f"{clip}: the default prim is not a SkelRoot")
            check(UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1, f"{clip}: axes or unit")
            check(stage.GetEndTimeCode() == len(frames) - 1, f"{clip}: {stage.GetEndTimeCode()} time codes")
            root = UsdSkel.Root(stage.GetDefaultPrim())
            skeleton = UsdSkel.Skeleton(next(prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)))
            cache = UsdSkel.Cache()
            cache.Populate(root, Usd.PrimDefaultPredicate)
            query = cache.GetSkelQuery(skeleton)
            names = list(skeleton.GetPrim().GetAttribute("jointNames").Get())
            for frame in range(0, len(frames), max(1, len(frames) // 9)):
                transforms = np.array([np.array(x) for x in query.ComputeJointSkelTransforms(Usd.TimeCode(frame))])
                size = max(1.0, max(abs(v) for place in frames[frame].values() for v in place))
                for name, transform in zip(names, transforms):
                    if name in frames[frame]:
                        worst = max(worst, float(np.abs(transform[3, :3] - frames[frame][name]).max()) / size)
            meshes = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
            check(len(meshes) == (mesh != "none"), f"{clip}: {len(meshes)} meshes")
            found = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators()).Validate(stage)
            check(not found, f"{clip} {mesh}: {[error.GetMessage() for error in found][:2]}")
check(worst < WITHIN, f"off by {worst:.2g} of the body")
print(f"USD: {len(clips) * 3} files, joints within {worst:.1g} of the body, validators silent" if not failures else f"USD: {failures} failures")
sys.exit(bool(failures))
