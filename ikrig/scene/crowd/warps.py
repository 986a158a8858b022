"""CrowdWarps: members of a crowd fit their clips to how they move."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from ...character.crowd_batch import SLOTS, MemberArray
from ...character.crowd_warps import BatchWarps
from ...errors import SettingError, shown, suggest
from ...kernels import buffer
from ...math3d.quaternion import Floats
from ..behaviours.clip_feet import Clip, walk_tables
from ..behaviours.warps import OrientationWarp, SlopeWarp, StrideWarp

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig
    from .crowd import Crowd

Given = bool | Mapping[str, Any]
"""Whether there is a warp; or its settings."""
WARPS = {"slope": SlopeWarp, "orientation": OrientationWarp, "stride": StrideWarp}
"""Kinds, in the order in which they run."""


class CrowdWarps:
    """The warps of all members of a crowd. ``Crowd.warps`` makes it."""

    weights = MemberArray("_layer")
    """From 0, as animated, to 1, full effect, which all are at first, (n,)."""

    def __init__(self, crowd: Crowd, given: Mapping[str, Given]) -> None:
        self._settings: dict[str, Mapping[str, Any]] = {}
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
        made: dict[str, Any] = self.make(crowd._rig)
        slope, turn, stride = map(made.get, WARPS)
        first = next(iter(made.values()))
        for warp in made.values():
            warp.remove()
        if slope is not None:
            crowd._carry()
        walk = first._walk
        self._clips = walk._clips
        self._layer = BatchWarps(
            len(crowd),
            SLOTS,
            walk.feet,
            walk.make,
            slope and slope._make,
            turn and turn._make,
            stride and stride._make,
            [
                *(
                    (slope.uphill, slope.downhill, slope.seconds)
                    if slope
                    else [0.0] * 3
                ),
                *((turn.most, turn.seconds) if turn else [0.0] * 2),
                *((*stride.limits, stride.seconds) if stride else [0.0] * 3),
            ],
        )
        self._layer.weights[:] = first.weight
        actor: Any = crowd._rig.actor
        self._anims: list[Any] = [
            actor.get_anim_control(name).get_anim() for name in crowd.clips
        ]
        # of clips that have not played yet nothing is known
        self._known: list[Clip | None] = [None] * len(self._anims)
        self._layer.tables = walk_tables(self._known)
        self._batch, self._parent = crowd._batch, crowd.parent

    def make(self, rig: ActorRig) -> dict[str, Any]:
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

    def lend(self, i: int, warps: Mapping[str, Any]) -> None:
        """Let those of an Actor go on where those of a member are."""
        layer = self._layer
        for own, states in self._pairs(warps):
            own._state[:] = buffer(states[i])
        walked = layer.walked[i][layer.walked[i, :, 0] >= 0.0]
        self._walk(warps).resume(
            layer.walks[i],
            [(self._known[int(c)], at, rate) for c, at, rate, _ in walked],
        )

    def take_back(self, i: int, warps: Mapping[str, Any]) -> None:
        """Let those of a member go on where those of an Actor are."""
        layer = self._layer
        for own, states in self._pairs(warps):
            states[i] = own._state
        state, walked = self._walk(warps).kept()
        layer.walks[i] = state
        layer.walked[i, :, 0] = -1.0
        for slot, (clip, at, rate) in enumerate(walked[:SLOTS]):
            if clip in self._known:
                layer.walked[i, slot] = self._known.index(clip), at, rate, rate
        layer.seen[i] = self._batch.seconds

    def _pairs(self, warps: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        layer = self._layer
        states = {
            "slope": layer.slopes,
            "orientation": layer.turns,
            "stride": layer.strides,
        }
        return [(own, states[name]) for name, own in warps.items()]

    def _walk(self, warps: Mapping[str, Any]) -> Any:
        return next(iter(warps.values()))._walk
