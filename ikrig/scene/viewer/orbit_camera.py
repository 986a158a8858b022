"""Orbit camera, moved by a real mouse: it orbits, pans and zooms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import panda3d.core as p3d
from direct.showbase.DirectObject import DirectObject
from direct.showbase.ShowBase import ShowBase

from ...math3d.quaternion import Floats
from ..rig_builder import Rig


@dataclass(frozen=True)
class View:
    """Position, direction and light of a camera."""

    focus: tuple[float, float, float] = (0.0, 0.0, 1.0)
    distance: float = 8.0  # distance from there to the camera [scene unit]
    heading: float = -30.0  # rotation about z, 0 looks along +y [deg]
    pitch: float = 18.0  # angle above the horizon, positive looks down [deg]
    radius: float = 4.0  # radius of the scene around the focus; shadows cover it
    fov: float = 30.0  # vertical field of view [deg]
    daylight: bool = False


class OrbitCamera:
    """Camera on a sphere around a focus, moved by screen deltas.

    Screen units are those of a window that spans [-1, 1] in both directions.
    """

    TURN = 110.0  # degrees for a drag over half a window
    PITCH_LIMITS = (-5.0, 88.0)

    def __init__(self, view: View | None = None) -> None:
        self._home = view or View()
        self.reset()

    def reset(self, view: View | None = None) -> None:
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
        half = self.distance * math.tan(math.radians(0.5 * self.fov))
        right, _, up = self.axes()
        self.focus -= right * (dx * half * aspect) + up * (dy * half)

    def zoom(self, steps: float) -> None:
        """Move closer (positive) or away by steps of a mouse wheel."""
        home = self._home.distance
        distance = self.distance * 0.9**steps
        self.distance = max(0.15 * home, min(6.0 * home, distance))

    def place(self, eye: p3d.LPoint3, focus: p3d.LPoint3) -> None:
        direction = focus - eye
        self.focus, self.distance = p3d.LPoint3(focus), direction.length()
        self.heading = math.degrees(math.atan2(-direction.x, direction.y))
        self.pitch = math.degrees(
            math.atan2(-direction.z, math.hypot(direction.x, direction.y))
        )

    def axes(self) -> tuple[p3d.LVector3, p3d.LVector3, p3d.LVector3]:
        h, p = math.radians(self.heading), math.radians(self.pitch)
        right = p3d.LVector3(math.cos(h), math.sin(h), 0.0)
        forward = p3d.LVector3(
            -math.sin(h) * math.cos(p), math.cos(h) * math.cos(p), -math.sin(p)
        )
        return right, forward, right.cross(forward)

    def position(self) -> p3d.LPoint3:
        return self.focus - self.axes()[1] * self.distance

    def apply(self, camera: p3d.NodePath) -> None:
        camera.set_pos(self.position())
        camera.set_hpr(self.heading, -self.pitch, 0.0)


class CameraMouse(DirectObject):
    """Left and right button orbit, middle pans, the wheel zooms."""

    def __init__(
        self,
        base: ShowBase,
        orbit: OrbitCamera,
        taken: Callable[[], bool] = lambda: False,
    ) -> None:
        """Listen to a window's mouse; ``taken`` tells whether the left button drags."""
        super().__init__()
        self._base = base
        self._orbit = orbit
        self._taken = taken
        self._button = ""
        self._last = (0.0, 0.0)
        for name, action in (
            ("mouse1", "left"),
            ("mouse3", "orbit"),
            ("mouse2", "pan"),
        ):
            for prefix in ("", "shift-", "control-", "alt-"):
                self.accept(prefix + name, self._press, [action])
            self.accept(name + "-up", self._press, [""])
        self.accept("wheel_up", orbit.zoom, [1.0])
        self.accept("wheel_down", orbit.zoom, [-1.0])

    def update(self) -> None:
        last, now = self._last, self._mouse()
        dx, dy = now[0] - last[0], now[1] - last[1]
        if self._button == "left" and self._taken():
            self._button = ""
        if self._button in ("left", "orbit"):
            self._orbit.orbit(dx, dy)
        elif self._button == "pan":
            self._orbit.pan(dx, dy, self._base.get_aspect_ratio())

    def _press(self, action: str) -> None:
        self._mouse()
        self._button = action

    def _mouse(self) -> tuple[float, float]:
        """Return the mouse's position, or the last one that was in the window."""
        watcher = self._base.mouseWatcherNode
        if watcher is not None and watcher.has_mouse():
            self._last = float(watcher.get_mouse_x()), float(watcher.get_mouse_y())
        return self._last


FOV = 30.0
MARGIN = 1.18


def far_points(
    rig: Rig, space: p3d.NodePath, *, marked: bool
) -> Iterator[tuple[float, float, float]]:
    """Yield the corners of a rig's parts: geometry, joints, targets if marked."""
    nodes = list(rig.targets.values()) if marked else []
    for solved in (*rig.chains.values(), *rig.trees.values()):
        nodes += solved.bones
    for node in nodes:
        x, y, z = node.get_pos(space)
        yield x, y, z
    ends = space.get_tight_bounds(space)
    if ends is not None:
        yield from product(*zip(*ends, strict=True))


def framed(points: Floats, heading: float, pitch: float, aspect: float) -> View:
    """Return a view that shows all points (n, 3) and their projections on the floor."""
    camera = OrbitCamera(View(heading=heading, pitch=pitch))
    axes = np.array([list(axis) for axis in camera.axes()])
    # along right, forward and up
    low, high = points.min(axis=0), points.max(axis=0)
    on_floor = points * (1.0, 1.0, 0.0)
    positions = np.concatenate([points, on_floor]) @ axes.T
    half_up = math.tan(math.radians(0.5 * FOV)) / MARGIN
    half_right = half_up * aspect
    middle = 0.5 * (positions.min(axis=0) + positions.max(axis=0))
    distance = 0.0
    # near points look larger: the picture's centre is not the centre of the points
    for _ in range(8):
        away = positions - middle
        needed = np.maximum(
            np.abs(away[:, 0]) / half_right, np.abs(away[:, 2]) / half_up
        )
        distance = float(np.max(needed - away[:, 1]))
        depth = away[:, 1] + distance
        for axis in (0, 2):
            seen = away[:, axis] / depth
            shift = 0.5 * (seen.min() + seen.max())
            middle[axis] += shift * distance
    focus = middle @ axes
    radius = 0.5 * float(np.linalg.norm(high - low)) + 1.0
    return View(
        (float(focus[0]), float(focus[1]), float(focus[2])),
        distance,
        heading,
        pitch,
        radius,
        FOV,
    )
