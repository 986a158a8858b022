"""What a solver knows of a chain before it solves: checked, read-only arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from .errors import ModelError
from .spatial import Floats

__all__ = ["ChainModel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ChainModel:
    """The start pose of a chain of n bones: n + 1 joints from the root to the tip.

    Everything is in root space, the coordinate system in which the chain is solved, and
    in the order root to tip. A bone is the segment between two joints.

    Args:
        positions: Joint positions, (n + 1, 3) [scene unit].
        rotations: Joint rotations, (n + 1, 4) w x y z. Default: none turned.
        frame_rotations: Rotation of the frame that each joint's local rotation is given
            in, (n + 1, 4). Default: the rotation of the joint before it. They differ
            only where something between two joints turns or mirrors the frame.
        names: Joint names for messages, n + 1. Default: "joint 0" and so on.

    Raises:
        ModelError: Names the joint, its value and what is wrong with it.
    """

    positions: Floats
    rotations: Floats
    frame_rotations: Floats
    names: tuple[str, ...]
    bone_lengths: Floats = field(repr=False)
    start_directions: Floats = field(repr=False)

    def __init__(
        self,
        positions: ArrayLike,
        *,
        rotations: ArrayLike | None = None,
        frame_rotations: ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        points = _array(positions, 3, "positions", None)
        count = len(points)
        if count < 2:
            raise ModelError(
                f"a chain needs at least 2 joints (1 bone), but positions has {count}"
            )
        labels = tuple(names or (f"joint {i}" for i in range(count)))
        if len(labels) != count:
            raise ModelError(f"names has {len(labels)} entries for {count} joints")
        if rotations is None:
            turns = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        else:
            turns = _quaternions(rotations, "rotations", labels)
        if frame_rotations is None:
            frames = np.vstack([[1.0, 0.0, 0.0, 0.0], turns[:-1]])
        else:
            frames = _quaternions(frame_rotations, "frame_rotations", labels)
        directions = np.diff(points, axis=0)
        lengths = np.linalg.norm(directions, axis=1)
        if not lengths.sum() > 0.0:
            raise ModelError(
                f"the chain {labels[0]} ... {labels[-1]} has no length: all of its "
                f"{count} joints are at {points[0].tolist()}"
            )
        for name, value in (
            ("positions", points),
            ("rotations", turns),
            ("frame_rotations", frames),
            ("bone_lengths", lengths),
            ("start_directions", directions),
        ):
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "names", labels)

    @property
    def bone_count(self) -> int:
        """Number of bones n; there are n + 1 joints."""
        return len(self.bone_lengths)

    @property
    def reach(self) -> float:
        """Sum of the bone lengths [scene unit]."""
        return float(self.bone_lengths.sum())


def _array(
    values: ArrayLike, width: int, what: str, names: Sequence[str] | None
) -> Floats:
    try:
        result = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"{what} must be numbers, (joints, {width}): {error}"
        ) from None
    if result.ndim != 2 or result.shape[1] != width:
        raise ModelError(
            f"{what} must have shape (joints, {width}), not {result.shape}"
        )
    if names is not None and len(result) != len(names):
        raise ModelError(f"{what} has {len(result)} rows for {len(names)} joints")
    bad = np.flatnonzero(~np.isfinite(result).all(axis=1))
    if bad.size:
        name = names[bad[0]] if names else f"joint {bad[0]}"
        raise ModelError(f"{what} of {name} is not finite: {result[bad[0]].tolist()}")
    return result


def _quaternions(values: ArrayLike, what: str, names: Sequence[str]) -> Floats:
    result = _array(values, 4, what, names)
    size = np.linalg.norm(result, axis=1)
    bad = np.flatnonzero(size < 1e-9)
    if bad.size:
        raise ModelError(
            f"{what} of {names[bad[0]]} is a zero quaternion; no turn is (1, 0, 0, 0)"
        )
    unit: Floats = result / size[:, None]
    return unit
