"""Fade: a number on its way to another."""

from __future__ import annotations


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
