"""Mixes clips: blends them by weight, or adds them on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

from ..math3d.quaternion import Floats, conjugate, multiply
from ..value_shapes import Number
from .channels import CHANNELS
from .clip import Clip
from .sampler import KINDS, ClipValues, evaluate_slerps, slerps_between

Name = tuple[str, str]
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


class Mix:
    """The channel values of a rig that several clips produce together.

    Args:
        rest: Value of each part's channel without a clip: a number, (3,) or a
            unit quaternion (4,).
    """

    def __init__(self, rest: Mapping[Name, object]) -> None:
        by_kind: dict[str, list[Name]] = {kind: [] for kind in KINDS}
        for name in rest:
            by_kind[CHANNELS[name[1]].kind].append(name)
        self.names = tuple(name for kind in KINDS for name in by_kind[kind])
        """Part and channel of each value, in the order of ``values``."""
        self._rows = {
            name: row for names in by_kind.values() for row, name in enumerate(names)
        }
        self._rest = {
            kind: np.array([rest[name] for name in names], float).reshape(-1, *shape)
            for (kind, names), shape in zip(
                by_kind.items(), [(), (3,), (4,)], strict=True
            )
        }
        channels = [CHANNELS[channel] for _, channel in by_kind["number"]]
        self._blends = np.array([channel.blends for channel in channels], bool)
        shapes = [channel.shape for channel in channels]
        self._bounds = np.array([_range(shape) for shape in shapes]).reshape(-1, 2)
        self._rows_by_clip: dict[Clip, dict[str, NDArray[np.intp]]] = {}
        self.begin()

    def set_rest(self, name: Name, value: object) -> None:
        """Set the value that a channel has without a clip."""
        self._rest[CHANNELS[name[1]].kind][self._rows[name]] = value

    def begin(self) -> None:
        self._now = {kind: values.copy() for kind, values in self._rest.items()}

    def blend_over(self, clip: Clip, time: float, weight: float, *, rest: bool) -> None:
        """Blend a clip over the current values.

        Args:
            clip: The clip; all its tracks must be among ``names``.
            time: Seconds since it began.
            weight: 0: no change; 1: the clip alone.
            rest: Whether channels without a track blend to rest by the same weight.
        """
        if rest:
            for kind, values in self._rest.items():
                others = np.ones(len(values), bool)
                others[self._rows_of(clip, kind)] = False
                rows = np.flatnonzero(others)
                self._blend(kind, rows, values[rows], weight, keep_time=True)
        sample = clip.sample(time)
        for kind, values in _by_kind(sample):
            self._blend(kind, self._rows_of(clip, kind), values, weight)

    def add(self, clip: Clip, time: float, weight: float) -> None:
        """Add a clip's difference from its first values, scaled by ``weight``."""
        now, start = clip.sample(time), clip.sample(0.0)
        pairs = zip(_by_kind(now), _by_kind(start), strict=True)
        for (kind, values), (_, first) in pairs:
            rows = self._rows_of(clip, kind)
            mixed = self._now[kind]
            if kind == "rotation":
                # the rotation since the beginning, in the parent's coordinates
                turns = multiply(values, conjugate(first))
                mixed[rows] = multiply(_slerp(IDENTITY, turns, weight), mixed[rows])
            else:
                mixed[rows] += weight * (values - first)

    def values(self) -> list[object]:
        """Return the values of all channels, in the order of ``names``.

        Numbers are clamped to the range of their channel.
        """
        numbers = self._now["number"].clip(*self._bounds.T)
        turns = self._now["rotation"]
        return [*numbers.tolist(), *self._now["position"].tolist(), *turns.tolist()]

    def _rows_of(self, clip: Clip, kind: str) -> NDArray[np.intp]:
        if clip not in self._rows_by_clip:
            self._rows_by_clip[clip] = {
                kind: np.array(
                    [
                        self._rows[track.address]
                        for track in clip.tracks
                        if track.kind.kind == kind
                    ],
                    np.intp,
                )
                for kind in KINDS
            }
        return self._rows_by_clip[clip][kind]

    def _blend(
        self,
        kind: str,
        rows: NDArray[np.intp],
        values: Floats,
        weight: float,
        *,
        keep_time: bool = False,
    ) -> None:
        mixed = self._now[kind]
        before = mixed[rows]
        if kind == "rotation":
            after = values if weight == 1.0 else _slerp(before, values, weight)
        else:
            after = values if weight == 1.0 else before + weight * (values - before)
        if kind == "number":
            whole = before if keep_time or weight == 0.0 else values
            after = np.where(self._blends[rows], after, whole)
        mixed[rows] = after


def _by_kind(values: ClipValues) -> Iterable[tuple[str, Floats]]:
    arrays = (values.numbers, values.positions, values.rotations)
    return list(zip(KINDS, arrays, strict=True))


def _range(shape: object) -> tuple[float, float]:
    if not isinstance(shape, Number):
        return -inf, inf
    return nextafter(shape.least, inf) if shape.above else shape.least, shape.most


def _slerp(start: Floats, end: Floats, weight: float) -> Floats:
    """Return the slerp between unit quaternions (n, 4), along the shorter arc."""
    start = np.broadcast_to(start, end.shape)
    side = np.where((start * end).sum(-1, keepdims=True) < 0.0, -1.0, 1.0)
    return evaluate_slerps(slerps_between(start, side * end), np.full(len(end), weight))
