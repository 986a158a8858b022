"""Compiled and interpreted kernels of the arm give the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig import SphericalWristArm
from tests.interpreted import interpreted_kernel
from tests.solvers.six_axis.arms import CHAINS


class SourceArm(SphericalWristArm):
    _kernel_type = interpreted_kernel("six_axis").SixAxisKernel


def pair(chain, **limits):
    arms = (
        chain.arm(**limits),
        SourceArm.opw(
            **chain.measures, signs=chain.signs, offsets=chain.offsets, **limits
        ),
    )
    assert type(arms[0]._kernel) is not type(arms[1]._kernel)
    return arms


def angles(rng, count: int) -> np.ndarray:
    """Random ones, with singular poses among them."""
    q = rng.uniform(-np.pi, np.pi, (count, 6))
    q[::5, 2] = rng.choice([0.0, np.pi], len(q[::5]))
    q[::7, 4] = rng.choice([0.0, np.pi], len(q[::7]))
    q[::11, 1:3] = 0.0
    return q


@pytest.mark.skipif(not ikrig.COMPILED, reason="the kernels are not compiled here")
@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("limited", [False, True])
def test_compiled_and_interpreted_kernels_give_the_same_bits(name, limited):
    chain = CHAINS[name]
    rng = np.random.default_rng(len(name))
    limits = {"lower": [-2.5] * 6, "upper": [2.0] * 6} if limited else {}
    arms = pair(chain, **limits)
    q = np.array([chain.own(t) for t in angles(rng, 400)])
    places = [arm.forward(q) for arm in arms]
    for a, b in zip(*places, strict=True):
        assert a.tobytes() == b.tobytes()
    position, rotation = places[0]
    position[::13] *= 1.5
    near = rng.uniform(-5, 5, (400, 6))
    every = [arm.solve_all(position, rotation, near) for arm in arms]
    assert every[0].tobytes() == every[1].tobytes()
    picked = [arm.solve(position, rotation, near) for arm in arms]
    assert picked[0].q.tobytes() == picked[1].q.tobytes()
    assert picked[0].branch.tolist() == picked[1].branch.tolist()
    assert picked[0].status.tolist() == picked[1].status.tolist()
    for i in range(0, 400, 9):
        pose = position[i], rotation[i], near[i]
        rows = [arm.solve_all(*pose) for arm in arms]
        assert rows[0].tobytes() == rows[1].tobytes()
        results = [arm.solve(*pose) for arm in arms]
        assert results[0].q.tobytes() == results[1].q.tobytes()
        assert results[0]._replace(q=0) == results[1]._replace(q=0)
    line = np.linspace(q[1], q[2], 300)
    paths = [arm.solve_path(*arm.forward(line), line[0]) for arm in arms]
    assert paths[0].q.tobytes() == paths[1].q.tobytes()
    assert paths[0].detail == paths[1].detail
    assert paths[0].stopped_at == paths[1].stopped_at


def test_both_kernels_accept_the_same_arguments():
    arm = SourceArm()
    position, rotation = arm.forward([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    expected = arm.solve_all(position, rotation)
    assert len(expected) == 8
    for kind in (list, tuple):
        assert np.array_equal(arm.solve_all(kind(position), rotation), expected)
    assert arm.solve_all(position[None], rotation[None]).shape == (1, 8, 6)
    assert arm.solve_all(np.ones((3, 3)), np.stack([np.eye(3)] * 3)).shape == (3, 8, 6)
