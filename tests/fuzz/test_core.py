"""The engine-free core under random models, limits, settings and goals."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ikrig import ChainModel
from ikrig.solvers import make_solver, solver_names
from tests.fuzz import SEEDS, fuzz

NAMES = [name for name in solver_names() if name not in ("learned", "two_bone")]


@fuzz(20, seed=SEEDS, bones=st.integers(1, 12), name=st.sampled_from(NAMES))
def test_poses_are_finite(seed, bones, name):
    rng = np.random.default_rng(seed)
    model = ChainModel(rng.normal(size=(bones + 1, 3)))
    solver = make_solver(name, model)
    solver.solve(model.positions[0] + model.reach * rng.normal(size=3))
    assert np.isfinite(solver.rotations).all()
