"""Spikes: frames in which joints leap, each with its cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..math3d.quaternion import Floats, conjugate, multiply, rotate
from .gait import Bools, Gait, lineage, runs_of

DEVIATIONS = 8.0
"""A leap is larger than the median by so many standard deviations, from the MAD."""
CONTRAST = 2.5
"""A leap is so many times as large as the excess of the frames beside it."""
BESIDE = 4
"""Number of frames on either side that are beside a leap."""
SEEN = 0.02
"""Leaps that move no joint further are not seen [m]: 10 of a picture's 720 pixels."""
SHORT, ALONE = 0.15, 0.76
"""Lever of a joint without one below, and that of a node without any [m]."""
TELEPORT, TELEPORT_TURN = 0.1, 20.0
"""A leap of the whole figure beyond these is a teleport [m], [deg]."""
MANY = 0.3
"""Share of the moving joints that leap where the whole pose is another one."""
MOVES = 0.1
"""A joint moves that turns by more in a step [deg]."""
LATE = 1.5
"""A step is late that is so many times as long, or takes so many times as long."""

CAUSES = {
    "late frame": "all moves as far as in two frames, or stood for one",
    "teleport": "the whole figure is elsewhere, in the same pose",
    "seam": "a loop begins again in another pose",
    "switch": "limbs take another pose and stay in it",
    "limit": "a joint leaps to or from an angle at which it stays",
    "clip": "the source leaps there, too",
    "pop": "none of the others: a joint leaps",
}
"""The causes of spikes, in words."""


class Spike(NamedTuple):
    """A leap of joints between two frames."""

    frame: int
    """The later one; 0 where a loop begins again."""
    time: float
    """Of this frame [s]."""
    joint: str
    """The joint that leaps most."""
    degrees: float
    """How far it turns beyond the frames beside, in its parent."""
    centimetres: float
    """How far any joint moves beyond them in the world, on a figure 1.7 m tall."""
    cause: str
    """A key of ``CAUSES``, or what ``Motion.cuts`` says."""
    announced: bool = False
    """Whether ``Motion.cuts`` names it."""

    def __str__(self) -> str:
        return (
            f"frame {self.frame} ({self.time:.2f} s): {self.joint} leaps by "
            f"{self.degrees:.1f} deg, {self.centimetres:.1f} cm: {self.cause}"
        )


class _Steps:
    """The steps of all joints, and what in them is a leap."""

    def __init__(self, gait: Gait) -> None:
        motion = gait.motion
        turns, places = motion.rotations, motion.global_positions * gait.unit
        back = conjugate(motion.global_rotations[:, gait.hips])[:, None]
        inner = rotate(back, places - places[:, gait.hips : gait.hips + 1])
        self.loops = motion.loop and len(motion) > 2 * BESIDE
        if self.loops:
            same = np.linalg.norm(rotation_vectors(turns[-1], turns[0]), axis=-1).max()
            # the last frame may be the first once more
            end = len(turns) - int(same < 0.5)
            # where a loop begins again the figure is carried on
            turns = np.concatenate([turns[:end], turns[:1]])
            inner = np.concatenate([inner[:end], inner[:1]])
            over = 2.0 * places[end - 1] - places[end - 2]
            places = np.concatenate([places[:end], over[None]])
        self.turns = rotation_vectors(turns[:-1], turns[1:])
        """Rotation of each step, (steps, joints, 3) [deg]."""
        self.inner, self.world = np.diff(inner, axis=0), np.diff(places, axis=0)
        self.pose = inner

    def excess(self, steps: Floats, pace: Floats | None = None) -> Floats:
        """Return by how much each step differs from both beside it, (steps, joints)."""
        if pace is not None:
            steps = steps / pace[:, None, None]
        around = steps
        if self.loops:
            around = np.concatenate([steps[-1:], steps, steps[:1]])
        change = np.diff(around, axis=0)
        apart = np.linalg.norm(change, axis=-1)
        # neither where a joint stops, nor where it turns round
        bent = 0.5 * np.linalg.norm(np.diff(change, axis=0), axis=-1)
        least: Floats = np.minimum(np.minimum(apart[:-1], apart[1:]), bent)
        # ends have no step on one side
        return least if self.loops else np.pad(least, ((1, 1), (0, 0)))


def rotation_vectors(before: Floats, after: Floats) -> Floats:
    """Return the rotations from one to the other [deg], (..., 3)."""
    q = multiply(after, conjugate(before))
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.degrees(np.arctan2(size, q[..., :1]))
    vectors: Floats = q[..., 1:] / np.where(size > 0.0, size, 1.0) * angle
    return vectors


def leaps(excess: Floats, steps: Floats, floor: Floats | float) -> Bools:
    """Return which excesses of (steps, joints) stand out of their joint's others."""
    floors = np.broadcast_to(floor, excess.shape[1:])
    median = np.median(excess, axis=0)
    spread = 1.4826 * np.median(np.abs(excess - median), axis=0)
    found = excess > np.maximum(median + DEVIATIONS * spread, floors)
    # joint by joint: the windows of all would take much memory
    for k in np.flatnonzero(found.any(axis=0)):
        # a leap there and back has two large values: the third is the frames' beside.
        # And a step stands out if it is twice as large as those beside it
        usual = np.median(_windows(np.linalg.norm(steps[:, k], axis=-1)), axis=-1)
        beside = CONTRAST * np.sort(_windows(excess[:, k]), axis=-1)[:, -3]
        found[:, k] &= excess[:, k] > np.maximum(beside, usual)
    return np.asarray(found)


def _windows(values: Floats) -> Floats:
    """Return the values of the frames beside each, (steps, 2 BESIDE + 1)."""
    padded = np.pad(values, BESIDE)
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * BESIDE + 1)


def _least_turns(gait: Gait) -> tuple[Floats, Floats]:
    """Return for each joint the smallest leap that is seen [deg].

    The first where any joint moves with it, the second where none does: about a bone.
    """
    motion, rest = gait.motion, gait.motion.rest_positions * gait.unit
    reach, alone = np.zeros(len(rest)), np.array([p < 0 for p in motion.parents])
    for joint in range(len(rest)):
        for above in lineage(motion.parents, joint)[1:]:
            alone[above] = False
            length = float(np.linalg.norm(rest[joint] - rest[above]))
            reach[above] = max(reach[above], length)
    reach = np.where(reach > 0.0, reach, SHORT)
    reach[alone] = ALONE
    least = np.where(alone, ALONE, np.minimum(reach, SHORT))
    longest = np.maximum(reach, SHORT)
    return np.degrees(SEEN / longest), np.degrees(SEEN / least)


def find_spikes(gait: Gait, source: Gait | None = None) -> tuple[Spike, ...]:
    """Return the leaps of a motion, the first frame first."""
    if len(gait.motion) < 4:
        return ()
    steps = _Steps(gait)
    pace = _pace(gait, len(steps.turns))
    kinds = (steps.turns, steps.inner, steps.world)
    least, unmoved = _least_turns(gait)
    floors: tuple[Floats | float, ...] = (least, SEEN, SEEN)
    sizes = [steps.excess(kind) for kind in kinds]
    found = [leaps(*row) for row in zip(sizes, kinds, floors, strict=True)]
    moves = (found[1] | found[2]).any(axis=1, keepdims=True)
    found[0] &= moves | (sizes[0] > unmoved)
    own = find_spikes(source) if source else ()
    known = {s.frame + k for s in own for k in (-1, 0, 1)}
    spikes = []
    jumps = np.asarray(np.any(found, axis=(0, 2)))
    skips = _late(
        steps, np.any([s > f for s, f in zip(sizes, floors, strict=True)], (0, 2))
    )
    for first, end in runs_of(jumps | skips):
        at = slice(first, end)
        turned, inside, _ = (np.asarray(f[at].any(axis=0)) for f in found)
        degrees, _, way = (s[at].max(axis=0) for s in sizes)
        cause, announced = _announced(gait, first, end)
        if not announced:
            late = pace is not None and not any(
                leaps(steps.excess(kind, pace), kind, floor)[at].any()
                for kind, floor in zip(kinds, floors, strict=True)
            )
            cause = (
                "late frame" if late or skips[at].any()
                else "clip" if known & set(range(first + 1, end + 1))
                else _cause(gait, steps, first, end, turned, inside, sizes)
            )  # fmt: skip
        frame = 0 if steps.loops and end == len(steps.turns) else first + 1
        worst = np.where(turned, degrees, -1.0) if turned.any() else way
        joint = gait.hips if cause == "teleport" else int(worst.argmax())
        spikes.append(
            Spike(
                frame,
                float(gait.motion.times[frame]),
                gait.motion.names[joint],
                float(degrees.max()),
                100.0 * float(way.max()),
                cause,
                announced,
            )
        )
    return tuple(sorted(spikes))


def _pace(gait: Gait, steps: int) -> Floats | None:
    """Return each step's time in medians, if any step takes too long."""
    pace = np.ones(steps)
    pace[: len(gait.dt)] = gait.dt / np.median(gait.dt)
    return pace if (pace > LATE).any() else None


def _announced(gait: Gait, first: int, end: int) -> tuple[str, bool]:
    for frame, cause in gait.motion.cuts.items():
        if first <= frame <= end + 1:
            return cause, True
    return "", False


def _cause(
    gait: Gait,
    steps: _Steps,
    first: int,
    end: int,
    turned: Bools,
    inside: Bools,
    sizes: Sequence[Floats],
) -> str:
    moving = np.linalg.norm(steps.turns, axis=-1).max(axis=0) > 0.1
    above = lineage(gait.motion.parents, gait.hips)
    inner = turned.copy()
    inner[above] = False
    share = inner.sum() / max(1, int(moving.sum()))
    way = sizes[2][first:end, gait.hips].max()
    spun = sizes[0][first:end, above].max()
    if share < MANY and (way > TELEPORT or spun > TELEPORT_TURN):
        return "teleport"
    if steps.loops and end == len(steps.turns):
        return "seam"
    many = share >= MANY or (inside.mean() >= MANY and inner.sum() >= 3)
    pose = steps.pose
    if many and first > BESIDE:
        left, right = pose[first], pose[end]
        start = min(_distance(right, pose[k]) for k in range(2))
        if start < 0.25 * _distance(left, right):
            return "seam"
    stays = _stays(steps, first, end)
    joints = np.flatnonzero(inner)
    if (
        0 < len(joints) <= 2
        and stays
        and any(_rests(steps, first, end, int(j)) for j in joints)
    ):
        return "limit"
    return "switch" if stays and (many or len(joints) >= 3) else "pop"


def _distance(a: Floats, b: Floats) -> float:
    return float(np.linalg.norm(a - b, axis=-1).mean())


def _late(steps: _Steps, seen: Bools) -> Bools:
    turns, found = steps.turns, np.zeros(len(steps.turns), bool)
    for k in np.flatnonzero(seen):
        if not 2 <= k < len(turns) - 2:
            continue
        far, near = (0.5 * (turns[k - n] + turns[k + n]) for n in (2, 1))
        size, moved = (float((step**2).sum()) for step in (far, turns[k]))
        if size < len(far) * 0.01:
            continue
        # it is the larger one of three, unless it makes up for one that stood
        beside = sorted(float((turns[n] ** 2).sum()) for n in (k - 1, k + 1))
        stood = beside[0] < 0.02 * size
        usual = far if stood else near
        times = float((turns[k] * usual).sum()) / max(float((usual**2).sum()), 1e-12)
        left = float(((turns[k] - times * usual) ** 2).sum())
        peak = moved > LATE**2 * beside[not stood]
        late = times > LATE and left < 0.25 * moved and peak
        # most joints, too, not only one that turns more than all others together
        further = (turns[k] * usual).sum(axis=1) > LATE * (usual**2).sum(axis=1)
        stands = (turns[k] ** 2).sum(axis=1) < 0.02 * (far**2).sum(axis=1)
        found[k] = (late and _most(further, usual)) or (
            moved < 0.02 * size and _most(stands, far)
        )
    return found


def _most(flags: Bools, turns: Floats) -> bool:
    """Return whether flags of more than two thirds of the joints that turn are True."""
    moves = np.linalg.norm(turns, axis=1) > MOVES
    return 3 * int(flags[moves].sum()) > 2 * int(moves.sum())


def _stays(steps: _Steps, first: int, end: int) -> bool:
    """Return whether the pose after a leap is not the one before it."""
    turned = np.linalg.norm(steps.turns[first:end].sum(axis=0), axis=-1).max()
    largest = np.linalg.norm(steps.turns[first:end], axis=-1).max()
    return bool(turned > 0.5 * largest)


def _rests(steps: _Steps, first: int, end: int, joint: int) -> bool:
    """Return whether a joint moves on one side of a leap only."""
    sizes = np.linalg.norm(steps.turns[:, joint], axis=-1)
    sides = [sizes[max(0, first - BESIDE) : first], sizes[end : end + BESIDE]]
    if min(map(len, sides)) < BESIDE:
        return False
    still, moves = sorted(float(side.max()) for side in sides)
    return still < 0.02 and moves > 0.1
