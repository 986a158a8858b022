"""The methods of the published FABRIK experiment as textbooks give them, in numpy.

They are here for their iterations, on chains of free balls; their times are numpy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .candidate import Candidate, Solve
from .rotations import balls_through
from .work import PeerWork

PUBLISHED = {
    "FABRIK": 15.5,
    "CCD": 26.3,
    "transpose": 1311.0,
    "DLS": 999.0,
    "SVD-DLS": 809.0,
}
"""Mean iterations in the published table; cited second-hand."""

MOST = 3000
"""Iterations allowed: these are slow methods."""

Step = Callable[[np.ndarray, np.ndarray], np.ndarray]


def fabrik(points: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """One pass from the goal to the root and one back; bones of length 1."""
    points = points.copy()
    root = points[0].copy()
    last = len(points) - 1
    points[last] = goal
    for i in range(last - 1, -1, -1):
        bone = points[i] - points[i + 1]
        points[i] = points[i + 1] + bone / np.sqrt(bone @ bone)
    points[0] = root
    for i in range(1, last + 1):
        bone = points[i] - points[i - 1]
        points[i] = points[i - 1] + bone / np.sqrt(bone @ bone)
    return points


def ccd(points: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Turn each joint, the last one first, so that the tip points at the goal."""
    points = points.copy()
    for i in range(len(points) - 2, -1, -1):
        a, b = points[-1] - points[i], goal - points[i]
        normal = np.cross(a, b)
        sine, cosine = np.sqrt(normal @ normal), a @ b
        if sine > 1e-12:
            turn = _turns((normal * (np.arctan2(sine, cosine) / sine))[None])[0]
            points[i + 1 :] = points[i] + (points[i + 1 :] - points[i]) @ turn.T
    return points


def transpose(points: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Jacobian transpose with the step that is best for the linear problem."""
    jacobian, error = _jacobian(points), goal - points[-1]
    turns = jacobian.T @ error
    moved = jacobian @ turns
    size = moved @ moved
    return _turned(points, turns * (error @ moved / size if size else 0.0))


def dls(points: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Damped least squares, damping 1."""
    jacobian, error = _jacobian(points), goal - points[-1]
    square = jacobian @ jacobian.T + np.eye(3)
    return _turned(points, jacobian.T @ np.linalg.solve(square, error))


def svd_dls(points: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Damped least squares through the singular values, damping 1."""
    u, s, vt = np.linalg.svd(_jacobian(points), full_matrices=False)
    error = goal - points[-1]
    return _turned(points, vt.T @ (s / (s * s + 1.0) * (u.T @ error)))


def _jacobian(points: np.ndarray) -> np.ndarray:
    # a joint that turns by w moves the tip by w × arm
    x, y, z = (points[-1] - points[:-1]).T
    o = np.zeros_like(x)
    rows = np.array([[o, z, -y], [-z, o, x], [y, -x, o]])
    return rows.transpose(0, 2, 1).reshape(3, -1)


def _turned(points: np.ndarray, turns: np.ndarray) -> np.ndarray:
    # a bone is turned by the joints up to its own; no joint by more than 1/2 rad
    turns = turns.reshape(-1, 3)
    most = np.sqrt((turns * turns).sum(axis=1).max())
    turns = turns * min(1.0, 0.5 / most) if most > 0 else turns
    bones = np.diff(points, axis=0)
    bones = np.einsum("nij,nj->ni", _turns(np.cumsum(turns, axis=0)), bones)
    return np.vstack([points[:1], points[0] + np.cumsum(bones, axis=0)])


def _turns(vectors: np.ndarray) -> np.ndarray:
    # Rodrigues' formula
    angle = np.sqrt((vectors * vectors).sum(axis=1))
    x, y, z = vectors.T / np.where(angle > 0, angle, 1.0)
    o = np.zeros_like(x)
    k = np.array([[o, -z, y], [z, o, -x], [-y, x, o]]).transpose(2, 0, 1)
    sine, versed = np.sin(angle)[:, None, None], (1 - np.cos(angle))[:, None, None]
    return np.eye(3) + sine * k + versed * (k @ k)


def _builder(step: Step) -> Callable[[PeerWork], Solve]:
    def build(work: PeerWork) -> Solve:
        firsts = [work.points(start) for start in work.starts]
        targets = work.goals[:, 0, :3, 3]

        def solve(k: int) -> tuple[np.ndarray, int]:
            points, target = firsts[k], targets[k]
            iterations = 0
            while iterations < MOST:
                gap = target - points[-1]
                if gap @ gap <= work.tolerance**2:
                    break
                points = step(points, target)
                iterations += 1
            return points, iterations

        return solve

    return build


def read(work: PeerWork, points: Any) -> np.ndarray:
    """Return the pose of a chain through the points."""
    return balls_through(points)


CANDIDATES = [
    Candidate(f"textbook {name}", _builder(step), read=read, published=PUBLISHED[name])
    for name, step in (
        ("FABRIK", fabrik),
        ("CCD", ccd),
        ("transpose", transpose),
        ("DLS", dls),
        ("SVD-DLS", svd_dls),
    )
]
