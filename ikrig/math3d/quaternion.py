"""Quaternions and poses at set-up time, with numpy, and the conventions for them.

* Column vectors; quaternions are Hamilton's, order w, x, y, z, and active rotations:
  ``multiply(a, b)`` rotates by b first, then by a. (Panda3D has row vectors, and its
  ``a * b`` rotates by a first; only ``ikrig.scene.ik.node_transforms`` converts.)
* Angles in radians, lengths in scene units.
* Root space is the coordinate system of a chain's root: the parent of its first joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import array_of
from ..errors import ModelError, SettingError, shown

Floats = NDArray[np.float64]


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the rotation b followed by a, (..., 4)."""
    p, q = np.asarray(a, float), np.asarray(b, float)
    if p.shape == q.shape == (4,):
        # numpy's cross product takes as long as a solve
        (w, x, y, z), (s, i, j, k) = p.tolist(), q.tolist()
        return np.array(
            (
                w * s - (x * i + y * j + z * k),
                w * i + s * x + (y * k - z * j),
                w * j + s * y + (z * i - x * k),
                w * k + s * z + (x * j - y * i),
            )
        )
    w, v = p[..., :1], p[..., 1:]
    s, u = q[..., :1], q[..., 1:]
    scalar = w * s - (v * u).sum(axis=-1, keepdims=True)
    return np.concatenate([scalar, w * u + s * v + np.cross(v, u)], axis=-1)


def conjugate(q: ArrayLike) -> Floats:
    """Return the inverse of a unit quaternion, (..., 4)."""
    return np.asarray(q, float) * [1.0, -1.0, -1.0, -1.0]


def unit_rotations(values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return normalised quaternions of this shape.

    Raises:
        ModelError: They are not finite numbers of this shape, or one has no length.
    """
    q = array_of(values, shape, "rotations", ModelError)
    with np.errstate(over="ignore"):
        sizes = np.linalg.norm(q, axis=-1, keepdims=True)
    if not ((sizes > 1e-9) & (sizes < np.inf)).all():
        raise ModelError(f"rotations must be quaternions, not {shown(values)}")
    # a unit quaternion, up to rounding, stays to the last digit
    unit: Floats = q / np.where(np.abs(sizes - 1.0) < 1e-12, 1.0, sizes)
    return unit


def rotate(q: ArrayLike, v: ArrayLike) -> Floats:
    """Rotate vectors (..., 3) by unit quaternions (..., 4)."""
    r, x = np.asarray(q, float), np.asarray(v, float)
    if r.shape == (4,) and x.shape == (3,):
        (w, a, b, c), (i, j, k) = r.tolist(), x.tolist()
        d, e, f = 2.0 * (b * k - c * j), 2.0 * (c * i - a * k), 2.0 * (a * j - b * i)
        return np.array(
            (
                i + w * d + (b * f - c * e),
                j + w * e + (c * d - a * f),
                k + w * f + (a * e - b * d),
            )
        )
    twice = 2.0 * np.cross(r[..., 1:], x)
    turned: Floats = x + r[..., :1] * twice + np.cross(r[..., 1:], twice)
    return turned


def from_to(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the smallest rotation that turns direction a onto direction b, (4,).

    For opposite directions the axis is a fixed perpendicular of a; directions need not
    be of unit length, and one without length gives the identity.
    """
    x, y = np.array(a, float), np.array(b, float)
    sizes = np.linalg.norm(x), np.linalg.norm(y)
    if min(sizes) < 1e-300:
        return np.array([1.0, 0.0, 0.0, 0.0])
    x, y = x / sizes[0], y / sizes[1]
    q = np.array([0.5 * ((x + y) @ (x + y)), *np.cross(x, y)])
    if np.linalg.norm(q) < 1e-15:
        q = np.array([0.0, *np.cross(x, np.eye(3)[np.abs(x).argmin()])])
    unit: Floats = q / np.linalg.norm(q)
    return unit


def about(axis: ArrayLike, angle: float) -> Floats:
    """Return the rotation about an axis of any length by an angle [rad], (4,)."""
    x = np.asarray(axis, float)
    part = sin(0.5 * angle) / max(float(np.linalg.norm(x)), 1e-300)
    return np.array([cos(0.5 * angle), *(part * x)])


def between(a: Floats, b: Floats, part: float) -> Floats:
    """Return a rotation between two, by the shorter way, (4,)."""
    mixed = a + part * ((b if a @ b >= 0.0 else -b) - a)
    unit: Floats = mixed / max(float(np.linalg.norm(mixed)), 1e-300)
    return unit


def to_matrix(q: Sequence[float]) -> Floats:
    """Return the matrix (3, 3), column vectors, of a unit quaternion (4,)."""
    w, x, y, z = q
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def from_matrix(matrix: ArrayLike) -> Floats:
    """Return quaternions of proper rotation matrices (..., 3, 3), column vectors.

    Shepperd's method: the largest of the four components comes first.
    """
    m = np.asarray(matrix, float)
    x, y, z = (m[..., i, i] for i in range(3))
    a, b, c = (m[..., k, j] - m[..., j, k] for j, k in ((1, 2), (2, 0), (0, 1)))
    d, e, f = (m[..., j, k] + m[..., k, j] for j, k in ((0, 1), (0, 2), (1, 2)))
    # four times the products of each component with all
    rows = [
        [1.0 + (x + y + z), a, b, c],
        [a, 1.0 + x - y - z, d, e],
        [b, d, 1.0 + y - x - z, f],
        [c, e, f, 1.0 + z - x - y],
    ]
    table = np.moveaxis(np.array(rows), (0, 1), (-2, -1))
    largest = np.diagonal(table, axis1=-2, axis2=-1).argmax(axis=-1)
    q = np.take_along_axis(table, largest[..., None, None], axis=-2)[..., 0, :]
    unit: Floats = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return unit


def from_rpy(angles: Sequence[float]) -> Floats:
    """Return the quaternion Rz(yaw) Ry(pitch) Rx(roll) of (roll, pitch, yaw) [rad]."""
    roll, pitch, yaw = (about(np.eye(3)[k], angle) for k, angle in enumerate(angles))
    return multiply(yaw, multiply(pitch, roll))


def rotation_from_ypr(yaw: ArrayLike, pitch: ArrayLike, roll: ArrayLike) -> Floats:
    """Return Rz(yaw) Ry(pitch) Rx(roll) as matrices (..., 3, 3), column vectors.

    Roll comes first, about x, then pitch about y, then yaw about z, all [rad], about
    fixed axes; numbers or arrays of one shape (...).

    Raises:
        SettingError: Names the angle that is not finite or not a number.
    """
    given = {"yaw": yaw, "pitch": pitch, "roll": roll}
    arrays = [array_of(a, ("...",), name, SettingError) for name, a in given.items()]
    try:
        y, p, r = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise SettingError(
            f"yaw, pitch and roll must have the same shape, not {shapes}"
        ) from None
    cy, sy, cp, sp, cr, sr = (f(a) for a in (y, p, r) for f in (np.cos, np.sin))
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
