"""Copying of objects: read-only ones return themselves, stateful ones raise.

``copy.copy``, ``copy.deepcopy`` and ``pickle`` would otherwise share a kernel between
two solvers, and return writable copies of checked data.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NoReturn, TypeVar

import numpy as np

from .errors import CopyError

Self = TypeVar("Self", bound="ReadOnly")


class ReadOnly:
    """A frozen dataclass that is its own copy; pickled, its arrays stay read-only."""

    def __copy__(self: Self) -> Self:
        """Return itself: nobody can change it."""
        return self

    def __deepcopy__(self: Self, memo: object) -> Self:
        """Return itself: nobody can change it."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, without what was computed from them."""
        # of a mixin mypy does not know that it is a dataclass
        found: Any = self
        return {field.name: getattr(self, field.name) for field in fields(found)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the fields over."""
        keep(self, state)


def keep(record: Any, values: dict[str, Any]) -> None:
    """Set the fields of a frozen dataclass; its arrays can then only be read."""
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        object.__setattr__(record, name, value)


class Uncopied:
    """Works on memory or a thread of its own, which a copy would share."""

    instead = "make another one of the same model instead"
    """What to do, for the message."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be copied or pickled.

        Raises:
            CopyError: Always.
        """
        raise CopyError(
            f"a {type(self).__name__} works on memory of its own, which a copy would "
            f"share: {self.instead}"
        )
