# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""One step of damped least squares inside the limits, and moving the pose by it."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import sqrt

    from .jacobian import JacobianKernel
    from .quat_ops import mul, rotate_vec, rotation_vector
    from .segments import eliminate, linearise_segments, predict, substitute

COMPILED = cython.compiled

SLACK = 1e-9  # least step [rad] that takes a coordinate off its bound
PASSES = 16  # maximum number of active sets that a step tries
RELEASES = 8  # and of those that take coordinates off their bounds again
AHEAD = 0.1  # fraction of a step after which its curvature is measured
BENT = 0.75  # maximum correction for the curvature, as a fraction of the step


class DlsStepKernel(JacobianKernel):
    """The linear algebra of a step, and the pose after it."""

    def prepare_step(self):
        """Set the derivatives of the errors; call ``measure`` first."""
        self.set_columns()
        linearise_segments(self)

    def damped_step(self, damping):
        """Set ``step`` to the damped least-squares step inside the limits.

        min |J s - r|² + damping |s|²  with low <= s <= high, by an active set: a
        coordinate that the step would push through a bound stays at it as long as the
        others' steps push it there.
        """
        step = self.step
        at_bound = self.at_bound
        self.damping = damping
        for k in range(self.m):
            step[k] = 0.0
            at_bound[k] = 0
        for i in range(PASSES):
            eliminate(self, damping, self.residual, step)
            substitute(self, step)
            change = 0
            for k in range(self.m):
                if at_bound[k] and i >= RELEASES:
                    continue
                if at_bound[k]:
                    x = self.wish[k] - step[k]
                    # held at the lower bound, or at the upper one
                    if (x > SLACK and step[k] < self.high[k]) or (
                        x < -SLACK and step[k] > self.low[k]
                    ):
                        at_bound[k] = 0
                        change = 1
                    continue
                x = step[k]
                if x < self.low[k]:
                    step[k] = self.low[k]
                    at_bound[k] = 1
                    change = 1
                elif x > self.high[k]:
                    step[k] = self.high[k]
                    at_bound[k] = 1
                    change = 1
            if change == 0:
                break

    def accelerate(self, longest):
        """Bend ``step`` along the valley that it leads into (geodesic acceleration).

        Transtrum & Sethna 2012: the second derivative of the errors along the step, by
        a difference, through the same damped inverse. For a step of ``damped_step``
        whose largest rotation is ``longest``, at the pose of ``keep``, which stays.
        """
        m = self.m
        y = self.solved
        bend = self.gradient
        predict(self, self.step, y)
        for i in range(self.rows):
            y[i] = AHEAD * y[i] - self.residual[i]
        self.advance(AHEAD)
        self.measure()
        self.restore()
        for i in range(self.rows):
            y[i] = (y[i] + self.residual[i]) / (AHEAD * AHEAD)
        if self.segments > 1:
            # what inner segments pass on depends on joint positions
            self.measure()
        for k in range(m):
            bend[k] = 0.0
        eliminate(self, self.damping, y, bend)
        substitute(self, bend)
        largest = 0.0
        for k in range(m):
            if abs(bend[k]) > largest:
                largest = abs(bend[k])
        x = BENT * longest
        x = x / largest if largest > x else 1.0
        for k in range(m):
            t = self.step[k] + x * bend[k]
            if t < self.low[k]:
                t = self.low[k]
            if t > self.high[k]:
                t = self.high[k]
            self.step[k] = t

    def longest_rotation(self):
        """Return the largest rotation [rad] or shift [size] of a joint in ``step``."""
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

        A step that is not finite, or far too large, is ignored.
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
                # the step is about axes in root space: rotate it into the parent's
                x = factor * step[f]
                y = factor * step[f + 1]
                z = factor * step[f + 2]
                if kind == 5:
                    col = self.columns
                    i = 3 * f
                    for c in range(3):
                        w[c] = x * col[i + c] + y * col[i + 3 + c] + z * col[i + 6 + c]
                    x, y, z = w[0], w[1], w[2]
                p = self.parent[j]
                if p >= 0:
                    for c in range(4):
                        w[c] = -self.rotations[4 * p + c]
                    w[0] = -w[0]
                    rotate_vec(w, 4, w, 0, x, y, z)
                    x, y, z = w[4], w[5], w[6]
                rotation_vector(w, 0, x, y, z)
                if kind == 5:
                    mul(w, 8, w, 0, self.q, 4 * j)
                    self.set_from_rotation(j, w, 8)
                else:
                    mul(self.q, 4 * j, w, 0, self.q, 4 * j)
                continue
            if kind == 2:
                # back from across and along the edge to the plane of swings
                self.set_edge_normal(j)
                x = self.edge_x
                y = self.edge_y
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
