"""Weight 0: bones posed by others stay unchanged, and the result reports them."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from tests.scene.conftest import limb


def mats(nodes) -> np.ndarray:
    return np.array([np.array(node.get_mat()) for node in nodes])


def gap(leaf: p3d.NodePath, target: p3d.NodePath) -> float:
    world = leaf.get_top()
    return (leaf.get_pos(world) - target.get_pos(world)).length()


@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_bones_moved_by_others_stay_unchanged(world, kind):
    nodes = limb(world, 3)
    target = world.attach_new_node("target")
    target.set_pos(0.5, 0.5, 2.0)
    if kind == "chain":
        rig = ikrig.IKChain(nodes[-1], 3, target, weight=0.0)
    else:
        rig = ikrig.IKTree(nodes[0], {nodes[-1]: target}, weight=0.0)
    start = mats(nodes)
    rig.solve()
    assert abs(mats(nodes) - start).max() < 1e-6
    for frame in range(5):
        for i, node in enumerate(nodes[:-1]):
            node.set_hpr(10 * frame + i, 20, 5 * i)
        posed = mats(nodes)
        result = rig.solve()
        assert (mats(nodes) == posed).all()
        assert result.error == pytest.approx(gap(nodes[-1], target), abs=1e-5)
        assert result.status is ikrig.SolveStatus.STALLED
    # nobody touches them any more, and they still stay
    rig.solve()
    assert (mats(nodes) == posed).all()
    rig.weight = 1.0
    assert rig.solve().converged and gap(nodes[-1], target) < 5e-3
    # from IK down to 0 they go to the start pose, which nobody has changed
    rig.weight = 0.0
    rig.solve()
    assert abs(mats(nodes) - start).max() < 1e-6


def test_robot_shows_its_own_angles_at_weight_0():
    arm = ikrig.RobotModel(
        [
            ikrig.Body("upper", joints=[ikrig.Joint("shoulder", axis="y")]),
            ikrig.Body(
                "lower",
                parent="upper",
                pos=(0, 0, 2),
                joints=[ikrig.Joint("elbow", axis="y", range=(-2.5, 0))],
                sites=[ikrig.Site("hand", pos=(0, 0, 1))],
            ),
        ]
    )
    tree = ikrig.Robot(arm, p3d.NodePath("scene"))
    chain = ikrig.IKChain(tree.site("hand"), 2, solver="dls", weight=0.0)
    player = ikrig.ClipPlayer(
        ikrig.Clip()
        .with_track("shoulder", "angle", {0: 0.0, 1: 1.0})
        .with_track("elbow", "angle", {0: 0.0, 1: -2.0}),
        tree,
    )
    for time in (0.25, 0.5, 1.0):
        player.time = time
        chain.solve()
        assert tree.qpos == pytest.approx([time, -2.0 * time], abs=1e-5)


def test_tree_error_covers_only_weighted_effectors(world):
    root = world.attach_new_node("root")
    leaves, targets = [], []
    for k in range(3):
        leaf = root.attach_new_node(f"leaf {k}")
        leaf.set_pos(k - 1.0, 0.0, 1.0)
        leaves.append(leaf)
        targets.append(world.attach_new_node(f"target {k}"))
        targets[-1].set_pos(k - 1.0, 0.0, 2.0 + k)
    pairs = dict(zip(leaves, targets, strict=True))
    tree = ikrig.IKTree(root, pairs, weight=0.0)
    for weights in ((1.0, 0.5, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.1, 1.0)):
        for effector, weight in zip(tree.effectors, weights, strict=True):
            effector.weight = weight
        tree.solve()
        root.set_h(root.get_h() + 5.0)
        result = tree.solve()
        gaps = [gap(*pair) for pair in pairs.items()]
        assert result.errors == pytest.approx(gaps, abs=1e-5)
        counted = [far for far, weight in zip(gaps, weights, strict=True) if weight]
        assert result.error == pytest.approx(max(counted, default=0.0), abs=1e-5)
