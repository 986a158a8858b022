"""Touch: a hand finds walls, rails and tables by itself, and slides along them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import exp, pi, sin
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import panda3d.core as p3d

from ...errors import BindError, SettingError, shown
from ...formats.rig_file.sections import COMMON, FRACTION, PLUS
from ...kernels import buffer, zeros
from ...kernels.hand import gaps
from ...math3d.quaternion import Floats
from ...model.hand_poses import HAND_POSES
from ...records import Field, Record
from ...value_shapes import JOINT, NODE, Numbers, Word, checked
from ..actor.actor_figure import hand_named, limbs_of, rest_place, rest_transform
from ..checked_setting import Checked, fraction, node_in_scene, number
from ..ik.node_transforms import rotation_in
from .behaviour import Behaviour
from .grasp_shapes import BOX, CAPSULE, LARGEST, TRIANGLE, shapes_of
from .hold import quat_of
from .reach import Reach

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

SIDES = ("own", "any")
AHEAD, ASIDE, BELOW = 0.25, 0.15, 0.4
"""Where a hand looks for things, from the shoulder / length of the arm."""
KEPT = 1.08
"""How much farther a thing may be that is touched already."""
LIFT = 0.8
"""How far from the surface a hand comes and leaves / length of the palm."""
THIN = 0.5
"""Radius of a bar up to which fingers close around it / length of the palm."""
BULGE = 0.05
"""Most by which the palm's skin keeps its middle away / length of the palm."""
RISE = 0.5
"""How far fingers on a wall point up, as a slope."""
TURN = 0.08
"""Time in which the hand turns with the surface [s]."""
STEP_LIFT = 0.4
"""How far a hand that steps is off the surface on its way / length of the palm."""
STEP_TIME = 0.75
"""Time that it takes for that / ``seconds``."""
SLIDE, NEAR = 0.06, 0.07
"""Time in which it slides past a corner [s], and from where / length of the arm."""
_RANGE = Numbers("two heights, the lower first", 2)
_SIDE = Word(SIDES)


class Touch(Reach):
    """Let a hand find things within reach, and slide along them.

        touch = ikrig.Touch(rig, "right_hand", corridor)

    While a wall, a rail or a table is near, at the side of the hand and within the
    range of heights, the palm comes to it along its normal and slides along while the
    Actor walks, with the fingers flat, or closed around a bar. Then it returns to the
    animation. With a ``step`` it rests on a place instead, until that is behind, and
    moves on to the next. ``thing`` is the ground while it touches; ``messenger`` gets
    "ikrig-touched" and "ikrig-left".

    Args:
        rig: The Actor's rig.
        hand: Joint of the hand, or its limb: "right_hand".
        ground: Node with what may be touched: its collision solids, or else what is
            drawn. It may move as a whole; call ``look_again`` when its parts did.
        reach: How far the wrist may be from the shoulder / length of the arm.
        height: Lowest and highest point of touch above the Actor's origin [unit of the
            Actor]. None: from the hips to a little above the shoulders.
        probability: How often a thing that comes near is touched, 0 to 1.
        side: "own": at the side of the hand only; "any": also in front of the other.
        step: Distance of the places where it rests on walls and tables / length of the
            arm. 0: it slides.
        seconds: Time to come, and to leave [s].
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, LIMBS.
        settings: Settings of ``chain``, as for ``ActorRig.chain``.

    Raises:
        BindError: The joint is unknown, or the ground is not in the scene or empty.
        SettingError: A setting is out of range.
    """

    kind = "touch"
    record = Record(
        "touch",
        "A hand finds walls, rails and tables, and slides along them.",
        {
            "hand": Field(JOINT, "The joint of the hand.", True),
            "ground": Field(NODE, "The node with what may be touched."),
            "reach": Field(
                PLUS, "Distance up to which it touches, in lengths of the arm."
            ),
            "height": Field(_RANGE, "Lowest and highest point of touch."),
            "probability": Field(FRACTION, "How often a near thing is touched."),
            "side": Field(_SIDE, "Where things are: at its own side, or any."),
            "step": Field(
                PLUS, "Distance of places where it rests, in lengths of the arm."
            ),
            "seconds": Field(PLUS, "Time to come, and to leave, in seconds."),
            **COMMON,
        },
    )
    _entries = Behaviour._entries
    reach = Checked(number)
    """How far the wrist may be from the shoulder / length of the arm."""
    probability = Checked(fraction)
    """How often a thing that comes near is touched, 0 to 1."""
    step = Checked(number)
    """Distance of the places where it rests / length of the arm. 0: it slides."""

    def __init__(
        self,
        rig: ActorRig,
        hand: str,
        ground: p3d.NodePath,
        *,
        reach: float = 0.95,
        height: Sequence[float] | None = None,
        probability: float = 1.0,
        side: str = "own",
        step: float = 0.0,
        seconds: float = 0.4,
        weight: float = 1.0,
        order: float = 0,
        **settings: Any,
    ) -> None:
        self.ground = node_in_scene(ground, "ground")
        """The node with what may be touched."""
        self.reach, self.probability, self.step = reach, probability, step
        self.height = height
        self.side = checked(_SIDE, side, "side", SettingError)
        """Where things are: "own" or "any"."""
        super().__init__(
            rig, hand, seconds=seconds, orientation_mode="target", weight=weight,
            order=order, **settings,
        )  # fmt: skip
        # moves with the ground, but is not scaled as it may be
        self._still = self.ground.attach_new_node(f"{hand} Touch")
        self._still.set_scale(self.ground.get_top(), 1.0)
        try:
            self._measure(hand)
        except BindError:
            self.remove()
            raise

    def _measure(self, hand: str) -> None:
        rig = self.rig
        skeleton = self._skeleton
        found = self._found = hand_named(skeleton, hand)
        self._fingers = rig.hand(hand) if found.fingers else None
        self._node = self._still.attach_new_node("palm")
        joint = rest_transform(skeleton, found.joint)
        joint.invert_in_place()
        normal = _way(joint, found.normal)
        side_way = _way(joint, found.thumb_side)
        self._sense = 1.0
        own = self._frame_of(normal, thumb=side_way)
        ahead = _way(joint, found.forward)
        if float(own[:, 1] @ ahead) < 0.0:
            self._sense = -1.0
            own = self._frame_of(normal, thumb=side_way)
        self._own = own
        self._centre = np.array(tuple(joint.xform_point(p3d.LPoint3f(*found.centre))))
        stand = [np.subtract(x, found.centre) @ found.normal for x in found.palm]
        self._bulge = min(max([0.0, *map(float, stand)]), BULGE * found.length)
        places = [rest_place(skeleton, node) for node in self.chain._binding.nodes]
        self._arm_length = sum(
            float(np.linalg.norm(b - a)) for a, b in pairwise(places)
        )
        at = places[0]
        self._forward = np.array(limbs_of(skeleton).forward, float)
        left = np.cross((0.0, 0.0, 1.0), self._forward)
        top = next(iter(skeleton.joints))
        middle = rest_place(skeleton, skeleton.own_node(top))
        self._out = left if float((at - middle) @ left) > 0.0 else -left
        self._shoulder = at
        self._random = Random(1)
        self._refused = False
        self._normal: Floats | None = None
        self._axis: Floats | None = None
        self._slid: Floats | None = None
        """Where it touches, in the Actor's space."""
        self._rests: tuple[Floats, Floats] | None = None
        """Where it rests or rested last, and the normal, in the ground's space."""
        self._stepping = 0.0
        """Time for which it has been on its way to the next place [s]."""
        self._closed = False
        self.look_again()

    def __repr__(self) -> str:
        return f"<Touch {self.rig._title} {self._hand} {self.ground}>"

    @property
    def height(self) -> tuple[float, float] | None:
        """Lowest and highest point of touch above the Actor's origin, or None."""
        return self._height

    @height.setter
    def height(self, height: Sequence[float] | None) -> None:
        if height is not None:
            low, high = checked(_RANGE, height, "height", SettingError)
            if low > high:
                text = f"height must be {_RANGE.words}, not {shown(height)}"
                raise SettingError(text)
            height = low, high
        self._height = height

    @property
    def thing(self) -> p3d.NodePath | None:
        """The ground while the hand touches it or comes to it, else None."""
        return None if self.target is None else self.ground

    def look_again(self) -> None:
        """Read the shapes of the ground again, after its parts have moved.

        Raises:
            BindError: It has neither collision solids nor geometry.
        """
        shapes, count = shapes_of(self.ground, self._still, (0, 0, 0), 1e30, 10**9)
        rows = np.array(shapes).reshape(-1, 16)[:count]
        self._rows = rows
        centre, size = np.zeros((count, 3)), np.full(count, np.inf)
        for k, row in enumerate(rows):
            kind = int(row[0])
            if kind == TRIANGLE:
                corners = row[1:10].reshape(3, 3)
            elif kind == CAPSULE:
                corners = row[1:7].reshape(2, 3)
            elif kind < TRIANGLE:
                corners = row[1:4][None]
            else:
                # a plane is everywhere
                continue
            centre[k] = corners.mean(axis=0)
            size[k] = np.linalg.norm(corners - centre[k], axis=1).max()
            size[k] += {CAPSULE: row[7], BOX: float(np.linalg.norm(row[13:16]))}.get(
                kind, row[4] if kind == 0 else 0.0
            )
        self._centres, self._sizes = centre, size
        self._looked: Floats | None = None

    def grab(self, *_: object, **__: object) -> None:
        """Raise an error: a ``Reach`` grabs things.

        Raises:
            BindError: Always.
        """
        raise BindError("a Touch grabs nothing: grab by a Reach for the same hand")

    def remove(self) -> None:
        """Remove it from its rig."""
        super().remove()
        self._still.remove_node()

    def _frame(self, dt: float) -> None:
        touching = self.target is not None
        place = self._find(dt)
        if place is None:
            self._refused = False
        elif not touching and not self._refused:
            self._refused = self._random.random() >= self.probability
        if self._refused:
            place = None
        if place is not None:
            point, normal, axis = place
            if self.step > 0.0 and axis is None:
                point, normal = self._stepped(point, normal, dt)
            else:
                self._rests = None
            self._follow(point, normal, axis, dt)
            if not touching:
                self.target = self._node
                self._closed = False
                self._send("ikrig-touched", self.ground)
                if self._fingers is not None:
                    self._fingers._take(HAND_POSES["flat"], self.seconds)
            elif place[2] is not None and not self._closed:
                self._close()
        elif touching:
            self._send("ikrig-left", self.ground)
            self.target = None
            self._normal = self._slid = self._rests = None
            if self._fingers is not None:
                self._fingers.release(self.seconds)
        super()._frame(dt)

    def _close(self) -> None:
        """Close the fingers around a bar when the palm is there."""
        if self._fingers is not None and self._kernel.reach_weight() > 0.99:
            self._closed = True
            self._fingers.grasp(self.ground)

    def _find(self, dt: float) -> tuple[Floats, Floats, Floats | None] | None:
        """Return where to touch, in the ground's space, or None.

        Returns:
            The point, the normal of the surface, and the axis of a bar or None.
        """
        actor, ground = self.rig.actor, self._still
        mat = actor.get_mat(ground)
        unit = mat.get_row3(2).length()
        place = mat.get_row3(3).length()
        if not (1.0 / LARGEST < unit < LARGEST and place < LARGEST):
            # neither has a size, or a place
            return None
        up = np.array(tuple(mat.get_row3(2))) / unit
        ahead, out = _way(mat, self._forward), _way(mat, self._out)
        shoulder = np.array(tuple(mat.xform_point(p3d.LPoint3f(*self._shoulder))))
        arm = self._arm_length * unit
        at = shoulder + arm * (AHEAD * ahead + ASIDE * out - BELOW * up)
        near = self._near(at, 1.5 * arm)
        if near is None:
            return None
        shapes, rows = near
        found = _nearest(shapes, len(rows), at, arm)
        if found is None:
            return None
        point, normal = found
        # past a corner, where the nearest point stops, the hand slides on
        back = p3d.LMatrix4f()
        back.invert_from(mat)
        now = np.array(tuple(back.xform_point(p3d.LPoint3f(*map(float, point)))))
        if self._slid is not None:
            now = self._slid + (now - self._slid) * (1.0 - exp(-dt / SLIDE))
            slid = np.array(tuple(mat.xform_point(p3d.LPoint3f(*map(float, now)))))
            found = _nearest(shapes, len(rows), slid + NEAR * arm * normal, arm)
            if found is not None:
                point, normal = found
        self._slid = now
        axis = self._bar(rows, point, unit)
        if axis is not None:
            axis = axis if axis @ ahead > 0.0 else -axis
            if abs(float(axis @ up)) > 0.7:
                return None
            above = up - 0.35 * out
            above = above - (above @ axis) * axis
            middle = point - self._thick * normal
            normal = above / float(np.linalg.norm(above))
            point = middle + self._thick * normal
        # seen from behind, or from below
        if float((shoulder - point) @ normal) <= 0.0 or float(normal @ up) < -0.5:
            return None
        touching = self.target is not None
        # that of the wrist
        far = float(np.linalg.norm(point - shoulder)) - 0.6 * self._found.length * unit
        if far > self.reach * arm * (KEPT if touching else 1.0):
            return None
        # the hand does not stay behind
        if float((point - shoulder) @ ahead) < -0.1 * arm:
            return None
        if self.side == "own" and float((point - shoulder) @ out) < -0.1 * arm:
            return None
        tall = float(self._shoulder[2])
        low, high = self._height or (0.5 * tall, 1.15 * tall)
        height = float((point - np.array(tuple(mat.get_row3(3)))) @ up) / unit
        return (point, normal, axis) if low <= height <= high else None

    def _stepped(
        self, point: Floats, normal: Floats, dt: float
    ) -> tuple[Floats, Floats]:
        unit = self.rig.actor.get_mat(self._still).get_row3(2).length()
        arm, rests = self._arm_length * unit, self._rests
        if rests is None:
            self._rests, self._stepping = (point, normal), 0.0
            return self._rests
        way = point - rests[0]
        far, half = float(np.linalg.norm(way)), 0.5 * self.step * arm
        if not self._stepping and far < half:
            return rests
        self._stepping += dt
        share = self._stepping / max(STEP_TIME * self.seconds, 1e-9)
        ahead = point + half * way / max(far, 1e-9) + NEAR * arm * normal
        found = _nearest(self._shapes, len(self._some), ahead, arm)
        end, out = (point, normal) if found is None else found
        if share >= 1.0:
            self._rests, self._stepping = (end, out), 0.0
            return self._rests
        lift = STEP_LIFT * self._found.length * unit * sin(pi * share)
        eased = share * share * (3.0 - 2.0 * share)
        return rests[0] + eased * (end - rests[0]) + lift * out, out

    def _near(self, at: Floats, reach: float) -> tuple[object, Floats] | None:
        looked = self._looked
        if looked is None or np.linalg.norm(at - looked) > 0.3 * reach:
            away = np.linalg.norm(self._centres - at, axis=1) - self._sizes
            self._some = self._rows[away < 1.5 * reach]
            self._shapes = buffer(self._some.ravel().tolist() or (0.0,))
            self._looked = at
        return (self._shapes, self._some) if len(self._some) else None

    def _bar(self, rows: Floats, point: Floats, unit: float) -> Floats | None:
        """Return the axis of the thin bar at a point, or None; set its radius."""
        thin = THIN * self._found.length * unit
        for row in rows[(rows[:, 0] == CAPSULE) & (rows[:, 7] < thin)]:
            way = row[4:7] - row[1:4]
            length = float(np.linalg.norm(way))
            if length > 4.0 * row[7]:
                axis = way / length
                away = point - row[1:4]
                along = float(away @ axis)
                aside = float(np.linalg.norm(away - along * axis))
                if aside < 1.05 * row[7] and -row[7] < along < length + row[7]:
                    self._thick = float(row[7])
                    return np.asarray(axis)
        return None

    def _follow(
        self, point: Floats, normal: Floats, axis: Floats | None, dt: float
    ) -> None:
        space, ground = self._space, self._still
        normal = self._normal = _turned(self._normal, normal, dt)
        if axis is not None:
            axis = _turned(self._axis, axis, dt)
        self._axis = axis
        mat = ground.get_mat(space)
        at = np.array(tuple(mat.xform_point(p3d.LPoint3f(*map(float, point)))))
        out = _way(mat, normal)
        actor = self.rig.actor.get_mat(space)
        ahead, up = _way(actor, self._forward), _way(actor, (0.0, 0.0, 1.0))
        if axis is not None:
            frame = self._frame_of(-out, thumb=_way(mat, axis))
        else:
            # on a wall the fingers point ahead and up, on a table ahead
            frame = self._frame_of(-out, ahead=ahead + RISE * up)
        turn = frame @ self._own.T
        hand = self._skeleton.net_mat(self._kernel_arm[-1])
        scale = float(hand.get_row3(0).length())
        unit = float(actor.get_row3(2).length())
        lift = LIFT * self._found.length * unit
        away = self._bulge * unit + (1.0 - self._kernel.reach_weight()) * lift
        wrist = at + away * out - turn @ (scale * self._centre)
        wanted = self._grip.conjugate() * quat_of(turn)
        node = self._node
        node.set_pos(space, *map(float, wrist))
        now = rotation_in(node, space)
        node.set_quat(wanted * now.conjugate() * node.get_quat())

    def _frame_of(
        self, normal: Floats, ahead: Floats | None = None, thumb: Floats | None = None
    ) -> Floats:
        """Return the axes of a palm as columns: normal, ahead, to the thumb."""
        if thumb is None:
            assert ahead is not None
            ahead = ahead - (ahead @ normal) * normal
            ahead = ahead / float(np.linalg.norm(ahead))
            thumb = self._sense * np.cross(normal, ahead)
        else:
            thumb = thumb - (thumb @ normal) * normal
            thumb = thumb / float(np.linalg.norm(thumb))
            ahead = self._sense * np.cross(thumb, normal)
        return np.column_stack((normal, ahead, thumb))


def _nearest(
    shapes: object, count: int, at: Floats, arm: float
) -> tuple[Floats, Floats] | None:
    step = 1e-3 * arm
    points = [at, *(at + step * axis for axis in np.eye(3))]
    found = zeros(4)
    gaps(shapes, count, buffer(np.concatenate(points).tolist()), found)
    gap = found[0]
    normal = (np.array(found[1:]) - gap) / step
    size = float(np.linalg.norm(normal))
    if not size > 0.5 or gap > 1.5 * arm:
        return None
    normal /= size
    return at - gap * normal, normal


def _turned(former: Floats | None, way: Floats, dt: float) -> Floats:
    if former is not None:
        way = former + (way - former) * (1.0 - exp(-dt / TURN))
    return np.asarray(way / (float(np.linalg.norm(way)) or 1.0))


def _way(mat: p3d.LMatrix4f, way: Iterable[float]) -> Floats:
    found = np.array(tuple(mat.xform_vec(p3d.LVector3f(*map(float, way)))))
    return np.asarray(found / (float(np.linalg.norm(found)) or 1.0))
