"""FootSettings: how feet are placed."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..errors import SettingError
from ..value_shapes import LARGEST, Number, checked

MOST = {"lock": 1.0, "max_tilt": 1.4}
"""The largest values of settings that have one."""


@dataclass(frozen=True, kw_only=True)
class FootSettings:
    """How feet are placed. Lengths are in leg lengths, so that they fit any figure.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    step_height: float = 0.5
    """Ground higher or lower than the figure's own by more than this is left alone."""
    max_tilt: float = 0.7
    """Steepest that a foot is laid on the ground [rad]."""
    lock: float = 1.0
    """How firmly a foot that stands stays where it is, 0 to 1."""
    lock_distance: float = 0.3
    """How far it may stay behind its animation before it slips."""
    foot_seconds: float = 0.15
    """How long a foot takes to a new height or tilt of the ground [s]."""
    hips_seconds: float = 0.4
    """How long the hips take to the height that suits the feet [s]."""
    release_seconds: float = 0.35
    """How long a foot that leaves the ground takes back to its animated way [s]."""
    look_ahead: float = 0.25
    """How early a foot in the air sees a step in its way [s]."""

    def __post_init__(self) -> None:
        """Check every value."""
        for field in fields(self):
            most = MOST.get(field.name, LARGEST)
            words = "at least 0" if most == LARGEST else f"from 0 to {most:g}"
            shape = Number(f"a number {words}", 0.0, most)
            value = checked(shape, getattr(self, field.name), field.name, SettingError)
            object.__setattr__(self, field.name, value)
