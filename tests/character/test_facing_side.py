"""The direction that a character faces, on joints and skin placed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig.character.branches import Branch
from ikrig.character.facing_side import find_forward
from ikrig.character.figure import Figure
from ikrig.character.find_limbs import find_limbs
from ikrig.character.symmetry import Symmetry

from .bodies import Body, animal, person

X, Y, Z = np.eye(3)
SIZE = 4.0
"""Largest extent of the figures."""
CLEAR, BENT = 0.03 * SIZE, 0.01 * SIZE
"""So far ahead toes and eyes count, and knees."""
PLACES = [(0, (0, 0, 0)), (1, (7, -3, 2)), (2, (-5, 9, 1)), (3, (0.5, 0.5, -3))]
"""Quarter turns, and where the figure stands."""


def forward(
    points: dict[str, tuple],
    feet: int,
    skin: dict[str, list] | None = None,
    named: bool = False,
    turns: int = 0,
    origin: tuple = (0, 0, 0),
    **given: object,
) -> tuple[np.ndarray, list]:
    """Return what is found for joints that stand about 0 and look to -y at first.

    Names are "hip 0", "knee 0", "ankle 0" and so on; a head and eyes, if any.
    """
    c, s = np.round((np.cos(turns * np.pi / 2), np.sin(turns * np.pi / 2)))
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    def moved(place: object) -> np.ndarray:
        return turn @ np.array(place, float) + origin

    points = {"root": (0, 0, 1), **points}
    chains = [[f"{b} {k}" for b in ("hip", "knee", "ankle")] for k in range(feet)]
    chains = [[joint for joint in chain if joint in points] for chain in chains]
    parents: dict[str, str | None] = dict.fromkeys(points, "root")
    parents["root"] = None
    for chain in chains:
        parents |= dict(zip(chain[1:], chain, strict=False))
    cage = [moved(p) for p in ((0, 0, 0), (0, 0, SIZE))]
    figure = Figure(
        parents,
        {joint: moved(place) for joint, place in points.items()},
        {
            **{joint: moved(place)[None] for joint, place in points.items()},
            "root": np.array(cage),
            **{j: np.array([moved(p) for p in ps]) for j, ps in (skin or {}).items()},
        },
    )
    branches = [Branch(chain[0], "", chain, "foot", False) for chain in chains]
    branches.append(Branch("root", "", ["root"], "hand", False))
    axis = turn @ X
    settings = {"roots": {"hip 0": "hip 1", "hip 1": "hip 0"}} | given
    symmetry = Symmetry(axis, float(axis @ origin), named=named, **settings)  # type: ignore[arg-type]
    head = "head" if "head" in points else ""
    eyes = [joint for joint in points if joint.startswith("eye")]
    found, doubts = find_forward(figure, symmetry, branches, head, eyes)
    return turn.T @ found, doubts


def legs(*knees: float) -> dict[str, tuple]:
    """Straight legs but for their knees, so far ahead."""
    found = {}
    for k, ahead in enumerate(knees):
        x = 0.3 if k % 2 == 0 else -0.3
        found[f"hip {k}"] = (x, 0.2, 1.0)
        found[f"knee {k}"] = (x, 0.1 - ahead, 0.6)
        found[f"ankle {k}"] = (x, 0.0, 0.2)
    return found


def toes(*ahead: float) -> dict[str, list]:
    """Skin of ankles; the mean of what is as low as the ankle is so far ahead."""
    skin = {}
    for k, far in enumerate(ahead):
        x = 0.3 if k % 2 == 0 else -0.3
        # the ankle itself is one of three; what is above it does not count
        low = [(x, -far, 0.1), (x, -2.0 * far, 0.0)]
        skin[f"ankle {k}"] = [*low, (x, 5.0 * far, 0.5)]
    return skin


def evidence(kind: str, ahead: float, knees: float) -> dict[str, object]:
    """What speaks for a direction by ``ahead``, with knees bent another way."""
    if kind == "toes":
        return {"points": legs(knees, knees), "feet": 2, "skin": toes(ahead, ahead)}
    if kind == "one foot's toes":
        return {"points": legs(knees, knees), "feet": 2, "skin": toes(2.0 * ahead, 0)}
    if kind == "eyes":
        face = {"head": (0, 0.4, 2), "eye": (0.1, 0.4 - ahead, 2.1)}
        face["eye 1"] = (-0.1, 0.4 - 3.0 * ahead, 2.1)
        return {"points": legs(knees, knees) | face, "feet": 2}
    count = 3 if kind == "head of three legs" else 4
    points = legs(*[0.0] * count)
    for joint, (x, y, z) in list(points.items()):
        points[joint] = (x, y - 0.8, z) if joint[-1] in "23" else (x, y, z)
    # the middle of the hips
    middle = 0.2 - 0.8 * (count - 2) / count
    return {"points": points | {"head": (0, middle - ahead, 2)}, "feet": count}


@pytest.mark.parametrize("place", PLACES)
def test_names_of_sides_win_unless_all_else_speaks_against_them(place: tuple) -> None:
    turns, origin = place
    for kind in ("toes", "eyes", "head"):
        size = CLEAR / (2.0 if kind == "eyes" else 1.0)
        for ahead, ok in ((1.0, True), (-1.9, True), (-2.1, False)):
            given = evidence(kind, ahead * size, 0.0)
            found, doubts = forward(**given, named=True, turns=turns, origin=origin)  # type: ignore[arg-type]
            assert np.allclose(found, -Y if ok else Y)
            assert [doubt.reason for doubt in doubts] == (
                [] if ok else ["sides_swapped"]
            )


def boxer(heel: float = 0.1, toe: float = 0.35) -> Body:
    """A robot with rigid legs and folded arms who faces -y."""
    body = Body()
    body.add("base", None, 0, 0, 1.0)
    body.add("chest", "base", 0, 0, 1.3)
    body.add("top", "chest", 0, 0, 1.7)
    body.end("top", 0, 0, 2.0)
    body.add("shank.S", "base", 0.2, 0, 0.9)
    body.end("shank.S", 0.2, 0, 0.1)
    body.add("upper.S", "chest", 0.4, 0, 1.5)
    body.add("lower.S", "upper.S", 0.4, -0.2, 1.1)
    body.end("lower.S", 0.35, -0.5, 1.5)
    skin, sole = body._skin, np.linspace(heel, -toe, 12)

    def with_feet(joint: str) -> np.ndarray:
        x = 0.2 if joint.endswith("L") else -0.2
        foot = [(x + a, y, z) for y in sole for z in (0.0, 0.08) for a in (-0.1, 0.1)]
        found = skin(joint)
        return np.vstack([found, foot]) if joint.startswith("shank") else found

    body._skin = with_feet  # type: ignore[method-assign]
    return body


BODIES = {"person": person, "animal": animal, "boxer": boxer}


@pytest.mark.parametrize("heading", range(0, 360, 45))
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", BODIES)
def test_figures_in_eight_headings(kind: str, named: bool, heading: int) -> None:
    turn = np.radians(heading)
    c, s = np.cos(turn), np.sin(turn)
    matrix = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    body = BODIES[kind]()
    codes = {joint: f"q{k}x" for k, joint in enumerate(body.joints)}
    rename = str if named else codes.__getitem__
    found = find_limbs(body.figure(rename, matrix))
    assert found.forward == pytest.approx(tuple(matrix @ -Y), abs=1e-6)
    assert "facing" not in {finding.reason for finding in found.findings}
    # left is on the left
    places = {rename(j): matrix @ place for j, (_, place) in body.joints.items()}
    left = matrix @ X
    count = 0
    for limb in found.limbs:
        across = sum(float(places[joint] @ left) for joint in limb.joints)
        if limb.side:
            assert (limb.side == "left") == (across > 0.0), limb.name
            count += 1
    assert count == 4
