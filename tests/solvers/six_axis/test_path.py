"""Sweeps of the article's sliders, and paths without jumps."""

from __future__ import annotations

import numpy as np

import ikrig
from ikrig import SolveStatus, SphericalWristArm, rotation_from_ypr

from .arms import ARTICLE, errors

# x, y, z of the tool; yaw, pitch, roll
LOWEST = np.array([4, -4, 4, -np.pi / 2, -np.pi / 2, -np.pi / 2])
HIGHEST = np.array([12, 4, 12, np.pi / 2, np.pi / 2, np.pi / 2])


def poses(sliders) -> tuple[np.ndarray, np.ndarray]:
    sliders = np.asarray(sliders)
    return sliders[..., :3], rotation_from_ypr(*np.moveaxis(sliders[..., 3:], -1, 0))


def wrist_distance(sliders) -> np.ndarray:
    """From the shoulder at height 4 to the wrist, 3 behind the tool."""
    position, rotation = poses(sliders)
    return np.linalg.norm(position - 3 * rotation[..., 0] - [0, 0, 4], axis=-1)


def test_the_slider_ranges():
    places = [np.linspace(*ends, 5) for ends in zip(LOWEST, HIGHEST, strict=True)][:3]
    rotations = [np.linspace(-np.pi / 2, np.pi / 2, 7)] * 3
    grid = np.stack(np.meshgrid(*places, *rotations, indexing="ij"), axis=-1)
    arm = SphericalWristArm()
    position, rotation = poses(grid)
    result = arm.solve(position, rotation)
    # bones of 6 and 7: the law of triangles says what is in reach
    distance = wrist_distance(grid)
    sure = np.minimum(np.abs(distance - 13.0), np.abs(distance - 1.0)) > 1e-9
    inside = (distance > 1.0) & (distance < 13.0)
    assert (result.converged == inside)[sure].all()
    done = result.converged
    assert done.sum() > 30_000
    assert errors(ARTICLE, result.q, position, rotation)[done].max() < 1e-12
    assert set(result.status[~done]) == {SolveStatus.UNREACHABLE}
    rows = arm.solve_all(position, rotation)
    counts = np.isfinite(rows[..., 0]).sum(axis=-1)
    assert set(counts[~done]) == {0}
    # 2 where the elbow is folded and the wrist in line with it
    assert set(counts[done]) <= {2, 4, 6, 8}


def follow(arm, places, turns, near) -> list[ikrig.ArmResult]:
    """Solve pose after pose, each from the last one's angles, until one fails."""
    found = []
    for place, turn in zip(places, turns, strict=True):
        found.append(arm.solve(place, turn, near))
        if not found[-1].converged:
            break
        near = found[-1].q
    return found


def test_every_slider_moves_the_arm_without_a_jump():
    rng = np.random.default_rng(1)
    arm = SphericalWristArm()
    ends = dict.fromkeys(SolveStatus, 0)
    leaps = 0
    for number in range(600):
        line = np.tile(rng.uniform(LOWEST, HIGHEST), (400, 1))
        slider = number % 6
        line[:, slider] = np.linspace(LOWEST[slider], HIGHEST[slider], 400)
        if number % 5 == 0:
            # in one plane, where the wrist goes straight through θ5 = 0
            line[:, [1, 3, 5]] = 0.0
        path = follow(arm, *poses(line), rng.uniform(-2, 2, 6))
        ends[path[-1].status] += 1
        done = len(path) - (not path[-1].converged)
        if done:
            q = np.array([found.q for found in path[:done]])
            assert errors(ARTICLE, q, *poses(line[:done])).max() < 1e-12
            for k in np.flatnonzero(np.abs(np.diff(q, axis=0)).max(axis=1) > 0.5):
                # only where a joint has to turn fast: next to a singular pose
                assert ARTICLE.margins(q[k]).min() < 0.1
                leaps += 1
        if done < 400:
            assert path[-1].status is SolveStatus.UNREACHABLE
            assert wrist_distance(line[done]) > 13.0
    assert ends[SolveStatus.CONVERGED] > 300
    assert ends[SolveStatus.UNREACHABLE] > 50
    assert leaps < 600


def test_straight_through_the_singular_wrist():
    # the hand nods in the arm's plane: θ5 changes its sign, and nothing else jumps
    q = np.tile([0.2, 0.4, 1.1, 0.0, 0.0, 0.3], (201, 1))
    q[:, 4] = np.linspace(-1.0, 1.0, 201)
    path = follow(SphericalWristArm(), *ARTICLE.forward(q), q[0])
    assert np.abs(np.array([found.q for found in path]) - q).max() < 1e-9
    assert {found.branch for found in path} == {0, 1}


def test_full_turns_accumulate():
    # joint 6 goes round and round
    q = np.tile([0.2, 0.4, 1.0, 0.5, 0.9, 0.0], (300, 1))
    q[:, 5] = np.linspace(0.0, 25.0, 300)
    path = follow(SphericalWristArm(), *ARTICLE.forward(q), q[0])
    assert np.abs(np.array([found.q for found in path]) - q).max() < 1e-9
