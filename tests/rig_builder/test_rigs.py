"""Rig files in a scene: loaded, solved, written and read again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from math import radians
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest
import yaml
from direct.actor.Actor import Actor
from direct.task.Task import TaskManager

import ikrig
from ikrig.formats.rig_file.sections import METHOD, TREE_SETTINGS
from ikrig.scene.ik.pose_binding import OrientationMode
from ikrig.solvers import SolveSettings
from tests.rig_builder.test_rig_errors import RIG, ROBOT, load
from tests.scene.conftest import limb

ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "assets"
RIGS = sorted((ROOT / "assets" / "rigs").glob("*.yaml"))
ids = [path.stem for path in RIGS]


@pytest.fixture
def scene() -> Iterator[p3d.NodePath]:
    # heads and springs move with the clock, which other tests leave as they like
    clock = p3d.ClockObject.get_global_clock()
    mode = clock.mode
    clock.mode = p3d.ClockObject.M_non_real_time
    clock.dt = 1 / 60
    yield p3d.NodePath("scene")
    clock.mode = mode


def solved(rig: ikrig.Rig) -> ikrig.Rig:
    # until all has settled
    for _ in range(200):
        rig.solve()
    return rig


def ends(rig: ikrig.Rig):
    """Each leaf with what it reaches for, and how much it counts."""
    for chain in rig.chains.values():
        yield chain.leaf, chain.target, chain.weight
    for tree in rig.trees.values():
        for effector in tree.effectors:
            yield effector.leaf, effector.target, effector.weight


def pose(rig: ikrig.Rig) -> np.ndarray:
    nodes = [
        node
        for part in (*rig.chains.values(), *rig.trees.values())
        for node in part.bones
    ]
    return np.array([np.array(node.get_mat(rig.root)).ravel() for node in nodes])


# -- the files that come along -------------------------------------------------------


@pytest.mark.parametrize("path", RIGS, ids=ids)
def test_examples_reach_their_targets(path, scene):
    rig = solved(ikrig.load_rig(path, parent=scene))
    height = max(rig.root.get_tight_bounds()[1][2] if rig.model else 1.0, 1.0)
    for leaf, target, weight in ends(rig):
        if weight >= 0.5:
            # the scene's own coordinates, not what the solver says of itself
            assert (
                leaf.get_pos(scene) - target.get_pos(scene)
            ).length() < 1e-3 * height
    rig.remove()
    assert scene.get_num_children() == 0


@pytest.mark.parametrize("path", RIGS, ids=ids)
def test_dumps_are_stable_and_equivalent(path, scene, tmp_path):
    rig = ikrig.load_rig(path, parent=scene)
    for k, target in enumerate(rig.targets.values()):
        target.set_pos(target, 0.01 * k, 0.02, -0.013)
        target.set_quat(target, p3d.LQuaternionf(0.96, 0.28, 0, 0))
    solved(rig)
    file = tmp_path / "dumped.yaml"
    text = ikrig.dump_rig(rig, file)
    again = ikrig.load_rig(file, parent=scene, allow=[ASSETS])
    assert ikrig.dump_rig(again, file) == text == file.read_text(encoding="utf-8")
    # behaviours alone have no pose that is not on its way to another
    if rig.targets:
        found = pose(solved(again))
        np.testing.assert_allclose(found, pose(rig), atol=1e-4 * scale(rig))


def scale(rig: ikrig.Rig) -> float:
    return max(1.0, float(np.abs(pose(rig)).max()))


@pytest.mark.parametrize("path", RIGS, ids=ids)
def test_unchanged_rigs_survive_a_round_trip(path, scene):
    rig = solved(ikrig.load_rig(path, parent=scene))
    written = yaml.safe_load(ikrig.dump_rig(rig))
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    nodes = written.pop("nodes", {})
    for name, values in given.pop("nodes", {}).items():
        assert nodes[name] == (values or {})
    for section, parts in given.items():
        if isinstance(parts, dict):
            for name, values in parts.items():
                if isinstance(values, dict):
                    found = written[section][name]
                    assert {key: found[key] for key in values} == values
        else:
            assert written[section] == parts


# -- what can be rigged --------------------------------------------------------------


def test_rig_uses_nodes_of_the_game(tmp_path, scene):
    nodes = limb(scene.attach_new_node("figure"), 3)
    file = tmp_path / "rig.yaml"
    file.write_text("chains: {c: {leaf: bone 3, root_joint: bone 1}}\n")
    rig = ikrig.load_rig(file, scene.find("figure"))
    assert rig.root.get_parent() == scene and rig.chains["c"].bones == nodes[1:]
    goal = nodes[3].get_pos(scene) + p3d.LVector3f(-0.2, 0.3, -0.1)
    rig.targets["c"].set_pos(scene, goal)
    solved(rig)
    assert (nodes[3].get_pos(scene) - goal).length() < 0.003


def test_nodes_of_equal_name_are_found_by_path(tmp_path, scene):
    for side in ("left", "right"):
        limb(scene.attach_new_node(side), 2)
    file = tmp_path / "rig.yaml"
    file.write_text("chains: {c: {leaf: bone 2}}\n")
    with pytest.raises(
        ikrig.RigFileError, match=r":1:20: leaf: 2 nodes .* 'left/bone 2'"
    ):
        ikrig.load_rig(file, scene)
    file.write_text("chains: {c: {leaf: right/bone 2}}\n")
    chain = ikrig.load_rig(file, scene).chains["c"]
    assert scene.find("right").is_ancestor_of(chain.leaf)


def test_robot_in_a_rig_file(tmp_path, scene):
    model = ikrig.load_robot(ROOT / "assets" / "models" / "six_axis.yaml")
    robot = ikrig.Robot(model, scene)
    robot.joints["L"].value = 0.5
    file = tmp_path / "rig.yaml"
    file.write_text("chains: {tool: {leaf: tool, chain_length: 6, solver: dls}}\n")
    rig = ikrig.load_rig(file, robot)
    assert rig.chains["tool"].limits["S"].upper == pytest.approx(radians(185))
    rig.targets["tool"].set_pos(scene, 0.6, 0.2, 0.7)
    solved(rig)
    assert (robot.body("tool").get_pos(scene) - (0.6, 0.2, 0.7)).length() < 2e-3


def test_robot_file_as_the_model(tmp_path, scene):
    (tmp_path / "robot.yaml").write_bytes(ROBOT.read_bytes())
    file = tmp_path / "rig.yaml"
    file.write_text("model: robot.yaml\nchains: {tool: {leaf: tool, root_joint: S}}\n")
    rig = ikrig.load_rig(file, parent=scene)
    assert isinstance(rig.model, ikrig.Robot)
    assert len(rig.chains["tool"].bones) == 7
    rig.remove()
    assert scene.get_num_children() == 0


def test_rig_on_a_playing_actor_of_the_game(scene):
    actor = Actor(str(ROOT / "assets" / "models" / "humanoid.bam"))
    actor.reparent_to(scene)
    actor.pose("walk", 5)
    rig = ikrig.load_rig(ROOT / "assets" / "rigs" / "humanoid.yaml", actor)
    assert rig.model is actor and rig.chains["left_hand"].rig is rig.actor_rig
    solved(rig)
    hand = rig.actor_rig.joint("LeftHand").get_pos(scene)
    assert (hand - rig.targets["left_hand"].get_pos(scene)).length() < 2e-3
    rig.remove()
    # it may have another rig now, and stands where it stood
    ikrig.ActorRig(actor).detach()
    assert actor.get_parent() == scene


def test_started_rigs_run_in_the_task(tmp_path):
    manager = TaskManager()
    rig = load(tmp_path, RIG).start(manager)
    rig.targets["arm"].set_pos(0.3, 0.8, 1.7)
    manager.step()
    assert rig.chains["arm"].result is not None
    rig.stop()
    assert ikrig.IKSystem.of(manager).rigs == ()


# -- built in code -------------------------------------------------------------------


def test_chains_built_in_code_are_written(tmp_path, scene):
    nodes = limb(scene, 3)
    ball = scene.attach_new_node("ball")
    ball.set_pos(0.5, 0.5, 2.5)
    limits = {"bone 1": ikrig.HingeLimit("x", -1.0, 1.0), 2: ikrig.BallLimit(0.5)}
    chain = ikrig.IKChain(
        nodes[3], 3, ball, solver="ccd", limits=limits, iterations=50, max_step=2.0
    )
    for _ in range(5):
        chain.solve()
    ball.set_pos(0.4, 0.5, 2.4)
    chain.solve()
    file = tmp_path / "rig.yaml"
    ikrig.dump_rig({"limb": chain}, file)
    # the same bones where they stood when the chain was bound
    chain._binding.restore_start_pose()
    other = ikrig.load_rig(file, scene, scene).chains["limb"]
    assert other.settings == chain.settings
    assert other.limits == {"bone 1": limits["bone 1"], "bone 2": limits[2]}
    assert other.target.get_pos(scene) == ball.get_pos(scene)
    np.testing.assert_allclose(other.start_rotations, chain.start_rotations, atol=1e-6)


def test_trees_and_actors_built_in_code_are_written(tmp_path, scene):
    actor = Actor(str(ROOT / "assets" / "models" / "humanoid.bam"))
    actor.reparent_to(scene)
    rig = ikrig.ActorRig.auto(actor, limbs={"head": None}, weight=0.5)
    rig["left_hand"].orientation_mode = "target"
    rig["left_hand"].tip = (0.0, 0.05, 0.125)
    file = tmp_path / "rig.yaml"
    text = ikrig.dump_rig(rig, file)
    assert "left_hand:" in text and "orientation_mode: target" in text
    places = {name: rig[name].target.get_pos(scene) for name in rig.limbs}
    rig.detach()
    again = ikrig.load_rig(file, actor)
    assert again.chains["left_hand"].tip == (0.0, 0.05, 0.125)
    for name, place in places.items():
        assert again.targets[name].get_pos(scene) == place
        assert again.chains[name].weight == 0.5
    assert ikrig.dump_rig(again) == text


def test_free_root_rotation_survives_a_round_trip(tmp_path):
    root = limb(p3d.NodePath("world"), 3)[0]
    tree = ikrig.IKTree(
        root,
        {root: None, "bone 3": None},
        pinned=False,
        orientation_weights={root: 0.0},
    )
    file = tmp_path / "rig.yaml"
    ikrig.dump_rig(tree, file)
    (again,) = ikrig.load_rig(file, model=root.get_parent()).trees.values()
    assert [end.orientation_weight for end in again.effectors] == [0.0, 0.0]


def test_shortened_chain_survives_a_round_trip(tmp_path, scene):
    limb(scene, 3)
    file = tmp_path / "rig.yaml"
    file.write_text("chains: {c: {leaf: bone 3, root_joint: bone 0}}\n")
    rig = ikrig.load_rig(file, scene)
    assert "root_joint: bone 0" in ikrig.dump_rig(rig)
    rig.chains["c"].chain_length = 2
    ikrig.dump_rig(rig, file)
    assert ikrig.load_rig(file, scene).chains["c"].chain_length == 2


@pytest.mark.parametrize("rig", [None, 3, {}, {"a": 3}])
def test_objects_that_are_not_rigs_are_refused(rig):
    with pytest.raises(ikrig.BindError, match="must be a"):
        ikrig.dump_rig(rig)


def test_paths_are_relative_to_the_new_folder(tmp_path, scene):
    # a copy: the project's own folder may be on the model path, from which all may load
    home = tmp_path / "home"
    for name in ("rigs/humanoid.yaml", "models/humanoid.bam"):
        (home / name).parent.mkdir(parents=True)
        shutil.copy(ASSETS / name, home / name)
    rig = ikrig.load_rig(home / "rigs" / "humanoid.yaml", parent=scene)
    file = tmp_path / "far" / "deep" / "rig.yaml"
    file.parent.mkdir(parents=True)
    ikrig.dump_rig(rig, file)
    with pytest.raises(ikrig.RigFileError, match="may not open"):
        ikrig.load_rig(file, parent=scene)
    allowed = ikrig.load_rig(file, parent=scene, allow=[home])
    assert allowed.actor_rig is not None
    with pytest.raises(ikrig.OutputError, match="No such file"):
        ikrig.dump_rig(rig, tmp_path / "nowhere" / "rig.yaml")


# -- tables and schema ---------------------------------------------------------------


def test_table_has_every_setting():
    settings = set(SolveSettings.__dataclass_fields__)
    assert settings - set(TREE_SETTINGS) == set(ikrig.IKTree._without)
    assert METHOD["orientation_mode"].shape.choices == OrientationMode.__args__
