# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Damped least squares on a tree, segment by segment: linear in joints and effectors.

A segment is a row of joints that move the same effectors; it ends where an effector is
or where others branch off. An error depends on its own segment and those above, so the
normal equations have the tree's sparsity and no fill-in from the leaves inwards
(Featherstone 2005, "Efficient factorization of the joint-space inertia matrix for
branched kinematic trees"). Here each segment is solved in its rows, which are few, and
passes on its errors as a function of the motion of its parent: the twist (velocity,
angular velocity) of the end of the segment above, 6 numbers. The rows that several
segments pass on are reduced to 6 by Givens rotations.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import sqrt

COMPILED = cython.compiled


def set_width(kernel, w):
    """Set the layout of a segment of w rows in ``segment``.

    From 0 on the rows: errors by twist (6) and right-hand side; ``factor``: the
    Cholesky factor; ``reduced``: the rows divided by it, by the twist of the segment
    above; ``twist``: motion of its end in the last step; ``centre``: the point whose
    velocity a twist has, the tip or the last joint.
    """
    kernel.width = w
    kernel.factor = 7 * w
    kernel.reduced = kernel.factor + w * w
    kernel.twist = kernel.reduced + 7 * w
    kernel.centre = kernel.twist + 6
    kernel.stride = kernel.centre + 3


def linearise_segments(kernel):
    """Set the error derivatives of each segment without children.

    ``joint_row`` has ``width`` numbers per degree of freedom. Call ``measure`` and
    ``set_columns`` first. Where joints follow others all joints are one segment.
    """
    if kernel.coupled:
        set_width(kernel, kernel.rows)
        kernel.segment_rows[0] = kernel.rows
        kernel.set_jacobian(kernel.joint_row)
        return
    set_width(kernel, 6)
    p = kernel.joint_pos
    g = kernel.segment
    for b in range(kernel.segments):
        e = kernel.segment_effector[b]
        o = kernel.stride * b + kernel.centre
        first = kernel.segment_first[b]
        if kernel.segment_inner[b]:
            for c in range(3):
                g[o + c] = p[3 * kernel.segment_joint[first] + c]
            kernel.segment_rows[b] = 6
            continue
        for c in range(3):
            g[o + c] = kernel.tips[3 * e + c]
        kernel.segment_rows[b] = 3 if kernel.weights[2 * e] > 0.0 else 0
        if kernel.weights[2 * e + 1] > 0.0:
            kernel.segment_rows[b] += 3
        for at in range(first, kernel.segment_first[b + 1]):
            j = kernel.segment_joint[at]
            kernel.set_joint_rows(e, j, kernel.joint_row, 6, 0)


def eliminate(kernel, damping, rhs, target):
    """Factor every segment, leaves first, for errors ``rhs`` and damped steps.

    Each step s of a degree of freedom costs s² / ``mobility``. Steps ``at_bound``
    are those in ``target``; ``substitute`` then finds the others.
    """
    g = kernel.segment
    jac = kernel.joint_row
    v = kernel.width
    for b in range(kernel.segments):
        if kernel.segment_inner[b]:
            for c in range(kernel.factor):
                g[kernel.stride * b + c] = 0.0
    root = sqrt(damping)
    for b in range(kernel.segments - 1, -1, -1):
        o = kernel.stride * b
        e = kernel.segment_effector[b]
        n = kernel.segment_rows[b]
        w = o + kernel.reduced
        a = o + kernel.factor
        above = kernel.segment_parent[b]
        if kernel.segment_inner[b]:
            if e >= 0:
                add_effector(kernel, b, rhs)
            linearise_inner(kernel, b)
            for i in range(n):
                g[w + 7 * i + 6] = g[o + 7 * i + 6]
        else:
            row = kernel.effector_row[e] if e >= 0 else 0
            for i in range(n):
                g[w + 7 * i + 6] = rhs[row + i]
        for i in range(n):
            for c in range(i):
                g[a + v * i + c] = 0.0
            g[a + (v + 1) * i] = damping
        for at in range(kernel.segment_first[b], kernel.segment_first[b + 1]):
            j = kernel.segment_joint[at]
            for k in range(kernel.first[j], kernel.first[j + 1]):
                if kernel.at_bound[k]:
                    x = target[k]
                    for i in range(n):
                        g[w + 7 * i + 6] -= x * jac[v * k + i]
                    continue
                s = kernel.mobility[k]
                for i in range(n):
                    x = s * jac[v * k + i]
                    for c in range(i + 1):
                        g[a + v * i + c] += x * jac[v * k + c]
        for i in range(n):
            for c in range(i + 1):
                x = g[a + v * i + c]
                for k in range(c):
                    x -= g[a + v * i + k] * g[a + v * c + k]
                if i == c:
                    g[a + (v + 1) * i] = sqrt(x) if x > 1e-300 else 1e-150
                else:
                    g[a + v * i + c] = x / g[a + (v + 1) * c]
        first_column = 6
        if above >= 0:
            first_column = 0
            set_reach(kernel, b)
        for i in range(n):
            for c in range(first_column, 7):
                x = g[w + 7 * i + c]
                for k in range(i):
                    x -= g[a + v * i + k] * g[w + 7 * k + c]
                g[w + 7 * i + c] = x / g[a + (v + 1) * i]
        if above >= 0:
            for i in range(n):
                for c in range(7):
                    kernel.work[c] = root * g[w + 7 * i + c]
                add_row(g, kernel.stride * above, kernel.work)


def add_row(g, o, w):
    """Rotate a row of 7 into the triangle of 6 rows at ``g[o]`` (Givens)."""
    for c in range(6):
        y = w[c]
        if y == 0.0:
            continue
        i = o + 8 * c
        x = g[i]
        s = sqrt(x * x + y * y)
        if s < 1e-150:
            continue
        x /= s
        y /= s
        g[i] = s
        for k in range(1, 7 - c):
            t = g[i + k]
            g[i + k] = x * t + y * w[c + k]
            w[c + k] = x * w[c + k] - y * t


def add_effector(kernel, b, rhs):
    """Add the rows of the effector at the end of an inner segment."""
    g = kernel.segment
    w = kernel.work
    e = kernel.segment_effector[b]
    o = kernel.stride * b
    row = kernel.effector_row[e]
    position_weight = kernel.weights[2 * e] / kernel.size
    turn = kernel.weights[2 * e + 1]
    if position_weight > 0.0:
        for c in range(3):
            arm_row(w, c, position_weight, kernel.tips, 3 * e, g, o + kernel.centre)
            w[6] = rhs[row + c]
            add_row(g, o, w)
        row += 3
    if turn > 0.0:
        for c in range(3):
            for k in range(6):
                w[k] = 0.0
            w[3 + c] = turn
            w[6] = rhs[row + c]
            add_row(g, o, w)


def arm_row(out, c, place, to, i, centre, o):
    """Set ``out`` to the derivative of a point's coordinate c by a twist."""
    a = (c + 1) % 3
    b = (c + 2) % 3
    for k in range(6):
        out[k] = 0.0
    out[c] = place
    out[3 + a] = place * (to[i + b] - centre[o + b])
    out[3 + b] = -place * (to[i + a] - centre[o + a])


def set_reach(kernel, b):
    """Set the derivatives of a segment's errors by the twist of its parent's end."""
    g = kernel.segment
    w = kernel.work
    e = kernel.segment_effector[b]
    o = kernel.stride * b
    up = kernel.stride * kernel.segment_parent[b] + kernel.centre
    out = o + kernel.reduced
    if kernel.segment_inner[b]:
        x = g[o + kernel.centre] - g[up]
        y = g[o + kernel.centre + 1] - g[up + 1]
        z = g[o + kernel.centre + 2] - g[up + 2]
        for i in range(6):
            r = o + 7 * i
            s = out + 7 * i
            for c in range(3):
                g[s + c] = g[r + c]
            g[s + 3] = g[r + 3] + y * g[r + 2] - z * g[r + 1]
            g[s + 4] = g[r + 4] + z * g[r] - x * g[r + 2]
            g[s + 5] = g[r + 5] + x * g[r + 1] - y * g[r]
        return
    position_weight = kernel.weights[2 * e] / kernel.size
    gap = 3 if position_weight > 0.0 else 0
    for i in range(kernel.segment_rows[b]):
        if i < gap:
            arm_row(w, i, position_weight, kernel.tips, 3 * e, g, up)
        else:
            for c in range(6):
                w[c] = 0.0
            w[3 + i - gap] = kernel.weights[2 * e + 1]
        for c in range(6):
            g[out + 7 * i + c] = w[c]


def linearise_inner(kernel, b):
    """Set the derivatives of an inner segment's rows by its joints."""
    g = kernel.segment
    w = kernel.work
    o = kernel.stride * b
    for at in range(kernel.segment_first[b], kernel.segment_first[b + 1]):
        j = kernel.segment_joint[at]
        for k in range(kernel.first[j], kernel.first[j + 1]):
            for c in range(6):
                w[c] = 0.0
            add_twist(kernel, w, 0, g, o + kernel.centre, j, k, 1.0)
            for i in range(6):
                x = 0.0
                for c in range(i, 6):
                    x += g[o + 7 * i + c] * w[c]
                kernel.joint_row[6 * k + i] = x


def add_twist(kernel, out, o, centre, i, j, k, s):
    """Add the motion of a step s of coordinate k to the twist at ``out[o]``."""
    p = kernel.joint_pos
    ax = s * kernel.columns[3 * k]
    ay = s * kernel.columns[3 * k + 1]
    az = s * kernel.columns[3 * k + 2]
    if kernel.kind[j] == 4:
        out[o] += kernel.size * ax
        out[o + 1] += kernel.size * ay
        out[o + 2] += kernel.size * az
        return
    x = centre[i] - p[3 * j]
    y = centre[i + 1] - p[3 * j + 1]
    z = centre[i + 2] - p[3 * j + 2]
    out[o] += ay * z - az * y
    out[o + 1] += az * x - ax * z
    out[o + 2] += ax * y - ay * x
    out[o + 3] += ax
    out[o + 4] += ay
    out[o + 5] += az


def substitute(kernel, target):
    """Set the steps of all coordinates not held, from the root outwards.

    ``wish`` is what each would take at the given motion of the others: for one held at
    a bound, whether the step still pushes it there. Overwrites ``solved``.
    """
    g = kernel.segment
    jac = kernel.joint_row
    v = kernel.width
    y = kernel.solved
    for b in range(kernel.segments):
        o = kernel.stride * b
        w = o + kernel.reduced
        a = o + kernel.factor
        n = kernel.segment_rows[b]
        above = kernel.segment_parent[b]
        for i in range(n - 1, -1, -1):
            x = g[w + 7 * i + 6]
            if above >= 0:
                for c in range(6):
                    x -= g[w + 7 * i + c] * g[kernel.stride * above + kernel.twist + c]
            for k in range(i + 1, n):
                x -= g[a + v * k + i] * y[k]
            y[i] = x / g[a + (v + 1) * i]
        for at in range(kernel.segment_first[b], kernel.segment_first[b + 1]):
            j = kernel.segment_joint[at]
            for k in range(kernel.first[j], kernel.first[j + 1]):
                x = 0.0
                for i in range(n):
                    x += jac[v * k + i] * y[i]
                x *= kernel.mobility[k]
                if not kernel.at_bound[k]:
                    target[k] = x
                kernel.wish[k] = x
        if kernel.segment_inner[b]:
            set_twist(kernel, b, target)


def set_twist(kernel, b, target):
    """Set the motion of a segment's end from that of the segment above."""
    g = kernel.segment
    o = kernel.stride * b + kernel.twist
    centre = kernel.stride * b + kernel.centre
    above = kernel.segment_parent[b]
    for c in range(6):
        g[o + c] = 0.0
    if above >= 0:
        up = kernel.stride * above + kernel.centre
        x = g[centre] - g[up]
        y = g[centre + 1] - g[up + 1]
        z = g[centre + 2] - g[up + 2]
        up = kernel.stride * above + kernel.twist
        for c in range(6):
            g[o + c] = g[up + c]
        g[o] += g[up + 4] * z - g[up + 5] * y
        g[o + 1] += g[up + 5] * x - g[up + 3] * z
        g[o + 2] += g[up + 3] * y - g[up + 4] * x
    for at in range(kernel.segment_first[b], kernel.segment_first[b + 1]):
        j = kernel.segment_joint[at]
        for k in range(kernel.first[j], kernel.first[j + 1]):
            add_twist(kernel, g, o, g, centre, j, k, target[k])


def predict(kernel, target, out):
    """Set ``out`` to the change of every error by a step, to first order."""
    g = kernel.segment
    w = kernel.work
    if kernel.coupled:
        for i in range(kernel.rows):
            x = 0.0
            for k in range(kernel.m):
                x += kernel.joint_row[kernel.width * k + i] * target[k]
            out[i] = x
        return
    for b in range(kernel.segments):
        set_twist(kernel, b, target)
        e = kernel.segment_effector[b]
        if e < 0:
            continue
        o = kernel.stride * b
        row = kernel.effector_row[e]
        position_weight = kernel.weights[2 * e] / kernel.size
        if position_weight > 0.0:
            for c in range(3):
                arm_row(w, c, position_weight, kernel.tips, 3 * e, g, o + kernel.centre)
                x = 0.0
                for k in range(6):
                    x += w[k] * g[o + kernel.twist + k]
                out[row + c] = x
            row += 3
        if kernel.weights[2 * e + 1] > 0.0:
            for c in range(3):
                out[row + c] = kernel.weights[2 * e + 1] * g[o + kernel.twist + 3 + c]
