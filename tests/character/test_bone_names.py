"""Parsing of joint names."""

from __future__ import annotations

import pytest

from ikrig.character.bone_names import parse_name, repeats
from ikrig.character.figure import Figure


@pytest.mark.parametrize(
    "name, side, kind",
    [
        ("mixamorig:LeftHand", "left", "hand"),
        ("mixamorig:RightForeArm", "right", "arm"),
        ("DEF-upper_arm.L.001", "left", "arm"),
        ("Bip01 R Calf", "right", "leg"),
        ("J_Bip_L_UpperLeg", "left", "leg"),
        ("lShldrBend", "left", "shoulder"),
        ("upperleg02.R", "right", "leg"),
        ("b_LeftFoot02_018", "left", "foot"),
        ("lefthand", "left", "hand"),
        ("upperarml", "left", "arm"),
        ("leftleg", "left", "leg"),
        ("righteye", "right", "eye"),
        ("CC_Base_R_Hand", "right", "hand"),
        ("Oberschenkel.R", "right", "leg"),
        ("Fuß_links", "left", "foot"),
        ("avant-bras droit", "right", "arm"),
        ("mano_izquierda", "left", "hand"),
        ("Pé_direito", "right", "foot"),
        ("рука_левая", "left", "arm"),
        ("左足首", "left", "foot"),
        ("右ひじ", "right", "arm"),
        ("头", "", "head"),
        ("голова", "", "head"),
        ("HeadBone", "", "head"),
        ("tail.003", "", "tail"),
        ("eye_ball.l", "left", "eye"),
        ("FACIAL_R_Eye", "right", "eye"),
        # of two sides the first one; but a letter before another is "rear", "lower"
        ("RightArm_links", "right", "arm"),
        ("r_arm.L", "left", "arm"),
        ("left_arm_r", "left", "arm"),
        ("l_arm_right", "left", "arm"),
    ],
)
def test_names_give_body_parts(name: str, side: str, kind: str) -> None:
    found = parse_name(name)
    assert found.side == side
    assert kind in found.means
    assert not found.is_helper


@pytest.mark.parametrize(
    "name",
    [
        *("hand_ik.L", "MCH-foot.R", "左足ＩＫ", "IKFoot_L", "control-foot-roll.l"),
        *("HeadTop_End", "Bip01 HeadNub", "handslot.r", "J_Sec_Hair1_01", "ponytail"),
        *("LeftHandThumb1", "ball_l", "LeftToeBase", "LeftEyeLid", "EyePoints"),
        *("foot_heel.R", "skirt_front.L", "pole_target.L", "Ear.R"),
    ],
)
def test_names_that_are_not_ends_of_limbs(name: str) -> None:
    found = parse_name(name)
    for kind in ("hand", "foot", "head", "tail", "eye"):
        assert not found.is_end(kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        *("Bone.001", "joint4", "pCube3", "foor.R", "handle?", "relic", "Thor"),
        # short words for sides are accidents inside of others
        *("headlneck", "handrleg", "legdir", "lfhand"),
        # and so are words of two letters
        *("pehand", "armpe"),
    ],
)
def test_meaningless_names_give_nothing(name: str) -> None:
    found = parse_name(name)
    assert not found.means & {"hand", "foot", "head", "tail", "eye", "arm", "leg"}


def test_eye_helpers_are_neither_eyes_nor_toes() -> None:
    assert "eye" not in parse_name("LeftEyeLid").means
    assert "toe" in parse_name("ball.l").means
    for name in ("eye_ball.l", "ball_of_eye", "eye_l_ball"):
        assert "toe" not in parse_name(name).means


def test_any_name_is_accepted() -> None:
    for name in ("", ":", "...", "123", "ß", "🙂", "a" * 5000, "\0", "L", "左右"):
        parse_name(name)


def test_twist_bones_repeat_their_parents_name() -> None:
    assert repeats("DEF-upper_arm.L.001", "DEF-upper_arm.L")
    assert repeats("lShldrTwist", "lShldr")
    assert not repeats("forearm.L", "upper_arm.L")
    assert not repeats("hand.L", "hand.R")
    assert not repeats("hand.L", "hand.L")


def test_side_in_a_name_counts_unless_the_other_is_below_and_has_no_twin() -> None:
    parents = {"root": None, "hip.L": "root", "leg.R": "hip.L", "leg.L": "hip.L"}
    places = dict.fromkeys(["hip.R", *parents], (0, 0, 0))
    assert Figure(parents, places).name_of("hip.L").side == ""
    twin = Figure({**parents, "hip.R": "root"}, places)
    assert twin.name_of("hip.L").side == "left"
    assert twin.name_of("root").side == ""
