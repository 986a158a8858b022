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
    from cython.cimports.ikrig.kernels.matrices import decompose_trs
    from cython.cimports.ikrig.kernels.quat_ops import data
else:
    from .chain_frame import ChainFrameKernel
    from .matrices import decompose_trs
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
        if kernel.tipped and use_tip:
            kernel.aim_tip()
            gx -= kernel.tip_offset[0]
            gy -= kernel.tip_offset[1]
            gz -= kernel.tip_offset[2]
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
                (),
            ),
        )


class NodeReader:
    """Reads how a node is, as seen from the node above the chain.

    Args:
        path: The node.
        root: The node above.
    """

    def __init__(self, path, root):
        self.path = path
        self.root = root
        self.node = self.relative = self.inside = self.state = None
        self.rooted = not root.is_empty()
        self.near = False
        if not path.is_empty():
            self.node = path.node()
            self.relative = path.get_transform
            self.inside = path.is_same_graph
            self.near = self.rooted and path.parent == root

    def read(self):
        """Return its ``TransformState``, or None when it is not in the scene."""
        if self.near:
            # its own is the one asked for: much the cheapest
            if self.path.parent == self.root:
                return self.node.transform
            self.near = False
        if self.node is None or (self.rooted and not self.inside(self.root)):
            return None
        return self.relative(self.root)


class ChainUpdate:
    """The frames of one chain.

    It holds methods of nodes and asks the rig for what is rare:

    - ``_read_bones()``: somebody else has touched a bone; returns whether that counts.
    - ``_read_target()``, ``_read_pole()``: they can't be read in the usual way.
    - ``_solve(goal, hint, rotation, origin, dt)``: any other solver, or numbers that
      are none.
    - ``_left_alone(result, goal)``: weight 0 leaves bones as they are posed.
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
        turned: Whether the leaf turns as the target does.
        pole: What to bend towards, or None.
        matrix: Room for one of the engine's matrices, the same as 16 flat numbers, and
            a buffer of 10 for what it is made of.
    """

    def __init__(
        self, nodes, solver, direct, kernel, target, offset, turned, pole, matrix
    ):
        bones = nodes.nodes
        self.n = len(bones)
        self.turn = 0
        self.root = nodes.root
        self.nodes = self.bones = self.parents = None
        self.target = None
        if nodes.plain:
            self.nodes = [bone.node() for bone in bones]
            self.bones = bones
            self.parents = [bones[p] if p >= 0 else nodes.root for p in nodes.parents]
            self.target = NodeReader(target, nodes.root)
        self.states = nodes.states
        self.first_above = bones[0].is_ancestor_of
        self.offset = offset
        self.turned = turned
        self.inverse = data(offset)
        self.matrix, self.numbers, self.trs = matrix
        self.lw = self.lx = self.ly = self.lz = 0.0
        self.use_pole = pole is not None
        self.pole = NodeReader(pole, nodes.root) if pole is not None else None
        self.settings = None
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

    def step(self, rig, settings, dt):
        """Solve one frame; return its result, the last one when nothing is new.

        Args:
            rig: The chain.
            settings: Its ``SolveSettings``.
            dt: Time since the last frame [s].

        Raises:
            BindError: The bones or the target can't be read; says why.
        """
        touched = self.touched()
        if touched or self.posed:
            touched = rig._read_bones()
            if rig._update is not self:
                # what was touched has asked for another solver
                return rig._update.step(rig, settings, dt)
            self.posed = rig._posed
            self.take_origin(rig.binding.origin)
        moved = self.read_target(rig)
        if self.use_pole and self.read_pole(rig):
            moved = True
        if self.unchanged and not (touched or moved) and settings is self.settings:
            return rig._result
        self.unchanged = False
        self.settings = settings
        target = self.target
        if target is not None and not target.near and self.first_above(target.path):
            # it would run away from the chain
            rig._read_target()
        result = self.solve(rig, settings, dt)
        if touched and settings.weight == 0.0:
            return rig._left_alone(result, (self.gx, self.gy, self.gz))
        if (
            self.kernel is None
            or self.nodes is None
            or self.sliding
            or self.stretched
            or self.kernel.lengthening != 1.0
            or not self.write(touched)
        ):
            rig._write(result)
            self.stretched = result.lengthening != 1.0
        return result

    def touched(self):
        """Return whether somebody else has touched a bone since it was written.

        Where bones hang is looked up for one bone a frame, in turn.
        """
        if self.nodes is None:
            return True
        nodes = self.nodes
        states = self.states
        for j in range(self.n):
            if nodes[j].transform != states[j]:
                return True
        j = self.turn
        if self.bones[j].parent != self.parents[j]:
            # and so in every frame until it hangs there again
            return True
        self.turn = j + 1 if j + 1 < self.n else 0
        return False

    def read_target(self, rig):
        """Take the goal; return whether it is another one than before."""
        target = self.target
        state = target.read() if target is not None else None
        if state is None:
            goal, rotation = rig._read_target()
            return self.take_goal(goal, rotation)
        q = self.inverse
        if (
            target.state is not None
            and state == target.state
            and q[0] == self.lw
            and q[1] == self.lx
            and q[2] == self.ly
            and q[3] == self.lz
        ):
            return False
        target.state = None
        if not self.take_state(state):
            goal, rotation = rig._read_target()
            self.take_goal(goal, rotation)
        target.state = state
        self.lw = q[0]
        self.lx = q[1]
        self.ly = q[2]
        self.lz = q[3]
        return True

    def take_state(self, state):
        """Take a goal from a transform; return 0 when that has no plain rotation.

        One matrix is quicker to get than a place, a rotation and what scale there is.
        """
        if state.is_invalid():
            return 0
        self.matrix[0] = state.mat
        trs = self.trs
        shear = decompose_trs(1, self.numbers, trs)
        if self.turned:
            size = trs[7]
            most = 1e-5 * size
            if not (
                size > 1e-6
                and shear < 1e-5
                and abs(trs[8] - size) < most
                and abs(trs[9] - size) < most
            ):
                return 0
            # what it has turned since it was bound: its rotation after the inverse
            q = self.inverse
            a = trs[3]
            b = trs[4]
            c = trs[5]
            d = trs[6]
            self.tw = a * q[0] - b * q[1] - c * q[2] - d * q[3]
            self.tx = a * q[1] + b * q[0] + c * q[3] - d * q[2]
            self.ty = a * q[2] - b * q[3] + c * q[0] + d * q[1]
            self.tz = a * q[3] + b * q[2] - c * q[1] + d * q[0]
        self.gx = trs[0]
        self.gy = trs[1]
        self.gz = trs[2]
        self.use_tip = self.turned
        return 1

    def take_goal(self, goal, rotation):
        """Take a goal that the rig has read; return 1: it counts as another one."""
        self.gx, self.gy, self.gz = goal
        self.use_tip = rotation is not None
        if rotation is not None:
            self.tw, self.tx, self.ty, self.tz = rotation
        return 1

    def read_pole(self, rig):
        """Take the pole's place; return whether it is another one than before."""
        pole = self.pole
        state = pole.read()
        if state is None:
            self.px, self.py, self.pz = rig._read_pole()
            return True
        if pole.state is not None and state == pole.state:
            return False
        place = state.pos
        self.px = place[0]
        self.py = place[1]
        self.pz = place[2]
        pole.state = state
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
            self.went = True
            self.unchanged = False
        return 0

    def solve(self, rig, settings, dt):
        """Solve, here when nothing but directions counts; return the result."""
        direct = self.direct
        # a tip whose leaf turns otherwise than before is the solver's to take
        if direct is not None and not (
            direct.kernel.tipped and direct.kernel.rigid == self.use_tip
        ):
            solver = self.solver
            kernel = direct.kernel
            if solver._settings is not settings:
                solver._apply(settings)
                self.went = True
            if self.went:
                solver._root = self.origin
                self.went = False
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

    def write(self, touched):
        """Write the bones' rotations; return 0, and write none, when one is none."""
        local = self.kernel.local
        total = 0.0
        for i in range(4 * self.n):
            total += local[i]
        # x - x is 0 or no number
        if total - total != 0.0:
            return 0
        nodes = self.nodes
        states = self.states
        i = 0
        for j in range(self.n):
            if touched:
                states[j] = nodes[j].transform
            # as NodePath.set_quat does it, and what it was set to is known
            state = states[j].set_quat(
                (local[i], local[i + 1], local[i + 2], local[i + 3])
            )
            nodes[j].transform = state
            states[j] = state
            i += 4
        return 1
