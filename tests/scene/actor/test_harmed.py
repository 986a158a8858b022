"""Misused Actors and targets: no joint breaks, no result is false."""

from __future__ import annotations

from math import isfinite

import pytest

from ikrig import ActorRig, FootPlacement, SolveStatus


@pytest.mark.parametrize("shear", [(1e25, 0, 1), (3e38, -1, 3), (0.3, -1.8, 3e38)])
def test_hips_of_a_sheared_actor_stay_in_place(stage, shear):
    actor = stage.body("humanoid")
    rig = ActorRig(actor)
    feet = FootPlacement(rig, lambda x, y: 0.0)
    actor.set_shear(*shear)
    for _ in range(3):
        stage.step()
        rig.update(1 / 60)
        for node in rig.skeleton.space.find_all_matches("**"):
            assert all(isfinite(x) for row in node.get_mat() for x in row), node
    actor.set_shear(0, 0, 0)
    stage.step()
    rig.update(1 / 60)
    assert feet.started


@pytest.mark.parametrize("weight", [1.0, 0.0])
def test_result_reports_a_removed_target(stage, weight):
    rig = ActorRig(stage.body("humanoid"))
    chain = rig.chain("RightHand", weight=weight)
    for _ in range(5):
        stage.step()
        rig.update(1 / 60)
    assert chain.result.status is not SolveStatus.INVALID_TARGET
    chain.target.remove_node()
    for _ in range(3):
        assert chain.result.status is SolveStatus.INVALID_TARGET
        assert "or its target was removed" in chain.result.detail or weight
        stage.step()
        rig.update(1 / 60)
