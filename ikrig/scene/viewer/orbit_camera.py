"""Orbit camera: right mouse orbits, middle mouse pans, the wheel zooms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import panda3d.core as p3d


@dataclass(frozen=True)
class View:
    """Position, direction and light of a camera.

    Attributes:
        focus: Point at the centre of the picture.
        distance: Distance from there to the camera [scene unit].
        heading: Rotation about z, 0 looks along +y [deg].
        pitch: Angle above the horizon, positive looks down [deg].
        radius: Radius of the scene around the focus; shadows cover it.
        fov: Vertical field of view [deg].
        daylight: Whether sky and paving replace the lamps and the floor of a studio.
    """

    focus: tuple[float, float, float] = (0.0, 0.0, 1.0)
    distance: float = 8.0
    heading: float = -30.0
    pitch: float = 18.0
    radius: float = 4.0
    fov: float = 30.0
    daylight: bool = False


class OrbitCamera:
    """Camera on a sphere around a focus, moved by screen deltas.

    Screen units are those of a window that spans [-1, 1] in both directions.
    """

    TURN = 110.0  # degrees for a drag over half a window
    PITCH_LIMITS = (-5.0, 88.0)

    def __init__(self, view: View | None = None) -> None:
        """Set the camera to ``view``."""
        self._home = view or View()
        self.reset()

    def reset(self, view: View | None = None) -> None:
        """Return to the first view, or set a new one."""
        self._home = view or self._home
        home = self._home
        self.focus = p3d.LPoint3(*home.focus)
        self.heading, self.pitch = home.heading, home.pitch
        self.distance = home.distance

    @property
    def fov(self) -> float:
        """Vertical field of view [deg]."""
        return self._home.fov

    def orbit(self, dx: float, dy: float) -> None:
        """Rotate about the focus; the scene follows the pointer."""
        self.heading -= dx * self.TURN
        low, high = self.PITCH_LIMITS
        self.pitch = max(low, min(high, self.pitch - dy * self.TURN))

    def pan(self, dx: float, dy: float, aspect: float = 1.0) -> None:
        """Move the focus so that it stays under the pointer."""
        half = self.distance * math.tan(math.radians(0.5 * self.fov))
        right, _, up = self.axes()
        self.focus -= right * (dx * half * aspect) + up * (dy * half)

    def zoom(self, steps: float) -> None:
        """Move closer (positive) or away by steps of a mouse wheel."""
        home = self._home.distance
        distance = self.distance * 0.9**steps
        self.distance = max(0.15 * home, min(6.0 * home, distance))

    def place(self, eye: p3d.LPoint3, focus: p3d.LPoint3) -> None:
        """Look from one point at another, world."""
        direction = focus - eye
        self.focus, self.distance = p3d.LPoint3(focus), direction.length()
        self.heading = math.degrees(math.atan2(-direction.x, direction.y))
        self.pitch = math.degrees(
            math.atan2(-direction.z, math.hypot(direction.x, direction.y))
        )

    def axes(self) -> tuple[p3d.LVector3, p3d.LVector3, p3d.LVector3]:
        """Return the right, forward and up directions, unit, world."""
        h, p = math.radians(self.heading), math.radians(self.pitch)
        right = p3d.LVector3(math.cos(h), math.sin(h), 0.0)
        forward = p3d.LVector3(
            -math.sin(h) * math.cos(p), math.cos(h) * math.cos(p), -math.sin(p)
        )
        return right, forward, right.cross(forward)

    def position(self) -> p3d.LPoint3:
        """Return the position of the camera, world."""
        return self.focus - self.axes()[1] * self.distance

    def apply(self, camera: p3d.NodePath) -> None:
        """Set a camera node that is directly below the scene."""
        camera.set_pos(self.position())
        camera.set_hpr(self.heading, -self.pitch, 0.0)
