"""Heightfield: ground from an array of heights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import floats
from ..errors import SettingError, shown
from ..kernels import buffer
from ..kernels.foot_ground import HeightGrid
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
