"""Samples all tracks of a clip at once, from flat arrays.

Each key becomes a row: the start of its segment, its rate 1/length, its easing and the
coefficients to blend along it. A time selects one row per track, at a cost that does
not depend on the number of keys, and all tracks are evaluated together. At the time of
a key the blend is 0 and the value is exactly that of the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..kernels.bezier import ease
from ..math3d.quaternion import Floats, conjugate, from_rpy, multiply
from .curves import EASES, slopes
from .track import Track

NO_EASE = np.full(4, np.nan)


@dataclass(frozen=True)
class Segments:
    """The rows of a track: one for the time before its first key, then one per key.

    A row's blend is 0 at ``starts``, grows by ``rates`` and is shaped by ``eases``.
    """

    kind: Literal["number", "position", "rotation"]
    times: Floats
    """The keys' times, (n,)."""
    starts: Floats
    rates: Floats
    """Blend per second; 0 where a row is constant, (n + 1,)."""
    eases: Floats
    """Bézier easings, (n + 1, 4); NaN where there is none."""
    blends: Floats
    """Numbers and positions: the coefficients of 1, w, w², w³ of the blend w,
    (n + 1, 4, width). Rotations: two slerps of 9 numbers, (n + 1, 2, 9), in the layout
    of ``evaluate_slerps``; the second is NaN where the curve is not cubic."""
    bounds: tuple[float, float]
    """The range that numbers are clamped to."""


def segments_of(track: Track, duration: float, *, loops: bool) -> Segments:
    """Return the segments of a track.

    Args:
        track: The track.
        duration: Duration of the clip [s].
        loops: Whether the clip starts again at its end.
    """
    path = track.path
    if path is not None:
        begin = 0.0 if path.begin is None else path.begin
        end = duration if path.end is None else path.end
        return _of_path(*path.keys(begin, end))
    kind = track.kind.kind
    times = np.array(list(track.keys))
    values = values_of(track)
    curves = [key.then or track.curve for key in track.keys.values()][:-1]
    cubic = np.array([curve == "cubic" for curve in curves], bool)
    closed = loops and closes(times, values, duration)
    blends = blends_of(values, times, cubic, closed=closed)
    moving = np.array([curve != "step" for curve in curves], bool)
    eases = [EASES.get(c, NO_EASE) if isinstance(c, str) else c for c in curves]
    bounds = (-np.inf, np.inf)
    if track.kind.is_setting:
        # rounding and easings that overshoot must not make a setting invalid
        bounds = float(values.min()), float(values.max())
    return _rows(kind, times, moving, np.array([*eases, NO_EASE]), blends, bounds)


def evaluate_slerps(slerps: Floats, blend: Floats) -> Floats:
    """Evaluate slerps, without a division.

    Args:
        slerps: Start quaternion (4), a unit quaternion orthogonal to it (4) and half
            the angle of rotation [rad], (n, 9).
        blend: 0 to 1, (n,).
    """
    angle = slerps[:, 8] * blend
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    result: Floats = cosine * slerps[:, :4] + sine * slerps[:, 4:8]
    return result


def slerps_between(start: Floats, end: Floats) -> Floats:
    """Return the slerps between unit quaternions, in the layout of ``evaluate_slerps``.

    K. Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985. The
    caller chooses the signs: the shorter arc is not enforced.
    """
    dot = (start * end).sum(-1, keepdims=True)
    across = end - dot * start
    size = np.sqrt((across * across).sum(-1, keepdims=True))
    side = np.divide(across, size, out=np.zeros_like(across), where=size > 0.0)
    return np.concatenate([start, side, np.arctan2(size, dot)], axis=-1)


def closes(times: Floats, values: Floats, duration: float) -> bool:
    """Return whether a track ends at its first value, so that its loop is smooth."""
    whole = len(times) > 1 and times[0] == 0.0 and times[-1] == duration
    first, last = values[0], values[-1]
    same = (first == last).all() or (len(first) == 4 and (first == -last).all())
    return bool(whole and same)


def blends_of(
    values: Floats, times: Floats, cubic: NDArray[np.bool_], *, closed: bool
) -> Floats:
    """Return the interpolation from each key to the next, as ``Segments.blends``.

    Args:
        values: Values of the keys, as from ``values_of``, (n, width).
        times: Times of the keys, (n,) [s].
        cubic: Marks the cubic segments, (n - 1,).
        closed: Whether the last key continues at the first, as in a loop.
    """
    if values.shape[1] == 4:
        return _rotations(values, times, cubic, closed=closed)
    rates = slopes(np.diff(values, axis=0), times, cubic, closed=closed)
    straight = _polynomials(values, times, None)
    smooth = _polynomials(values, times, rates)
    return np.where(np.append(cubic, False)[:, None, None], smooth, straight)


def evaluate_cubics(factors: Floats, blend: Floats) -> Floats:
    """Evaluate cubic polynomials, (n, width).

    Args:
        factors: Coefficients of 1, w, w², w³ of the blend w, (n, 4, width).
        blend: 0 to 1, (n,).
    """
    w = blend[:, None]
    result: Floats = factors[:, 0] + w * (
        factors[:, 1] + w * (factors[:, 2] + w * factors[:, 3])
    )
    return result


def squad(slerps: Floats, blend: Floats) -> Floats:
    """Evaluate slerps, or squads where a second slerp is given.

    Args:
        slerps: In the layout of ``Segments.blends``, (n, 2, 9).
        blend: 0 to 1, (n,).
    """
    result = evaluate_slerps(slerps[:, 0], blend)
    smooth = np.flatnonzero(np.isfinite(slerps[:, 1, 0]))
    if len(smooth):
        w = blend[smooth]
        inner = evaluate_slerps(slerps[smooth, 1], w)
        across = slerps_between(result[smooth], inner)
        result[smooth] = evaluate_slerps(across, 2.0 * w * (1.0 - w))
    return result


def _of_path(times: Floats, positions: Floats, velocities: Floats) -> Segments:
    blends = _polynomials(positions, times, velocities)
    count = len(times)
    eases = np.tile(NO_EASE, (count, 1))
    moving = np.ones(count - 1, bool)
    return _rows("position", times, moving, eases, blends, (-np.inf, np.inf))


def _rows(
    kind: Literal["number", "position", "rotation"],
    times: Floats,
    moving: NDArray[np.bool_],
    eases: Floats,
    blends: Floats,
    bounds: tuple[float, float],
) -> Segments:
    rates = np.zeros(len(times) + 1)
    rates[1:-1][moving] = 1.0 / np.diff(times)[moving]
    return Segments(
        kind=kind,
        times=times,
        starts=np.append(times[0], times),
        rates=rates,
        eases=np.vstack([NO_EASE, eases]),
        blends=np.concatenate([blends[:1], blends]),
        bounds=bounds,
    )


def values_of(track: Track) -> Floats:
    """Return the keys' values, (n, width); rotations as quaternions of equal sign."""
    values = [key.value for key in track.keys.values()]
    if track.kind.kind != "rotation":
        return np.array(values, float).reshape(len(values), -1)
    turns = np.array([from_rpy(v) if len(v) == 3 else v for v in values], float)
    sizes = (turns * turns).sum(1, keepdims=True)
    # quaternions of unit length keep their exact digits
    turns = np.where(abs(sizes - 1.0) < 1e-15, turns, turns / np.sqrt(sizes))
    sides = np.where((turns[1:] * turns[:-1]).sum(1) < 0.0, -1.0, 1.0)
    turns[1:] *= np.cumprod(sides)[:, None]
    return turns


def _polynomials(values: Floats, times: Floats, rates: Floats | None) -> Floats:
    """Return the coefficients, linear or with slopes ``rates``, (n, 4, width)."""
    blends = np.zeros((len(values), 4, values.shape[1]))
    blends[:, 0] = values
    change = np.diff(values, axis=0)
    if rates is None:
        blends[:-1, 1] = change
    else:
        steps = np.diff(times)[:, None]
        leave, arrive = steps * rates[:-1], steps * rates[1:]
        blends[:-1, 1] = leave
        blends[:-1, 2] = 3.0 * change - 2.0 * leave - arrive
        blends[:-1, 3] = leave + arrive - 2.0 * change
    return blends


def _rotations(
    turns: Floats, times: Floats, cubic: NDArray[np.bool_], *, closed: bool
) -> Floats:
    """Return the slerp from each key and, for squad, a second one, (n, 2, 9).

    Shoemake's squad blends between a slerp from key to key and one between two control
    rotations, here each set so that the curve passes its key at a given rate: with
    ``L`` the rotation from key to key as a rotation vector and r h the one that the
    rate r makes in its time h, the control at the start is q0 exp((r0 h - L) / 2), at
    the end q1 exp((L - r1 h) / 2). For even times and mean rates these are Shoemake's.
    """
    count = len(turns)
    blends = np.full((count, 2, 9), np.nan)
    blends[:, 0, :4] = turns
    blends[:, 0, 4:] = 0.0
    start, end = turns[:-1], turns[1:]
    blends[:-1, 0] = slerps_between(start, end)
    if cubic.any():
        change = _log(multiply(conjugate(start), end))
        steps = np.diff(times)[:, None]
        rates = slopes(change, times, cubic, closed=closed)
        leave = multiply(start, _exp(0.5 * (steps * rates[:-1] - change)))
        arrive = multiply(end, _exp(0.5 * (change - steps * rates[1:])))
        second = slerps_between(leave, arrive)
        blends[:-1, 1][cubic] = second[cubic]
    return blends


def _log(turns: Floats) -> Floats:
    """Return rotation vectors (n, 3) of unit quaternions (n, 4)."""
    sizes = np.sqrt((turns[:, 1:] ** 2).sum(1, keepdims=True))
    angles = 2.0 * np.arctan2(sizes, turns[:, :1])
    factors = np.divide(angles, sizes, out=np.full_like(sizes, 2.0), where=sizes > 0.0)
    vectors: Floats = turns[:, 1:] * factors
    return vectors


def _exp(vectors: Floats) -> Floats:
    """Return unit quaternions (n, 4) of rotation vectors (n, 3)."""
    angles = np.sqrt((vectors**2).sum(1, keepdims=True))
    factors = np.full_like(angles, 0.5)
    np.divide(np.sin(0.5 * angles), angles, out=factors, where=angles > 0.0)
    return np.concatenate([np.cos(0.5 * angles), vectors * factors], axis=1)


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
