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
