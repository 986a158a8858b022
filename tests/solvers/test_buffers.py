"""Buffers shared by Python and kernels have the lengths that kernels read."""

from __future__ import annotations

from array import array
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ikrig import BallLimit, ChainModel, ConeLimit, ModelError
from ikrig.kernels import buffer
from ikrig.solvers import make_solver
from ikrig.solvers.buffers import fill, reader
from ikrig.solvers.cg import _Directions
from ikrig.solvers.joint_motion import _middle


@pytest.mark.parametrize("kind", [list, lambda x: array("d", x), np.array])
def test_public_views_are_live_and_read_only(kind) -> None:
    values = kind([1.0, 2.0, 3.0, 4.0])
    seen = reader(values, 1)
    values[2] = 7.0
    assert len(seen) == 3
    assert [seen[0], seen[1], seen[-1]] == [2.0, 7.0, 4.0]
    assert list(seen[1:]) == [7.0, 4.0]
    with pytest.raises(TypeError):
        seen[0] = 1.0  # type: ignore[index]


def test_wrong_number_of_values_is_refused() -> None:
    target: Any = buffer([0.0, 0.0])
    for values in ([3, 4.0], array("d", [3, 4]), np.array([3, 4]), array("f", [3, 4])):
        fill(target, values, "angles")
        assert list(target) == [3.0, 4.0]
        target[:] = buffer([0.0, 0.0])
    for wrong in ([1.0], array("d", [1, 2, 3]), "ab", None, [[1.0], [2.0]]):
        with pytest.raises(ModelError, match="angles must be 2 numbers, flat, not"):
            fill(target, wrong, "angles")
    assert list(target) == [0.0, 0.0]


def test_middle_of_a_cone_lies_between_its_sides() -> None:
    """In order right, up, left, down; positive is to the left and up."""
    model = ChainModel([(0, 0, 0), (1, 0, 0), (2, 0, 0)])
    limits = {0: ConeLimit((0.2, 0.4, 1.0, 0.3), twist=(-0.1, 0.5)), 1: BallLimit(0.5)}
    solver = make_solver("dls", model, limits)
    space = solver._tree.space
    assert _middle(space, 0) == pytest.approx([0.4, 0.05, 0.2])
    assert np.isnan(_middle(space, 1)).all()


def slope(gradient: np.ndarray, free: np.ndarray) -> Any:
    """A descent's view of a pose, with steps as long as their directions."""
    return SimpleNamespace(
        gradient=gradient, free=free, best_fraction=lambda direction: 1.0
    )


def test_conjugate_directions_follow_polak_and_ribiere() -> None:
    """E. Polak, G. Ribière 1969, never less than the gradient's own (PR+)."""
    free = np.ones(2, bool)
    gradients = [(1.0, 0.0), (0.2, 0.5), (0.1, 0.2), (0.1, 0.21), (3.0, -1.0)]
    directions, old, way = _Directions(), None, None
    for given in map(np.array, gradients):
        wanted = -given
        if old is not None:
            bent = wanted + max(0.0, given @ (given - old) / (old @ old)) * way
            wanted = bent if bent @ given < 0 else wanted
        found = directions(slope(given, free), None)
        assert found == pytest.approx(wanted)
        old, way = given, wanted
    # what is at its limit stays there
    held = directions(slope(np.array([1.0, 1.0]), np.array([True, False])), None)
    assert held[1] == 0.0
