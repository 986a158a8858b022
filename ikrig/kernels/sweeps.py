# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""FABRIK and CCD sweeps that keep joint limits, over the turns of a chain's joints.

FABRIK moves points, but limits are about turns; so here each bone carries its whole
rotation through both passes. Where a bone points is FABRIK's choice, and its turn
against its neighbour is then put back inside the limits.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.dls import DlsKernel
    from cython.cimports.ikrig.kernels.spatial import (
        conj_mul,
        data,
        from_to,
        mul,
        spin,
    )
    from cython.cimports.libc.math import atan2, sqrt
else:
    from math import atan2, sqrt

    from .dls import DlsKernel
    from .spatial import conj_mul, data, from_to, mul, spin

COMPILED = cython.compiled


class SweepKernel(DlsKernel):
    """A chain's joints with sweeps. The last joint is the effector.

    ``goals`` 3 n keeps where the backward pass wants each joint.
    """

    def __init__(self, n, m, e, buffers):
        """Take the sizes and the buffers by name; the kernel keeps them."""
        DlsKernel.__init__(self, n, m, e, buffers)
        self.goals = data(buffers["goals"])

    def turn_leaf(self, use_tip):
        """Turn the last joint as its goal says, or not at all, as far as it may."""
        w = self.work
        last = self.n - 1
        self.forward()
        w[8] = 1.0
        w[9] = w[10] = w[11] = 0.0
        if use_tip:
            conj_mul(w, 8, self.turns, 4 * last - 4, self.goal_turn, 0)
        self.take(last, w, 8)

    def sweep_fabrik(self, iterations, tolerance, turn_tolerance):
        """Sweep until the goal is reached or iterations run out; return those used."""
        used = 0
        self.measure()
        while used < iterations and not self.reached(tolerance, turn_tolerance):
            used += 1
            self.backward()
            self.forward_pass()
            self.measure()
        return used

    def backward(self):
        """Go from the goal to the root; each bone is turned against the one after."""
        w = self.work
        r = self.turns
        g = self.goals
        p = self.places
        u = self.offset
        last = self.n - 1
        if self.weights[1] > 0.0:
            for c in range(4):
                r[4 * last + c] = self.goal_turn[c]
        for c in range(3):
            g[3 * last + c] = self.goal[c]
        for j in range(last, 0, -1):
            # the bone from joint j - 1 to joint j is turned by joint j - 1
            i = 3 * j
            o = 4 * j
            spin(w, 0, r, o - 4, u[i], u[i + 1], u[i + 2])
            k = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
            x = g[i] - p[i - 3]
            y = g[i + 1] - p[i - 2]
            z = g[i + 2] - p[i - 1]
            s = sqrt(x * x + y * y + z * z)
            if k > 0.0 and s > 1e-300:
                from_to(w, 4, w[0] / k, w[1] / k, w[2] / k, x / s, y / s, z / s)
                mul(r, o - 4, w, 4, r, o - 4)
            # the turn of joint j against it must be one that joint j has
            if j < last or self.weights[1] > 0.0:
                conj_mul(w, 8, r, o - 4, r, o)
                self.take(j, w, 8)
                for c in range(4):
                    w[8 + c] = -self.q[o + c]
                w[8] = -w[8]
                mul(r, o - 4, r, o, w, 8)
            spin(w, 0, r, o - 4, u[i], u[i + 1], u[i + 2])
            for c in range(3):
                g[i - 3 + c] = g[i + c] - self.scale * w[c]

    def forward_pass(self):
        """Go from the root to the tip; each bone is turned against the one before."""
        w = self.work
        r = self.turns
        g = self.goals
        p = self.places
        u = self.offset
        last = self.n - 1
        for c in range(3):
            p[c] = self.scale * u[c]
        for j in range(self.n):
            i = 3 * j
            o = 4 * j
            if j < last:
                spin(w, 0, r, o, u[i + 3], u[i + 4], u[i + 5])
                k = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
                x = g[i + 3] - p[i]
                y = g[i + 4] - p[i + 1]
                z = g[i + 5] - p[i + 2]
                s = sqrt(x * x + y * y + z * z)
                if k > 0.0 and s > 1e-300:
                    from_to(w, 4, w[0] / k, w[1] / k, w[2] / k, x / s, y / s, z / s)
                    mul(r, o, w, 4, r, o)
            if j == 0:
                for c in range(4):
                    w[8 + c] = r[c]
            else:
                conj_mul(w, 8, r, o - 4, r, o)
            self.take(j, w, 8)
            if j == 0:
                for c in range(4):
                    r[c] = self.q[c]
            else:
                mul(r, o, r, o - 4, self.q, o)
            if j < last:
                spin(w, 0, r, o, u[i + 3], u[i + 4], u[i + 5])
                for c in range(3):
                    p[i + 3 + c] = p[i + c] + self.scale * w[c]

    def sweep_ccd(self, iterations, tolerance, turn_tolerance):
        """Turn joint after joint until the goal is reached; return the sweeps used.

        A hinge turns to its best angle for place and turn together, in closed form; any
        other joint points the tip at the goal, and goes back inside its limits.
        """
        used = 0
        self.measure()
        while used < iterations and not self.reached(tolerance, turn_tolerance):
            used += 1
            for j in range(self.n - 1, -1, -1):
                if self.kind[j] == 1:
                    self.turn_hinges(j)
                elif self.kind[j] != 3:
                    self.turn_ball(j)
        return used

    def turn_ball(self, j):
        """Turn joint j so that the tip points at the goal."""
        w = self.work
        p = self.places
        r = self.turns
        i = 3 * j
        o = 4 * j
        last = 4 * (self.n - 1)
        if j == self.n - 1:
            if self.weights[1] <= 0.0:
                return
            for c in range(4):
                r[last + c] = self.goal_turn[c]
        else:
            x = self.tips[0] - p[i]
            y = self.tips[1] - p[i + 1]
            z = self.tips[2] - p[i + 2]
            s = sqrt(x * x + y * y + z * z)
            a = self.goal[0] - p[i]
            b = self.goal[1] - p[i + 1]
            d = self.goal[2] - p[i + 2]
            k = sqrt(a * a + b * b + d * d)
            if s < 1e-12 * self.size or k < 1e-12 * self.size:
                return
            from_to(w, 4, x / s, y / s, z / s, a / k, b / k, d / k)
            mul(r, o, w, 4, r, o)
        if j == 0:
            for c in range(4):
                w[8 + c] = r[c]
        else:
            conj_mul(w, 8, r, o - 4, r, o)
        self.take(j, w, 8)
        self.measure()

    def turn_hinges(self, j):
        """Turn each of joint j's hinges to the angle that brings the tip nearest.

        Maximises place · (goal · tip) + turn · (angle term), Wang & Chen's closed form.
        """
        w = self.work
        p = self.places
        i = 3 * j
        for k in range(self.first[j], self.first[j + 1]):
            self.set_columns()
            ax = self.columns[3 * k]
            ay = self.columns[3 * k + 1]
            az = self.columns[3 * k + 2]
            # place: the parts of tip and goal square to the axis
            x = self.tips[0] - p[i]
            y = self.tips[1] - p[i + 1]
            z = self.tips[2] - p[i + 2]
            s = x * ax + y * ay + z * az
            x -= s * ax
            y -= s * ay
            z -= s * az
            a = self.goal[0] - p[i]
            b = self.goal[1] - p[i + 1]
            d = self.goal[2] - p[i + 2]
            weight = self.weights[0] / self.size
            weight *= weight
            up = weight * (
                ax * (y * d - z * b) + ay * (z * a - x * d) + az * (x * b - y * a)
            )
            along = weight * (x * a + y * b + z * d)
            weight = self.weights[1]
            if weight > 0.0:
                # turn: twist of goal ⊗ turn⁻¹ about the axis
                weight *= weight
                for c in range(4):
                    w[4 + c] = -self.turns[4 * (self.n - 1) + c]
                w[4] = -w[4]
                mul(w, 0, self.goal_turn, 0, w, 4)
                s = w[1] * ax + w[2] * ay + w[3] * az
                # how the square of that turn changes, as cos and sin of the angle
                up += 4.0 * weight * w[0] * s
                along += 2.0 * weight * (w[0] * w[0] - s * s)
            if up * up + along * along < 1e-24:
                continue
            self.value[k] = self.unwrap(k, self.value[k] + atan2(up, along))
            self.project(j)
            self.measure()
