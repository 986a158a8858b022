"""CrowdWarps: members of a crowd fit their clips to how they move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np

from ...character.crowd_batch import SLOTS, MemberArray
from ...character.crowd_warps import BatchWarps
from ...errors import SettingError, shown, suggest
from ...kernels import buffer
from ...math3d.quaternion import Floats
from ..behaviours.clip_feet import (
    Clip,
    paces_of,
    read_paces,
    walk_tables,
)
from ..behaviours.warps import OrientationWarp, SlopeWarp, StrideWarp, Walk, Warp

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig
    from .crowd import Crowd

Given = bool | Mapping[str, object]
"""Whether there is a warp; or its settings."""
WARPS: dict[str, Callable[..., Warp]] = {
    "slope": SlopeWarp,
    "orientation": OrientationWarp,
    "stride": StrideWarp,
}
"""Kinds, in the order in which they run."""
NUMBERS = {"slope": 3, "orientation": 2, "stride": 3}
"""How many settings of each the kernel takes."""
Warps = dict[str, Warp]
"""Those of an Actor, by their kinds."""


class CrowdWarps:
    """The warps of all members of a crowd. ``Crowd.warps`` makes it."""

    weights = MemberArray("_layer")
    """From 0, as animated, to 1, full effect, which all are at first, (n,)."""

    def __init__(self, crowd: Crowd, given: Mapping[str, Given]) -> None:
        self._settings: dict[str, Mapping[str, object]] = {}
        for name, value in given.items():
            if not isinstance(value, bool | Mapping):
                raise SettingError(
                    f"{name} must be True, False or the settings of a "
                    f"{WARPS[name].__name__}, not {shown(value)}"
                )
            allowed = [*signature(WARPS[name]).parameters][1:]
            for word in value if isinstance(value, Mapping) else ():
                if word not in allowed:
                    raise SettingError(
                        f"{name} has no setting {shown(word)}: {suggest(word, allowed)}"
                    )
            if value is not False:
                self._settings[name] = {} if value is True else dict(value)
        if not self._settings:
            raise SettingError(
                "warps must be at least one of stride, orientation, slope"
            )
        made = self.make(crowd._rig)
        first = next(iter(made.values()))
        for warp in made.values():
            warp.remove()
        if "slope" in made:
            crowd._carry()
        walk = first._walk
        self._clips = walk._clips
        self._layer = BatchWarps(
            len(crowd),
            SLOTS,
            walk.feet,
            walk.make,
            {name: warp._make for name, warp in made.items()},
            [
                number
                for name, count in NUMBERS.items()
                for number in (made[name]._numbers() if name in made else [0.0] * count)
            ],
        )
        self._layer.weights[:] = first.weight
        self._anims = [control.get_anim() for control in crowd._controls.values()]
        # of clips that have not played yet nothing is known
        self._known: list[Clip | None] = [None] * len(self._anims)
        self._layer.tables = walk_tables(self._known)
        self._batch, self._parent = crowd._batch, crowd.parent

    def make(self, rig: ActorRig) -> Warps:
        """Return such warps of an Actor, by their kinds."""
        return {
            name: kind(rig, **self._settings[name])
            for name, kind in WARPS.items()
            if name in self._settings
        }

    @property
    def factors(self) -> Floats:
        """Factors of members' strides, (n,); below 0 where they walk backwards."""
        return np.array(self._layer.factors)

    @property
    def angles(self) -> Floats:
        """How far hips are turned to the left, in full effect, (n,) [rad]."""
        return np.array(self._layer.angles[:, 1])

    @property
    def leans(self) -> Floats:
        """How far trunks lean ahead, in full effect, (n,) [rad]."""
        return np.array(self._layer.angles[:, 0])

    def begin(self) -> None:
        """Learn how clips walk that play now, and where the crowd is in the world."""
        batch = self._batch
        playing = set(batch.clip[batch.weight > 0.0].tolist())
        new = [c for c in playing if self._known[c] is None]
        for c in new:
            self._known[c] = self._clips.clip(self._anims[c])
        if new:
            self._layer.tables = walk_tables(self._known)
            batch.relink()
        if not self._parent.is_empty():
            rows = np.array(self._parent.get_net_transform().get_mat())
            self._layer.above[:] = rows[:, :3]

    def lend(self, i: int, warps: Warps) -> None:
        """Let those of an Actor go on where those of a member are."""
        layer = self._layer
        for own, states in self._pairs(warps):
            own._state[:] = buffer(states[i])
        paces = read_paces(layer.paced[i], self._known)
        self._walk(warps).resume(layer.walks[i], paces)

    def take_back(self, i: int, warps: Warps) -> None:
        """Let those of a member go on where those of an Actor are."""
        layer = self._layer
        for own, states in self._pairs(warps):
            states[i] = own._state
        layer.walks[i], paces = self._walk(warps).kept()
        layer.paced[i] = paces_of(SLOTS, paces, self._known)
        layer.seen[i] = self._batch.seconds

    def _pairs(self, warps: Warps) -> list[tuple[Warp, Floats]]:
        return [(own, self._layer.states[name]) for name, own in warps.items()]

    def _walk(self, warps: Warps) -> Walk:
        return next(iter(warps.values()))._walk
