"""Checks the arguments of an arm, and prepares them for the kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import array_of, floats
from ...errors import SettingError, shown
from ...math3d.quaternion import Floats
from ...model.limits import FARTHEST

FINITE = 1e300


def limits(values: ArrayLike | None, default: float, name: str) -> Floats:
    """Return six limits, read-only; ``default`` for each when ``values`` is None."""
    given = np.full(6, default) if values is None else values
    result = array_of(given, (6,), name, SettingError, finite=False)
    result.flags.writeable = False
    return result


def array(values: ArrayLike, tail: tuple[int, ...], name: str) -> Floats:
    """Return the values as numbers whose last axes are ``tail``."""
    result = floats(values)
    if result is None or result.shape[-len(tail) :] != tail:
        shape = ", ".join(map(str, ("...", *tail)))
        raise SettingError(
            f"{name} must be numbers of shape ({shape}), not {shown(values)}"
        )
    return result


def pose_arguments(
    position: ArrayLike, rotation: ArrayLike, near: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """Return position (..., 3), rotation (..., 3, 3) and near (..., 6) as numbers."""
    return (
        array(position, (3,), "position"),
        array(rotation, (3, 3), "rotation"),
        array(near, (6,), "near"),
    )


def batch(
    position: ArrayLike, rotation: ArrayLike, near: ArrayLike
) -> tuple[tuple[int, ...], Floats, Floats]:
    """Return the leading shape, the poses (n, 12) and their nears (n, 6)."""
    p, r, n = pose_arguments(position, rotation, near)
    try:
        lead = np.broadcast_shapes(p.shape[:-1], r.shape[:-2], n.shape[:-1])
    except ValueError:
        raise SettingError(
            "position, rotation and near must have the same leading axes, not "
            f"{p.shape}, {r.shape} and {n.shape}"
        ) from None
    poses = np.empty((*lead, 12))
    poses[..., :3] = p
    poses[..., 3:] = r.reshape(*r.shape[:-2], 9)
    nears = np.empty((*lead, 6))
    nears[...] = n
    return lead, poses.reshape(-1, 12), nears.reshape(-1, 6)


def flat(values: NDArray[np.generic]) -> memoryview:
    """Return the numbers of an array as a flat buffer for kernels."""
    return values.reshape(-1).data


def find_bad(position: Floats, rotation: Floats, near: Floats) -> str:
    """Return an error message for a pose that is not one, or ""."""
    numbers = {"position": position, "rotation": rotation, "near": near}
    for name, values in numbers.items():
        if not (np.abs(values) < FINITE).all():
            return f"{name} is not finite: {values.tolist()}"
    if not (np.abs(near) <= FARTHEST).all():
        return f"near is beyond ±{FARTHEST:g}: {near.tolist()}"
    return f"rotation is not a rotation: {rotation.tolist()}"
