"""What a pose of a hand consists of, and the poses that every hand knows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..records import Field, PlainFields
from ..value_shapes import Number

FINGER_NAMES = ("thumb", "index", "middle", "ring", "pinky")
_PART = Number("a number from 0 to 1", 0.0, 1.0)
_SPREAD = Number("a number from -1 to 1", -1.0, 1.0)
HAND_VALUES: PlainFields = {
    "curl": Field(_PART, "Curl of all fingers, from 0, straight, to 1, closed."),
    "spread": Field(
        _SPREAD, "How far the fingers spread, from -1, together, to 1; 0: as modelled."
    ),
    "thumb": Field(
        _PART,
        "How far the thumb opposes the fingers, from 0, beside the palm, to 1.",
    ),
    **{
        f"{name}_curl": Field(_PART, f"Curl of the {name}; default: as all fingers.")
        for name in FINGER_NAMES
    },
}
"""What a pose of a hand consists of."""


def _pose(**values: float) -> Mapping[str, float]:
    return MappingProxyType(values)


HAND_POSES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "flat": _pose(curl=0.0, thumb=0.1),
        "open": _pose(curl=0.12, spread=0.3, thumb=0.55),
        "fist": _pose(curl=1.0, spread=-0.5, thumb=0.65, thumb_curl=0.75),
        "point": _pose(curl=0.95, index_curl=0.0, thumb=0.6, thumb_curl=0.7),
        "grip": _pose(curl=0.6, spread=-0.2, thumb=0.7, thumb_curl=0.35),
        "pinch": _pose(
            curl=0.3, index_curl=0.52, middle_curl=0.42, thumb=0.8, thumb_curl=0.4
        ),
    }
)
"""The poses that every hand knows, by name."""
