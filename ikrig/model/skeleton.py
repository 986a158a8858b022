"""SkeletonModel and ChainModel: the rest pose as checked, read-only arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..checks import array_of, entries, is_whole, texts
from ..copies import ReadOnly, keep
from ..errors import IkrigError, ModelError, SettingError, name_list, shown
from ..kernels import buffer, zeros
from ..kernels.rest_pose import find_bend
from ..math3d.quaternion import Floats

if TYPE_CHECKING:
    from typing_extensions import Self

LARGEST = 1e15
"""Bound of a model's numbers: products of three lengths stay finite."""
SMALLEST = 1e-15
"""Minimum size of a model."""
STRAIGHT = 1e-3
"""Minimum bend of a chain that has a side, as a fraction of its reach."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SkeletonModel(ReadOnly):
    """The start pose of a tree of joints, parents before children.

    Everything is in root space, the coordinate system in which the skeleton is solved.

    Args:
        positions: Joint positions, (n, 3) [scene unit], within ±1e15 and not all within
            1e-15.
        parents: Index of each joint's parent, smaller than its own; the root, joint 0,
            has -1. (n)
        rotations: Joint rotations, (n, 4) w x y z. Default: no rotation.
        frame_rotations: Rotation of the frame that each joint's local rotation is given
            in, (n, 4). Default: the rotation of its parent. They differ only where
            something between two joints turns or mirrors the frame.
        names: Joint names for messages, n. Default: "joint 0" and so on.
        bends: Direction in which the bones before a joint bend when they are straight,
            (3,), by name or index: forward for a foot. Default: the solver chooses.

    Raises:
        ModelError: Names the joint, its value and the error.
    """

    positions: Floats
    parents: tuple[int, ...]
    rotations: Floats
    frame_rotations: Floats
    names: tuple[str, ...]
    bends: Mapping[int, Floats] | None = field(default=None, repr=False)

    def __init__(
        self,
        positions: ArrayLike,
        parents: Sequence[int],
        *,
        rotations: ArrayLike | None = None,
        frame_rotations: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        bends: Mapping[str | int, ArrayLike] | None = None,
    ) -> None:
        points = _array(positions, 3, "positions", None)
        count = len(points)
        if count < 2:
            raise ModelError(
                f"a skeleton needs at least 2 joints, but positions has {count}"
            )
        labels = tuple(f"joint {i}" for i in range(count))
        if names is not None:
            labels = texts(names, count, "names", ModelError)
        above = _parents(parents, labels)
        if rotations is None:
            turned = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        else:
            turned = _quaternions(rotations, "rotations", labels)
        if frame_rotations is None:
            frames = np.vstack([[1.0, 0.0, 0.0, 0.0], turned[list(above[1:])]])
        else:
            frames = _quaternions(frame_rotations, "frame_rotations", labels)
        values: dict[str, object] = {
            "positions": points,
            "parents": above,
            "rotations": turned,
            "frame_rotations": frames,
            "names": labels,
        }
        keep(self, values)
        if not np.abs(self.offsets).max() > SMALLEST:
            raise ModelError(
                f"the skeleton {labels[0]} ... {labels[-1]} has no length: all its "
                f"{count} joints are at {points[0].tolist()}, within {SMALLEST:g}"
            )
        if bends is not None:
            keep(self, {"bends": self.with_bends(bends).bends})

    def with_bends(self, bends: Mapping[int | str, ArrayLike]) -> SkeletonModel:
        """Return the skeleton with different ``bends``.

        Raises:
            ModelError: They are not directions by joint.
        """
        if not isinstance(bends, Mapping):
            raise ModelError(
                f"bends must be a dict such as {{'knee': (0, 1, 0)}}, not "
                f"{shown(bends)}"
            )
        found = {}
        for key, bend in bends.items():
            joint = find_joint(self, key, "bends", ModelError)
            found[joint] = _direction_of(bend, f"bends of {self.names[joint]}")
        values = {**vars(self), "bends": MappingProxyType(found)}
        return SkeletonModel._from_checked(**values)

    @classmethod
    def _from_checked(cls, **fields: object) -> Self:
        """Return the model of at least 2 joints whose fields are known to be valid."""
        model = object.__new__(cls)
        keep(model, fields)
        return model

    @cached_property
    def offsets(self) -> Floats:
        """From each joint's parent to the joint, (n, 3); the root's are zero."""
        found: Floats = self.positions - self.positions[[0, *self.parents[1:]]]
        found.setflags(write=False)
        return found

    @property
    def leaves(self) -> tuple[int, ...]:
        """The joints without children: the effectors by default."""
        return tuple(sorted(set(range(len(self.parents))) - set(self.parents)))

    @property
    def size(self) -> float:
        """Length of the longest path of bones from the root [scene unit]."""
        return float(
            path_lengths(self.parents, np.linalg.norm(self.offsets, axis=1)).max()
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ChainModel(SkeletonModel):
    """The start pose of a chain of n bones: n + 1 joints from the root to the tip.

    Everything is in root space, the coordinate system in which the chain is solved, and
    in the order root to tip. A bone is the segment between two joints.

    Args:
        positions: Joint positions, (n + 1, 3) [scene unit].
        rotations: Joint rotations, (n + 1, 4) w x y z. Default: no rotation.
        frame_rotations: Rotation of the frame that each joint's local rotation is given
            in, (n + 1, 4). Default: the rotation of the joint before it. They differ
            only where something between two joints turns or mirrors the frame.
        names: Joint names for messages, n + 1. Default: "joint 0" and so on.
        bend: Direction in which a straight chain bends, (3,), such as forward for a
            knee. Default: +y, or +x where it lies along y.

    Raises:
        ModelError: Names the joint, its value and the error.
    """

    bend: Floats | None = field(default=None, repr=False)

    def __init__(
        self,
        positions: ArrayLike,
        *,
        rotations: ArrayLike | None = None,
        frame_rotations: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        bend: ArrayLike | None = None,
    ) -> None:
        points = _array(positions, 3, "positions", None)
        count = len(points)
        if count < 2:
            raise ModelError(
                f"a chain needs at least 2 joints (1 bone), but positions has {count}"
            )
        SkeletonModel.__init__(
            self, points, range(-1, count - 1), rotations=rotations,
            frame_rotations=frame_rotations, names=names,
        )  # fmt: skip
        keep(self, {"bend": None if bend is None else _direction_of(bend, "bend")})

    @cached_property
    def bone_lengths(self) -> Floats:
        """Length of each bone, (n) [scene unit]."""
        found: Floats = np.linalg.norm(self.start_directions, axis=1)
        found.setflags(write=False)
        return found

    @property
    def start_directions(self) -> Floats:
        """Offsets from each joint to the next, (n, 3) [scene unit]."""
        return self.offsets[1:]

    def with_bend(self, bend: ArrayLike | None) -> ChainModel:
        """Return the chain with a different ``bend``."""
        side = None if bend is None else _direction_of(bend, "bend")
        return ChainModel._from_checked(**{**vars(self), "bend": side})

    def find_bend(self) -> Floats | None:
        """Return the mean direction of its bend, (3,) of length 1, off its ends' line.

        None when it is straight or a closed loop.
        """
        bend, points = zeros(3), buffer(self.positions.ravel().tolist())
        return np.array(bend) if find_bend(points, STRAIGHT, bend) else None

    @property
    def bone_count(self) -> int:
        """Number of bones n; there are n + 1 joints."""
        return len(self.parents) - 1

    @property
    def reach(self) -> float:
        """Sum of the bone lengths [scene unit]."""
        return float(self.bone_lengths.sum())


def _direction_of(bend: ArrayLike, what: str) -> Floats:
    """Return a direction at length 1, (3,)."""
    side = array_of(bend, (3,), what, ModelError)
    size = hypot(*side.tolist())
    if not 0.0 < size < LARGEST:
        raise ModelError(f"{what} must be a direction, not {shown(bend)}")
    return side / size


def path_lengths(parents: Sequence[int], lengths: Floats) -> Floats:
    """Return each joint's distance from the root along its parents, (n).

    ``lengths`` are the distances from joint to parent.
    """
    directions: Floats = lengths.copy()
    for j, parent in enumerate(parents[1:], 1):
        directions[j] += directions[parent]
    return directions


def find_joint(
    model: SkeletonModel,
    key: int | str,
    what: str,
    error: type[IkrigError] = SettingError,
) -> int:
    """Return the index of a joint from its name or index, negative from the end."""
    names = model.names
    matches = []
    if isinstance(key, str):
        matches = [i for i, name in enumerate(names) if name == key]
    elif is_whole(key):
        matches = [int(key) % len(names)] if -len(names) <= key < len(names) else []
    if len(matches) != 1:
        problem = "is the name of several joints" if matches else "is not a joint"
        raise error(
            f"{what}: {shown(key)} {problem} here; available: {name_list(names)} (0 "
            f"to {len(names) - 1})"
        )
    return matches[0]


def _parents(values: Sequence[int], names: Sequence[str]) -> tuple[int, ...]:
    given = entries(values)
    if given is None or not all(map(is_whole, given)):
        raise ModelError(f"parents must be whole numbers, not {shown(values)}")
    found = tuple(map(int, given))
    if len(found) != len(names):
        raise ModelError(f"parents has {len(found)} entries for {len(names)} joints")
    for j, parent in enumerate(found):
        if not (0 <= parent < j or (j == 0 and parent == -1)):
            raise ModelError(
                f"the parent of {names[j]} (joint {j}) is {parent}: it must be -1 for "
                "joint 0, and a smaller index than its own for every other joint"
            )
    return found


def _array(
    values: ArrayLike, width: int, what: str, names: Sequence[str] | None
) -> Floats:
    result = array_of(values, ("joints", width), what, ModelError, finite=False)
    if names is not None and len(result) != len(names):
        raise ModelError(f"{what} has {len(result)} rows for {len(names)} joints")
    within = np.abs(result) <= LARGEST
    if not within.all():
        bad = np.flatnonzero(~within.all(axis=1))
        row = result[bad[0]]
        name = names[bad[0]] if names else f"joint {bad[0]}"
        problem = f"beyond ±{LARGEST:g}" if np.isfinite(row).all() else "not finite"
        raise ModelError(f"{what} of {name} is {problem}: {row.tolist()}")
    return result


def _quaternions(values: ArrayLike, what: str, names: Sequence[str]) -> Floats:
    result = _array(values, 4, what, names)
    size = np.sqrt((result * result).sum(axis=1))
    bad = np.flatnonzero(size < 1e-9)
    if bad.size:
        raise ModelError(
            f"{what} of {names[bad[0]]} is a zero quaternion; the identity is (1, 0, "
            "0, 0)"
        )
    unit: Floats = result / size[:, None]
    return unit
