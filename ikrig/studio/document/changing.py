"""The commands that change, rename, reorder and remove parts of a rig.

Each takes a rig and returns the changed one. Nothing is changed in place; a change that
would make the rig invalid raises an error first. Values are as in rig files:
angles in radians, lengths in the rig's unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import BindError, SettingError, suggest
from ...formats.rig_file import Part, make_limit
from ...formats.rig_file.sections import names_in
from ...model.limits import COUPLING
from ...value_shapes import JOINT
from .edited_rig import Edit, EditedRig, Owner, Path, Selection, held_limits


def set_value(rig: EditedRig, path: Path, new: object) -> Edit:
    """Set a value of an entry, such as ``("chains", "arm", "weight")``."""
    kept = rig.checked(path, new)
    *_, name, key = path
    if rig.plain_field(path) is not None:
        there = rig.replaced(path, Part(key, {"": kept}))
        return Edit(f"Set {key} of {name}", there)
    if rig.field(path).shape == JOINT:
        rig.skeleton.check(kept)
    for one, other in rig.record(path[:-1]).exclusive:
        if key in (one, other):
            away = other if key == one else one
            rig = rig.replaced((*path[:-1], away), None)
    changed = rig.replaced(path, kept)
    if path[0] in ("chains", "trees") and key in ("leaf", "root_joint", "chain_length"):
        owner = path[0], path[1]
        bones, limits = changed.bones(owner), rig.limits(owner)
        for joint in limits.keys() - held_limits(limits, bones).keys():
            changed = changed.replaced((*path[:2], "limits", joint), None)
    changed = woken(changed, tuple(path[:2]), key)
    limit = changed.value(path[:-1])
    if "limits" in path and isinstance(limit, Part) and "kind" in limit.values:
        # raises an error if its values don't fit each other
        make_limit(limit)
    return Edit(f"Set {key} of {name}", changed)


def woken(rig: EditedRig, owner: Owner, key: str) -> EditedRig:
    """Return a rig in which a chain or a body's handle whose key is set is in use."""
    asleep = rig.value((*owner, "dormant")) if len(owner) == 2 else None
    names = asleep if isinstance(asleep, tuple) else ("weight", "target")
    if asleep and key in names:
        left = tuple(x for x in names if x != key) if names is asleep else None
        rig = rig.replaced((*owner, "dormant"), left or None)
    return rig


def reset(rig: EditedRig, path: Path) -> Edit:
    *above, key = path
    record = rig.record(above)
    field = record.fields.get(key)
    if field is None or field.required:
        raise SettingError(f"{key} of {above[-1]} has no default")
    # what leads a limit goes with its factor and offset
    for gone in COUPLING if "limits" in above and key == COUPLING[0] else (key,):
        rig = rig.replaced((*above, gone), None)
    return Edit(f"Reset {key} of {above[-1]}", rig)


def set_limit(rig: EditedRig, owner: Owner, joint: str, limit: Part) -> Edit:
    """Set the limit of a joint in a chain, tree or reach."""
    turning = rig.turning(owner)
    if not rig.takes_limits(owner):
        raise BindError(
            f"{owner[1]} has no limits: only chains, trees and reaches have"
        )
    if joint not in turning:
        raise BindError(
            f"{joint!r} is not a joint that {owner[1]} turns: {suggest(joint, turning)}"
        )
    make_limit(limit)
    select = Selection("limits", joint, owner)
    there = rig.replaced(select.path, Part(joint, dict(limit.values)))
    return Edit(f"Limit {joint}", there, select)


def set_weights(rig: EditedRig, weight: float) -> Edit:
    for section in ("chains", "trees"):
        for name in rig.section(section):
            path = (section, name, "weight")
            rig = set_value(rig, path, weight).rig
    return Edit(f"Set weight of all to {weight:g}", rig)


def own_target(rig: EditedRig, path: Path, name: str, pos: Sequence[float]) -> Edit:
    """Add a target that was so far created at its joint; ``path`` will name it."""
    if name in rig.section("nodes"):
        raise SettingError(f"the name {name!r} is in use: choose another")
    rig = rig.replaced(("nodes", name), Part(name))
    rig = set_value(rig, ("nodes", name, "pos"), tuple(pos)).rig
    rig = set_value(rig, path, name).rig
    return Edit(f"Move {name}", rig, Selection("nodes", name))


def move_node(
    rig: EditedRig,
    name: str,
    pos: Sequence[float],
    quat: Sequence[float] = (),
) -> Edit:
    """Move a target or pole, within the space of its parent.

    A dormant chain or handle that reaches for it is so no more.
    """
    moved = set_value(rig, ("nodes", name, "pos"), tuple(pos)).rig
    if quat:
        path = ("nodes", name, "quat")
        moved = set_value(moved, path, tuple(quat)).rig
    for use in list(moved.uses(name)):
        moved = woken(moved, use.path[:2], use.path[-1])
    return Edit(f"Move {name}", moved, Selection("nodes", name))


def remove(rig: EditedRig, section: str, name: str, owner: Owner = ()) -> Edit:
    """Remove an entry, of a section or of an entry of one."""
    path = (*owner, section, name)
    gone, record, rig = rig.entry(path), rig.record(path), rig.replaced(path, None)
    if owner:
        return Edit(f"Remove {name}", rig, Selection(owner[0], owner[1]))
    if section in ("nodes", "bodies"):
        needed = sorted({use.path[-2] for use in rig.uses(name) if use.required})
        if needed:
            raise SettingError(f"{name} is needed by {', '.join(needed)}")
        for use in list(rig.uses(name)):
            rig = rig.replaced(use.path, None)
    else:
        entries = [gone, *gone.parts("effectors").values()]
        body = section == "behaviours" and "dormant" in record.fields
        for entry in entries:
            for key in names_in(record) if body else ("target", "pole"):
                node = entry.values.get(key)
                if node in rig.section("nodes") and not any(rig.uses(node)):
                    rig = rig.replaced(("nodes", node), None)
    return Edit(f"Remove {name}", rig, Selection())


def rename(rig: EditedRig, section: str, old: str, new: str, owner: Owner = ()) -> Edit:
    rig.entry((*owner, section, old))
    new = new.strip()
    if new == old:
        return Edit(f"Rename {old}", rig, Selection(section, new, owner))
    if not new or len(new) > 200 or not new.isprintable():
        raise SettingError(f"a name must have 1 to 200 characters, not {new!r}")
    if rig.free_name(new, section, owner) != new:
        raise SettingError(f"the name {new!r} is in use: choose another")
    if section in ("nodes", "bodies"):
        for use in list(rig.uses(old)):
            rig = rig.replaced(use.path, new)
    entries = {
        new if name == old else name: Part(new, entry.values) if name == old else entry
        for name, entry in rig.value((*owner, section), {}).items()
    }
    rig = rig.replaced((*owner, section), entries)
    return Edit(f"Rename {old} to {new}", rig, Selection(section, new, owner))


def reorder(rig: EditedRig, section: str, name: str, index: int) -> Edit:
    """Move an entry within its section: upper entries are solved first."""
    moved = rig.entry((section, name))
    entries = dict(rig.section(section))
    del entries[name]
    order = list(entries.items())
    order.insert(min(max(index, 0), len(order)), (name, moved))
    return Edit(f"Move {name} to {index + 1}", rig.replaced((section,), dict(order)))
