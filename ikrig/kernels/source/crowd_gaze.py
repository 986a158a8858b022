"""Gazes of a crowd, which change the pose of each member after its clips.

They run the kernel of an Actor's gaze. What it keeps from frame to frame, springs and
averages, is in rows of the crowd's arrays.
"""

import cython

if not cython.compiled:
    from .buffers import doubles, ints, pin
    from .crowd import LOOK, CrowdLayer
    from .crowd_layers import CrowdPlaces
    from .gaze_look import STATE
    from .matrices import adjugate
    from .pose import AHEAD
    from .vectors import by_rows, moved


class CrowdCarry(CrowdLayer):
    """Joints beside a head that move along with it, such as a jaw.

    Two layers of each are needed, before and after those that turn the head.

    Args:
        figure: The pose, a ``PoseKernel``.
        joints: The joints, all with one parent.
        path: The joints from the carrying one up to a child of that parent.
        scratch: Buffer of 33, which the two share.
        last: Whether it is the one after.
    """

    def __init__(self, figure, joints, path, scratch, last):
        super().__init__(LOOK)
        self.figure = figure
        self._pinned = pin((joints, path, scratch))
        self.joint = ints(joints)
        self.count = len(joints)
        self.path = ints(path)
        self.length = len(path)
        self.work = doubles(scratch)
        self.last = last

    def apply(self, i, dt):
        """Note where the carrying joint is, or move the joints as it has moved."""
        if self.last:
            self.follow()
        else:
            self.compose(0)

    def compose(self, o):
        """Write the carrying joint's matrix in the parent's space, in rows of 3."""
        net = self.work
        mats = self.figure.pointer
        for k in range(12):
            net[o + k] = 1.0 if k == 0 or k == 4 or k == 8 else 0.0
        for t in range(self.length):
            if self.figure.mark[self.path[t]] == AHEAD:
                self.figure.catch_up(self.path[t])
            m = 16 * self.path[t]
            for r in range(4):
                x = net[o + 3 * r]
                y = net[o + 3 * r + 1]
                z = net[o + 3 * r + 2]
                for c in range(3):
                    net[o + 3 * r + c] = (
                        x * mats[m + c] + y * mats[m + 4 + c] + z * mats[m + 8 + c]
                    )
                    if r == 3:
                        net[o + 9 + c] += mats[m + 12 + c]

    def follow(self):
        """Move the joints as the carrying joint has moved since."""
        work = self.work
        mats = self.figure.pointer
        self.compose(12)
        size = adjugate(work, 0, work, 24)
        if not (size > 1e-300 or size < -1e-300):
            return
        for t in range(self.count):
            m = 16 * self.joint[t]
            for r in range(4):
                x, y, z = 1.0 * mats[m], 1.0 * mats[m + 1], 1.0 * mats[m + 2]
                if r == 3:
                    x, y, z = x - work[9], y - work[10], z - work[11]
                x, y, z = by_rows(work, 24, x, y, z)
                x, y, z = x / size, y / size, z / size
                if r == 3:
                    x, y, z = moved(work, 12, x, y, z)
                else:
                    x, y, z = by_rows(work, 12, x, y, z)
                mats[m], mats[m + 1], mats[m + 2] = x, y, z
                m += 4
            self.figure.spoil(self.joint[t])


class CrowdLook(CrowdPlaces):
    """The gaze of each member, which turns to its target.

    Args:
        crowd: As for ``CrowdPlaces``.
        kernel: The ``LookKernel`` of the pose, with its limits.
        goals: "targets", 3 numbers a member; "weights"; "states", ``STATE`` and 1 a
            member, the last is 1 where the weight was 0 in the last frame; "times":
            time of a small turn [s], maximum speed [rad/s].
    """

    def __init__(self, crowd, kernel, goals):
        super().__init__(LOOK, crowd)
        self.kernel = kernel
        self._goals = pin(goals)
        self.target = doubles(goals["targets"])
        self.weight = doubles(goals["weights"])
        self.state = doubles(goals["states"])
        self.seconds = goals["times"][0]
        self.speed = goals["times"][1]

    def is_sound(self, i):
        """Return whether the goals of a member are finite."""
        total = self.weight[i]
        if total != 0.0:
            for k in range(3 * i, 3 * i + 3):
                total += self.target[k]
        # x - x is 0 or no number
        return total - total == 0.0

    def lean(self, i):
        """Turn the spine, before the limbs."""
        if self.weight[i] > 0.0:
            o: cython.long = i
            o *= STATE + 1
            self.kernel.load(self.state, o)
            self.kernel.turn_spine(self.weight[i])

    def apply(self, i, dt):
        """Turn neck, head and eyes."""
        o: cython.long = i
        o *= STATE + 1
        weight = self.weight[i]
        if weight > 0.0:
            self.enter(i, self.target, 3 * i)
            self.kernel.look(
                self.x,
                self.y,
                self.z,
                True,
                self.seconds,
                self.speed,
                weight if weight < 1.0 else 1.0,
                self.state[o + STATE] > 0.0,
                dt,
            )
            self.kernel.store(self.state, o)
            self.state[o + STATE] = 0.0
        elif self.state[o + STATE] == 0.0:
            for k in range(STATE):
                self.state[o + k] = 0.0
            self.state[o + STATE] = 1.0


class CrowdLean(CrowdLayer):
    """The spine's part in a gaze, before the limbs.

    Args:
        look: The gaze, a ``CrowdLook``.
    """

    def __init__(self, look):
        super().__init__(LOOK)
        self.look = look

    def apply(self, i, dt):
        """Turn the spine by what the last frame has found."""
        self.look.lean(i)
