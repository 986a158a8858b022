"""Moment: what an Actor plays in a frame and where it is, as kernels read it."""

from __future__ import annotations

from array import array
from typing import Any

import panda3d.core as p3d

from ...kernels import index_buffer, zeros
from ..ik.node_transforms import GOAL_BUFFER
from .clip_sampling import Control

_MATS, _NUMBERS = GOAL_BUFFER[:2]


class Moment:
    """What an Actor plays and where it is, looked up once a frame for all layers."""

    def __init__(self) -> None:
        self.world = memoryview(array("f", bytes(64)))
        """The Actor's matrix in its scene."""
        self.anims: list[p3d.AnimBundle] = []
        """All clips that have played, by the numbers that slots have for them."""
        self.changes = 0
        """Grows when there are others, or other slots."""
        self.times: Any = ()
        self.slots: dict[str, Any] = {}
        """Of each clip that may play at a time: "clip", its number, "time" [frames] and
        "weight", 0: none plays."""
        self._playing: object = None
        self._numbers: dict[object, tuple[int, Control]] = {}
        self.reserve(1)

    def reserve(self, count: int) -> None:
        """Have slots for as many clips."""
        if count > len(self.times):
            size = max(4, 2 * count)
            self.times = zeros(size)
            self.slots = {"time": self.times, "weight": zeros(size)}
            self.slots["clip"] = index_buffer([0] * size)
            self.changes += 1

    def number(self, anim: p3d.AnimBundle) -> int:
        """Return the number of a clip, a new one where it has not played."""
        if anim not in self.anims:
            self.anims.append(anim)
            self.changes += 1
        return self.anims.index(anim)

    def look(self, actor: p3d.NodePath, playing: list[tuple[Control, float]]) -> None:
        """Look up where an Actor is, and clips, which are another list if they differ.

        Args:
            actor: The Actor.
            playing: Clips that have an effect, and their weights.
        """
        _MATS[0] = actor.get_mat(actor.get_top())
        self.world[:] = _NUMBERS
        if playing is not self._playing:
            self._enter(playing)
        times = self.times
        for k, (control, _) in enumerate(playing):
            times[k] = control.get_full_fframe()

    def _enter(self, playing: list[tuple[Control, float]]) -> None:
        self._playing, known = playing, self._numbers
        self.reserve(len(playing))
        clips, weights = self.slots["clip"], self.slots["weight"]
        for k, (control, weight) in enumerate(playing):
            found = known.get(control.this)
            if found is None:
                # that of a control that lives is no other's
                found = self.number(control.get_anim()), control
                known[control.this] = found
            clips[k], weights[k] = found[0], weight
        for k in range(len(playing), len(weights)):
            weights[k] = 0.0
