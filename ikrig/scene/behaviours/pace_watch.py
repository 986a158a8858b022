"""PaceWatch: warns of an Actor whose speed differs from its clip's walking speed."""

from __future__ import annotations

from math import hypot
from weakref import WeakKeyDictionary

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ..actor.actor_skeleton import ActorSkeleton
from .clip_feet import ClipFeet

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

_warned: WeakKeyDictionary[ActorSkeleton, set[str]] = WeakKeyDictionary()


class PaceWatch:
    """Compares an Actor's speed with that of the only clip that plays.

    It measures four times a second. A clip is measured once, when the Actor has moved
    steadily for a second. It warns once per Actor and clip.

    Args:
        skeleton: The Actor's skeleton.
        clips: What its clips do with its feet.
    """

    def __init__(self, skeleton: ActorSkeleton, clips: ClipFeet) -> None:
        self._skeleton = skeleton
        self._clips = clips
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

    def _compare(
        self, name: str, control: p3d.AnimControl, speed: float, slow: float
    ) -> None:
        actor, rate = self._skeleton.actor, float(control.get_play_rate())
        velocity = (*self._clips.velocity_of(control.get_anim()), 0.0)
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


def expect_other_paces(skeleton: ActorSkeleton) -> None:
    """Warn of no pace of an Actor from now on: its steps are warped."""
    _warned.setdefault(skeleton, set()).update(skeleton.actor.get_anim_names())


def _only_clip(skeleton: ActorSkeleton) -> tuple[str, p3d.AnimControl | None]:
    """Return name and control of the only clip that plays; None for no or several."""
    if len(skeleton.playing) != 1 or not skeleton.playing[0][0].is_playing():
        return "", None
    (control, _), *_ = skeleton.playing
    for parts in skeleton.actor.get_anim_control_dict().values():
        for clips in parts.values():
            for name, clip in clips.items():
                if clip.animControl == control:
                    return name, control
    return "", None
