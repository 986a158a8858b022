"""Limbs of bodies as games have them: controls as bones, ears, blocks, tied hair."""

from __future__ import annotations

import pytest

from ikrig.character.find_limbs import find_limbs
from ikrig.character.limb import FoundLimbs

from .bodies import Body, animal, drawn, numbered, person

LIMBS = {
    "left_hand": ("upperarm.L", "forearm.L", "hand.L"),
    "right_hand": ("upperarm.R", "forearm.R", "hand.R"),
    "left_foot": ("thigh.L", "shin.L", "foot.L"),
    "right_foot": ("thigh.R", "shin.R", "foot.R"),
    "head": ("neck", "head"),
}


def joints(found: FoundLimbs) -> dict[str, tuple[str, ...]]:
    return {limb.name: limb.joints for limb in found.limbs}


def called(give: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(give + joint for joint in own) for name, own in LIMBS.items()}


@pytest.mark.parametrize("prefix", ["CTRL_FK_", "ctrl.", "FK-"])
def test_controls_are_bones_where_most_skin_is_theirs(prefix: str) -> None:
    body = person()
    body.add("ik_target.S", "hips", 0.1, -0.5, 0.1, bare=True)
    found = find_limbs(body.figure(lambda joint: prefix + joint))
    assert joints(found) == called(prefix)
    assert found.eyes == (prefix + "eye.L", prefix + "eye.R")


def test_controls_beside_the_bones_are_none() -> None:
    body = person()
    for joint in ("hand", "foot"):
        _, place = body.joints[f"{joint}.L"]
        body.add(f"{joint}_ctrl.S", "hips", *place)
    assert joints(find_limbs(body.figure())) == LIMBS
    # a single marker is no bone either, although no other joint moves skin
    figure = drawn(("ik pole", None, (0, 0, 1)))
    assert figure.name_of("ik pole").is_helper


def test_hand_with_a_gripper_of_two_sides_stays_a_hand() -> None:
    arm: list[tuple[object, ...]] = [
        ("base", None, (0, 0, 0)),
        ("arm", "base", (0, 0, 0.5)),
    ]
    arm += [("forearm", "arm", (0.5, 0.1, 0.5)), ("hand", "forearm", (1, 0, 0.5))]
    arm += [("claw_L", "hand", (1.1, 0.1, 0.5)), ("claw_R", "hand", (1.1, -0.1, 0.5))]
    assert joints(find_limbs(drawn(*arm)))["hand"] == ("arm", "forearm", "hand")


def test_tied_hair_is_no_tail() -> None:
    body = person()
    body.add("tail1", "head", 0, 0.1, 1.7)
    body.add("tail2", "tail1", 0, 0.2, 1.6)
    body.end("tail2", 0, 0.2, 1.4)
    assert joints(find_limbs(body.figure())) == LIMBS
    # beside it, the other one counts
    body.add("tail3", "hips", 0, 0.1, 1.0)
    body.add("tail4", "tail3", 0, 0.4, 0.8)
    body.end("tail4", 0, 0.6, 0.7)
    tail = joints(find_limbs(body.figure()))["tail"]
    assert tail == ("tail3", "tail4")


def test_fish_whose_body_is_below_its_head_has_a_tail() -> None:
    body = Body()
    body.add("root", None, 0, 0, 0, bare=True)
    body.add("head", "root", 0, -0.5, 0)
    body.add("middle", "head", 0, 0, 0)
    body.add("tail1", "middle", 0, 0.4, 0)
    body.add("tail2", "tail1", 0, 0.7, 0)
    body.end("tail2", 0, 1.0, 0)
    assert joints(find_limbs(body.figure()))["tail"] == ("tail1", "tail2")


def test_ears_of_an_animal_without_names_are_no_arms() -> None:
    body = animal()
    body.add("ear.S", "neck", 0.08, -0.55, 1.15)
    body.end("ear.S", 0.25, -0.5, 1.5)
    rename = numbered()
    found = find_limbs(body.figure(rename))
    assert {limb.kind for limb in found.limbs} == {"foot", "head"}
    assert joints(found)["head"] == (rename("neck"), rename("head"))
    # arms of two bones are arms, as those of a centaur
    body = animal()
    body.add("arm.S", "chest", 0.15, -0.4, 1.0)
    body.add("fore.S", "arm.S", 0.5, -0.4, 1.0)
    body.end("fore.S", 0.8, -0.4, 1.0)
    rename = numbered()
    hand = joints(find_limbs(body.figure(rename)))["left_hand"]
    assert hand == (rename("arm.L"), rename("fore.L"))


def test_leg_of_one_bone_below_a_joint_in_the_middle() -> None:
    body = Body()
    body.add("Body", None, 0, 0, 0.6)
    body.end("Body", 0, 0, 1.2)
    body.add("Hip.S", "Body", 0, 0, 0.6, bare=True)
    body.add("Leg.S", "Hip.S", 0.12, 0, 0.6)
    body.end("Leg.S", 0.12, 0, 0.0)
    body.add("Arm.S", "Body", 0.3, 0, 1.1)
    body.end("Arm.S", 0.3, 0, 0.6)
    body.add("Head", "Body", 0, 0, 1.2)
    body.end("Head", 0, 0, 1.6)
    found = find_limbs(body.figure())
    legs = {limb.name: limb for limb in found.limbs if limb.kind == "foot"}
    assert {name: limb.joints for name, limb in legs.items()} == {
        "left_foot": ("Leg.L",),
        "right_foot": ("Leg.R",),
    }
    assert legs["left_foot"].end == pytest.approx((0.12, 0.0, 0.0), abs=0.08)


def test_skin_of_a_hand_on_its_control_is_reported() -> None:
    body = person()
    for joint in ("hand", "thumb1", "index1", "index2", "middle1"):
        body.bare |= {f"{joint}.L", f"{joint}.R"}
    body.add("handGoal.S", "spine", 0.71, 0.02, 1.44)
    body.end("handGoal.S", 0.86, 0.02, 1.44)
    found = find_limbs(body.figure())
    apart = {finding.limb: finding for finding in found.findings}
    assert {name: finding.reason for name, finding in apart.items()} == {
        "left_hand": "apart",
        "right_hand": "apart",
    }
    assert apart["left_hand"].joints == ("handGoal.L",)
    assert "a child of 'spine'" in apart["left_hand"].message
    assert "when the arm moves" in apart["left_hand"].message
    body.joints["handGoal.L"] = None, (0.71, 0.02, 1.44)
    message = find_limbs(body.figure()).findings[0].message
    assert message.startswith("'handGoal.L' moves skin but has no parent, so it stays")
    # elsewhere it is not at the hand, and without skin it moves nothing
    body.joints["handGoal.L"] = "spine", (0.71, 0.3, 1.44)
    body.bare |= {"handGoal.R"}
    assert not find_limbs(body.figure()).findings
