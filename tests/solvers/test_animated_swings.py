"""Animated arms that point away from their target: no sudden rolls.

The arm is on the left of a body that faces -y; root space is the body's.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import ChainModel, SolveSettings
from ikrig.solvers import CcdSolver, FabrikSolver

SHOULDER = np.array([0.2, 0.0, 0.05])
BONES = np.array([[0.0, 0.0, -0.3], [0.0, 0.0, -0.25]])
"""Hanging down in the file; the elbow bends so that the hand goes to -y."""
NOW = SolveSettings(snap_back_strength=1.0)
FRAMES = 90
SWING = np.radians(75.0) * np.sin(np.linspace(0.0, 2.0 * np.pi, FRAMES))


def positions(upper: Rotation, elbow: Rotation) -> np.ndarray:
    """Shoulder, elbow and hand for rotations from the hanging arm."""
    at = SHOULDER + upper.apply(BONES[0])
    return np.array([SHOULDER, at, at + (upper * elbow).apply(BONES[1])])


def solver_of(
    kind: type = FabrikSolver, bend: float = 0.3, mirror: float = 1.0
) -> FabrikSolver:
    places = positions(Rotation.identity(), Rotation.from_euler("x", -bend))
    return kind(ChainModel(places * (mirror, 1.0, 1.0)))


def animate(solver, upper: Rotation, elbow: Rotation, mirror: float = 1.0):
    """Pose the arm, relative to the model; return where its joints are then."""
    flip = np.array([mirror, 1.0, 1.0])
    offsets = np.diff(solver.model.positions, axis=0)
    turns = [upper, elbow, Rotation.identity()]
    if mirror < 0.0:
        # the rotation in a mirror: its axis is reflected as a rotation's is
        turns = [Rotation.from_rotvec(t.as_rotvec() * -flip) for t in turns]
    places = [flip * SHOULDER, *offsets]
    numbers: list[float] = []
    for at, turn in zip(places, turns, strict=True):
        numbers += [*at, *np.roll(turn.as_quat(), 1), 1.0, 1.0, 1.0]
    solver.animate(numbers)
    found, whole = [places[0]], Rotation.identity()
    for turn, step in zip(turns, offsets, strict=False):
        whole = whole * turn
        found.append(found[-1] + whole.apply(step))
    return np.array(found)


def runs(out: float, bend: float = 0.6):
    """Rotations of an arm that swings to and fro beside the body, a little outwards."""
    for angle in SWING:
        yield (
            Rotation.from_euler("yx", [-out, -angle]),
            Rotation.from_euler("x", -bend - 0.3 * np.sin(2.0 * angle)),
        )


def steps(turns: list[np.ndarray]) -> np.ndarray:
    """Angle of each joint from frame to frame [degrees]."""
    q = np.array(turns)
    cosine = np.abs((q[1:] * q[:-1]).sum(axis=2)).clip(0.0, 1.0)
    return np.degrees(2.0 * np.arccos(cosine))


def solved(solver, poses, goal, pole=None) -> np.ndarray:
    """Largest steps of upper arm and forearm, solved and in the clip alone."""
    found, own = [], []
    for upper, elbow in poses:
        animate(solver, upper, elbow)
        own.append(np.array(solver.start_rotations).reshape(-1, 4)[:2])
        result = solver.solve(goal, pole=pole, settings=NOW)
        assert not np.isnan(result.error)
        found.append(solver.rotations[:2].copy())
    return steps(found).max(axis=0), steps(own).max()


AROUND = {
    "ahead": (0.0, -1.0, 0.0),
    "behind": (0.0, 1.0, 0.0),
    "above": (0.0, 0.0, 1.0),
    "above ahead": (0.0, -0.5, 0.8),
    "outwards": (1.0, 0.0, 0.1),
    "inwards ahead": (-0.5, -0.9, 0.0),
    "below": (0.0, 0.0, -1.0),
}


@pytest.mark.parametrize("way", AROUND)
@pytest.mark.parametrize("out", [0.02, 0.2])
def test_arm_that_swings_behind_its_target_does_not_roll_suddenly(out, way):
    aim = np.array(AROUND[way])
    goal = SHOULDER + 0.5 * aim / np.linalg.norm(aim)
    found, own = solved(solver_of(), runs(out), goal)
    # by the shortest arc: up to 120 degrees
    assert found.max() < 3.0 * own


@pytest.mark.parametrize("way", ["ahead", "behind", "outwards", "below"])
@pytest.mark.parametrize("far", [0.5, 1.3])
def test_arm_that_passes_straight_does_not_roll_at_its_pole(way, far):
    aim = np.array(AROUND[way])
    goal = SHOULDER + 0.55 * far * aim / np.linalg.norm(aim)
    pole = SHOULDER + np.array([0.5, 1.0, -1.0]) - 0.8 * aim
    # bent, straight and back, by a hair beyond straight at that
    bends = 0.3 - 0.5 * (1.0 + np.cos(np.linspace(0.0, 2.0 * np.pi, FRAMES))) * 0.33
    poses = [
        (upper, Rotation.from_euler("x", 0.3 - bend))
        for (upper, _), bend in zip(runs(0.1), bends, strict=True)
    ]
    found, own = solved(solver_of(), poses, goal, pole)
    assert found.max() < 3.0 * own


@pytest.mark.parametrize("kind", [FabrikSolver, CcdSolver])
def test_target_at_the_animated_place_changes_nothing(kind):
    rng = np.random.default_rng(0)
    solver = solver_of(kind)
    for bend in (0.8, 0.04, 0.0, -0.02):
        upper = Rotation.from_rotvec(rng.normal(size=3))
        places = animate(solver, upper, Rotation.from_euler("x", 0.3 - bend))
        solver.solve(places[-1], settings=NOW)
        start = np.array(solver.start_rotations).reshape(-1, 4)
        assert np.abs((solver.rotations * start).sum(axis=1)) == pytest.approx(1.0)
        assert np.allclose(solver.positions, places, atol=1e-7)


@pytest.mark.parametrize("with_pole", [False, True])
def test_mirrored_arm_mirrors_its_pose(with_pole):
    left, right = solver_of(), solver_of(mirror=-1.0)
    flip = np.array([-1.0, 1.0, 1.0])
    rng = np.random.default_rng(1)
    for _ in range(40):
        upper = Rotation.from_rotvec(rng.normal(size=3))
        elbow = Rotation.from_euler("x", rng.uniform(-1.0, 0.35))
        goal = SHOULDER + 0.4 * rng.normal(size=3)
        pole = SHOULDER + rng.normal(size=3) if with_pole else None
        places = animate(left, upper, elbow)
        assert np.allclose(animate(right, upper, elbow, -1.0), places * flip)
        left.solve(goal, pole=pole, settings=NOW)
        right.solve(
            goal * flip, pole=None if pole is None else pole * flip, settings=NOW
        )
        assert np.allclose(right.positions, left.positions * flip, atol=1e-6)
        # of the rotations too: w and x stay
        same = (left.rotations * (1.0, 1.0, -1.0, -1.0) * right.rotations).sum(axis=1)
        assert np.abs(same) == pytest.approx(1.0)
