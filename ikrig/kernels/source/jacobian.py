# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Jacobian, gradient and steps of a tree of joints with goals for some of them.

The residual r stacks, per effector, (goal - tip) / size and the rotation vector from
the effector's rotation to the goal's, each times its weight; so rows have no unit.
Columns are ``a × (e - p)`` over ``a``: axis a, tip e and joint position p. A step's
degrees of freedom at a cone's edge are along and across the edge, so that every limit
bounds one number of the step.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import atan2, cos, sin, sqrt

    from .buffers import doubles, ints
    from .joint_coordinates import FULL_TURN
    from .joint_fk import JointFkKernel
    from .joint_poses import set_columns
    from .quat_ops import mul, rotate_vec, rotation_vector

COMPILED = cython.compiled

FAR = 1e30


class JacobianKernel(JointFkKernel):
    """Joints, effectors and the linear algebra of one step.

    Sizes for e effectors with R rows together: ``effector`` (their joints),
    ``effector_row`` (their first rows) e, ``at_bound`` m whole numbers; tool 3 e (from
    joint to effector, start pose); goal, tips 3 e, goal_rot 4 e, weights 2 e
    (position, rotation; 0: no rows); residual, solved R; gradient, step, wish, low,
    high, mobility m; columns 3 m. For s segments of w rows at most whole numbers
    ``segment_first`` s + 1, ``segment_joint`` (their joints, the last one first),
    ``segment_parent``, ``segment_effector`` (-1: none), ``segment_inner`` (1: it has
    children), ``segment_rows`` s; segment (w w + 14 w + 9) s, joint_row w m.
    """

    def __init__(self, n, m, e, buffers):
        """Store the sizes and the named buffers."""
        JointFkKernel.__init__(self, n, m, buffers)
        self.e = e
        self.segments = len(buffers["segment_parent"])
        self.effector = ints(buffers["effector"])
        self.effector_row = ints(buffers["effector_row"])
        self.segment_first = ints(buffers["segment_first"])
        self.segment_joint = ints(buffers["segment_joint"])
        self.segment_parent = ints(buffers["segment_parent"])
        self.segment_effector = ints(buffers["segment_effector"])
        self.segment_inner = ints(buffers["segment_inner"])
        self.segment_rows = ints(buffers["segment_rows"])
        self.segment = doubles(buffers["segment"])
        self.mobility = doubles(buffers["mobility"])
        self.joint_row = doubles(buffers["joint_row"])
        self.at_bound = ints(buffers["at_bound"])
        self.tool = doubles(buffers["tool"])
        self.goal = doubles(buffers["goal"])
        self.goal_rot = doubles(buffers["goal_rot"])
        self.weights = doubles(buffers["weights"])
        self.residual = doubles(buffers["residual"])
        self.gradient = doubles(buffers["gradient"])
        self.step = doubles(buffers["step"])
        self.low = doubles(buffers["low"])
        self.high = doubles(buffers["high"])
        self.columns = doubles(buffers["columns"])
        self.solved = doubles(buffers["solved"])
        self.wish = doubles(buffers["wish"])
        self.tips = doubles(buffers["tips"])
        self.error = 0.0
        self.orientation_error = 0.0
        self.rows = 0

    def measure(self):
        """Set rotations, positions, tips and residual; return half its square.

        ``error`` and ``orientation_error`` are then the largest distance [scene unit]
        and angle [rad] of any effector with a weight for it.
        """
        self.forward()
        w = self.work
        r = self.residual
        self.error = 0.0
        self.orientation_error = 0.0
        row = 0
        total = 0.0
        for i in range(self.e):
            j = self.effector[i]
            self.effector_row[i] = row
            k = 3 * i
            rotate_vec(
                w,
                0,
                self.rotations,
                4 * j,
                self.tool[k],
                self.tool[k + 1],
                self.tool[k + 2],
            )
            for c in range(3):
                self.tips[k + c] = self.joint_pos[3 * j + c] + self.scale * w[c]
            weight = self.weights[2 * i]
            if weight > 0.0:
                x = self.goal[k] - self.tips[k]
                y = self.goal[k + 1] - self.tips[k + 1]
                z = self.goal[k + 2] - self.tips[k + 2]
                s = sqrt(x * x + y * y + z * z)
                # NaN must not count as a small error
                if not s <= self.error:
                    self.error = s
                t = weight / self.size
                r[row] = t * x
                r[row + 1] = t * y
                r[row + 2] = t * z
                total += t * t * s * s
                row += 3
            weight = self.weights[2 * i + 1]
            if weight > 0.0:
                # goal ⊗ rotation⁻¹ as a rotation vector, in the shorter direction
                for c in range(4):
                    w[4 + c] = -self.rotations[4 * j + c]
                w[4] = -w[4]
                mul(w, 0, self.goal_rot, 4 * i, w, 4)
                t = -1.0 if w[0] < 0.0 else 1.0
                s = sqrt(w[1] * w[1] + w[2] * w[2] + w[3] * w[3])
                angle = 2.0 * atan2(s, t * w[0])
                if not angle <= self.orientation_error:
                    self.orientation_error = angle
                if s > 0.0:
                    t *= weight * (angle / s)
                r[row] = t * w[1]
                r[row + 1] = t * w[2]
                r[row + 2] = t * w[3]
                total += weight * weight * angle * angle
                row += 3
        self.rows = row
        return 0.5 * total

    def set_columns(self):
        """Set each degree of freedom's axis, root space, and its step's bounds."""
        w = self.work
        col = self.columns
        for j in range(self.n):
            kind = self.kind[j]
            if kind == 3:
                continue
            f = self.first[j]
            p = self.parent[j]
            i = 3 * f
            if kind == 2:
                self.set_cone_columns(j)
            elif kind == 5:
                self.set_ranged_columns(j)
            elif kind == 0:
                for k in range(9):
                    col[i + k] = 0.0
                col[i] = col[i + 4] = col[i + 8] = 1.0
                for k in range(f, f + 3):
                    self.low[k] = -FAR
                    self.high[k] = FAR
                # about root space's axes: no need to rotate them by the parent
                continue
            elif kind == 4:
                for c in range(3):
                    col[i + c] = self.axis[i + c]
                self.low[f] = (self.lower[f] - self.value[f]) / self.size
                self.high[f] = (self.upper[f] - self.value[f]) / self.size
            else:
                w[0] = 1.0
                w[1] = w[2] = w[3] = 0.0
                a = self.axis
                last = self.first[j + 1]
                for k in range(f, last):
                    i = 3 * k
                    rotate_vec(col, i, w, 0, a[i], a[i + 1], a[i + 2])
                    t = self.value[k]
                    if k + 1 < last:
                        # the rotation that carries the next axis
                        rotation_vector(w, 4, t * a[i], t * a[i + 1], t * a[i + 2])
                        mul(w, 0, w, 0, w, 4)
                    self.low[k] = self.lower[k] - t
                    self.high[k] = self.upper[k] - t
                    if self.cyclic and self.upper[k] - self.lower[k] > FULL_TURN:
                        self.low[k] = -FAR
                        self.high[k] = FAR
            if p >= 0:
                for k in range(f, self.first[j + 1]):
                    i = 3 * k
                    rotate_vec(
                        col, i, self.rotations, 4 * p, col[i], col[i + 1], col[i + 2]
                    )

    def set_ranged_columns(self, j):
        """Set the axes of a ranged ball: its rotation axis, and two square to it.

        Rotations about those two leave its angle as it is, to first order.
        """
        f = self.first[j]
        i = 3 * f
        col = self.columns
        x, y, z = self.value[f], self.value[f + 1], self.value[f + 2]
        s = sqrt(x * x + y * y + z * z)
        if s > 1e-12:
            x /= s
            y /= s
            z /= s
        else:
            x = 1.0
            y = z = 0.0
        col[i] = x
        col[i + 1] = y
        col[i + 2] = z
        # square to it and to the coordinate axis farthest from it
        if abs(x) <= abs(y) and abs(x) <= abs(z):
            t = sqrt(y * y + z * z)
            a = 0.0
            b = -z / t
            c = y / t
        elif abs(y) <= abs(z):
            t = sqrt(x * x + z * z)
            a = z / t
            b = 0.0
            c = -x / t
        else:
            t = sqrt(x * x + y * y)
            a = -y / t
            b = x / t
            c = 0.0
        col[i + 3] = a
        col[i + 4] = b
        col[i + 5] = c
        col[i + 6] = y * c - z * b
        col[i + 7] = z * a - x * c
        col[i + 8] = x * b - y * a
        for k in range(f, f + 3):
            self.low[k] = -FAR
            self.high[k] = FAR
        s = self.half[4 * j] - s
        self.high[f] = s if s > 0.0 else 0.0

    def set_edge_normal(self, j):
        """Set the unit direction across a cone's edge, and the half angles there."""
        x = self.value[self.first[j]]
        y = self.value[self.first[j] + 1]
        a = self.half[4 * j] if x >= 0.0 else self.half[4 * j + 2]
        b = self.half[4 * j + 1] if y >= 0.0 else self.half[4 * j + 3]
        self.half_x = a
        self.half_y = b
        x /= a * a
        y /= b * b
        s = sqrt(x * x + y * y)
        self.edge_x = x / s if s > 1e-12 else 1.0
        self.edge_y = y / s if s > 1e-12 else 0.0

    def set_cone_columns(self, j):
        """Set the axes of a cone joint: across its edge, along it, and its twist."""
        f = self.first[j]
        i = 3 * j
        x, y = self.value[f], self.value[f + 1]
        self.set_edge_normal(j)
        a = self.half_x
        b = self.half_y
        nx = self.edge_x
        ny = self.edge_y
        # radial and sideways unit vectors, and the axes of swings along them
        t = sqrt(x * x + y * y)
        ex = x / t if t > 1e-12 else 1.0
        ey = y / t if t > 1e-12 else 0.0
        k = sin(t) / t if t > 1e-12 else 1.0
        c = (1.0 - cos(t)) / t if t > 1e-6 else 0.5 * t
        along = nx * ex + ny * ey
        aside = ny * ex - nx * ey
        u = self.bone
        v = self.across
        h = self.up
        col = self.columns
        for d in range(3):
            radial = ex * h[i + d] - ey * v[i + d]
            outward = ex * v[i + d] + ey * h[i + d]
            sideways = c * u[i + d] - k * outward
            col[3 * f + d] = along * radial + aside * sideways
            col[3 * f + 3 + d] = along * sideways - aside * radial
            col[3 * f + 6 + d] = cos(t) * u[i + d] + sin(t) * outward
        # distance to the edge along its normal
        k = nx * nx / (a * a) + ny * ny / (b * b)
        c = x * nx / (a * a) + y * ny / (b * b)
        s = x * x / (a * a) + y * y / (b * b) - 1.0
        s = c * c - k * s
        s = (sqrt(s) - c) / k if s > 0.0 else 0.0
        self.low[f] = -FAR
        self.high[f] = s if s > 0.0 else 0.0
        self.low[f + 1] = -FAR
        self.high[f + 1] = FAR
        self.low[f + 2] = self.lower[f + 2] - self.value[f + 2]
        self.high[f + 2] = self.upper[f + 2] - self.value[f + 2]

    def couple_columns(self, jac):
        """Add the columns of following joints to those of the joints they follow."""
        for i in range(self.coupled):
            j = self.follower[i]
            k = self.first[j]
            d = self.leading[i]
            t = self.coupling[2 * i]
            # steps of slides are fractions of ``size``
            if self.kind[j] == 4:
                t /= self.size
            if self.slides_at(d):
                t *= self.size
            for r in range(self.rows):
                jac[self.rows * d + r] += t * jac[self.rows * k + r]
                jac[self.rows * k + r] = 0.0

    def slides_at(self, k):
        """Return 1 when coordinate k is that of a slide, else 0."""
        for j in range(self.n):
            if self.first[j] == k and self.kind[j] == 4:
                return 1
        return 0

    def linearise(self, out):
        """Write the Jacobian of tips and rotations; set the gradient of half r².

        Args:
            out: Buffer for its columns, one after the other.
        """
        jac = doubles(out)
        rows = self.rows
        self.set_columns()
        self.set_jacobian(jac)
        for k in range(self.m):
            x = 0.0
            for i in range(rows):
                x -= jac[rows * k + i] * self.residual[i]
            self.gradient[k] = x

    def set_jacobian(self, jac):
        """Write the Jacobian, column by column; call ``set_columns`` first."""
        rows = self.rows
        for k in range(rows * self.m):
            jac[k] = 0.0
        for i in range(self.e):
            j = self.effector[i]
            while j >= 0:
                self.set_joint_rows(i, j, jac, rows, self.effector_row[i])
                j = self.parent[j]
        self.couple_columns(jac)

    def set_joint_rows(self, e, j, jac, stride, row):
        """Write effector e's error derivatives by joint j, after ``set_columns``.

        The numbers of degree of freedom k begin at ``jac[stride * k + row]``: three of
        the position's and three of the rotation's, where these have a weight.
        """
        slides = self.kind[j] == 4
        position_weight = self.weights[2 * e]
        # a slide's step of 1 is a shift by ``size``: it weighs as a radian
        if not slides:
            position_weight /= self.size
        f = self.first[j]
        set_columns(
            jac,
            stride * f + row,
            1,
            stride,
            self.columns,
            3 * f,
            1,
            3,
            self.first[j + 1] - f,
            slides,
            self.tips[3 * e] - self.joint_pos[3 * j],
            self.tips[3 * e + 1] - self.joint_pos[3 * j + 1],
            self.tips[3 * e + 2] - self.joint_pos[3 * j + 2],
            position_weight,
            self.weights[2 * e + 1],
        )
