"""ClipFeet: what the clips that a figure plays do with its feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import panda3d.core as p3d

from ...character.contacts import Contacts, find_contacts
from ...character.strides import FACTORS, LedLeg, find_strides
from ...kernels import buffer
from ...kernels.clip_plans import ClipPlans
from ...kernels.walk import WalkKernel
from ...math3d.quaternion import Floats
from ..actor.actor_skeleton import ActorSkeleton
from ..ik.dependencies import node_id
from .clip_speed import MAX_FRAMES, clip_tracks, velocity_of
from .sole import Corner

if TYPE_CHECKING:
    from ...kernels.feet import Feet

CLIP, WALK, PACED = 5, 7, 5
"""Numbers of a clip, as of ``ClipPlans`` and ``WalkKernel``, and of a slot, as of
``follow_clips``."""

Soles = Mapping[str, Sequence[Corner]]
"""Corners of the sole of each foot."""


class Led(NamedTuple):
    """How a leg is led, in the Actor's own space."""

    ball: Corner
    """What the foot rolls over."""
    joints: Sequence[str]
    """Hip, knee and ankle."""
    about: Floats
    """What it is led about, seen from above, (2,)."""
    ankle: Floats
    """The ankle from the ball as it stands, (3,)."""
    height: float
    """Height of the ball then."""
    ahead: Floats
    """Direction to which the figure looks, (2,)."""
    hips: bool
    """Whether it has hips that carry all legs."""


class Clip:
    """What a clip does with the feet, alike for all Actors of a model."""

    def __init__(
        self,
        skeleton: ActorSkeleton,
        anim: p3d.AnimBundle,
        soles: Soles,
        leg: float,
        led: Sequence[Led] = (),
    ) -> None:
        # keeps alive what its key refers to
        self.anim = anim
        self.count = int(anim.get_num_frames())
        self.rate = rate = float(anim.get_base_frame_rate())
        center = p3d.LPoint3f(0.0, 0.0, 0.0)
        joints = [[*((joint, center) for joint in x.joints), x.ball] for x in led]
        tracks = clip_tracks(skeleton, anim, [*soles.values(), *joints])
        tracks, lines = tracks[: len(soles)], tracks[len(soles) :]
        ends: list[Floats | None] = [line[:, 3] for line in lines]
        rolls = ends or [None] * len(soles)
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
        count = max((len(foot.paths) for foot in found), default=0)
        rows = np.arange(count)
        self.leads = np.array(
            [
                np.hstack(
                    [x[rows % len(x)] for x in (foot.paths, foot.slips, foot.rolls)]
                )
                for foot in found
            ]
        )
        """Paths, slips and rolls of ``Contacts``, (feet, frames, 6)."""
        self.strides = np.zeros((1 + len(led), count + 1, len(FACTORS)))
        """What hips and heels do in strides that are led, see ``find_strides``."""
        if led and found and x * x + y * y > 0.0:
            legs = [
                LedLeg(line[: len(foot.stands)], foot, one.about, one.ankle, one.height)
                for line, foot, one in zip(lines, found, led, strict=True)
            ]
            # loops of feet whose last frame is their first again have a row less
            if all(len(foot.stands) == count for foot in found):
                way, (*_, ahead, hips) = np.array((x, y)), led[0]
                self.strides = find_strides(legs, way, ahead, rate, leg, hips)


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


def walk_tables(clips: Sequence[Clip | None]) -> tuple[Floats, Floats]:
    """Return how clips walk, and the rows of all, for a ``WalkKernel``."""
    table, rows, at = np.zeros((max(1, len(clips)), WALK)), [np.zeros(1)], 1
    for row, clip in zip(table, clips, strict=False):
        if clip is None:
            continue
        count = clip.leads.shape[1] if clip.leads.size else 0
        then = at + clip.leads.size
        row[:] = clip.count, clip.rate, *clip.velocity, at, count, then
        rows += [clip.leads.ravel(), clip.strides.ravel()]
        at = then + clip.strides.size
    return table.ravel(), np.concatenate(rows)


class Paced(NamedTuple):
    """What is known of a clip that has played in the last frame."""

    clip: Clip
    frame: float
    rate: float
    """Its mean rate [frames / s]; 0: not measured yet."""


def read_paces(rows: object, clips: Sequence[Clip | None]) -> list[Paced]:
    """Return what is known of clips that play, from the kernels' numbers of slots."""
    found = []
    for c, at, rate, *_ in np.reshape(np.asarray(rows), (-1, PACED)).tolist():
        clip = clips[int(c)] if c >= 0.0 else None
        if clip is not None:
            found.append(Paced(clip, at, rate))
    return found


def paces_of(
    slots: int, paces: Sequence[Paced], clips: Sequence[Clip | None]
) -> Floats:
    """Return the kernels' numbers of slots, (slots, ``PACED``), as ``read_paces`` does.

    What has no slot, or no number, is forgotten.
    """
    rows = np.full((slots, PACED), -1.0)
    for row, (clip, at, rate) in zip(rows, paces, strict=False):
        row[:] = clips.index(clip) if clip in clips else -1, at, rate, rate, 0.0
    return rows


class ClipFeet:
    """What each clip of an Actor does with its feet, found when it plays first.

    Args:
        skeleton: The Actor's skeleton.
        soles: Corners of each foot.
        leg: Length of the longest leg, in the Actor's own space.
        led: How each leg is led; default: they are not.
    """

    def __init__(
        self,
        skeleton: ActorSkeleton,
        soles: Soles,
        leg: float,
        led: Sequence[Led] = (),
    ) -> None:
        self._skeleton = skeleton
        self._soles = soles
        self._leg = leg
        self._led = led
        corners = [*soles.values(), [each.ball for each in led]]
        points = ((j, *point) for sole in corners for j, point in sole)
        key = (ClipFeet, *points)
        # one for all Actors of the model
        self._key = skeleton.model.known.setdefault(key, key)
        self._moment = skeleton.now()
        self._changes = -1
        # what is known of the clips in the slots
        self._paced: Any = ()
        self._plans: ClipPlans

    def velocity_of(self, anim: p3d.AnimBundle) -> tuple[float, float]:
        """Return the velocity of the Actor at which a clip's feet don't slide.

        In its own space, per second.
        """
        return self.clip(anim).velocity

    def _enter(self) -> tuple[list[Clip], dict[str, Any]] | None:
        """Return all clips and the slots if there are others than before."""
        now = self._moment
        if now.changes == self._changes:
            return None
        self._changes, count = now.changes, len(now.times)
        clips = list(map(self.clip, now.anims))
        if len(self._paced) != PACED * count:
            self._paced = buffer(paces_of(count, self.paces, clips).ravel())
        return clips, {**now.slots, "paced": self._paced}

    def walk(self, kernel: WalkKernel, dt: float) -> None:
        """Measure how the Actor moves and how its clips walk, for a frame."""
        new = self._enter()
        if new is not None:
            clips, slots = new
            kernel.use(len(slots["clip"]), *map(buffer, walk_tables(clips)), slots)
        kernel.step(0, dt)

    def tell(self, feet: Feet, dt: float) -> None:
        """Tell the feet of the Actor what it plays, for their next step.

        Args:
            feet: Their kernel.
            dt: Time since the last frame [s].
        """
        new = self._enter()
        if new is not None:
            clips, slots = new
            tables = map(buffer, clip_tables(clips))
            self._plans = ClipPlans(len(self._soles), *tables, slots)
        self._plans.tell(feet, 0, len(self._moment.times), dt)

    @property
    def paces(self) -> list[Paced]:
        """What is known of the clips of the last frame; others may be set."""
        return read_paces(self._paced, list(map(self.clip, self._moment.anims)))

    @paces.setter
    def paces(self, paces: Sequence[Paced]) -> None:
        now, self._changes = self._moment, -1
        now.reserve(len(paces))
        for each in paces:
            now.number(each.clip.anim)
        clips = list(map(self.clip, now.anims))
        self._paced = buffer(paces_of(len(now.times), paces, clips).ravel())

    def clip(self, anim: p3d.AnimBundle) -> Clip:
        known, key = self._skeleton.model.known, (node_id(anim), *self._key)
        found: Clip | None = known.get(key)
        if found is None:
            found = Clip(self._skeleton, anim, self._soles, self._leg, self._led)
            known[key] = found
        return found
