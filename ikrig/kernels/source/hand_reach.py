"""The goal of a hand that reaches for a target."""

import cython

if not cython.compiled:
    from .buffers import doubles, ints, pin
    from .node_frame import NodeReader
    from .quat_ops import conj_mul, log_rotation, mul, rotate_vec, rotation_vector
    from .spring_damper import Spring
    from .vectors import between, distance, norm3, three

# speed above which a rotation counts as jumping [rad/s]
JUMP_RATE = 20.0
# speed above which a target counts as jumping [lengths of the arm/s]
JUMP_SPEED = 10.0
# weight of a reach that is not visible, and the one from which on it counts as 1: a
# chain's weight is expensive to set, and a spring approaches 1 forever
INVISIBLE = 1e-4
FULL = 1.0 - 1e-6


class PoseHold:
    """A pose that follows a goal pose exactly, and smoothly where that one jumps.

    Args:
        buffer: 25 numbers: position and rotation (w x y z) of the pose, of the goal and
            of the last frame's goal; then 4 of scratch.
    """

    def __init__(self, buffer):
        self._pinned = pin((buffer,))
        self.pose = doubles(buffer)
        # the remaining offset of a jump: x, y, z and a rotation vector
        self.offsets = [Spring() for _ in range(6)]
        # whether the goal has jumped in this frame
        self.jumped = False

    def start(self):
        """Set the pose to the goal."""
        pose = self.pose
        for i in range(7):
            pose[i] = pose[14 + i] = pose[7 + i]
        for part in self.offsets:
            spring: Spring = part
            spring.reset(0.0)

    def step(self, max_speed, carried, seconds, dt):
        """Follow the goal for one frame.

        Args:
            max_speed: Speed above which a motion counts as a jump [unit/s].
            carried: Whether the body itself has moved the goal, which never jumps then.
            seconds: Settling time of a jump [s].
            dt: Time since the last frame [s].
        """
        pose = self.pose
        offsets = self.offsets
        spring: Spring
        x, y, z = between(pose, 14, pose, 7)
        conj_mul(pose, 21, pose, 17, pose, 10)
        angle = log_rotation(pose, 22, pose, 21)
        far = norm3(x, y, z)
        self.jumped = not carried and (far > max_speed * dt or angle > JUMP_RATE * dt)
        if self.jumped:
            conj_mul(pose, 21, pose, 10, pose, 3)
            log_rotation(pose, 22, pose, 21)
            for i in range(3):
                spring = offsets[i]
                spring.value = pose[i] - pose[7 + i]
                spring = offsets[3 + i]
                spring.value = pose[22 + i]
        for i in range(6):
            spring = offsets[i]
            spring.step(0.0, seconds, dt)
            pose[14 + i] = spring.value
        for i in range(3):
            pose[i] = pose[7 + i] + pose[14 + i]
        rotation_vector(pose, 21, pose[17], pose[18], pose[19])
        mul(pose, 3, pose, 10, pose, 21)
        for i in range(7):
            pose[14 + i] = pose[7 + i]

    def settling(self, axis, dt):
        """Return how much what is left of a jump changes in a frame, along an axis."""
        spring: Spring = self.offsets[axis]
        most = abs(spring.value)
        return max(-most, min(most, dt * spring.speed))


class ReachKernel:
    """An arm that reaches for a target.

    Args:
        figure: The pose that they are joints of, a ``PoseKernel``.
        arm: Indices of the arm's joints, from its first one to the hand.
        hold_pose: A ``PoseHold``.
        pose: Its buffer.
        matrix: One matrix of the engine, and a view of it as 16 flat numbers.
    """

    def __init__(self, figure, arm, hold_pose, pose, matrix):
        self.figure = figure
        self.arm_count = len(arm)
        self._pinned = pin((arm, pose))
        self.arm = ints(arm)
        self.hold = hold_pose
        self.pose = doubles(pose)
        self.mat, self.numbers = matrix
        if not cython.compiled:
            self.workspace = [0.0] * 9
        self.amount = Spring()
        self.target = None
        # whether only the body's own motion has moved the target
        self.carried = 0
        self.error = 0
        self.length = self.away = 0.0
        # how far the body brings the arm besides
        self.help = 0.0
        # where the body is to lead the hand; the target's place when that was found,
        # and how far it moved after that in the last frame
        self.led_x = self.led_y = self.led_z = 0.0
        self.seen_x = self.seen_y = self.seen_z = 0.0
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.has_pose = 0
        self.is_measured = 0
        self.is_seen = 0
        self.late_x = self.late_y = self.late_z = 0.0
        self.amount.reset(0.0)

    def step(self, radius, seconds, at_once, dt):
        """Find the goal of the hand and the weight of the reach.

        Args:
            radius: Distance at which a target is released; below 0: as a multiple of
                the reach, negated.
            seconds: Settling time at a new target [s].
            at_once: Whether the hand is at the target in the first frame.
            dt: Time since the last frame [s].

        Returns:
            Whether there is anything to reach for: ``pose`` then has the goal and
            ``reach_weight`` returns the weight. ``error`` is 0, ``REMOVED`` when the
            target is not in the scene, or ``NOT_FINITE`` when its position is.
        """
        if not self.is_measured:
            self.measure()
        self.is_measured = 0
        goal_weight = self.away = 0.0
        if self.read_target():
            self.late_x = self.late_y = self.late_z = 0.0
            if self.is_seen:
                self.late_x = self.pose[7] - self.seen_x
                self.late_y = self.pose[8] - self.seen_y
                self.late_z = self.pose[9] - self.seen_z
            if not self.has_pose:
                self.hold.start()
                self.has_pose = 1
            self.hold.step(JUMP_SPEED * self.length, self.carried, seconds, dt)
            pose = self.pose
            goal_weight = self.weight_for(pose[0], pose[1], pose[2], radius)
            if at_once:
                self.amount.reset(goal_weight)
        self.is_seen = 0
        self.amount.step(goal_weight, seconds, dt)
        total = self.amount.value + self.amount.speed
        for i in range(7):
            total += self.pose[i]
        if not self.has_pose or max(goal_weight, self.amount.value) < INVISIBLE:
            return False
        # NaN fails this comparison
        return abs(total) < 1e300

    def place(self, node, make):
        """Set a node's transform to ``pose``; return 0.

        Args:
            node: A child of the skeleton's node.
            make: Returns a node's transform for a matrix.
        """
        pose = self.pose
        work = self.workspace
        m = self.numbers
        rotate_vec(work, 0, pose, 3, 1.0, 0.0, 0.0)
        rotate_vec(work, 3, pose, 3, 0.0, 1.0, 0.0)
        rotate_vec(work, 6, pose, 3, 0.0, 0.0, 1.0)
        for i in range(3):
            for k in range(3):
                m[4 * i + k] = work[3 * i + k]
            m[4 * i + 3] = 0.0
            m[12 + i] = pose[i]
        m[15] = 1.0
        node.transform = make(self.mat[0])
        return 0

    def reach_weight(self):
        """Return the weight of the reach, 0 to 1."""
        value = self.amount.value
        return 1.0 if value > FULL else max(0.0, value)

    def lead(self, radius, at_once, dt):
        """Find where the hand will be led, before the body helps, which moves the arm.

        Writes it to ``led_x``, ``led_y``, ``led_z``.

        Args:
            radius, at_once, dt: As for ``step``.

        Returns:
            The weight of the reach: that of the last frame, or in the first one that of
            this frame.
        """
        self.measure()
        self.is_measured = 1
        pose = self.pose
        weight = self.reach_weight() if self.has_pose else 0.0
        o = 0
        x = y = z = 0.0
        if (self.has_pose or at_once) and self.read_target():
            sx, sy, sz = three(pose, 7)
            if self.has_pose:
                # what moves the target after this did so in the last frame, too
                x = sx + self.late_x - pose[14]
                y = sy + self.late_y - pose[15]
                z = sz + self.late_z - pose[16]
                if norm3(x, y, z) > JUMP_SPEED * self.length * dt and not self.carried:
                    x = y = z = 0.0
                x += self.hold.settling(0, dt)
                y += self.hold.settling(1, dt)
                z += self.hold.settling(2, dt)
            else:
                o = 7
                weight = self.weight_for(sx, sy, sz, radius)
            self.seen_x, self.seen_y, self.seen_z = sx, sy, sz
            self.is_seen = 1
        self.led_x, self.led_y, self.led_z = (
            x + pose[o],
            y + pose[o + 1],
            z + pose[o + 2],
        )
        return weight

    def read_target(self):
        """Read the target's pose; return whether there is one."""
        self.error = 0
        if self.target is None:
            return 0
        reader: NodeReader = self.target
        self.error = reader.read_pose(self.mat, self.numbers, self.pose, 7)
        return 1 if self.error == 0 else 0

    def measure(self):
        """Store the length of the arm, and where its first joint is."""
        net = self.figure.net
        self.length = 0.0
        for i in range(1, self.arm_count):
            a = self.figure.at(self.arm[i - 1]) + 9
            b = self.figure.at(self.arm[i]) + 9
            self.length += distance(net, a, net, b)
        a = self.figure.at(self.arm[0]) + 9
        self.x, self.y, self.z = three(net, a)

    def weight_for(self, x, y, z, radius):
        """Return the weight of the reach for a target at a position, 0 to 1."""
        reach = self.length + self.help
        if radius < 0.0:
            radius *= -reach
        x, y, z = x - self.x, y - self.y, z - self.z
        self.away = norm3(x, y, z)
        if not self.away < radius:
            return 0.0
        reach = min(reach, 0.98 * radius)
        fraction = max(0.0, min(1.0, (radius - self.away) / (radius - reach)))
        return fraction * fraction * (3.0 - 2.0 * fraction)

    def read_reach(self):
        """Read the joints; return how far away the hand just gets to a target."""
        self.measure()
        return self.length + self.help
