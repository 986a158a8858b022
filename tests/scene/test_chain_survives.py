"""IKChain under misuse: failed rebinds, moved bones, invalid input."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import IKChain, SolveStatus
from tests.scene.conftest import limb


def pose(nodes) -> list[p3d.LMatrix4f]:
    return [p3d.LMatrix4f(node.get_mat()) for node in nodes]


def angle(a: p3d.LQuaternionf, b: p3d.LQuaternionf) -> float:
    """Angle between two rotations [deg]."""
    return math.degrees(2 * math.acos(min(1.0, abs(a.dot(b)))))


def test_rebind_while_stretched_measures_the_bones_unstretched(world):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4, stretch=0.5)
    chain.target.set_pos(0.2, 0.1, 5.3)
    assert chain.solve().lengthening == pytest.approx(1.25)
    chain.rebind()
    assert np.allclose(chain.bone_lengths, 1.0, atol=1e-6)
    assert chain.solve().lengthening == pytest.approx(1.25, abs=1e-5)


def test_invalid_target_keeps_the_stretch_in_the_result(world):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4, stretch=0.5)
    chain.target.set_pos(0.2, 0.1, 5.3)
    stretched = chain.solve().lengthening
    chain.target.set_pos(math.inf, 0, 0)
    assert chain.solve().lengthening == stretched


def test_moving_a_bone_keeps_max_step_and_the_warm_start(world):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4, max_step=math.radians(60))
    chain.target.set_pos(1, 2, 1)
    before = [node.get_quat() for node in nodes[1:]]
    for frame in range(60):
        # a bone that grows a little every frame, as in a morphing creature
        nodes[3].set_pos(0, 0, 1 + 0.002 * frame)
        chain.update(1 / 60)
        now = [node.get_quat() for node in nodes[1:]]
        for was, quat in zip(before, now, strict=True):
            assert angle(was, quat) <= 1.1
        before = now
    assert chain.bone_lengths[2] == pytest.approx(1.118, abs=1e-5)


def test_rotating_target_is_followed_with_max_step(world):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4, max_step=math.radians(90))
    chain.target.set_pos(1, 1, 2)
    for _ in range(300):
        chain.update(1 / 60)
    start = nodes[-1].get_quat(world)
    chain.target.set_h(chain.target, 45)
    for _ in range(120):
        chain.update(1 / 60)
    turned = nodes[-1].get_quat(world)
    assert angle(start, turned) == pytest.approx(45, abs=0.1)


def test_shear_of_a_bone_is_detected(world):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4)
    chain.target.set_pos(1, 1, 2)
    assert chain.solve().converged
    nodes[2].set_shear(0.5, 0, 0)
    result = chain.solve()
    assert result.status is SolveStatus.INVALID_TARGET
    assert "shear" in result.detail
    nodes[2].set_shear(0, 0, 0)
    assert chain.solve().converged


@pytest.mark.parametrize("which", ["target", "pole"])
def test_values_that_are_not_finite_are_named_with_their_node(world, which):
    nodes = limb(world)
    pole = world.attach_new_node("elbow hint")
    pole.set_pos(0, 5, 0)
    chain = IKChain(nodes[-1], 4, pole=pole)
    getattr(chain, which).set_pos(0, math.inf, 0)
    detail = chain.solve().detail
    assert {"target": "goal", "pole": "pole"}[which] in detail
    assert getattr(chain, which).get_name() in detail
    assert "inf" in detail


def test_new_reason_is_logged_again(world, capfd):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4)
    chain.target.set_pos(math.inf, 0, 0)
    chain.solve()
    chain.solve()
    chain.target.remove_node()
    chain.solve()
    chain.solve()
    text = "".join(capfd.readouterr())
    assert text.count("the pose is left unchanged") == 2
    assert text.count("no longer in the scene") == 1


def test_removed_leaf_is_reported_as_removed(world):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4)
    chain.solve()
    for node in (nodes[-1], nodes[2], nodes[0]):
        node.remove_node()
        # where bones hang is looked up for one bone a frame
        found = [chain.solve().detail for _ in nodes]
        assert "was removed from the scene" in found[-1]
