"""Sines and angles by polynomials, beside those of a C library."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ikrig.kernels.source import angles

ANGLES = [*np.linspace(-9.0, 9.0, 400), *np.arange(-8, 9) * math.pi / 4]


def test_sines_and_cosines() -> None:
    for x in (*ANGLES, 9e3, 3e5):
        out = [9.0] * 5
        angles.sin_cos(out, 1, x, 0.3 - x)
        expected = math.sin(x), math.sin(0.3 - x), math.cos(x), math.cos(0.3 - x)
        assert out == pytest.approx((9.0, *expected), abs=2e-11), x


def angle_of(y: float, x: float) -> float:
    out = [9.0] * 4
    angles.angles_of(out, 1, y, x, -3.0, 3.0)
    assert out[2] == pytest.approx(-math.pi / 4) and out[0] == out[3] == 9.0
    angles.angles_of(out, 0, -3.0, 3.0, y, x)
    assert out[0] == out[2] and (out[1] == out[1] or math.isnan(out[1]))
    return out[1]


def test_angles_of_directions() -> None:
    for x in ANGLES:
        for size in (1e-30, 1.0, 1e30):
            angle = angle_of(size * math.sin(x), size * math.cos(x))
            away = math.remainder(angle - x, 2.0 * math.pi)
            assert abs(away) < 1e-10 and -math.pi <= angle <= math.pi, x
    assert angle_of(0.0, 0.0) == 0.0
    assert math.isnan(angle_of(math.nan, 1.0))
    assert math.isnan(angle_of(1.0, math.nan))
