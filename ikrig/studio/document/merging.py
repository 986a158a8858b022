"""Merges the changes that two editors made to the same file."""

from __future__ import annotations

from ...formats.part import Values
from ...formats.rig_file import Part
from .edited_rig import same

_NONE = object()  # stands for a value that one side does not have


def merge(
    base: object,
    mine: object,
    theirs: object,
    *,
    keep_mine: bool = True,
    path: tuple[str, ...] = (),
) -> tuple[object, list[str]]:
    """Return a content, as ``as_table`` has it, with the changes of both sides.

    Where both have changed the same, that of one side is kept; it is also listed.
    """
    if same(mine, theirs) or same(base, theirs):
        return mine, []
    if same(base, mine):
        return theirs, []
    old, own, other = map(_entries, (base, mine, theirs))
    if own is None or other is None or own.get("kind") != other.get("kind"):
        return mine if keep_mine else theirs, [" ".join(path) or "the whole file"]
    old = old or {}
    # own order, unless only the other side has changed it
    first, second = own, other
    shared = [key for key in old if key in own and key in other]
    if [key for key in own if key in shared] == shared:
        first, second = other, own
    found, conflicts = {}, []
    for key in dict.fromkeys((*first, *second)):
        sides = (side.get(key, _NONE) for side in (old, own, other))
        below = (*path, str(key))
        value, more = merge(*sides, keep_mine=keep_mine, path=below)
        conflicts += more
        if value is not _NONE:
            found[key] = value
    return Part(mine.name, found) if isinstance(mine, Part) else found, conflicts


def _entries(value: object) -> Values | None:
    if isinstance(value, Part):
        return value.values
    return value if isinstance(value, dict) else None
