"""Writes a behaviour as an entry of a rig file, whether made by code or by a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from inspect import signature

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...formats.part import Values
from ...formats.rig_file import Part
from ..behaviours.behaviour import Behaviour
from ..behaviours.facing import LookLimits
from ..behaviours.kinds import BEHAVIOURS

NameNode = Callable[..., "str | None"]
"""Returns a node's name in the file for a key of an entry; None: no name can be
given."""


def kind_of_behaviour(behaviour: object) -> str | None:
    """Return the kind of a behaviour in rig files, or None if it has none."""
    kind = getattr(type(behaviour), "kind", "")
    return kind if BEHAVIOURS.get(kind) is type(behaviour) else None


def entries_of(behaviour: Behaviour) -> Values:
    """Return what a behaviour is now, by the keys of rig files; None: the default."""
    found = {
        **behaviour._entries(),
        "order": behaviour.order,
        "weight": behaviour._final_weight,
        "phase": behaviour.phase.name.lower(),
    }
    return {k: dict(x) if isinstance(x, dict) else x for k, x in found.items()}


def behaviour_part(name: str, behaviour: Behaviour, name_node: NameNode) -> Part:
    """Return an entry of a file that makes the same behaviour."""
    made = type(behaviour)
    parameters = signature(made).parameters.items()
    usual = {key: each.default for key, each in parameters}
    usual |= {"weight": 1.0, "phase": made._phase.name.lower()}
    given = {
        key: value
        for key, value in entries_of(behaviour).items()
        if made.record.fields[key].required or value != usual.get(key)
    }
    kind = kind_of_behaviour(behaviour)
    return Part(name, {"kind": kind, **as_written(name, given, name_node)})


def changed_part(
    part: Part, behaviour: Behaviour, before: Values, name_node: NameNode
) -> Part:
    """Return the entry of a behaviour with what has changed since ``before``."""
    now = entries_of(behaviour)
    changed = {
        key: now.get(key)
        for key in {**before, **now}
        if now.get(key) != before.get(key)
    }
    kept = {k: x for k, x in part.values.items() if changed.get(k, ...) is not None}
    return Part(part.name, {**kept, **as_written(part.name, changed, name_node)})


def as_written(name: str, entries: Values, name_node: NameNode) -> Values:
    """Return entries of a behaviour as in a file.

    Values that a file can't hold, such as a ground that is a function, are logged.
    """
    values: Values = {}
    for key, value in entries.items():
        if isinstance(value, p3d.LVecBase3f):
            value = tuple(value)
        if isinstance(value, p3d.NodePath | Behaviour):
            value = name_node(value, f"{name} {key}", key)
            if key == "curve" and isinstance(entries[key], p3d.NodePath):
                # its children are the handles
                for k, handle in enumerate(entries[key].get_children()):
                    name_node(handle, f"{name} handle {k}", key)
        elif callable(value) or (
            key in ("ground", "curve") and not isinstance(value, float | None)
        ):
            what = "function" if callable(value) else type(value).__name__
            directNotify.newCategory("ikrig").warning(
                f"dump_rig: {key} of {name!r} is a {what}, which a file can't store: "
                f"it is left out; load the file with {key}s={{{name!r}: ...}}"
            )
            value = None
        elif isinstance(value, LookLimits):
            value = astuple(value)
        elif isinstance(value, dict):
            value = {
                word: Part(word, x if isinstance(x, dict) else {"": x})
                for word, x in value.items()
            }
        if value is not None and value != {}:
            values[key] = value
    return values
