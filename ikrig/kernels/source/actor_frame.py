# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Reads and writes an Actor's joints in a frame of IK.

The animation moves them every frame, and the joints above them too: unlike in
``node_frame``, nothing is compared with the last frame.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from .buffers import doubles
    from .matrices import compose_trs, decompose_trs
    from .node_frame import NodeGoal, NodePose

COMPILED = cython.compiled


def place_nodes(nodes, make, mats):
    """Set node transforms from matrices, each in its parent's space; return 0.

    Args:
        nodes: The nodes.
        make: Returns a node's transform for a matrix.
        mats: One matrix of the engine for each node.
    """
    for j in range(len(nodes)):
        nodes[j].transform = make(mats[j])
    return 0


def follow_joints(nodes, joints):
    """Set node transforms from an Actor's joints; return 0."""
    for j in range(len(nodes)):
        nodes[j].transform = joints[j].get_transform_state()
    return 0


class ActorPose(NodePose):
    """Decomposes joint matrices, and writes them back with other rotations.

    Args:
        binding: The binding of the joints, as for ``NodePose``.
        make: Returns a node's transform for a matrix.
        matrices: One matrix of the engine for each joint, and a view of them as 16 flat
            numbers each.
        animated_trs: Buffer for position 3, rotation 4 (w x y z) and scale 3 of each
            joint in its parent's frame, 10 n.
        local: Buffer for the rotations to write, 4 n.
        between: Index of each joint that is not a child of the one above, its nodes
            between the two, from below, and an array for two matrices of the engine.
    """

    def __init__(self, binding, make, matrices, animated_trs, local, between):
        super().__init__(binding)
        self.between = between
        self.make = make
        self.mats, self.numbers = matrices
        self.animated_trs = animated_trs
        self.trs = animated_trs
        self.local = local

    def read(self):
        """Read this frame's animated pose; return the largest shear, as a fraction."""
        mats = self.mats
        nodes = self.nodes
        for j in range(self.n):
            mats[j] = nodes[j].transform.mat
        for k, skipped, rest in self.between:
            rest[0] = skipped[0].transform.mat
            for node in skipped[1:]:
                rest[0] = rest[0] * node.transform.mat
            mats[k] = nodes[k].transform.mat * rest[0]
        return decompose_trs(self.n, self.numbers, self.trs)

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
            1; or 0, with no node changed, when a number is not finite.
        """
        if compose_trs(self.n, self.numbers, self.trs, local, lengthening) != 0.0:
            return 0
        for _, _, rest in self.between:
            if not rest[1].invert_from(rest[0]):
                return 0
        place_nodes(self.nodes, self.make, self.mats)
        for k, _, rest in self.between:
            node = self.nodes[k]
            node.transform = self.make(node.transform.mat * rest[1])
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
            move its ``space``, and ``above`` lists the nodes from the first joint's
            parent up to there. Its ``skeleton`` is ``animated`` or not.
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
        self.above = [node.node() for node in binding.above]
        mode = effector.orientation_mode
        self.animated = mode == "animation"
        self.skeleton = binding.skeleton
        # whether it is a hand; -1: not known yet
        self.hand = -1
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
        if self.reads_by_binding or not (clear and self.read_target()):
            self.read_by_binding()
        if self.lead is not None:
            self.gx += self.lead[0]
            self.gy += self.lead[1]
            self.gz += self.lead[2]
        if self.use_pole:
            state = self.pole.read() if clear else None
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

    def check(self):
        """Return 0: ``read`` has already rejected a target below the joints."""
        return 0

    def read_above(self):
        """Multiply the matrices above; return 0 when the product has no inverse."""
        scratch = self.frames
        m = self.numbers
        for i in range(12, 24):
            scratch[i] = 0.0
        scratch[12] = scratch[16] = scratch[20] = 1.0
        for node in self.above:
            self.matrix[0] = node.transform.mat
            for i in range(12, 24, 3):
                x = scratch[i]
                y = scratch[i + 1]
                z = scratch[i + 2]
                for k in range(3):
                    scratch[i + k] = x * m[k] + y * m[4 + k] + z * m[8 + k]
            for k in range(3):
                scratch[21 + k] += m[12 + k]
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
