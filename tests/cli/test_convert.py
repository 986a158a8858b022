"""Converted files, compared with MuJoCo and other readers."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig.formats.robot_yaml import dump_robot, load_robot_yaml
from tests.random_robots import random_bodies

from .conftest import LAMP

mujoco = pytest.importorskip("mujoco", reason="needs the package mujoco")


def test_converted_robot_moves_as_in_mujoco(run, write):
    robot = write("lamp.urdf", LAMP)
    out = robot.with_name("lamp.yaml")
    answer = run("convert", robot, "-o", out, "--json")
    assert answer.code == 0
    assert answer.document["joints"] == 2
    tree = load_robot_yaml(out)
    model = mujoco.MjModel.from_xml_string(
        LAMP.replace(
            '<robot name="lamp">',
            '<robot name="lamp"><mujoco><compiler fusestatic="false"/></mujoco>',
        )
    )
    data = mujoco.MjData(model)
    names = [model.body(i).name for i in range(model.nbody)]
    assert list(tree.body_names) == names
    rng = np.random.default_rng(4)
    for _ in range(20):
        data.qpos[:] = rng.uniform([-1.5, 0.0], [0.5, 0.25])
        mujoco.mj_kinematics(model, data)
        pose = ikrig.forward_kinematics(tree, data.qpos)
        np.testing.assert_allclose(pose.xpos, data.xpos, atol=1e-9)
        np.testing.assert_allclose(pose.xmat.reshape(-1, 9), data.xmat, atol=1e-8)
    np.testing.assert_allclose(tree.joint_ranges, model.jnt_range, atol=1e-9)


def test_losses_of_conversion_are_reported(run, write):
    write("tip.obj", TIP)
    text = LAMP.replace('<sphere radius="0.1"/>', '<mesh filename="tip.obj"/>')
    robot = write("lamp.urdf", text)
    out = robot.with_suffix(".yaml")
    answer = run("convert", robot, "-o", out, "--json")
    assert answer.code == 0, answer.err
    # the file of a mesh is named
    assert answer.document["meshes_left_out"] == 0
    assert "mesh: tip.obj" in out.read_text()
    shapes = [geom for geoms in load_robot_yaml(out).geoms for geom in geoms]
    assert [g.mesh.path for g in shapes if g.mesh] == [robot.parent / "tip.obj"]
    # as seen from the new file, which may not open what is far away
    (far := robot.parent / "a" / "b").mkdir(parents=True)
    answer = run("convert", robot, "-o", far / "lamp.yaml")
    assert f"read it with --allow {robot.parent}" in answer.err
    assert 'mesh: "../../tip.obj"' in (far / "lamp.yaml").read_text()
    # MuJoCo hands over triangles without a file
    asset = "<asset><mesh name='m' file='tip.obj'/></asset>"
    body = "<worldbody><geom type='mesh' mesh='m'/></worldbody>"
    model = write("tip.xml", f"<mujoco>{asset}{body}</mujoco>")
    answer = run("convert", model, "-o", out, "--json")
    assert answer.document["meshes_left_out"] == 1
    assert "are left out because they are meshes" in answer.err
    # what is not there stays away, and is reported
    (robot.parent / "tip.obj").unlink()
    answer = run("convert", robot, "-o", out, "--json")
    assert answer.code == 0
    assert "'tip.obj' was not found: looked for tip.obj in " in answer.err
    answer = run("check", robot, "--json")
    assert answer.code == 0
    (warning,) = answer.document["warnings"]
    assert "'tip.obj' was not found" in warning["message"]
    answer = run("info", robot, "--json")
    assert answer.document["not_drawn"] == [warning["message"]]
    assert "not drawn" in run("info", robot).out


@pytest.mark.parametrize("seed", range(12))
def test_dumped_robots_load_equal(tmp_path, seed):
    model = ikrig.RobotModel(random_bodies(np.random.default_rng(seed), 9))
    text = dump_robot(model, tmp_path / "tree.yaml")
    again = load_robot_yaml(tmp_path / "tree.yaml")
    assert dump_robot(again) == text
    assert again.body_names == model.body_names
    assert again.joint_names == model.joint_names
    assert again.joint_kinds == model.joint_kinds
    assert again.site_names == model.site_names
    for name in ("parents", "body_mocap", "joint_bodies", "site_bodies"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    for name in (
        *("body_pos", "body_quat", "body_ipos", "body_iquat", "joint_axes"),
        *("joint_anchors", "joint_ranges", "qpos0", "site_pos", "site_quat"),
    ):
        found, wanted = getattr(again, name), getattr(model, name)
        # not all angles can be written in degrees to the last digit
        slack = 1e-15 if name in ("joint_ranges", "qpos0") else 0.0
        np.testing.assert_allclose(found, wanted, slack, slack, err_msg=name)


TIP = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
