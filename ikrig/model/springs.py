"""Springs: joints of a pose that swing behind what they hang from, without an engine.

The step and its words are those of VRMC_springBone 1.0, its colliders those of
VRMC_springBone_extended_collider, its limits those of VRMC_springBone_limit:
https://github.com/vrm-c/vrm-specification.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, replace
from itertools import pairwise
from math import cos, dist, pi, sin
from typing import Any, ClassVar

import numpy as np

from ..errors import BindError, SettingError, shown, suggest
from ..kernels import buffer, index_buffer, zeros
from ..kernels.springs import SpringKernel, workspace_size
from ..math3d.quaternion import Floats, to_matrix, unit_rotations
from ..records import CheckedRecord, Record, entry, fields_of
from ..value_shapes import (
    JOINT,
    JOINTS,
    NODE,
    QUATERNION,
    VECTOR,
    Either,
    Flag,
    Items,
    Number,
    Schema,
    Shape,
    Word,
    checked,
)
from .limits import BallLimit, ConeLimit, FixedLimit, HingeLimit, Limit
from .pose import Pose, joint_index, line_through, rest_nets

PLUS = Number("a number of at least 0", 0.0)
FRACTION = Number("a number from 0 to 1", 0.0, 1.0)
ANY = Number()
DOWN = (0.0, 0.0, -1.0)
DIRECTIONS = Either(
    "a vector, or a list of one for each joint", (VECTOR, Items("", VECTOR))
)

Each = float | Sequence[float]
CONE, HINGE, SPHERICAL = 1, 2, 3
CORNERS = 24
"""Of a circle that is drawn; even."""
SPHERE, CAPSULE, PLANE, INSIDE_SPHERE, INSIDE_CAPSULE = range(5)


def each(one: Number) -> Either:
    return Either(
        f"{one.words}, or a list of one for each joint", (one, Items("", one))
    )


class _Place:
    """The shape of a joint's name or of a node, which is any other object."""

    words = "the name of a joint, or a node"

    def of(self, value: object) -> object:
        if value is None or isinstance(value, (bool, int, float)):
            raise ValueError
        return value

    def schema(self) -> Schema:
        return JOINT.schema()


class _ByJoint:
    """The shape of values by joint."""

    words = "a mapping from joints"

    def of(self, value: object) -> dict[str, object]:
        if not isinstance(value, Mapping):
            raise ValueError
        return {str(joint): limit for joint, limit in value.items()}

    def schema(self) -> Schema:
        return {"type": "object"}


@dataclass(frozen=True)
class Collider(CheckedRecord):
    """A body that the ends of spring bones do not enter, or do not leave.

    A sphere; with ``tail`` a capsule; with ``normal`` a plane without an end.

    Args:
        joint: Name of the joint that it moves with, or any node of the scene. Default:
            the skeleton itself.
        radius: Its radius, in units of the model.
        offset: Its center, or the first end of a capsule, in the joint's space.
        tail: The second end of a capsule.
        normal: The side of a plane on which bones stay.
        inside: Whether bones stay inside.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    _title: ClassVar[str] = " of a Collider"

    joint: Any = entry(None, _Place())
    radius: float = entry(0.0, PLUS)
    offset: Sequence[float] = entry((0.0, 0.0, 0.0), VECTOR)
    tail: Sequence[float] | None = entry(None, VECTOR)
    normal: Sequence[float] | None = entry(None, VECTOR)
    inside: bool = entry(False, Flag())

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.normal is not None:
            if self.tail is not None or self.inside:
                raise SettingError("a Collider with a normal is a plane, without tail")
            if dist(self.normal, (0.0, 0.0, 0.0)) < 1e-9:
                raise SettingError("normal of a Collider must not be 0")

    @property
    def kind(self) -> int:
        """Its number in the kernel."""
        if self.normal is not None:
            return PLANE
        return (SPHERE if self.tail is None else CAPSULE) + 3 * self.inside

    @property
    def row(self) -> list[float]:
        """Its numbers in the kernel."""
        end = self.normal or self.tail or self.offset
        return [*self.offset, *end, self.radius]

    def outlines(self, extent: float) -> list[Floats]:
        """Return lines that show it, in its joint's space, (n, 3) each.

        Args:
            extent: Half the size of a plane, which has no end.
        """
        start = np.array(self.offset, float)
        axis = np.array(self.row[3:6]) - (0.0 if self.normal else start)
        length = float(np.linalg.norm(axis))
        ahead = axis / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
        least = np.eye(3)[np.argmin(np.abs(ahead))]
        aside = np.cross(ahead, least)
        aside /= np.linalg.norm(aside)
        over = np.cross(ahead, aside)
        if self.normal is not None:
            corners = [(1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1)]
            square = [start + extent * (x * aside + y * over) for x, y in corners]
            return [np.array(square), np.array([start, start + extent * ahead])]
        angles = np.linspace(0.0, 2.0 * pi, CORNERS + 1)[:, None]
        ring = self.radius * (np.cos(angles) * aside + np.sin(angles) * over)
        found = [start + ring, start + axis + ring]
        for side in (aside, over):
            around = self.radius * (np.cos(angles) * side + np.sin(angles) * ahead)
            # its first half is ahead of the second end, the other behind the first
            half = CORNERS // 2 + 1
            far, near = start + axis + around[:half], start + around[half - 1 :]
            found.append(np.concatenate([far, near, far[:1]]))
        return found[length <= 1e-9 :]


@dataclass(frozen=True)
class SpringLimit:
    """A limit of VRMC_springBone_limit: the directions that a bone may have.

    With y along the bone in the rest pose: "cone" about y; "hinge" in the plane of y
    and z; "spherical" with pitch in that plane, then yaw towards x.

    Args:
        kind: "cone", "hinge" or "spherical".
        angle: The half angle of a cone, the largest of a hinge, the pitch [rad].
        yaw: The largest yaw of "spherical" [rad].
        rotation: Of the limit in that frame, w x y z.
        up: The axis of the joint's space that is "y" in the file: "z" where the file's
            y is up.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    kind: str
    angle: float
    yaw: float = pi / 2
    rotation: Sequence[float] = (1.0, 0.0, 0.0, 0.0)
    up: str = "y"

    def __post_init__(self) -> None:
        shapes: dict[str, Shape] = {
            "kind": Word(["cone", "hinge", "spherical"]),
            "angle": PLUS,
            "yaw": PLUS,
            "rotation": QUATERNION,
            "up": Word(["y", "z"]),
        }
        for name, shape in shapes.items():
            what = f"{name} of a SpringLimit"
            value = checked(shape, getattr(self, name), what, SettingError)
            object.__setattr__(self, name, value)

    def row(self, bone: Floats) -> tuple[int, list[float]]:
        """Return its number and numbers in the kernel.

        Args:
            bone: The bone's direction in the joint's space, (3,).
        """
        # from the file's axes to those of the joint's space, as rows
        axes = np.identity(3)
        if self.up == "z":
            axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
        turned = to_matrix(unit_rotations(self.rotation, (4,)).tolist()).T @ axes
        rows = turned @ _shortest(axes[1], bone)
        angle, yaw = min(self.angle, pi), min(self.yaw, pi / 2)
        kind = {"cone": CONE, "hinge": HINGE, "spherical": SPHERICAL}[self.kind]
        return kind, [*rows.ravel(), cos(angle), sin(angle), cos(yaw), sin(yaw)]


def _shortest(start: Floats, end: Floats) -> Floats:
    """Return the smallest rotation between unit vectors, (3, 3), for rows.

    A half turn is about x.
    """
    axis, cosine = np.cross(start, end), float(start @ end)
    if cosine < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    x, y, z = axis
    skew = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    found: Floats = np.identity(3) + skew + skew @ skew / (1.0 + cosine)
    return found


def _limit_row(limit: object, bone: Floats, rest: Floats) -> tuple[int, list[float]]:
    """Return the number and numbers of a limit; ``rest``: the joint's axes, rows."""
    if isinstance(limit, SpringLimit):
        return limit.row(bone)
    if isinstance(limit, Limit):
        limit = limit.basic()
    if isinstance(limit, ConeLimit) and len(set(limit.four)) == 1:
        return SpringLimit("cone", limit.four[0]).row(bone)
    if isinstance(limit, BallLimit):
        return SpringLimit("cone", limit.most).row(bone)
    if isinstance(limit, FixedLimit):
        return SpringLimit("cone", 0.0).row(bone)
    if isinstance(limit, HingeLimit) and limit.follows is None:
        axis = rest @ np.array(limit.axis, float)
        axis /= np.linalg.norm(axis)
        lower, upper = max(limit.lower, -pi), min(limit.upper, pi)
        zero = bone - (bone @ axis) * axis
        if np.linalg.norm(zero) > 1e-9:
            zero /= np.linalg.norm(zero)
            middle = 0.5 * (lower + upper)
            along = cos(middle) * zero + sin(middle) * np.cross(axis, zero)
            rows = np.array([axis, along, np.cross(axis, along)])
            half = 0.5 * (upper - lower)
            return HINGE, [*rows.ravel(), cos(half), sin(half), 0.0, 1.0]
    raise SettingError(
        "a limit of a spring must be a ConeLimit of one angle, a BallLimit, a "
        "HingeLimit across the bone, a FixedLimit or a SpringLimit, not "
        f"{shown(limit)}"
    )


@dataclass(frozen=True)
class Spring(CheckedRecord):
    """A chain of joints that swings: a strand of hair, a tail, a strap.

    Values of several joints are one number, or a list with one for each; that of the
    last joint counts only with a ``tail``.

    Args:
        joints: Names of the joints, each below the one before; those between are
            carried along. The last is the end of the bone of the one before.
        stiffness: Force back to the pose, which grows with the length of a bone.
        gravity_power: Force along ``gravity_dir``.
        gravity_dir: Its direction in world space.
        drag_force: Part of the speed that is lost in a 60th of a second, 0 to 1.
        hit_radius: Radius of the bones' ends [unit of the model].
        center: A joint or node; its own motion does not swing the joints.
        colliders: Names of its colliders. None: all.
        tail: Length of a bone that the last joint gets [unit of the model]. None: none.
        ends: End of the bone of each joint, in its space, instead of the next joint's
            place and ``tail``: the last joint then swings too.
        limits: Limits by joint.

    Raises:
        SettingError: Names the value and the allowed range.
    """

    _title: ClassVar[str] = " of a Spring"

    joints: Sequence[str] = entry(MISSING, JOINTS)
    stiffness: Each = entry(1.0, each(PLUS))
    gravity_power: Each = entry(0.0, each(ANY))
    gravity_dir: Sequence[float] = entry(DOWN, DIRECTIONS)
    drag_force: Each = entry(0.4, each(FRACTION))
    hit_radius: Each = entry(0.0, each(PLUS))
    center: object = entry(None, _Place())
    colliders: Sequence[str] | None = entry(None, Items("a list of colliders", NODE, 0))
    tail: float | None = entry(None, Number("a length above 0", 0.0, above=True))
    ends: Sequence[Sequence[float]] | None = entry(
        None, Items("a list of vectors", VECTOR)
    )
    limits: Mapping[str, object] | None = entry(None, _ByJoint(), hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("stiffness", "gravity_power", "drag_force", "hit_radius"):
            self.value(name, 0)
        directions = self.gravity_dir
        for name, given in (
            ("ends", self.ends),
            ("gravity_dir", directions if isinstance(directions[0], tuple) else None),
        ):
            if given is not None and len(given) != self.bones:
                raise SettingError(
                    f"{name} of a Spring must have one vector for each of its "
                    f"{self.bones} bones, not {shown(given)}"
                )

    @property
    def bones(self) -> int:
        """Number of joints that swing."""
        alone = self.tail is None and self.ends is None
        return len(self.joints) - alone

    def value(self, name: str, k: int) -> float:
        """Return a value of joint k."""
        found = getattr(self, name)
        if not isinstance(found, tuple):
            return float(found)
        if len(found) not in (self.bones, len(self.joints)):
            raise SettingError(
                f"{name} of a Spring must be one number, or one for each of "
                f"{len(self.joints)} joints, not {shown(list(found))}"
            )
        return float(found[k])


COLLIDER_RECORD = Record(
    "collider", "A body that bones do not enter.", fields_of(Collider)
)


class Springs:
    """Springs on a pose: a layer of it.

    Args:
        pose: The pose.
        springs: The springs by name.
        colliders: Colliders by name.
        given: A buffer for ``given``: 16 numbers of single precision for the skeleton's
            space, and for each node of ``nodes_of(springs, colliders)``.

    Raises:
        BindError: A joint is unknown, in two springs, or not below the one before it;
            or springs hang from one another. Names it.
        SettingError: A limit does not fit.
    """

    def __init__(
        self,
        pose: Pose,
        springs: Mapping[str, Spring],
        colliders: Mapping[str, Collider] | None = None,
        given: object = None,
    ) -> None:
        colliders = {} if colliders is None else colliders
        self.springs = dict(springs)
        self.colliders = dict(colliders)
        self.weight = 1.0
        self.nodes = nodes_of(springs, colliders)
        """Nodes whose matrices in world space are in ``given``, from the second on."""
        identity = np.identity(4, np.float32).tobytes()
        self.given = (
            array("f", identity * (1 + len(self.nodes))) if given is None else given
        )
        """Matrices in world space, flat: of the skeleton's space, and of the nodes."""
        self._pose = pose
        self._frames: list[int] = []
        table, figures, touched, entries = self._joints(pose)
        kinds: list[int] = []
        for name, body in colliders.items():
            place = body.joint
            at = pose.index.get(place, -1) if isinstance(place, str) else -1
            own = entries.get(at)
            kinds.append(body.kind)
            where = self._frame(place, f"collider {name!r}")
            kinds.append(where if own is None else -1 - own)
        self._shapes = buffer(
            [*(x for body in colliders.values() for x in body.row), 0.0]
        )
        sizes = len(table) // 7, len(self._frames), len(colliders)
        self.extent = max(figures[10::24], default=0.0)
        """The length of the longest chain, in the skeleton's space."""
        self.joints: list[int] = table[::7]
        """Indices of the joints in the pose, parents first."""
        self.reads = [j for j in self._frames if j >= 0]
        """Those of the joints that they hang from, centers, and places of colliders."""
        self.workspace = zeros(workspace_size(*sizes))
        """All that is kept from frame to frame, flat."""
        self.kernel = SpringKernel(
            pose, self.given, index_buffer(self._frames), index_buffer(table),
            buffer(figures), index_buffer([*touched, 0]), index_buffer([*kinds, 0]),
            self._shapes, self.workspace,
        )  # fmt: skip

    def move(self, name: str, **values: Any) -> None:
        """Move a collider in its joint's space."""
        body = self.colliders[name] = replace(self.colliders[name], **values)
        first = len(body.row) * list(self.colliders).index(name)
        for k, number in enumerate(body.row, first):
            self._shapes[k] = number

    def apply(self, pose: Pose, dt: float) -> None:
        """Swing the joints of the pose for a frame of dt seconds."""
        self.kernel.swing(dt, self.weight)

    def _frame(self, place: object, what: str) -> int:
        """Return the number of the frame of a joint, a node, or the skeleton: None."""
        if isinstance(place, str):
            source = joint_index(self._pose, place, what)
        else:
            source = -1 if place is None else -2 - self.nodes.index(place)
        if source not in self._frames:
            self._frames.append(source)
        return self._frames.index(source)

    def _joints(
        self, pose: Pose
    ) -> tuple[list[int], list[float], list[int], dict[int, int]]:
        parents, net = pose.parents, rest_nets(pose)
        swings: dict[int, tuple[str, int, Floats]] = {}
        owner: dict[int, str] = {}
        for name, spring in self.springs.items():
            line = self._line(name, spring)
            for j in line:
                if j in owner:
                    other = owner[j]
                    where = f"spring {name!r} twice"
                    if other != name:
                        where = f"two springs, {other!r} and {name!r}"
                    raise BindError(
                        f"joint {pose.names[j]!r} is in {where}: a joint swings in one"
                    )
                owner[j] = name
            own = [pose.index[joint] for joint in spring.joints]
            for k, j in enumerate(own):
                if spring.ends is not None:
                    tail = np.array(spring.ends[k])
                elif k + 1 < len(own):
                    tail = (net[own[k + 1]] @ np.linalg.pinv(net[j]))[3, :3]
                elif spring.tail is not None:
                    tail = self._last_bone(net, own, spring.tail)
                else:
                    continue
                swings[j] = name, k, tail
        # those between, and between springs, are carried
        used = set(swings)
        for j in swings:
            above, p = [], parents[j]
            while p >= 0 and p not in used:
                above.append(p)
                p = parents[p]
            if p >= 0:
                used.update(above)
        order = sorted(used)
        entries = {j: i for i, j in enumerate(order)}
        table, figures, touched = [], [], list[int]()
        names = list(self.colliders)
        bases: dict[int, int] = {}
        for j in order:
            p = parents[j]
            base = bases.get(p)
            if base is None:
                base = self._frame(pose.names[p] if p >= 0 else None, "joint")
            bases[j] = base
            row = [j, entries.get(p, -1), base, -1, len(touched), len(touched), 0]
            numbers = [0.0] * 9 + [1.0] + [0.0] * 14
            if j in swings:
                name, k, tail = swings[j]
                spring = self.springs[name]
                length = float(np.linalg.norm(tail @ net[j][:3, :3]))
                own = [pose.index[joint] for joint in spring.joints]
                if length > 1e-9:
                    row[3] = self._center(name, spring, set(swings))
                    touched += self._touched(name, spring, names)
                    row[5] = len(touched)
                    numbers = self._figure(spring, k, tail, length)
                    ends = pairwise(own)
                    reach = sum(dist(net[a][3], net[b][3]) for a, b in ends)
                    numbers[10] = reach + (spring.tail or length)
                    limit = (spring.limits or {}).get(pose.names[j])
                    if limit is not None:
                        bone = tail / np.linalg.norm(tail)
                        axes = net[j][:3, :3]
                        axes = axes / np.linalg.norm(axes, axis=1)[:, None]
                        row[6], numbers[11:] = _limit_row(limit, bone, axes)
            table += row
            figures += numbers
        for name, spring in self.springs.items():
            for joint in spring.limits or ():
                if joint not in spring.joints:
                    raise BindError(
                        f"limits of spring {name!r}: it has no joint {joint!r}: "
                        f"{suggest(joint, spring.joints)}"
                    )
        return table, figures, touched, entries

    def _line(self, name: str, spring: Spring) -> list[int]:
        if not spring.bones:
            raise BindError(
                f"spring {name!r} has one joint, {spring.joints[0]!r}, and no bone: "
                "add the joint at its end, or a tail"
            )
        return line_through(self._pose, spring.joints, f"spring {name!r}")

    @staticmethod
    def _last_bone(net: Floats, own: Sequence[int], length: float) -> Floats:
        """Return the end of the last joint's bone: on from the one before, in it."""
        j = own[-1]
        # one alone leads on from the joint above, or away from the skeleton's origin
        start = net[own[-2]][3, :3] if len(own) > 1 else np.zeros(3)
        along = net[j][3, :3] - start
        size = float(np.linalg.norm(along))
        along = along / size if size > 1e-9 else np.array([0.0, 0.0, 1.0])
        found: Floats = length * along @ np.linalg.pinv(net[j][:3, :3])
        return found

    def _center(self, name: str, spring: Spring, swings: set[int]) -> int:
        if spring.center is None:
            return -1
        frame = self._frame(spring.center, f"center of spring {name!r}")
        p = self._frames[frame]
        while p >= 0:
            if p in swings:
                raise BindError(
                    f"center {spring.center!r} of spring {name!r} hangs from joint "
                    f"{self._pose.names[p]!r}, which swings itself: a cycle"
                )
            p = self._pose.parents[p]
        return frame

    @staticmethod
    def _touched(name: str, spring: Spring, names: list[str]) -> list[int]:
        if spring.colliders is None:
            return list(range(len(names)))
        for word in spring.colliders:
            if word not in names:
                raise BindError(
                    f"spring {name!r}: there is no collider {word!r}: "
                    f"{suggest(word, names)}"
                )
        return [names.index(word) for word in spring.colliders]

    @staticmethod
    def _figure(spring: Spring, k: int, tail: Floats, length: float) -> list[float]:
        direction = np.array(spring.gravity_dir, float)
        if direction.ndim > 1:
            direction = direction[k]
        size = float(np.linalg.norm(direction))
        power = spring.value("gravity_power", k)
        pull = power * direction / size if size > 1e-12 else np.zeros(3)
        return [
            *tail, spring.value("stiffness", k), *pull,
            1.0 - spring.value("drag_force", k), spring.value("hit_radius", k), length,
            *[0.0] * 14,
        ]  # fmt: skip


def nodes_of(
    springs: Mapping[str, Spring], colliders: Mapping[str, Collider]
) -> list[object]:
    """Return the places of springs and colliders that are not joints."""
    places = [spring.center for spring in springs.values()]
    places += [body.joint for body in colliders.values()]
    return list(
        dict.fromkeys(x for x in places if not (x is None or x.__class__ is str))
    )
