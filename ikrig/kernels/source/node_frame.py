"""Reads and writes the nodes of a scene in a frame of IK.

These kernels hold objects, nodes and their methods, which are passed in. Rare cases
are left to the binding (``NodeBinding``), whose methods report errors.
"""

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, floats, ints
    from .matrices import decompose, from_rows, square_up
    from .rest_pose import measure
    from .vectors import multiply, three

# limit of nodes' positions, scales and shears: larger ones overflow single precision
# when they are rotated
FARTHEST = 1e18
# relative difference of scales that still counts as uniform in single precision
UNEVEN = 1e-4
# errors of a reader: its node is not in the scene, or its position is not finite
REMOVED = 1
NOT_FINITE = 2


def measure_nodes(
    states, parents, turned, strict, start, points, rotations, frames, inside
):
    """Measure n nodes in their parents and in root space, on Python's buffers.

    Args:
        states: Their transforms.
        parents: Index of each one's parent, as for ``measure``.
        turned: Whether ``start`` has their rotations; else those of the states.
        strict: Whether a node with another below it must have an even scale, unsheared.
        start: Out: position 3, rotation 4 (w x y z) and scale 3 of each node.
        points: Out: as for ``measure``, and so are rotations and frames.
        rotations: Out.
        frames: Out.
        inside: Out: for each node the size of its parent's coordinates in root space,
            below 0 where they are mirrored; the rest of 5 n is scratch.

    Returns:
        -1; the index of the first node that can't be measured, or n where the whole
        can't be solved for.
    """
    n = len(states)
    parent = ints(parents)
    trs = doubles(start)
    frame = doubles(inside)
    total: cython.double
    size: cython.double
    least: cython.double
    most: cython.double
    for j in range(n):
        state = states[j]
        place = state.pos
        scale = state.scale
        shear = state.shear
        g = 10 * j
        total = frame[j] = 0.0
        for k in range(3):
            trs[g + k] = place[k]
            trs[g + 7 + k] = scale[k]
            size = shear[k]
            frame[j] = max(frame[j], abs(size))
            total += abs(trs[g + k]) + abs(trs[g + 7 + k]) + abs(size)
        # NaN fails all these comparisons
        if not total < FARTHEST:
            return j
        if not turned:
            quat = state.quat
            size = 0.0
            for k in range(3, 7):
                trs[g + k] = quat[k - 3]
                size += trs[g + k] * trs[g + k]
            size = sqrt(size)
            if not 1e-6 < size < 1e150:
                return j
            for k in range(3, 7):
                trs[g + k] /= size
        p = parent[j]
        if strict and p >= 0:
            least = most = abs(trs[10 * p + 7])
            for k in range(10 * p + 8, 10 * p + 10):
                least = min(least, abs(trs[k]))
                most = max(most, abs(trs[k]))
            if least <= 0.0 or most - least > UNEVEN * most or frame[p] > UNEVEN:
                return p
    at, turn, above = doubles(points), doubles(rotations), doubles(frames)
    sound = measure(n, parent, trs, at, turn, above, frame) >= 0.0
    for j in range(n):
        g = 10 * j
        size = frame[5 * j + 4]
        frame[j] = -size if trs[g + 7] * trs[g + 8] * trs[g + 9] < 0.0 else size
    return -1 if sound else n


def place_of(state):
    """Return the position of a transform."""
    place = state.pos
    x: cython.double = place[0]
    y: cython.double = place[1]
    z: cython.double = place[2]
    return x, y, z


class NodeReader:
    """Reads a node's transform in root space.

    Args:
        path: The node.
        root: The node above the first bone.
    """

    def __init__(self, path, root):
        self.path = path
        self.root = root
        self.node = self.state = None
        self.error = 0
        if not cython.compiled:
            self.axes = [0.0] * 9
        self.rooted = not root.is_empty()
        self.is_child = self.rooted and not path.is_empty() and path.parent == root
        if not path.is_empty():
            self.node = path.node()

    def read(self):
        """Return the ``TransformState``, or None for a node outside the scene."""
        if self.is_child:
            # a child of the root: its own transform, much the cheapest
            if self.path.parent == self.root:
                return self.node.transform
            self.is_child = False
        path = self.path
        if self.node is None or (self.rooted and not path.is_same_graph(self.root)):
            return None
        return path.get_transform(self.root)

    def read_place(self):
        """Set ``x``, ``y`` and ``z`` to the node's position; return 0 or the error."""
        self.error = REMOVED
        self.state = self.read()
        if self.state is not None:
            x, y, z = place_of(self.state)
            finite: cython.bint = x * x + y * y + z * z < 3e38
            self.error = 0 if finite and not self.state.is_invalid() else NOT_FINITE
            self.x, self.y, self.z = x, y, z
        return self.error

    def read_pose(self, matrix, numbers, out, o):
        """Write the node's position, 3, and rotation, w x y z; return 0 or the error.

        Args:
            matrix: One of an engine's matrices.
            numbers: The same memory as 16 numbers.
            out: Out, at index ``o``.
        """
        if self.read_place() != 0:
            return self.error
        matrix[0] = self.state.mat
        axes = self.axes
        for r in range(3):
            out[o + r] = numbers[12 + r]
            for c in range(3):
                axes[3 * r + c] = numbers[4 * r + c]
        square_up(axes, 0)
        from_rows(out, o + 3, axes, 0)
        return 0


class Goal:
    """What an effector reaches for, in root space.

    The goal is ``gx gy gz``. With ``use_tip`` the leaf turns from its start rotation by
    ``tw tx ty tz``. With ``use_pole`` the pole is at ``px py pz``. With ``weighs`` the
    effector's weight is multiplied by ``weight``. ``lead`` is an offset that is added
    to the goal, or None.

    Args:
        binding: The binding of the bones.
        effector: The effector.
    """

    def __init__(self, binding, effector):
        self.binding = binding
        self.effector = effector
        self.lead = None
        # whether it is a hand; -1: not known yet
        self.hand = -1
        self.use_tip = False
        self.use_pole = False
        self.gx = self.gy = self.gz = self.px = self.py = self.pz = 0.0
        self.tw = 1.0
        self.tx = self.ty = self.tz = 0.0
        self.weighs = False
        self.weight = 1.0

    def read(self):
        """Read the goal; return whether it has changed."""
        return True

    def rests(self):
        """Return whether ``read`` would find what it found last."""
        return False

    def check(self):
        """Reject a goal that can't be used."""
        return 0

    def add_lead(self):
        """Add ``lead`` to the goal; return 0."""
        if self.lead is not None:
            self.gx += self.lead[0]
            self.gy += self.lead[1]
            self.gz += self.lead[2]
        return 0

    def is_hand(self):
        """Return whether it is a hand, which turns with its bone if not animated."""
        if self.hand < 0:
            self.hand = self.binding.is_hand(self.effector)
        return self.hand

    def turn_back(self, q, o):
        """Undo the rotation at ``q[o]`` before that of the goal."""
        w, x, y, z = self.tw, self.tx, self.ty, self.tz
        a, b, c, d = q[o], q[o + 1], q[o + 2], q[o + 3]
        self.tw = w * a + x * b + y * c + z * d
        self.tx = x * a - w * b - y * d + z * c
        self.ty = y * a - w * c - z * b + x * d
        self.tz = z * a - w * d - x * c + y * b


class NodeGoal(Goal):
    """Reads an effector's target and pole in root space.

    Args:
        binding: The binding of the bones. Its ``read_target(effector)`` and
            ``read_pole(pole)`` are called where a node can't be read here.
        effector: The effector, with ``orientation_mode`` and ``offset``, the inverse of
            the target's rotation when it was bound.
        target: A separate NodePath of the target: the user's may be emptied.
        pole: A separate NodePath of the pole, or None.
        matrix: An array of one matrix of the engine, a view of it as 16 flat numbers,
            and a buffer of 10 for its position, rotation and scale.
    """

    def __init__(self, binding, effector, target, pole, matrix):
        super().__init__(binding, effector)
        self.target = NodeReader(target, binding.space)
        self.pole = NodeReader(pole, binding.space) if pole is not None else None
        self.first = binding.nodes[0]
        self.has_rotation = effector.orientation_mode == "target"
        self.offset = effector.offset
        self.inverse = doubles(self.offset)
        self.matrix, self._numbers, self._trs = matrix
        self.numbers = floats(self._numbers)
        self.trs = doubles(self._trs)
        self.lw = self.lx = self.ly = self.lz = 0.0
        self.use_pole = pole is not None

    def read(self):
        """Read target and pole; return whether one of them has changed.

        Raises:
            BindError: One of them can't be read.
        """
        moved = self.read_target()
        if self.use_pole and self.read_pole():
            moved = True
        return moved

    def check(self):
        """Reject a target below the first bone: it would move with the bones.

        Raises:
            BindError: The target is below the first bone.
        """
        if not self.target.is_child and self.first.is_ancestor_of(self.target.path):
            self.binding.read_target(self.effector)

    def read_target(self):
        """Read the goal; return whether it has changed."""
        target = self.target
        state = target.read()
        if state is None:
            return self.read_by_binding()
        same = target.state is not None and state == target.state
        if same and self.offset_stays():
            return False
        target.state = None
        if not self.set_from_state(state):
            self.read_by_binding()
        target.state = state
        self.note_offset()
        return True

    def note_offset(self):
        """Note the offset of this read."""
        if not self.has_rotation:
            return
        q = self.inverse
        self.lw = q[0]
        self.lx, self.ly, self.lz = three(q, 1)

    def offset_stays(self):
        """Return whether the offset is that of the last read, where it counts."""
        if not self.has_rotation:
            return True
        q = self.inverse
        same = q[0] == self.lw and q[1] == self.lx
        return same and q[2] == self.ly and q[3] == self.lz

    def set_from_state(self, state):
        """Set the goal from a transform; return 0 when that has no plain rotation.

        One matrix is faster to get than a position, a rotation and a scale.
        """
        if state.is_invalid():
            return 0
        self.matrix[0] = state.mat
        trs = self.trs
        shear = decompose(1, self.numbers, trs)
        if self.has_rotation:
            if not self.is_plain(shear):
                return 0
            self.set_rotation_since_bound()
        self.gx, self.gy, self.gz = trs[0], trs[1], trs[2]
        self.use_tip = self.has_rotation
        return 1

    def is_plain(self, shear):
        """Return whether the last decomposed matrix has a rotation and an even scale.

        Args:
            shear: The matrix's shear, from ``decompose``.
        """
        trs = self.trs
        size = trs[7]
        most = 1e-5 * size
        return (
            size > 1e-6
            and shear < 1e-5
            and abs(trs[8] - size) < most
            and abs(trs[9] - size) < most
        )

    def set_rotation_since_bound(self):
        """Set ``tw tx ty tz``, the target's rotation since it was bound."""
        trs = self.trs
        multiply(trs, 3, trs, 3, self.inverse, 0)
        self.tw = trs[3]
        self.tx, self.ty, self.tz = three(trs, 4)

    def read_by_binding(self):
        """Read the goal through the binding; return 1: it counts as changed."""
        (self.gx, self.gy, self.gz), rotation = self.binding.read_target(self.effector)
        self.use_tip = rotation is not None
        if rotation is not None:
            self.tw, self.tx, self.ty, self.tz = rotation
        return 1

    def read_pole(self):
        """Read the pole's position; return whether it has changed."""
        pole = self.pole
        state = pole.read()
        if state is None:
            self.px, self.py, self.pz = self.binding.read_pole(self.effector.pole)
            return True
        if pole.state is not None and state == pole.state:
            return False
        self.px, self.py, self.pz = place_of(state)
        pole.state = state
        return True


class BonePose:
    """Reads and writes the bones of a chain or tree.

    Where each frame's animation is the start pose, the first bone is at ``x y z`` in
    it, in root space.
    """

    def touched(self):
        """Return whether a bone was changed by others since it was written."""
        return True

    def pass_rest_pose(self, solver):
        """Pass this frame's animated pose to a solver, as its start pose; return 0."""
        return 0

    def write(self, local, touched):
        """Write the bones' rotations; return 0, with none written, if not finite."""
        return 0


class NodePose(BonePose):
    """Compares nodes with what was written to them last, and writes their rotations.

    Args:
        binding: The binding of the bones, with ``nodes``, ``parents``, ``root`` and
            ``states``.
    """

    def __init__(self, binding):
        self.bones = binding.nodes
        self.n = len(self.bones)
        self.uneven = False
        self.nodes = [bone.node() for bone in self.bones]
        self.parents = [
            self.bones[p] if p >= 0 else binding.root for p in binding.parents
        ]
        self.states = binding.states
        self.next_bone = 0

    def touched(self):
        """Return whether a bone was changed by others since it was written.

        Parents are checked for one bone per frame, in turn.
        """
        nodes = self.nodes
        states = self.states
        for j in range(self.n):
            if nodes[j].transform != states[j]:
                return True
        j = self.next_bone
        if self.bones[j].parent != self.parents[j]:
            # reported in every frame until the parent is back
            return True
        self.next_bone = j + 1 if j + 1 < self.n else 0
        return False

    def write(self, local, touched):
        """Write the bones' rotations; return 0, with none written, if not finite.

        Args:
            local: Rotation of each bone in its parent's frame, w x y z, 4 n.
            touched: Whether the bones were changed by others since the last write.
        """
        total = 0.0
        for i in range(4 * self.n):
            total += local[i]
        # x - x is 0, or NaN when x is not finite
        if total - total != 0.0:
            return 0
        nodes = self.nodes
        states = self.states
        i = 0
        for j in range(self.n):
            if touched:
                states[j] = nodes[j].transform
            # as NodePath.set_quat, but the new state is known
            state = states[j].set_quat(
                (local[i], local[i + 1], local[i + 2], local[i + 3])
            )
            nodes[j].transform = state
            states[j] = state
            i += 4
        return 1
