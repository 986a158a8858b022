"""Fades of weights: gradual changes of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .checked_setting import Checked, fraction, number


class Fade:
    """A gradual change of a number, eased at both ends, perhaps after a delay."""

    def __init__(
        self, start: float, end: float, seconds: float, delay: float = 0.0
    ) -> None:
        self.start, self.end, self.seconds = start, end, seconds
        self.time = -delay

    @property
    def has_ended(self) -> bool:
        """Whether the fade has ended."""
        return self.time >= self.seconds

    def step(self, dt: float) -> float:
        """Advance by dt seconds; return the number then."""
        self.time += dt
        if self.has_ended:
            return self.end
        fraction = max(0.0, self.time / self.seconds)
        fraction = fraction * fraction * (3.0 - 2.0 * fraction)
        return self.start * (1.0 - fraction) + self.end * fraction


class Fading:
    """Base of objects with a ``weight`` from 0 to 1 that are updated every frame."""

    if not TYPE_CHECKING:
        # for subclasses that have slots, "_fading" among them
        __slots__ = ()
    weight: Checked[float]
    _fading: Fade | None
    """The current fade of ``weight``, or None."""

    def fade(self, weight: float, seconds: float = 0.3) -> None:
        """Change ``weight`` gradually, starting now, while frames run.

        Args:
            weight: The final value, 0 to 1.
            seconds: Duration of the fade.

        Raises:
            SettingError: A value is out of range.
        """
        end = fraction(weight, "weight")
        self._fading = Fade(self.weight, end, number(seconds, "seconds"))

    @property
    def _final_weight(self) -> float:
        """The current ``weight``, or the one that it fades to."""
        return self.weight if self._fading is None else self._fading.end

    def _step_fade(self, dt: float) -> None:
        """Advance the fade by dt seconds."""
        if self._fading is not None:
            self.weight = self._fading.step(dt)
            if self._fading.has_ended:
                self._fading = None
