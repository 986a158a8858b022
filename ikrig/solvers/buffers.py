"""A chain's start pose as the numbers that its kernel works on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import buffer
from ..model import ChainModel
from ..spatial import Floats, conjugate, multiply

__all__ = ["make_buffers", "start_values"]


def make_buffers(model: ChainModel) -> dict[str, Any]:
    """Return the buffers of a kernel by name: the start pose's, and zeros."""
    n = model.bone_count
    sizes = {
        "pos": 3 * n + 3,
        "old": 3 * n + 3,
        "places": 3 * n + 3,
        "dir": 3 * n,
        "delta": 4 * n + 4,
        "wanted": 4 * n + 4,
        "rot": 4 * n + 4,
        "local": 4 * n + 4,
        "tip": 4,
        "scratch": 12,
    }
    values = start_values(model)
    values.update((name, [0.0] * size) for name, size in sizes.items())
    return {name: buffer(numbers) for name, numbers in values.items()}


def start_values(model: ChainModel) -> dict[str, list[float]]:
    """Return the numbers of a start pose by the name of their buffer."""
    lengths = model.bone_lengths
    unit = np.divide(
        model.start_directions,
        lengths[:, None],
        out=np.zeros((model.bone_count, 3)),
        where=lengths[:, None] > 0.0,
    )
    # from each joint's predecessor to the frame that the joint's rotation is given in
    before = np.vstack([[1.0, 0.0, 0.0, 0.0], model.rotations[:-1]])
    mirror = multiply(conjugate(before), model.frame_rotations)
    turned = float(np.abs(np.abs(mirror[1:, 0]) - 1.0).max() > 1e-9)
    return {
        "length": lengths.tolist(),
        "rest": (model.positions - model.positions[0]).ravel().tolist(),
        "rest_dir": unit.ravel().tolist(),
        "rest_rot": model.rotations.ravel().tolist(),
        "mirror": mirror.ravel().tolist(),
        "frame": [*np.concatenate(start_bend(model.positions)).tolist(), turned],
    }


def start_bend(positions: Floats) -> tuple[Floats, Floats]:
    """Return the unit chord of joint positions and the unit direction they bend in.

    A straight chain bends towards root space's +Y, the way Panda3D's nodes face, or +X
    when it runs along Y.
    """
    rest = positions - positions[0]
    reach = np.linalg.norm(np.diff(positions, axis=0), axis=1).sum()
    chord = rest[-1].copy()
    if np.linalg.norm(chord) < 1e-9 * reach:
        # a closed loop has no chord: take the joint farthest from the root
        chord = rest[np.linalg.norm(rest, axis=1).argmax()].copy()
    chord /= np.linalg.norm(chord)
    off_line = rest - np.outer(rest @ chord, chord)
    bend = off_line.sum(axis=0)
    if np.linalg.norm(bend) < 1e-6 * reach:
        bend = off_line[np.linalg.norm(off_line, axis=1).argmax()]
    if np.linalg.norm(bend) < 1e-6 * reach:
        axis = [1.0, 0.0, 0.0] if abs(chord[1]) > 0.99 else [0.0, 1.0, 0.0]
        bend = np.array(axis) - np.dot(axis, chord) * chord
    bend = bend - (bend @ chord) * chord
    return chord, bend / np.linalg.norm(bend)
