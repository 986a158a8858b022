"""The result of a frame is true for that frame, also after an invalid one."""

from __future__ import annotations

import math

import pytest

import ikrig
from ikrig.solvers import SolveStatus
from tests.scene.conftest import gap, limb


@pytest.mark.parametrize("wrong", [(0.5, 7, 2), (1e25, 1e25, 1e25), (1, 1, math.inf)])
def test_invalid_scale_is_reported_in_every_frame(world, wrong) -> None:
    nodes = limb(world, 3)
    chain = ikrig.IKChain(nodes[-1], 3, limits={1: ikrig.SlideLimit("z", 0.0, 0.5)})
    chain.target.set_pos(0.5, 0.5, 2.0)
    chain.update(1 / 60)
    nodes[1].set_scale(*wrong)
    for _ in range(3):
        assert chain.update(1 / 60).status is SolveStatus.INVALID_TARGET
    nodes[1].set_scale(1.0)
    result = chain.update(1 / 60)
    assert result.status is not SolveStatus.INVALID_TARGET
    assert result.error == pytest.approx(gap(chain), abs=1e-5)


def test_new_limits_do_not_hide_a_scaled_bone(world) -> None:
    nodes = limb(world, 3)
    slide = {1: ikrig.SlideLimit("z", 0.0, 0.5)}
    chain = ikrig.IKChain(nodes[-1], 3, limits=slide)
    chain.update(1 / 60)
    nodes[1].set_scale(2.0)
    chain.limits = {}
    chain.target.set_pos(0.5, 1.5, 1.0)
    result = chain.update(1 / 60)
    assert result.error == pytest.approx(gap(chain), abs=1e-4)


@pytest.mark.parametrize("bad", [(1e19, 0, 0), (0, -1e30, 0), (0, 0, math.inf)])
def test_too_distant_root_is_reported(world, bad) -> None:
    nodes = limb(world, 2)
    chain = ikrig.IKChain(nodes[-1], 2)
    chain.target.set_pos(0.5, 0.5, 1.5)
    chain.update(1 / 60)
    nodes[0].set_pos(*bad)
    for _ in range(2):
        assert chain.update(1 / 60).status is SolveStatus.INVALID_TARGET
    nodes[0].set_pos(0.0, 0.0, 0.5)
    assert chain.update(1 / 60).error == pytest.approx(gap(chain), abs=1e-5)


@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_weight_is_reported_as_the_reason_for_the_error(stage, kind) -> None:
    actor = stage.body("humanoid")
    rig = ikrig.ActorRig(actor)
    hands = {"LeftHand": None, "RightHand": None}
    part = rig.chain("LeftHand") if kind == "chain" else rig.tree(hands)
    part.effectors[0].target.set_pos(actor, 0.2, -0.3, 1.2)
    for weight in (1.0, 0.25, 0.0, 1.0):
        part.weight = weight
        rig.update(1 / 60)
        assert part.result.converged == (weight == 1.0)
        assert part.result.detail.startswith(f"weight is {weight:g}") != (weight == 1.0)
    dormant = ikrig.ActorRig.auto(stage.body("humanoid"))["left_hand"]
    dormant.rig.update(1 / 60)
    dormant.leaf.set_pos(dormant.leaf, 0.1, 0.0, 0.0)
    assert (
        dormant.result.detail == "weight is 0: the pose is blended with the start pose"
    )
