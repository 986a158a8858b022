"""Damped least squares (Levenberg-Marquardt) with bounds and restarts.

And what leads a pose from frame to frame: goals followed, branches crossed, animations
carried along.
"""

import cython

if not cython.compiled:
    from math import acos, atan2, floor, sqrt

    from .buffers import doubles, ints, pin
    from .codes import AXES, BALL, CONE, SLIDE
    from .damped_steps import accelerate, damped_step, prepare_step
    from .jacobian import advance, longest_rotation, set_columns
    from .joints import PI, stored
    from .quat_ops import conj_mul, mul, rotation_vector
    from .vectors import between

# found by trial on chains and trees with limits (tests/bench)
LONGEST = 1.0  # maximum rotation of a joint [rad] in a step: the linear model's range
SHORT_STEP = 0.1  # the same in the retry of a step that led too far away
RESTART = 20  # maximum number of steps of a restart; one that succeeds takes about ten
SAMPLES = 32  # poses of which the first restart takes the one nearest to the goals
MOST_SAMPLES = 256  # further restarts choose among more, up to this number
FEW_SAMPLES = 4  # number of poses for every fourth restart
FAINT = 0.25  # factor of rotation weights in restarts: fewer traps than with 1
FAINTER = 0.0625  # factor in every third restart: other traps
MODULUS = 67108864.0  # modulus of the random numbers
POLISH = 60  # uncounted steps for a pose that stays away from its goal
TO_THE_END = 1e-6  # patience of a descent to its minimum: shorter steps are tried, too
STARTS = 6  # second starts in a frame whose pose has lost its goals
PART = 0.3  # fraction of the largest gap from which on an effector's limb starts anew
MANY_STARTS = 200  # second starts in a row after which there are few in a frame
FEW_STARTS = 2  # and how many there are then
CLEARLY = 0.006  # gain [sizes] for which a pose that can't reach its goals is left
WELL = 0.03  # and of a large gap, its fraction
NEARLY = 0.02  # gap [sizes] beyond its own of a start that is worth polishing
AT_BOUND = 1e-3  # angles [rad] from a hinge's bound, or from straight, that count as 0
PAST = 0.2  # rotation [rad] beyond its mirrored bend that a flipped hinge starts at
SLIGHTLY_BENT = 0.3  # half the largest rotation [rad] of a flip that is not needed yet
MOST_BENT = 0.8  # half the largest rotation [rad] of a flip
LARGEST_TURN = 0.21  # of a joint in a frame [rad]; a larger one is a crossing
LARGEST_SLIDE = 0.257  # and then of a joint in a frame [rad], or where it follows late
TURN_BY_GOAL = 17.0  # radians that a joint may turn as a goal moves by the whole size
TURN_BY_FOLD = 37.0  # the same in the frame in which a straight limb bends
FARTHEST_TURN = 3.1416  # of a joint in a crossing [rad]: no hinge unwinds
CROSSING = 0.23  # time of a crossing [s], unless joints turn too far for it
SHORT = 0.03  # cost of a crossing that is good enough
LONG = 0.06  # cost of one that a pose does not start while it is still near its goals
WAIT = 2.0  # distance [tolerances] of goals that are near
WAY = 0.01  # cost of a radian of its way
LARGEST_MISS = 0.03  # of goals in a crossing, more than before it, in sizes; beyond it,
# it goes straight to its end
LIMBS = 0.7  # fraction of the trunk's way to its animation that limbs are drawn
LEAST_WAY = 0.3  # part of a frame's way that a detour to the goals must leave of it
MOST_WAY = 0.6  # the same where they are far, or the crossing takes long
CORRECTIONS = 4  # steps back to the goals in each frame of a crossing


class JointSearch:
    """The descent of joints to their goals, and restarts when they are trapped.

    ``first_value`` m and ``first_q`` 4 n keep the pose after the first descent,
    ``last_goal`` 3 e and ``last_rotation`` 4 e the goals of the last frame,
    ``last_value`` m and ``last_q`` 4 n its pose, ``other_value`` m and ``other_q`` 4 n
    the pose that is crossed to, ``best_``, ``begin_`` and ``carried_`` the best second
    start, the start of the frame, and the animation of the last one; ``marked`` n whole
    numbers. Whoever sets goals sets ``seed`` of the random numbers, ``tried`` and
    ``uncounted``.

    Args:
        joints: The ``JointKernel``.
        buffers: The named buffers.
    """

    def __init__(self, joints, buffers):
        self.joints = joints
        self._pinned = pin(buffers)
        self.first_pose = stored(buffers, "first")
        self.last_pose = stored(buffers, "last")
        self.other_pose = stored(buffers, "other")
        self.best_pose = stored(buffers, "best")
        self.carried_pose = stored(buffers, "carried")
        self.begin_pose = stored(buffers, "begin")
        self.last_goal = doubles(buffers["last_goal"])
        self.last_rotation = doubles(buffers["last_rotation"])
        self.marked = ints(buffers["marked"])
        self.carried = self.led = self.folded = self.late = 0
        self.crossing = -1.0
        self.largest_change = self.miss = 0.0
        self.step_limit = LONGEST
        self.strength = 0.3
        self.seed = 0.0
        self.stuck = self.tried = self.uncounted = 0
        self.tolerance = self.orientation_tolerance = self.fine = 1.0

    def goal_change(self):
        """Return the mean distance of weighted goals from those of the last call.

        Positions count as fractions of ``size``, rotations by quaternion components.
        Stores the goals for the next call.
        """
        joints = self.joints
        total = 0.0
        count = 0
        self.largest_change = 0.0
        self.folded = 0
        for i in range(joints.e):
            largest = 0.0
            counts = 0
            if joints.weights[2 * i] > 0.0:
                counts = 1
                for k in range(3 * i, 3 * i + 3):
                    t = abs(joints.goal[k] - self.last_goal[k]) / joints.size
                    largest = max(largest, t)
            if joints.weights[2 * i + 1] > 0.0:
                counts = 1
                for k in range(4 * i, 4 * i + 4):
                    t = abs(joints.goal_rot[k] - self.last_rotation[k])
                    largest = max(largest, t)
            total += largest
            count += counts
            self.largest_change = max(self.largest_change, largest)
        for k in range(3 * joints.e):
            self.last_goal[k] = joints.goal[k]
        for k in range(4 * joints.e):
            self.last_rotation[k] = joints.goal_rot[k]
        return total / count if count > 0 else 0.0

    def set_tolerances(self, tolerance, orientation_tolerance, fine):
        """Set what counts as reached.

        Args:
            tolerance: Distance from the goal [scene unit].
            orientation_tolerance: Angle from its rotation [rad].
            fine: Fraction of both to continue to, while steps are left.
        """
        self.tolerance = tolerance
        self.orientation_tolerance = orientation_tolerance
        self.fine = fine

    def reached(self, fraction):
        """Return 1 when every effector is within a fraction of both tolerances."""
        return self.joints.reached(
            fraction * self.tolerance, fraction * self.orientation_tolerance
        )

    def descend(self, iterations, patience):
        """Descend from the current pose; return the number of iterations.

        Damping is ``strength`` times the squared error and a factor that falls with
        every step that helps and rises with one that does not (which is undone).

        Args:
            iterations: Maximum number of steps.
            patience: Least fraction of the error that a step must remove; the descent
                ends after two in a row that remove less.
        """
        joints = self.joints
        cost = joints.measure()
        factor = 1.0
        used = 0
        slow = 0
        fresh = 0
        self.stuck = 0
        while used < iterations:
            if self.reached(self.fine):
                break
            if fresh == 0:
                prepare_step(joints)
                fresh = 1
            damping = self.strength * factor * cost + 1e-12
            damped_step(joints, damping)
            s = longest_rotation(joints)
            used += 1
            joints.keep()
            if slow and joints.cyclic and s < self.step_limit:
                # small gains: a valley that bends away from the steps
                accelerate(joints, damping, s)
                s = longest_rotation(joints)
            fraction = 1.0 if s < self.step_limit else self.step_limit / s
            advance(joints, fraction)
            new = joints.measure()
            if new >= cost:
                # far from the goal the step overshoots as a whole: try half of it
                joints.restore()
                joints.measure()
                advance(joints, 0.5 * fraction)
                new = joints.measure()
            if new < cost:
                gain = 1.0 - new / cost
                slow = slow + 1 if gain < patience else 0
                cost = new
                factor *= 0.4
                fresh = 0
                factor = max(factor, 1e-06)
            else:
                joints.restore()
                joints.measure()
                factor *= 8.0
                if patience > TO_THE_END:
                    slow += 1
            if slow >= 2 or s < 1e-9:
                self.stuck = 1
                break
        return used

    def search(self, iterations, restarts, steady):
        """Descend, with restarts while trapped; return the iterations used.

        A restart counts only if it reaches the goal. Otherwise the first descent
        continues to its minimum, which moves as steadily as the goal. ``tried`` counts
        the restarts, and the next search for the same goal continues from it;
        ``uncounted`` grows by the steps that are not returned.

        Args:
            iterations: Maximum number of steps, all restarts together.
            restarts: Maximum number of restarts for these goals.
            steady: 1: the pose has followed the goals to here; a few second starts
                look for another pose near it, for ``follow`` to cross to.
        """
        joints = self.joints
        self.late = 0
        used = self.descend(iterations, 0.1)
        arrived = self.reached(1.0)
        if arrived:
            if not steady or self.crossing >= 0.0:
                self.tried = 0
                return used
            if self.largest_turn(self.last_pose) <= self.most_turn():
                self.tried = 0
                if used and self.flip_hinges(1):
                    self.try_flip()
                return used
            if self.creep():
                self.tried = 0
                return used
        if steady:
            if not arrived:
                self.uncounted += self.polish()
            joints.store(self.first_pose)
            stuck = self.stuck
            # the path no longer matters: a joint may wrap to its range's other end
            joints.cyclic = 1
            found = self.start_again(arrived)
            joints.cyclic = 0
            if not found:
                joints.load(self.first_pose)
                joints.measure()
                self.stuck = stuck
                if not arrived and self.crossing < 0.0:
                    self.slide()
            return used
        joints.store(self.first_pose)
        joints.cyclic = 1
        while not arrived and used < iterations and self.tried < restarts:
            self.tried += 1
            faint = FAINT if self.tried % 3 else FAINTER
            self.weigh_rotations(faint)
            self.scatter_pose(0)
            left = iterations - used
            left = min(left, RESTART)
            used += self.descend(left, 0.3)
            self.weigh_rotations(1.0 / faint)
            arrived = self.reached(1.0)
        if arrived:
            joints.cyclic = 0
            return used
        joints.cyclic = 0
        joints.load(self.first_pose)
        polished = self.polish()
        self.uncounted += polished
        if polished == POLISH or self.tried < restarts:
            # not at the minimum yet, or more restarts might find a solution
            self.stuck = 0
        return used

    def polish(self):
        """Descend to the minimum; return the steps."""
        return self.descend(POLISH, TO_THE_END)

    def gap(self):
        """Return the root of the sum of squared errors [sizes, rad]."""
        joints = self.joints
        return sqrt(2.0 * joints.measure())

    def creep(self):
        """Descend from the last frame's pose in short steps; return 1 for success.

        A long step may leap over the nearest solution. Without success the pose stays.
        """
        joints = self.joints
        joints.store(self.first_pose)
        joints.load(self.last_pose)
        self.step_limit = SHORT_STEP
        self.uncounted += self.descend(RESTART, 0.01)
        self.step_limit = LONGEST
        if self.reached(1.0) and self.largest_turn(self.last_pose) <= self.most_turn():
            return 1
        joints.load(self.first_pose)
        joints.measure()
        return 0

    def slide(self):
        """Descend as far as joints may turn in a frame, where the pose is farther.

        Goals that pass a limit far out of reach, or a joint near by, make the nearest
        pose turn faster than they move: it is followed late, on its branch. Without
        a descent to it the pose stays, and is crossed to.
        """
        joints = self.joints
        most = self.most_turn()
        if self.largest_turn(self.last_pose) <= most:
            return
        most = max(most, LARGEST_SLIDE)
        own = self.gap()
        joints.load(self.last_pose)
        far = 0.0
        self.step_limit = 0.5 * SHORT_STEP
        for _ in range(RESTART):
            joints.store(self.best_pose)
            self.uncounted += self.descend(1, TO_THE_END)
            far = self.largest_turn(self.last_pose)
            if far > most:
                break
        self.step_limit = LONGEST
        self.stuck = 0
        self.late = 1
        if far > most:
            joints.load(self.best_pose)
            joints.measure()
        elif self.gap() > own + CLEARLY:
            self.late = 0
            joints.load(self.first_pose)
            joints.measure()

    def try_flip(self):
        """Flip hinges that are bent against their range, if that reaches the goals."""
        joints = self.joints
        joints.store(self.first_pose)
        self.flip_hinges(0)
        self.uncounted += self.descend(RESTART, 0.3)
        if self.reached(1.0):
            self.crossing = 0.0
            self.miss = LARGEST_MISS * joints.size
        else:
            joints.load(self.first_pose)
            joints.measure()

    def most_turn(self):
        """Return how far a joint may turn in this frame [rad] on its branch."""
        x = TURN_BY_FOLD if self.folded and self.crossing < 0.0 else TURN_BY_GOAL
        x *= self.largest_change
        return x if x > LARGEST_TURN else LARGEST_TURN

    def start_again(self, arrived):
        """Descend from second starts; return 1 with the pose nearest to the last one.

        Or return 0 when none of them reaches the goals. ``arrived``: the pose does
        already, but leaves its branch.
        """
        joints = self.joints
        lowest = -1.0
        least = own = 0.0 if arrived else self.gap()
        least += NEARLY
        # a pose that has just lost its goals waits for a good way
        highest = LONG if joints.error < WAIT * self.tolerance else 1e30
        if self.crossing >= 0.0 and joints.error < LARGEST_MISS * joints.size:
            # and one that is crossed to is not changed for little
            highest = LONG
        if arrived:
            joints.store(self.best_pose)
            lowest = self.path_cost()
        for _ in range(STARTS if self.tried < MANY_STARTS else FEW_STARTS):
            if lowest >= 0.0 and lowest < SHORT:
                break
            joints.load(self.first_pose)
            self.start_nearby()
            self.tried += 1
            self.uncounted += self.descend(RESTART, 0.3)
            if self.reached(1.0) and self.largest_turn(self.last_pose) < FARTHEST_TURN:
                joints.store(self.other_pose)
                x = self.path_cost()
                if (lowest < 0.0 or x < lowest) and x < highest:
                    lowest = x
                    joints.copy_pose(self.other_pose, self.best_pose)
            elif lowest < 0.0:
                x = self.gap()
                if x < least and self.largest_turn(self.last_pose) < FARTHEST_TURN:
                    least = x
                    joints.store(self.best_pose)
        if lowest < 0.0:
            if arrived or least >= own + NEARLY:
                return 0
            joints.load(self.best_pose)
            self.uncounted += self.polish()
            x = WELL * own
            x = max(x, CLEARLY)
            return (
                1
                if self.gap() < own - x
                and self.largest_turn(self.last_pose) < FARTHEST_TURN
                else 0
            )
        joints.load(self.best_pose)
        joints.measure()
        return 1

    def path_cost(self):
        """Return how far goals are missed on the way from the last pose to the pose.

        In sizes, plus a little for its length. Changes the pose.
        """
        joints = self.joints
        cost = WAY * self.away(self.last_pose)
        most = 0.0
        for i in range(2):
            # two thirds of the way, then half of that
            self.blend_from(self.last_pose, 0.66 if i == 0 else 0.5)
            self.uncounted += self.descend(CORRECTIONS, 0.0)
            most = max(most, joints.error)
        return cost + most / joints.size

    def start_nearby(self):
        """Change the pose to the start of another descent, the nearest ones first."""
        joints = self.joints
        start = self.tried % STARTS
        if self.tried >= MANY_STARTS:
            # what is near has been tried
            start = start if start == 0 else 4 + start % 2
        if start == 0 and self.flip_hinges(0):
            return
        if start == 5 and self.tried > STARTS:
            self.scatter_pose(FEW_SAMPLES)
            return
        joints.measure()
        self.mark_limbs()
        x = 0.2 * (1.0 + (5 * self.tried) % 8)
        # the limbs, or the trunk too, or everything
        widest = 3 if start == 4 else 2 if start == 2 else 1
        for j in range(joints.n):
            kind = joints.kind[j]
            if kind == SLIDE or (
                widest < 3 and (not self.marked[j] or self.marked[j] > widest)
            ):
                continue
            if kind == BALL:
                rotation_vector(
                    joints.work,
                    0,
                    x * self.random(),
                    x * self.random(),
                    x * self.random(),
                )
                mul(joints.q, 4 * j, joints.q, 4 * j, joints.work, 0)
                continue
            for k in range(joints.first[j], joints.first[j + 1]):
                joints.value[k] += x * self.random()
            joints.project(j)

    def mark_limbs(self):
        """Mark the joints that move effectors away from their goals.

        1: those that move one effector alone; 2: its others; 0: all others.
        """
        joints = self.joints
        for j in range(joints.n):
            self.marked[j] = 0
        for e in range(joints.e):
            if joints.weights[2 * e] <= 0.0 and joints.weights[2 * e + 1] <= 0.0:
                continue
            t = 0.0
            for c in range(3 * e, 3 * e + 3):
                t += (joints.goal[c] - joints.tips[c]) ** 2
            if t < PART * PART * joints.error * joints.error:
                continue
            j = joints.effector[e]
            while j >= 0:
                self.marked[j] = 1 if joints.effectors_below[j] == 1 else 2
                j = joints.parent[j]

    def flip_hinges(self, only_look):
        """Bend limbs the other way at their hinges, each effector as far from its limb.

        A limb that is straight, or bent against its hinge's range, gets shorter only
        beyond the straight pose, where no descent leads. Returns the number of such
        hinges; with ``only_look`` it bends none, and counts those at their bound.
        """
        joints = self.joints
        count = 0
        if not only_look:
            joints.measure()
            set_columns(joints)
        for e in range(joints.e):
            # the limb: the joints that move this effector alone
            b = joints.effector[e]
            while (
                joints.parent[b] >= 0 and joints.effectors_below[joints.parent[b]] == 1
            ):
                b = joints.parent[b]
            j = joints.effector[e]
            while j != b:
                f = joints.first[j]
                if joints.kind[j] != AXES or joints.first[j + 1] - f != 1:
                    # no value of its own: the last joint has none to read
                    j = joints.parent[j]
                    continue
                x = joints.value[f]
                if (
                    not only_look
                    or x - joints.lower[f] < AT_BOUND
                    or joints.upper[f] - x < AT_BOUND
                ):
                    bend = self.bend_at(j, b, e)
                    if abs(bend) < AT_BOUND:
                        if only_look:
                            return 0
                        # straight: bend to where there is more room
                        bend = AT_BOUND
                        if joints.upper[f] - x < x - joints.lower[f]:
                            bend = -AT_BOUND
                    t = x + 2.0 * bend + (PAST if bend > 0.0 else -PAST)
                    if (
                        abs(bend) < (SLIGHTLY_BENT if only_look else MOST_BENT)
                        and joints.lower[f] <= t
                        and t <= joints.upper[f]
                    ):
                        count += 1
                        if not only_look:
                            joints.value[f] = t
                            joints.project(j)
                j = joints.parent[j]
        return count

    def bend_at(self, j, b, e):
        """Return the angle [rad] at hinge j from joint b to effector e, 0 if straight.

        Half a turn for a hinge along one of the two ways: it twists and bends nothing.
        """
        joints = self.joints
        p = joints.joint_pos
        col = joints.columns
        k = 3 * joints.first[j]
        ax, ay, az = col[k], col[k + 1], col[k + 2]
        ux, uy, uz = between(p, 3 * b, p, 3 * j)
        vx, vy, vz = between(p, 3 * j, joints.tips, 3 * e)
        s = ux * ax + uy * ay + uz * az
        t = vx * ax + vy * ay + vz * az
        u = ux * ux + uy * uy + uz * uz
        v = vx * vx + vy * vy + vz * vz
        if u - s * s <= 1e-6 * u or v - t * t <= 1e-6 * v:
            return PI
        return atan2(
            ax * (vy * uz - vz * uy)
            + ay * (vz * ux - vx * uz)
            + az * (vx * uy - vy * ux),
            ux * vx + uy * vy + uz * vz - s * t,
        )

    def turn(self, j, pose):
        """Return joint j's rotation [rad] or shift [size] from a pose to the pose.

        0 for effectors that are rotated after the solve.
        """
        joints = self.joints
        f = joints.first[j]
        if joints.kind[j] == SLIDE:
            return abs(joints.value[f] - pose.value[f]) / joints.size
        if joints.kind[j] == AXES and joints.first[j + 1] - f == 1:
            # a full turn is a turn
            return abs(joints.value[f] - pose.value[f])
        e = joints.effector_at[j]
        if e >= 0 and joints.first_child[j] < 0 and joints.weights[2 * e + 1] == 0.0:
            return 0.0
        o = 4 * j
        t = abs(
            joints.q[o] * pose.q[o]
            + joints.q[o + 1] * pose.q[o + 1]
            + joints.q[o + 2] * pose.q[o + 2]
            + joints.q[o + 3] * pose.q[o + 3]
        )
        return 2.0 * acos(t) if t < 1.0 else 0.0

    def largest_turn(self, pose):
        """Return the largest rotation [rad] or shift [size] from a pose to the pose."""
        joints = self.joints
        largest = 0.0
        for j in range(joints.n):
            t = self.turn(j, pose)
            largest = max(largest, t)
        return largest

    def away(self, pose):
        """Return the root of the sum of squared turns from a pose to the pose."""
        joints = self.joints
        total = 0.0
        for j in range(joints.n):
            t = self.turn(j, pose)
            total += t * t
        return sqrt(total)

    def blend_from(self, pose, fraction):
        """Move the pose back towards another: 0 there, 1 where it is."""
        joints = self.joints
        for j in range(joints.n):
            joints.blend_joint(j, pose, fraction)

    def follow(self, dt, continuous):
        """Lead the last frame's pose to the pose, by no large turns.

        Where the pose is far from the last one, on another branch of the solutions,
        joints cross to it in an eased blend. Each frame of it is brought back to the
        goals as far as it still comes nearer to its end.

        Args:
            dt: Time since the last frame [s].
            continuous: 0: the goals have jumped, and the pose with them.
        """
        joints = self.joints
        # a pose that is not finite is dealt with by ``show``
        if not continuous or not joints.sound():
            self.crossing = -1.0
            return
        most = self.most_turn()
        far = self.largest_turn(self.last_pose)
        if self.crossing < 0.0 and (far <= most or self.late):
            return
        most = max(most, LARGEST_SLIDE)
        joints.store(self.other_pose)
        if self.crossing < 0.0:
            self.crossing = 0.0
            joints.load(self.last_pose)
            joints.measure()
            self.miss = joints.error + LARGEST_MISS * joints.size
            joints.load(self.other_pose)
        before = 1.0 - ease(self.crossing / CROSSING)
        self.crossing += dt
        after = 1.0 - ease(self.crossing / CROSSING)
        x = 1.0 - after / before if before > 1e-9 else 1.0
        if x * far > most:
            x = most / far
        if x >= 1.0:
            self.crossing = -1.0
            return
        start = self.away(self.last_pose)
        self.blend_from(self.last_pose, x)
        self.turn_at_most(most)
        joints.store(self.first_pose)
        stuck = self.stuck
        self.uncounted += self.descend(CORRECTIONS, 0.0)
        self.stuck = stuck
        near = LARGEST_MISS * joints.size
        # one that takes long goes on with fewer detours
        miss = self.miss if self.crossing < 0.7 * CROSSING else near
        k = 1.0 if joints.error < miss else 0.0
        x *= LEAST_WAY if joints.error < near and self.crossing < CROSSING else MOST_WAY
        self.turn_at_most(most)
        while k > 0.1:
            if self.away(self.other_pose) <= (1.0 - x) * start:
                break
            k *= 0.5
            self.blend_from(self.first_pose, 0.5)
        if k <= 0.1:
            joints.load(self.first_pose)
        if k < 1.0:
            # a detour that leads nowhere is not taken again: hands would tremble
            self.miss = near
        joints.measure()

    def turn_at_most(self, most):
        """Move the pose back to the last one, until no joint has turned further."""
        for _ in range(4):
            # angles about several axes are no rotation: once is not enough
            far = self.largest_turn(self.last_pose)
            if far <= most:
                return
            self.blend_from(self.last_pose, most / far)

    def carry(self, fraction):
        """Start a frame of an animation: move kept poses along with the start pose.

        So each joint stays as far from it as it was, but for ``fraction``, by which the
        pose is drawn back to it; 0: no time has passed, and the last frame is solved
        again from where it began.
        """
        joints = self.joints
        if self.carried:
            joints.keep()
            self.carry_pose(self.begin_pose)
            self.carry_pose(self.last_pose)
            if self.crossing >= 0.0:
                self.carry_pose(self.other_pose)
            self.carry_pose(joints.kept_pose)
        else:
            joints.rest()
        if self.carried and fraction == 0.0 and self.crossing < 0.0:
            joints.load(self.begin_pose)
        else:
            self.draw_back(fraction)
            joints.store(self.begin_pose)
        self.carried = 1
        joints.copy_pose(joints.start_pose, self.carried_pose)

    def draw_back(self, fraction):
        """Move the pose to the start pose, joints of limbs by less of the way.

        A limb that is straightened would make the trunk bend in its place.
        """
        joints = self.joints
        joints.keep()
        joints.pull_back(fraction)
        for j in range(joints.n):
            if joints.effectors_below[j] == 1:
                joints.blend_joint(j, joints.kept_pose, LIMBS)

    def carry_pose(self, pose):
        """Move a pose as the start pose has moved since the last ``carry``.

        It is the pose then, inside its limits.
        """
        joints = self.joints
        w = joints.work
        joints.load(pose)
        for k in range(joints.m):
            joints.value[k] += joints.start_pose.value[k] - self.carried_pose.value[k]
        for j in range(joints.n):
            if joints.kind[j] == BALL:
                o = 4 * j
                conj_mul(w, 0, self.carried_pose.q, o, pose.q, o)
                mul(joints.q, o, joints.start_pose.q, o, w, 0)
            else:
                joints.project(j)
        joints.store(pose)

    def end_frame(self):
        """Store the frame's pose; in a crossing the solve continues where it leads."""
        joints = self.joints
        self.led = 1
        joints.store(self.last_pose)
        if self.crossing >= 0.0:
            joints.load(self.other_pose)

    def random(self):
        """Return the next number of a fixed sequence, uniform in -1 to 1."""
        # a linear congruential generator whose products are exact in doubles
        k = self.seed * 1664525.0 + 12345679.0
        self.seed = k - MODULUS * floor(k / MODULUS)
        return 2.0 * self.seed / MODULUS - 1.0

    def weigh_rotations(self, factor):
        """Multiply the rotation weights of effectors that also have a position's."""
        joints = self.joints
        for i in range(joints.e):
            if joints.weights[2 * i] > 0.0:
                joints.weights[2 * i + 1] *= factor

    def scatter_pose(self, count):
        """Set the joints to the best of several fixed candidate poses; 0: of many."""
        joints = self.joints
        lowest_cost = -1.0
        if count == 0:
            # the best of many may lead into the same trap again and again
            count = FEW_SAMPLES if self.tried % 4 == 0 else SAMPLES * self.tried
        for _ in range(count if count < MOST_SAMPLES else MOST_SAMPLES):
            self.scatter_joints()
            cost = joints.measure()
            if lowest_cost < 0.0 or cost < lowest_cost:
                lowest_cost = cost
                joints.keep()
        joints.restore()

    def scatter_joints(self):
        """Set every joint to a random value inside its limits."""
        joints = self.joints
        for j in range(joints.n):
            kind = joints.kind[j]
            f = joints.first[j]
            if kind == BALL:
                x, y, z = 1.2 * self.random(), 1.2 * self.random(), 1.2 * self.random()
                rotation_vector(joints.q, 4 * j, x, y, z)
                continue
            if kind == SLIDE:
                # a slide without an end stays where it is
                if joints.upper[f] - joints.lower[f] < 1e29:
                    a = joints.lower[f]
                    b = joints.upper[f]
                    joints.value[f] = 0.5 * (a + b) + 0.5 * (b - a) * self.random()
                continue
            for k in range(f, joints.first[j + 1]):
                if kind == CONE and k < f + 2:
                    i = 4 * j + k - f
                    a = -joints.half[i + 2]
                    b = joints.half[i]
                else:
                    a = joints.lower[k]
                    b = joints.upper[k]
                # of a wide range the six radians nearest to the start pose
                if a < -3.0:
                    a = -3.0
                    if b < a:
                        a = joints.lower[k]
                        a = max(a, b - 6.0)
                if b > 3.0:
                    b = 3.0
                    if a > b:
                        b = joints.upper[k]
                        b = min(b, a + 6.0)
                joints.value[k] = 0.5 * (a + b) + 0.5 * (b - a) * self.random()
            joints.project(j)


def ease(x):
    """Return a smooth step: 0 at 0, 1 from 1 on, without speed at both ends."""
    return x * x * (3.0 - 2.0 * x) if x < 1.0 else 1.0
