"""Sweeps of FABRIK and CCD over a tree of joints, that keep joint limits.

FABRIK moves points, but limits bound rotations; so here each joint carries its whole
rotation through both passes. FABRIK chooses the direction of a bone, and its rotation
relative to its neighbour is then clamped to the limits. Where bones branch off one
joint (a sub-base), the joint moves to the weighted centroid of the positions that they
propose, and rotates by the weighted mean of the rotations.
"""

import cython

if not cython.compiled:
    from math import acos, atan2, sqrt

    from .buffers import doubles, pin
    from .codes import AXES, BALL, FIXED, SLIDE
    from .jacobian import set_columns
    from .quat_ops import (
        conj_mul,
        from_to,
        mul,
        mul_conj,
        rotate_back,
        rotate_row,
        rotation_vector,
    )
    from .vectors import (
        add3,
        between,
        copy,
        cross,
        less,
        norm3,
        put,
        put4,
        rotated,
        three,
    )

SLOW = 0.9  # a sweep that leaves more than this fraction of the squared error is slow
VERY_SLOW = 0.999  # the same joint by joint


class LimitedSweeps:
    """Sweeps over joints, which ignore ``tool``: an effector is at its joint.

    ``goals`` 3 n holds the joint positions that the backward pass finds, ``pull`` n
    their weights, ``mean`` 4 n the sum of the rotations proposed.

    Args:
        joints: The ``JointKernel``.
        buffers: The named buffers.
    """

    def __init__(self, joints, buffers):
        self.joints = joints
        self._pinned = pin(buffers)
        self.goals = doubles(buffers["goals"])
        self.pull = doubles(buffers["pull"])
        self.mean = doubles(buffers["mean"])

    def sweep(self, by_joint, iterations, tolerance, orientation_tolerance):
        """Sweep until the goals are reached; return the sweeps used.

        Ends after three slow sweeps in a row: another method closes the rest better.

        Args:
            by_joint: 0: FABRIK. 1: CCD, joint after joint: a hinge turns to its best
                angle for positions and rotations together, in closed form; a slide
                brings the tips as near as it can; any other joint turns the tips that
                it moves to their goals. All are clamped to their limits.
            iterations: Maximum number of sweeps.
            tolerance: Distance that counts as reached [scene unit].
            orientation_tolerance: And angle [rad].
        """
        joints = self.joints
        used = 0
        slow_sweeps = 0
        slow = VERY_SLOW if by_joint else SLOW
        cost = joints.measure()
        while used < iterations and not joints.reached(
            tolerance, orientation_tolerance
        ):
            used += 1
            if by_joint:
                for j in range(joints.n - 1, -1, -1):
                    self.turn_to_goals(j)
            else:
                self.backward_pass()
                self.forward_pass()
            before = cost
            cost = joints.measure()
            slow_sweeps = slow_sweeps + 1 if cost > slow * before else 0
            if slow_sweeps >= 3:
                break
        return used

    def backward_pass(self):
        """Sweep from goals to root; each bone is rotated against those after it."""
        joints = self.joints
        w = joints.work
        r = joints.rotations
        g = self.goals
        at = joints.local_pos
        pull = self.pull
        for j in range(joints.n):
            pull[j] = 0.0
            put(g, 3 * j, 0.0, 0.0, 0.0)
            put4(self.mean, 4 * j, 0.0, 0.0, 0.0, 0.0)
        for e in range(joints.e):
            j = joints.effector[e]
            s = joints.weights[2 * e] * joints.weights[2 * e]
            pull[j] += s
            for c in range(3):
                g[3 * j + c] += s * joints.goal[3 * e + c]
        for j in range(joints.n - 1, -1, -1):
            if pull[j] <= 0.0:
                continue
            i = 3 * j
            o = 4 * j
            for c in range(3):
                g[i + c] /= pull[j]
            has_mean = self.apply_mean(j)
            k = joints.parent[j]
            if k < 0:
                continue
            # joint k rotates the bone from joint k to joint j
            self.point(j, k)
            # joint j's rotation relative to it must be inside joint j's limits
            if has_mean and joints.kind[j] != BALL:
                conj_mul(w, 8, w, 4, r, o)
                joints.set_from_rotation(j, w, 8)
                mul_conj(w, 4, r, o, joints.q, o)
            self.propose(k, pull[j], w, 4)
            joints.bone_offset(j)
            rotate_row(w, 0, w, 4, at, i)
            for c in range(3):
                g[3 * k + c] += pull[j] * (g[i + c] - w[c])
            pull[k] += pull[j]

    def forward_pass(self):
        """Sweep from root to tips; each bone is rotated against the one before."""
        joints = self.joints
        w = joints.work
        r = joints.rotations
        p = joints.joint_pos
        at = joints.local_pos
        for j in range(joints.n):
            i = 3 * j
            o = 4 * j
            k = joints.parent[j]
            if joints.kind[j] == SLIDE and self.pull[j] > 0.0:
                self.slide(j)
            joints.bone_offset(j)
            if k < 0:
                copy(p, i, at, i, 3)
            else:
                rotate_row(p, i, r, 4 * k, at, i)
                add3(p, i, p, 3 * k)
            put4(self.mean, o, 0.0, 0.0, 0.0, 0.0)
            child = joints.first_child[j]
            while child >= 0:
                if self.pull[child] > 0.0:
                    self.point(child, j)
                    self.propose(j, self.pull[child], w, 4)
                child = joints.next_child[child]
            if self.apply_mean(j):
                joints.turn_to(j, r, o)
            if k < 0:
                copy(r, o, joints.q, o, 4)
            else:
                mul(r, o, r, 4 * k, joints.q, o)

    def point(self, j, k):
        """Set ``work[4]`` to joint k's rotation that aims its bone to j at j's goal.

        The bone starts at the position of joint k in ``joint_pos``.
        """
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        g = self.goals
        i = 3 * j
        joints.bone_offset(j)
        u, v, s = three(joints.local_pos, i)
        u, v, s = rotated(joints.rotations, 4 * k, u, v, s)
        a = norm3(u, v, s)
        x, y, z = between(p, 3 * k, g, i)
        b = norm3(x, y, z)
        if a > 0.0 and b > 1e-300:
            from_to(w, 4, u / a, v / a, s / a, x / b, y / b, z / b)
            mul(w, 4, w, 4, joints.rotations, 4 * k)
        else:
            copy(w, 4, joints.rotations, 4 * k, 4)

    def propose(self, j, fraction, q, o):
        """Add the rotation at ``q[o]`` to those proposed for joint j."""
        joints = self.joints
        r = joints.rotations
        t = 0.0
        for c in range(4):
            t += q[o + c] * r[4 * j + c]
        if t < 0.0:
            fraction = -fraction
        for c in range(4):
            self.mean[4 * j + c] += fraction * q[o + c]

    def apply_mean(self, j):
        """Rotate joint j by the mean of the proposals; return 0 without any."""
        joints = self.joints
        e = joints.effector_at[j]
        if e >= 0 and joints.weights[2 * e + 1] > 0.0:
            self.propose(j, joints.weights[2 * e + 1], joints.goal_rot, 4 * e)
        o = 4 * j
        q = self.mean
        s = 0.0
        for c in range(4):
            s += q[o + c] * q[o + c]
        s = sqrt(s)
        if s <= 0.0:
            return 0
        for c in range(4):
            joints.rotations[o + c] = q[o + c] / s
        return 1

    def slide(self, j):
        """Shift joint j as near to its goal as its axis and limits allow."""
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        f = joints.first[j]
        i = 3 * j
        k = joints.parent[j]
        # the goal in the parent's frame
        copy(w, 4, self.goals, i, 3)
        if k >= 0:
            x, y, z = between(p, 3 * k, w, 4)
            rotate_back(w, 4, joints.rotations, 4 * k, x, y, z)
        joints.bone_offset(j)
        for c in range(3):
            t = joints.axis[3 * f + c]
            joints.value[f] += (w[4 + c] - joints.local_pos[i + c]) * t
        joints.project(j)

    def turn_to_goals(self, j):
        """Move joint j so that the tips come nearest to their goals."""
        joints = self.joints
        if joints.kind[j] == AXES:
            self.rotate_hinges(j)
        elif joints.kind[j] == SLIDE:
            self.slide_tip_to_goal(j)
        elif joints.kind[j] != FIXED:
            self.rotate_ball(j)

    def moves(self, j, e):
        """Return 1 when joint j moves effector e, or is its joint, else 0."""
        joints = self.joints
        k = joints.effector[e]
        while k > j:
            k = joints.parent[k]
        return 1 if k == j else 0

    def rotate_ball(self, j):
        """Rotate joint j so that the tips below it point at their goals."""
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        r = joints.rotations
        i = 3 * j
        o = 4 * j
        below = 0
        ux = uy = uz = 0.0
        for e in range(joints.e):
            if joints.effector[e] == j or not self.moves(j, e):
                continue
            x, y, z = between(p, i, joints.tips, 3 * e)
            s = norm3(x, y, z)
            a, b, d = between(p, i, joints.goal, 3 * e)
            k = norm3(a, b, d)
            if s < 1e-12 * joints.size or k < 1e-12 * joints.size:
                continue
            below += 1
            if joints.effectors_below[j] == 1:
                from_to(w, 4, x / s, y / s, z / s, a / k, b / k, d / k)
                break
            # the axis about which all together turn best
            k = joints.weights[2 * e] * joints.weights[2 * e]
            ux += k * (y * d - z * b)
            uy += k * (z * a - x * d)
            uz += k * (x * b - y * a)
        e = joints.effector_at[j]
        if below == 0:
            if e < 0 or joints.weights[2 * e + 1] <= 0.0:
                return
            copy(r, o, joints.goal_rot, 4 * e, 4)
        else:
            if joints.effectors_below[j] > 1:
                s = norm3(ux, uy, uz)
                if s < 1e-24 * joints.size * joints.size:
                    return
                angle = self.best_angle(j, ux / s, uy / s, uz / s, 0)
                k = angle / s
                rotation_vector(w, 4, k * ux, k * uy, k * uz)
            mul(r, o, w, 4, r, o)
        joints.turn_to(j, r, o)
        joints.measure()

    def slide_tip_to_goal(self, j):
        """Shift joint j so that the tips come nearest to their goals."""
        joints = self.joints
        f = joints.first[j]
        set_columns(joints)
        x = 0.0
        total = 0.0
        for e in range(joints.e):
            if not self.moves(j, e):
                continue
            k = joints.weights[2 * e] * joints.weights[2 * e]
            total += k
            for c in range(3):
                x += (
                    k
                    * (joints.goal[3 * e + c] - joints.tips[3 * e + c])
                    * joints.columns[3 * f + c]
                )
        if total <= 0.0:
            return
        joints.value[f] += x / total
        joints.project(j)
        joints.measure()

    def rotate_hinges(self, j):
        """Rotate each of joint j's hinges to the angle that brings the tips nearest."""
        joints = self.joints
        col = joints.columns
        for k in range(joints.first[j], joints.first[j + 1]):
            set_columns(joints)
            i = 3 * k
            angle = self.best_angle(j, col[i], col[i + 1], col[i + 2], 1)
            if angle != 0.0:
                joints.value[k] = joints.unwrap(k, joints.value[k] + angle)
                joints.project(j)
                joints.measure()

    def best_angle(self, j, ax, ay, az, turns):
        """Return the rotation [rad] of joint j about an axis that brings tips nearest.

        Maximises the weighted sum of positions' and rotations' terms, by the closed
        form of Wang & Chen. 0 where all angles are alike.

        Args:
            j: The joint.
            ax, ay, az: The axis, a unit vector, root space.
            turns: 1: rotations count.
        """
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        i = 3 * j
        up = along = 0.0
        for e in range(joints.e):
            if not self.moves(j, e):
                continue
            # position: the parts of tip and goal square to the axis
            x, y, z = between(p, i, joints.tips, 3 * e)
            x, y, z = less(x, y, z, ax, ay, az)
            a, b, d = between(p, i, joints.goal, 3 * e)
            weight = joints.weights[2 * e] / joints.size
            weight *= weight
            up += weight * (
                ax * (y * d - z * b) + ay * (z * a - x * d) + az * (x * b - y * a)
            )
            along += weight * (x * a + y * b + z * d)
            weight = joints.weights[2 * e + 1]
            if turns and weight > 0.0:
                # rotation: twist of goal ⊗ rotation⁻¹ about the axis
                weight *= weight
                k = 4 * joints.effector[e]
                mul_conj(w, 0, joints.goal_rot, 4 * e, joints.rotations, k)
                s = w[1] * ax + w[2] * ay + w[3] * az
                # the change of its square, in sine and cosine of the angle
                up += 4.0 * weight * w[0] * s
                along += 2.0 * weight * (w[0] * w[0] - s * s)
        if up * up + along * along < 1e-24:
            return 0.0
        return atan2(up, along)

    def set_two_bones(self, e, b, m):
        """Bend effector e's limb of two bones as far as its goal is, and turn it there.

        Args:
            e: Index of the effector.
            b: The first joint of the limb.
            m: The joint between the bones; those after it move with it.
        """
        joints = self.joints
        w = joints.work
        p = joints.joint_pos
        col = joints.columns
        joints.measure()
        set_columns(joints)
        ux, uy, uz = between(p, 3 * b, p, 3 * m)
        vx, vy, vz = between(p, 3 * m, joints.tips, 3 * e)
        f = joints.first[m]
        hinge = joints.kind[m] == AXES and joints.first[m + 1] - f == 1
        if hinge:
            ax, ay, az = col[3 * f], col[3 * f + 1], col[3 * f + 2]
        else:
            ax, ay, az = cross(ux, uy, uz, vx, vy, vz)
            s = norm3(ax, ay, az)
            if s < 1e-9 * joints.size * joints.size or joints.kind[m] in (FIXED, SLIDE):
                # straight: to no side
                s = 0.0
            else:
                ax, ay, az = ax / s, ay / s, az / s
        x, y, z = between(p, 3 * b, joints.goal, 3 * e)
        if hinge or s > 0.0:
            # |u + R v|² = goal²: an angle about the axis by the law of cosines
            s = ux * ax + uy * ay + uz * az
            t = vx * ax + vy * ay + vz * az
            wanted = x * x + y * y + z * z - ux * ux - uy * uy - uz * uz
            wanted = 0.5 * (wanted - vx * vx - vy * vy - vz * vz) - s * t
            along = ux * vx + uy * vy + uz * vz - s * t
            up = (
                ux * (ay * vz - az * vy)
                + uy * (az * vx - ax * vz)
                + uz * (ax * vy - ay * vx)
            )
            s = sqrt(up * up + along * along)
            if s > 1e-24 * joints.size * joints.size:
                t = wanted / s
                t = 1.0 if t > 1.0 else -1.0 if t < -1.0 else t
                t = acos(t)
                s = atan2(up, along)
                # of the two, the smaller rotation
                angle = s - t if s > 0.0 else s + t
                if hinge:
                    joints.value[f] = joints.unwrap(f, joints.value[f] + angle)
                    joints.project(m)
                else:
                    rotation_vector(w, 4, angle * ax, angle * ay, angle * az)
                    mul(w, 4, w, 4, joints.rotations, 4 * m)
                    joints.turn_to(m, w, 4)
                joints.measure()
        j = joints.parent[m]
        while j >= b:
            self.turn_to_goals(j)
            j = joints.parent[j]
