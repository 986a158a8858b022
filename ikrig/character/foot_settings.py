"""FootSettings: settings of foot placement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import SettingError
from ..value_shapes import LARGEST, CheckedRecord, Number, checked

MAXIMA = {"lock": 1.0, "max_tilt": 1.4}
"""Maximum values of settings that have one."""


@dataclass(frozen=True, kw_only=True)
class FootSettings(CheckedRecord):
    """Settings of foot placement. Lengths are in leg lengths, to fit any figure.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    step_height: float = 0.5
    """Ground higher or lower than the figure's own by more than this is ignored."""
    max_tilt: float = 0.7
    """Maximum tilt of a foot on the ground [rad]."""
    lock: float = 1.0
    """Strength by which a standing foot is held in place, 0 to 1."""
    lock_distance: float = 0.3
    """Maximum distance from its animated position before a foot slips."""
    foot_seconds: float = 0.15
    """Time that a foot takes to adapt to a new height or tilt of the ground [s]."""
    hips_seconds: float = 0.4
    """Time that the hips take to adapt to the height of the feet [s]."""
    release_seconds: float = 0.35
    """Time that a foot takes back to its animated path after leaving the ground [s]."""
    look_ahead: float = 0.25
    """Time by which a foot in the air anticipates a step in its path [s]."""

    def _check(self, name: str, value: Any) -> float:
        """Return a value of a setting, checked."""
        most = MAXIMA.get(name, LARGEST)
        words = "at least 0" if most == LARGEST else f"from 0 to {most:g}"
        shape = Number(f"a number {words}", 0.0, most)
        number: float = checked(shape, value, name, SettingError)
        return number
