"""Rig files in a scene: loaded, solved, written and read again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.formats.rig_file.sections import METHOD, TREE_SETTINGS
from ikrig.scene.ik.pose_binding import OrientationMode
from ikrig.solvers import SolveSettings
from tests.rig_builder.test_rig_errors import ROBOT
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


# -- what can be rigged --------------------------------------------------------------


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


def test_robot_file_as_the_model(tmp_path, scene):
    (tmp_path / "robot.yaml").write_bytes(ROBOT.read_bytes())
    file = tmp_path / "rig.yaml"
    file.write_text("model: robot.yaml\nchains: {tool: {leaf: tool, root_joint: S}}\n")
    rig = ikrig.load_rig(file, parent=scene)
    assert isinstance(rig.model, ikrig.Robot)
    assert len(rig.chains["tool"].bones) == 7
    rig.remove()
    assert scene.get_num_children() == 0


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


def test_shortened_chain_survives_a_round_trip(tmp_path, scene):
    limb(scene, 3)
    file = tmp_path / "rig.yaml"
    file.write_text("chains: {c: {leaf: bone 3, root_joint: bone 0}}\n")
    rig = ikrig.load_rig(file, scene)
    assert "root_joint: bone 0" in ikrig.dump_rig(rig)
    rig.chains["c"].chain_length = 2
    ikrig.dump_rig(rig, file)
    assert ikrig.load_rig(file, scene).chains["c"].chain_length == 2
