"""The fingers of a hand: they curl, spread and close on things.

A joint turns from the pose of the model file by three angles: it curls, it spreads and,
at the base of a thumb, it opposes the fingers. ``close`` curls each finger until one of
the spheres that fill it touches a shape, then the bones beyond that one on their own.
"""

import cython

if not cython.compiled:
    from math import cos, sin, sqrt

    from .buffers import doubles, ints, pin

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
        buffers = {
            "j": joints,
            "starts": starts,
            "shape": shape,
            "spheres": spheres,
            "wanted": wanted,
            "work": work,
        }
        self._pinned = pin(buffers)
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
        for i in range(3 * self.n):
            self.work[self.first + i] = self.work[i]
        self.former = self.share
        self.seconds = seconds
        self.time = 0.0
        return 0

    def hold(self, values):
        """Hold a pose instead of what is wanted; return 0.

        Args:
            values: Curl, spread and opposition of each finger, as in ``wanted``.
        """
        keep = pin({"values": values})
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
                    for i in range(o, o + 3):
                        work[i] = work[self.held + i]
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
            lengths: cython.double = 0.0
            for r in range(3):
                i = w + 3 * r
                q = o + 4 * r
                a = sqrt(1.0 * m[q] * m[q] + m[q + 1] * m[q + 1] + m[q + 2] * m[q + 2])
                b = sqrt(
                    work[i] * work[i]
                    + work[i + 1] * work[i + 1]
                    + work[i + 2] * work[i + 2]
                )
                lengths = a + weight * (b - a)
                for c in range(3):
                    work[i + c] = m[q + c] + weight * (work[i + c] - m[q + c])
                # square to the rows before, and of its own length
                for p in range(r):
                    e = w + 3 * p
                    size = (
                        work[e] * work[e]
                        + work[e + 1] * work[e + 1]
                        + work[e + 2] * work[e + 2]
                    )
                    along = (
                        work[i] * work[e]
                        + work[i + 1] * work[e + 1]
                        + work[i + 2] * work[e + 2]
                    )
                    if size > 0.0:
                        for c in range(3):
                            work[i + c] -= along / size * work[e + c]
                size = sqrt(
                    work[i] * work[i]
                    + work[i + 1] * work[i + 1]
                    + work[i + 2] * work[i + 2]
                )
                if not size > 1e-6 * lengths:
                    # a half turn has no middle: as animated
                    return
                for c in range(3):
                    work[i + c] *= lengths / size
        for r in range(3):
            for c in range(3):
                m[o + 4 * r + c] = work[w + 3 * r + c]
        self.figure.note(self.joint[k])

    def turn(self, k):
        """Set the axes of a joint in its parent's space, by its angles."""
        work = self.work
        shape = self.shape
        qw = 1.0
        qx = qy = qz = 0.0
        for c in range(3):
            angle = 0.5 * work[3 * k + c]
            if angle == 0.0:
                continue
            s = JOINT * k + 3 * c
            w = cos(angle)
            h = sin(angle)
            x = h * shape[s]
            y = h * shape[s + 1]
            z = h * shape[s + 2]
            # the later one about the axes of the file
            tw = w * qw - x * qx - y * qy - z * qz
            tx = w * qx + x * qw + y * qz - z * qy
            ty = w * qy - x * qz + y * qw + z * qx
            qz = w * qz + x * qy - y * qx + z * qw
            qw = tw
            qx = tx
            qy = ty
        m = self.figure.rest
        o = 16 * self.joint[k]
        i = self.net + 12 * k
        for r in range(3):
            # the rotated axis of the joint
            if r == 0:
                ax = 1.0 - 2.0 * (qy * qy + qz * qz)
                ay = 2.0 * (qx * qy + qw * qz)
                az = 2.0 * (qx * qz - qw * qy)
            elif r == 1:
                ax = 2.0 * (qx * qy - qw * qz)
                ay = 1.0 - 2.0 * (qx * qx + qz * qz)
                az = 2.0 * (qy * qz + qw * qx)
            else:
                ax = 2.0 * (qx * qz + qw * qy)
                ay = 2.0 * (qy * qz - qw * qx)
                az = 1.0 - 2.0 * (qx * qx + qy * qy)
            for c in range(3):
                work[i + 3 * r + c] = (
                    ax * m[o + c] + ay * m[o + 4 + c] + az * m[o + 8 + c]
                )

    # -- closing on shapes -------------------------------------------------------------

    def close(self, shapes, count):
        """Find the curls at which fingers touch shapes, and hold them; return 0.

        The pose of the hand counts, not that of its fingers.

        Args:
            shapes: ``SHAPE`` numbers of each shape, in the skeleton's space.
            count: Number of shapes.
        """
        keep = pin({"shapes": shapes})
        self.thing = doubles(shapes)
        self.things = count
        work = self.work
        for i in range(3 * self.n):
            work[self.first + i] = work[i]
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
                    for i in range(3 * first, 3 * last):
                        work[self.held + i] = work[i]
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
        for i in range(3 * self.n):
            work[i] = work[self.first + i]
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
        for r in range(4):
            o = i + 3 * r
            x = work[o]
            y = work[o + 1]
            z = work[o + 2]
            for c in range(3):
                work[o + c] = x * net[p + c] + y * net[p + 3 + c] + z * net[p + 6 + c]
                if r == 3:
                    work[o + c] += net[p + 9 + c]

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
            x = sphere[s + 1]
            y = sphere[s + 2]
            z = sphere[s + 3]
            radius = sphere[s + 4]
            px = x * work[o] + y * work[o + 3] + z * work[o + 6] + work[o + 9]
            py = x * work[o + 1] + y * work[o + 4] + z * work[o + 7] + work[o + 10]
            pz = x * work[o + 2] + y * work[o + 5] + z * work[o + 8] + work[o + 11]
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
                x = px - work[q]
                y = py - work[q + 1]
                z = pz - work[q + 2]
                rate += self.shape[JOINT * b + FULL] * sqrt(x * x + y * y + z * z)
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
    keep = pin({"shapes": shapes, "points": points, "found": found})
    shape = doubles(shapes)
    point = doubles(points)
    gap = doubles(found)
    for i in range(len(found)):
        least = FAR
        for t in range(count):
            d = distance(
                shape, SHAPE * t, point[3 * i], point[3 * i + 1], point[3 * i + 2]
            )
            least = min(least, d)
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
    x -= shape[o + 1]
    y -= shape[o + 2]
    z -= shape[o + 3]
    if kind == BALL:
        return sqrt(x * x + y * y + z * z) - shape[o + 4]
    if kind == CAPSULE:
        ax = shape[o + 4] - shape[o + 1]
        ay = shape[o + 5] - shape[o + 2]
        az = shape[o + 6] - shape[o + 3]
        size = ax * ax + ay * ay + az * az
        t = x * ax + y * ay + z * az
        t = max(0.0, min(1.0, t / size)) if size > 0.0 else 0.0
        x -= t * ax
        y -= t * ay
        z -= t * az
        return sqrt(x * x + y * y + z * z) - shape[o + 7]
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
    bx = shape[o + 4] - shape[o + 1]
    by = shape[o + 5] - shape[o + 2]
    bz = shape[o + 6] - shape[o + 3]
    cx = shape[o + 7] - shape[o + 1]
    cy = shape[o + 8] - shape[o + 2]
    cz = shape[o + 9] - shape[o + 3]
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
    x -= u * bx + v * cx
    y -= u * by + v * cy
    z -= u * bz + v * cz
    return sqrt(x * x + y * y + z * z)
