"""Joints as nodes: write a value as the node's transform, and read it back.

Nodes below a joint's node move with it. Joints are the tags of their nodes
(``joint_tags``), so rigs on the nodes keep to axes and ranges by default.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from math import atan2, ceil, copysign, cos, floor, hypot, isfinite, pi, sin
from typing import Any, ClassVar

import numpy as np
import panda3d.core as p3d
from numpy.typing import ArrayLike

from ...errors import SettingError, shown
from ...kernels.node_frame import FARTHEST
from ...math3d.quaternion import Floats, conjugate, multiply, rotate
from ...model.body_spec import JointKind
from ...model.limits import BallLimit, FixedLimit, HingeLimit, Limit, SlideLimit
from ...model.robot import RobotModel
from ..ik.joint_tags import TAG

SLACK = 1e-4
"""Maximum by which single precision may move a value beyond its range."""

ROUNDED = 1e-2
"""Tolerance for rounded ranges of joints that follow, as a fraction of a range."""
TURN = 2.0 * pi


def representable(values: Floats) -> bool:
    """Return whether nodes can hold these numbers: finite, and in single precision."""
    return bool((np.abs(values) < FARTHEST).all())


class Welded:
    """The tag of nodes that are fixed to their parent: bodies, sites."""

    limit: ClassVar[Limit] = FixedLimit()


class RobotJoint(ABC):
    """A joint of a ``Robot``, by name in its ``joints``: on a new node at its anchor.

    Attributes:
        name: Name of the joint.
        kind: Hinge, slide, ball or free.
        range: Smallest and largest value [rad or scene unit]; infinite: unbounded. For
            a ball, 0 and the largest angle.
        node: The node that it moves, at the joint's anchor.
        follows: The joint that leads this one, a factor and an addition; None: it moves
            independently. Setting any joint of a coupling moves all of them.
        followers: The joints that follow this one.
        qpos_rows: Slice of its values in ``qpos``.
    """

    _limit: ClassVar[type[HingeLimit | SlideLimit]] = HingeLimit

    def __init__(
        self, above: p3d.NodePath, pos: Floats, quat: Floats, model: RobotModel, j: int
    ) -> None:
        self.name = model.joint_names[j]
        self.kind = model.joint_kinds[j]
        self._position, self._start = pos, quat
        self._axis = rotate(quat, model.joint_axes[j])
        self.node = above.attach_new_node(self.name)
        self.node.set_pos_quat(p3d.LPoint3f(*pos), p3d.LQuaternionf(*quat))
        self.range: tuple[float, float] = tuple(model.joint_ranges[j].tolist())
        at = int(model.joint_qpos[j])
        self.qpos_rows = slice(at, at + self.kind.coordinates)
        self._values: list[float] = model.qpos0[self.qpos_rows].tolist()
        self._qpos0 = self._values[0]
        self.follows: tuple[RobotJoint, float, float] | None = None
        self.followers: list[RobotJoint] = []
        self._changed: Callable[[], object] | None = None
        """What is called after its value was set."""
        self._state = self.node.get_transform()
        self.node.set_python_tag(TAG, self)

    def __repr__(self) -> str:
        return f"<RobotJoint {self.name} {self.kind.value} {self.value}>"

    @property
    def value(self) -> Any:
        """Current value of the joint, also when other code has moved its node.

        The angle [rad] of a hinge, the length [scene unit] of a slide, the quaternion
        w x y z of a ball, position and quaternion of a free joint. Angles include
        full turns. Set values are clamped to the range.
        """
        values = self.values
        return values[0] if len(values) == 1 else np.array(values)

    @value.setter
    def value(self, value: ArrayLike) -> None:
        self.put(self.checked(value), clamp=True)
        if self._changed is not None:
            self._changed()

    @property
    def limit(self) -> Limit | None:
        """How far the node may move from its current pose, in its parent's space."""
        kind, axis = self._limit, self._axis.tolist()
        if self.follows is not None:
            lead, factor, added = self.follows
            now = factor * lead.values[0] + added - self.values[0]
            return kind(axis, follows=(lead.name, factor, now))
        (lower, upper), value = self.range, self.values[0]
        return kind(axis, lower - value, upper - value)

    @property
    def values(self) -> Sequence[float]:
        """Values of the joint in ``qpos``."""
        state = self.node.get_transform()
        if state != self._state:
            found = self._read(state)
            # keep the last values of a node with an invalid transform
            if all(map(isfinite, found)):
                self._values = found
            self._state = state
        return self._values

    def checked(self, given: ArrayLike) -> list[float]:
        try:
            values = np.array(given, float, ndmin=1)
        except (TypeError, ValueError, OverflowError):
            values = np.zeros(0)
        count = self.kind.coordinates
        if values.shape != (count,) or not representable(values):
            raise SettingError(
                f"joint {self.name!r} is a {self.kind.value} and takes {count} finite "
                f"number{'s' * (count > 1)} below {FARTHEST:g}, not {shown(given)}"
            )
        numbers: list[float] = values.tolist()
        return numbers

    def put(self, values: list[float], *, clamp: bool) -> None:
        """Set checked values, and those of coupled joints; ``clamp``: to the range."""
        if self.follows is None:
            self.set_uncoupled(values, clamp=clamp)
            self.lead(self.followers)
            return
        lead, factor, added = self.follows
        if factor != 0.0:
            lead.put([(values[0] - added) / factor], clamp=clamp)

    def lead(self, followers: Sequence[RobotJoint]) -> None:
        for joint in followers:
            if joint.follows is not None:
                _, factor, added = joint.follows
                joint.set_uncoupled([factor * self.values[0] + added], clamp=False)

    def keep_in_range(self, follower: RobotJoint) -> str:
        """Narrow the range so that a following joint stays in its own range.

        Returns:
            A message on what was narrowed or could not be; "" if nothing had to be.
        """
        assert follower.follows is not None
        _, factor, added = follower.follows
        if factor == 0.0:
            return ""
        ends = sorted((end - added) / factor for end in follower.range)
        lower, upper = self.range
        low, high = max(lower, ends[0]), min(upper, ends[1])
        both = f"joint {follower.name!r} follows {self.name!r}"
        tolerance = ROUNDED * (upper - lower) if isfinite(upper - lower) else 0.0
        if low - lower <= tolerance and upper - high <= tolerance:
            return ""
        if high - low <= tolerance:
            lowest, highest = follower.range
            return (
                f"{both} {factor:g} times, which would leave {self.name!r} no range "
                f"that keeps the follower between {lowest:g} and {highest:g}: the "
                "follower's own range is ignored"
            )
        self.range = low, high
        return (
            f"{both}, so its range is narrowed to {low:.6g} to {high:.6g}: beyond "
            "that the follower would leave its own range"
        )

    def set_uncoupled(self, values: list[float], *, clamp: bool) -> None:
        """Set the joint's checked values in ``qpos``; ``clamp``: to the range."""
        self._values = self._clamped(values) if clamp else values
        self._write(self._values)
        self._state = self.node.get_transform()

    def _clamped(self, values: list[float]) -> list[float]:
        return [min(max(values[0], self.range[0]), self.range[1])]

    @abstractmethod
    def _write(self, values: list[float]) -> None:
        """Set the node's transform."""

    @abstractmethod
    def _read(self, state: p3d.TransformState) -> list[float]:
        """Return the values for a transform of the node."""


class _Hinge(RobotJoint):
    def __init__(
        self, above: p3d.NodePath, pos: Floats, quat: Floats, model: RobotModel, j: int
    ) -> None:
        super().__init__(above, pos, quat, model, j)
        # rotations are cos(angle / 2) * _cos_part + sin(angle / 2) * _sin_part
        self._cos_part = quat.tolist()
        self._sin_part = multiply([0.0, *self._axis], quat).tolist()

    def _write(self, values: list[float]) -> None:
        half = 0.5 * (values[0] - self._qpos0)
        c, s = cos(half), sin(half)
        parts = zip(self._cos_part, self._sin_part, strict=True)
        self.node.set_quat(p3d.LQuaternionf(*[c * a + s * b for a, b in parts]))

    def _read(self, state: p3d.TransformState) -> list[float]:
        quat = state.get_quat()
        half = atan2(_dot(quat, self._sin_part), _dot(quat, self._cos_part))
        return [self._turn_near(self._qpos0 + 2.0 * half, self._values[0])]

    def _turn_near(self, angle: float, last: float) -> float:
        """Return an angle plus full turns: nearest to the last one, or in the range.

        A joint that jumps by more than half a turn would be read as turned the other
        way; its range may exclude that.
        """
        if not isfinite(angle):
            return angle
        lower, upper = self.range[0] - SLACK, self.range[1] + SLACK
        angle += TURN * round((last - angle) / TURN)
        other = angle
        if angle < lower:
            other += TURN * ceil((lower - angle) / TURN)
        elif angle > upper:
            other += TURN * floor((upper - angle) / TURN)
        if lower <= other <= upper:
            angle = min(max(other, self.range[0]), self.range[1])
        return angle


class _Slide(RobotJoint):
    _limit = SlideLimit

    def _write(self, values: list[float]) -> None:
        self.node.set_pos(*(self._position + (values[0] - self._qpos0) * self._axis))

    def _read(self, state: p3d.TransformState) -> list[float]:
        moved = np.array(state.get_pos()) - self._position
        value = self._qpos0 + float(moved @ self._axis)
        (clamped,) = self._clamped([value])
        return [clamped if abs(clamped - value) < SLACK else value]


class _Ball(RobotJoint):
    @property
    def limit(self) -> BallLimit | None:
        """Largest rotation in any direction that stays in the range; None: no limit."""
        largest = self.range[1]
        if largest >= pi:
            return None
        w, *xyz = _unit(list(self.values))
        angle = 2.0 * atan2(hypot(*xyz), abs(w))
        return BallLimit(max(largest - angle, SLACK))

    def _clamped(self, values: list[float]) -> list[float]:
        w, *xyz = _unit(values)
        half = 0.5 * self.range[1]
        if abs(w) >= cos(min(half, pi)):
            return values
        # the same direction and axis, up to the limit
        fraction = copysign(sin(half), w) / hypot(*xyz)
        return [cos(half), *(fraction * part for part in xyz)]

    def _write(self, values: list[float]) -> None:
        self.node.set_quat(p3d.LQuaternionf(*multiply(self._start, _unit(values))))

    def _read(self, state: p3d.TransformState) -> list[float]:
        rotation = multiply(conjugate(self._start), tuple(state.get_norm_quat()))
        return _nearest_sign(rotation.tolist(), self._values)


class _Free(RobotJoint):
    @property
    def limit(self) -> None:
        """None: no limit."""

    def _clamped(self, values: list[float]) -> list[float]:
        return values

    def _write(self, values: list[float]) -> None:
        rotation = p3d.LQuaternionf(*_unit(values[3:]))
        self.node.set_pos_quat(p3d.LPoint3f(*values[:3]), rotation)

    def _read(self, state: p3d.TransformState) -> list[float]:
        rotation = list(state.get_norm_quat())
        return [*state.get_pos(), *_nearest_sign(rotation, self._values[3:])]


KINDS: dict[JointKind, type[RobotJoint]] = {
    JointKind.HINGE: _Hinge,
    JointKind.SLIDE: _Slide,
    JointKind.BALL: _Ball,
    JointKind.FREE: _Free,
}


def _unit(quat: list[float]) -> list[float]:
    """Return a unit quaternion; for a zero one, the identity."""
    size = hypot(*quat)
    return [part / size for part in quat] if size > 1e-15 else [1.0, 0.0, 0.0, 0.0]


def _nearest_sign(quat: list[float], last: list[float]) -> list[float]:
    return quat if _dot(quat, last) >= 0.0 else [-part for part in quat]


def _dot(a: Iterable[float], b: Iterable[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
