"""Queries about a rig: which joints an entry moves, which entries name a node."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ...errors import BindError, suggest
from ...formats.rig_file import Part
from ...formats.rig_file.behaviour_fields import (
    BEHAVIOUR,
    limits_joints,
    name_shape,
    names_in,
)
from ...model.limits import LIMITS
from ...records import Field
from .edit import MOVERS
from .part_paths import record_at, value
from .skeleton_info import SkeletonInfo

Holder = tuple[str, tuple[str, ...], bool]


def bones_of(
    parts: Part, skeleton: SkeletonInfo, section: str, name: str
) -> tuple[str, ...]:
    """Return the joints of a chain, tree or behaviour, parents first.

    The last joint of a chain is its leaf; ``turning_of`` returns those that turn.
    """
    entry = parts.parts(section).get(name)
    if entry is None:
        raise BindError(
            f"{section} have no {name!r}: {suggest(name, parts.parts(section))}"
        )
    values = entry.values
    if section == "trees":
        leaves = [_joint(skeleton, leaf) for leaf in entry.parts("effectors")]
        lines = [skeleton.lineage(leaf) for leaf in leaves]
        first = values.get("root_joint")
        first = first and _joint(skeleton, first)
        if first is None:
            shared = (j for j in lines[0] if all(j in line[1:] for line in lines))
            first = next(shared, lines[0][-1])
        found = {joint for leaf in leaves for joint in skeleton.between(first, leaf)}
        return tuple(joint for joint in skeleton.names if joint in found)
    leaf = values.get("leaf") or values.get("hand")
    if leaf is None:
        return tuple(entry.parts("joints"))
    leaf = _joint(skeleton, leaf)
    # the leaf bends too, and counts
    bends = values.get("tip") == "skin"
    if "root_joint" in values:
        first = _joint(skeleton, values["root_joint"])
        return (leaf,) if bends and first == leaf else skeleton.between(first, leaf)
    lineage = skeleton.lineage(leaf)
    length = values.get("chain_length", 2) - bends
    if length >= len(lineage):
        raise BindError(
            f"{name} has {length} bones, but there are {len(lineage) - 1} above "
            f"{leaf!r}"
        )
    return lineage[: length + 1][::-1]


def turning_of(
    parts: Part, skeleton: SkeletonInfo, section: str, name: str
) -> tuple[str, ...]:
    """Return the joints that a chain, tree or behaviour turns, parents first.

    A chain does not turn its leaf, unless it ends at the leaf's skin.
    """
    bones = bones_of(parts, skeleton, section, name)
    values = parts.parts(section)[name].values
    ends_in_joint = not values.keys().isdisjoint(("leaf", "hand"))
    return bones[:-1] if ends_in_joint and values.get("tip") != "skin" else bones


def movers_of(parts: Part, skeleton: SkeletonInfo, joint: str) -> Iterator[str]:
    """Yield the parts that turn a joint: "chains/arm", "behaviours/grab"."""
    for section in MOVERS:
        for name in parts.parts(section):
            try:
                turning = turning_of(parts, skeleton, section, name)
            except BindError:
                continue
            if joint in turning:
                yield f"{section}/{name}"


def takes_limits(parts: Part, owner: str) -> bool:
    section, _, name = owner.partition("/")
    entry = parts.parts(section).get(name)
    if section != "behaviours":
        return True
    return entry is not None and limits_joints(BEHAVIOUR.kinds[entry.values["kind"]])


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


def limits_of(parts: Part, owner: str) -> dict[str, Part]:
    """Return the limits of an entry, such as "chains/arm", by joint."""
    section, _, name = owner.partition("/")
    limits: dict[str, Part] = value(parts, (section, name, "limits"), {})
    return limits


def holders_of(parts: Part, node: str) -> Iterator[Holder]:
    """Yield the uses of a node: label, path of the value, whether it is required."""
    for section in (*MOVERS, "nodes", "bodies"):
        for name, entry in parts.parts(section).items():
            yield from _held_by(parts, (section, name), node)
            for leaf in entry.parts("effectors"):
                yield from _held_by(parts, (section, name, "effectors", leaf), node)


def _held_by(parts: Part, path: tuple[str, ...], node: str) -> Iterator[Holder]:
    entry, record = value(parts, path), record_at(parts, path)
    for key, field in record.fields.items():
        if isinstance(field, Field) and name_shape(field) is not None:
            # without a target, a behaviour has no effect
            aims = path[0] == "behaviours" and key == "target"
            roots = path[0] == "trees" and key == "root_joint"
            if entry.values.get(key) == node:
                yield path[-1], (*path, key), field.required or aims or roots


def _joint(skeleton: SkeletonInfo, name: str) -> str:
    last = name.rpartition("/")[2]
    return last if name not in skeleton.by_name and last in skeleton.by_name else name
