"""FootSettings: settings of foot placement."""

from __future__ import annotations

from dataclasses import dataclass

from ..records import CheckedRecord, entry
from ..value_shapes import Number

_SIZE = Number("a number of at least 0", 0.0)
_FRACTION = Number("a number from 0 to 1", 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class FootSettings(CheckedRecord):
    """Settings of foot placement. Lengths are in leg lengths, to fit any figure.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    step_height: float = entry(0.5, _SIZE, "Maximum height of a step, in leg lengths.")
    """Ground higher or lower than the figure's own by more than this is ignored."""
    max_tilt: float = entry(
        0.7,
        Number("an angle from 0 to 1.4 rad (80°)", 0.0, 1.4),
        "Maximum tilt of a foot.",
        degrees=True,
    )
    """Maximum tilt of a foot on the ground [rad]."""
    lock: float = entry(
        1.0, _FRACTION, "Strength by which a standing foot is held in place."
    )
    """Strength by which a standing foot is held in place, 0 to 1."""
    lock_distance: float = entry(
        0.3, _SIZE, "Distance at which a held foot slips, in leg lengths."
    )
    """Maximum distance from its animated position before a foot slips."""
    foot_seconds: float = entry(
        0.15, _SIZE, "Time of a foot to adapt to the ground, in seconds."
    )
    """Time that a foot takes to adapt to a new height or tilt of the ground [s]."""
    hips_seconds: float = entry(
        0.4, _SIZE, "Time of the hips to adapt to the feet, in seconds."
    )
    """Time that the hips take to adapt to the height of the feet [s]."""
    release_seconds: float = entry(
        0.35, _SIZE, "Time of a foot back to its animated path, in seconds."
    )
    """Time that a foot takes back to its animated path after leaving the ground [s]."""
    look_ahead: float = entry(
        0.25, _SIZE, "Time by which a step is anticipated, in seconds."
    )
    """Time by which a foot in the air anticipates a step in its path [s]."""
