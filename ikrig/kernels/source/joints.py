"""A tree of joints as coordinates: limits, poses and goals.

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

The residual r stacks, per effector, (goal - tip) / size and the rotation vector from
the effector's rotation to the goal's, each times its weight; so rows have no unit.
"""

import cython

if not cython.compiled:
    from math import atan2, floor, sqrt
    from types import SimpleNamespace as StoredPose

    from .buffers import doubles, ints, pin
    from .codes import (
        AXES,
        BALL,
        BY_STEP,
        BY_WEIGHT,
        CONE,
        FIXED,
        NOT_FINITE,
        NOTHING,
        RANGED,
        SLIDE,
    )
    from .joint_poses import set_poses
    from .quat_ops import (
        angle_of,
        conj_mul,
        log_rotation,
        mul,
        mul_conj,
        rotate_back,
        rotate_row,
        rotate_vec,
        rotation_vector,
        scale_rotation,
        square_sum,
    )
    from .rest_pose import measure
    from .vectors import (
        add3,
        between,
        copy,
        distance,
        dot,
        norm3,
        put,
        put4,
        rotated,
        three,
    )

PI = 3.141592653589793
FULL_TURN = 6.283  # wider ranges count as a full turn: files round them
FARTHEST = 1e64  # limit of the sum of squared coordinates: bounds keep it lower


def stored(buffers, name):
    """Return the pose whose buffers begin with a name: coordinates and quaternions."""
    return StoredPose(
        value=doubles(buffers[name + "_value"]), q=doubles(buffers[name + "_q"])
    )


class JointKernel:
    """A tree of joints, parents first, and its effectors.

    Sizes for n joints, m degrees of freedom and e effectors with R rows together.

    The tree: whole numbers ``parent``, ``kind``, ``first_child``, ``next_child``,
    ``effector_at`` (-1: none), ``effectors_below`` n, ``first`` n + 1 (each joint's
    first coordinate); ``effector`` (their joints), ``effector_row`` (their first rows)
    e; of c joints that follow another ``follower`` c (the joint) and ``leading`` c (the
    coordinate it follows). Numbers: offset (from the parent, start pose), bone (unit),
    across, up (with bone a right-handed frame) 3 n; half (right, up, left, down) 4 n;
    axis 3 m; lower, upper m; speed n [rad or scene unit per second; negative:
    unlimited]; coupling 2 c (a factor and an addition). Whoever makes it sets
    ``coupled``, which is c, and ``size``, that of the tree [scene unit].

    The start pose: limit_rot (what coordinates refer to), rest_rot, rest_to_anim (from
    the one to the other), mirror (from the parent's rotation to the frame that a
    joint's rotation is given in), frames 4 n; points 3 n; local_trs 10 n; child_frame
    5 n.

    The pose, the shown and a stored one: value, shown_value, kept_value, start_value m;
    q, shown_q, kept_q, start_q, rotations, rot, local 4 n; local_pos, joint_pos 3 n;
    work 16.

    Goals: tool 3 e (from joint to effector, start pose); goal, tips 3 e, goal_rot 4 e,
    weights 2 e (position, rotation; 0: no rows). Steps: residual, solved R; gradient,
    step, wish, low, high, mobility, whole numbers ``at_bound`` m; columns 3 m.

    For s segments of w rows at most (``damped_steps``) whole numbers ``segment_first``
    s + 1, ``segment_joint`` (their joints, the last one first), ``segment_parent``,
    ``segment_effector`` (-1: none), ``segment_inner`` (1: it has children),
    ``segment_rows`` s; segment (w w + 14 w + 9) s, joint_row w m.
    """

    def __init__(self, n, m, e, buffers):
        """Store the sizes and the named buffers."""
        self.n = n
        self.m = m
        self.e = e
        self.coupled = self.cyclic = self.rows = 0
        self.scale = 1.0
        self.error = self.orientation_error = 0.0
        self.segments = len(buffers["segment_parent"])
        self._pinned = pin(buffers)
        self.parent = ints(buffers["parent"])
        self.kind = ints(buffers["kind"])
        self.first = ints(buffers["first"])
        self.follower = ints(buffers["follower"])
        self.leading = ints(buffers["leading"])
        self.effector = ints(buffers["effector"])
        self.effector_row = ints(buffers["effector_row"])
        self.effector_at = ints(buffers["effector_at"])
        self.effectors_below = ints(buffers["effectors_below"])
        self.first_child = ints(buffers["first_child"])
        self.next_child = ints(buffers["next_child"])
        self.at_bound = ints(buffers["at_bound"])
        self.segment_first = ints(buffers["segment_first"])
        self.segment_joint = ints(buffers["segment_joint"])
        self.segment_parent = ints(buffers["segment_parent"])
        self.segment_effector = ints(buffers["segment_effector"])
        self.segment_inner = ints(buffers["segment_inner"])
        self.segment_rows = ints(buffers["segment_rows"])
        self.offset = doubles(buffers["offset"])
        self.bone = doubles(buffers["bone"])
        self.across = doubles(buffers["across"])
        self.up = doubles(buffers["up"])
        self.half = doubles(buffers["half"])
        self.axis = doubles(buffers["axis"])
        self.lower = doubles(buffers["lower"])
        self.upper = doubles(buffers["upper"])
        self.local_pos = doubles(buffers["local_pos"])
        self.joint_pos = doubles(buffers["joint_pos"])
        self.points = doubles(buffers["points"])
        self.local_trs = doubles(buffers["local_trs"])
        self.child_frame = doubles(buffers["child_frame"])
        self.value = doubles(buffers["value"])
        self.own_pose = StoredPose(value=self.value, q=doubles(buffers["q"]))
        self.shown_pose = stored(buffers, "shown")
        self.kept_pose = stored(buffers, "kept")
        self.start_pose = stored(buffers, "start")
        self.q = doubles(buffers["q"])
        self.rotations = doubles(buffers["rotations"])
        self.limit_rot = doubles(buffers["limit_rot"])
        self.rest_rot = doubles(buffers["rest_rot"])
        self.rest_to_anim = doubles(buffers["rest_to_anim"])
        self.mirror = doubles(buffers["mirror"])
        self.frames = doubles(buffers["frames"])
        self.rot = doubles(buffers["rot"])
        self.local = doubles(buffers["local"])
        self.work = doubles(buffers["work"])
        self.speed = doubles(buffers["speed"])
        self.coupling = doubles(buffers["coupling"])
        self.tool = doubles(buffers["tool"])
        self.goal = doubles(buffers["goal"])
        self.goal_rot = doubles(buffers["goal_rot"])
        self.weights = doubles(buffers["weights"])
        self.tips = doubles(buffers["tips"])
        self.residual = doubles(buffers["residual"])
        self.gradient = doubles(buffers["gradient"])
        self.step = doubles(buffers["step"])
        self.low = doubles(buffers["low"])
        self.high = doubles(buffers["high"])
        self.columns = doubles(buffers["columns"])
        self.mobility = doubles(buffers["mobility"])
        self.wish = doubles(buffers["wish"])
        self.solved = doubles(buffers["solved"])
        self.joint_row = doubles(buffers["joint_row"])
        self.segment = doubles(buffers["segment"])

    def project(self, j):
        """Clamp joint j's coordinates to its limits, and set its quaternion."""
        kind = self.kind[j]
        if kind == BALL:
            return
        f = self.first[j]
        o = 4 * j
        q = self.q
        if kind == FIXED:
            copy(q, o, self.start_pose.q, o, 4)
            return
        w = self.work
        value = self.value
        if kind == CONE:
            self.to_ellipse(j)
            value[f + 2] = max(value[f + 2], self.lower[f + 2])
            value[f + 2] = min(value[f + 2], self.upper[f + 2])
            self.set_swing(j, w)
            i = 3 * j
            k = value[f + 2]
            a = self.bone
            rotation_vector(w, 4, k * a[i], k * a[i + 1], k * a[i + 2])
            mul(q, o, w, 0, w, 4)
            return
        if kind == RANGED:
            x, y, z = three(value, f)
            k = norm3(x, y, z)
            if k > self.half[o]:
                k = self.half[o] / k
                x, y, z = k * x, k * y, k * z
                put(value, f, x, y, z)
            rotation_vector(q, o, x, y, z)
            return
        put4(q, o, 1.0, 0.0, 0.0, 0.0)
        for i in range(f, self.first[j + 1]):
            if (
                self.cyclic
                and kind == AXES
                and self.upper[i] - self.lower[i] > FULL_TURN
            ):
                # the same pose at the range's other end
                value[i] = self.unwrap(i, value[i])
            value[i] = max(value[i], self.lower[i])
            value[i] = min(value[i], self.upper[i])
            if kind != SLIDE:
                self.turn_about(i, value[i], q, o)

    def turn_about(self, k, angle, q, o):
        """Turn the rotation at ``q[o]`` by an angle about the axis of coordinate k."""
        w = self.work
        x, y, z = three(self.axis, 3 * k)
        rotation_vector(w, 4, angle * x, angle * y, angle * z)
        mul(q, o, q, o, w, 4)

    def set_swing(self, j, out):
        """Write the rotation of cone joint j's swing."""
        x, y = self.value[self.first[j]], self.value[self.first[j] + 1]
        a = self.across
        b = self.up
        i = 3 * j
        ux, uy = x * b[i] - y * a[i], x * b[i + 1] - y * a[i + 1]
        rotation_vector(out, 0, ux, uy, x * b[i + 2] - y * a[i + 2])

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
        if kind == BALL:
            copy(q, p, r, o, 4)
            return
        f = self.first[j]
        w = self.work
        i = 3 * j
        if kind == CONE:
            u = self.bone
            a = self.across
            b = self.up
            rotate_row(w, 0, r, o, u, i)
            x, y, z = dot(w, 0, a, i), dot(w, 0, b, i), dot(w, 0, u, i)
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
            self.set_swing(j, w)
            conj_mul(w, 0, w, 0, r, o)
            g = 2.0 * atan2(dot(w, 1, u, i), w[0])
            self.value[f + 2] = self.unwrap(f + 2, g)
        elif kind == RANGED:
            log_rotation(self.value, f, r, o)
        elif kind == AXES:
            a = self.axis
            last = self.first[j + 1]
            for _ in range(1 if last - f == 1 else 8):
                for k in range(f, last):
                    # remove the rotations of the others: the rest is about axis k
                    put4(w, 0, 1.0, 0.0, 0.0, 0.0)
                    for e in range(f, k):
                        self.turn_about(e, self.value[e], w, 0)
                    conj_mul(w, 0, w, 0, r, o)
                    for e in range(last - 1, k, -1):
                        self.turn_about(e, -self.value[e], w, 0)
                    t = atan2(dot(w, 1, a, 3 * k), w[0])
                    self.value[k] = self.unwrap(k, 2.0 * t)
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
        w = square_sum(self.q, self.n)
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
        if self.kind[j] == SLIDE:
            f = self.first[j]
            for c in range(3):
                at[i + c] += self.value[f] * self.axis[3 * f + c]

    def rest(self):
        """Set every joint to its start pose, or the nearest pose inside its limits."""
        self.load(self.start_pose)
        for j in range(self.n):
            self.project(j)

    def set_start(self, limited):
        """Set the start pose from the joints in ``points``, root space.

        Args:
            limited: 1: limits refer to a different pose, whose joints ``rest_to_anim``
                rotates to the start pose; offsets are those of that pose.
        """
        for j in range(self.n):
            k = self.parent[j]
            if k < 0:
                continue
            i = 3 * j
            x, y, z = between(self.points, 3 * k, self.points, i)
            if limited:
                rotate_back(self.offset, i, self.rest_to_anim, 4 * k, x, y, z)
            else:
                put(self.offset, i, x, y, z)
        if limited:
            anim = self.rest_to_anim
            for j in range(self.n):
                # fixed joints keep their animated rotation
                if self.kind[j] == FIXED and self.parent[j] >= 0:
                    o = 4 * self.parent[j]
                    conj_mul(self.start_pose.q, 4 * j, anim, o, anim, 4 * j)
                elif self.kind[j] == FIXED:
                    copy(self.start_pose.q, 4 * j, self.rest_to_anim, 4 * j, 4)
            self.keep()
            for j in range(self.n):
                if self.kind[j] == SLIDE:
                    self.value[self.first[j]] = 0.0
            self.set_from_rotations(self.rest_to_anim)
            for j in range(self.n):
                for k in range(self.first[j], self.first[j + 1]):
                    # slides count from their animated position
                    self.start_pose.value[k] = (
                        0.0 if self.kind[j] == SLIDE else self.value[k]
                    )
            copy(self.start_pose.q, 0, self.q, 0, 4 * self.n)
            self.restore()

    def forward(self):
        """Set ``rotations`` and ``joint_pos``, root space, from the tree's origin."""
        self.couple()
        for j in range(self.n):
            self.bone_offset(j)
        set_poses(
            self.n, self.parent, self.local_pos, self.q, self.rotations, self.joint_pos
        )

    def set_from_rotations(self, r):
        """Set the joints to root-space rotations ``r``, as near as limits allow."""
        for j in range(self.n):
            k = self.parent[j]
            self.turn_to(j, r, 4 * j)
            if k < 0:
                copy(self.rotations, 4 * j, self.q, 4 * j, 4)
            else:
                mul(self.rotations, 4 * j, self.rotations, 4 * k, self.q, 4 * j)

    def turn_to(self, j, r, o):
        """Set joint j to the root-space rotation at ``r[o]``, as near as limits allow.

        ``work[8]`` is then that rotation relative to its parent.
        """
        w = self.work
        k = self.parent[j]
        if k < 0:
            copy(w, 8, r, o, 4)
        else:
            conj_mul(w, 8, self.rotations, 4 * k, r, o)
        self.set_from_rotation(j, w, 8)

    def set_from_solved_rot(self):
        """Set the joints to ``rotations``, as near as limits allow."""
        self.set_from_rotations(self.rotations)

    def copy_pose(self, pose, to):
        """Copy a stored pose to another."""
        copy(to.value, 0, pose.value, 0, self.m)
        copy(to.q, 0, pose.q, 0, 4 * self.n)

    def store(self, to):
        """Store the pose."""
        self.copy_pose(self.own_pose, to)

    def load(self, pose):
        """Set the pose to a stored one."""
        self.copy_pose(pose, self.own_pose)

    def keep(self):
        """Store the pose for ``restore``."""
        self.store(self.kept_pose)

    def restore(self):
        """Restore the pose that ``keep`` stored."""
        self.load(self.kept_pose)

    def pull_back(self, fraction):
        """Move every joint back to its start pose by a fraction, 0 to 1."""
        if fraction > 0.0:
            for j in range(self.n):
                self.blend_joint(j, self.start_pose, 1.0 - fraction)

    def blend_joint(self, j, pose, fraction):
        """Move joint j back towards a stored pose: 0 there, 1 where it is."""
        if self.kind[j] == BALL:
            o = 4 * j
            conj_mul(self.q, o, pose.q, o, self.q, o)
            scale_rotation(self.q, o, fraction, FARTHEST)
            mul(self.q, o, pose.q, o, self.q, o)
            return
        for k in range(self.first[j], self.first[j + 1]):
            x = pose.value[k]
            self.value[k] = x + fraction * (self.value[k] - x)
        self.project(j)

    def start_over(self):
        """Restart from the start pose after a bad solve; the shown pose stays."""
        self.load(self.shown_pose)
        if not self.sound():
            self.rest()
            self.store(self.shown_pose)
        self.forward()
        self.rest()

    def show(self, weight, limit, dt):
        """Move the shown pose to the pose, as far as ``weight`` and limits allow.

        Args:
            weight: 0 start pose, 1 the pose.
            limit: Maximum rotation of a joint [rad], and maximum shift as a fraction of
                ``size``; negative: unlimited.
            dt: Time [s] in which joints move no faster than ``speed``; negative: speed
                is unlimited.

        Returns:
            What holds it back: ``limit`` and speed are BY_STEP; see ``start_over``.
        """
        if not self.sound():
            self.start_over()
            return NOT_FINITE
        self.keep()
        blocker = NOTHING
        if weight < 1.0:
            blocker = BY_WEIGHT
            self.pull_back(1.0 - weight)
        if limit >= 0.0 or dt >= 0.0:
            w = self.work
            max_rotation = limit
            for j in range(self.n):
                f, last = self.first[j], self.first[j + 1]
                o = 4 * j
                limit = max_rotation if max_rotation >= 0.0 else FARTHEST
                # a negative speed is unlimited
                max_change = (
                    self.speed[j] * dt if dt >= 0.0 and self.speed[j] >= 0.0 else -1.0
                )
                if self.kind[j] == SLIDE:
                    t = self.value[f] - self.shown_pose.value[f]
                    s = limit * self.size
                    if max_change >= 0.0 and max_change < s:
                        s = max_change
                    if t > s or t < -s:
                        blocker = BY_STEP
                        self.value[f] = self.shown_pose.value[f] + (s if t > s else -s)
                    continue
                if max_change >= 0.0 and self.kind[j] == AXES:
                    # compare coordinates: the rotation may go the shorter way round
                    for k in range(f, last):
                        t = self.value[k] - self.shown_pose.value[k]
                        if t > max_change or t < -max_change:
                            blocker = BY_STEP
                            t = max_change if t > max_change else -max_change
                            self.value[k] = self.shown_pose.value[k] + t
                    self.project(j)
                elif max_change >= 0.0 and max_change < limit:
                    limit = max_change
                if self.kind[j] == BALL:
                    conj_mul(w, 0, self.shown_pose.q, o, self.q, o)
                    if scale_rotation(w, 0, 1.0, limit) >= limit * (1.0 - 1e-9):
                        blocker = BY_STEP
                    mul(self.q, o, self.shown_pose.q, o, w, 0)
                    continue
                # coordinates of one joint move together, on a straight line, until
                # the rotation is small enough
                for _ in range(20):
                    conj_mul(w, 0, self.shown_pose.q, o, self.q, o)
                    s = scale_rotation(w, 0, 1.0, FARTHEST)
                    if s <= limit:
                        break
                    blocker = BY_STEP
                    s = (1.0 - 1e-9) * limit / s
                    for k in range(f, last):
                        t = self.value[k] - self.shown_pose.value[k]
                        self.value[k] = self.shown_pose.value[k] + s * t
                    self.project(j)
        self.couple()
        self.store(self.shown_pose)
        self.forward()
        self.restore()
        return blocker

    def rotate_leaf(self, e, use_tip):
        """Rotate effector e's joint to its goal or with its bone, inside its limits.

        For a joint without children. Call ``forward`` first.
        """
        j = self.effector[e]
        if use_tip:
            self.turn_to(j, self.goal_rot, 4 * e)
        else:
            self.set_from_rotation(j, self.start_pose.q, 4 * j)

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
            x, y, z = three(self.tool, k)
            x, y, z = rotated(self.rotations, 4 * j, x, y, z)
            t = self.scale
            put(self.tips, k, t * x, t * y, t * z)
            add3(self.tips, k, self.joint_pos, 3 * j)
            weight = self.weights[2 * i]
            if weight > 0.0:
                x, y, z = between(self.tips, k, self.goal, k)
                s = norm3(x, y, z)
                # NaN must not count as a small error
                if not s <= self.error:
                    self.error = s
                t = weight / self.size
                put(r, row, t * x, t * y, t * z)
                total += t * t * s * s
                row += 3
            weight = self.weights[2 * i + 1]
            if weight > 0.0:
                # goal ⊗ rotation⁻¹ as a rotation vector, in the shorter direction
                mul_conj(w, 0, self.goal_rot, 4 * i, self.rotations, 4 * j)
                angle = log_rotation(w, 4, w, 0)
                if not angle <= self.orientation_error:
                    self.orientation_error = angle
                put(r, row, weight * w[4], weight * w[5], weight * w[6])
                total += weight * weight * angle * angle
                row += 3
        self.rows = row
        return 0.5 * total

    def reached(self, tolerance, orientation_tolerance):
        """Return 1 when every effector is within both tolerances, else 0."""
        near = self.error <= tolerance
        return 1 if near and self.orientation_error <= orientation_tolerance else 0

    def gap(self, e, gx, gy, gz, tx, ty, tz):
        """Return the distance [scene unit] from a shown effector to its goal.

        Args:
            e: Index of the effector.
            gx, gy, gz: Its goal, from the root joint, root space [scene unit].
            tx, ty, tz: From its joint to it, in the pose that coordinates refer to.
        """
        i = self.effector[e]
        tx, ty, tz = rotated(self.rotations, 4 * i, tx, ty, tz)
        x, y, z = three(self.joint_pos, 3 * i)
        x, y, z = x + tx - gx, y + ty - gy, z + tz - gz
        return norm3(x, y, z)

    def angle(self, e):
        """Return the angle [rad] from a shown effector's rotation to its goal's."""
        w = self.work
        conj_mul(w, 0, self.goal_rot, 4 * e, self.rotations, 4 * self.effector[e])
        return angle_of(w, 0)

    def set_from_locals(self):
        """Set the start pose from the joints in ``local_trs``; return as ``measure``.

        Or -1 when they can't be solved for. Coordinates still refer to the pose in
        ``limit_rot``.
        """
        n = self.n
        uneven = measure(
            n, self.parent, self.local_trs, self.points, self.rest_rot, self.frames,
            self.child_frame,
        )  # fmt: skip
        if uneven < 0.0:
            return uneven
        for j in range(n):
            o = 4 * j
            k = 4 * self.parent[j]
            mul_conj(self.rest_to_anim, o, self.rest_rot, o, self.limit_rot, o)
            if k < 0:
                copy(self.mirror, o, self.frames, o, 4)
            else:
                conj_mul(self.mirror, o, self.rest_rot, k, self.frames, o)
        self.set_start(1)
        return uneven

    def bones_before(self, e):
        """Return the length of the animated bones from the root to effector e."""
        length = 0.0
        j = self.effector[e]
        k = self.parent[j]
        while k >= 0:
            length += distance(self.points, 3 * k, self.points, 3 * j)
            j = k
            k = self.parent[j]
        return length

    def aim_rest_to_anim(self, e):
        """Refer effector e's goal rotation to the pose that coordinates refer to."""
        turn = self.goal_rot
        mul(turn, 4 * e, turn, 4 * e, self.rest_to_anim, 4 * self.effector[e])

    def blend(self, fraction):
        """Blend from the pose in ``local_trs``, at 0, to the shown pose, at 1."""
        w = self.work
        for j in range(self.n):
            i = 3 * j
            o = 4 * j
            k = self.parent[j]
            x, y, z = three(self.offset, i)
            x, y, z = self.scale * x, self.scale * y, self.scale * z
            if self.kind[j] == SLIDE:
                d = self.first[j]
                t = fraction * self.shown_pose.value[d]
                ax, ay, az = three(self.axis, 3 * d)
                x, y, z = x + t * ax, y + t * ay, z + t * az
            if k < 0:
                put(self.joint_pos, i, x, y, z)
            else:
                rotate_vec(self.joint_pos, i, self.rotations, 4 * k, x, y, z)
                add3(self.joint_pos, i, self.joint_pos, 3 * k)
            mul_conj(w, 4, self.rotations, o, self.rest_to_anim, o)
            scale_rotation(w, 4, fraction, 1e30)
            mul(self.rotations, o, w, 4, self.rest_to_anim, o)

    def write(self):
        """Set rot and local from ``rotations``."""
        for j in range(self.n):
            o = 4 * j
            k = 4 * self.parent[j]
            mul(self.rot, o, self.rotations, o, self.limit_rot, o)
            if k < 0:
                conj_mul(self.local, o, self.mirror, o, self.rot, o)
            else:
                mul(self.local, o, self.rot, k, self.mirror, o)
                conj_mul(self.local, o, self.local, o, self.rot, o)
