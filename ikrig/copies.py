"""Copying of objects: read-only ones return themselves, stateful ones refuse.

Otherwise ``copy.copy``, ``copy.deepcopy`` and ``pickle`` would make solvers share a
kernel, and checked data writable.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NoReturn, TypeVar

import numpy as np

from .errors import CopyError

Self = TypeVar("Self", bound="ReadOnly")


class ReadOnly:
    """A frozen dataclass that is its own copy; unpickled, its arrays are read-only."""

    def __copy__(self: Self) -> Self:
        """Return itself: it is immutable."""
        return self

    def __deepcopy__(self: Self, memo: object) -> Self:
        """Return itself: it is immutable."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, without cached properties."""
        # mypy does not know that a mixin is a dataclass
        found: Any = self
        return {field.name: getattr(self, field.name) for field in fields(found)}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Restore the fields, with read-only arrays."""
        keep(self, state)


def keep(record: object, values: dict[str, object]) -> None:
    """Set the fields of a frozen dataclass and make its arrays read-only."""
    for value in values.values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    vars(record).update(values)


class Uncopied:
    """An object with memory or a thread that a copy would share."""

    __slots__ = ()
    _instead = "create another one instead"
    """The fix, for the message."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be copied or pickled.

        Raises:
            CopyError: Always.
        """
        raise CopyError(
            f"{type(self).__name__} objects can't be copied or pickled, because a copy "
            f"would share their memory: {self._instead}"
        )
