"""Frames of a tree: changes are read, solved for and written back."""

import cython

if not cython.compiled:
    from .frame_part import FrameUpdate
    from .node_frame import Goal


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
        self.pose = pose
        self.goals = goals
        self.effectors = effectors
        self.solver = solver
        self.kernel = kernel
        self.invalid = invalid
        self.plain = kernel is not None and not binding.slides
        self.poled = False
        for goal in goals:
            if goal.use_pole or goal.weighs:
                self.poled = True
        self.settings = None
        self.weights = self.turning = None
        self.weighed = False
        self.unchanged = False
        self.posed = True

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

    def is_uneven(self):
        """Return whether the animation makes bones change their length."""
        return self.pose.uneven

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
