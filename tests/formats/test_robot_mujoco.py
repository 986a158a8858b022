"""Trees beside MuJoCo: the same models, the same poses and Jacobians."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ikrig import JointKind, ModelError, RobotModel, RobotState
from ikrig.formats.load_robot import load_robot
from ikrig.formats.robot_mujoco import load_mujoco
from tests import random_robots

mujoco = pytest.importorskip(
    "mujoco", reason="the package mujoco is not installed: pip install '.[robots]'"
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    # MuJoCo writes its warnings to a file in the current folder
    monkeypatch.chdir(tmp_path)


def files_of(package: str, pattern: str) -> list[Path]:
    """A package's model files, found without importing it; none when it is absent."""
    if package == "example-robot-data":
        try:
            found = distribution(package).locate_file("cmeel.prefix/share")
        except PackageNotFoundError:
            return []
        folder = Path(str(found))
    else:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            return []
        folder = Path(spec.submodule_search_locations[0])
    return sorted(folder.glob(pattern))


def cases(package: str, pattern: str, leave_out: tuple[str, ...] = ()) -> list:
    found = [
        pytest.param(path, id=path.stem)
        for path in files_of(package, pattern)
        if path.stem not in leave_out
    ]
    reason = f"the package {package} is not installed"
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=reason))]


def poses_agree(model, tree: RobotModel, count: int = 100) -> None:
    """All outputs in many random poses, and a few Jacobians, are MuJoCo's."""
    rng = np.random.default_rng(model.nq)
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
    for j, name in enumerate(tree.joint_names):
        joint = model.joint(name)
        assert joint.id == j
        limits = joint.range if model.jnt_limited[j] else [-np.inf, np.inf]
        assert tree.joint_ranges[j].tolist() == list(limits)


# MuJoCo refuses these: broken numbers, meshes without volume or with too many faces
REFUSED = ("alex_nub_hands", "simple_humanoid")


@pytest.mark.parametrize(
    "path",
    cases("example-robot-data", "example-robot-data/robots/**/*.urdf", REFUSED)
    + cases("pybullet_data", "*/*robot*.urdf")
    + cases("pybullet_data", "kuka_iiwa/model.urdf")
    + cases("pybullet_data", "franka_panda/*.urdf"),
)
def test_urdf_robots(path):
    # some draw themselves with meshes of other robots of their package
    packages = path.parents[2]
    model = load_mujoco(path, allow=[packages])
    tree = load_robot(path, allow=[packages])
    poses_agree(model, tree, 20)
    root = ElementTree.parse(path).getroot()
    links = {link.get("name") for link in root.findall("link")}
    # the root link may be the world itself
    assert len(links - set(tree.body_names)) <= 1
    for joint in root.findall("joint"):
        kind, limit = joint.get("type"), joint.find("limit")
        if kind not in ("revolute", "prismatic"):
            continue
        row = tree.joint_index(joint.get("name"))
        wanted = JointKind.HINGE if kind == "revolute" else JointKind.SLIDE
        assert tree.joint_kinds[row] is wanted
        bounds = [float(limit.get(end, 0)) for end in ("lower", "upper")]
        if bounds[0] < bounds[1]:
            assert np.allclose(tree.joint_ranges[row], bounds)


@pytest.mark.parametrize(
    "path", cases("example-robot-data", "example-robot-data/robots/**/ur5_robot.urdf")
)
def test_a_urdf_beside_pinocchio(path):
    pin = pytest.importorskip(
        "pinocchio", reason="the package pin is not installed: pip install pin"
    )
    robot = pin.buildModelFromUrdf(str(path))
    data = robot.createData()
    tree = load_robot(path)
    rng = np.random.default_rng(5)
    order = [list(robot.names).index(name) - 1 for name in tree.joint_names]
    for _ in range(100):
        qpos = rng.uniform(-3, 3, robot.nq)
        pin.framesForwardKinematics(robot, data, qpos)
        pose = RobotState(tree, qpos=qpos[order]).pose
        for i, name in enumerate(tree.body_names[1:], start=1):
            place = data.oMf[robot.getFrameId(name)]
            assert np.allclose(pose.xpos[i], place.translation, atol=1e-9)
            assert np.allclose(pose.xmat[i], place.rotation, atol=1e-9)


ROBOT = """<robot name="r">
  <link name="base"><visual><geometry><mesh filename="package://bot/tri.obj"/>
    </geometry></visual></link>
  <link name="tool"><visual><geometry><mesh filename="package://bot/no.dae"/>
    </geometry></visual>
    <collision><geometry><box size="2 4 6"/></geometry></collision>
    <inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="tool"/>
    <axis xyz="0 1 0"/><origin xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="weld" type="fixed"><parent link="tool"/><child link="tip"/></joint>
</robot>
"""
TWO_OBJECTS = "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n"
TWO_OBJECTS += "o two\ng half\nusemtl red\nf 1 4 3\nf 2 3 4\n"
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize("mesh", [TETRAHEDRON, TWO_OBJECTS])
def test_shapes_and_meshes_come_along(tmp_path, mesh):
    (tmp_path / "bot" / "urdf").mkdir(parents=True)
    (tmp_path / "bot" / "tri.obj").write_text(mesh)
    path = tmp_path / "bot" / "urdf" / "robot.urdf"
    path.write_text(ROBOT)
    tree = load_robot(path)
    assert tree.name == "robot"
    assert tree.joint_names == ("elbow",)
    assert tree.joint_ranges.tolist() == [[-1, 2]]
    assert {"tool", "tip"} < set(tree.body_names)
    shapes = {geom.kind: geom for geoms in tree.geoms for geom in geoms}
    # the Collada file is left out, the box has half its lengths
    assert sorted(shapes) == ["box", "mesh"]
    assert shapes["box"].size.tolist() == [1, 2, 3]
    assert shapes["box"].collides
    drawn = shapes["mesh"]
    assert not drawn.collides
    assert drawn.mesh.faces.shape == (4, 3)
    # vertices in the geom's frame: back in the body's they are those of the file
    corners = (
        drawn.mesh.vertices @ random_robots.reference.matrix(drawn.quat).T + drawn.pos
    )
    assert sorted(np.round(corners, 6).tolist()) == sorted(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    )


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
        "try:\n    ikrig.load_robot('arm.xml')\n"
        "except ikrig.MissingPackageError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert "pip install 'panda3d-ikrig[robots]'" in done.stdout
