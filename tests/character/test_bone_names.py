"""Limbs by the names that exporters give to joints."""

from __future__ import annotations

import pytest

from ikrig.character.bone_names import find_limbs

SKELETONS = {
    "mixamo": """
        mixamorig:Hips > mixamorig:Spine > mixamorig:Spine2 > mixamorig:Neck
        mixamorig:Neck > mixamorig:Head > mixamorig:HeadTop_End
        mixamorig:Spine2 > mixamorig:@Shoulder > mixamorig:@Arm* > mixamorig:@ForeArm*
        mixamorig:@ForeArm > mixamorig:@Hand* > mixamorig:@HandThumb1
        mixamorig:Hips > mixamorig:@UpLeg+ > mixamorig:@Leg+ > mixamorig:@Foot+
        mixamorig:@Foot > mixamorig:@ToeBase > mixamorig:@Toe_End
    """,
    "unreal": """
        root > pelvis > spine_01 > neck_01 > head
        spine_01 > clavicle_$ > upperarm_$* > lowerarm_$* > hand_$* > index_01_$
        upperarm_$ > upperarm_twist_01_$
        pelvis > thigh_$+ > calf_$+ > foot_$+ > ball_$
    """,
    "max": """
        Bip01 > Bip01 Pelvis > Bip01 Spine > Bip01 Neck > Bip01 Head > Bip01 HeadNub
        Bip01 Neck > Bip01 £ Clavicle > Bip01 £ UpperArm* > Bip01 £ Forearm*
        Bip01 £ Forearm > Bip01 £ Hand* > Bip01 £ Finger0
        Bip01 Pelvis > Bip01 £ Thigh+ > Bip01 £ Calf+ > Bip01 £ Foot+ > Bip01 £ Toe0
    """,
    "vrm": """
        J_Bip_C_Hips > J_Bip_C_Spine > J_Bip_C_Neck > J_Bip_C_Head > J_Adj_£_FaceEye
        J_Bip_C_Spine > J_Bip_£_Shoulder > J_Bip_£_UpperArm* > J_Bip_£_LowerArm*
        J_Bip_£_LowerArm > J_Bip_£_Hand* > J_Bip_£_Thumb1
        J_Bip_C_Hips > J_Bip_£_UpperLeg+ > J_Bip_£_LowerLeg+ > J_Bip_£_Foot+
        J_Bip_£_Foot > J_Bip_£_ToeBase
    """,
    "daz": """
        hip > abdomen > chest > neck > head > $Eye
        chest > $Collar > $Shldr* > $ForeArm* > $Hand* > $Thumb1
        hip > $Thigh+ > $Shin+ > $Foot+ > $Toe
    """,
    "blender": """
        spine > spine.001 > neck > head
        spine.001 > shoulder.£ > upper_arm.£* > forearm.£* > hand.£*
        spine > thigh.£+ > shin.£+ > foot.£+ > toe.£
    """,
    "shoulder is the upper arm": """
        Hips > Chest > Neck > Head
        Chest > Shoulder.£* > Elbow.£* > Wrist.£*
        Hips > Hip.£+ > Knee.£+ > Ankle.£+
    """,
}
SIDES = {"left": ("Left", "l", "L"), "right": ("Right", "r", "R")}


def read(text: str) -> tuple[dict[str, str | None], dict[str, tuple[str, ...]]]:
    """Parents, and the joints that are marked for an arm (*) and a leg (+)."""
    parents: dict[str, str | None] = {}
    marked: dict[str, list[str]] = {}
    for side, (word, small, large) in SIDES.items():
        for line in text.strip().splitlines():
            line = line.replace("@", word).replace("$", small).replace("£", large)
            above = None
            for joint in line.split(" > "):
                name = joint.strip().rstrip("*+")
                parents.setdefault(name, above)
                for mark, kind in (("*", "hand"), ("+", "foot")):
                    if joint.strip().endswith(mark):
                        marked.setdefault(f"{side}_{kind}", []).append(name)
                above = name
    return parents, {name: tuple(joints) for name, joints in marked.items()}


@pytest.mark.parametrize("name", SKELETONS)
def test_arms_legs_and_head(name):
    parents, wanted = read(SKELETONS[name])
    found = {limb.name: limb for limb in find_limbs(parents)}
    assert {limb: found[limb].joints for limb in wanted} == wanted
    assert set(found) == {*wanted, "head"}
    for limb in found.values():
        assert limb.side == limb.name.partition("_")[0].replace("head", "")
        assert limb.joints[-1] in str(limb)
        assert not limb.rigid


def test_twist_bones_are_rigid():
    names = ["DEF-spine", "DEF-shoulder.L", "DEF-upper_arm.L", "DEF-upper_arm.L.001"]
    names += ["DEF-forearm.L", "DEF-forearm.L.001", "DEF-hand.L"]
    (limb,) = find_limbs(dict(zip(names, [None, *names], strict=False)))
    assert limb.joints == tuple(names[2:])
    assert limb.rigid == ("DEF-upper_arm.L.001", "DEF-forearm.L.001")


def test_a_knee_that_only_has_a_number_bends():
    names = ["hips", "Leg.R", "Leg.R.001", "Foot.R"]
    (limb,) = find_limbs(dict(zip(names, [None, *names], strict=False)))
    assert limb.joints == tuple(names[1:])
    assert limb.rigid == ()


def test_four_legs_and_a_tail():
    parents: dict[str, str | None] = {"hips": None, "chest": "hips"}
    for place, above in (("front", "chest"), ("back", "hips")):
        for side in "LR":
            for joint, hangs in (
                ("upper", above),
                ("lower", "upper"),
                ("paw", "lower"),
            ):
                hangs = hangs if hangs == above else f"{place}_{hangs}.{side}"
                parents[f"{place}_{joint}.{side}"] = hangs
    parents |= {"tail1": "hips", "tail2": "tail1", "tail3": "tail2"}
    found = {limb.name: limb.joints for limb in find_limbs(parents)}
    assert found["right_rear_foot"] == ("back_upper.R", "back_lower.R", "back_paw.R")
    assert found["left_front_foot"][0] == "front_upper.L"
    assert found["tail"] == ("tail1", "tail2", "tail3")
    assert len(found) == 5


def test_names_that_say_nothing():
    parents = {
        "a": None,
        "b": "a",
        "c": "b",
        "d": "c",
        "d_end": "d",
        "e": "b",
        "f": "e",
    }
    limbs = find_limbs(parents)
    assert [limb.joints for limb in limbs] == [("c", "d"), ("e", "f")]
    assert {limb.kind for limb in limbs} == {"limb"}
