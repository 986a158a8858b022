"""Robots from MJCF, compared with MuJoCo's models, poses and Jacobians."""

from __future__ import annotations

import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from ikrig import Geom, ModelError, RobotModel, RobotState
from ikrig.formats import robot_mujoco
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
        assert np.allclose(
            state.pose.geom_xpos, data.geom_xpos[drawn], rtol=0, atol=1e-9
        )
        turns = state.pose.geom_xmat.reshape(-1, 9)
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
def test_random_robots_match_mujoco(count):
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
def test_dm_control_models_match_mujoco(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    tree = load_robot(path)
    poses_agree(model, tree)
    fields = np.sum(model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD)
    assert sum(map(len, tree.geoms)) == model.ngeom - fields
    ties = np.sum(model.eq_active0 & (model.eq_type != mujoco.mjtEq.mjEQ_JOINT))
    assert len(tree.warnings) == (fields > 0) + (model.nskin > 0) + ties
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


def test_meshes_have_their_own_points_and_triangles():
    ends = {"one": (1, 2, 3), "two": (4, 5, 6)}
    meshes = "".join(
        f"<mesh name='{name}' vertex='0 0 0 {x} 0 0 0 {y} 0 0 0 {z}'/>"
        for name, (x, y, z) in ends.items()
    )
    geoms = "".join(f"<geom type='mesh' mesh='{name}'/>" for name in ends)
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><asset>{meshes}</asset><worldbody><body>{geoms}</body></worldbody>"
        "</mujoco>"
    )
    found = {geom.mesh.name: geom.mesh for geom in load_robot(model).geoms[1]}
    for name, lengths in ends.items():
        mesh = found[name]
        # MuJoCo moves a mesh to its middle and turns it: sizes stay
        assert mesh.vertices.shape == (4, 3) and mesh.faces.shape == (4, 3)
        far = np.linalg.norm(mesh.vertices[:, None] - mesh.vertices[None], axis=2)
        assert not mesh.vertices.flags.writeable and not mesh.faces.flags.writeable
        x, y, z = lengths
        sides = [x, y, z, np.hypot(x, y), np.hypot(y, z), np.hypot(x, z)]
        assert np.allclose(np.sort(far[np.triu_indices(4, 1)]), np.sort(sides))
        assert sorted(map(sorted, mesh.faces.tolist())) == [
            *([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3])
        ]


@pytest.mark.parametrize(
    ("equality", "why"),
    [
        ("joint1='b' joint2='a' polycoef='0.5 2 0 0 0'", ""),
        ("joint1='b' joint2='a' polycoef='0.5 2 0 0 0' active='false'", ""),
        ("joint1='b' joint2='a' polycoef='0.5 2 0.1 0 0'", "is not linear"),
        ("joint1='b' joint2='a' polycoef='0.5 2 0 0 0.1'", "is not linear"),
        ("joint1='b' polycoef='0.5 2 0 0 0'", "is constant"),
    ],
)
def test_unsupported_equality_is_reported(equality, why):
    body = "<body><joint name='{}' axis='0 0 1'/><geom size='.1'/></body>"
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{body.format('a')}{body.format('b')}</worldbody>"
        f"<equality><joint {equality}/></equality></mujoco>"
    )
    tree = load_robot(model)
    says = (
        f"joint 'b' has an equality that {why}, which is not supported: the joint "
        "moves independently"
    )
    assert tree.warnings == ((says,) if why else ())
    follows = not why and "active" not in equality
    assert tree.joint_drivers.tolist() == [-1, 0 if follows else -1]
    if follows:
        assert tree.joint_couplings[1].tolist() == [2.0, 0.5]


def test_second_equality_of_a_joint_is_reported():
    body = "<body><joint name='{}' axis='0 0 1'/><geom size='.1'/></body>"
    pair = "<joint joint1='{}' joint2='{}'/>"
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{''.join(map(body.format, 'abc'))}</worldbody><equality>"
        f"{pair.format('c', 'a')}{pair.format('c', 'b')}</equality></mujoco>"
    )
    tree = load_robot(model)
    assert tree.joint_drivers.tolist() == [-1, -1, 0]
    (warning,) = tree.warnings
    assert "joint 'c' has an equality that is its second one" in warning


def test_constraints_between_bodies_are_reported():
    body = "<body name='{0}'><joint name='{0}'/><geom size='.1'/><site name='{0}'/>"
    tree = load_robot(
        mujoco.MjModel.from_xml_string(
            f"<mujoco><worldbody>{body.format('a')}</body>{body.format('b')}</body>"
            "</worldbody><tendon><fixed name='t'><joint joint='a' coef='1'/></fixed>"
            "</tendon><equality><connect name='loop' body1='a' body2='b' anchor='0 0 0'"
            "/><weld body1='b'/><weld name='off' body1='a' body2='b' active='false'/>"
            "<connect name='point' site1='a' site2='b'/><tendon tendon1='t'/>"
            "<joint joint1='b' joint2='a'/></equality></mujoco>"
        )
    )
    said = "is not supported: its parts move independently"
    assert tree.warnings == (f"<tendon> 'equality 4' {said}",)
    # the one that is switched off is none
    assert [(loop.first, loop.second) for loop in tree.loops] == [
        (1, 2),
        (2, 0),
        (1, 2),
    ]
    assert tree.joint_drivers.tolist() == [-1, 0]


def test_undrawn_shapes_are_counted():
    field = "<hfield name='{}' nrow='2' ncol='2' size='1 1 1 1'/>"
    geom = "<geom type='hfield' hfield='{}'/>".format
    for names, said in (("a", "1 hfield geom is"), ("ab", "2 hfield geoms are")):
        model = mujoco.MjModel.from_xml_string(
            f"<mujoco><asset>{field.format('a')}{field.format('b')}</asset>"
            f"<worldbody>{''.join(map(geom, names))}</worldbody></mujoco>"
        )
        tree = load_robot(model)
        assert tree.warnings == (f"{said} not drawn",)
        assert not any(tree.geoms)


def test_warnings_of_mujoco_about_textures_are_not_shown(tmp_path, monkeypatch):
    path, load = tmp_path / "box.xml", mujoco.MjModel.from_xml_path
    path.write_text(
        "<mujoco><worldbody><geom type='box' size='1 1 1'/></worldbody></mujoco>"
    )

    class Model:
        @staticmethod
        def from_xml_path(name):
            warnings.warn(kind("about a texture"), stacklevel=1)
            return load(name)

    monkeypatch.setattr(robot_mujoco, "_mujoco", lambda: SimpleNamespace(MjModel=Model))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind = UserWarning
        assert robot_mujoco.load_mujoco(path).ngeom == 1
        # what is about the program itself comes through
        kind = DeprecationWarning
        with pytest.raises(DeprecationWarning, match="about a texture"):
            robot_mujoco.load_mujoco(path)


def test_unreadable_models_are_reported(tmp_path):
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


def test_missing_mujoco_is_named():
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


@pytest.mark.parametrize("tag", ["mujocoinclude", "html"])
def test_non_robot_error_names_the_expected_start(tmp_path, tag):
    path = tmp_path / "part.xml"
    path.write_text(f"<{tag}><body/></{tag}>")
    with pytest.raises(ModelError, match=f"starts with <{tag}>: a URDF file starts"):
        load_robot(path)
