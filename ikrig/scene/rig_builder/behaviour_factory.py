"""Makes the behaviours of a rig file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import BindError, SettingError
from ...formats.rig_file import Part
from ...formats.rig_file.behaviour_fields import BEHAVIOUR
from ...formats.rig_file.record_types import entry_values
from ..behaviours import BEHAVIOURS, LookLimits
from ..behaviours.behaviour import Behaviour
from .behaviour_part import settings_of
from .by_joint import limits_by_joint, settings_by_joint
from .error_reporter import LocatedError
from .scene_builder import SceneBuilder

__all__ = ["make_behaviour"]

NODES = ("target", "ground", "pointer", "pole")
"""Keys whose values name nodes."""


def make_behaviour(name: str, part: Part, positions: SceneBuilder) -> Behaviour:
    """Return a behaviour: the former one if it is still what the file asks for.

    Raises:
        IkrigError: It does not fit the Actor; says why.
    """
    made, old = positions.made, positions.old
    rig = made.actor_rig
    if rig is None:
        raise BindError("a behaviour is for Actors: there is none to rig")
    values = _plain(part)
    named = [key for key in NODES if isinstance(values.get(key), str)]
    nodes = {key: positions.find(part, key) for key in named}
    # a pointer may be hung elsewhere and still be the same node
    above = nodes["pointer"].get_parent() if "pointer" in nodes else None
    key = made.behaviour_keys[name] = rig, values, nodes, above
    if old is not None and old.behaviour_keys.get(name) == key:
        made.behaviour_settings[name] = old.behaviour_settings[name]
        return old.behaviours[name]
    given = {**values, **nodes}
    kind, phase = given.pop("kind"), given.pop("phase", None)
    if "target" in BEHAVIOUR.kinds[kind].fields:
        given.setdefault("target", None)
    if kind == "feet":
        ground = given.get("ground", positions.root.get_parent())
        given["ground"] = _flat(ground) if isinstance(ground, float) else ground
    if kind == "reach":
        given["limits"] = limits_by_joint(part, rig.joints)
        given |= settings_by_joint(part, rig.joints, ())
    else:
        for token in ("limits", "eye_limits"):
            if token in values:
                given[token] = _look_limits(part, token)
    new: Behaviour = BEHAVIOURS[kind](rig, **given)
    positions.undo.callback(new.remove)
    new.phase = new.phase if phase is None else phase
    made.behaviour_settings[name] = settings_of(new)
    return new


def _flat(height: float) -> Callable[[float, float], float]:
    """Return ground that is as high everywhere."""
    return lambda x, y: height


def _look_limits(part: Part, token: str) -> LookLimits:
    """Return how far a head or the eyes may turn.

    Raises:
        LocatedError: An angle is out of range.
    """
    try:
        return LookLimits(*part.values[token])
    except SettingError as error:
        raise LocatedError(part.positions[token], f"{token}: {error}") from None


def _plain(part: Part) -> dict[str, Any]:
    """Return the values of a part, with those of its entries as plain ones."""
    return {
        key: entry_values(value) if isinstance(value, dict) else value
        for key, value in part.values.items()
    }
