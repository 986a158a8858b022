# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Layers of a crowd: what changes the pose of each member after its clips.

They run the kernels of an Actor's layers. What these keep from frame to frame, springs
and averages, is in rows of the crowd's arrays.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from .actor_frame import (
        GOAL,
        GOAL_POLE,
        GOAL_POLED,
        GOAL_TURN,
        GOAL_TURNED,
        GOAL_WEIGHT,
    )
    from .buffers import doubles, floats, ints, pin
    from .crowd import SLOTS, CrowdLayer
    from .feet import Feet
    from .foot_ground import GroundKernel, SpotGround
    from .gaze_look import STATE
    from .matrices import from_rows, square_up
    from .quat_ops import mul

COMPILED = cython.compiled

# numbers of a row of what a foot does between a frame of a clip and the next
PLAN = 10
# that it swings
SWINGS = 2
# numbers of a clip: its frames, its rate, the index of its first row, -1 where its
# contacts are not sure, the number of rows of a foot and a direction, its floor
CLIP = 5
# as of ``scene.behaviours.clip_feet``: share of all clips above which one decides,
# rates from which on it counts, and wholly, and time of their mean [s]
MOST, STILL, SOUND, MEAN_SECONDS = 0.7, 0.2, 0.5, 0.1


class CrowdPlaces(CrowdLayer):
    """A layer whose goals are in the space of the crowd; base class.

    Args:
        crowd: The buffers of ``CrowdKernel``, and "unspace": the inverse of "space".
    """

    def __init__(self, crowd):
        super().__init__()
        self._crowd = pin(crowd)
        self.position = doubles(crowd["positions"])
        self.facing = doubles(crowd["facing"])
        self.size = doubles(crowd["scales"])
        self.unspace = doubles(crowd["unspace"])

    def enter(self, i, points, o):
        """Set ``x``, ``y`` and ``z`` to a point in the space of a member's skeleton.

        Args:
            i: The member.
            points: Points in the space of the crowd.
            o: Index of the point.
        """
        p = self.position
        u = points[o] - p[3 * i]
        v = points[o + 1] - p[3 * i + 1]
        w = points[o + 2] - p[3 * i + 2]
        size = 1.0 / self.size[i]
        c = size * self.facing[0]
        s = size * self.facing[1]
        a = u * c + v * s
        b = v * c - u * s
        w *= size
        m = self.unspace
        self.x = a * m[0] + b * m[3] + w * m[6] + m[9]
        self.y = a * m[1] + b * m[4] + w * m[7] + m[10]
        self.z = a * m[2] + b * m[5] + w * m[8] + m[11]


class CrowdLimb(CrowdPlaces):
    """A limb of each member, which reaches for its target.

    The chain's kernel solves in the axes of the skeleton instead of those of the joint
    above: of all its directions only differences count.

    Args:
        crowd: As for ``CrowdPlaces``.
        figure: The pose, a ``PoseKernel``.
        kernel: The ``ChainKernel`` of the chain, with its settings.
        joints: The joints that turn, and the one that reaches; -1: the end of the last
            one's bone.
        above: The joint above the first one; -1: the skeleton.
        keeps: Whether the joint that reaches keeps its rotation without a clip, too.
        goals: "targets", 3 numbers a member; "weights"; "poles", 3 a member, and
            "poled", 1 while they count; "end" of the last bone, 3; "scratch", 17.
    """

    def __init__(self, crowd, figure, kernel, joints, above, keeps, goals):
        super().__init__(crowd)
        self.figure = figure
        self.kernel = kernel
        self._goals = pin({**goals, "joints": joints})
        self.joint = ints(joints)
        self.count = len(joints) - 1
        self.above = above
        self.keeps = keeps
        self.target = doubles(goals["targets"])
        self.weight = doubles(goals["weights"])
        self.pole = doubles(goals["poles"])
        self.poled = ints(goals["poled"])
        self.end = doubles(goals["end"])
        self.turn = doubles(goals["scratch"])
        self.settings_weight = kernel.weight
        self.side_x = kernel.side_x
        self.side_y = kernel.side_y
        self.side_z = kernel.side_z

    def is_sound(self, i):
        """Return whether the goals of a member are finite."""
        total = self.weight[i]
        if total != 0.0:
            for k in range(3 * i, 3 * i + 3):
                total += self.target[k]
                if self.poled[0]:
                    total += self.pole[k]
        # x - x is 0 or no number
        return total - total == 0.0 and (self.next is None or self.next.is_sound(i))

    def apply(self, i, dt):
        """Bring the limb of a member to its target."""
        if self.weight[i] > 0.0:
            self.reach(i, dt)
        if self.next is not None:
            self.next.apply(i, dt)

    def reach(self, i, dt):
        """Bring the limb of a member to its target; it must be finite."""
        self.px = self.py = self.pz = 0.0
        if self.poled[0]:
            self.enter(i, self.pole, 3 * i)
            self.px = self.x
            self.py = self.y
            self.pz = self.z
        self.enter(i, self.target, 3 * i)
        tip = self.kernel.tip
        tip[0] = 1.0
        tip[1] = tip[2] = tip[3] = 0.0
        use_tip: cython.int = 0
        if self.joint[self.count] >= 0 and (self.keeps or self.figure.animated):
            use_tip = 1
        self.solve(self.poled[0], use_tip, self.weight[i], dt)

    def solve(self, use_pole, use_tip, weight, dt):
        """Bring the limb to the point ``x``, ``y``, ``z`` in the skeleton's space.

        Args:
            use_pole: Whether it bends towards the point ``px``, ``py``, ``pz``.
            use_tip: Whether the kernel's tip rotates the last joint.
            weight: Weight of the effect; above 1 as 1.
            dt: Time since the last frame [s].
        """
        net = self.figure.net
        points = self.kernel.points
        n = self.count
        ox = oy = oz = 0.0
        parent = -1
        if self.above >= 0:
            parent = o = self.figure.at(self.above)
            ox = net[o + 9]
            oy = net[o + 10]
            oz = net[o + 11]
        for k in range(n + 1):
            j = self.joint[k]
            if j >= 0:
                o = self.figure.at(j)
                x = net[o + 9]
                y = net[o + 10]
                z = net[o + 11]
            else:
                o = self.figure.at(self.joint[n - 1])
                e = self.end
                x = e[0] * net[o] + e[1] * net[o + 3] + e[2] * net[o + 6] + net[o + 9]
                y = e[0] * net[o + 1] + e[1] * net[o + 4] + e[2] * net[o + 7]
                z = e[0] * net[o + 2] + e[1] * net[o + 5] + e[2] * net[o + 8]
                y += net[o + 10]
                z += net[o + 11]
            points[3 * k] = x - ox
            points[3 * k + 1] = y - oy
            points[3 * k + 2] = z - oz
        if self.kernel.sided:
            self.set_side(parent)
        self.kernel.set_bones()
        # where a pole decides, the side is in the axes of the first bone
        self.kernel.side_x = self.side_x
        self.kernel.side_y = self.side_y
        self.kernel.side_z = self.side_z
        ox += points[0]
        oy += points[1]
        oz += points[2]
        px = py = pz = 0.0
        if use_pole:
            self.set_first(self.figure.at(self.joint[0]))
            px = self.px - ox
            py = self.py - oy
            pz = self.pz - oz
        x = self.x - ox
        y = self.y - oy
        z = self.z - oz
        # neither infinite nor NaN, and their squares neither
        if not x * x + y * y + z * z + px * px + py * py + pz * pz < 1e300:
            return
        self.kernel.weight = self.settings_weight * (weight if weight < 1.0 else 1.0)
        self.kernel.aim_bones(x, y, z, use_pole, px, py, pz)
        self.kernel.turn_bones(use_tip)
        if not self.kernel.is_sound():
            return
        self.kernel.limit_step(dt)
        turned = self.kernel.delta_rot
        for k in range(n + 1):
            j = self.joint[k]
            if j < 0:
                break
            o = 4 * k
            w, x, y, z = turned[o], turned[o + 1], turned[o + 2], turned[o + 3]
            if k == 0:
                self.figure.turn(j, w, x, y, z)
                continue
            # on top of what the joints above have turned it
            o -= 4
            a, b, c, d = turned[o], -turned[o + 1], -turned[o + 2], -turned[o + 3]
            self.figure.turn(
                j,
                w * a - x * b - y * c - z * d,
                w * b + x * a + y * d - z * c,
                w * c - x * d + y * a + z * b,
                w * d + x * c - y * b + z * a,
            )

    def set_side(self, o):
        """Turn the side to which straight bones bend into the axes of the skeleton."""
        if o < 0:
            return
        net = self.figure.net
        x = self.side_x
        y = self.side_y
        z = self.side_z
        self.kernel.side_x = x * net[o] + y * net[o + 3] + z * net[o + 6]
        self.kernel.side_y = x * net[o + 1] + y * net[o + 4] + z * net[o + 7]
        self.kernel.side_z = x * net[o + 2] + y * net[o + 5] + z * net[o + 8]

    def set_first(self, o):
        """Set the rotation of the first bone in the start pose, from its net matrix."""
        axes = self.turn
        for k in range(9):
            axes[8 + k] = self.figure.net[o + k]
        square_up(axes, 8)
        from_rows(self.kernel.rest_rot, 0, axes, 8)


class CrowdLeg(CrowdLimb):
    """A leg whose goal another layer writes, such as feet on the ground.

    Args:
        crowd, figure, kernel, joints, above, keeps, goals: As for ``CrowdLimb``; the
            targets are not used, where the weight of a member is 0 nothing is done.
        numbers: Buffer of goals in the skeleton's space, see ``PoseGoal``.
        k: Index of the goal.
    """

    def __init__(self, crowd, figure, kernel, joints, above, keeps, goals, numbers, k):
        super().__init__(crowd, figure, kernel, joints, above, keeps, goals)
        self._numbers = pin({"numbers": numbers})
        self.numbers = doubles(numbers)
        self.first = GOAL * k
        self.usual_x = self.side_x
        self.usual_y = self.side_y
        self.usual_z = self.side_z
        self.usual = kernel.sided

    def keep_side(self):
        """Set the side to which a straight leg bends back to the first one."""
        self.side_x = self.usual_x
        self.side_y = self.usual_y
        self.side_z = self.usual_z
        self.kernel.sided = self.usual

    def bend(self, x, y, z):
        """Set the side to which a straight leg bends, in its hips' space; not if 0."""
        if x != 0.0 or y != 0.0 or z != 0.0:
            self.side_x = x
            self.side_y = y
            self.side_z = z
            self.kernel.sided = 1

    def is_sound(self, i):
        """Return whether the layers after it have finite goals."""
        return self.next is None or self.next.is_sound(i)

    def reach(self, i, dt):
        """Bring the leg to its goal."""
        g = self.numbers
        o = self.first
        self.x = g[o]
        self.y = g[o + 1]
        self.z = g[o + 2]
        self.px = g[o + GOAL_POLE]
        self.py = g[o + GOAL_POLE + 1]
        self.pz = g[o + GOAL_POLE + 2]
        tip = self.kernel.tip
        tip[0] = 1.0
        tip[1] = tip[2] = tip[3] = 0.0
        use_tip: cython.int = 0
        j = self.joint[self.count]
        if j >= 0:
            use_tip = 1
            if g[o + GOAL_TURNED] > 0.0:
                # from the animated rotation to that of the goal
                axes = self.turn
                e = self.figure.at(j)
                for k in range(9):
                    axes[8 + k] = self.figure.net[e + k]
                square_up(axes, 8)
                from_rows(axes, 4, axes, 8)
                for k in range(5, 8):
                    axes[k] = -axes[k]
                mul(tip, 0, g, o + GOAL_TURN, axes, 4)
        use_pole: cython.int = 1 if g[o + GOAL_POLED] > 0.0 else 0
        self.solve(use_pole, use_tip, g[o + GOAL_WEIGHT], dt)


class CrowdFeet(CrowdPlaces):
    """The feet of each member: moves its hips, and sets the goals of its legs.

    Args:
        crowd: As for ``CrowdPlaces``.
        figure: The pose, a ``PoseKernel``.
        legs: The ``CrowdLeg`` of each foot.
        goals: Buffer of their goals.
        kernels: The ``Feet`` of each member. All read "mats" and "world".
        folds: The four joints of each leg that bends by ``PoseKernel.fold``, else None.
        frame: A list of the ground of the frame, or None, and whether it is a
            ``SpotGround``.
        buffers: "weights" and "codes" of members; "played" of members: the clip that
            decides, -1: none, its frame and its rate; "joints", those that feet read
            after the first; "hips", the joints of all bodies, and "ends" of each
            body's; "up" in the skeleton, 3; "thighs", 9 a foot; "seconds" of the hips;
            "mats", "world"; "clips" and "plans", see ``CLIP`` and ``PLAN``.
    """

    def __init__(self, crowd, figure, legs, goals, kernels, folds, frame, buffers):
        super().__init__(crowd)
        self.figure = figure
        self.legs = legs
        self.goals = goals
        self.kernels = kernels
        self.folds = folds
        self.frame = frame
        self._buffers = pin({**buffers, "goals": goals})
        self.count = len(legs)
        self.joint_count = len(buffers["joints"])
        self.body_count = len(buffers["ends"])
        self.goal = doubles(goals)
        self.weight = doubles(buffers["weights"])
        self.code = ints(buffers["codes"])
        self.played = doubles(buffers["played"])
        self.joint = ints(buffers["joints"])
        self.hip = ints(buffers["hips"])
        self.end = ints(buffers["ends"])
        self.up = doubles(buffers["up"])
        self.thigh = doubles(buffers["thighs"])
        self.hip_seconds = doubles(buffers["seconds"])
        self.mats = floats(buffers["mats"])
        self.world = floats(buffers["world"])
        self.clips = doubles(buffers["clips"])
        self.plans = doubles(buffers["plans"])
        self.clip = ints(crowd["clip"])
        self.time = doubles(crowd["time"])
        self.part = doubles(crowd["weight"])

    def apply(self, i, dt):
        """Plan the feet of a member."""
        if self.weight[i] > 0.0:
            # kernels of feet are objects, which only one thread may use at a time
            with cython.gil:
                self.plan(i, dt)
        if self.next is not None:
            self.next.apply(i, dt)

    def plan(self, i, dt):
        """Move the hips of a member, and set the goals of its feet."""
        for k in range(self.count):
            self.goal[GOAL * k + GOAL_WEIGHT] = 0.0
        if self.frame[0] is None:
            return
        ground: GroundKernel = self.frame[0]
        if self.frame[1]:
            spots: SpotGround = self.frame[0]
            spots.who = i
        kernel: Feet = self.kernels[i]
        size = self.size[i]
        self.read(i, size)
        self.code[i] = kernel.begin()
        if self.code[i] != 0:
            return
        weight = self.weight[i]
        weight = weight if weight < 1.0 else 1.0
        self.tell(kernel, i, dt)
        kernel.advance(ground, self.hip_seconds[0], weight, dt)
        figure = self.figure
        h: cython.int = 0
        up = self.up
        for b in range(self.body_count):
            move = kernel.move[b] / size
            while h < self.end[b]:
                figure.shift(self.hip[h], move * up[0], move * up[1], move * up[2])
                h += 1
        kernel.pass_goals(self.goals, weight)
        goal = self.goal
        for k in range(self.count):
            if self.folds[k] is not None:
                o = GOAL * k
                figure.fold(self.folds[k], goal[o], goal[o + 1], goal[o + 2], weight)
        for k in range(self.count):
            leg: CrowdLeg = self.legs[k]
            leg.keep_side()
            if kernel.pole[4 * k + 3] > 0.0:
                e = kernel.extra + 24 * k + 11
                t = self.thigh
                u, v, w = kernel.net[e], kernel.net[e + 1], kernel.net[e + 2]
                e = 9 * k
                leg.bend(
                    u * t[e] + v * t[e + 3] + w * t[e + 6],
                    u * t[e + 1] + v * t[e + 4] + w * t[e + 7],
                    u * t[e + 2] + v * t[e + 5] + w * t[e + 8],
                )

    def read(self, i, size):
        """Set what kernels of feet read to a member's pose."""
        world = self.world
        c = size * self.facing[0]
        s = size * self.facing[1]
        for k in range(16):
            world[k] = 0.0
        world[0] = c
        world[1] = s
        world[4] = -s
        world[5] = c
        world[10] = size
        for k in range(3):
            world[12 + k] = self.position[3 * i + k]
        world[15] = 1.0
        mats = self.figure.pointer
        for j in range(self.joint_count):
            o = 16 * self.joint[j]
            e = 16 * j + 16
            for k in range(16):
                self.mats[e + k] = mats[o + k]

    def tell(self, kernel: Feet, i, dt):
        """Tell what the clips of a member do with its feet, as ``ClipFeet.plans``."""
        total = most = floor = 0.0
        slot = -1
        for s in range(SLOTS * i, SLOTS * i + SLOTS):
            weight = self.part[s]
            if weight > 0.0:
                total += weight
                floor += weight * self.clips[CLIP * self.clip[s] + 4]
                if weight > most:
                    most = weight
                    slot = s
        played = self.played
        o = 3 * i
        rate = frame = 0.0
        row = -1
        count: cython.int = 1
        usual = 1.0
        if most > MOST * total:
            frame = self.time[slot]
            c: cython.int = self.clip[slot]
            at = CLIP * c
            usual = self.clips[at + 1]
            row = int(self.clips[at + 2])
            count = int(self.clips[at + 3])
            if played[o] == c:
                rate = played[o + 2]
                moved = frame - played[o + 1]
                # where it goes round, its last frame may be its first once more, or not
                far = moved if moved > 0.0 else -moved
                if dt > 0.0 and far < 0.5 * self.clips[at]:
                    share = min(1.0, dt / MEAN_SECONDS) if rate != 0.0 else 1.0
                    rate += share * (moved / dt - rate)
            played[o] = c
            played[o + 1] = frame
            played[o + 2] = rate
        else:
            played[o] = -1.0
        pace = rate if rate > 0.0 else -rate
        known = row >= 0 and pace > 0.0 and pace >= STILL * usual
        trust = min(1.0, (pace / usual - STILL) / (SOUND - STILL)) if known else 0.0
        back: cython.int = 1 if rate < 0.0 else 0
        whole: cython.int = int(frame)
        past = frame - whole
        if back:
            past = 1.0 - past
        kernel.set_floor(floor / total if total > 0.0 else 0.0)
        p = self.plans
        for f in range(self.count):
            if not known:
                kernel.plan(f, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                continue
            e = row + PLAN * ((back * self.count + f) * count + whole % count)
            state: cython.int = int(p[e])
            left = p[e + 1]
            part = 1.0
            if state == SWINGS:
                left = (left - past) / pace
                part = trust
            kernel.plan(
                f,
                state,
                left,
                p[e + 2] / pace,
                p[e + 3],
                p[e + 4],
                p[e + 5],
                part * p[e + 6] / pace,
                part * p[e + 7],
                part * p[e + 8],
                part * p[e + 9],
            )


class CrowdCarry(CrowdLayer):
    """Joints beside a head that move along with it, such as a jaw.

    Two layers of each are needed, before and after those that turn the head.

    Args:
        figure: The pose, a ``PoseKernel``.
        joints: The joints, all with one parent.
        path: The joints from the carrying one up to a child of that parent.
        scratch: Buffer of 33, which the two share.
        last: Whether it is the one after.
    """

    def __init__(self, figure, joints, path, scratch, last):
        super().__init__()
        self.figure = figure
        self._pinned = pin({"joints": joints, "path": path, "scratch": scratch})
        self.joint = ints(joints)
        self.count = len(joints)
        self.path = ints(path)
        self.length = len(path)
        self.work = doubles(scratch)
        self.last = last

    def apply(self, i, dt):
        """Note where the carrying joint is, or move the joints as it has moved."""
        if self.last:
            self.follow()
        else:
            self.compose(0)
        if self.next is not None:
            self.next.apply(i, dt)

    def compose(self, o):
        """Write the carrying joint's matrix in the parent's space, in rows of 3."""
        net = self.work
        mats = self.figure.pointer
        for k in range(12):
            net[o + k] = 1.0 if k == 0 or k == 4 or k == 8 else 0.0
        for t in range(self.length):
            m = 16 * self.path[t]
            for r in range(4):
                x = net[o + 3 * r]
                y = net[o + 3 * r + 1]
                z = net[o + 3 * r + 2]
                for c in range(3):
                    net[o + 3 * r + c] = (
                        x * mats[m + c] + y * mats[m + 4 + c] + z * mats[m + 8 + c]
                    )
                    if r == 3:
                        net[o + 9 + c] += mats[m + 12 + c]

    def follow(self):
        """Move the joints as the carrying joint has moved since."""
        work = self.work
        mats = self.figure.pointer
        self.compose(12)
        for k in range(3):
            # row k of the inverse, times the determinant: a product of two columns
            a = (k + 1) % 3
            b = (k + 2) % 3
            work[24 + 3 * k] = work[3 + a] * work[6 + b] - work[6 + a] * work[3 + b]
            work[25 + 3 * k] = work[6 + a] * work[b] - work[a] * work[6 + b]
            work[26 + 3 * k] = work[a] * work[3 + b] - work[3 + a] * work[b]
        size = work[0] * work[24] + work[3] * work[25] + work[6] * work[26]
        if not (size > 1e-300 or size < -1e-300):
            return
        for t in range(self.count):
            m = 16 * self.joint[t]
            for r in range(4):
                x = 1.0 * mats[m + 4 * r]
                y = 1.0 * mats[m + 4 * r + 1]
                z = 1.0 * mats[m + 4 * r + 2]
                if r == 3:
                    x -= work[9]
                    y -= work[10]
                    z -= work[11]
                u = (x * work[24] + y * work[27] + z * work[30]) / size
                v = (x * work[25] + y * work[28] + z * work[31]) / size
                w = (x * work[26] + y * work[29] + z * work[32]) / size
                for c in range(3):
                    x = u * work[12 + c] + v * work[15 + c] + w * work[18 + c]
                    if r == 3:
                        x += work[21 + c]
                    mats[m + 4 * r + c] = x
            self.figure.spoil(self.joint[t])


class CrowdLook(CrowdPlaces):
    """The gaze of each member, which turns to its target.

    Args:
        crowd: As for ``CrowdPlaces``.
        kernel: The ``LookKernel`` of the pose, with its limits.
        goals: "targets", 3 numbers a member; "weights"; "states", ``STATE`` and 1 a
            member, the last is 1 where the weight was 0 in the last frame; "times":
            time of a small turn [s], maximum speed [rad/s].
    """

    def __init__(self, crowd, kernel, goals):
        super().__init__(crowd)
        self.kernel = kernel
        self._goals = pin(goals)
        self.target = doubles(goals["targets"])
        self.weight = doubles(goals["weights"])
        self.state = doubles(goals["states"])
        self.seconds = goals["times"][0]
        self.speed = goals["times"][1]

    def is_sound(self, i):
        """Return whether the goals of a member are finite."""
        total = self.weight[i]
        if total != 0.0:
            for k in range(3 * i, 3 * i + 3):
                total += self.target[k]
        # x - x is 0 or no number
        return total - total == 0.0 and (self.next is None or self.next.is_sound(i))

    def lean(self, i):
        """Turn the spine, before the limbs."""
        if self.weight[i] > 0.0:
            o: cython.long = i
            o *= STATE + 1
            self.kernel.load(self.state, o)
            self.kernel.turn_spine(self.weight[i])

    def apply(self, i, dt):
        """Turn neck, head and eyes."""
        o: cython.long = i
        o *= STATE + 1
        weight = self.weight[i]
        if weight > 0.0:
            self.enter(i, self.target, 3 * i)
            self.kernel.look(
                self.x,
                self.y,
                self.z,
                True,
                self.seconds,
                self.speed,
                weight if weight < 1.0 else 1.0,
                self.state[o + STATE] > 0.0,
                dt,
            )
            self.kernel.store(self.state, o)
            self.state[o + STATE] = 0.0
        elif self.state[o + STATE] == 0.0:
            for k in range(STATE):
                self.state[o + k] = 0.0
            self.state[o + STATE] = 1.0
        if self.next is not None:
            self.next.apply(i, dt)


class CrowdLean(CrowdLayer):
    """The spine's part in a gaze, before the limbs.

    Args:
        look: The gaze, a ``CrowdLook``.
    """

    def __init__(self, look):
        super().__init__()
        self.look = look

    def apply(self, i, dt):
        """Turn the spine by what the last frame has found."""
        self.look.lean(i)
        if self.next is not None:
            self.next.apply(i, dt)
