"""IKChain's solvers and limits: selected, changed while running, custom."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    ConeLimit,
    HingeLimit,
    IKChain,
    IkrigError,
    SolveResult,
    SolveStatus,
    register_solver,
)
from ikrig.solvers import ChainSolver, registry
from tests import reference
from tests.methods import CHAIN_METHODS
from tests.scene.bodies import matrices, moved, quats
from tests.scene.conftest import gap, limb

STEP = 1.0 / 60.0
SLACK = 2e-3  # what single precision makes of a small turn [rad]
WIDE = ConeLimit(2.5)


@pytest.fixture
def own_names(monkeypatch):
    """Names registered in a test are gone after it."""
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))


def bones_for(name: str) -> int:
    return 2 if name == "two_bone" else 4


def put(chain, rng) -> None:
    """Put the target somewhere in reach."""
    goal = reference.in_ball(rng, 0.9 * chain.reach, 0.3 * chain.reach)
    chain.target.set_pos(*(goal + chain.model.positions[0]))


@pytest.mark.parametrize("limits", [None, {0: WIDE, -2: WIDE}])
@pytest.mark.parametrize("name", CHAIN_METHODS)
def test_every_solver_reaches(world, name, limits):
    rng = np.random.default_rng(1)
    chain = IKChain(
        limb(world)[-1], bones_for(name), solver=name, limits=limits, iterations=100
    )
    assert chain.solver == name
    for _ in range(10):
        put(chain, rng)
        result = chain.solve()
        assert result.error == pytest.approx(gap(chain), abs=1e-5)
        # two bones in two cones don't get everywhere
        if limits is None or name != "two_bone":
            assert result.converged
            assert gap(chain) < 1e-3 * chain.reach + 1e-5


# -- solvers of one's own --------------------------------------------------------------


class Half(ChainSolver):
    """Does nothing itself and counts how often."""

    in_joint_space = True
    calls = 0

    @staticmethod
    def iterate(space, settings, tolerance):
        Half.calls += 1
        return 0


def hamilton(a, b) -> np.ndarray:
    w, v = a[0], np.array(a[1:])
    s, u = b[0], np.array(b[1:])
    return np.array([w * s - v @ u, *(w * u + s * v + np.cross(v, u))])


class Pointer:
    """Turns the whole chain stiffly towards the goal; knows nothing of ikrig."""

    def __init__(self, model, limits):
        self.limits = limits
        self.joint_angles = {}
        self.set_rest_pose(model)
        self.set_pose(model.rotations)

    def set_rest_pose(self, model):
        self.model = model
        self.unchanged = False

    def set_pose(self, rotations):
        self.rotations = np.array(rotations)
        frames = self.model.frame_rotations
        local, turn = [], np.array([1.0, 0.0, 0.0, 0.0])
        conj = np.array([1.0, -1.0, -1.0, -1.0])
        for i, (frame, rotation) in enumerate(zip(frames, rotations, strict=True)):
            local.extend(hamilton(conj * hamilton(turn, frame), rotation))
            turn = hamilton(rotation, conj * self.model.rotations[i])
        self.local_buffer = local

    def solve(self, goal, *, pole, root, goal_rotation, settings, dt):
        a = reference.unit(self.model.positions[-1] - self.model.positions[0])
        gap = np.subtract(goal, root)
        b = reference.unit(gap)
        turn = reference.unit([1.0 + a @ b, *np.cross(a, b)])
        self.set_pose([hamilton(turn, q) for q in self.model.rotations])
        size = np.linalg.norm(self.model.positions[-1] - self.model.positions[0])
        self.unchanged = True
        return SolveResult(
            SolveStatus.STALLED, abs(size - float(np.linalg.norm(gap))), 1
        )


def test_registered_subclass_is_used_by_name(world, own_names):
    register_solver("half", Half)
    chain = IKChain(limb(world)[-1], 4, solver="half", limits={1: WIDE})
    chain.target.set_pos(0.8, 0.6, 2.0)
    Half.calls = 0
    # whatever it leaves is closed for it
    assert chain.solve().converged
    assert gap(chain) < 1e-3 * chain.reach
    assert Half.calls == 1
    chain.solver = "fabrik"
    chain.solver = "half"
    assert chain.solve().converged
    assert chain.solver == "half"


def test_unrelated_class_is_used_by_protocol(world, own_names):
    register_solver("pointer", Pointer)
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4, solver="pointer", limits={1: WIDE})
    assert chain._solver.limits == {1: WIDE}
    before = quats(nodes[1:])
    for place in ((0.8, 0.6, 2.0), (-1.0, 2.0, 0.5), (3.0, 0.0, 1.0)):
        chain.target.set_pos(*place)
        result = chain.solve()
        here = nodes[-1].get_pos(world) - nodes[0].get_pos(world)
        there = chain.target.get_pos(world) - nodes[0].get_pos(world)
        assert here.normalized().almost_equal(there.normalized(), 1e-5)
        assert result.error == pytest.approx(gap(chain), abs=1e-5)
        # stiff: only the first bone turns against what it hangs on
        for was, now in zip(before, quats(nodes[1:]), strict=True):
            assert was.is_same_direction(now)
    # settled: no second solve
    assert chain.solve() is result
    # others go on from its pose, and it from theirs
    pose = quats(nodes)
    chain.max_step = 1.0
    chain.solver = "dls"
    chain.update(STEP)
    assert moved(pose, nodes) < 1.0 * STEP + SLACK
    chain.solver = "pointer"
    assert chain.rotations == pytest.approx(chain._solver.rotations)
    nodes[2].set_pos(0, 0, 1.5)
    assert chain.solve().status is SolveStatus.STALLED
    chain.rebind()
    assert isinstance(chain._solver, Pointer)


# -- mistakes --------------------------------------------------------------------------

HINGE = HingeLimit("x", -1.0, 1.0)

MISTAKES = {
    "misspelt": ({"solver": "fabrick"}, ("'fabrick'", "did you mean 'fabrik'", "cg")),
    "no word": ({"solver": None}, ("None", "fabrik, ccd, two_bone, dls")),
    "class": ({"solver": Half}, ("Half", "fabrik")),
    "list": ({"solver": ["dls"]}, ("['dls']", "fabrik")),
    "two bones": ({"solver": "two_bone"}, ("two_bone", "not of 4", "chain_length=2")),
    "limits a list": ({"limits": [HINGE]}, ("limits must be a dict", "HingeLimit(")),
    "limits a word": ({"limits": "bone 1"}, ("limits must be a dict", "'bone 1'")),
    "one limit": ({"limits": HINGE}, ("limits must be a dict",)),
    "unknown joint": ({"limits": {"elbow": HINGE}}, ("'elbow'", "bone 0, bone 1")),
    "too high": ({"limits": {5: HINGE}}, ("5 is not a joint", "(0 to 4)")),
    "too low": ({"limits": {-6: HINGE}}, ("-6 is not a joint", "(0 to 4)")),
    "no limit": ({"limits": {"bone 1": (0, 1)}}, ("'bone 1'", "HingeLimit", "(0, 1)")),
    "twice": ({"limits": {"bone 1": HINGE, -4: HINGE}}, ("-4", "bone 1", "once")),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_errors_are_named_and_change_nothing(world, what):
    arguments, texts = MISTAKES[what]
    leaf = limb(world)[-1]
    with pytest.raises(IkrigError) as caught:
        IKChain(leaf, 4, **arguments)
    for text in texts:
        assert text in str(caught.value)
    assert not world.find_all_matches("**/* Target")
    chain = IKChain(leaf, 4, solver="ccd", limits={1: WIDE})
    chain.target.set_pos(0.8, 0.6, 2.0)
    chain.solve()
    before = matrices(chain.bones)
    ((name, value),) = arguments.items()
    with pytest.raises(IkrigError):
        setattr(chain, name, value)
    assert (chain.solver, dict(chain.limits)) == ("ccd", {1: WIDE})
    assert matrices(chain.bones) == before
    assert chain.solve().converged


def test_failing_custom_solver_is_reported_without_raising(world, own_names):
    class Broken(ChainSolver):
        in_joint_space = True

        @staticmethod
        def iterate(space, settings, tolerance):
            raise ZeroDivisionError("three quarters of nothing")

    register_solver("broken", Broken)
    chain = IKChain(limb(world)[-1], 3, solver="broken")
    chain.target.set_pos(0.5, 0.5, 1.0)
    result = chain.solve()
    assert result.status is SolveStatus.INVALID_TARGET
    assert "solver 'broken' failed" in result.detail
    assert "three quarters" in result.detail
    chain.solver = "dls"
    assert chain.solve().converged
