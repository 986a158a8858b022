"""Limbs of Blender's Rigify: its metarigs, and the skeletons generated from them.

Built here with the same names, hierarchy and proportions; nothing is copied.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ikrig.character.find_limbs import find_limbs

from .bodies import PERSONS_LIMBS, Body, animal, check_limbs, names, person

Rename = Callable[[str], str]
PERSON = """
    hips spine; spine spine.001; chest spine.002; neck spine.003; head spine.004;
    clavicle shoulder.@; upperarm upper_arm.@; forearm forearm.@; hand hand.@;
    thigh thigh.@; shin shin.@; foot foot.@; toe toe.@; heel heel.02.@; girdle pelvis.@;
    forehead forehead.@; temple temple.@; eye eye.@; face face
"""
WOLF = """
    hips spine; spine spine.001; chest spine.002; neck spine.003; head spine.004;
    tail1 spine.005; tail2 spine.006; tail3 spine.007; girdle pelvis.@;
    scapula shoulder.@; thigh thigh.@; shin shin.@; hock foot.@; paw r_toe.@;
    upper front_thigh.@; lower front_shin.@; hand front_foot.@; eye eye.@; face face
"""
SEGMENTS = (
    ("thigh", "shin"), ("shin", "foot"), ("shin", "hock"), ("hock", "paw"),
    ("upperarm", "forearm"), ("forearm", "hand"), ("upper", "lower"), ("lower", "hand"),
)  # fmt: skip


def human() -> Body:
    """A person with a face, heels and a pelvis that is no limb."""
    body = person().remove("eye", "thumb1", "index2", "index1", "middle1")
    body.add("face", "head", 0, -0.02, 1.58)
    body.end("face", 0, -0.02, 1.66)
    _face(body, -0.08, 1.66)
    body.add("girdle.S", "hips", 0.0, 0.02, 1.0)
    body.end("girdle.S", 0.1, -0.05, 1.12)
    body.add("heel.S", "foot.S", 0.08, 0.07, 0.0)
    body.end("heel.S", 0.12, 0.07, 0.0)
    return body


def wolf() -> Body:
    """An animal with the same, whose feet are called toes."""
    body = animal().remove("pelvis")
    body.add("face", "head", 0, -0.64, 1.08)
    body.end("face", 0, -0.64, 1.15)
    _face(body, -0.7, 1.1)
    body.add("girdle.S", "hips", 0.0, 0.55, 0.6)
    body.end("girdle.S", 0.1, 0.45, 0.86)
    body.add("scapula.S", "chest", 0.06, -0.2, 0.88)
    body.end("scapula.S", 0.12, -0.26, 0.72)
    return body


def _face(body: Body, y: float, z: float) -> None:
    body.add("eye.S", "face", 0.03, y, z)
    body.end("eye.S", 0.03, y - 0.03, z)
    for joint, x in (("forehead", 0.03), ("temple", 0.06)):
        body.add(f"{joint}.S", "face", x, y, z + 0.05)
        body.end(f"{joint}.S", x, y, z + 0.11)


def generated(body: Body, loose: bool) -> Body:
    """Make a body a generated rig: bones in segments, and limbs apart from the trunk.

    Args:
        body: The metarig.
        loose: Whether limbs hang on nothing, as when only deforming bones are exported;
            otherwise on controls that follow a trunk of their own.
    """
    for side in "LR":
        for joint, below in SEGMENTS:
            start, end = f"{joint}.{side}", f"{below}.{side}"
            if start in body.joints and body.joints.get(end, ("", 0))[0] == start:
                body.insert(f"{start}.001", start, end)
    if not loose:
        body.joints = {"root": (None, (0, 0, 0)), **body.joints}
        body.joints["hips"] = "root", body.joints["hips"][1]
        body.add("torso", "root", 0, 0, 1.0, bare=True)
        body.bare.add("root")
    first = ["thigh", "upperarm", "clavicle", "girdle", "upper", "scapula"]
    first += ["eye", "forehead", "temple"]
    for joint in first:
        for side in "LR":
            name = f"{joint}.{side}"
            if name not in body.joints:
                continue
            place = body.joints[name][1]
            above = None
            if not loose:
                above = f"ORG-{joint}.{side}"
                body.joints[above] = "torso", place
                body.bare.add(above)
            body.joints[name] = above, place
    order: dict[str, tuple[str | None, tuple[float, float, float]]] = {}

    def put(joint: str) -> None:
        above = body.joints[joint][0]
        if above is not None and above not in order:
            put(above)
        order.setdefault(joint, body.joints[joint])

    for joint in body.joints:
        put(joint)
    body.joints = order
    return body


def renamed(table: str, prefix: str = "") -> Rename:
    """Return a function that gives Rigify's names; segments keep their number."""
    give = names(table)

    def rename(joint: str) -> str:
        if joint.startswith(("ORG", "torso", "root")):
            return joint
        segment = joint.endswith(".001")
        plain = joint.removesuffix(".001")
        return prefix + give(plain) + ".001" * segment

    return rename


@pytest.mark.parametrize("kind", ["metarig", "generated", "deforming"])
def test_a_human(kind: str) -> None:
    body = human()
    rename = renamed(PERSON, "" if kind == "metarig" else "DEF-")
    if kind != "metarig":
        generated(body, loose=kind == "deforming")
    found = find_limbs(body.figure(rename))
    # the forehead is no head, and the chest no neck
    check_limbs(found.limbs, rename, PERSONS_LIMBS)
    rigid = {len(limb.rigid) for limb in found.limbs if limb.name != "head"}
    assert rigid == {0 if kind == "metarig" else 2}
    assert found.forward == (0.0, -1.0, 0.0)
    # eyes apart from the head do not follow it
    assert len(found.eyes) == (2 if kind == "metarig" else 0)
    assert not found.findings


@pytest.mark.parametrize("kind", ["metarig", "generated", "deforming"])
def test_an_animal_that_stands_on_its_toes(kind: str) -> None:
    """Its foot is the hock, and its pelvis and shoulder blades are no arms."""
    body = wolf()
    rename = renamed(WOLF, "" if kind == "metarig" else "DEF-")
    if kind != "metarig":
        generated(body, loose=kind == "deforming")
    limbs = {"front_foot": "upper lower hand", "rear_foot": "thigh shin hock paw"}
    check_limbs(find_limbs(body.figure(rename)).limbs, rename, limbs)


def test_a_fish_whose_highest_joint_is_a_fin() -> None:
    """The joint that the eyes hang on is the head."""
    body = Body()
    for k in range(5):
        body.add(
            f"spine.{k:03d}", f"spine.{k - 1:03d}" if k else None, 0, -0.5 * k, 0.4
        )
    body.end("spine.004", 0, -2.6, 0.4)
    body.add("eye.S", "spine.004", 0.12, -2.2, 0.42)
    body.end("eye.S", 0.3, -2.2, 0.42)
    body.add("side_fin.S", "spine.002", 0.2, -1.0, 0.3)
    body.add("side_fin_end.S", "side_fin.S", 0.5, -1.0, 0.0)
    body.end("side_fin_end.S", 0.8, -0.8, -0.3)
    body.add("back_fin", "spine.000", 0, 0.2, 0.6)
    body.add("back_fin.001", "back_fin", 0, 0.4, 0.8)
    body.end("back_fin.001", 0, 0.6, 1.1)
    found = find_limbs(body.figure())
    assert found.head == "spine.004"
    assert found.eyes == ("eye.L", "eye.R")


def test_a_knee_named_like_the_thigh_is_no_twist_joint() -> None:
    """Leg01, Leg02, Foot01, Foot02: the fox of the glTF samples."""
    table = """
        thigh b_@Leg01; shin b_@Leg02; hock b_@Foot01; paw b_@Foot02;
        upper b_@UpperArm; lower b_@ForeArm; hand b_@Hand
    """
    rename = names(table, ("Left", "Right"))
    found = {limb.name: limb for limb in find_limbs(animal().figure(rename)).limbs}
    limb = found["left_rear_foot"]
    assert limb.joints == ("b_LeftLeg01", "b_LeftLeg02", "b_LeftFoot01", "b_LeftFoot02")
    assert not limb.rigid
