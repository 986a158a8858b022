"""Several effectors, checked by forward kinematics with matrices."""

from __future__ import annotations

from math import radians

import numpy as np
import pytest

from ikrig import (
    ConeLimit,
    HingeLimit,
    ModelError,
    SkeletonModel,
    SolveSettings,
    SolveStatus,
)
from ikrig.solvers import MultiEffectorSolver
from tests import limit_oracle as oracle
from tests import reference
from tests.methods import METHODS

FAST = ("fabrik", "dls")
HANDS = ("hand_l", "hand_r")
ALL = (*HANDS, "foot_l", "foot_r", "head")
HOW = SolveSettings(iterations=100, tolerance=1e-3)

# a person of 1.7 m, arms to the sides: parent and place of each joint
BODY = {
    "hips": (None, (0.0, 0.0, 0.95)),
    "spine": ("hips", (0.0, 0.0, 1.05)),
    "chest": ("spine", (0.0, 0.0, 1.25)),
    "neck": ("chest", (0.0, 0.0, 1.5)),
    "head": ("neck", (0.0, 0.0, 1.7)),
}
for _side, _x in (("l", 1.0), ("r", -1.0)):
    for _name, _parent, _place in (
        ("clavicle", "chest", (0.05, 0.0, 1.42)),
        ("arm", "clavicle", (0.2, 0.0, 1.42)),
        ("elbow", "arm", (0.48, 0.02, 1.42)),
        ("hand", "elbow", (0.75, 0.0, 1.42)),
        ("leg", "hips", (0.1, 0.0, 0.9)),
        ("knee", "leg", (0.1, 0.02, 0.5)),
        ("foot", "knee", (0.1, 0.0, 0.08)),
    ):
        _above = _parent if _parent in BODY else f"{_parent}_{_side}"
        BODY[f"{_name}_{_side}"] = (_above, (_x * _place[0], *_place[1:]))


def person(turned=None) -> SkeletonModel:
    names = list(BODY)
    return SkeletonModel(
        [place for _, place in BODY.values()],
        [-1 if parent is None else names.index(parent) for parent, _ in BODY.values()],
        rotations=turned,
        names=names,
    )


def limits() -> dict[str, object]:
    found: dict[str, object] = {}
    for name in BODY:
        kind, _, side = name.partition("_")
        if kind == "elbow":
            ends = (0.0, radians(150)) if side == "l" else (-radians(150), 0.0)
            found[name] = HingeLimit("z", *ends)
        elif kind == "knee":
            found[name] = HingeLimit("x", -radians(150), 0.0)
        elif kind in ("arm", "leg"):
            found[name] = ConeLimit(radians(90))
        elif kind != "hips":
            found[name] = ConeLimit(radians(30), twist=(-radians(30), radians(30)))
    return found


def forward(model, rotations, root=None) -> np.ndarray:
    now, start = reference.matrices(rotations), reference.matrices(model.rotations)
    places = np.zeros_like(model.positions)
    for j, parent in enumerate(model.parents):
        if parent < 0:
            places[j] = model.positions[0] if root is None else root
        else:
            own = start[parent].T @ model.offsets[j]
            places[j] = places[parent] + now[parent] @ own
    return places


def bones(model) -> np.ndarray:
    """Each joint's bone: the middle of those to its children, or its parent's."""
    found = np.zeros_like(model.offsets)
    for j, parent in enumerate(model.parents[1:], 1):
        found[parent] += reference.unit(model.offsets[j])
    for j in model.leaves:
        found[j] = found[model.parents[j]]
    return found


@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("effectors", [HANDS, ALL], ids=["two", "five"])
@pytest.mark.parametrize("limited", [False, True], ids=["free", "limited"])
@pytest.mark.parametrize("method", METHODS)
def test_reachable_poses_of_a_person(method, limited, effectors, pinned):
    model = person()
    table = limits() if limited else {}
    by_joint = {model.names.index(name): limit for name, limit in table.items()}
    solver = MultiEffectorSolver(model, effectors, table, method=method, pinned=pinned)
    ends = [model.names.index(name) for name in effectors]
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(100 if method in FAST else 8):
        # joints without a limit turn by up to 2 rad, of which a body knows little
        places, _ = oracle.pose(rng, model, by_joint, bones(model))
        result = solver.solve(places[ends].tolist(), settings=HOW)
        found = forward(model, solver.rotations, solver.positions[0])
        assert np.allclose(found, solver.positions, atol=1e-9)
        if pinned:
            assert np.allclose(found[0], model.positions[0])
        gaps = np.linalg.norm(found[ends] - places[ends], axis=1)
        assert np.allclose(result.errors, gaps, atol=1e-9)
        assert result.error == pytest.approx(gaps.max(), abs=1e-9)
        assert result.converged == (gaps.max() <= 1e-3)
        missed += not result.converged
        worst = oracle.largest_excess(model, by_joint, solver.rotations, bones(model))
        assert worst <= 1e-6
    assert missed == 0


@pytest.mark.parametrize("method", FAST)
def test_start_rotations_and_frames_change_nothing(method):
    rng = np.random.default_rng(3)
    turned = rng.normal(size=(len(BODY), 4))
    plain = MultiEffectorSolver(person(), method=method)
    other = MultiEffectorSolver(person(turned), method=method)
    for _ in range(10):
        goals = plain.model.positions[list(plain.effectors)]
        goals = (goals + 0.2 * rng.normal(size=goals.shape)).tolist()
        assert plain.solve(goals).errors == other.solve(goals).errors
        assert np.allclose(plain.positions, other.positions, atol=1e-12)
        # each joint's own rotation against its parent's
        now = reference.matrices(other.rotations)
        local = reference.matrices(other.local_rotations)
        for j, parent in enumerate(other.model.parents):
            expected = now[j] if parent < 0 else now[parent].T @ now[j]
            assert np.allclose(local[j], expected, atol=1e-9)


@pytest.mark.parametrize("method", FAST)
def test_contradictory_goals_are_weighted_and_stable(method):
    # two ends of one T pulled apart: the gaps share by weight
    model = SkeletonModel(
        [[0, 0, 0], [0, 0, 1], [0.5, 0, 1.5], [-0.5, 0, 1.5]], [-1, 0, 1, 1]
    )
    goals = [[3.0, 0.0, 1.0], [-3.0, 0.0, 1.0]]
    solver = MultiEffectorSolver(model, method=method, pinned=False)
    ratios = []
    for weight in (1.0, 3.0):
        for _ in range(20):
            result = solver.solve(goals, weights=[weight, 1.0], settings=HOW)
        assert result.status is SolveStatus.STALLED
        before = solver.positions
        solver.solve(goals, weights=[weight, 1.0], settings=HOW)
        assert np.abs(solver.positions - before).max() < 1e-4
        ratios.append(result.errors[1] / result.errors[0])
    assert ratios[0] == pytest.approx(1.0, abs=0.01)
    # least squares: weight · gap is the same on both sides
    assert ratios[1] == pytest.approx(3.0, rel=0.05)


@pytest.mark.parametrize("method", FAST)
def test_unreachable_goals_are_pointed_at_without_outweighing_others(method):
    model = person()
    solver = MultiEffectorSolver(model, ALL, method=method)
    goals = model.positions[[model.names.index(name) for name in ALL]]
    goals[0] = 1000.0, 0.0, 1.4
    result = solver.solve(goals.tolist(), settings=HOW)
    assert result.status is SolveStatus.UNREACHABLE
    assert np.isfinite(solver.positions).all()
    # the other four stay near theirs: they are not dragged a thousand metres along
    assert max(result.errors[1:]) < 0.5


@pytest.mark.parametrize("method", FAST)
def test_inner_effector_reaches_its_orientation(method):
    # the chest keeps its turn while the hands reach
    model = person()
    solver = MultiEffectorSolver(model, ("chest", *HANDS), method=method)
    ends = [model.names.index(name) for name in ("chest", *HANDS)]
    goals = model.positions[ends]
    goals[1] += [-0.3, 0.3, 0.2]
    goals[2] += [0.1, 0.0, 0.0]
    turn = [np.cos(0.2), 0.0, 0.0, np.sin(0.2)]
    result = solver.solve(
        goals.tolist(),
        rotations=[turn, None, None],
        orientation_weights=[1.0, 0.0, 0.0],
        settings=HOW,
    )
    assert result.converged
    found = reference.matrix(solver.rotations[ends[0]])
    assert reference.angle_between(found, reference.matrix(turn)) <= 1e-3


@pytest.mark.parametrize("parents", [[-1, 1, 0], [0, 0, 1], [-1, 0], [-1, -1, 0]])
def test_invalid_parents_are_refused(parents):
    with pytest.raises(ModelError, match="parent"):
        SkeletonModel(np.eye(3), parents)
