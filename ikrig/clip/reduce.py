"""Fewer keys: the same motion, within a stated error."""

from __future__ import annotations

from math import radians

import numpy as np

from ..errors import ClipError
from ..fields import Number, checked
from ..spatial import Floats
from .clip import Clip
from .segments import bent, blends_of, closes, squad, values_of
from .track import Key, Track

__all__ = ["angles_between", "reduce_clip"]

DEGREES = Number("degrees of at least 0", 0.0, 180.0)
LENGTH = Number("a length of at least 0, or None", 0.0)
SHARE = 1e-3
"""Of the way that a track covers: its error when no length is given."""


def reduce_clip(
    clip: Clip, *, tolerance_deg: float = 0.1, tolerance: float | None = None
) -> Clip:
    """Return a clip that moves the same with far fewer keys.

    Of a recording, with a key in each frame, those stay that an animator needs. From
    key to key everything goes as before, ``"linear"`` or ``"cubic"``; a track with
    other curves, or several, keeps its keys, and one that goes along a path the path.
    What never changes keeps one key.

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
    turn = radians(checked(DEGREES, tolerance_deg, "tolerance_deg", ClipError))
    if tolerance is not None:
        tolerance = checked(LENGTH, tolerance, "tolerance", ClipError)
    tracks = [_reduced(track, clip, turn, tolerance) for track in clip.tracks]
    # what rests at its last key still lasts as long
    return clip._with(tracks=tracks, duration=clip.duration or None)


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
        kept = _kept(times, values, curve == "cubic", closed, rotates, allowed)
    keys = list(track.keys.items())
    motion = {keys[i][0]: Key(keys[i][1].value) for i in kept}
    return Track(track.part, track.channel, motion, curve)


def _kept(
    times: Floats,
    values: Floats,
    smooth: bool,
    closed: bool,
    rotates: bool,
    allowed: float,
) -> list[int]:
    """Return which keys are enough."""
    count = len(times)
    at, wanted, nearest = times, values, np.arange(count)
    if smooth:
        at = np.sort(np.append(times, 0.5 * (times[1:] + times[:-1])))
        wanted = _shown(times, values, smooth, closed, rotates, at)
        nearest = np.arange(len(at)) // 2
    keep = np.zeros(count, bool)
    keep[[0, -1]] = True
    while not keep.all():
        rows = np.flatnonzero(keep)
        shown = _shown(times[rows], values[rows], smooth, closed, rotates, at)
        gaps = _gaps(shown, wanted, rotates)
        # each stretch that is off somewhere gets back the key where it is most
        stretch = np.searchsorted(rows, nearest, "right") - 1
        worst = np.lexsort((gaps, stretch))
        worst = worst[np.flatnonzero(np.diff(stretch[worst], append=count))]
        most = gaps[worst]
        if (most <= allowed).all():
            break
        # a key mends its neighbours' stretches too: no two side by side at once
        highest = (most >= np.append(0.0, most[:-1])) & (most >= np.append(most[1:], 0))
        worst = worst[highest & (most > allowed)]
        for i in nearest[worst]:
            # a curve may be off between two keys that stay: then because of others
            free = np.flatnonzero(~keep)
            if len(free):
                keep[free[abs(free - i).argmin()]] = True
    kept: list[int] = np.flatnonzero(keep).tolist()
    return kept


def _shown(
    times: Floats,
    values: Floats,
    smooth: bool,
    closed: bool,
    rotates: bool,
    at: Floats,
) -> Floats:
    """Return what the keys show at some times."""
    cubic = np.full(len(times) - 1, smooth)
    blends = blends_of(values, times, cubic, closed=closed)
    rows = np.clip(np.searchsorted(times, at, "right") - 1, 0, len(times) - 2)
    blend = (at - times[rows]) / (times[rows + 1] - times[rows])
    return (squad if rotates else bent)(blends[rows], blend)


def _gaps(first: Floats, second: Floats, rotates: bool) -> Floats:
    """Return how far values (n, width) are from each other, (n,)."""
    if rotates:
        return angles_between(first, second)
    gaps: Floats = np.linalg.norm(first - second, axis=1)
    return gaps
