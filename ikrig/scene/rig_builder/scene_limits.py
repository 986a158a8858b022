"""Joint limits of a rig file, by the joints of a scene."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import suggest
from ...formats.rig_file import Part, make_limit
from ...model.limits import Limit
from .error_reporter import LocatedError

__all__ = ["limits_by_joint"]


def limits_by_joint(part: Part, names: Sequence[str]) -> dict[str | int, Limit]:
    """Return the limits by joint; numbers that are no names are indices.

    Raises:
        LocatedError: A joint is none of the names.
    """
    limits: dict[str | int, Limit] = {}
    for name, entry in part.parts("limits").items():
        is_index = name not in names and name.lstrip("-").isdecimal()
        if name not in names and not is_index:
            text = f"limits: there is no joint {name!r} here: {suggest(name, names)}"
            raise LocatedError(entry.positions[""], text)
        limits[int(name) if is_index else name] = make_limit(entry)
    return limits
