"""Guarantees of every registered method for chains."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ChainModel, SolveSettings, SolveStatus
from ikrig.solvers import make_solver
from tests import reference
from tests.examples import examples
from tests.methods import CHAIN_METHODS

pytestmark = pytest.mark.parametrize("kind", CHAIN_METHODS)

BONES = range(1, 13)
BOTH = (False, True)
WARM = SolveSettings(snap_back_strength=0.0)
MODES = [SolveSettings(), WARM, SolveSettings(snap_back_strength=0.5)]


def random_model(rng, kind, bones: int, bend: float = 0.4) -> ChainModel:
    lengths = random_lengths(rng, kind, bones)
    return ChainModel(
        reference.bent_positions(rng, lengths, bend) + rng.normal(size=3),
        rotations=rng.normal(size=(len(lengths) + 1, 4)),
    )


def random_lengths(rng, kind, bones: int) -> np.ndarray:
    return rng.random(2 if kind == "two_bone" else bones) + 0.2


def dead_zone(model: ChainModel) -> float:
    return max(0.0, 2.0 * model.bone_lengths.max() - model.reach)


def reachable(rng, model: ChainModel) -> np.ndarray:
    inner = 1.02 * dead_zone(model)
    return model.positions[0] + reference.in_ball(rng, 0.97 * model.reach, inner)


def check_pose(solver, model: ChainModel, root=None) -> np.ndarray:
    """Positions, rotations and lengths agree; returns the positions by FK."""
    assert np.isfinite(solver.positions).all()
    assert np.isfinite(solver.rotations).all()
    assert np.allclose(np.linalg.norm(solver.rotations, axis=1), 1.0, atol=1e-12)
    points = reference.forward(model, solver.rotations)
    if root is not None:
        points += np.asarray(root) - model.positions[0]
    assert np.allclose(points, solver.positions, atol=1e-9 * model.reach)
    lengths = np.linalg.norm(np.diff(solver.positions, axis=0), axis=1)
    assert np.allclose(lengths, model.bone_lengths, atol=1e-9 * model.reach)
    return points


@examples(100, bones=BONES, settings=MODES, with_pole=BOTH)
def test_reachable_goals_are_reached(kind, seed, bones, settings, with_pole):
    rng = np.random.default_rng(seed)
    model = random_model(rng, kind, bones)
    solver = make_solver(kind, model)
    for _ in range(3):
        goal = reachable(rng, model)
        pole = goal + 5.0 * model.reach * reference.unit(rng.normal(size=3))
        result = solver.solve(goal, pole=pole if with_pole else None, settings=settings)
        points = check_pose(solver, model)
        assert np.allclose(points[0], model.positions[0])
        error = np.linalg.norm(points[-1] - goal)
        assert result.error == pytest.approx(error, abs=1e-9 * model.reach)
        if model.bone_count > 1:
            assert result.status is SolveStatus.CONVERGED
            assert error <= 1e-3 * model.reach


@examples(100, bones=BONES, factor=(1.001, 100.0))
def test_chains_point_at_unreachable_goals(kind, seed, bones, factor):
    rng = np.random.default_rng(seed)
    model = random_model(rng, kind, bones)
    solver = make_solver(kind, model)
    direction = reference.unit(rng.normal(size=3))
    goal = model.positions[0] + factor * model.reach * direction
    result = solver.solve(goal, settings=SolveSettings(tolerance=1e-6))
    points = check_pose(solver, model)
    assert result.status is SolveStatus.UNREACHABLE
    straight = (
        np.concatenate([[0.0], np.cumsum(model.bone_lengths)])[:, None] * direction
    )
    assert np.allclose(points - model.positions[0], straight, atol=1e-9 * model.reach)


@examples(100, bones=range(2, 7), share=(0.0, 0.99))
def test_goals_inside_the_dead_zone_are_approached(kind, seed, bones, share):
    rng = np.random.default_rng(seed)
    lengths = random_lengths(rng, kind, bones)
    lengths[rng.integers(len(lengths))] = 1.5 * lengths.sum()
    model = ChainModel(reference.bent_positions(rng, lengths))
    solver = make_solver(kind, model)
    zone = dead_zone(model)
    goal = share * zone * reference.unit(rng.normal(size=3))
    result = solver.solve(goal, settings=SolveSettings(tolerance=1e-9))
    points = check_pose(solver, model)
    assert result.status is SolveStatus.UNREACHABLE
    assert np.linalg.norm(points[-1] - goal) == pytest.approx(zone * (1 - share))


@examples(40, bones=BONES, weight=(0, 1))
def test_weights_0_and_1_are_the_start_pose_and_the_goal_s(kind, seed, bones, weight):
    rng = np.random.default_rng(seed)
    model = random_model(rng, kind, bones)
    goal = reachable(rng, model)
    full, part = make_solver(kind, model), make_solver(kind, model)
    full.solve(goal)
    part.solve(goal, settings=SolveSettings(weight=weight))
    check_pose(part, model)
    expected = model.rotations if weight == 0 else full.rotations
    dots = np.abs((part.rotations * expected).sum(axis=1))
    assert np.allclose(dots, 1.0, atol=1e-12)


@examples(100, bones=BONES[1:], weight=(0.25, 1.0))
def test_weight_leads_the_tip_a_part_of_the_way(kind, seed, bones, weight):
    rng = np.random.default_rng(seed)
    model = random_model(rng, kind, bones)
    root, start = model.positions[0], model.positions[-1]
    # near enough to be on a straight way that keeps out of the dead zone
    goal = start + 0.2 * np.linalg.norm(start - root) * reference.unit(
        rng.normal(size=3)
    )
    way = [start + t * (goal - start) for t in (0.0, weight, 1.0)]
    distances = [np.linalg.norm(point - root) for point in way]
    solver = make_solver(kind, model)
    result = solver.solve(goal, settings=SolveSettings(weight=weight))
    points = check_pose(solver, model)
    assert result.error == pytest.approx(np.linalg.norm(points[-1] - goal), abs=1e-9)
    if dead_zone(model) < min(distances) and max(distances) < 0.99 * model.reach:
        assert np.linalg.norm(points[-1] - way[1]) < 2e-3 * model.reach


@examples(20, weight=(0.1, 0.5))
def test_tip_of_a_part_weight_never_leaps(kind, seed, weight):
    """Nor where the goal, led round the first joint, is opposite the start pose."""
    rng = np.random.default_rng(seed)
    lengths = np.array((0.5, 0.5))
    model = ChainModel(reference.bent_positions(rng, lengths, 0.4) + rng.normal(size=3))
    root, start = model.positions[0], model.positions[-1] - model.positions[0]
    across = reference.unit(np.cross(start, rng.normal(size=3)))
    aside = 0.02 * reference.unit(np.cross(start, across))
    solver = make_solver(kind, model)
    angles = np.linspace(0.0, 2.0 * np.pi, 400)
    tips = []
    for angle in angles:
        goal = root + 0.9 * (np.cos(angle) * reference.unit(start) + aside)
        goal += 0.9 * np.sin(angle) * across
        solver.solve(goal, settings=SolveSettings(weight=weight))
        tips.append(solver.positions[-1])
    step = 0.9 * (angles[1] - angles[0])
    assert np.linalg.norm(np.diff(tips, axis=0), axis=1).max() < 3.0 * step


@examples(100, bones=BONES, with_pole=BOTH)
def test_solving_a_solved_pose_moves_nothing(kind, seed, bones, with_pole):
    rng = np.random.default_rng(seed)
    model = random_model(rng, kind, bones)
    solver = make_solver(kind, model)
    goal = reachable(rng, model)
    pole = goal + 5.0 * model.reach * reference.unit(rng.normal(size=3))
    for settings in MODES[:2]:
        arguments = {"pole": pole if with_pole else None, "settings": settings}
        for _ in range(2):
            solver.solve(goal, **arguments)
        before = solver.positions
        solver.solve(goal, **arguments)
        assert np.abs(solver.positions - before).max() < 1e-6 * model.reach


@examples(
    100,
    {"seed": 614, "bones": 3, "with_pole": False},
    {"seed": 662, "bones": 5, "with_pole": False},
    bones=BONES,
    with_pole=BOTH,
)
def test_rigid_motion_and_scale_change_nothing(kind, seed, bones, with_pole):
    rng = np.random.default_rng(seed)
    lengths = random_lengths(rng, kind, bones)
    points = reference.bent_positions(rng, lengths)
    turn = reference.matrix(rng.normal(size=4))
    scale, shift = np.exp(rng.normal()), rng.normal(size=3)

    def moved(p):
        return scale * np.asarray(p) @ turn.T + shift

    model, other = ChainModel(points), ChainModel(moved(points))
    goal = reachable(rng, model)
    pole = goal + 5.0 * model.reach * reference.unit(rng.normal(size=3))
    here, there = make_solver(kind, model), make_solver(kind, other)
    found = here.solve(goal, pole=pole if with_pole else None)
    again = there.solve(moved(goal), pole=moved(pole) if with_pole else None)
    assert found.status is again.status
    if kind == "dls" and restarted(here) and restarted(there):
        # poses to start again from are drawn about the axes of root space, which stay
        check_pose(here, model)
        check_pose(there, other)
        return
    assert np.allclose(moved(here.positions), there.positions, atol=1e-6 * other.reach)


def restarted(solver) -> bool:
    """Whether the last descent was trapped, and began somewhere else."""
    return solver._tree.space.descent.tried > 0


@examples(100, bones=BONES)
def test_moving_the_root_moves_the_chain(kind, seed, bones):
    rng = np.random.default_rng(seed)
    model = random_model(rng, kind, bones)
    goal, shift = reachable(rng, model), rng.normal(size=3)
    here, there = make_solver(kind, model), make_solver(kind, model)
    here.solve(goal)
    there.solve(goal + shift, root=model.positions[0] + shift)
    check_pose(there, model, root=model.positions[0] + shift)
    assert np.allclose(here.positions + shift, there.positions, atol=1e-7)


@pytest.mark.parametrize("settings", MODES)
def test_equal_input_gives_the_same_bits(kind, settings):
    rng = np.random.default_rng(5)
    model = random_model(rng, kind, 7)
    goals = [reachable(rng, model) for _ in range(50)]
    runs = []
    for _ in range(2):
        solver = make_solver(kind, model)
        runs.append(
            [
                (solver.solve(goal, settings=settings), solver.rotations.tobytes())
                for goal in goals
            ]
        )
    assert runs[0] == runs[1]


# -- poses in which naive solvers divide by zero or never move -------------------------

STRAIGHT = np.array([[0.0, 0.0, float(i)] for i in range(5)])
POLE = (0.0, -9.0, 1.0)

DEGENERATE = {
    "goal at the root": (STRAIGHT, (0, 0, 0), None),
    "goal at the tip": (STRAIGHT, (0, 0, 4), None),
    "goal on the chain's line": (STRAIGHT, (0, 0, 2.5), None),
    "goal on the line, with pole": (STRAIGHT, (0, 0, 2.5), POLE),
    "goal behind": (STRAIGHT, (0, 0, -2.5), None),
    "goal behind, with pole": (STRAIGHT, (0, 0, -2.5), POLE),
    "goal far behind": (STRAIGHT, (0, 0, -99), None),
    "pole on the line": (STRAIGHT, (0, 0, 2.5), (0, 0, 9)),
    "pole at the root": (STRAIGHT, (0, 1, 2), (0, 0, 0)),
    "pole at the goal": (STRAIGHT, (0, 1, 2), (0, 1, 2)),
    "one bone": (STRAIGHT[:2], (1, 0, 0), POLE),
    "a bone of no length": (STRAIGHT[[0, 1, 1, 2, 3]], (1, 0, 1), None),
    "first bone of no length": (STRAIGHT[[0, 0, 1, 2, 3]], (1, 0, 1), POLE),
    "last bone of no length": (STRAIGHT[[0, 1, 2, 3, 3]], (1, 0, 1), None),
    "folded in half": (STRAIGHT[[0, 1, 2, 1, 0]], (0, 0, 1), None),
    "closed loop": (np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0.0]]),
     (0.5, 0, 1), None),
    "tiny": (1e-6 * STRAIGHT, (1e-6, 0, 2e-6), None),
    "huge": (1e9 * STRAIGHT, (1e9, 0, 2e9), None),
    "far from the origin": (STRAIGHT + 1e6, (1e6 + 1, 1e6, 1e6 + 2), None),
    "50 bones": (np.array([[0, 0.1 * (i % 2), i] for i in range(51)]), (9, 9, 9), POLE),
}  # fmt: skip


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("settings", MODES)
def test_degenerate_poses_stay_finite(kind, name, settings):
    positions, goal, pole = DEGENERATE[name]
    if kind == "two_bone":
        positions = np.resize(positions, (3, 3))
    model = ChainModel(positions)
    solver = make_solver(kind, model)
    for _ in range(3):
        result = solver.solve(goal, pole=pole, settings=settings)
        points = check_pose(solver, model)
    error = np.linalg.norm(points[-1] - goal)
    distance = np.linalg.norm(np.subtract(goal, points[0]))
    if dead_zone(model) <= distance <= model.reach:
        assert result.status is SolveStatus.CONVERGED
        assert error <= 1e-3 * model.reach
    else:
        assert result.status is SolveStatus.UNREACHABLE
