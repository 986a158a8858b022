"""Trees beside MuJoCo: the same models, the same poses and Jacobians."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ikrig import Geom, ModelError, RobotModel, RobotState
from ikrig.formats.load_robot import load_robot
from tests import random_robots
from tests.robot_files import cases

mujoco = pytest.importorskip(
    "mujoco", reason="the package mujoco is not installed: pip install '.[robots]'"
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    # MuJoCo writes its warnings to a file in the current folder
    monkeypatch.chdir(tmp_path)


def poses_agree(model, tree: RobotModel, count: int = 100) -> None:
    """All outputs in many random poses, and a few Jacobians, are MuJoCo's."""
    rng = np.random.default_rng(model.nq)
    # it takes frames that are nearly equal for equal, and shapes then miss by 1e-6
    model.geom_sameframe[:] = 0
    data = mujoco.MjData(model)
    state = RobotState(tree)
    assert np.allclose(tree.qpos0, model.qpos0, atol=1e-12)
    assert np.allclose(state.mocap_pos, data.mocap_pos, atol=1e-12)
    for k in range(count):
        data.qpos[:] = state.qpos[:] = rng.normal(size=model.nq) * rng.choice([1, 4])
        data.mocap_pos[:] = state.mocap_pos[:] = rng.normal(size=(model.nmocap, 3))
        data.mocap_quat[:] = state.mocap_quat[:] = rng.normal(size=(model.nmocap, 4))
        mujoco.mj_kinematics(model, data)
        state.update()
        for name in random_robots.OUTPUTS:
            theirs, ours = getattr(data, name), getattr(state.pose, name)
            assert np.allclose(ours.reshape(theirs.shape), theirs, rtol=0, atol=1e-9)
        shapes = [mujoco.mjtGeom(kind).name[7:].lower() for kind in model.geom_type]
        drawn = np.isin(shapes, Geom.KINDS)
        assert np.allclose(state.geom_xpos, data.geom_xpos[drawn], rtol=0, atol=1e-9)
        turns = state.geom_xmat.reshape(-1, 9)
        assert np.allclose(turns, data.geom_xmat[drawn], rtol=0, atol=1e-9)
        if k % 20 == 0:
            mujoco.mj_comPos(model, data)
            body = int(rng.integers(model.nbody))
            point = rng.normal(size=3)
            rows = np.zeros((2, 3, model.nv))
            mujoco.mj_jac(model, data, rows[0], rows[1], point, body)
            found = state.jacobian(body=tree.body_names[body], point=point)
            assert np.allclose(found, rows.reshape(6, -1), rtol=0, atol=1e-9)


@pytest.mark.parametrize("count", [*range(2, 12), 17, 25, 40, 60])
def test_random_trees(count):
    bodies = random_robots.random_bodies(np.random.default_rng(count), count)
    model = mujoco.MjModel.from_xml_string(random_robots.mjcf(bodies))
    # the same parts, once as they are and once by way of MuJoCo
    own, theirs = RobotModel(bodies), load_robot(model)
    for name, value in vars(own).items():
        if isinstance(value, np.ndarray):
            assert np.allclose(value, getattr(theirs, name), atol=1e-12), name
        elif name not in ("name", "geoms"):
            assert value == getattr(theirs, name), name
    poses_agree(model, own)


@pytest.mark.parametrize("path", cases("dm_control", "suite/*.xml"))
def test_models_of_dm_control(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    tree = load_robot(path)
    poses_agree(model, tree)
    fields = np.sum(model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD)
    assert sum(map(len, tree.geoms)) == model.ngeom - fields
    assert len(tree.warnings) == (fields > 0) + (model.nskin > 0)
    for j, name in enumerate(tree.joint_names):
        joint = model.joint(name)
        assert joint.id == j
        limits = joint.range if model.jnt_limited[j] else [-np.inf, np.inf]
        assert tree.joint_ranges[j].tolist() == list(limits)


def test_materials_give_colours():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco model='m'><asset><material name='red' rgba='1 0 0 1'/></asset>"
        "<worldbody><geom type='plane' size='1 2 .1' material='red'/>"
        "<body><joint type='ball'/><geom size='.5' rgba='0 1 0 1' material='red'/>"
        "</body></worldbody></mujoco>"
    )
    tree = load_robot(model)
    assert tree.name == "m"
    assert tree.body_names == ("world", "body 1")
    assert tree.geoms[0][0].kind == "plane"
    assert tree.geoms[0][0].rgba.tolist() == [1, 0, 0, 1]
    assert tree.geoms[1][0].rgba.tolist() == [0, 1, 0, 1]


def test_what_can_not_be_read(tmp_path):
    with pytest.raises(ModelError, match=r"no\.xml: No such file"):
        load_robot(tmp_path / "no.xml")
    bad = tmp_path / "bad.xml"
    bad.write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    with pytest.raises(ModelError, match=r"bad\.xml: .*mass and inertia"):
        load_robot(bad)
    bad.write_text("hello")
    with pytest.raises(ModelError, match=r"bad\.xml: syntax error"):
        load_robot(str(bad))
    with pytest.raises(ModelError, match="MJCF or URDF file, not 3"):
        load_robot(3)


def test_without_mujoco_it_says_what_to_install():
    code = (
        "import sys; sys.modules['mujoco'] = None\n"
        "import ikrig\n"
        "open('arm.xml', 'w').write('<mujoco/>')\n"
        "try:\n    ikrig.load_robot('arm.xml')\n"
        "except ikrig.MissingPackageError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert "pip install 'panda3d-ikrig[robots]'" in done.stdout
