"""ClipFeet: what the clips that a figure plays do with its feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...character.contacts import Contacts, find_contacts
from ...character.foot_planner import FootPlanner
from ...kernels import buffer, index_buffer, zeros
from ...kernels.clip_plans import ClipPlans
from ...math3d.quaternion import Floats
from ..actor.actor_skeleton import ActorSkeleton
from .clip_speed import MAX_FRAMES, clip_tracks, velocity_of
from .sole import Corner

LATEST = 1e9
"""Frame from which on a clip is not where it says."""
CLIP, MEAN_SECONDS = 5, 0.1
"""Numbers of a clip, and time over which its rate is averaged, as of ``ClipPlans``."""

Soles = Mapping[str, Sequence[Corner]]
"""Corners of the sole of each foot."""
STANDS = 0.15
"""Speed below which a figure, or a clip, stands [leg lengths a second]."""
Playing = tuple[Any, float, float]
"""A clip that has an effect: its control, its frame, and its weight."""


class Clip:
    """What a clip does with the feet, alike for all Actors of a model."""

    def __init__(
        self,
        skeleton: ActorSkeleton,
        anim: Any,
        soles: Soles,
        leg: float,
        balls: Sequence[Corner] = (),
    ) -> None:
        # keeps alive what its key refers to
        self.anim = anim
        self.count = int(anim.get_num_frames())
        self.rate = rate = float(anim.get_base_frame_rate())
        points = [*soles.values(), *([ball] for ball in balls)]
        tracks = clip_tracks(skeleton, anim, points)
        rolls = [ball[:, 0] for ball in tracks[len(soles) :]] or [None] * len(soles)
        tracks = tracks[: len(soles)]
        self.velocity = x, y = velocity_of(tracks, rate)
        self.contacts: list[Contacts] = []
        """Those of each foot; none where they are not sure."""
        self.floor = 0.0
        """Height at which all feet stand at least, or at most where they are sunk."""
        found: list[Contacts] = []
        sound = 3 <= self.count <= MAX_FRAMES and rate > 0.0
        if sound and all(np.isfinite(points).all() for points in tracks):
            found = [
                find_contacts(points, (x, y), rate, leg, ball)
                for points, ball in zip(tracks, rolls, strict=True)
            ]
            floors = [foot.floor for foot in found]
            self.floor = max(min(floors), 0.0) + min(max(floors), 0.0)
            if all(foot.sure for foot in found):
                self.contacts = found
        self.leads = [
            [tuple(complex(*v) for v in row) for row in zip(*tables, strict=True)]
            for foot in found
            for tables in [[t.tolist() for t in (foot.paths, foot.slips, foot.rolls)]]
        ]
        """What ``Contacts`` says of paths, slips and rolls, by foot and frame."""


def clip_tables(clips: Sequence[Clip | None]) -> tuple[Floats, Floats]:
    """Return what is known of clips, and the rows of all, for ``ClipPlans``."""
    table, rows, at = np.zeros((max(1, len(clips)), CLIP)), [np.zeros(1)], 1
    table[:, 2] = -1.0
    for c, clip in enumerate(clips):
        if clip is not None:
            table[c, [0, 1, 4]] = clip.count, clip.rate, clip.floor
            if clip.contacts and clip.rate > 0.0:
                # loops of feet whose last frame is their first again have a row less
                plans = np.stack(
                    [
                        found.plans[:, np.arange(clip.count) % len(found.stands)]
                        for found in clip.contacts
                    ],
                    1,
                )
                table[c, 2:4] = at, clip.count
                rows.append(plans.ravel())
                at += plans.size
    return table.ravel(), np.concatenate(rows)


class Played:
    """How fast a figure plays its clips."""

    def __init__(self) -> None:
        self.last: dict[Clip, tuple[float, float]] = {}

    def step(
        self, clips: Sequence[Clip], frames: Sequence[float], dt: float
    ) -> list[float]:
        """Return mean rates after a frame of dt seconds [frames/s]; 0: unknown.

        Args:
            clips: What plays.
            frames: Where each is now.
            dt: Time since the last frame [s].
        """
        last, self.last = self.last, {}
        rates = []
        for clip, frame in zip(clips, frames, strict=True):
            before, rate = last.get(clip, (frame, 0.0))
            # where it goes round, its last frame may be its first once more, or not
            if dt > 0.0 and clip in last and abs(frame - before) < 0.5 * clip.count:
                share = min(1.0, dt / MEAN_SECONDS) if rate else 1.0
                rate += share * ((frame - before) / dt - rate)
            self.last[clip] = frame, rate
            rates.append(rate)
        return rates


class ClipFeet:
    """What each clip of an Actor does with its feet, found when it plays first.

    Args:
        skeleton: The Actor's skeleton.
        soles: Corners of each foot.
        leg: Length of the longest leg, in the Actor's own space.
        balls: What each foot rolls over; default: the middle of its sole.
    """

    def __init__(
        self,
        skeleton: ActorSkeleton,
        soles: Soles,
        leg: float,
        balls: Sequence[Corner] = (),
    ) -> None:
        self._skeleton = skeleton
        self._soles = soles
        self._leg = leg
        self._balls = balls
        points = ((j, *point) for sole in (*soles.values(), balls) for j, point in sole)
        key = (ClipFeet, *points)
        # one for all Actors of the model
        self._key = skeleton.model.known.setdefault(key, key)
        self._clips: dict[int, Clip] = {}
        # those that have played, and what plays, as the kernel reads it
        self._order: list[Clip] = []
        self._slots: dict[str, Any] = {"time": (), "played": buffer((-1.0, 0.0, 0.0))}
        self._kernel: Any = None

    @property
    def playing(self) -> list[Playing]:
        """The clips that have an effect on the Actor in this frame."""
        return [
            (control, control.get_full_fframe(), weight)
            for control, weight in self._skeleton.playing
        ]

    def velocity_of(self, anim: Any) -> tuple[float, float]:
        """Return the velocity of the Actor at which a clip's feet don't slide.

        In its own space, per second.
        """
        return self.clip(anim).velocity

    def velocity(
        self, played: Played, playing: Sequence[Playing], dt: float
    ) -> tuple[complex, float]:
        """Return the velocity of the clips that walk now, and their share of all.

        x + iy in the Actor's space; at 0j with a share of 0 none walks.

        Args:
            played: What has played, of one figure.
            playing: What plays now.
            dt: Length of the frame [s]. How far clips went in it counts, whether they
                play or are posed.
        """
        clips = [self.clip(control.get_anim()) for control, _, _ in playing]
        total, walks, velocity = 0.0, 0.0, 0j
        rates = played.step(clips, [frame for _, frame, _ in playing], dt)
        for clip, rate, (_, _, weight) in zip(clips, rates, playing, strict=True):
            total += weight
            own = rate / (clip.rate or 1.0) * complex(*clip.velocity)
            if abs(own) > STANDS * self._leg:
                walks += weight
                velocity += weight * own
        return (velocity / walks, walks / total) if walks > 0.0 else (0j, 0.0)

    def leads(
        self, playing: Sequence[Playing], flat: float
    ) -> list[tuple[complex, complex]]:
        """Return where each foot would be if it did not slide, and what that takes.

        x + iy in the Actor's space: the middle of its sole, and what has to be added;
        nothing where no clip is known.

        Args:
            playing: What plays now.
            flat: Whether it is set down flat instead of rolling, 0 to 1.
        """
        found, total = [(0j, 0j)] * len(self._soles), 0.0
        for control, frame, weight in playing:
            leads = self.clip(control.get_anim()).leads
            if not (leads and abs(frame) < LATEST):
                continue
            total += weight
            whole = int(frame)
            past = frame - whole
            for k, rows in enumerate(leads):
                for row, part in ((whole, 1.0 - past), (whole + 1, past)):
                    path, slip, roll = rows[row % len(rows)]
                    slip += flat * (roll - slip)
                    part *= weight
                    found[k] = found[k][0] + part * path, found[k][1] + part * slip
        return [(path / total, slip / total) for path, slip in found if total > 0.0]

    def tell(self, planner: FootPlanner, dt: float) -> None:
        """Tell the feet of the Actor what it plays, for their next step.

        Args:
            planner: Its feet.
            dt: Time since the last frame [s].
        """
        slots = self._slots
        playing = self.playing
        clips = [self.clip(control.get_anim()) for control, _, _ in playing]
        new = [clip for clip in clips if clip not in self._order]
        if new or len(playing) > len(slots["time"]) or self._kernel is None:
            self._order += new
            size = max(4, 2 * len(playing))
            slots |= {"time": zeros(size), "weight": zeros(size)}
            slots["clip"] = index_buffer([0] * size)
            tables = map(buffer, clip_tables(self._order))
            self._kernel = ClipPlans(len(self._soles), *tables, slots)
        for k, (_, frame, weight) in enumerate(playing):
            slots["clip"][k] = self._order.index(clips[k])
            slots["time"][k], slots["weight"][k] = frame, weight
        self._kernel.tell(planner.kernel, 0, len(playing), dt)

    @property
    def played(self) -> tuple[Clip | None, float, float]:
        """The clip that decided last what feet do, its frame, and its mean rate."""
        clip, frame, rate = self._slots["played"]
        return self._order[int(clip)] if clip >= 0.0 else None, frame, rate

    @played.setter
    def played(self, played: tuple[Clip | None, float, float]) -> None:
        clip, frame, rate = played
        if clip is not None and clip not in self._order:
            self._order.append(clip)
            self._kernel = None
        c = -1 if clip is None else self._order.index(clip)
        self._slots["played"][:] = buffer((c, frame, rate))

    def clip(self, anim: Any) -> Clip:
        found = self._clips.get(anim.this)
        if found is None:
            known, key = self._skeleton.model.known, (anim.this, *self._key)
            if key not in known:
                known[key] = Clip(
                    self._skeleton, anim, self._soles, self._leg, self._balls
                )
            found = self._clips[anim.this] = known[key]
        return found
