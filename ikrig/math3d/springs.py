"""Springs, solved exactly, so that motion is the same at any frame rate."""

from __future__ import annotations

from math import exp, hypot, inf

from .timestep import sound_dt

SETTLED = 4.744
"""Rate times seconds after which a critically damped spring has 5 % left."""
STEP = 1 / 240
"""Step at full speed, where only the direction is not solved exactly [s]."""
STEPS = 24
"""Maximum number of such steps per frame; above a tenth of a second they get longer."""
GONE = 700.0
"""Rate times seconds after which nothing is left of any distance."""


def rate_from_settling_time(seconds: float) -> float:
    """Return the rate of a spring that covers 95 % of a distance in this time.

    Args:
        seconds: The time [s]; 0 gives an infinite rate, which arrives at once.

    Returns:
        Rate [1/s].
    """
    return SETTLED / seconds if seconds > 0.0 else inf


def spring(
    value: float, speed: float, goal: float, rate: float, dt: float
) -> tuple[float, float]:
    """Return value and speed of a critically damped spring a time later.

    It reaches the goal as fast as possible without overshoot.

    Args:
        value: The value, in any unit.
        speed: Its speed [unit/s].
        goal: The value at rest.
        rate: Rate of the spring [1/s]; see ``rate_from_settling_time``.
        dt: The time [s], as returned by ``sound_dt``.
    """
    # the rest is below a float's precision; the product may be infinite
    if rate == inf or rate * dt > GONE:
        return goal, 0.0
    away = value - goal
    push = (speed + rate * away) * dt
    fall = exp(-rate * dt)
    return goal + (away + push) * fall, (speed - rate * push) * fall


class SpeedLimitedSpring:
    """A point on a plane that follows a goal by a spring, at a bounded speed.

    From far away it moves towards the goal at speed ``most``, near it the spring brakes
    it. It is never faster; its acceleration is at most twice rate times ``most`` from
    rest, and at most four times that otherwise.

    Args:
        x: Initial position, in any unit.
        y: As ``x``.
    """

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y
        self.speed = (0.0, 0.0)

    def step(
        self, goal: tuple[float, float], seconds: float, most: float, dt: float
    ) -> None:
        """Advance by a time.

        Args:
            goal: The goal.
            seconds: Settling time over a short distance [s]; 0: at once.
            most: Maximum speed [unit/s].
            dt: The time [s].
        """
        dt, rate = sound_dt(dt), rate_from_settling_time(seconds)
        if rate == inf:
            (self.x, self.y), self.speed = goal, (0.0, 0.0)
            return
        # at this distance the spring alone would keep the highest speed
        far = 2.0 * most / rate
        for left in range(STEPS, 0, -1):
            away = hypot(goal[0] - self.x, goal[1] - self.y)
            if away <= far or dt <= 0.0:
                break
            step = min(dt, max(STEP, dt / left))
            # a long step ends where the spring begins
            if step > STEP and (away - far) < most * step:
                step = max(STEP, (away - far) / most)
            fall = exp(-2.0 * rate * step)
            wanted = most * (goal[0] - self.x) / away, most * (goal[1] - self.y) / away
            slip = self.speed[0] - wanted[0], self.speed[1] - wanted[1]
            drift = (1.0 - fall) / (2.0 * rate)
            self.x += wanted[0] * step + slip[0] * drift
            self.y += wanted[1] * step + slip[1] * drift
            self.speed = wanted[0] + slip[0] * fall, wanted[1] + slip[1] * fall
            dt -= step
        x, u = spring(self.x, self.speed[0], goal[0], rate, dt)
        y, v = spring(self.y, self.speed[1], goal[1], rate, dt)
        self.x, self.y, self.speed = x, y, (u, v)
