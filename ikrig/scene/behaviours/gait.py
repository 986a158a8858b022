"""Gait: spiders, robots and other legged things walk without a clip."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees, isfinite, radians
from typing import Any

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...character.gait import Hip, Spot, Steps, tilt_of
from ...copies import Uncopied
from ...errors import BindError, SettingError, shown
from ...math3d.timestep import sound_dt
from ...value_shapes import Items, Number, checked
from ..checked_setting import Checked, fraction, node_in_scene, number
from ..ik.chain import IKChain
from ..ik.effector import Effector
from ..ik.phase import Phase
from ..ik.system import Startable
from .ground import make_ground, mat_of

HUGE = 1e15
"""Height from which on there is no ground."""
JUMP = 1.0
"""A body that moves this far in a frame is put there: no walk [leg lengths]."""
_GROUPS = Items("a list of whole numbers from 0", Number("", 0, 63, whole=True))


def _lift(value: object, what: str) -> float:
    return number(value, what, 0.0, 2.0)


class Gait(Startable, Uncopied):
    """Legs step under a body that your code moves: any number of them, no clip.

        gait = ikrig.Gait(spider, legs, base.render, body=hull).start()
        spider.set_y(spider, 0.5 * dt)  # each frame, as you like

    Feet stand until their group's turn comes, then step to where the body will be:
    beside edges rather than on them, over what is in between. A foot in the air follows
    where the body will be, and steps faster while others fall behind: when it starts,
    stops or turns. The body's node rises, tilts and leans with its feet, and comes down
    as far as chains below it need for their strides; its front is +y.

    A step takes 0.21 to 0.37 s times the root of the leg's length in metres: long legs
    step slowly. Legs beyond 0.15 to 2 m step as these do, so that a scene may be in
    centimetres.

    Args:
        mover: The node that your code moves and turns, at the height of the ground. A
            jump of more than a leg puts the feet there at once.
        feet: For each leg its chain, an effector of a tree, or the node that it reaches
            for. How they stand when this is made is how they stand below the body.
        ground: As for ``FootPlacement``: a node with collision geometry, a
            ``Heightfield``, a ``BulletWorld`` or a function of x and y.
        body: A node below ``mover`` that follows the feet. Default: none.
        groups: A number for each leg, from 0: legs of a group step together, and groups
            in turn. Default: left and right in turn for two legs, diagonals for four,
            tripods for six.
        leg: Length of a leg [scene unit]. Default: of the chains, or the height of the
            body above the feet.
        stride: Way of the body while each foot steps once [leg lengths].
        lift: Height of a step on flat ground [leg lengths].
        tilt: Part of the ground's slope that the body takes, along and across where its
            feet stand far apart.
        sway: Part of the way to the middle of the standing feet that the body leans.
        mask: Collision mask of the ground.

    Raises:
        BindError: There are no legs, or something is not a node.
        SettingError: A value is out of range.
    """

    tilt: Checked[float] = Checked(fraction)
    lift: Checked[float] = Checked(_lift)

    def __init__(
        self,
        mover: p3d.NodePath,
        feet: Sequence[IKChain | Effector | p3d.NodePath],
        ground: object,
        *,
        body: p3d.NodePath | None = None,
        groups: Sequence[int] | None = None,
        leg: float | None = None,
        stride: float | None = None,
        lift: float = 0.1,
        tilt: float = 0.85,
        sway: float = 0.12,
        mask: p3d.BitMask32 | None = None,
    ) -> None:
        self._system = None
        self.phase = Phase.BODY
        self._mover = p3d.NodePath(node_in_scene(mover, "mover"))
        self._top = self._mover.get_top()
        self._body = None if body is None else p3d.NodePath(node_in_scene(body, "body"))
        if not isinstance(feet, Sequence) or not feet:
            raise BindError(
                f"feet must be a list of chains or nodes, not {shown(feet)}"
            )
        found = [_target(foot) for foot in feet]
        self._feet = [p3d.NodePath(node) for node, _ in found]
        self.tilt, self.lift = tilt, lift
        for node in (self._mover, *self._feet):
            if not isfinite(sum(node.get_mat(self._top).get_row3(3))):
                raise BindError(f"{node} has no finite place: set another one")
        homes = [_xyz(node.get_pos(self._mover)) for node in self._feet]
        self._turns = [node.get_quat(self._mover) for node in self._feet]
        self._rest = p3d.TransformState.make_identity()
        if self._body is not None:
            self._rest = self._body.get_transform(self._mover)
        lengths = [length for _, length in found if length]
        if leg is None and lengths:
            leg = max(lengths)
        elif leg is None:
            leg = max(1e-6, self._rest.get_pos().z - min(home[2] for home in homes))
        self.leg = number(leg, "leg", 1e-6)
        """Length of a leg, the measure of distances [scene unit]."""
        if groups is not None:
            groups = checked(_GROUPS, groups, "groups", SettingError)
            if len(groups) != len(homes) or set(groups) != set(range(max(groups) + 1)):
                raise SettingError(
                    f"groups must be a number from 0 on for each of {len(homes)} legs, "
                    f"with none left out, not {shown(groups)}"
                )
        self._ground = make_ground(
            ground, p3d.BitMask32.all_on() if mask is None else mask
        )
        self._kernel: Any = None
        self._reach = 4.0 * self.leg
        self._last_error = ""
        self._shown: list[p3d.TransformState] = []
        self._below: list[p3d.LVecBase3f | None] = [None] * len(homes)
        self._begin()
        self.steps = Steps(
            homes,
            self._probe,
            self.leg,
            groups=groups,
            stride=None if stride is None else number(stride, "stride", 0.01, 10.0),
            lift=lift,
            sway=fraction(sway, "sway"),
            hips=[self._hip_of(*pair) for pair in zip(feet, homes, strict=True)],
        )
        """The steps, for those who want more than nodes."""
        self.reset()

    def reset(self) -> None:
        """Put all feet below the body at once, as after a cut."""
        self._begin()
        place, heading = self._place()
        self.steps.place(*place, heading)
        self._show()

    @property
    def patience(self) -> float:
        """Part of its speed that the body should have; below 1 feet lag behind."""
        return self.steps.patience

    @property
    def standing(self) -> list[bool]:
        """Whether each foot stands."""
        return [foot.air >= 1.0 for foot in self.steps.feet]

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes that it reads."""
        return [self._mover]

    def writes(self) -> list[p3d.NodePath]:
        """Return the nodes that it moves."""
        return [*self._feet, *([] if self._body is None else [self._body])]

    def update(self, dt: float) -> None:
        """Step for a frame of dt seconds. Never raises."""
        if self._mover.is_empty() or any(foot.is_empty() for foot in self._feet):
            self.stop()
            return
        dt = sound_dt(dt)
        try:
            self._begin()
        except BindError as error:
            self._report(str(error))
            return
        (x, y, z), heading = self._place()
        steps = self.steps
        if not isfinite(x + y + z + heading):
            return
        carried = self._carry()
        far = max(abs(x - steps.x), abs(y - steps.y), abs(z - steps.z))
        if far > JUMP * self.leg:
            steps.place(x, y, z, heading)
        else:
            steps.lift, steps.tilt = self.lift, self.tilt
            steps.update(dt, x, y, z, heading, carried)
        self._show()

    def _hip_of(self, foot: object, home: tuple[float, float, float]) -> Hip | None:
        """Return where a leg begins for whose strides the body is to come down."""
        if self._body is None or not isinstance(foot, IKChain):
            return None
        hip = foot.bones[0]
        if not self._body.is_ancestor_of(hip):
            return None
        place = hip.get_pos(self._mover)
        x, y, z = place - p3d.LPoint3f(*home)
        arm = _xyz(p3d.LPoint3f(place - self._rest.get_pos()))
        return Hip((x, y, z), _target(foot)[1], arm) if isfinite(x + y + z) else None

    def _begin(self) -> None:
        """Find the top node and the ground of this frame."""
        self._top = self._mover.get_top()
        ground = self._ground
        self._kernel = ground.begin(self._mover, self.leg, 2.0 * self._reach)
        self._report(ground.error)

    def _report(self, error: str) -> None:
        """Log an error, unless that of the frame before is the same."""
        if error and error != self._last_error:
            directNotify.newCategory("ikrig").warning(f"{self}: {error}")
        self._last_error = error

    def _place(self) -> tuple[tuple[float, float, float], float]:
        x, y, z = self._mover.get_pos(self._top)
        return (x, y, z), radians(self._mover.get_h(self._top))

    def _probe(self, x: float, y: float) -> tuple[float, int] | None:
        top = self._mover.get_z(self._top) + self._reach
        kernel = self._kernel
        if kernel.find_ground(x, y, top) and abs(kernel.height) < HUGE:
            return kernel.height, kernel.owner
        return None

    def _carry(self) -> tuple[float, float]:
        """Take in feet that were dragged; move those on what moves, return how far."""
        top = self._top
        u = v = 0.0
        for k, foot in enumerate(self.steps.feet):
            node, below = self._feet[k], self._below[k]
            # what it hangs below may move; it was dragged if it moved itself
            dragged = foot.air >= 1.0 and node.get_transform() != self._shown[k]
            here = node.get_pos(top) if dragged else None
            if here is not None and not here.is_nan():
                x, y, z = here
                foot.stand(Spot((x, y, z - foot.home[2]), -1, foot.heading))
            elif below is not None:
                mat = mat_of(self._ground.mats, foot.goal.owner)
                if mat is not None:
                    before = foot.goal.point
                    x, y, z = mat.xform_point(below)
                    if not isfinite(x + y + z):
                        continue
                    foot.carry((x, y, z))
                    u += (x - before[0]) / len(self._feet)
                    v += (y - before[1]) / len(self._feet)
        return u, v

    def _show(self) -> None:
        """Move body and feet to where they are now."""
        top, steps = self._top, self.steps
        turn = p3d.LQuaternionf()
        if self._body is not None:
            # first, because targets may hang below it
            axis, angle = tilt_of(steps.slope, self.tilt)
            turn.set_from_axis_angle(degrees(angle), p3d.LVector3f(*axis))
            x, y, z = self._rest.get_pos()
            (u, v), z = steps.lean, z + steps.height - self._mover.get_z(top)
            place = p3d.LPoint3f(x + u, y + v, z)
            self._body.set_pos_quat(self._mover, place, self._rest.get_quat() * turn)
        self._shown.clear()
        for k, foot in enumerate(steps.feet):
            x, y, z = foot.point
            node = self._feet[k]
            turn.set_from_axis_angle(degrees(foot.heading), p3d.LVector3f.up())
            place = p3d.LPoint3f(x, y, z + foot.home[2])
            node.set_pos_quat(top, place, self._turns[k] * turn)
            self._shown.append(node.get_transform())
            self._below[k] = None
            mat = mat_of(self._ground.mats, foot.goal.owner)
            if mat is not None:
                back = p3d.LMatrix4f(mat)
                if back.invert_in_place():
                    self._below[k] = back.xform_point(p3d.LPoint3f(*foot.goal.point))


def _xyz(point: p3d.LPoint3f) -> tuple[float, float, float]:
    return point.x, point.y, point.z


def _target(foot: object) -> tuple[p3d.NodePath, float]:
    """Return the node that a leg reaches for, and the leg's length, 0: unknown."""
    if isinstance(foot, IKChain | Effector):
        node = foot.target
        if not isinstance(node, p3d.NodePath):
            raise BindError(f"{foot!r} has no node as target")
        if isinstance(foot, IKChain):
            places = [bone.get_pos(node.get_top()) for bone in foot.bones]
            pairs = zip(places[1:], places[:-1], strict=True)
            return node, float(sum((a - b).length() for a, b in pairs))
        return node, 0.0
    return node_in_scene(foot, "feet"), 0.0
