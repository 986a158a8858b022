"""CrowdLevel: how often a member of a crowd is posed, by its size in the picture."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import SettingError, shown
from ..records import CheckedRecord, entry
from ..value_shapes import Either, Flag, Items, Number, Word

MOST_LEVELS = 8
VIEW_EYE, VIEW_SCALE, VIEW_MARGIN, VIEW_EDGES, VIEW = 1, 4, 6, 7, 32
"""Numbers of a view, in the layout of the kernel."""
LAYERS = ("limbs", "feet", "look", "springs", "body", "warps")
"""Kinds of layers; in the kernel the bits of a number, in this order."""
ALL = 2 ** len(LAYERS) - 1


@dataclass(frozen=True, kw_only=True)
class CrowdLevel(CheckedRecord):
    """A level of detail of a crowd's members.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    size: float = entry(
        0.0,
        Number("a part of the picture's height, from 0 to 100", 0.0, 100.0),
        "Size in the picture from which it counts, as part of the picture's height.",
    )
    """Members at least this large in the picture have this level, or a better one:
    their height, length or width, whichever is largest, as part of the picture's
    height. A level changes 5 % beyond it, so that none flickers."""
    rate: float = entry(
        0.0,
        Number("a number of poses a second, from 0 to 1000", 0.0, 1000.0),
        "Poses a second; between them is interpolated. 0: one in each frame.",
    )
    """Poses a second [1/s]; between them is interpolated. 0: one in each frame."""
    layers: bool | Sequence[str] = entry(
        True,
        Either(
            f"true, false or a list of {', '.join(LAYERS)}",
            (Flag(), Items("", Word(LAYERS))),
        ),
        "What changes the clips' poses: all, nothing, or some of limbs, feet, look, "
        "springs, body and warps.",
    )
    """What changes the poses of the clips: all that the crowd has; or only some kinds,
    a list of "limbs", "feet", "look", "springs", "body" and "warps". Without any,
    members play their clips from tables, with all joints, which takes least."""

    @property
    def kinds(self) -> int:
        """The kinds of its layers, as the kernel takes them."""
        if isinstance(self.layers, bool):
            return ALL if self.layers else 0
        return sum(2 ** LAYERS.index(name) for name in set(self.layers))


LEVELS = (
    CrowdLevel(size=0.08),
    CrowdLevel(size=0.035, rate=30.0),
    CrowdLevel(size=0.015, rate=15.0),
    CrowdLevel(layers=False),
)
"""Levels of a crowd at first: people of 86 pixels, in a picture of 1080, are
posed in each frame, and those below 16 only play their clips."""


def levels_of(levels: object) -> tuple[CrowdLevel, ...]:
    found = tuple(levels) if isinstance(levels, Sequence) else ()
    sizes = [each.size for each in found if isinstance(each, CrowdLevel)]
    if not 1 <= len(found) <= MOST_LEVELS or len(sizes) < len(found):
        raise SettingError(
            f"levels must be 1 to {MOST_LEVELS} CrowdLevels, not {shown(levels)}"
        )
    if sizes != sorted(sizes, reverse=True):
        raise SettingError(f"levels must fall in size, the last to 0: not {sizes}")
    return found


class LevelTables:
    """Levels of a crowd, and what its members keep for them.

    Args:
        count: Number of members.
        levels: The levels.
        baked: Rows of all frames of the clips, and of the rest pose: the palette, the
            places of joints and the sphere of a member that stands in the origin.
        reach: Size of the model, height of its middle, and largest distance of
            anything from there.
    """

    def __init__(
        self,
        count: int,
        levels: Sequence[CrowdLevel],
        baked: NDArray[np.float32],
        reach: Sequence[float],
    ) -> None:
        self.levels = levels
        self.detail = np.zeros(count, np.intc)
        """The level of each member, (n,); -1: out of view."""
        self.mode = np.zeros(count, np.intc)
        self.shown = np.zeros(count, np.intc)
        self.since, self.span = np.zeros(count), np.zeros(count)
        self.view = np.zeros(VIEW)
        keyed = any(x.rate for x in levels) or len({x.kinds for x in levels}) > 1
        keys = (count, 2, baked.shape[1]) if keyed else (1,)
        periods = [1.0 / level.rate if level.rate else 0.0 for level in levels]
        self.buffers: dict[str, object] = {
            "period": array("d", periods),
            "layers": array("i", [level.kinds for level in levels]),
            "size": array("d", [level.size for level in levels]),
            "view": self.view,
            "reach": np.array(reach, float),
            "detail": self.detail,
            "mode": self.mode,
            "shown": self.shown,
            "since": self.since,
            "span": self.span,
            "flip": np.zeros(count, np.intc),
            "keys": np.zeros(keys, np.float32),
            "baked": baked,
        }

    def look(
        self, eye: ArrayLike, scale: ArrayLike, edges: ArrayLike, margin: float
    ) -> None:
        """Choose levels by a view from now on.

        Args:
            eye: Where the camera is, (3,).
            scale: What a height is divided by to be a part of the picture's: a number,
                and another for each unit of distance from the eye.
            edges: The sides of what is seen, (m, 4), m at most 6: inward unit vectors,
                and the distance of the eye from them.
            margin: How far beyond the edges members count as in view, as a multiple of
                their size.
        """
        edges = np.asarray(edges, float).reshape(-1, 4)[:6]
        self.view[VIEW_EYE : VIEW_EYE + 3] = eye
        self.view[VIEW_SCALE : VIEW_SCALE + 2] = scale
        self.view[VIEW_MARGIN], self.view[VIEW_EDGES] = margin, len(edges)
        self.view[VIEW_EDGES + 1 : VIEW_EDGES + 1 + edges.size] = edges.ravel()
        self.view[0] = float(np.isfinite(self.view).all())
