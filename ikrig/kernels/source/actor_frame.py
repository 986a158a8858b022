# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Reads and writes an Actor's joints in a frame of IK.

They are in its pose, which the animation sets in every frame: unlike in ``node_frame``,
nothing is compared with the last frame.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from .buffers import doubles, ints, pin
    from .matrices import compose_trs, decompose_trs
    from .node_frame import NodeGoal, NodePose

COMPILED = cython.compiled


class ActorPose(NodePose):
    """Reads and writes the bones of a chain or tree in a character's pose.

    Args:
        binding: The binding of the joints, whose ``origin``, ``lengthening`` and
            ``uneven`` are those of the animated pose.
        figure: The character's pose, a ``PoseKernel``.
        joints: Index of each bone's joint.
        parents: Index of the joint that each bone is measured from, -1: the skeleton.
            Joints between the two move along.
        matrices: Scratch buffer of 16 numbers in single precision for each bone, in use
            from ``read`` to ``write``.
        animated_trs: Buffer for position 3, rotation 4 (w x y z) and scale 3 of each
            bone in its parent's frame, 10 n.
        local: Buffer for the rotations to write, 4 n, and 9 of scratch.
        even: Relative unevenness of a scale up to which bones are measured correctly.
    """

    def __init__(
        self, binding, figure, joints, parents, matrices, animated_trs, local, even
    ):
        self.binding = binding
        self.figure = figure
        self.n = len(joints)
        self._pinned = pin({"joints": joints, "parents": parents})
        self.joint = ints(joints)
        self.above = ints(parents)
        self.numbers = matrices
        self.animated_trs = animated_trs
        self.trs = animated_trs
        self.local = local
        self.even = even
        self.apart = 0
        for k in range(self.n):
            if self.figure.parent[self.joint[k]] != self.above[k]:
                self.apart = 1

    def read(self):
        """Read this frame's animated pose; return the largest shear, as a fraction."""
        figure = self.figure
        own = figure.numbers
        m = self.numbers
        for k in range(self.n):
            i = 16 * self.joint[k]
            o = 16 * k
            for c in range(16):
                m[o + c] = own[i + c]
            p = figure.parent[self.joint[k]]
            while p != self.above[k]:
                i = 16 * p
                for r in range(4):
                    x = 1.0 * m[o + 4 * r]
                    y = 1.0 * m[o + 4 * r + 1]
                    z = 1.0 * m[o + 4 * r + 2]
                    for c in range(3):
                        s = x * own[i + c] + y * own[i + 4 + c] + z * own[i + 8 + c]
                        if r == 3:
                            s += own[i + 12 + c]
                        m[o + 4 * r + c] = s
                p = figure.parent[p]
        return decompose_trs(self.n, m, self.trs)

    def pass_rest_pose(self, solver):
        """Pass this frame's animated pose to a solver, as its start pose; return 0.

        Raises:
            ModelError: The joints can't be solved as they are.
        """
        shear = self.read()
        skew: cython.double = solver.animate(self.animated_trs)
        binding = self.binding
        trs = self.trs
        binding.origin = trs[0], trs[1], trs[2]
        if binding.lengthening != 1.0:
            binding.lengthening = 1.0
        uneven = shear > self.even or skew > self.even
        if uneven or binding.uneven:
            binding.note_uneven(uneven)
        return 0

    def touched(self):
        """Return True: the animation has posed the joints."""
        return True

    def write(self, local, touched):
        """Write the joints' rotations, as ``NodePose.write`` does."""
        own = self.local
        for i in range(4 * self.n):
            own[i] = local[i]
        return self.write_joints(own, 1.0)

    def write_joints(self, local, lengthening):
        """Write the joints' rotations, and their positions where bones are stretched.

        Args:
            local: Rotation of each joint in its parent's frame, w x y z, 4 n.
            lengthening: Factor of the positions of all joints but the first.

        Returns:
            1; or 0, with no joint changed, when a number is not finite.
        """
        m = self.numbers
        if compose_trs(self.n, m, self.trs, local, lengthening) != 0.0:
            return 0
        if self.apart:
            for k in range(self.n):
                if not self.step_back(k):
                    return 0
        figure = self.figure
        own = figure.numbers
        for k in range(self.n):
            i = 16 * self.joint[k]
            o = 16 * k
            for c in range(16):
                own[i + c] = m[o + c]
        for k in range(self.n):
            figure.note(self.joint[k])
        return 1

    def step_back(self, k):
        """Give a joint's matrix in its own parent's space; return 0 if it has none.

        Joints between it and the bone above keep their own matrices.
        """
        figure = self.figure
        own = figure.numbers
        m = self.numbers
        o = 16 * k
        inverse = self.local
        e = 4 * self.n
        # from above, the joint next to the bone first
        last = self.above[k]
        while figure.parent[self.joint[k]] != last:
            p = figure.parent[self.joint[k]]
            while figure.parent[p] != last:
                p = figure.parent[p]
            last = p
            if not invert(own, 16 * p, inverse, e):
                return 0
            for r in range(4):
                x = 1.0 * m[o + 4 * r]
                y = 1.0 * m[o + 4 * r + 1]
                z = 1.0 * m[o + 4 * r + 2]
                if r == 3:
                    x -= own[16 * p + 12]
                    y -= own[16 * p + 13]
                    z -= own[16 * p + 14]
                for c in range(3):
                    m[o + 4 * r + c] = (
                        x * inverse[e + c]
                        + y * inverse[e + 3 + c]
                        + z * inverse[e + 6 + c]
                    )
        return 1


def invert(m, i, out, o):
    """Write the inverse of a matrix's three axes; return 0 where they have none.

    Args:
        m: Matrices in single precision, 16 numbers in rows.
        i: Index of the matrix.
        out: Out: 9 numbers, in rows.
        o: Their index there.
    """
    ax, ay, az = 1.0 * m[i], 1.0 * m[i + 1], 1.0 * m[i + 2]
    bx, by, bz = 1.0 * m[i + 4], 1.0 * m[i + 5], 1.0 * m[i + 6]
    cx, cy, cz = 1.0 * m[i + 8], 1.0 * m[i + 9], 1.0 * m[i + 10]
    out[o] = by * cz - bz * cy
    out[o + 1] = az * cy - ay * cz
    out[o + 2] = ay * bz - az * by
    out[o + 3] = bz * cx - bx * cz
    out[o + 4] = ax * cz - az * cx
    out[o + 5] = az * bx - ax * bz
    out[o + 6] = bx * cy - by * cx
    out[o + 7] = ay * cx - ax * cy
    out[o + 8] = ax * by - ay * bx
    size = ax * out[o] + ay * out[o + 3] + az * out[o + 6]
    # neither 0 nor NaN
    if not abs(size) > 1e-300:
        return 0
    for k in range(9):
        out[o + k] /= size
    return 1


class ActorGoal(NodeGoal):
    """Reads a goal in the space above the first joint, which the animation moves.

    For a relative transform a NodePath composes states and caches the results. Where
    states change every frame, multiplying a few matrices is much cheaper: the target
    is read in a space that the animation does not move, and converted to root space
    here.

    ``lead`` is an offset that is added to the goal, or None.

    Args:
        binding: The binding of the joints, as for ``NodeGoal``; the animation does not
            move its ``space``, and ``above`` is the index of the first joint's parent
            in ``figure``. Its ``skeleton`` is ``animated`` or not.
        effector: The effector.
        target: As for ``NodeGoal``.
        pole: As for ``NodeGoal``.
        matrix: As for ``NodeGoal``.
        rotations: Buffer of the joints' animated rotations, w x y z, root space, the
            effector's last. None: ``binding`` reads goals with a rotation.
        scratch: Scratch buffer of 33.
    """

    def __init__(self, binding, effector, target, pole, matrix, rotations, scratch):
        super().__init__(binding, effector, target, pole, matrix)
        self.figure = binding.figure
        self.above = binding.above
        mode = effector.orientation_mode
        self.animated = mode == "animation"
        self.skeleton = binding.skeleton
        # whether it is a hand; -1: not known yet
        self.hand = -1
        self.was_animated = False
        self.reads_by_binding = mode == "normal" or (
            self.has_rotation and rotations is None
        )
        self.buffers = rotations, scratch
        self.rotations = doubles(rotations if rotations is not None else scratch)
        self.leaf = len(rotations) - 4 if rotations is not None else 0
        # rows of the target's matrix, of the product of those above, of its inverse
        self.frames = doubles(scratch)
        self.lead = None

    def read(self):
        """Read target and pole; return True: they always count as changed.

        Raises:
            BindError: One of them can't be read.
        """
        clear = self.read_above()
        q = self.inverse
        self.lw = q[0]
        self.lx = q[1]
        self.ly = q[2]
        self.lz = q[3]
        if self.animated:
            self.was_animated = self.skeleton.animated
        if self.reads_by_binding or not (clear and self.read_target()):
            self.read_by_binding()
        if self.lead is not None:
            self.gx += self.lead[0]
            self.gy += self.lead[1]
            self.gz += self.lead[2]
        if self.use_pole:
            state = self.pole.read() if clear else None
            self.pole.state = state
            if state is None:
                self.px, self.py, self.pz = self.binding.read_pole(self.effector.pole)
            else:
                place = state.pos
                x: cython.double = place[0]
                y: cython.double = place[1]
                z: cython.double = place[2]
                self.px = self.to_root(x, y, z, 0)
                self.py = self.to_root(x, y, z, 1)
                self.pz = self.to_root(x, y, z, 2)
        return True

    def rests(self):
        """Return whether target, pole and offset are those that were read last."""
        target = self.target
        q = self.inverse
        if (
            self.reads_by_binding
            or target.state is None
            or target.read() != target.state
            or q[0] != self.lw
            or q[1] != self.lx
            or q[2] != self.ly
            or q[3] != self.lz
        ):
            return False
        if self.animated and self.was_animated != self.skeleton.animated:
            return False
        return not self.use_pole or (
            self.pole.state is not None and self.pole.read() == self.pole.state
        )

    def check(self):
        """Return 0: ``read`` has already rejected a target below the joints."""
        return 0

    def read_above(self):
        """Invert the net matrix above; return 0 when it has no inverse."""
        scratch = self.frames
        if self.above >= 0:
            figure = self.figure
            net = figure.net
            o = figure.at(self.above)
            for i in range(12):
                scratch[12 + i] = net[o + i]
        else:
            for i in range(12, 24):
                scratch[i] = 0.0
            scratch[12] = scratch[16] = scratch[20] = 1.0
        for i in range(3):
            # row i of the inverse, times the determinant: a product of two columns
            j = 12 + (i + 1) % 3
            k = 12 + (i + 2) % 3
            o = 24 + 3 * i
            scratch[o] = (
                scratch[j + 3] * scratch[k + 6] - scratch[j + 6] * scratch[k + 3]
            )
            scratch[o + 1] = scratch[j + 6] * scratch[k] - scratch[j] * scratch[k + 6]
            scratch[o + 2] = scratch[j] * scratch[k + 3] - scratch[j + 3] * scratch[k]
        size = (
            scratch[12] * scratch[24]
            + scratch[15] * scratch[25]
            + scratch[18] * scratch[26]
        )
        # neither 0 nor NaN
        if not abs(size) > 1e-300:
            return 0
        for i in range(24, 33):
            scratch[i] /= size
        return 1

    def read_target(self):
        """Read the goal; return False when the binding has to read it instead."""
        target = self.target
        state = target.read()
        if state is None or self.first_above(target.path):
            return False
        frames = self.frames
        m = self.numbers
        if target.state is None or state != target.state:
            target.state = None
            if state.is_invalid():
                return False
            self.matrix[0] = state.mat
            for i in range(4):
                for k in range(3):
                    frames[3 * i + k] = m[4 * i + k]
            target.state = state
        if self.has_rotation and not self.set_tip_rotation():
            return False
        x = frames[9]
        y = frames[10]
        z = frames[11]
        self.gx = self.to_root(x, y, z, 0)
        self.gy = self.to_root(x, y, z, 1)
        self.gz = self.to_root(x, y, z, 2)
        self.use_tip = self.has_rotation or (
            self.animated and (self.skeleton.animated or not self.is_hand())
        )
        return True

    def is_hand(self):
        """Return whether it is a hand, which turns with its bone if not animated."""
        if self.hand < 0:
            self.hand = self.binding.is_hand(self.effector)
        return self.hand

    def set_tip_rotation(self):
        """Set the tip's rotation from the target's; return 0 if it is ambiguous."""
        frames = self.frames
        m = self.numbers
        for i in range(3):
            x = frames[3 * i]
            y = frames[3 * i + 1]
            z = frames[3 * i + 2]
            for k in range(3):
                m[4 * i + k] = (
                    x * frames[24 + k] + y * frames[27 + k] + z * frames[30 + k]
                )
        shear = decompose_trs(1, m, self.trs)
        if self.binding.uneven or not self.is_plain(shear):
            return 0
        self.set_rotation_since_bound()
        # undo the animated rotation, then apply the target's
        q = self.rotations
        o = self.leaf
        aw = self.tw
        ax = self.tx
        ay = self.ty
        az = self.tz
        self.tw = aw * q[o] + ax * q[o + 1] + ay * q[o + 2] + az * q[o + 3]
        self.tx = ax * q[o] - aw * q[o + 1] - ay * q[o + 3] + az * q[o + 2]
        self.ty = ay * q[o] - aw * q[o + 2] - az * q[o + 1] + ax * q[o + 3]
        self.tz = az * q[o] - aw * q[o + 3] - ax * q[o + 2] + ay * q[o + 1]
        return 1

    def to_root(self, x, y, z, k):
        """Return coordinate k in root space of a point in ``binding.space``."""
        net = self.frames
        x -= net[21]
        y -= net[22]
        z -= net[23]
        return x * net[24 + k] + y * net[27 + k] + z * net[30 + k]
