"""LookLimits."""

from __future__ import annotations

from math import pi
from types import SimpleNamespace

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import BindError, LookLimits, SettingError
from ikrig.scene.behaviours.facing import facing, look_limits


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
        limit = getattr(LookLimits(**{side: good}), side)
        assert limit == good and type(limit) is float
    for wrong in (-1e-9, most + 1e-3, float("nan"), "wide", None):
        with pytest.raises(SettingError, match=side):
            LookLimits(**{side: wrong})


def test_directions_of_a_joint_need_one_that_is_not_flat() -> None:
    actor = p3d.NodePath("actor")
    mat = p3d.LMatrix4f.scale_mat(2.0, 2.0, 2.0) * p3d.LMatrix4f.translate_mat(1, 2, 3)
    joint = SimpleNamespace(space=actor, actor=actor, rest_mat=lambda name: mat)
    found = np.array(facing(joint, "head", p3d.LVector3f(0, -1, 0)))  # type: ignore[arg-type]
    # right, ahead and up, in a space that is twice as large
    assert np.allclose(found, [-0.5, 0, 0, 0, -0.5, 0, 0, 0, 0.5])
    joint.rest_mat = lambda name: p3d.LMatrix4f.scale_mat(1.0, 0.0, 1.0)
    with pytest.raises(BindError, match="joint 'head' is scaled to 0 in the rest pose"):
        facing(joint, "head", p3d.LVector3f(0, -1, 0))  # type: ignore[arg-type]
    for forward in ((0, 0, 1), (0, 0, -3), (0, 0, 0)):
        with pytest.raises(BindError, match="forward must not point straight up or"):
            facing(joint, None, p3d.LVector3f(*forward))  # type: ignore[arg-type]
