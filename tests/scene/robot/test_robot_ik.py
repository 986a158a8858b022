"""Rigs on robots move only joints, within their ranges."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    Body,
    IKChain,
    IKTree,
    Joint,
    Robot,
    RobotModel,
    forward_kinematics,
)
from tests import random_robots, reference


def random_arm(rng, count: int, slides: bool) -> list[Body]:
    """Bodies one on the other; hinges off their middles, now and then slides."""
    bodies = []
    for i in range(count):
        low = rng.uniform(-2.5, -0.5)
        joints = [
            Joint(
                f"joint {i}",
                axis=reference.unit(rng.normal(size=3)),
                anchor=0.3 * rng.normal(size=3),
                range=(low, low + rng.uniform(1.5, 4.0)),
                qpos0=float(rng.uniform(-0.5, 0.5)),
            )
        ]
        if slides and i % 2:
            axis = reference.unit(rng.normal(size=3))
            joints.append(Joint(f"slide {i}", "slide", axis=axis, range=(-0.2, 0.4)))
        bodies.append(
            Body(
                f"body {i}",
                parent=f"body {i - 1}" if i else "world",
                pos=rng.normal(size=3) * (0.6 if i else 0.2),
                quat=random_robots.turn(rng),
                # a welded body between two joints
                joints=joints if i != 2 else (),
            )
        )
    return bodies


def inside(model: RobotModel, qpos) -> bool:
    low, high = model.joint_ranges.T
    return bool((qpos >= low - 1e-5).all() and (qpos <= high + 1e-5).all())


def moves_as_described(tree: Robot) -> None:
    """The nodes stand where the values that are read from them put the bodies."""
    expected = forward_kinematics(tree.model, tree.qpos)
    for b, name in enumerate(tree.model.body_names):
        rows = np.array(tree.body(name).get_mat(tree.root))
        assert np.allclose(rows[3, :3], expected.xpos[b], atol=2e-4)
        assert np.allclose(rows[:3, :3].T, expected.xmat[b], atol=2e-4)


@pytest.mark.parametrize("method", ["dls", "fabrik"])
def test_trees_move_joints_within_ranges(world, method) -> None:
    rng = np.random.default_rng(5)
    bodies = random_arm(rng, 4, slides=False)
    for name in "lr":
        for i, body in enumerate(random_arm(rng, 3, slides=False)[:2]):
            parent = f"{name} 0" if i else "body 3"
            joints = [
                Joint(f"{name} {j.name}", j.kind, j.axis, j.anchor, j.range, j.qpos0)
                for j in body.joints
            ]
            bodies.append(Body(f"{name} {i}", parent, (0.4, 0.2, 0.3), joints=joints))
    model = RobotModel(bodies)
    tree = Robot(model, world)
    hands = [tree.body("l 1"), tree.body("r 1")]
    # the root of all is bolted to where it is
    rig = IKTree(tree.root, dict.fromkeys(hands), solver=method, match_rotation=False)
    stood = tree.root.get_mat(world)
    low, high = model.joint_ranges.T
    for _ in range(6):
        pose = forward_kinematics(model, rng.uniform(low, high))
        for hand in hands:
            goal = pose.xpos[model.body_index(hand.get_name())]
            rig[hand].target.set_pos(tree.root, *goal)
        rig.solve()
        assert inside(model, tree.qpos)
        moves_as_described(tree)
        assert tree.root.get_mat(world) == stood


@pytest.mark.parametrize("method", ["dls", "fabrik", "ccd"])
def test_balls_stay_within_their_ranges(world, method) -> None:
    rng = np.random.default_rng(8)
    model = RobotModel(
        [
            Body(
                f"body {i}",
                parent=f"body {i - 1}" if i else "world",
                pos=(0.2, 0, 1),
                quat=random_robots.turn(rng),
                joints=[Joint(f"ball {i}", "ball", range=(0, 0.8))] if i < 3 else (),
            )
            for i in range(4)
        ]
    )
    tree = Robot(model, world)
    turned = 0.0
    for _ in range(10):
        for joint in tree.joints.values():
            joint.value = rng.normal(size=4)
        chain = IKChain(tree.body("body 3"), 3, solver=method, match_rotation=False)
        chain.target.set_pos(world, *rng.normal(size=3))
        chain.solve()
        for joint in tree.joints.values():
            turn = 2.0 * np.arccos(min(abs(joint.value[0]), 1.0))
            assert turn < 0.8 + 1e-3
            turned = max(turned, turn)
        chain.target.remove_node()
    assert turned > 0.4
