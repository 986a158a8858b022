"""Frames of a chain: changes are read, solved for and written back."""

import cython

if not cython.compiled:
    from .frame_part import FrameUpdate
    from .vectors import put


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
        self.binding = binding
        self.animated = binding.animated
        self.pose = pose
        self.goal = goal
        self.settings = None
        self.solver = solver
        self.direct = direct
        self.kernel = kernel
        self.sliding = bool(binding.slides)
        self.stretched = True
        self.posed = True
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

    def is_uneven(self):
        """Return whether the animation makes bones change their length."""
        return self.pose.uneven

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
            direct.kernel.tipped and direct.kernel.rigid == goal.use_tip
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
