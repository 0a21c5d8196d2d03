"""Puts a walk on a humanoid robot and writes the file that a trainer reads."""

import mocap

walk = mocap.read("fixtures/clips/alex_walk.bvh", unit="cm")
robot = mocap.read_skeleton("fixtures/robots/pip.xml")
motion, report = mocap.retarget(walk, robot, fps=50)
print(report)
motion.write("walk.npz", format="mjlab-npz")
print(f"{motion.frames} frames of {len(robot.robot_joints)} joints in walk.npz")
