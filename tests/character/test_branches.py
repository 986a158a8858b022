"""First and last joints of limbs, on skeletons with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig.character.branches import Branch, follow_branch, shorten
from ikrig.character.facing_side import find_forward
from ikrig.character.figure import Figure
from ikrig.character.find_head import find_eyes
from ikrig.character.find_limbs import (
    _enough,
    _is_girdle,
    _numbered,
    _stand,
    find_limbs,
)
from ikrig.character.symmetry import Symmetry

from .bodies import drawn

X, Y, Z = np.eye(3)
PLAIN = ("ka", "ko", "ku", "ki", "ke")
SIDES = Symmetry(X, 0.0, {}, False)


def line(first: str, *lengths: float, start: tuple = (1, 0, 1.5)) -> list[tuple]:
    """Joints out along x: the first one's name, and others without meaning."""
    found: list[tuple] = [(first, "root", start)]
    for k, length in enumerate(lengths):
        x, y, z = found[-1][2]
        found.append((PLAIN[k], found[-1][0], (x + length, y, z)))
    return found


ROOT = ("root", None, (0, 0, 1.5))
FLOOR = ("floor", "root", (0, 0, 0))


def followed(figure: Figure, root: str) -> Branch:
    found = follow_branch(figure, root)
    assert found is not None
    return found


def test_branch_follows_the_longest_bones() -> None:
    fork = [
        ROOT,
        ("a", "root", (0, 0, 2.5)),
        ("long", "a", (1, 0, 2.5)),
        ("short", "a", (0.1, 0, 2.5)),
        ("b", "root", (1.6, 0, 1.5)),
    ]
    assert followed(drawn(*fork), "root").path == ["root", "a", "long"]
    # what is beyond the last joint counts
    ended = drawn(*fork, ends={"b": (3.0, 0, 1.5)})
    assert followed(ended, "root").path == ["root", "b"]
    # a lid or a helper is no bone, however long
    for name in ("eyelid", "ik target"):
        figure = drawn(*fork, (name, "root", (9, 0, 1.5)))
        assert followed(figure, "root").path == ["root", "a", "long"]


@pytest.mark.parametrize("name", ["finger.L", "eyelid", "jaw face", "eye.L", "ik pole"])
def test_joints_that_start_no_limb(name: str) -> None:
    assert follow_branch(drawn((name, None, (0, 0, 1))), name) is None


def test_names_take_precedence_over_the_ground() -> None:
    leg = [ROOT, FLOOR, ("j1", "root", (0.3, 0, 1.4)), ("leg.L", "j1", (0.3, 0, 1.0))]
    found = followed(drawn(*leg), "j1")
    assert (found.kind, found.named, found.side) == ("foot", True, "left")
    arm = [ROOT, FLOOR, ("j1", "root", (0.3, 0, 1.4)), ("arm.R", "j1", (0.3, 0, 0.01))]
    found = followed(drawn(*arm), "j1")
    assert (found.kind, found.named, found.side) == ("hand", True, "right")
    for height, kind in ((0.0, "foot"), (1.0, "hand")):
        plain = [ROOT, FLOOR, ("j1", "root", (1, 0, 1.4)), ("j2", "j1", (1, 0, height))]
        found = followed(drawn(*plain), "j1")
        assert (found.kind, found.named, found.side) == (kind, False, "")


def begun(kind: str, joints: list[tuple], path: list[str] | None = None) -> list[str]:
    figure = drawn(ROOT, FLOOR, *joints)
    branch = followed(figure, joints[0][0])
    branch.kind = kind  # type: ignore[assignment]
    shorten(figure, SIDES, branch)
    return branch.path


def renamed(joints: list[tuple], **names: str) -> list[tuple]:
    give = {None: None, **names}
    return [(give.get(j, j), give.get(up, up), at) for j, up, at in joints]


def test_shoulder_is_not_part_of_the_arm() -> None:
    """Its bones are such that without names nothing would go."""
    even = line("j", 0.5, 0.5, 0.5)
    assert begun("hand", even)[0] == "j"
    named = renamed(even, j="shoulder", ka="arm")
    assert begun("hand", named)[0] == "arm"
    assert begun("hand", renamed(even, j="clavicle"))[0] == "ka"
    # one word for both: it is the arm's first bone
    both = renamed(even, j="shoulder arm", ka="forearm")
    assert begun("hand", both)[0] == "shoulder arm"


def test_named_arm_starts_even_at_a_short_bone() -> None:
    stub = line("arm1", 0.1, 0.5, 0.5)
    # in the middle: the next joint is three times as far away
    central = line("arm1", 0.5, 0.5, 0.5, start=(0.05, 0, 1.5))
    for joints in (stub, central):
        assert begun("hand", renamed(joints, ka="forearm", ko="arm2"))[0] == "arm1"
    # numbered joints of one name say nothing of where it begins
    central = line("arm1", 0.5, 0.5, 0.5, 0.5, start=(0.05, 0, 1.5))
    assert begun("hand", renamed(central, ka="arm2"))[0] == "arm2"


def test_short_unnamed_first_bone_is_skipped() -> None:
    assert begun("hand", line("j", 0.29, 0.5, 0.5))[0] == "ka"
    assert begun("hand", line("j", 0.31, 0.5, 0.5))[0] == "j"
    assert begun("hand", line("shoulder", 0.29, 0.5, 0.5))[0] == "ka"
    assert begun("hand", line("shoulder", 0.31, 0.5, 0.5))[0] == "shoulder"
    # a leg's first bone may be short, but does not go sideways
    down = [("j", "root", (0.3, 0, 1.4)), ("ka", "j", (0.3, 0, 1.2))]
    down += [("ko", "ka", (0.3, 0, 0.6)), ("ku", "ko", (0.3, 0, 0.1))]
    assert begun("foot", down)[0] == "j"
    aside = [("j", "root", (0.15, 0, 1.4)), ("ka", "j", (0.35, 0, 1.3)), *down[2:]]
    assert begun("foot", aside)[0] == "ka"


def test_arm_ends_where_bones_become_short_or_fan_out() -> None:
    assert begun("hand", line("j", 1, 1, 0.59)) == ["j", "ka", "ko"]
    assert begun("hand", line("j", 1, 1, 0.61)) == ["j", "ka", "ko", "ku"]
    # of the bone before, not of both: 0.7 of 1, then 0.5 of 0.7
    tail = line("j", 1, 1, 0.7, 0.5, 0.2)
    assert begun("hand", tail) == ["j", "ka", "ko", "ku", "ki"]
    long = line("j", 1, 1, 1)
    thumb = ("t", "ko", (3.3, 0.2, 1.5))
    assert begun("hand", [*long, thumb]) == ["j", "ka", "ko", "ku"]
    fan = [*long, thumb, ("u", "ko", (3.3, -0.2, 1.5))]
    assert begun("hand", fan) == ["j", "ka", "ko"]


def leg(*joints: tuple, end: tuple) -> tuple[list[str], np.ndarray | None]:
    parts = [("j", "root", (0.3, 0, 1.0)), ("ka", "j", (0.3, 0, 0.5)), *joints]
    figure = drawn(ROOT, FLOOR, *parts, ends={parts[-1][0]: end})
    branch = followed(figure, "j")
    branch.kind = "foot"
    shorten(figure, SIDES, branch)
    return branch.path, branch.end


def test_leg_ends_at_its_ankle() -> None:
    toes = [("ko", "ka", (0.3, 0, 0.1)), ("ku", "ko", (0.3, -0.15, 0.02))]
    assert leg(*toes, end=(0.3, -0.2, 0.0))[0] == ["j", "ka", "ko"]
    # a joint above the ankle, low as it is, when what follows goes down, not ahead
    for over in ((0.35, 0.0), (0.3, 0.05)):
        high = [("ko", "ka", (0.3, 0, 0.2)), ("ku", "ko", (*over, 0.03))]
        assert leg(*high, end=(*over, 0.0))[0] == ["j", "ka", "ko", "ku"]
    # the last joint is the ankle, if it is low, whatever its skin does
    path, end = leg(("ko", "ka", (0.3, 0, 0.2)), end=(0.3, 0, 0.0))
    assert path == ["j", "ka", "ko"] and end is None
    # a stump of which the skin goes on is the third bone's end
    path, end = leg(("ko", "ka", (0.3, 0, 0.4)), end=(0.3, 0, 0.0))
    assert path == ["j", "ka", "ko"]
    assert end is not None and np.allclose(end, (0.3, 0, 0.02), atol=0.02)


@pytest.mark.parametrize("turned", [1.0, -1.0])
def test_toes_are_ahead_of_the_ankle_not_of_the_knee(turned: float) -> None:
    """As on birds: the knees are ahead, and skin of the shins hangs behind."""
    joints, ends = [ROOT, FLOOR], {}
    for side, x in (("a", 0.2), ("b", -0.2)):
        joints += [
            (f"hip {side}", "root", (x, 0, 1)),
            (f"knee {side}", f"hip {side}", (x, -0.4 * turned, 0.6)),
            (f"ankle {side}", f"knee {side}", (x, 0.2 * turned, 0.1)),
        ]
        ends[f"ankle {side}"] = (x, -0.2 * turned, 0.0)
        # behind the ankle, and as low
        ends[f"knee {side}"] = (x, 1.4 * turned, -0.2)
    figure = drawn(*joints, ends=ends)
    legs = [
        Branch(path[0], "", path, "foot", False)
        for path in ([f"{bone} {s}" for bone in ("hip", "knee", "ankle")] for s in "ab")
    ]
    found, doubts = find_forward(
        figure,
        Symmetry(X, 0.0, {"hip a": "hip b", "hip b": "hip a"}, False),
        legs,
        "",
        (),
    )
    assert np.allclose(found, -Y * turned) and doubts == []


def test_eyes_are_named_joints_at_the_heads_surface() -> None:
    front = [("eye.L", 0.03), ("eye.R", -0.03), ("jaw", 0.0), ("eyelid.L", 0.035)]
    joints = [ROOT, ("head", "root", (0, 0, 1.7))]
    joints += [(name, "head", (x, -0.08, 1.75)) for name, x in front]
    # an eye on a stalk is none of the head's
    joints += [
        ("eye ctrl", "head", (0, -0.08, 1.75)),
        ("eye3", "head", (0, -3.0, 1.75)),
    ]
    figure = drawn(*joints, ends={"head": (0, -0.1, 1.9)})
    figure.skin["head"] = np.array(
        [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (1.65, 1.9)]
    )
    assert set(find_eyes(figure, SIDES, "head")) == {"eye.L", "eye.R"}


def test_unnamed_branch_that_reaches_the_ground_is_a_leg() -> None:
    """The ground is what is lower than 0.08 of the figure's height."""
    for height, kind in ((0.115, "foot"), (0.125, "hand")):
        plain = [ROOT, FLOOR, ("j1", "root", (1, 0, 1.4)), ("j2", "j1", (1, 0, height))]
        figure = drawn(*plain)
        figure.skin = {joint: at[None] for joint, at in figure.positions.items()}
        found = followed(figure, "j1")
        assert found.kind == kind
        # and a leg ends there, not higher than 0.4 of its start
        for start, stands in ((0.3, True), (0.28, False)):
            leg = Branch("j1", "", ["j1", "j2"], "foot", True)
            figure.positions["j1"][2] = start
            assert leg.touches(figure) == (stands and kind == "foot")


def branch(
    figure: Figure, *path: str, kind: str = "hand", side: str = "left"
) -> Branch:
    return Branch(path[0], side, list(path), kind, True)  # type: ignore[arg-type]


def test_limbs_of_a_side_are_numbered_from_the_front_or_the_top() -> None:
    joints = [ROOT]
    for k, (ahead, height) in enumerate(((0.0, 2.0), (1.0, 3.0), (2.0, 1.0))):
        # what comes after the first joint is in the opposite order
        first = (0.0, -ahead, height)
        joints += [
            (f"a{k}", "root", first),
            (f"b{k}", f"a{k}", (0, 9 * ahead, -height)),
        ]
    figure = drawn(*joints)

    def order(kind: str, *which: int) -> list[tuple[str, str]]:
        limbs = [branch(figure, f"a{k}", f"b{k}", kind=kind) for k in which]
        found = _numbered(figure, kind, "left", limbs, -Y)
        return [(name, limb.root) for name, limb in found]

    assert order("hand", 2) == [("left_hand", "a2")]
    assert order("hand", 0, 2) == [("left_hand", "a0"), ("left_hand_2", "a2")]
    three = ["left_hand", "left_hand_2", "left_hand_3"]
    assert order("hand", 0, 1, 2) == [*zip(three, ("a1", "a0", "a2"), strict=True)]
    assert order("foot", 0, 2) == [("left_front_foot", "a2"), ("left_rear_foot", "a0")]
    three = ["left_foot", "left_foot_2", "left_foot_3"]
    assert order("foot", 0, 1, 2) == [*zip(three, ("a2", "a1", "a0"), strict=True)]


@pytest.mark.parametrize(
    ("name", "others", "girdle"),
    [
        ("hip.L", (), True),
        ("collar.L", (), True),
        ("thigh.L", (), False),
        ("upperarm.L", (), False),
        # a shoulder may be the arm itself, but not beside an arm or two legs
        ("shoulder.L", (), False),
        ("shoulder.L", ("hand",), True),
        ("shoulder.L", ("foot",), False),
        ("shoulder.L", ("foot", "foot"), True),
        ("shoulder.L", ("single",), False),
        ("shoulder.L", ("other",), False),
        ("shoulder.L", ("unnamed",), False),
        ("ka", ("hand",), False),
    ],
)
def test_girdles_are_single_joints_beside_limbs(name, others, girdle) -> None:
    joints = [ROOT, (name, "root", (1, 0, 1)), ("tip", name, (2, 0, 1))]
    figure = drawn(*joints)
    beside = []
    for kind in others:
        limb = branch(figure, "ko", "ku", kind="foot" if kind == "foot" else "hand")
        limb.side = "right" if kind == "other" else "left"
        limb.named = kind != "unnamed"
        limb.path = limb.path[: 1 if kind == "single" else 2]
        beside.append(limb)
    own = branch(figure, name)
    assert _is_girdle(figure, own, [own, *beside]) == girdle
    # two joints are a limb
    both = branch(figure, name, "tip")
    assert not _is_girdle(figure, both, [both, *beside])


def test_limbs_without_names_of_sides_begin_at_their_own_names() -> None:
    bones = [("hips", None), ("thigh", "hips"), ("leg2", "thigh"), ("leg3", "leg2")]
    bones.append(("foot", "leg3"))
    heights = (2.0, 1.8, 1.2, 0.6, 0.05)
    joints = [(*b, (0, 0, z)) for b, z in zip(bones, heights, strict=True)]
    (leg, *_) = find_limbs(drawn(*joints)).limbs
    assert (leg.name, leg.joints) == ("foot", ("thigh", "leg2", "leg3", "foot"))
    # without names above two bones are assumed
    plain = {"thigh": "ka", "leg2": "ko", "leg3": "ku"}
    (leg, *_) = find_limbs(
        drawn(*renamed(joints, hips="hips", foot="foot", **plain))
    ).limbs
    assert leg.joints == ("ko", "ku", "foot")


def test_named_limbs_may_be_short_if_they_have_two_bones() -> None:
    for path, least in ((("a", "b", "c"), 0.03), (("a", "b"), 0.1)):
        for factor, long in ((1.05, True), (0.95, False)):
            joints = [("top", None, (0, 0, 2)), ("floor", "top", (0, 0, 0))]
            for k, name in enumerate(path):
                x = factor * least * 2.0 * k / (len(path) - 1)
                joints.append((name, "top" if k == 0 else path[k - 1], (x, 0, 1)))
            figure = drawn(*joints)
            figure.skin = {joint: at[None] for joint, at in figure.positions.items()}
            findings: list = []
            found = _enough(figure, [branch(figure, *path)], findings)
            assert (len(found), len(findings)) == ((1, 0) if long else (0, 1))


def test_unnamed_limbs_are_chains_without_their_ends() -> None:
    line = [
        ("ka", None, (0, 0, 0)),
        ("ko", "ka", (0, 0, 1)),
        ("ko_end", "ko", (0, 0, 2)),
    ]
    (chain,) = find_limbs(drawn(*line)).limbs
    assert (chain.name, chain.joints) == ("ko", ("ka", "ko"))
    (chain,) = find_limbs(drawn(line[0], ("ka_end", "ka", (0, 0, 1)))).limbs
    assert chain.joints == ("ka", "ka_end")
    # one joint alone turns its skin; of several none has anything above
    one = drawn(line[0], ends={"ka": (0, 0, 3)})
    (alone,) = find_limbs(one).limbs
    assert alone.joints == ("ka",) and alone.end == pytest.approx((0, 0, 2.85), abs=0.1)
    assert str(alone) == "ka: ka > end of its skin ('ka' has no joints below it)"
    assert str(chain) == "ka_end: ka > ka_end ('ka_end' has no joints below it)"
    assert not [f for f in find_limbs(one).findings if f.reason == "loose"]


def test_tail_follows_its_longer_branch() -> None:
    tail = [
        ("hips", None, (0, 0, 1)),
        ("tail", "hips", (0, 1, 1)),
        ("fin", "tail", (1, 1, 1)),
        ("tail2", "tail", (0, 2, 1)),
        ("tail3", "tail2", (0, 3, 1)),
    ]
    (found,) = (limb for limb in find_limbs(drawn(*tail)).limbs if limb.kind == "tail")
    assert found.joints == ("tail", "tail2", "tail3")


def test_parent_of_both_eyes_and_an_iris_are_no_eyes() -> None:
    joints = [ROOT, ("head", "root", (0, 0, 1.7)), ("eyes", "head", (0, -0.05, 1.75))]
    for side, x in (("L", 0.03), ("R", -0.03)):
        joints.append((f"eye.{side}", "eyes", (x, -0.08, 1.75)))
        joints.append((f"eyeiris.{side}", f"eye.{side}", (x, -0.09, 1.75)))
    figure = drawn(*joints, ends={"head": (0, -0.1, 1.9)})
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (1.65, 1.9)]
    figure.skin["head"] = np.array(corners)
    left_first = Symmetry(X, 0.0, {}, True)
    assert find_eyes(figure, left_first, "head") == ("eye.L", "eye.R")
    right_first = Symmetry(-X, 0.0, {}, True)
    assert find_eyes(figure, right_first, "head") == ("eye.R", "eye.L")
    # near the head's skin: by a quarter of its size, 0.25, along any axis
    for axis in np.eye(3):
        for sign in (1.0, -1.0):
            for beyond, counts in ((0.06, True), (0.065, False)):
                eye = figure.positions["eye.L"]
                before = eye.copy()
                wall = {0: 0.1 * sign, 1: 0.1 * sign, 2: 1.9 if sign > 0 else 1.65}
                k = int(axis.argmax())
                eye[k] = wall[k] + sign * beyond
                assert ("eye.L" in find_eyes(figure, left_first, "head")) == counts
                eye[:] = before


def test_arms_that_stand_beside_the_legs_are_legs() -> None:
    """Further from them than 0.7 of what their first joints differ in height."""
    for far, kind in ((0.65, "hand"), (0.75, "foot")):
        joints = [
            ROOT,
            ("a", "root", (0, 0, 1)),
            ("a1", "a", (0, 0, 0)),
            ("b", "root", (0.6 * far, 0.8 * far, 2)),
            ("b1", "b", (0.6 * far, 0.8 * far, 0)),
        ]
        figure = drawn(*joints)
        arm = branch(figure, "b", "b1")
        _stand(figure, [branch(figure, "a", "a1", kind="foot"), arm])
        assert arm.kind == kind
