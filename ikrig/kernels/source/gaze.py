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

if not cython.compiled:
    from math import exp, sqrt

    from .angles import angle_of, sin_cos
    from .buffers import doubles, ints, pin
    from .matrices import from_rows, square_up
    from .node_frame import NodeReader
    from .spring_damper import SpeedLimitedSpring, Spring

COMPILED = cython.compiled

PI = 3.141592653589793
# time over which the animation's own pose is averaged [s]
AVERAGE_SECONDS = 1.0
# angle behind the back that a target must pass before the side changes [rad]
SIDE_MARGIN = 0.5
# pitch above which the yaw of a target counts less and less [rad]
STEEP_PITCH = 1.2
# attention that is no longer visible
INVISIBLE = 1e-4

# offsets in the workspace: frames (right, ahead, up, then their rotation), rotations,
# limits (left, right, up, down) of the gaze and of eyes, axes, the inverse of the
# spine's turn, and sines
BODY = 0
HEAD = 13
ROTATION = 26
PART = 30
INVERSE = 34
LIMITS = 38
EYES = 42
AXES = 46
LEANT = 55
SINES = 59
WORKSPACE_SIZE = 63
# numbers of a joint's facing, see ``set_frame``
FACING = 21

# an error beside those of ``NodeReader``
NO_POINTER = 3


class GazeKernel:
    """Turns joints to a target.

    Args:
        figure: The pose that they are joints of, a ``PoseKernel``.
        joints: Indices of those that turn.
        weights: Weight of each in the rotation; the sum is 1.
        body: Index of the joint above the first one; -1: the skeleton itself.
        facings: For each joint: the inverse of the rest pose's axes, rows right, ahead
            and up in the skeleton's space, and ahead in the joint's own: 21 numbers;
            first the body's.
        workspace: Buffer of ``WORKSPACE_SIZE`` numbers.
    """

    def __init__(self, figure, joints, weights, body, facings, workspace):
        self.figure = figure
        self.count = len(joints)
        self.body = body
        buffers = {
            "j": joints,
            "weights": weights,
            "facings": facings,
            "workspace": workspace,
        }
        self._pinned = pin(buffers)
        self.joint = ints(joints)
        self.weight = doubles(weights)
        self.facing = doubles(facings)
        self.workspace = doubles(workspace)
        self.attention = Spring()
        self.gaze = SpeedLimitedSpring()
        self.target = None
        self.error = 0
        self.dt = self.fraction = 0.0
        self.reset()

    def reset(self):
        """Discard the state, so that the next frame starts anew."""
        self.forget()

    def forget(self):
        """Discard the state, by kernels."""
        self.attention.reset(0.0)
        self.target_yaw = self.target_pitch = 0.0
        self.yaw = self.pitch = 0.0
        self.is_active = 0

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
            0, or the error: the target is ``REMOVED``, its position is ``NOT_FINITE``,
            or there is ``NO_POINTER``.
        """
        has_target = self.read_target()
        self.store_limits(LIMITS, limits)
        if self.prepare(has_target, seconds, speed, at_once, dt):
            self.turn(has_target, weight * self.attention.value, seconds, dt)
            self.check()
        return self.error

    def prepare(self, has_target, seconds, speed, at_once, dt):
        """Advance the gaze by a frame; return whether joints turn at all.

        Args:
            has_target: Whether there is a target.
            seconds, speed, at_once, dt: As for ``step``.
        """
        self.attention.step(1.0 if has_target else 0.0, seconds, dt)
        if not has_target and self.attention.value < INVISIBLE:
            self.forget()
        if not has_target and not self.is_active:
            return False
        if not self.is_active:
            self.set_body()
            self.begin()
            self.track_target()
            self.hold_target()
            self.gaze.reset(self.yaw, self.pitch)
            self.is_active = 1
            if at_once:
                self.attention.reset(1.0)
        if self.dt != dt:
            # the same from frame to frame, and from member to member of a crowd
            self.dt = dt
            self.fraction = 1.0 - exp(-dt / AVERAGE_SECONDS)
        self.average(self.fraction)
        if has_target:
            self.track_target()
        self.hold_target()
        self.gaze.step(self.yaw, self.pitch, seconds, speed, dt)
        return True

    def check(self):
        """Discard a state that is not finite: poses can contain a NaN, for a frame."""
        if not abs(self.state_sum()) < 1e300:
            self.forget()

    def read_target(self):
        """Return whether there is a target, and store its position."""
        self.error = 0
        if self.target is None:
            return 0
        reader: NodeReader = self.target
        state = reader.read_finite()
        self.error = reader.error
        if state is None:
            return 0
        pos = state.pos
        self.tx = pos[0]
        self.ty = pos[1]
        self.tz = pos[2]
        return 1

    def store_limits(self, o, limits):
        """Store ``LookLimits``: those of the gaze or of the eyes."""
        work = self.workspace
        work[o] = limits.left
        work[o + 1] = limits.right
        work[o + 2] = limits.up
        work[o + 3] = limits.down

    def hold(self, o, yaw, pitch, middle_yaw, middle_pitch):
        """Set the nearest angles within limits, which are relative to a middle."""
        work = self.workspace
        yaw -= middle_yaw
        pitch -= middle_pitch
        self.yaw = middle_yaw + max(-work[o + 1], min(work[o], yaw))
        self.pitch = middle_pitch + max(-work[o + 3], min(work[o + 2], pitch))

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
        total = self.gaze.along.value + self.gaze.along.speed + self.gaze.aside.value
        total += self.gaze.aside.speed + self.target_yaw + self.target_pitch
        for i in range(9):
            total += self.workspace[BODY + i]
        return total

    def average(self, fraction):
        """Update the body's average rotation, which excludes quick movements."""
        work = self.workspace
        w = work[9]
        x = work[10]
        y = work[11]
        z = work[12]
        self.set_body()
        # a quaternion with the opposite sign is the same rotation
        if w * work[9] + x * work[10] + y * work[11] + z * work[12] < 0.0:
            w = -w
            x = -x
            y = -y
            z = -z
        w += (work[9] - w) * fraction
        x += (work[10] - x) * fraction
        y += (work[11] - y) * fraction
        z += (work[12] - z) * fraction
        size = sqrt(w * w + x * x + y * y + z * z)
        if size > 0.0:
            work[9] = w / size
            work[10] = x / size
            work[11] = y / size
            work[12] = z / size
        w, x, y, z = work[9], work[10], work[11], work[12]
        work[0] = 1.0 - 2.0 * (y * y + z * z)
        work[1] = 2.0 * (x * y + w * z)
        work[2] = 2.0 * (x * z - w * y)
        work[3] = 2.0 * (x * y - w * z)
        work[4] = 1.0 - 2.0 * (x * x + z * z)
        work[5] = 2.0 * (y * z + w * x)
        work[6] = 2.0 * (x * z + w * y)
        work[7] = 2.0 * (y * z - w * x)
        work[8] = 1.0 - 2.0 * (x * x + y * y)

    def set_body(self):
        """Set the frame of the body, and its rotation."""
        self.set_frame(BODY, 0, self.body)
        from_rows(self.workspace, 9, self.workspace, 0)

    def set_frame(self, o, facing, joint):
        """Set the frame of a joint: right, ahead and up.

        Args:
            o: Offset of the frame.
            facing: Index of its facing.
            joint: The joint; -1: the skeleton itself.
        """
        work = self.workspace
        a = self.facing
        f = FACING * facing
        net = self.figure.net
        n = self.figure.at(joint) if joint >= 0 else 0
        # the current axes of the rest pose, squared up
        for i in range(3):
            x = a[f + 3 * i]
            y = a[f + 3 * i + 1]
            z = a[f + 3 * i + 2]
            for k in range(3):
                if joint >= 0:
                    work[AXES + 3 * i + k] = (
                        x * net[n + k] + y * net[n + 3 + k] + z * net[n + 6 + k]
                    )
                else:
                    work[AXES + 3 * i + k] = a[f + 3 * i + k]
        square_up(work, AXES)
        for i in range(3):
            b = f + 9 + 3 * i
            for k in range(3):
                work[o + 3 * i + k] = (
                    a[b] * work[AXES + k]
                    + a[b + 1] * work[AXES + 3 + k]
                    + a[b + 2] * work[AXES + 6 + k]
                )

    def set_components(self, o, x, y, z):
        """Set the components of a vector in a frame: right, ahead and up."""
        work = self.workspace
        self.right = x * work[o] + y * work[o + 1] + z * work[o + 2]
        self.ahead = x * work[o + 3] + y * work[o + 4] + z * work[o + 5]
        self.up = x * work[o + 6] + y * work[o + 7] + z * work[o + 8]

    def set_angles(self, right, ahead, up):
        """Set yaw and pitch of a direction."""
        self.yaw = angle_of(-right, ahead)
        self.pitch = angle_of(up, sqrt(right * right + ahead * ahead))

    def find_angles(self, o, x, y, z):
        """Set yaw and pitch of a direction in a frame."""
        self.set_components(o, x, y, z)
        self.set_angles(self.right, self.ahead, self.up)

    def find_direction(self, o, yaw, pitch):
        """Set the unit vector of a yaw and pitch in a frame."""
        work = self.workspace
        sin_cos(work, SINES, yaw, pitch)
        flat = work[SINES + 3]
        right = -work[SINES] * flat
        ahead = work[SINES + 2] * flat
        up = work[SINES + 1]
        self.dx = right * work[o] + ahead * work[o + 3] + up * work[o + 6]
        self.dy = right * work[o + 1] + ahead * work[o + 4] + up * work[o + 7]
        self.dz = right * work[o + 2] + ahead * work[o + 5] + up * work[o + 8]

    def find_gaze_rotation(self, o, yaw, pitch, to_yaw, to_pitch):
        """Set the rotation from one gaze to another that stays level.

        Args:
            o: Offset of the frame of the angles.
            yaw, pitch: The current gaze.
            to_yaw, to_pitch: The goal.
        """
        work = self.workspace
        level(work, ROTATION, to_yaw, to_pitch, 1.0)
        level(work, PART, yaw, pitch, -1.0)
        product(work, ROTATION, ROTATION, PART)
        leave(work, ROTATION, ROTATION, o)

    def track_target(self):
        """Set yaw and pitch of the target.

        Behind the back yaw continues, up to ``SIDE_MARGIN``, so that the side stays.
        """
        self.set_eye()
        x = self.tx - self.ex
        y = self.ty - self.ey
        z = self.tz - self.ez
        eye = self.ex * self.ex + self.ey * self.ey + self.ez * self.ez
        # at the eye itself there is no direction
        if x * x + y * y + z * z < 1e-12 * eye:
            return
        self.find_angles(BODY, x, y, z)
        yaw = self.yaw
        before = self.target_yaw
        if abs(yaw - before) > PI:
            beyond = yaw + (2.0 * PI if before > yaw else -2.0 * PI)
            if abs(beyond) < PI + SIDE_MARGIN:
                yaw = beyond
        self.target_yaw = yaw
        self.target_pitch = self.pitch

    def hold_target(self):
        """Set the yaw and pitch within the limits that are nearest to the target."""
        yaw = self.target_yaw
        pitch = self.target_pitch
        steep = max(
            STEEP_PITCH, self.workspace[LIMITS + 2 if pitch > 0.0 else LIMITS + 3]
        )
        if abs(pitch) > steep:
            # straight above, yaw has no meaning: there it faces ahead
            yaw *= (0.5 * PI - abs(pitch)) / (0.5 * PI - steep)
        self.hold(LIMITS, yaw, pitch, 0.0, 0.0)


def level(out, o, yaw, pitch, sign):
    """Write the rotation from straight ahead, first up, then to the side.

    Args:
        sign: 1; -1 for the inverse.
    """
    sin_cos(out, o, 0.5 * yaw, 0.5 * pitch)
    sy, sp, cy, cp = out[o], out[o + 1], out[o + 2], out[o + 3]
    out[o] = cy * cp
    out[o + 1] = sign * cy * sp
    out[o + 2] = sign * sy * sp
    out[o + 3] = sign * sy * cp


def product(work, o, a, b):
    """Write a product of rotations, which may be one of them; not normalised.

    All that is a product of a few unit quaternions, made anew in each frame, is one.
    """
    aw, ax, ay, az = work[a], work[a + 1], work[a + 2], work[a + 3]
    bw, bx, by, bz = work[b], work[b + 1], work[b + 2], work[b + 3]
    work[o] = aw * bw - ax * bx - ay * by - az * bz
    work[o + 1] = aw * bx + ax * bw + ay * bz - az * by
    work[o + 2] = aw * by - ax * bz + ay * bw + az * bx
    work[o + 3] = aw * bz + ax * by - ay * bx + az * bw


def enter(work, o, q, f):
    """Write a rotation of the skeleton's space as one in a frame."""
    x, y, z = work[q + 1], work[q + 2], work[q + 3]
    work[o] = work[q]
    for k in range(3):
        i = f + 3 * k
        work[o + 1 + k] = x * work[i] + y * work[i + 1] + z * work[i + 2]


def leave(work, o, q, f):
    """Write a rotation in a frame as one of the skeleton's space."""
    x, y, z = work[q + 1], work[q + 2], work[q + 3]
    work[o] = work[q]
    for k in range(3):
        i = f + k
        work[o + 1 + k] = x * work[i] + y * work[i + 3] + z * work[i + 6]
