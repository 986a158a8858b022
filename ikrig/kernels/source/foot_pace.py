"""How fast a foot is animated over the ground, and how its figure moves meanwhile."""

import cython

if not cython.compiled:
    from math import exp, sqrt

    from .sole import Sole

# time over which speeds are averaged, and for which a clip that moved a foot counts as
# moving it [s]
MEAN_SECONDS = 0.06
STIRS = 0.4
# speed relative to the figure above which a foot is animated to walk [leg lengths / s]
WALK_SPEED = 0.4
# speed below which it does not leave yet [leg lengths / s]
RESTS = 0.1


class FootPace:
    """Speeds of an animated foot and of its figure, from piece to piece of a frame.

    Args:
        sole: The foot's ``Sole``.
    """

    def __init__(self, sole: Sole):
        self.sole = sole
        self.last_x = self.last_y = 0.0
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.has_mean = 0
        # over the ground: mean and last velocity
        self.mean_x = self.mean_y = self.speed_x = self.speed_y = 0.0
        self.figure_x = self.figure_y = self.figure_speed = 0.0
        self.relative_speed = self.arm_x = self.arm_y = 0.0
        # time since the clip moved it last
        self.still = 1e300
        self.figure_turn = self.mean_turn = self.spin_x = self.spin_y = 0.0

    def end_piece(self):
        """Store where the figure is as the start of the next piece."""
        self.last_x = self.sole.origin_x
        self.last_y = self.sole.origin_y

    def measure(self, x, y, arm_x, arm_y, moved_x, moved_y, yaw, dt):
        """Measure the speeds of the foot over the ground and of the figure.

        Args:
            x: Velocity of the point of the animated foot that bears, over the ground
                [units / s].
            y: As ``x``.
            arm_x: That point, from the figure's origin.
            arm_y: As ``arm_x``.
            moved_x: How far the ground moved [units].
            moved_y: As ``moved_x``.
            yaw: How fast the ground turns [rad / s].
            dt: Time since the last call [s].
        """
        decay = exp(-dt / MEAN_SECONDS)
        rx = (self.sole.origin_x - self.last_x - moved_x) / dt
        ry = (self.sole.origin_y - self.last_y - moved_y) / dt
        if not self.has_mean:
            # a figure may enter as it walks
            self.mean_x = x
            self.mean_y = y
            self.figure_x = rx
            self.figure_y = ry
            self.figure_speed = sqrt(rx * rx + ry * ry)
            self.has_mean = 1
        self.mean_x = x + (self.mean_x - x) * decay
        self.mean_y = y + (self.mean_y - y) * decay
        self.speed_x = x
        self.speed_y = y
        self.figure_x = rx + (self.figure_x - rx) * decay
        self.figure_y = ry + (self.figure_y - ry) * decay
        self.figure_speed += (sqrt(rx * rx + ry * ry) - self.figure_speed) * (
            1.0 - decay
        )
        # a figure that turns takes its feet along
        turn = self.figure_turn - yaw
        rx = x - rx + turn * arm_y
        ry = y - ry - turn * arm_x
        # for a while after the clip moved it, too: it may only turn round
        self.still = self.still + dt
        if self.relative_speed > WALK_SPEED * self.sole.leg:
            self.still = 0.0
        self.mean_turn = turn + (self.mean_turn - turn) * decay
        self.arm_x = arm_x
        self.arm_y = arm_y
        self.spin_x = self.mean_turn * (self.sole.origin_y - self.sole.middle_y)
        self.spin_y = self.mean_turn * (self.sole.middle_x - self.sole.origin_x)
        change = (sqrt(rx * rx + ry * ry) - self.relative_speed) * (1.0 - decay)
        # a late frame does not tell that a foot is held still
        if change > 0.0 or dt < MEAN_SECONDS:
            self.relative_speed += change

    def over_ground(self):
        """Return how fast the foot moves over the ground, less what turning takes it.

        An animation without frame blending jumps and waits: its mean counts, too.
        """
        spin_x = -self.mean_turn * self.arm_y
        spin_y = self.mean_turn * self.arm_x
        x = self.speed_x - spin_x
        y = self.speed_y - spin_y
        square = x * x + y * y
        x = self.mean_x - spin_x
        y = self.mean_y - spin_y
        return sqrt(min(square, x * x + y * y))

    def rests(self):
        """Return whether the animation holds the foot still, and the figure stands."""
        speed = max(self.relative_speed, self.figure_speed)
        return 1 if speed < RESTS * self.sole.leg else 0

    def walks(self):
        """Return whether the figure walks, or at least is moved like that."""
        return 1 if self.figure_speed > WALK_SPEED * self.sole.leg else 0

    def stirs(self):
        """Return whether the clip moves the foot, or just did."""
        return 1 if self.still < STIRS else 0
