"""Time steps: replaces values that a clock should not return."""

from __future__ import annotations

from numbers import Real

from ..errors import SettingError, shown

LONGEST = 1e9
"""A frame counts as this long at most [s]: 31 years."""
SHORTEST = 1e-9
"""A shorter one counts as none [s]: speeds, which are ways by times, stay finite."""


def sound_dt(dt: float) -> float:
    """Return how long a frame counts [s], from 0 to ``LONGEST``.

    A clock may go back, jump, or break: what is negative or NaN is no time, what is
    infinite the longest. Clips and fades take all of that; what is solved in small
    steps takes a stated number of them, the longer the longer the time is.

    Raises:
        SettingError: It is no number at all, which no clock gives.
    """
    if not isinstance(dt, (float, int, Real)):
        raise SettingError(f"dt must be a number of seconds, not {shown(dt)}")
    if not dt >= SHORTEST:
        return 0.0
    return float(dt) if dt <= LONGEST else LONGEST
