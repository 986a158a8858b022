"""A pose that is not finite is never written, not even partly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.solvers import SolveStatus
from tests.scene.bodies import body
from tests.scene.conftest import limb


def mats(top: p3d.NodePath) -> np.ndarray:
    nodes = top.find_all_matches("**")
    return np.array([[tuple(row) for row in node.get_mat()] for node in nodes])


class Broken(ikrig.FabrikSolver):
    """Breaks the last number of what it has found, when it is told to."""

    value: float | None = None

    def solve(self, *arguments: Any, **named: Any) -> ikrig.SolveResult:
        result = super().solve(*arguments, **named)
        if self.value is not None:
            self._buffers["local"][-1] = self.value
        return result


def spoil(monkeypatch: pytest.MonkeyPatch, rig: Any, value: float) -> None:
    """Break the last number of what the solver has found."""
    if isinstance(rig, ikrig.IKChain):
        rig._solver = Broken(rig.model)
        rig._reconnect()
        monkeypatch.setattr(rig._solver, "value", value)
        return
    kind = type(rig._binding)
    write = kind.write

    def broken(nodes: Any, local: Any, *others: Any) -> None:
        write(nodes, [*[*local][:-1], value], *others)

    monkeypatch.setattr(kind, "write", broken)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("make", [ikrig.IKChain, ikrig.IKTree])
def test_failing_solver_leaves_every_node_unchanged(world, monkeypatch, make, value):
    if make is ikrig.IKChain:
        rig = ikrig.IKChain(limb(world)[-1], 4)
        rig.target.set_pos(1, 1, 2)
    else:
        rig = ikrig.IKTree(body(world), pinned=False)
        rig.effectors[0].target.set_pos(1, 1, 2)
    rig.update(1 / 60)
    before = mats(world)
    spoil(monkeypatch, rig, value)
    place = rig.target if make is ikrig.IKChain else rig.effectors[0].target
    place.set_pos(-1, 1, 2)
    result = rig.update(1 / 60)
    assert result.status is SolveStatus.INVALID_TARGET
    assert "not finite" in result.detail
    place.set_pos(1, 1, 2)
    assert (mats(world) == before).all()
    monkeypatch.undo()
    place.set_pos(-1, 1, 2)
    assert rig.update(1 / 60).converged
