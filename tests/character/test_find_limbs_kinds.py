"""All findings for bodies of other kinds, at any size and position."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ikrig.character.figure import Figure
from ikrig.character.find_limbs import find_limbs

from .bodies import Body, animal, numbered, person


def one_arm() -> Body:
    body = Body()
    body.add("root", None, 0, 0, 0)
    body.add("shoulder", "root", 0, 0, 0.1)
    body.add("arm", "shoulder", 0.1, 0, 0.1)
    body.add("forearm", "arm", 0.4, -0.05, 0.1)
    body.add("hand", "forearm", 0.7, 0, 0.1)
    for k in range(3):
        body.add(f"finger{k}", "hand", 0.8, 0.03 * k, 0.1)
        body.end(f"finger{k}", 0.85, 0.03 * k, 0.1)
    return body


def hook() -> Body:
    body = Body()
    body.add("base", None, 0, 0, 0)
    body.add("beam", "base", 0, 0, 1)
    body.add("jib", "beam", 0, 1, 1)
    body.add("hand", "jib", 0, 2, 1)
    body.end("hand", 0, 2.2, 1)
    return body


def skirts() -> Body:
    body = person().remove("eye")
    for k, reach in enumerate((0.2, 0.25)):
        body.add(f"skirt{k}.S", "hips", 0.15, 0.1 * k, 0.95)
        body.add(f"hem{k}.S", f"skirt{k}.S", 0.2, 0.1 * k, 0.8)
        body.end(f"hem{k}.S", 0.2 + reach, 0.1 * k, 0.7)
    return body


def crab() -> Body:
    body = Body()
    body.add("body", None, 0, 0, 0.5)
    body.end("body", 0, 0.4, 0.5)
    for k in range(3):
        y = 0.3 - 0.3 * k
        body.add(f"a{k}.S", "body", 0.1, y, 0.5)
        body.add(f"b{k}.S", f"a{k}.S", 0.5, y * 1.5, 0.8)
        body.add(f"foot{k}.S", f"b{k}.S", 0.9, y * 2, 0.05)
        body.end(f"foot{k}.S", 1.0, y * 2.2, 0.0)
    return body


def four_arms() -> Body:
    body = person().remove("eye")
    body.add("clavicle2.S", "spine", 0.03, 0, 1.2)
    body.add("upperarm2.S", "clavicle2.S", 0.18, 0.02, 1.2)
    body.add("forearm2.S", "upperarm2.S", 0.46, 0.03, 1.2)
    body.add("hand2.S", "forearm2.S", 0.71, 0.02, 1.2)
    body.end("hand2.S", 0.8, 0.02, 1.2)
    return body


def legs_only() -> Body:
    upper = "eye head neck thumb1 index2 index1 middle1 hand forearm upperarm clavicle"
    return person().remove(*upper.split(), "chest", "spine")


def tailed() -> Body:
    body = animal()
    # a joint where the tail begins, of no length, and a helper at its end
    body.insert("tail0", "hips", "tail1")
    body.joints["tail0"] = "hips", body.joints["tail1"][1]
    body.add("tail2_end", "tail2", 0, 1.5, 0.9)
    return body


def flaps() -> Body:
    """A person with ribbons whose names say nothing, and a tail of two joints."""
    body = person().remove("eye")
    body.add("xa.S", "chest", 0.2, 0.1, 1.35)
    body.add("xb.S", "xa.S", 0.35, 0.1, 1.3)
    body.add("xc.S", "xb.S", 0.5, 0.1, 1.25)
    body.end("xc.S", 0.7, 0.1, 1.2)
    body.add("tail1", "hips", 0, 0.1, 1.0)
    body.add("tail2", "tail1", 0, 0.4, 0.9)
    body.end("tail2", 0, 0.6, 0.8)
    return body


def dragging() -> Body:
    """An animal of which only the front legs stand, and the rear ones hang free."""
    body = animal()
    for joint, (parent, (x, y, z)) in list(body.joints.items()):
        if joint[:-2] in ("hand", "lower", "upper"):
            body.joints[joint] = parent, (x, y, z - 0.3)
    for joint, (x, y, z) in list(body.ends.items()):
        if joint[:-2] == "hand":
            body.ends[joint] = x, y, z - 0.3
    return body


def crane() -> Body:
    body = Body()
    body.add("base", None, 0, 0, 0)
    body.add("post", "base", 0, 0, 1)
    body.add("beam", "post", 0, 1, 1)
    body.add("beam_end", "beam", 0, 2, 1)
    body.add("lamp", "post", 0.2, 0, 1.4)
    body.end("lamp", 0.2, 0, 1.9)
    body.add("bolt", "post", 0.1, 0, 1)
    body.end("bolt", 0.1001, 0, 1)
    return body


KINDS: tuple[Callable[[], Body], ...] = (
    *(one_arm, hook, skirts, crab, four_arms, legs_only, tailed, crane, animal),
    *(flaps, dragging),
)
BODIES = {make.__name__: make for make in KINDS}
WANTED = {
    "one_arm": """
        hand: arm forearm hand; 'hand' is named like a hand
        without left_hand right_hand left_foot right_foot head
        """,
    "hook": """
        hand: beam jib hand; 'hand' is named like a hand
        without left_hand right_hand left_foot right_foot head
        """,
    "skirts": """
        left_hand: upperarm.L forearm.L hand.L; 'hand.L' is named like a hand
        right_hand: upperarm.R forearm.R hand.R; 'hand.R' is named like a hand
        left_foot: thigh.L shin.L foot.L; 'foot.L' is named like a foot
        right_foot: thigh.R shin.R foot.R; 'foot.R' is named like a foot
        head: neck head; 'head' is named like a head
        without nothing
        """,
    "crab": """
        left_foot: a2.L b2.L foot2.L; 'foot2.L' is named like a foot
        left_foot_2: a1.L b1.L foot1.L; 'foot1.L' is named like a foot
        left_foot_3: a0.L b0.L foot0.L; 'foot0.L' is named like a foot
        right_foot: a2.R b2.R foot2.R; 'foot2.R' is named like a foot
        right_foot_2: a1.R b1.R foot1.R; 'foot1.R' is named like a foot
        right_foot_3: a0.R b0.R foot0.R; 'foot0.R' is named like a foot
        without head
        """,
    "four_arms": """
        left_hand: upperarm.L forearm.L hand.L; 'hand.L' is named like a hand
        left_hand_2: upperarm2.L forearm2.L hand2.L; 'hand2.L' is named like a hand
        right_hand: upperarm.R forearm.R hand.R; 'hand.R' is named like a hand
        right_hand_2: upperarm2.R forearm2.R hand2.R; 'hand2.R' is named like a hand
        left_foot: thigh.L shin.L foot.L; 'foot.L' is named like a foot
        right_foot: thigh.R shin.R foot.R; 'foot.R' is named like a foot
        head: neck head; 'head' is named like a head
        without nothing
        """,
    "legs_only": """
        left_foot: thigh.L shin.L foot.L; 'foot.L' is named like a foot
        right_foot: thigh.R shin.R foot.R; 'foot.R' is named like a foot
        without left_hand right_hand head
        """,
    "tailed": """
        left_front_foot: upper.L lower.L hand.L; 'hand.L' is named like a hand, +ground
        left_rear_foot: thigh.L shin.L hock.L paw.L; 'paw.L' is named like a foot
        right_front_foot: upper.R lower.R hand.R; 'hand.R' is named like a hand, +ground
        right_rear_foot: thigh.R shin.R hock.R paw.R; 'paw.R' is named like a foot
        head: neck head; 'head' is named like a head
        tail: tail1 tail2 tail3; 'tail0' is named like a tail
        without nothing
        """,
    "crane": """
        beam_end: beam beam_end; 'beam_end' has no joints below it
        lamp: lamp; 'lamp' has no joints below it
        without left_hand right_hand left_foot right_foot head
        """,
    "animal": """
        left_front_foot: upper.L lower.L hand.L; 'hand.L' is named like a hand, +ground
        left_rear_foot: thigh.L shin.L hock.L paw.L; 'paw.L' is named like a foot
        right_front_foot: upper.R lower.R hand.R; 'hand.R' is named like a hand, +ground
        right_rear_foot: thigh.R shin.R hock.R paw.R; 'paw.R' is named like a foot
        head: neck head; 'head' is named like a head
        tail: tail1 tail2 tail3; 'tail1' is named like a tail
        without nothing
        """,
    "numbered animal": """
        left_front_foot: Bone.018 Bone.020 Bone.022; it stands on the ground
        left_rear_foot: Bone.010 Bone.012 Bone.014 Bone.016; it stands on the ground
        right_front_foot: Bone.019 Bone.021 Bone.023; it stands on the ground
        right_rear_foot: Bone.011 Bone.013 Bone.015 Bone.017; it stands on the ground
        head: Bone.003 Bone.004; it is the topmost joint
        without nothing
        """,
    "numbered skirts": """
        left_foot: Bone.021 Bone.023 Bone.025; it stands on the ground
        right_foot: Bone.022 Bone.024 Bone.026; it stands on the ground
        left_hand: Bone.007 Bone.009 Bone.011; it is a free branch of the trunk
        right_hand: Bone.008 Bone.010 Bone.012; it is a free branch of the trunk
        head: Bone.003 Bone.004; it is the topmost joint
        without nothing
        """,
    "numbered crab": """
        left_foot: Bone.015 Bone.017; it stands on the ground
        left_foot_2: Bone.009 Bone.011; it stands on the ground
        left_foot_3: Bone.003 Bone.005; it stands on the ground
        right_foot: Bone.016 Bone.018; it stands on the ground
        right_foot_2: Bone.010 Bone.012; it stands on the ground
        right_foot_3: Bone.004 Bone.006; it stands on the ground
        without head
        """,
    "flaps": """
        left_hand: upperarm.L forearm.L hand.L; 'hand.L' is named like a hand
        right_hand: upperarm.R forearm.R hand.R; 'hand.R' is named like a hand
        left_foot: thigh.L shin.L foot.L; 'foot.L' is named like a foot
        right_foot: thigh.R shin.R foot.R; 'foot.R' is named like a foot
        head: neck head; 'head' is named like a head
        tail: tail1 tail2; 'tail1' is named like a tail
        without nothing
        """,
    "dragging": """
        left_foot: thigh.L shin.L hock.L paw.L; 'paw.L' is named like a foot
        right_foot: thigh.R shin.R hock.R paw.R; 'paw.R' is named like a foot
        left_hand: upper.L lower.L hand.L; 'hand.L' is named like a hand
        right_hand: upper.R lower.R hand.R; 'hand.R' is named like a hand
        head: neck head; 'head' is named like a head
        tail: tail1 tail2 tail3; 'tail1' is named like a tail
        without nothing
        """,
}
"""Of each body its limbs, why they are some, and what it is without."""


def described(figure: Figure) -> list[str]:
    found = find_limbs(figure)
    lines = [
        f"{limb.name}: {' '.join(limb.joints)}; {limb.reason}".replace(
            "and stands on the ground", "+ground"
        )
        for limb in found.limbs
    ]
    absent = [finding for finding in found.findings if finding.reason == "absent"]
    # a crab goes sideways: nothing shows where it faces
    assert {f.reason for f in found.findings} <= {"absent", "facing"}
    assert not any(finding.joints for finding in absent)
    return [*lines, f"without {' '.join(f.limb for f in absent) or 'nothing'}"]


@pytest.mark.parametrize("size", [1.0, 0.02, 300.0])
@pytest.mark.parametrize("name", WANTED)
def test_findings_of_other_bodies_at_any_size_and_position(name, size):
    # what has no names takes a body's joints by their shape alone
    rename = numbered() if name.startswith("numbered ") else str
    body = moved(BODIES[name.removeprefix("numbered ")](), (3.0, -1.0, 2.0))
    figure = body.figure(rename, size * np.eye(3))
    assert described(figure) == [
        line.strip() for line in WANTED[name].split("\n")[1:-1]
    ]


def moved(body: Body, by: tuple[float, float, float]) -> Body:
    def shifted(place: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = (a + b for a, b in zip(place, by, strict=True))
        return x, y, z

    for joint, (parent, place) in body.joints.items():
        body.joints[joint] = parent, shifted(place)
    body.ends = {joint: shifted(place) for joint, place in body.ends.items()}
    return body


@pytest.mark.parametrize("size", [1.0, 300.0])
@pytest.mark.parametrize("side", ["L", "R"])
@pytest.mark.parametrize(("share", "found"), [(0.018, False), (0.025, True)])
def test_skin_across_both_sides_is_a_finding(side, share, found, size) -> None:
    for joint in ("hand", "foot"):
        body = moved(person(), (2.0, 0.0, 0.0))
        figure = body.figure(matrix=size * np.eye(3))
        name = f"{joint}.{side}"
        own = figure.skin[name]
        sign = 1.0 if side == "L" else -1.0
        # as far on the other side as that share of the body's size
        far = 2.0 * size - sign * share * figure.size
        beyond = own[:1] * [0.0, 1.0, 1.0] + [far, 0.0, 0.0]
        figure.skin[name] = np.vstack([own, beyond])
        findings = find_limbs(figure).findings
        if not found:
            assert not findings
            continue
        (finding,) = findings
        long = {"L": "left", "R": "right"}[side]
        assert (finding.limb, finding.reason) == (f"{long}_{joint}", "both_sides")
        assert finding.joints == (name,)


def bones_of(body: Body) -> dict[str, str]:
    """The joints of each limb, and "+" where it ends with its skin."""
    found = find_limbs(body.figure())
    return {
        limb.name: " ".join(limb.joints) + ("" if limb.end is None else " +")
        for limb in found.limbs
    }


def arm(*joints: tuple[str, float], end: float | None = None) -> Body:
    """A person whose arms are these joints, so far from the middle."""
    body = person().remove("eye", "thumb1", "index2", "index1", "middle1", "hand")
    body.remove("forearm", "upperarm", "clavicle")
    above = "chest"
    for name, x in joints:
        body.add(f"{name}.S", above, x, 0.0, 1.44)
        above = f"{name}.S"
    body.end(above, joints[-1][1] + 0.1 if end is None else end, 0.0, 1.44)
    return body


@pytest.mark.parametrize(
    ("joints", "line"),
    [
        # the first joint is a collar: by its name, by its place, by its length
        ((("clavicle", 0.03), ("upperarm", 0.18), ("forearm", 0.45), ("hand", 0.7)),
         "upperarm.L forearm.L hand.L"),
        ((("shoulder", 0.03), ("arm", 0.18), ("forearm", 0.45), ("hand", 0.7)),
         "arm.L forearm.L hand.L"),
        # it is the arm itself
        ((("shoulder", 0.18), ("elbow", 0.45), ("hand", 0.7)),
         "shoulder.L elbow.L hand.L"),
        ((("arm", 0.18), ("forearm", 0.45), ("hand", 0.7)),
         "arm.L forearm.L hand.L"),
        # nothing after the forearm: it ends with the skin
        ((("upperarm", 0.18), ("forearm", 0.45)), "upperarm.L forearm.L +"),
    ],
)  # fmt: skip
def test_start_of_an_arm(joints, line) -> None:
    found = bones_of(arm(*joints))
    assert found["left_hand"] == line
    assert found["right_hand"] == line.replace(".L", ".R")


@pytest.mark.parametrize("count", [2, 25])
def test_unconnected_joints_are_not_limbs(count) -> None:
    """As those of a hand that is tracked: each is set from outside."""
    body = Body()
    for k in range(count):
        # as on a spiral: no two lie as in a mirror
        x, y = 0.1 * k * np.cos(k), 0.1 * k * np.sin(k)
        body.add(f"joint{k}", None, x, y, 0.02 * k)
        body.end(f"joint{k}", x + 0.3, y + 0.2, 0.02 * k)
    found = find_limbs(body.figure())
    assert not found.limbs
    loose = [finding for finding in found.findings if finding.reason == "loose"]
    assert [finding.joints for finding in loose] == [tuple(body.joints)]
