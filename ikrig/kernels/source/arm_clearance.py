"""Keeps a reaching arm out of trunk and head.

A hand that would be in the body is moved out of it, and slides around its front; then
the elbow swings about the line from shoulder to hand to where the arm is clear. Both
follow gradually: no frame moves the arm at once from one side of the body to the other.
"""

import cython

if not cython.compiled:
    from math import acos, atan2, cos, pi, sin, sqrt

    from .buffers import doubles, pin
    from .quat_ops import about, from_to, mul, rotate_vec
    from .spring_damper import Spring
    from .vectors import (
        between,
        by_rows,
        copy,
        cross,
        distance,
        less,
        moved,
        norm3,
        put,
        put4,
        three,
    )

# numbers of a part of the body: its joint, two ends of a capsule and its radius; of a
# point of the hand: its place and radius
PART = 8
POINT = 4
# angles of the elbow that are tried, and steps out of the body
SIDES = 24
STEPS = 32
FAR = 1e300
# how much the way out of the body leans to its front, and how fast it turns [rad/s]
AHEAD = 0.35
TURN = 9.0
# settling times of a hand that comes back to its way, and of an elbow [s]
BACK = 0.2
AWAY = 0.12
# greatest speed of an elbow, and that of its own bend beyond which it jumps [rad/s]
SWING = 26.0
JUMP = 18.0
# bend below which an arm has no elbow, and from which on it may swing fully; and how
# straight it gets / its length
STRAIGHT = 0.01
BENT = 0.08
LONGEST = 0.9995
# what a turn of the elbow costs against being in the body
CHANGE = 0.00025
# weight from which on all of it is seen
SHOWN = 0.5
# ways round the body that are tried, the longest and its steps, and places on each /
# length of the arm, with bends of the elbow; how far a hand stays away there, and what
# a way by the back costs
WAYS = 16
LONG = 0.9
PIECES = 9
PLACES = 12
NEAR = 0.22
BENDS = 8
MARGIN = 0.06
BEHIND = 0.6


class ArmClearance:
    """An arm beside the body that it belongs to.

    Args:
        figure: The pose that they are joints of, a ``PoseKernel``.
        joints: The arm's first joint, its elbow and its hand.
        parts: ``PART`` numbers of each capsule of the body, in the space of its joint.
        points: ``POINT`` numbers of each point of the hand, in its space.
        thick: How thick upper arm and forearm are / length of the arm.
        front: A joint of the trunk, and the direction ahead in its space.
        work: Buffer of 7 numbers for each part, 8 for each point, and 40.
    """

    def __init__(self, figure, joints, parts, points, thick, front, work):
        self.figure = figure
        self.first, self.elbow, self.hand = joints
        self.parts = len(parts) // PART
        self.points = len(points) // POINT
        self._pinned = pin((parts, points, work))
        self.part = doubles(parts)
        self.point = doubles(points)
        self.work = doubles(work)
        self.upper_thick, self.lower_thick = thick
        self.front, self.front_x, self.front_y, self.front_z = front
        self.placed = 0
        self.held = 7 * self.parts
        self.turned = self.held + 4 * self.points
        self.spare = self.turned + 4 * self.points
        self.push = [Spring() for _ in range(3)]
        self.swing = Spring()
        self.reset()

    def reset(self):
        """Forget the last frame."""
        self.round = 0.0
        self.own = FAR
        self.known = self.pushed = self.led = False
        self.swing.reset(0.0)
        for each in self.push:
            spring: Spring = each
            spring.reset(0.0)

    def step(self, x, y, z, weight, keeps, dt):
        """Move the arm out of the body, for a frame of dt seconds.

        Args:
            x, y, z: Where the hand is led: as deep as there it may be in the body.
            weight: Weight of the reach, 0 to 1.
            keeps: Whether the hand keeps its rotation, and does not follow the forearm.
            dt: Time since the last frame [s].

        Returns:
            Whether the arm was moved.
        """
        moved = self.move(x, y, z, weight, keeps, dt, False)
        if moved and not keeps:
            # as the forearm turned, the hand did, too
            self.move(x, y, z, weight, keeps, dt, True)
        return moved

    def move(self, x, y, z, weight, keeps, dt, again):
        """Move the arm as ``step`` does, or ``again`` for what is left."""
        figure = self.figure
        net = figure.net
        work = self.work
        i = figure.at(self.first) + 9
        j = figure.at(self.elbow) + 9
        k = figure.at(self.hand) + 9
        sx, sy, sz = three(net, i)
        ex, ey, ez = between(net, i, net, j)
        wx, wy, wz = between(net, i, net, k)
        upper = distance(net, i, net, j)
        lower = distance(net, j, net, k)
        far = norm3(wx, wy, wz)
        size = upper + lower
        # neither 0 nor NaN
        if not (upper > 1e-9 * size and lower > 1e-9 * size and far > 1e-6 * size):
            self.reset()
            return False
        if not size < 1e30:
            return False
        self.size = size
        self.place()
        # the hand
        deep = self.hand_gap(self.held, x, y, z)
        if not keeps:
            # until it is there, it turns with the arm
            self.swing_hand(wx, wy, wz, x - sx, y - sy, z - sz)
            deep = max(deep, self.hand_gap(self.turned, x, y, z))
        now = self.hand_gap(self.held, sx + wx, sy + wy, sz + wz)
        if self.own > 0.0:
            # as it begins, it may be as deep as it is animated
            self.own = min(0.0, now)
        allowed = min(0.0, deep, (1.0 - weight) * self.own)
        px = py = pz = 0.0
        if now < allowed:
            if not (again and self.pushed):
                self.lead_way(dt)
            t = self.exit(sx + wx, sy + wy, sz + wz, allowed)
            px, py, pz = t * self.way_x, t * self.way_y, t * self.way_z
            self.pushed = True
        if self.pushed and not again:
            o = self.spare
            put(work, o, px, py, pz)
            moves = 0.0
            for k in range(3):
                spring: Spring = self.push[k]
                spring.step(work[o + k], BACK, dt)
                work[o + k] = spring.value
                moves = max(moves, max(spring.value, -spring.value))
            px, py, pz = three(work, o)
            t = self.exit(sx + wx + px, sy + wy + py, sz + wz + pz, allowed)
            if t > 0.0:
                px += t * self.way_x
                py += t * self.way_y
                pz += t * self.way_z
                put(work, o, px, py, pz)
                for k in range(3):
                    spring = self.push[k]
                    spring.value = work[o + k]
            elif moves < 1e-6 * size:
                self.pushed = False
                for k in range(3):
                    spring = self.push[k]
                    spring.reset(0.0)
        share = min(1.0, weight / SHOWN)
        share = share * share * (3.0 - 2.0 * share)
        vx, vy, vz = wx + share * px, wy + share * py, wz + share * pz
        length = norm3(vx, vy, vz)
        if not length > 1e-6 * size:
            return False
        reach = max(far, LONGEST * size)
        least = max(upper - lower, lower - upper) + (1.0 - LONGEST) * size
        wide = min(max(length, min(far, least)), reach)
        vx, vy, vz = vx * (wide / length), vy * (wide / length), vz * (wide / length)
        ux, uy, uz = vx / wide, vy / wide, vz / wide
        # its bend, on the new line
        lx, ly, lz = wx / far, wy / far, wz / far
        bx, by, bz = less(ex, ey, ez, lx, ly, lz)
        bend = norm3(bx, by, bz)
        if not bend > STRAIGHT * size:
            # a straight arm has no elbow that could swing
            if not again:
                self.known = False
                self.swing.reset(0.0)
            if share * (px * px + py * py + pz * pz) == 0.0:
                return False
            if not bend > 1e-6 * size:
                bx, by, bz = -ly, lx, 0.0
                if lx * lx + ly * ly < 1e-6:
                    bx, by = 1.0, 0.0
                bx, by, bz = less(bx, by, bz, lx, ly, lz)
                bend = norm3(bx, by, bz)
        bx, by, bz = bx / bend, by / bend, bz / bend
        o = self.spare
        # rotation of the line, then bend, across, shoulder and line for ``inside``
        from_to(work, o + 8, lx, ly, lz, ux, uy, uz)
        rotate_vec(work, o + 12, work, o + 8, bx, by, bz)
        nx, ny, nz = three(work, o + 12)
        ax, ay, az = cross(ux, uy, uz, nx, ny, nz)
        put(work, o + 15, ax, ay, az)
        put(work, o + 18, sx, sy, sz)
        put4(work, o + 21, ux, uy, uz, wide)
        high = (upper * upper - lower * lower + wide * wide) / (2.0 * wide)
        out = sqrt(max(0.0, upper * upper - high * high))
        angle = 0.0
        if bend > STRAIGHT * size and not again:
            if self.known:
                from_to(work, o + 25, self.line_x, self.line_y, self.line_z, ux, uy, uz)
                rotate_vec(
                    work, o + 29, work, o + 25, self.bend_x, self.bend_y, self.bend_z
                )
                # from the bend now to where it was
                x, y, z = three(work, o + 29)
                ax, ay, az = cross(ux, uy, uz, x, y, z)
                turned = -atan2(nx * ax + ny * ay + nz * az, nx * x + ny * y + nz * z)
                # an elbow that is kept clear stays, whatever its own bend does
                if self.led or max(turned, -turned) > JUMP * dt:
                    self.swing.value = self.swing.value + turned
            self.known = True
            self.bend_x, self.bend_y, self.bend_z = nx, ny, nz
            self.line_x, self.line_y, self.line_z = ux, uy, uz
            goal = self.wanted(o + 12, high, out, self.swing.value)
            self.led = goal != 0.0
            before = self.swing.value
            self.swing.step(goal, AWAY, dt)
            if self.led and self.inside(o + 12, self.swing.value, high, out) > 0.0:
                # at twice the speed out of the body
                self.swing.step(goal, AWAY, dt)
            if abs(self.swing.value - before) > SWING * dt:
                # no elbow is faster
                most = SWING * dt if self.swing.value > before else -SWING * dt
                self.swing.value = before + most
                self.swing.speed = most / dt
            if self.swing.value > pi:
                self.swing.value = self.swing.value - 2.0 * pi
            elif self.swing.value < -pi:
                self.swing.value = self.swing.value + 2.0 * pi
            # none where the arm is straight, and gradually more
            fold = min(1.0, (bend / size - STRAIGHT) / (BENT - STRAIGHT))
            angle = share * fold * fold * (3.0 - 2.0 * fold) * self.swing.value
        if angle * angle < 1e-12 and share * (px * px + py * py + pz * pz) == 0.0:
            return False
        # the bend changes in its own plane, then the arm turns as a whole
        a = acos(max(-1.0, min(1.0, (ex * lx + ey * ly + ez * lz) / upper)))
        b = acos(max(-1.0, min(1.0, high / upper)))
        # from the line to the bend
        ax, ay, az = cross(lx, ly, lz, bx, by, bz)
        about(work, o, 0.5 * (b - a), ax, ay, az)
        mul(work, o + 4, work, o + 8, work, o)
        about(work, o, 0.5 * angle, ux, uy, uz)
        mul(work, o + 25, work, o, work, o + 4)
        self.turn(self.first, o + 25)
        # the forearm, to where the hand is to be
        j = figure.at(self.elbow) + 9
        k = figure.at(self.hand) + 9
        ex, ey, ez = three(net, j)
        ax, ay, az = between(net, j, net, k)
        ax, ay, az = ax / lower, ay / lower, az / lower
        fx, fy, fz = sx + vx - ex, sy + vy - ey, sz + vz - ez
        length = norm3(fx, fy, fz)
        if length > 0.0:
            from_to(work, o, ax, ay, az, fx / length, fy / length, fz / length)
            self.turn(self.elbow, o)
            mul(work, o + 25, work, o, work, o + 25)
        if keeps:
            # half of the swing is in the forearm, the wrist has the rest
            half = -0.25 * angle * (fx * ux + fy * uy + fz * uz) / max(length, 1e-30)
            if length > 0.0:
                about(work, o, half, fx / length, fy / length, fz / length)
                self.turn(self.elbow, o)
                mul(work, o + 25, work, o, work, o + 25)
            # the hand turns back by all that it was turned by
            for c in range(1, 4):
                work[o + 25 + c] = -work[o + 25 + c]
            self.turn(self.hand, o + 25)
        return True

    def lead(self, pose, begins):
        """Lead a hand that goes to a goal round the body; return 0.

        Args:
            pose: Its place, and from number 7 on that of its goal.
            begins: Whether it begins to go there in this frame.
        """
        keep = pin((pose,))
        at = doubles(pose)
        x, y, z = between(at, 7, at, 0)
        left = norm3(x, y, z)
        if begins:
            self.plan(at, left)
        if self.round > 0.0:
            share = min(1.0, left / self.whole)
            share = 4.0 * share * (1.0 - share) * self.round
            at[0] += share * self.round_x
            at[1] += share * self.round_y
            at[2] += share * self.round_z
        del keep
        return 0

    def plan(self, at, left):
        """Choose the shortest way to the goal that is clear of the body."""
        figure = self.figure
        net = figure.net
        i = figure.at(self.first) + 9
        j = figure.at(self.elbow) + 9
        sx, sy, sz = three(net, i)
        self.round = 0.0
        self.whole = left
        size = distance(net, j, net, figure.at(self.hand) + 9)
        size += distance(net, i, net, j)
        # neither 0 nor NaN
        if not (left > 0.05 * size > 0.0 and left < 1e30):
            return
        self.size = size
        self.place()
        self.stand()
        self.bend_to(at[7], at[8], at[9])
        allowed = min(
            MARGIN * size,
            self.hand_gap(self.held, at[0], at[1], at[2]),
            max(
                self.hand_gap(self.held, at[7], at[8], at[9]),
                self.hand_gap(self.turned, at[7], at[8], at[9]),
            ),
        )
        lx, ly, lz = between(at, 7, at, 0)
        lx, ly, lz = lx / left, ly / left, lz / left
        self.ahead()
        work = self.work
        o = self.spare
        fx, fy, fz = three(work, o)
        # two directions square to the line
        ux, uy, uz = -ly, lx, 0.0
        if lx * lx + ly * ly < 1e-3:
            ux, uy, uz = 0.0, -lz, ly
        length = norm3(ux, uy, uz)
        ux, uy, uz = ux / length, uy / length, uz / length
        vx, vy, vz = cross(lx, ly, lz, ux, uy, uz)
        best = FAR
        for w in range(WAYS):
            c = cos(2.0 * pi * w / WAYS)
            s = sin(2.0 * pi * w / WAYS)
            x, y, z = c * ux + s * vx, c * uy + s * vy, c * uz + s * vz
            behind = 1.0 + BEHIND * max(0.0, -(x * fx + y * fy + z * fz))
            for p in range(PIECES + 1):
                far = LONG * size * p / PIECES
                cost = far * behind
                if cost >= best:
                    break
                clear = True
                for k in range(1, PLACES):
                    share = 1.0 * k / PLACES
                    t = 4.0 * share * (1.0 - share) * far
                    px = at[7] + share * left * lx + t * x
                    py = at[8] + share * left * ly + t * y
                    pz = at[9] + share * left * lz + t * z
                    away = sqrt((px - sx) ** 2 + (py - sy) ** 2 + (pz - sz) ** 2)
                    if (
                        not NEAR * size < away < 1.05 * size
                        or not self.bend_to(px, py, pz)
                        or self.hand_gap(self.turned, px, py, pz) < allowed
                    ):
                        clear = False
                        break
                if clear:
                    best = cost
                    self.round = far
                    self.round_x, self.round_y, self.round_z = x, y, z
                    break
            if self.round == 0.0 and best == 0.0:
                return

    def stand(self):
        """Note how the arm is bent now, for ``bend_to``."""
        net = self.figure.net
        i = self.figure.at(self.first) + 9
        j = self.figure.at(self.elbow) + 9
        k = self.figure.at(self.hand) + 9
        ex, ey, ez = between(net, i, net, j)
        wx, wy, wz = between(net, i, net, k)
        self.upper = distance(net, i, net, j)
        self.lower = distance(net, j, net, k)
        far = wx * wx + wy * wy + wz * wz
        t = (ex * wx + ey * wy + ez * wz) / far if far > 0.0 else 0.0
        o = self.spare + 28
        copy(self.work, o - 10, net, i, 3)
        put(self.work, o, ex - t * wx, ey - t * wy, ez - t * wz)
        put(self.work, o + 3, wx, wy, wz)

    def bend_to(self, x, y, z):
        """Turn the hand with an arm that points to a place.

        Returns:
            Whether the arm is clear of the body there with its elbow anywhere.
        """
        work = self.work
        o = self.spare + 12
        n = o + 16
        ux, uy, uz = x - work[o + 6], y - work[o + 7], z - work[o + 8]
        wide = norm3(ux, uy, uz)
        x, y, z = three(work, n + 3)
        self.swing_hand(x, y, z, ux, uy, uz)
        if not wide > 1e-6 * self.size:
            return False
        ux, uy, uz = ux / wide, uy / wide, uz / wide
        # by the rotation that ``swing_hand`` leaves there
        rotate_vec(work, o, work, self.spare + 8, work[n], work[n + 1], work[n + 2])
        x, y, z = three(work, o)
        size = max(norm3(x, y, z), 1e-30)
        x, y, z = x / size, y / size, z / size
        put(work, o, x, y, z)
        x, y, z = cross(ux, uy, uz, x, y, z)
        put(work, o + 3, x, y, z)
        put4(work, o + 9, ux, uy, uz, wide)
        upper = self.upper
        high = (upper * upper - self.lower * self.lower + wide * wide) / (2.0 * wide)
        high = min(max(high, -upper), upper)
        out = sqrt(max(0.0, upper * upper - high * high))
        for k in range(BENDS):
            # from its own bend on, to either side
            side = 2.0 * pi / BENDS * ((k + 1) // 2)
            if self.inside(o, side if k % 2 else -side, high, out) == 0.0:
                return True
        return False

    def swing_hand(self, wx, wy, wz, x, y, z):
        """Write the points of the hand, turned as from one place of it to another."""
        work = self.work
        q = self.spare + 8
        far = norm3(wx, wy, wz)
        to = norm3(x, y, z)
        if far > 0.0 and to > 0.0:
            from_to(work, q, wx / far, wy / far, wz / far, x / to, y / to, z / to)
        else:
            put4(work, q, 1.0, 0.0, 0.0, 0.0)
        for i in range(self.points):
            o = self.held + 4 * i
            t = self.turned + 4 * i
            rotate_vec(work, t, work, q, work[o], work[o + 1], work[o + 2])
            work[t + 3] = work[o + 3]

    def ahead(self):
        """Write the direction ahead of the trunk, of length 1, to the spare numbers."""
        i = self.figure.at(self.front)
        x, y, z = by_rows(self.figure.net, i, self.front_x, self.front_y, self.front_z)
        total = norm3(x, y, z)
        if total > 0.0:
            x, y, z = x / total, y / total, z / total
        put(self.work, self.spare, x, y, z)

    def turn(self, j, q):
        """Rotate a joint by a quaternion of the work."""
        work = self.work
        self.figure.turn(j, work[q], work[q + 1], work[q + 2], work[q + 3])

    def place(self):
        """Compute where the body and the points of the hand are."""
        figure = self.figure
        net = figure.net
        work = self.work
        part = self.part
        for i in range(self.parts):
            p = PART * i
            o = self.placed + 7 * i
            j: cython.int = int(part[p])
            n = figure.at(j)
            for e in range(0, 6, 3):
                x, y, z = three(part, p + 1 + e)
                x, y, z = moved(net, n, x, y, z)
                put(work, o + e, x, y, z)
            x, y, z = three(net, n)
            work[o + 6] = part[p + 7] * norm3(x, y, z)
        n = figure.at(self.hand)
        x, y, z = three(net, n)
        scale = norm3(x, y, z)
        for i in range(self.points):
            p = POINT * i
            o = self.held + 4 * i
            x, y, z = three(self.point, p)
            x, y, z = by_rows(net, n, x, y, z)
            put4(work, o, x, y, z, scale * self.point[p + 3])

    def gap(self, x, y, z):
        """Return the distance of a point from the body, below 0 inside.

        ``nx``, ``ny`` and ``nz`` are the direction out of it.
        """
        work = self.work
        least = FAR
        for i in range(self.parts):
            o = self.placed + 7 * i
            px, py, pz = x - work[o], y - work[o + 1], z - work[o + 2]
            ax, ay, az = between(work, o, work, o + 3)
            aa = ax * ax + ay * ay + az * az
            t = px * ax + py * ay + pz * az
            t = max(0.0, min(1.0, t / aa)) if aa > 0.0 else 0.0
            px, py, pz = px - t * ax, py - t * ay, pz - t * az
            size = norm3(px, py, pz)
            if size - work[o + 6] < least:
                least = size - work[o + 6]
                if size > 0.0:
                    self.nx, self.ny, self.nz = px / size, py / size, pz / size
        return least

    def hand_gap(self, held, x, y, z):
        """Return the distance from the body of a hand whose joint is at a place.

        Args:
            held: Offset of its points in the work: ``held``, or ``turned``.
            x, y, z: The place.
        """
        work = self.work
        least = FAR
        nx = ny = nz = 0.0
        for i in range(self.points):
            o = held + 4 * i
            gap = self.gap(x + work[o], y + work[o + 1], z + work[o + 2]) - work[o + 3]
            if gap < least:
                least = gap
                nx, ny, nz = self.nx, self.ny, self.nz
        self.nx, self.ny, self.nz = nx, ny, nz
        return least

    def exit(self, x, y, z, allowed):
        """Return how far along its way a hand is out of the body."""
        t = 0.0
        for _ in range(STEPS):
            gap = self.hand_gap(
                self.held,
                x + t * self.way_x,
                y + t * self.way_y,
                z + t * self.way_z,
            )
            if gap >= allowed - 1e-5 * self.size:
                break
            t += max(allowed - gap, 1e-3 * self.size)
        return t

    def lead_way(self, dt):
        """Turn the way out of the body to the nearest one, rather by its front."""
        nx, ny, nz = self.nx, self.ny, self.nz
        self.ahead()
        work = self.work
        o = self.spare
        x = nx + AHEAD * work[o]
        y = ny + AHEAD * work[o + 1]
        z = nz + AHEAD * work[o + 2]
        size = norm3(x, y, z)
        if not size > 1e-6:
            return
        x, y, z = x / size, y / size, z / size
        if self.pushed:
            cosine = x * self.way_x + y * self.way_y + z * self.way_z
            angle = acos(max(-1.0, min(1.0, cosine)))
            most = TURN * dt
            if angle > most:
                # within the plane of both
                x, y, z = less(x, y, z, self.way_x, self.way_y, self.way_z)
                size = norm3(x, y, z)
                if not size > 1e-6:
                    return
                c = cos(most)
                s = sin(most) / size
                x = c * self.way_x + s * x
                y = c * self.way_y + s * y
                z = c * self.way_z + s * z
        self.way_x, self.way_y, self.way_z = x, y, z

    def inside(self, o, angle, high, wide):
        """Return how far the arm is in the body with its elbow at an angle.

        Args:
            o: Offset of bend, across, shoulder, line and its length in the work.
            angle: The angle, from the bend to across.
            high: How far along the line the elbow is.
            wide: How far from it the elbow is.
        """
        work = self.work
        c = wide * cos(angle)
        s = wide * sin(angle)
        total = 0.0
        x = work[o + 6] + high * work[o + 9] + c * work[o] + s * work[o + 3]
        y = work[o + 7] + high * work[o + 10] + c * work[o + 1] + s * work[o + 4]
        z = work[o + 8] + high * work[o + 11] + c * work[o + 2] + s * work[o + 5]
        hx = work[o + 6] + work[o + 12] * work[o + 9] - x
        hy = work[o + 7] + work[o + 12] * work[o + 10] - y
        hz = work[o + 8] + work[o + 12] * work[o + 11] - z
        for k in range(4):
            t = 0.25 * k
            deep = self.lower_thick * self.size - self.gap(
                x + t * hx, y + t * hy, z + t * hz
            )
            if deep > 0.0:
                total += deep * deep
        t = 0.7
        deep = self.upper_thick * self.size - self.gap(
            work[o + 6] + t * (x - work[o + 6]),
            work[o + 7] + t * (y - work[o + 7]),
            work[o + 8] + t * (z - work[o + 8]),
        )
        if deep > 0.0:
            total += deep * deep
        return total / (self.size * self.size)

    def wanted(self, o, high, wide, now):
        """Return the angle at which the elbow is clear of the body, near 0."""
        if self.inside(o, 0.0, high, wide) == 0.0 and (
            now == 0.0 or self.inside(o, 0.5 * now, high, wide) == 0.0
        ):
            return 0.0
        best = FAR
        found = 0.0
        step = 2.0 * pi / SIDES
        for k in range(SIDES):
            # from the angle that it has, so that it does not leap between two
            angle = k * step - pi
            apart = angle - now
            if apart > pi:
                apart -= 2.0 * pi
            elif apart < -pi:
                apart += 2.0 * pi
            cost = self.cost(o, now + apart, now, high, wide)
            if cost < best:
                best = cost
                found = now + apart
        # the lowest point of the parabola through it and its neighbours
        less = self.cost(o, found - step, now, high, wide)
        more = self.cost(o, found + step, now, high, wide)
        bend = less - 2.0 * best + more
        if bend > 0.0:
            found += step * max(-0.5, min(0.5, 0.5 * (less - more) / bend))
        return found

    def cost(self, o, angle, now, high, wide):
        """Return how ill an angle of the elbow is, beside its own one and that now."""
        apart = angle - now
        # the way round through its own bend
        own = angle
        if own > pi:
            own -= 2.0 * pi
        elif own < -pi:
            own += 2.0 * pi
        return self.inside(o, angle, high, wide) + CHANGE * (own * own + apart * apart)
