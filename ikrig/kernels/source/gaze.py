"""Joints that turn to a target, relative to the body, within limits, smoothly.

Directions are yaw to the left and pitch up [rad] in a frame of right, ahead
and up: of the body, which is the joint above the first one, or of the head.
"""

import cython

if not cython.compiled:
    from math import exp, sqrt

    from .angles import angles_of, sin_cos
    from .buffers import doubles, ints, pin
    from .matrices import square_up
    from .node_frame import NodeReader
    from .pose import net_of
    from .spring_damper import SpeedLimitedSpring, Spring
    from .vectors import by_rows, copy, in_rows, put

PI = 3.141592653589793
# time over which the animation's own pose is averaged [s]
AVERAGE_SECONDS = 1.0
# angle behind the back that a target must pass before the side changes [rad]
SIDE_MARGIN = 0.5
# pitch above which the yaw of a target counts less and less [rad]
STEEP_PITCH = 1.2
# attention that is no longer visible
INVISIBLE = 1e-4

# offsets in the workspace: frames (right, ahead, up) of the body on average, and of a
# joint; the inverse of the spine's turn, and two rotations; limits (left, right, up,
# down) of the gaze and of eyes; sines and cosines of two yaws and pitches
BODY = 0
FRAME = 9
LEANT = 18
ROTATION = 22
PART = 26
LIMITS = 30
EYES = 34
SINES = 38
# numbers of a joint's facing: right, ahead and up in its own space
FACING = 9

# an error beside those of ``NodeReader``
NO_POINTER = 3


class GazeKernel:
    """Turns joints to a target.

    Args:
        figure: The pose that they are joints of, a ``PoseKernel``.
        joints: Indices of those that turn.
        weights: Weight of each in the rotation; the sum is 1.
        body: Index of the joint above the first one; -1: the skeleton itself.
        facings: For each joint: right, ahead and up in its own space, ``FACING``
            numbers; first the body's.
    """

    def __init__(self, figure, joints, weights, body, facings):
        self.figure = figure
        self.count = len(joints)
        self.body = body
        self._pinned = pin((joints, weights, facings))
        self.joint = ints(joints)
        self.weight = doubles(weights)
        self.facing = doubles(facings)
        if not cython.compiled:
            self.workspace = [0.0] * 46
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
        work = self.workspace
        starts: cython.bint = not self.is_active
        if starts:
            self.set_frame(BODY, 0, self.body)
            square_up(work, BODY)
            self.begin()
        if self.dt != dt:
            # the same from frame to frame, and from member to member of a crowd
            self.dt = dt
            self.fraction = 1.0 - exp(-dt / AVERAGE_SECONDS)
        self.average(self.fraction)
        if has_target:
            self.track_target()
        self.hold_target()
        if starts:
            self.gaze.reset(self.yaw, self.pitch)
            self.is_active = 1
            if at_once:
                self.attention.reset(1.0)
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
        self.error = reader.read_place()
        if self.error != 0:
            return 0
        self.tx, self.ty, self.tz = reader.x, reader.y, reader.z
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
        """Update the body's average frame, which excludes quick movements."""
        work = self.workspace
        self.set_frame(FRAME, 0, self.body)
        for k in range(9):
            work[BODY + k] += (work[FRAME + k] - work[BODY + k]) * fraction
        square_up(work, BODY)

    def set_frame(self, o, facing, joint):
        """Set the frame of a joint, which is not square where that is sheared.

        Args:
            o: Offset of the frame.
            facing: Index of its facing.
            joint: The joint; -1: the skeleton itself.
        """
        work = self.workspace
        a = self.facing
        f = FACING * facing
        if joint < 0:
            copy(work, o, a, f, 9)
            return
        net = self.figure.net
        n = net_of(self.figure, joint)
        for _ in range(3):
            x, y, z = by_rows(net, n, a[f], a[f + 1], a[f + 2])
            put(work, o, x, y, z)
            f += 3
            o += 3

    def find_angles(self, o, x, y, z):
        """Set yaw and pitch of a direction in a frame."""
        x, y, z = in_rows(self.workspace, o, x, y, z)
        self.set_angles(x, y, z)

    def set_angles(self, right, ahead, up):
        """Set yaw and pitch of a direction."""
        work = self.workspace
        flat = sqrt(right * right + ahead * ahead)
        angles_of(work, SINES, -right, ahead, up, flat)
        self.yaw = work[SINES]
        self.pitch = work[SINES + 1]

    def find_direction(self, o, yaw, pitch):
        """Set the unit vector of a yaw and pitch in a frame."""
        work = self.workspace
        sin_cos(work, SINES, yaw, pitch)
        sy, sp, cy, cp = work[SINES], work[SINES + 1], work[SINES + 2], work[SINES + 3]
        self.dx, self.dy, self.dz = by_rows(work, o, -sy * cp, cy * cp, sp)

    def track_target(self):
        """Set yaw and pitch of the target.

        Behind the back yaw continues, up to ``SIDE_MARGIN``, so that the side stays.
        """
        self.set_eye()
        x, y, z = self.tx - self.ex, self.ty - self.ey, self.tz - self.ez
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
