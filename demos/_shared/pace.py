"""A walk that starts and stops gradually: how far it has come, and at what pace."""

from __future__ import annotations

from dataclasses import dataclass

from demos._shared.demo import smoothstep


@dataclass(frozen=True)
class Pace:
    """How walks start and stop.

    Args:
        speed: Full speed [m/s].
        ease: Time in which it is reached, and to stop [s].
    """

    speed: float
    ease: float

    def seconds(self, distance: float) -> float:
        """Return how long a walk takes [s]."""
        return distance / self.speed + self.ease

    def gone(self, time: float, start: float, end: float) -> float:
        """Return how far a walk from one time to another has come at a time [m]."""
        time = max(start, min(end, time))
        lost = self._lost(time - start) + self._lost(end - start)
        return self.speed * (time - start - lost + self._lost(end - time))

    def share(self, time: float, start: float, end: float) -> float:
        """Return the share of the full speed at a time."""
        begun, left = (time - start) / self.ease, (end - time) / self.ease
        return smoothstep(begun) * smoothstep(left)

    def _lost(self, time: float) -> float:
        """Return the time that is lost while it starts [s]."""
        u = max(0.0, min(1.0, time / self.ease))
        return self.ease * (u - u**4 * (u * u - 3.0 * u + 2.5))
