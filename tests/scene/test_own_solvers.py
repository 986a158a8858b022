"""Given offsets, and custom solvers that lack a feature."""

from __future__ import annotations

from math import inf

import panda3d.core as p3d
import pytest

import ikrig
from ikrig import IKChain, SettingError
from ikrig.solvers import register_solver, registry
from tests.solvers.test_tree_details import unit

from .conftest import limb


class Own:
    """Does what the protocol of solvers asks for, and nothing more."""

    def __init__(self, model, limits) -> None:
        self.inner = ikrig.solvers.FabrikSolver(model, limits)

    def __getattr__(self, name: str):
        if name in ("animate", "set_tips", "inner"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def solve(self, goal, **given):
        return self.inner.solve(goal, **given)


@pytest.fixture
def own(monkeypatch) -> str:
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    register_solver("bare", Own)
    return "bare"


def test_unsupported_tip_and_animation_are_refused_at_creation(world, own):
    leaf = limb(world, 3)[-1]
    with pytest.raises(SettingError, match="'bare' does not support tips"):
        IKChain(leaf, 2, solver=own, tip=(0.0, 0.1, 0.3))
    chain = IKChain(leaf, 2, solver=own)
    with pytest.raises(SettingError, match="'bare' does not support tips"):
        chain.tip = (0.0, 0.1, 0.3)
    assert chain.solver == own


@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_offset_relates_target_and_node_rotations(world, kind):
    nodes = limb(world, 3)
    start = nodes[-1].get_quat(world)
    target = world.attach_new_node("target")
    target.set_pos(0.4, 0.3, 2.0)
    if kind == "chain":
        rig = IKChain(nodes[-1], 3, target)
    else:
        rig = ikrig.IKTree(nodes[0], {nodes[-1]: target})
    effector = rig.effectors[0]
    effector.orientation_mode = "target"
    for given in ((1, 0, 0, 0), (3.0, 1.0, -2.0, 0.5), (-0.2, 0.4, 0.1, 0.7)):
        effector.target_offset = given
        held = unit(given)
        assert effector.target_offset == pytest.approx(tuple(held), abs=1e-6)
        target.set_quat(world, p3d.LQuaternionf(*map(float, held)))
        for _ in range(3):
            rig.update(1 / 60)
        now = nodes[-1].get_quat(world)
        assert now.almost_same_direction(start, 1e-4), (now, start)
    with pytest.raises(SettingError, match="target_offset must not be all zeros"):
        effector.target_offset = (0, 0, 0, 0)
    assert effector.target_offset == pytest.approx(tuple(held), abs=1e-6)


@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_frame_after_a_failed_one_solves_again(world, kind, monkeypatch):
    nodes = limb(world, 3)
    target = world.attach_new_node("target")
    if kind == "chain":
        rig = ikrig.IKChain(nodes[-1], 3, target, solver="dls")
    else:
        rig = ikrig.IKTree(nodes[0], {nodes[-1]: target})
    target.set_pos(world, 0.8, 0.5, 1.6)
    assert rig.update(1 / 60).converged
    rig.update(1 / 60)

    def fail(*goal, **more):
        raise ikrig.SettingError("not today")

    with monkeypatch.context() as patch:
        patch.setattr(rig._solver, "solve", fail)
        target.set_pos(world, -0.7, 0.9, 1.4)
        failed = rig.update(1 / 60)
        assert failed.status.name == "INVALID_TARGET" and "not today" in failed.detail
        assert failed == ikrig.SolveResult(failed.status, inf, 0, 1.0, failed.detail)
    # nothing has moved since
    assert rig.update(1 / 60).converged
    assert nodes[-1].get_distance(target) < 0.01
