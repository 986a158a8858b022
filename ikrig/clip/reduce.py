"""Removes keys from clips within a given error."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import NDArray

from ..errors import ClipError, shown
from ..math3d.quaternion import Floats
from ..value_shapes import Number, checked
from .clip import Clip
from .segments import bent, blends_of, closes, squad, values_of
from .track import Key, Track

DEGREES = Number("degrees of at least 0", 0.0, 180.0)
LENGTH = Number("a length of at least 0, or None", 0.0)
SHARE = 1e-3
"""Of the way that a track covers: its error when no length is given."""


def reduce_clip(
    clip: Clip, *, tolerance_deg: float = 0.1, tolerance: float | None = None
) -> Clip:
    """Return a clip that moves the same with far fewer keys.

    A recording has a key in each frame; only the keys that are needed stay. The curves
    between keys stay ``"linear"`` or ``"cubic"``. A track with other curves keeps its
    keys, as does one with several curves, and a track along a path keeps the path. A
    track that never changes keeps one key.

        small = ikrig.reduce_clip(recorded, tolerance_deg=0.2, tolerance=0.001)

    The error is that of what is shown, at every key that was there and, where the curve
    is cubic, half way between them. U. Ramer, "An iterative procedure for the polygonal
    approximation of plane curves" (1972), for any curve: the farthest key comes back
    until nothing is farther than allowed.

    Args:
        clip: The clip.
        tolerance_deg: Largest error of rotations and angles [deg].
        tolerance: Largest error of positions and slides [scene unit]. None: a
            thousandth of the way that the track covers. Settings and weights change by
            nothing.

    Raises:
        ClipError: A tolerance is no such number.
    """
    if not isinstance(clip, Clip):
        raise ClipError(f"what is reduced must be a Clip, not {shown(clip)}")
    check_tolerances(tolerance_deg, tolerance)
    turn = radians(tolerance_deg)
    tracks = [_reduced(track, clip, turn, tolerance) for track in clip.tracks]
    # what rests at its last key still lasts as long
    return clip.with_changes(tracks=tracks, duration=clip.duration or None)


def check_tolerances(tolerance_deg: float, tolerance: float | None) -> None:
    """Refuse what is no tolerance.

    Raises:
        ClipError: Says which.
    """
    checked(DEGREES, tolerance_deg, "tolerance_deg", ClipError)
    if tolerance is not None:
        checked(LENGTH, tolerance, "tolerance", ClipError)


def angles_between(first: Floats, second: Floats) -> Floats:
    """Return the angles between unit quaternions [rad], (...)."""
    near = np.linalg.norm(first - second, axis=-1)
    far = np.linalg.norm(first + second, axis=-1)
    angles: Floats = 4.0 * np.arcsin(0.5 * np.minimum(np.minimum(near, far), 2.0))
    return angles


def _reduced(track: Track, clip: Clip, turn: float, length: float | None) -> Track:
    if len(track.keys) < 2:
        return track
    times, values = np.array(list(track.keys)), values_of(track)
    rotates = track.kind.kind == "rotation"
    if rotates or track.kind.angle:
        allowed = turn
    elif track.kind.kind == "position" or track.channel == "slide":
        allowed = SHARE * float(np.ptp(values, axis=0).max())
        allowed = allowed if length is None else length
    else:
        allowed = 0.0
    curves = {key.then or track.curve for key in list(track.keys.values())[:-1]}
    curve = curves.pop()
    if (_gaps(values, values[:1], rotates) <= allowed).all():
        kept = [0]
    elif curves or curve not in ("linear", "cubic"):
        return track
    else:
        closed = clip.wrap == "loop" and closes(times, values, clip.duration)
        motion = _Motion(times, values, curve == "cubic", closed, rotates)
        kept = motion.kept(allowed)
    keys = list(track.keys.items())
    fewer = {keys[i][0]: Key(keys[i][1].value) for i in kept}
    return Track(track.part, track.channel, fewer, curve)


@dataclass
class _Motion:
    """The keys of a track, (n,) and (n, width), and how it goes from key to key."""

    times: Floats
    values: Floats
    smooth: bool
    closed: bool
    rotates: bool

    def kept(self, allowed: float) -> list[int]:
        """Return which keys are enough."""
        keep = np.zeros(len(self.times), bool)
        keep[[0, -1]] = True
        self._fill(keep, self.times, self.values, allowed)
        if self.smooth:
            halves = np.append(self.times, 0.5 * (self.times[1:] + self.times[:-1]))
            halves.sort()
            every = np.ones_like(keep)
            self._fill(keep, halves, self._shown(every, halves), allowed)
        kept: list[int] = np.flatnonzero(keep).tolist()
        return kept

    def _fill(
        self, keep: NDArray[np.bool_], at: Floats, wanted: Floats, allowed: float
    ) -> None:
        """Add keys until what is wanted at some times is shown there."""
        nearest = np.searchsorted(self.times, at, "right") - 1
        while not keep.all():
            gaps = _gaps(self._shown(keep, at), wanted, self.rotates)
            # where it is most, in each stretch from a key to the next
            stretch = np.searchsorted(np.flatnonzero(keep), nearest, "right") - 1
            worst = np.lexsort((gaps, stretch))
            worst = worst[np.flatnonzero(np.diff(stretch[worst], append=len(at)))]
            if (gaps[worst] <= allowed).all():
                break
            mended = np.zeros(len(worst) + 2, bool)
            for k in np.argsort(-gaps[worst]):
                if gaps[worst[k]] <= allowed:
                    break
                if mended[k + 1]:
                    continue
                # a key mends a curve's stretches beside its own too
                mended[k : k + 3] = self.smooth
                # a curve may be off between keys that stay: then because of others
                free = np.flatnonzero(~keep)
                if len(free):
                    keep[free[abs(free - nearest[worst[k]]).argmin()]] = True

    def _shown(self, keep: NDArray[np.bool_], at: Floats) -> Floats:
        """Return what some of the keys show at some times."""
        times, values = self.times[keep], self.values[keep]
        cubic = np.full(len(times) - 1, self.smooth)
        blends = blends_of(values, times, cubic, closed=self.closed)
        rows = np.clip(np.searchsorted(times, at, "right") - 1, 0, len(times) - 2)
        blend = (at - times[rows]) / (times[rows + 1] - times[rows])
        return (squad if self.rotates else bent)(blends[rows], blend)


def _gaps(first: Floats, second: Floats, rotates: bool) -> Floats:
    """Return how far values (n, width) are from each other, (n,)."""
    if rotates:
        return angles_between(first, second)
    gaps: Floats = np.linalg.norm(first - second, axis=1)
    return gaps
