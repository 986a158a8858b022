"""Phase: the part of a frame in which something runs."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import panda3d.core as p3d

from ...errors import SettingError, shown, suggest


class Phase(IntEnum):
    """The parts of a frame, in this order. ``order`` counts inside one of them."""

    # Enum's own is Python code, and is called in every frame
    __hash__ = int.__hash__

    RELOAD = 0
    """Watched files are read again."""
    ANIMATE = 1
    """Clips and poses move targets and joints."""
    BODY = 2
    """Body parts that carry limbs move: hips on stairs, a spine that leans."""
    LIMBS = 3
    """Chains and trees reach; things are aimed."""
    SECONDARY = 4
    """Motion that nothing else depends on: gaze."""
    RECORD = 5
    """Poses are recorded."""


def phase_of(value: object, what: str = "phase") -> Phase:
    """Return a phase, given as a Phase or by name."""
    if isinstance(value, Phase):
        return value
    names = [phase.name.lower() for phase in Phase]
    if isinstance(value, str) and value.lower() in names:
        return Phase[value.upper()]
    raise SettingError(
        f"{what} must be a Phase or its name, not {shown(value)}: "
        f"{suggest(value, names)}"
    )


@cache
def collector(phase: Phase, kind: str, rig: str = "") -> p3d.PStatCollector:
    """Return the PStats collector for the time of one kind of part in a phase.

    Args:
        phase: The phase.
        kind: The class of the part.
        rig: Name of the rig; "": of all rigs.
    """
    name = f"App:ikrig:{phase.name.lower()}:{kind}"
    # a colon would begin a level
    return p3d.PStatCollector(f"{name}:{rig.replace(':', ' ')}" if rig else name)
