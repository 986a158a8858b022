"""Reads and replaces values of a rig file by path, without changing them in place.

A path goes through keys and names: ("chains", "arm", "limits", "elbow", "range"). All
that is off the path is shared between the old parts and the new ones, so that a history
of thousands of states costs little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import SettingError, suggest
from ...formats.rig_file import Part
from ...formats.rig_file.sections import FILE
from ...records import Choice, Field, Named, Record
from ...value_shapes import Value, checked

Path = Sequence[str]


def value(part: Part, path: Path, default: object = None) -> Value:
    current = part
    for key in path:
        held = current.values if isinstance(current, Part) else current
        if not isinstance(held, Mapping) or key not in held:
            return default
        current = held[key]
    return current


def replaced(part: Part, path: Path, new: object) -> Part:
    result: Part = _replaced(part, list(path), new)
    return result


def _replaced(current: Value, path: list[str], new: object) -> Value:
    if not path:
        return new
    key, *rest = path
    is_part = isinstance(current, Part)
    held = dict(current.values if is_part else current or {})
    below = held.get(key)
    if below is None and rest and not is_part:
        below = Part(key)
    changed = _replaced(below, rest, new)
    # a section without entries is removed
    if changed is None or (isinstance(changed, dict) and not changed):
        held.pop(key, None)
    else:
        held[key] = changed
    return Part(current.name, held) if is_part else held


def same(one: object, other: object) -> bool:
    if one is other:
        return True
    if isinstance(one, Part) and isinstance(other, Part):
        return one.name == other.name and same(one.values, other.values)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    return type(one) is type(other) and bool(one == other)


def record_at(part: Part, path: Path) -> Record:
    record, left = FILE, list(path)
    done: list[str] = []
    while left:
        named = _named(record, left[0], done)
        if len(left) < 2 or isinstance(named.item, Field):
            raise SettingError(f"{' '.join(path)} is not an entry of a rig file")
        done += left[:2]
        entry = value(part, done)
        if not isinstance(entry, Part):
            names = value(part, done[:-1], {})
            raise SettingError(f"there is no {left[1]!r}: {suggest(left[1], names)}")
        item = named.item
        if isinstance(item, Choice):
            item = item.kinds[entry.values["kind"]]
        record, left = item, left[2:]
    return record


def field_at(part: Part, path: Path) -> Field:
    *above, key = path
    if len(above) % 2 and len(above) > 1:
        # the entry is a value itself: ("behaviours", "gaze", "joints", "Neck")
        named = _named(record_at(part, above[:-1]), above[-1], above[:-1])
        if isinstance(named.item, Field):
            return named.item
    record = record_at(part, above)
    field = record.fields.get(key)
    if not isinstance(field, Field):
        fields = [name for name, f in record.fields.items() if isinstance(f, Field)]
        raise SettingError(
            f"{record.what} has no value {key!r}: {suggest(key, fields)}"
        )
    return field


def checked_value(part: Part, path: Path, new: object) -> Value:
    """Return a value in the form of the rig file; angles are in radians."""
    field = field_at(part, path)
    return checked(field.shape, new, " ".join(path), SettingError)


def _named(record: Record, key: str, done: Sequence[str]) -> Named:
    field = record.fields.get(key)
    if not isinstance(field, Named):
        names = [name for name, f in record.fields.items() if isinstance(f, Named)]
        raise SettingError(
            f"{' '.join(done) or 'the file'} has no section {key!r}: "
            f"{suggest(key, names)}"
        )
    return field
