"""FootPlans: what the playing clip does next with each foot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...character.contacts import Contacts, find_contacts
from ...character.figure import Figure
from ...character.foot_planner import FootPlan
from ..actor.actor_figure import figure_of
from ..actor.actor_skeleton import ActorSkeleton
from .clip_speed import MAX_FRAMES, clip_tracks, clip_velocity
from .sole import Corner

MOST = 0.7
"""Share of all clips that play above which one clip decides."""
STILL = 0.2
"""A clip that plays slower than this is as good as still [of its own rate]."""
SOUND = 0.5
"""A clip that plays at least this fast is used in full."""
MEAN_SECONDS = 0.1
"""Time over which its rate is averaged."""

_contacts: WeakKeyDictionary[Figure, dict[Any, Any]] = WeakKeyDictionary()


class Played:
    """How fast a figure plays its clip."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget what played."""
        self._last: tuple[str, float] | None = None
        self._rate = 0.0

    def step(self, clip: str, frame: float, count: int, dt: float) -> float:
        """Return the mean rate after a frame of dt seconds [frames/s], 0 if unknown."""
        last, self._last = self._last, (clip, frame)
        if last is None or last[0] != clip:
            self._rate = 0.0
        elif dt > 0.0:
            moved = frame - last[1]
            # where it goes round, its last frame may be its first once more, or not
            if abs(moved) < 0.5 * count:
                share = min(1.0, dt / MEAN_SECONDS) if self._rate else 1.0
                self._rate += share * (moved / dt - self._rate)
        return self._rate


class FootPlans:
    """Reads contacts and footholds of the clip that an Actor plays.

    Contacts are found when a clip plays for the first time, once a model.

    Args:
        skeleton: The Actor's skeleton.
        soles: Corners of each foot.
        leg: Length of the longest leg, in the Actor's own space.
    """

    def __init__(
        self, skeleton: ActorSkeleton, soles: Mapping[str, Sequence[Corner]], leg: float
    ) -> None:
        self._skeleton = skeleton
        self._soles = soles
        self._leg = leg
        self._key = tuple((j, *point) for sole in soles.values() for j, point in sole)
        self._known: dict[int, list[Contacts] | None] = {}
        self.played = Played()
        """What the Actor has played."""

    def read(self, dt: float) -> list[FootPlan] | None:
        """Return what each foot does.

        None where no clip decides alone, it stands still, or its contacts are not sure.

        Args:
            dt: Time since the last frame [s].
        """
        name, control = self._leading()
        if control is None:
            self.played.restart()
            return None
        return self.at(self.played, name, control, control.get_full_fframe(), dt)

    def at(
        self, played: Played, name: str, control: Any, frame: float, dt: float
    ) -> list[FootPlan] | None:
        """Return the same for a frame of a clip.

        Args:
            played: What has played, of one figure.
            name: The clip.
            control: Its control.
            frame: The frame, with its fraction.
            dt: Time since the last frame [s].
        """
        count, usual = control.get_num_frames(), control.get_frame_rate()
        rate = played.step(name, frame, count, dt)
        if abs(rate) < STILL * usual or rate == 0.0:
            return None
        contacts = self._contacts_of(name, control)
        if contacts is None:
            return None
        trust = min(1.0, (abs(rate) / usual - STILL) / (SOUND - STILL))
        return [each.at(frame, rate, trust) for each in contacts]

    def restart(self) -> None:
        """Forget what played."""
        self.played.restart()

    def _leading(self) -> tuple[str, Any]:
        """Return name and control of the clip that decides; None for no one."""
        skeleton = self._skeleton
        bundle, actor = skeleton.bundle, skeleton.actor
        best: tuple[str, object] = "", None
        total = most = 0.0
        for clips in actor.get_anim_control_dict().values():
            for name, clip in clips.get(skeleton.part, {}).items():
                control = clip.animControl
                if control is None:
                    continue
                effect = bundle.get_control_effect(control)
                total += effect
                if effect > most:
                    most, best = effect, (name, control)
        return best if most > MOST * total else ("", None)

    def _contacts_of(self, name: str, control: Any) -> list[Contacts] | None:
        anim = control.get_anim()
        if anim.this not in self._known:
            shared = _contacts.setdefault(figure_of(self._skeleton), {})
            key = (anim.this, self._key)
            if key not in shared:
                shared[key] = self._find(name, anim), anim
            self._known[anim.this] = shared[key][0]
        return self._known[anim.this]

    def _find(self, name: str, anim: Any) -> list[Contacts] | None:
        rate = float(anim.get_base_frame_rate())
        if not 3 <= anim.get_num_frames() <= MAX_FRAMES or not rate > 0.0:
            return None
        tracks = clip_tracks(self._skeleton, anim, list(self._soles.values()))
        if not all(np.isfinite(points).all() for points in tracks):
            return None
        x, y, _ = clip_velocity(self._skeleton, name, self._soles)
        found = [find_contacts(points, (x, y), rate, self._leg) for points in tracks]
        return found if all(contacts.sure for contacts in found) else None
