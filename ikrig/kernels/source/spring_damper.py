"""Critically damped springs, solved exactly: motion is the same at any frame rate.

Times are as returned by ``sound_dt`` [s]. ``seconds`` is the time in which a spring
covers 95 % of a distance; at 0 it is at the goal at once.
"""

import cython

if not cython.compiled:
    from math import exp, sqrt

# rate times seconds after which 5 % of a distance is left, and after which nothing is
SETTLED = 4.744
GONE = 700.0
# step at full speed, where only the direction is not solved exactly [s], and maximum
# number of such steps per frame; above a tenth of a second they get longer
STEP = 1.0 / 240.0
STEPS = 24


class Spring:
    """A number that reaches a goal as fast as possible without overshoot.

    Args:
        value: Initial value, in any unit.
    """

    def __init__(self, value=0.0):
        self.seconds = self.dt = self.left = 0.0
        self.reset(value)

    def reset(self, value):
        """Set the value, at rest."""
        self.value = value
        self.speed = 0.0

    def step(self, goal, seconds, dt):
        """Advance by a time."""
        # the rest is below a double's precision
        if seconds <= 0.0 or SETTLED * dt > GONE * seconds:
            self.reset(goal)
            return
        rate = SETTLED / seconds
        away = self.value - goal
        push = (self.speed + rate * away) * dt
        if self.seconds != seconds or self.dt != dt:
            # the same from frame to frame, and from member to member of a crowd
            self.seconds = seconds
            self.dt = dt
            self.left = exp(-rate * dt)
        self.value = goal + (away + push) * self.left
        self.speed = (self.speed - rate * push) * self.left


class SpeedLimitedSpring:
    """A point on a plane that follows a goal by a spring, at a bounded speed.

    From far away it moves towards the goal at speed ``most``, near it the spring brakes
    it. It is never faster; its acceleration is at most twice rate times ``most`` from
    rest, and at most four times that otherwise.

    Args:
        x: Initial position, in any unit.
        y: As ``x``.
    """

    def __init__(self, x=0.0, y=0.0):
        self.along = Spring(x)
        self.aside = Spring(y)

    def reset(self, x, y):
        """Set the position, at rest."""
        self.along.reset(x)
        self.aside.reset(y)

    def step(self, x, y, seconds, most, dt):
        """Advance by a time.

        Args:
            x, y: The goal.
            seconds: Settling time over a short distance [s].
            most: Maximum speed [unit/s].
            dt: The time [s].
        """
        if seconds <= 0.0:
            self.reset(x, y)
            return
        rate = SETTLED / seconds
        # at this distance the spring alone would keep the highest speed
        far = 2.0 * most / rate
        steps: cython.int = STEPS
        for k in range(steps):
            dx = x - self.along.value
            dy = y - self.aside.value
            away = sqrt(dx * dx + dy * dy)
            if away <= far or dt <= 0.0:
                break
            step = min(dt, max(STEP, dt / (steps - k)))
            # a long step ends where the spring begins
            if step > STEP and away - far < most * step:
                step = max(STEP, (away - far) / most)
            left = exp(-2.0 * rate * step)
            drift = (1.0 - left) / (2.0 * rate)
            u = most * dx / away
            v = most * dy / away
            self.along.value += u * step + (self.along.speed - u) * drift
            self.aside.value += v * step + (self.aside.speed - v) * drift
            self.along.speed = u + (self.along.speed - u) * left
            self.aside.speed = v + (self.aside.speed - v) * left
            dt -= step
        self.along.step(x, seconds, dt)
        self.aside.step(y, seconds, dt)


class SpringDamper:
    """A number that follows a moving goal on a critically damped spring.

    Between two frames the goal is assumed to move steadily. For that the solution is
    exact, and independent of the frame rate.

    Args:
        value: Initial value and goal.
    """

    def __init__(self, value=0.0):
        self.seconds = self.dt = self.left = 0.0
        self.reset(value)

    def reset(self, value):
        """Set value and goal, at rest."""
        self.value = value
        self.goal = value
        self.speed = 0.0

    def shift(self, direction):
        """Move value and goal by the same offset."""
        self.value += direction
        self.goal += direction

    def step(self, goal, seconds, dt):
        """Advance by a time in which the goal moves to ``goal``.

        Args:
            goal: The goal at the end of the step, in any unit.
            seconds: Time for 95 % of a distance [s]; 0: the value is at the goal.
            dt: The time [s], as returned by ``sound_dt``.
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
        # the distance to the goal after a long time at this pace
        behind = 2.0 * pace / rate
        away = self.value - self.goal + behind
        speed = self.speed - pace
        push = (speed + rate * away) * dt
        if self.seconds != seconds or self.dt != dt:
            # mostly the same from frame to frame
            self.seconds = seconds
            self.dt = dt
            self.left = exp(-rate * dt)
        self.goal = goal
        self.value = goal - behind + (away + push) * self.left
        self.speed = (speed - rate * push) * self.left + pace
