"""Viewpoint of a camera in double precision: conversion between screen and world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats

Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]
Point = Sequence[float] | p3d.LVecBase3d | Floats  # three numbers

FALLBACK_HEIGHT = 720  # [pixel], for a camera without a window
REFERENCE_HEIGHT = 720.0  # [pixel], window height that screen sizes refer to

ORIGIN: Vec3 = (0.0, 0.0, 0.0)

_TINY = 1e-12
FAR = 1e18  # [scene unit]; drawings are single precision, including squares
_WIDEST = 1e12  # tangent of half the field of view


class ScreenPoint(NamedTuple):
    """A point on the screen: position from -1 to 1, from the left and the bottom."""

    x: float
    y: float
    w: float  # homogeneous divisor; grows with the distance under perspective
    depth: float  # from the near plane (-1) to the far plane (1)


@dataclass(frozen=True, eq=False)
class View:
    """A camera at one instant; every kind of lens is one 4 x 4 matrix here."""

    matrix: p3d.LMatrix4d
    right: p3d.LVector3d
    up: p3d.LVector3d
    forward: p3d.LVector3d
    scale_x: float  # screen x of one unit along ``right``, times ``w``
    scale_y: float
    width: float  # of the window [pixel]
    height: float
    scale: float = 1.0

    @classmethod
    def of(
        cls,
        to_camera: p3d.LMatrix4f,
        to_film: p3d.LMatrix4f,
        size: tuple[float, float],
        scale: float = 1.0,
    ) -> View | None:
        """Return the view of a camera, by its matrix and the projection of its lens.

        None where nothing is visible: the lens has no extent or a matrix is not finite.
        """
        matrix = double(to_camera) * double(to_film)
        if not all(math.isfinite(cell) for row in matrix for cell in row):
            return None
        c0, c1, c2, c3 = (p3d.LVector3d(matrix.get_col(k).xyz) for k in range(4))
        # under perspective, w grows forwards; otherwise depth does
        forward = c3 if c3.length() >= _TINY else c2
        extent = forward.length()
        if extent < _TINY:
            return None
        forward = forward / extent
        right, up = (column - forward * column.dot(forward) for column in (c0, c1))
        scale_x, scale_y = right.length(), up.length()
        least = min(scale_x, scale_y)
        if least < _TINY:
            return None
        # a pixel's size must fit single precision everywhere
        most = abs(c3.x) + abs(c3.y) + abs(c3.z) + abs(matrix.get_cell(3, 3)) / FAR
        if most > _WIDEST * least:
            return None
        right, up = right / scale_x, up / scale_y
        return cls(matrix, right, up, forward, scale_x, scale_y, *size, scale)

    @property
    def unit(self) -> float:
        return self.scale * min(3.0, max(0.6, self.height / REFERENCE_HEIGHT))

    @cached_property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """For many points at once.

        The matrix, (4, 4); half the size of the window [pixel], (2,); one pixel to the
        right and one upwards, world space, for a divisor of 1, (2, 3).
        """
        x, y = 2.0 / (self.scale_x * self.width), self.pixel(1.0)
        pixel = np.array((self.right * x, self.up * y))
        half = 0.5 * np.array((self.width, self.height))
        return np.array(self.matrix), half, pixel

    def project(self, point: Point) -> ScreenPoint | None:
        """Return the screen position of a world-space point, even outside the window.

        None when it is nearer than the near plane or beyond the far plane.
        """
        px, py, pz = point
        x, y, z, w = self.matrix.xform(p3d.LVecBase4d(px, py, pz, 1.0))
        if w < _TINY or not -w <= z <= w:
            return None
        return ScreenPoint(x / w, y / w, w, z / w)

    def pixels(self, points: Floats) -> Floats:
        """Return positions in the window [pixel], (n, 2); NaN where there is none."""
        matrix, half, _ = self.arrays
        clip = points @ matrix[:3] + matrix[3]
        w = clip[:, 3:]
        seen = (w >= _TINY) & (abs(clip[:, 2:3]) <= w)
        return np.where(seen, clip[:, :2] / np.where(seen, w, 1.0) * half, np.nan)

    def pixel(self, w: float) -> float:
        """Return the world size of one pixel [scene unit] for a divisor ``w``."""
        return 2.0 * w / (self.scale_y * self.height)

    def pixels_between(self, x0: float, y0: float, x1: float, y1: float) -> float:
        """Return the distance between two window positions [pixel]."""
        return math.hypot((x1 - x0) * self.width, (y1 - y0) * self.height) * 0.5

    def on_screen_plane(self, x: float, y: float, through: Point) -> Vec3 | None:
        return self.on_plane(x, y, through, self.forward)

    def on_plane(
        self,
        x: float,
        y: float,
        through: Point,
        normal: Point,
        *,
        min_sine: float = 0.0,
    ) -> Vec3 | None:
        """Return the point of a plane under a window position, also behind the eye.

        None when the sine of the angle between ray and plane is less than ``min_sine``.
        """
        facing, (start, ray) = p3d.LVector3d(*normal), self.sight(x, y)
        sine = ray.dot(facing)
        if abs(sine) <= max(min_sine, _TINY * facing.length()):
            return None
        px, py, pz = start + ray * (facing.dot(p3d.LPoint3d(*through) - start) / sine)
        return px, py, pz

    def ray(self, x: float, y: float) -> p3d.LVector3d | None:
        _, ray = self.sight(x, y)
        return ray if ray.length_squared() > 0.5 else None

    def sight(self, x: float, y: float) -> tuple[p3d.LPoint3d, p3d.LVector3d]:
        """Return where the ray of a window position starts, and its direction.

        The direction is 0 if the lens has none there.
        """
        # homogeneous: the far plane may be infinite
        near, far = (
            self._back.xform(p3d.LVecBase4d(x, y, depth, 1.0)) for depth in (-1.0, 1.0)
        )
        ray = p3d.LVector3d(far.xyz * near[3] - near.xyz * far[3])
        size = ray.length()
        if not size > 0.0 or not near[3]:
            return p3d.LPoint3d(0.0), p3d.LVector3d(0.0)
        ray /= size if ray.dot(self.forward) >= 0.0 else -size
        return p3d.LPoint3d(near.xyz / near[3]), ray

    @cached_property
    def _back(self) -> p3d.LMatrix4d:
        back = p3d.LMatrix4d()
        return back if back.invert_from(self.matrix) else p3d.LMatrix4d.zeros_mat()

    def depth(self, w: float) -> float | None:
        """Return the distance from the eye for a divisor, along its axis [scene unit].

        None under orthographic lenses, where distance has no effect on size.
        """
        extent = self.matrix.get_col(3).xyz.length()
        return w / extent if extent > _TINY else None

    def on_axis(
        self, x: float, y: float, start: Point, axis: Point, *, min_sine: float
    ) -> float | None:
        """Return the distance from the start of a line to its point nearest to a ray.

        None when the sine of the angle between ray and line is less than ``min_sine``.
        """
        origin = self.on_screen_plane(x, y, start)
        ray = self.ray(x, y)
        if origin is None or ray is None:
            return None
        direction = p3d.LVector3d(*axis)
        cosine = direction.dot(ray)
        sine_squared = 1.0 - cosine * cosine
        if sine_squared < min_sine * min_sine:
            return None
        gap = p3d.LVector3d(*start) - p3d.LVector3d(*origin)
        return (cosine * ray.dot(gap) - direction.dot(gap)) / sine_squared


class Viewpoint:
    """A camera of a scene, read once per frame or more often."""

    def __init__(
        self, render: p3d.NodePath, camera: p3d.NodePath, source: p3d.LensNode
    ) -> None:
        self._render, self._camera, self._source = render, camera, source
        self.scale = 1.0
        self._seen: object = None
        self._view: View | None = None

    def view(self) -> View | None:
        """Return its current view; None if it is out of the scene or sees nothing."""
        lens = self._source.get_lens()
        if lens is None or not in_scene(self._render, self._camera):
            return None
        to_camera = relative_matrix(self._render, self._camera)
        if to_camera is None:
            return None
        film = p3d.LMatrix4f(lens.get_projection_mat())
        now = (to_camera, film, _window_size(self._source, lens), self.scale)
        if now != self._seen:
            self._seen, self._view = now, View.of(*now)
        return self._view

    def place(
        self, window: p3d.GraphicsOutput | None, x: float, y: float
    ) -> tuple[float, float]:
        """Return a position in a window as one in the camera's region of it.

        Both from -1 to 1. Of several regions it is that of the position, else the first
        one; unchanged if there is none.
        """
        source, found = self._source, []
        for region in source.display_regions if isinstance(source, p3d.Camera) else ():
            left, right, bottom, top = region.get_dimensions()
            if region.get_window() == window and right > left and top > bottom:
                across, up = x + 1.0 - left - right, y + 1.0 - bottom - top
                found.append((across / (right - left), up / (top - bottom)))
        inside = (spot for spot in found if max(map(abs, spot)) <= 1.0)
        return next(inside, found[0] if found else (x, y))


def to_window(region: p3d.DisplayRegion, x: float, y: float) -> tuple[float, float]:
    """Return a position in a region, from -1 to 1, as one in its window."""
    left, right, bottom, top = region.get_dimensions()
    return x * (right - left) + left + right - 1.0, y * (
        top - bottom
    ) + bottom + top - 1.0


def double(mat: p3d.LMatrix4f) -> p3d.LMatrix4d:
    return p3d.LMatrix4d(*(cell for row in mat for cell in row))


def in_scene(render: p3d.NodePath, node: p3d.NodePath) -> bool:
    """Return whether a node is in the scene; any handle may have removed it."""
    # much faster than render.is_same_graph(node)
    return not node.is_empty() and node.get_top() == render.get_top()


def world_position(
    render: p3d.NodePath, node: p3d.NodePath, point: Vec3 = ORIGIN
) -> Vec3 | None:
    """Return a point of a node, world space; None if it is not finite."""
    try:
        if point is ORIGIN:
            x, y, z = node.get_pos(render)
        else:
            x, y, z = render.get_relative_point(node, point)
    except AssertionError:  # Panda3D refuses infinite positions
        return None
    # written so that what is not a number is out of bounds
    return (x, y, z) if abs(x) + abs(y) + abs(z) < FAR else None


def relative_matrix(node: p3d.NodePath, other: p3d.NodePath) -> p3d.LMatrix4f | None:
    """Return the matrix from a node's space to another's; None if there is none."""
    try:
        state = node.get_transform(other)
    except AssertionError:  # Panda3D refuses numbers that are not finite
        return None
    # a scale of 0 above the other node has no inverse
    return None if state.is_invalid() else p3d.LMatrix4f(state.get_mat())


def _window_size(source: p3d.LensNode, lens: p3d.Lens) -> tuple[float, float]:
    if isinstance(source, p3d.Camera) and source.get_num_display_regions():
        region = source.get_display_region(0)
        width, height = region.get_pixel_width(), region.get_pixel_height()
        if width > 0 and height > 0:
            return float(width), float(height)
    aspect = lens.get_aspect_ratio()
    if not _TINY < aspect < 1.0 / _TINY:
        aspect = 1.0
    return FALLBACK_HEIGHT * aspect, float(FALLBACK_HEIGHT)
