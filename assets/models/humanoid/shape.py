"""The figure's body, in four pieces: body, head, hand and boot of its left half."""

from __future__ import annotations

import numpy as np

from .fields import common, cone, ellipsoid, limb, trunk, union
from .skeleton import Floats, make_bones

_BONES = make_bones()
_HAND = _BONES["LeftHand"]

# height, half width, ahead, back
_TRUNK = (
    (0.86, 0.095, 0.070, 0.085),
    (0.91, 0.148, 0.090, 0.108),
    (0.96, 0.160, 0.094, 0.112),
    (1.03, 0.143, 0.090, 0.092),
    (1.10, 0.122, 0.086, 0.082),
    (1.16, 0.119, 0.088, 0.084),
    (1.24, 0.139, 0.102, 0.098),
    (1.32, 0.158, 0.114, 0.110),
    (1.385, 0.150, 0.100, 0.108),
    (1.43, 0.105, 0.070, 0.088),
    (1.465, 0.062, 0.048, 0.068),
    (1.50, 0.049, 0.047, 0.060),
    (1.58, 0.048, 0.050, 0.052),
)
# x, y, z, radius
_LEG = (
    (0.090, 0.004, 0.920, 0.092),
    (0.096, -0.006, 0.760, 0.083),
    (0.098, -0.010, 0.590, 0.064),
    (0.098, -0.010, 0.505, 0.055),
    (0.101, 0.016, 0.390, 0.058),
    (0.101, 0.020, 0.240, 0.043),
    (0.100, 0.022, 0.100, 0.034),
)
_ARM = (
    (0.160, 0.014, 1.402, 0.060),
    (0.230, 0.018, 1.336, 0.052),
    (0.310, 0.020, 1.256, 0.044),
    (0.364, 0.022, 1.202, 0.040),
    (0.415, 0.016, 1.151, 0.043),
    (0.490, 0.008, 1.076, 0.034),
    (0.538, 0.001, 1.028, 0.029),
)


def arm(p: Floats) -> Floats:
    """Return the distance to the left arm."""
    return limb(_left(p), _ARM, 0.03)


def leg(p: Floats) -> Floats:
    """Return the distance to the left leg."""
    return limb(_left(p), _LEG, 0.04)


def torso(p: Floats) -> Floats:
    """Return the distance to the trunk and the neck."""
    q = _left(p)
    whole = trunk(p, _TRUNK)
    chest = ellipsoid(q, (0.070, -0.062, 1.335), (0.080, 0.050, 0.062))
    whole = union(whole, chest, 0.05)
    seat = ellipsoid(q, (0.072, 0.062, 0.925), (0.078, 0.066, 0.082))
    whole = union(whole, seat, 0.05)
    collar = cone(q, (0.05, 0.018, 1.405), (0.165, 0.015, 1.402), 0.062, 0.060)
    return union(whole, collar, 0.06)


def body(p: Floats) -> Floats:
    """Return the distance to the body without head, hands and boots."""
    whole = union(torso(p), leg(p), 0.05)
    return union(whole, arm(p), 0.045)


def head(p: Floats) -> Floats:
    """Return the distance to the head."""
    q = _left(p)
    whole = ellipsoid(p, (0.0, -0.004, 1.645), (0.083, 0.101, 0.105))
    jaw = ellipsoid(p, (0.0, -0.038, 1.582), (0.058, 0.060, 0.050))
    whole = union(whole, jaw, 0.06)
    ear = cone(q, (0.078, 0.006, 1.628), (0.090, 0.006, 1.628), 0.026, 0.024)
    return union(whole, ear, 0.012)


def boot(p: Floats) -> Floats:
    """Return the distance to the left boot; its sole is flat."""
    q = _left(p)
    x, y, z = q.T
    wide = np.column_stack((0.103 + (x - 0.103) / 1.12, y, z))
    whole = limb(
        wide,
        (
            (0.101, 0.045, 0.042, 0.043),
            (0.104, -0.040, 0.046, 0.040),
            (0.107, -0.118, 0.028, 0.042),
            (0.109, -0.172, 0.022, 0.034),
        ),
        0.03,
    )
    cuff = cone(q, (0.100, 0.022, 0.075), (0.100, 0.021, 0.130), 0.043, 0.044)
    whole = union(whole, cuff, 0.04)
    whole = common(whole, z - 0.142, 0.01)
    return common(whole, -z, 0.012)


def hand(p: Floats) -> Floats:
    """Return the distance to the left hand."""
    # in the hand's own axes: x back, y along, z out of the palm
    q = (_left(p) - _HAND.place) @ _HAND.axes
    palm = ellipsoid(q, (-0.004, 0.052, 0.002), (0.044, 0.058, 0.021))
    whole = union(
        palm, limb(q, ((0, -0.02, 0, 0.027), (0, 0.03, 0, 0.024)), 0.02), 0.03
    )
    for finger in _FINGERS:
        whole = union(whole, limb(q, finger, 0.006), 0.010)
    return union(whole, limb(q, _THUMB, 0.01), 0.018)


_THUMB = (
    (-0.018, 0.022, 0.010, 0.017),
    (-0.046, 0.052, 0.020, 0.0135),
    (-0.058, 0.086, 0.026, 0.0105),
)
_FINGERS = tuple(
    (
        (x, 0.078, 0.002, 0.0125 * size),
        (1.13 * x, 0.092 + 0.40 * length, 0.007, 0.0115 * size),
        (1.2 * x, 0.092 + length, 0.014, 0.0095 * size),
    )
    for x, length, size in (
        (-0.0265, 0.080, 1.0),
        (-0.0035, 0.090, 1.03),
        (0.0190, 0.082, 0.98),
        (0.0385, 0.062, 0.86),
    )
)


def _left(p: Floats) -> Floats:
    """Return points on the left side, those of the right mirrored there."""
    return np.column_stack((np.abs(p[:, 0]), p[:, 1:]))
