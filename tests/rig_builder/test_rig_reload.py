"""Rig files that change while the game runs."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest
from direct.directnotify.DirectNotifyGlobal import directNotify

import ikrig
from tests.rig_builder.test_rig_errors import MISTAKES, RIG, ROBOT

ROOT = Path(__file__).parents[2]


class Stage:
    """A rig of the file, watched, and frames by hand."""

    def __init__(self, folder: Path, text: str = RIG, model=None) -> None:
        (folder / "six_axis.yaml").write_bytes(ROBOT.read_bytes())
        self.file = folder / "rig.yaml"
        self.scene = p3d.NodePath("scene")
        if model is not None:
            model.reparent_to(self.scene)
        self.time = 1_000_000_000_000_000_000
        self.write(text)
        self.rig = ikrig.load_rig(self.file, model, self.scene, watch=True)

    def write(self, text: str) -> None:
        # as an editor does it: the whole file at once
        half = self.file.with_suffix(".half")
        half.write_text(text)
        self.time += 1_000_000_000
        os.utime(half, ns=(self.time, self.time))
        os.replace(half, self.file)

    def frame(self, dt: float = 1 / 60) -> None:
        self.rig.update(dt)

    def pose(self) -> np.ndarray:
        nodes = self.scene.find_all_matches("**")
        mats = [np.array(n.get_mat(self.scene)).ravel() for n in nodes]
        return np.array(mats)


@pytest.fixture
def stage(tmp_path):
    return Stage(tmp_path)


@pytest.fixture
def warnings(monkeypatch):
    said: list[str] = []
    category = directNotify.newCategory("ikrig")
    monkeypatch.setattr(category, "warning", said.append)
    return said


def test_positions_and_weights_set_by_the_game_stay(stage):
    rig, ball = stage.rig, stage.rig.targets["arm"]
    ball.set_pos(0.4, 0.9, 1.9)
    ball.set_h(40)
    rig.chains["arm"].weight = 0.25
    for _ in range(5):
        stage.frame()
    before = stage.pose()
    stage.write(RIG.replace("iterations: 20", "iterations: 21"))
    stage.frame(0.0)
    assert rig.targets["arm"] == ball
    assert ball.get_pos() == p3d.LPoint3f(0.4, 0.9, 1.9)
    assert rig.chains["arm"].weight == 0.25
    # the hand is held as it was, and nothing leaps
    np.testing.assert_allclose(stage.pose(), before, atol=2e-3)


def test_changed_values_of_the_file_apply(stage):
    rig = stage.rig
    ball, robot = rig.nodes["ball"], rig.bodies["robot"]
    stage.frame()
    text = RIG.replace("[0.5, 0.5, 2]", "[0.1, 0.7, 2]").replace(
        "[3, 0, 0]", "[4, 0, 0]"
    )
    text = text.replace("weight: 0.5\n", "weight: 1\n").replace("hint", "clue")
    stage.write(text)
    stage.frame(0.0)
    assert rig.nodes["ball"] == ball and ball.get_pos() == p3d.LPoint3f(0.1, 0.7, 2)
    assert rig.bodies["robot"] is robot and robot.root.get_x() == 4
    assert rig.chains["arm"].pole.get_name() == "clue" and "hint" not in rig.nodes
    assert stage.scene.find("**/hint").is_empty()
    # weights go there gently
    assert rig.chains["arm"].weight == 0.5
    for _ in range(30):
        stage.frame()
    assert rig.chains["arm"].weight == 1.0


def test_robot_descriptions_are_watched(stage):
    file = stage.file.with_name("six_axis.yaml")
    old = stage.rig.bodies["robot"]
    stage.frame()
    file.write_text(
        ROBOT.read_text().replace("range_deg: [-185, 185]", "range_deg: [-9, 9]")
    )
    stage.frame()
    assert stage.rig.bodies["robot"] is not old and old.root.is_empty()
    assert stage.rig.chains["tool"].limits["S"].upper == pytest.approx(np.radians(9))


def test_invalid_file_is_logged_once_and_the_rig_continues(stage, warnings):
    rig = stage.rig
    for _ in range(3):
        stage.frame()
    chain, before = rig.chains["arm"], stage.pose()
    stage.write(RIG.replace("leaf: hand", "leaf: hnad"))
    for _ in range(5):
        stage.frame()
    assert len(warnings) == 1
    assert "rig.yaml:20:11: leaf" in warnings[0] and rig.errors in warnings[0]
    assert rig.chains["arm"] is chain
    np.testing.assert_array_equal(stage.pose(), before)
    os.remove(stage.file)
    for _ in range(3):
        stage.frame()
    assert len(warnings) == 2 and "No such file" in warnings[1]
    stage.write(RIG)
    stage.frame()
    assert rig.errors == "" and rig.chains["arm"] is not chain
    with pytest.raises(ikrig.RigFileError):
        stage.write("nodes: 3\n")
        rig.reload()


@pytest.mark.parametrize("row", MISTAKES, ids=range(len(MISTAKES)))
def test_invalid_files_move_nothing(stage, row, warnings):
    stage.rig.targets["arm"].set_pos(0.3, 0.6, 1.8)
    for _ in range(3):
        stage.frame()
    before, names = stage.pose(), [*stage.rig.nodes]
    stage.write(RIG.replace(row[0], row[1], 1))
    stage.frame()
    assert len(warnings) == 1
    np.testing.assert_array_equal(stage.pose(), before)
    assert [*stage.rig.nodes] == names


def test_many_reloads_leave_nothing_behind(stage, warnings):
    # IKRIG_RELOADS=500 for the long version
    rounds = max(int(os.environ.get("IKRIG_RELOADS", "40")) // 10, 2)
    good = RIG.replace("iterations: 20", "iterations: 9").replace("hint", "clue")
    robot = RIG.replace("angles_deg: {L: 20", "angles_deg: {L: 30")
    counts = []
    for k in range(10 * rounds):
        broken = MISTAKES[k % len(MISTAKES)]
        stage.write(RIG.replace(*broken[:2], 1) if k % 2 else (good, robot)[k // 2 % 2])
        stage.frame()
        assert (stage.rig.errors != "") == bool(k % 2)
        if k % 10 == 9:
            gc.collect()
            kinds = (ikrig.IKChain, ikrig.IKTree, ikrig.Robot)
            alive = sum(isinstance(thing, kinds) for thing in gc.get_objects())
            counts.append((len(stage.scene.find_all_matches("**")), alive))
    assert len(warnings) == 5 * rounds
    # every other time it is the same good file
    assert len(set(counts[0::2])) == len(set(counts[1::2])) == 1, counts
    stage.rig.targets["arm"].set_pos(0.3, 0.8, 1.7)
    for _ in range(60):
        stage.frame()
    assert np.isfinite(stage.pose()).all()
    assert stage.rig.chains["tool"].result.converged


ACTOR = """\
name: first
model: {model}
animations: {{}}
nodes:
  ball: {{pos: [0.3, -0.4, 1.2]}}
chains:
  hand: {{leaf: LeftHand, target: ball}}
behaviours:
  gaze: {{kind: look_at, target: ball}}
"""
HUMANOID = ROOT / "assets" / "models" / "humanoid.bam"


def listing(scene: p3d.NodePath) -> dict[str, list[float]]:
    """The matrix of every node of the scene, but of those that stand for joints."""
    nodes = scene.find_all_matches("**")
    own = {str(node): node.get_mat() for node in nodes if "/ikrig/" not in f"{node}/"}
    # zeros have signs
    return {
        name: [round(x, 5) + 0.0 for row in mat for x in row]
        for name, mat in own.items()
    }


@pytest.mark.parametrize("kind", ["nodes", "actor"])
def test_failed_reload_restores_every_node(tmp_path, kind, warnings):
    text = RIG
    if kind == "actor":
        (tmp_path / "humanoid.bam").write_bytes(HUMANOID.read_bytes())
        text = ACTOR.format(model="humanoid.bam")
    stage = Stage(tmp_path, text)
    rig = stage.rig
    rig.update(0.0)
    before, parts = listing(stage.scene), [*rig.chains.values()]
    layers = list(rig.actor_rig.layers) if kind == "actor" else []
    # everything is built before the last part fails
    more = "  late: {kind: look_at, target: ball, joints: {nobody: 1}}\n"
    chain = (
        "  extra: {leaf: RightHand}\n" if kind == "actor" else "  extra: {leaf: b}\n"
    )
    added = text.replace("nodes:\n", "nodes:\n  new: {pos: [1, 2, 3]}\n", 1)
    added = added.replace("[0.3, -0.4, 1.2]", "[9, 9, 9]")
    added = added.replace("[0.5, 0.5, 2]", "[9, 9, 9]")
    added = added.replace("chains:\n", "chains:\n" + chain, 1)
    broken = added.replace("behaviours:\n", "behaviours:\n" + more, 1)
    if kind == "nodes":
        broken = added + "behaviours:\n" + more
    stage.write(broken.replace("name: first", "name: second"))
    rig.update(0.0)
    assert len(warnings) == 1 and rig.errors
    assert listing(stage.scene) == before
    assert [*rig.chains.values()] == parts
    if kind == "actor":
        assert list(rig.actor_rig.layers) == layers
        assert len(rig.actor_rig.chains) == 1
    # told once, and once more after it was right in between
    rig.update(0.0)
    assert len(warnings) == 1
    stage.write(text)
    rig.update(0.0)
    assert not rig.errors
    stage.write(broken)
    rig.update(0.0)
    assert len(warnings) == 2


def test_reload_replaces_a_model_and_its_name(tmp_path):
    for name in ("one.bam", "two.bam"):
        (tmp_path / name).write_bytes(HUMANOID.read_bytes())
    stage = Stage(tmp_path, ACTOR.format(model="one.bam"))
    rig, own = stage.rig, stage.rig.actor_rig
    assert rig.root.get_name() == "first"
    old, count = rig.model, len(listing(stage.scene))
    stage.write(ACTOR.format(model="two.bam").replace("first", "second"))
    rig.update(0.0)
    assert not rig.errors and rig.root.get_name() == "second"
    assert rig.actor_rig is not own and rig.model is not old
    # the model that was made for the file is gone
    assert len(listing(stage.scene)) == count
    assert old.is_empty() or old.get_top() != stage.scene
    assert len(rig.actor_rig.chains) == 1


def test_failed_reload_removes_the_behaviours_that_it_made(tmp_path):
    (tmp_path / "humanoid.bam").write_bytes(HUMANOID.read_bytes())
    text = ACTOR.format(model="humanoid.bam")
    stage = Stage(tmp_path, text)
    before = list(stage.rig.actor_rig.layers)
    more = "  nod: {kind: look_at, joints: {Head: 1}}\n  peer: {kind: look_at}\n"
    late = "  late: {kind: look_at, target: ball, joints: {nobody: 1}}\n"
    stage.write(text + more + late)
    with pytest.raises(ikrig.RigFileError, match="nobody"):
        stage.rig.reload()
    assert list(stage.rig.actor_rig.layers) == before
    stage.write(text + more)
    stage.rig.reload()
    # the second one turns the spine by a layer of its own
    assert len(stage.rig.actor_rig.layers) == len(before) + 3


def test_chains_are_added_and_removed(stage):
    rig = stage.rig
    cut = RIG[RIG.index("  tool:") : RIG.index("trees:")]
    stage.frame()
    stage.write(RIG.replace(cut, ""))
    stage.frame()
    assert [*rig.chains] == ["arm"] and "tool Target" not in rig.nodes
    # its bones are again as they began
    joints = rig.bodies["robot"].joints
    assert joints["U"].value == pytest.approx(np.radians(60), abs=1e-5)
    stage.write(RIG)
    stage.frame(0.0)
    assert rig.chains["tool"].weight == 0.0
    for _ in range(30):
        stage.frame()
    assert rig.chains["tool"].weight == 1.0
