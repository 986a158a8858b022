"""Ends and balls of skin, and mirrored branches, on synthetic shapes."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig.character.figure import Figure, is_ball, skin_end
from ikrig.character.limb import FoundLimbs, Limb
from ikrig.character.symmetry import find_symmetry

from .bodies import Body, animal, numbered, person

TURN = np.array([[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [-0.8, 0.6, 0.0]])
"""A rotation that mixes all axes."""


def figure_of(points, joint=(0.0, 0.0, 0.0)) -> Figure:
    return Figure({"a": None}, {"a": np.array(joint)}, {"a": np.array(points, float)})


def box(*sizes: float, count: int = 400) -> np.ndarray:
    """Points on a box whose first corner is 0."""
    points = np.random.default_rng(0).random((count, 3)) * sizes
    return np.vstack([points, [(0, 0, 0), sizes]])


@pytest.mark.parametrize("scale", [1.0, 0.01, 40.0])
def test_skin_end_is_the_outermost_tenth(scale: float) -> None:
    bone = box(2.0, 0.2, 0.2) - [0.0, 0.1, 0.1]
    joint = np.array([3.0, -1.0, 0.5])
    figure = figure_of(scale * (bone @ TURN.T + joint), scale * joint)
    end = skin_end(figure, "a")
    assert end is not None
    # the middle of what is beyond 1.8
    expected = scale * (TURN @ [1.9, 0.0, 0.0] + joint)
    assert np.allclose(end, expected, atol=0.03 * scale)
    # skin of which the joint is the middle has no end, nor has what is but thin there
    around = bone - [1.0, 0.0, 0.0]
    assert skin_end(figure_of(scale * around), "a") is None
    for off, found in ((0.15, False), (0.25, True)):
        there = skin_end(figure_of(scale * (around + np.array([off, 0.0, 0.0]))), "a")
        assert (there is not None) == found
    one = skin_end(figure_of([scale * joint]), "a")
    assert one is not None and np.allclose(one, scale * joint)
    assert skin_end(figure_of([[0.0, 0.0, 0.0]]), "a") is None
    assert skin_end(Figure({"a": None}, {"a": np.zeros(3)}, {}), "a") is None


@pytest.mark.parametrize("scale", [1.0, 0.01, 40.0])
def test_ball_is_round_about_its_joint(scale: float) -> None:
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(60, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    joint = np.array([5.0, 2.0, -1.0])

    def seen(points) -> bool:
        return is_ball(figure_of(scale * (points + joint), scale * joint), "a")

    assert seen(ball)
    assert seen(ball * (1.0 + 0.03 * rng.normal(size=(60, 1))))
    assert not seen(ball * (1.0 + 0.12 * rng.normal(size=(60, 1))))
    # a cap of it, a ring of it, one that is elsewhere, too few points
    assert not seen(ball[ball[:, 2] > 0.3])
    assert not seen(ball[np.abs(ball[:, 1]) < 0.4])
    assert not seen(ball + np.array([0.5, 0.0, 0.0]))
    few = [*np.eye(3), *-np.eye(3)]
    corners = np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)])
    few += [*(corners / 3**0.5), (0.6, 0.8, 0.0)]
    assert len(few) == 15 and not seen(np.array(few))
    assert seen(np.array([*few, (-0.6, -0.8, 0.0)]))
    assert not is_ball(Figure({"a": None}, {"a": np.zeros(3)}, {}), "a")


def mirrored(make: Body, **figure) -> set[tuple[str, str]]:
    """The pairs of branches that are found."""
    roots = find_symmetry(make.figure(**figure)).roots
    return {(a, b) for a, b in roots.items() if b is not None and a < b}


@pytest.mark.parametrize("scale", [1.0, 0.02, 50.0])
@pytest.mark.parametrize("shift", [0.0, 4.0])
def test_mirrored_branches_are_found_without_names(shift: float, scale: float) -> None:
    for make, pairs in (
        (person, {("clavicle", "thigh")}),
        (animal, {("pelvis", "upper")}),
    ):
        body = make()
        if make is person:
            body.remove("eye")
        for joint, (parent, (x, y, z)) in body.joints.items():
            body.joints[joint] = parent, (x + shift, y, z)
        body.ends = {j: (x + shift, y, z) for j, (x, y, z) in body.ends.items()}
        rename = numbered()
        figure = body.figure(rename, scale * np.eye(3))
        found = find_symmetry(figure)
        assert not found.named
        assert np.allclose(np.abs(found.axis), [1.0, 0.0, 0.0])
        assert found.middle == pytest.approx(scale * shift * found.axis[0], rel=1e-6)
        assert found.across(figure.positions[rename(next(iter(body.joints)))]) == (
            pytest.approx(0.0, abs=1e-6 * scale)
        )
        wanted = {rename(f"{n}.{s}") for names in pairs for n in names for s in "LR"}
        assert set(found.roots) == wanted
        for names in pairs:
            for name in names:
                left, right = rename(f"{name}.L"), rename(f"{name}.R")
                assert found.roots[left] == right and found.roots[right] == left


@pytest.mark.parametrize(
    ("change", "pair"),
    [
        # the other one lower by a share of the body's height, longer, at the middle
        (lambda x, y, z: (x, y, z + 0.005), True),
        (lambda x, y, z: (x, y, z - 0.5), False),
        (lambda x, y, z: (x * 1.05, y, z), True),
        (lambda x, y, z: (-0.1 + (x + 0.1) * 3.0, y, z), False),
        (lambda x, y, z: (-x, y + 0.05, z), False),
    ],
)
def test_similarity_of_mirror_images(change, pair) -> None:
    body = Body()
    body.add("root", None, 0, 0, 0)
    body.add("mast", "root", 0, 0, 1)
    body.add("top", "mast", 0, 0, 2)
    body.end("top", 0, 0, 2.2)
    body.add("fin1.S", "mast", 0.1, 0.1, 1.0)
    body.add("fin2.S", "fin1.S", 0.5, 0.1, 1.0)
    body.end("fin2.S", 0.9, 0.1, 1.0)
    for joint in ("fin1.R", "fin2.R"):
        parent, place = body.joints[joint]
        body.joints[joint] = parent, change(*place)
    body.ends["fin2.R"] = change(*body.ends["fin2.R"])
    rename = numbered()
    found = find_symmetry(body.figure(rename)).roots
    assert found == (
        {rename("fin1.L"): rename("fin1.R"), rename("fin1.R"): rename("fin1.L")}
        if pair
        else {}
    )


def test_sides_in_names_point_left() -> None:
    for sign in (1.0, -1.0):
        mat = np.diag([sign, sign, 1.0])
        found = find_symmetry(person().figure(matrix=mat))
        assert found.named and found.clear
        assert np.allclose(found.axis, [sign, 0.0, 0.0])
        own = {name for name in found.roots if not name.startswith("eye")}
        assert own == {"clavicle.L", "clavicle.R", "thigh.L", "thigh.R"}
        assert found.roots["clavicle.L"] == "clavicle.R"
        assert found.roots["thigh.R"] == "thigh.L"
    # one side alone has no other
    body = person()
    for joint in list(body.joints):
        if joint.split(".")[0] in ("thigh", "shin", "foot", "toe") and joint[-1] == "R":
            del body.joints[joint]
    body.ends.pop("toe.R")
    found = find_symmetry(body.figure())
    assert found.roots["thigh.L"] is None


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


def test_most_similar_branches_are_pairs() -> None:
    """A branch has one mirror image, and the nearest comes first."""
    body = Body()
    body.add("root", None, 0, 0, 0)
    body.add("mast", "root", 0, 0, 4)
    body.end("mast", 0, 0, 4.2)
    places = {"a": (0.5, 0.0), "b": (-0.5, 0.2), "c": (-0.5, 0.05), "d": (0.5, 0.3)}
    for name, (x, y) in places.items():
        body.add(name, "root", 0.2 * x, y, 2)
        body.add(name + "1", name, x, y, 2)
        body.end(name + "1", 2 * x, y, 2)
    rename = numbered()
    roots = find_symmetry(body.figure(rename)).roots
    a, b, c, d = map(rename, places)
    assert roots == {a: c, c: a, b: d, d: b}


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
