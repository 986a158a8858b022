"""Details of the tree solver, checked with vectors and matrices."""

from __future__ import annotations

from fractions import Fraction
from math import acos

import numpy as np
import pytest

from ikrig import (
    BallLimit,
    HingeLimit,
    ModelError,
    SkeletonModel,
    SlideLimit,
    SolveSettings,
    SolveStatus,
)
from ikrig.solvers import MultiEffectorSolver
from tests import reference
from tests.reference import blended, rotation, smooth, squared, unit

from .test_multi_effector import ALL, HANDS, forward, person

HOW = SolveSettings(iterations=60, tolerance=1e-6)


def turned(rng, model: SkeletonModel, most: float = 0.5) -> np.ndarray:
    """Random rotations of all joints, each one's own added to its parent's, w x y z."""
    found = []
    for parent in model.parents:
        own = rotation(np.roll(unit([1.0, *most * rng.normal(size=3)]), 0))
        found.append(own if parent < 0 else found[parent] * own)
    return np.array([np.roll(turn.as_quat(), 1) for turn in found])


def limb(rng, most: float) -> tuple[MultiEffectorSolver, list[int]]:
    """A root with two limbs of four joints, of which one is nearly straight."""
    count = 4
    points, parents = [np.zeros(3)], [-1]
    for side in (-1.0, 1.0):
        for k in range(count):
            parents.append(0 if k == 0 else len(parents) - 1)
            off = rng.normal(size=3) * most
            points.append(np.array([side * (1.0 + k), 0.0, 0.0]) + off)
    model = SkeletonModel(np.array(points), parents)
    return MultiEffectorSolver(model, [count, 2 * count]), [1, 2, 3, 4]


@pytest.mark.parametrize("near", [1.0, 0.06, 0.03])
@pytest.mark.parametrize("most", [0.3, 0.01, 0.0003])
@pytest.mark.parametrize("seed", range(8))
def test_pole_swings_a_branch_about_its_line(seed, most, near):
    rng = np.random.default_rng(seed)
    solver, branch = limb(rng, most)
    # goals where the tips are: nothing but the pole moves anything
    goals = solver.positions[list(solver.effectors)]
    shift = rng.normal(size=3)
    solver.solve(goals + shift, root=solver.model.positions[0] + shift, settings=HOW)
    before = solver.positions
    first, last = before[branch[0]], before[branch[-1]]
    line = unit(last - first)
    side = unit(squared(rng.normal(size=3), line))
    pole = first + rng.uniform(0.5, 5.0) * (line + near * side)
    solver.solve(
        goals + shift,
        root=solver.model.positions[0] + shift,
        poles=[pole, None],
        settings=HOW,
    )
    steps = np.diff(before[branch], axis=0)
    reach = np.linalg.norm(steps, axis=1).sum()
    bend = np.sum([squared(p - first, line) for p in before[branch[1:-1]]], axis=0)
    off = np.linalg.norm(bend)
    away = pole - first
    sine = np.linalg.norm(squared(away, line)) / np.linalg.norm(away)
    own = unit(bend)
    to = blended(line, own, unit(squared(away, line)), 10.0 * sine)
    angle = np.arctan2(np.cross(own, to) @ line, own @ to)
    if off < 1e-3 * reach:
        # as straight as that, it has no side of its own
        angle *= smooth(20.0 * off / reach)
    about = reference.axis_angle(line, angle)
    expected = before.copy()
    expected[branch] = first + (before[branch] - first) @ about.T
    assert np.allclose(solver.positions, expected, atol=1e-6)
    # the other limb has no pole, and stays
    assert np.allclose(solver.positions[5:], before[5:], atol=1e-9)


@pytest.mark.parametrize("pinned", [True, False])
def test_number_types_give_the_same_result(pinned):
    model = person()
    goals = [(0.4, 0.3, 1.2), (-0.4, 0.2, 1.3)]
    poles = [(2.0, -1.0, 1.0), None]
    turns = [(0.5, 0.5, 0.5, 0.5), None]
    plain = MultiEffectorSolver(model, HANDS, pinned=pinned, method="fabrik")
    given = {"weights": [1.0, 2.0], "orientation_weights": [0.5, 0.0]}
    result = plain.solve(goals, poles=poles, rotations=turns, settings=HOW, **given)
    other = MultiEffectorSolver(model, HANDS, pinned=pinned, method="fabrik")
    same = other.solve(
        [[Fraction(x) for x in goal] for goal in goals],
        poles=[[np.float64(x) for x in poles[0]], None],
        rotations=[[Fraction(x) for x in turns[0]], None],
        settings=HOW,
        weights=[1, Fraction(2)],
        orientation_weights=[Fraction(1, 2), 0],
    )
    assert np.allclose(plain.positions, other.positions, atol=1e-9)
    assert result.status is same.status
    without = MultiEffectorSolver(model, HANDS, pinned=pinned, method="fabrik")
    without.solve(goals, rotations=turns, settings=HOW, **given)
    assert np.abs(without.positions - plain.positions).max() > 1e-3


@pytest.mark.parametrize("method", ["fabrik", "dls"])
@pytest.mark.parametrize("seed", range(12))
def test_result_is_measured_on_the_pose(seed, method):
    rng = np.random.default_rng(seed)
    model = person()
    limits = {"arm_l": BallLimit(0.6), "elbow_r": HingeLimit("z", -1.0, 0.0)}
    pinned = seed % 2 == 0
    solver = MultiEffectorSolver(
        model, ALL, limits if seed % 3 else None, method=method, pinned=pinned
    )
    ends = list(solver.effectors)
    tips = rng.normal(size=(len(ends), 3)) * (0.1 if seed % 4 == 0 else 0.0)
    solver.tips = tips.tolist()
    how = SolveSettings(
        iterations=20, tolerance=1e-3, orientation_tolerance=0.01, soften=0.1 * pinned
    )
    for _ in range(6):
        goals = model.positions[ends] + rng.normal(size=(len(ends), 3)) * rng.choice(
            [0.0, 0.1, 0.6]
        )
        weights = rng.choice([0.0, 1.0, 2.5], len(ends))
        strength = rng.choice([0.0, 0.0, 1.0], len(ends))
        turns = rng.normal(size=(len(ends), 4))
        turns /= np.linalg.norm(turns, axis=1)[:, None]
        root = model.positions[0] + rng.normal(size=3) if pinned else None
        goals = goals + (0.0 if root is None else root - model.positions[0])
        result = solver.solve(
            goals.tolist(),
            rotations=turns.tolist(),
            weights=weights.tolist(),
            orientation_weights=strength.tolist(),
            root=root,
            settings=how,
        )
        places = forward(model, solver.rotations, solver.positions[0])
        assert np.allclose(places, solver.positions, atol=1e-9)
        now = [rotation(q) for q in solver.rotations[ends]]
        there = np.array([a.apply(t) for a, t in zip(now, tips, strict=True)])
        gaps = np.linalg.norm(places[ends] + there - goals, axis=1)
        assert np.allclose(result.errors, gaps, atol=1e-6)
        error = max((g for g, w in zip(gaps, weights, strict=True) if w), default=0.0)
        assert result.error == pytest.approx(error, abs=1e-6)
        start = [rotation(q) for q in model.rotations[ends]]
        off = [
            (rotation(turn).inv() * a * b.inv()).magnitude()
            for turn, a, b, w in zip(turns, now, start, strength, strict=True)
            if w
        ]
        assert result.orientation_error == pytest.approx(
            max(off, default=0.0), abs=1e-6
        )
        within = error <= 1e-3 and max(off, default=0.0) <= 0.01
        assert result.converged == within
        if result.status is SolveStatus.UNREACHABLE:
            assert pinned
            own = root
            away = np.linalg.norm(goals - own, axis=1)
            far = np.array(solver.reaches)
            assert any((away > 0.9 * far) & (weights > 0.0))


@pytest.mark.parametrize("pinned", [True, False])
def test_only_weighted_far_goals_are_out_of_reach(pinned):
    model = person()
    solver = MultiEffectorSolver(model, HANDS, pinned=pinned)
    goals = [(0.3, 0.3, 1.2), (-50.0, 0.0, 1.0)]
    found = solver.solve(goals, settings=HOW)
    assert (found.status is SolveStatus.UNREACHABLE) == pinned
    ignored = solver.solve(goals, weights=[1.0, 0.0], settings=HOW)
    assert ignored.status is SolveStatus.CONVERGED
    assert ignored.error == max(ignored.errors[:1])
    assert ignored.errors[1] > 10.0


def animation(model: SkeletonModel, rng) -> tuple[list[float], np.ndarray]:
    """Local transforms of an animated pose, ten numbers a joint, and joint places."""
    numbers: list[float] = []
    turns, places = [], []
    for j, parent in enumerate(model.parents):
        own = rotation(unit([1.0, *0.2 * rng.normal(size=3)]))
        at = np.array(model.positions[0] if parent < 0 else model.offsets[j])
        turns.append(own if parent < 0 else turns[parent] * own)
        places.append(at if parent < 0 else places[parent] + turns[parent].apply(at))
        numbers += [*at, *np.roll(own.as_quat(), 1), 1.0, 1.0, 1.0]
    return numbers, np.array(places)


@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_weight_0_shows_the_animated_pose(weight, pinned):
    rng = np.random.default_rng(3)
    model = person()
    # a limit that the animation is outside of binds only what is solved
    solver = MultiEffectorSolver(model, HANDS, {"neck": BallLimit(1e-3)}, pinned=pinned)
    for _ in range(2):
        numbers, places = animation(model, rng)
        solver.animate(numbers)
        goals = places[list(solver.effectors)] + [[0.05, 0.02, -0.1], [0, 0.1, 0.05]]
        how = SolveSettings(iterations=60, tolerance=1e-6, weight=weight)
        result = solver.solve(goals, settings=how, root=places[0])
        moved = np.abs(solver.positions - places).max()
        if weight == 0.0:
            assert moved < 1e-6
            assert result.status is SolveStatus.STALLED
        else:
            assert moved > 0.01
            assert result.converged == (weight == 1.0)


def angle(a, b) -> float:
    return acos(min(1.0, abs(float(np.dot(a, b))))) * 2.0


@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("animated", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_tips_reach_and_can_be_removed(seed, animated, pinned):
    rng = np.random.default_rng(seed)
    model = person(turned(rng, person()))
    solver = MultiEffectorSolver(model, HANDS, pinned=pinned)
    plain = MultiEffectorSolver(model, HANDS, pinned=pinned)
    ends = list(solver.effectors)
    tips = rng.normal(size=(2, 3)) * 0.1
    if animated:
        # the model itself, as an animation has it
        numbers = local_numbers(model)
        solver.animate(numbers)
        plain.animate(numbers)
    for k in range(3):
        goals = model.positions[ends] * 0.8 + rng.normal(size=(2, 3)) * 0.05
        solver.tips = (tips * (k + 1) / 2).tolist()
        result = solver.solve(goals, settings=HOW)
        assert result.converged
        turns = [rotation(q) for q in solver.rotations[ends]]
        way = [a.apply(t * (k + 1) / 2) for a, t in zip(turns, tips, strict=True)]
        joints = forward(model, solver.rotations, solver.positions[0])
        if not animated:
            # a leaf turns with its bone: it leads to the tip
            above = [rotation(solver.rotations[model.parents[j]]) for j in ends]
            start = [rotation(model.rotations[j]) for j in ends]
            first = [rotation(model.rotations[model.parents[j]]) for j in ends]
            for now, own, was, begin in zip(above, turns, first, start, strict=True):
                assert (own.inv() * now * was.inv() * begin).magnitude() < 1e-6
        assert np.allclose(joints[ends] + way, goals, atol=2e-5)
        assert np.allclose(solver.reached, joints[ends] + way, atol=1e-6)
    solver.tips = [(0.0, 0.0, 0.0)] * 2
    solver.reset()
    for each in (solver, plain):
        each.solve(model.positions[ends] * 0.8, settings=HOW)
    assert np.allclose(solver.positions, plain.positions, atol=1e-6)
    assert np.allclose(solver.rotations, plain.rotations, atol=1e-6)


def local_numbers(model: SkeletonModel) -> list[float]:
    """The model's own pose as local transforms, ten numbers a joint."""
    numbers: list[float] = []
    turns = [rotation(q) for q in model.rotations]
    for j, parent in enumerate(model.parents):
        at, own = model.positions[j], turns[j]
        if parent >= 0:
            away = np.array(at - model.positions[parent])
            at, own = turns[parent].inv().apply(away), turns[parent].inv() * own
        numbers += [*at, *np.roll(own.as_quat(), 1), 1.0, 1.0, 1.0]
    return numbers


@pytest.mark.parametrize("pinned", [True, False])
def test_pose_can_be_copied_from_another_solver(pinned):
    model = person()
    limits = {"spine": SlideLimit("z", -0.2, 0.3), "arm_l": BallLimit(1.0)}
    one = MultiEffectorSolver(model, ALL, limits, pinned=pinned, method="fabrik")
    other = MultiEffectorSolver(model, ALL, limits, pinned=pinned, method="fabrik")
    goals = model.positions[list(one.effectors)] + [0.02, 0.1, 0.15]
    one.solve(goals, settings=HOW)
    assert (np.abs(one.pulled).max() > 1e-3) != pinned
    slid = one.joint_angles[model.names.index("spine")][0]
    assert slid > 1e-4
    other.set_pose(one.rotations, one.pulled, {model.names.index("spine"): slid})
    assert np.allclose(other.positions, one.positions, atol=1e-9)
    assert np.allclose(other.rotations, one.rotations, atol=1e-9)
    assert np.allclose(other.pulled, one.pulled)
    assert np.allclose(other.root_position, one.positions[0])
    for j, angles in one.joint_angles.items():
        assert np.allclose(other.joint_angles[j], angles, atol=1e-6)
    with pytest.raises(ModelError, match="the model of a tree's solver"):
        other.set_rest_pose("person")
