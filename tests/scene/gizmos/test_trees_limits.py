"""Displayed limits of trees, and the angles that trees report."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import ConeLimit, HingeLimit
from ikrig.scene.gizmos.limit_shapes import BLOCKED_COLOR, CALM_COLOR

from .stage import Stage, columns, net, place, torso_tree

RADIUS = 0.52  # of a region, share of the bone's length


def drawn_limit(stage: Stage, joint: str) -> tuple[np.ndarray, p3d.NodePath]:
    """Points of a limit region, world space, and its node."""
    passes = stage.render.find_all_matches("**/ikrig-gizmos/pass/regions")
    node = passes[0].find(f"rig/{joint}/**/limit")
    points, _, _ = columns(node.node().get_geom(0))
    return (np.c_[points, np.ones(len(points))] @ net(node))[:, :3], node


@pytest.mark.parametrize("pinned", [True, False])
def test_regions_lie_on_their_branches(stage: Stage, pinned: bool) -> None:
    tree = torso_tree(
        stage,
        limits={
            "chest": ConeLimit(0.6),
            # not the joint that comes next after its parent
            "right shoulder": HingeLimit("y", -2.0, 2.0),
            "right elbow": HingeLimit("z", -0.2, 2.0),
        },
        pinned=pinned,
    )
    tree["right hand"].target.set_pos(0.5, -1.2, 1.9)
    tree["left hand"].target.set_pos(-1.3, 0.5, 1.2)
    tree.iterations = 60
    tree.solve()
    stage.gizmos.update()
    bones = {bone.get_name(): bone for bone in tree.bones}
    for joint, after, row in (
        ("right shoulder", "right elbow", 1),
        ("right elbow", "right hand", 2),
    ):
        # the fan stays where the bone before takes the axis, as large as the bone after
        points, _ = drawn_limit(stage, joint)
        away = points - place(bones[joint])
        axis = net(bones[joint].get_parent())[row, :3]
        assert np.abs(away @ axis).max() < 1e-5
        length = np.linalg.norm(place(bones[joint]) - place(bones[after]))
        size = np.linalg.norm(away, axis=1).max()
        assert size == pytest.approx(1.015 * RADIUS * length, rel=1e-3)
    # where bones branch off, the region is as large as they are on the mean
    chest = place(bones["chest"])
    lengths = [
        np.linalg.norm(place(bones[f"{side} shoulder"]) - chest)
        for side in ("left", "right")
    ]
    assert lengths[1] > 1.2 * lengths[0]
    points, _ = drawn_limit(stage, "chest")
    size = np.linalg.norm(points - chest, axis=1).max()
    assert size == pytest.approx(RADIUS * np.mean(lengths), rel=2e-3)


@pytest.mark.parametrize("pinned", [True, False])
def test_blocking_limit_of_a_tree_is_red(stage: Stage, pinned: bool) -> None:
    tree = torso_tree(
        stage,
        targets=dict.fromkeys(("left hand", "right hand", "chest")),
        limits={
            "left elbow": HingeLimit("y", -0.1, 0.1),
            "right elbow": HingeLimit("y", -3.0, 3.0),
        },
        pinned=pinned,
    )
    # the elbow would have to fold
    tree["left hand"].target.set_pos(tree["chest"].target.get_pos())
    tree.solve()
    stage.gizmos.update()
    assert tree.result is not None
    blocked = {name for _, name, _ in tree.result.blocked_by}
    assert blocked == {"left elbow"}
    for joint, color in (("left elbow", BLOCKED_COLOR), ("right elbow", CALM_COLOR)):
        _, node = drawn_limit(stage, joint)
        assert tuple(node.get_color_scale()) == pytest.approx(color, abs=0.01)
