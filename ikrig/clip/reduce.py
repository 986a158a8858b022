"""Removes keys from clips within a given tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import NDArray

from ..errors import ClipError, shown
from ..math3d.quaternion import Floats
from ..value_shapes import Number, checked
from .clip import Clip
from .sampler import blends_of, closes, evaluate_cubics, squad, values_of
from .track import Key, Track

DEGREES = Number("degrees of at least 0", 0.0, 180.0)
LENGTH = Number("a length of at least 0, or None", 0.0)
DEFAULT_FRACTION = 1e-3
"""Default tolerance of a track, as a fraction of its range of motion."""


def reduce_clip(
    clip: Clip, *, tolerance_deg: float = 0.1, tolerance: float | None = None
) -> Clip:
    """Return a clip with the same motion and far fewer keys.

    A recording has a key in each frame; only those that the motion needs are kept.
    Curves stay ``"linear"`` or ``"cubic"``. A track with other curves, or with several
    kinds, keeps its keys, and a track along a path keeps the path. A track that never
    changes keeps one key.

        small = ikrig.reduce_clip(recorded, tolerance_deg=0.2, tolerance=0.001)

    The error is measured on the resulting motion, at every removed key and, where the
    curve is cubic, halfway between keys as well. U. Ramer, "An iterative procedure for
    the polygonal approximation of plane curves" (1972), extended to any curve: the key
    with the largest error is added until all errors are within the tolerance.

    Args:
        clip: The clip.
        tolerance_deg: Largest error of rotations and angles [deg].
        tolerance: Largest error of positions and slides [scene unit]. None: a
            thousandth of the track's range of motion. Settings and weights stay exact.

    Raises:
        ClipError: ``clip`` is not a ``Clip``, or a tolerance is out of range.
    """
    if not isinstance(clip, Clip):
        raise ClipError(f"clip must be a Clip, not {shown(clip)}")
    check_tolerances(tolerance_deg, tolerance)
    turn = radians(tolerance_deg)
    tracks = [_reduced(track, clip, turn, tolerance) for track in clip.tracks]
    # keeps the duration when the last keys are removed
    return clip.with_changes(tracks=tracks, duration=clip.duration or None)


def check_tolerances(tolerance_deg: float, tolerance: float | None) -> None:
    """Check the tolerances of ``reduce_clip``."""
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
        allowed = DEFAULT_FRACTION * float(np.ptp(values, axis=0).max())
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
    return Track(*track.address, fewer, curve)


@dataclass
class _Motion:
    """The keys of a track, (n,) and (n, width), and their interpolation."""

    times: Floats
    values: Floats
    smooth: bool
    closed: bool
    rotates: bool

    def kept(self, allowed: float) -> list[int]:
        keep = np.zeros(len(self.times), bool)
        keep[[0, -1]] = True
        self._fill(keep, self.times, self.values, allowed)
        if self.smooth:
            halves = np.append(self.times, 0.5 * (self.times[1:] + self.times[:-1]))
            every = np.ones_like(keep)
            self._fill(keep, halves, self._shown(every, halves), allowed)
        kept: list[int] = np.flatnonzero(keep).tolist()
        return kept

    def _fill(
        self, keep: NDArray[np.bool_], at: Floats, wanted: Floats, allowed: float
    ) -> None:
        nearest = np.searchsorted(self.times, at, "right") - 1
        while not keep.all():
            gaps = _gaps(self._shown(keep, at), wanted, self.rotates)
            # the largest error between each two kept keys
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
                # a key changes the neighbouring segments of a cubic curve too
                mended[k : k + 3] = self.smooth
                # a segment without removed keys errs because of its neighbours
                free = np.flatnonzero(~keep)
                if len(free):
                    keep[free[abs(free - nearest[worst[k]]).argmin()]] = True

    def _shown(self, keep: NDArray[np.bool_], at: Floats) -> Floats:
        times, values = self.times[keep], self.values[keep]
        cubic = np.full(len(times) - 1, self.smooth)
        blends = blends_of(values, times, cubic, closed=self.closed)
        rows = np.clip(np.searchsorted(times, at, "right") - 1, 0, len(times) - 2)
        blend = (at - times[rows]) / (times[rows + 1] - times[rows])
        return (squad if self.rotates else evaluate_cubics)(blends[rows], blend)


def _gaps(first: Floats, second: Floats, rotates: bool) -> Floats:
    """Return the distances or angles between values (n, width), (n,)."""
    if rotates:
        return angles_between(first, second)
    gaps: Floats = np.linalg.norm(first - second, axis=1)
    return gaps
