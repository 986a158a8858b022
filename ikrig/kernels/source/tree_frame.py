"""One frame of a tree of joints: everything but the iteration, which each method adds.

A frame is ``read`` or ``set_goal``, ``begin``, the method's iteration, ``end`` and
``result``.
"""

import cython

if not cython.compiled:
    from math import exp, pow, sqrt

    from .branch_bends import fold, swing
    from .buffers import doubles, ints, pin
    from .codes import (
        BAD_GOAL,
        BAD_ROOT,
        BAD_ROTATION,
        BAD_WEIGHT,
        BY_STEP,
        BY_WEIGHT,
        NOT_FINITE,
        NOT_PLAIN,
        NOTHING,
        READ,
    )
    from .quat_ops import rotate_row
    from .vectors import copy, norm3, put, put4, three

RESTARTS = 100
CREEP = 0.05  # mean distance [sizes] that goals move between frames without a jump
UNEXPLAINED = 2.0  # times the way of the goals, from which on a gap is larger than it
EXACT = 1e-6  # maximum bend of straight bones, as a fraction of their length
DRAWN = 0.3  # fraction of the way to its animation that a pose is drawn in 1/60 s by
# default: less keeps a bend that the animation does not have, more follows its branches
# in leaps
FINISH = 30  # steps that the finish after a method may always take
FINE = 1e-4  # fraction of the tolerances to continue to while iterations are left: so
# the pose depends on the goal, not on where within them a solve happened to end
TIP_SOLVES = 8  # most further solves for a tip whose joint is held by its limit
LARGEST_SQUARE = 1e300  # of the numbers of a goal
MOST_WEIGHT = 1e9


class TreeFrame:
    """The frames of a tree: goals, tips, what is known of the motion, and the result.

    For e effectors ``point`` 3 e has the goals from the root joint, ``far`` e the
    distances that they reach, ``tip`` 3 e the tips from their joints, in the pose that
    coordinates refer to, ``pole`` 3 e, ``side`` 4 e (bend from which on a branch is not
    straight, and the side it bends to), ``gap`` e the shown pose's distances from the
    goals; ``aimed``, ``held``, ``last_held`` 3 e are scratch. Whole numbers e each:
    ``turned`` (1: the rotation is asked for), ``leaf`` (1: a joint without children),
    ``rigid`` (1: the tip is fixed to the bone before the joint), ``held_off`` (1: the
    goal is out of reach), ``folds_at`` (first joint of a branch that bends where it is
    straight, -1: none), ``swings_at`` (the same of a branch with a pole), ``loose``.

    ``begun``: goals of the last frame count; ``continuous``: the goals are near them;
    ``tracking``: and have been ever since a pose reached them; ``searched``: the method
    has searched for these goals, no finish does better.

    Args:
        joints: The ``JointKernel``.
        search: Its ``JointSearch``.
        posture: Its ``Posture``.
        buffers: The named buffers.
        result_type: A named tuple with the fields of ``SolveResult``.
        statuses: For converged, stalled, unreachable, and iterations that ran out.
        bad_numbers: The result's detail when numbers are not finite.
    """

    def __init__(
        self, joints, search, posture, buffers, result_type, statuses, bad_numbers
    ):
        self.joints = joints
        self.search = search
        self.posture = posture
        self._pinned = pin(buffers)
        self.point = doubles(buffers["point"])
        self.far = doubles(buffers["far"])
        self.tip = doubles(buffers["tip_arm"])
        self.pole = doubles(buffers["pole"])
        self.side = doubles(buffers["side"])
        self.gap = doubles(buffers["gap"])
        self.aimed = doubles(buffers["aimed"])
        self.held = doubles(buffers["held"])
        self.last_held = doubles(buffers["last_held"])
        self.turned = ints(buffers["turned"])
        self.leaf = ints(buffers["leaf"])
        self.rigid = ints(buffers["rigid"])
        self.held_off = ints(buffers["held_off"])
        self.folds_at = ints(buffers["folds_at"])
        self.swings_at = ints(buffers["swings_at"])
        self.loose = ints(buffers["loose"])
        self.result_type = result_type
        # a named tuple's own constructor is Python, and takes as long as a solve
        self.make = tuple.__new__
        self.statuses = statuses
        self.bad_numbers = bad_numbers
        self.iterations = 10
        self.tolerance = self.orientation_tolerance = 0.0
        self.weight = 1.0
        self.max_step = self.posture_weight = self.soften = 0.0
        self.snap_back = -1.0
        self.paced = self.animated = self.tipped = self.poled = 0
        self.pinned = 1
        self.rx = self.ry = self.rz = 0.0
        self.used = self.blocker = self.bad = 0
        self.left = self.error = self.orientation_error = self.solved_error = 0.0
        self.begun = self.arrived = self.continuous = self.tracking = 0
        self.searched = self.beyond = 0
        self.unchanged = False
        self.verdict = None

    # -- goals -------------------------------------------------------------------------

    def read(self, goals, rotations, weights, turn_weights, root):
        """Write the goals; those out of reach are pulled back into it.

        They would outweigh all others.

        Args:
            goals: For each effector three numbers, root space.
            rotations: For each four numbers w x y z, or None.
            weights: For each the weight of its position.
            turn_weights: And of its rotation.
            root: The root joint's position.

        Returns:
            0, or what is wrong with the root or effector ``bad``: see ``codes``.

        Raises:
            LookupError, OverflowError, TypeError, ValueError: Numbers are not plain.
        """
        joints = self.joints
        turn = joints.goal_rot
        count = joints.e
        if not (
            len(goals) == count
            and len(rotations) == count
            and len(weights) == count
            and len(turn_weights) == count
        ):
            return NOT_PLAIN
        px, py, pz = root
        if not (plain(px) and plain(py) and plain(pz)):
            return NOT_PLAIN
        rx, ry, rz = float(px), float(py), float(pz)
        for e in range(count):
            self.bad = e
            px, py, pz = goals[e]
            if not (plain(px) and plain(py) and plain(pz)):
                return NOT_PLAIN
            x, y, z = float(px) - rx, float(py) - ry, float(pz) - rz
            s = x * x + y * y + z * z
            if not s < LARGEST_SQUARE:
                return (
                    BAD_GOAL
                    if rx * rx + ry * ry + rz * rz < LARGEST_SQUARE
                    else BAD_ROOT
                )
            px, py = weights[e], turn_weights[e]
            if not (plain(px) and plain(py)):
                return NOT_PLAIN
            weight = float(px)
            turn_weight = float(py)
            if not (weight <= MOST_WEIGHT and turn_weight <= MOST_WEIGHT):
                return BAD_WEIGHT
            rotation = rotations[e]
            turned = 0
            if rotation is not None:
                pw, px, py, pz = rotation
                if not (plain(pw) and plain(px) and plain(py) and plain(pz)):
                    return NOT_PLAIN
                a = float(pw)
                b = float(px)
                c = float(py)
                d = float(pz)
                t = sqrt(a * a + b * b + c * c + d * d)
                if not 1e-6 < t < 1e300:
                    return BAD_ROTATION
                turned = 1
                put4(turn, 4 * e, a / t, b / t, c / t, d / t)
            i = 3 * e
            put(self.point, i, x, y, z)
            s = sqrt(s)
            far = self.far[e]
            ease = self.soften * far if self.pinned else 0.0
            back = 1.0
            if ease > 0.0 and s > far - ease:
                # ease into full extension: the tip falls behind exponentially
                back = (far - ease * exp((far - ease - s) / ease)) / s
            elif s > far:
                back = far / s
            self.held_off[e] = 1 if back < 1.0 else 0
            # the kernel squares the error with its weight
            weight = sqrt(weight) if weight > 0.0 else 0.0
            turn_weight = turn_weight if turn_weight > 0.0 else 0.0
            self.set_goal(e, back * x, back * y, back * z, weight, turned, turn_weight)
        self.rx, self.ry, self.rz = rx, ry, rz
        return READ

    def set_goal(self, e, x, y, z, strength, turned, turn_weight):
        """Write an effector's goal, with its rotation in ``goal_rot``.

        Args:
            e: Index of the effector.
            x, y, z: The place, from the root joint, root space.
            strength: Root of its weight.
            turned: 1: its rotation is asked for.
            turn_weight: Weight of that in the solve.
        """
        joints = self.joints
        put(joints.goal, 3 * e, x, y, z)
        self.turned[e] = turned
        if turned and self.animated:
            joints.aim_rest_to_anim(e)
        joints.weights[2 * e] = strength
        joints.weights[2 * e + 1] = turn_weight if turned else 0.0

    def set_chain_goal(
        self, chain, gx, gy, gz, use_pole, px, py, pz, use_tip, turn_weight
    ):
        """Write the only effector's goal, within reach of a chain.

        Args:
            chain: The ``ChainKernel``; its ``tip`` has the rotation, any length.
            gx, gy, gz: As for ``ChainKernel.solve``, and so are all to ``use_tip``.
            use_pole: 0: the pole is ignored.
            px, py, pz: The pole.
            use_tip: 1: the rotation is asked for.
            turn_weight: Weight of that in the solve.
        """
        x = y = z = 0.0
        if use_tip:
            q = chain.tip
            s = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
            for c in range(4):
                self.joints.goal_rot[c] = q[c] / s
            if chain.start.tipped:
                chain.aim_tip()
                x, y, z = three(chain.start.tip_offset, 0)
        chain.set_goal(gx - x, gy - y, gz - z, use_pole, px, py, pz)
        self.joints.scale = chain.lengthening
        put(self.point, 0, gx, gy, gz)
        self.set_goal(
            0, chain.gx + x, chain.gy + y, chain.gz + z, 1.0, use_tip, turn_weight
        )

    def set_poles(self, poles, branches):
        """Set the poles of the frame: for each effector three numbers or None.

        Args:
            poles: Points in root space.
            branches: First joint of each effector's branch.
        """
        self.poled = 1
        for e in range(self.joints.e):
            self.swings_at[e] = -1
            pole = poles[e]
            if pole is not None:
                px, py, pz = pole
                self.swings_at[e] = branches[e]
                self.pole[3 * e] = float(px) - self.rx
                self.pole[3 * e + 1] = float(py) - self.ry
                self.pole[3 * e + 2] = float(pz) - self.rz

    # -- the frame ---------------------------------------------------------------------

    def begin(self, guess, dt):
        """Set the pose that the method starts from, and what is known of the motion.

        Args:
            guess: Sets the pose; None: it is the start pose, the last one or between.
            dt: Time since the last frame [s].
        """
        joints = self.joints
        search = self.search
        search.stuck = search.uncounted = 0
        self.used = 0
        self.verdict = None
        snap_back = self.snap_back
        if snap_back < 0.0:
            snap_back = DRAWN if self.animated else 0.0
        if guess is not None:
            snap_back = 1.0
            self.forget_motion()
            guess()
        elif snap_back == 1.0:
            joints.rest()
        else:
            if snap_back > 0.0:
                snap_back = 1.0 - pow(1.0 - snap_back, 60.0 * dt)
            if self.animated:
                search.carry(snap_back)
            else:
                joints.pull_back(snap_back)
        if self.tipped:
            self.aim_tips()
        self.note_goals(snap_back)
        if snap_back == 0.0 and not self.animated:
            self.note_jump()
        if guess is None:
            self.bend_straight()

    def note_goals(self, snap_back):
        """Set ``continuous`` and ``tracking``, once the frame's goals are set.

        A pose that has arrived follows slow goals. A search then has no restarts: one
        that can't follow reports what blocks it, which looks better than a snap to a
        different pose. Before it has arrived, restarts continue from frame to frame
        until they are used up.
        """
        self.searched = 0
        # the mean: one goal that jumps among many does not unsettle the others
        change = self.search.goal_change()
        self.continuous = change < CREEP and self.begun and snap_back < 1.0
        self.tracking = self.continuous and (self.tracking or self.arrived)
        if not self.continuous:
            self.search.seed = 1.0
            self.search.tried = 0
        self.begun = snap_back < 1.0

    def note_jump(self):
        """Treat goals as new ones where more than they has changed: bones, weights."""
        joints = self.joints
        if not (self.tracking and self.arrived) or self.search.crossing >= 0.0:
            return
        joints.measure()
        moved = CREEP + UNEXPLAINED * self.search.largest_change
        if (
            joints.error > self.tolerance + moved * joints.size
            or joints.orientation_error > self.orientation_tolerance + 2.0 * moved
        ):
            self.continuous = self.tracking = 0
            self.search.seed = 1.0
            self.search.tried = 0

    def forget_motion(self):
        """Treat the next goals as new ones, unrelated to the last pose."""
        self.begun = self.arrived = 0
        self.search.carried = self.search.led = 0
        self.search.crossing = -1.0

    def bend_straight(self):
        """Bend branches that are straight to their own sides, as far as goals ask.

        While goals move steadily, even a slight bend is kept.
        """
        joints = self.joints
        side = self.side
        joints.forward()
        for e in range(joints.e):
            b = self.folds_at[e]
            if b < 0:
                continue
            k = 4 * e
            straight = side[k]
            if self.continuous and straight > EXACT:
                straight = EXACT
            if fold(joints, e, b, straight, side[k + 1], side[k + 2], side[k + 3]):
                self.search.folded = 1

    def descend(self, iterations, tolerance, orientation_tolerance):
        """Descend by damped least squares with restarts; return the iterations."""
        self.searched = self.tracking
        return self.descend_on(iterations, tolerance, orientation_tolerance)

    def descend_on(self, iterations, tolerance, orientation_tolerance):
        """The same for a finish."""
        search = self.search
        search.set_tolerances(tolerance, orientation_tolerance, FINE)
        steady = 1 if self.tracking and search.led else 0
        return search.search(iterations, 0 if self.tracking else RESTARTS, steady)

    def close_gap(self, iterations):
        """Close the gap that a method left, in steps that do not count."""
        self.search.uncounted += self.descend_on(
            iterations if iterations > FINISH else FINISH,
            self.tolerance,
            self.orientation_tolerance,
        )

    def end(self, used, polish, dt):
        """Close the gap, move to posture and poles, rotate leaves, show and measure.

        Args:
            used: Iterations of the method.
            polish: 1: close the gap that it left.
            dt: Time since the last frame [s].
        """
        joints = self.joints
        search = self.search
        self.used = used
        self.left = joints.error
        near = self.tolerance
        turned = self.orientation_tolerance
        if polish and not self.searched:
            self.close_gap(self.iterations - used)
        self.arrived = joints.reached(near, turned)
        search.set_tolerances(near, turned, FINE)
        search.follow(dt, 1 if self.tracking and search.led else 0)
        self.posture.settling = 0
        if self.posture_weight > 0.0:
            fraction = 1.0 - pow(1.0 - self.posture_weight, 60.0 * dt)
            if fraction > 0.0:
                self.posture.settle(fraction, near, turned)
        if self.poled:
            self.swing_branches()
        self.rotate_leaves()
        if self.tipped:
            self.follow_leaves()
        limit = self.max_step * dt if self.max_step > 0.0 else -1.0
        # an animated pose may be outside the limits: only rotations blend
        weight = 1.0 if self.animated else self.weight
        self.blocker = joints.show(weight, limit, dt if self.paced else -1.0)
        self.close()

    def lose(self):
        """End a frame whose numbers are not finite: the shown pose stays."""
        self.joints.start_over()
        self.blocker = NOT_FINITE
        self.close()

    def close(self):
        """Blend and write the shown pose, and measure it."""
        if self.blocker == NOT_FINITE:
            self.forget_motion()
        if self.animated and self.weight < 1.0:
            self.joints.blend(self.weight)
            if self.blocker == NOTHING:
                self.blocker = BY_WEIGHT
        self.joints.write()
        self.search.end_frame()
        self.measure()

    # -- leaves, tips and poles --------------------------------------------------------

    def turns_last(self, e):
        """Return 1 when an effector's joint is rotated after the solve."""
        return 1 if self.leaf[e] and self.joints.weights[2 * e + 1] == 0.0 else 0

    def swing_branches(self):
        """Swing branches towards their poles, from the pose last measured.

        No branch hangs on another's, so no swing moves the next one's joints.
        """
        side = self.side
        for e in range(self.joints.e):
            b = self.swings_at[e]
            if b < 0:
                continue
            i = 3 * e
            k = 4 * e
            # 0 where the branch has no side of its own
            known = 1.0 if side[k] > EXACT else 0.0
            swing(
                self.joints, e, b, self.pole[i], self.pole[i + 1], self.pole[i + 2],
                not self.turns_last(e), known * side[k + 1], known * side[k + 2],
                known * side[k + 3],
            )  # fmt: skip

    def rotate_leaves(self):
        """Rotate the joints that are rotated after the solve, inside their limits."""
        self.joints.forward()
        for e in range(self.joints.e):
            if self.turns_last(e):
                self.joints.rotate_leaf(e, self.turned[e])

    def set_rigid(self, e, rigid):
        """Fix a tip against the bone before its joint, or release it.

        The bone then leads to the tip.
        """
        if self.rigid[e] == rigid:
            return
        self.rigid[e] = rigid
        joints = self.joints
        j = joints.effector[e]
        # by the joint's rotation in the start pose, as animated
        self.turn_tip(joints.work, 0, joints.start_pose.q, 4 * j, e)
        for c in range(3):
            t = joints.work[c]
            joints.offset[3 * j + c] += t if rigid else -t

    def loosen(self):
        """Release all tips from the bones before their joints."""
        for e in range(self.joints.e):
            self.set_rigid(e, 0)

    def turn_tip(self, out, o, q, k, e):
        """Write an effector's tip from its joint, with that rotated by ``q[k]``."""
        t = self.tip
        rotate_row(out, o, q, k, t, 3 * e)

    def aim_tips(self):
        """Make the tips reach the goals, instead of their joints.

        A tip fixed to its bone is the bone's end. Where a joint is rotated after the
        solve, its goal is offset instead. All other tips are tools of their joints.
        """
        joints = self.joints
        w = joints.work
        for e in range(joints.e):
            last = self.turns_last(e)
            self.set_rigid(e, 1 if last and not self.turned[e] else 0)
            for c in range(3 * e, 3 * e + 3):
                joints.tool[c] = 0.0 if last else self.tip[c]
            if last and self.turned[e]:
                self.turn_tip(w, 0, joints.goal_rot, 4 * e, e)
                for c in range(3):
                    joints.goal[3 * e + c] -= w[c]

    def follow_leaves(self):
        """Bring tips to their goals where limits restrict the joints' rotations."""
        joints = self.joints
        near = FINE * self.tolerance
        aimed = self.aimed
        held = self.held
        count = 0
        joints.forward()
        for e in range(joints.e):
            self.loose[e] = 0
            if not (self.turned[e] and self.turns_last(e)):
                continue
            i = 3 * e
            self.turn_tip(aimed, i, joints.goal_rot, 4 * e, e)
            self.turn_tip(held, i, joints.rotations, 4 * joints.effector[e], e)
            if apart(aimed, held, i) < near:
                continue
            # the tip moves with its bone, apart from its joint's rotation in it
            for c in range(i, i + 3):
                joints.goal[c] += aimed[c]
                self.last_held[c] = 1e300
            self.loose[e] = 1
            count += 1
        for _ in range(TIP_SOLVES if count else 0):
            moved = 0
            for e in range(joints.e):
                if self.loose[e]:
                    self.turn_tip(held, 3 * e, joints.q, 4 * joints.effector[e], e)
                    if not apart(held, self.last_held, 3 * e) < near:
                        moved = 1
            if not moved:
                return
            for e in range(joints.e):
                if self.loose[e]:
                    j = 3 * joints.effector[e]
                    for c in range(3):
                        # the bone's own end is put back after the solve
                        aimed[3 * e + c] = joints.offset[j + c]
                        joints.offset[j + c] += held[3 * e + c]
                        self.last_held[3 * e + c] = held[3 * e + c]
            self.close_gap(0)
            for e in range(joints.e):
                if self.loose[e]:
                    j = 3 * joints.effector[e]
                    copy(joints.offset, j, aimed, 3 * e, 3)
            self.rotate_leaves()

    # -- the result --------------------------------------------------------------------

    def measure(self):
        """Set the errors of the shown pose.

        ``gap`` of each effector; ``error``, the largest that counts;
        ``orientation_error``, the largest of a rotation that was asked for, and
        ``solved_error``, that of those in the solve; ``beyond``, whether a goal is out
        of reach.
        """
        joints = self.joints
        self.error = self.orientation_error = self.solved_error = 0.0
        self.beyond = 0
        for e in range(joints.e):
            i = 3 * e
            x, y, z = three(self.point, i)
            k = 0.0 if self.rigid[e] else 1.0
            s = joints.gap(
                e, x, y, z, k * self.tip[i], k * self.tip[i + 1], k * self.tip[i + 2]
            )
            self.gap[e] = s
            if joints.weights[2 * e] > 0.0:
                self.error = max(self.error, s)
                if self.pinned:
                    s = norm3(x, y, z)
                    if s > self.far[e] + self.tolerance or (
                        self.soften > 0.0 and self.held_off[e]
                    ):
                        self.beyond = 1
            weight = joints.weights[2 * e + 1]
            if not self.turned[e] or not (self.leaf[e] or weight != 0.0):
                continue
            s = joints.angle(e)
            self.orientation_error = max(self.orientation_error, s)
            if weight > 0.0 and s > self.solved_error:
                self.solved_error = s

    def result(self, strict, beyond, several, find_blocked):
        """Return the result for the shown pose, and set ``unchanged``.

        Args:
            strict: Whether rotations count that are not in the solve.
            beyond: Whether a goal is out of reach.
            several: Whether the result has the gap of each effector.
            find_blocked: Returns the joints at a limit.
        """
        search = self.search
        converged, stalled, unreachable, out_of_iterations = self.statuses
        blocker = self.blocker
        solved = (
            self.error <= self.tolerance
            and self.solved_error <= self.orientation_tolerance
        )
        turned = not strict or self.orientation_error <= self.orientation_tolerance
        blocked_by = ()
        detail = ""
        status = out_of_iterations
        if blocker == NOT_FINITE:
            status = stalled
            detail = self.bad_numbers
            self.left = self.error
        elif solved and turned:
            status = converged
        else:
            if beyond and not solved and blocker != BY_STEP:
                status = unreachable
            elif blocker or solved:
                # or a last joint can't turn as far as asked
                status = stalled
            elif self.verdict is not None:
                status = self.verdict
            elif search.stuck and search.crossing < 0.0:
                status = stalled
            blocked_by = find_blocked()
        moving = blocker >= BY_STEP or search.crossing >= 0.0
        if self.posture.settling:
            moving = True
        self.unchanged = not moving and (
            self.snap_back == 1.0 or status is not out_of_iterations
        )
        errors = ()
        if several:
            errors = tuple([self.gap[e] for e in range(self.joints.e)])
        return self.make(
            self.result_type,
            (
                status,
                self.error,
                self.used,
                self.joints.scale,
                detail,
                self.orientation_error,
                blocked_by,
                errors,
                self.left,
                search.uncounted,
                (),
            ),
        )


def plain(x):
    """Return whether an object is a float or a whole number."""
    return isinstance(x, float) or isinstance(x, int)  # noqa: SIM101 - as C, one check


def apart(a, b, o):
    """Return the largest difference of three numbers at ``o``."""
    most = 0.0
    for c in range(o, o + 3):
        t = abs(a[c] - b[c])
        # NaN must not count as near
        if not t <= most:
            most = t
    return most
