"""Limbs found by names, or by geometry if names are not understood."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ikrig.character.branches import _skin_end
from ikrig.character.figure import Figure
from ikrig.character.find_limbs import find_limbs

from .bodies import Body, animal, named, numbered, person
from .conventions import CONVENTIONS, Rename


def wanted(rename: Rename) -> dict[str, tuple[str, ...]]:
    """Return the limbs of ``person``."""
    found = {"head": ("neck", "head")}
    for side, token in (("left", "L"), ("right", "R")):
        for kind, joints in (
            ("hand", ("upperarm", "forearm", "hand")),
            ("foot", ("thigh", "shin", "foot")),
        ):
            found[f"{side}_{kind}"] = tuple(f"{joint}.{token}" for joint in joints)
    return {limb: tuple(map(rename, joints)) for limb, joints in found.items()}


def joints(figure: Figure) -> dict[str, tuple[str, ...]]:
    """Return what is found, by name."""
    return {limb.name: limb.joints for limb in find_limbs(figure).limbs}


@pytest.mark.parametrize("skin", [True, False], ids=["skin", "bare"])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_finds_limbs_with_any_naming_convention(convention: str, skin: bool) -> None:
    rename = CONVENTIONS[convention]
    body = person()
    if convention.endswith("numbers") or not skin:
        # a joint without a name and skin is no eye
        body.remove("eye")
    figure = body.figure(rename, skin=skin)
    found = find_limbs(figure)
    assert {limb.name: limb.joints for limb in found.limbs} == wanted(rename)
    assert found.forward == pytest.approx((0, -1, 0))
    assert not found.findings
    assert all(limb.end is None for limb in found.limbs)


@pytest.mark.parametrize("convention", ["mixamo", "german", "numbers"])
@pytest.mark.parametrize(
    "matrix, forward",
    [
        (np.diag((-1.0, -1.0, 1.0)), (0, 1, 0)),
        ([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], (-1, 0, 0)),
        (np.eye(3) * 100.0, (0, -1, 0)),
        (np.eye(3) * 0.01, (0, -1, 0)),
    ],
    ids=["turned", "sideways", "large", "small"],
)
def test_finds_limbs_in_any_orientation_and_size(convention, matrix, forward):
    rename = CONVENTIONS[convention]
    found = find_limbs(person().remove("eye").figure(rename, matrix))
    assert {limb.name: limb.joints for limb in found.limbs} == wanted(rename)
    assert found.forward == pytest.approx(forward)


@pytest.mark.parametrize("rename", [str, numbered()], ids=["named", "numbers"])
def test_limbs_without_hands_and_feet_end_at_the_skin(rename: Rename) -> None:
    body = person().remove("eye", "thumb1", "index2", "index1", "middle1", "hand")
    body.remove("toe", "foot")
    body.end("forearm.S", 0.8, 0.02, 1.44)
    body.end("shin.S", 0.1, 0.0, 0.0)
    found = {limb.name: limb for limb in find_limbs(body.figure(rename)).limbs}
    assert len(found) == 5
    assert found["left_hand"].joints == (rename("upperarm.L"), rename("forearm.L"))
    assert found["left_hand"].end == pytest.approx((0.79, 0.02, 1.44), abs=0.03)
    assert found["right_foot"].joints == (rename("thigh.R"), rename("shin.R"))
    assert found["right_foot"].end == pytest.approx((-0.1, 0, 0.01), abs=0.05)


def test_twist_bones_are_rigid_parts_of_the_limb() -> None:
    body = person()
    for side in "LR":
        for joint, below in (("upperarm", "forearm"), ("forearm", "hand")):
            body.insert(f"{joint}.{side}.001", f"{joint}.{side}", f"{below}.{side}")
    limbs = {limb.name: limb for limb in find_limbs(body.figure()).limbs}
    limb = limbs["left_hand"]
    assert limb.rigid == ("upperarm.L.001", "forearm.L.001")
    assert limb.joints[0] == "upperarm.L"
    assert limb.joints[-1] == "hand.L"


def test_neck_that_carries_arms_is_not_part_of_the_head() -> None:
    # as 3ds Max has them: the head's chain must not move the hands
    body = person()
    for side in "LR":
        body.joints[f"clavicle.{side}"] = "neck", body.joints[f"clavicle.{side}"][1]
    found = find_limbs(body.figure())
    limbs = {limb.name: limb for limb in found.limbs}
    assert limbs["head"].joints == ("head",)
    assert limbs["head"].end is not None
    assert [finding.reason for finding in found.findings] == ["carries_limbs"]
    assert limbs["left_hand"].joints == wanted(str)["left_hand"]


@pytest.mark.parametrize("rename", [str, numbered()], ids=["named", "numbers"])
def test_digitigrade_animal_is_found(rename: Rename) -> None:
    found = joints(animal().figure(rename))
    legs = {
        "left_front_foot": ("upper.L", "lower.L", "hand.L"),
        "right_front_foot": ("upper.R", "lower.R", "hand.R"),
        "left_rear_foot": ("thigh.L", "shin.L", "hock.L", "paw.L"),
        "right_rear_foot": ("thigh.R", "shin.R", "hock.R", "paw.R"),
        "head": ("neck", "head"),
    }
    for name, line in legs.items():
        assert found[name] == tuple(map(rename, line)), name
    if rename is str:
        assert found["tail"] == ("tail1", "tail2", "tail3")


def test_clothes_and_hair_are_not_limbs() -> None:
    body = person().remove("eye")
    body.add("skirt.S", "hips", 0.15, 0.0, 0.95)
    body.add("skirt2.S", "skirt.S", 0.22, 0.0, 0.7)
    body.end("skirt2.S", 0.25, 0, 0.45)
    body.add("braid.S", "head", 0.12, 0.05, 1.7)
    body.end("braid.S", 0.2, 0.1, 1.2)
    body.add("cape", "chest", 0, 0.1, 1.45)
    body.add("cape2", "cape", 0, 0.2, 1.0)
    body.end("cape2", 0, 0.25, 0.5)
    for rename in (str, numbered()):
        assert joints(body.figure(rename)) == wanted(rename)


def test_wings_are_not_feet() -> None:
    body = animal()
    body.add("wing1.S", "chest", 0.15, -0.1, 0.95)
    body.add("wing2.S", "wing1.S", 0.7, 0, 1.2)
    body.end("wing2.S", 1.6, 0.2, 0.9)
    legs = {"left_front_foot", "right_front_foot", "left_rear_foot", "right_rear_foot"}
    assert set(joints(body.figure())) == {*legs, "head", "tail"}
    found = joints(body.figure(numbered()))
    assert legs <= set(found)
    assert not any("wing" in name for name in found)


def test_foot_control_below_the_root_is_not_the_leg() -> None:
    # the leg is animated to where that foot is, and ends without it
    body = person().remove("eye", "toe", "foot")
    body.end("shin.S", 0.1, 0.02, 0.09)
    body.add("Foot.S", None, 0.1, 0.03, 0.09)
    body.end("Foot.S", 0.1, -0.15, 0.02)
    found = {limb.name: limb for limb in find_limbs(body.figure()).limbs}
    assert found["left_foot"].joints == ("thigh.L", "shin.L")
    assert found["left_foot"].end is not None


def test_eight_legs_are_found() -> None:
    body = Body()
    body.add("body", None, 0, 0, 0.5)
    body.end("body", 0, 0.5, 0.5)
    for k in range(4):
        y = 0.3 - 0.2 * k
        body.add(f"a{k}.S", "body", 0.1, y, 0.5)
        body.add(f"b{k}.S", f"a{k}.S", 0.5, y * 1.5, 0.8)
        body.add(f"c{k}.S", f"b{k}.S", 0.9, y * 2, 0.4)
        body.end(f"c{k}.S", 1.0, y * 2.2, 0.0)
    found = find_limbs(body.figure(numbered()))
    feet = [limb for limb in found.limbs if limb.kind == "foot"]
    assert len(feet) == 8
    assert {limb.side for limb in feet} == {"left", "right"}
    assert all(limb.end is not None and limb.end[2] < 0.1 for limb in feet)


def test_tail_in_the_pelvis_is_a_finding() -> None:
    body = person()
    body.add("tail", "hips", 0, 0, 1.0)
    body.end("tail", 0, 0.3, 0.9)
    found = find_limbs(body.figure())
    assert joints(body.figure()) == wanted(str)
    (finding,) = found.findings
    assert (finding.limb, finding.reason) == ("tail", "no_length")
    assert finding.joints == ("tail",)


def test_arms_without_bones_are_findings() -> None:
    # the joint of each arm is in its hand
    body = person().remove("eye", "thumb1", "index2", "index1", "middle1", "forearm")
    body.remove("upperarm", "clavicle")
    for side in "LR":
        body.end(f"hand.{side}", *(c * 1.02 for c in body.joints[f"hand.{side}"][1]))
    found = find_limbs(body.figure(named({"hand": "arm.@"})))
    assert "left_hand" not in {limb.name for limb in found.limbs}
    reasons = {finding.limb: finding.reason for finding in found.findings}
    assert reasons == {"left_hand": "too_short", "right_hand": "too_short"}
    assert "'arm.L' is a child of 'chest'" in str(found.findings[0])


def test_eyeballs_are_found_by_their_shape() -> None:
    angles = np.random.default_rng(1).normal(size=(60, 3))
    ball = 0.02 * angles / np.linalg.norm(angles, axis=1)[:, None]
    figure = person().figure(named({"eye": "pSphere@"}))
    skin = dict(figure.skin)
    for side in "LR":
        skin[f"pSphere{side}"] = ball + figure.positions[f"pSphere{side}"]
    found = find_limbs(Figure(figure.parents, figure.positions, skin))
    assert set(found.eyes) == {"pSphereL", "pSphereR"}


def test_exchanged_sides_are_a_finding() -> None:
    found = find_limbs(person().figure(named({}, ("R", "L"))))
    assert found.forward == pytest.approx((0, -1, 0))
    assert [finding.reason for finding in found.findings] == ["sides_swapped"]


def test_empty_skeleton_has_no_limbs() -> None:
    assert find_limbs(Figure({}, {})).limbs == ()
    found = find_limbs(Figure({"root": None}, {"root": (0, 0, 0)}))
    assert found.limbs == ()
    assert found.findings


@pytest.mark.parametrize("seed", range(20))
def test_junk_input_never_raises(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 30))
    words = ("hand.L", "foot.R", "head", "tail", "neck", "Bone", "eye.L", "左手", "IK")
    names = [f"{random.choice(words)}{k}" for k in range(count)]
    parents = {
        name: None if k == 0 or random.random() < 0.1 else names[random.integers(k)]
        for k, name in enumerate(names)
    }
    places = {name: random.normal(size=3) * random.integers(2) for name in names}
    skin = {
        name: random.normal(size=(int(random.integers(1, 9)), 3))
        for name in names
        if random.random() < 0.5
    }
    figure = Figure(parents, places, skin)
    for limb in find_limbs(figure).limbs:
        assert set(limb.joints) <= set(names)
        assert all(figure.is_below(b, a) for a, b in pairwise(limb.joints))


def test_positions_must_be_finite() -> None:
    with pytest.raises(ValueError, match="'a' has no position"):
        Figure({"a": None}, {})
    with pytest.raises(ValueError, match="position of joint 'a'"):
        Figure({"a": None}, {"a": (0, 0, float("nan"))})


def test_skin_ends_a_bone_only_where_it_continues_its_parent() -> None:
    names = ["a", "b", "c"]
    places = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 0, 2)}
    figure = Figure({"a": None, "b": "a", "c": "b"}, places)
    for count, way in ((2, (1, 0, 0)), (3, (0, 0, 1))):
        path, tip = names[:count], np.array(places[names[count - 1]], float)
        bone = float(count - 1)
        # at least 0.15 of the bone above further on, whatever it does aside
        for share, on in ((1.0, True), (0.151, True), (0.149, False), (-1.0, False)):
            end = tip + share * bone * np.array(way) + [0.0, 5.0, 0.0]
            found = _skin_end(figure, path, end)
            assert (found is end) if on else (found is None)
        assert _skin_end(figure, path, None) is None
    assert _skin_end(figure, ["a"], tip) is tip, "above it there is none"
