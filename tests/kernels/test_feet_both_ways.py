"""Compiled and interpreted kernels of feet give the same bits."""

from __future__ import annotations

import math
from array import array

import numpy as np
import pytest

import ikrig
from tests.interpreted import interpreted_kernel

PARENTS = (-1, 0, 1, 2, 0, 4, 5)
DROPS = ((0, 0, 0.9), (0.1, 0, 0), (0, -0.02, -0.42), (0, 0.02, -0.42),
         (-0.1, 0, 0), (0, -0.02, -0.42), (0, 0.02, -0.42))  # fmt: skip


def figure(frames: int) -> list[tuple[array, array]]:
    """Matrices of joints and figure, frame by frame: two legs that walk."""
    found = []
    for k in range(frames):
        mats = []
        for j, drop in enumerate(DROPS):
            side = 1.0 if j < 4 else -1.0
            phase = 0.1 * k + (0.0 if side > 0 else math.pi)
            angle = (0.0, 0.5, -0.6 + 0.5 * math.cos(phase), 0.2)[
                (j - 1) % 3 + 1 if j else 0
            ]
            angle *= math.sin(phase)
            c, s = math.cos(angle), math.sin(angle)
            mats += [1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, *drop, 1]
        world = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.02 * k, 0.1 * (k // 20), 1]
        found.append((array("f", mats), array("f", world)))
    return found


def walk(monkeypatch, interpreted: bool) -> np.ndarray:
    from ikrig.character import foot_planner, heightfield

    def kind(module: str, name: str):
        if interpreted:
            return getattr(interpreted_kernel(module), name)
        return getattr(__import__(f"ikrig.kernels.{module}", fromlist=[name]), name)

    if interpreted:
        monkeypatch.setattr(foot_planner, "buffer", list)
        monkeypatch.setattr(foot_planner, "index_buffer", list)
        monkeypatch.setattr(heightfield, "buffer", list)
        monkeypatch.setattr(heightfield, "index_buffer", list)
    for name, module in (
        ("Feet", "feet"),
        ("Hips", "feet"),
        ("Foot", "foot"),
    ):
        monkeypatch.setattr(foot_planner, name, kind(module, name))
    monkeypatch.setattr(
        heightfield, "TriangleGrid", kind("foot_ground", "TriangleGrid")
    )
    rng = np.random.default_rng(1)
    corners = []
    for x in range(-2, 3):
        for y in range(-40, 10):
            a, b, c, d = rng.uniform(-0.05, 0.25, 4)
            x0, x1, y0, y1 = 0.4 * x, 0.4 * x + 0.4, 0.1 * y, 0.1 * y + 0.1
            corners += [
                (x0, y0, a, x1, y0, b, x1, y1, c),
                (x0, y0, a, x1, y1, c, x0, y1, d),
            ]
    hidden = list if interpreted else (lambda values: array("i", values))
    owners = [0] * (len(corners) // 2) + [1] * (len(corners) - len(corners) // 2)
    grid = heightfield.make_grid(
        np.array(corners), owners, [False, True], hidden([0, 0])
    )
    sole = [(3, (x, y, -0.06)) for x in (-0.05, 0.05) for y in (-0.15, 0.08)]
    other = [(6, point) for _, point in sole]
    shots = figure(150)
    mats, world = array("f", shots[0][0]), array("f", shots[0][1])
    planner = foot_planner.FootPlanner(
        PARENTS,
        [
            foot_planner.FootLayout((1, 2, 3), sole),
            foot_planner.FootLayout((4, 5, 6), other),
        ],
        [(0, (0, 1))],
        mats,
        world,
    )
    settings, found = ikrig.FootSettings(), []
    for k, (now, where) in enumerate(shots):
        mats[:], world[:] = now, where
        assert planner.read() == ""
        planner.step(grid, settings, 1.0, (1 / 60, 1 / 200, 0.3)[k % 3])
        found.append([*planner.goals, planner.bodies[0].up])
    return np.array(found)


@pytest.mark.skipif(not ikrig.COMPILED, reason="the kernels are not compiled here")
def test_feet_kernels_give_the_same_bits(monkeypatch) -> None:
    with monkeypatch.context() as patched:
        compiled = walk(patched, False)
    with monkeypatch.context() as patched:
        interpreted = walk(patched, True)
    assert np.isfinite(compiled).all()
    assert np.ptp(compiled[:, -1]) > 0.01
    assert compiled.tobytes() == interpreted.tobytes()
