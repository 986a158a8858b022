"""Samples all tracks of a clip at once, from flat arrays.

Each key becomes a row: the start of its segment, its rate 1/length, its easing and the
coefficients to blend along it. A time selects one row per track, at a cost that does
not depend on the number of keys, and all tracks are evaluated together. At the time of
a key the blend is 0 and the value is exactly that of the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..kernels.bezier import ease
from ..math3d.quaternion import Floats
from .segments import Segments, evaluate_cubics, squad

Name = tuple[str, str]
Rows = NDArray[np.intp]
KINDS = ("number", "position", "rotation")


class ClipValues(Mapping[Name, "float | Floats"]):
    """Values of all tracks of a clip at one time: ``values["hand", "target"]``.

    The arrays have the same rows in every sample of a clip, so that samples of it can
    be blended as a whole.
    """

    __slots__ = ("_rows", "numbers", "positions", "rotations")

    numbers: Floats
    """Weights, settings, angles [rad] and slides, (n,)."""
    positions: Floats
    """Targets, poles, roots and joints, (n, 3) [scene unit]."""
    rotations: Floats
    """Unit quaternions w x y z, (n, 4)."""

    def __init__(
        self,
        numbers: Floats,
        positions: Floats,
        rotations: Floats,
        rows: Mapping[Name, tuple[str, int]],
    ) -> None:
        self.numbers = numbers
        self.positions = positions
        self.rotations = rotations
        self._rows = rows

    def __getitem__(self, name: Name) -> float | Floats:
        """Return the value of a (part, channel) pair."""
        kind, row = self._rows[name]
        if kind == "number":
            return float(self.numbers[row])
        values: Floats = (
            self.positions[row] if kind == "position" else self.rotations[row]
        )
        return values

    def __iter__(self) -> Iterator[Name]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Sampler:
    """Samples the segments of many tracks.

    Args:
        tracks: Segments of each track by part and channel.
    """

    def __init__(self, tracks: Mapping[Name, Segments]) -> None:
        by_kind: dict[str, list[Segments]] = {kind: [] for kind in KINDS}
        self._names: dict[Name, tuple[str, int]] = {}
        for name, track in tracks.items():
            self._names[name] = track.kind, len(by_kind[track.kind])
            by_kind[track.kind].append(track)
        parts = [track for kind in KINDS for track in by_kind[kind]]
        counts = [len(by_kind[kind]) for kind in KINDS]
        self._numbers = slice(0, counts[0])
        self._positions = slice(counts[0], counts[0] + counts[1])
        self._rotations = slice(counts[0] + counts[1], len(parts))
        self._starts = _joined([track.starts for track in parts], ())
        self._rates = _joined([track.rates for track in parts], ())
        self._eases = _joined([track.eases for track in parts], (4,))
        self._eased = np.isfinite(self._eases[:, 0])
        shapes = {"number": (4, 1), "position": (4, 3), "rotation": (2, 9)}
        self._blends, self._offsets = {}, {}
        offset = 0
        for kind, shape in shapes.items():
            blends = _joined([track.blends for track in by_kind[kind]], shape)
            self._blends[kind] = blends
            self._offsets[kind] = offset
            offset += len(blends)
        bounds = np.array([track.bounds for track in by_kind["number"]])
        self._lower, self._upper = bounds.reshape(-1, 2).T
        self._index(parts)

    def _index(self, parts: Sequence[Segments]) -> None:
        sizes = [len(track.starts) for track in parts]
        first = np.cumsum([0, *sizes])[:-1].astype(np.intp)
        keyed = np.repeat(np.arange(len(parts)), [size - 1 for size in sizes])
        times = _joined([track.times for track in parts], ())
        order = np.argsort(times, kind="stable")
        self._times, self._track_of = times[order], keyed[order]
        # a block as long as the number of tracks balances both costs of a sample
        self._every = max(len(parts), 64)
        rows, self._current = first, [first]
        for begin in range(0, len(order), self._every):
            rows = self._passed(rows, begin, begin + self._every)
            self._current.append(rows)

    def _passed(self, rows: Rows, begin: int, end: int) -> Rows:
        counts = np.bincount(self._track_of[begin:end], minlength=len(rows))
        result: Rows = rows + counts
        return result

    def sample(self, time: float) -> ClipValues:
        """Return the values of all tracks at a time within the clip [s]."""
        # the current row of each track, and the fraction of it that has passed
        passed = int(np.searchsorted(self._times, time, "right"))
        block = passed // self._every
        rows = self._passed(self._current[block], block * self._every, passed)
        blend = (time - self._starts[rows]) * self._rates[rows]
        eased = np.flatnonzero(self._eased[rows])
        if len(eased):
            fractions = blend[eased]
            ease(len(eased), self._eases[rows[eased]].ravel(), fractions)
            blend[eased] = fractions
        return ClipValues(
            self._sum("number", self._numbers, rows, blend)[:, 0].clip(
                self._lower, self._upper
            ),
            self._sum("position", self._positions, rows, blend),
            self._turn(rows[self._rotations], blend[self._rotations]),
            self._names,
        )

    def _sum(self, kind: str, part: slice, rows: Rows, blend: Floats) -> Floats:
        """Return the values of the polynomials of a kind, (n, width)."""
        if part.start == part.stop:
            return np.zeros((0, self._blends[kind].shape[2]))
        factors = self._blends[kind][rows[part] - self._offsets[kind]]
        return evaluate_cubics(factors, blend[part])

    def _turn(self, rows: Rows, w: Floats) -> Floats:
        """Return the rotations, (n, 4)."""
        if not len(rows):
            return np.zeros((0, 4))
        return squad(self._blends["rotation"][rows - self._offsets["rotation"]], w)


def _joined(arrays: Sequence[Floats], shape: tuple[int, ...]) -> Floats:
    """Return the concatenation of arrays (n, *shape)."""
    return np.concatenate([np.zeros((0, *shape)), *arrays])
