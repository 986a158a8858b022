# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Joints that turn to a target, relative to the body, within limits, smoothly.

Directions are yaw to the left and pitch up [rad] in a frame of right, ahead
and up: of the body, which is the joint above the first one, or of the head.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.matrices import from_axes, square_up
    from cython.cimports.ikrig.kernels.node_frame import NodeReader
    from cython.cimports.ikrig.kernels.quat_ops import (
        data,
        hold,
        index,
        mul,
        rotate_vec,
    )
    from cython.cimports.ikrig.kernels.spring_damper import SpeedLimitedSpring, Spring
    from cython.cimports.libc.math import atan2, cos, exp, sin, sqrt
else:
    from math import atan2, cos, exp, sin, sqrt

    from .matrices import from_axes, square_up
    from .node_frame import NodeReader
    from .quat_ops import data, hold, index, mul, rotate_vec
    from .spring_damper import SpeedLimitedSpring, Spring

COMPILED = cython.compiled

PI = 3.141592653589793
# time over which the animation's own pose is averaged [s]
SLOW = 1.0
# angle behind the back that a target must pass before the side changes [rad]
SIDE = 0.5
# pitch above which the yaw of a target counts less and less [rad]
STEEP = 1.2
# attention that is no longer visible
UNSEEN = 1e-4

# offsets in the workspace: frames (right, ahead, up, then their rotation and its
# inverse), rotations, limits (left, right, up, down) of the gaze and of eyes, and axes
BODY = 0
HEAD = 17
TURN = 34
STEP = 38
UNDO = 42
LIMITS = 46
EYES = 50
AXES = 54
ROOM = 63
# numbers of a joint's facing, see ``set_frame``
FACING = 21

GONE = 1
NOT_FINITE = 2
NO_POINTER = 3


class GazeKernel:
    """Turns joints to a target.

    Args:
        nets: The joints, and those above them.
        joints: Indices of those that turn.
        weights: Weight of each in the rotation; the sum is 1.
        body: Index of the joint above the first one; -1: the skeleton itself.
        facings: For each joint: the inverse of the rest pose's axes, rows right, ahead
            and up in the skeleton's space, and ahead in the joint's own: 21 numbers;
            first the body's.
        room: The workspace: a buffer of ``ROOM`` numbers.
    """

    def __init__(self, nets, joints, weights, body, facings, room):
        self.nets = nets
        self.count = len(joints)
        self.body = body
        buffers = {"j": joints, "weights": weights, "facings": facings, "room": room}
        self._held = hold(buffers)
        self.joint = index(joints)
        self.weight = data(weights)
        self.facing = data(facings)
        self.room = data(room)
        self.attention = Spring()
        self.gaze = SpeedLimitedSpring()
        self.target = None
        self.error = 0
        self.tx = self.ty = self.tz = 0.0
        self.ex = self.ey = self.ez = 0.0
        self.forget()

    def forget(self):
        """Discard the state, so that the next frame starts anew."""
        self.attention.reset(0.0)
        self.seen_yaw = self.seen_pitch = 0.0
        self.yaw = self.pitch = 0.0
        self.watches = 0

    def step(self, limits, seconds, speed, weight, at_once, dt):
        """Turn to the target, or without one gradually back to the animation.

        Args:
            limits: ``LookLimits`` relative to the body.
            seconds: Time of a small turn [s].
            speed: Maximum speed [rad/s].
            weight: 0: as animated; 1: full effect.
            at_once: Whether to start with full attention.
            dt: Time step [s].

        Returns:
            0, or the error: the target is ``GONE``, its position is ``NOT_FINITE``
            (not finite), or there is ``NO_POINTER``.
        """
        has_target = self.read_target()
        self.store_limits(LIMITS, limits)
        self.attention.step(1.0 if has_target else 0.0, seconds, dt)
        if not has_target and self.attention.value < UNSEEN:
            self.forget()
        if not has_target and not self.watches:
            return self.error
        self.nets.read()
        if not self.watches:
            self.set_frame(BODY, 0, self.body)
            self.begin()
            self.track_target()
            self.set_within()
            self.gaze.reset(self.yaw, self.pitch)
            self.watches = 1
            if at_once:
                self.attention.reset(1.0)
        self.average(1.0 - exp(-dt / SLOW))
        if has_target:
            self.track_target()
        self.set_within()
        self.gaze.step(self.yaw, self.pitch, seconds, speed, dt)
        self.turn(has_target, weight * self.attention.value, seconds, dt)
        self.nets.write()
        # a NaN would persist: poses can contain one, for a frame
        if not abs(self.state_sum()) < 1e300:
            self.forget()
        return self.error

    def read_target(self):
        """Return whether there is a target, and store its position."""
        self.error = 0
        if self.target is None:
            return 0
        reader: NodeReader = self.target
        state = reader.read()
        if state is None:
            self.error = GONE
            return 0
        place = state.pos
        x: cython.double = place[0]
        y: cython.double = place[1]
        z: cython.double = place[2]
        if state.is_invalid() or not x * x + y * y + z * z < 3e38:
            self.error = NOT_FINITE
            return 0
        self.tx = x
        self.ty = y
        self.tz = z
        return 1

    def store_limits(self, o, limits):
        """Store ``LookLimits``: those of the gaze or of the eyes."""
        room = self.room
        room[o] = limits.left
        room[o + 1] = limits.right
        room[o + 2] = limits.up
        room[o + 3] = limits.down

    def clamp(self, o, yaw, pitch, middle_yaw, middle_pitch):
        """Set the nearest angles within limits, which are relative to a middle."""
        room = self.room
        yaw -= middle_yaw
        pitch -= middle_pitch
        self.yaw = middle_yaw + max(-room[o + 1], min(room[o], yaw))
        self.pitch = middle_pitch + max(-room[o + 3], min(room[o + 2], pitch))

    def begin(self):
        """Start the averages from the animated pose of this frame."""

    def set_eye(self):
        """Set the point from which the target is seen."""

    def turn(self, has_target, factor, seconds, dt):
        """Turn the joints.

        Args:
            has_target: Whether there is a target.
            factor: Fraction of the rotation from the animation to the target.
            seconds: Time of a small turn [s].
            dt: Time step [s].
        """

    def state_sum(self):
        """Return the sum of the state, which is NaN if a part of it is."""
        gaze = self.gaze
        state_sum = gaze.along.value + gaze.along.speed + gaze.aside.value
        state_sum += gaze.aside.speed + self.seen_yaw + self.seen_pitch
        for i in range(9):
            state_sum += self.room[BODY + i]
        return state_sum

    def average(self, fraction):
        """Update the body's average rotation, which excludes quick movements."""
        room = self.room
        w = room[9]
        x = room[10]
        y = room[11]
        z = room[12]
        self.set_frame(BODY, 0, self.body)
        # a quaternion with the opposite sign is the same rotation
        if w * room[9] + x * room[10] + y * room[11] + z * room[12] < 0.0:
            w = -w
            x = -x
            y = -y
            z = -z
        w += (room[9] - w) * fraction
        x += (room[10] - x) * fraction
        y += (room[11] - y) * fraction
        z += (room[12] - z) * fraction
        size = sqrt(w * w + x * x + y * y + z * z)
        if size > 0.0:
            room[9] = w / size
            room[10] = x / size
            room[11] = y / size
            room[12] = z / size
        rotate_vec(room, 0, room, 9, 1.0, 0.0, 0.0)
        rotate_vec(room, 3, room, 9, 0.0, 1.0, 0.0)
        rotate_vec(room, 6, room, 9, 0.0, 0.0, 1.0)
        self.set_inverse(BODY)

    def set_frame(self, o, facing, joint):
        """Set the frame of a joint: right, ahead, up, and their rotation.

        Args:
            o: Offset of the frame.
            facing: Index of its facing.
            joint: The joint; -1: the skeleton itself.
        """
        room = self.room
        a = self.facing
        f = FACING * facing
        net = self.nets.net
        n = 12 * joint
        # the current axes of the rest pose, squared up
        for i in range(3):
            x = a[f + 3 * i]
            y = a[f + 3 * i + 1]
            z = a[f + 3 * i + 2]
            for k in range(3):
                if joint >= 0:
                    room[AXES + 3 * i + k] = (
                        x * net[n + k] + y * net[n + 3 + k] + z * net[n + 6 + k]
                    )
                else:
                    room[AXES + 3 * i + k] = a[f + 3 * i + k]
        if not square_up(room, AXES):
            for i in range(9):
                room[AXES + i] = 1.0 if i == 0 or i == 4 or i == 8 else 0.0
        for i in range(3):
            b = f + 9 + 3 * i
            for k in range(3):
                room[o + 3 * i + k] = (
                    a[b] * room[AXES + k]
                    + a[b + 1] * room[AXES + 3 + k]
                    + a[b + 2] * room[AXES + 6 + k]
                )
        from_axes(
            room, o + 9, room[o], room[o + 1], room[o + 2], room[o + 3], room[o + 4],
            room[o + 5], room[o + 6], room[o + 7], room[o + 8],
        )  # fmt: skip
        self.set_inverse(o)

    def set_inverse(self, o):
        """Set the inverse of a frame's rotation."""
        room = self.room
        room[o + 13] = room[o + 9]
        for i in range(3):
            room[o + 14 + i] = -room[o + 10 + i]

    def set_components(self, o, x, y, z):
        """Set the components of a vector in a frame: right, ahead and up."""
        room = self.room
        self.right = x * room[o] + y * room[o + 1] + z * room[o + 2]
        self.ahead = x * room[o + 3] + y * room[o + 4] + z * room[o + 5]
        self.up = x * room[o + 6] + y * room[o + 7] + z * room[o + 8]

    def set_angles(self, right, ahead, up):
        """Set yaw and pitch of a direction."""
        self.yaw = atan2(-right, ahead)
        self.pitch = atan2(up, sqrt(right * right + ahead * ahead))

    def set_angles_in(self, o, x, y, z):
        """Set yaw and pitch of a direction in a frame."""
        self.set_components(o, x, y, z)
        self.set_angles(self.right, self.ahead, self.up)

    def set_direction(self, o, yaw, pitch):
        """Set the unit vector of a yaw and pitch in a frame."""
        room = self.room
        flat = cos(pitch)
        right = -sin(yaw) * flat
        ahead = cos(yaw) * flat
        up = sin(pitch)
        self.dx = right * room[o] + ahead * room[o + 3] + up * room[o + 6]
        self.dy = right * room[o + 1] + ahead * room[o + 4] + up * room[o + 7]
        self.dz = right * room[o + 2] + ahead * room[o + 5] + up * room[o + 8]

    def set_turn(self, o, yaw, pitch, to_yaw, to_pitch):
        """Set the rotation from one gaze to another that stays level.

        Args:
            o: Offset of the frame of the angles.
            yaw, pitch: The current gaze.
            to_yaw, to_pitch: The goal.
        """
        room = self.room
        level(room, TURN, to_yaw, to_pitch, 1.0)
        level(room, STEP, yaw, pitch, -1.0)
        # into the frame, level there, and back out
        mul(room, TURN, room, TURN, room, STEP)
        mul(room, TURN, room, o + 9, room, TURN)
        mul(room, TURN, room, TURN, room, o + 13)

    def track_target(self):
        """Set yaw and pitch of the target.

        The yaw continues beyond the back, up to ``SIDE``, so that the side stays.
        """
        self.set_eye()
        x = self.tx - self.ex
        y = self.ty - self.ey
        z = self.tz - self.ez
        eye = self.ex * self.ex + self.ey * self.ey + self.ez * self.ez
        # at the eye itself there is no direction
        if x * x + y * y + z * z < 1e-12 * eye:
            return
        self.set_angles_in(BODY, x, y, z)
        yaw = self.yaw
        before = self.seen_yaw
        if abs(yaw - before) > PI:
            beyond = yaw + (2.0 * PI if before > yaw else -2.0 * PI)
            if abs(beyond) < PI + SIDE:
                yaw = beyond
        self.seen_yaw = yaw
        self.seen_pitch = self.pitch

    def set_within(self):
        """Set the yaw and pitch within the limits that are nearest to the target."""
        yaw = self.seen_yaw
        pitch = self.seen_pitch
        steep = max(STEEP, self.room[LIMITS + 2 if pitch > 0.0 else LIMITS + 3])
        if abs(pitch) > steep:
            # straight above, yaw has no meaning: there it faces ahead
            yaw *= (0.5 * PI - abs(pitch)) / (0.5 * PI - steep)
        self.clamp(LIMITS, yaw, pitch, 0.0, 0.0)


def level(out, o, yaw, pitch, sign):
    """Write the rotation from straight ahead, first up, then to the side.

    Args:
        sign: 1; -1 for the inverse.
    """
    cy = cos(0.5 * yaw)
    sy = sin(0.5 * yaw)
    cp = cos(0.5 * pitch)
    sp = sin(0.5 * pitch)
    out[o] = cy * cp
    out[o + 1] = sign * cy * sp
    out[o + 2] = sign * sy * sp
    out[o + 3] = sign * sy * cp
