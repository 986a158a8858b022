# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Nodes of a scene, as a frame of IK reads and writes them.

These kernels hold objects: nodes and their methods, which are handed in. Whatever is
rare is asked of the binding (``NodeBinding``), whose methods report what is wrong.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from .matrices import decompose_trs
    from .quat_ops import data

COMPILED = cython.compiled


class NodeReader:
    """Reads how a node is, as seen from the node above the bones.

    Args:
        path: The node.
        root: The node above.
    """

    def __init__(self, path, root):
        self.path = path
        self.root = root
        self.node = self.relative = self.inside = self.state = None
        self.rooted = not root.is_empty()
        self.near = self.rooted and not path.is_empty() and path.parent == root
        if not path.is_empty():
            self.node = path.node()
            self.relative = path.get_transform
            self.inside = path.is_same_graph

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


class NodeGoal:
    """Reads what an effector is to reach, root space: a target, and a pole.

    The goal is ``gx gy gz``. With ``use_tip`` the leaf turns from its start rotation by
    ``tw tx ty tz``. With ``use_pole`` the pole is at ``px py pz``.

    Args:
        binding: The bones'. Its ``read_target(effector)`` and ``read_pole(pole)`` are
            asked where a node can't be read in the usual way.
        effector: What reaches, with ``orientation_mode`` and ``offset``: the inverse of
            how the target was turned when bound.
        target: A handle of its own: what empties the user's is noticed all the same.
        pole: The same for what to bend towards, or None.
        matrix: Room for one of the engine's matrices, the same as 16 flat numbers, and
            a buffer of 10 for what it is made of.
    """

    def __init__(self, binding, effector, target, pole, matrix):
        self.binding = binding
        self.effector = effector
        self.target = NodeReader(target, binding.space)
        self.pole = NodeReader(pole, binding.space) if pole is not None else None
        self.first_above = binding.nodes[0].is_ancestor_of
        self.turned = effector.orientation_mode == "target"
        self.offset = effector.offset
        self.inverse = data(self.offset)
        self.matrix, self.numbers, self.trs = matrix
        self.lw = self.lx = self.ly = self.lz = 0.0
        self.use_tip = False
        self.use_pole = pole is not None
        self.gx = self.gy = self.gz = self.px = self.py = self.pz = 0.0
        self.tw = 1.0
        self.tx = self.ty = self.tz = 0.0

    def read(self):
        """Read target and pole; return whether one is another than before.

        Raises:
            BindError: One can't be read; says why.
        """
        moved = self.read_target()
        if self.use_pole and self.read_pole():
            moved = True
        return moved

    def check(self):
        """Refuse a target that hangs on the bones: it would run away from them.

        Raises:
            BindError: It does.
        """
        if not self.target.near and self.first_above(self.target.path):
            self.binding.read_target(self.effector)

    def read_target(self):
        """Take the goal; return whether it is another one than before."""
        target = self.target
        state = target.read()
        if state is None:
            return self.ask()
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
            self.ask()
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
            if not self.is_plain(shear):
                return 0
            self.take_offset()
        self.gx = trs[0]
        self.gy = trs[1]
        self.gz = trs[2]
        self.use_tip = self.turned
        return 1

    def is_plain(self, shear):
        """Return whether the matrix taken apart last has a rotation and an even size.

        Args:
            shear: Its shear.
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

    def take_offset(self):
        """Set what the target has turned since it was bound: after the inverse."""
        trs = self.trs
        q = self.inverse
        a = trs[3]
        b = trs[4]
        c = trs[5]
        d = trs[6]
        self.tw = a * q[0] - b * q[1] - c * q[2] - d * q[3]
        self.tx = a * q[1] + b * q[0] + c * q[3] - d * q[2]
        self.ty = a * q[2] - b * q[3] + c * q[0] + d * q[1]
        self.tz = a * q[3] + b * q[2] - c * q[1] + d * q[0]

    def ask(self):
        """Take a goal that the binding reads; return 1: it counts as another one."""
        (self.gx, self.gy, self.gz), rotation = self.binding.read_target(self.effector)
        self.use_tip = rotation is not None
        if rotation is not None:
            self.tw, self.tx, self.ty, self.tz = rotation
        return 1

    def read_pole(self):
        """Take the pole's place; return whether it is another one than before."""
        pole = self.pole
        state = pole.read()
        if state is None:
            self.px, self.py, self.pz = self.binding.read_pole(self.effector.pole)
            return True
        if pole.state is not None and state == pole.state:
            return False
        place = state.pos
        self.px = place[0]
        self.py = place[1]
        self.pz = place[2]
        pole.state = state
        return True


class NodePose:
    """Compares nodes with what was written to them last, and writes their rotations.

    Args:
        binding: The bones', with ``nodes``, ``parents``, ``root`` and ``states``.
    """

    def __init__(self, binding):
        self.bones = binding.nodes
        self.n = len(self.bones)
        self.nodes = [bone.node() for bone in self.bones]
        self.parents = [
            self.bones[p] if p >= 0 else binding.root for p in binding.parents
        ]
        self.states = binding.states
        self.turn = 0

    def touched(self):
        """Return whether somebody else has touched a bone since it was written.

        Where bones hang is looked up for one bone a frame, in turn.
        """
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

    def write(self, local, touched):
        """Write the bones' rotations; return 0, and write none, when one is none.

        Args:
            local: Rotations in each one's parent, w x y z, 4 n.
            touched: Whether somebody else has touched the bones.
        """
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
