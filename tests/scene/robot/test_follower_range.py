"""A leading joint stays within the ranges of its followers."""

from __future__ import annotations

import panda3d.core as p3d
import pytest

import ikrig

URDF = """\
<robot name="gripper">
  <link name="base"/><link name="a"/><link name="b"/>
  <joint name="lead" type="revolute">
    <parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="follower" type="revolute">
    <parent link="base"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>
    <mimic joint="lead" multiplier="{factor}" offset="{offset}"/>
  </joint>
</robot>
"""


@pytest.mark.parametrize(
    ("lower", "upper", "factor", "offset", "expected"),
    [
        (-2.0, 2.0, 2.0, 0.0, (-1.0, 1.0)),
        (-1.0, 1.5, 2.0, 0.0, (-0.5, 0.75)),
        (-1.0, 1.5, -2.0, 0.0, (-0.75, 0.5)),
        (-1.0, 1.5, 1.0, 0.5, (-1.0, 1.0)),
        (-1.0, 1.5, 1.0, 1.0, (-1.0, 0.5)),
        # rounded in the file
        (-1.995, 2.0, 2.0, 0.0, (-1.0, 1.0)),
        # these leave it nothing
        (2.5, 3.0, 1.0, 0.0, (-1.0, 1.0)),
        (1.0, 1.5, 1.0, 0.0, (-1.0, 1.0)),
    ],
)
def test_leading_joint_respects_ranges_of_followers(
    tmp_path, lower, upper, factor, offset, expected
):
    path = tmp_path / "gripper.urdf"
    text = URDF.format(lower=lower, upper=upper, factor=factor, offset=offset)
    path.write_text(text, encoding="utf-8")
    robot = ikrig.Robot(ikrig.load_robot(path), p3d.NodePath("scene"))
    lead, follower = robot.joints["lead"], robot.joints["follower"]
    assert lead.range == pytest.approx(expected)
    kept = follower.range[0] - 0.01 <= follower.value <= follower.range[1] + 0.01
    for value in (-9.0, 9.0, 0.3):
        lead.value = value
        assert expected[0] <= lead.value <= expected[1]
        assert follower.value == pytest.approx(factor * lead.value + offset)
        kept = kept and (
            follower.range[0] - 0.01 <= follower.value <= follower.range[1] + 0.01
        )
    said = [text for text in robot.warnings if "follows" in text]
    # as wide as before and yet kept: nothing to say
    assert bool(said) == (not kept or expected != (-1.0, 1.0))
