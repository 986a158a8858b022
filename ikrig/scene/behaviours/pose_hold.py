"""PoseHold: a pose that follows another one, and gently where that one jumps."""

from __future__ import annotations

from math import atan2, cos, sin

import panda3d.core as p3d

from ...math3d.springs import spring

TURNED = 20.0
"""Speed above which a rotation counts as jumping [rad/s]."""


class PoseHold:
    """A pose that follows another one exactly, and gently where that one jumps.

    Args:
        position: Where it is at first.
        rotation: How it is turned.
    """

    def __init__(self, position: p3d.LPoint3f, rotation: p3d.LQuaternionf) -> None:
        self.position, self.rotation = position, rotation
        self._last = position, rotation
        # what is left of a jump, and how fast it passes: x, y, z and a rotation vector
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
            position: Where that is.
            rotation: How it is turned.
            most: From this speed on it is a jump [unit/s].
            rate: How fast what is left of a jump passes [1/s].
            dt: The time [s].
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
    """Return a rotation as its axis, as long as its angle [rad]."""
    w, axis = rotation[0], p3d.LVector3f(rotation[1], rotation[2], rotation[3])
    if w < 0.0:
        w, axis = -w, -axis
    sine = axis.length()
    axis.normalize()
    return axis * (2.0 * atan2(sine, w))


def _quaternion(vector: p3d.LVector3f) -> p3d.LQuaternionf:
    """Return the rotation of a vector as ``_vector`` gives."""
    half = 0.5 * vector.length()
    axis = p3d.LVector3f(vector)
    axis.normalize()
    return p3d.LQuaternionf(cos(half), axis * sin(half))
