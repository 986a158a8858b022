"""Viewpoint of a camera in plain numbers: conversion between screen and world."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import panda3d.core as p3d

Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]
Rows = tuple[Vec4, Vec4, Vec4, Vec4]
Vec = Vec3 | Vec4  # the fourth number is not used

FALLBACK_HEIGHT = 720  # [pixel], for a camera without a window
REFERENCE_HEIGHT = 720.0  # [pixel], window height that screen sizes refer to

ORIGIN: Vec3 = (0.0, 0.0, 0.0)

_TINY = 1e-12
FAR = 1e18  # [scene unit]; drawings are single precision, including squares
_WIDEST = 1e12  # tangent of half the field of view


class ScreenPoint(NamedTuple):
    """A point on the screen.

    Attributes:
        x: Position from the left (-1) to the right (1) of the window.
        y: Position from the bottom (-1) to the top (1) of the window.
        w: Homogeneous divisor; grows with the distance under perspective.
        depth: Depth from the near plane (-1) to the far plane (1).
    """

    x: float
    y: float
    w: float
    depth: float


@dataclass(frozen=True, slots=True)
class View:
    """A camera at one instant; every kind of lens is one 4 x 4 matrix here.

    Attributes:
        columns: Columns of the world-to-clip matrix (row vectors: ``clip = p @ M``).
        right: Unit direction of the screen's x axis, world space.
        up: Unit direction of the screen's y axis, world space.
        forward: Unit normal of the screen, away from the eye, world space.
        scale_x: Screen x of one unit along ``right``, times ``w``.
        scale_y: Screen y of one unit along ``up``, times ``w``.
        width: Width of the window [pixel].
        height: Height of the window [pixel].
        scale: Factor on ``unit``.
    """

    columns: Rows
    right: Vec3
    up: Vec3
    forward: Vec3
    scale_x: float
    scale_y: float
    width: float
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
        """Return the view of a camera.

        Args:
            to_camera: Matrix from world space to the camera's.
            to_film: Projection of the lens.
            size: Size of the window [pixel].

        Returns:
            The view, or None where nothing is visible: the lens has no extent or a
            matrix is not finite.
        """
        world, film = rows(to_camera), rows(to_film)
        c0, c1, c2, c3 = columns = (
            _column(world, film, 0),
            _column(world, film, 1),
            _column(world, film, 2),
            _column(world, film, 3),
        )
        if not all(map(math.isfinite, c0 + c1 + c2 + c3)):
            return None

        # under perspective, w grows forwards; otherwise depth does
        forward, extent = _unit(c3)
        if extent < _TINY:
            forward, extent = _unit(c2)
        right, scale_x = _unit(_reject(c0, forward))
        up, scale_y = _unit(_reject(c1, forward))
        least = min(scale_x, scale_y)
        if min(extent, least) < _TINY:
            return None
        # a pixel's size must fit single precision everywhere
        if abs(c3[0]) + abs(c3[1]) + abs(c3[2]) + abs(c3[3]) / FAR > _WIDEST * least:
            return None
        return cls(columns, right, up, forward, scale_x, scale_y, *size, scale)

    @property
    def unit(self) -> float:
        """Pixels on the screen per pixel of a 720-line window."""
        return self.scale * min(3.0, max(0.6, self.height / REFERENCE_HEIGHT))

    def project(self, point: Vec3) -> ScreenPoint | None:
        """Return the screen position of a world-space point.

        Returns:
            The position, even outside the window; None when the point is nearer than
            the near plane (so also behind the eye) or beyond the far plane.
        """
        c0, c1, c2, c3 = self.columns
        px, py, pz = point
        z = c2[0] * px + c2[1] * py + c2[2] * pz + c2[3]
        w = c3[0] * px + c3[1] * py + c3[2] * pz + c3[3]
        if w < _TINY or not -w <= z <= w:
            return None
        x = c0[0] * px + c0[1] * py + c0[2] * pz + c0[3]
        y = c1[0] * px + c1[1] * py + c1[2] * pz + c1[3]
        return ScreenPoint(x / w, y / w, w, z / w)

    def pixel(self, w: float) -> float:
        """Return the world size of one pixel [scene unit] for a divisor ``w``."""
        return 2.0 * w / (self.scale_y * self.height)

    def pixels_between(self, x0: float, y0: float, x1: float, y1: float) -> float:
        """Return the distance between two window positions [pixel]."""
        return math.hypot((x1 - x0) * self.width, (y1 - y0) * self.height) * 0.5

    def on_screen_plane(self, x: float, y: float, through: Vec3) -> Vec3 | None:
        """Return the point under a window position, at the depth of another point.

        Args:
            x: Window position, -1 to 1.
            y: Window position, -1 to 1.
            through: Point of the plane that faces the camera, world space.

        Returns:
            The point, world space, or None when the view is degenerate.
        """
        return self.on_plane(x, y, through, self.forward)

    def on_plane(
        self, x: float, y: float, through: Vec3, normal: Vec3, *, min_sine: float = 0.0
    ) -> Vec3 | None:
        """Return the point of a plane under a window position, also behind the eye.

        Args:
            x: Window position, -1 to 1.
            y: Window position, -1 to 1.
            through: Point of the plane, world space.
            normal: Unit normal of the plane, world space.
            min_sine: Minimum sine of the angle between ray and plane.

        Returns:
            The point, world space, or None when the plane is seen too nearly edge on.
        """
        ray = self.ray(x, y) if min_sine > 0.0 else None
        if ray is not None and abs(dot(ray, normal)) < min_sine:
            return None
        nx, ny = self._sight_planes(x, y)
        return solve3(nx, ny, normal, (-nx[3], -ny[3], dot(normal, through)))

    def ray(self, x: float, y: float) -> Vec3 | None:
        """Return the unit direction of the ray of a window position, world space."""
        nx, ny = self._sight_planes(x, y)
        ray, size = _unit(_cross(nx, ny))
        if size < _TINY:
            return None
        if dot(ray, self.forward) < 0.0:
            ray = (-ray[0], -ray[1], -ray[2])
        return ray

    def depth(self, w: float) -> float | None:
        """Return the distance from the eye for a divisor, along its axis [scene unit].

        None under orthographic lenses, where distance has no effect on size.
        """
        c3 = self.columns[3]
        extent = math.hypot(c3[0], c3[1], c3[2])
        return w / extent if extent > _TINY else None

    def on_axis(
        self, x: float, y: float, start: Vec3, axis: Vec3, *, min_sine: float
    ) -> float | None:
        """Return the distance along a line to its point nearest to a window ray.

        Args:
            x: Window position, -1 to 1.
            y: Window position, -1 to 1.
            start: Point of the line, world space.
            axis: Unit direction of the line, world space.
            min_sine: Minimum sine of the angle between ray and line.

        Returns:
            Signed distance from ``start`` [scene unit], or None when ray and line are
            too nearly parallel.
        """
        origin = self.on_screen_plane(x, y, start)
        ray = self.ray(x, y)
        if origin is None or ray is None:
            return None
        cosine = dot(axis, ray)
        sine_squared = 1.0 - cosine * cosine
        if sine_squared < min_sine * min_sine:
            return None
        gap = (start[0] - origin[0], start[1] - origin[1], start[2] - origin[2])
        return (cosine * dot(ray, gap) - dot(axis, gap)) / sine_squared

    def _sight_planes(self, x: float, y: float) -> tuple[Vec4, Vec4]:
        # the ray of (x, y) is the intersection of these two planes; unlike a ray
        # between near and far plane this needs no far plane, which may be infinite
        c0, c1, _, c3 = self.columns
        return (
            (
                c0[0] - x * c3[0],
                c0[1] - x * c3[1],
                c0[2] - x * c3[2],
                c0[3] - x * c3[3],
            ),
            (
                c1[0] - y * c3[0],
                c1[1] - y * c3[1],
                c1[2] - y * c3[2],
                c1[3] - y * c3[3],
            ),
        )


class Viewpoint:
    """A camera of a scene, read once per frame or more often.

    Attributes:
        scale: Factor on the size of drawings.
    """

    def __init__(
        self, render: p3d.NodePath, camera: p3d.NodePath, source: p3d.LensNode
    ) -> None:
        """Store a camera.

        Args:
            render: The node whose space is world space here.
            camera: Node with the lens.
            source: Node that has the lens.
        """
        self._render = render
        self._camera = camera
        self._source = source
        self.scale = 1.0
        self._seen: Any = None
        self._view: View | None = None

    def view(self) -> View | None:
        """Return its current view; None if it is out of the scene or sees nothing."""
        lens = self._source.get_lens()
        if lens is None or not in_scene(self._render, self._camera):
            return None
        to_camera = relative_matrix(self._render, self._camera)
        if to_camera is None:
            return None
        now = (
            to_camera,
            p3d.LMatrix4f(lens.get_projection_mat()),
            _window_size(self._source, lens),
            self.scale,
        )
        if now != self._seen:
            self._seen, self._view = now, View.of(*now)
        return self._view


def solve3(a: Vec, b: Vec, c: Vec, rhs: Vec3) -> Vec3 | None:
    """Return the solution of three linear equations, rows a, b, c; None if singular."""
    bc = _cross(b, c)
    volume = dot(a, bc)
    size = math.sqrt(dot(a, a) * dot(b, b) * dot(c, c))
    if not math.isfinite(volume) or abs(volume) <= _TINY * size:
        return None
    ca, ab = _cross(c, a), _cross(a, b)
    return (
        (rhs[0] * bc[0] + rhs[1] * ca[0] + rhs[2] * ab[0]) / volume,
        (rhs[0] * bc[1] + rhs[1] * ca[1] + rhs[2] * ab[1]) / volume,
        (rhs[0] * bc[2] + rhs[1] * ca[2] + rhs[2] * ab[2]) / volume,
    )


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


def world_axes(
    render: p3d.NodePath, node: p3d.NodePath
) -> tuple[Vec3, Vec3, Vec3] | None:
    """Return a node's axes as unit vectors, world space; None if it has none."""
    try:
        quat = node.get_quat(render)
    except AssertionError:  # Panda3D refuses numbers that are not finite
        return None
    # for a mirrored or sheared node, the rotation that Panda3D finds
    if quat.is_nan() or not quat.normalize():
        return None
    right, forward, up = quat.get_right(), quat.get_forward(), quat.get_up()
    return tuple(right), tuple(forward), tuple(up)  # type: ignore[return-value]


def relative_matrix(node: p3d.NodePath, other: p3d.NodePath) -> p3d.LMatrix4f | None:
    """Return the matrix from a node's space to another's; None if there is none."""
    try:
        state = node.get_transform(other)
    except AssertionError:  # Panda3D refuses numbers that are not finite
        return None
    # a scale of 0 above the other node has no inverse
    return None if state.is_invalid() else p3d.LMatrix4f(state.get_mat())


def rows(mat: p3d.LMatrix4f) -> Rows:
    """Return the rows of a matrix."""
    a, b, c, d = ((row[0], row[1], row[2], row[3]) for row in mat)
    return a, b, c, d


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


def _column(a: Rows, b: Rows, k: int) -> Vec4:
    """Return one column of the product of two matrices."""
    b0, b1, b2, b3 = b[0][k], b[1][k], b[2][k], b[3][k]
    w, x, y, z = (r[0] * b0 + r[1] * b1 + r[2] * b2 + r[3] * b3 for r in a)
    return w, x, y, z


def dot(a: Vec, b: Vec) -> float:
    """Return the scalar product of the first three components."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def along(start: Vec3, direction: Vec3, distance: float) -> Vec3:
    """Return the point at a distance from another one."""
    (sx, sy, sz), (dx, dy, dz) = start, direction
    return (sx + distance * dx, sy + distance * dy, sz + distance * dz)


def _cross(a: Vec, b: Vec) -> Vec3:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def _reject(a: Vec, unit: Vec3) -> Vec3:
    """Return ``a`` without its component along a unit vector."""
    along = dot(a, unit)
    return (a[0] - along * unit[0], a[1] - along * unit[1], a[2] - along * unit[2])


def _unit(a: Vec) -> tuple[Vec3, float]:
    """Return the direction and the length of a vector."""
    size = math.sqrt(dot(a, a))
    if size < _TINY:
        return ORIGIN, 0.0
    return (a[0] / size, a[1] / size, a[2] / size), size
