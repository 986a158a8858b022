"""Triangle grids and heightfields, compared with a search over all triangles."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from ikrig.kernels.foot_ground import CallGround, FunctionGround, SpotGround

import ikrig
from ikrig.character import heightfield
from ikrig.character.heightfield import make_grid
from ikrig.kernels import COMPILED
from tests.interpreted import interpreted_kernel


def highest(corners: np.ndarray, x: float, y: float, top: float):
    """Height and slope of the highest triangle below a point, by its plane; or None."""
    a, b, c = corners.reshape(-1, 3, 3).transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    a, b, c, normals = (part[normals[:, 2] > 1e-9] for part in (a, b, c, normals))
    slopes = -normals[:, :2] / normals[:, 2:]
    z = a[:, 2] + (slopes * ((x, y) - a[:, :2])).sum(axis=1)
    there = z <= top
    for p, q in ((a, b), (b, c), (c, a)):
        there &= (q - p)[:, 0] * (y - p[:, 1]) >= (q - p)[:, 1] * (x - p[:, 0])
    if not there.any():
        return None
    k = np.flatnonzero(there)[z[there].argmax()]
    return z[k], *slopes[k]


def numbers(values: list[int]):
    return array("i", values) if COMPILED else values


def look(grid, x: float, y: float, top: float):
    if not grid.find_ground(x, y, top):
        return None
    return grid.height, grid.slope_x, grid.slope_y


@pytest.mark.parametrize("moving", [False, True])
def test_grid_finds_the_highest_triangle(moving: bool) -> None:
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


def test_moved_triangles_are_found_at_their_current_position() -> None:
    square = np.array([(0, 0, 0, 1, 0, 0, 1, 1, 0), (0, 0, 0, 1, 1, 0, 0, 1, 0)], float)
    grid = make_grid(square, [0, 0], [True], numbers([0]))
    assert look(grid, 0.5, 0.5, 1.0) == (0.0, 0.0, 0.0)
    tilt = np.array([(1, 0, 0.5, 0), (0, 1, 0, 0), (0, 0, 1, 0), (4, 0, 2, 1)], float)
    mat = array("d", tilt.ravel()) if COMPILED else tilt.ravel().tolist()
    grid.move_owner(0, mat)
    assert look(grid, 0.5, 0.5, 9.0) is None
    assert look(grid, 4.5, 0.5, 9.0) == pytest.approx((2.25, 0.5, 0.0))
    assert look(grid, 4.5, 0.5, 2.0) is None


def test_rows_and_boxes_follow_moved_triangles() -> None:
    rng = np.random.default_rng(4)
    corners = rng.normal(size=(7, 3, 3))
    owners, runs = [0, 1, 1, 1, 2, 2, 1], [1, 1, 4, 2, 4, 6, 1, 6, 7]
    table, boxes = [0.5] * (12 * 7), [0.5] * 12
    kernel = interpreted_kernel("foot_ground").TriangleGrid(
        *(table, corners.ravel().tolist(), owners, [0] * 3, [0, 0], [0], runs, boxes),
        *(3, 0.0, 0.0, 1.0, 1.0, 1, 1),
    )
    now = corners.copy()

    def check() -> None:
        for k, row in enumerate(np.reshape(table, (7, 12))):
            assert np.allclose(row[:9], now[k].ravel())
            normal = np.cross(now[k, 1] - now[k, 0], now[k, 2] - now[k, 0])
            if normal[2] > 1e-3:
                assert np.allclose(row[9:11], -normal[:2] / normal[2])
        for m, (_, first, end) in enumerate(np.reshape(runs, (3, 3))):
            x, y, _ = now[first:end].reshape(-1, 3).T
            assert np.allclose(boxes[4 * m :][:4], [x.min(), x.max(), y.min(), y.max()])

    for k, row in enumerate(corners.reshape(7, 9).tolist()):
        kernel.set_triangle(k, *row)
    for m in range(3):
        kernel.update_box(m)
    check()
    for owner in (1, 2, 1):
        mat = rng.normal(size=(4, 3))
        kernel.move_owner(owner, np.hstack([mat, np.zeros((4, 1))]).ravel().tolist())
        mine = np.equal(owners, owner)
        now[mine] = corners[mine] @ mat[:3] + mat[3]
        check()


def test_no_point_falls_between_two_triangles() -> None:
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
                assert grid.find_ground(float(spot[0]), float(spot[1]), 9.0)


@pytest.mark.parametrize("seed", range(6))
def test_heightfield_is_bilinear(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = (int(n) for n in rng.integers(2, 7, 2))
    heights = rng.uniform(-1.0, 1.0, (rows, columns))
    origin, size = rng.normal(size=2), rng.uniform(0.3, 9.0, 2)
    field = ikrig.Heightfield(heights, origin.tolist(), size.tolist())
    step = size / (columns - 1, rows - 1)

    def plane(u: float, v: float) -> tuple[float, float, float]:
        """Height and slopes by the weights of the four corners."""
        i, j = min(int(u), columns - 2), min(int(v), rows - 2)
        a, b, c, d = *heights[j, i : i + 2], *heights[j + 1, i : i + 2]
        p, q = u - i, v - j
        along = ((b - a) * (1 - q) + (d - c) * q) / step[0]
        aside = ((c - a) * (1 - p) + (d - b) * p) / step[1]
        z = (a * (1 - p) + b * p) * (1 - q) + (c * (1 - p) + d * p) * q
        return z, along, aside

    ends = columns - 1.0, rows - 1.0
    edge = [(0.0, 0.0), (ends[0], 0.3), (0.4, ends[1]), (0.999 * ends[0], 0.6)]
    for u, v in [*rng.uniform(0.0, ends, (60, 2)), *edge]:
        # off the last row and column by nothing but rounding
        x, y = origin + 0.9999999 * step * (u, v)
        wanted = plane(u, v)
        assert field.height(x, y) == pytest.approx(wanted[0], abs=1e-5)
        assert look(field._kernel, x, y, wanted[0] + 1e-3) == pytest.approx(
            wanted, abs=1e-5
        )
        assert look(field._kernel, x, y, wanted[0] - 1e-3) is None
    x, y = origin + 0.5 * size
    for spot in ((-0.01, 0.5), (1.01, 0.5), (0.5, -0.01), (0.5, 1.01)):
        assert field.height(*(origin + size * spot)) is None
    assert field.height(x, y) is not None
    k = seed % columns
    for bad in (np.nan, np.inf, -np.inf):
        holed = heights.copy()
        holed[0, k] = bad
        field = ikrig.Heightfield(holed, origin.tolist(), size.tolist())
        for i in range(columns - 1):
            x, y = origin + step * (i + 0.5, 0.5)
            assert (field.height(x, y) is None) == (k in (i, i + 1))


def test_heights_at_the_last_row_and_column_count() -> None:
    heights = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    field = ikrig.Heightfield(heights, (0.0, 0.0), (2.0, 1.0))
    assert [field.height(x, 1.0) for x in (0.0, 1.0, 1.5, 2.0)] == [3.0, 4.0, 4.5, 5.0]
    assert [field.height(2.0, y) for y in (0.0, 0.5, 1.0)] == [2.0, 3.5, 5.0]


def test_function_as_ground_keeps_its_first_error() -> None:
    asked = []

    def ground(x: float, y: float, top: float):
        asked.append((x, y, top))
        if x > 2.0:
            raise ValueError(f"at {x}")
        return (0.5 * x, 0.5, y, 3) if y > 0.0 else None

    found = CallGround(ground)
    assert found.find_ground(1.0, 0.25, 9.0) == 1
    seen = found.height, found.slope_x, found.slope_y, found.owner
    assert seen == (0.5, 0.5, 0.25, 3)
    assert found.find_ground(1.0, -1.0, 9.0) == 0 and found.error is None
    for x in (3.0, 4.0):
        assert found.find_ground(x, 1.0, 9.0) == 0
        assert str(found.error) == "at 3.0"
    assert found.find_ground(2.0, 1.0, 9.0) == 1 and found.height == 1.0
    assert asked[:2] == [(1.0, 0.25, 9.0), (1.0, -1.0, 9.0)]


def function_ground(way: str, function):
    if way == "interpreted":
        return interpreted_kernel("foot_ground").FunctionGround(function)
    return FunctionGround(function)


ways = pytest.mark.parametrize("way", ["compiled", "interpreted"])


@ways
@pytest.mark.parametrize(
    "junk", [(), (0.0,), (0.0, ()), (0.0, (1.0,)), (0.0, (0, 0, 0)), (0.0, 1.0, 2.0)]
)
def test_functions_that_return_half_an_answer_are_no_ground(way, junk) -> None:
    found = function_ground(way, lambda x, y: junk if x > 0.005 else 0.0)
    found.set_step(0.01)
    assert found.find_ground(1.0, 0.0, 9.0) == 0 and found.error is not None
    # beside ground that is right
    found = function_ground(way, lambda x, y: junk if x > 0.005 else 0.0)
    found.set_step(0.01)
    found.find_ground(0.0, 0.0, 9.0)
    assert found.find_height(0.0, 0.0, 9.0) == 1 and found.height == 0.0


@ways
def test_slope_at_an_edge_is_that_of_its_level(way) -> None:
    # heights before, here and after, half apart
    for before, here, after, slope in (
        (1.0, 2.0, 4.0, 2.0),
        (1.0, 4.0, 5.0, 2.0),
        (4.0, 2.0, 1.0, -2.0),
        (None, 2.0, 5.0, 6.0),
        (1.0, 2.0, None, 2.0),
        (None, 2.0, None, 0.0),
        (2.0, 2.0, 9.0, 0.0),
    ):
        for none in (None, np.nan, np.inf):
            places = zip((-0.5, 0.0, 0.5), (before, here, after), strict=True)
            heights = {x: none if height is None else height for x, height in places}
            found = function_ground(way, lambda x, y, known=heights: known[x])
            found.set_step(0.5)
            assert found.find_ground(0.0, 3.0, 9.0) == 1 and found.error is None
            seen = found.height, found.slope_x, found.slope_y, found.owner
            assert seen == (here, slope, 0.0, -1)


@ways
def test_slope_is_kept_nearby_while_it_tells_the_height(way) -> None:
    asked, raised = [], [0.0]

    def hill(x: float, y: float):
        asked.append((x, y))
        if x > 40.0:
            return np.float32(3.0)
        return raised[0] + x * x - y + (0.5 if y > 2.5 else 0.0)

    ground = function_ground(way, hill)
    ground.set_step(0.01)
    for x, y, count in (
        (1.0, 2.0, 5),
        (1.0, 2.0, 1),
        # up to 3 steps away, and where it is off by a 100th of a step
        (1.0, 2.029, 1),
        (1.0, 1.969, 5),
        (1.005, 2.0, 1),
        (1.007, 2.0, 5),
        # across an edge, and back
        (1.0, 2.499, 5),
        (1.0, 2.501, 5),
        (1.0, 2.498, 1),
        (1.0, 2.502, 1),
        # level: one side is enough
        (50.0, 0.0, 3),
    ):
        asked.clear()
        assert ground.find_ground(x, y, 9.0) == 1
        assert len(asked) == count and asked[0] == (x, y)
        assert ground.height == hill(x, y)
        slope = (2.0 * x, -1.0) if x < 40.0 else (0.0, 0.0)
        seen = ground.slope_x, ground.slope_y
        assert seen == pytest.approx(slope, abs=0.04)
    raised[0] = 0.5
    asked.clear()
    assert ground.find_ground(1.0, 2.0, 9.0) == 1 and len(asked) == 5
    assert ground.height == -0.5
    asked.clear()
    assert ground.find_height(1.0, 2.0, 9.0) == 1 and len(asked) == 1
    # as many as four feet with large soles need are kept, and no more
    for k in range(128):
        ground.find_ground(k / 4.0, 1.0, 9.0)
    asked.clear()
    for k in range(128):
        ground.find_ground(k / 4.0, 1.0, 9.0)
    ground.find_ground(1.0, 2.0, 9.0)
    assert len(asked) == 128 + 5
    ground.set_step(0.02)
    asked.clear()
    ground.find_ground(1.0, 2.0, 9.0)
    assert len(asked) == 5 and ground.slope_x == pytest.approx(1.98)


@ways
def test_slope_of_ground_that_rocks_about_a_place_changes_there(way) -> None:
    rise = [0.0, 0.0]
    ground = function_ground(way, lambda x, y: rise[0] * x + rise[1] * y)
    ground.set_step(0.01)
    for k in range(150):
        rise[:] = 0.3 * np.sin(0.1 * k), 0.3 * np.cos(0.07 * k)
        ground.begin()
        for x in (0.0, 0.0002):
            assert ground.find_ground(x, 0.0, 9.0) == 1
            # an axis is looked at in every other frame, in turns
            off = np.abs((ground.slope_x - rise[0], ground.slope_y - rise[1]))
            assert off.max() < 0.011 + 4.0 * 0.03


@ways
def test_slopes_of_smooth_ground_are_its_own(way) -> None:
    rng = np.random.default_rng(4)
    asked = []

    def hills(x: float, y: float) -> float:
        asked.append(x)
        return 0.1 * np.sin(1.3 * x + y) + 0.2 * x

    ground, places = function_ground(way, hills), 0
    ground.set_step(0.009)
    for _ in range(20):
        # a walk past the same place
        x, y = rng.uniform(-3.0, 3.0, 2)
        for _ in range(60):
            x, y = x + rng.uniform(0.0, 0.02), y + rng.normal(0.0, 0.01)
            assert ground.find_ground(x, y, 9.0) == 1
            places += 1
            turn = 0.1 * np.cos(1.3 * x + y)
            seen = ground.slope_x, ground.slope_y
            # 3 steps away, plus half a step at which it is found
            assert seen == pytest.approx((1.3 * turn + 0.2, turn), abs=0.01)
    assert len(asked) < 3.0 * places


@ways
def test_function_may_return_normals_nothing_or_fail(way) -> None:
    def tilted(x: float, y: float):
        if y < 0.0:
            return {-1.0: None, -2.0: (np.inf, (0, 0, 1)), -3.0: np.nan}[y]
        if y > 5.0:
            raise ValueError(f"at {y}")
        return ("deep", (0, 0, 1)) if y == 5.0 else (2.0 * x, (-2.0, 0.5, 1.0))

    ground = function_ground(way, tilted)
    assert ground.find_ground(1.5, 2.0, 9.0) == 1
    seen = ground.height, ground.slope_x, ground.slope_y
    assert seen == (3.0, 2.0, -0.5)
    assert ground.find_height(2.5, 2.0, 9.0) == 1 and ground.height == 5.0
    for y in (-1.0, -2.0, -3.0):
        for find in (ground.find_ground, ground.find_height):
            assert find(1.5, y, 9.0) == 0 and ground.error is None
    for y, kind in ((6.0, ValueError), (7.0, ValueError)):
        assert ground.find_height(0.0, y, 9.0) == ground.find_ground(0.0, y, 9.0) == 0
        assert isinstance(ground.error, kind) and str(ground.error) == "at 6.0"
    ground.error = None
    assert ground.find_ground(0.0, 5.0, 9.0) == 0
    assert isinstance(ground.error, (TypeError, ValueError))


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
def test_invalid_heightfields_are_refused(values, words: str) -> None:
    with pytest.raises(ikrig.SettingError, match=words):
        ikrig.Heightfield(*values)


class Grid:
    """Stores the arguments of a grid."""

    def __init__(self, *given) -> None:
        *buffers, self.movers = given[:9]
        names = "table corners owners hidden starts items runs boxes"
        self.__dict__.update(zip(names.split(), map(list, buffers), strict=True))
        self.x, self.y, self.width, self.depth, self.columns, self.rows = given[9:]
        self.triangles: list = []
        self.bounds: list[int] = []

    def set_triangle(self, *given) -> None:
        self.triangles.append(given)

    def update_box(self, m: int) -> None:
        self.bounds.append(m)


@pytest.mark.parametrize("seed", range(8))
def test_cells_list_the_triangles_that_overlap_them(monkeypatch, seed) -> None:
    monkeypatch.setattr(heightfield, "TriangleGrid", Grid)
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60))
    size = rng.choice([0.1, 1.0, 3.0], (count, 1, 1), p=[0.1, 0.8, 0.1])
    corners = rng.uniform(-4.0, 4.0, (count, 1, 3)) * [1.0, 2.0, 1.0]
    corners = corners + size * rng.uniform(-1.0, 1.0, (count, 3, 3))
    if seed % 2:
        # on the lines between cells, where rounding decides
        corners = np.round(corners)
    # runs of owners, some of several triangles; an owner may come again
    owners = np.sort(rng.integers(0, 5, count))
    owners[owners == 4] = 1
    moving = [False, True, False, seed % 3 == 0, False]
    hidden = numbers([0] * 5)
    grid = make_grid(corners.reshape(-1, 9), owners.tolist(), moving, hidden)
    assert grid.corners == corners.ravel().tolist() and grid.owners == [*owners]
    assert (len(grid.table), grid.hidden) == (12 * count, [0] * 5)
    rows = corners.reshape(-1, 9).tolist()
    assert grid.triangles == [(k, *row) for k, row in enumerate(rows)]
    starts = [k for k in range(count) if k == 0 or owners[k] != owners[k - 1]]
    runs = [
        (owners[a], a, b)
        for a, b in zip(starts, [*starts[1:], count], strict=True)
        if moving[owners[a]]
    ]
    assert grid.movers == len(runs) and grid.bounds == [*range(len(runs))]
    assert grid.runs == ([int(n) for run in runs for n in run] or [0])
    assert grid.boxes == [0.0] * (4 * max(len(runs), 1))
    e1, e2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    up = np.cross(e1, e2)[:, 2] > 1e-6 * ((e1**2) + (e2**2)).sum(axis=1)
    still = [k for k in range(count) if up[k] and not moving[owners[k]]]
    if not still:
        assert (grid.starts, grid.items, grid.columns, grid.rows) == (
            [0] * 2,
            [0],
            1,
            1,
        )
        return
    flat = corners[still][:, :, :2]
    low, high = flat.min(axis=1), flat.max(axis=1)
    corner, wide = low.min(axis=0), np.ptp(flat.reshape(-1, 2), axis=0)
    room = 4.0 * len(still) + 64.0
    cell = np.array((grid.width, grid.depth))
    assert (grid.x, grid.y) == pytest.approx(tuple(corner))
    assert (grid.columns, grid.rows) == tuple((wide / cell).astype(int) + 1)
    # no more of them than needed, and not larger than the usual triangle without need
    assert (wide / cell).prod() <= 1.001 * room
    usual = np.median(np.ptp(flat, axis=1), axis=0)
    assert (cell <= 1.001 * usual).all() or (wide / cell).prod() >= 0.25 * room
    assert len(grid.starts) == grid.columns * grid.rows + 1
    for i in range(grid.columns):
        for j in range(grid.rows):
            at = corner + cell * np.array([i, j])
            # what ends a thousandth before a cell is in it, too
            inside = (low <= at + 1.001 * cell) & (high >= at - 0.001 * cell)
            expected = {still[k] for k in np.flatnonzero(inside.all(axis=1))}
            k = i * grid.rows + j
            found = grid.items[grid.starts[k] : grid.starts[k + 1]]
            assert sorted(found) == sorted(expected)


def test_vertical_triangles_are_not_ground() -> None:
    for share, seen in ((0.9e-6, False), (1.1e-6, True)):
        # up: 1 × e2y, against 1 + e2y² + e2z²
        corners = [(0, 0, 0, 1, 0, 0, 0, 2 * share, 1)]
        grid = make_grid(np.array(corners, float), [0], [False], numbers([0]))
        assert bool(grid.find_ground(0.25, share, 9.0)) is seen


def test_empty_ground_has_no_height() -> None:
    grid = make_grid(np.zeros((0, 9)), [], [], numbers([0]))
    assert look(grid, 0.0, 0.0, 9.0) is None and look(grid, 0.5, 0.5, 9.0) is None


def test_the_plane_of_the_nearest_foot_is_the_ground():
    rng = np.random.default_rng(3)
    planes = rng.uniform(-1.0, 1.0, (50, 2, 5))
    planes[7, 0, 2], planes[8, :, 3] = np.inf, np.nan
    found = SpotGround(planes.reshape(-1).data, 2)
    for who, (x, y) in enumerate(rng.uniform(-1.0, 1.0, (50, 2)).tolist()):
        found.who = who
        away = np.hypot(planes[who, :, 0] - x, planes[who, :, 1] - y)
        a, b, height, u, v = planes[who, away.argmin()]
        height += u * (x - a) + v * (y - b)
        there = found.find_ground(x, y, 1.0)
        assert there == (np.isfinite(height) and height <= 1.0)
        if there:
            got = found.height, found.slope_x, found.slope_y, found.owner
            assert np.allclose(got, (height, u, v, -1), atol=1e-12)
