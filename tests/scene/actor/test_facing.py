"""LookLimits."""

from __future__ import annotations

from math import pi

import pytest

from ikrig import LookLimits, SettingError
from ikrig.scene.behaviours.facing import look_limits


def test_limits_are_stored_as_given() -> None:
    limits = LookLimits(left=0.4, right=0.3, up=0.2, down=0.1)
    assert look_limits(limits, "limits") is limits
    assert vars(LookLimits()) == {"left": 1.4, "right": 1.4, "up": 0.9, "down": 0.9}
    with pytest.raises(SettingError, match="limits must be LookLimits, not 3"):
        look_limits(3, "limits")


@pytest.mark.parametrize("side", ["left", "right", "up", "down"])
def test_limits_must_be_valid_angles(side: str) -> None:
    most = pi if side in ("left", "right") else 0.5 * pi
    for good in (0, 0.5, most):
        assert getattr(LookLimits(**{side: good}), side) == good
    for wrong in (-1e-9, most + 1e-3, float("nan"), "wide", None):
        with pytest.raises(SettingError, match=side):
            LookLimits(**{side: wrong})
