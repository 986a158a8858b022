"""The figure's body, in four pieces: body, head, hand and boot of its left half."""

from __future__ import annotations

import numpy as np

from .fields import Limb, Trunk, common, cone, ellipsoid, union
from .skeleton import Floats, make_bones

_BONES = make_bones()
_HAND = _BONES["LeftHand"]

# height, half width, ahead, back
_TRUNK = Trunk(
    (
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
)
# x, y, z, radius
_LEG = Limb(
    (
        (0.092, 0.004, 0.930, 0.090),
        (0.102, -0.002, 0.800, 0.081),
        (0.100, -0.008, 0.630, 0.065),
        (0.098, -0.008, 0.505, 0.055),
        (0.100, 0.014, 0.395, 0.060),
        (0.101, 0.020, 0.240, 0.045),
        (0.100, 0.022, 0.120, 0.036),
        (0.100, 0.022, 0.100, 0.035),
    )
)
_ARM = Limb(
    (
        (0.162, 0.014, 1.400, 0.059),
        (0.230, 0.018, 1.336, 0.055),
        (0.310, 0.020, 1.256, 0.046),
        (0.364, 0.022, 1.202, 0.041),
        (0.415, 0.016, 1.151, 0.044),
        (0.490, 0.008, 1.076, 0.035),
        (0.525, 0.003, 1.041, 0.027),
        (0.540, 0.001, 1.026, 0.025),
    )
)


_LAST = Limb(
    (
        (0.101, 0.048, 0.042, 0.043),
        (0.104, -0.030, 0.046, 0.041),
        (0.107, -0.105, 0.030, 0.044),
        (0.109, -0.160, 0.026, 0.041),
    )
)


def arm(p: Floats) -> Floats:
    """Return the distance to the left arm."""
    return _ARM(_left(p))


def leg(p: Floats) -> Floats:
    """Return the distance to the left leg."""
    return _LEG(_left(p))


def torso(p: Floats) -> Floats:
    """Return the distance to the trunk and the neck."""
    q = _left(p)
    whole = _TRUNK(p)
    chest = ellipsoid(q, (0.070, -0.062, 1.335), (0.080, 0.050, 0.062))
    whole = union(whole, chest, 0.05)
    seat = ellipsoid(q, (0.072, 0.062, 0.925), (0.078, 0.066, 0.082))
    whole = union(whole, seat, 0.05)
    collar = cone(q, (0.05, 0.018, 1.402), (0.138, 0.015, 1.400), 0.060, 0.057)
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
    wide = np.column_stack((0.104 + (x - 0.104) / 1.12, y, z))
    whole = _LAST(wide)
    cuff = cone(q, (0.100, 0.024, 0.065), (0.100, 0.020, 0.105), 0.044, 0.043)
    whole = union(whole, cuff, 0.05)
    whole = common(whole, z - 0.126, 0.012)
    # the sole stands out a little
    rim = np.maximum(np.abs(z - 0.012) - 0.013, whole - 0.003)
    return common(union(whole, rim, 0.006), -z, 0.010)


def hand(p: Floats) -> Floats:
    """Return the distance to the left hand."""
    # in the hand's own axes: x back, y along, z out of the palm
    q = (_left(p) - _HAND.place) @ _HAND.axes
    palm = ellipsoid(q, (0.001, 0.054, 0.001), (0.045, 0.050, 0.019))
    wrist = cone(q, (0, -0.02, 0), (0, 0.03, 0), 0.029, 0.022)
    whole = union(palm, wrist, 0.03)
    for finger in FINGERS:
        whole = union(whole, finger(q), 0.010)
    return union(whole, _THUMB(q), 0.014)


_THUMB = Limb(
    (
        (-0.016, 0.020, 0.008, 0.016),
        (-0.046, 0.052, 0.020, 0.0130),
        (-0.062, 0.086, 0.026, 0.0105),
    )
)
FINGERS = [
    Limb(
        (
            (0.95 * x, 0.066, 0.001, 0.0108 * size),
            (1.30 * x, 0.092 + 0.45 * length, 0.006, 0.0106 * size),
            (1.52 * x, 0.092 + length, 0.014, 0.0093 * size),
        )
    )
    for x, length, size in (
        (-0.0315, 0.076, 1.0),
        (-0.0090, 0.088, 1.02),
        (0.0155, 0.080, 1.0),
        (0.0380, 0.060, 0.9),
    )
]


def _left(p: Floats) -> Floats:
    """Return points on the left side, those of the right mirrored there."""
    return np.column_stack((np.abs(p[:, 0]), p[:, 1:]))
