"""Easings, compared with points along the curve itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ikrig.kernels import bezier


def curve(points: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and y at the parameter s, by de Casteljau's rule."""
    rows = [np.zeros((len(s), 2)), *(np.tile(p, (len(s), 1)) for p in points)]
    rows.append(np.ones((len(s), 2)))
    while len(rows) > 1:
        pairs = itertools.pairwise(rows)
        rows = [(1 - s[:, None]) * a + s[:, None] * b for a, b in pairs]
    return rows[0][:, 0], rows[0][:, 1]


def examples() -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    edges = [(0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (1, 0, 1, 0), (0.5, -9, 0.5, 9)]
    random = [
        (rng.random(), rng.normal(), rng.random(), rng.normal()) for _ in range(80)
    ]
    return [np.array(example, float) for example in (*edges, *random)]


def test_value_equals_that_of_the_curve():
    s = np.linspace(0.0, 1.0, 41)
    for four in examples():
        x, y = curve(four.reshape(2, 2), s)
        found = x.copy()
        bezier.ease(len(s), np.tile(four, len(s)), found)
        # where the curve stands upright a last digit of x is much of y
        slope = np.abs(np.gradient(y, s)) / np.maximum(np.gradient(x, s), 1e-4)
        assert (abs(found - y) < 1e-13 + 1e-12 * slope**2).all(), four


def test_ends_are_0_and_1():
    for four in examples():
        ends = np.array([0.0, 1.0])
        bezier.ease(2, np.tile(four, 2), ends)
        assert ends == pytest.approx([0.0, 1.0], abs=1e-12)
