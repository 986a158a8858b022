"""Rotations as matrices, quaternions (w x y z) and angles, many at once, in numpy."""

from __future__ import annotations

import numpy as np


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of quaternions (..., 4)."""
    q = np.asarray(quaternions, float)
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternions(matrices: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of rotation matrices (..., 3, 3)."""
    m = np.moveaxis(np.asarray(matrices, float), (-2, -1), (0, 1))
    (a, b, c), (d, e, f), (g, h, i) = m
    rows = [
        [a + e + i, h - f, c - g, d - b],
        [h - f, a - e - i, b + d, c + g],
        [c - g, b + d, e - a - i, f + h],
        [d - b, c + g, f + h, i - a - e],
    ]
    k = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    # the eigenvector that belongs to the largest eigenvalue
    return np.linalg.eigh(k)[1][..., -1]


def about(axes: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Quaternions (..., n, 4) of angles (..., n) about unit axes (n, 3)."""
    half = 0.5 * np.asarray(angles, float)[..., None]
    return np.concatenate([np.cos(half), np.sin(half) * axes], axis=-1)


def from_xyz(angles: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of turns about x, then the new y, then the new z."""
    (cx, cy, cz), (sx, sy, sz) = (
        np.moveaxis(f(0.5 * np.asarray(angles, float)), -1, 0) for f in (np.cos, np.sin)
    )
    parts = [
        cx * cy * cz - sx * sy * sz,
        sx * cy * cz + cx * sy * sz,
        cx * sy * cz - sx * cy * sz,
        cx * cy * sz + sx * sy * cz,
    ]
    return np.stack(parts, axis=-1)


def angles_xyz(quaternions: np.ndarray) -> np.ndarray:
    """Turns (..., 3) about x, the new y and the new z: ``from_xyz`` backwards."""
    m = matrices(quaternions)
    x = np.arctan2(-m[..., 1, 2], m[..., 2, 2])
    y = np.arcsin(np.clip(m[..., 0, 2], -1, 1))
    z = np.arctan2(-m[..., 0, 1], m[..., 0, 0])
    return np.stack([x, y, z], axis=-1)


def balls_through(points: np.ndarray) -> np.ndarray:
    """Local rotations (n, 4) that lead bones along z through points (n + 1, 3)."""
    result, frame = [], np.eye(3)
    for bone in np.diff(points, axis=0):
        x, y, z = frame.T @ (bone / np.linalg.norm(bone))
        # the smallest turn from z to the bone; a bone right behind turns about x
        turn = np.array([1 + z, -y, x, 0.0]) if z > -1 + 1e-12 else np.eye(4)[1]
        result.append(turn / np.linalg.norm(turn))
        frame = frame @ matrices(result[-1])
    return np.array(result)
