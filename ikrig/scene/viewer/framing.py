"""Camera views in which everything is visible."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats
from ..rig_builder import Rig
from .orbit_camera import OrbitCamera, View

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
        for x in (ends[0].x, ends[1].x):
            for y in (ends[0].y, ends[1].y):
                for z in (ends[0].z, ends[1].z):
                    yield x, y, z


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
