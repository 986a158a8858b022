"""Contact sheets: pictures of many moments in one image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ikrig.scene.viewer.picture import Picture, shrink

GAP = 6
TILE = (480, 270)
BACKGROUND = (18, 20, 24)


def spaced(count: int, frames: int) -> list[int]:
    """Return ``count`` frame numbers spread evenly over a movement.

    The first frame is always included; from two on, the last one is too.
    """
    count = max(1, min(count, frames))
    if count == 1:
        return [0]
    return [round(i * (frames - 1) / (count - 1)) for i in range(count)]


def columns_for(count: int) -> int:
    """Return the number of columns for a sheet of good proportions."""
    return next((n for n in (1, 2, 3) if n * n >= count), 4)


def compose(pictures: Sequence[Picture], *, tile: tuple[int, int] = TILE) -> Picture:
    """Arrange pictures in rows on one image."""
    columns = columns_for(len(pictures))
    rows = -(-len(pictures) // columns)
    width, height = tile
    shape = (rows * (height + GAP) + GAP, columns * (width + GAP) + GAP, 3)
    sheet = np.empty(shape, np.uint8)
    sheet[:] = BACKGROUND
    for i, picture in enumerate(pictures):
        row, column = divmod(i, columns)
        y, x = GAP + row * (height + GAP), GAP + column * (width + GAP)
        sheet[y : y + height, x : x + width] = shrink(picture, width, height)
    return sheet
