# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The animated pose of a foot, and its points moved onto the ground."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import cos, exp, sin, sqrt

    from .buffers import doubles, pin
    from .spring_damper import SpringDamper

COMPILED = cython.compiled

# a corner this much higher than the lowest one bears 1/e as much [leg lengths]
CONTACT = 0.006
TURN = 6.283185307179586
# indices of a pose: hip, ankle, origin of the plane that the figure walks on, its rise
# along x and y, heading, length of the leg; corners of the sole follow
HIP = 0
ANKLE = 3
ORIGIN = 6
RISE = 9
HEADING = 11
LEG = 12
SOLE = 13
# maximum number of a sole's corners
CORNERS = 16


def fall(value, low, high):
    """Return a smooth step from 1 at ``low`` down to 0 at ``high``."""
    fraction = (high - value) / (high - low)
    if fraction >= 1.0:
        return 1.0
    if fraction > 0.0:
        return fraction * fraction * (3.0 - 2.0 * fraction)
    return 0.0


def shortest(angle):
    """Return an angle, less whole turns, within half a turn of 0 [rad]."""
    while angle > 0.5 * TURN:
        angle -= TURN
    while angle < -0.5 * TURN:
        angle += TURN
    return angle


class FootPoseKernel:
    """A foot between two frames of its animation, and its rotation to the ground.

    Args:
        count: Number of the sole's corners, up to ``CORNERS``.
        now: Buffer of ``SOLE + 3 count``: this frame's pose, world space.
        workspace: Scratch buffer of ``30 + 16 CORNERS``.
    """

    def __init__(self, count, now, workspace):
        self.count = count
        buffers = {"now": now, "workspace": workspace}
        self._pinned = pin(buffers)
        self.now = doubles(now)
        memory = doubles(workspace)
        self.size = SOLE + 3 * count
        # compiled these are pointers, which lists do not have
        if cython.compiled:
            n = CORNERS
            self.before = memory
            self.sole = memory + 13 + 3 * n
            self.heights = memory + 13 + 6 * n
            self.weights = memory + 13 + 7 * n
            self.old_weights = memory + 13 + 8 * n
            self.corners = memory + 13 + 9 * n
            self.found = memory + 13 + 11 * n
            self.hits = memory + 13 + 12 * n
            self.path = memory + 13 + 15 * n
        else:
            self.before = [0.0] * self.size
            self.sole = [0.0] * (3 * count)
            self.heights = [0.0] * count
            self.weights = [0.0] * count
            self.old_weights = [0.0] * count
            self.corners = [0.0] * (2 * count)
            self.found = [0.0] * count
            self.hits = [0.0] * (3 * count)
            self.path = [0.0] * 15
        self.level = SpringDamper()
        self.tilt_x = SpringDamper()
        self.tilt_y = SpringDamper()
        self.set_settings(0.5, 0.7, 1.0, 0.3, 0.15, 0.35, 0.25)
        self.carried_x = self.carried_y = self.carried_z = self.carried_yaw = 0.0
        self.lowest = self.old_lowest = self.heading = self.old_heading = 0.0
        self.last_x = self.last_y = self.origin_x = self.origin_y = 0.0
        self.surveyed = 0
        self.climb_speed = self.motion_x = self.motion_y = self.leg = 0.0
        self.ramp_x = self.ramp_y = 0.0
        self.paths = 0
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""

    def set_settings(self, step_height, max_tilt, lock, lock_distance, foot_seconds,
                     release_seconds, look_ahead):  # fmt: skip
        """Store the settings of a foot."""

    def discard_last_frame(self):
        """Forget the last frame."""
        self.has_before = 0

    def end_frame(self):
        """Store this frame's pose as the last one."""
        for k in range(self.size):
            self.before[k] = self.now[k]
        self.has_before = 1

    def interpolated(self, k, until):
        """Return number k of the pose at a time between two frames."""
        b = self.now[k]
        if self.has_before and until < 1.0:
            a = self.before[k]
            return a + (b - a) * until
        return b

    def blend(self, until):
        """Set the pose at a time between the last frame (0) and this one (1)."""
        now = self.now
        self.hip_x = self.interpolated(HIP, until)
        self.hip_y = self.interpolated(HIP + 1, until)
        self.hip_z = self.interpolated(HIP + 2, until)
        self.ankle_x = self.interpolated(ANKLE, until)
        self.ankle_y = self.interpolated(ANKLE + 1, until)
        self.ankle_z = self.interpolated(ANKLE + 2, until)
        self.origin_x = self.interpolated(ORIGIN, until)
        self.origin_y = self.interpolated(ORIGIN + 1, until)
        self.origin_z = self.interpolated(ORIGIN + 2, until)
        self.plane_x = now[RISE]
        self.plane_y = now[RISE + 1]
        self.heading = now[HEADING]
        if self.has_before and until < 1.0:
            rotation = shortest(self.heading - self.before[HEADING])
            self.heading = self.before[HEADING] + until * rotation
        self.leg = now[LEG]
        n = self.count
        x = y = 0.0
        self.lowest = 1e300
        for i in range(n):
            for k in range(3):
                self.sole[3 * i + k] = self.interpolated(SOLE + 3 * i + k, until)
            x += self.sole[3 * i]
            y += self.sole[3 * i + 1]
            self.heights[i] = self.sole[3 * i + 2] - self.plane_height(
                self.sole[3 * i], self.sole[3 * i + 1]
            )
            if self.heights[i] < self.lowest:
                self.lowest = self.heights[i]
        self.middle_x = x / n
        self.middle_y = y / n
        total = 0.0
        for i in range(n):
            w = exp((self.lowest - self.heights[i]) / (CONTACT * self.leg))
            self.weights[i] = w
            total += w
        self.bearing_x = self.bearing_y = self.bearing_z = 0.0
        for i in range(n):
            w = self.weights[i] / total
            self.weights[i] = w
            self.bearing_x += w * self.sole[3 * i]
            self.bearing_y += w * self.sole[3 * i + 1]
            self.bearing_z += w * self.sole[3 * i + 2]

    def end_piece(self):
        """Store what the next piece of the frame needs."""
        for i in range(self.count):
            self.old_weights[i] = self.weights[i]
        self.old_lowest = self.lowest
        self.old_heading = self.heading
        self.last_x = self.origin_x
        self.last_y = self.origin_y

    # -- geometry ----------------------------------------------------------------------

    def plane_height(self, x, y):
        """Return the height of the plane that the animation walks on at a point."""
        return (
            self.origin_z
            + self.plane_x * (x - self.origin_x)
            + self.plane_y * (y - self.origin_y)
        )

    def ramp_height(self, x, y):
        """Return the height of the ground at a point, with stairs as a ramp."""
        if not self.surveyed:
            return self.plane_height(x, y)
        return (
            self.origin_z
            + self.ramp_x * (x - self.origin_x)
            + self.ramp_y * (y - self.origin_y)
        )

    def climb(self, x, y):
        """Return how far the ground rises along a vector, with stairs as a ramp."""
        if self.surveyed:
            return self.ramp_x * x + self.ramp_y * y
        return self.slope_x * x + self.slope_y * y

    def rise(self, x, y):
        """Return the height of the sole at a point, above that of its middle."""
        return self.slope_x * (x - self.middle_x - self.offset_x) + self.slope_y * (
            y - self.middle_y - self.offset_y
        )

    def set_sole_rotation(self):
        """Set the rotation from the animation's plane to the sole's, after the twist.

        The smallest one, with v the axis times the sine: 1 + [v] + [v]² / (1 + cosine).
        """
        a = self.plane_x
        b = self.plane_y
        m = 1.0 / sqrt(1.0 + a * a + b * b)
        ax = -a * m
        ay = -b * m
        az = m
        a = self.slope_x
        b = self.slope_y
        m = 1.0 / sqrt(1.0 + a * a + b * b)
        bx = -a * m
        by = -b * m
        bz = m
        x = ay * bz - az * by
        y = az * bx - ax * bz
        z = ax * by - ay * bx
        k = 1.0 / (1.0 + ax * bx + ay * by + az * bz)
        c = cos(self.twist)
        s = sin(self.twist)
        a = 1.0 - k * (y * y + z * z)
        b = k * x * y - z
        self.t0 = a * c + b * s
        self.t1 = b * c - a * s
        self.t2 = k * x * z + y
        a = k * x * y + z
        b = 1.0 - k * (x * x + z * z)
        self.t3 = a * c + b * s
        self.t4 = b * c - a * s
        self.t5 = k * y * z - x
        a = k * x * z - y
        b = k * y * z + x
        self.t6 = a * c + b * s
        self.t7 = b * c - a * s
        self.t8 = 1.0 - k * (x * x + y * y)

    def move_point_xy(self, x, y, z):
        """Set ``out_x`` and ``out_y`` to a point of the animated foot, moved."""
        x -= self.middle_x
        y -= self.middle_y
        z -= self.plane_height(self.middle_x, self.middle_y)
        self.out_x = (
            self.middle_x + self.offset_x + self.t0 * x + self.t1 * y + self.t2 * z
        )
        self.out_y = (
            self.middle_y + self.offset_y + self.t3 * x + self.t4 * y + self.t5 * z
        )

    def move_point(self, x, y, z):
        """Set ``out_x`` to ``out_z`` to a point of the animated foot, moved."""
        self.move_point_xy(x, y, z)
        x -= self.middle_x
        y -= self.middle_y
        z -= self.plane_height(self.middle_x, self.middle_y)
        self.out_z = (
            self.sole_height + self.lift + self.t6 * x + self.t7 * y + self.t8 * z
        )

    def move_corners(self):
        """Set ``corners`` to the sole's corners, moved and seen from above."""
        for i in range(self.count):
            self.move_point_xy(
                self.sole[3 * i], self.sole[3 * i + 1], self.sole[3 * i + 2]
            )
            self.corners[2 * i] = self.out_x
            self.corners[2 * i + 1] = self.out_y
