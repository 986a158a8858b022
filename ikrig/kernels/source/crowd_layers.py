# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Layers of a crowd: what changes the pose of each member after its clips.

They run the kernels of an Actor's layers. What these keep from frame to frame, springs
and averages, is in rows of the crowd's arrays.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import cos, sin

    from .buffers import doubles, ints, pin
    from .crowd import CrowdLayer
    from .gaze_look import STATE
    from .matrices import from_rows, square_up
    from .quat_ops import mul

COMPILED = cython.compiled


class CrowdPlaces(CrowdLayer):
    """A layer whose goals are in the space of the crowd; base class.

    Args:
        crowd: The buffers of ``CrowdKernel``, and "unspace": the inverse of "space".
    """

    def __init__(self, crowd):
        super().__init__()
        self._crowd = pin(crowd)
        self.position = doubles(crowd["positions"])
        self.heading = doubles(crowd["headings"])
        self.size = doubles(crowd["scales"])
        self.unspace = doubles(crowd["unspace"])

    def enter(self, i, points, o):
        """Set ``x``, ``y`` and ``z`` to a point in the space of a member's skeleton.

        Args:
            i: The member.
            points: Points in the space of the crowd.
            o: Index of the point.
        """
        p = self.position
        u = points[o] - p[3 * i]
        v = points[o + 1] - p[3 * i + 1]
        w = points[o + 2] - p[3 * i + 2]
        size = 1.0 / self.size[i]
        c = size * cos(self.heading[i])
        s = size * sin(self.heading[i])
        a = u * c + v * s
        b = v * c - u * s
        w *= size
        m = self.unspace
        self.x = a * m[0] + b * m[3] + w * m[6] + m[9]
        self.y = a * m[1] + b * m[4] + w * m[7] + m[10]
        self.z = a * m[2] + b * m[5] + w * m[8] + m[11]


class CrowdLimb(CrowdPlaces):
    """A limb of each member, which reaches for its target.

    The chain's kernel solves in the axes of the skeleton instead of those of the joint
    above: of all its directions only differences count.

    Args:
        crowd: As for ``CrowdPlaces``.
        figure: The pose, a ``PoseKernel``.
        kernel: The ``ChainKernel`` of the chain, with its settings.
        joints: The joints that turn, and the one that reaches; -1: the end of the last
            one's bone.
        above: The joint above the first one; -1: the skeleton.
        keeps: Whether the joint that reaches keeps its rotation without a clip, too.
        goals: "targets", 3 numbers a member; "weights"; "poles", 3 a member, and
            "poled", 1 while they count; "end" of the last bone, 3; "scratch", 17.
    """

    def __init__(self, crowd, figure, kernel, joints, above, keeps, goals):
        super().__init__(crowd)
        self.figure = figure
        self.kernel = kernel
        self._goals = pin({**goals, "joints": joints})
        self.joint = ints(joints)
        self.count = len(joints) - 1
        self.above = above
        self.keeps = keeps
        self.target = doubles(goals["targets"])
        self.weight = doubles(goals["weights"])
        self.pole = doubles(goals["poles"])
        self.poled = ints(goals["poled"])
        self.end = doubles(goals["end"])
        self.turn = doubles(goals["scratch"])
        self.settings_weight = kernel.weight
        self.side_x = kernel.side_x
        self.side_y = kernel.side_y
        self.side_z = kernel.side_z

    def is_sound(self, i):
        """Return whether the goals of a member are finite."""
        total = self.weight[i]
        if total != 0.0:
            for k in range(3 * i, 3 * i + 3):
                total += self.target[k]
                if self.poled[0]:
                    total += self.pole[k]
        # x - x is 0 or no number
        return total - total == 0.0 and (self.next is None or self.next.is_sound(i))

    def apply(self, i, dt):
        """Bring the limb of a member to its target."""
        if self.weight[i] > 0.0:
            self.reach(i, dt)
        if self.next is not None:
            self.next.apply(i, dt)

    def reach(self, i, dt):
        """Bring the limb of a member to its target; it must be finite."""
        net = self.figure.net
        points = self.kernel.points
        n = self.count
        ox = oy = oz = 0.0
        parent = -1
        if self.above >= 0:
            parent = o = self.figure.at(self.above)
            ox = net[o + 9]
            oy = net[o + 10]
            oz = net[o + 11]
        for k in range(n + 1):
            j = self.joint[k]
            if j >= 0:
                o = self.figure.at(j)
                x = net[o + 9]
                y = net[o + 10]
                z = net[o + 11]
            else:
                o = self.figure.at(self.joint[n - 1])
                e = self.end
                x = e[0] * net[o] + e[1] * net[o + 3] + e[2] * net[o + 6] + net[o + 9]
                y = e[0] * net[o + 1] + e[1] * net[o + 4] + e[2] * net[o + 7]
                z = e[0] * net[o + 2] + e[1] * net[o + 5] + e[2] * net[o + 8]
                y += net[o + 10]
                z += net[o + 11]
            points[3 * k] = x - ox
            points[3 * k + 1] = y - oy
            points[3 * k + 2] = z - oz
        if self.kernel.sided:
            self.set_side(parent)
        self.kernel.set_bones()
        # where a pole decides, the side is in the axes of the first bone
        self.kernel.side_x = self.side_x
        self.kernel.side_y = self.side_y
        self.kernel.side_z = self.side_z
        ox += points[0]
        oy += points[1]
        oz += points[2]
        use_pole = self.poled[0]
        px = py = pz = 0.0
        if use_pole:
            self.set_first(self.figure.at(self.joint[0]))
            self.enter(i, self.pole, 3 * i)
            px = self.x - ox
            py = self.y - oy
            pz = self.z - oz
        self.enter(i, self.target, 3 * i)
        x = self.x - ox
        y = self.y - oy
        z = self.z - oz
        # neither infinite nor NaN, and their squares neither
        if not x * x + y * y + z * z + px * px + py * py + pz * pz < 1e300:
            return
        weight = self.weight[i]
        self.kernel.weight = self.settings_weight * (weight if weight < 1.0 else 1.0)
        tip = self.kernel.tip
        tip[0] = 1.0
        tip[1] = tip[2] = tip[3] = 0.0
        use_tip: cython.int = 0
        if self.joint[n] >= 0 and (self.keeps or self.figure.animated):
            use_tip = 1
        self.kernel.aim_bones(x, y, z, use_pole, px, py, pz)
        self.kernel.turn_bones(use_tip)
        if not self.kernel.is_sound():
            return
        self.kernel.limit_step(dt)
        turned = self.kernel.delta_rot
        q = self.turn
        q[0] = 1.0
        q[1] = q[2] = q[3] = 0.0
        for k in range(n + 1):
            j = self.joint[k]
            if j < 0:
                break
            # on top of what the joints above have turned it
            mul(q, 4, turned, 4 * k, q, 0)
            self.figure.turn(j, q[4], q[5], q[6], q[7])
            q[0] = turned[4 * k]
            q[1] = -turned[4 * k + 1]
            q[2] = -turned[4 * k + 2]
            q[3] = -turned[4 * k + 3]

    def set_side(self, o):
        """Turn the side to which straight bones bend into the axes of the skeleton."""
        if o < 0:
            return
        net = self.figure.net
        x = self.side_x
        y = self.side_y
        z = self.side_z
        self.kernel.side_x = x * net[o] + y * net[o + 3] + z * net[o + 6]
        self.kernel.side_y = x * net[o + 1] + y * net[o + 4] + z * net[o + 7]
        self.kernel.side_z = x * net[o + 2] + y * net[o + 5] + z * net[o + 8]

    def set_first(self, o):
        """Set the rotation of the first bone in the start pose, from its net matrix."""
        axes = self.turn
        for k in range(9):
            axes[8 + k] = self.figure.net[o + k]
        square_up(axes, 8)
        from_rows(self.kernel.rest_rot, 0, axes, 8)


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
        super().__init__(crowd)
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
        return total - total == 0.0 and (self.next is None or self.next.is_sound(i))

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
        if self.next is not None:
            self.next.apply(i, dt)


class CrowdLean(CrowdLayer):
    """The spine's part in a gaze, before the limbs.

    Args:
        look: The gaze, a ``CrowdLook``.
    """

    def __init__(self, look):
        super().__init__()
        self.look = look

    def apply(self, i, dt):
        """Turn the spine by what the last frame has found."""
        self.look.lean(i)
        if self.next is not None:
            self.next.apply(i, dt)
