"""The buffers that a chain's kernel works on, and the door to them."""

from __future__ import annotations

from typing import Any

from ..checks import floats
from ..errors import ModelError, shown
from ..kernels import buffer, index_buffer

__all__ = ["fill", "make_buffers", "reader"]


def fill(target: Any, values: Any, what: str) -> None:
    """Copy numbers into a buffer, which must have room for exactly so many.

    Args:
        target: The buffer.
        values: Numbers, flat. An array of ``kernels.buffer`` is copied as it is.
        what: What they are, for the message.

    Raises:
        ModelError: They are no numbers, or not so many.
    """
    # while it is looked at it can't change its length, whether a kernel holds it or not
    held = memoryview(target)
    try:
        target[:] = values
    except (BufferError, TypeError):
        found = floats(values)
        if found is None or found.shape != (len(held),):
            raise ModelError(
                f"{what} must be {len(held)} numbers, flat, not {shown(values)}"
            ) from None
        target[:] = buffer(found.tolist())


def reader(target: Any) -> Any:
    """Return a buffer to look at: live, but nobody can write to it or resize it."""
    return memoryview(target).toreadonly()


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
