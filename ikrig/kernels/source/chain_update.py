# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""A frame of a chain on nodes: what is new is read, solved for, and written back.

The one kernel that holds objects: methods of nodes, which are handed in. Everything
that is rare is asked of the rig, whose methods say what goes on.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.chain_frame import ChainFrameKernel
    from cython.cimports.ikrig.kernels.quat_ops import data
else:
    from .chain_frame import ChainFrameKernel
    from .quat_ops import data

COMPILED = cython.compiled


class DirectSolve:
    """Solves a chain without joint coordinates, and says how it went.

    Args:
        kernel: The chain's.
        result_type: A named tuple of 10, as ``SolveResult``.
        statuses: For converged, stalled, unreachable, and iterations that ran out.
        bad_numbers: What to tell when the numbers went bad.
    """

    def __init__(self, kernel: ChainFrameKernel, result_type, statuses, bad_numbers):
        self.kernel = kernel
        self.result_type = result_type
        # a named tuple's own constructor is Python, and takes as long as a solve
        self.make = tuple.__new__
        self.converged, self.stalled, self.unreachable, self.out_of_iterations = (
            statuses
        )
        self.bad_numbers = bad_numbers
        self.unchanged = False

    def solve(self, gx, gy, gz, use_pole, px, py, pz, use_tip, dt):
        """Solve a frame, as ``ChainFrameKernel.solve`` has it; return its result.

        ``unchanged`` is then whether the same again would change nothing.
        """
        kernel = self.kernel
        try:
            held = kernel.solve(gx, gy, gz, use_pole, px, py, pz, use_tip, dt)
        except (ArithmeticError, ValueError):
            # numbers that are none make machine code go on and Python stop
            kernel.start_over(use_tip)
            held = 3
        error = kernel.error
        detail = ""
        self.unchanged = held < 2
        if held == 3:
            status = self.stalled
            detail = self.bad_numbers
            kernel.left = error
        elif error <= kernel.tolerance:
            status = self.converged
        elif held:
            status = self.stalled
        elif kernel.out_of_reach:
            status = self.unreachable
        else:
            status = self.out_of_iterations
            self.unchanged = kernel.snap_back == 1.0
        return self.make(
            self.result_type,
            (
                status,
                error,
                kernel.used,
                kernel.lengthening,
                detail,
                kernel.orientation_error,
                (),
                (),
                kernel.left,
                0,
            ),
        )


class ChainUpdate:
    """The frames of one chain.

    It holds methods of nodes and asks the rig for what is rare:

    - ``_gather()``: somebody else has touched a bone; returns whether that counts.
    - ``_read_target()``, ``_read_pole()``: they can't be read in the usual way.
    - ``_solve(goal, hint, rotation, origin, dt)``: any other solver, or numbers that
      are none.
    - ``_left_alone(result, goal)``: weight 0 leaves the bones as somebody has posed them.
    - ``_write(result)``: bones slide, or become longer, or the pose is no pose.

    Args:
        nodes: The binding: ``root``, ``nodes``, ``parents``, ``states``, ``origin``,
            ``slides``, and whether it is ``plain``: read and written by this class, as
            the target then is.
        solver: The chain's.
        direct: Its ``DirectSolve``, or None for one that ``_solve`` is asked for.
        kernel: Its kernel, whose pose is written; None: ``_write`` is asked for.
        target: What to reach.
        offset: The inverse of how that was turned when bound, a buffer, w x y z.
        pole: What to bend towards, or None.
    """

    def __init__(self, nodes, solver, direct, kernel, target, offset, pole):
        bones = nodes.nodes
        self.n = len(bones)
        self.turn = 0
        self.root = nodes.root
        self.reads = self.writes = self.hangs = self.parents = None
        self.target_read = self.target_inside = None
        if nodes.plain and not target.is_empty():
            self.reads = [bone.node().get_transform for bone in bones]
            self.writes = [bone.set_quat for bone in bones]
            self.hangs = [bone.get_parent for bone in bones]
            self.parents = [bones[p] if p >= 0 else nodes.root for p in nodes.parents]
            self.target_read = target.get_transform
        self.states = nodes.states
        self.target = target
        self.first_above = bones[0].is_ancestor_of
        rooted = not nodes.root.is_empty()
        self.target_inside = target.is_same_graph if rooted else None
        self.offset = offset
        self.inverse = data(offset)
        self.lw = self.lx = self.ly = self.lz = 0.0
        self.pole_read = self.pole_inside = None
        self.use_pole = pole is not None
        if pole is not None and not pole.is_empty():
            self.pole_read = pole.get_transform
            self.pole_inside = pole.is_same_graph if rooted else None
        self.target_state = self.pole_state = self.settings = None
        self.solver = solver
        self.direct = direct
        self.kernel = kernel
        self.sliding = bool(nodes.slides)
        self.stretched = True
        self.unchanged = False
        self.posed = True
        self.use_tip = False
        self.gx = self.gy = self.gz = self.px = self.py = self.pz = 0.0
        self.tw = 1.0
        self.tx = self.ty = self.tz = 0.0
        self.origin = None
        self.rx = self.ry = self.rz = 0.0
        self.take_origin(nodes.origin)

    def step(self, rig, settings, turned, dt):
        """Solve one frame; return its result, or None when nothing is new.

        Args:
            rig: The chain.
            settings: Its ``SolveSettings``.
            turned: Whether the leaf turns as the target does.
            dt: Time since the last frame [s].

        Raises:
            BindError: The bones or the target can't be read; says why.
        """
        touched = self.touched()
        if touched or self.posed:
            touched = rig._gather()
            if rig._update is not self:
                # what was touched has asked for another solver
                return rig._update.step(rig, settings, turned, dt)
            self.posed = rig._posed
            self.take_origin(rig._nodes.origin)
        moved = self.read_target(rig, turned)
        if self.use_pole and self.read_pole(rig):
            moved = True
        if self.unchanged and not (touched or moved) and settings is self.settings:
            return None
        self.unchanged = False
        self.settings = settings
        if self.target_read is not None and self.first_above(self.target):
            # it would run away from the chain
            rig._read_target()
        result = self.solve(rig, settings, dt)
        if touched and settings.weight == 0.0:
            return rig._left_alone(result, (self.gx, self.gy, self.gz))
        if (
            self.kernel is None
            or self.writes is None
            or self.sliding
            or self.stretched
            or self.kernel.lengthening != 1.0
            or not self.write()
        ):
            rig._write(result)
            self.stretched = result.lengthening != 1.0
        return result

    def touched(self):
        """Return whether somebody else has touched a bone since it was written.

        Where bones hang is looked up for one bone a frame, in turn.
        """
        if self.reads is None:
            return True
        reads = self.reads
        states = self.states
        for j in range(self.n):
            if reads[j]() != states[j]:
                return True
        j = self.turn
        if self.hangs[j]() != self.parents[j]:
            # and so in every frame until it hangs there again
            return True
        self.turn = j + 1 if j + 1 < self.n else 0
        return False

    def read_target(self, rig, turned):
        """Take the goal; return whether it is another one than before."""
        if self.target_read is None or not (
            self.target_inside is None or self.target_inside(self.root)
        ):
            goal, rotation = rig._read_target()
            return self.take_goal(goal, rotation)
        state = self.target_read(self.root)
        q = self.inverse
        if (
            self.target_state is not None
            and state == self.target_state
            and turned == self.use_tip
            and q[0] == self.lw
            and q[1] == self.lx
            and q[2] == self.ly
            and q[3] == self.lz
        ):
            return False
        self.target_state = None
        even = state.has_uniform_scale() and not state.has_nonzero_shear()
        if state.is_invalid() or (turned and not even):
            goal, rotation = rig._read_target()
            self.take_goal(goal, rotation)
        else:
            place = state.get_pos()
            self.gx = place[0]
            self.gy = place[1]
            self.gz = place[2]
            self.use_tip = turned
            if turned:
                rotation = state.get_norm_quat()
                a: cython.double = rotation[0]
                b: cython.double = rotation[1]
                c: cython.double = rotation[2]
                d: cython.double = rotation[3]
                # what it has turned since it was bound: its rotation after the inverse
                self.tw = a * q[0] - b * q[1] - c * q[2] - d * q[3]
                self.tx = a * q[1] + b * q[0] + c * q[3] - d * q[2]
                self.ty = a * q[2] - b * q[3] + c * q[0] + d * q[1]
                self.tz = a * q[3] + b * q[2] - c * q[1] + d * q[0]
        self.target_state = state
        self.lw = q[0]
        self.lx = q[1]
        self.ly = q[2]
        self.lz = q[3]
        return True

    def take_goal(self, goal, rotation):
        """Take a goal that the rig has read; return 1: it counts as another one."""
        self.gx, self.gy, self.gz = goal
        self.use_tip = rotation is not None
        if rotation is not None:
            self.tw, self.tx, self.ty, self.tz = rotation
        return 1

    def read_pole(self, rig):
        """Take the pole's place; return whether it is another one than before."""
        if self.pole_read is None or not (
            self.pole_inside is None or self.pole_inside(self.root)
        ):
            self.px, self.py, self.pz = rig._read_pole()
            return True
        state = self.pole_read(self.root)
        if self.pole_state is not None and state == self.pole_state:
            return False
        place = state.get_pos()
        self.px = place[0]
        self.py = place[1]
        self.pz = place[2]
        self.pole_state = state
        return True

    def take_origin(self, origin):
        """Take where the first bone is."""
        x: cython.double = origin[0]
        y: cython.double = origin[1]
        z: cython.double = origin[2]
        if self.origin is None or x != self.rx or y != self.ry or z != self.rz:
            self.origin = (x, y, z)
            self.rx = x
            self.ry = y
            self.rz = z
            self.unchanged = False
        return 0

    def solve(self, rig, settings, dt):
        """Solve, here when nothing but directions counts; return the result."""
        direct = self.direct
        if direct is not None:
            solver = self.solver
            kernel = direct.kernel
            if solver._settings is not settings:
                solver._apply(settings)
            solver._root = self.origin
            # one sum tells whether anything is not finite, or too large to be squared
            total = self.gx * self.gx + self.gy * self.gy + self.gz * self.gz
            total += self.rx * self.rx + self.ry * self.ry + self.rz * self.rz
            total += self.px * self.px + self.py * self.py + self.pz * self.pz
            size = self.tw * self.tw + self.tx * self.tx + self.ty * self.ty
            size += self.tz * self.tz
            if total + size < 1e300 and size >= 1e-12:
                if self.use_tip:
                    tip = kernel.tip
                    tip[0] = self.tw
                    tip[1] = self.tx
                    tip[2] = self.ty
                    tip[3] = self.tz
                result = direct.solve(
                    self.gx - self.rx,
                    self.gy - self.ry,
                    self.gz - self.rz,
                    self.use_pole,
                    self.px - self.rx,
                    self.py - self.ry,
                    self.pz - self.rz,
                    self.use_tip,
                    dt,
                )
                self.unchanged = direct.unchanged
                return result
        result = rig._solve(
            (self.gx, self.gy, self.gz),
            (self.px, self.py, self.pz) if self.use_pole else None,
            (self.tw, self.tx, self.ty, self.tz) if self.use_tip else None,
            self.origin,
            dt,
        )
        self.unchanged = self.solver.unchanged
        return result

    def write(self):
        """Write the bones' rotations; return 0, and write none, when one is none."""
        local = self.kernel.local
        total = 0.0
        for i in range(4 * self.n):
            total += local[i]
        # x - x is 0 or no number
        if total - total != 0.0:
            return 0
        reads = self.reads
        writes = self.writes
        states = self.states
        i = 0
        for j in range(self.n):
            writes[j]((local[i], local[i + 1], local[i + 2], local[i + 3]))
            states[j] = reads[j]()
            i += 4
        return 1
