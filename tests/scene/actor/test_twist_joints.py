"""Limbs in segments, and legs that hang beside the trunk, as generated rigs have them.

Blender's Rigify makes such skeletons: ``DEF-thigh.L.001`` halves the thigh, and arms
and legs are not below the spine.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ikrig
from ikrig.character.figure import Figure
from ikrig.scene.behaviours import legs

from .people import FRAMES, make_actor, net

STILL = (0.0, 0.0, 0.0)
LEG = (
    ("thigh.{}", 0.0, 0.0),
    ("thigh.{}.001", 0.01, -0.22),
    ("shin.{}", 0.01, -0.22),
    ("shin.{}.001", -0.01, -0.22),
    ("foot.{}", -0.01, -0.22),
    ("toe.{}", -0.12, -0.06),
)


def make_person(loose: bool) -> Any:
    """A person whose legs hang on nothing, or on a control beside the spine.

    In its clip the thighs twist, and the left leg swings.
    """
    joints: list[Any] = []
    if not loose:
        joints.append(("root", None, STILL, STILL))
    joints += [
        ("DEF-spine", None if loose else "root", (0.0, 0.0, 1.0), STILL),
        ("DEF-chest", "DEF-spine", (0.0, 0.0, 0.3), STILL),
        ("DEF-neck", "DEF-chest", (0.0, 0.0, 0.2), STILL),
        ("DEF-head", "DEF-neck", (0.0, 0.0, 0.1), STILL),
    ]
    if not loose:
        joints.append(("ORG-spine", "root", (0.0, 0.0, 1.0), STILL))
    for side, x in (("L", 0.1), ("R", -0.1)):
        above = None if loose else "ORG-spine"
        for name, y, z in LEG:
            if above in (None, "ORG-spine"):
                place = (x, y, 0.95 if loose else -0.05)
            else:
                place = (0.0, y, z)
            # bent ahead at the knee: y is -0.02 there
            joint = "DEF-" + name.format(side)
            joints.append((joint, above, (place[0], -place[1], place[2]), STILL))
            above = joint
    turns = [2.0 * math.pi * k / FRAMES for k in range(FRAMES)]
    moves = {
        "DEF-thigh.L": [(0.0, 15.0 * math.sin(turn), 0.0) for turn in turns],
        "DEF-thigh.L.001": [(20.0 * math.sin(turn), 0.0, 0.0) for turn in turns],
    }
    return make_actor(joints, {"walk": moves})


def places(actor: Any, *names: str) -> np.ndarray:
    return np.array([net(actor, f"DEF-{name}").get_row3(3) for name in names])


def bends(points: np.ndarray) -> np.ndarray:
    """Angle at each inner point [degree]."""
    ways = np.diff(points, axis=0)
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    cosines = (ways[1:] * ways[:-1]).sum(axis=1)
    return np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))


def test_a_chain_keeps_the_animation_of_its_fixed_joints() -> None:
    actor, plain = make_person(loose=False), make_person(loose=False)
    names = [name.format("L") for name, _, _ in LEG[:5]]
    fixed = {f"DEF-{names[k]}": ikrig.FixedLimit() for k in (1, 3)}
    rig = ikrig.ActorRig(actor)
    chain = rig.chain("DEF-foot.L", 4, limits=fixed)
    for k in range(0, FRAMES, 5):
        for one in (actor, plain):
            one.pose("walk", k)
            one.get_part_bundle("modelRoot").force_update()
        animated = places(plain, *names)
        hip, foot = animated[0], animated[-1]
        goal = hip + 0.8 * (foot - hip) + (0.05, -0.1, 0.0)
        chain.target.set_pos(actor, *goal)
        rig.update(1 / 60)
        points = places(actor, *names)
        assert points[-1] == pytest.approx(goal, abs=1e-4)
        # bones stay whole, and only the knee bends
        assert np.linalg.norm(np.diff(points, axis=0), axis=1) == pytest.approx(
            np.linalg.norm(np.diff(animated, axis=0), axis=1), abs=1e-5
        )
        segments = bends(points)
        assert segments[[0, 2]] == pytest.approx(bends(animated)[[0, 2]], abs=0.05)
        assert segments[1] > 40.0
        # the twist of the clip
        mats = [net(one, "DEF-thigh.L") for one in (actor, plain)]
        below = [net(one, "DEF-thigh.L.001") for one in (actor, plain)]
        for mat in mats:
            mat.invert_in_place()
        ours, theirs = (np.array(b * m) for b, m in zip(below, mats, strict=True))
        assert ours == pytest.approx(theirs, abs=1e-5)
    assert chain.result.converged
    assert [bone.get_name() for bone in chain.bones] == [
        "DEF-thigh.L",
        "DEF-shin.L",
        "DEF-foot.L",
    ]


@pytest.mark.parametrize("loose", [True, False], ids=["loose", "controls"])
def test_feet_of_a_person_in_segments(loose: bool) -> None:
    actor, plain = make_person(loose), make_person(loose)
    rig = ikrig.ActorRig(actor)
    feet = ikrig.FootPlacement(rig, lambda x, y: -0.15 if x > 0.0 else 0.0)
    assert [len(leg.bones) for leg in feet.parts] == [3, 3]
    for one in (actor, plain):
        one.pose("walk", 0)
    for _ in range(90):
        rig.update(1 / 60)
    plain.get_part_bundle("modelRoot").force_update()
    names = [name.format("L") for name, _, _ in LEG[:5]]
    left, right = (
        places(actor, *(name.format(side) for name, _, _ in LEG)) for side in "LR"
    )
    # the left foot is on the low ground, for which the hips have sunk
    assert left[4][2] - right[4][2] == pytest.approx(-0.15, abs=0.01)
    assert (
        bends(right)[1] > bends(places(plain, *(n.format("R") for n, _, _ in LEG)))[1]
    )
    for leg in (left, right):
        assert (bends(leg)[[0, 2]] < 1.0).all()
    # and the trunk and the other leg with them
    trunk = ("spine", "head", names[0], "thigh.R")
    sunk = (places(actor, *trunk) - places(plain, *trunk))[:, 2]
    assert sunk[0] < -0.02
    assert sunk == pytest.approx(sunk[0], abs=1e-4)


def test_all_of_an_animals_leg_is_used() -> None:
    """The hock of a leg with three bones does not bend alone."""
    joints: list[Any] = [
        ("Hips", None, (0.0, 0.5, 0.8), STILL),
        ("Chest", "Hips", (0.0, -0.7, 0.0), STILL),
        ("Neck", "Chest", (0.0, -0.2, 0.1), STILL),
        ("Head", "Neck", (0.0, -0.2, 0.2), STILL),
    ]
    for side, x in (("Left", 0.12), ("Right", -0.12)):
        joints += [
            (f"{side}Thigh", "Hips", (x, 0.0, -0.05), STILL),
            (f"{side}Shin", f"{side}Thigh", (0.0, -0.14, -0.25), STILL),
            (f"{side}Foot", f"{side}Shin", (0.0, 0.2, -0.22), STILL),
            (f"{side}Toe", f"{side}Foot", (0.0, -0.06, -0.24), STILL),
            (f"{side}UpperArm", "Chest", (x, 0.0, -0.05), STILL),
            (f"{side}ForeArm", f"{side}UpperArm", (0.0, 0.08, -0.35), STILL),
            (f"{side}Hand", f"{side}ForeArm", (0.0, -0.06, -0.36), STILL),
        ]
    rig = ikrig.ActorRig(make_actor(joints))
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.0)
    legs = {leg.leaf.get_name(): len(leg.bones) - 1 for leg in feet.parts}
    assert legs == {"LeftToe": 3, "RightToe": 3, "LeftHand": 2, "RightHand": 2}
    given = ikrig.FootPlacement(
        ikrig.ActorRig(make_actor(joints)), lambda x, y: 0.0, chain_length=2
    )
    assert {len(leg.bones) for leg in given.parts} == {3}


@pytest.mark.parametrize("skin", [True, False])
def test_a_tail_beside_the_hips_moves_with_them(monkeypatch, skin: bool) -> None:
    """The pelvis may be above the joint that carries legs and trunk."""
    joints: list[Any] = [
        ("Top", None, STILL, STILL),
        ("Pelvis", "Top", (0.0, 0.0, 0.8), STILL),
        ("Tail", "Pelvis", (0.0, 0.3, 0.0), STILL),
        ("Hips", "Pelvis", (0.0, -0.1, 0.0), STILL),
        ("Neck", "Hips", (0.0, -0.2, 0.1), STILL),
        ("Head", "Neck", (0.0, -0.2, 0.2), STILL),
    ]
    for side, x in (("Left", 0.12), ("Right", -0.12)):
        joints += [
            (f"{side}Thigh", "Hips", (x, 0.0, -0.05), STILL),
            (f"{side}Shin", f"{side}Thigh", (0.0, -0.05, -0.3), STILL),
            (f"{side}Foot", f"{side}Shin", (0.0, 0.05, -0.35), STILL),
        ]
    rig = ikrig.ActorRig(make_actor(joints))
    parents = {name: above for name, above, _, _ in joints}
    points = {"Pelvis": np.eye(3)} if skin else {}
    figure = Figure(parents, dict.fromkeys(parents, (0.0, 0.0, 0.0)), points)
    monkeypatch.setattr(legs, "figure_of", lambda skeleton: figure)
    found = legs.find_hips(rig.skeleton, ["LeftFoot", "RightFoot"], None)
    top = "Pelvis" if skin else "Hips"
    assert found == {(top,): ["LeftFoot", "RightFoot"]}
    # those that are given stay
    given = legs.find_hips(rig.skeleton, ["LeftFoot", "RightFoot"], ["Hips"])
    assert given == {("Hips",): ["LeftFoot", "RightFoot"]}
