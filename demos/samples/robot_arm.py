"""A robot arm: load a file, set angles, read the tool's pose, move it to a goal."""

import math
from pathlib import Path

from direct.showbase.ShowBase import ShowBase
from direct.task import Task

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(3.5, -4.5, 1.4, 38, -6, 0)

model = ikrig.load_robot(ASSETS / "models/six_axis.yaml")  # or a URDF or MJCF file
robot = ikrig.Robot(model, base.render)
for name, degrees in {"L": 20, "U": 60, "B": 40}.items():
    robot.joints[name].value = math.radians(degrees)

tool = robot.body("tool")  # a node at the pose that results from the angles
print("tool at", tool.get_pos(base.render), tool.get_hpr(base.render))

solver = ikrig.RobotSolver(model, "tool")
solver.solve([0, 0, 0], start=robot.qpos, weights=[0])  # start in this pose
slow = ikrig.SolveSettings(joint_speeds=dict.fromkeys(robot.joints, math.radians(60)))


def move(task: Task.Task) -> int:
    """Move the tool to a goal, each joint by at most 60 degrees a second."""
    result = solver.solve([0.8, -0.6, 0.9], settings=slow, dt=base.clock.dt)
    robot.set_qpos(result.qpos)
    return Task.cont


base.task_mgr.add(move, "move")
base.run()
