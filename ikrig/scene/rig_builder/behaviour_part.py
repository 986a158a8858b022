"""Writes a behaviour as an entry of a rig file, whether made by code or by a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from inspect import signature
from typing import Any

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...formats.part import Values
from ...formats.rig_file import Part
from ..behaviours.behaviour import Behaviour
from ..behaviours.facing import LookLimits
from ..behaviours.kinds import BEHAVIOURS

NameNode = Callable[[Any, str, str], "str | None"]
"""Returns a node's name in the file for a key of an entry; None: no name can be
given."""


def kind_of_behaviour(behaviour: object) -> str | None:
    """Return the kind of a behaviour in rig files, or None if it has none."""
    kind = getattr(type(behaviour), "kind", "")
    return kind if BEHAVIOURS.get(kind) is type(behaviour) else None


def behaviour_part(name: str, behaviour: Behaviour, name_node: NameNode) -> Part:
    """Return an entry of a file that makes the same behaviour.

    Values that a file can't hold, such as a ground that is a function, are logged.
    """
    kind = kind_of_behaviour(behaviour)
    assert kind is not None
    values: Values = {"kind": kind}
    defaults = _defaults(type(behaviour))
    needed = {key for key, field in behaviour.record.fields.items() if field.required}
    entries = {**behaviour._entries(), "order": behaviour.order}
    if not behaviour._has_usual_phase:
        entries["phase"] = behaviour.phase.name.lower()
    for key, value in entries.items():
        if isinstance(value, p3d.LVecBase3f):
            value = tuple(value)
        if value is None or (key not in needed and value == defaults.get(key, ...)):
            continue
        if isinstance(value, p3d.NodePath | Behaviour):
            node_name = name_node(value, f"{name} {key}", key)
            if node_name is not None:
                values[key] = node_name
            if key == "curve" and isinstance(value, p3d.NodePath):
                # its children are the handles
                for k, handle in enumerate(value.get_children()):
                    name_node(handle, f"{name} handle {k}", key)
        elif callable(value) or (
            key in ("ground", "curve") and not isinstance(value, float)
        ):
            what = "function" if callable(value) else type(value).__name__
            directNotify.newCategory("ikrig").warning(
                f"dump_rig: {key} of {name!r} is a {what}, which a file can't store: "
                f"it is left out; load the file with {key}s={{{name!r}: ...}}"
            )
        elif isinstance(value, LookLimits):
            values[key] = astuple(value)
        elif isinstance(value, dict):
            parts = {
                word: Part(word, x if isinstance(x, dict) else {"": x})
                for word, x in value.items()
            }
            if parts:
                values[key] = parts
        else:
            values[key] = value
    if behaviour._final_weight != 1.0:
        values["weight"] = behaviour._final_weight
    return Part(name, values)


def settings_of(behaviour: Behaviour) -> Values:
    """Return the numeric settings of a behaviour by their keys in a rig file."""
    found: Values = {}
    for key, value in {**behaviour._entries(), "order": behaviour.order}.items():
        if isinstance(value, LookLimits):
            found[key] = astuple(value)
        elif isinstance(value, int | float):
            found[key] = value
    return found


def changed_settings(behaviour: Behaviour, before: Values) -> Values:
    """Return the ``settings_of`` a behaviour that have changed since ``before``."""
    now = settings_of(behaviour)
    # settings at their default may be missing
    now = {
        key: now.get(key, getattr(behaviour, key, None)) for key in {**before, **now}
    }
    return {key: value for key, value in now.items() if value != before.get(key)}


def _defaults(kind: type) -> Values:
    return {
        key: parameter.default
        for key, parameter in signature(kind).parameters.items()
        if parameter.default is not parameter.empty
    }
