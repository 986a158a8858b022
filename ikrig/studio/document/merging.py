"""Merges the changes that two editors made to the same file."""

from __future__ import annotations

from ...formats.part import Values
from ...formats.rig_file import Part
from .edited_rig import same

_NONE = object()  # stands for a value that one side does not have


def merged(
    base: object, mine: object, theirs: object, *, keep_mine: bool = True
) -> object:
    """Return a content, as ``as_table`` has it, with the changes of both sides.

    Where both have changed the same, that of one side is kept.
    """
    return _Merge(keep_mine).merge(base, mine, theirs, ())


def conflicts(base: object, mine: object, theirs: object) -> list[str]:
    merge = _Merge(True)
    merge.merge(base, mine, theirs, ())
    return merge.conflicts


class _Merge:
    def __init__(self, keep_mine: bool) -> None:
        self.keep_mine = keep_mine
        self.conflicts: list[str] = []

    def merge(
        self, base: object, mine: object, theirs: object, path: tuple[str, ...]
    ) -> object:
        if same(mine, theirs) or same(base, theirs):
            return mine
        if same(base, mine):
            return theirs
        old, own, other = map(_entries, (base, mine, theirs))
        if own is None or other is None or own.get("kind") != other.get("kind"):
            self.conflicts.append(" ".join(path) or "the whole file")
            return mine if self.keep_mine else theirs
        old = old or {}
        # own order, unless only the other side has changed it
        first, second = own, other
        shared = [key for key in old if key in own and key in other]
        if [key for key in own if key in shared] == shared:
            first, second = other, own
        found = {
            key: self.merge(
                old.get(key, _NONE),
                own.get(key, _NONE),
                other.get(key, _NONE),
                (*path, str(key)),
            )
            for key in dict.fromkeys((*first, *second))
        }
        found = {key: value for key, value in found.items() if value is not _NONE}
        return Part(mine.name, found) if isinstance(mine, Part) else found


def _entries(value: object) -> Values | None:
    if isinstance(value, Part):
        return value.values
    return value if isinstance(value, dict) else None
