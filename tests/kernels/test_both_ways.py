"""Compiled and interpreted kernels give the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig import (
    AxesLimit,
    BallLimit,
    ChainModel,
    ConeLimit,
    HingeLimit,
    SettingError,
    SkeletonModel,
    SlideLimit,
    SolveSettings,
)
from ikrig.kernels import KERNELS
from ikrig.solvers import (
    CcdSolver,
    ChainSolver,
    DlsSolver,
    FabrikSolver,
    MultiEffectorSolver,
)
from ikrig.solvers.joint_space import JointSpace
from tests import reference
from tests.interpreted import interpreted_kernel
from tests.solvers.test_multi_effector import person

needs_compiled = pytest.mark.skipif(
    not ikrig.COMPILED, reason="the kernels are not compiled here"
)


def interpret_joints(monkeypatch) -> None:
    """Make joint spaces run on kernels that run as Python."""
    sources = {name: interpreted_kernel(name) for name in KERNELS}
    monkeypatch.setattr(JointSpace, "modules", sources)


def from_source(monkeypatch, solver: type[ChainSolver]) -> type[ChainSolver]:
    """The same solver on kernels that run as Python."""
    interpret_joints(monkeypatch)
    kernel = getattr(
        interpreted_kernel(solver.kernel_type.__module__.rpartition(".")[2]),
        solver.kernel_type.__name__,
    )
    direct = interpreted_kernel("direct_solve").DirectSolve
    own = {"kernel_type": kernel, "direct_type": direct}
    return type(solver.__name__, (solver,), own)


def test_sources_run_interpreted():
    assert interpreted_kernel("fabrik_sweep").COMPILED is False
    assert interpreted_kernel("fabrik_sweep").__file__.endswith(".py")


SETTINGS = {
    "default": SolveSettings(),
    "warm": SolveSettings(snap_back_strength=0.0),
    "half": SolveSettings(snap_back_strength=0.5, weight=0.4),
    "soft": SolveSettings(soften=0.2, stretch=0.1),
    "slow": SolveSettings(max_step=2.0),
    "twist": SolveSettings(twist_spread=0.7),
    "parent": SolveSettings(roll_from="parent", twist_spread=0.3),
}


@needs_compiled
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("bones", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("kind", [FabrikSolver, CcdSolver])
def test_chains_give_the_same_bits(name, bones, kind, monkeypatch):
    rng = np.random.default_rng(bones)
    lengths = rng.random(bones) + 0.2
    count = bones + 1
    model = ChainModel(
        reference.bent_positions(rng, lengths),
        rotations=rng.normal(size=(count, 4)),
        frame_rotations=rng.normal(size=(count, 4)),
    )
    solvers = kind(model), from_source(monkeypatch, kind)(model)
    for frame in range(60):
        goal = reference.in_ball(rng, 1.2 * model.reach)
        pole = 3.0 * rng.normal(size=3) if frame % 3 else None
        turn = reference.unit(rng.normal(size=4)) if frame % 2 else None
        for solver in solvers if frame == 40 else ():
            solver.tip = (0.3, -0.1, 0.2)
        results = [
            solver.solve(goal, pole=pole, goal_rotation=turn, settings=SETTINGS[name])
            for solver in solvers
        ]
        assert results[0] == results[1]
        for what in ("positions", "rotations", "local_rotations"):
            compiled, source = (getattr(solver, what) for solver in solvers)
            assert compiled.tobytes() == source.tobytes(), (frame, what)


LIMITS = {
    0: ConeLimit((0.9, 0.5, 0.7, 1.1), twist=(-0.4, 0.6)),
    1: HingeLimit((1.0, 0.3, 0.0), -0.2, 1.9),
    2: AxesLimit("xz", (-0.7, -0.2), (0.7, 0.9)),
    3: SlideLimit((0.2, 0.1, 1.0), -0.3, 0.4),
    4: BallLimit(0.6),
}


@needs_compiled
@pytest.mark.parametrize("kind", [FabrikSolver, CcdSolver, DlsSolver])
@pytest.mark.parametrize("limited", [True, False])
def test_joint_spaces_give_the_same_bits(kind, limited, monkeypatch):
    rng = np.random.default_rng(2)
    model = ChainModel(reference.bent_positions(rng, rng.random(5) + 0.3))
    limits = LIMITS if limited else None
    compiled = kind(model, limits)
    source = from_source(monkeypatch, kind)(model, limits)
    for frame in range(30):
        goal = reference.in_ball(rng, 1.1 * model.reach)
        turn = reference.unit(rng.normal(size=4)) if frame % 2 else None
        for s in (compiled, source) if frame == 20 else ():
            s.tip = (0.3, -0.1, 0.2)
        how = SolveSettings(
            snap_back_strength=(0.0, 1.0, None)[frame % 3],
            orientation_weight=0.5,
            weight=(1.0, 0.7)[frame % 4 == 0],
            max_step=(None, 9.0)[frame % 5 == 0],
        )
        results = [
            s.solve(goal, goal_rotation=turn, settings=how) for s in (compiled, source)
        ]
        assert results[0] == results[1]
        assert compiled.rotations.tobytes() == source.rotations.tobytes(), frame


@needs_compiled
def test_straight_branches_bend_by_the_same_bits(monkeypatch):
    points = [[0, 0, 2], [-0.3, 0, 2], [-0.3, 0, 1.2], [-0.3, 0, 0.7], [-0.3, 0, 0]]
    points += [[0.3, 0, 2], [0.3, 0, 1], [0.3, 0, 0]]
    above = [-1, 0, 1, 2, 3, 0, 5, 6]
    model = SkeletonModel(points, above, bends={4: (0, -1, 0.2), 7: (1, 1, 0)})
    # the second leg's hinge allows the other side only
    limits = {6: HingeLimit((1.0, 0.0, 0.0), 0.0, 2.0)}
    compiled = MultiEffectorSolver(model, [0, 4, 7], limits, pinned=False)
    interpret_joints(monkeypatch)
    source = MultiEffectorSolver(model, [0, 4, 7], limits, pinned=False)
    for k in range(4):
        goals = [[0.0, 0.0, 2.0 - 0.1 * k], points[4], points[7]]
        for solver in (compiled, source):
            solver.solve(goals)
        assert compiled.rotations.tobytes() == source.rotations.tobytes(), k
    assert compiled.positions[3][1] < -0.2 < 0.2 < abs(compiled.positions[6][1])


@needs_compiled
@pytest.mark.parametrize("method", ["fabrik", "dls"])
@pytest.mark.parametrize("pinned", [True, False])
def test_trees_give_the_same_bits(method, pinned, monkeypatch):
    model = person()
    names = {"knee_l": LIMITS[1], "arm_l": LIMITS[0], "arm_r": LIMITS[2]}
    names["knee_r"] = LIMITS[3]
    names["leg_r"] = LIMITS[4]
    compiled = MultiEffectorSolver(model, limits=names, method=method, pinned=pinned)
    interpret_joints(monkeypatch)
    source = MultiEffectorSolver(model, limits=names, method=method, pinned=pinned)
    rng = np.random.default_rng(1)
    rest = model.positions[list(compiled.effectors)]
    count = len(compiled.effectors)
    own = [e for e in range(count) if _has_branch(compiled, e)]
    assert own
    for frame in range(8):
        goals = (rest + 0.3 * rng.normal(size=rest.shape)).tolist()
        poles = None
        if frame >= 5:
            poles = [(1.0, 2.0, 0.5) if e in own else None for e in range(count)]
        for solver in (compiled, source) if frame == 6 else ():
            solver.tips = [(0.1, -0.05, 0.2)] * count
        results = [s.solve(goals, poles=poles) for s in (compiled, source)]
        assert results[0] == results[1]
        assert compiled.rotations.tobytes() == source.rotations.tobytes()


def _has_branch(solver: MultiEffectorSolver, e: int) -> bool:
    try:
        solver.branch(e)
    except SettingError:
        return False
    return True


def test_slide_moves_the_tip_as_near_as_its_line_allows(monkeypatch):
    rng = np.random.default_rng(5)
    kind = from_source(monkeypatch, CcdSolver)
    model = ChainModel(np.cumsum(rng.normal(size=(5, 3)), axis=0))
    limits = {0: HingeLimit("z"), 2: SlideLimit((1, 2, 3)), 4: SlideLimit("y")}
    solver = kind(model, limits)
    space = solver._tree.space
    space.buffers["weights"][0] = 1.0
    space.kernel.measure()
    for j in (2, 4):
        goal = rng.normal(size=3)
        space.buffers["goal"][:] = ikrig.kernels.buffer(goal.tolist())
        tip = np.array(space.buffers["tips"])
        space.sweeps.slide_tip_to_goal(j)
        moved = np.array(space.buffers["tips"]) - tip
        # the nearest point of a line: what is left stands at right angles to it
        assert np.linalg.norm(moved) > 1e-3
        assert abs((goal - tip - moved) @ moved) < 1e-9
