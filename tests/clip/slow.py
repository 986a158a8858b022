"""Slow reference for clips: one number at a time, straight from the formulas."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial import geometric_slerp
from scipy.spatial.transform import Rotation

CSS = {
    "ease_in": (0.42, 0.0, 1.0, 1.0),
    "ease_out": (0.0, 0.0, 0.58, 1.0),
    "ease_in_out": (0.42, 0.0, 0.58, 1.0),
}


def bezier(points: Sequence[float], x: float) -> float:
    """y of the easing at x, the parameter found by halving."""
    x1, y1, x2, y2 = points

    def at(a: float, b: float, s: float) -> float:
        return 3 * a * s * (1 - s) ** 2 + 3 * b * s * s * (1 - s) + s**3

    low, high = 0.0, 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if at(x1, x2, middle) < x:
            low = middle
        else:
            high = middle
    return at(y1, y2, low)


def steffen(d0: float, d1: float, h0: float, h1: float) -> float:
    """Steffen (1990): 0 at a turn, else the parabola's slope, bounded."""
    if d0 * d1 <= 0.0:
        return 0.0
    parabola = (d0 * h1 + d1 * h0) / (h0 + h1)
    return float(np.sign(d0)) * min(2 * abs(d0), 2 * abs(d1), abs(parabola))


def key_slopes(changes, times, cubic, closed):
    """Slopes at the keys of one component; a run of cubics rests at its ends."""
    n = len(times)
    steps = np.diff(times)
    result = np.zeros(n)
    for i in range(1, n - 1):
        if cubic[i - 1] and cubic[i]:
            d0, d1 = changes[i - 1] / steps[i - 1], changes[i] / steps[i]
            result[i] = steffen(d0, d1, steps[i - 1], steps[i])
    if closed and cubic[0] and cubic[-1]:
        d0, d1 = changes[-1] / steps[-1], changes[0] / steps[0]
        result[0] = result[-1] = steffen(d0, d1, steps[-1], steps[0])
    return result


def blend(curve, u: float) -> float:
    if curve == "step":
        return 0.0
    if curve == "linear":
        return u
    return bezier(CSS.get(curve, curve), u)


def component(times, values, curves, t, closed=False) -> float:
    """One number of a track with a curve per segment at time t."""
    if t <= times[0]:
        return float(values[0])
    if t >= times[-1]:
        return float(values[-1])
    i = bisect_right(times, t) - 1
    if curves[i] == "cubic":
        cubic = [curve == "cubic" for curve in curves]
        slopes = key_slopes(np.diff(values), times, cubic, closed)
        return float(CubicHermiteSpline(times, values, slopes)(t))
    u = (t - times[i]) / (times[i + 1] - times[i])
    return float(values[i] + blend(curves[i], u) * (values[i + 1] - values[i]))


def rotation(times, quats, curves, t, closed=False) -> np.ndarray:
    """A rotation track (quaternions w x y z) at time t."""
    quats = np.array(quats) / np.linalg.norm(quats, axis=1)[:, None]
    for i in range(1, len(quats)):
        if quats[i] @ quats[i - 1] < 0.0:
            quats[i] = -quats[i]
    if t <= times[0]:
        return quats[0]
    if t >= times[-1]:
        return quats[-1]
    i = bisect_right(times, t) - 1
    h = times[i + 1] - times[i]
    u = (t - times[i]) / h
    if curves[i] != "cubic":
        # beyond 0 to 1 when an easing swings over
        rotations = [Rotation.from_quat(np.roll(q, -1)) for q in quats[i : i + 2]]
        part = blend(curves[i], u) * (rotations[0].inv() * rotations[1]).as_rotvec()
        return np.roll((rotations[0] * Rotation.from_rotvec(part)).as_quat(), 1)
    rotations = [Rotation.from_quat(np.roll(q, -1)) for q in quats]
    pairs = pairwise(rotations)
    changes = np.array([(a.inv() * b).as_rotvec() for a, b in pairs])
    cubic = [curve == "cubic" for curve in curves]
    slopes = np.array(
        [key_slopes(changes[:, k], times, cubic, closed) for k in range(3)]
    ).T
    # squad (Shoemake 1987) whose controls give the slopes
    leave = rotations[i] * Rotation.from_rotvec(0.5 * (h * slopes[i] - changes[i]))
    arrive = rotations[i + 1] * Rotation.from_rotvec(
        0.5 * (changes[i] - h * slopes[i + 1])
    )
    inner = [
        control * np.sign(control @ key)
        for control, key in (
            (np.roll(leave.as_quat(), 1), quats[i]),
            (np.roll(arrive.as_quat(), 1), quats[i + 1]),
        )
    ]
    outer = geometric_slerp(quats[i], quats[i + 1], u).ravel()
    across = geometric_slerp(*inner, u).ravel()
    return geometric_slerp(outer, across, 2 * u * (1 - u)).ravel()
