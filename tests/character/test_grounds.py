"""Triangles in a grid and heightfields, judged by looking at every triangle."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

import ikrig
from ikrig.character.ground_grid import make_grid
from ikrig.kernels import COMPILED


def highest(corners: np.ndarray, x: float, y: float, top: float):
    """Height and slope of the highest triangle below a point, by its plane; or None."""
    best = None
    for a, b, c in corners.reshape(-1, 3, 3):
        normal = np.cross(b - a, c - a)
        if normal[2] <= 1e-9:
            continue
        inside = all(
            (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0.0
            for p, q in ((a, b), (b, c), (c, a))
        )
        z = a[2] - (normal[0] * (x - a[0]) + normal[1] * (y - a[1])) / normal[2]
        if inside and z <= top and (best is None or z > best[0]):
            best = z, -normal[0] / normal[2], -normal[1] / normal[2]
    return best


def numbers(values: list[int]):
    return array("i", values) if COMPILED else values


def look(grid, x: float, y: float, top: float):
    if not grid.look(x, y, top):
        return None
    return grid.height, grid.rise_x, grid.rise_y


@pytest.mark.parametrize("moving", [False, True])
def test_a_grid_finds_the_highest_triangle(moving: bool) -> None:
    rng = np.random.default_rng(1)
    # small and large ones, some of them upright or upside down
    middle = rng.uniform(-5.0, 5.0, (200, 1, 3))
    size = rng.choice([0.2, 1.0, 6.0], (200, 1, 1))
    corners = (middle + size * rng.uniform(-1.0, 1.0, (200, 3, 3))).reshape(-1, 9)
    owners = np.repeat([0, 1, 2, 3], 50)
    hidden = numbers([0] * 4)
    grid = make_grid(corners, owners, [moving, False, moving, False], hidden)
    found = 0
    for x, y, top in rng.uniform(-7.0, 7.0, (400, 3)):
        wanted, seen = highest(corners, x, y, top), look(grid, x, y, top)
        assert (wanted is None) == (seen is None)
        if wanted is not None:
            found += 1
            assert seen == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert 100 < found < 400
    hidden[1] = 1
    for x, y, top in rng.uniform(-5.0, 5.0, (50, 3)):
        wanted = highest(corners[owners != 1], x, y, top)
        assert (wanted is None) == (look(grid, x, y, top) is None)


def test_what_moves_is_looked_at_where_it_is() -> None:
    square = np.array([(0, 0, 0, 1, 0, 0, 1, 1, 0), (0, 0, 0, 1, 1, 0, 0, 1, 0)], float)
    grid = make_grid(square, [0, 0], [True], numbers([0]))
    assert look(grid, 0.5, 0.5, 1.0) == (0.0, 0.0, 0.0)
    tilt = np.array([(1, 0, 0.5, 0), (0, 1, 0, 0), (0, 0, 1, 0), (4, 0, 2, 1)], float)
    mat = array("d", tilt.ravel()) if COMPILED else tilt.ravel().tolist()
    grid.place(0, mat)
    assert look(grid, 0.5, 0.5, 9.0) is None
    assert look(grid, 4.5, 0.5, 9.0) == pytest.approx((2.25, 0.5, 0.0))
    assert look(grid, 4.5, 0.5, 2.0) is None


def test_no_spot_is_between_two_triangles() -> None:
    rng = np.random.default_rng(3)
    x, y = np.meshgrid(np.linspace(-3, 3, 12), np.linspace(-3, 3, 12))
    points = np.stack((x, y, rng.uniform(0, 1, x.shape)), axis=-1).astype(np.float32)
    points[1:-1, 1:-1, :2] += rng.uniform(-0.1, 0.1, (10, 10, 2))
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    triangles = [np.stack((a, b, c), 2), np.stack((a, c, d), 2)]
    corners = np.concatenate([t.reshape(-1, 9) for t in triangles]).astype(float)
    grid = make_grid(corners, [0] * len(corners), [False], numbers([0]))
    # along edges, where rounding decides which one a spot is in
    for p, q in ((a, b), (a, c), (b, c)):
        for share in rng.uniform(0.0, 1.0, 5):
            for spot in (p + share * (q - p)).reshape(-1, 3)[:, :2]:
                assert grid.look(float(spot[0]), float(spot[1]), 9.0)


def test_a_heightfield_is_bilinear() -> None:
    rng = np.random.default_rng(2)
    heights = rng.uniform(-1.0, 1.0, (4, 6))
    field = ikrig.Heightfield(heights, (-2.0, 3.0), (5.0, 6.0))
    for u, v in [*rng.uniform(0.0, (5.0, 3.0), (100, 2)), (5.0, 3.0), (0.0, 0.0)]:
        i, j = min(int(u), 4), min(int(v), 2)
        a, b, c, d = *heights[j, i : i + 2], *heights[j + 1, i : i + 2]
        p, q = u - i, v - j
        wanted = (a * (1 - p) + b * p) * (1 - q) + (c * (1 - p) + d * p) * q
        assert field.height(u - 2.0, 3.0 + 2.0 * v) == pytest.approx(wanted)
    x, y, e = 0.3, 4.7, 1e-5
    assert field.kernel.look(x, y, 9.0)
    slope = field.kernel.rise_x, field.kernel.rise_y
    measured = (
        (field.height(x + e, y) - field.height(x - e, y)) / (2 * e),
        (field.height(x, y + e) - field.height(x, y - e)) / (2 * e),
    )
    assert slope == pytest.approx(measured, abs=1e-6)
    for spot in ((-2.01, 4.0), (3.01, 4.0), (0.0, 2.99), (0.0, 9.01)):
        assert field.height(*spot) is None
    heights[1, 2] = np.nan
    holed = ikrig.Heightfield(heights, (-2.0, 3.0), (5.0, 6.0))
    assert holed.height(0.5, 4.5) is None
    assert holed.height(2.5, 8.5) is not None


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (([1.0, 2.0],), r"heights .* shape \(2,\)"),
        (("rock",), "heights"),
        (([[0, 1]],), r"at least 2 rows"),
        (([[0, 1], [2, 3]], (0, "a")), "origin must be two numbers"),
        (([[0, 1], [2, 3]], (0, 0), (1, 0)), "size must be two numbers above 0"),
    ],
)
def test_bad_heightfields_are_refused(values, words: str) -> None:
    with pytest.raises(ikrig.SettingError, match=words):
        ikrig.Heightfield(*values)
