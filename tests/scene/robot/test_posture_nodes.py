"""Speeds and postures of chains and trees in a scene, and in rig files."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import Body, IKChain, IKTree, Joint, Robot, RobotModel, SolveStatus
from ikrig.formats.robot_yaml import dump_robot

COUNT = 6
MODEL = RobotModel(
    Body(
        f"b{k}",
        f"b{k - 1}" if k else "world",
        (0, 0, 0.5),
        joints=[
            Joint(f"j{k}", axis="xy"[k % 2], range=(-0.5, 1.5), speed=0.5 + 0.2 * k)
        ],
    )
    for k in range(COUNT)
)


def make(kind, **settings):
    world = p3d.NodePath("world")
    robot = Robot(MODEL, world)
    robot.set_qpos(np.full(COUNT, 0.2))
    target = world.attach_new_node("target")
    tool = robot.body(f"b{COUNT - 1}")
    target.set_pos(tool.get_pos(world))
    if kind == "chain":
        chain = IKChain(
            tool, COUNT, target, solver="dls", match_rotation=False, **settings
        )
        return robot, target, chain
    goals = {tool: target}
    tree = IKTree(robot.root, goals, solver="dls", match_rotation=False, **settings)
    return robot, target, tree


@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_joint_speeds_follow_the_robots_file(kind):
    # joints of other chains are named too
    speeds = MODEL.speed_limits | {"other": 1.0}
    robot, target, ik = make(kind, joint_speeds=speeds)
    pose = ikrig.forward_kinematics(MODEL, np.linspace(0.9, -0.3, COUNT))
    target.set_pos(*pose.xpos[-1])
    ik.update(1.0 / 60.0)
    last = robot.qpos
    for dt in (1.0 / 60.0, 1.0 / 30.0, 1.0 / 240.0) * 4:
        ik.update(dt)
        assert (np.abs(robot.qpos - last) <= MODEL.joint_speeds * dt + 1e-5).all()
        last = robot.qpos
    assert ik.result.status is SolveStatus.STALLED
    for _ in range(300):
        ik.update(1.0 / 30.0)
    assert ik.result.converged


def test_unknown_joint_is_reported_once_per_status(caplog):
    robot, target, ik = make("chain", joint_speeds={"elbow": 1.0})
    before = robot.qpos
    target.set_pos(1.0, 0.8, 1.5)
    for _ in range(3):
        result = ik.update(1.0 / 60.0)
        assert result.status is SolveStatus.INVALID_TARGET
        assert (
            "joint_speeds: 'elbow' is not a joint here; available: j0" in result.detail
        )
    assert np.allclose(robot.qpos, before)
    ik.joint_speeds = None
    assert ik.update(1.0 / 60.0).status is not SolveStatus.INVALID_TARGET


RIG = """\
nodes:
  goal: {pos: [0.5, 0.6, 2.0]}
bodies:
  arm: {file: arm.yaml}
chains:
  reach:
    leaf: b5
    chain_length: 6
    target: goal
    solver: dls
    match_rotation: false
    posture_weight: 0.2
    posture: middle
    posture_weights: {j1: 3, j4: 0.5}
    joint_speeds_deg: {j0: 90, j3: 45}
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("posture: {j0: 0.5, elbw: 1}", r"posture: there is no joint 'elbw' here"),
        ("posture: {j0: 0.5, jj1: 1}", r"did you mean 'j1'"),
        ("posture: midle", r"did you mean 'middle'"),
        ("posture: {}", r"posture must be"),
        ("posture: {j0: high}", r"posture must be"),
        ("posture_weights: {j0: 1, j00: 2}", r"posture_weights: .* did you mean 'j0'"),
        ("joint_speeds_deg: {j1: 9, k9: 9}", r"joint_speeds: there is no joint 'k9'"),
    ],
)
def test_unknown_joint_is_reported_with_its_line(tmp_path, line, message):
    dump_robot(MODEL, tmp_path / "arm.yaml")
    path = tmp_path / "rig.yaml"
    rows = RIG.splitlines()
    key = line.split(":")[0] + ":"
    at = next(i for i, row in enumerate(rows) if row.strip().startswith(key))
    rows[at] = f"    {line}"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(ikrig.RigFileError, match=message) as found:
        ikrig.load_rig(path, None, p3d.NodePath("scene"))
    assert f"rig.yaml:{at + 1}:" in str(found.value)
