# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""A foot that stands: its contact weight, how it slips and steps back."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import exp, sqrt

    from .foot_pose import fall, shortest
    from .foot_reach import FootReachKernel

COMPILED = cython.compiled

# a foot lower than the first holds on to the ground, one higher than the second does
# not [leg lengths]; the same for its speed over the ground [leg lengths / s]
HELD_HEIGHT = 0.015
FREE_HEIGHT = 0.04
HELD_SPEED = 0.7
FREE_SPEED = 1.7
# time over which a foot's speed is averaged [s]
MEAN_SECONDS = 0.06
# fraction of the maximum offset and twist after which a foot begins to slip
SLIP_START = 0.6
# maximum twist of a foot from its animation [rad]
MAX_TWIST = 1.0
# a step on the spot: how long [s] and how high [leg lengths] it is
STEP_SECONDS = 0.45
STEP_HEIGHT = 0.05
# speed relative to the figure above which a foot is animated to walk [leg lengths / s]
WALK_SPEED = 0.4
# rate times seconds after which a critically damped spring has 5 % of a distance left
SETTLED = 4.744


class FootHoldKernel(FootReachKernel):
    """A foot that holds on to the ground against its animation, and lets go."""

    def hold_on(self, yaw, dt):
        """Cancel the animated movement of a foot that stands."""
        # the corners that bear change: use the mean of old and new weights
        bx = by = bz = x = y = 0.0
        for i in range(self.count):
            w = 0.5 * (self.old_weights[i] + self.weights[i])
            bx += w * self.sole[3 * i]
            by += w * self.sole[3 * i + 1]
            bz += w * self.sole[3 * i + 2]
            x += w * self.corners[2 * i]
            y += w * self.corners[2 * i + 1]
        rotation = shortest(self.heading - self.old_heading) - yaw
        self.move_point_xy(bx, by, bz)
        velocity_x = (self.out_x - x - self.moved_x) / dt
        velocity_y = (self.out_y - y - self.moved_y) / dt
        # an animation without frame blending jumps and waits: its mean counts, too
        decay = exp(-dt / MEAN_SECONDS)
        if self.has_mean_velocity:
            self.mean_velocity_x = (
                velocity_x + (self.mean_velocity_x - velocity_x) * decay
            )
            self.mean_velocity_y = (
                velocity_y + (self.mean_velocity_y - velocity_y) * decay
            )
        else:
            self.mean_velocity_x = velocity_x
            self.mean_velocity_y = velocity_y
            self.has_mean_velocity = 1
        # the figure's own speed, and the foot's against it
        rx = (self.origin_x - self.last_x - self.moved_x) / dt
        ry = (self.origin_y - self.last_y - self.moved_y) / dt
        self.figure_speed += (sqrt(rx * rx + ry * ry) - self.figure_speed) * (
            1.0 - decay
        )
        rx = velocity_x - rx
        ry = velocity_y - ry
        self.relative_speed += (sqrt(rx * rx + ry * ry) - self.relative_speed) * (
            1.0 - decay
        )
        current = sqrt(velocity_x * velocity_x + velocity_y * velocity_y)
        mean = sqrt(
            self.mean_velocity_x * self.mean_velocity_x
            + self.mean_velocity_y * self.mean_velocity_y
        )
        speed = (current if current < mean else mean) / self.leg
        low = fall(self.old_lowest / self.leg, HELD_HEIGHT, FREE_HEIGHT)
        low += fall(self.lowest / self.leg, HELD_HEIGHT, FREE_HEIGHT)
        contact = self.lock * fall(speed, HELD_SPEED, FREE_SPEED) * 0.5 * low
        if self.stepping >= 0.0:
            self.step_back(dt)
            return
        self.contact_weight = contact
        self.standing_time = (
            self.standing_time + dt if contact > 0.9 * self.lock and low > 1.9 else 0.0
        )
        self.shift(-contact * velocity_x * dt, -contact * velocity_y * dt)
        # a standing foot turns about the point that bears
        self.move_point_xy(bx, by, bz)
        x = self.out_x
        y = self.out_y
        rotation *= contact
        if rotation * self.twist < 0.0:
            # away from the animation: too far and it slips
            rotation *= fall(abs(self.twist), SLIP_START * MAX_TWIST, MAX_TWIST)
        self.twist = min(MAX_TWIST, max(-MAX_TWIST, self.twist - rotation))
        self.set_sole_rotation()
        self.move_point_xy(bx, by, bz)
        self.shift(x - self.out_x, y - self.out_y)
        # what is not held returns to the animation
        if contact < 1.0:
            remaining = 0.0
            if self.release_seconds > 0.0:
                # more slowly on the ground, where it would be seen
                rate = (contact - 1.0) * (1.0 - 0.4 * low)
                remaining = exp(rate * SETTLED / self.release_seconds * dt)
            self.twist *= remaining
            self.offset_x *= remaining
            self.offset_y *= remaining
            self.set_sole_rotation()

    def shift(self, x, y):
        """Shift the foot; towards its maximum offset it slips."""
        a = self.offset_x
        b = self.offset_y
        if a * x + b * y > 0.0:
            max_offset = self.leg * self.lock_distance
            fraction = 0.0
            if max_offset > 0.0:
                fraction = fall(
                    sqrt(a * a + b * b), SLIP_START * max_offset, max_offset
                )
            x *= fraction
            y *= fraction
        self.offset_x = a + x
        self.offset_y = b + y

    def wants_step(self):
        """Return how urgently the foot should step; 1 or more: at once.

        More than 0 only after it has stood for a while, and is not animated to walk.
        """
        if self.stepping >= 0.0 or self.lock <= 0.0 or self.standing_time < 0.3:
            return 0.0
        if self.relative_speed > WALK_SPEED * self.leg:
            return 0.0
        max_offset = self.lock_distance * self.leg
        if max_offset <= 0.0:
            return 0.0
        offset = sqrt(self.offset_x * self.offset_x + self.offset_y * self.offset_y)
        if self.figure_speed < 0.03 * self.leg and self.standing_time > 0.5:
            return max(
                offset / (0.25 * max_offset), abs(self.twist) / (0.25 * MAX_TWIST)
            )
        return max(offset / (0.8 * max_offset), abs(self.twist) / (0.8 * MAX_TWIST))

    def begin_step(self):
        """Start a step back to the animated position."""
        self.stepping = 0.0
        self.from_x = self.offset_x
        self.from_y = self.offset_y
        self.from_twist = self.twist
        self.contact_weight = 0.0
        self.standing_time = 0.0

    def step_back(self, dt):
        """Advance a step on the spot."""
        self.contact_weight = 0.0
        self.stepping += dt / STEP_SECONDS
        u = self.stepping
        if u >= 1.0:
            u = 1.0
            self.stepping = -1.0
        remaining = 1.0 - u * u * (3.0 - 2.0 * u)
        self.offset_x = self.from_x * remaining
        self.offset_y = self.from_y * remaining
        self.twist = self.from_twist * remaining
        self.lift = 16.0 * u * u * (1.0 - u) * (1.0 - u) * STEP_HEIGHT * self.leg
        self.set_sole_rotation()
