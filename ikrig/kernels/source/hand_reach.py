# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The goal of a hand that reaches for a target, and the lean of the upper body."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import acos, atan2, exp, sin, sqrt

    from .buffers import doubles, ints, pin
    from .matrices import from_rows, square_up
    from .node_frame import NodeReader
    from .pose import part_from_to
    from .quat_ops import conj_mul, log_rotation, mul, rotate_vec, rotation_vector
    from .spring_damper import Spring

COMPILED = cython.compiled

# speed above which a rotation counts as jumping [rad/s]
JUMP_RATE = 20.0
# fraction of the arm's length up to which the arm reaches alone
EASY_REACH = 0.8
# fraction that it approaches while the upper body leans
MAX_REACH = 0.93
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
        self._pinned = pin({"buffer": buffer})
        self.pose = doubles(buffer)
        # the remaining offset of a jump: x, y, z and a rotation vector
        self.offsets = [Spring() for _ in range(6)]

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
        x = pose[7] - pose[14]
        y = pose[8] - pose[15]
        z = pose[9] - pose[16]
        conj_mul(pose, 21, pose, 17, pose, 10)
        angle = log_rotation(pose, 22, pose, 21)
        far = sqrt(x * x + y * y + z * z)
        if not carried and (far > max_speed * dt or angle > JUMP_RATE * dt):
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


class ReachKernel:
    """An arm that reaches for a target, and the spine that leans towards it.

    Args:
        figure: The pose that they are joints of, a ``PoseKernel``.
        arm: Indices of the arm's joints, from its first one to the hand.
        spine: Indices of the joints that lean.
        weights: Each one's fraction of the lean.
        hold_pose: A ``PoseHold``.
        pose: Its buffer.
        matrix: One matrix of the engine, and a view of it as 16 flat numbers.
        workspace: Scratch buffer of 13.
    """

    def __init__(self, figure, arm, spine, weights, hold_pose, pose, matrix, workspace):
        self.figure = figure
        self.arm_count = len(arm)
        self.spine_count = len(spine)
        buffers = {"arm": arm, "spine": spine, "weights": weights, "pose": pose}
        self._pinned = pin({**buffers, "workspace": workspace})
        self.arm = ints(arm)
        self.spine = ints(spine)
        self.weight = doubles(weights)
        self.hold = hold_pose
        self.pose = doubles(pose)
        self.mat, self.numbers = matrix
        self.workspace = doubles(workspace)
        self.amount = Spring()
        self.target = None
        # whether only the body's own motion has moved the target
        self.carried = 0
        self.error = 0
        self.length = self.away = 0.0
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.has_pose = 0
        self.has_leant = 0
        self.amount.reset(0.0)

    def step(self, radius, bend, seconds, at_once, dt):
        """Find the goal of the hand and the weight of the reach.

        Args:
            radius: Distance at which a target is released; below 0: as a multiple of
                the reach, negated.
            bend: Maximum lean of the upper body [rad].
            seconds: Settling time at a new target [s].
            at_once: Whether the hand is at the target in the first frame.
            dt: Time since the last frame [s].

        Returns:
            Whether there is anything to reach for: ``pose`` then has the goal and
            ``reach_weight`` returns the weight. ``error`` is 0, ``REMOVED`` when the
            target is not in the scene, or ``NOT_FINITE`` when its position is.
        """
        if not self.has_leant:
            self.measure()
            # the distance is that before the upper body leans
            self.set_shoulder()
        self.has_leant = 0
        goal_weight = self.away = 0.0
        if self.read_target():
            if not self.has_pose:
                self.hold.start()
                self.has_pose = 1
            self.hold.step(JUMP_SPEED * self.length, self.carried, seconds, dt)
            pose = self.pose
            goal_weight = self.weight_for(pose[0], pose[1], pose[2], radius, bend)
            if at_once:
                self.amount.reset(goal_weight)
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

    def lean(self, radius, bend, weight, at_once):
        """Rotate the spine towards the last goal; the arm closes the rest.

        Args:
            radius, bend, at_once: As for ``step``.
            weight: Factor of the lean, 0 to 1.
        """
        self.measure()
        self.set_shoulder()
        self.has_leant = 1
        pose = self.pose
        if self.has_pose:
            factor = weight * self.reach_weight()
            self.lean_to(pose[0], pose[1], pose[2], bend, factor)
        elif at_once and self.read_target():
            # the first frame: at once, as for the arm
            factor = weight * self.weight_for(pose[7], pose[8], pose[9], radius, bend)
            self.lean_to(pose[7], pose[8], pose[9], bend, factor)
        return 0

    def read_target(self):
        """Read the target's pose; return whether there is one."""
        self.error = 0
        if self.target is None:
            return 0
        reader: NodeReader = self.target
        state = reader.read_finite()
        self.error = reader.error
        if state is None:
            return 0
        self.mat[0] = state.mat
        m = self.numbers
        work = self.workspace
        for i in range(3):
            self.pose[7 + i] = m[12 + i]
            for k in range(3):
                work[3 * i + k] = m[4 * i + k]
        square_up(work, 0)
        from_rows(self.pose, 10, work, 0)
        return 1

    def measure(self):
        """Set the length of the arm."""
        self.length = 0.0
        for i in range(1, self.arm_count):
            self.length += self.distance(self.arm[i - 1], self.arm[i])

    def distance(self, i, j):
        """Return the distance between two joints."""
        net = self.figure.net
        i = self.figure.at(i) + 9
        j = self.figure.at(j) + 9
        x = net[j] - net[i]
        y = net[j + 1] - net[i + 1]
        z = net[j + 2] - net[i + 2]
        return sqrt(x * x + y * y + z * z)

    def set_shoulder(self):
        """Store the position of the arm's first joint."""
        net = self.figure.net
        o = self.figure.at(self.arm[0]) + 9
        self.sx = net[o]
        self.sy = net[o + 1]
        self.sz = net[o + 2]

    def weight_for(self, x, y, z, radius, bend):
        """Return the weight of the reach for a target at a position, 0 to 1."""
        reach = self.reach(bend)
        if radius < 0.0:
            radius *= -reach
        x -= self.sx
        y -= self.sy
        z -= self.sz
        self.away = sqrt(x * x + y * y + z * z)
        if not self.away < radius:
            return 0.0
        reach = min(reach, 0.98 * radius)
        fraction = max(0.0, min(1.0, (radius - self.away) / (radius - reach)))
        return fraction * fraction * (3.0 - 2.0 * fraction)

    def reach(self, bend):
        """Return the distance at which arm and lean just get the hand to a target."""
        reach = self.length
        if self.spine_count > 0:
            lever = self.distance(self.spine[0], self.arm[0])
            reach += 2.0 * lever * sin(0.5 * bend)
        return reach

    def read_reach(self, bend):
        """Read the joints, and return ``reach``."""
        self.measure()
        return self.reach(bend)

    def lean_to(self, x, y, z, max_angle, factor):
        """Rotate the spine so that the arm's first joint is near enough to a goal.

        By the law of cosines, for each joint in the triangle of that joint, the arm's
        first one and the goal.

        Args:
            x, y, z: The goal.
            max_angle: Maximum rotation of the spine [rad].
            factor: Factor of the lean, 0 to 1.
        """
        arm = self.length
        net = self.figure.net
        q = self.workspace
        first = self.figure.at(self.arm[0]) + 9
        dx = x - net[first]
        dy = y - net[first + 1]
        dz = z - net[first + 2]
        distance = sqrt(dx * dx + dy * dy + dz * dz)
        easy_reach = EASY_REACH * arm
        max_reach = MAX_REACH * arm
        # an arm scaled to 0 has no reach
        if not distance > easy_reach or not max_reach > easy_reach:
            return
        reach = max_reach - (max_reach - easy_reach) * exp(
            (easy_reach - distance) / (max_reach - easy_reach)
        )
        remaining = 1.0
        # the lowest joint comes last: it moves the arm most, and closes the rest
        for k in range(self.spine_count):
            s = self.spine_count - 1 - k
            fraction = self.weight[s]
            o = self.figure.at(self.spine[s]) + 9
            first = self.figure.at(self.arm[0]) + 9
            px = net[o]
            py = net[o + 1]
            pz = net[o + 2]
            lx = net[first] - px
            ly = net[first + 1] - py
            lz = net[first + 2] - pz
            dx = x - px
            dy = y - py
            dz = z - pz
            a = sqrt(lx * lx + ly * ly + lz * lz)
            b = sqrt(dx * dx + dy * dy + dz * dz)
            if fraction > 0.0 and a > 1e-6 * arm and b > 1e-6 * arm:
                cosine = (a * a + b * b - reach * reach) / (2.0 * a * b)
                cx = ly * dz - lz * dy
                cy = lz * dx - lx * dz
                cz = lx * dy - ly * dx
                angle = atan2(
                    sqrt(cx * cx + cy * cy + cz * cz), lx * dx + ly * dy + lz * dz
                )
                needed = max(0.0, angle - acos(max(-1.0, min(1.0, cosine))))
                part = min(
                    max_angle * fraction / remaining, needed * fraction / remaining
                )
                if part > 0.0:
                    part_from_to(q, 9, lx, ly, lz, dx, dy, dz, factor * part / angle)
                    self.figure.rotate(self.spine[s], q[9], q[10], q[11], q[12])
                max_angle -= part
            remaining -= fraction
