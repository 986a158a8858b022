"""Goals in numbers move joints as targets do; joints are read from Panda3D."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import ActorRig
from ikrig.kernels import COMPILED
from ikrig.model.pose import Goals

from .people import most_apart, net
from .stage import LIMBS, Stage


def both(stage: Stage, name: str) -> list[Any]:
    """Two equal Actors with rigs, at the same place."""
    return [ActorRig(stage.body(name)) for _ in range(2)]


def pose_of(rig: ActorRig, joints: Any) -> dict[str, p3d.LMatrix4f]:
    return {joint: net(rig.actor, joint) for joint in joints}


@pytest.mark.parametrize("solver", ["fabrik", "dls"])
@pytest.mark.parametrize("name", ["panda", "humanoid"])
def test_chain_moves_as_by_nodes(stage: Stage, name, solver):
    stage.step(3)
    plain, numbers = both(stage, name)
    feet, length = LIMBS[name]
    tip = feet[0]
    goals = Goals(2)
    space = plain.skeleton.space
    target, pole = space.attach_new_node("target"), space.attach_new_node("pole")
    first = plain.chain(
        tip, length, target, pole, orientation_mode="target", solver=solver
    )
    first.effectors[0].target_offset = (1.0, 0.0, 0.0, 0.0)
    second = numbers.chain(tip, length, goals[1], solver=solver)
    assert second.effectors[0].goal == goals[1]
    start = net(plain.actor, tip).get_row3(3)
    rng = np.random.default_rng(5)
    joints = plain.skeleton.lineage(tip)
    for k in range(12):
        by = rng.normal(0, 0.1 * first.reach, 3)
        turn = p3d.LQuaternionf(*rng.normal(0, 1, 4))
        turn.normalize()
        target.set_pos_quat(start + p3d.LVector3f(*by), turn)
        pole.set_pos(*rng.normal(0, 2 * first.reach, 3))
        first.weight = (1.0, 0.4)[k % 2]
        goals.positions[1] = tuple(target.get_pos())
        goals.rotations[1], goals.turned[1] = tuple(turn), 1.0
        goals.poles[1], goals.poled[1] = tuple(pole.get_pos()), 1.0
        goals.weights[1] = first.weight
        stage.step()
        for rig in plain, numbers:
            rig.update(1 / 60)
        found = [pose_of(rig, joints) for rig in (plain, numbers)]
        size = first.reach * 3e-5
        assert most_apart(*found) < max(size, 3e-5), k
        assert second.result is not None
        assert second.target.get_pos().almost_equal(target.get_pos(), 1e-4)
        if first.weight == 1.0 and second.result.converged:
            place = found[1][tip].get_row3(3)
            assert (place - target.get_pos()).length() < 2e-3 * first.reach
    # neither rotation nor pole: as animated
    goals.turned[1] = goals.poled[1] = 0.0
    goals.weights[1] = first.weight = 1.0
    first.pole, first.orientation_mode = None, "animation"
    for rig in plain, numbers:
        rig.update(1 / 60)
    assert most_apart(*[pose_of(rig, joints) for rig in (plain, numbers)]) < 1e-4


def test_tree_moves_as_by_nodes(stage: Stage):
    stage.step(3)
    plain, numbers = both(stage, "humanoid")
    space = plain.skeleton.space
    hands = LIMBS["humanoid"][0][:2]
    goals = Goals(2)
    targets = [space.attach_new_node(hand) for hand in hands]
    tree = plain.tree(dict(zip(hands, targets, strict=True)))
    numbers.tree(dict(zip(hands, goals, strict=True)))
    starts = [net(plain.actor, hand).get_row3(3) for hand in hands]
    rng = np.random.default_rng(5)
    for _ in range(6):
        for k, target in enumerate(targets):
            target.set_pos(starts[k] + p3d.LVector3f(*rng.normal(0, 0.2, 3)))
            goals.positions[k] = tuple(target.get_pos())
            goals.weights[k] = tree.effectors[k].weight = (1.0, 0.1)[k]
        stage.step()
        for rig in plain, numbers:
            rig.update(1 / 60)
        found = [pose_of(rig, rig.joints) for rig in (plain, numbers)]
        assert most_apart(*found) < 1e-4


def test_numbers_that_are_not_finite_change_nothing(stage: Stage):
    rig = both(stage, "humanoid")[0]
    goals = Goals(1)
    chain = rig.chain("LeftHand", 2, goals[0])
    goals.positions[0] = np.nan
    stage.step()
    rig.update(1 / 60)
    assert chain.result is not None
    assert chain.result.status.name == "INVALID_TARGET"
    assert np.isfinite(rig.skeleton.pose.local).all()
    goals.positions[0] = tuple(net(rig.actor, "LeftHand").get_row3(3))
    stage.step()
    rig.update(1 / 60)
    assert chain.result.converged
    # a node takes over
    chain.target = stage.node(rig.actor, "taken")
    assert chain.effectors[0].goal is None


@pytest.mark.skipif(not COMPILED, reason="interpreted kernels do not sample clips")
@pytest.mark.parametrize("mode", ["bone", "target"])
def test_targets_beside_a_standing_actor_stay_where_they_are(stage: Stage, mode):
    rig = both(stage, "humanoid")[0]
    actor = rig.actor
    actor.stop()
    actor.pose("walk", 3)
    chain = rig.chain("LeftHand", 2, orientation_mode=mode)
    chain.target.set_pos(chain.target, 0.0, -0.05, 0.1)
    assert chain.target.get_parent() == actor.get_parent()

    def gap() -> float:
        hand = actor.get_parent().get_relative_point(
            actor, p3d.LPoint3f(net(actor, "LeftHand").get_row3(3))
        )
        return float((hand - chain.target.get_pos()).length())

    for k in range(40):
        if k > 8:
            # moved, turned and then at rest; the target's own transform is the same
            actor.set_pos(0.002 * min(k, 25), 0.001 * k if k < 30 else 0.03, 0.0)
            actor.set_h(0.2 * min(k, 28))
        if k == 34:
            above = actor.get_parent().attach_new_node("above")
            above.set_pos(0.1, 0.0, 0.0)
            chain.target.wrt_reparent_to(above)
        if k == 37:
            chain.target.set_pos(chain.target.get_pos() + p3d.LVector3f(0, 0, 0.02))
        stage.step()
        rig.update(1 / 60)
        assert chain.result is not None and chain.result.converged
        if k < 34:
            assert gap() < 2e-4, k
    hand = actor.get_top().get_relative_point(
        actor, p3d.LPoint3f(net(actor, "LeftHand").get_row3(3))
    )
    assert (hand - chain.target.get_pos(actor.get_top())).length() < 2e-4
