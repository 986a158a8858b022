"""Straight arms and legs bend in the natural direction, however the model faces.

Skeletons of motion capture stand so: each bone along an axis, to the last digit.
"""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig

from .people import make_actor, net

MIDDLE = [
    ("Hips", None, (0, 0, 1.0)),
    ("Spine", "Hips", (0, 0, 0.3)),
    ("Neck", "Spine", (0, 0, 0.2)),
    ("Head", "Neck", (0, 0, 0.1)),
]
SIDE = [
    ("Arm", "Spine", (0.2, 0, 0.15)),
    ("ForeArm", "Arm", (0.3, 0, 0)),
    ("Hand", "ForeArm", (0.3, 0, 0)),
    ("UpLeg", "Hips", (0.1, 0, -0.05)),
    ("Leg", "UpLeg", (0, 0, -0.45)),
    ("Foot", "Leg", (0, 0, -0.45)),
    ("Toe", "Foot", (0, -0.12, -0.05)),
]
LIMBS = {"hand": ("Arm", "ForeArm", "Hand"), "foot": ("UpLeg", "Leg", "Foot")}


def person(heading: float, turned: float = 0.0) -> ikrig.ActorRig:
    """A person who faces -y, turned in the file, and a rig with all limbs."""
    # joints' own axes lie as their file likes it
    joints = [
        (name, above, place, (heading, 0, 0) if above is None else (0, 0, 0))
        for name, above, place in MIDDLE
    ]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for name, above, (x, y, z) in SIDE:
            parent = above if above in ("Hips", "Spine") else side + above
            joints.append((side + name, parent, (sign * x, y, z), (0, 0, 0)))
    actor = make_actor(joints)
    actor.set_h(turned)
    return ikrig.ActorRig.auto(actor, weight=1.0)


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("heading", [0.0, 90.0, 180.0, -60.0])
@pytest.mark.parametrize("limb", ["hand", "foot"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_knees_bend_forward_and_elbows_back(side, limb, heading, given) -> None:
    rig = person(heading, turned=35.0)
    first, mid, last = (side.title() + name for name in LIMBS[limb])
    actor = rig.actor
    chain = rig[f"{side}_{limb}"]
    if not given:
        # as one that a game makes by itself
        chain = ikrig.ActorRig(make_again(rig)).chain(last)
        rig, actor = chain.rig, chain.rig.actor
    start, end = (np.array(net(actor, joint).get_row3(3)) for joint in (first, last))
    goal = start + 0.7 * (end - start)
    chain.target.set_pos(actor, *goal)
    rig.update(1 / 60)
    found = [np.array(net(actor, joint).get_row3(3)) for joint in (first, mid, last)]
    assert found[2] == pytest.approx(goal, abs=1e-3)
    turn = np.radians(heading)
    ahead = np.array((np.sin(turn), -np.cos(turn), 0.0))
    off = (found[1] - 0.5 * (found[0] + found[2])) @ ahead
    assert (off if limb == "foot" else -off) > 0.1


@pytest.mark.parametrize("heading", [0.0, 90.0])
@pytest.mark.parametrize("solver", ["dls", "fabrik"])
def test_tree_bends_straight_limbs_like_chains(solver, heading) -> None:
    actor = make_again(person(heading, turned=35.0))
    rig = ikrig.ActorRig(actor)
    ends = ("LeftFoot", "RightFoot", "LeftHand", "RightHand", "Hips")
    tree = rig.tree(dict.fromkeys(ends), root_joint="Hips", pinned=False, solver=solver)
    rig.update(1 / 60)
    starts = {joint: tree[joint].target.get_pos(actor) for joint in ends}
    turn = np.radians(heading)
    ahead = np.array((np.sin(turn), -np.cos(turn), 0.0))
    last = tree.rotations
    for k in range(1, 41):
        for joint in ends[2:]:
            x, y, z = starts[joint]
            near = 1.0 - 0.01 * k if joint != "Hips" else 1.0
            tree[joint].target.set_pos(actor, near * x, near * y, z - 0.01 * k)
        rig.update(1 / 60)
        assert tree.result.converged, k
        turned = np.abs((tree.rotations * last).sum(axis=1)).clip(0.0, 1.0)
        step, last = np.degrees(2.0 * np.arccos(turned)).max(), tree.rotations
        # the first bend of a straight limb is its largest
        assert step < (25.0 if k == 1 else 12.0), k
        for side in ("Left", "Right"):
            for limb, joints in LIMBS.items():
                at = [np.array(net(actor, side + j).get_row3(3)) for j in joints]
                off = (at[1] - 0.5 * (at[0] + at[2])) @ ahead
                assert (off if limb == "foot" else -off) > 0.03, (side, limb, k)


def make_again(rig: ikrig.ActorRig) -> p3d.NodePath:
    actor = rig.actor
    rig.detach()
    return actor


def test_missing_legs_are_reported() -> None:
    actor = make_actor([(name, above, at, (0, 0, 0)) for name, above, at in MIDDLE])
    rig = ikrig.ActorRig(actor)
    with pytest.raises(
        ikrig.BindError, match=r"no legs were found: .*'person': Hips, Spi"
    ):
        ikrig.FootPlacement(rig, lambda x, y: 0.0)
