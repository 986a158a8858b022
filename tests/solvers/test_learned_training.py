"""Training of the network of ``learned`` is correct and reproducible."""

from __future__ import annotations

from math import isfinite
from runpy import run_path

import numpy as np
import pytest

from ikrig import ChainModel, FixedLimit, HingeLimit, ModelError
from ikrig.solvers import LearnedSolver
from ikrig.solvers.learned import train as training
from tests import limit_oracle as oracle
from tests import reference
from tests.bench import learned as bench
from tests.solvers.test_learned import ANYWHERE, ARM, COLD, LIMITS, check


def learner() -> training.Learner:
    return training.Learner(*training.panda()[1:])


def test_committed_weights_match_the_script_s_chain():
    title, model, limits = training.panda()
    network = LearnedSolver.network
    assert network.title == title
    assert np.array_equal(network.model.positions, model.positions)
    assert network.limits == limits
    sizes = [network.layers[0][0].shape[0], *(len(b) for _, b in network.layers)]
    assert tuple(sizes) == learner().sizes
    assert len(learner().text()) <= 30_000


def test_seed_reproduces_the_first_error():
    again = learner()
    # what the script printed, and the next: sums are rounded otherwise elsewhere
    first = [again.step() for _ in range(2)]
    assert first == pytest.approx([1.7391, 1.5830], rel=1e-4)


def test_learner_kinematics_match_the_oracle():
    rng = np.random.default_rng(2)
    angles = rng.uniform(-2.0, 2.0, (20, 7)).astype(np.float32)
    places, rotations, _, _ = learner().forward(angles)
    for place, found, pose in zip(places, rotations, angles, strict=True):
        turn, point = np.eye(3), np.zeros(3)
        for j in range(7):
            point = point + turn @ ARM.offsets[j]
            turn = turn @ reference.axis_angle(LIMITS[j].axis, pose[j])
        point = point + turn @ ARM.offsets[7]
        assert np.allclose(place, point / ARM.size, atol=1e-5)
        assert np.allclose(found, turn, atol=1e-5)


def test_learner_gradient_matches_differences():
    some = learner()
    goals, _ = some.sample(10)
    assert 0.0 < goals.oriented.mean() < 1.0
    angles = np.random.default_rng(3).uniform(-2.0, 2.0, (10, 7))
    slopes = some.errors(angles, goals)[1]
    for k, step in enumerate(1e-2 * np.eye(7)):
        ends = [some.errors(angles + sign * step, goals)[0] for sign in (1, -1)]
        assert np.allclose((ends[0] - ends[1]) / 2e-2, slopes[:, k], atol=1e-3)


def planar():
    """Three hinges in a plane, the last of them without bounds."""
    places = [(0, 0, 0), (0, 0, 1), (0, 0, 1.8), (0, 0, 2.2)]
    limits = {0: HingeLimit("y", -2, 2), 1: HingeLimit("y", 0.1, 2.5)}
    limits |= {2: HingeLimit("y"), 3: FixedLimit()}
    return "three hinges", ChainModel(places), limits


def test_other_chains_can_be_learned(tmp_path):
    file = tmp_path / "weights.py"
    _, model, limits = planar()
    some = training.Learner(model, limits, 3, 60)
    first, *_, last = [some.step() for _ in range(60)]
    assert last < 0.8 * first
    file.write_text(training.module_text(planar(), some))

    class Planar(LearnedSolver):
        network = run_path(str(file))["ARM"]

    solver, rng = Planar(model, limits), np.random.default_rng(1)
    for _ in range(20):
        goal = oracle.pose(rng, model, limits, ANYWHERE)[0][-1]
        assert solver.solve(goal, settings=COLD).converged
        assert np.linalg.norm(check(solver, model, limits) - goal) <= 1e-3 * model.reach
    with pytest.raises(ModelError, match="three hinges"):
        Planar(ARM, LIMITS)


def test_the_benchmark_runs(capsys):
    assert bench.main(["--goals", "3"]) == 0
    rows = [
        line.split() for line in capsys.readouterr().out.splitlines() if ": " in line
    ]
    assert sum("learned" in row for row in rows) == 8
    assert all(isfinite(float(row[-1])) for row in rows if "dls" in row)
