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

import cython

if not cython.compiled:
    from math import sqrt

    from .codes import SLIDE
    from .jacobian import advance, set_columns, set_jacobian, set_joint_rows
    from .vectors import add_to, between, copy, cross, put, three

SLACK = 1e-9  # least step [rad] that takes a coordinate off its bound
PASSES = 16  # maximum number of active sets that a step tries
RELEASES = 8  # and of those that take coordinates off their bounds again
AHEAD = 0.1  # fraction of a step after which its curvature is measured
BENT = 0.75  # maximum correction for the curvature, as a fraction of the step


def set_width(joints, w):
    """Set the layout of a segment of w rows in ``segment``.

    From 0 on the rows: errors by twist (6) and right-hand side; ``factor``: the
    Cholesky factor; ``reduced``: the rows divided by it, by the twist of the segment
    above; ``twist``: motion of its end in the last step; ``centre``: the point whose
    velocity a twist has, the tip or the last joint.
    """
    joints.width = w
    joints.factor = 7 * w
    joints.reduced = joints.factor + w * w
    joints.twist = joints.reduced + 7 * w
    joints.centre = joints.twist + 6
    joints.stride = joints.centre + 3


def linearise_segments(joints):
    """Set the error derivatives of each segment without children.

    ``joint_row`` has ``width`` numbers per degree of freedom. Call ``measure`` and
    ``set_columns`` first. Where joints follow others all joints are one segment.
    """
    if joints.coupled:
        set_width(joints, joints.rows)
        joints.segment_rows[0] = joints.rows
        set_jacobian(joints, joints.joint_row)
        return
    set_width(joints, 6)
    p = joints.joint_pos
    g = joints.segment
    for b in range(joints.segments):
        e = joints.segment_effector[b]
        o = joints.stride * b + joints.centre
        first = joints.segment_first[b]
        if joints.segment_inner[b]:
            copy(g, o, p, 3 * joints.segment_joint[first], 3)
            joints.segment_rows[b] = 6
            continue
        copy(g, o, joints.tips, 3 * e, 3)
        joints.segment_rows[b] = 3 if joints.weights[2 * e] > 0.0 else 0
        if joints.weights[2 * e + 1] > 0.0:
            joints.segment_rows[b] += 3
        for at in range(first, joints.segment_first[b + 1]):
            j = joints.segment_joint[at]
            set_joint_rows(joints, e, j, joints.joint_row, 6, 0)


def eliminate(joints, damping, rhs, target):
    """Factor every segment, leaves first, for errors ``rhs`` and damped steps.

    Each step s of a degree of freedom costs s² / ``mobility``. Steps ``at_bound``
    are those in ``target``; ``substitute`` then finds the others.
    """
    g = joints.segment
    jac = joints.joint_row
    v = joints.width
    for b in range(joints.segments):
        if joints.segment_inner[b]:
            for c in range(joints.factor):
                g[joints.stride * b + c] = 0.0
    root = sqrt(damping)
    for b in range(joints.segments - 1, -1, -1):
        o = joints.stride * b
        e = joints.segment_effector[b]
        n = joints.segment_rows[b]
        w = o + joints.reduced
        a = o + joints.factor
        above = joints.segment_parent[b]
        if joints.segment_inner[b]:
            if e >= 0:
                add_effector(joints, b, rhs)
            linearise_inner(joints, b)
            for i in range(n):
                g[w + 7 * i + 6] = g[o + 7 * i + 6]
        else:
            row = joints.effector_row[e] if e >= 0 else 0
            for i in range(n):
                g[w + 7 * i + 6] = rhs[row + i]
        for i in range(n):
            for c in range(i):
                g[a + v * i + c] = 0.0
            g[a + (v + 1) * i] = damping
        for at in range(joints.segment_first[b], joints.segment_first[b + 1]):
            j = joints.segment_joint[at]
            for k in range(joints.first[j], joints.first[j + 1]):
                if joints.at_bound[k]:
                    x = target[k]
                    for i in range(n):
                        g[w + 7 * i + 6] -= x * jac[v * k + i]
                    continue
                s = joints.mobility[k]
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
            set_reach(joints, b)
        for i in range(n):
            for c in range(first_column, 7):
                x = g[w + 7 * i + c]
                for k in range(i):
                    x -= g[a + v * i + k] * g[w + 7 * k + c]
                g[w + 7 * i + c] = x / g[a + (v + 1) * i]
        if above >= 0:
            for i in range(n):
                for c in range(7):
                    joints.work[c] = root * g[w + 7 * i + c]
                add_row(g, joints.stride * above, joints.work)


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


def add_effector(joints, b, rhs):
    """Add the rows of the effector at the end of an inner segment."""
    g = joints.segment
    w = joints.work
    e = joints.segment_effector[b]
    o = joints.stride * b
    row = joints.effector_row[e]
    position_weight = joints.weights[2 * e] / joints.size
    turn = joints.weights[2 * e + 1]
    if position_weight > 0.0:
        for c in range(3):
            arm_row(w, c, position_weight, joints.tips, 3 * e, g, o + joints.centre)
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


def set_reach(joints, b):
    """Set the derivatives of a segment's errors by the twist of its parent's end."""
    g = joints.segment
    w = joints.work
    e = joints.segment_effector[b]
    o = joints.stride * b
    up = joints.stride * joints.segment_parent[b] + joints.centre
    out = o + joints.reduced
    if joints.segment_inner[b]:
        x, y, z = between(g, up, g, o + joints.centre)
        for i in range(6):
            r = o + 7 * i
            s = out + 7 * i
            copy(g, s, g, r, 3)
            ax, ay, az = cross(x, y, z, g[r], g[r + 1], g[r + 2])
            put(g, s + 3, g[r + 3] + ax, g[r + 4] + ay, g[r + 5] + az)
        return
    position_weight = joints.weights[2 * e] / joints.size
    gap = 3 if position_weight > 0.0 else 0
    for i in range(joints.segment_rows[b]):
        if i < gap:
            arm_row(w, i, position_weight, joints.tips, 3 * e, g, up)
        else:
            for c in range(6):
                w[c] = 0.0
            w[3 + i - gap] = joints.weights[2 * e + 1]
        copy(g, out + 7 * i, w, 0, 6)


def linearise_inner(joints, b):
    """Set the derivatives of an inner segment's rows by its joints."""
    g = joints.segment
    w = joints.work
    o = joints.stride * b
    for at in range(joints.segment_first[b], joints.segment_first[b + 1]):
        j = joints.segment_joint[at]
        for k in range(joints.first[j], joints.first[j + 1]):
            for c in range(6):
                w[c] = 0.0
            add_twist(joints, w, 0, g, o + joints.centre, j, k, 1.0)
            for i in range(6):
                x = 0.0
                for c in range(i, 6):
                    x += g[o + 7 * i + c] * w[c]
                joints.joint_row[6 * k + i] = x


def add_twist(joints, out, o, centre, i, j, k, s):
    """Add the motion of a step s of coordinate k to the twist at ``out[o]``."""
    p = joints.joint_pos
    ax, ay, az = three(joints.columns, 3 * k)
    ax, ay, az = s * ax, s * ay, s * az
    if joints.kind[j] == SLIDE:
        add_to(out, o, joints.size * ax, joints.size * ay, joints.size * az)
        return
    x, y, z = between(p, 3 * j, centre, i)
    x, y, z = cross(ax, ay, az, x, y, z)
    add_to(out, o, x, y, z)
    add_to(out, o + 3, ax, ay, az)


def substitute(joints, target):
    """Set the steps of all coordinates not held, from the root outwards.

    ``wish`` is what each would take at the given motion of the others: for one held at
    a bound, whether the step still pushes it there. Overwrites ``solved``.
    """
    g = joints.segment
    jac = joints.joint_row
    v = joints.width
    y = joints.solved
    for b in range(joints.segments):
        o = joints.stride * b
        w = o + joints.reduced
        a = o + joints.factor
        n = joints.segment_rows[b]
        above = joints.segment_parent[b]
        for i in range(n - 1, -1, -1):
            x = g[w + 7 * i + 6]
            if above >= 0:
                for c in range(6):
                    x -= g[w + 7 * i + c] * g[joints.stride * above + joints.twist + c]
            for k in range(i + 1, n):
                x -= g[a + v * k + i] * y[k]
            y[i] = x / g[a + (v + 1) * i]
        for at in range(joints.segment_first[b], joints.segment_first[b + 1]):
            j = joints.segment_joint[at]
            for k in range(joints.first[j], joints.first[j + 1]):
                x = 0.0
                for i in range(n):
                    x += jac[v * k + i] * y[i]
                x *= joints.mobility[k]
                if not joints.at_bound[k]:
                    target[k] = x
                joints.wish[k] = x
        if joints.segment_inner[b]:
            set_twist(joints, b, target)


def set_twist(joints, b, target):
    """Set the motion of a segment's end from that of the segment above."""
    g = joints.segment
    o = joints.stride * b + joints.twist
    centre = joints.stride * b + joints.centre
    above = joints.segment_parent[b]
    for c in range(6):
        g[o + c] = 0.0
    if above >= 0:
        up = joints.stride * above + joints.centre
        x, y, z = between(g, up, g, centre)
        up = joints.stride * above + joints.twist
        copy(g, o, g, up, 6)
        x, y, z = cross(g[up + 3], g[up + 4], g[up + 5], x, y, z)
        add_to(g, o, x, y, z)
    for at in range(joints.segment_first[b], joints.segment_first[b + 1]):
        j = joints.segment_joint[at]
        for k in range(joints.first[j], joints.first[j + 1]):
            add_twist(joints, g, o, g, centre, j, k, target[k])


def predict(joints, target, out):
    """Set ``out`` to the change of every error by a step, to first order."""
    g = joints.segment
    w = joints.work
    if joints.coupled:
        for i in range(joints.rows):
            x = 0.0
            for k in range(joints.m):
                x += joints.joint_row[joints.width * k + i] * target[k]
            out[i] = x
        return
    for b in range(joints.segments):
        set_twist(joints, b, target)
        e = joints.segment_effector[b]
        if e < 0:
            continue
        o = joints.stride * b
        row = joints.effector_row[e]
        position_weight = joints.weights[2 * e] / joints.size
        if position_weight > 0.0:
            for c in range(3):
                arm_row(w, c, position_weight, joints.tips, 3 * e, g, o + joints.centre)
                x = 0.0
                for k in range(6):
                    x += w[k] * g[o + joints.twist + k]
                out[row + c] = x
            row += 3
        if joints.weights[2 * e + 1] > 0.0:
            for c in range(3):
                out[row + c] = joints.weights[2 * e + 1] * g[o + joints.twist + 3 + c]


def prepare_step(joints):
    """Set the derivatives of the errors; call ``measure`` first."""
    set_columns(joints)
    linearise_segments(joints)


def damped_step(joints, damping):
    """Set ``step`` to the damped least-squares step inside the limits.

    min |J s - r|² + damping |s|²  with low <= s <= high, by an active set: a
    coordinate that the step would push through a bound stays at it as long as the
    others' steps push it there.
    """
    step = joints.step
    at_bound = joints.at_bound
    for k in range(joints.m):
        step[k] = 0.0
        at_bound[k] = 0
    for i in range(PASSES):
        eliminate(joints, damping, joints.residual, step)
        substitute(joints, step)
        change = 0
        for k in range(joints.m):
            if at_bound[k] and i >= RELEASES:
                continue
            if at_bound[k]:
                x = joints.wish[k] - step[k]
                # held at the lower bound, or at the upper one
                if (x > SLACK and step[k] < joints.high[k]) or (
                    x < -SLACK and step[k] > joints.low[k]
                ):
                    at_bound[k] = 0
                    change = 1
                continue
            x = step[k]
            if x < joints.low[k]:
                step[k] = joints.low[k]
                at_bound[k] = 1
                change = 1
            elif x > joints.high[k]:
                step[k] = joints.high[k]
                at_bound[k] = 1
                change = 1
        if change == 0:
            break


def accelerate(joints, damping, longest):
    """Bend ``step`` along the valley that it leads into (geodesic acceleration).

    Transtrum & Sethna 2012: the second derivative of the errors along the step, by
    a difference, through the same damped inverse. For a step of ``damped_step``
    whose largest rotation is ``longest``, at the pose of ``keep``, which stays.
    """
    m = joints.m
    y = joints.solved
    bend = joints.gradient
    predict(joints, joints.step, y)
    for i in range(joints.rows):
        y[i] = AHEAD * y[i] - joints.residual[i]
    advance(joints, AHEAD)
    joints.measure()
    joints.restore()
    for i in range(joints.rows):
        y[i] = (y[i] + joints.residual[i]) / (AHEAD * AHEAD)
    if joints.segments > 1:
        # what inner segments pass on depends on joint positions
        joints.measure()
    for k in range(m):
        bend[k] = 0.0
    eliminate(joints, damping, y, bend)
    substitute(joints, bend)
    largest = 0.0
    for k in range(m):
        largest = max(largest, abs(bend[k]))
    x = BENT * longest
    x = x / largest if largest > x else 1.0
    for k in range(m):
        t = joints.step[k] + x * bend[k]
        t = max(t, joints.low[k])
        t = min(t, joints.high[k])
        joints.step[k] = t
