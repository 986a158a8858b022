"""Sweeps of the article's sliders, and paths without jumps."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import SettingError, SolveStatus, SphericalWristArm, rotation_from_ypr

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


def test_every_slider_moves_the_arm_without_a_jump():
    rng = np.random.default_rng(1)
    arm = SphericalWristArm()
    ends = dict.fromkeys(SolveStatus, 0)
    for number in range(600):
        line = np.tile(rng.uniform(LOWEST, HIGHEST), (400, 1))
        slider = number % 6
        line[:, slider] = np.linspace(LOWEST[slider], HIGHEST[slider], 400)
        if number % 5 == 0:
            # in one plane, where the wrist goes straight through θ5 = 0
            line[:, [1, 3, 5]] = 0.0
        near = rng.uniform(-2, 2, 6)
        path = arm.solve_path(*poses(line), near)
        ends[path.status] += 1
        done = len(path.q)
        assert len(path.branches) == done
        assert path.stopped_at == (None if path.converged else done)
        position, rotation = poses(line[:done])
        if done:
            assert errors(ARTICLE, path.q, position, rotation).max() < 1e-12
            assert np.abs(np.diff(path.q, axis=0)).max(initial=0.0) <= 0.5
            first = arm.solve(position[0], rotation[0], near)
            assert np.array_equal(path.q[0], first.q)
        if path.status is SolveStatus.UNREACHABLE:
            assert wrist_distance(line[done]) > 13.0
        if path.status is SolveStatus.STALLED:
            # only where a joint has to turn fast: next to a singular pose
            margins = ARTICLE.margins(path.q[-1])
            assert margins.min() < 0.1
            assert "would have to turn by" in path.detail
    assert ends[SolveStatus.CONVERGED] > 300
    assert ends[SolveStatus.UNREACHABLE] > 50


def test_straight_through_the_singular_wrist():
    # the hand nods in the arm's plane: θ5 changes its sign, and nothing else jumps
    arm = SphericalWristArm()
    q = np.tile([0.2, 0.4, 1.1, 0.0, 0.0, 0.3], (201, 1))
    q[:, 4] = np.linspace(-1.0, 1.0, 201)
    path = arm.solve_path(*ARTICLE.forward(q), q[0])
    assert path.converged
    assert np.abs(path.q - q).max() < 1e-9
    assert set(path.branches) == {0, 1}


def test_straight_elbow_bends_back_in_the_same_direction():
    arm = SphericalWristArm()
    for side in (1.0, -1.0):
        q = np.tile([0.2, 1.2, 0.0, 0.5, 0.9, 0.3], (41, 1))
        q[:, 2] = side * np.abs(np.linspace(-1.0, 1.0, 41))
        assert q[20, 2] == 0.0
        path = arm.solve_path(*ARTICLE.forward(q), q[0])
        assert path.converged
        assert np.abs(path.q - q).max() < 1e-7
        assert len(set(path.branches)) == 1


def test_full_turns_accumulate_up_to_the_limit():
    # joint 6 goes round and round; with limits, until its end
    q = np.tile([0.2, 0.4, 1.0, 0.5, 0.9, 0.0], (300, 1))
    q[:, 5] = np.linspace(0.0, 25.0, 300)
    position, rotation = ARTICLE.forward(q)
    assert (
        np.abs(SphericalWristArm().solve_path(position, rotation, q[0]).q - q).max()
        < 1e-9
    )
    upper = np.full(6, 9.0)
    path = SphericalWristArm(upper=upper, lower=-upper).solve_path(
        position, rotation, q[0]
    )
    assert path.status is SolveStatus.UNREACHABLE
    assert path.stopped_at == np.flatnonzero(q[:, 5] > 9.0)[0]
    assert [(b.name, b.limit) for b in path.blocked_by] == [("T", "upper")]
    assert "T at 9.0" in path.detail


def test_poses_too_far_apart_are_reported_as_a_jump():
    q = np.array([[0.2, 0.4, 1.0, 0.5, 0.9, 0.0], [0.2, 0.4, 1.0, 0.5, 0.9, 0.6]])
    position, rotation = ARTICLE.forward(q)
    arm = SphericalWristArm()
    path = arm.solve_path(position, rotation, q[0])
    assert path.status is SolveStatus.STALLED
    assert path.stopped_at == 1
    assert path.detail == "joint T would have to turn by 0.6 rad"
    assert arm.solve_path(position, rotation, q[0], max_step=0.7).converged


def test_invalid_path_arguments_are_named():
    arm = SphericalWristArm()
    with pytest.raises(SettingError, match=r"a path needs positions \(n, 3\)"):
        arm.solve_path([1, 2, 3], np.eye(3))
    with pytest.raises(SettingError, match="max_step must be an angle above 0"):
        arm.solve_path(np.zeros((2, 3)), np.zeros((2, 3, 3)), max_step=0.0)
