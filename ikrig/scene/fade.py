"""Fades of weights: numbers on their way to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .checked_setting import fraction, number


class Fade:
    """A number on its way to another, gently at both ends."""

    def __init__(self, start: float, end: float, seconds: float) -> None:
        self.start, self.end, self.seconds = start, end, seconds
        self.time = 0.0

    @property
    def done(self) -> bool:
        """Whether it has arrived."""
        return self.time >= self.seconds

    def step(self, dt: float) -> float:
        """Go on by dt seconds; return the number there."""
        self.time += dt
        if self.done:
            return self.end
        fraction = self.time / self.seconds
        # the last digit must not lead past the end
        fraction = min(fraction * fraction * (3.0 - 2.0 * fraction), 1.0)
        return self.start * (1.0 - fraction) + self.end * fraction


class Fading:
    """Something that has a ``weight`` from 0 to 1, and is updated every frame."""

    if not TYPE_CHECKING:
        # for subclasses that have slots, "fading" among them
        __slots__ = ()
    weight: Any
    fading: Fade | None
    """How ``weight`` changes now, or None."""

    def fade(self, weight: float, seconds: float = 0.3) -> None:
        """Change ``weight`` gradually, from now on, while frames run.

        Args:
            weight: The final value, 0 to 1.
            seconds: How long it takes.

        Raises:
            SettingError: One is out of range.
        """
        end = fraction(weight, "weight")
        self.fading = Fade(self.weight, end, number(seconds, "seconds"))

    @property
    def final_weight(self) -> float:
        """What ``weight`` is, or what it fades to."""
        return self.weight if self.fading is None else self.fading.end

    def step_fade(self, dt: float) -> None:
        """Go on fading by dt seconds."""
        if self.fading is not None:
            self.weight = self.fading.step(dt)
            if self.fading.done:
                self.fading = None
