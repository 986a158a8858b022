"""The goals of a body's ends, and the hips' own for hands that reach down."""

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, ints, pin
    from .node_frame import NodeReader
    from .quat_ops import mul, rotate_row, rotation_vector, unit
    from .vectors import add3, add_to, between, copy, cross, distance, put, three

# per joint in ``now``: rotation in the parent's space, animated and now; offset from
# the parent, in the parent's axes; rotation and position in the skeleton's space;
# animated angles from the joint's middle; rotation in the skeleton's space, animated
# but for the last frame's deviations; rotation in the parent's space that was found;
# the last frame's deviation about its axes; position where START is
NOW = 35
LOCAL = 4
OFFSET = 8
ROTATION = 11
PLACE = 15
ANGLES = 18
START = 21
FOUND = 25
HAD = 29
STARTED = 32
# per goal: position, rotation w x y z, weight, weight of the rotation, pull, pole and
# its weight; position and rotation beside the joint that carries it; position,
# rotation and weights of the last frame; whether it is out of reach and the way there
# is made in steps; pull of a hand for which hips come down, above 0
GOAL = 32
TURN = 3
WEIGHT = 7
TURN_WEIGHT = 8
STRENGTH = 9
POLE = 10
POLED = 13
HELD = 14
HELD_TURN = 17
LAST = 21
MISSED = 30
REACHING = 31
# numbers of a goal that count in the next frame, from LAST on
KEPT = 10

EXACT = 3e-4
"""Deviation of a goal's position, as a fraction of the size."""
CLOSE = 0.1
"""How near to an arm's length a hand below the shoulder is when the hips begin to come
down for it, as a fraction of the figure's size."""
LOWERS = 0.55
"""How far hips come down for a hand that is lower: as a fraction of how far it is."""
BACK = 0.5
"""How far back they go then / how far down."""
TILTS = 3.5
"""And how they tilt / figure's size [rad]."""
BALANCE = 0.4
"""How far back hips go / how far a hand that is not high is out of reach, so that the
weight stays above the feet."""
BOWS = 3.0
"""How far they tilt then / figure's size [rad]."""
MOST_TILT = 1.2
"""The largest tilt of both [rad]."""
BESIDE = 0.15
"""How far beside its shoulder a hand is when hips go and tilt wholly, as a fraction of
the size: below and behind it the direction turns fast."""
CROUCHES = 0.85
"""Weight of that."""
DEEP = 0.25
"""How far down it has that weight / figure's size."""
SOON = 0.1
"""How far out of reach it has that weight / figure's size."""
HIGH = 0.05
"""How far above its reach a hand may be, as a fraction of the size, until trunk and
shoulder stretch for it."""
STRETCHED = 3.5
"""How much more it then wins against them."""


class BodyGoals:
    """Where a body's ends are to be, and how much each goal counts.

    Args:
        ends: The joint of each goal, by its place among the body's joints.
        limbs: Five numbers for each limb of two bones: first joint, knee, end, the
            place after all that hang on the first one, and the goal.
        settings: The figure's size and its vertical, 4 numbers.
        now: Buffer of the body's joints, NOW m.
        goals: Buffer of GOAL numbers a goal.
        carriers: For each goal the joint that carries it, or -1.
        matrix: One of an engine's matrices, and the same memory as 16 numbers; None
            without an engine.
    """

    def __init__(self, ends, limbs, settings, now, goals, carriers, matrix):
        self.count = len(ends)
        self.limb_count = len(limbs) // 5
        self.mat, self.numbers = matrix if matrix else (None, None)
        self._pinned = pin((ends, limbs, settings, now, goals, carriers))
        self.end = ints(ends)
        self.limb = ints(limbs)
        self.settings = doubles(settings)
        self.now = doubles(now)
        # scratch, which all kernels of a body share
        if not cython.compiled:
            self.work = [0.0] * 64
        self.goal = doubles(goals)
        self.carrier = ints(carriers)
        # the goal of hips that only ``crouch`` sets
        self.derived = -1

    def take(self, g, reader):
        """Set a goal to a node's position and rotation.

        Returns:
            0; else the error of ``NodeReader``.
        """
        target: NodeReader = reader
        return target.read_pose(self.mat, self.numbers, self.goal, GOAL * g)

    def take_pole(self, g, reader):
        """Set a goal's pole to a node's position; return 0 or the error."""
        target: NodeReader = reader
        if target.read_place() == 0:
            put(self.goal, GOAL * g + POLE, target.x, target.y, target.z)
        return target.error

    def pin(self, g):
        """Set a goal to where its joint is animated; ``read`` comes first."""
        o = NOW * self.end[g]
        copy(self.goal, GOAL * g, self.now, o + PLACE, 3)
        copy(self.goal, GOAL * g + TURN, self.now, o + ROTATION, 4)

    def crouch(self, hips, led, led_by, x, y, z):
        """Lower the hips behind the feet and tilt them, for a hand that reaches down.

        Without that, they would come forwards over the knees. As far as head, hips or
        chest are led as well, these say how. A hand that reaches high wins against the
        trunk. ``read`` and all goals come first.

        Args:
            hips: The goal of the hips.
            led: Whether it is given; else its weights are set.
            led_by: The largest weight of given goals of head, hips and chest.
            x, y, z: How far the feet have stepped in the mean.
        """
        now = self.now
        goal = self.goal
        work = self.work
        size = self.settings[0]
        ux, uy, uz = three(self.settings, 1)
        ax = ay = az = 0.0
        total: cython.double = 0.0
        down: cython.double = 0.0
        far: cython.double = 0.0
        for n in range(self.limb_count):
            q = GOAL * self.limb[5 * n + 4]
            pull = goal[q + REACHING]
            if not pull > 0.0:
                continue
            a = NOW * self.limb[5 * n] + PLACE
            b = NOW * self.limb[5 * n + 1] + PLACE
            c = NOW * self.limb[5 * n + 2] + PLACE
            length = distance(now, a, now, b) + distance(now, b, now, c)
            away = distance(now, a, goal, q)
            fx, fy, fz = between(now, a, goal, q)
            high = fx * ux + fy * uy + fz * uz
            fx, fy, fz = fx - high * ux, fy - high * uy, fz - high * uz
            flat = fx * fx + fy * fy + fz * fz
            reach = sqrt(max(length * length - flat, 0.0))
            weight = goal[q + WEIGHT]
            over = weight * (high - reach) / (HIGH * size)
            stretch = (STRETCHED - 1.0) * min(max(over, 0.0), 1.0)
            goal[q + STRENGTH] = pull * (1.0 + stretch)
            need = weight * (-high - length + CLOSE * size)
            out = weight * (away - length)
            out *= min(1.0, max(0.0, 1.0 - high / (HIGH * size)))
            # towards the hands in the mean, as far as they are beside their shoulders
            need, out = max(need, 0.0), max(out, 0.0)
            asked = max(need, out)
            total += asked
            asked /= max(sqrt(flat), BESIDE * size)
            ax, ay, az = ax + asked * fx, ay + asked * fy, az + asked * fz
            down = max(down, need)
            far = max(far, out)
        q = GOAL * hips
        if not led:
            self.derived = hips
            goal[q + WEIGHT] = goal[q + TURN_WEIGHT] = 0.0
        if not down + far > 0.0:
            return
        ax, ay, az = ax / total, ay / total, az / total
        # beside hips that are led themselves, it fades as their weight grows
        part = min(1.0, down / (DEEP * size) + far / (SOON * size))
        part *= CROUCHES * (1.0 - led_by)
        copy(work, 0, goal, q, 9)
        self.pin(hips)
        back = BACK * LOWERS * down + BALANCE * far
        low = LOWERS * down
        add_to(
            goal, q, x - low * ux - back * ax, y - low * uy - back * ay,
            z - low * uz - back * az,
        )  # fmt: skip
        share = part / max(part + work[WEIGHT], 1e-300)
        for i in range(3):
            goal[q + i] = work[i] + share * (goal[q + i] - work[i])
        tilt = min((TILTS * down + BOWS * far) / size, MOST_TILT)
        fx, fy, fz = cross(ux, uy, uz, ax, ay, az)
        rotation_vector(work, 12, tilt * fx, tilt * fy, tilt * fz)
        mul(work, 12, work, 12, goal, q + TURN)
        t = 0.0
        for i in range(4):
            t += work[TURN + i] * work[12 + i]
        share = part / max(part + work[TURN_WEIGHT], 1e-300)
        for i in range(4):
            turned = work[12 + i] if t >= 0.0 else -work[12 + i]
            goal[q + TURN + i] = work[TURN + i] + share * (turned - work[TURN + i])
        unit(goal, q + TURN, goal, q + TURN)
        for i in range(WEIGHT, TURN_WEIGHT + 1):
            goal[q + i] = work[i] + (1.0 - work[i]) * part
        if not work[WEIGHT] + work[TURN_WEIGHT] > 0.0:
            goal[q + STRENGTH] = 1.0

    def carry(self, g):
        """Move a goal that hangs on a joint of the body along with it."""
        k = self.carrier[g]
        if k < 0:
            return
        now = self.now
        goal = self.goal
        q = GOAL * g
        o = NOW * k
        rotate_row(goal, q, now, o + ROTATION, goal, q + HELD)
        add3(goal, q, now, o + PLACE)
        mul(goal, q + TURN, now, o + ROTATION, goal, q + HELD_TURN)

    def mark_missed(self):
        """Mark goals that limbs miss: a limb gets straight there at once.

        Those that were marked in the last frame stay so while the way is made in steps.
        """
        now = self.now
        for n in range(self.limb_count):
            c = NOW * self.limb[5 * n + 2] + PLACE
            q = GOAL * self.limb[5 * n + 4]
            t = distance(self.goal, q, now, c)
            if self.goal[q + MISSED] < 0.0 or t > EXACT * self.settings[0]:
                self.goal[q + MISSED] = 1.0
