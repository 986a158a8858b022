"""Actors whose clip stands and whose targets rest: nothing is done, and no more."""

from __future__ import annotations

from typing import Any

import panda3d.core as p3d
import pytest

import ikrig
from ikrig.kernels import COMPILED
from ikrig.scene.actor.clip_sampling import MATCH_FRAMES

from .stage import Stage

pytestmark = pytest.mark.skipif(
    not COMPILED, reason="interpreted kernels do not sample clips"
)
HANDS = "LeftHand", "RightHand"


class Standing:
    """A posed Actor with a chain for each hand, and the number of poses it was set."""

    def __init__(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stage = stage
        self.actor = stage.body("humanoid")
        self.actor.pose("walk", 7)
        self.rig = ikrig.ActorRig(self.actor).start(stage.task_mgr)
        self.chains = [self.rig.chain(hand, 2) for hand in HANDS]
        for chain in self.chains:
            chain.target.set_pos(chain.target, 0.0, -0.05, 0.1)
        self.begun = 0
        skeleton = self.rig.skeleton
        begin = skeleton.begin

        def count() -> None:
            self.begun += 1
            begin()

        monkeypatch.setattr(skeleton, "begin", count)
        stage.step(MATCH_FRAMES + 2)

    def frames(self, count: int = 5) -> int:
        """Run frames; return in how many the pose was set."""
        before = self.begun
        self.stage.step(count)
        return self.begun - before

    def gap(self, k: int) -> float:
        """Return the distance of a hand from its target, as drawn."""
        joint = self.rig.skeleton.joints[HANDS[k]]
        net = p3d.LMatrix4f()
        joint.get_net_transform(net)
        place = self.rig.skeleton.space.get_parent().get_relative_point(
            self.chains[k].target, p3d.LPoint3f(0)
        )
        return float((net.get_row3(3) - place).length())


@pytest.fixture
def standing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Standing:
    return Standing(stage, monkeypatch)


def test_nothing_is_done_while_all_rests(standing: Standing) -> None:
    results = [chain.result for chain in standing.chains]
    assert standing.frames() == 0
    assert max(map(standing.gap, range(2))) < 2e-3
    assert [chain.result for chain in standing.chains] == results


CHANGES: dict[str, Any] = {
    "target": lambda s: s.chains[1].target.set_x(s.chains[1].target, 0.03),
    "target's turn": lambda s: s.chains[1].set_offset() or s.chains[1].target.set_h(20),
    "new target": lambda s: setattr(
        s.chains[1], "target", s.chains[1].target.attach_new_node("other")
    ),
    "setting": lambda s: setattr(s.chains[1], "weight", 0.5),
    "clip": lambda s: s.actor.pose("walk", 11),
    "stopped": lambda s: s.chains[1].stop(),
    "removed": lambda s: s.rig.remove(s.chains[1]),
    "released": lambda s: s.actor.release_joint("modelRoot", "RightArm"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_is_seen_in_its_frame(standing: Standing, change: str) -> None:
    CHANGES[change](standing)
    # one joint's control is checked per frame
    assert standing.frames(8 if change == "released" else 1) >= 1
    assert standing.gap(0) < 2e-3
    if change in ("target", "new target", "clip", "released"):
        assert standing.gap(1) < 2e-3
    standing.frames(3)
    assert standing.frames() == 0


def test_target_that_another_rig_moves_is_reached_in_the_same_frame(standing):
    stage = standing.stage
    root = stage.render.attach_new_node("crane")
    root.set_pos(standing.chains[0].target.get_pos(stage.render))
    arm = root.attach_new_node("arm")
    tip = arm.attach_new_node("tip")
    tip.set_pos(0, 0, 0.2)
    crane = ikrig.IKChain(tip, 1).start(stage.task_mgr)
    standing.chains[0].target = tip.attach_new_node("held")
    standing.frames(4)
    assert standing.frames() == 0
    for _ in range(3):
        crane.target.set_x(crane.target, 0.05)
        assert standing.frames(1) == 1
        assert standing.gap(0) < 2e-3
    assert standing.frames(4) <= 1
