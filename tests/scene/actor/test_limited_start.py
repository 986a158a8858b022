"""An animated limb that reaches its goal within its limits stays unchanged."""

from __future__ import annotations

import panda3d.core as p3d
import pytest

import ikrig

from .people import locals_of, make_actor, most_apart, net
from .test_reach import JOINTS

CLIPS = {
    "bend": {
        "arm r": [(20.0, 35.0, -15.0)],
        "elbow r": [(10.0, -50.0, 25.0)],
        "chest": [(15.0, 0.0, 5.0)],
    }
}
WIDE = {0: ikrig.BallLimit(2.5), 1: ikrig.ConeLimit(1.8, twist=(-1.5, 1.5))}


@pytest.mark.parametrize("solver", ["fabrik", "ccd", "dls", "pinv"])
def test_limits_keep_an_animated_pose_that_reaches(solver) -> None:
    world = p3d.NodePath("world")
    actor, plain = (make_actor(JOINTS, CLIPS) for _ in range(2))
    for each in (actor, plain):
        each.reparent_to(world)
        each.pose("bend", 0)
    plain.update(force=True)
    hand = p3d.LPoint3f(net(plain, "hand r").get_row3(3))
    rig = ikrig.ActorRig(actor)
    target = world.attach_new_node("target")
    # limits count from the model's own pose, which is far from this one
    chain = rig.chain(
        "hand r", 2, target, limits=WIDE, solver=solver,
        snap_back_strength=1.0,
    )  # fmt: skip
    target.set_pos(actor, hand)
    for _ in range(3):
        rig.update(1 / 60)
        assert chain.result.converged
        assert most_apart(locals_of(actor), locals_of(plain)) < 2e-3
