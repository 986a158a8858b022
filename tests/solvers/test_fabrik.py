"""FABRIK's required results, checked by forward kinematics of its rotations."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ChainModel, FabrikSolver, SolveSettings, SolveStatus
from tests import reference


def steps(solver, path, **arguments):
    """Largest step of the tip beyond the goal's own, and of any joint; in reaches."""
    reach = solver.model.reach
    poses = []
    for _ in range(30):
        # a chain that remembers comes to rest where the path begins
        solver.solve(path[0], **arguments)
    for goal in path:
        solver.solve(goal, **arguments)
        poses.append(np.array(solver.rotations))
    places = reference.forward_frames(solver.model, poses)
    moved = np.linalg.norm(np.diff(places, axis=0), axis=2)
    goal_moved = np.linalg.norm(np.diff(path, axis=0), axis=1)
    return (moved[:, -1] - goal_moved).max() / reach, moved.max() / reach


@pytest.mark.parametrize("bones", [2, 3, 9, 30])
@pytest.mark.parametrize("snap_back", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("bend", [0.0, 0.05, 0.5])
def test_no_jump_across_full_reach(bones, snap_back, bend):
    rng = np.random.default_rng(bones)
    model = ChainModel(reference.bent_positions(rng, np.ones(bones), bend))
    direction = reference.unit(rng.normal(size=3))
    out = np.linspace(0.95, 1.05, 1000)[:, None] * bones * direction
    path = np.concatenate([out, out[::-1]])
    settings = SolveSettings(snap_back_strength=snap_back)
    tip, joint = steps(FabrikSolver(model), path, settings=settings)
    # straightening a chain of reach 1 by 1e-4 moves its middle by up to 0.7 % of it
    assert tip < 1e-6
    assert joint < 0.01


@pytest.mark.parametrize("near", [1e-2, 1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("with_pole", [False, True])
@pytest.mark.parametrize("snap_back", [1.0, 0.0])
def test_goals_close_to_both_ends_of_the_reach_are_reached(near, with_pole, snap_back):
    rng = np.random.default_rng(7)
    settings = SolveSettings(snap_back_strength=snap_back)
    for _ in range(100):
        lengths = rng.random(rng.integers(3, 9)) + 0.2
        lengths /= lengths.sum()
        bend = rng.choice([0.0, 0.05, 0.4, 1.0, 3.0])
        solver = FabrikSolver(ChainModel(reference.bent_positions(rng, lengths, bend)))
        inner = max(1e-6, 2.0 * lengths.max() - 1.0)
        for radius in (1.0 - near, inner * (1.0 + near), 1.0 - near):
            goal = radius * reference.unit(rng.normal(size=3))
            pole = 3.0 * reference.unit(rng.normal(size=3)) if with_pole else None
            result = solver.solve(goal, pole=pole, settings=settings)
            assert result.status is SolveStatus.CONVERGED
            assert result.error < 1e-10


@pytest.mark.parametrize("bones", [2, 3, 5])
@pytest.mark.parametrize("height", [0.0, 1e-9, 0.001, 0.02])
def test_target_crossing_the_pole_line_causes_no_jump(bones, height):
    # rigs bend in the plane that the target moves in, so the pole really crosses
    rng = np.random.default_rng(bones)
    arc = np.linspace(0.6, -0.6, bones)
    bent = np.stack([np.cos(arc), np.sin(arc), 0 * arc], axis=1) / bones
    model = ChainModel(np.vstack([np.zeros(3), np.cumsum(bent, axis=0)]))
    turn = reference.matrix(rng.normal(size=4))
    model = ChainModel(model.positions @ turn.T)
    side = np.linspace(-0.5, 0.5, 4000)
    path = np.stack([0 * side + 0.5, side, 0 * side], axis=1) @ turn.T
    pole = turn @ [3.0, 0.0, height]
    for snap_back in (1.0, 0.0):
        tip, joint = steps(
            FabrikSolver(model),
            path,
            pole=pole,
            settings=SolveSettings(snap_back_strength=snap_back),
        )
        assert tip < 1e-6
        # the whole half turn takes place within 6° of the line, in many steps
        assert joint < 0.02


@pytest.mark.parametrize("bones", [2, 3, 6, 20])
def test_pole_sets_the_bend_direction(bones):
    rng = np.random.default_rng(bones)
    for bend in (0.0, 0.1, 0.5):
        lengths = rng.random(bones) + 0.3
        model = ChainModel(reference.bent_positions(rng, lengths, bend))
        solver = FabrikSolver(model)
        for _ in range(20):
            inner = max(0.3 * model.reach, 2 * lengths.max() - model.reach)
            goal = reference.in_ball(rng, 0.95 * model.reach, inner)
            line = reference.unit(goal)
            pole = 3 * model.reach * reference.unit(rng.normal(size=3))
            off = pole - (pole @ line) * line
            if np.linalg.norm(off) < 0.2 * np.linalg.norm(pole):
                continue
            assert solver.solve(goal, pole=pole).converged
            points = reference.forward(model, solver.rotations)
            side = reference.unit(off)
            # in the plane of root, goal and pole, on the pole's side, as one arc
            assert np.abs(points @ np.cross(line, side)).max() < 1e-6 * model.reach
            assert (points[1:-1] @ side > -1e-9 * model.reach).all()
            directions = np.diff(points, axis=0)
            angles = np.arctan2(directions @ side, directions @ line)
            assert (np.diff(angles) < 1e-6).all()
