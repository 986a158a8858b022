"""Limbs of skeletons as written by well-known tools, with their peculiarities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ikrig.character.bone_names import rigid_joints, shared_prefix
from ikrig.character.find_limbs import find_limbs

from .bodies import (
    PERSONS_LIMBS,
    Body,
    animal,
    check_limbs,
    names,
    numbered,
    person,
)

Rename = Callable[[str], str]
DAZ = """
    hips hip; spine abdomen; chest chestUpper; neck neckLower; clavicle @Collar;
    upperarm @ShldrBend; twist1 @ShldrTwist; forearm @ForearmBend;
    twist2 @ForearmTwist; hand @Hand; thigh @ThighBend; twist3 @ThighTwist;
    shin @Shin; foot @Foot; toe @Toe; eye @Eye
"""
MMD = """
    hips 下半身; spine 上半身; chest 上半身2; neck 首; head 頭; clavicle @肩;
    upperarm @腕; twist1 @腕捩; forearm @ひじ; twist2 @手捩; hand @手首;
    thigh @足; shin @ひざ; foot @足首; toe @つま先; eye @目
"""
XSENS = """
    hips Pelvis; spine L5; chest T8; neck Neck; head Head; clavicle @Shoulder;
    upperarm @UpperArm; forearm @Forearm; hand @Hand; thigh @UpperLeg;
    shin @LowerLeg; foot @Foot; toe @Toe
"""
COUNTED = """
    hips root; spine spine1; chest spine2; neck neck1; head head1; clavicle arm1_@;
    upperarm arm2_@; forearm arm3_@; hand arm4_@; thigh leg1_@; shin leg2_@;
    foot leg3_@; toe leg4_@
"""
HUNTER = """
    hips HeadHunter_hips; spine HeadHunter_spine; chest HeadHunter_chest;
    neck HeadHunter_neck; head HeadHunter_head; clavicle HeadHunter_@_shoulder;
    upperarm HeadHunter_@_arm; forearm HeadHunter_@_elbow; hand HeadHunter_@_hand;
    thigh HeadHunter_@_thigh; shin HeadHunter_@_shin; foot HeadHunter_@_foot;
    toe HeadHunter_@_toe; eye HeadHunter_@_eye
"""


def human() -> Body:
    return person().remove("thumb1", "index2", "index1", "middle1")


def twisted() -> Body:
    body = human()
    for side in "LR":
        body.insert(f"twist1.{side}", f"upperarm.{side}", f"forearm.{side}")
        body.insert(f"twist2.{side}", f"forearm.{side}", f"hand.{side}")
    return body


def with_thighs(body: Body) -> Body:
    for side in "LR":
        body.insert(f"twist3.{side}", f"thigh.{side}", f"shin.{side}")
    return body


@pytest.mark.parametrize("skin", [True, False])
@pytest.mark.parametrize(
    ("body", "rename"),
    [
        (with_thighs(twisted()), names(DAZ, ("l", "r"))),
        (twisted(), names(MMD, ("左", "右"))),
        (human(), names(XSENS, ("Left", "Right"))),
        (human(), names(COUNTED)),
        (human(), names(HUNTER)),
    ],
    ids=["daz", "mmd", "xsens", "counted", "prefix"],
)
def test_arms_and_legs_are_found(body: Body, rename: Rename, skin: bool) -> None:
    limbs = find_limbs(body.figure(rename, skin=skin)).limbs
    check_limbs(limbs, rename, PERSONS_LIMBS)


def test_skinless_chain_above_a_limb_is_not_a_limb() -> None:
    """As models for MikuMikuDance have: the skin hangs on copies of the legs."""
    body = human().remove("eye")
    for side, sign in (("L", 1.0), ("R", -1.0)):
        body.add(f"cancel{side}", "hips", sign * 0.09, 0.0, 0.94, bare=True)
        above = f"cancel{side}"
        for joint in ("thigh", "shin", "foot"):
            _, place = body.joints[f"{joint}.{side}"]
            body.add(f"{joint}copy.{side}", above, *place)
            body.bare.add(f"{joint}.{side}")
            above = f"{joint}copy.{side}"
        body.bare.add(f"toe.{side}")
        body.end(above, sign * 0.11, -0.17, 0.02)
    found = {limb.name: limb.joints for limb in find_limbs(body.figure()).limbs}
    assert found["left_foot"] == ("thighcopy.L", "shincopy.L", "footcopy.L")
    assert found["right_foot"] == ("thighcopy.R", "shincopy.R", "footcopy.R")
    assert len(found) == 5


@pytest.mark.parametrize(
    ("joints", "rigid"),
    [
        (("lShldrBend", "lShldrTwist", "lForearmBend", "lForearmTwist", "lHand"),
         ("lShldrTwist", "lForearmTwist")),
        (("左腕", "左腕捩", "左ひじ", "左手捩", "左手首"), ("左腕捩", "左手捩")),
        # named alike throughout: the elbow is one of them
        (("arm1_L", "arm2_L", "arm3_L"), ()),
        (("LShoulderRoll", "LElbowRoll", "LHand"), ()),
    ],
)  # fmt: skip
def test_twist_joints_are_skipped(joints, rigid) -> None:
    assert rigid_joints(joints) == rigid


@pytest.mark.parametrize(
    ("joints", "prefix"),
    [
        (("Head_hips", "Head_neck", "Head_head", "Head_l_arm"), "Head_"),
        # of nearly all
        (
            (
                *("Head_hips", "Head_neck", "Head_head", "Head_spine", "Head_tail"),
                *(
                    "Head_hand_l",
                    "Head_hand_r",
                    "Head_foot_l",
                    "Head_foot_r",
                    "Sword_1",
                ),
            ),
            "Head_",
        ),
        # it is what they are, and nothing else says so
        (("leg_1_L", "leg_2_L", "leg_3_L", "leg_4_L"), ""),
        # a left hand's joints are those of a left hand
        (("left_hand", "left_thumb1", "left_index1"), ""),
        # that of some is a part of the body
        (("hand_l", "hand_r", "arm_l", "arm_r"), ""),
        ((), ""),
    ],
)
def test_character_name_as_prefix_is_ignored(joints, prefix) -> None:
    assert shared_prefix(joints) == prefix


@pytest.mark.parametrize("bare", [False, True])
def test_feet_below_the_root_are_a_finding(bare: bool) -> None:
    """As on the bones of an animator's IK: legs end with their skin."""
    body = human().remove("eye")
    for side, x in (("L", 0.1), ("R", -0.1)):
        foot, toe = body.joints[f"foot.{side}"][1], body.joints.pop(f"toe.{side}")[1]
        del body.joints[f"foot.{side}"]
        body.add(f"foot.{side}", None, *foot, bare=bare)
        body.add(f"toe.{side}", f"foot.{side}", *toe, bare=bare)
        body.end(f"shin.{side}", x, 0.03, 0.09)
    found = find_limbs(body.figure())
    limbs = {limb.name: limb.joints for limb in found.limbs}
    assert limbs["left_foot"] == ("thigh.L", "shin.L")
    told = {(finding.limb, finding.reason) for finding in found.findings}
    feet = {("left_foot", "apart"), ("right_foot", "apart")}
    assert told == (set() if bare else feet)


@pytest.mark.parametrize(("share", "found"), [(0.2, 2), (0.3, 0)])
def test_named_eyes_are_at_the_heads_surface(share, found) -> None:
    body = person().remove("eye")
    skin = body.figure().skin["head"]
    low, size = skin.min(axis=0), np.ptp(skin, axis=0).max()
    body.add("eye.S", "head", 0.01, low[1] - share * size, 1.7, bare=True)
    assert len(find_limbs(body.figure()).eyes) == found


@pytest.mark.parametrize("name", ["jaw", "Hat", "ear"])
def test_joint_that_carries_the_head_is_part_of_the_neck(name: str) -> None:
    # tools that map bones to a table call the second joint of a neck so
    body = human().remove("eye")
    body.insert(name, "neck", "head")
    limbs = {limb.name: limb for limb in find_limbs(body.figure()).limbs}
    assert limbs["head"].joints == ("neck", name, "head")


def walker() -> Body:
    """A walker with narrow shoulders and steep insteps, whose knees are bent."""
    body = Body()
    body.add("hips", None, 0.0, 0.0, 0.68)
    body.add("spine", "hips", 0.0, -0.01, 0.82)
    body.add("chest", "spine", 0.0, 0.0, 1.07)
    body.add("neck", "chest", 0.0, -0.01, 1.14)
    body.add("head", "neck", 0.0, -0.01, 1.19)
    body.end("head", 0.0, -0.02, 1.5)
    body.add("arm1.S", "chest", 0.09, 0.0, 1.07)
    body.add("arm2.S", "arm1.S", 0.305, 0.016, 0.965)
    body.add("arm3.S", "arm2.S", 0.45, -0.067, 0.875)
    body.end("arm3.S", 0.52, -0.11, 0.83)
    body.add("leg1.S", "hips", 0.07, -0.024, 0.614)
    body.add("leg2.S", "leg1.S", 0.08, -0.068, 0.352)
    body.add("leg3.S", "leg2.S", 0.08, 0.005, 0.086)
    body.add("leg4.S", "leg3.S", 0.08, -0.027, 0.021)
    body.end("leg4.S", 0.08, -0.04, 0.0)
    return body


TURNS = {
    "-y": np.eye(3),
    "+x": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "+y": np.diag((-1.0, -1.0, 1.0)),
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("called", ["{}", "bone{}"], ids=["named", "numbers"])
def test_narrow_shoulders_and_steep_insteps_are_found(called: str, turn: str) -> None:
    body = walker()
    order = {name: str(k) for k, name in enumerate(body.joints)}

    def rename(name: str) -> str:
        return called.format(name if called == "{}" else order[name])

    figure = body.figure(rename, TURNS[turn])
    found = find_limbs(figure)
    limbs = {limb.name: limb for limb in found.limbs}
    for side in "LR":
        word = {"L": "left", "R": "right"}[side]
        for kind, name in (("hand", "arm"), ("foot", "leg")):
            wanted = tuple(rename(f"{name}{k}.{side}") for k in (1, 2, 3))
            assert limbs[f"{word}_{kind}"].joints == wanted
            assert limbs[f"{word}_{kind}"].end is None
    # its toes say too little, its knees enough
    assert found.forward == pytest.approx(TURNS[turn] @ (0.0, -1.0, 0.0))


GROUPS = (
    "clavicle upperarm forearm hand thumb1 index1 index2 middle1",
    "thigh shin foot toe",
    "hips spine chest",
    "neck head eye",
)
"""Joints of the parts of a person."""


def joints_found(body: Body, rename: Rename) -> dict[str, tuple[str, ...]]:
    """The joints of each limb, by the names that they have in the body."""
    names = {rename(joint): joint for joint in body.joints}
    found = find_limbs(body.figure(rename))
    return {limb.name: tuple(names[j] for j in limb.joints) for limb in found.limbs}


@pytest.mark.parametrize("sides", [True, False])
@pytest.mark.parametrize("known", range(15))
def test_names_of_one_part_of_a_body_are_not_needed_for_another(known, sides) -> None:
    stems = " ".join(g for k, g in enumerate(GROUPS) if not known >> k & 1).split()
    nameless = numbered()

    def rename(joint: str) -> str:
        stem, dot, side = joint.partition(".")
        if stem not in stems:
            return joint
        return nameless(joint) + (dot + side if sides else "")

    assert joints_found(person(), rename) == joints_found(person(), str)


@pytest.mark.parametrize("make", [person, animal])
@pytest.mark.parametrize("rename", [str, numbered()], ids=["named", "numbered"])
def test_order_of_joints_changes_nothing(make, rename) -> None:
    body, other = make(), make()
    # siblings the other way round; parents still come first
    depth: dict[str | None, int] = {None: 0}
    for joint, (parent, _) in body.joints.items():
        depth[joint] = depth[parent] + 1
    last_first = list(body.joints)[::-1]
    last_first.sort(key=depth.__getitem__)
    other.joints = {joint: body.joints[joint] for joint in last_first}
    assert joints_found(other, rename) == joints_found(body, rename)


@pytest.mark.parametrize("make", [person, animal])
def test_sides_of_a_mirrored_nameless_body_are_exchanged(make) -> None:
    body, other = make(), make()
    for joint, (parent, (x, y, z)) in body.joints.items():
        other.joints[joint] = parent, (-x, y, z)
    other.ends = {joint: (-x, y, z) for joint, (x, y, z) in body.ends.items()}
    found, mirrored = (joints_found(b, numbered()) for b in (body, other))
    swapped = {"left": "right", "right": "left"}
    for name, joints in found.items():
        side, _, rest = name.partition("_")
        own = f"{swapped[side]}_{rest}" if side in swapped else name
        assert mirrored[own] == joints
    assert len(mirrored) == len(found)
