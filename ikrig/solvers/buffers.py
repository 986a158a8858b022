"""The buffers that a chain's kernel works on."""

from __future__ import annotations

from typing import Any

from ..kernels import buffer, index_buffer

__all__ = ["make_buffers"]


def make_buffers(n: int) -> dict[str, Any]:
    """Return the buffers of a chain of n bones by name, all zero but ``parent``."""
    sizes = {
        # the start pose
        "given": 10 * n + 10,
        "points": 3 * n + 3,
        "frames": 4 * n + 4,
        "inside": 5 * n + 5,
        "length": n,
        "rest": 3 * n + 3,
        "rest_dir": 3 * n,
        "rest_rot": 4 * n + 4,
        "mirror": 4 * n + 4,
        "frame": 8,
        # the pose
        "pos": 3 * n + 3,
        "old": 3 * n + 3,
        "places": 3 * n + 3,
        "dir": 3 * n,
        "swung": 4,
        "delta": 4 * n + 4,
        "wanted": 4 * n + 4,
        "rot": 4 * n + 4,
        "local": 4 * n + 4,
        "tip": 4,
        "scratch": 12,
        # the start pose as seen from the one that limits count from
        "limit_rot": 4 * n + 4,
        "posed": 4 * n + 4,
        "goal_turn": 4,
    }
    buffers: dict[str, Any] = {
        name: buffer([0.0] * size) for name, size in sizes.items()
    }
    buffers["parent"] = index_buffer(range(-1, n))
    return buffers
