"""PoseHold: a pose that follows another, and smooths its jumps."""

from __future__ import annotations

from math import atan2, cos, sin

import panda3d.core as p3d

from ...math3d.springs import spring

TURNED = 20.0
"""Speed above which a rotation counts as a jump [rad/s]."""


class PoseHold:
    """A pose that follows another exactly, except for jumps, which it smooths.

    Args:
        position: Initial position.
        rotation: Initial rotation.
    """

    def __init__(self, position: p3d.LPoint3f, rotation: p3d.LQuaternionf) -> None:
        self.position, self.rotation = position, rotation
        self._last = position, rotation
        # remaining offset of a jump and its velocity: x, y, z; and as a rotation vector
        self._off = [(0.0, 0.0)] * 3
        self._twist = [(0.0, 0.0)] * 3

    def step(
        self,
        position: p3d.LPoint3f,
        rotation: p3d.LQuaternionf,
        most: float,
        rate: float,
        dt: float,
    ) -> None:
        """Follow to a new pose, dt seconds later.

        Args:
            position: Its position.
            rotation: Its rotation.
            most: Speed from which a movement is a jump [unit/s].
            rate: Rate at which the offset of a jump decays [1/s].
            dt: Time since the last step [s].
        """
        far = (position - self._last[0]).length()
        angle = _vector(self._last[1].conjugate() * rotation).length()
        if far > most * dt or angle > TURNED * dt:
            off = self.position - position
            twist = _vector(self.rotation * rotation.conjugate())
            self._off = [(x, v) for x, (_, v) in zip(off, self._off, strict=True)]
            self._twist = [(x, v) for x, (_, v) in zip(twist, self._twist, strict=True)]
        self._last = position, rotation
        self._off = [spring(x, v, 0.0, rate, dt) for x, v in self._off]
        self._twist = [spring(x, v, 0.0, rate, dt) for x, v in self._twist]
        self.position = position + p3d.LVector3f(*(x for x, _ in self._off))
        self.rotation = (
            _quaternion(p3d.LVector3f(*(x for x, _ in self._twist))) * rotation
        )


def _vector(rotation: p3d.LQuaternionf) -> p3d.LVector3f:
    """Return a rotation vector: the axis, scaled by the angle [rad]."""
    w, axis = rotation[0], p3d.LVector3f(rotation[1], rotation[2], rotation[3])
    if w < 0.0:
        w, axis = -w, -axis
    sine = axis.length()
    axis.normalize()
    return axis * (2.0 * atan2(sine, w))


def _quaternion(vector: p3d.LVector3f) -> p3d.LQuaternionf:
    """Return the rotation by a vector, the inverse of ``_vector``."""
    half = 0.5 * vector.length()
    axis = p3d.LVector3f(vector)
    axis.normalize()
    return p3d.LQuaternionf(cos(half), axis * sin(half))
