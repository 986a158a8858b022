# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""A head and its eyes that turn to a target."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.gaze import (
        BODY,
        EYES,
        FACING,
        HEAD,
        PI,
        STEP,
        TURN,
        UNDO,
        GazeKernel,
    )
    from cython.cimports.ikrig.kernels.quat_ops import data, hold, index, mul
    from cython.cimports.ikrig.kernels.spring_damper import SpeedLimitedSpring
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from .gaze import BODY, EYES, FACING, HEAD, PI, STEP, TURN, UNDO, GazeKernel
    from .quat_ops import data, hold, index, mul
    from .spring_damper import SpeedLimitedSpring

COMPILED = cython.compiled

# maximum angle by which an eye turns in for a near target [rad]
CROSSED = 0.5
# maximum speed of the eyes [rad/s]
EYE_SPEED = 12.0


class LookKernel(GazeKernel):
    """Turns neck and head, then the eyes.

    Args:
        nets, joints, weights, body, room: As for ``GazeKernel``.
        facings: Those of the body, the head, and each eye.
        eyes: Indices of the joints of the eyes.
        middle: Origin of the gaze, in the head's own space: 3 numbers.
    """

    def __init__(self, nets, joints, weights, body, facings, room, eyes, middle):
        super().__init__(nets, joints, weights, body, facings, room)
        self._kept = hold({"eyes": eyes, "middle": middle})
        self.eye = index(eyes)
        self.eye_count = len(eyes)
        self.middle = data(middle)
        self.head = joints[len(joints) - 1]
        self.eye_gaze = SpeedLimitedSpring()
        self.keep_motion = 1.0
        self.eye_seconds = 0.0

    def set_eyes(self, limits, seconds):
        """Set the limits of the eyes in the head, and the time of a turn [s]."""
        self.store_limits(EYES, limits)
        self.eye_seconds = seconds

    def forget(self):
        """Discard the state, so that the next frame starts anew."""
        GazeKernel.forget(self)
        self.shift_x = self.shift_y = self.shift_z = 0.0
        self.eyes_watch = 0

    def begin(self):
        """Start the averages from the animated pose of this frame."""
        self.set_ahead(FACING, self.head)
        self.set_components(BODY, self.dx, self.dy, self.dz)
        self.mean_right = self.right
        self.mean_ahead = self.ahead
        self.mean_up = self.up
        return 0

    def average(self, fraction):
        """Update the averages of body and head, which exclude quick movements."""
        GazeKernel.average(self, fraction)
        self.set_ahead(FACING, self.head)
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
        eye = self.eye_gaze
        state_sum = (
            GazeKernel.state_sum(self)
            + self.mean_right
            + self.mean_ahead
            + self.mean_up
        )
        state_sum += self.shift_x + self.shift_y + self.shift_z
        state_sum += eye.along.value + eye.along.speed
        return state_sum + eye.aside.value + eye.aside.speed

    def set_ahead(self, facing, joint):
        """Set the direction in which a joint faces now, in the skeleton's space."""
        a = self.facing
        f = facing + 18
        net = self.nets.net
        n = 12 * joint
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

    def set_look_point(self):
        """Set the origin of the gaze in the current pose."""
        net = self.nets.net
        n = 12 * self.head
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
        room = self.room
        nets = self.nets
        self.set_look_point()
        x = self.ex
        y = self.ey
        z = self.ez
        way_yaw = self.gaze.along.value - self.start_yaw
        way_pitch = self.gaze.aside.value - self.start_pitch
        room[UNDO] = 1.0
        room[UNDO + 1] = room[UNDO + 2] = room[UNDO + 3] = 0.0
        part = 0.0
        for i in range(self.count):
            part += self.weight[i] * factor
            self.set_turn(
                BODY, self.start_yaw, self.start_pitch,
                self.start_yaw + way_yaw * part, self.start_pitch + way_pitch * part,
            )  # fmt: skip
            # without the part that the joints above have done
            mul(room, STEP, room, TURN, room, UNDO)
            nets.rotate(
                self.joint[i], room[STEP], room[STEP + 1], room[STEP + 2],
                room[STEP + 3],
            )  # fmt: skip
            room[UNDO] = room[TURN]
            for k in range(1, 4):
                room[UNDO + k] = -room[TURN + k]
        self.set_look_point()
        self.shift_x = self.ex - x
        self.shift_y = self.ey - y
        self.shift_z = self.ez - z
        if self.eye_count > 0:
            self.turn_eyes(
                self.start_yaw + way_yaw * factor,
                self.start_pitch + way_pitch * factor,
                has_target,
                factor,
                dt,
            )
        return 0

    def turn_eyes(self, head_yaw, head_pitch, has_target, factor, dt):
        """Turn each eye to the target, as far as it may turn in the head."""
        room = self.room
        seen_yaw = self.seen_yaw if has_target else head_yaw
        seen_pitch = self.seen_pitch if has_target else head_pitch
        gaze = self.eye_gaze
        if not self.eyes_watch:
            gaze.reset(seen_yaw, seen_pitch)
            self.eyes_watch = 1
        self.clamp(EYES, seen_yaw, seen_pitch, head_yaw, head_pitch)
        gaze.step(self.yaw, self.pitch, self.eye_seconds, EYE_SPEED, dt)
        self.set_frame(HEAD, 1, self.head)
        for i in range(self.eye_count):
            joint = self.eye[i]
            yaw = gaze.along.value
            pitch = gaze.aside.value
            if has_target:
                # near targets are seen from two positions
                net = self.nets.net
                n = 12 * joint + 9
                self.set_angles_in(
                    BODY, self.tx - net[n], self.ty - net[n + 1], self.tz - net[n + 2]
                )
                aside = self.yaw - seen_yaw
                if abs(aside) > PI:
                    aside -= 2.0 * PI if aside > 0.0 else -2.0 * PI
                yaw += max(-CROSSED, min(CROSSED, aside))
                pitch += max(-CROSSED, min(CROSSED, self.pitch - seen_pitch))
            self.set_direction(BODY, yaw, pitch)
            self.set_angles_in(HEAD, self.dx, self.dy, self.dz)
            self.clamp(EYES, self.yaw, self.pitch, 0.0, 0.0)
            way_yaw = self.yaw
            way_pitch = self.pitch
            self.set_ahead(FACING * (2 + i), joint)
            self.set_angles_in(HEAD, self.dx, self.dy, self.dz)
            yaw = self.yaw
            pitch = self.pitch
            way_yaw -= yaw
            way_pitch -= pitch
            self.set_turn(
                HEAD, yaw, pitch, yaw + way_yaw * factor, pitch + way_pitch * factor
            )
            self.nets.rotate(
                joint, room[TURN], room[TURN + 1], room[TURN + 2], room[TURN + 3]
            )
