"""Reads and writes an Actor's joints in a frame of IK.

They are in its pose, which the animation sets in every frame: unlike in ``node_frame``,
nothing is compared with the last frame.
"""

import cython

if not cython.compiled:
    from .buffers import doubles, floats, ints, pin
    from .matrices import (
        adjugate,
        compose,
        decompose,
        from_rows,
        read_rows,
        square_up,
    )
    from .node_frame import BonePose, Goal, NodeGoal, place_of
    from .vectors import add3, by_rows, copy, put, rotated, three

# numbers of a goal that a layer writes: position, weight, rotation (w x y z) and
# whether it counts, pole and whether it counts
GOAL = 13
GOAL_WEIGHT = 3
GOAL_TURN = 4
GOAL_TURNED = 8
GOAL_POLE = 9
GOAL_POLED = 12


class ActorPose(BonePose):
    """Reads and writes the bones of a chain or tree in a character's pose.

    Args:
        binding: The binding of the joints, which is told by ``note_uneven``.
        figure: The character's pose, a ``PoseKernel``.
        joints: Index of each bone's joint.
        parents: Index of the joint that each bone is measured from, -1: the skeleton.
            Joints between the two move along.
        matrices: Scratch buffer of 16 numbers in single precision for each bone, in use
            from ``read`` to ``write``, as are the other two.
        animated_trs: Buffer for position 3, rotation 4 (w x y z) and scale 3 of each
            bone in its parent's frame, 10 n.
        local: Buffer for the rotations to write, 4 n, and 21 of scratch.
        even: Relative unevenness of a scale up to which bones are measured correctly.
    """

    def __init__(
        self, binding, figure, joints, parents, matrices, animated_trs, local, even
    ):
        self.binding = binding
        self.figure = figure
        self.n = len(joints)
        self.uneven = False
        # of the bones as they were written, as a multiple of the animated ones
        self.lengthening = 1.0
        self._held = joints, parents, matrices, local
        self.joint = ints(joints)
        self.above = ints(parents)
        self.numbers = floats(matrices)
        self.animated_trs = animated_trs
        self.trs = doubles(animated_trs)
        self.work = doubles(local)
        self.even = even
        # a solver whose start pose is set here, without its ``animate``
        self.solver = None
        self.kernel = None
        self.x = self.y = self.z = 0.0
        self.apart = 0
        for k in range(self.n):
            if self.figure.parent[self.joint[k]] != self.above[k]:
                self.apart = 1

    def read(self):
        """Read this frame's animated pose; return the largest shear, as a fraction."""
        figure = self.figure
        own = figure.pointer
        m = self.numbers
        for k in range(self.n):
            i = 16 * self.joint[k]
            o = 16 * k
            for c in range(16):
                m[o + c] = own[i + c]
            p = figure.parent[self.joint[k]]
            while p != self.above[k]:
                i = 16 * p
                for r in range(o, o + 16, 4):
                    x, y, z = 1.0 * m[r], 1.0 * m[r + 1], 1.0 * m[r + 2]
                    for c in range(3):
                        s = x * own[i + c] + y * own[i + 4 + c] + z * own[i + 8 + c]
                        if r == o + 12:
                            s += own[i + 12 + c]
                        m[r + c] = s
                p = figure.parent[p]
        return decompose(self.n, m, self.trs)

    def pass_rest_pose(self, solver):
        """Pass this frame's animated pose to a solver, as its start pose; return 0.

        Raises:
            ModelError: The joints can't be solved as they are.
        """
        shear = self.read()
        trs = self.trs
        skew: cython.double = -1.0
        if solver is self.solver and self.kernel.swing:
            kernel = self.kernel
            for i in range(10 * self.n):
                kernel.start.local_trs[i] = trs[i]
            try:
                skew = kernel.start.set_from_locals()
            except (ArithmeticError, ValueError):
                # where numbers are not finite machine code continues and Python raises
                skew = -1.0
        if skew < 0.0:
            # the first one, or an error
            skew = solver.animate(self.animated_trs)
            self.solver = None
            direct = getattr(solver, "direct", None)
            if direct is not None:
                self.solver = solver
                self.kernel = direct.kernel
        self.x, self.y, self.z = trs[0], trs[1], trs[2]
        self.lengthening = 1.0
        uneven = shear > self.even or skew > self.even
        if uneven or self.uneven:
            self.uneven = uneven
            self.binding.note_uneven(uneven)
        return 0

    def write(self, local, touched):
        """Write the joints' rotations, as ``BonePose.write`` says."""
        return self.put(local, 1.0)

    def write_joints(self, local, lengthening):
        """Write the joints' rotations, and their positions where bones are stretched.

        Args:
            local: Rotation of each joint in its parent's frame, w x y z, 4 n.
            lengthening: Factor of the positions of all joints but the first.

        Returns:
            1; or 0, with no joint changed, when a number is not finite.
        """
        # a user's solver may return fewer rotations: that is not a pose
        if len(local) < 4 * self.n:
            return 0
        own = self.work
        for i in range(4 * self.n):
            own[i] = local[i]
        return self.put(own, lengthening)

    def put(self, local, lengthening):
        """Write the joints' rotations as ``write_joints`` does."""
        m = self.numbers
        if compose(self.n, m, self.trs, local, lengthening) != 0.0:
            return 0
        if self.apart:
            for k in range(self.n):
                if not self.step_back(k):
                    return 0
        figure = self.figure
        own = figure.pointer
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
        own = figure.pointer
        m = self.numbers
        o = 16 * k
        w = self.work
        e = 4 * self.n
        # from above, the joint next to the bone first
        last = self.above[k]
        while figure.parent[self.joint[k]] != last:
            p = figure.parent[self.joint[k]]
            while figure.parent[p] != last:
                p = figure.parent[p]
            last = p
            i = 16 * p
            for r in range(3):
                for c in range(3):
                    w[e + 3 * r + c] = own[i + 4 * r + c]
            if not invert(w, e):
                return 0
            for r in range(o, o + 16, 4):
                x, y, z = 1.0 * m[r], 1.0 * m[r + 1], 1.0 * m[r + 2]
                if r == o + 12:
                    x, y, z = x - own[i + 12], y - own[i + 13], z - own[i + 14]
                m[r], m[r + 1], m[r + 2] = by_rows(w, e + 12, x, y, z)
        return 1


def invert(w, o):
    """Write the inverse of the axes at ``w[o]`` to ``w[o + 12]``; return 0 for none."""
    size = adjugate(w, o, w, o + 12)
    # neither 0 nor NaN
    if not abs(size) > 1e-300:
        return 0
    for k in range(o + 12, o + 21):
        w[k] /= size
    return 1


def invert_above(figure, above, out):
    """Invert the net matrix of the joint above a chain; return 0 if it has no inverse.

    Args:
        figure: The pose.
        above: Index of the joint; -1: the skeleton itself.
        out: Buffer of 33: the matrix is the 12 numbers from the 12th on, the inverse of
            its axes the last 9.
    """
    if above >= 0:
        copy(out, 12, figure.net, figure.at(above), 12)
    else:
        for i in range(12, 24):
            out[i] = 0.0
        out[12] = out[16] = out[20] = 1.0
    return invert(out, 12)


def to_root(frames, x, y, z):
    """Return a point of the skeleton's space in root space.

    Args:
        frames: The buffer of ``invert_above``.
        x, y, z: The point.
    """
    return by_rows(frames, 24, x - frames[21], y - frames[22], z - frames[23])


class PoseGoal(Goal):
    """Reads a goal that another layer has written as numbers, in the skeleton's space.

    Args:
        binding: The binding of the joints, as for ``ActorGoal``.
        effector: The effector, with ``orientation_mode``.
        numbers: Buffer of goals, ``GOAL`` numbers each.
        k: Index of the goal.
        rotations: As for ``ActorGoal``.
    """

    def __init__(self, binding, effector, numbers, k, rotations):
        super().__init__(binding, effector)
        self.figure = binding.figure
        self.above = binding.above
        self.animated = effector.orientation_mode == "animation"
        self.was_animated = False
        self.weighs = True
        self._held = pin((numbers,)), rotations
        self.leaf = -1
        if rotations is not None:
            self.rotations = doubles(rotations)
            self.leaf = len(rotations) - 4
        if not cython.compiled:
            self.frames = [0.0] * (33 + GOAL)
        self.numbers = doubles(numbers)
        self.first = GOAL * k

    def read(self):
        """Read goal and pole; return True: they always count as changed.

        Raises:
            BindError: The joint above the first one has no space, as by scale 0.
        """
        own = self.numbers
        frames = self.frames
        g = self.first
        for i in range(GOAL):
            frames[33 + i] = own[g + i]
        self.was_animated = self.figure.animated
        if not invert_above(self.figure, self.above, frames):
            # reports it
            self.binding.read_target(self.effector)
        x, y, z = three(own, g)
        self.gx, self.gy, self.gz = to_root(frames, x, y, z)
        self.add_lead()
        self.weight = own[g + GOAL_WEIGHT]
        self.use_pole = own[g + GOAL_POLED] > 0.0
        if self.use_pole:
            x, y, z = three(own, g + GOAL_POLE)
            self.px, self.py, self.pz = to_root(frames, x, y, z)
        self.use_tip = False
        if own[g + GOAL_TURNED] > 0.0:
            self.set_tip_rotation()
            self.use_tip = True
        elif self.animated and (self.figure.animated or not self.is_hand()):
            self.tw = 1.0
            self.tx = self.ty = self.tz = 0.0
            self.use_tip = True
        return True

    def rests(self):
        """Return whether the numbers are those that were read last."""
        for i in range(GOAL):
            if self.numbers[self.first + i] != self.frames[33 + i]:
                return False
        return self.was_animated == self.figure.animated

    def set_tip_rotation(self):
        """Set the rotation from the animated one to that of the goal."""
        own = self.numbers
        frames = self.frames
        g = self.first
        # its axes in root space, from 0 on
        for i in range(3):
            a = 1.0 if i == 0 else 0.0
            b = 1.0 if i == 1 else 0.0
            c = 1.0 if i == 2 else 0.0
            a, b, c = rotated(own, g + GOAL_TURN, a, b, c)
            a, b, c = by_rows(frames, 24, a, b, c)
            put(frames, 3 * i, a, b, c)
        square_up(frames, 0)
        # the numbers of the matrix above are not needed any more
        from_rows(frames, 12, frames, 0)
        self.tw = frames[12]
        self.tx, self.ty, self.tz = three(frames, 13)
        if self.leaf >= 0:
            self.turn_back(self.rotations, self.leaf)


class Beside:
    """The space beside an Actor, where most targets are, seen from its skeleton.

    For a NodePath, Panda3D composes states that it looks up and caches; where an Actor
    walks, it does so anew for every target. This composes them once a frame.

    Args:
        space: The node of the skeleton's space.
        matrix: As for ``NodeGoal``.
    """

    def __init__(self, space, matrix):
        self.space = space
        self.matrix = matrix[0]
        self._held = matrix[1]
        self.numbers = floats(matrix[1])
        # axes and origin of the space beside
        if not cython.compiled:
            self.rows = [0.0] * 12
        self.parent = self.state = None
        self.stamp = -1

    def look(self, actor):
        """Look up where the space above an Actor is in this frame; return 0."""
        parent = actor.parent
        state = None
        # an Actor at the top has none
        if parent is not None and not parent.is_empty():
            state = parent.get_transform(self.space)
        self.parent = parent
        if state is None or state.is_invalid():
            self.parent = self.state = None
        elif self.state is None or state != self.state:
            self.state = state
            self.stamp += 1
            self.matrix[0] = state.mat
            read_rows(self.rows, 0, self.numbers, 0)
        return 0


class ActorGoal(NodeGoal):
    """Reads a goal in the space above the first joint, which the animation moves.

    For a relative transform a NodePath composes states and caches the results. Where
    states change every frame, multiplying a few matrices is much cheaper: the target
    is read in a space that the animation does not move, and converted to root space
    here.

    Args:
        binding: The binding of the joints, as for ``NodeGoal``; the animation does not
            move its ``space``, and ``above`` is the index of the first joint's parent
            in ``figure``.
        effector: The effector.
        target: As for ``NodeGoal``.
        pole: As for ``NodeGoal``.
        matrix: As for ``NodeGoal``.
        rotations: Buffer of the joints' animated rotations, w x y z, root space, the
            effector's last. None: ``binding`` reads goals with a rotation.
    """

    def __init__(self, binding, effector, target, pole, matrix, rotations):
        super().__init__(binding, effector, target, pole, matrix)
        self.figure = binding.figure
        self.above = binding.above
        mode = effector.orientation_mode
        self.animated = mode == "animation"
        self.was_animated = False
        self.reads_by_binding = mode == "normal" or (
            self.has_rotation and rotations is None
        )
        self._held = rotations
        self.leaf = 0
        if rotations is not None:
            self.rotations = doubles(rotations)
            self.leaf = len(rotations) - 4
        # rows of the target's matrix, of the product of those above, of its inverse
        if not cython.compiled:
            self.frames = [0.0] * 33
        self.beside = binding.beside
        # where the target is and where it was read: the stamp of ``beside``, or -1
        self.place = self.stamp = -1

    def read(self):
        """Read target and pole; return True: they always count as changed.

        Raises:
            BindError: One of them can't be read.
        """
        clear = invert_above(self.figure, self.above, self.frames)
        self.note_offset()
        if self.animated:
            self.was_animated = self.figure.animated
        if self.reads_by_binding or not (clear and self.read_target()):
            self.read_by_binding()
        self.add_lead()
        if self.use_pole:
            state = self.pole.read() if clear else None
            self.pole.state = state
            if state is None:
                self.px, self.py, self.pz = self.binding.read_pole(self.effector.pole)
            else:
                x, y, z = place_of(state)
                self.px, self.py, self.pz = to_root(self.frames, x, y, z)
        return True

    def rests(self):
        """Return whether target, pole and offset are those that were read last."""
        target = self.target
        if (
            self.reads_by_binding
            or target.state is None
            or self.read_state() != target.state
            or self.place != self.stamp
            or not self.offset_stays()
        ):
            return False
        if self.animated and self.was_animated != self.figure.animated:
            return False
        return not self.use_pole or (
            self.pole.state is not None and self.pole.read() == self.pole.state
        )

    def check(self):
        """Return 0: ``read`` has already rejected a target below the joints."""
        return 0

    def read_state(self):
        """Return the target's transform, beside the Actor or in its skeleton's space.

        Returns:
            The ``TransformState``; None for a node outside the scene.
        """
        target = self.target
        beside = self.beside
        if (
            beside.parent is not None
            and target.node is not None
            and target.path.parent == beside.parent
        ):
            self.place = beside.stamp
            return target.node.transform
        self.place = -1
        return target.read()

    def read_target(self):
        """Read the goal; return False when the binding has to read it instead."""
        target = self.target
        state = self.read_state()
        if state is None or (self.place < 0 and self.first.is_ancestor_of(target.path)):
            return False
        frames = self.frames
        m = self.numbers
        if target.state is None or state != target.state or self.place != self.stamp:
            target.state = None
            if state.is_invalid():
                return False
            self.matrix[0] = state.mat
            read_rows(frames, 0, m, 0)
            if self.place >= 0:
                rows = self.beside.rows
                for i in range(0, 12, 3):
                    x, y, z = three(frames, i)
                    x, y, z = by_rows(rows, 0, x, y, z)
                    put(frames, i, x, y, z)
                add3(frames, 9, rows, 9)
            target.state = state
            self.stamp = self.place
        if self.has_rotation and not self.set_tip_rotation():
            return False
        x, y, z = three(frames, 9)
        self.gx, self.gy, self.gz = to_root(frames, x, y, z)
        self.use_tip = self.has_rotation or (
            self.animated and (self.figure.animated or not self.is_hand())
        )
        return True

    def set_tip_rotation(self):
        """Set the tip's rotation from the target's; return 0 if it is ambiguous."""
        frames = self.frames
        m = self.numbers
        for i in range(3):
            x, y, z = three(frames, 3 * i)
            m[4 * i], m[4 * i + 1], m[4 * i + 2] = by_rows(frames, 24, x, y, z)
        shear = decompose(1, m, self.trs)
        if self.binding.uneven or not self.is_plain(shear):
            return 0
        self.set_rotation_since_bound()
        self.turn_back(self.rotations, self.leaf)
        return 1
