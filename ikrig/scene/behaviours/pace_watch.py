"""PaceWatch: warns of an Actor whose speed differs from its clip's walking speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ..actor.actor_skeleton import ActorSkeleton
from .clip_speed import clip_velocity
from .sole import Corner

INTERVAL = 0.25
"""Time between measurements of the Actor's speed [s]."""
SAMPLES = 5
"""Number of measurements that must agree: the speed is steady for a second."""
STEADY = 0.1
"""Relative difference that they may have."""
TOLERANCE = 0.25
"""Relative difference from the clip's speed that the Actor's may have."""
STANDING_SPEED = 0.1
"""Speed below which it stands [leg lengths per second]."""


class _Pace:
    """The velocity of a clip, shared by all Actors of one model.

    Args:
        anim: The clip.
        velocity: The Actor's velocity for the clip, in its own space.
    """

    def __init__(self, anim: object, velocity: p3d.LVector3f) -> None:
        # keeps alive what the key refers to
        self.anim = anim
        self.velocity = velocity


_measured: WeakValueDictionary[Any, _Pace] = WeakValueDictionary()
_warned: WeakKeyDictionary[ActorSkeleton, set[str]] = WeakKeyDictionary()


class PaceWatch:
    """Compares an Actor's speed with that of the only clip that plays.

    It measures four times a second. A clip is measured once, when the Actor has moved
    steadily for a second. It warns once per Actor and clip.

    Args:
        skeleton: The Actor's skeleton.
        soles: Corners of each foot.
    """

    def __init__(
        self, skeleton: ActorSkeleton, soles: Mapping[str, Sequence[Corner]]
    ) -> None:
        self._skeleton = skeleton
        self._paces = ClipPaces(skeleton, soles)
        self.restart()

    def restart(self) -> None:
        """Restart the measurements: the Actor was moved, or is carried along."""
        self._elapsed = 0.0
        self._place: p3d.LPoint3f | None = None
        self._playing: tuple[str, float] = ("", 0.0)
        self._speeds: list[float] = []

    def measure(self, dt: float, leg: float) -> None:
        """Measure the Actor's speed if it is time; never raises.

        Args:
            dt: Length of the frame [s].
            leg: Length of its longest leg.
        """
        self._elapsed += dt
        if self._elapsed < INTERVAL:
            return
        skeleton = self._skeleton
        actor = skeleton.actor
        name, control = _only_clip(skeleton)
        if control is None or name in _warned.get(skeleton, ()):
            self.restart()
            return
        before, elapsed = self._place, self._elapsed
        playing = name, float(control.get_play_rate())
        place = self._place = actor.get_pos(actor.get_top())
        self._elapsed = 0.0
        if before is None or playing != self._playing:
            self._playing, self._speeds = playing, []
            return
        moved = place - before
        self._speeds = [*self._speeds, hypot(moved[0], moved[1]) / elapsed][-SAMPLES:]
        lowest, highest = min(self._speeds), max(self._speeds)
        if len(self._speeds) < SAMPLES or not highest - lowest <= STEADY * highest:
            return
        self._compare(name, control, (lowest + highest) / 2.0, STANDING_SPEED * leg)

    def _compare(self, name: str, control: Any, speed: float, slow: float) -> None:
        actor, rate = self._skeleton.actor, float(control.get_play_rate())
        velocity = self._paces.of(name, control.get_anim())
        x, y, _ = actor.get_mat(actor.get_top()).xform_vec(velocity)
        own = hypot(x, y)
        # an Actor that sits in a car does not walk
        if not min(own, speed) > slow or abs(speed - own * abs(rate)) <= (
            TOLERANCE * own * abs(rate)
        ):
            return
        _warned.setdefault(self._skeleton, set()).add(name)
        fit = speed / own if rate >= 0.0 else -speed / own
        directNotify.newCategory("ikrig").warning(
            f"Actor {actor.get_name()!r} moves at {speed:.3g} units/s, but the feet "
            f"of its clip {name!r} move at {own * abs(rate):.3g} units/s: they slide, "
            f"or unlock too early. Call actor.set_play_rate({fit:.3g}, {name!r}), or "
            f"move the Actor at {own * abs(rate):.3g} units/s"
        )


class ClipPaces:
    """The velocities of an Actor's clips, and of what it plays.

    Each clip is measured once, for all Actors of a model.

    Args:
        skeleton: The Actor's skeleton.
        soles: Corners of each foot.
    """

    def __init__(
        self, skeleton: ActorSkeleton, soles: Mapping[str, Sequence[Corner]]
    ) -> None:
        self._skeleton = skeleton
        self._soles = soles
        self._key = tuple(
            (joint, *point) for sole in soles.values() for joint, point in sole
        )
        self._paces: dict[int, _Pace] = {}
        self._frames: dict[int, float] = {}

    def of(self, name: str, anim: Any) -> p3d.LVector3f:
        """Return the velocity of a clip, in the Actor's space."""
        found = self._paces.get(anim.this)
        if found is None:
            key = (anim.this, *self._key)
            found = _measured.get(key)
            if found is None:
                velocity = clip_velocity(self._skeleton, name, self._soles)
                found = _measured[key] = _Pace(anim, velocity)
            self._paces[anim.this] = found
        return found.velocity

    def step(self, dt: float) -> complex:
        """Return the velocity of what plays now, x + iy in the Actor's space.

        Args:
            dt: Length of the frame [s], above 0. How far clips went in it counts,
                whether they play or are posed.
        """
        total, velocity, frames = 0.0, 0j, {}
        for name, control in _clips(self._skeleton):
            effect = self._skeleton.bundle.get_control_effect(control)
            count = control.get_num_frames()
            frame = frames[control.this] = control.get_full_fframe()
            step = frame - self._frames.get(control.this, frame)
            # the short way round, of a clip that loops
            step = (step + 0.5 * count) % max(count, 1) - 0.5 * count
            anim = control.get_anim()
            rate = step / (dt * (anim.get_base_frame_rate() or 1.0))
            x, y, _ = self.of(name, anim)
            velocity += effect * rate * complex(x, y)
            total += effect
        self._frames = frames
        return velocity / total if total > 0.0 else 0j


def expect_other_paces(skeleton: ActorSkeleton) -> None:
    """Warn of no pace of an Actor from now on: its steps are warped."""
    _warned.setdefault(skeleton, set()).update(skeleton.actor.get_anim_names())


def _clips(skeleton: ActorSkeleton) -> list[tuple[str, Any]]:
    """Return names and controls of the clips that have an effect."""
    bundle = skeleton.bundle
    return [
        (name, clip.animControl)
        for parts in skeleton.actor.get_anim_control_dict().values()
        for clips in parts.values()
        for name, clip in clips.items()
        if clip.animControl is not None
        and clip.animControl.get_part() == bundle
        and bundle.get_control_effect(clip.animControl) != 0.0
    ]


def _only_clip(skeleton: ActorSkeleton) -> tuple[str, Any]:
    """Return name and control of the only clip that plays; None for no or several."""
    found = _clips(skeleton)
    if len(found) != 1 or not found[0][1].is_playing():
        return "", None
    return found[0]
