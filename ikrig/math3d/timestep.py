"""Time steps: replaces values that a clock should not return."""

from __future__ import annotations

from numbers import Real

from ..errors import SettingError, shown

LONGEST = 1e9
"""Maximum duration of a frame [s]: 31 years."""
SHORTEST = 1e-9
"""Shorter frames count as 0 [s]: speeds, which divide by it, stay finite."""


def sound_dt(dt: float) -> float:
    """Return a frame's duration [s], clamped to 0 ... ``LONGEST``.

    A clock may go back, jump, or break: negative values and NaN count as 0, infinite
    ones as the longest. Clips and fades use all of it; what is solved in small steps
    has a maximum number of them, and longer ones beyond.

    Raises:
        SettingError: It is not a number at all, which no clock returns.
    """
    if not isinstance(dt, (float, int, Real)):
        raise SettingError(f"dt must be a number of seconds, not {shown(dt)}")
    if not dt >= SHORTEST:
        return 0.0
    return float(dt) if dt <= LONGEST else LONGEST
