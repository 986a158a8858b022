"""Dimensions of a six-axis arm with a spherical wrist, also from its axes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...checks import array_of
from ...copies import ReadOnly, keep
from ...errors import ModelError, shown
from ...math3d.quaternion import Floats
from ...model.limits import FARTHEST
from ...model.skeleton import LARGEST

LOOSE = 1e-5
"""Tolerance of the axes: angles [rad], and lengths as a fraction of the arm's size.
(Files have 1.5708.) The solved arm is the exact one."""

THIN = 1e-9
"""Minimum length of upper arm and forearm, as a fraction of the arm's size."""
SHORT = 1e-30
"""Minimum length of both [scene unit]: products of shorter ones are 0."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ArmGeometry(ReadOnly):
    """An ortho-parallel base and a spherical wrist (Brandstötter et al. 2014).

    With all canonical angles 0 the arm stands straight up and reaches forward along x;
    axes 1, 4 and 6 point up (z), axes 2, 3 and 5 to the left (y).

    Raises:
        ModelError: Names the dimension, its value and the allowed range.
    """

    a1: float = 0.0
    """From axis 1 forward to axis 2 [scene unit]."""
    a2: float = 0.0
    """From axis 3 forward to axis 4; below zero is usual."""
    b: float = 0.0
    """From axis 1 to the left, to axis 4."""
    c1: float = 0.0
    """Up from the base to axis 2."""
    c2: float
    """Up from axis 2 to axis 3, above 0."""
    c3: float
    """Up from axis 3 to the wrist centre."""
    signs: Floats = field(default_factory=lambda: np.ones(6))
    """1 or -1 per joint, (6,): a joint's canonical angle is sign * q - offset."""
    offsets: Floats = field(default_factory=lambda: np.zeros(6))
    """See ``signs``, (6,) [rad]."""
    base_position: Floats = field(default_factory=lambda: np.zeros(3))
    """Foot of axis 1, (3,) [scene unit], root space."""
    base_rotation: Floats = field(default_factory=lambda: np.eye(3))
    """Columns forward, left and up, (3, 3), root space."""
    tool_position: Floats = field(default_factory=lambda: np.zeros(3))
    """Tool from the wrist centre, (3,) [scene unit], in the tool's axes."""
    tool_rotation: Floats = field(default_factory=lambda: np.eye(3))
    """Tool in the frame of axis 6, (3, 3)."""

    def __post_init__(self) -> None:
        """Check the values and keep read-only arrays."""
        for name in ("a1", "a2", "b", "c1", "c2", "c3"):
            value = numbers(getattr(self, name), (), name)
            object.__setattr__(self, name, float(value))
        for name, shape in (
            ("signs", (6,)),
            ("offsets", (6,)),
            ("base_position", (3,)),
            ("base_rotation", (3, 3)),
            ("tool_position", (3,)),
            ("tool_rotation", (3, 3)),
        ):
            keep(self, {name: numbers(getattr(self, name), shape, name)})
        if not self.c2 > 0.0:
            raise ModelError(f"c2 of an arm, its upper arm, must be > 0, not {self.c2}")
        if self.a2 == 0.0 and self.c3 == 0.0:
            raise ModelError("a2 and c3 of an arm are both 0, so it has no forearm")
        if not (np.abs(self.signs) == 1.0).all():
            raise ModelError(f"signs of an arm must be 1 or -1, not {self.signs}")
        if not (np.abs(self.offsets) <= FARTHEST).all():
            raise ModelError(
                f"offsets of an arm must be within ±{FARTHEST:g}, not {self.offsets}"
            )
        shortest = min(self.c2, float(np.hypot(self.a2, self.c3)))
        if shortest < max(THIN * self.size, SHORT):
            raise ModelError(
                f"upper arm and forearm of an arm, {self.c2:g} and "
                f"{np.hypot(self.a2, self.c3):g}, must be at least {THIN:g} of its "
                f"size, {self.size:g}, and {SHORT:g}"
            )
        for name in ("base_rotation", "tool_rotation"):
            _check_rotation(getattr(self, name), name)

    @property
    def size(self) -> float:
        """Largest distance of the arm from the foot of axis 1 [scene unit]."""
        tool = float(np.linalg.norm(self.tool_position))
        forearm = float(np.hypot(self.a2, self.c3))
        return abs(self.a1) + abs(self.b) + abs(self.c1) + self.c2 + forearm + tool


def numbers(values: ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    """Return a new array of this shape, with numbers within ±``LARGEST``."""
    found = array_of(values, shape, f"{what} of an arm", ModelError)
    if not (np.abs(found) <= LARGEST).all():
        raise ModelError(
            f"{what} of an arm must be within ±{LARGEST:g}, not {shown(values)}"
        )
    return found


def fit_axes(
    anchors: ArrayLike,
    axes: ArrayLike,
    tool_position: ArrayLike,
    tool_rotation: ArrayLike,
) -> ArmGeometry:
    """Return the geometry of an arm from its axes while all joints are at 0.

    Args:
        anchors: A point on each axis, (6, 3) [scene unit], root space.
        axes: Direction of each axis, (6, 3), root space, of any length above 0.
        tool_position: (3,) [scene unit], root space.
        tool_rotation: (3, 3), root space, column vectors.
    """
    points = numbers(anchors, (6, 3), "anchors")
    lines = numbers(axes, (6, 3), "axes")
    tip = numbers(tool_position, (3,), "tool_position")
    rotation = numbers(tool_rotation, (3, 3), "tool_rotation")
    _check_rotation(rotation, "tool_rotation")
    u, _, v = np.linalg.svd(rotation)
    rotation = u @ v
    sizes = np.linalg.norm(lines, axis=1)
    if not sizes.min() > 0.0:
        raise ModelError(f"axis {sizes.argmin() + 1} of an arm has no direction")
    lines /= sizes[:, None]
    scale = float(np.linalg.norm(np.diff([*points, tip], axis=0), axis=1).sum())
    _check_angle(lines, 1, 2, "at right angles")
    _check_angle(lines, 2, 3, "parallel")
    _check_angle(lines, 3, 4, "at right angles")
    _check_angle(lines, 4, 5, "at right angles")
    _check_angle(lines, 5, 6, "at right angles")

    # the wrist centre is where axes 4 and 5 meet, and axis 6 goes through it
    centre = points[3] + ((points[4] - points[3]) @ lines[3]) * lines[3]
    for i in (4, 5, 6):
        gap = float(np.linalg.norm(np.cross(centre - points[i - 1], lines[i - 1])))
        if gap > LOOSE * scale:
            raise ModelError(
                "axes 4, 5 and 6 of an arm must meet in one point (a spherical "
                f"wrist), but axis {i} passes {_text(centre)} at a distance of "
                f"{gap:.3g}; its size is {scale:.3g}: use a solver such as 'dls'"
            )

    # the base: its foot next to the origin, axis 2 not below and not behind it
    signs = np.ones(6)
    up = lines[0]
    foot = points[0] - (points[0] @ up) * up
    if (points[1] - foot) @ up < 0.0:
        signs[0], up = -1.0, -up
    left = lines[1] - (lines[1] @ up) * up
    left /= np.linalg.norm(left)
    if (points[1] - foot) @ np.cross(left, up) < -LOOSE * scale:
        signs[1], left = -1.0, -left
    base = np.stack([np.cross(left, up), left, up], axis=1)
    shoulder, elbow, wrist = ((p - foot) @ base for p in (points[1], points[2], centre))
    upper = elbow - shoulder
    c2 = float(np.hypot(upper[0], upper[2]))
    if c2 <= LOOSE * scale:
        raise ModelError("axes 2 and 3 of an arm coincide, so it has no upper arm")
    t2 = np.arctan2(upper[0], upper[2])

    # the forearm: axis 4 points from the elbow to the wrist
    signs[2] = np.sign(lines[2] @ left)
    along = lines[3] @ base
    forearm = wrist - elbow
    if forearm @ along < 0.0:
        signs[3], along = -1.0, -along
    t23 = np.arctan2(along[0], along[2])
    frame = base @ _about_y(t23)
    a2, _, c3 = (centre - foot - base @ elbow) @ frame
    if np.hypot(a2, c3) <= LOOSE * scale:
        raise ModelError("the wrist of an arm is on axis 3, so it has no forearm")

    # the wrist: each angle from the direction of the next axis in its frame
    x, y, _ = lines[4] @ frame
    t4 = np.arctan2(-x, y)
    frame = frame @ _about_z(t4)
    x, _, z = lines[5] @ frame
    t5 = np.arctan2(x, z)
    frame = frame @ _about_y(t5)
    return ArmGeometry(
        a1=float(shoulder[0]),
        a2=float(a2),
        b=float(wrist[1]),
        c1=float(shoulder[2]),
        c2=c2,
        c3=float(c3),
        signs=signs,
        offsets=-np.array([0.0, t2, t23 - t2, t4, t5, 0.0]),
        base_position=foot,
        base_rotation=base,
        tool_position=rotation.T @ (tip - centre),
        tool_rotation=frame.T @ rotation,
    )


def _check_rotation(rotation: Floats, what: str) -> None:
    """Raise unless a matrix (3, 3) is a rotation."""
    if (
        np.abs(rotation.T @ rotation - np.eye(3)).max() > LOOSE
        or np.linalg.det(rotation) < 0.0
    ):
        raise ModelError(f"{what} of an arm is not a rotation: {rotation.tolist()}")


def _check_angle(lines: Floats, i: int, j: int, what: str) -> None:
    """Raise unless axes i and j (from 1) are at the angle that ``what`` names."""
    dot = float(lines[i - 1] @ lines[j - 1])
    cross = float(np.linalg.norm(np.cross(lines[i - 1], lines[j - 1])))
    if (cross if what == "parallel" else abs(dot)) > LOOSE:
        angle = np.degrees(np.arctan2(cross, abs(dot)))
        raise ModelError(
            f"axes {i} and {j} of an arm must be {what}, but the angle between them "
            f"is {angle:.6g}°: use a solver such as 'dls'"
        )


def _about_y(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _about_z(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _text(point: Floats) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in point) + ")"
