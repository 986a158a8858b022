"""Corners of what gizmos draw, in pixels, by Panda3D's own lenses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig.scene.gizmos.canvas import Canvas, Sheet
from ikrig.scene.gizmos.meshes import BONE, DOT, ICONS
from tests import reference

from .stage import columns
from .test_view import camera

COLOR = (1.0, 0.5, 0.2, 1.0)
NEAR = 0.5
SEEDS = range(8)
RIBBON = ((-1, -2.4), (-1, -0.5), (-1, 0.5), (1, -0.5), (1, 0.5), (1, 2.4))
"""Half widths and pixels to the left of a line's corners."""


class Screen:
    """A camera, and where points are in its window."""

    def __init__(self, seed: int) -> None:
        self.render, self.lens, self.node, self.view = camera(seed)
        self.rng = np.random.default_rng(seed)
        self.canvas = Canvas(self.render, p3d.PandaNode("regions"))

    def drawn(self, sheet: Sheet) -> np.ndarray:
        """Draw all; the vertices of a sheet, world space."""
        self.canvas.draw(self.view)
        return columns(sheet.node.get_geom(0))[0].astype(float)

    def line(
        self, start: Any, end: Any, width: float, *, dashed: bool = False
    ) -> np.ndarray:
        """The corners of a line alone, (pieces, 6 from right to left, 2 ends, 3)."""
        self.canvas.clear()
        ends = tuple(start), tuple(end)
        self.canvas.skeleton.line(*ends, COLOR, width, dashed=dashed)
        return self.drawn(self.canvas.skeleton).reshape(-1, 6, 2, 3)

    def world(self, *place: float) -> np.ndarray:
        """A point that the camera has there: right, forward, up."""
        return np.array(self.render.get_relative_point(self.node, place))

    def any_point(self, nearest: float = 2.0) -> np.ndarray:
        forward = self.rng.uniform(nearest, 20.0)
        return self.world(self.rng.uniform(-3, 3), forward, self.rng.uniform(-3, 3))

    def pixels(self, points: np.ndarray) -> np.ndarray:
        found = []
        for point in points.reshape(-1, 3):
            spot = p3d.LPoint3()
            own = self.node.get_relative_point(self.render, tuple(point.tolist()))
            self.lens.project(own, spot)
            found.append((spot.x * self.view.width / 2, spot.y * self.view.height / 2))
        return np.array(found)

    def ahead(self, point: np.ndarray) -> float:
        return self.node.get_relative_point(self.render, tuple(point.tolist())).y

    def same(self, found: np.ndarray, wanted: Any) -> None:
        """Whether points are there, but for the single precision of the lens."""
        np.testing.assert_allclose(found, wanted, atol=1e-4 * self.view.width, rtol=0)


def across(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Along a line of the screen, and to its left."""
    along = reference.unit(end - start)
    return along, np.array((-along[1], along[0]))


@pytest.mark.parametrize("seed", SEEDS)
def test_lines_have_their_width_in_pixels(seed: int) -> None:
    screen = Screen(seed)
    for width in (0.1, 1.0, 3.0, 8.0):
        a, b = screen.any_point(), screen.any_point()
        (corners,) = screen.line(a, b, width)
        start, end = screen.pixels(np.stack((a, b)))
        _, left = across(start, end)
        half = max(0.5, 0.5 * width * screen.view.unit)
        offsets = np.array([halves * half + more for halves, more in RIBBON])
        wanted = [point + offsets[:, None] * left for point in (start, end)]
        screen.same(screen.pixels(corners), np.stack(wanted, 1).reshape(-1, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_lines_from_behind_begin_at_the_near_plane(seed: int) -> None:
    screen = Screen(seed)
    front, behind = screen.any_point(), screen.world(0.3, -2.0, 0.4)
    far, near = screen.ahead(front), screen.ahead(behind)
    cut = behind + (front - behind) * (NEAR - near) / (far - near)
    for ends, seen in (
        ((behind, front), (cut, front)),
        ((front, behind), (front, cut)),
    ):
        (corners,) = screen.line(*ends, 2.0)
        start, end = screen.pixels(np.stack(seen))
        found = screen.pixels(corners).reshape(6, 2, 2)
        # the middle of the line, whatever is left and right
        scale = max(1.0, np.abs((start, end)).max() / screen.view.width)
        gaps = found[[0, 5]].mean(axis=0) - np.stack((start, end))
        assert np.abs(gaps).max() < 2e-4 * scale * screen.view.width
    # of one that is behind as a whole nothing is seen
    (corners,) = screen.line(behind, screen.world(-0.5, -3.0, 0.1), 2.0)
    assert np.abs(np.diff(corners, axis=1)).max() < 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_dashes_are_equally_long_on_the_screen(seed: int) -> None:
    screen = Screen(seed)
    for _ in range(3):
        a, b = screen.any_point(), screen.any_point()
        corners = screen.line(a, b, 1.0, dashed=True)
        start, end = screen.pixels(np.stack((a, b)))
        length = np.linalg.norm(end - start)
        along, _ = across(start, end)
        # 6 pixels and a gap of 5, or 80 dashes in all
        unit = screen.view.unit
        period = max(11.0 * unit, length / 80.0)
        rows = screen.pixels(corners).reshape(-1, 6, 2, 2)[:, [0, 5]].mean(1)
        count = math.ceil(length / period)
        assert len(rows) % 16 == 0 and count <= len(rows) < count + 17
        wanted = period * np.arange(len(rows))[:, None] + [0.0, 6.0 / 11.0 * period]
        wanted = np.minimum(wanted, length)
        screen.same((rows - start) @ along, wanted)


@pytest.mark.parametrize("seed", SEEDS)
def test_bones_are_as_wide_as_long_ones_look(seed: int) -> None:
    screen = Screen(seed)
    view, unit = screen.view, screen.view.unit
    starts = [screen.any_point() for _ in range(6)]
    steps = [screen.rng.normal(size=3) * size for size in (0.1, 0.5, 1, 2, 3, 4)]
    ends = [start + step for start, step in zip(starts, steps, strict=True)]
    pairs = [
        (a, b)
        for a, b in zip(starts, ends, strict=True)
        if screen.ahead(b) > 1.0 and view.project(tuple(a)) and view.project(tuple(b))
    ]
    assert len(pairs) > 2
    joints = [tuple(x) for pair in pairs for x in pair]
    parents = [-1 if k % 2 == 0 else k - 1 for k in range(len(joints))]
    screen.canvas.skeleton.bones(joints, parents, COLOR)
    drawn = screen.drawn(screen.canvas.skeleton)
    fraction = BONE.weights[:, 1]
    halves, left, ahead = (BONE.weights[:, k : k + 2].sum(axis=1) for k in (2, 5, 7))
    corners = drawn[: len(pairs) * len(fraction)].reshape(len(pairs), -1, 3)
    for (a, b), points in zip(pairs, corners, strict=True):
        start, end = screen.pixels(np.stack((a, b)))
        along, side = across(start, end)
        # lit from the upper left
        if side @ (-0.6, 0.8) < 0.0:
            side = -side
        w = 0.5 * (view.project(tuple(a)).w + view.project(tuple(b)).w)
        half = 0.075 * np.linalg.norm(b - a) / view.pixel(w)
        half = max(min(half, 11.0 * unit), 2.5 * unit)
        half = min(half, 0.3 * np.linalg.norm(end - start) + 1.0)
        middle = screen.pixels(a + fraction[:, None] * (b - a))
        wanted = middle + (halves * half + left)[:, None] * side
        screen.same(screen.pixels(points), wanted + ahead[:, None] * along)
    # then the joints
    dots = drawn[len(pairs) * len(fraction) :].reshape(len(joints), -1, 3)
    for joint, points in zip(joints, dots, strict=True):
        (center,) = screen.pixels(np.array(joint))
        screen.same(screen.pixels(points), center + 4.6 * unit * flat(DOT))


def flat(mesh: Any) -> np.ndarray:
    """Corners of an icon of radius 1 in the plane of the screen: right, up."""
    return np.stack((-mesh.weights[:, 2], mesh.weights[:, 4]), axis=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_icons_have_their_radius_in_pixels(seed: int) -> None:
    screen = Screen(seed)
    marks = [
        (ICONS["hollow"], screen.any_point(), 9.0),
        (DOT, screen.any_point(), 4.0),
        (ICONS["sphere"], screen.any_point(), 17.0),
    ]
    for mesh, center, radius in marks:
        screen.canvas.knobs.icon(mesh, tuple(center), radius, COLOR)
    drawn, first = screen.drawn(screen.canvas.knobs), 0
    for mesh, center, radius in marks:
        points = drawn[first : first + len(mesh.weights)]
        first += len(points)
        wanted = screen.pixels(center) + radius * screen.view.unit * flat(mesh)
        screen.same(screen.pixels(points), wanted)


@pytest.mark.parametrize("mesh", [*ICONS.values(), DOT], ids=[*ICONS, "dot"])
def test_edges_of_icons_fade_over_a_pixel_or_more(mesh: Any) -> None:
    """Smooth without multisampling: nothing solid is next to nothing."""
    size, alpha = np.linalg.norm(flat(mesh), axis=1), mesh.styles[:, 2]
    solid, clear = size[alpha > 0.9], size[alpha == 0.0]
    assert clear.max() > solid.max() + 0.07
    # of the handle's radius, 14 pixels of a 720-line window
    assert 0.9 < solid.max() < 1.1 if mesh is not DOT else solid.max() == 0.8
