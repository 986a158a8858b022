"""Limbs and feet of a crowd, which change the pose of each member after its clips.

They run the kernels of an Actor's layers.
"""

import cython

if not cython.compiled:
    from math import sqrt

    from .actor_frame import (
        GOAL,
        GOAL_POLE,
        GOAL_POLED,
        GOAL_TURN,
        GOAL_TURNED,
        GOAL_WEIGHT,
    )
    from .bend_sides import SLIGHT_BEND, WRONG_BEND, add_pole
    from .buffers import doubles, floats, ints, objects, pin
    from .crowd import FEET, LIMBS, CrowdLayer
    from .crowd_clips import SLOTS
    from .feet import Feet, PosedFeet
    from .leg import Leg
    from .matrices import from_rows, square_up
    from .pose import AHEAD, net_of
    from .quat_ops import mul
    from .rest_pose import OUTWARDS
    from .vectors import (
        between,
        by_rows,
        cross,
        in_rows,
        less,
        moved,
        norm3,
        put,
        three,
    )


# time after which a member that was not posed starts anew [s]
AWAY = 0.5


class CrowdPlaces(CrowdLayer):
    """A layer whose goals are in the space of the crowd; base class.

    Args:
        kind: As for ``CrowdLayer``.
        crowd: The buffers of ``CrowdKernel``, and "unspace": the inverse of "space".
    """

    def __init__(self, kind, crowd):
        super().__init__(kind)
        self._crowd = pin(crowd)
        self.position = doubles(crowd["positions"])
        self.facing = doubles(crowd["facing"])
        self.size = doubles(crowd["scales"])
        self.unspace = doubles(crowd["unspace"])

    def tell(self, i, feet: Feet):
        """Change what clips will do with the feet of a member as this layer does."""

    def enter(self, i, points, o):
        """Set ``x``, ``y`` and ``z`` to a point in the space of a member's skeleton.

        Args:
            i: The member.
            points: Points in the space of the crowd.
            o: Index of the point.
        """
        p = self.position
        u, v, w = between(p, 3 * i, points, o)
        # one without a size is not seen: any finite point will do
        size = 1.0 / self.size[i] if self.size[i] != 0.0 else 0.0
        c = size * self.facing[0]
        s = size * self.facing[1]
        a = u * c + v * s
        b = v * c - u * s
        w *= size
        self.x, self.y, self.z = moved(self.unspace, 0, a, b, w)

    def set_world(self, i, above, wide, out):
        """Write the matrix of a member in a space above that of the crowd.

        Args:
            i: The member.
            above: The matrix of the crowd's space in that space, in rows.
            wide: How many numbers a row has.
            out: Out: rows of 4 numbers, of which the last are left.
        """
        p = self.position
        c = self.size[i] * self.facing[0]
        s = self.size[i] * self.facing[1]
        for k in range(3):
            x = above[k]
            y = above[wide + k]
            z = above[2 * wide + k]
            out[k] = c * x + s * y
            out[4 + k] = c * y - s * x
            out[8 + k] = self.size[i] * z
            out[12 + k] = (
                p[3 * i] * x + p[3 * i + 1] * y + p[3 * i + 2] * z + above[3 * wide + k]
            )


class CrowdState(CrowdPlaces):
    """A layer that keeps something of each member from frame to frame; base class.

    Args:
        kind, crowd: As for ``CrowdPlaces``; and "clock", the time of all frames
            together [s].
        size: How many numbers it keeps of each member.
        buffers: "weights" of members; "states", ``size`` numbers of each, the last is
            the time of its last frame.
    """

    def __init__(self, kind, crowd, size, buffers):
        super().__init__(kind, crowd)
        self._buffers = pin(buffers)
        self.clock = doubles(crowd["clock"])
        self.weight = doubles(buffers["weights"])
        self.state = doubles(buffers["states"])
        self.size_of_state = size

    def is_sound(self, i):
        """Return whether the weight of a member is finite."""
        total = self.weight[i]
        # x - x is 0 or no number
        return total - total == 0.0

    def apply(self, i, dt):
        """Change the pose of a member with its weight, or let it start anew."""
        o: cython.long = i
        o *= self.size_of_state
        last: cython.long = o + self.size_of_state - 1
        weight = self.weight[i]
        if not weight > 0.0 or self.clock[0] - self.state[last] > AWAY:
            self.reset(i, o)
        if weight > 0.0:
            self.state[last] = self.clock[0]
            self.act(i, o, weight if weight < 1.0 else 1.0, dt)

    def reset(self, i, o):
        """Forget what a member did, whose numbers start at an index of the state."""

    def act(self, i, o, weight, dt):
        """Change the pose of member i, with a weight from above 0 to 1."""


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
            "poled", 1 while they count; "end" of the last bone, 3.
    """

    def __init__(self, crowd, figure, kernel, joints, above, keeps, goals):
        super().__init__(LIMBS, crowd)
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
        if not cython.compiled:
            self.turn = [0.0] * 36
        self.settings_weight = kernel.weight
        self.is_closed = (
            self.count == 2
            and kernel.weight >= 1.0
            and kernel.soften == 0.0
            and kernel.stretch == 0.0
            and kernel.max_step == 0.0
            and kernel.twist_spread == 0.0
        )
        self.side_x = kernel.start.side_x
        self.side_y = kernel.start.side_y
        self.side_z = kernel.start.side_z

    def is_sound(self, i):
        """Return whether the goals of a member are finite."""
        total = self.weight[i]
        if total != 0.0:
            for k in range(3 * i, 3 * i + 3):
                total += self.target[k]
                if self.poled[0]:
                    total += self.pole[k]
        # x - x is 0 or no number
        return total - total == 0.0

    def apply(self, i, dt):
        """Bring the limb of a member to its target."""
        if self.weight[i] > 0.0:
            self.reach(i, dt)

    def reach(self, i, dt):
        """Bring the limb of a member to its target; it must be finite."""
        self.px = self.py = self.pz = 0.0
        if self.poled[0]:
            self.enter(i, self.pole, 3 * i)
            self.px, self.py, self.pz = self.x, self.y, self.z
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
        if self.is_closed and weight >= 1.0 and self.bend(use_pole, use_tip):
            return
        net = self.figure.net
        points = self.kernel.start.points
        n = self.count
        ox = oy = oz = 0.0
        parent = -1
        if self.above >= 0:
            parent = net_of(self.figure, self.above)
            ox, oy, oz = three(net, parent + 9)
        for k in range(n + 1):
            j = self.joint[k]
            if j >= 0:
                x, y, z = three(net, net_of(self.figure, j) + 9)
            else:
                o = net_of(self.figure, self.joint[n - 1])
                x, y, z = moved(net, o, self.end[0], self.end[1], self.end[2])
            put(points, 3 * k, x - ox, y - oy, z - oz)
        if self.kernel.start.sided:
            self.set_side(parent)
        self.kernel.start.set_bones()
        # where a pole decides, the side is in the axes of the first bone
        self.kernel.start.side_x = self.side_x
        self.kernel.start.side_y = self.side_y
        self.kernel.start.side_z = self.side_z
        ox, oy, oz = ox + points[0], oy + points[1], oz + points[2]
        px = py = pz = 0.0
        if use_pole:
            self.set_first(net_of(self.figure, self.joint[0]))
            px, py, pz = self.px - ox, self.py - oy, self.pz - oz
        x, y, z = self.x - ox, self.y - oy, self.z - oz
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

    def bend(self, use_pole, use_tip):
        """Bring two bones to the point as ``solve`` does, by their closed form.

        The plane in which they bend swings from their chord to the goal's line, and in
        it each bone turns to its direction. Each joint turns once, and net matrices are
        known then.

        Returns:
            Whether it did: not where bones are straight, or have no direction.
        """
        net = self.figure.net
        first = net_of(self.figure, self.joint[0])
        second = net_of(self.figure, self.joint[1])
        j = self.joint[2]
        last = net_of(self.figure, j) if j >= 0 else second
        ox, oy, oz = three(net, first + 9)
        ux, uy, uz = between(net, first + 9, net, second + 9)
        if j >= 0:
            vx, vy, vz = between(net, second + 9, net, last + 9)
        else:
            vx, vy, vz = by_rows(net, second, self.end[0], self.end[1], self.end[2])
        a = norm3(ux, uy, uz)
        b = norm3(vx, vy, vz)
        reach = a + b
        # the chord, the goal's line, and the normal of the bend
        fx, fy, fz = ux + vx, uy + vy, uz + vz
        chord = norm3(fx, fy, fz)
        cx, cy, cz = self.x - ox, self.y - oy, self.z - oz
        far = norm3(cx, cy, cz)
        nx, ny, nz = cross(vx, vy, vz, ux, uy, uz)
        size = norm3(nx, ny, nz)
        least = self.kernel.start.straight
        if use_pole:
            least = WRONG_BEND if self.kernel.start.sided else SLIGHT_BEND
        short = 1e-6 * reach
        if not (a > short and b > short and chord > short and short < far < 1e150):
            return False
        if not size > least * reach * chord:
            return False
        k = 1.0 / chord
        fx, fy, fz = k * fx, k * fy, k * fz
        k = 1.0 / far
        cx, cy, cz = k * cx, k * cy, k * cz
        k = 1.0 / size
        nx, ny, nz = k * nx, k * ny, k * nz
        # for each bone its direction, what is square to it, and the normal
        w = self.turn
        bone_frame(w, 0, ux, uy, uz, nx, ny, nz, 1.0 / (a * a))
        bone_frame(w, 18, vx, vy, vz, nx, ny, nz, 1.0 / (b * b))
        k = 0.5 - cx * fx - cy * fy - cz * fz
        if k > 0.0:
            # far ones swing by way of outwards, as those of ``StartPose.swing``
            k = 1.0 if k > 1.0 else k * k * (3.0 - 2.0 * k)
            x, y, z = ox, oy, oz
            if self.above >= 0:
                o = net_of(self.figure, self.above)
                x, y, z = between(net, o + 9, net, first + 9)
            k *= OUTWARDS / (norm3(x, y, z) + 0.01 * reach)
            x, y, z = cx + k * x, cy + k * y, cz + k * z
            k = 1.0 / norm3(x, y, z)
            x, y, z = k * x, k * y, k * z
            k = 1.0 + x * fx + y * fy + z * fz
            if k < 1e-6:
                return False
            k = (nx * x + ny * y + nz * z) / k
            nx, ny, nz = nx - k * (fx + x), ny - k * (fy + y), nz - k * (fz + z)
            fx, fy, fz = x, y, z
        k = 1.0 + cx * fx + cy * fy + cz * fz
        if k < 1e-6:
            return False
        k = (nx * cx + ny * cy + nz * cz) / k
        nx, ny, nz = nx - k * (fx + cx), ny - k * (fy + cy), nz - k * (fz + cz)
        ex, ey, ez = cross(nx, ny, nz, cx, cy, cz)
        if use_pole:
            x, y, z = self.px - ox, self.py - oy, self.pz - oz
            if not x * x + y * y + z * z < 1e300:
                return False
            s = self.kernel.scratch
            add_pole(s, cx, cy, cz, ex, ey, ez, x, y, z)
            # square to the line, of unit length
            ex, ey, ez = less(s[0], s[1], s[2], cx, cy, cz)
            k = norm3(ex, ey, ez)
            if k < 1e-6:
                return False
            k = 1.0 / k
            ex, ey, ez = k * ex, k * ey, k * ez
            nx, ny, nz = cross(cx, cy, cz, ex, ey, ez)
        # the triangle: as far as both reach, and no nearer than one without the other
        low = a - b if a > b else b - a
        far = reach if far > reach else low if far < low else far
        along = 0.5 * (far + (a - b) * reach / far) if far > 0.0 else a
        along = a if along > a else -a if along < -a else along
        across = sqrt((a - along) * (a + along))
        x, y, z = (
            along * cx + across * ex,
            along * cy + across * ey,
            along * cz + across * ez,
        )
        bone_frame(w, 9, x, y, z, nx, ny, nz, 1.0)
        bone_frame(w, 27, far * cx - x, far * cy - y, far * cz - z, nx, ny, nz, 1.0)
        reframe(net, 12 * self.figure.n, net, first, w, 0)
        self.figure.set_axes(self.joint[0])
        # net matrices below are no longer valid, but still there
        if j >= 0:
            if not use_tip:
                reframe(net, last, net, last, w, 18)
            put(net, last + 9, ox + far * cx, oy + far * cy, oz + far * cz)
            self.figure.set_mark(j, AHEAD)
        reframe(net, second, net, second, w, 18)
        put(net, second + 9, ox + x, oy + y, oz + z)
        self.figure.set_mark(self.joint[1], AHEAD)
        if use_tip:
            tip = self.kernel.tip
            if tip[0] < 1.0:
                self.figure.turn(j, tip[0], tip[1], tip[2], tip[3])
        return True

    def set_side(self, o):
        """Turn the side to which straight bones bend into the axes of the skeleton."""
        if o < 0:
            return
        x, y, z = by_rows(self.figure.net, o, self.side_x, self.side_y, self.side_z)
        self.kernel.start.side_x = x
        self.kernel.start.side_y = y
        self.kernel.start.side_z = z

    def set_first(self, o):
        """Set the rotation of the first bone in the start pose, from its net matrix."""
        axes = self.turn
        for k in range(9):
            axes[8 + k] = self.figure.net[o + k]
        square_up(axes, 8)
        from_rows(self.kernel.start.rest_rot, 0, axes, 8)


def bone_frame(out, o, x, y, z, nx, ny, nz, k):
    """Write a vector, what is square to it and to a normal, and the normal.

    Args:
        out, o: Out: 9 numbers.
        x, y, z: The vector.
        nx, ny, nz: The normal.
        k: Factor of the first two.
    """
    x, y, z = k * x, k * y, k * z
    put(out, o, x, y, z)
    put(out, o + 6, nx, ny, nz)
    x, y, z = cross(nx, ny, nz, x, y, z)
    put(out, o + 3, x, y, z)


def reframe(out, o, rows, i, frames, f):
    """Write three rows that turn with a frame.

    Args:
        out, o: Out: 9 numbers, which may be the rows.
        rows, i: The rows, 9 numbers.
        frames, f: The frame's three axes before, then after.
    """
    for _ in range(3):
        x, y, z = in_rows(frames, f, rows[i], rows[i + 1], rows[i + 2])
        x, y, z = by_rows(frames, f + 9, x, y, z)
        put(out, o, x, y, z)
        i += 3
        o += 3


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
        self.kind = FEET
        self._numbers = pin((numbers,))
        self.numbers = doubles(numbers)
        self.first = GOAL * k
        self.usual_x = self.side_x
        self.usual_y = self.side_y
        self.usual_z = self.side_z
        self.usual = kernel.start.sided

    def take_side(self, leg: Leg, thigh, o):
        """Set the side to which it bends where it is straight, to that of a member's.

        Args:
            leg: The leg of the member.
            thigh: Axes of the thigh in the hips' space, 9 numbers.
            o: Their index.
        """
        self.side_x = self.usual_x
        self.side_y = self.usual_y
        self.side_z = self.usual_z
        self.kernel.start.sided = self.usual
        if leg.poled:
            x, y, z = by_rows(thigh, o, leg.side_x, leg.side_y, leg.side_z)
            if x != 0.0 or y != 0.0 or z != 0.0:
                self.side_x = x
                self.side_y = y
                self.side_z = z
                self.kernel.start.sided = 1
                self.kernel.start.slight = leg.slight

    def is_sound(self, i):
        """Return True: its goals are those that feet have found."""
        return True

    def reach(self, i, dt):
        """Bring the leg to its goal."""
        g = self.numbers
        o = self.first
        self.x, self.y, self.z = three(g, o)
        self.px, self.py, self.pz = three(g, o + GOAL_POLE)
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
                e = net_of(self.figure, j)
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
        kernels: The ``Feet`` of each member.
        frame: A list of the ground of the frame, or None.
        plans: The ``ClipPlans`` of all members.
        buffers: "weights" and "codes" of members; "thighs", 9 a foot; "seconds" of the
            hips; "above", 16: from the crowd's space to the ground's; "mats" and
            "world", which feet read; and those of ``PosedFeet``.
    """

    def __init__(self, crowd, figure, legs, goals, kernels, frame, plans, buffers):
        super().__init__(FEET, crowd)
        self._held = tuple(legs), tuple(kernels)
        self.leg = objects(self._held[0])
        self.feet = objects(self._held[1])
        self.frame = frame
        self.ground = self.given = None
        self.plans = plans
        # what changes the steps of clips, a layer before this one
        self.warps = None
        self._buffers = pin({**buffers, "goals": goals})
        matrices = buffers["mats"], buffers["world"]
        self.posed = PosedFeet(figure, *matrices, goals, buffers)
        self.count = len(legs)
        self.goal = doubles(goals)
        self.weight = doubles(buffers["weights"])
        self.code = ints(buffers["codes"])
        self.thigh = doubles(buffers["thighs"])
        self.hip_seconds = doubles(buffers["seconds"])
        self.above = doubles(buffers["above"])
        self.world = floats(buffers["world"])

    def begin(self):
        """Take the ground of the frame: other threads use others like it."""
        if self.frame[0] is not self.given:
            self.given = self.frame[0]
            self.ground = self.given.twin() if self.given is not None else None
        return 0

    def apply(self, i, dt):
        """Plan the feet of a member."""
        if self.weight[i] > 0.0:
            for k in range(self.count):
                self.goal[GOAL * k + GOAL_WEIGHT] = 0.0
            if self.ground is not None:
                self.plan(cython.cast(Feet, self.feet[i]), i, dt)

    def plan(self, kernel: Feet, i, dt):
        """Move the hips of a member, and set the goals of its feet."""
        self.ground.look_for(i)
        self.set_world(i, self.above, 4, self.world)
        self.code[i] = self.posed.read(kernel)
        if self.code[i] != 0:
            return
        weight = self.weight[i]
        weight = weight if weight < 1.0 else 1.0
        self.plans.tell(kernel, i, SLOTS, dt)
        if self.warps is not None:
            self.warps.tell(i, kernel)
        kernel.advance(self.ground, self.hip_seconds[0], weight, dt)
        self.code[i] = self.posed.write(kernel, weight)
        for k in range(self.count):
            cython.cast(CrowdLeg, self.leg[k]).take_side(
                cython.cast(Leg, kernel.limb[k]), self.thigh, 9 * k
            )
