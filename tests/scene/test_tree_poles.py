"""Poles and soft reach of trees, checked on Panda3D's nodes."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig

from .test_tips import body


def bend_to(root, nodes, side: str, pole: p3d.NodePath) -> float:
    """Return the angle between elbow and pole about the line of the arm [rad]."""
    first, middle, last = (
        np.array(nodes[f"{name} {side}"].get_pos(root))
        for name in ("arm", "elbow", "hand")
    )
    line = (last - first) / np.linalg.norm(last - first)

    def off(point) -> np.ndarray:
        away = np.array(point) - first
        away = away - line * (away @ line)
        return away / np.linalg.norm(away)

    return math.acos(np.clip(off(middle) @ off(pole.get_pos(root)), -1.0, 1.0))


def tree_with_poles(**settings):
    root, nodes = body()
    poles = {}
    for side, x in (("l", -2.0), ("r", 2.0)):
        poles[f"hand {side}"] = root.attach_new_node(f"pole {side}")
        poles[f"hand {side}"].set_pos(x, 1.5, 1.0)
    tree = ikrig.IKTree(
        nodes["pelvis"],
        dict.fromkeys(["hand l", "hand r"]),
        poles=poles,
        iterations=40,
        **settings,
    )
    for effector in tree.effectors:
        x = effector.target.get_x(root)
        effector.target.set_pos(root, 0.9 * x, 0.5, 0.9)
    return root, nodes, tree, poles


@pytest.mark.parametrize("snap", [None, 1.0])
@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("solver", ["fabrik", "dls"])
def test_elbows_point_to_their_poles_while_hands_reach(solver, pinned, snap):
    root, nodes, tree, poles = tree_with_poles(
        solver=solver, pinned=pinned, snap_back_strength=snap
    )
    for angle in range(0, 200, 20):
        for name, pole in poles.items():
            side = -1 if name.endswith("l") else 1
            x, y = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            pole.set_pos(root, side * 2.0 * x, 2.0 * y, 1.2)
        for _ in range(3):
            result = tree.update(1 / 60)
        assert result.converged, result
        for name, pole in poles.items():
            assert bend_to(root, nodes, name[-1], pole) < 0.02
            gap = nodes[name].get_pos(root) - tree[name].target.get_pos(root)
            assert gap.length() < 2e-3 * tree.model.size


def test_elbow_follows_the_pole_smoothly():
    root, nodes, tree, poles = tree_with_poles()
    tree.update(1 / 60)
    last, steps = None, []
    for i in range(360):
        angle = math.radians(i)
        # right through the line of the arm, twice
        poles["hand l"].set_pos(root, -0.6 + 1.5 * math.cos(angle), 0.3, 1.2)
        poles["hand l"].set_z(root, 0.9 + 1.5 * math.sin(angle))
        tree.update(1 / 60)
        now = np.array(nodes["elbow l"].get_pos(root))
        if last is not None:
            steps.append(float(np.linalg.norm(now - last)))
        last = now
    assert max(steps) < 0.15 * tree.model.size


def test_pole_can_be_set_and_removed():
    root, nodes, tree, poles = tree_with_poles()
    for _ in range(4):
        before = tree.update(1 / 60)
    assert tree.update(1 / 60) is before
    poles["hand l"].set_pos(root, -1.0, -2.0, 1.0)
    assert tree.update(1 / 60) is not before
    assert bend_to(root, nodes, "l", poles["hand l"]) < 0.02
    tree["hand l"].pole = None
    assert tree["hand l"].pole is None and tree["hand r"].pole == poles["hand r"]
    tree.update(1 / 60)
    tree["hand l"].pole = poles["hand r"]
    tree.update(1 / 60)
    assert bend_to(root, nodes, "l", poles["hand r"]) < 0.02
    poles["hand r"].remove_node()
    result = tree.update(1 / 60)
    assert result.status is ikrig.SolveStatus.INVALID_TARGET
    assert "pole" in result.detail


def test_poles_without_a_branch_are_refused():
    root, nodes = body()
    pole = root.attach_new_node("pole")
    with pytest.raises(ikrig.SettingError, match="pole of chest"):
        ikrig.IKTree(
            nodes["pelvis"], dict.fromkeys(["chest", "hand l"]), poles={"chest": pole}
        )
    tree = ikrig.IKTree(nodes["pelvis"], dict.fromkeys(["chest", "hand l"]))
    with pytest.raises(ikrig.SettingError, match="pole of chest"):
        tree["chest"].pole = pole
    with pytest.raises(ikrig.BindError, match="pole"):
        tree["hand l"].pole = nodes["hand l"]
    assert tree["hand l"].pole is None
