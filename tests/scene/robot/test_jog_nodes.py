"""Jogging the tool of a robot in a scene."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import Body, IKChain, Joint, Robot, RobotModel

MODEL = RobotModel(
    Body(
        f"b{k}",
        f"b{k - 1}" if k else "world",
        (0, 0, 0.5),
        joints=[Joint(f"j{k}", axis="zyyzyz"[k], range=(-2.5, 2.5))],
    )
    for k in range(6)
)
DT = 1.0 / 60.0


def arm(world, scale=1.0):
    robot = Robot(MODEL, world)
    robot.root.set_pos_hpr(2, 1, 0, 40, 0, 0)
    robot.root.set_scale(scale)
    robot.set_qpos([0.3, 0.6, 0.9, 0.2, 0.7, 0.1])
    chain = IKChain(robot.body("b5"), 6, solver="dls", orientation_weight=1.0)
    return robot, chain


@pytest.mark.parametrize("frame", ["world", "tool"])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_tool_moves_along_the_axes(frame, scale):
    world = p3d.NodePath("world")
    robot, chain = arm(world, scale)
    tool = robot.body("b5")
    effector = chain.effectors[0]
    place, turn = tool.get_pos(world), tool.get_quat(world)
    for _ in range(60):
        effector.jog((0.0, 0.0, -0.2 * scale), dt=DT, frame=frame)
        assert chain.update(DT).converged
    axis = p3d.LVector3(0, 0, -1)
    wanted = axis if frame == "world" else turn.xform(axis)
    way = tool.get_pos(world) - place
    assert np.allclose(way / scale, wanted * 0.2, atol=5e-3)
    # and turns about itself
    place = tool.get_pos(world)
    for _ in range(60):
        effector.jog(spin=(0.0, 0.0, 0.4), dt=DT, frame=frame)
        assert chain.update(DT).converged
    assert np.allclose(tool.get_pos(world), place, atol=5e-3)
    angle = turn.get_forward().angle_rad(tool.get_quat(world).get_forward())
    if frame == "tool":
        assert angle == pytest.approx(0.4, abs=0.01)
    assert 0.01 < angle < 0.41


def test_target_does_not_run_away_from_a_blocked_arm():
    world = p3d.NodePath("world")
    robot, chain = arm(world)
    effector, tool = chain.effectors[0], robot.body("b5")
    for _ in range(600):
        effector.jog((0.0, 0.0, 1.0), dt=DT)
        chain.update(DT)
    ahead = (effector.target.get_pos(world) - tool.get_pos(world)).length()
    assert ahead < 0.55
    high = tool.get_pos(world).z
    for _ in range(60):
        effector.jog((0.0, 0.0, -1.0), dt=DT)
        chain.update(DT)
    assert tool.get_pos(world).z < high - 0.3


@pytest.mark.parametrize(
    "lose",
    [
        lambda chain: chain.target.remove_node(),
        lambda chain: p3d.NodePath(chain.target).remove_node(),
        lambda chain: chain.target.detach_node(),
        lambda chain: chain.leaf.remove_node(),
    ],
)
def test_removed_nodes_are_not_jogged(lose):
    world = p3d.NodePath("world")
    _robot, chain = arm(world)
    lose(chain)
    for frame in ("world", "tool"):
        chain.effectors[0].jog((0.1, 0.0, 0.0), (0.0, 0.0, 0.1), dt=DT, frame=frame)


def test_invalid_speeds_move_nothing():
    world = p3d.NodePath("world")
    effector = arm(world)[1].effectors[0]
    before = effector.target.get_pos(world)
    for bad in (math.nan, math.inf, 1e300):
        for frame in ("world", "tool"):
            effector.jog((bad, 0, 0), dt=DT, frame=frame)
            effector.jog(spin=(0, bad, 0), dt=DT, frame=frame)
    effector.jog((1, 0, 0), dt=math.nan)
    assert effector.target.get_pos(world).almost_equal(before, 1e-6)
