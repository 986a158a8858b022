"""The fingers of a hand: they curl, spread and close on things.

A joint turns from the pose of the model file by three angles: it curls, it spreads and,
at the base of a thumb, it opposes the fingers. ``close`` curls each finger until one of
the spheres that fill it touches a shape, then the bones beyond that one on their own.
"""

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, ints, pin
    from .quat_ops import about
    from .vectors import (
        between,
        by_rows,
        copy,
        dot,
        moved,
        multiply,
        norm,
        norm3,
        put,
        put4,
        rotated,
        three,
    )

# numbers of a joint: axes of the three angles in its own space, then the angle that
# straightens it, that of a closed finger, and those of a full spread and opposition,
# with the opposition in the pose of the file
JOINT = 14
STRAIGHT = 9
FULL = 10
SPREAD = 11
OPPOSE = 12
OPPOSED = 13
# numbers of a sphere: the joint, its centre in the joint's space, and its radius
SPHERE = 5
# numbers of a shape: its kind, and 15 that depend on it
SHAPE = 16
BALL = 0
CAPSULE = 1
BOX = 2
TRIANGLE = 3
PLANE = 4
# where fingers begin to close, and how far they may [fraction of their curl]
OPEN = -0.2
CLOSED = 1.15
# gap at which a sphere touches / its radius
TOUCH = 0.03
# smallest step of a curl, and most steps
STEP = 0.002
STEPS = 80
# poses of a thumb from which it closes: oppositions, each with some spreads
OPPOSITIONS = 14
SPREADS = 3
# tips nearer than this touch / radius; a thumb's ball may be so deep in the thing
PAD = 0.5
SOFT = 0.1
FAR = 1e300


class HandKernel:
    """Sets the joints of fingers.

    Args:
        figure: The pose that they are joints of, a ``PoseKernel``.
        joints: Indices of the joints, finger by finger from knuckle to tip.
        starts: Number of the first joint of each finger, then that of all joints.
        shape: ``JOINT`` numbers of each joint.
        spheres: ``SPHERE`` numbers of each sphere, rising by joint.
        wanted: Curl, spread and opposition of each finger, 0 to 1.
        work: Buffer of 21 numbers for each joint.
    """

    def __init__(self, figure, joints, starts, shape, spheres, wanted, work):
        self.figure = figure
        self.n = len(joints)
        self.fingers = len(starts) - 1
        self.sphere_count = len(spheres) // SPHERE
        self._pinned = pin((joints, starts, shape, spheres, wanted, work))
        self.joint = ints(joints)
        self.start = ints(starts)
        self.shape = doubles(shape)
        self.sphere = doubles(spheres)
        self.wanted = doubles(wanted)
        self.work = doubles(work)
        # of each joint: 3 angles now, 3 that it had and 3 that it holds; then its axes
        # and position while closing
        self.first = 3 * self.n
        self.held = 6 * self.n
        self.net = 9 * self.n
        # below 0: as animated before
        self.time = self.seconds = 0.0
        # how far it is from as animated, 0, to its angles, 1: now, before, and wanted
        self.share = self.former = self.shown = 0.0
        self.holds = 0
        self.contacts = 0
        self.touched = 0
        self.gap = self.stop = self.tip = self.deep = 0.0

    def glide(self, seconds):
        """Go to what is wanted from now on in a time [s] from where fingers are."""
        copy(self.work, self.first, self.work, 0, 3 * self.n)
        self.former = self.share
        self.seconds = seconds
        self.time = 0.0
        return 0

    def hold(self, values):
        """Hold a pose instead of what is wanted; return 0.

        Args:
            values: Curl, spread and opposition of each finger, as in ``wanted``.
        """
        keep = pin((values,))
        value = doubles(values)
        for f in range(self.fingers):
            for k in range(self.start[f], self.start[f + 1]):
                self.set_angles(k, self.held, value, 3 * f)
        self.contacts = 0
        self.holds = 1
        del keep
        return 0

    def set_angles(self, k, to, value, v):
        """Set the three angles of a joint by the values of its finger."""
        work = self.work
        shape = self.shape
        s = JOINT * k
        o = to + 3 * k
        work[o] = shape[s + STRAIGHT] + value[v] * shape[s + FULL]
        work[o + 1] = value[v + 1] * shape[s + SPREAD]
        work[o + 2] = value[v + 2] * shape[s + OPPOSE] - shape[s + OPPOSED]

    def release(self):
        """Hold nothing any more; return 0."""
        self.holds = 0
        self.contacts = 0
        return 0

    def step(self, weight, dt):
        """Set the joints for a frame of dt seconds; return whether they still move."""
        work = self.work
        moving = 0
        t = 1.0
        if self.time < self.seconds:
            self.time += dt
            t = min(1.0, self.time / self.seconds)
            moving = 1
            t = t * t * (3.0 - 2.0 * t)
        self.share = self.former + t * (self.shown - self.former)
        if self.share <= 0.0:
            return 0
        if self.former == 0.0:
            # only the share grows
            t = 1.0
        for f in range(self.fingers):
            for k in range(self.start[f], self.start[f + 1]):
                o = 3 * k
                if self.shown == 0.0:
                    pass
                elif self.holds != 0:
                    copy(work, o, work, self.held + o, 3)
                else:
                    self.set_angles(k, 0, self.wanted, 3 * f)
                if t < 1.0 and self.shown > 0.0:
                    for i in range(o, o + 3):
                        a = work[self.first + i]
                        work[i] = a + t * (work[i] - a)
                self.write(k, self.share * weight)
        return moving

    def write(self, k, weight):
        """Set a joint of the pose, from as animated (weight 0) to its angles (1)."""
        self.turn(k)
        m = self.figure.pointer
        o = 16 * self.joint[k]
        w = self.net + 12 * k
        work = self.work
        if weight < 1.0:
            for r in range(3):
                i = w + 3 * r
                q = o + 4 * r
                a = sqrt(1.0 * m[q] * m[q] + m[q + 1] * m[q + 1] + m[q + 2] * m[q + 2])
                length = a + weight * (norm(work, i) - a)
                for c in range(3):
                    work[i + c] = m[q + c] + weight * (work[i + c] - m[q + c])
                # square to the rows before, and of its own length
                for e in range(w, i, 3):
                    size = dot(work, e, work, e)
                    if size > 0.0:
                        along = dot(work, i, work, e) / size
                        for c in range(3):
                            work[i + c] -= along * work[e + c]
                size = norm(work, i)
                if not size > 1e-6 * length:
                    # a half turn has no middle: as animated
                    return
                for c in range(3):
                    work[i + c] *= length / size
        for r in range(3):
            for c in range(3):
                m[o + 4 * r + c] = work[w + 3 * r + c]
        self.figure.note(self.joint[k])

    def turn(self, k):
        """Set the axes of a joint in its parent's space, by its angles."""
        work = self.work
        i = self.net + 12 * k
        # one of the turns, and that of all, where the axes will be
        q = i + 8
        put4(work, q, 1.0, 0.0, 0.0, 0.0)
        for c in range(3):
            if work[3 * k + c] != 0.0:
                # the later one about the axes of the file
                x, y, z = three(self.shape, JOINT * k + 3 * c)
                about(work, i, 0.5 * work[3 * k + c], x, y, z)
                multiply(work, q, work, i, work, q)
        m = self.figure.rest
        o = 16 * self.joint[k]
        for r in range(3):
            x = 1.0 if r == 0 else 0.0
            y = 1.0 if r == 1 else 0.0
            z = 1.0 if r == 2 else 0.0
            x, y, z = rotated(work, q, x, y, z)
            for c in range(3):
                work[i + 3 * r + c] = x * m[o + c] + y * m[o + 4 + c] + z * m[o + 8 + c]

    # -- closing on shapes -------------------------------------------------------------

    def close(self, shapes, count):
        """Find the curls at which fingers touch shapes, and hold them; return 0.

        The pose of the hand counts, not that of its fingers.

        Args:
            shapes: ``SHAPE`` numbers of each shape, in the skeleton's space.
            count: Number of shapes.
        """
        keep = pin((shapes,))
        self.thing = doubles(shapes)
        self.things = count
        work = self.work
        copy(work, self.first, work, 0, 3 * self.n)
        self.contacts = 0
        total = number = 0.0
        missed: cython.int = 0
        for f in range(self.fingers):
            best = -FAR
            first = self.start[f]
            last = self.start[f + 1]
            spread = self.wanted[3 * f + 1]
            thumb = self.shape[JOINT * first + OPPOSE] != 0.0
            touches = 0
            for t in range(OPPOSITIONS * SPREADS if thumb else 1):
                oppose = 1.0
                if thumb:
                    # from below the palm to beside it, and also away from the fingers
                    oppose = 1.0 - 0.1 * (t // SPREADS)
                    spread = 0.5 * (t % SPREADS)
                bones = self.close_finger(f, spread, oppose)
                score = self.score(f, bones) if thumb else bones
                if score > best:
                    best = score
                    touches = bones
                    i = 3 * first
                    copy(work, self.held + i, work, i, 3 * (last - first))
                # with its end
                if thumb and score >= last - first:
                    break
            if touches > 0:
                self.contacts |= 1 << f
                if not thumb:
                    total += self.stop
                    number += 1.0
            elif touches == 0:
                missed |= 1 << f
        # those that touch nothing close as far as their neighbours
        for f in range(self.fingers):
            if missed & (1 << f) == 0 or number == 0.0:
                continue
            for k in range(self.start[f], self.start[f + 1]):
                work[self.held + 3 * k] = (
                    self.shape[JOINT * k + STRAIGHT]
                    + total / number * self.shape[JOINT * k + FULL]
                )
        self.holds = 1
        copy(work, 0, work, self.first, 3 * self.n)
        del keep
        return 0

    def score(self, f, bones):
        """Return how well a thumb holds: best where its end touches, without depth."""
        s = SPHERE * (self.sphere_count - 1)
        for i in range(self.sphere_count):
            if int(self.sphere[SPHERE * i]) == self.start[f + 1] - 1:
                s = SPHERE * i
        radius = self.sphere[s + 4]
        found = 1.0 * bones
        if bones < 0:
            found = -3.0
        elif bones > 0 and self.tip < PAD * radius:
            found = 1.0 * (self.start[f + 1] - self.start[f])
        else:
            # the nearer its end is, the better
            most = 1.0 if bones > 0 else 2.0
            found = 1.5 * min(1.0, found) - min(most, 0.25 * self.tip / radius)
        return found - 4.0 * max(0.0, self.deep / radius - SOFT)

    def close_finger(self, f, spread, oppose):
        """Curl a finger until it touches; return the last bone that does, from 1.

        0: none touches. Below 0: it was inside a shape before. ``deep`` is how deep,
        also where that is only the ball of a thumb, which is a part of the palm.
        """
        work = self.work
        shape = self.shape
        first = self.start[f]
        last = self.start[f + 1]
        for k in range(first, last):
            work[3 * k + 1] = spread * shape[JOINT * k + SPREAD]
            work[3 * k + 2] = (
                oppose * shape[JOINT * k + OPPOSE] - shape[JOINT * k + OPPOSED]
            )
        curl = OPEN
        moving = first
        found = 0
        self.curl(f, moving, curl)
        self.measure(f, moving)
        self.deep = max(0.0, -self.gap)
        if self.gap < 0.0:
            if self.touched > first or shape[JOINT * first + OPPOSE] == 0.0:
                return -1
            found = 1
            moving = first + 1
            self.measure(f, moving)
            if self.gap < 0.0:
                return -1
        for _ in range(STEPS):
            if self.touched >= 0:
                if found == 0:
                    self.stop = curl
                found = self.touched - first + 1
                moving = self.touched + 1
                if moving >= last:
                    break
            elif curl >= CLOSED:
                break
            curl = min(CLOSED, curl + max(STEP, self.gap))
            self.curl(f, moving, curl)
            self.measure(f, moving)
        return found

    def curl(self, f, moving, curl):
        """Curl the joints of a finger from one on, and compute where its bones are."""
        work = self.work
        shape = self.shape
        m = self.figure.pointer
        for k in range(moving, self.start[f + 1]):
            work[3 * k] = shape[JOINT * k + STRAIGHT] + curl * shape[JOINT * k + FULL]
            self.turn(k)
            j = self.joint[k]
            i = self.net + 12 * k
            for c in range(3):
                work[i + 9 + c] = m[16 * j + 12 + c]
            p = self.figure.parent[j]
            if k > self.start[f]:
                self.into(i, work, i - 12)
            elif p >= 0:
                self.into(i, self.figure.net, self.figure.at(p))

    def into(self, i, net, p):
        """Transform axes and position by those of the parent."""
        work = self.work
        for o in range(i, i + 9, 3):
            x, y, z = three(work, o)
            x, y, z = by_rows(net, p, x, y, z)
            put(work, o, x, y, z)
        x, y, z = three(work, i + 9)
        x, y, z = moved(net, p, x, y, z)
        put(work, i + 9, x, y, z)

    def measure(self, f, moving):
        """Set which bone of a finger touches, of those that move, and a free step.

        ``gap`` is the part of the curl that the finger can certainly go on, below 0
        inside a shape; ``touched`` the outermost joint that touches, or -1; ``tip`` the
        distance of the last bone.
        """
        work = self.work
        sphere = self.sphere
        self.touched = -1
        self.gap = self.tip = FAR
        for i in range(self.sphere_count):
            s = SPHERE * i
            k: cython.int = int(sphere[s])
            if k < moving or k >= self.start[f + 1]:
                continue
            o = self.net + 12 * k
            x, y, z = three(sphere, s + 1)
            radius = sphere[s + 4]
            px, py, pz = moved(work, o, x, y, z)
            gap = FAR
            for t in range(self.things):
                gap = min(gap, distance(self.thing, SHAPE * t, px, py, pz))
            gap -= radius
            if k == self.start[f + 1] - 1:
                self.tip = min(self.tip, gap)
            if gap < TOUCH * radius:
                self.touched = max(self.touched, k)
                if gap < -TOUCH * radius:
                    self.gap = min(self.gap, gap)
                continue
            # no point moves faster than about all joints at once
            rate = 0.0
            for b in range(moving, k + 1):
                q = self.net + 12 * b + 9
                x, y, z = px - work[q], py - work[q + 1], pz - work[q + 2]
                rate += self.shape[JOINT * b + FULL] * norm3(x, y, z)
            if rate > 0.0 and self.gap > gap / rate:
                self.gap = gap / rate


def gaps(shapes, count, points, found):
    """Set the distances of points from the nearest of some shapes; return 0.

    Args:
        shapes: ``SHAPE`` numbers of each shape.
        count: Number of shapes.
        points: Three numbers for each point.
        found: Its length is the number of points.
    """
    keep = pin((shapes, points, found))
    shape = doubles(shapes)
    point = doubles(points)
    gap = doubles(found)
    for i in range(len(found)):
        least = FAR
        for t in range(count):
            x, y, z = three(point, 3 * i)
            least = min(least, distance(shape, SHAPE * t, x, y, z))
        gap[i] = least
    del keep
    return 0


def distance(shape, o, x, y, z):
    """Return the distance of a point from a shape, below 0 inside; a triangle has none.

    Args:
        shape: Numbers of shapes: a ball's centre and radius; a capsule's two ends and
            radius; a box's centre, three unit axes and half extents; a triangle's
            corners; a plane's unit normal and its product with a point.
        o: Offset of the shape.
        x, y, z: The point.
    """
    kind: cython.int = int(shape[o])
    if kind == PLANE:
        return x * shape[o + 1] + y * shape[o + 2] + z * shape[o + 3] - shape[o + 4]
    x, y, z = x - shape[o + 1], y - shape[o + 2], z - shape[o + 3]
    if kind == BALL:
        return norm3(x, y, z) - shape[o + 4]
    if kind == CAPSULE:
        ax, ay, az = between(shape, o + 1, shape, o + 4)
        size = ax * ax + ay * ay + az * az
        t = x * ax + y * ay + z * az
        t = max(0.0, min(1.0, t / size)) if size > 0.0 else 0.0
        x, y, z = x - t * ax, y - t * ay, z - t * az
        return norm3(x, y, z) - shape[o + 7]
    if kind == BOX:
        inside = -FAR
        out = 0.0
        for c in range(3):
            a = o + 4 + 3 * c
            d = abs(x * shape[a] + y * shape[a + 1] + z * shape[a + 2])
            d -= shape[o + 13 + c]
            inside = max(inside, d)
            if d > 0.0:
                out += d * d
        return sqrt(out) if out > 0.0 else inside
    return triangle_distance(shape, o, x, y, z)


def triangle_distance(shape, o, x, y, z):
    """Return the distance of a point, relative to the first corner, from a triangle.

    By the regions of corners, edges and face (C. Ericson, Real-Time Collision
    Detection, 5.1.5).
    """
    bx, by, bz = between(shape, o + 1, shape, o + 4)
    cx, cy, cz = between(shape, o + 1, shape, o + 7)
    d1 = bx * x + by * y + bz * z
    d2 = cx * x + cy * y + cz * z
    bb = bx * bx + by * by + bz * bz
    bc = bx * cx + by * cy + bz * cz
    cc = cx * cx + cy * cy + cz * cz
    d3 = d1 - bb
    d4 = d2 - bc
    d5 = d1 - bc
    d6 = d2 - cc
    vc = d1 * d4 - d3 * d2
    vb = d5 * d2 - d1 * d6
    va = d3 * d6 - d5 * d4
    u = v = 0.0
    if d1 <= 0.0 and d2 <= 0.0:
        pass
    elif d3 >= 0.0 and d4 <= d3:
        u = 1.0
    elif d6 >= 0.0 and d5 <= d6:
        v = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        u = d1 / (d1 - d3)
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        v = d2 / (d2 - d6)
    elif va <= 0.0 and d4 >= d3 and d5 >= d6:
        v = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        u = 1.0 - v
    elif va + vb + vc > 0.0:
        u = vb / (va + vb + vc)
        v = vc / (va + vb + vc)
    x, y, z = x - (u * bx + v * cx), y - (u * by + v * cy), z - (u * bz + v * cz)
    return norm3(x, y, z)
