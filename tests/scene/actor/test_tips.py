"""Tips of an Actor's limbs, checked on the joints' matrices."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import ActorRig, BallLimit

from .stage import Stage, character, draw_in, length, net, place
from .stage import leg as leg_of
from .stage import update as force

FOOT, OTHER = "Bone_lf_foot", "Bone_rf_foot"


def missed(actor, target: p3d.NodePath, joint: str, tip) -> float:
    """How far the tip is from the target, in leg lengths."""
    at = np.array([*tip, 1.0]) @ net(actor, joint)
    return float(np.linalg.norm(at[:3] - place(actor, target))) / length(
        actor, leg_of(actor, joint, 3)
    )


@pytest.mark.parametrize("limits", [{}, {FOOT: BallLimit(0.05)}], ids=["free", "limit"])
@pytest.mark.parametrize("mode", ["animation", "target", "normal", "bone"])
def test_foot_tip_reaches(stage: Stage, mode, limits):
    actor = stage.body()
    stage.step(9)
    rig = ActorRig(actor)
    bones = length(actor, leg_of(actor, FOOT, 3))
    tip = tuple(np.array([0.1, -0.05, 0.12]) * bones / net_scale(actor, FOOT))
    chain = rig.chain(FOOT, 3, tip=tip, orientation_mode=mode, limits=limits)
    # made at the tip, so that nothing moves
    assert missed(actor, chain.target, FOOT, tip) < 1e-3
    draw_in(stage, actor, chain, 3)
    rig.start(stage.task_mgr)
    for i in range(8):
        chain.target.set_hpr(5 * i, -4 * i, 3 * i)
        stage.step()
        force(actor)
        assert missed(actor, chain.target, FOOT, tip) < 2e-3, (i, chain.result)
        assert chain.result.converged


def test_body_tips_reach(stage: Stage):
    actor = stage.body()
    stage.step(9)
    rig = ActorRig(actor)
    bones = length(actor, leg_of(actor, FOOT, 3))
    tip = tuple(np.array([0.1, -0.05, 0.12]) * bones / net_scale(actor, FOOT))
    tree = rig.tree({FOOT: None, OTHER: None}, tips={FOOT: tip})
    rig.start(stage.task_mgr)
    targets = {end.leaf.get_name(): end.target for end in tree.effectors}
    space = p3d.NodePath(character(actor))
    for target in targets.values():
        target.set_pos(space, *np.add(target.get_pos(space), (0, 0, 0.05 * bones)))
    for _ in range(8):
        stage.step()
        force(actor)
        assert tree.result.converged
        assert missed(actor, targets[FOOT], FOOT, tip) < 2e-3
        assert missed(actor, targets[OTHER], OTHER, (0, 0, 0)) < 2e-3


def net_scale(actor, joint: str) -> float:
    return float(np.linalg.norm(net(actor, joint)[0, :3]))
