"""Borders of what counts as a part of a figure, which whole figures do not show."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig.character.branches import Branch
from ikrig.character.figure import Figure
from ikrig.character.find_head import find_head, neck_of
from ikrig.character.find_limbs import _stand
from ikrig.character.symmetry import find_symmetry

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
        leg = Branch("a", "left", ["a", "a1"], "foot", True)
        arm = Branch("b", "left", ["b", "b1"], "hand", True)
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
