# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""One step of damped least squares inside the limits, and moving the pose by it."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.jacobian import JacobianKernel
    from cython.cimports.ikrig.kernels.quat_ops import mul, rotate_vec, rotation_vector
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from .jacobian import JacobianKernel
    from .quat_ops import mul, rotate_vec, rotation_vector

COMPILED = cython.compiled

AHEAD = 0.1  # share of a step after which its bend is measured
BENT = 0.75  # most that the bend may add, as a share of the step


class DlsStepKernel(JacobianKernel):
    """The linear algebra of a step, and the pose after it."""

    def damped_step(self, damping):
        """Set ``step`` to the damped least-squares step inside the limits.

        min |J s - r|² + damping |s|²  with low <= s <= high, by an active set: what
        the step without bounds would push through a bound stays at it. Solved in the
        rows, where it is small however many joints there are.
        """
        m = self.m
        rows = self.rows
        jac = self.jacobian
        a = self.normal
        y = self.solved
        step = self.step
        held = self.held
        for k in range(m):
            step[k] = 0.0
            held[k] = 0
        for _ in range(8):
            # J Jᵀ + damping over what is free, and what is left of r
            for i in range(rows):
                x = self.residual[i]
                for k in range(m):
                    if held[k]:
                        x -= jac[i * m + k] * step[k]
                y[i] = x
                for j in range(i + 1):
                    x = damping if i == j else 0.0
                    for k in range(m):
                        if not held[k]:
                            x += jac[i * m + k] * jac[j * m + k]
                    a[i * rows + j] = x
            self.cholesky()
            change = 0
            for k in range(m):
                if held[k]:
                    continue
                x = 0.0
                for i in range(rows):
                    x += jac[i * m + k] * y[i]
                step[k] = x
                if x < self.low[k]:
                    step[k] = self.low[k]
                    held[k] = 1
                    change = 1
                elif x > self.high[k]:
                    step[k] = self.high[k]
                    held[k] = 1
                    change = 1
            if change == 0:
                break

    def cholesky(self):
        """Solve ``normal`` x = ``solved`` in place; normal is symmetric, positive."""
        rows = self.rows
        a = self.normal
        for i in range(rows):
            for j in range(i + 1):
                x = a[i * rows + j]
                for k in range(j):
                    x -= a[i * rows + k] * a[j * rows + k]
                if i == j:
                    a[i * rows + i] = sqrt(x) if x > 1e-300 else 1e-150
                else:
                    a[i * rows + j] = x / a[j * rows + j]
        self.substitute()

    def substitute(self):
        """Solve for another ``solved`` with the factors that ``cholesky`` has left."""
        rows = self.rows
        a = self.normal
        y = self.solved
        for i in range(rows):
            x = y[i]
            for k in range(i):
                x -= a[i * rows + k] * y[k]
            y[i] = x / a[i * rows + i]
        for i in range(rows - 1, -1, -1):
            x = y[i]
            for k in range(i + 1, rows):
                x -= a[k * rows + i] * y[k]
            y[i] = x / a[i * rows + i]

    def accelerate(self, longest):
        """Bend ``step`` along the valley that it leads into (geodesic acceleration).

        Transtrum & Sethna 2012: the second derivative of the errors along the step, by
        a difference, through the same damped inverse. For a step of ``damped_step``
        whose longest turn is given, at the pose of ``keep``; the pose stays there.
        """
        m = self.m
        y = self.solved
        bend = self.gradient
        for i in range(self.rows):
            x = 0.0
            for k in range(m):
                x += self.jacobian[i * m + k] * self.step[k]
            y[i] = AHEAD * x - self.residual[i]
        self.advance(AHEAD)
        self.measure()
        self.restore()
        for i in range(self.rows):
            y[i] = (y[i] + self.residual[i]) / (AHEAD * AHEAD)
        self.substitute()
        most = 0.0
        for k in range(m):
            x = 0.0
            if not self.held[k]:
                for i in range(self.rows):
                    x += self.jacobian[i * m + k] * y[i]
            bend[k] = x
            if abs(x) > most:
                most = abs(x)
        x = BENT * longest
        x = x / most if most > x else 1.0
        for k in range(m):
            t = self.step[k] + x * bend[k]
            if t < self.low[k]:
                t = self.low[k]
            if t > self.high[k]:
                t = self.high[k]
            self.step[k] = t

    def longest_rotation(self):
        """Return the largest turn of a joint in ``step`` [rad], or shift [size]."""
        longest = 0.0
        for j in range(self.n):
            s = 0.0
            for k in range(self.first[j], self.first[j + 1]):
                s += self.step[k] * self.step[k]
            if s > longest:
                longest = s
        return sqrt(longest)

    def advance(self, factor):
        """Move the pose by ``factor`` times ``step``, and back inside the limits.

        A step that is not finite, or leads out of all bounds, is none.
        """
        w = self.work
        step = self.step
        s = 0.0
        for k in range(self.m):
            s += step[k] * step[k]
        if not s * factor * factor < 1e12:
            return
        for j in range(self.n):
            kind = self.kind[j]
            f = self.first[j]
            if kind == 0 or kind == 5:
                # the step is about axes in root space: turn it into the parent's
                x = factor * step[f]
                y = factor * step[f + 1]
                z = factor * step[f + 2]
                if kind == 5:
                    col = self.columns
                    i = 3 * f
                    for c in range(3):
                        w[c] = x * col[i + c] + y * col[i + 3 + c] + z * col[i + 6 + c]
                    x = w[0]
                    y = w[1]
                    z = w[2]
                p = self.parent[j]
                if p >= 0:
                    for c in range(4):
                        w[c] = -self.rotations[4 * p + c]
                    w[0] = -w[0]
                    rotate_vec(w, 4, w, 0, x, y, z)
                    x = w[4]
                    y = w[5]
                    z = w[6]
                rotation_vector(w, 0, x, y, z)
                if kind == 5:
                    mul(w, 8, w, 0, self.q, 4 * j)
                    self.set_from_rotation(j, w, 8)
                else:
                    mul(self.q, 4 * j, w, 0, self.q, 4 * j)
                continue
            if kind == 2:
                # back from across and along the edge to the plane of swings
                x = self.value[f]
                y = self.value[f + 1]
                a = self.half[4 * j] if x >= 0.0 else self.half[4 * j + 2]
                b = self.half[4 * j + 1] if y >= 0.0 else self.half[4 * j + 3]
                x /= a * a
                y /= b * b
                s = sqrt(x * x + y * y)
                if s > 1e-12:
                    x /= s
                    y /= s
                else:
                    x = 1.0
                    y = 0.0
                s = factor * step[f]
                t = factor * step[f + 1]
                self.value[f] += s * x - t * y
                self.value[f + 1] += s * y + t * x
                self.value[f + 2] += factor * step[f + 2]
            elif kind == 4:
                self.value[f] += factor * step[f] * self.size
            else:
                for k in range(f, self.first[j + 1]):
                    self.value[k] += factor * step[k]
            self.project(j)
