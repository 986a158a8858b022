"""Heightfield: ground from an array of heights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import floats
from ..errors import SettingError, shown
from ..kernels import buffer, index_buffer
from ..kernels.foot_ground import HeightGrid, TriangleGrid
from ..math3d.quaternion import Floats
from ..value_shapes import Numbers, checked


class Heightfield:
    """Ground from an array of heights, with bilinear interpolation.

        hills = ikrig.Heightfield(heights, origin=(-50, -50), size=(100, 100))
        feet = ikrig.FootPlacement(rig, hills)

    Args:
        heights: Heights in the scene's top node, shape (rows, columns), at least 2 x 2;
            x increases along a row, y from row to row. There is no ground at values
            that are not finite. The array is copied.
        origin: x and y of the first height.
        size: Distance from the first to the last height along x and along y.

    Raises:
        SettingError: The array has the wrong shape, or a size is not above 0.
    """

    def __init__(
        self,
        heights: object,
        origin: Sequence[float] = (0.0, 0.0),
        size: Sequence[float] = (1.0, 1.0),
    ) -> None:
        found = floats(heights)
        array = np.empty(0) if found is None else np.array(found)
        array[~np.isfinite(array)] = np.nan
        if array.ndim != 2 or min(array.shape) < 2:
            raise SettingError(
                "heights must be an array of at least 2 rows and 2 columns, not of "
                f"shape {array.shape}"
            )
        pair = Numbers("two numbers", 2)
        x, y = checked(pair, origin, "origin", SettingError)
        wide, deep = checked(pair, size, "size", SettingError)
        if not (wide > 0.0 and deep > 0.0):
            raise SettingError(f"size must be two numbers above 0, not {shown(size)}")
        rows, columns = array.shape
        self.origin, self.size = (x, y), (wide, deep)
        self.shape = rows, columns
        """Number of rows and columns."""
        self._heights = buffer(array.ravel().tolist())
        self._kernel = HeightGrid(
            self._heights,
            columns,
            rows,
            x,
            y,
            wide / (columns - 1),
            deep / (rows - 1),
        )

    def __repr__(self) -> str:
        return f"<Heightfield {self.shape} at {self.origin}, {self.size} large>"

    def __reduce__(self) -> tuple[type[Heightfield], tuple[object, ...]]:
        heights = np.reshape(self._heights, self.shape)
        return type(self), (heights, self.origin, self.size)

    def height(self, x: float, y: float) -> float | None:
        """Return the height at a point; None where there is no ground."""
        return self._kernel.height if self._kernel.find_ground(x, y, np.inf) else None


TRIANGLE = 12
"""Numbers per triangle, in the layout of the kernel."""
CELLS = 4.0
"""Maximum number of cells per triangle, plus 64 in total."""


def make_grid(
    corners: Floats, owners: object, moving: object, hidden: object
) -> TriangleGrid:
    """Return the grid of triangles, which finds the highest one below a point.

    Args:
        corners: Corners of each triangle, counterclockwise seen from above, world
            space, (n, 9).
        owners: Owner of each triangle, numbers from 0, equal ones in a row, (n,).
        moving: Whether each owner moves: its triangles stay out of the grid.
        hidden: ``index_buffer`` with 1 for each owner that is not ground.
    """
    corners = np.array(corners, float).reshape(len(corners), 9)
    # those of nodes at infinity have no area
    corners[~np.isfinite(corners).all(axis=1)] = 0.0
    owners = np.asarray(owners, int)
    count = len(corners)
    moves = np.asarray(moving, bool)[owners] if count else np.zeros(0, bool)
    e1, e2 = corners[:, 3:6] - corners[:, :3], corners[:, 6:] - corners[:, :3]
    up = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
    size = (e1**2).sum(axis=1) + (e2**2).sum(axis=1)
    still = np.flatnonzero(~moves & (up > 1e-6 * size))
    x, y, cell, columns, rows = 0.0, 0.0, np.ones(2), 1, 1
    starts, items = np.zeros(2, int), np.zeros(0, int)
    if len(still):
        spots = corners[still].reshape(-1, 3, 3)[:, :, :2]
        low, high = spots.min(axis=1), spots.max(axis=1)
        x, y = low.min(axis=0)
        wide = high.max(axis=0) - (x, y)
        # cells of the median triangle's size, as long or wide as it is, limited by the
        # number of triangles
        room = CELLS * len(still) + 64.0
        cell = np.minimum(np.median(high - low, axis=0), wide)
        cell = np.maximum(cell, np.maximum(wide / room, 1e-9))
        few = (wide / cell).prod() / room
        if few > 1.0:
            cell = np.minimum(few**0.5 * cell, np.maximum(wide, cell))
            cell = np.maximum(cell, (wide / cell).prod() / room * cell)
        columns, rows = (wide / cell).astype(int) + 1
        edge = 1e-3 * cell
        first = np.maximum((low - (x, y) - edge) / cell, 0.0).astype(int)
        last = ((high - (x, y) + edge) / cell).astype(int)
        last = np.minimum(last, (columns - 1, rows - 1))
        many = last - first + 1
        total = many[:, 0] * many[:, 1]
        of = np.repeat(np.arange(len(still)), total)
        nth = np.arange(total.sum()) - np.repeat(np.cumsum(total) - total, total)
        i = first[of, 0] + nth // many[of, 1]
        j = first[of, 1] + nth % many[of, 1]
        cells = i * rows + j
        order = np.argsort(cells, kind="stable")
        items = still[of[order]]
        starts = np.searchsorted(cells[order], np.arange(columns * rows + 1))
    ends = np.flatnonzero(np.diff(owners)) + 1
    runs = [
        (owners[a], a, b)
        for a, b in zip([0, *ends], [*ends, count], strict=True)
        if b > a and moves[a]
    ]
    grid = TriangleGrid(
        buffer([0.0] * (TRIANGLE * max(count, 1))),
        buffer(corners.ravel().tolist() or [0.0]),
        index_buffer(owners.tolist() or [0]),
        hidden,
        index_buffer(starts.tolist()),
        index_buffer(items.tolist() or [0]),
        index_buffer([int(n) for run in runs for n in run] or [0]),
        buffer([0.0] * (4 * max(len(runs), 1))),
        len(runs),
        float(x),
        float(y),
        float(cell[0]),
        float(cell[1]),
        int(columns),
        int(rows),
    )
    for k, row in enumerate(corners.tolist()):
        grid.set_triangle(k, *row)
    for m in range(len(runs)):
        grid.update_box(m)
    return grid
