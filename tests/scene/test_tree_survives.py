"""IKTree under misuse: lost targets, failed rebinds, set-up errors."""

from __future__ import annotations

import math

import panda3d.core as p3d
import pytest
from direct.task.Task import TaskManager

from ikrig import (
    BindError,
    FixedLimit,
    HingeLimit,
    IkrigError,
    IKTree,
    ModelError,
    SettingError,
    SolveSettings,
    SolveStatus,
)
from tests.scene.bodies import body, gaps, matrices

LOSSES = {
    "removed": lambda target, root: target.remove_node(),
    "removed by another handle": lambda target, root: p3d.NodePath(
        target
    ).remove_node(),
    "detached": lambda target, root: target.detach_node(),
    "to another scene": lambda target, root: target.reparent_to(p3d.NodePath("x")),
    "on the tree": lambda target, root: target.wrt_reparent_to(root.find("**/hand r")),
    "on the root joint": lambda target, root: target.wrt_reparent_to(root),
    "infinite": lambda target, root: target.set_pos(math.inf, 0, 0),
    "above scaled to 0": lambda target, root: root.get_parent().set_scale(0),
}


@pytest.mark.parametrize("how", LOSSES)
def test_lost_targets_leave_the_pose_without_raising(world, how, capfd):
    above = world.attach_new_node("above")
    root = body(above)
    target = world.attach_new_node("ball")
    target.set_pos(-0.4, 0.7, 1.2)
    tree = IKTree(root, {"hand l": target, "hand r": None})
    manager = TaskManager()
    manager.mgr = p3d.AsyncTaskManager("trees")
    tree.start(manager)
    manager.step()
    assert tree.result.converged
    before = matrices(tree.bones)
    LOSSES[how](target, root)
    for _ in range(3):
        manager.step()
        assert tree.result.status is SolveStatus.INVALID_TARGET
        assert tree.result.detail
        assert matrices(tree.bones) == before
    # said once, not every frame
    assert "".join(capfd.readouterr()).count("the pose is left unchanged") == 1
    above.set_scale(1)
    fresh = world.attach_new_node("fresh")
    fresh.set_pos(-0.3, 0.6, 1.2)
    tree["hand l"].target = fresh
    manager.step()
    assert tree.result.converged
    assert max(gaps(tree)) < 1e-3
    tree.stop()
    manager.mgr.cleanup()


def test_reparented_joint_requires_rebind(world):
    root = body(world)
    tree = IKTree(root)
    root.find("**/elbow l").reparent_to(root)
    # noticed within as many frames as there are joints
    result = [tree.solve() for _ in tree.bones][-1]
    assert result.status is SolveStatus.INVALID_TARGET
    assert "elbow l" in result.detail
    assert "rebind()" in result.detail
    tree.rebind()
    assert tree.solve().status is not SolveStatus.INVALID_TARGET
    root.find("**/hand l").remove_node()
    assert "hand l" in [tree.solve() for _ in tree.bones][-1].detail
    assert "removed" in tree.result.detail


SPOILS = {
    "removed target": lambda root, tree: tree["hand l"].target.remove_node(),
    "target on the tree": lambda root, tree: tree["hand l"].target.reparent_to(root),
    "uneven joint": lambda root, tree: root.find("spine").set_scale(1, 2, 1),
    "flat joint": lambda root, tree: root.find("spine").set_scale(0),
    "sheared joint": lambda root, tree: root.find("spine").set_shear(0.5, 0, 0),
    "infinite joint": lambda root, tree: root.find("spine").set_pos(math.inf, 0, 0),
    "leaf elsewhere": lambda root, tree: root.find("**/hand l").reparent_to(
        root.get_parent()
    ),
    "limit without joint": lambda root, tree: root.find("**/elbow l").set_name("arm"),
}


@pytest.mark.parametrize("how", SPOILS)
def test_failed_rebind_leaves_the_tree_unchanged(world, how):
    root = body(world)
    tree = IKTree(root, limits={"elbow l": HingeLimit("z", -2, 2)})
    tree["hand l"].target.set_pos(-0.4, 0.7, 1.2)
    assert tree.solve().converged
    before = tree.bones, tree.model, matrices(tree.bones)
    SPOILS[how](root, tree)
    with pytest.raises(IkrigError):
        tree.rebind()
    assert (tree.bones, tree.model) == before[:2]
    # solving on never raises, and heals with the scene
    tree.solve()
    hand, elbow = before[0][4], before[0][3]
    hand.reparent_to(elbow)
    elbow.set_name("elbow l")
    for bone, matrix in zip(tree.bones, before[2], strict=True):
        bone.set_mat(matrix)
    fresh = world.attach_new_node("fresh")
    fresh.set_pos(-0.3, 0.7, 1.2)
    tree["hand l"].target = fresh
    assert tree.solve().converged
    assert max(gaps(tree)) < 1e-3
    tree.rebind()
    assert tree.solve().converged


# -- mistakes at set-up ----------------------------------------------------------------

NODE = p3d.NodePath("elsewhere")
HINGE = HingeLimit("z", -1, 1)

# what is given, the error, and what its message must name
MISTAKES = {
    "targets a list": ({"targets": ["hand l"]}, BindError, ("targets", "['hand l']")),
    "targets a word": ({"targets": "hand l"}, BindError, ("targets", "dict")),
    "no targets": ({"targets": {}}, BindError, ("pelvis", "empty")),
    "no such name": ({"targets": {"hand": None}}, BindError,
     ("'hand'", "world/pelvis", "hand l, hand r")),
    "key a number": ({"targets": {5: None}}, BindError, ("5", "name")),
    "key an empty node": ({"targets": {p3d.NodePath(): None}}, BindError, ("(empty)",)),
    "key elsewhere": ({"targets": {NODE: None}}, BindError, ("elsewhere", "below")),
    "root as effector": ({"targets": {"pelvis": None}}, BindError,
                         ("pelvis", "pinned=False")),
    "target a word": ({"targets": {"hand l": "ball"}}, BindError,
     ("target", "'ball'", "NodePath")),
    "target elsewhere": ({"targets": {"hand l": NODE}}, BindError,
                         ("elsewhere", "not in the same scene", "reparent")),
    "weights a list": ({"weights": [1, 2]}, BindError, ("weights", "[1, 2]")),
    "weight below 0": ({"weights": {"hand l": -1}}, SettingError,
     ("weight", "'hand l'", "-1", "from 0")),
    "weight no number": ({"weights": {"hand l": math.nan}}, SettingError,
                         ("weight", "'hand l'", "nan")),
    "weight infinite": ({"weights": {"hand l": math.inf}}, SettingError, ("inf",)),
    "weight a word": ({"weights": {"hand l": "1"}}, SettingError, ("'1'",)),
    "weight a truth": ({"weights": {"hand l": True}}, SettingError, ("True",)),
    "weight of no effector": ({"weights": {"spine": 1}}, SettingError,
                              ("weights", "spine", "hand l, hand r")),
    "weight of nothing": ({"weights": {"nose": 1}}, BindError, ("'nose'", "hand l")),
    "orientation weight": ({"orientation_weights": {"hand r": math.inf}}, SettingError,
                           ("orientation_weight", "'hand r'", "inf")),
    "orientation weights": ({"orientation_weights": 1.0}, BindError,
                            ("orientation_weights", "1.0")),
    "orientation weight of all": ({"orientation_weight": 1.0}, SettingError,
                                  ("IKTree", "orientation_weights")),
    "solver": ({"solver": "fabrick"}, SettingError, ("'fabrick'", "'fabrik'")),
    "solver no word": ({"solver": None}, SettingError, ("None", "fabrik")),
    "solver for chains": ({"solver": "learned"}, ModelError,
                          ("'learned'", "several effectors", "'dls'")),
    "limits a list": ({"limits": [HINGE]}, SettingError, ("limits", "dict")),
    "limit of nothing": ({"limits": {"knee": HINGE}}, SettingError,
                         ("'knee'", "elbow l")),
    "limit beyond": ({"limits": {8: HINGE}}, SettingError, ("8", "(0 to 7)")),
    "no limit": ({"limits": {"spine": 5}}, SettingError, ("'spine'", "5", "Hinge")),
    "two limits": ({"limits": {"spine": HINGE, 1: FixedLimit()}}, SettingError,
     ("1", "spine", "once")),
    "stretch": ({"stretch": 0.1}, SettingError, ("stretch", "chains")),
    "misspelt": ({"weigth": 1}, SettingError, ("'weigth'", "'weight'")),
    "weight": ({"weight": 2}, SettingError, ("weight", "2", "0 to 1")),
    "order": ({"order": "first"}, SettingError, ("order", "'first'")),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_errors_are_named_and_leave_nothing_behind(world, what):
    arguments, kind, texts = MISTAKES[what]
    root = body(world)
    with pytest.raises(kind) as caught:
        IKTree(root, **arguments)
    for text in texts:
        assert text in str(caught.value)
    assert not world.find_all_matches("**/* Target")


@pytest.mark.parametrize("targets", [None, {"hand l": None}])
@pytest.mark.parametrize("root", [None, "pelvis", 5, p3d.NodePath()])
def test_invalid_root_is_refused(root, targets):
    with pytest.raises(BindError, match="root must be a NodePath"):
        IKTree(root, targets)


def test_invalid_targets_and_poses_are_reported(world):
    root = body(world)
    with pytest.raises(BindError, match=r"hand r is below .*reparent it"):
        IKTree(root, {"hand l": root.find("**/hand r")})
    tree = IKTree(root)
    with pytest.raises(BindError, match="pelvis is below"):
        tree["hand l"].target = root
    root.find("spine").set_scale(1, 2, 1)
    with pytest.raises(BindError, match=r"spine has scale \(1.0, 2.0, 1.0\).*child"):
        IKTree(root)
    for node in (root, *root.find_all_matches("**")):
        node.set_pos(0, 0, 0)
        node.set_scale(1)
    with pytest.raises(BindError, match="has no length"):
        IKTree(root)
    with pytest.raises(BindError, match=r"hand l has no joints below"):
        IKTree(root.find("**/hand l"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("solver", "nothing"),
        ("limits", [HINGE]),
        ("limits", {"knee": HINGE}),
        ("weight", 7),
        ("stretch", 0.1),
        ("orientation_weight", 1.0),
        ("settings", SolveSettings(stretch=0.2)),
        ("settings", None),
    ],
)
def test_errors_while_running_change_nothing(world, name, value):
    tree = IKTree(body(world), limits={"spine": HINGE}, solver="dls", weight=0.5)
    target = tree["hand l"].target
    with pytest.raises(SettingError):
        setattr(tree, name, value)
    for what, bad in (("weight", -1), ("orientation_weight", "1")):
        with pytest.raises(SettingError):
            setattr(tree["hand l"], what, bad)
    with pytest.raises(BindError):
        tree["hand l"].target = None
    assert (tree.solver, dict(tree.limits)) == ("dls", {"spine": HINGE})
    assert (tree.weight, tree.settings) == (0.5, SolveSettings(weight=0.5))
    assert tree["hand l"].weight == 1.0
    assert tree["hand l"].target == target
    with pytest.raises(AttributeError):
        tree.weigth = 1
    tree.weight = 1.0
    assert tree.solve().converged


def test_tree_deeper_than_the_recursion_limit(world):
    root = node = world.attach_new_node("root")
    for i in range(1500):
        node = node.attach_new_node(f"joint {i}")
        node.set_pos(0.01 * (i % 2), 0, 0.1)
    # the other method takes more than the iterations of one frame
    tree = IKTree(root, solver="fabrik")
    (effector,) = tree.effectors
    effector.target.set_pos(30, 20, 90)
    assert tree.solve().converged
    gap = effector.leaf.get_pos(world) - effector.target.get_pos(world)
    assert gap.length() < 0.15
