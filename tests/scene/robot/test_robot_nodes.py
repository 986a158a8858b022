"""Robots in the scene: nodes match matrices and MuJoCo, values are read back."""

from __future__ import annotations

import gc
import math
import weakref

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import Body, Joint, JointKind, Robot, RobotModel, Site
from ikrig.formats.load_robot import load_robot
from ikrig.scene.ik.joint_tags import TAG
from tests import random_robots, reference

SINGLE = 2e-5
"""Nested nodes in single precision; coordinates are a few units, chains deep."""

ARM = RobotModel(
    [
        Body("upper", joints=[Joint("shoulder", axis="y", range=(-1.0, 2.0))]),
        Body("link", parent="upper", pos=(0, 0, 1), quat=(1, 0, 0, 1)),
        Body(
            "lower",
            parent="link",
            pos=(0, 0, 1),
            joints=[
                Joint("elbow", axis="y", anchor=(0, 0, 0.5), qpos0=0.25),
                Joint("lift", "slide", axis="z", range=(0.0, 0.5)),
            ],
            sites=[Site("hand", pos=(0, 0, 1))],
        ),
        Body("ball", parent="lower", joints=[Joint("wrist", "ball", range=(0, 1.0))]),
        Body("goal", mocap=True, pos=(1, 2, 3)),
        Body("crate", joints=[Joint("loose", "free")]),
    ],
    name="arm",
)


@pytest.fixture
def arm(world) -> Robot:
    return Robot(ARM, world)


def pose(node: p3d.NodePath, top: p3d.NodePath) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation matrix for column vectors, in top's coordinates."""
    rows = np.array(node.get_mat(top))
    return rows[3, :3], rows[:3, :3].T


def agree(tree: Robot, expected: dict[str, np.ndarray], moved=None) -> None:
    """Body frames, sites, anchors and axes are where they should be."""
    model, top = tree.model, tree.root

    def same(found, wanted) -> None:
        assert np.allclose(found, wanted, rtol=SINGLE, atol=SINGLE)

    for b, name in enumerate(model.body_names):
        pos, mat = pose(tree.body(name), top)
        same(pos, expected["xpos"][b])
        same(mat, expected["xmat"][b])
    for s, name in enumerate(model.site_names):
        pos, mat = pose(tree.site(name), top)
        same(pos, expected["site_xpos"][s])
        same(mat, expected["site_xmat"][s])
    for j, (name, joint) in enumerate(tree.joints.items()):
        assert joint.node == tree.joint(name)
        pos, _ = pose(joint.node, top)
        along = np.zeros(3)
        if joint.kind is JointKind.SLIDE:
            # MuJoCo's anchor of a slide stays behind
            at = model.joint_qpos[j]
            along = (tree.qpos[at] - model.qpos0[at]) * expected["xaxis"][j]
        same(pos, expected["xanchor"][j] + along)
        if joint.kind is JointKind.HINGE:
            _, above = pose(joint.node.get_parent(), top)
            same(above @ joint.limit.axis, expected["xaxis"][j])


@pytest.mark.parametrize("count", [2, 3, 5, 9, 17, 33, 60])
def test_random_robots_match_matrices(world, count) -> None:
    rng = np.random.default_rng(count)
    bodies = random_robots.random_bodies(rng, count)
    tree = Robot(RobotModel(bodies), world)
    # where the whole tree is does not matter
    tree.root.set_pos_hpr_scale(3, -1, 2, 20, 30, 40, 1.5, 1.5, 1.5)
    mocap = tree.model.mocap_bodies
    for qpos in random_robots.random_qpos(rng, bodies, 8):
        places, rotations = rng.normal(size=(len(mocap), 3)), rng.normal(size=(9, 4))
        for name, place, turn in zip(mocap, places, rotations, strict=False):
            quat = p3d.LQuaternionf(*reference.unit(turn))
            tree.body(name).set_pos_quat(p3d.LPoint3f(*place), quat)
        tree.set_qpos(qpos, clamp=False)
        agree(tree, random_robots.forward(bodies, qpos, places, rotations))


@pytest.mark.parametrize("count", [4, 12, 40])
def test_random_robots_match_mujoco(world, count, tmp_path, monkeypatch) -> None:
    mujoco = pytest.importorskip(
        "mujoco", reason="the package mujoco is not installed: pip install '.[robots]'"
    )
    # MuJoCo writes its warnings to a file in the current folder
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(100 + count)
    bodies = random_robots.random_bodies(rng, count)
    model = mujoco.MjModel.from_xml_string(random_robots.mjcf(bodies))
    data = mujoco.MjData(model)
    tree = Robot(load_robot(model), world)
    for qpos in random_robots.random_qpos(rng, bodies, 5):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        tree.set_qpos(qpos, clamp=False)
        expected = {
            name: getattr(data, name).reshape((-1, 3, 3) if "mat" in name else (-1, 3))
            for name in random_robots.OUTPUTS
            if name != "xquat"
        }
        agree(tree, expected)


@pytest.mark.parametrize("count", [5, 17, 40])
def test_values_are_read_from_the_nodes(world, count) -> None:
    rng = np.random.default_rng(count)
    bodies = random_robots.random_bodies(rng, count)
    model = RobotModel(bodies)
    tree, copy = Robot(model, world), Robot(model, world)
    last = model.qpos0.copy()
    for _ in range(30):
        # less than half a turn from the last pose, over several turns in all
        step = random_robots.random_qpos(rng, bodies, 1)[0]
        last += np.clip(step, -2.0, 2.0)
        tree.set_qpos(last, clamp=False)
        assert (tree.qpos == last).all()
        # somebody else turns the nodes of the other one in the same way
        for name, joint in copy.joints.items():
            joint.node.set_transform(tree.joint(name).get_transform())
        agree(copy, random_robots.forward(bodies, copy.qpos))
        for name, joint in copy.joints.items():
            if joint.kind in (JointKind.HINGE, JointKind.SLIDE):
                wanted = tree.joints[name].value
                lower, upper = joint.range
                if lower <= wanted <= upper:
                    assert joint.value == pytest.approx(wanted, abs=SINGLE)


def test_values_are_clamped_to_their_ranges(arm) -> None:
    arm.joints["shoulder"].value = 9.0
    assert arm.joints["shoulder"].value == 2.0
    arm.set_qpos([-9, 9, 9, 0, 3, 0, 4, 1, 2, 3, 1, 0, 0, 0])
    assert arm.qpos[:3].tolist() == [-1.0, 9.0, 0.5]
    # half a turn about (0, 3, 0, 4) is held at 1 rad
    half = math.sin(0.5)
    wrist = [math.cos(0.5), 0.6 * half, 0.0, 0.8 * half]
    assert arm.joints["wrist"].value == pytest.approx(wrist)
    arm.joints["wrist"].value = (-math.cos(0.4), 0.0, math.sin(0.4), 0.0)
    seen = np.array(tuple(arm.joint("wrist").get_quat()))
    seen = seen * np.sign(seen[0])
    assert seen == pytest.approx([math.cos(0.4), 0, -math.sin(0.4), 0], abs=1e-6)
    measured = [3, 9, 9, 1, 0, 0, 0, 1, 2, 3, 1, 0, 0, 0]
    arm.set_qpos(measured, clamp=False)
    assert arm.qpos.tolist() == measured


def test_every_node_has_its_joint_limit(arm) -> None:
    arm.joints["shoulder"].value = 0.5
    arm.joints["elbow"].value = 4.0
    shoulder = arm.joint("shoulder").get_python_tag(TAG).limit
    assert isinstance(shoulder, ikrig.HingeLimit)
    assert shoulder.axis == pytest.approx((0, 1, 0))
    assert (shoulder.lower, shoulder.upper) == (-1.5, 1.5)
    # below a body that is turned by 90 degrees about z
    elbow = arm.joint("elbow").get_python_tag(TAG).limit
    assert elbow.axis == pytest.approx((-1, 0, 0))
    assert (elbow.lower, elbow.upper) == (-math.inf, math.inf)
    lift = arm.joints["lift"]
    lift.value = 0.2
    assert isinstance(lift.limit, ikrig.SlideLimit)
    assert lift.limit.axis == pytest.approx((0, 0, 1))
    assert (lift.limit.lower, lift.limit.upper) == pytest.approx((-0.2, 0.3))
    wrist = arm.joints["wrist"]
    assert wrist.limit == ikrig.BallLimit(1.0)
    # as far as it may turn in every way
    wrist.value = (math.cos(0.15), 0.0, -math.sin(0.15), 0.0)
    assert wrist.limit.most == pytest.approx(0.7)
    assert arm.joint("loose").get_python_tag(TAG).limit is None
    for node in (arm.body("lower"), arm.site("hand"), arm.body("world"), arm.root):
        assert node.get_python_tag(TAG).limit == ikrig.FixedLimit()


def test_mocap_body_follows_a_node(arm, world) -> None:
    arm.root.set_pos_hpr_scale(1, 2, 3, 30, 20, 10, 2, 2, 2)
    carrier = world.attach_new_node("carrier")
    node = carrier.attach_new_node("node")
    arm.follow("goal", node)
    rng = np.random.default_rng(3)
    for _ in range(10):
        carrier.set_pos_hpr(*rng.normal(size=3), *rng.uniform(-180, 180, 3))
        node.set_pos_hpr(*rng.normal(size=3), *rng.uniform(-180, 180, 3))
        goal = arm.body("goal")
        assert np.allclose(goal.get_pos(world), node.get_pos(world), atol=1e-5)
        turn = goal.get_quat(world).conjugate() * node.get_quat(world)
        assert abs(turn[0]) == pytest.approx(1.0, abs=1e-5)
    # what is drawn elsewhere than its nodes say must not be left out
    assert arm.root.get_bounds().is_infinite()
    stood = np.array(goal.get_mat(world))
    arm.follow("goal", None)
    assert not arm.root.get_bounds().is_infinite()
    assert np.allclose(goal.get_mat(world), stood, atol=1e-5)
    node.set_pos(9, 9, 9)
    assert np.allclose(goal.get_mat(world), stood, atol=1e-5)


def test_unknown_names_are_reported(arm, world) -> None:
    with pytest.raises(
        ikrig.ModelError, match=r"no joint 'elbo': did you mean 'elbow'"
    ):
        arm.joints["elbo"]
    with pytest.raises(
        ikrig.ModelError, match=r"no joint 'elbo': did you mean 'elbow'"
    ):
        arm.joint("elbo")
    with pytest.raises(ikrig.ModelError, match=r"no body 'lowe': did you mean 'lower'"):
        arm.body("lowe")
    with pytest.raises(ikrig.ModelError, match=r"no site 'hamd': did you mean 'hand'"):
        arm.site("hamd")
    with pytest.raises(ikrig.ModelError, match=r"no mocap body 'lower'.*goal"):
        arm.follow("lower", world)
    with pytest.raises(ikrig.BindError, match="which is below it"):
        arm.follow("goal", arm.body("goal"))
    with pytest.raises(ikrig.BindError, match="which is below it"):
        arm.follow("goal", arm.body("goal").attach_new_node("below"))
    with pytest.raises(ikrig.BindError, match="must be a NodePath, not 3"):
        arm.follow("goal", 3)
    assert "elbo" not in arm.joints
    with pytest.raises(ikrig.ModelError, match=r"shape \(3,\), but arm has 14"):
        arm.set_qpos([1, 2, 3])
    with pytest.raises(ikrig.ModelError, match="must be numbers"):
        arm.set_qpos("much")
    with pytest.raises(
        ikrig.SettingError, match="'lift' is a slide and takes 1 finite"
    ):
        arm.set_qpos([0, 0, math.nan, *[0.5] * 11])
    with pytest.raises(ikrig.SettingError, match="'wrist' is a ball and takes 4"):
        arm.joints["wrist"].value = 1.0
    with pytest.raises(ikrig.SettingError, match=r"'lift'.*not 'up'"):
        arm.joints["lift"].value = "up"
    with pytest.raises(ikrig.BindError, match="RobotModel, not 3"):
        Robot(3, world)
    with pytest.raises(ikrig.BindError, match="NodePath in a scene, not None"):
        Robot(ARM, None)


def test_removed_robot_leaves_nothing_behind(world) -> None:
    tree = Robot(ARM, world)
    weak = [weakref.ref(joint) for joint in tree.joints.values()]
    tree.remove()
    assert world.get_num_children() == 0
    tree.remove()
    del tree
    gc.collect()
    assert all(joint() is None for joint in weak)
