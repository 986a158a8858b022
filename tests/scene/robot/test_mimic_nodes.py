"""Robots with mimicking joints in a scene: set, solved, played and fed."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import Body, IKChain, IKTree, Joint, Robot, RobotModel, Site

WRIST = {"mimic": "bend", "multiplier": -0.5, "offset": 0.3}
MODEL = RobotModel(
    [
        Body("base", joints=[Joint("turn", axis="z", range=(-2, 2))]),
        Body("arm", "base", (1, 0, 0), joints=[Joint("bend", axis="y", range=(-1, 2))]),
        Body("hand", "arm", (1, 0, 0), joints=[Joint("wrist", "hinge", "y", **WRIST)]),
        Body(
            "tool",
            "hand",
            (0.5, 0, 0),
            joints=[
                Joint(
                    "reach", "slide", axis="x", mimic="turn", multiplier=0.2, offset=0.1
                )
            ],
            sites=[Site("tip", (0.3, 0, 0))],
        ),
        Body("flag", "hand", joints=[Joint("flag", axis="z", mimic="bend")]),
    ]
)


@pytest.fixture
def world():
    return p3d.NodePath("world")


def coupled(robot: Robot) -> bool:
    return np.allclose(robot.qpos, MODEL.couple(robot.qpos), rtol=0, atol=1e-4)


def test_setting_one_joint_moves_its_followers(world):
    robot = Robot(MODEL, world)
    assert coupled(robot)
    robot.joints["bend"].value = 0.4
    assert np.allclose(robot.qpos, [0, 0.4, 0.1, 0.1, 0.4], atol=1e-5)
    # the mechanism is one: what follows takes what leads along, inside its range
    robot.joints["wrist"].value = -0.2
    assert np.allclose(robot.qpos, [0, 1.0, -0.2, 0.1, 1.0], atol=1e-5)
    robot.joints["wrist"].value = -9.0
    assert np.allclose(robot.qpos, [0, 2.0, -0.7, 0.1, 2.0], atol=1e-5)
    # a feed has values for all of them, of which those that lead count
    robot.set_qpos([0.5, 0.2, 9.0, 9.0, 9.0])
    assert np.allclose(robot.qpos, [0.5, 0.2, 0.2, 0.2, 0.2], atol=1e-5)
    robot.set_qpos([0.5, 2.5, 9.0, 9.0, 9.0], clamp=False)
    assert np.allclose(robot.qpos, [0.5, 2.5, -0.95, 0.2, 2.5], atol=1e-5)


@pytest.mark.parametrize("scale", [1.0, 0.3])
@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_goals_are_reached_with_couplings(world, scale, kind):
    robot = Robot(MODEL, world)
    robot.root.set_scale(scale)
    robot.set_qpos([0.3, 0.4, 0.0, 0.0, 0.0])
    target = world.attach_new_node("target")
    tip = robot.site("tip")
    if kind == "chain":
        ik = IKChain(tip, 4, target, solver="dls", match_rotation=False)
    else:
        ik = IKTree(robot.root, {tip: target}, solver="dls", match_rotation=False)
    rng = np.random.default_rng(2)
    for _ in range(20):
        qpos = MODEL.couple([rng.uniform(-2, 2), rng.uniform(-1, 2), 0, 0, 0])
        place = ikrig.forward_kinematics(MODEL, qpos).site_xpos[0]
        target.set_pos(robot.root, *place)
        assert ik.update(1.0 / 60.0).converged
        # also what hangs beside the chain
        assert coupled(robot)
        reached = ikrig.forward_kinematics(MODEL, robot.qpos).site_xpos[0]
        assert np.allclose(reached, place, atol=5e-3)
        # nobody has touched what follows: the next frame has nothing to do
        before = ik.result
        assert ik.update(1.0 / 60.0).iterations == before.iterations


def test_chain_without_the_leading_joint_keeps_followers_fixed(world):
    robot = Robot(MODEL, world)
    target = world.attach_new_node("target")
    target.set_pos(0, 0, 3)
    ik = IKChain(robot.site("tip"), 2, target, solver="dls", match_rotation=False)
    ik.update(1.0 / 60.0)
    assert np.allclose(robot.qpos, MODEL.couple(MODEL.qpos0), atol=1e-5)
