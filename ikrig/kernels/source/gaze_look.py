# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""A head and its eyes that turn to a target."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, ints, pin
    from .gaze import (
        BODY,
        EYES,
        FACING,
        HEAD,
        INVERSE,
        LEANT,
        PART,
        PI,
        ROTATION,
        GazeKernel,
        enter,
        leave,
        level,
        product,
    )
    from .quat_ops import rotate_vec
    from .spring_damper import SpeedLimitedSpring, Spring

COMPILED = cython.compiled

# maximum angle by which an eye turns in for a near target [rad]
CROSSED = 0.5
# maximum speed of the eyes [rad/s]
EYE_SPEED = 12.0
# turn from which the spine takes its whole part [rad]
LEAN_ANGLE = 0.5
# numbers of a state that is stored, of one look among many
STATE = 39


class LookKernel(GazeKernel):
    """Turns the spine, early in a frame; neck and head; then the eyes.

    The spine follows gradually, and less of it in small turns. It turns by what the
    last frame found, so that all that it carries can be solved after it; neck and head
    do the rest exactly.

    Args:
        figure, joints, weights, body, workspace: As for ``GazeKernel``.
        facings: Those of the body, the head, and each eye.
        spine: Number of joints that belong to the spine, the first ones.
        eyes: Indices of the joints of the eyes.
        middle: Origin of the gaze, in the head's own space: 3 numbers.
    """

    def __init__(
        self, figure, joints, weights, body, facings, workspace, spine, eyes, middle
    ):
        # reset before the rest is there
        self.lean_yaw = Spring()
        self.lean_pitch = Spring()
        super().__init__(figure, joints, weights, body, facings, workspace)
        self._pinned_eyes = pin({"eyes": eyes, "middle": middle})
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
        level(work, INVERSE, self.start_yaw, self.start_pitch, -1.0)
        work[LEANT] = work[INVERSE]
        for k in range(1, 4):
            work[LEANT + k] = -work[INVERSE + k]
        self.spread(0, self.spine, self.spine_part, 0.0, 0.0, yaw, pitch)
        # all that it has turned, backwards
        product(work, LEANT, LEANT, INVERSE)
        leave(work, LEANT, LEANT, BODY)
        self.leant_yaw = yaw
        self.leant_pitch = pitch

    def forget_lean(self):
        """Note that the spine is not turned in this frame."""
        work = self.workspace
        self.leant_yaw = self.leant_pitch = 0.0
        work[LEANT] = 1.0
        work[LEANT + 1] = work[LEANT + 2] = work[LEANT + 3] = 0.0

    def begin(self):
        """Start the averages from the animated pose of this frame."""
        self.set_animated_ahead()
        self.set_components(BODY, self.dx, self.dy, self.dz)
        self.mean_right = self.right
        self.mean_ahead = self.ahead
        self.mean_up = self.up

    def average(self, fraction):
        """Update the averages of body and head, which exclude quick movements."""
        GazeKernel.average(self, fraction)
        self.set_animated_ahead()
        self.set_components(BODY, self.dx, self.dy, self.dz)
        self.mean_right += (self.right - self.mean_right) * fraction
        self.mean_ahead += (self.ahead - self.mean_ahead) * fraction
        self.mean_up += (self.up - self.mean_up) * fraction
        keep = self.keep_motion
        self.set_angles(
            self.right + (self.mean_right - self.right) * keep,
            self.ahead + (self.mean_ahead - self.ahead) * keep,
            self.up + (self.mean_up - self.up) * keep,
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

    def set_ahead(self, facing, joint):
        """Set the direction in which a joint faces now, in the skeleton's space."""
        a = self.facing
        f = facing + 18
        net = self.figure.net
        n = self.figure.at(joint)
        x = a[f] * net[n] + a[f + 1] * net[n + 3] + a[f + 2] * net[n + 6]
        y = a[f] * net[n + 1] + a[f + 1] * net[n + 4] + a[f + 2] * net[n + 7]
        z = a[f] * net[n + 2] + a[f + 1] * net[n + 5] + a[f + 2] * net[n + 8]
        size = sqrt(x * x + y * y + z * z)
        if size > 0.0:
            x /= size
            y /= size
            z /= size
        self.dx = x
        self.dy = y
        self.dz = z

    def set_animated_ahead(self):
        """Set the direction in which the head faces without the turn of the spine."""
        work = self.workspace
        self.set_ahead(FACING, self.head)
        rotate_vec(work, PART, work, LEANT, self.dx, self.dy, self.dz)
        self.dx = work[PART]
        self.dy = work[PART + 1]
        self.dz = work[PART + 2]

    def set_look_point(self):
        """Set the origin of the gaze in the current pose."""
        net = self.figure.net
        n = self.figure.at(self.head)
        m = self.middle
        x = m[0]
        y = m[1]
        z = m[2]
        self.ex = x * net[n] + y * net[n + 3] + z * net[n + 6] + net[n + 9]
        self.ey = x * net[n + 1] + y * net[n + 4] + z * net[n + 7] + net[n + 10]
        self.ez = x * net[n + 2] + y * net[n + 5] + z * net[n + 8] + net[n + 11]

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
        work = self.workspace
        self.set_look_point()
        x = self.ex
        y = self.ey
        z = self.ez
        yaw_change = (self.gaze.along.value - self.start_yaw) * factor
        pitch_change = (self.gaze.aside.value - self.start_pitch) * factor
        # from where the spine has turned the gaze
        enter(work, INVERSE, LEANT, BODY)
        level(work, PART, self.start_yaw, self.start_pitch, -1.0)
        product(work, INVERSE, PART, INVERSE)
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
            yaw, pitch: The change that the joints above have done. The rotation from
                the gaze which they reach to straight ahead is in the workspace, in the
                body's frame; afterwards it is that of the last joint.
            to_yaw, to_pitch: The change after the last joint.
        """
        work = self.workspace
        fraction = 0.0
        for i in range(first, last):
            fraction += self.weight[i] / weights
            level(
                work, ROTATION,
                self.start_yaw + yaw + (to_yaw - yaw) * fraction,
                self.start_pitch + pitch + (to_pitch - pitch) * fraction, 1.0,
            )  # fmt: skip
            # without the part that the joints above have done
            product(work, PART, ROTATION, INVERSE)
            leave(work, PART, PART, BODY)
            self.figure.turn(
                self.joint[i], work[PART], work[PART + 1], work[PART + 2],
                work[PART + 3],
            )  # fmt: skip
            work[INVERSE] = work[ROTATION]
            for k in range(1, 4):
                work[INVERSE + k] = -work[ROTATION + k]

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
        self.set_frame(HEAD, 1, self.head)
        for i in range(self.eye_count):
            joint = self.eye[i]
            yaw = self.eye_gaze.along.value
            pitch = self.eye_gaze.aside.value
            if has_target:
                # near targets are seen from two positions
                net = self.figure.net
                n = self.figure.at(joint) + 9
                self.find_angles(
                    BODY, self.tx - net[n], self.ty - net[n + 1], self.tz - net[n + 2]
                )
                aside = self.yaw - target_yaw
                if abs(aside) > PI:
                    aside -= 2.0 * PI if aside > 0.0 else -2.0 * PI
                yaw += max(-CROSSED, min(CROSSED, aside))
                pitch += max(-CROSSED, min(CROSSED, self.pitch - target_pitch))
            self.find_direction(BODY, yaw, pitch)
            self.find_angles(HEAD, self.dx, self.dy, self.dz)
            self.hold(EYES, self.yaw, self.pitch, 0.0, 0.0)
            yaw_change = self.yaw
            pitch_change = self.pitch
            self.set_ahead(FACING * (2 + i), joint)
            self.find_angles(HEAD, self.dx, self.dy, self.dz)
            yaw = self.yaw
            pitch = self.pitch
            yaw_change -= yaw
            pitch_change -= pitch
            self.find_gaze_rotation(
                HEAD,
                yaw,
                pitch,
                yaw + yaw_change * factor,
                pitch + pitch_change * factor,
            )
            self.figure.turn(
                joint,
                work[ROTATION],
                work[ROTATION + 1],
                work[ROTATION + 2],
                work[ROTATION + 3],
            )

    # -- a crowd: one kernel for the gazes of many -------------------------------------

    def look(self, x, y, z, has_target, seconds, speed, weight, at_once, dt):
        """Turn neck, head and eyes as ``step`` does, to a point.

        Args:
            x, y, z: The target in the skeleton's space.
            has_target: Whether there is one.
            seconds, speed, weight, at_once, dt: As for ``step``.
        """
        self.tx = x
        self.ty = y
        self.tz = z
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
        self.shift_x = row[o + 21]
        self.shift_y = row[o + 22]
        self.shift_z = row[o + 23]
        self.start_yaw = row[o + 24]
        self.start_pitch = row[o + 25]
        for k in range(13):
            self.workspace[BODY + k] = row[o + 26 + k]

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
        row[o + 21] = self.shift_x
        row[o + 22] = self.shift_y
        row[o + 23] = self.shift_z
        row[o + 24] = self.start_yaw
        row[o + 25] = self.start_pitch
        for k in range(13):
            row[o + 26 + k] = self.workspace[BODY + k]
