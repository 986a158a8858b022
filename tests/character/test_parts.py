"""Borders of what counts as a part of a figure, which whole figures do not show."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig.character.branches import Branch, follow_branch, shorten
from ikrig.character.figure import Figure
from ikrig.character.find_head import find_head, neck_of
from ikrig.character.find_limbs import FoundLimbs, _is_girdle, _stand
from ikrig.character.limb import Limb
from ikrig.character.symmetry import Symmetry, find_symmetry

from .bodies import Body, drawn, numbered


def test_arms_that_stand_beside_the_legs_are_legs() -> None:
    """Further from them than 0.7 of what their first joints differ in height."""
    for far, kind in ((0.65, "hand"), (0.75, "foot")):
        joints = [
            ("root", None, (0, 0, 1.5)),
            ("a", "root", (0, 0, 1)),
            ("a1", "a", (0, 0, 0)),
            ("b", "root", (0.6 * far, 0.8 * far, 2)),
            ("b1", "b", (0.6 * far, 0.8 * far, 0)),
        ]
        figure = drawn(*joints)
        leg, arm = branch("a", "a1", kind="foot"), branch("b", "b1")
        _stand(figure, [leg, arm])
        assert arm.kind == kind


ARMS = ["ra", "la"]


def unnamed(
    *joints: tuple, arm: float = 0.5, skin: dict[str, float] | None = None
) -> Figure:
    """A trunk with two arms and joints of a head, in a figure of size 2.

    Args:
        joints: Name, parent and place of the others.
        arm: Length of an arm's skin.
        skin: Lengths of the skin of joints, along z.
    """
    trunk = [
        ("ba", None, (0, 0, 0)),
        ("be", "ba", (0, 0, 1.2)),
        ("ra", "be", (-0.2, 0, 1.4)),
        ("la", "be", (0.2, 0, 1.4)),
    ]
    ends = {"ba": (0, 0, 2), "ra": (-0.2 - arm, 0, 1.4), "la": (0.2 + arm, 0, 1.4)}
    places = {name: place for name, _, place in (*trunk, *joints)}
    for name, length in (skin or {}).items():
        x, y, z = places[name]
        ends[name] = (x, y, z + length)
    return drawn(*trunk, *joints, ends=ends)


def test_named_head_with_the_most_skin() -> None:
    heads = [("head", "be", (0, 0, 1.6)), ("head.001", "be", (0.1, 0, 1.6))]
    for more in ("head", "head.001"):
        figure = unnamed(*heads)
        figure.skin[more] = np.repeat(figure.skin[more], 3, axis=0)
        assert find_head(figure, ARMS, ARMS) == more
    # what is named so below it does not count, whatever its skin
    figure = unnamed(("head", "be", (0, 0, 1.6)), ("head2", "head", (0, 0, 1.7)))
    figure.skin["head2"] = np.repeat(figure.skin["head2"], 9, axis=0)
    assert find_head(figure, ARMS, ARMS) == "head"


def neck(*joints: tuple[str, float], carrying: set[str] | None = None) -> tuple:
    """What is the neck of a line of joints from below at these heights."""
    parents: list[str | None] = [None, *(name for name, _ in joints)]
    figure = Figure(
        {name: above for (name, _), above in zip(joints, parents, strict=False)},
        {name: (0, 0, 4.0 * height) for name, height in joints},
    )
    return neck_of(figure, joints[-1][0], carrying or set())


def test_neck_ends_at_controls_and_at_bones_of_no_length() -> None:
    head = ("head", 1.0)
    assert neck(("neck1", 0.0), ("neck2", 0.5), head)[0] == ["neck1", "neck2"]
    assert neck(("neck1", 0.0), ("neck2", 0.9985), head)[0] == ["neck1", "neck2"]
    assert neck(("neck1", 0.0), ("neck2", 0.9995), head)[0] == []
    assert neck(("neck1", 0.0), ("neck2", 0.0005), head)[0] == ["neck2"]
    assert neck(("neck1", 0.0), ("neck ctrl", 0.5), head)[0] == []
    assert neck(("neck ctrl", 0.0), ("neck2", 0.5), head)[0] == ["neck2"]


FIN = [(0.1, 0.1, 1.0), (0.5, 0.1, 1.0), (0.9, 0.1, 1.0), (1.3, 0.1, 1.0)]
"""Joints and end of a fin on the left."""


def fins(*right: tuple, scale: float = 1.0, left: list[tuple] = FIN) -> bool:
    """Whether fins are mirror images, in a figure of size 4; the other's joints."""
    body = Body()
    body.add("root", None, 0, 0, 0)
    body.add("mast", "root", 0, 0, 1)
    body.end("mast", 0, 0, 1.0)
    for side, line in (("L", left), ("R", right)):
        above = "mast"
        for k, place in enumerate(line[:-1]):
            body.add(f"fin{k}.{side}", above, *place)
            above = f"fin{k}.{side}"
        body.end(above, *line[-1])
    rename = numbered()
    figure = body.figure(rename, scale * np.eye(3))
    corners = scale * np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 4.0)])
    figure.skin[rename("root")] = corners
    found = find_symmetry(figure)
    one, other = rename("fin0.L"), rename("fin0.R")
    return found.roots == {one: other, other: one}


@pytest.mark.parametrize("scale", [1.0, 0.02, 50.0])
def test_how_far_mirror_images_may_differ(scale: float) -> None:
    mirror = [(-x, y, z) for x, y, z in FIN]
    assert fins(*mirror, scale=scale)
    # by 0.12 of the figure's size along the mirror
    for axis in np.eye(3)[1:]:
        for far, pair in ((0.46, True), (0.5, False)):
            moved = [tuple(np.array(place) + far * axis) for place in mirror]
            assert fins(*moved, scale=scale) == pair
    # longer or shorter by a quarter of the left one's 0.8, between the first joints
    for factor, pair in ((1.2, True), (1.3, False), (0.8, True), (0.7, False)):
        other = [(-0.1 - factor * (x - 0.1), y, z) for x, y, z in FIN]
        assert fins(*other, scale=scale) == pair
    # joints are compared down to the third: a sword in one hand does not count
    swords = [*mirror[:-1], (-0.9, 2.5, 1.0), (-0.9, 3.0, 1.0)]
    assert fins(*swords, scale=scale)
    # but not one of many joints: two more at most, or a quarter more
    for more, count, pair in ((0, 2, True), (0, 3, False), (9, 4, True), (9, 5, False)):
        feathers = [(0.9, 0.1 + 0.1 * k, 1.0) for k in range(1, more + 1)]
        left = [*FIN[:3], *feathers, (0.9, 2.0, 1.0)]
        extra = [(-0.9, 1.1 + 0.1 * k, 1.0) for k in range(count)]
        right = [(-x, y, z) for x, y, z in left[:-1]] + [*extra, (-0.9, 2.0, 1.0)]
        assert fins(*right, scale=scale, left=left) == pair, (more, count)


def branch(*path: str, kind: str = "hand") -> Branch:
    return Branch(path[0], "left", list(path), kind, True)  # type: ignore[arg-type]


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
    joints = [
        ("root", None, (0, 0, 1.5)),
        (name, "root", (1, 0, 1)),
        ("tip", name, (2, 0, 1)),
    ]
    figure = drawn(*joints)
    beside = []
    for kind in others:
        limb = branch("ko", "ku", kind="foot" if kind == "foot" else "hand")
        limb.side = "right" if kind == "other" else "left"
        limb.named = kind != "unnamed"
        limb.path = limb.path[: 1 if kind == "single" else 2]
        beside.append(limb)
    own = branch(name)
    assert _is_girdle(figure, own, [own, *beside]) == girdle
    # two joints are a limb
    both = branch(name, "tip")
    assert not _is_girdle(figure, both, [both, *beside])


def test_bones_of_limbs_bend_ahead_back_or_up() -> None:
    forward = (0.6, 0.8, 0.0)

    def limb(name: str, kind: str) -> Limb:
        return Limb(name, kind, "left", (f"{name} 1", name), "")  # type: ignore[arg-type]

    beast = [limb(n, "foot") for n in ("left_front_foot", "rear_foot", "foot")]
    others = [limb("hand", "hand"), limb("head", "head"), limb("tail", "tail")]
    found = FoundLimbs((*beast, *others), forward=forward)
    assert found.bend_of("hand") == found.bend_of("left_front_foot")
    assert found.bend_of("hand") == pytest.approx((-0.6, -0.8, -0.5))
    assert found.bend_of("rear_foot") == found.bend_of("foot")
    assert found.bend_of("foot") == pytest.approx((0.6, 0.8, 0.5))
    for joint in ("head", "tail", "foot 1", "hand 1", "else"):
        assert found.bend_of(joint) is None
    # knees of an insect are above; its arms' elbows are not
    for count, bend in ((4, (0.6, 0.8, 0.5)), (5, (0.0, 0.0, 1.0))):
        legs = [limb(f"foot {k}", "foot") for k in range(count)]
        found = FoundLimbs((*legs, *others), forward=forward)
        assert found.bend_of("foot 3") == pytest.approx(bend)
        assert found.bend_of("hand") == pytest.approx((-0.6, -0.8, -0.5))


def begun(kind: str, joints: list[tuple], path: list[str] | None = None) -> list[str]:
    figure = drawn(ROOT, FLOOR, *joints)
    branch = followed(figure, joints[0][0])
    branch.kind = kind  # type: ignore[assignment]
    shorten(figure, SIDES, branch)
    return branch.path


def line(first: str, *lengths: float, start: tuple = (1, 0, 1.5)) -> list[tuple]:
    """Joints out along x: the first one's name, and others without meaning."""
    found: list[tuple] = [(first, "root", start)]
    for k, length in enumerate(lengths):
        x, y, z = found[-1][2]
        found.append((PLAIN[k], found[-1][0], (x + length, y, z)))
    return found


SIDES = Symmetry(np.eye(3)[0], 0.0, {}, False)


FLOOR = ("floor", "root", (0, 0, 0))


PLAIN = ("ka", "ko", "ku", "ki", "ke")


ROOT = ("root", None, (0, 0, 1.5))


def followed(figure: Figure, root: str) -> Branch:
    found = follow_branch(figure, root)
    assert found is not None
    return found


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


def test_neck_reaches_from_the_head_down_to_what_carries_arms() -> None:
    plain = [("b" + letter, float(k)) for k, letter in enumerate("abcdefg")]
    head = ("head", 9.0)
    # as many as four without a name, and only if it is known what carries arms
    assert neck(*plain, head, carrying={"bd"}) == (["be", "bf", "bg"], "")
    assert neck(*plain, head, carrying={"ba"}) == (["bd", "be", "bf", "bg"], "")
    assert neck(*plain, head) == ([], "")
    # named ones go on for ever
    named = [(f"neck{k}", float(k)) for k in range(7)]
    assert neck(*named, head) == ([name for name, _ in named], "")
    # one that carries arms is reported if it is named so
    assert neck(*named, head, carrying={"neck4"}) == (["neck5", "neck6"], "neck4")
    # another part of the body is none of it; an accessory's name means nothing here
    legs = [("spine", 0.0), ("neck", 1.0), ("leg", 2.0)]
    assert neck(*legs, head, carrying={"hips"}) == ([], "")
    hats = [("spine", 0.0), ("neck", 1.0), ("hat", 2.0)]
    assert neck(*hats, head, carrying={"hips"}) == (["neck", "hat"], "")
