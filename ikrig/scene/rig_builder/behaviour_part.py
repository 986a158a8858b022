"""Writes a behaviour as an entry of a rig file, whether code or a file has made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple
from inspect import signature
from typing import Any

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...formats.rig_file import Part
from ..behaviours import BEHAVIOURS, LookLimits
from ..behaviours.behaviour import Behaviour

NameNode = Callable[[p3d.NodePath, str, str], "str | None"]
"""Returns what a node is called in the file, of the key of an entry; None: it can't be
named there."""


def kind_of_behaviour(behaviour: Any) -> str | None:
    """Return the word of a rig file for a behaviour, or None if there is none."""
    for kind, made in BEHAVIOURS.items():
        if type(behaviour) is made:
            return kind
    return None


def behaviour_part(name: str, behaviour: Behaviour, name_node: NameNode) -> Part:
    """Return an entry of a file that makes the same behaviour again.

    What a file can't say, such as ground that is a function, is logged.
    """
    kind = kind_of_behaviour(behaviour)
    assert kind is not None
    values: dict[str, Any] = {"kind": kind}
    defaults = _defaults(type(behaviour))
    entries = {**behaviour.entries(), "order": behaviour.order}
    if not behaviour.has_usual_phase:
        entries["phase"] = behaviour.phase.name.lower()
    for key, value in entries.items():
        if value is None or value == defaults.get(key, ...):
            continue
        if isinstance(value, p3d.NodePath):
            token = name_node(value, f"{name} {key}", key)
            if token is not None:
                values[key] = token
        elif callable(value) or (key == "ground" and not isinstance(value, float)):
            what = "function" if callable(value) else type(value).__name__
            directNotify.newCategory("ikrig").warning(
                f"dump_rig: {key} of {name!r} is a {what}, which no file can hold: "
                f"the file has no {key}; load it with {key}s={{{name!r}: ...}}"
            )
        elif isinstance(value, LookLimits):
            values[key] = astuple(value)
        elif isinstance(value, dict):
            parts = {joint: Part(joint, {"": x}) for joint, x in value.items()}
            if parts:
                values[key] = parts
        else:
            values[key] = value
    if behaviour.final_weight != 1.0:
        values["weight"] = behaviour.final_weight
    return Part(name, values)


def settings_of(behaviour: Behaviour) -> dict[str, Any]:
    """Return what is set of a behaviour in numbers, by its keys in a rig file."""
    found: dict[str, Any] = {}
    for key, value in {**behaviour.entries(), "order": behaviour.order}.items():
        if isinstance(value, LookLimits):
            found[key] = astuple(value)
        elif isinstance(value, int | float):
            found[key] = value
    return found


def changed_settings(behaviour: Behaviour, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ``settings_of`` a behaviour has that was not so before."""
    now = settings_of(behaviour)
    # what is so by default need not be among them
    now = {
        key: now.get(key, getattr(behaviour, key, None)) for key in {**before, **now}
    }
    return {key: value for key, value in now.items() if value != before.get(key)}


def _defaults(kind: type) -> dict[str, Any]:
    """Return the defaults of what a behaviour takes."""
    return {
        key: parameter.default
        for key, parameter in signature(kind).parameters.items()
        if parameter.default is not parameter.empty
    }
