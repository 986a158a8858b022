"""A head and its eyes that turn to a target."""

import cython

if not cython.compiled:
    from math import sqrt

    from .angles import sin_cos
    from .buffers import doubles, ints, pin
    from .gaze import (
        BODY,
        EYES,
        FACING,
        FRAME,
        LEANT,
        PART,
        ROTATION,
        SINES,
        GazeKernel,
    )
    from .matrices import square_up
    from .pose import net_of
    from .spring_damper import SpeedLimitedSpring, Spring
    from .vectors import (
        by_rows,
        copy,
        in_rows,
        moved,
        multiply,
        put,
        put4,
        rotated,
        three,
    )

# cosine and sine of the angle by which an eye turns in at most for a near target
CROSSED_COS = 0.8775825618903728
CROSSED_SIN = 0.479425538604203
# maximum speed of the eyes [rad/s]
EYE_SPEED = 12.0
# sine of the angle up to which an eye looks straight ahead as animated
STRAIGHT = 1e-5
# turn from which the spine takes its whole part [rad]
LEAN_ANGLE = 0.5
# numbers of a state that is stored, of one look among many
STATE = 35


class LookKernel(GazeKernel):
    """Turns the spine, early in a frame; neck and head; then the eyes.

    The spine follows gradually, and less of it in small turns. It turns by what the
    last frame found, so that all that it carries can be solved after it; neck and head
    do the rest exactly.

    Args:
        figure, joints, weights, body: As for ``GazeKernel``.
        facings: Those of the body, the head, and each eye.
        spine: Number of joints that belong to the spine, the first ones.
        eyes: Indices of the joints of the eyes.
        middle: Origin of the gaze, in the head's own space: 3 numbers.
    """

    def __init__(self, figure, joints, weights, body, facings, spine, eyes, middle):
        # reset before the rest is there
        self.lean_yaw = Spring()
        self.lean_pitch = Spring()
        super().__init__(figure, joints, weights, body, facings)
        self._pinned_eyes = pin((eyes, middle))
        self.eye = ints(eyes)
        self.eye_count = len(eyes)
        self.middle = doubles(middle)
        self.head = joints[len(joints) - 1]
        self.eye_gaze = SpeedLimitedSpring()
        self.keep_motion = 1.0
        self.eye_seconds = 0.0
        self.spine = spine
        self.spine_part = 0.0
        for i in range(spine):
            self.spine_part += self.weight[i]

    def set_eyes(self, limits, seconds):
        """Set the limits of the eyes in the head, and the time of a turn [s]."""
        self.store_limits(EYES, limits)
        self.eye_seconds = seconds

    def forget(self):
        """Discard the state, so that the next frame starts anew."""
        GazeKernel.forget(self)
        self.shift_x = self.shift_y = self.shift_z = 0.0
        self.eyes_active = 0
        self.lean_yaw.reset(0.0)
        self.lean_pitch.reset(0.0)
        self.forget_lean()

    def lean(self, weight):
        """Turn the spine, before ``step`` turns neck and head; return 0.

        Args:
            weight: 0: as animated; 1: full effect.
        """
        self.turn_spine(weight)
        return 0

    def turn_spine(self, weight):
        """Do as ``lean``, for kernels."""
        self.forget_lean()
        yaw = self.lean_yaw.value * weight
        pitch = self.lean_pitch.value * weight
        if self.spine == 0 or not self.is_active or (yaw == 0.0 and pitch == 0.0):
            return
        work = self.workspace
        self.spread(0, self.spine, self.spine_part, 0.0, 0.0, yaw, pitch)
        # all that it has turned, backwards
        multiply(work, LEANT, work, PART, work, ROTATION)
        x, y, z = by_rows(work, BODY, work[LEANT + 1], work[LEANT + 2], work[LEANT + 3])
        put(work, LEANT + 1, x, y, z)
        self.leant_yaw = yaw
        self.leant_pitch = pitch

    def forget_lean(self):
        """Note that the spine is not turned in this frame."""
        self.leant_yaw = self.leant_pitch = 0.0
        put4(self.workspace, LEANT, 1.0, 0.0, 0.0, 0.0)

    def begin(self):
        """Start the averages from the animated pose of this frame."""
        self.mean_right, self.mean_ahead, self.mean_up = self.ahead()

    def average(self, fraction):
        """Update the averages of body and head, which exclude quick movements."""
        GazeKernel.average(self, fraction)
        x, y, z = self.ahead()
        self.mean_right += (x - self.mean_right) * fraction
        self.mean_ahead += (y - self.mean_ahead) * fraction
        self.mean_up += (z - self.mean_up) * fraction
        keep = self.keep_motion
        self.set_angles(
            x + (self.mean_right - x) * keep,
            y + (self.mean_ahead - y) * keep,
            z + (self.mean_up - z) * keep,
        )
        self.start_yaw = self.yaw
        self.start_pitch = self.pitch

    def state_sum(self):
        """Return the sum of the state."""
        total = (
            GazeKernel.state_sum(self)
            + self.mean_right
            + self.mean_ahead
            + self.mean_up
        )
        total += self.shift_x + self.shift_y + self.shift_z
        total += self.lean_yaw.value + self.lean_pitch.value
        total += self.eye_gaze.along.value + self.eye_gaze.along.speed
        return total + self.eye_gaze.aside.value + self.eye_gaze.aside.speed

    def ahead(self):
        """Return the direction in which the head is animated to face, in the body's.

        That is without the turn of the spine.
        """
        a = self.facing
        f = FACING + 3
        x, y, z = by_rows(
            self.figure.net, net_of(self.figure, self.head), a[f], a[f + 1], a[f + 2]
        )
        x, y, z = rotated(self.workspace, LEANT, x, y, z)
        return in_rows(self.workspace, BODY, x, y, z)

    def set_look_point(self):
        """Set the origin of the gaze in the current pose."""
        net = self.figure.net
        n = net_of(self.figure, self.head)
        m = self.middle
        self.ex, self.ey, self.ez = moved(net, n, m[0], m[1], m[2])

    def set_eye(self):
        """Set the origin of the gaze after the turn, as estimated from the last frame.

        So over a few frames the head comes to face even near targets exactly.
        """
        self.set_look_point()
        self.ex += self.shift_x
        self.ey += self.shift_y
        self.ez += self.shift_z

    def turn(self, has_target, factor, seconds, dt):
        """Turn the joints down to the head, then the eyes."""
        self.turn_head(has_target, factor, seconds, dt)
        return 0

    def turn_head(self, has_target, factor, seconds, dt):
        """Do as ``turn``, for kernels."""
        self.set_look_point()
        x, y, z = self.ex, self.ey, self.ez
        yaw_change = (self.gaze.along.value - self.start_yaw) * factor
        pitch_change = (self.gaze.aside.value - self.start_pitch) * factor
        # from where the spine has turned the gaze
        self.spread(
            self.spine, self.count, 1.0 - self.spine_part,
            self.leant_yaw, self.leant_pitch, yaw_change, pitch_change,
        )  # fmt: skip
        self.forget_lean()
        # without the weight, which acts at once
        yaw = (self.gaze.along.value - self.start_yaw) * self.attention.value
        pitch = (self.gaze.aside.value - self.start_pitch) * self.attention.value
        part = min(1.0, sqrt(yaw * yaw + pitch * pitch) / LEAN_ANGLE)
        part *= part * (3.0 - 2.0 * part) * self.spine_part
        self.lean_yaw.step(part * yaw, seconds, dt)
        self.lean_pitch.step(part * pitch, seconds, dt)
        self.set_look_point()
        self.shift_x = self.ex - x
        self.shift_y = self.ey - y
        self.shift_z = self.ez - z
        if self.eye_count > 0:
            self.turn_eyes(
                self.start_yaw + yaw_change,
                self.start_pitch + pitch_change,
                has_target,
                factor,
                dt,
            )

    def spread(self, first, last, weights, yaw, pitch, to_yaw, to_pitch):
        """Turn joints, each by its weight, from one change of the gaze to another.

        Args:
            first, last: The joints; the last is not included.
            weights: Sum of their weights.
            yaw, pitch: The change that the joints above have done, backwards as a
                rotation in ``LEANT``.
            to_yaw, to_pitch: The change after the last joint.

        The rotation from straight ahead to the start is in ``PART`` afterwards, that
        from where the last joint faces back to straight ahead in ``ROTATION``, both in
        the body's frame.
        """
        work = self.workspace
        fraction = 0.0
        iw = work[LEANT]
        ix, iy, iz = in_rows(
            work, BODY, work[LEANT + 1], work[LEANT + 2], work[LEANT + 3]
        )
        # the start is before the first
        for i in range(first - 1, last):
            starts: cython.bint = i < first
            u = v = 0.0
            if not starts:
                fraction += self.weight[i] / weights
                u = yaw + (to_yaw - yaw) * fraction
                v = pitch + (to_pitch - pitch) * fraction
            w, x, y, z = level(
                work, self.start_yaw + u, self.start_pitch + v, -1.0 if starts else 1.0
            )
            # without the part that the joints above have done
            tw = w * iw - x * ix - y * iy - z * iz
            tx = w * ix + x * iw + y * iz - z * iy
            ty = w * iy - x * iz + y * iw + z * ix
            tz = w * iz + x * iy - y * ix + z * iw
            if starts:
                put4(work, PART, w, -x, -y, -z)
                iw, ix, iy, iz = tw, tx, ty, tz
                continue
            tx, ty, tz = by_rows(work, BODY, tx, ty, tz)
            self.figure.turn(self.joint[i], tw, tx, ty, tz)
            iw, ix, iy, iz = w, -x, -y, -z
        put4(work, ROTATION, iw, ix, iy, iz)

    def turn_eyes(self, head_yaw, head_pitch, has_target, factor, dt):
        """Turn each eye to the target, as far as it may turn in the head."""
        work = self.workspace
        target_yaw = self.target_yaw if has_target else head_yaw
        target_pitch = self.target_pitch if has_target else head_pitch
        if not self.eyes_active:
            self.eye_gaze.reset(target_yaw, target_pitch)
            self.eyes_active = 1
        self.hold(EYES, target_yaw, target_pitch, head_yaw, head_pitch)
        self.eye_gaze.step(self.yaw, self.pitch, self.eye_seconds, EYE_SPEED, dt)
        self.set_frame(FRAME, 1, self.head)
        square_up(work, FRAME)
        a = SINES
        sin_cos(work, a, self.eye_gaze.along.value, self.eye_gaze.aside.value)
        sin_cos(work, a + 4, target_yaw, target_pitch)
        gy, gp, hy, hp = work[a], work[a + 1], work[a + 2], work[a + 3]
        ty, tp, uy, up = work[a + 4], work[a + 5], work[a + 6], work[a + 7]
        net = self.figure.net
        for i in range(self.eye_count):
            joint = self.eye[i]
            n = net_of(self.figure, joint)
            # sine and cosine of yaw, then of pitch, times a length
            sy, cy, sp, cp = gy, hy, gp, hp
            flat = 1.0
            if has_target:
                # near targets are seen from two positions: by the differences
                x, y, z = in_rows(
                    work, BODY,
                    self.tx - net[n + 9], self.ty - net[n + 10], self.tz - net[n + 11],
                )  # fmt: skip
                flat = sqrt(x * x + y * y)
                size = sqrt(flat * flat + z * z)
                s, c = crossed(-x * uy - y * ty, y * uy - x * ty, flat)
                sy, cy = gy * c + hy * s, hy * c - gy * s
                s, c = crossed(z * up - flat * tp, flat * up + z * tp, size)
                sp, cp = gp * c + hp * s, hp * c - gp * s
            x, y, z = by_rows(work, BODY, -sy * cp, cy * cp, flat * sp)
            self.find_angles(FRAME, x, y, z)
            self.hold(EYES, self.yaw, self.pitch, 0.0, 0.0)
            f = FACING * (2 + i) + 3
            x, y, z = by_rows(
                net, n, self.facing[f], self.facing[f + 1], self.facing[f + 2]
            )
            x, y, z = in_rows(work, FRAME, x, y, z)
            if x * x + z * z < STRAIGHT * STRAIGHT * y * y and y > 0.0:
                # as in most clips
                w, x, y, z = level(work, self.yaw * factor, self.pitch * factor, 1.0)
                put4(work, ROTATION, w, x, y, z)
            else:
                # from how it faces now
                yaw = self.yaw
                pitch = self.pitch
                self.set_angles(x, y, z)
                yaw = self.yaw + (yaw - self.yaw) * factor
                pitch = self.pitch + (pitch - self.pitch) * factor
                w, x, y, z = level(work, self.yaw, self.pitch, -1.0)
                put4(work, PART, w, x, y, z)
                w, x, y, z = level(work, yaw, pitch, 1.0)
                put4(work, ROTATION, w, x, y, z)
                multiply(work, ROTATION, work, ROTATION, work, PART)
            x, y, z = by_rows(
                work, FRAME, work[ROTATION + 1], work[ROTATION + 2], work[ROTATION + 3]
            )
            self.figure.turn(joint, work[ROTATION], x, y, z)

    # -- a crowd: one kernel for the gazes of many -------------------------------------

    def look(self, x, y, z, has_target, seconds, speed, weight, at_once, dt):
        """Turn neck, head and eyes as ``step`` does, to a point.

        Args:
            x, y, z: The target in the skeleton's space.
            has_target: Whether there is one.
            seconds, speed, weight, at_once, dt: As for ``step``.
        """
        self.tx, self.ty, self.tz = x, y, z
        if self.prepare(has_target, seconds, speed, at_once, dt):
            self.turn_head(has_target, weight * self.attention.value, seconds, dt)
            self.check()

    def resume(self, states, o):
        """Continue from a state of a crowd's, at an index of its buffer."""
        self.load(doubles(states), o)

    def keep(self, states, o):
        """Store the state for ``resume``."""
        self.store(doubles(states), o)

    def load(self, row, o):
        """Continue from a state that was stored, ``STATE`` numbers from an index on."""
        self.is_active = row[o] > 0.0
        self.eyes_active = row[o + 1] > 0.0
        self.attention.value = row[o + 2]
        self.attention.speed = row[o + 3]
        self.gaze.along.value = row[o + 4]
        self.gaze.along.speed = row[o + 5]
        self.gaze.aside.value = row[o + 6]
        self.gaze.aside.speed = row[o + 7]
        self.eye_gaze.along.value = row[o + 8]
        self.eye_gaze.along.speed = row[o + 9]
        self.eye_gaze.aside.value = row[o + 10]
        self.eye_gaze.aside.speed = row[o + 11]
        self.lean_yaw.value = row[o + 12]
        self.lean_yaw.speed = row[o + 13]
        self.lean_pitch.value = row[o + 14]
        self.lean_pitch.speed = row[o + 15]
        self.target_yaw = row[o + 16]
        self.target_pitch = row[o + 17]
        self.mean_right = row[o + 18]
        self.mean_ahead = row[o + 19]
        self.mean_up = row[o + 20]
        self.shift_x, self.shift_y, self.shift_z = three(row, o + 21)
        self.start_yaw = row[o + 24]
        self.start_pitch = row[o + 25]
        copy(self.workspace, BODY, row, o + 26, 9)

    def store(self, row, o):
        """Store the state for ``load``."""
        row[o] = 1.0 if self.is_active else 0.0
        row[o + 1] = 1.0 if self.eyes_active else 0.0
        row[o + 2] = self.attention.value
        row[o + 3] = self.attention.speed
        row[o + 4] = self.gaze.along.value
        row[o + 5] = self.gaze.along.speed
        row[o + 6] = self.gaze.aside.value
        row[o + 7] = self.gaze.aside.speed
        row[o + 8] = self.eye_gaze.along.value
        row[o + 9] = self.eye_gaze.along.speed
        row[o + 10] = self.eye_gaze.aside.value
        row[o + 11] = self.eye_gaze.aside.speed
        row[o + 12] = self.lean_yaw.value
        row[o + 13] = self.lean_yaw.speed
        row[o + 14] = self.lean_pitch.value
        row[o + 15] = self.lean_pitch.speed
        row[o + 16] = self.target_yaw
        row[o + 17] = self.target_pitch
        row[o + 18] = self.mean_right
        row[o + 19] = self.mean_ahead
        row[o + 20] = self.mean_up
        put(row, o + 21, self.shift_x, self.shift_y, self.shift_z)
        row[o + 24] = self.start_yaw
        row[o + 25] = self.start_pitch
        copy(row, o + 26, self.workspace, BODY, 9)


def level(work, yaw, pitch, sign):
    """Return the rotation from straight ahead, first up, then to the side: w x y z.

    Args:
        work: The workspace.
        yaw, pitch: How far to the side, and up [rad].
        sign: 1; -1 for the inverse.
    """
    a = SINES
    sin_cos(work, a, 0.5 * yaw, 0.5 * pitch)
    sy, sp, cy, cp = work[a], work[a + 1], work[a + 2], work[a + 3]
    return cy * cp, sign * cy * sp, sign * sy * sp, sign * sy * cp


def crossed(sine, cosine, size):
    """Return a sine and a cosine, both times a size, of no more than eyes turn in."""
    if cosine < CROSSED_COS * size:
        cosine = CROSSED_COS * size
        sine = CROSSED_SIN * size if sine > 0.0 else -CROSSED_SIN * size
    return sine, cosine
