"""Several targets on one Actor, checked on Panda3D's own joints."""

from __future__ import annotations

import panda3d.core as p3d
import pytest

import ikrig

from .people import Person, angle, locals_of, most_apart
from .test_reach import JOINTS

ARMS = [joint for joint, *_ in JOINTS if joint.endswith((" l", " r"))]


class Stage(Person):
    def __init__(self) -> None:
        super().__init__(JOINTS, {}, (3, -2, 1, 40, 10, -15, 2, 2, 2))
        self.before = locals_of(self.actor)

    def goal(self, joint: str, *way: float) -> p3d.NodePath:
        """A node this far from where a joint is, as the Actor sees it."""
        node = self.world.attach_new_node(f"goal of {joint}")
        node.set_pos(self.actor, self.place(joint) + p3d.LVector3f(*way))
        return node

    def moved(self) -> set[str]:
        after = locals_of(self.actor)
        return {
            joint
            for joint in after
            if most_apart({joint: self.before[joint]}, {joint: after[joint]}) > 1e-4
        }


def test_both_hands_reach_and_only_joints_between_them_rotate() -> None:
    stage = Stage()
    goals = {f"hand {s}": stage.goal(f"hand {s}", 0.02, -0.2, 0.1) for s in "lr"}
    tree = stage.rig.tree(goals, iterations=50)
    stage.rig.update(1 / 60)
    assert tree.result.converged
    for joint, goal in goals.items():
        gap = stage.place(joint) - goal.get_pos(stage.actor)
        assert gap.length() < 2e-3
        assert tree[joint].target == goal
    # the last joint that both arms hang on
    assert "chest" in stage.moved()
    assert stage.moved() <= {"chest", *ARMS}


def test_body_bends_from_the_chosen_root() -> None:
    stage = Stage()
    goals = {f"hand {s}": stage.goal(f"hand {s}", 0.0, -0.4, 0.3) for s in "lr"}
    tree = stage.rig.tree(goals, root_joint="waist", iterations=50)
    stage.rig.update(1 / 60)
    assert tree.result.converged
    assert stage.moved() >= {"waist", "chest"}
    assert "hips" not in stage.moved()


def test_single_target_moves_the_joint_above_it() -> None:
    stage = Stage()
    goal = stage.goal("hand r", 0.05, -0.05, 0.0)
    stage.rig.tree({"hand r": goal})
    stage.rig.update(1 / 60)
    elbow = stage.place("elbow r")
    ways = [p - elbow for p in (stage.place("hand r"), goal.get_pos(stage.actor))]
    assert angle(*ways) < 1e-3
    assert "elbow r" in stage.moved() <= {"elbow r", "hand r"}


def test_default_targets_start_at_their_joints() -> None:
    stage = Stage()
    tree = stage.rig.tree({"hand l": None, "hand r": None})
    for joint in ("hand l", "hand r"):
        target = tree[joint].target
        assert target.name == f"{joint} Target"
        assert (target.get_pos(stage.actor) - stage.place(joint)).length() < 1e-5
    stage.rig.update(1 / 60)
    assert stage.moved() == set()


@pytest.mark.parametrize(
    "targets, root, words",
    [
        ({}, None, "targets must be a dict with joint names as keys"),
        (["hand l"], None, "targets must be a dict with joint names as keys"),
        ({"tail": None}, None, "tail"),
        ({"hand l": None, "hand r": None}, "arm l", "chest, waist, hips"),
        ({"hips": None}, None, "no joint is above all of hips. With"),
    ],
)
def test_errors_are_named(targets, root, words) -> None:
    with pytest.raises(ikrig.BindError, match=words):
        Stage().rig.tree(targets, root_joint=root)


@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_chain_length_can_be_given_in_either_form(count: int) -> None:
    above = ["hand r", "elbow r", "arm r", "chest", "waist", "hips"]
    for asked in ({"chain_length": count}, {"root_joint": above[count]}):
        stage = Stage()
        stage.rig.chain("hand r", target=stage.goal("hand r", 0.1, -0.2, 0.1), **asked)
        stage.rig.update(1 / 60)
        assert stage.moved() - {"hand r"} == set(above[1 : count + 1])


@pytest.mark.parametrize("count", [0, 6, -1, True, 2.0])
def test_invalid_chain_lengths_are_refused(count) -> None:
    with pytest.raises(ikrig.BindError, match="chain_length"):
        Stage().rig.chain("hand r", chain_length=count)


def test_chain_errors_list_the_joints_above() -> None:
    above = "joints above it: elbow r, arm r, chest, waist, hips$"
    with pytest.raises(ikrig.BindError, match=above):
        Stage().rig.chain("hand r", root_joint="hand l")
    with pytest.raises(ikrig.BindError, match="only 5 joints: elbow r, arm r, chest"):
        Stage().rig.chain("hand r", chain_length=6)


def test_removed_rig_releases_only_its_own_joints() -> None:
    stage = Stage()
    stage.actor.control_joint(None, "modelRoot", "chest").set_h(30)
    stage.actor.update(force=True)
    turned = locals_of(stage.actor)
    stage.rig.chain("hand r", target=stage.goal("hand r", 0.1, -0.2, 0.1))
    stage.rig.update(1 / 60)
    assert most_apart(turned, locals_of(stage.actor)) > 0.01
    stage.rig.detach()
    stage.actor.update(force=True)
    assert most_apart(turned, locals_of(stage.actor)) < 1e-5
    assert most_apart(turned, stage.before) > 0.01


def test_given_limbs_replace_found_ones() -> None:
    for joints, count in ((("elbow r", "hand r"), 2), (("hips", "hand r"), 6)):
        rig = ikrig.ActorRig.auto(Stage().actor, limbs={"mine": joints})
        assert len(rig.limbs["mine"].joints) == count
        assert rig.limbs["mine"].joints[0 :: count - 1] == joints
    found = set(rig.limbs) - {"mine"}
    assert found
    name = found.pop()
    without = ikrig.ActorRig.auto(Stage().actor, limbs={name: None})
    assert set(without.limbs) == found
    for wrong in (("hand r", "hand r"), ("hand r", "arm r"), ("hand r",), "hand r"):
        with pytest.raises(ikrig.BindError, match="mine"):
            ikrig.ActorRig.auto(Stage().actor, limbs={"mine": wrong})
