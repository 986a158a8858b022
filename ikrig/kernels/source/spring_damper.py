# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""A number on a critically damped spring, solved exactly."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import exp

COMPILED = cython.compiled

# rate times seconds after which 5 % of the way are left, and after which none is
SETTLED = 4.744
GONE = 700.0


class SpringDamper:
    """A number on a critically damped spring behind one that moves.

    Between two frames the other one is taken to move steadily. For that the solution is
    exact, so that it does not matter how time is cut into frames.

    Args:
        value: Where both are at first.
    """

    def __init__(self, value=0.0):
        self.reset(value)

    def reset(self, value):
        """Be there, at rest."""
        self.value = value
        self.goal = value
        self.speed = 0.0

    def shift(self, direction):
        """Move both."""
        self.value += direction
        self.goal += direction

    def step(self, goal, seconds, dt):
        """Go on for a time in which the other one comes to ``goal``.

        Args:
            goal: Where to, in any unit.
            seconds: How long the spring takes for most of a way [s]; 0: it is there.
            dt: The time [s], as ``sound_dt`` has it.
        """
        if not dt > 0.0:
            return
        if seconds <= 0.0 or SETTLED * dt > GONE * seconds:
            self.speed = (goal - self.goal) / dt
            self.value = goal
            self.goal = goal
            return
        rate = SETTLED / seconds
        pace = (goal - self.goal) / dt
        # so far behind it would follow for ever
        behind = 2.0 * pace / rate
        away = self.value - self.goal + behind
        speed = self.speed - pace
        push = (speed + rate * away) * dt
        left = exp(-rate * dt)
        self.goal = goal
        self.value = goal - behind + (away + push) * left
        self.speed = (speed - rate * push) * left + pace
