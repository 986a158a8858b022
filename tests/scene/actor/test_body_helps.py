"""A body that helps a hand to reach: it leans, crouches, steps, and comes back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.character.stepping import Stance
from ikrig.scene.ik.phase import Phase
from tests.body_paths import Body, angles


class Mover:
    """A layer of a game's own that moves a node after the body, before the hands."""

    phase, started, order = Phase.LIMBS, True, -1.0

    def __init__(self, node: p3d.NodePath, way: Iterator[p3d.LPoint3f]) -> None:
        self.node, self.way = node, way

    def apply(self, _pose: object, _dt: float) -> None:
        self.node.set_pos(next(self.way, self.node.get_pos()))


# beside the shoulder at (-0.18, 0, 1.45): ahead, far, on the floor, at the knee, to the
# side, behind, before the chest
PLACES = {
    "near": (-0.3, -0.4, 1.2), "far": (-0.4, -0.9, 1.2), "floor": (-0.3, -0.6, 0.1),
    "knee": (-0.3, -0.5, 0.5), "side": (-1.1, 0.0, 1.0), "behind": (-0.4, 0.8, 1.1),
    "chest": (-0.05, -0.2, 1.2),
}  # fmt: skip
STEPS = ("far", "side", "behind", "floor")


class Reacher(Body):
    def __init__(self) -> None:
        super().__init__()
        self.target = self.world.attach_new_node("target")
        self.reach = ikrig.Reach(
            self.rig, "right_hand", self.target, body=self.body, weight=0.0
        )
        self.most = 0.0
        """The largest turn of a joint in a frame [degrees]."""
        self.slid = 0.0
        """How far a foot on the ground has moved in a frame."""

    def run(self, seconds: float) -> None:
        before, feet = self.turns(), self.feet()
        for _ in range(round(seconds * 60)):
            self.rig.update(1 / 60)
            now, there = self.turns(), self.feet()
            assert np.isfinite(now).all()
            self.most = max(self.most, float(angles(before, now).max()))
            for a, b, foot in zip(
                feet, there, self.body._stance.feet.values(), strict=True
            ):
                if foot.part >= 1.0 and not foot.height:
                    self.slid = max(self.slid, float(np.linalg.norm(b - a)))
            before, feet = now, there

    def feet(self) -> np.ndarray:
        return np.array([self.place("left_foot"), self.place("right_foot")])

    def gap(self) -> float:
        away = self.place("right_hand") - np.array(self.target.get_pos())
        return float(np.linalg.norm(away))


@pytest.mark.parametrize("where", PLACES)
def test_hand_gets_there_and_all_comes_back(where: str) -> None:
    reacher = Reacher()
    reacher.target.set_pos(*PLACES[where])
    start, feet = reacher.turns(), reacher.feet()
    reacher.reach.fade(1.0, 0.4)
    reacher.run(2.0)
    assert reacher.gap() < 1e-3
    stepped = np.linalg.norm(reacher.feet() - feet, axis=1)
    assert (stepped > 0.08).all() if where in STEPS else (stepped < 1e-3).all()
    # both stand, and beside each other as before
    assert abs(np.subtract(*stepped)) < 0.03
    # no trunk rolls up or turns away
    bends = reacher.bends()
    assert bends.sum() < 75.0 and bends.max() < 40.0
    assert reacher.rig.joint("Head").get_z(reacher.world) > 0.45
    reacher.reach.fade(0.0, 0.4)
    reacher.run(2.0)
    assert reacher.body._idle and angles(start, reacher.turns()).max() < 0.1
    assert np.abs(reacher.feet() - feet).max() < 1e-4
    assert reacher.most < 25.0 and reacher.slid < 2e-3


def test_without_need_nothing_moves() -> None:
    reacher = Reacher()
    reacher.target.set_pos(*PLACES["far"])
    before = reacher.turns()
    reacher.run(0.5)
    assert reacher.body._idle and angles(before, reacher.turns()).max() < 0.05
    reacher.reach.weight = 1.0
    reacher.run(2.0)
    reacher.reach.remove()
    reacher.run(2.0)
    assert reacher.body._idle and angles(before, reacher.turns()).max() < 0.1


def test_two_hands_share_a_body_and_a_handle_is_given_back() -> None:
    reacher = Reacher()
    other = reacher.world.attach_new_node("other")
    other.set_pos(0.3, -0.7, 0.9)
    left = ikrig.Reach(reacher.rig, "left_hand", other, body=reacher.body)
    reacher.target.set_pos(-0.3, -0.7, 0.9)
    reacher.reach.fade(1.0, 0.3)
    own = reacher.lead("left_hand")
    own.set_pos(0.35, -0.3, 1.0)
    reacher.run(2.0)
    for name, node in (("left_hand", other), ("right_hand", reacher.target)):
        assert np.linalg.norm(reacher.place(name) - node.get_pos()) < 1e-3
    left.fade(0.0, 0.3)
    reacher.run(1.5)
    assert np.linalg.norm(reacher.place("left_hand") - own.get_pos()) < 1e-3
    assert reacher.gap() < 1e-3


def test_hand_stays_on_a_target_that_moves() -> None:
    reacher = Reacher()
    reacher.target.set_pos(-0.3, -0.5, 1.2)
    reacher.reach.weight = 1.0
    reacher.run(1.0)
    reacher.most = 0.0
    for k in range(240):
        s = k / 60
        x, y, z = np.sin(2 * s), np.sin(s), np.cos(1.3 * s)
        reacher.target.set_pos(-0.3 + 0.2 * x, -0.5 - 0.2 * y, 1.0 + 0.4 * z)
        reacher.run(1 / 60)
        if k > 30:
            assert reacher.gap() < 2e-3
    assert reacher.most < 12.0


@pytest.mark.parametrize("late", [False, True])
def test_elbow_stays_quiet_where_the_target_turns_back(late: bool) -> None:
    reacher = Reacher()
    reacher.target.set_pos(-0.5, -0.3, 1.3)
    reacher.reach.weight = 1.0
    reacher.run(1.0)
    line = [p3d.LPoint3f(-0.5 - min(k, 80 - k) / 60, -0.3, 1.3) for k in range(81)]
    way = iter(line)
    if late:
        reacher.rig.add(Mover(reacher.target, way), [])
    elbow = reacher.at("RightForeArm")
    # what moves the target after the body is foreseen, but for where it turns back
    for _ in line[: 40 if late else None]:
        if not late:
            reacher.target.set_pos(next(way))
        reacher.run(1 / 60)
        now = reacher.at("RightForeArm")
        # the goal moves by 17 mm; with a shoulder one frame late it were 95
        assert np.linalg.norm(now - elbow) < 0.035 and reacher.gap() < 2e-3
        elbow = now


def test_errors_name_the_body() -> None:
    reacher, other = Reacher(), Body()
    for wrong in (other.body, "body", p3d.NodePath("body")):
        with pytest.raises(ikrig.BindError, match="body must be a FullBody of"):
            ikrig.Reach(reacher.rig, "left_hand", body=wrong)  # type: ignore[arg-type]
    layers = reacher.rig.layers
    with pytest.raises(ikrig.BindError, match="no handle of it is at 'LeftForeArm'"):
        ikrig.Reach(reacher.rig, "LeftForeArm", body=reacher.body)
    assert reacher.rig.layers == layers


@pytest.mark.parametrize("fps", [24.0, 60.0, 144.0])
def test_stance_steps_one_foot_at_a_time_and_returns(fps: float) -> None:
    stance = Stance(["left", "right"], 0.9)
    for wanted, seconds in (((0.3, 0.1, 0.0), 1.5), ((0.0, 0.0, 0.0), 1.5)):
        for _ in range(round(seconds * fps)):
            stance.update(np.array(wanted), 1.0 / fps)
            feet = list(stance.feet.values())
            assert sum(foot.part < 1.0 for foot in feet) <= 1
            assert all(0.0 <= foot.height < 0.2 for foot in feet)
        for foot in stance.feet.values():
            assert foot.place == pytest.approx(wanted, abs=1e-9) and not foot.height
    assert stance.is_home
    # little is done by leaning alone
    stance.update(np.array((0.05, 0.0, 0.0)), 0.1)
    assert stance.is_home
