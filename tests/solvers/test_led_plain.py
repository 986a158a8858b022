"""Chains without limits that are led along paths keep their side: no joint jumps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ikrig import ChainModel, SolveSettings
from ikrig.solvers import make_solver
from tests.bench import led

# paths with jumps before: of each kind the worst of 10,000
KNOWN = (128, 193, 217, 240, 312, 384, 626, 1258, 1522, 2490, 5278, 7263)


@pytest.mark.parametrize("method", led.METHODS)
def test_no_joint_jumps_on_led_paths(method):
    first = led.METHODS.index(method)
    seeds = range(first, 70 * len(led.METHODS), len(led.METHODS))
    known = [seed for seed in KNOWN if led.case(seed).method == method]
    for seed in (*known, *seeds):
        case = led.case(seed)
        assert led.excess(case).max(initial=0.0) <= 1.0, f"{seed}: {case.words}"


@pytest.mark.parametrize("method", led.METHODS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_arm_of_the_tutorial_keeps_its_side(method, side):
    # two bones of length 1, dragged in and across, where the start pose is far away
    solver = make_solver(method, ChainModel([(0, 0, 0), (0.1 * side, 0, 1), (0, 0, 2)]))
    corners = np.array([(0.0, 2.0), (0.63, 1.29), (0.1, 1.18)])
    goals = np.concatenate([np.linspace(a, b, 40) for a, b in pairwise(corners)])
    last = None
    for x, z in goals:
        solver.solve((x, 0.0, z))
        elbow = solver.positions[1]
        assert side * (elbow[0] * z - elbow[2] * x) > -1e-9
        if last is not None and np.hypot(x, z) < 1.95:
            assert np.linalg.norm(elbow - last) < 0.1
        last = elbow


@pytest.mark.parametrize("method", led.METHODS)
def test_a_pole_or_an_animation_picks_the_side(method):
    model = ChainModel([(0, 0, 0), (0.3, 0, 1), (0, 0, 2)])
    detour = [(1.0, 0.5, 0.4), (-1.2, 0.3, 0.2), (0.3, 0.2, -1.4), (0.2, 0.1, 1.5)]
    pole = (0.0, 3.0, 1.0)

    def ends(path, pole=None, animated=False, **settings):
        solver = make_solver(method, model)
        for goal in path:
            if animated:
                rows = [(0, 0, 0), (0.3, 0, 1), (-0.3, 0, 1)]
                solver.animate([x for p in rows for x in (*p, 1, 0, 0, 0, 1, 1, 1)])
            solver.solve(goal, pole=pole, settings=SolveSettings(**settings))
        return solver.positions

    with_pole = [ends(path, pole) for path in (detour, detour[-1:])]
    np.testing.assert_allclose(*with_pole, atol=1e-6)
    with_clip = [ends(path, animated=True) for path in (detour, detour[-1:])]
    np.testing.assert_allclose(*with_clip, atol=1e-6)
    free = [ends(path) for path in (detour, detour[-1:])]
    assert np.abs(free[0] - free[1]).max() > 0.1
    alone = [ends(path, snap_back_strength=1.0) for path in (detour, detour[-1:])]
    np.testing.assert_allclose(*alone, atol=1e-6)
