# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The leg that carries a foot: its reach, its bend, and when it lets go."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import acos, atan2, cos, sin, sqrt

    from .foot_pose import TURN, FootPoseKernel, fall

COMPILED = cython.compiled

# maximum extension of a leg [its length], unless it is animated longer
MAX_EXTENSION = 0.98
# distance that a held foot pulls the hips down before it slips [leg lengths]
MAX_PULL = 0.1
# minimum length of a leg that folds so that another one reaches down [animated distance
# from hip to ankle]
MIN_FOLD = 0.6
# a knee's pole rotates with the leg where it is to its side by less than the second,
# and fully by less than the first [fraction of its squared distance]
POLE_NEAR = 0.05
POLE_CLEAR = 0.25
# maximum speeds of a knee's bend and a leg's swing, on top of the animation [rad / s]
MAX_BEND_SPEED = 8.0
MAX_SWING_SPEED = 5.5


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

    def max_reach(self):
        """Return the greatest distance allowed between hip and ankle [units]."""
        x = self.ankle_x - self.hip_x
        y = self.ankle_y - self.hip_y
        z = self.ankle_z - self.hip_z
        return max(sqrt(x * x + y * y + z * z), MAX_EXTENSION * self.leg)

    def hip_height(self, fraction):
        """Return how far the hip may rise before the leg is at its longest [units].

        Args:
            fraction: Fraction of the offset that is kept. 0: the foot as animated, 1:
                the foot as held.
        """
        self.move_point(self.ankle_x, self.ankle_y, self.ankle_z)
        x = self.out_x - (1.0 - fraction) * self.offset_x - self.hip_x
        y = self.out_y - (1.0 - fraction) * self.offset_y - self.hip_y
        reach = self.max_reach()
        square = reach * reach - x * x - y * y
        return self.out_z + sqrt(square if square > 0.0 else 0.0) - self.hip_z

    def max_hip_rise(self):
        """Return how far the hip may rise for the sake of this foot [units].

        A held foot may pull it down by ``MAX_PULL`` at most, else it slips. For a foot
        about to land, with its leg as long as animated, the hip follows the height of
        the ground there. A foot on its way up does not hold it back.
        """
        free = self.hip_height(0.0) - MAX_PULL * self.leg
        locked = self.hip_height(1.0)
        if free > locked:
            locked = free
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        landed = self.sole_height - self.plane_height(x, y)
        landed += (1.0 - self.support) * self.step_height * self.leg
        return landed + self.contact_weight * (locked - landed)

    def min_hip_rise(self):
        """Return how far the hip may sink before the leg is folded by ``MIN_FOLD``."""
        self.move_point(self.ankle_x, self.ankle_y, self.ankle_z)
        x = self.ankle_x - self.hip_x
        y = self.ankle_y - self.hip_y
        z = self.ankle_z - self.hip_z
        square = MIN_FOLD * MIN_FOLD * (x * x + y * y + z * z)
        x = self.out_x - self.hip_x
        y = self.out_y - self.hip_y
        square -= x * x + y * y
        return self.out_z + sqrt(square if square > 0.0 else 0.0) - self.hip_z

    def bend(self, up, thigh, shin, dt):
        """Keep the ankle in reach, and the knee's speed below ``MAX_BEND_SPEED``.

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
        distance = sqrt(x * x + y * y + z * z)
        if not distance > 1e-9 * self.leg:
            return 1.0
        reach = self.max_reach()
        length = distance if distance < reach else reach
        x = self.ankle_x - self.hip_x
        y = self.ankle_y - self.hip_y
        z = self.ankle_z - self.hip_z
        animated = knee_angle(sqrt(x * x + y * y + z * z), thigh, shin)
        knee = knee_angle(length, thigh, shin) - animated
        if self.bends and dt > 0.0:
            change = MAX_BEND_SPEED * dt
            if knee > self.knee + change:
                knee = self.knee + change
            elif knee < self.knee - change:
                knee = self.knee - change
            angle = animated + knee
            if angle < 0.0:
                angle = 0.0
            # the animation may have straightened it meanwhile
            allowed = sqrt(
                thigh * thigh + shin * shin + 2.0 * thigh * shin * cos(angle)
            )
            length = allowed if allowed < reach else reach
            knee = knee_angle(length, thigh, shin) - animated
        self.knee = knee
        self.bends = 1
        return length / distance

    def swing(self, fraction, up, dt):
        """Set ``end_x`` to ``end_z`` to the ankle, and limit the leg's swing.

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
            rx = (ay * bz - az * by) / size
            ry = (az * bx - ax * bz) / size
            rz = (ax * by - ay * bx) / size
            sine = sqrt(rx * rx + ry * ry + rz * rz)
            angle = atan2(sine, (ax * bx + ay * by + az * bz) / size)
            k = angle / sine if sine > 1e-9 else 1.0
            rx *= k
            ry *= k
            rz *= k
            dx = rx - self.swing_x
            dy = ry - self.swing_y
            dz = rz - self.swing_z
            change = sqrt(dx * dx + dy * dy + dz * dz)
            if self.swings and dt > 0.0 and change > MAX_SWING_SPEED * dt:
                k = MAX_SWING_SPEED * dt / change
                rx = self.swing_x + k * dx
                ry = self.swing_y + k * dy
                rz = self.swing_z + k * dz
                angle = sqrt(rx * rx + ry * ry + rz * rz)
                s = sin(angle) / angle if angle > 1e-9 else 1.0
                c = cos(angle)
                k = (1.0 - c) / (angle * angle) if angle > 1e-6 else 0.5
                k *= rx * ax + ry * ay + rz * az
                ratio = sqrt(
                    (bx * bx + by * by + bz * bz) / (ax * ax + ay * ay + az * az)
                )
                bx = ratio * (c * ax + s * (ry * az - rz * ay) + k * rx)
                by = ratio * (c * ay + s * (rz * ax - rx * az) + k * ry)
                bz = ratio * (c * az + s * (rx * ay - ry * ax) + k * rz)
            self.swing_x = rx
            self.swing_y = ry
            self.swing_z = rz
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
        scale = size + ax * bx + ay * by + az * bz
        self.out_x = self.hip_x + x
        self.out_y = self.hip_y + y
        self.out_z = self.hip_z + z + up
        # for a half turn the smallest rotation is undefined
        if not scale > 1e-9 * self.leg * self.leg:
            return
        vx = (ay * bz - az * by) / size
        vy = (az * bx - ax * bz) / size
        vz = (ax * by - ay * bx) / size
        tx = vy * z - vz * y
        ty = vz * x - vx * z
        tz = vx * y - vy * x
        k = size / scale
        tx, ty, tz = (
            tx + k * (vy * tz - vz * ty),
            ty + k * (vz * tx - vx * tz),
            tz + k * (vx * ty - vy * tx),
        )
        # a pole that is well to the side of the line stays
        square = bx * bx + by * by + bz * bz
        along = (x * bx + y * by + z * bz) / square
        clearance = (x - along * bx) * (x + tx) + (y - along * by) * (y + ty)
        clearance += (z - along * bz) * (z + tz)
        fraction = fall(
            clearance / (x * x + y * y + z * z + 1e-300), POLE_NEAR, POLE_CLEAR
        )
        self.out_x += fraction * tx
        self.out_y += fraction * ty
        self.out_z += fraction * tz

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
        reach = self.max_reach()
        max_square = reach * reach - c * c
        square = (a + p) * (a + p) + (b + q) * (b + q)
        base_square = a * a + b * b
        if square <= max_square:
            return
        if base_square < square:
            # the longest part of the offset that ends on the circle of the reach
            offset_square = p * p + q * q
            along = a * p + b * q
            discriminant = along * along - offset_square * (base_square - max_square)
            fraction = 0.0
            if base_square < max_square and discriminant > 0.0:
                fraction = min(
                    1.0, max(0.0, (sqrt(discriminant) - along) / offset_square)
                )
            self.offset_x = fraction * p
            self.offset_y = fraction * q
            self.contact_weight *= fraction
        self.move_corners()
        self.spot_x = self.middle_x + self.offset_x
        self.spot_y = self.middle_y + self.offset_y
