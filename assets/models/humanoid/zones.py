"""The paints, and the zones that each piece of the figure is cut into."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import shape
from .fields import Field, ellipsoid
from .skeleton import Bone, Floats


@dataclass(frozen=True)
class Paint:
    """How a zone looks.

    Attributes:
        colour: sRGB, 0..1.
        finish: Roughness, metal, glow.
        depth: How far it lies below the zone around it [scene unit].
    """

    colour: tuple[float, float, float]
    finish: tuple[float, float, float]
    depth: float = 0.0


SHELL, JOINT, ACCENT, VISOR, LAMP, SOLE, GLOVE = range(7)
PAINTS = (
    Paint((0.86, 0.865, 0.87), (0.36, 0.0, 0.0)),
    Paint((0.115, 0.125, 0.145), (0.55, 0.0, 0.0), 0.004),
    Paint((0.93, 0.36, 0.07), (0.34, 0.0, 0.0)),
    Paint((0.03, 0.035, 0.045), (0.12, 0.0, 0.0), 0.002),
    Paint((0.35, 0.80, 1.0), (0.4, 0.0, 1.4), 0.001),
    Paint((0.16, 0.17, 0.19), (0.7, 0.0, 0.0)),
    Paint((0.27, 0.285, 0.31), (0.5, 0.0, 0.0), 0.002),
)


@dataclass(frozen=True)
class Zone:
    """Where a paint is.

    Attributes:
        paint: Index into `PAINTS`.
        borders: Fields that are all negative there.
        small: Whether the mesh must be finer for it.
    """

    paint: int
    borders: tuple[Field, ...]
    small: bool = False

    def widened(self, margin: float) -> Field:
        """Return one field that is negative there and a little beyond."""
        return lambda p: np.max([line(p) for line in self.borders], axis=0) - margin


def body_zones(bones: dict[str, Bone]) -> tuple[Zone, ...]:
    """Return the joints, the bands on the arms and the lamp on the chest."""
    shoulder, elbow = bones["LeftArm"], bones["LeftForeArm"]
    out = shoulder.axes[:, 1]
    length = float(np.linalg.norm(elbow.place - shoulder.place))

    def along(p: Floats) -> Floats:
        way: Floats = (p - shoulder.place) @ out
        return way

    def on_arm(p: Floats) -> Floats:
        return shape.arm(p) - shape.torso(p) - 0.02

    def neck(p: Floats) -> Floats:
        return np.hypot(p[:, 0], p[:, 1] - 0.016) - 0.088

    def core(p: Floats) -> Floats:
        return np.hypot(p[:, 0], p[:, 2] - 1.345) - 0.022

    def armhole(p: Floats) -> Floats:
        return shape.arm(p) - shape.torso(p)

    def height(p: Floats) -> Floats:
        """How high on the waist's line, which falls to the middle."""
        up: Floats = p[:, 2] - 1.105 - 5.0 * p[:, 0] ** 2
        return up

    def groin(p: Floats) -> Floats:
        across: Floats = (p - (0.025, 0.0, 0.872)) @ np.array((-0.60, 0.0, 0.80))
        return across

    def knee(p: Floats) -> Floats:
        return p[:, 2] - 0.505 - 0.25 * p[:, 1]

    return (
        Zone(JOINT, (neck, lambda p: 1.41 - p[:, 2])),
        Zone(JOINT, (*_band(height, -0.036, 0.036), lambda p: p[:, 2] - 1.3)),
        Zone(JOINT, _band(armhole, -0.018, 0.012)),
        Zone(JOINT, (*_band(along, length - 0.034, length + 0.034), on_arm)),
        Zone(JOINT, (lambda p: length + 0.20 - along(p), on_arm)),
        Zone(JOINT, (*_band(groin, -0.016, 0.016), lambda p: p[:, 0] - 0.25)),
        Zone(JOINT, _band(knee, -0.036, 0.036)),
        Zone(JOINT, (lambda p: p[:, 2] - 0.165,)),
        Zone(ACCENT, (*_band(along, 0.089, 0.121), on_arm)),
        Zone(LAMP, (core, lambda p: p[:, 1]), small=True),
    )


def head_zones() -> tuple[Zone, ...]:
    """Return visor, eyes, ears and what is below the jaw."""

    def visor(p: Floats) -> Floats:
        x, _, z = p.T
        edge = (np.abs(x / 0.068) ** 3 + np.abs((z - 1.63) / 0.045) ** 3) ** (1 / 3) - 1
        line: Floats = 0.05 * edge
        return line

    def eye(p: Floats) -> Floats:
        return np.hypot(p[:, 0] - 0.034, (p[:, 2] - 1.632) / 1.5) - 0.0095

    def ear(p: Floats) -> Floats:
        return np.hypot(p[:, 1] - 0.006, p[:, 2] - 1.628) - 0.019

    return (
        Zone(VISOR, (visor, lambda p: p[:, 1] + 0.02)),
        Zone(LAMP, (eye, lambda p: p[:, 1]), small=True),
        Zone(ACCENT, (ear, lambda p: 0.07 - p[:, 0]), small=True),
        Zone(JOINT, (lambda p: p[:, 2] - 1.548 + 0.3 * p[:, 1],)),
    )


def hand_zones(bones: dict[str, Bone]) -> tuple[Zone, ...]:
    """Return the plate on the back of the hand."""
    hand = bones["LeftHand"]

    def back(p: Floats) -> Floats:
        q = (p - hand.place) @ hand.axes
        return ellipsoid(q, (0.002, 0.050, -0.022), (0.036, 0.036, 0.020))

    return (Zone(SHELL, (back,)),)


def boot_zones() -> tuple[Zone, ...]:
    """Return sole, stripe, the crease over the ball, and the cuff."""

    def crease(p: Floats) -> Floats:
        return p[:, 1] + 0.25 * p[:, 2]

    return (
        Zone(SOLE, (lambda p: p[:, 2] - 0.019,)),
        Zone(ACCENT, _band(lambda p: p[:, 2], 0.019, 0.027)),
        Zone(JOINT, (*_band(crease, -0.122, -0.096), lambda p: 0.027 - p[:, 2])),
        Zone(JOINT, (lambda p: 0.105 - 0.25 * p[:, 1] - p[:, 2],)),
    )


def _band(field: Field, low: float, high: float) -> tuple[Field, Field]:
    """Return the borders of what lies between two values of a field."""
    return lambda p: low - field(p), lambda p: field(p) - high
