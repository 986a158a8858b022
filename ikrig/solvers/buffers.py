"""Buffers that kernels work on, and read-only access to them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any, overload

from ..checks import floats
from ..errors import ModelError, shown
from ..kernels import COMPILED, buffer, index_buffer, zeros

NONE: Mapping[str, Any] = MappingProxyType({})


class Block(Mapping[str, object]):
    """Named buffers in one piece of memory, and whole numbers in another.

    A buffer is a view: what is written to it is what kernels see, and nothing can
    change its length. Interpreted kernels index lists, one for each name.

    Args:
        sizes: The length of each buffer of numbers, all zero.
        whole: Buffers of whole numbers, by name.
        aliases: Further names of buffers.
        fixed: Whole numbers that nothing changes, which blocks with the same share.
    """

    __slots__ = ("_memories", "_places")

    def __init__(
        self,
        sizes: Mapping[str, int],
        whole: Mapping[str, Sequence[int]] = NONE,
        aliases: Mapping[str, str] = NONE,
        fixed: Mapping[str, Sequence[int]] = NONE,
    ) -> None:
        counts = (
            tuple((name, len(values)) for name, values in buffers.items())
            for buffers in (whole, fixed)
        )
        self._places = _places(tuple(sizes.items()), *counts, tuple(aliases.items()))
        self._memories: Any
        if COMPILED:
            self._memories = (
                memoryview(zeros(sum(sizes.values()))),  # type: ignore[arg-type]
                _numbers(chain(*whole.values())) if whole else _shared(()),
                _shared(tuple(chain(*fixed.values()))),
            )
        else:
            lists: dict[str, object] = {
                name: zeros(count) for name, count in sizes.items()
            }
            for name, values in (*whole.items(), *fixed.items()):
                lists[name] = index_buffer(values)
            lists.update((name, lists[of]) for name, of in aliases.items())
            self._memories = lists

    def __getitem__(self, name: str) -> Any:
        if not COMPILED:
            return self._memories[name]
        memory, place = self._places[name]
        return self._memories[memory][place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _numbers(values: Iterable[int]) -> memoryview:
    return memoryview(index_buffer(values))  # type: ignore[arg-type]


_shared = lru_cache(256)(_numbers)


@lru_cache(256)
def _places(
    *parts: tuple[tuple[str, Any], ...],
) -> Mapping[str, tuple[int, slice]]:
    """Return where each buffer is: the memory, and the slice of it."""
    found: dict[str, tuple[int, slice]] = {}
    for memory, sizes in enumerate(parts[:-1]):
        start = 0
        for name, count in sizes:
            found[name] = memory, slice(start, start + count)
            start += count
    found.update((name, found[of]) for name, of in parts[-1])
    return found


def fill(target: MutableSequence[float], values: object, what: str) -> None:
    """Copy numbers into a buffer of the same length.

    Args:
        target: The buffer.
        values: Numbers, flat; an array of doubles is copied as it is.
        what: Name of the values, for the message.
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
        if isinstance(i, slice):
            return [self._values[k] for k in self._places[i]]
        return self._values[self._places[i]]

    def __len__(self) -> int:
        return len(self._places)


def reader(target: Any, start: int = 0) -> Sequence[float]:
    """Return a read-only, live view of a buffer from an index on."""
    if isinstance(target, list):
        return Reader(target, start)
    view = memoryview(target)[start:].toreadonly()
    seen: Sequence[float] = view
    return seen
