"""Tips: a point off the leaf reaches the target, checked on Panda3D's nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig

TIP = (0.3, -0.2, 0.5)


def limb(bones: int = 3, scale: Any = 1.0) -> tuple[p3d.NodePath, list[p3d.NodePath]]:
    """Return a root and nested nodes, each turned a little."""
    root = node = p3d.NodePath("scene").attach_new_node("root")
    root.set_scale(scale)
    root.set_hpr(20, 30, 40)
    nodes = []
    for i in range(bones + 1):
        node = node.attach_new_node(f"bone {i}")
        node.set_pos_hpr(0, 0, 1.0 if i else 0.0, 5 * i, 15 - 9 * i, 4)
        nodes.append(node)
    return root, nodes


def place(leaf: p3d.NodePath, tip: Any, space: p3d.NodePath) -> np.ndarray:
    return np.array(space.get_relative_point(leaf, p3d.LPoint3f(*tip)))


def gap(chain: ikrig.IKChain, tip: Any = TIP) -> float:
    goal = np.array(chain.target.get_pos(chain.root))
    return float(np.linalg.norm(place(chain.leaf, tip, chain.root) - goal))


GOALS = [(1.2, 0.7, 1.4), (-0.9, 1.1, 1.0), (0.4, -1.3, 1.6)]
LIMITS = {
    "none": {},
    "all": {0: ikrig.BallLimit(1.6), 1: ikrig.ConeLimit(1.5), 2: ikrig.BallLimit(1.5)},
    "leaf": {3: ikrig.BallLimit(0.2)},
}


@pytest.mark.parametrize("scale", [1.0, 2.5, (-1, 1, 1)])
@pytest.mark.parametrize("match", [True, False])
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("solver", ["fabrik", "dls", "ccd"])
def test_tip_reaches_the_target(solver, limits, match, scale):
    root, nodes = limb(scale=scale)
    chain = ikrig.IKChain(
        nodes[-1],
        3,
        solver=solver,
        limits=LIMITS[limits],
        match_rotation=match,
        tip=TIP,
        iterations=60,
    )
    # made at the tip, so that nothing moves
    np.testing.assert_allclose(
        chain.target.get_pos(root), place(nodes[-1], TIP, root), atol=1e-6
    )
    start = chain.target.get_quat(root)
    start_leaf = nodes[-1].get_quat(root)
    for goal in GOALS:
        chain.target.set_pos(root, goal)
        chain.target.set_hpr(root, 40 * goal[0], 10, 25 * goal[1])
        for _ in range(6):
            result = chain.update(1 / 60)
        assert result.converged, result
        assert gap(chain) < 2e-3 * chain.reach
        assert result.error == pytest.approx(gap(chain), abs=1e-5)
        if match and limits != "leaf":
            wanted = start_leaf * start.conjugate() * chain.target.get_quat(root)
            turned = nodes[-1].get_quat(root)
            assert turned.almost_same_direction(wanted, 1e-3)


def test_tip_follows_a_bone_scaled_later():
    root, nodes = limb()
    chain = ikrig.IKChain(nodes[-1], 3, tip=TIP)
    chain.target.set_pos(root, GOALS[1])
    chain.update(1 / 60)
    nodes[-1].set_scale(1, 2, 1.5)
    chain.update(1 / 60)
    assert gap(chain) < 1e-3 * chain.reach


def body() -> tuple[p3d.NodePath, dict[str, p3d.NodePath]]:
    """Return a root with a spine and two arms."""
    root = p3d.NodePath("scene").attach_new_node("root")
    nodes = {"pelvis": root.attach_new_node("pelvis")}
    nodes["chest"] = nodes["pelvis"].attach_new_node("chest")
    nodes["chest"].set_pos(0, 0.1, 1)
    for side, x in (("l", -0.3), ("r", 0.3)):
        node = nodes["chest"]
        for name, pos in (
            ("arm", (x, 0, 0.4)),
            ("elbow", (2 * x, 0.1, -0.6)),
            ("hand", (0.5 * x, 0.2, -0.6)),
        ):
            node = node.attach_new_node(f"{name} {side}")
            node.set_pos(pos)
            node.set_hpr(3, 5, -4)
            nodes[f"{name} {side}"] = node
    return root, nodes


@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("match", [True, False])
@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("solver", ["fabrik", "dls"])
def test_tips_of_a_tree_reach(solver, limited, match, pinned):
    root, nodes = body()
    tips = {"hand l": (0.1, 0.2, -0.3), "chest": (0, 0.3, 0.2)}
    limits = {"hand l": ikrig.BallLimit(0.3), "elbow r": ikrig.BallLimit(1.4)}
    tree = ikrig.IKTree(
        nodes["pelvis"],
        dict.fromkeys(["hand l", "hand r", "chest"]),
        tips=tips,
        solver=solver,
        limits=limits if limited else None,
        match_rotation=match,
        pinned=pinned,
        iterations=50,
    )
    for effector in tree.effectors:
        here = place(effector.leaf, effector.tip, root)
        np.testing.assert_allclose(effector.target.get_pos(root), here, atol=1e-6)
        effector.target.set_pos(root, *np.add(here, (0.1, -0.1, 0.05)))
        effector.target.set_hpr(root, 30, 20, 10)
    for _ in range(10):
        result = tree.update(1 / 60)
    gaps = [
        math.dist(place(end.leaf, end.tip, root), np.array(end.target.get_pos(root)))
        for end in tree.effectors
    ]
    assert result.converged, (result, gaps)
    assert max(gaps) < 2e-3 * tree.model.size
    np.testing.assert_allclose(result.errors, gaps, atol=1e-5)
    tree["chest"].tip = (0, 0, 0)
    assert tree["hand l"].tip == (0.1, 0.2, -0.3)
    tree.update(1 / 60)


@pytest.mark.parametrize("tip", ["skin", (1, 2), (1, 2, math.nan), 3, {"x": 1}])
def test_invalid_tips_are_refused(tip):
    _, nodes = limb()
    with pytest.raises(ikrig.SettingError, match="tip"):
        ikrig.IKChain(nodes[-1], 3, tip=tip)
    chain = ikrig.IKChain(nodes[-1], 3)
    with pytest.raises(ikrig.SettingError, match="tip"):
        chain.tip = tip
    assert chain.tip == (0, 0, 0)
