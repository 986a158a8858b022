"""Limits and settings of single joints in a rig file, by a scene's joints."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...errors import suggest
from ...formats.part import Values, entry_values
from ...formats.rig_file import Part, make_limit
from ...formats.rig_file.behaviour_fields import names_in
from ...formats.rig_file.setting_fields import JOINT_SETTINGS
from ...formats.yaml_reader import Node
from ...model.limits import LIMITS, Limit
from .error_reporter import LocatedError


def limits_by_joint(part: Part, names: Sequence[str]) -> dict[str | int, Limit]:
    """Return the limits by joint; numbers that are not names are indices."""
    found: dict[str | int, Limit] = {}
    for name, entry in part.parts("limits").items():
        values = dict(entry.values)
        for key in names_in(LIMITS[values["kind"]].record, joints=True):
            if key in values:
                node = entry.positions[key]
                values[key] = _joint(values[key], names, key, node)
        joint = _joint(name, names, "limits", entry.positions[""])
        found[joint] = make_limit(Part(name, values))
    return found


def settings_by_joint(
    part: Part, names: Sequence[str], others: Collection[str]
) -> Values:
    """Return the settings that have a value for each joint, by joint as the limits."""
    found: Values = {}
    for key in JOINT_SETTINGS:
        entries = part.values.get(key)
        if not isinstance(entries, dict):
            continue
        found[key] = values = {}
        for name, value in entry_values(entries).items():
            # a posture's values are plain; others are entries with positions
            nodes = getattr(entries[name], "positions", {})
            node = nodes.get("", part.positions[key])
            values[_joint(name, names, key, node, others)] = value
    return found


def _joint(
    name: str, names: Sequence[str], what: str, node: Node, others: Collection[str] = ()
) -> str | int:
    if name in names or name in others:
        return name
    if name.lstrip("-").isdecimal():
        return int(name)
    text = f"{what}: there is no joint {name!r} here: {suggest(name, names)}"
    raise LocatedError(node, text)
