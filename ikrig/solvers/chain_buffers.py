"""The buffers of a chain's kernel, and read-only access to them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, overload

from ..checks import floats
from ..errors import ModelError, shown
from ..kernels import buffer, index_buffer, zeros


def fill(target: Any, values: Any, what: str) -> None:
    """Copy numbers into a buffer of the same length.

    Args:
        target: The buffer.
        values: Numbers, flat; an array of doubles is copied as it is.
        what: Name of the values, for the message.

    Raises:
        ModelError: They are not numbers, or not as many as the buffer has.
    """
    count = len(target)
    if isinstance(values, array) and values.typecode == "d" and len(values) == count:
        target[:] = values
        return
    found = floats(values)
    if found is None or found.shape != (count,):
        raise ModelError(f"{what} must be {count} numbers, flat, not {shown(values)}")
    target[:] = buffer(found.tolist())


class Reader(Sequence[float]):
    """A read-only, live view of a list.

    Args:
        values: The list.
        start: Index at which the view begins.
    """

    def __init__(self, values: Sequence[float], start: int) -> None:
        self._values, self._places = values, range(start, len(values))

    @overload
    def __getitem__(self, i: int) -> float: ...

    @overload
    def __getitem__(self, i: slice) -> list[float]: ...

    def __getitem__(self, i: int | slice) -> float | list[float]:
        """Return a value, or those of a slice."""
        if isinstance(i, slice):
            return [self._values[k] for k in self._places[i]]
        return self._values[self._places[i]]

    def __len__(self) -> int:
        """Return the number of values that can be read."""
        return len(self._places)


def reader(target: Any, start: int = 0) -> Sequence[float]:
    """Return a read-only, live view of a buffer from an index on."""
    if isinstance(target, list):
        return Reader(target, start)
    view: Any = memoryview(target)[start:].toreadonly()
    seen: Sequence[float] = view
    return seen


def make_buffers(n: int) -> dict[str, Any]:
    """Return the buffers of a chain of n bones by name, all zero but ``parent``."""
    sizes = {
        # the start pose
        "local_trs": 10 * n + 10,
        "points": 3 * n + 3,
        "frames": 4 * n + 4,
        "child_frame": 5 * n + 5,
        "length": n,
        "rest": 3 * n + 3,
        "rest_dir": 3 * n,
        "rest_rot": 4 * n + 4,
        "mirror": 4 * n + 4,
        "frame": 8,
        "tip_offset": 3,
        # the pose
        "pos": 3 * n + 3,
        "prev_pos": 3 * n + 3,
        "joint_pos": 3 * n + 3,
        "dir": 3 * n,
        "swing_rot": 4,
        "delta_rot": 4 * n + 4,
        "solved_rot": 4 * n + 4,
        "rot": 4 * n + 4,
        "local": 4 * n + 4,
        "tip": 4,
        "scratch": 12,
        # rotations of the pose that limits refer to, and from there to the start pose
        "limit_rot": 4 * n + 4,
        "rest_to_anim": 4 * n + 4,
        "goal_rot": 4,
    }
    buffers: dict[str, Any] = {name: zeros(size) for name, size in sizes.items()}
    buffers["parent"] = index_buffer(range(-1, n))
    return buffers
