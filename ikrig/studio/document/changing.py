"""The commands that change, rename, reorder and remove parts of a rig.

Each takes a rig and a skeleton and returns the changed rig. Nothing is changed in
place; a change that would make the rig invalid raises an error first. Values are as in
rig files: angles in radians, lengths in the rig's unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import BindError, SettingError, suggest
from ...formats.rig_file import Part, make_limit
from ...model.limits import COUPLING
from ...value_shapes import JOINT
from .edit import SECTIONS, Edit, Selection, free_name
from .part_paths import checked_value, field_at, record_at, replaced, value
from .rig_bones import bones_of, held_limits, holders_of, takes_limits, turning_of
from .skeleton_info import SkeletonInfo


def set_value(
    parts: Part, skeleton: SkeletonInfo, path: Sequence[str], new: object
) -> Edit:
    """Set a value of an entry, such as ``("chains", "arm", "weight")``."""
    kept = checked_value(parts, path, new)
    *_, name, key = path
    if field_at(parts, path).shape == JOINT:
        skeleton.check(kept)
    for one, other in record_at(parts, path[:-1]).exclusive:
        if key in (one, other):
            away = other if key == one else one
            parts = replaced(parts, (*path[:-1], away), None)
    changed = replaced(parts, path, kept)
    if path[0] in ("chains", "trees") and key in ("leaf", "root_joint", "chain_length"):
        bones = bones_of(changed, skeleton, path[0], path[1])
        limits = parts.parts(path[0])[path[1]].parts("limits")
        for joint in limits.keys() - held_limits(limits, bones).keys():
            changed = replaced(changed, (*path[:2], "limits", joint), None)
    if path[0] == "chains" and key in ("weight", "target"):
        changed = woken(changed, path[1])
    limit = value(changed, path[:-1])
    if "limits" in path and isinstance(limit, Part) and "kind" in limit.values:
        # raises an error if its values don't fit each other
        make_limit(limit)
    return Edit(f"Set {key} of {name}", changed)


def woken(parts: Part, chain: str) -> Part:
    return replaced(parts, ("chains", chain, "dormant"), None)


def reset(parts: Part, skeleton: SkeletonInfo, path: Sequence[str]) -> Edit:
    *above, key = path
    record = record_at(parts, above)
    field = record.fields.get(key)
    if field is None or field.required:
        raise SettingError(f"{key} of {above[-1]} has no default")
    # what leads a limit goes with its factor and offset
    for gone in COUPLING if "limits" in above and key == COUPLING[0] else (key,):
        parts = replaced(parts, (*above, gone), None)
    return Edit(f"Reset {key} of {above[-1]}", parts)


def set_limit(
    parts: Part, skeleton: SkeletonInfo, owner: str, joint: str, limit: Part | None
) -> Edit:
    """Set, or by None remove, the limit of a joint in an owner such as "chains/arm"."""
    section, _, name = owner.partition("/")
    turning = turning_of(parts, skeleton, section, name)
    if limit is not None:
        if not takes_limits(parts, owner):
            raise BindError(
                f"{name} has no limits: only chains, trees and reaches have"
            )
        if joint not in turning:
            raise BindError(
                f"{joint!r} is not a joint that {name} turns: {suggest(joint, turning)}"
            )
        make_limit(limit)
        limit = Part(joint, dict(limit.values))
    parts = replaced(parts, (section, name, "limits", joint), limit)
    label = f"Limit {joint}" if limit is not None else f"Free {joint}"
    select = Selection("limit", joint, owner) if limit else Selection(section, name)
    return Edit(label, parts, select)


def set_weights(parts: Part, skeleton: SkeletonInfo, weight: float) -> Edit:
    for section in ("chains", "trees"):
        for name in parts.parts(section):
            path = (section, name, "weight")
            parts = set_value(parts, skeleton, path, weight).parts
    return Edit(f"Set weight of all to {weight:g}", parts)


def own_target(
    parts: Part,
    skeleton: SkeletonInfo,
    path: Sequence[str],
    name: str,
    pos: Sequence[float],
) -> Edit:
    """Add a target that was so far created at its joint; ``path`` will name it."""
    if name in parts.parts("nodes"):
        raise SettingError(f"the name {name!r} is in use: choose another")
    parts = replaced(parts, ("nodes", name), Part(name))
    parts = set_value(parts, skeleton, ("nodes", name, "pos"), tuple(pos)).parts
    parts = set_value(parts, skeleton, path, name).parts
    return Edit(f"Move {name}", parts, Selection("nodes", name))


def move_node(
    parts: Part,
    skeleton: SkeletonInfo,
    name: str,
    pos: Sequence[float],
    quat: Sequence[float] = (),
) -> Edit:
    """Move a target or pole, within the space of its parent.

    A dormant chain that reaches for it is so no more.
    """
    moved = set_value(parts, skeleton, ("nodes", name, "pos"), tuple(pos)).parts
    if quat:
        path = ("nodes", name, "quat")
        moved = set_value(moved, skeleton, path, tuple(quat)).parts
    for chain_name, chain in moved.parts("chains").items():
        if chain.values.get("target") == name:
            moved = woken(moved, chain_name)
    return Edit(f"Move {name}", moved, Selection("nodes", name))


def remove(parts: Part, skeleton: SkeletonInfo, section: str, name: str) -> Edit:
    _entry(parts, section, name)
    gone = parts.parts(section)[name]
    parts = replaced(parts, (section, name), None)
    if section in ("nodes", "bodies"):
        needed = sorted(
            {who for who, _, required in holders_of(parts, name) if required}
        )
        if needed:
            raise SettingError(f"{name} is needed by {', '.join(needed)}")
        for _, path, _ in holders_of(parts, name):
            parts = replaced(parts, path, None)
    else:
        entries = [gone, *gone.parts("effectors").values()]
        for entry in entries:
            for key in ("target", "pole"):
                node = entry.values.get(key)
                if node in parts.parts("nodes") and not list(holders_of(parts, node)):
                    parts = replaced(parts, ("nodes", node), None)
    return Edit(f"Remove {name}", parts, Selection())


def rename(
    parts: Part, skeleton: SkeletonInfo, section: str, old: str, new: str
) -> Edit:
    _entry(parts, section, old)
    new = new.strip()
    if new == old:
        return Edit(f"Rename {old}", parts, Selection(section, new))
    if not new or len(new) > 200 or not new.isprintable():
        raise SettingError(f"a name must have 1 to 200 characters, not {new!r}")
    if free_name(parts, skeleton, new, section) != new:
        raise SettingError(f"the name {new!r} is in use: choose another")
    if section in ("nodes", "bodies"):
        for _, path, _ in list(holders_of(parts, old)):
            parts = replaced(parts, path, new)
    entries = {
        new if name == old else name: Part(new, entry.values) if name == old else entry
        for name, entry in parts.parts(section).items()
    }
    parts = replaced(parts, (section,), entries)
    return Edit(f"Rename {old} to {new}", parts, Selection(section, new))


def reorder(
    parts: Part, skeleton: SkeletonInfo, section: str, name: str, index: int
) -> Edit:
    """Move an entry within its section: upper entries are solved first."""
    _entry(parts, section, name)
    entries = dict(parts.parts(section))
    moved = entries.pop(name)
    order = list(entries.items())
    order.insert(min(max(index, 0), len(order)), (name, moved))
    return Edit(f"Move {name} to {index + 1}", replaced(parts, (section,), dict(order)))


def _entry(parts: Part, section: str, name: str) -> Part:
    if section not in SECTIONS:
        raise SettingError(
            f"there is no section {section!r}: {suggest(section, SECTIONS)}"
        )
    entries = parts.parts(section)
    if name not in entries:
        raise SettingError(f"{section} have no {name!r}: {suggest(name, entries)}")
    return entries[name]
