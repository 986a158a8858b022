"""Results of arms compare by their values."""

from __future__ import annotations

import numpy as np

from ikrig import SphericalWristArm


def test_results_compare_by_their_values():
    arm = SphericalWristArm()
    q = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.1, 0.2, 0.3, 0.4, 0.5, 0.7]])
    place, turn = arm.forward(q)
    one, two = (arm.solve(place[k], turn[k], q[k]) for k in (0, 1))
    assert one == arm.solve(place[0], turn[0], q[0])
    assert one != two
    assert one is not None and one != tuple(one)
    assert arm.solve(place, turn, q) == arm.solve(place, turn, q)
    assert arm.solve(place, turn, q) != arm.solve(place, turn, q + 6.3)
    assert arm.solve_path(place, turn, q[0]) == arm.solve_path(place, turn, q[0])
    assert arm.solve_path(place, turn, q[0]) != arm.solve_path(
        place[:1], turn[:1], q[0]
    )
