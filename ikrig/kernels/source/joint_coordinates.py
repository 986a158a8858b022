# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Joints as coordinates: kinds, limits, and joint rotations.

A joint's rotation is relative to its parent's and to the start pose, with axes given in
root space for the start pose. So nothing depends on bone-axis conventions. Each joint
is one of

* BALL, free: a quaternion, 3 degrees of freedom about the parent's axes;
* AXES: one to three hinges in the order given, an angle each, with bounds;
* CONE: swing x, swing y (a rotation vector: its length is the angle, so no half of the
  cone is special) inside an ellipse per quadrant, and a bounded twist about the bone;
* FIXED: none;
* SLIDE: a bounded shift [scene unit] along an axis of unit length, without rotation;
* RANGED: any rotation, as a rotation vector of bounded length.

Boxes and ellipses are convex: a blend of two poses inside the limits is inside them.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import atan2, floor, sqrt

    from .buffers import doubles, ints
    from .joint_poses import JointPoseKernel
    from .quat_ops import conj_mul, log_rotation, mul, rotate_vec, rotation_vector

COMPILED = cython.compiled

PI = 3.141592653589793
FULL_TURN = 6.283  # wider ranges count as a full turn: files round them
FARTHEST = 1e64  # limit of the sum of squared coordinates: bounds keep it lower


class JointCoordinateKernel(JointPoseKernel):
    """The coordinates of a tree of joints, parents first.

    Sizes for n joints and m degrees of freedom: ``parent``, ``kind`` n and ``first``
    n + 1 whole numbers; offset (from the parent, start pose), bone (unit), across,
    up (with bone a right-handed frame) 3 n; half (right, up, left, down) 4 n; axis 3 m;
    lower, upper, value, shown_value, kept_value, start_value m; q, shown_q, kept_q,
    start_q, rotations, rest_to_anim 4 n; local_pos, joint_pos, points 3 n; speed n
    [rad or scene unit per second; negative: unlimited]; work 16. Of c joints that
    follow another, ``follower`` c (the joint) and ``leading`` c (the coordinate it
    follows) whole numbers, ``coupling`` 2 c (a factor and an addition). Whoever makes
    it sets ``coupled``, which is c, and ``size``, that of the tree [scene unit].
    """

    def __init__(self, n, m, buffers):
        """Store the sizes and the named buffers."""
        JointPoseKernel.__init__(self, n, buffers)
        self.m = m
        self.cyclic = 0
        self.scale = 1.0
        self.kind = ints(buffers["kind"])
        self.first = ints(buffers["first"])
        self.offset = doubles(buffers["offset"])
        self.bone = doubles(buffers["bone"])
        self.across = doubles(buffers["across"])
        self.up = doubles(buffers["up"])
        self.half = doubles(buffers["half"])
        self.axis = doubles(buffers["axis"])
        self.lower = doubles(buffers["lower"])
        self.upper = doubles(buffers["upper"])
        self.value = doubles(buffers["value"])
        self.shown_value = doubles(buffers["shown_value"])
        self.kept_value = doubles(buffers["kept_value"])
        self.shown_q = doubles(buffers["shown_q"])
        self.kept_q = doubles(buffers["kept_q"])
        self.start_value = doubles(buffers["start_value"])
        self.start_q = doubles(buffers["start_q"])
        self.points = doubles(buffers["points"])
        self.rest_to_anim = doubles(buffers["rest_to_anim"])
        self.work = doubles(buffers["work"])
        self.speed = doubles(buffers["speed"])
        self.follower = ints(buffers["follower"])
        self.leading = ints(buffers["leading"])
        self.coupling = doubles(buffers["coupling"])

    def project(self, j):
        """Clamp joint j's coordinates to its limits, and set its quaternion."""
        kind = self.kind[j]
        if kind == 0:
            return
        f = self.first[j]
        o = 4 * j
        q = self.q
        if kind == 3:
            for c in range(4):
                q[o + c] = self.start_q[o + c]
            return
        w = self.work
        value = self.value
        if kind == 2:
            self.to_ellipse(j)
            if value[f + 2] < self.lower[f + 2]:
                value[f + 2] = self.lower[f + 2]
            if value[f + 2] > self.upper[f + 2]:
                value[f + 2] = self.upper[f + 2]
            x, y = value[f], value[f + 1]
            a = self.across
            b = self.up
            i = 3 * j
            rotation_vector(
                w,
                0,
                x * b[i] - y * a[i],
                x * b[i + 1] - y * a[i + 1],
                x * b[i + 2] - y * a[i + 2],
            )
            k = value[f + 2]
            a = self.bone
            rotation_vector(w, 4, k * a[i], k * a[i + 1], k * a[i + 2])
            mul(q, o, w, 0, w, 4)
            return
        if kind == 5:
            x, y, z = value[f], value[f + 1], value[f + 2]
            k = sqrt(x * x + y * y + z * z)
            if k > self.half[o]:
                k = self.half[o] / k
                value[f] = x = k * x
                value[f + 1] = y = k * y
                value[f + 2] = z = k * z
            rotation_vector(q, o, x, y, z)
            return
        q[o] = 1.0
        q[o + 1] = q[o + 2] = q[o + 3] = 0.0
        for i in range(f, self.first[j + 1]):
            if self.cyclic and kind == 1 and self.upper[i] - self.lower[i] > FULL_TURN:
                # the same pose at the range's other end
                value[i] = self.unwrap(i, value[i])
            if value[i] < self.lower[i]:
                value[i] = self.lower[i]
            if value[i] > self.upper[i]:
                value[i] = self.upper[i]
            if kind == 4:
                continue
            k = value[i]
            a = self.axis
            rotation_vector(w, 0, k * a[3 * i], k * a[3 * i + 1], k * a[3 * i + 2])
            mul(q, o, q, o, w, 0)

    def couple(self):
        """Set the coordinates of joints that follow others."""
        for i in range(self.coupled):
            j = self.follower[i]
            k = 2 * i
            self.value[self.first[j]] = (
                self.coupling[k] * self.value[self.leading[i]] + self.coupling[k + 1]
            )
            self.project(j)

    def to_ellipse(self, j):
        """Move joint j's swing to the nearest point of its ellipse, if outside."""
        f = self.first[j]
        x, y = self.value[f], self.value[f + 1]
        a = self.half[4 * j] if x >= 0.0 else self.half[4 * j + 2]
        b = self.half[4 * j + 1] if y >= 0.0 else self.half[4 * j + 3]
        if x * x / (a * a) + y * y / (b * b) <= 1.0:
            return
        if a == b:
            k = a / sqrt(x * x + y * y)
            x *= k
            y *= k
        else:
            # the nearest point is (a² x / (t + a²), b² y / (t + b²)) for the t >= 0
            # that puts it on the ellipse; from 0 Newton rises to it, for it is convex
            t = 0.0
            for _ in range(40):
                u = a * x / (t + a * a)
                v = b * y / (t + b * b)
                g = u * u + v * v - 1.0
                if g <= 1e-14:
                    break
                t += 0.5 * g / (u * u / (t + a * a) + v * v / (t + b * b))
            x *= a * a / (t + a * a)
            y *= b * b / (t + b * b)
        self.value[f] = x
        self.value[f + 1] = y

    def set_from_rotation(self, j, r, o):
        """Set joint j to the rotation at ``r[o]``, as near as limits and axes allow."""
        kind = self.kind[j]
        q = self.q
        p = 4 * j
        if kind == 0:
            for c in range(4):
                q[p + c] = r[o + c]
            return
        f = self.first[j]
        w = self.work
        i = 3 * j
        if kind == 2:
            u = self.bone
            a = self.across
            b = self.up
            rotate_vec(w, 0, r, o, u[i], u[i + 1], u[i + 2])
            x = w[0] * a[i] + w[1] * a[i + 1] + w[2] * a[i + 2]
            y = w[0] * b[i] + w[1] * b[i + 1] + w[2] * b[i + 2]
            z = w[0] * u[i] + w[1] * u[i + 1] + w[2] * u[i + 2]
            s = sqrt(x * x + y * y)
            # straight back the side is undefined: keep the last one
            if s < 1e-12 and z < 0.0:
                x, y = self.value[f], self.value[f + 1]
                s = sqrt(x * x + y * y)
                if s < 1e-12:
                    x = s = 1.0
                z = -1e30 * s
            if s > 0.0:
                g = atan2(s, z) / s
                x *= g
                y *= g
            self.value[f] = x
            self.value[f + 1] = y
            rotation_vector(
                w,
                0,
                x * b[i] - y * a[i],
                x * b[i + 1] - y * a[i + 1],
                x * b[i + 2] - y * a[i + 2],
            )
            conj_mul(w, 0, w, 0, r, o)
            g = 2.0 * atan2(w[1] * u[i] + w[2] * u[i + 1] + w[3] * u[i + 2], w[0])
            self.value[f + 2] = self.unwrap(f + 2, g)
        elif kind == 5:
            log_rotation(self.value, f, r, o)
        elif kind == 1:
            a = self.axis
            last = self.first[j + 1]
            for _ in range(1 if last - f == 1 else 8):
                for k in range(f, last):
                    # remove the rotations of the others: the rest is about axis k
                    w[0] = 1.0
                    w[1] = w[2] = w[3] = 0.0
                    for e in range(f, k):
                        t = self.value[e]
                        rotation_vector(
                            w, 4, t * a[3 * e], t * a[3 * e + 1], t * a[3 * e + 2]
                        )
                        mul(w, 0, w, 0, w, 4)
                    conj_mul(w, 0, w, 0, r, o)
                    for e in range(last - 1, k, -1):
                        t = -self.value[e]
                        rotation_vector(
                            w, 4, t * a[3 * e], t * a[3 * e + 1], t * a[3 * e + 2]
                        )
                        mul(w, 0, w, 0, w, 4)
                    t = w[1] * a[3 * k] + w[2] * a[3 * k + 1] + w[3] * a[3 * k + 2]
                    self.value[k] = self.unwrap(k, 2.0 * atan2(t, w[0]))
        self.project(j)

    def unwrap(self, k, angle):
        """Return an equivalent angle, by whole turns, that suits coordinate k best.

        The result is inside its bounds and nearest to its value; when none is inside,
        it is the one least outside.
        """
        turn = 2.0 * PI
        best = angle + turn * floor((self.value[k] - angle) / turn + 0.5)
        if best < self.lower[k]:
            # the last one below, and the first that is not
            best += turn * floor((self.lower[k] - best) / turn)
            more = best if best >= self.lower[k] else best + turn
            if more <= self.upper[k] or more - self.upper[k] < self.lower[k] - best:
                best = more
        elif best > self.upper[k]:
            best -= turn * floor((best - self.upper[k]) / turn)
            less = best if best <= self.upper[k] else best - turn
            if less >= self.lower[k] or self.lower[k] - less < best - self.upper[k]:
                best = less
        return best

    def sound(self):
        """Return 1 when all coordinates are finite and all rotations valid.

        Else a step has led to numbers that are not finite, or too large to continue.
        """
        q = self.q
        w = x = y = z = 0.0
        for o in range(0, 4 * self.n, 4):
            w += q[o] * q[o]
            x += q[o + 1] * q[o + 1]
            y += q[o + 2] * q[o + 2]
            z += q[o + 3] * q[o + 3]
        w += x + y + z
        t = 0.0
        for k in range(self.m):
            t += self.value[k] * self.value[k]
        return 1 if abs(w - self.n) < 1e-6 and t < FARTHEST else 0

    def bone_offset(self, j):
        """Set ``local_pos``: the offset of joint j from its parent, in its frame.

        That frame has root space's axes as long as the parent has not turned.
        """
        at = self.local_pos
        off = self.offset
        i = 3 * j
        for c in range(3):
            at[i + c] = self.scale * off[i + c]
        if self.kind[j] == 4:
            f = self.first[j]
            for c in range(3):
                at[i + c] += self.value[f] * self.axis[3 * f + c]
