"""A whole body: the pose nearest to the animation that brings its ends to goals."""

import cython

if not cython.compiled:
    from math import acos, cos, sin, sqrt

    from .body_goals import (
        ANGLES,
        EXACT,
        FOUND,
        GOAL,
        HAD,
        KEPT,
        LAST,
        LOCAL,
        MISSED,
        NOW,
        OFFSET,
        PLACE,
        POLE,
        POLED,
        REACHING,
        ROTATION,
        START,
        STARTED,
        STRENGTH,
        TURN,
        TURN_WEIGHT,
        WEIGHT,
        BodyGoals,
    )
    from .body_pace import STATE, BodyPace
    from .body_tree import SHAPE, TREE, BodyTree
    from .buffers import doubles, ints, pin
    from .matrices import from_rows, square_up
    from .quat_ops import (
        conj_mul,
        from_to,
        log_rotation,
        mul,
        mul_conj,
        rotate_back,
        rotate_row,
        rotate_vec,
        rotation_vector,
        scale_rotation,
    )
    from .vectors import (
        add3,
        between,
        copy,
        cross,
        distance,
        less,
        norm3,
        put,
        three,
    )

SIZES = SHAPE, STATE, NOW, TREE, GOAL, LAST, REACHING
"""Numbers per joint in shape, state, now and tree, and per goal; and where in a goal
those of the last frame and of crouching are."""

LAG = 0.05
"""Time in which what no goal asks for comes about, but for 1/e [s]: where a limb gets
straight, or two goals contend, the nearest pose changes much faster than goals do."""
STRAIGHT = 0.07
"""The smallest bend of a limb that is set to its goal, unless animated less [rad]."""
FIT_PLACE = 0.15
"""Deviation of goals from a rigid figure, as a fraction of its size."""
FIT_TURN = 0.8
"""Deviation of goals' rotations from a rigid figure [rad]."""
POLE_PLACE = 0.03
"""Deviation of a knee from its pole's direction, as a fraction of the size."""
EXACT_TURN = 3e-3
"""Deviation of a goal's rotation [rad]."""
STRIDE = 0.08
"""How far a goal pulls in an iteration, as a fraction of the size."""
YIELD = 0.2
"""A goal that is missed yields: this fraction of the miss is its deviation."""
FOLDED = -0.906
"""Cosine of the largest bend of a limb that is set to its goal: 155 degrees."""
BACKWARDS = -0.05
"""A joint that is animated below this angle may bend backwards [rad]."""
LEAN = 0.4
UPSIDE = 1.2
"""Tilts of the goals from which the hips begin to follow, and follow wholly [rad]."""


class BodyKernel:
    """Poses a figure's joints so that its ends are at goals.

    It minimises the joints' deviations from the animation, each divided by how easily
    the joint turns. A ``BodyTree`` finds the minimum of the linearised figure; arms and
    legs of two bones are then set in closed form, and both repeat until nothing moves.

    Args:
        figure: The pose.
        joints: Indices of the joints that take part, parents first; the first carries
            all others. -1 for the first: a point between those that hang on nothing.
        above: For each, the nearest joint above that takes part, by its place in
            ``joints``; -1 for the first.
        shape: SHAPE numbers a joint.
        goals: The ``BodyGoals``.
        state: Buffer of STATE m + 16: what counts in the next frame.
        tree: Buffer of TREE m.
    """

    def __init__(self, figure, joints, above, shape, goals: BodyGoals, state, tree):
        self.figure = figure
        self.count = len(joints)
        self._pinned = pin((joints, above, shape, state))
        self.goals = goals
        self.pace = BodyPace(goals, state)
        self.tree = BodyTree(above, shape, goals, tree)
        self.joint = ints(joints)
        self.above = ints(above)
        self.shape = doubles(shape)
        self.state = doubles(state)
        self.end = goals.end
        self.limb = goals.limb
        self.settings = goals.settings
        self.now = goals.now
        self.work = goals.work
        self.goal = goals.goal
        self.carrier = goals.carrier
        self.lock = -1
        self.head = -1
        self.iterations = 0
        self.size_of_state = 2 + STATE * self.count + 16 + KEPT * self.goals.count
        self.reset()

    def reset(self):
        """Forget the last frame."""
        self.is_warm = 0
        self.pace.budget = 0.0
        for k in range(self.count):
            for i in range(STATE):
                self.state[STATE * k + i] = 1.0 if i % 4 == 0 else 0.0

    def resume(self, states, o):
        """Go on with a state of a crowd's, at an index of its buffer."""
        self.load(doubles(states), o)
        return 0

    def keep(self, states, o):
        """Store the state for ``resume``."""
        self.store(doubles(states), o)
        return 0

    def load(self, row, o):
        """Go on with what was stored, ``size_of_state`` numbers from an index on."""
        self.is_warm = 1 if row[o] > 0.0 else 0
        self.pace.budget = row[o + 1]
        n: cython.int = STATE * self.count + 16
        copy(self.state, 0, row, o + 2, n)
        o += 2 + n
        for g in range(self.goals.count):
            copy(self.goal, GOAL * g + LAST, row, o + KEPT * g, KEPT)

    def store(self, row, o):
        """Store all that counts in the next frame."""
        row[o] = self.is_warm
        row[o + 1] = self.pace.budget
        n: cython.int = STATE * self.count + 16
        copy(row, o + 2, self.state, 0, n)
        o += 2 + n
        for g in range(self.goals.count):
            copy(row, o + KEPT * g, self.goal, GOAL * g + LAST, KEPT)

    def read(self):
        """Read the animated pose; return whether all of it is finite."""
        net = self.figure.net
        now = self.now
        work = self.work
        total = 0.0
        first = 0
        self.goals.derived = -1
        if self.joint[0] < 0:
            # joints that hang on none are carried by a point between them
            first = 1
            for i in range(ANGLES):
                now[i] = 1.0 if i in (0, ROTATION) else 0.0
            tops = 0
            for k in range(1, self.count):
                if self.above[k] == 0:
                    a = self.figure.at(self.joint[k])
                    tops += 1
                    add3(now, PLACE, net, a + 9)
            for i in range(3):
                now[PLACE + i] /= tops
        for k in range(first, self.count):
            o = NOW * k
            a = self.figure.at(self.joint[k])
            copy(work, 0, net, a, 9)
            square_up(work, 0)
            from_rows(now, o + ROTATION, work, 0)
            for i in range(3):
                now[o + PLACE + i] = net[a + 9 + i]
                total += 0.0 * net[a + 9 + i]
            for i in range(4):
                total += 0.0 * now[o + ROTATION + i]
            p = self.above[k]
            if p < 0:
                copy(now, o, now, o + ROTATION, 4)
            else:
                u = NOW * p
                conj_mul(now, o, now, u + ROTATION, now, o + ROTATION)
                x, y, z = between(now, u + PLACE, now, o + PLACE)
                rotate_back(now, o + OFFSET, now, u + ROTATION, x, y, z)
        return total == 0.0

    def follow(self, first, after):
        """Compute joints in the skeleton's space from their rotations in others'."""
        now = self.now
        for k in range(max(first, 1), after):
            o = NOW * k
            u = NOW * self.above[k]
            mul(now, o + ROTATION, now, u + ROTATION, now, o + LOCAL)
            rotate_row(now, o + PLACE, now, u + ROTATION, now, o + OFFSET)
            add3(now, o + PLACE, now, u + PLACE)

    def turn(self, k, q):
        """Turn a joint by the rotation at ``work[q]``, in the skeleton's space."""
        now = self.now
        o = NOW * k
        mul(now, o + ROTATION, self.work, q, now, o + ROTATION)
        self.relate(k)

    def relate(self, k):
        """Compute a joint's rotation in its parent's space."""
        now = self.now
        o = NOW * k
        p = self.above[k]
        if p < 0:
            copy(now, o + LOCAL, now, o + ROTATION, 4)
        else:
            conj_mul(now, o + LOCAL, now, NOW * p + ROTATION, now, o + ROTATION)

    def add_goal(self, g, place, turn):
        """Add a goal's stiffness and force to its joint."""
        now = self.now
        goal = self.goal
        work = self.work
        k = self.end[g]
        o = NOW * k
        q = GOAL * g
        if place > 0.0:
            pull = max(goal[q + STRENGTH], 0.01)
            place *= max(1.0, pull * pull)
            self.add_pull(k, goal[q], goal[q + 1], goal[q + 2], place, YIELD / pull)
        if turn > 0.0:
            mul_conj(work, 0, goal, q + TURN, now, o + ROTATION)
            log_rotation(work, 4, work, 0)
            self.tree.add_turn(k, turn, work[4], work[5], work[6])

    def add_pull(self, k, x, y, z, place, yields):
        """Add what pulls a joint to a point.

        Args:
            k: The joint.
            x, y, z: The point.
            place: The stiffness.
            yields: Fraction of the distance that it gives way by.
        """
        now = self.now
        o = NOW * k
        dx, dy, dz = x - now[o + PLACE], y - now[o + PLACE + 1], z - now[o + PLACE + 2]
        # a far goal pulls no farther than a step: beyond reach, limbs would overshoot
        far = norm3(dx, dy, dz)
        part = min(1.0, STRIDE * self.settings[0] / max(far, 1e-300))
        dx, dy, dz = dx * part, dy * part, dz * part
        yields *= part * far
        place = 1.0 / (1.0 / place + yields * yields)
        self.tree.add_pull(k, place, dx, dy, dz)

    def fit(self, rounds):
        """Move the first joint so that the rigid figure is nearest to the goals."""
        now = self.now
        work = self.work
        size = self.settings[0]
        place = 1.0 / (FIT_PLACE * FIT_PLACE * size * size)
        turn = 1.0 / (FIT_TURN * FIT_TURN)
        for _ in range(rounds):
            self.tree.clear()
            for g in range(self.goals.count):
                wp = self.goal[GOAL * g + WEIGHT]
                wr = self.goal[GOAL * g + TURN_WEIGHT]
                # what hangs on the figure itself says nothing of its place
                if self.carrier[g] < 0:
                    self.add_goal(g, place * wp, turn * wr)
            self.tree.find_shift(size)
            add3(now, PLACE, work, 33)
            rotation_vector(work, 0, work[21], work[22], work[23])
            scale_rotation(work, 0, 1.0, 1.5)
            mul(now, ROTATION, work, 0, now, ROTATION)
            self.follow(1, self.count)

    def start(self, still):
        """Set the pose from which the search starts, and where the hips would be.

        Args:
            still: Whether it is that of the last frame.
        """
        now = self.now
        state = self.state
        work = self.work
        settings = self.settings
        last = STATE * self.count
        for k in range(1, self.count):
            copy(now, NOW * k + LOCAL, now, NOW * k, 4)
        if self.is_warm:
            # from where it was: animated hips, moved as in the last frame
            mul(now, ROTATION, state, last, now, 0)
            add3(now, PLACE, state, last + 4)
            self.follow(1, self.count)
        if not still:
            self.fit(3 if self.is_warm else 12)
        mul_conj(work, 32, now, ROTATION, now, 0)
        copy(state, last, work, 32, 4)
        # its turn about the vertical, and its tilt, which the hips follow when large
        up = (
            work[33] * settings[1] + work[34] * settings[2] + work[35] * settings[3]
        )  # fmt: skip
        size = sqrt(work[32] * work[32] + up * up)
        if size > 1e-9:
            work[36] = work[32] / size
            up /= size
        else:
            work[36] = 1.0
            up = 0.0
        for i in range(3):
            work[37 + i] = up * settings[1 + i]
        mul_conj(work, 40, work, 32, work, 36)
        angle = scale_rotation(work, 40, 1.0, 10.0)
        part = (angle - LEAN) / (UPSIDE - LEAN)
        part = min(max(part, 0.0), 1.0)
        scale_rotation(work, 40, part * part * (3.0 - 2.0 * part), 10.0)
        mul(work, 36, work, 40, work, 36)
        # the hips' wanted rotation takes the place of the animated one
        mul(now, 0, work, 36, now, 0)
        copy(work, 51, now, PLACE, 3)
        for k in range(self.count):
            self.tree.measure(16, k, NOW * k)
            copy(now, NOW * k + ANGLES, work, 16, 3)
        if self.is_warm and not still:
            # beside that place as in the last frame
            rotate_row(work, 44, now, 0, state, last + 7)
            add3(now, PLACE, work, 44)
        for k in range(self.count):
            mul(now, NOW * k + LOCAL, now, NOW * k, state, STATE * k)
        for k in range(self.count):
            self.tree.deviate(now, NOW * k + HAD, k)
        copy(now, ROTATION, now, LOCAL, 4)
        self.follow(1, self.count)

    def solve(self, rounds, dt):
        """Find the pose; ``read`` and the goals come first.

        Args:
            rounds: Most iterations.
            dt: Time since the last frame [s], which bounds how far joints turn; 0:
                they stay as in the last frame; below 0: they turn as far as they must.

        Returns:
            The largest turn in the last one [rad].
        """
        now = self.now
        work = self.work
        # the animated hips
        copy(work, 48, now, PLACE, 3)
        copy(work, 56, now, 0, 4)
        still: cython.bint = dt == 0.0 and self.is_warm
        self.start(still)
        if not still:
            for g in range(self.goals.count):
                # below 0: it was so in the last frame
                self.goal[GOAL * g + MISSED] = min(0.0, -self.goal[GOAL * g + MISSED])
        self.iterations = 0
        self.caution = 0.0
        self.lag = LAG / dt if dt > 0.0 and self.is_warm else 0.0
        moved = 10.0
        if still:
            rounds = 0
        while self.iterations < rounds and moved > 1e-3:
            self.iterations += 1
            before = moved
            moved = self.step()
            self.close(0)
            # two steps of one size go to and fro
            if moved > 0.5 * before:
                self.caution = 2.0 + 3.0 * self.caution
            else:
                self.caution *= 0.8
        if dt > 0.0 and self.is_warm:
            self.slow_down(dt)
        self.finish(still)
        return moved

    def slow_down(self, dt):
        """Go only a part of the way to the pose, where it is too far in a frame."""
        now = self.now
        work = self.work
        state = self.state
        last = STATE * self.count
        # the animation with the last frame's deviations
        mul(now, START, state, last + 10, work, 56)
        for i in range(3):
            work[60 + i] = work[48 + i] + state[last + 4 + i]
        copy(now, STARTED, work, 60, 3)
        for k in range(1, self.count):
            o = NOW * k
            u = NOW * self.above[k]
            mul(work, 0, now, o, state, STATE * k)
            mul(now, o + START, now, u + START, work, 0)
            rotate_row(now, o + STARTED, now, u + START, now, o + OFFSET)
            add3(now, o + STARTED, now, u + STARTED)
        self.pace.begin(dt)
        excess = self.pace.excess()
        if not excess > 1.0:
            return
        for k in range(self.count):
            copy(now, NOW * k + FOUND, now, NOW * k + LOCAL, 4)
        g = self.head
        h = NOW * self.end[max(g, 0)]
        if g >= 0:
            t = distance(self.goal, GOAL * g, now, h + PLACE)
            if t > 10.0 * EXACT * self.settings[0]:
                # out of reach, it has no place to stay at
                g = -1
        for i in range(4):
            work[24 + i] = now[h + ROTATION + i]
            work[36 + i] = now[ROTATION + i]
        for i in range(3):
            work[28 + i] = now[h + PLACE + i]
            work[40 + i] = now[PLACE + i]
        self.goals.mark_missed()
        part = 1.0 / excess
        for _ in range(6):
            conj_mul(work, 4, now, START, work, 36)
            scale_rotation(work, 4, part, 10.0)
            mul(now, ROTATION, now, START, work, 4)
            self.relate(0)
            for k in range(1, self.count):
                o = NOW * k
                mul(work, 0, now, o, state, STATE * k)
                conj_mul(work, 4, work, 0, now, o + FOUND)
                scale_rotation(work, 4, part, 10.0)
                mul(now, o + LOCAL, work, 0, work, 4)
            for i in range(3):
                now[PLACE + i] = work[60 + i] + part * (work[40 + i] - work[60 + i])
            self.follow(1, self.count)
            if g >= 0 and self.goal[GOAL * g + WEIGHT] >= 1.0:
                # the head is not left behind
                if self.goal[GOAL * g + TURN_WEIGHT] >= 1.0:
                    copy(now, h + ROTATION, work, 24, 4)
                    self.relate(self.end[g])
                for i in range(3):
                    now[PLACE + i] += work[28 + i] - now[h + PLACE + i]
                self.follow(1, self.count)
            # limbs that are set to their goals may turn farther than that
            self.close(1)
            if not self.pace.excess() > 1.2:
                break
            self.goals.mark_missed()
            part *= 0.5

    def step(self):
        """Turn all joints by a step to the minimum; return the largest turn."""
        now = self.now
        work = self.work
        size = self.settings[0]
        self.tree.clear()
        place = 1.0 / (EXACT * EXACT * size * size)
        turn = 1.0 / (EXACT_TURN * EXACT_TURN)
        for g in range(self.goals.count):
            self.goals.carry(g)
            # with a weight below 1, a goal yields
            wp = self.goal[GOAL * g + WEIGHT]
            wr = self.goal[GOAL * g + TURN_WEIGHT]
            yields = (1.0 - wp) / max(wp, 1e-9) * FIT_PLACE * size
            a = 0.0 if wp <= 0.0 else 1.0 / (1.0 / place + yields * yields)
            yields = (1.0 - wr) / max(wr, 1e-9) * FIT_TURN
            b = 0.0 if wr <= 0.0 else 1.0 / (1.0 / turn + yields * yields)
            self.add_goal(g, a, b)
        for n in range(self.goals.limb_count):
            g = self.limb[5 * n + 4]
            if self.goal[GOAL * g + POLED] > 0.0 and self.find_pole(n):
                self.add_pull(
                    self.limb[5 * n + 1], work[8], work[9], work[10],
                    self.goal[GOAL * g + POLED]
                    / (POLE_PLACE * POLE_PLACE * size * size), 0.0,
                )  # fmt: skip
        most = self.tree.balance(size, self.lag, self.caution)
        copy(now, ROTATION, now, LOCAL, 4)
        add3(now, PLACE, work, 16)
        self.follow(1, self.count)
        return most

    def find_pole(self, n):
        """Find where a limb's knee is when it points to the pole: ``work[8:11]``.

        Returns:
            Whether there is such a point.
        """
        now = self.now
        work = self.work
        g = GOAL * self.limb[5 * n + 4] + POLE
        a = NOW * self.limb[5 * n] + PLACE
        b = NOW * self.limb[5 * n + 1] + PLACE
        c = NOW * self.limb[5 * n + 2] + PLACE
        x, y, z = between(now, a, now, c)
        size = norm3(x, y, z)
        if not size > 0.0:
            return 0
        x, y, z = x / size, y / size, z / size
        px, py, pz = between(now, a, self.goal, g)
        px, py, pz = less(px, py, pz, x, y, z)
        far = norm3(px, py, pz)
        kx, ky, kz = between(now, a, now, b)
        along = kx * x + ky * y + kz * z
        kx, ky, kz = kx - along * x, ky - along * y, kz - along * z
        out = norm3(kx, ky, kz)
        if not (far > 1e-6 * size and out > 1e-6 * size):
            return 0
        work[8] = now[a] + along * x + out / far * px
        work[9] = now[a + 1] + along * y + out / far * py
        work[10] = now[a + 2] + along * z + out / far * pz
        # and the shortest turn there, about the line from the first joint to the end
        px, py, pz = px / far, py / far, pz / far
        kx, ky, kz = kx / out, ky / out, kz / out
        from_to(work, 0, kx, ky, kz, px, py, pz)
        if kx * px + ky * py + kz * pz < -0.99999:
            work[0] = 0.0
            put(work, 1, x, y, z)
        return 1

    def close(self, exact):
        """Set limbs of two bones to their goals, in closed form; at last to poles."""
        now = self.now
        work = self.work
        goal = self.goal
        for n in range(self.goals.limb_count):
            first = self.limb[5 * n]
            knee = self.limb[5 * n + 1]
            end = self.limb[5 * n + 2]
            after = self.limb[5 * n + 3]
            g = self.limb[5 * n + 4]
            self.goals.carry(g)
            if goal[GOAL * g + WEIGHT] < 1.0 or goal[GOAL * g + MISSED] > 0.0:
                continue
            a = NOW * first + PLACE
            b = NOW * knee + PLACE
            c = NOW * end + PLACE
            ux, uy, uz = between(now, a, now, b)
            vx, vy, vz = between(now, b, now, c)
            tx, ty, tz = between(now, a, goal, GOAL * g)
            uu = ux * ux + uy * uy + uz * uz
            vv = vx * vx + vy * vy + vz * vz
            uv = ux * vx + uy * vy + uz * vz
            sizes = sqrt(uu * vv)
            distance = norm3(tx, ty, tz)
            if not (sizes > 0.0 and distance > 0.0):
                continue
            # bend between the bones, now and as wanted
            bend = acos(min(max(uv / sizes, -1.0), 1.0))
            wanted = acos(
                min(
                    max(0.5 * (distance * distance - uu - vv) / sizes, FOLDED), 0.999999
                )
            )
            # the trunk gives the last half of a millimetre
            wanted = max(wanted, min(STRAIGHT, now[NOW * knee + ANGLES]))
            nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
            across = norm3(nx, ny, nz)
            # the knee's own axis
            p = NOW * self.above[knee]
            mul(work, 0, now, p + ROTATION, now, NOW * knee)
            mul(work, 0, work, 0, self.shape, SHAPE * knee)
            rotate_vec(work, 4, work, 0, 1.0, 0.0, 0.0)
            if across < 0.02 * sizes:
                nx, ny, nz = three(work, 4)
                across = 1.0
            elif (
                nx * work[4] + ny * work[5] + nz * work[6] < 0.0
                and now[NOW * knee + ANGLES] > BACKWARDS
            ):
                # a step has bent it to the wrong side
                bend = -bend
                across = -across
            half = 0.5 * (wanted - bend)
            work[0] = cos(half)
            half = sin(half) / across
            put(work, 1, half * nx, half * ny, half * nz)
            self.turn(knee, 0)
            self.follow(knee + 1, after)
            vx, vy, vz = between(now, a, now, c)
            size = norm3(vx, vy, vz)
            if not size > 0.0:
                continue
            from_to(
                work, 0, vx / size, vy / size, vz / size,
                tx / distance, ty / distance, tz / distance,
            )  # fmt: skip
            self.turn(first, 0)
            self.follow(first + 1, after)
            if exact and goal[GOAL * g + POLED] >= 1.0 and self.find_pole(n):
                self.turn(first, 0)
                self.follow(first + 1, after)
            if goal[GOAL * g + TURN_WEIGHT] >= 1.0:
                copy(now, NOW * end + ROTATION, goal, GOAL * g + TURN, 4)
                self.relate(end)
                self.follow(end + 1, after)

    def finish(self, still):
        """Bring the locked goal to its place, close the limbs, keep the state.

        Args:
            still: Whether the state stays that of the last frame.
        """
        now = self.now
        work = self.work
        state = self.state
        goal = self.goal
        g = self.lock
        if g >= 0 and goal[GOAL * g + WEIGHT] >= 1.0:
            o = NOW * self.end[g]
            if goal[GOAL * g + TURN_WEIGHT] >= 1.0:
                copy(now, o + ROTATION, goal, GOAL * g + TURN, 4)
                self.relate(self.end[g])
            for i in range(3):
                now[PLACE + i] += goal[GOAL * g + i] - now[o + PLACE + i]
            self.follow(1, self.count)
        self.close(1)
        for g in range(self.goals.count):
            if self.carrier[g] >= 0:
                # what one hand has moved, the other holds
                self.close(1)
                break
        if still:
            return
        for k in range(self.count):
            conj_mul(state, STATE * k, now, NOW * k, now, NOW * k + LOCAL)
            for i in range(4):
                state[STATE * k + 4 + i] = work[56 + i] if k == 0 else now[NOW * k + i]
        for g in range(self.goals.count):
            q = GOAL * g
            copy(goal, q + LAST, goal, q, 9)
        # the hips' way from the animated ones
        last = STATE * self.count
        for i in range(3):
            state[last + 4 + i] = now[PLACE + i] - work[48 + i]
        mul_conj(state, last + 10, now, ROTATION, work, 56)
        x, y, z = between(work, 51, now, PLACE)
        rotate_back(state, last + 7, now, 0, x, y, z)
        self.is_warm = 1

    def write(self, part):
        """Write the pose that was found, or a part of the way to it."""
        net = self.figure.net
        now = self.now
        work = self.work
        if part < 1.0:
            copy(now, 0, work, 56, 4)
            for i in range(3):
                now[PLACE + i] = work[48 + i] + part * (now[PLACE + i] - work[48 + i])
            for k in range(self.count):
                o = NOW * k
                conj_mul(work, 0, now, o, now, o + LOCAL)
                scale_rotation(work, 0, part, 10.0)
                mul(now, o + LOCAL, now, o, work, 0)
            copy(now, ROTATION, now, LOCAL, 4)
            self.follow(1, self.count)
        # a pose that is not finite is never kept
        if not abs(now[PLACE]) + abs(now[PLACE + 1]) + abs(now[PLACE + 2]) < 1e30:
            self.reset()
            return
        first = 1 if self.joint[0] < 0 else 0
        for k in range(self.count):
            if k and (first == 0 or self.above[k] != 0):
                continue
            j = self.joint[k]
            if j < 0:
                continue
            o = self.figure.at(j)
            x, y, z = between(net, o + 9, now, NOW * k + PLACE)
            self.figure.slide(j, x, y, z)
        for k in range(first, self.count):
            a = self.figure.at(self.joint[k])
            copy(work, 0, net, a, 9)
            square_up(work, 0)
            from_rows(work, 12, work, 0)
            mul_conj(work, 12, now, NOW * k + ROTATION, work, 12)
            self.figure.turn(self.joint[k], work[12], work[13], work[14], work[15])
