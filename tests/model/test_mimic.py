"""Joints that follow others: the model, files, and MuJoCo's equality constraints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ikrig import Body, Joint, ModelError, RigFileError, RobotModel, load_robot
from ikrig.formats.robot_yaml import dump_robot


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


def test_chained_couplings_refer_to_the_leading_joint():
    model = hand()
    assert model.joint_drivers.tolist() == [-1, 0, 0]
    given = np.array([[0.8, 7.0, 7.0], [-1.0, 0.0, 0.0]])
    b = -0.5 * given[:, 0] + 0.25
    expected = np.stack([given[:, 0], b, 0.2 * b + 0.1], axis=1)
    assert np.allclose(model.couple(given), expected, atol=1e-15)
    assert np.allclose(model.couple(given[0]), expected[0], atol=1e-15)
    assert given[0, 1] == 7.0


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


def test_description_keeps_couplings(tmp_path):
    model = hand()
    path = tmp_path / "hand.yaml"
    text = dump_robot(model, path)
    again = load_robot(path)
    assert "offset_deg" in text
    assert again.joint_drivers.tolist() == model.joint_drivers.tolist()
    assert np.allclose(again.joint_couplings, model.joint_couplings, atol=1e-12)
    path.write_text(text.replace("offset_deg", "offset"), encoding="utf-8")
    with pytest.raises(RigFileError, match="write offset_deg"):
        load_robot(path)
    path.write_text(text.replace("mimic: a", "mimic: elbow", 1), encoding="utf-8")
    with pytest.raises(RigFileError, match="'b' mimics 'elbow'"):
        load_robot(path)


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


@pytest.mark.parametrize("name", [["j"], {}, None, 3, "", "a"])
def test_unknown_name_of_a_leading_joint_is_reported(name):
    with pytest.raises(
        ModelError, match=r"must be a non-empty string|entries are named"
    ):
        hand(d=Joint(name))
    bodies = [Body("x", "world", (1, 0, 0), joints=[Joint("a"), Joint(name)])]
    with pytest.raises(
        ModelError, match=r"must be a non-empty string|entries are named"
    ):
        RobotModel(bodies)
