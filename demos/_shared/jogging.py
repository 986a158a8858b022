"""Keys that jog a tool as a teach pendant does, along and about its axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from ikrig.scene.ik.effector import Effector

KEYS: Mapping[str, tuple[int, float]] = {
    "i": (0, 1.0),
    "k": (0, -1.0),
    "j": (1, 1.0),
    "l": (1, -1.0),
    "o": (2, 1.0),
    "n": (2, -1.0),
}
"""Axis and side of each; with Shift the tool turns about the axis."""
HELD = 0.12  # how long a press lasts [s]; held keys repeat before that
SPEED = 0.35  # [scene unit/s]
TURN_SPEED = 0.8  # [rad/s]


class Jogging:
    """Moves the target of an effector while keys are held.

    Args:
        effector: The effector.
        moved: Called when a key is pressed.
    """

    def __init__(self, effector: Effector, moved: Callable[[], None]) -> None:
        self.frame: Literal["world", "tool"] = "world"
        self._effector, self._moved = effector, moved
        self._left: dict[tuple[str, bool], float] = {}

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the action of each key."""
        found: dict[str, Callable[[], None]] = {"t": self._next_frame}
        for key in KEYS:
            found[key] = partial(self._press, key, False)
            found[f"shift-{key}"] = partial(self._press, key, True)
        return found

    def step(self, dt: float) -> None:
        """Move the target by the keys that are held in this frame."""
        velocity, spin = [0.0] * 3, [0.0] * 3
        for (key, turns), left in list(self._left.items()):
            axis, side = KEYS[key]
            if turns:
                spin[axis] += side * TURN_SPEED
            else:
                velocity[axis] += side * SPEED
            self._left[key, turns] = left - dt
            if left <= dt:
                del self._left[key, turns]
        if any(velocity) or any(spin):
            self._effector.jog(velocity, spin, dt=dt, frame=self.frame)

    def _press(self, key: str, turns: bool) -> None:
        self._moved()
        # the opposite direction ends at once
        axis, side = KEYS[key]
        for other in list(self._left):
            if KEYS[other[0]] == (axis, -side):
                del self._left[other]
        self._left[key, turns] = HELD

    def _next_frame(self) -> None:
        self.frame = "tool" if self.frame == "world" else "world"
