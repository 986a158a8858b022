# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The leg that carries a foot: its reach, its bend, and when it lets go."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.foot_pose import TURN, FootPoseKernel, fall
    from cython.cimports.libc.math import acos, atan2, cos, sin, sqrt
else:
    from math import acos, atan2, cos, sin, sqrt

    from .foot_pose import TURN, FootPoseKernel, fall

COMPILED = cython.compiled

# maximum extension of a leg [its length], unless it is animated longer
STRAIGHT = 0.98
# distance that a held foot pulls the hips down before it slips [leg lengths]
SINK = 0.1
# minimum length of a leg that folds so that another one reaches down [animated distance
# from hip to ankle]
FOLD = 0.6
# a knee's pole rotates with the leg where it is to its side by less than the second,
# and fully by less than the first [fraction of its squared distance]
CLOSE = 0.05
CLEAR = 0.25
# maximum speeds of a knee's bend and a leg's swing, on top of the animation [rad / s]
BEND = 8.0
SWING = 5.5


def knee_angle(length, thigh, shin):
    """Return a knee's bend for a distance from hip to ankle; 0: straight [rad]."""
    c = 2.0 * thigh * shin
    if not c > 0.0:
        return 0.0
    c = (length * length - thigh * thigh - shin * shin) / c
    if c >= 1.0:
        return 0.0
    if c <= -1.0:
        return 0.5 * TURN
    return acos(c)


class FootReachKernel(FootPoseKernel):
    """A foot within the reach of its leg."""

    def longest(self):
        """Return the greatest distance allowed between hip and ankle [units]."""
        x = self.ankle_x - self.hip_x
        y = self.ankle_y - self.hip_y
        z = self.ankle_z - self.hip_z
        return max(sqrt(x * x + y * y + z * z), STRAIGHT * self.leg)

    def hip_height(self, held):
        """Return how far the hip may rise before the leg is at its longest [units].

        Args:
            held: Fraction of the offset that is kept: 0: the foot as animated, 1: the
                foot as held.
        """
        self.move_point(self.ankle_x, self.ankle_y, self.ankle_z)
        x = self.out_x - (1.0 - held) * self.offset_x - self.hip_x
        y = self.out_y - (1.0 - held) * self.offset_y - self.hip_y
        far = self.longest()
        high = far * far - x * x - y * y
        return self.out_z + sqrt(high if high > 0.0 else 0.0) - self.hip_z

    def highest_hip(self):
        """Return how far the hip may rise for the sake of this foot [units].

        A held foot may pull it down by ``SINK`` at most, else it slips. For a foot in
        the air, which will land with its leg as long as animated, the hip follows the
        height of the ground there.
        """
        free = self.hip_height(0.0) - SINK * self.leg
        held = self.hip_height(1.0)
        if free > held:
            held = free
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        landed = self.sole_height - self.plane_height(x, y)
        return landed + self.contact_weight * (held - landed)

    def lowest_hip(self):
        """Return how far the hip may sink before the leg is folded by ``FOLD``."""
        self.move_point(self.ankle_x, self.ankle_y, self.ankle_z)
        x = self.ankle_x - self.hip_x
        y = self.ankle_y - self.hip_y
        z = self.ankle_z - self.hip_z
        low = FOLD * FOLD * (x * x + y * y + z * z)
        x = self.out_x - self.hip_x
        y = self.out_y - self.hip_y
        low -= x * x + y * y
        return self.out_z + sqrt(low if low > 0.0 else 0.0) - self.hip_z

    def bend(self, up, thigh, shin, dt):
        """Keep the ankle in reach, and the knee's speed below ``BEND``.

        The speed is that on top of the animation. The ankle stays on its line from the
        hip.

        Args:
            up: Height of the hip above the animated one [units].
            thigh: Length of the first bone [units]; 0: of all bones but the last.
            shin: Length of the last bone [units].
            dt: Time since the last call [s]; 0: it may bend at once.

        Returns:
            Factor of the distance from hip to ankle; 1 when nothing limits it.
        """
        self.move_point(self.ankle_x, self.ankle_y, self.ankle_z)
        x = self.out_x - self.hip_x
        y = self.out_y - self.hip_y
        z = self.out_z - self.hip_z - up
        far = sqrt(x * x + y * y + z * z)
        if not far > 1e-9 * self.leg:
            return 1.0
        most = self.longest()
        length = far if far < most else most
        x = self.ankle_x - self.hip_x
        y = self.ankle_y - self.hip_y
        z = self.ankle_z - self.hip_z
        own = knee_angle(sqrt(x * x + y * y + z * z), thigh, shin)
        knee = knee_angle(length, thigh, shin) - own
        if self.bends and dt > 0.0:
            room = BEND * dt
            if knee > self.knee + room:
                knee = self.knee + room
            elif knee < self.knee - room:
                knee = self.knee - room
            bent = own + knee
            if bent < 0.0:
                bent = 0.0
            # the animation may have straightened it meanwhile
            allowed = sqrt(thigh * thigh + shin * shin + 2.0 * thigh * shin * cos(bent))
            length = allowed if allowed < most else most
            knee = knee_angle(length, thigh, shin) - own
        self.knee = knee
        self.bends = 1
        return length / far

    def swing(self, fraction, up, dt):
        """Set ``end_x`` to ``end_z`` to the ankle; its swing is limited by ``SWING``.

        Args:
            fraction: The result of ``bend``, called just before.
            up: Height of the hip above the animated one [units].
            dt: Time since the last call [s]; 0: it may swing at once.
        """
        z = self.hip_z + up
        bx = fraction * (self.out_x - self.hip_x)
        by = fraction * (self.out_y - self.hip_y)
        bz = fraction * (self.out_z - z)
        ax = self.ankle_x - self.hip_x
        ay = self.ankle_y - self.hip_y
        az = self.ankle_z - self.hip_z
        size = sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))
        if size > 1e-12 * self.leg * self.leg:
            # the rotation from the animated direction: its axis times its angle
            x = (ay * bz - az * by) / size
            y = (az * bx - ax * bz) / size
            turn = (ax * by - ay * bx) / size
            sine = sqrt(x * x + y * y + turn * turn)
            angle = atan2(sine, (ax * bx + ay * by + az * bz) / size)
            k = angle / sine if sine > 1e-9 else 1.0
            x *= k
            y *= k
            turn *= k
            dx = x - self.swing_x
            dy = y - self.swing_y
            dz = turn - self.swing_z
            away = sqrt(dx * dx + dy * dy + dz * dz)
            if self.swings and dt > 0.0 and away > SWING * dt:
                k = SWING * dt / away
                x = self.swing_x + k * dx
                y = self.swing_y + k * dy
                turn = self.swing_z + k * dz
                angle = sqrt(x * x + y * y + turn * turn)
                s = sin(angle) / angle if angle > 1e-9 else 1.0
                c = cos(angle)
                k = (1.0 - c) / (angle * angle) if angle > 1e-6 else 0.5
                k *= x * ax + y * ay + turn * az
                far = sqrt(
                    (bx * bx + by * by + bz * bz) / (ax * ax + ay * ay + az * az)
                )
                bx = far * (c * ax + s * (y * az - turn * ay) + k * x)
                by = far * (c * ay + s * (turn * ax - x * az) + k * y)
                bz = far * (c * az + s * (x * ay - y * ax) + k * turn)
            self.swing_x = x
            self.swing_y = y
            self.swing_z = turn
            self.swings = 1
        self.end_x = self.hip_x + bx
        self.end_y = self.hip_y + by
        self.end_z = z + bz

    def rotate_pole(self, x, y, z, up):
        """Rotate a knee's pole with the leg before the leg points at it.

        Else the knee would flip when its foot is lifted towards the pole. The rotation
        is the smallest one from the animated line between hip and ankle to the current
        one, with v the axis times the sine: 1 + [v] + [v]² / (1 + cosine). ``out_x`` to
        ``out_z`` are set to the pole.

        Args:
            x: The pole in the animation [units].
            y: As ``x``.
            z: As ``x``.
            up: Height of the hip above the animated one [units].
        """
        x -= self.hip_x
        y -= self.hip_y
        z -= self.hip_z
        ax = self.ankle_x - self.hip_x
        ay = self.ankle_y - self.hip_y
        az = self.ankle_z - self.hip_z
        bx = self.end_x - self.hip_x
        by = self.end_y - self.hip_y
        bz = self.end_z - self.hip_z - up
        size = sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))
        most = size + ax * bx + ay * by + az * bz
        self.out_x = self.hip_x + x
        self.out_y = self.hip_y + y
        self.out_z = self.hip_z + z + up
        # for a half turn the smallest rotation is undefined
        if not most > 1e-9 * self.leg * self.leg:
            return
        vx = (ay * bz - az * by) / size
        vy = (az * bx - ax * bz) / size
        vz = (ax * by - ay * bx) / size
        tx = vy * z - vz * y
        ty = vz * x - vx * z
        tz = vx * y - vy * x
        k = size / most
        tx, ty, tz = (
            tx + k * (vy * tz - vz * ty),
            ty + k * (vz * tx - vx * tz),
            tz + k * (vx * ty - vy * tx),
        )
        # a pole that is well to the side of the line stays
        far = bx * bx + by * by + bz * bz
        along = (x * bx + y * by + z * bz) / far
        side = (x - along * bx) * (x + tx) + (y - along * by) * (y + ty)
        side += (z - along * bz) * (z + tz)
        share = fall(side / (x * x + y * y + z * z + 1e-300), CLOSE, CLEAR)
        self.out_x += share * tx
        self.out_y += share * ty
        self.out_z += share * tz

    def limit_offset(self, up):
        """Reduce the offset of a foot that is beyond the leg's reach.

        Args:
            up: Height of the hip above the animated one [units].
        """
        self.move_point(self.ankle_x, self.ankle_y, self.ankle_z)
        p = self.offset_x
        q = self.offset_y
        # from the hip to the ankle without the offset
        a = self.out_x - p - self.hip_x
        b = self.out_y - q - self.hip_y
        c = self.out_z - self.hip_z - up
        far = self.longest()
        flat = far * far - c * c
        away = (a + p) * (a + p) + (b + q) * (b + q)
        free = a * a + b * b
        if away <= flat:
            return
        if free < away:
            # the longest part of the offset that ends on the circle of the reach
            size = p * p + q * q
            along = a * p + b * q
            inside = along * along - size * (free - flat)
            held = 0.0
            if free < flat and inside > 0.0:
                held = min(1.0, max(0.0, (sqrt(inside) - along) / size))
            self.offset_x = held * p
            self.offset_y = held * q
            self.contact_weight *= held
        self.move_corners()
        self.spot_x = self.middle_x + self.offset_x
        self.spot_y = self.middle_y + self.offset_y
