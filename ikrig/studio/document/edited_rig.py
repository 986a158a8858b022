"""EditedRig: a rig as it is edited, with its skeleton; what commands take and return.

A path goes through keys and names: ("chains", "arm", "limits", "elbow", "range"). The
path of an entry is its owner's: ("chains", "arm"). All that is off the path of a change
is shared between the old rig and the new one, so that a history of thousands of states
costs little.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...errors import BindError, SettingError, suggest
from ...formats.rig_file import Part
from ...formats.rig_file.sections import (
    BEHAVIOUR,
    FILE,
    limits_joints,
    name_shape,
    names_in,
)
from ...model.grip import GRIP, Grip
from ...model.limits import LIMITS
from ...records import Choice, Field, Named, Record
from ...value_shapes import Value, checked
from .skeleton_info import SkeletonInfo

MOVERS = ("chains", "trees", "behaviours")  # sections that move joints
SECTIONS = (*MOVERS, "nodes", "bodies")  # all that are edited

Path = Sequence[str]
Owner = tuple[str, ...]  # section and name of an entry; (): none


class Selection(NamedTuple):
    kind: str = ""  # "joint", a key with entries: "chains", "limits"; "": nothing
    name: str = ""  # name of the joint or the entry; for a limit, of the joint
    owner: Owner = ()  # of an entry below another one, such as a limit or a grip

    @property
    def path(self) -> tuple[str, ...]:
        return (*self.owner, self.kind, self.name)


class Edit(NamedTuple):
    label: str  # label in the history
    rig: EditedRig  # the rig after it
    select: Selection | None = None  # after it; None: the current one


class Use(NamedTuple):
    """A use of a node."""

    path: tuple[str, ...]  # of the value that names it
    required: bool  # whether there must be such a value


@dataclass(frozen=True, eq=False)
class EditedRig:
    parts: Part
    skeleton: SkeletonInfo

    # -- values ------------------------------------------------------------------------

    def section(self, name: str) -> dict[str, Part]:
        return self.parts.parts(name)

    def entry(self, path: Path) -> Part:
        *owner, section, name = path
        if not owner and section not in SECTIONS:
            raise SettingError(
                f"there is no section {section!r}: {suggest(section, SECTIONS)}"
            )
        entries: dict[str, Part] = self.value((*owner, section), {})
        if name not in entries:
            raise SettingError(f"{section} have no {name!r}: {suggest(name, entries)}")
        return entries[name]

    def value(self, path: Path, default: object = None) -> Value:
        current: Value = self.parts
        for key in path:
            held = current.values if isinstance(current, Part) else current
            if not isinstance(held, Mapping) or key not in held:
                return default
            current = held[key]
        if isinstance(current, Part) and "" in current.values:
            # an entry that is a value itself
            return current.values[""]
        return current

    def replaced(self, path: Path, new: object) -> EditedRig:
        return replace(self, parts=_replaced(self.parts, list(path), new))

    def record(self, path: Path) -> Record:
        record, left = FILE, list(path)
        done: list[str] = []
        while left:
            named = _named(record, left[0], done)
            if len(left) < 2 or isinstance(named.item, Field):
                raise SettingError(f"{' '.join(path)} is not an entry of a rig file")
            done += left[:2]
            entry = self.value(done)
            if not isinstance(entry, Part):
                names = self.value(done[:-1], {})
                raise SettingError(
                    f"there is no {left[1]!r}: {suggest(left[1], names)}"
                )
            item = named.item
            if isinstance(item, Choice):
                item = item.kinds[entry.values["kind"]]
            record, left = item, left[2:]
        return record

    def plain_field(self, path: Path) -> Field | None:
        """Return the field of an entry that is a value itself; None for others.

        Such as ("behaviours", "gaze", "joints", "Neck").
        """
        if len(path) % 2 or not path:
            return None
        *above, key, _ = path
        named = _named(self.record(above), key, above)
        return named.item if isinstance(named.item, Field) else None

    def field(self, path: Path) -> Field:
        *above, key = path
        plain = self.plain_field(path)
        if plain is not None:
            return plain
        record = self.record(above)
        field = record.fields.get(key)
        if not isinstance(field, Field):
            fields = [name for name, f in record.fields.items() if isinstance(f, Field)]
            raise SettingError(
                f"{record.what} has no value {key!r}: {suggest(key, fields)}"
            )
        return field

    def checked(self, path: Path, new: object) -> Value:
        """Return a value in the form of the rig file; angles are in radians."""
        return checked(self.field(path).shape, new, " ".join(path), SettingError)

    # -- names -------------------------------------------------------------------------

    def effector_names(self) -> set[str]:
        trees = self.section("trees").values()
        return {end for tree in trees for end in tree.parts("effectors")}

    def free_name(self, wanted: str, section: str, owner: Owner = ()) -> str:
        taken = set(self.value((*owner, section), {}))
        if section in ("nodes", "bodies"):
            # a node would hide the joint of the same name
            taken |= {*self.section("nodes"), *self.section("bodies")}
            taken |= {*self.skeleton.names}
        if section == "chains":
            taken |= self.effector_names()
        return numbered(wanted, taken)

    def grips(self) -> Iterator[tuple[Selection, Grip]]:
        """Yield all grips: those of nodes and bodies, and those that hands know."""
        for section in SECTIONS:
            for name in self.section(section):
                owner = section, name
                for key, field in own_entries(self.record(owner)).items():
                    names = self.value((*owner, key), {}) if field.item is GRIP else ()
                    for entry in names:
                        selection = Selection(key, entry, owner)
                        yield selection, Grip(**self.entry(selection.path).values)

    def grip(self, selection: Selection | None) -> Grip | None:
        """Return the grip that is selected; None: something else is, or nothing."""
        if selection is None or self.value(selection.owner) is None:
            return None
        field = own_entries(self.record(selection.owner)).get(selection.kind)
        entry = self.value(selection.path)
        found = field is not None and field.item is GRIP and isinstance(entry, Part)
        return Grip(**entry.values) if found else None

    def uses(self, node: str) -> Iterator[Use]:
        for section in SECTIONS:
            for name, entry in self.section(section).items():
                yield from self._uses_in((section, name), node)
                for leaf in entry.parts("effectors"):
                    yield from self._uses_in((section, name, "effectors", leaf), node)

    def _uses_in(self, path: tuple[str, ...], node: str) -> Iterator[Use]:
        entry = self.value(path)
        for key, field in self.record(path).fields.items():
            if isinstance(field, Field) and name_shape(field) is not None:
                # without a target, a behaviour has no effect
                aims = path[0] == "behaviours" and key == "target"
                roots = path[0] == "trees" and key == "root_joint"
                if entry.values.get(key) == node:
                    yield Use((*path, key), field.required or aims or roots)

    # -- joints ------------------------------------------------------------------------

    def bones(self, owner: Owner) -> tuple[str, ...]:
        """Return the joints of a chain, tree or behaviour, parents first.

        The last joint of a chain is its leaf; ``turning`` returns those that turn.
        """
        entry, skeleton = self.entry(owner), self.skeleton
        values = entry.values
        if owner[0] == "trees":
            leaves = [self._joint(leaf) for leaf in entry.parts("effectors")]
            lines = [skeleton.lineage(leaf) for leaf in leaves]
            first = values.get("root_joint")
            first = first and self._joint(first)
            if first is None:
                shared = (j for j in lines[0] if all(j in line[1:] for line in lines))
                first = next(shared, lines[0][-1])
            found = {j for leaf in leaves for j in skeleton.between(first, leaf)}
            return tuple(joint for joint in skeleton.names if joint in found)
        leaf = values.get("leaf") or values.get("hand")
        if leaf is None:
            return tuple(entry.parts("joints"))
        leaf = self._joint(leaf)
        # the leaf bends too, and counts
        bends = values.get("tip") == "skin"
        if "root_joint" in values:
            first = self._joint(values["root_joint"])
            return (leaf,) if bends and first == leaf else skeleton.between(first, leaf)
        lineage = skeleton.lineage(leaf)
        length = values.get("chain_length", 2) - bends
        if length >= len(lineage):
            raise BindError(
                f"{owner[1]} has {length} bones, but there are {len(lineage) - 1} "
                f"above {leaf!r}"
            )
        return lineage[: length + 1][::-1]

    def turning(self, owner: Owner) -> tuple[str, ...]:
        """Return the joints that a chain, tree or behaviour turns, parents first.

        A chain does not turn its leaf, unless it ends at the leaf's skin.
        """
        bones, values = self.bones(owner), self.entry(owner).values
        ends_in_joint = not values.keys().isdisjoint(("leaf", "hand"))
        return bones[:-1] if ends_in_joint and values.get("tip") != "skin" else bones

    def movers(self, joint: str) -> Iterator[Owner]:
        for section in MOVERS:
            for name in self.section(section):
                with suppress(BindError):
                    if joint in self.turning((section, name)):
                        yield section, name

    def takes_limits(self, owner: Owner) -> bool:
        if owner[0] != "behaviours":
            return True
        return limits_joints(BEHAVIOUR.kinds[self.entry(owner).values["kind"]])

    def limits(self, owner: Owner) -> dict[str, Part]:
        found: dict[str, Part] = self.value((*owner, "limits"), {})
        return found

    def _joint(self, name: str) -> str:
        known, last = self.skeleton.by_name, name.rpartition("/")[2]
        return last if name not in known and last in known else name


def own_entries(record: Record) -> dict[str, Named]:
    """Return what has entries with names of one's own: grips, colliders, poses."""
    found = {k: f for k, f in record.fields.items() if isinstance(f, Named)}
    return {
        key: field
        for key, field in found.items()
        if isinstance(field.item, Record) and not field.required
    }


def joints_of(limit: Part) -> dict[str, str]:
    """Return the joints that a limit names, by its keys: the one that leads it."""
    keys = names_in(LIMITS[limit.values["kind"]].record, joints=True)
    return {key: limit.values[key] for key in keys if key in limit.values}


def held_limits(limits: Mapping[str, Part], joints: Collection[str]) -> dict[str, Part]:
    """Return the limits of some joints, without those that others lead."""
    return {
        joint: limit
        for joint, limit in limits.items()
        if {joint, *joints_of(limit).values()} <= set(joints)
    }


def numbered(wanted: str, taken: Container[str]) -> str:
    """Return a name that is not taken: the wanted one, or with a number from 2 on."""
    others = (f"{wanted} {count}" for count in itertools.count(2))
    return next(name for name in itertools.chain([wanted], others) if name not in taken)


def same(one: object, other: object) -> bool:
    if one is other:
        return True
    if isinstance(one, Part) and isinstance(other, Part):
        return one.name == other.name and same(one.values, other.values)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    return type(one) is type(other) and bool(one == other)


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


def _named(record: Record, key: str, done: Sequence[str]) -> Named:
    field = record.fields.get(key)
    if not isinstance(field, Named):
        names = [name for name, f in record.fields.items() if isinstance(f, Named)]
        raise SettingError(
            f"{' '.join(done) or 'the file'} has no section {key!r}: "
            f"{suggest(key, names)}"
        )
    return field
