"""Head, neck and what carries them, on joints placed by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from ikrig.character.figure import Figure
from ikrig.character.find_head import (
    carrier_of_eyes,
    find_carriers,
    find_face,
    find_head,
    neck_of,
)
from ikrig.character.find_limbs import find_limbs

from .bodies import Body, drawn, person

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


NECK = [("bi", "be", (0, 0, 1.5)), ("bo", "bi", (0, 0, 1.6)), ("bu", "bo", (0, 0, 1.7))]


def test_unnamed_head_is_the_last_joint_with_as_much_skin() -> None:
    for share, head in ((0.61, "bu"), (0.59, "bo")):
        # the trunk's skin does not count
        skin = {"be": 0.6, "bi": 0.2, "bo": 0.2, "bu": 0.2 * share}
        figure = unnamed(*NECK, skin=skin)
        assert find_head(figure, ARMS, ARMS) == head
        # nor a joint that only carries skin
        del figure.skin["bi"]
        assert find_head(figure, ARMS, ARMS) == head
    # one joint is enough, and it may begin below the arms
    for height in (1.6, 1.3):
        figure = unnamed(("bi", "be", (0, 0, height)), skin={"bi": 0.3})
        assert find_head(figure, ARMS, ARMS) == "bi"
    figure = unnamed(*NECK)
    # without skin nothing has an extent; an arm's is from its joint to its hand
    hands = {"rh": np.array((-0.9, 0, 1.4)), "lh": np.array((0.9, 0, 1.4))}
    bare = Figure(figure.parents | {"rh": "ra", "lh": "la"}, figure.positions | hands)
    assert find_head(bare, ARMS, ARMS) == "bu"


def test_unnamed_head_needs_a_limb_to_be_above() -> None:
    """A limb is more than a fifth of the figure: not an ear."""
    for arm, head in ((0.42, "bu"), (0.38, "")):
        figure = unnamed(*NECK, arm=arm, skin={"bu": 0.2, "bo": 0.2})
        assert find_head(figure, ARMS, ARMS) == head
    assert find_head(unnamed(*NECK), [], []) == ""
    # not what hangs lower than the arms
    low = [(name, above, (0, 0, z - 0.9)) for name, above, (_, _, z) in NECK]
    assert find_head(unnamed(*low), ARMS, ARMS) == ""


def test_unnamed_head_is_the_highest_of_several() -> None:
    for tall, head in ((0.5, "so"), (0.1, "bu")):
        other = [("si", "be", (0.1, 0, 1.5)), ("so", "si", (0.1, 0, 1.6))]
        skin = {"bi": 0.1, "bo": 0.1, "bu": 0.1, "si": tall, "so": tall}
        figure = unnamed(*NECK, *other, skin=skin)
        assert find_head(figure, ARMS, ARMS) == head
        # but neither a branch of a side nor a helper
        aside = find_head(figure, ARMS, [*ARMS, "si"])
        assert aside == "bu"
        figure = unnamed(
            *NECK,
            ("hat ctrl", "be", (0.1, 0, 1.5)),
            skin={"bi": 0.1, "bo": 0.1, "bu": 0.1, "hat ctrl": tall},
        )
        assert find_head(figure, ARMS, ARMS) == "bu"


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


def test_head_that_both_eyes_hang_on() -> None:
    eyes = [("eye.L", "face", (0.1, 0, 1.9)), ("eye.R", "socket", (-0.1, 0, 1.9))]
    above = [("bo", "be", (0, 0, 1.6)), ("face", "bo", (0, 0, 1.7))]
    above.append(("socket", "face", (0, 0, 1.8)))
    assert carrier_of_eyes(unnamed(*above, *eyes)) == "bo"
    assert carrier_of_eyes(unnamed(*above, *eyes[::-1])) == "bo"
    bare = [(name, "bo", place) for name, _, place in eyes]
    arms = [("hand.L", "la", (0.7, 0, 1.4)), ("hand.R", "ra", (-0.7, 0, 1.4))]
    figure = unnamed(*above, *bare, *arms)
    assert carrier_of_eyes(figure) == "bo"
    # which is the head, unless arms hang on it as well
    assert find_head(figure, ARMS, ARMS) == "bo"
    figure.parents |= dict.fromkeys(ARMS, "bo")
    assert find_head(figure, ARMS, ARMS) != "bo"
    # one with skin
    figure = unnamed(*above, *eyes)
    del figure.skin["bo"]
    assert carrier_of_eyes(figure) == "be"
    assert carrier_of_eyes(Figure(figure.parents, figure.positions)) == "bo"
    # one eye, and two of the same side, are not both eyes
    assert carrier_of_eyes(unnamed(*above, eyes[0])) == ""
    other = [("eye.L", "face", (0.1, 0, 1.9)), ("eye2.L", "face", (0.2, 0, 1.9))]
    assert carrier_of_eyes(unnamed(*above, *other)) == ""


def neck(*joints: tuple[str, float], carrying: set[str] | None = None) -> tuple:
    """What is the neck of a line of joints from below at these heights."""
    parents: list[str | None] = [None, *(name for name, _ in joints)]
    figure = Figure(
        {name: above for (name, _), above in zip(joints, parents, strict=False)},
        {name: (0, 0, 4.0 * height) for name, height in joints},
    )
    return neck_of(figure, joints[-1][0], carrying or set())


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


def test_neck_ends_at_controls_and_at_bones_of_no_length() -> None:
    head = ("head", 1.0)
    assert neck(("neck1", 0.0), ("neck2", 0.5), head)[0] == ["neck1", "neck2"]
    assert neck(("neck1", 0.0), ("neck2", 0.9985), head)[0] == ["neck1", "neck2"]
    assert neck(("neck1", 0.0), ("neck2", 0.9995), head)[0] == []
    assert neck(("neck1", 0.0), ("neck2", 0.0005), head)[0] == ["neck2"]
    assert neck(("neck1", 0.0), ("neck ctrl", 0.5), head)[0] == []
    assert neck(("neck ctrl", 0.0), ("neck2", 0.5), head)[0] == ["neck2"]


def faces(body: Body, rename: Callable[[str], str] = str) -> set[str]:
    """The joints of a face of a person with a round head."""
    figure = body.figure(rename)
    around = np.linspace(0.0, 2.0 * np.pi, 12)
    rings = [
        (0.08 * r * np.cos(a), 0.1 * r * np.sin(a), 1.68 + 0.11 * z)
        for z, r in ((-1.0, 0.3), (-0.7, 0.7), (0.0, 1.0), (0.7, 0.7), (1.0, 0.3))
        for a in around
    ]
    # the trunk's skin does not reach to what was added
    plain = {rename(joint): skin for joint, skin in person().figure().skin.items()}
    figure.skin |= plain | {rename("head"): np.array(rings)}
    return set(find_limbs(figure).face)


@pytest.mark.parametrize("above", ["neck", "chest"])
@pytest.mark.parametrize("called", [True, False])
def test_face_beside_the_head(above: str, called: bool) -> None:
    body = person()
    body.add("jaw", above, 0, -0.03, 1.6)
    body.end("jaw", 0, -0.13, 1.59)
    body.add("lip.S", above, 0.02, -0.1, 1.62)
    body.end("lip.S", 0.02, -0.13, 1.62)
    # neither a scarf nor a bow tie
    if called:
        body.add("scarf", above, 0, -0.05, 1.46)
        body.end("scarf", 0, -0.1, 1.2)
    body.add("tie", above, 0.0, -0.06, 1.46)
    body.end("tie", 0.03, -0.06, 1.45)
    codes = {joint: f"q{k}x" for k, joint in enumerate(body.joints)}
    rename = str if called else codes.__getitem__
    wanted = {"jaw", "lip.L", "lip.R"}
    assert faces(body, rename) == {rename(joint) for joint in wanted}
    assert faces(body.remove("jaw", "lip")) == set()
    # what is below the head needs no help, nor does a figure without skin
    assert faces(person()) == set()
    assert find_limbs(person().figure(skin=False)).face == ()


def test_face_that_is_the_necks() -> None:
    figure = person().figure()
    head, around = figure.skin["head"], figure.skin["neck"]
    front = head[:, 1].min()
    for far, wanted in ((1.0, ("neck",)), (0.3, ())):
        face = np.array([(x, far * front, 1.66) for x in np.linspace(-0.03, 0.03, 40)])
        figure.skin["neck"] = np.vstack([around, face])
        found = find_face(figure, "head", ["neck"], [], np.array((0.0, -1.0, 0.0)))
        assert found == wanted


def test_loose_limbs_are_carried_by_the_nearest_bone_of_the_trunk() -> None:
    rng = np.random.default_rng(4)
    parts = np.linspace(0.0, 1.0, 2001)[:, None]
    seen = set()
    for _ in range(80):
        line = np.cumsum(rng.normal(size=(5, 3)), axis=0)
        names = [f"b{k}" for k in range(5)]
        parents = dict(zip(names, [None, *names[:-1]], strict=True)) | {"arm": None}
        positions = dict(zip(names, line, strict=True)) | {"arm": rng.normal(size=3)}
        # the distances of points along each bone, by brute force
        apart = [
            np.linalg.norm(a + parts * (b - a) - positions["arm"], axis=1).min()
            for a, b in pairwise(line)
        ]
        nearest = int(np.argmin(apart))
        if np.sort(apart)[1] - apart[nearest] < 1e-3:
            # the joint between two bones is nearest
            continue
        figure = Figure(parents, positions)
        assert find_carriers(figure, "b4", ["arm"]) == set(names[: nearest + 1])
        seen.add(nearest)
    assert seen == {0, 1, 2, 3}
    # one below a joint of the trunk that moves skin follows it; no bone carries none
    skin = {name: positions[name][None] for name in (*names, "arm")}
    figure = Figure(parents | {"arm": "b2"}, positions, skin)
    assert find_carriers(figure, "b4", ["arm"]) == set()
    assert find_carriers(figure, "", ["arm"]) == set()
    bare = {"arm": skin["arm"]}
    figure = Figure(parents | {"arm": "b2"}, positions, bare)
    assert find_carriers(figure, "b4", ["arm"])
    assert find_carriers(Figure(parents, positions), "b0", ["arm"]) == set()


@pytest.mark.parametrize("joint", ["arm", "b1"])
def test_no_limbs_are_carried_by_nothing(joint: str) -> None:
    figure = Figure({"b0": None, joint: "b0"}, {"b0": (0, 0, 0), joint: (0, 0, 1)})
    assert find_carriers(figure, joint, []) == set()
