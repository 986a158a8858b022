"""Slow, obvious oracles that share no code with ikrig: matrices and the formulas."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation


def matrix(q) -> np.ndarray:
    """Rotation matrix of a quaternion w x y z, column vectors, by its definition."""
    return matrices(np.asarray(q, float)[None])[0]


def forward(model, rotations) -> np.ndarray:
    """Joint positions when each joint has the given root-space rotation."""
    now, start = matrices(rotations[:-1]), matrices(model.rotations[:-1])
    # a bone's direction in its own frame, then back to root space
    own = np.einsum("nji,nj->ni", start, model.start_directions)
    bones = np.einsum("nij,nj->ni", now, own)
    return model.positions[0] + np.vstack([np.zeros(3), np.cumsum(bones, axis=0)])


def forward_frames(model, rotations) -> np.ndarray:
    """``forward`` of many poses (f, n, 4) at once: positions (f, n, 3)."""
    rotations = np.asarray(rotations)
    frames, count, _ = rotations.shape
    now = matrices(rotations.reshape(-1, 4)).reshape(frames, count, 3, 3)[:, :-1]
    start = matrices(model.rotations[:-1])
    own = np.einsum("nji,nj->ni", start, model.start_directions)
    bones = np.einsum("fnij,nj->fni", now, own)
    ways = np.concatenate([np.zeros((frames, 1, 3)), bones.cumsum(axis=1)], axis=1)
    return model.positions[0] + ways


def matrices(quaternions) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4) w x y z."""
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    zero = np.zeros_like(w)
    k = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    return np.eye(3) + 2 * w[:, None, None] * k + 2 * k @ k


def axis_angle(axis, angle) -> np.ndarray:
    """Rodrigues' formula."""
    u = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def rotation_vector(v) -> np.ndarray:
    """Matrix of a turn about v by its length [rad]."""
    angle = float(np.linalg.norm(v))
    return axis_angle(v, angle) if angle > 0.0 else np.eye(3)


def from_to(a, b) -> np.ndarray:
    """Matrix of the smallest rotation from a to b (not for opposite directions)."""
    a, b = np.asarray(a) / np.linalg.norm(a), np.asarray(b) / np.linalg.norm(b)
    axis = np.cross(a, b)
    if np.linalg.norm(axis) < 1e-15:
        return np.eye(3)
    return axis_angle(axis, np.arctan2(np.linalg.norm(axis), a @ b))


def angle_between(p, q) -> float:
    """Angle [rad] of the rotation between two rotation matrices."""
    difference = np.asarray(p).T @ np.asarray(q)
    sine = np.linalg.norm(difference - difference.T) / np.sqrt(8)
    return float(np.arctan2(sine, (np.trace(difference) - 1) / 2))


def random_directions(rng, count: int, bend: float) -> np.ndarray:
    """Unit directions in which each differs from the last by about ``bend`` rad."""
    result = [unit(rng.normal(size=3))]
    while len(result) < count:
        result.append(unit(result[-1] + bend * rng.normal(size=3)))
    return np.array(result)


def unit(v) -> np.ndarray:
    """The vector at length 1."""
    return np.asarray(v, float) / np.linalg.norm(v)


def bent_positions(rng, lengths, bend: float = 0.4) -> np.ndarray:
    """Joint positions of a randomly bent chain from the origin."""
    steps = random_directions(rng, len(lengths), bend) * np.asarray(lengths)[:, None]
    return np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])


def in_ball(rng, radius: float, inner: float = 0.0) -> np.ndarray:
    """A point uniform in a ball, or in a thick shell."""
    r = (inner**3 + rng.random() * (radius**3 - inner**3)) ** (1 / 3)
    return r * unit(rng.normal(size=3))


def rotation(q) -> Rotation:
    """A rotation of w x y z."""
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def squared(v, axis) -> np.ndarray:
    """The part of a vector that is perpendicular to a unit axis."""
    return v - (v @ axis) * axis


def smooth(x: float) -> float:
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def blended(line, own, other, k: float) -> np.ndarray:
    """A side between two that are square to a line, past line x own if opposite."""
    k = smooth(k)
    apart = 0.5 * np.sum((own - other) ** 2)
    middle = k * (1.0 - k) * apart * np.cross(line, own)
    return (1.0 - k) * own + middle + k * other
