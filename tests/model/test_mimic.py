"""Joints that follow others: the model, files, and MuJoCo's equality constraints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ikrig import Body, Joint, ModelError, RobotModel, load_robot


def hand(**changes) -> RobotModel:
    """A finger whose second joint follows the first, and whose third the second."""
    joints = {
        "a": Joint("a", axis="y", range=(-1.0, 2.0), qpos0=0.3),
        "b": Joint("b", axis="y", mimic="a", multiplier=-0.5, offset=0.25),
        "c": Joint("c", "slide", axis="x", mimic="b", multiplier=0.2, offset=0.1),
    } | changes
    return RobotModel(
        Body(name, "world" if k == 0 else "abc"[k - 1], (1, 0, 0), joints=[joint])
        for k, (name, joint) in enumerate(joints.items())
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"a": Joint("a", mimic="b")}, "joints mimic each other in a cycle: 'a', 'b'"),
        ({"a": Joint("a", mimic="a")}, "joints mimic each other in a cycle: 'a'"),
        ({"b": Joint("b", mimic="k")}, "'b' mimics 'k', which is not a hinge or slide"),
        ({"b": Joint("b", mimic="?")}, "not a hinge or slide: available: a, b, c$"),
        ({"b": Joint("b", mimic=3)}, "'b' mimics 3, which is not a hinge or slide"),
        ({"a": Joint("a", "ball")}, "'b' mimics 'a', which is not a hinge or slide"),
        (
            {"b": Joint("b", "ball", mimic="a")},
            "mimic of joint 'b' must be None for a ball",
        ),
        ({"b": Joint("b", mimic="a", offset=math.nan)}, "offset of joint 'b' must be"),
        ({"b": Joint("b", mimic="a", multiplier="x")}, "multiplier of joint 'b' must"),
    ],
)
def test_invalid_couplings_are_refused(changes, message):
    with pytest.raises(ModelError, match=message):
        hand(**changes)


@pytest.mark.parametrize("qpos", [[1.0], 3.0, "abc", None, [[1.0, 2.0]]])
def test_wrong_number_of_coordinates_is_refused(qpos):
    with pytest.raises(ModelError, match="qpos must be 3 numbers"):
        hand().couple(qpos)


def test_joint_equality_matches_mujoco():
    mujoco = pytest.importorskip("mujoco", reason="the package mujoco is not installed")
    model = mujoco.MjModel.from_xml_string("""
        <mujoco><worldbody>
          <body name="a"><joint name="a" axis="0 1 0" ref="0.4"/><geom size="1"/>
            <body name="b" pos="1 0 0"><joint name="b" axis="0 1 0" ref="-0.2"/>
              <geom size="1"/>
              <body name="c" pos="1 0 0"><joint name="c" type="slide"/><geom size="1"/>
                <body name="d" pos="1 0 0"><joint name="d"/><geom size="1"/></body>
              </body></body></body>
        </worldbody><equality>
          <joint joint1="b" joint2="a" polycoef="0.3 -0.7 0 0 0"/>
          <joint joint1="c" joint2="b" polycoef="0.1 0.5 0 0 0"/>
          <joint joint1="d" joint2="a" polycoef="0 1 0.5 0 0"/>
        </equality></mujoco>""")
    ours = load_robot(model)
    assert ours.warnings == (
        "joint 'd' has an equality that is not linear, which is not supported: the "
        "joint moves independently",
    )
    assert ours.joint_drivers.tolist() == [-1, 0, 0, -1]
    rng = np.random.default_rng(4)
    data = mujoco.MjData(model)
    for _ in range(50):
        data.qpos[:] = ours.couple(rng.normal(size=4))
        mujoco.mj_forward(model, data)
        rows = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        assert np.allclose(rows[:2], 0.0, atol=1e-12)
        assert abs(rows[2]) > 1e-6
