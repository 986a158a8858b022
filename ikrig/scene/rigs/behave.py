"""Makes the behaviours of a rig file."""

from __future__ import annotations

from typing import Any

from ...errors import BindError, SettingError, choices
from ...plan import Part
from ..actor import FootPlacement, LookAt, LookLimits
from ..actor.behaviour import Behaviour
from .places import Places
from .telling import PlacedError

__all__ = ["make_behaviour", "unchanged"]

KINDS: dict[str, Any] = {"look_at": LookAt, "feet": FootPlacement}
"""What each kind in ``plan.behaviours`` becomes."""


def unchanged(name: str, part: Part, places: Places) -> Behaviour | None:
    """Return the former behaviour if it is still what the file asks for."""
    old = places.old
    if old is None or name not in old.behaviours:
        return None
    former = old.parts.parts("behaviours")[name]
    same_rig = old.actor_rig is places.made.actor_rig
    same = _plain(former) == _plain(part)
    if "target" in part.values:
        node = places.find(part, "target")
        same = same and node == getattr(old.behaviours[name], "target", None)
    return old.behaviours[name] if same and same_rig else None


def make_behaviour(part: Part, places: Places) -> Behaviour:
    """Return a new behaviour.

    Raises:
        IkrigError: It does not fit the Actor; says why.
    """
    rig = places.made.actor_rig
    if rig is None:
        raise BindError("a behaviour is for Actors: there is none to rig")
    values = _plain(part)
    kind = values.pop("kind")
    for key in ("target", "ground"):
        if key in values:
            values[key] = places.find(part, key)
    for key in ("limits", "eye_limits"):
        if key in values:
            try:
                values[key] = LookLimits(*values[key])
            except SettingError as error:
                raise PlacedError(part.places[key], f"{key}: {error}") from None
    for name, entry in part.parts("joints").items():
        if name not in rig.joints:
            text = f"joints: the Actor has no joint {name!r}: "
            raise PlacedError(entry.places[""], text + choices(name, rig.joints))
    if kind == "feet":
        values.setdefault("ground", places.root.get_parent())
    made: Behaviour = KINDS[kind](rig, **values)
    places.undo.callback(made.remove)
    return made


def _plain(part: Part) -> dict[str, Any]:
    """Return the values of a part, those by name as plain numbers."""
    return {
        key: {name: entry.values[""] for name, entry in value.items()}
        if isinstance(value, dict)
        else value
        for key, value in part.values.items()
    }
