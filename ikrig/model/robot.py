"""RobotModel: a tree of bodies as checked, read-only arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import floats, listed
from ..copies import ReadOnly, keep
from ..errors import ModelError, shown, suggest
from ..kernels import buffer, index_buffer
from ..math3d.quaternion import Floats, conjugate, multiply, rotate
from ..value_shapes import Text, checked
from .body_spec import IDENTITY, Body, Geom, JointKind
from .validation import (
    axis_of,
    body_list,
    couplings,
    joint_kind,
    numbers_of,
    part_errors,
    pose_of,
    range_of,
    speed_of,
    start_of,
)

Indices = NDArray[np.int32]


class KinematicNodes(NamedTuple):
    """Nodes of the kinematic tree in world space at qpos0: world, mocap, joints."""

    first: int
    """The node of the first joint; the others follow it."""
    parents: Indices
    """The node that carries each node, -1 for none or the world, (nodes,)."""
    carriers: Indices
    """The last node that moves each body, (bodies,); 0, the world: none."""
    positions: Floats
    """Positions of the nodes, (nodes, 3)."""
    axes: Floats
    """Axes of the joints, (joints, 3)."""
    body_pos: Floats
    """Positions of the bodies, (bodies, 3)."""
    body_quat: Floats
    """Rotations of the bodies, (bodies, 4)."""


class Loop(NamedTuple):
    """Two bodies that hold together at a point: MuJoCo's connect, or weld.

    Args:
        first, second: The bodies.
        at_first, at_second: The point in each one's frame, (3,).
        turn: Rotation of the second body in the first one's frame, (4,) w x y z; None:
            any.
    """

    first: int
    second: int
    at_first: tuple[float, ...]
    at_second: tuple[float, ...]
    turn: tuple[float, ...] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotModel(ReadOnly):
    """A tree of rigid bodies, flat: parents first, body 0 is the world.

    ``qpos`` has the coordinates of all joints in their order; velocities have the same
    order. Built from parts, or read from a file by ``load_robot``.

    Args:
        bodies: The bodies, parents first. The world need not be listed.
        name: Name of the robot, for messages.
        warnings: A sentence for each part of its file that was left out.
        loops: Bodies that hold together besides the tree's joints.

    Raises:
        ModelError: Names the body, joint, site or shape, its value and the allowed
            range.
    """

    name: str
    body_names: tuple[str, ...]
    """The bodies, parents first; the world is the first one."""
    parents: Indices = field(repr=False)
    """Each body's parent, (bodies,); the world's is -1."""
    body_pos: Floats = field(repr=False)
    """Position of each body in its parent's frame, (bodies, 3)."""
    body_quat: Floats = field(repr=False)
    """Rotation of each body there, (bodies, 4) w x y z."""
    body_ipos: Floats = field(repr=False)
    """Position of each body's inertial frame in the body's, (bodies, 3)."""
    body_iquat: Floats = field(repr=False)
    """Rotation of each inertial frame there, (bodies, 4) w x y z."""
    body_mocap: Indices = field(repr=False)
    """Each body's row in mocap_pos and mocap_quat; -1: not a mocap body."""
    body_joints: Indices = field(repr=False)
    """Joints body_joints[b] to body_joints[b + 1] move body b, (bodies + 1,)."""
    joint_names: tuple[str, ...]
    """The joints, in the order of their bodies."""
    joint_kinds: tuple[JointKind, ...] = field(repr=False)
    """What each joint does: hinge, slide, ball or free."""
    joint_bodies: Indices = field(repr=False)
    """The body that each joint moves, (joints,)."""
    joint_axes: Floats = field(repr=False)
    """Unit axis of each joint in its body's frame, (joints, 3)."""
    joint_anchors: Floats = field(repr=False)
    """A point on that axis, (joints, 3)."""
    joint_ranges: Floats = field(repr=False)
    """Smallest and largest value, (joints, 2); infinite where there is no bound."""
    joint_qpos: Indices = field(repr=False)
    """Index of each joint's first coordinate in qpos."""
    joint_dofs: Indices = field(repr=False)
    """Index of each joint's first velocity: a Jacobian's column."""
    qpos0: Floats = field(repr=False)
    """Coordinates of the pose that the model describes."""
    dof_count: int = field(repr=False)
    """Number of velocities: columns of a Jacobian."""
    joint_speeds: Floats = field(repr=False)
    """Maximum speed of each joint, (joints,); infinite where unknown."""
    joint_drivers: Indices = field(repr=False)
    """The joint that each joint follows, (joints,); -1: none."""
    joint_couplings: Floats = field(repr=False)
    """Factor and addition of joints that follow others, (joints, 2); see ``couple``."""
    site_names: tuple[str, ...]
    """The sites, in the order of their bodies."""
    site_bodies: Indices = field(repr=False)
    """The body of each site, (sites,)."""
    site_pos: Floats = field(repr=False)
    """Position of each site in its body's frame, (sites, 3)."""
    site_quat: Floats = field(repr=False)
    """Rotation of each site there, (sites, 4) w x y z."""
    geoms: tuple[tuple[Geom, ...], ...] = field(repr=False)
    """The shapes of each body."""
    loops: tuple[Loop, ...] = field(repr=False)
    """Bodies that hold together besides the tree's joints."""
    warnings: tuple[str, ...] = field(repr=False)
    """A sentence for each part of its file that was left out."""

    def __init__(
        self,
        bodies: Iterable[Body],
        *,
        name: str = "tree",
        warnings: tuple[str, ...] = (),
        loops: tuple[Loop, ...] = (),
    ) -> None:
        parts = body_list(bodies)
        label = checked(Text(), name, "name of a robot", ModelError)
        joints = [joint for body in parts for joint in body.joints]
        sites = [site for body in parts for site in body.sites]
        for error in part_errors(parts):
            raise error
        index = {body.name: i for i, body in enumerate(parts)}
        kinds = [joint_kind(joint) for joint in joints]
        poses = [pose_of(body, "body") for body in parts]
        centres = [pose_of(body, "body", "ipos", "iquat") for body in parts]
        spots = [pose_of(site, "site") for site in sites]
        starts = [
            start_of(joint, pose)
            for body, pose in zip(parts, poses, strict=True)
            for joint in body.joints
        ]
        drivers, terms = couplings(joints)
        mocap = np.cumsum([body.mocap for body in parts]) - 1
        owners = range(len(parts))
        values: dict[str, object] = {
            "name": label,
            "body_names": tuple(index),
            "parents": _ints([-1, *(index[body.parent] for body in parts[1:])]),
            "body_pos": _table([pos for pos, _ in poses], 3),
            "body_quat": _table([quat for _, quat in poses], 4),
            "body_ipos": _table([pos for pos, _ in centres], 3),
            "body_iquat": _table([quat for _, quat in centres], 4),
            "body_mocap": _ints(np.where([b.mocap for b in parts], mocap, -1)),
            "body_joints": _ints(_starts(len(body.joints) for body in parts)),
            "joint_names": tuple(joint.name for joint in joints),
            "joint_kinds": tuple(kinds),
            "joint_bodies": _ints(i for i in owners for _ in parts[i].joints),
            "joint_axes": _table([axis_of(joint) for joint in joints], 3),
            "joint_anchors": _table([numbers_of(j, "anchor", 3) for j in joints], 3),
            "joint_ranges": _table([range_of(joint) for joint in joints], 2),
            "joint_qpos": _ints(_starts(kind.coordinates for kind in kinds)[:-1]),
            "joint_dofs": _ints(_starts(kind.dofs for kind in kinds)[:-1]),
            "qpos0": np.concatenate([np.zeros(0), *starts]),
            "dof_count": sum(kind.dofs for kind in kinds),
            "joint_speeds": np.array([speed_of(joint) for joint in joints]),
            "joint_drivers": _ints(drivers),
            "joint_couplings": _table(terms, 2),
            "site_names": tuple(site.name for site in sites),
            "site_bodies": _ints(i for i in owners for _ in parts[i].sites),
            "site_pos": _table([pos for pos, _ in spots], 3),
            "site_quat": _table([quat for _, quat in spots], 4),
            "geoms": tuple(tuple(body.geoms) for body in parts),
            "loops": listed(loops, Loop, "loops", ModelError),
            "warnings": listed(warnings, str, "warnings", ModelError),
        }
        keep(self, values)

    @property
    def speed_limits(self) -> dict[str, float]:
        """The known ``joint_speeds`` by name, for ``SolveSettings.joint_speeds``."""
        pairs = zip(self.joint_names, self.joint_speeds.tolist(), strict=True)
        return {name: speed for name, speed in pairs if speed < np.inf}

    def couple(self, qpos: ArrayLike) -> Floats:
        """Return joint coordinates in which joints that mimic others follow them.

        For a URDF file's ``<mimic>`` and a MuJoCo file's equality of two joints. As in
        MuJoCo ``forward_kinematics`` uses the coordinates as they are; all that moves a
        robot (IK, ``Robot``, and with it sliders, feeds and clips) applies couplings.

        Args:
            qpos: Joint coordinates, (..., coordinates) [rad, scene unit].

        Raises:
            ModelError: They are not numbers of this shape.
        """
        values = floats(qpos)
        count = len(self.qpos0)
        if values is None or values.ndim < 1 or values.shape[-1] != count:
            raise ModelError(
                f"qpos must be {count} numbers for {self.name}, not {shown(qpos)}"
            )
        coupled = np.array(values)
        self.follow(coupled)
        return coupled

    def follow(self, qpos: Floats) -> None:
        """Couple an array of joint coordinates in place, without checks."""
        if self._followers is not None:
            rows, leading, factor, added = self._followers
            qpos[..., rows] = factor * qpos[..., leading] + added

    @cached_property
    def _followers(self) -> tuple[Indices, Indices, Floats, Floats] | None:
        """Coordinates that follow, and those that lead them; factors and offsets."""
        rows = np.flatnonzero(self.joint_drivers >= 0)
        if not len(rows):
            return None
        at, (factor, added) = self.joint_qpos, self.joint_couplings[rows].T
        return at[rows], at[self.joint_drivers[rows]], factor, added

    @property
    def mocap_bodies(self) -> tuple[str, ...]:
        """Names of the bodies that are posed from outside, in mocap_pos's order."""
        pairs = zip(self.body_names, self.body_mocap, strict=True)
        return tuple(name for name, row in pairs if row >= 0)

    @cached_property
    def geom_bodies(self) -> Indices:
        """The body of each shape, (geoms,), in the order of the bodies."""
        found = _ints(b for b, geoms in enumerate(self.geoms) for _ in geoms)
        found.flags.writeable = False
        return found

    @cached_property
    def geom_poses(self) -> tuple[Floats, Floats]:
        """Positions and rotations of the shapes in their bodies' frames.

        (geoms, 3) and, as matrices, (geoms, 3, 3).
        """
        geoms = [geom for row in self.geoms for geom in row]
        pos = _table([numbers_of(geom, "pos", 3) for geom in geoms], 3)
        quat = _table([pose_of(geom, "geom")[1] for geom in geoms], 4)
        # the columns are the rotated axes
        mat = np.stack([rotate(quat, axis) for axis in np.eye(3)], axis=-1)
        pos.flags.writeable = mat.flags.writeable = False
        return pos, mat

    def body_index(self, name: str) -> int:
        """Return a body's row; raise ModelError with the nearest name."""
        return self._index("body", self.body_names, name)

    def joint_index(self, name: str) -> int:
        """Return a joint's row; raise ModelError with the nearest name."""
        return self._index("joint", self.joint_names, name)

    def site_index(self, name: str) -> int:
        """Return a site's row; raise ModelError with the nearest name."""
        return self._index("site", self.site_names, name)

    def _index(self, what: str, names: tuple[str, ...], name: str) -> int:
        if not isinstance(name, str) or name not in names:
            raise ModelError(
                f"{self.name} has no {what} {shown(name)}: {suggest(name, names)}"
            )
        return names.index(name)

    @cached_property
    def nodes(self) -> KinematicNodes:
        """The nodes of the kinematic tree, in the form of the kernels."""
        pos, quat = self.body_pos.copy(), self.body_quat.copy()
        mocaps = np.flatnonzero(self.body_mocap >= 0)
        first = 1 + len(mocaps)
        last = first + self.body_joints[1:] - 1
        own = np.where(self.body_mocap >= 0, 1 + self.body_mocap, 0)
        carriers = np.where(np.diff(self.body_joints) > 0, last, own)
        for b in range(1, len(pos)):
            above = self.parents[b]
            pos[b] = pos[above] + rotate(quat[above], pos[b])
            quat[b] = multiply(quat[above], quat[b])
            carriers[b] = carriers[b] or carriers[above]
        bodies, rows = self.joint_bodies, np.arange(len(self.joint_kinds))
        leading = rows == self.body_joints[bodies]
        above = np.where(leading, carriers[self.parents[bodies]], first + rows - 1)
        free = np.array([kind is JointKind.FREE for kind in self.joint_kinds], bool)
        # a free joint has neither an anchor nor an axis
        at, by = self.joint_anchors, self.joint_axes
        at = np.where(free[:, None], 0.0, rotate(quat[bodies], at))
        by = np.where(free[:, None], by, rotate(quat[bodies], by))
        return KinematicNodes(
            first,
            np.concatenate([[-1] * first, np.where(free | (above == 0), -1, above)]),
            carriers,
            np.concatenate([pos[[0, *mocaps]], pos[bodies] + at]),
            by,
            pos,
            quat,
        )

    @cached_property
    def _kernel_buffers(self) -> dict[str, object]:
        kinds, nodes = list(JointKind), self.nodes
        above = np.where(nodes.parents < 0, 0, nodes.parents)
        bodies = [0, *np.flatnonzero(self.body_mocap >= 0), *self.joint_bodies]
        start = nodes.body_quat[bodies]
        before = np.full_like(start, IDENTITY)
        for j, kind in enumerate(self.joint_kinds, nodes.first):
            if kind is JointKind.BALL:
                before[j] = start[j]
        offsets = nodes.body_pos - nodes.positions[nodes.carriers]
        numbers = {
            "offset": nodes.positions - nodes.positions[above],
            "before": before,
            "after": conjugate(start),
            "axis": nodes.axes,
            "qpos0": self.qpos0,
            "body_pos": rotate(conjugate(nodes.body_quat), offsets),
            "body_quat": nodes.body_quat,
            "body_ipos": self.body_ipos,
            "body_iquat": self.body_iquat,
            "site_pos": self.site_pos,
            "site_quat": self.site_quat,
        }
        indices = {
            "parent": nodes.parents,
            "kind": np.array([kinds.index(kind) for kind in self.joint_kinds], int),
            "joint_qpos": self.joint_qpos,
            "joint_dof": self.joint_dofs,
            "joint_body": self.joint_bodies,
            "carrier": nodes.carriers,
            "body": np.arange(len(self.parents)),
            "site_body": self.site_bodies,
            # w alone does not decide: it is 1 for a small rotation, too
            "node_turned": (start != IDENTITY).any(axis=1),
            "body_turned": (nodes.body_quat != IDENTITY).any(axis=1),
            "inertia_turned": (self.body_iquat != IDENTITY).any(axis=1),
            "site_turned": (self.site_quat != IDENTITY).any(axis=1),
        }
        return {
            **{name: buffer(a.ravel().tolist()) for name, a in numbers.items()},
            **{name: index_buffer(a.tolist()) for name, a in indices.items()},
        }


def _ints(values: Iterable[int]) -> Indices:
    return np.array(list(values), dtype=np.int32)


def _starts(sizes: Iterable[int]) -> list[int]:
    return [0, *accumulate(sizes)]


def _table(rows: Sequence[object], width: int) -> Floats:
    return np.array(rows, dtype=np.float64).reshape(-1, width)
