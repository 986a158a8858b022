"""Frames of chains and trees: changes are read, solved for and written back."""

import cython

if not cython.compiled:
    from .node_frame import Goal
    from .vectors import put


class FrameUpdate:
    """Reads, solves and writes a frame of one chain or tree; base class.

    Args:
        pose: The ``BonePose`` that reads and writes the bones.
        solver: The solver.
    """

    def __init__(self, pose, solver):
        self.pose = pose
        self.solver = solver
        self.settings = None
        # whether another frame would change nothing, and bones must be read again
        self.unchanged = False
        self.posed = True

    def step(self, rig, settings, dt):
        """Solve one frame of dt seconds; return its result."""
        raise NotImplementedError

    def rests(self, settings):
        """Return whether a frame would solve the last one again, if bones rest."""
        return False

    def is_uneven(self):
        """Return whether the animation makes bones change their length."""
        return self.pose.uneven


class ChainUpdate(FrameUpdate):
    """The frames of one chain.

    In rare cases it calls methods of the rig:

    - ``_read_bones()``: a bone was changed by others; returns whether that counts.
    - ``_pass_tips()``: the animation moves a tip.
    - ``_solve(goal, hint, rotation, origin, dt)``: other solvers, or numbers that are
      not finite.
    - ``_result_at_zero_weight(result, goal)``: weight 0 leaves bones as they are posed.
    - ``_write(result)``: bones slide or stretch, or the pose is not finite.

    Args:
        binding: The binding of the bones, with ``origin`` and ``slides``; where it is
            ``animated``, each frame passes the animation to the solver.
        pose: The ``BonePose`` that reads and writes the bones.
        goal: The ``Goal`` of the effector.
        solver: The chain's solver.
        direct: The solver's ``DirectSolve``; None: ``_solve`` is called instead.
        kernel: The solver's kernel, whose pose is written; None: ``_write`` is called.
    """

    def __init__(self, binding, pose, goal, solver, direct, kernel):
        super().__init__(pose, solver)
        self.binding = binding
        self.animated = binding.animated
        self.goal = goal
        self.direct = direct
        self.kernel = kernel
        self.sliding = bool(binding.slides)
        self.stretched = True
        self.placed = False

    def step(self, rig, settings, dt):
        """Solve one frame; return its result, the last one when nothing is new.

        Args:
            rig: The chain.
            settings: Its ``SolveSettings``.
            dt: Time since the last frame [s].

        Raises:
            BindError: The bones or the target can't be read.
        """
        pose = self.pose
        touched = pose.touched()
        if self.animated:
            pose.pass_rest_pose(self.solver)
            if rig._tipped:
                rig._pass_tips()
            self.set_origin(pose.x, pose.y, pose.z)
        elif touched or self.posed:
            touched = rig._read_bones()
            if rig._update is not self:
                # the change requires a different solver
                return rig._update.step(rig, settings, dt)
            self.posed = rig._changed_at_zero
            x, y, z = self.binding.origin
            self.set_origin(x, y, z)
        goal = self.goal
        moved = goal.read()
        if self.unchanged and not (touched or moved) and settings is self.settings:
            return rig._result
        self.settings = settings
        goal.check()
        result = self.solve(rig, settings, dt)
        if touched and (settings.weight == 0.0 or goal.weight == 0.0):
            return rig._result_at_zero_weight(result, (goal.gx, goal.gy, goal.gz))
        if not self.write(touched):
            rig._write(result)
            self.stretched = result.lengthening != 1.0
        return result

    def rests(self, settings):
        """Return whether a frame would solve the last one again, if bones rest."""
        return self.unchanged and settings is self.settings and self.goal.rests()

    def write(self, touched):
        """Write the pose; return whether nothing is left for ``_write``."""
        kernel = self.kernel
        if (
            kernel is None
            or self.sliding
            or self.stretched
            or kernel.lengthening != 1.0
        ):
            return False
        return self.pose.write(kernel.local, touched)

    def set_origin(self, x, y, z):
        """Set the position of the first bone."""
        if not self.placed or x != self.rx or y != self.ry or z != self.rz:
            self.placed = True
            self.rx, self.ry, self.rz = x, y, z
            self.unchanged = False
        return 0

    def solve(self, rig, settings, dt):
        """Solve, by ``direct`` where there is one; return the result."""
        direct = self.direct
        goal = self.goal
        # the solver has to set ``rigid`` where it no longer fits ``use_tip``
        if direct is not None and not (
            direct.kernel.start.tipped and direct.kernel.start.rigid == goal.use_tip
        ):
            kernel = direct.kernel
            if direct.settings is not settings:
                self.solver._apply(settings)
            if goal.weighs:
                kernel.weight = goal.weight * settings.weight
            rx, ry, rz = self.rx, self.ry, self.rz
            direct.x, direct.y, direct.z = rx, ry, rz
            gx, gy, gz = goal.gx, goal.gy, goal.gz
            px, py, pz = goal.px, goal.py, goal.pz
            # one sum shows whether anything is not finite, or too large to be squared
            total = gx * gx + gy * gy + gz * gz + rx * rx + ry * ry + rz * rz
            total += px * px + py * py + pz * pz
            size = goal.tw * goal.tw + goal.tx * goal.tx + goal.ty * goal.ty
            size += goal.tz * goal.tz
            if total + size < 1e300 and size >= 1e-12:
                if goal.use_tip:
                    tip = kernel.tip
                    tip[0] = goal.tw
                    put(tip, 1, goal.tx, goal.ty, goal.tz)
                result = direct.solve(
                    gx - rx, gy - ry, gz - rz, goal.use_pole, px - rx, py - ry,
                    pz - rz, goal.use_tip, dt,
                )  # fmt: skip
                self.unchanged = direct.unchanged
                return result
        result = rig._solve(
            (goal.gx, goal.gy, goal.gz),
            (goal.px, goal.py, goal.pz) if goal.use_pole else None,
            (goal.tw, goal.tx, goal.ty, goal.tz) if goal.use_tip else None,
            (self.rx, self.ry, self.rz),
            dt,
        )
        self.unchanged = self.solver.unchanged
        return result


class TreeUpdate(FrameUpdate):
    """The frames of one tree, with nodes read and written as in ``ChainUpdate``.

    In rare cases it calls methods of the rig:

    - ``_read_bones()``: a bone was changed by others; returns whether that counts.
    - ``_result_at_zero_weight(result, goals, weights)``: weight 0 leaves bones as they
      are posed.
    - ``_write(result)``: bones slide, the root moves, or the pose is not finite.
    - ``_invalid(detail)``: the solver can't use a goal.

    Args:
        binding: The binding of the bones, with ``origin`` and ``slides``.
        pose: The ``BonePose`` that reads and writes the bones.
        goals: A ``Goal`` for each effector.
        effectors: The effectors, with their weights.
        solver: The tree's solver.
        kernel: The solver's kernel, whose pose is written; None: ``_write`` is called.
        invalid: The status of goals that can't be used.
    """

    def __init__(self, binding, pose, goals, effectors, solver, kernel, invalid):
        super().__init__(pose, solver)
        self.goals = goals
        self.effectors = effectors
        self.kernel = kernel
        self.invalid = invalid
        self.plain = kernel is not None and not binding.slides
        self.poled = False
        for goal in goals:
            if goal.use_pole or goal.weighs:
                self.poled = True
        self.weights = self.turning = None
        self.weighed = False

    def step(self, rig, settings, dt):
        """Solve one frame; return its result, the last one when nothing is new.

        Args:
            rig: The tree.
            settings: Its ``SolveSettings``.
            dt: Time since the last frame [s].

        Raises:
            BindError: The bones or a target can't be read.
        """
        touched = self.pose.touched()
        if touched or self.posed:
            touched = rig._read_bones()
            if rig._update is not self:
                # the change requires a different solver
                return rig._update.step(rig, settings, dt)
            self.posed = rig._changed_at_zero
            self.origin = tuple(rig._binding.origin)
        moved = self.read()
        if not self.weighed:
            self.weights = [effector.weight for effector in self.effectors]
            self.turning = [effector.orientation_weight for effector in self.effectors]
            self.weighed = moved = True
        if self.unchanged and not (touched or moved) and settings is self.settings:
            return rig._result
        self.unchanged = False
        self.settings = settings
        result = self.solve(settings, dt)
        if result[0] is self.invalid:
            return rig._invalid(result[4])
        self.unchanged = self.solver.unchanged
        if touched and settings.weight == 0.0:
            goals = [(goal.gx, goal.gy, goal.gz) for goal in self.goals]
            return rig._result_at_zero_weight(result, goals, self.weights)
        if not (self.plain and self.pose.write(self.kernel.local, touched)):
            rig._write(result)
        return result

    def read(self):
        """Read all goals; return whether one of them has changed."""
        moved = False
        for at in range(len(self.goals)):
            goal: Goal = self.goals[at]
            if goal.read():
                moved = True
            goal.check()
        return moved

    def solve(self, settings, dt):
        """Solve for the goals read last; return the result."""
        places = []
        turns = []
        poles = [] if self.poled else None
        for at in range(len(self.goals)):
            goal: Goal = self.goals[at]
            if goal.weighs:
                self.weights[at] = goal.weight * self.effectors[at].weight
            places.append((goal.gx, goal.gy, goal.gz))
            turns.append((goal.tw, goal.tx, goal.ty, goal.tz) if goal.use_tip else None)
            if poles is not None:
                poles.append((goal.px, goal.py, goal.pz) if goal.use_pole else None)
        return self.solver.solve(
            places, rotations=turns, weights=self.weights,
            orientation_weights=self.turning, poles=poles, root=self.origin,
            settings=settings, dt=dt,
        )  # fmt: skip


class FramePart:
    """A chain or tree on an Actor, as frames see it; base class of ``IKComponent``.

    Attributes:
        _settings: Its ``SolveSettings``.
        _usual: Those of the last frame, where it needed nothing of Python beside
            its ``FrameUpdate``; else None.
        _idle_since: Those since which its weight is 0, or None.
        _fading: What its weight fades by, or None.
        _result: Its last result.
        _update: Its ``FrameUpdate``.
        _started: Whether its Actor's rig solves it.
        _acted: The last frame of its rig in which it had an effect.
    """

    __slots__ = (
        "_acted",
        "_fading",
        "_idle_since",
        "_result",
        "_settings",
        "_started",
        "_update",
        "_usual",
    )


def first_acting(parts):
    """Return the index of the first of parts that may act; else their number.

    Args:
        parts: As for ``run_parts``.
    """
    count = len(parts)
    for i in range(count):
        entry = parts[i]
        if entry is None:
            return i
        part: FramePart = entry
        idle: cython.bint = part._settings is part._idle_since and part._fading is None
        if part._started and not idle:
            return i
    return count


def run_parts(parts, first, dt, frame):
    """Solve chains and trees for a frame, up to the first that needs Python for it.

    It calls ``_take(result)`` of one whose status has changed, or that has details to
    tell, and stops there: listeners may have changed everything.

    Args:
        parts: The ``FramePart`` of each layer; None where it is another one.
        first: Index of the first to run.
        dt: Time since the last frame [s].
        frame: The number of the frame.

    Returns:
        The index of that which needs Python; the number of parts: none.
    """
    count = len(parts)
    for i in range(first, count):
        entry = parts[i]
        if entry is None:
            return i
        part: FramePart = entry
        settings = part._settings
        if part._fading is not None or settings is not part._usual:
            return i
        if not part._started or settings is part._idle_since:
            continue
        part._acted = frame
        update: FrameUpdate = part._update
        try:
            result = update.step(part, settings, dt)
            if update.is_uneven():
                result = part._corrected(result)
        except Exception as error:
            part._take(part._failed(error))
            return i + 1
        before = part._result
        if result is before:
            continue
        if before is None or result[0] is not before[0] or result[4]:
            part._take(result)
            return i + 1
        part._result = result
    return count


def resting_parts(parts, frame):
    """Return how many of the first parts leave the pose as in the last frame.

    Args:
        parts: As for ``run_parts``.
        frame: The number of the frame that the pose is of.
    """
    count = len(parts)
    for i in range(count):
        entry = parts[i]
        if entry is None:
            return i
        part: FramePart = entry
        acted: cython.bint = part._acted == frame
        settings = part._settings
        if part._fading is not None or settings is not part._usual:
            return i
        acts: cython.bint = part._started and settings is not part._idle_since
        if acts != acted:
            return i
        if acts:
            update: FrameUpdate = part._update
            if not update.rests(settings):
                return i
    return count
