"""Bodies led by trackers: captures, calibration, and trackers that get lost."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.bench import bodies
from tests.body_paths import HUMANOID, angles
from tests.motions import humanoid

THREE = ("head", "left_hand", "right_hand")


class Player:
    """A character, and the trackers of a player who stands as it does."""

    def __init__(self, names: tuple[str, ...] = THREE) -> None:
        self.world = p3d.NodePath("world")
        self.actor = Actor(str(HUMANOID))
        self.actor.reparent_to(self.world)
        self.rig = ikrig.ActorRig(self.actor)
        probe = ikrig.FullBody(self.rig)
        self.joints = {name: probe[name].joint for name in probe}
        self.start = {
            name: p3d.LMatrix4f(self.rig.joint(joint).get_mat(self.world))
            for name, joint in self.joints.items()
        }
        self.all = [joint.name for joint in probe._model.joints]
        probe.remove()
        self.trackers = {name: self.world.attach_new_node(name) for name in names}
        for name, node in self.trackers.items():
            node.set_mat(self.start[name])
        self.body = ikrig.TrackedBody(self.rig, **self.trackers)  # type: ignore[arg-type]

    def turns(self) -> np.ndarray:
        found = [self.rig.joint(name).get_quat(self.world) for name in self.all]
        return np.array([tuple(q.normalized()) for q in found])

    def place(self, name: str) -> np.ndarray:
        return np.array(self.rig.joint(self.joints[name]).get_pos(self.world))

    def miss(self, name: str) -> float:
        gap = self.place(name) - np.array(self.trackers[name].get_pos(self.world))
        return float(np.linalg.norm(gap))

    def run(self, frames: int, fps: float = 60.0) -> float:
        """Run frames; return the fastest turn of a joint [degrees a 60th second]."""
        before, most = self.turns(), 0.0
        for _ in range(frames):
            self.rig.update(1.0 / fps)
            now = self.turns()
            assert np.isfinite(now).all()
            most = max(most, float(angles(before, now).max()) * fps / 60.0)
            before = now
        return most


@pytest.mark.parametrize("clip, mean", [("walk", 9.0), ("wave", 4.0), ("idle", 2.0)])
def test_body_is_near_to_the_clip(clip: str, mean: float) -> None:
    row = bodies.run(humanoid(clip), "body", "three")
    assert row["mean"] < mean and row["above"] < 4.0
    assert row["ends"] < 0.1 and row["slide"] < 0.5
    if clip != "walk":
        # its feet have a rhythm of their own
        assert row["jumps"] <= 3


def test_feet_step_after_the_body_and_stand_in_between() -> None:
    player = Player()
    player.run(2)
    places = []
    for _ in range(240):
        for node in player.trackers.values():
            node.set_y(node.get_y() - 1.2 / 60)
        player.rig.update(1 / 60)
        assert player.miss("head") < 1e-3
        places.append([player.place(f"{side}_foot") for side in ("left", "right")])
    found = np.array(places)
    # over the ground: legs that get straight lift the heels by a centimetre
    speed = np.linalg.norm(np.diff(found[..., :2], axis=0), axis=2) * 60
    stands = speed < 0.1
    # one foot stands at any time, each steps several times, neither is left behind
    assert stands[60:].any(axis=1).all()
    for k in (0, 1):
        steps = np.diff(stands[:, k].astype(int)) == -1
        assert 4 <= steps.sum() <= 14
        ahead = found[:, k, 1] - player.trackers["head"].get_y()
        assert abs(ahead[-1]) < 0.7
    # they never cross
    assert (found[:, 0, 0] > found[:, 1, 0] + 0.05).all()


def test_what_turns_around_is_followed() -> None:
    player = Player()
    player.run(2)
    for _ in range(180):
        for node in player.trackers.values():
            spun = p3d.LMatrix4f.rotate_mat(1.0, p3d.LVector3f(0, 0, 1))
            node.set_mat(node.get_mat() * spun)
        player.rig.update(1 / 60)
    player.run(120)
    left, right = player.place("left_foot"), player.place("right_foot")
    # it looks the other way now: the left foot is where the right one was
    assert left[0] < right[0] - 0.05
    assert max(player.miss(name) for name in THREE) < 1e-3


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("how", ["not finite", "leaps", "stands still", "removed"])
def test_lost_trackers_are_let_go_and_taken_back_gently(how: str, fps: float) -> None:
    player = Player()
    hand, head = player.trackers["left_hand"], player.trackers["head"]
    up = p3d.LVector3f(0.0, -0.25, 0.25)
    hand.set_pos(hand.get_pos() + up)
    player.run(int(fps), fps)
    assert player.miss("left_hand") < 1e-3
    good = p3d.LPoint3f(hand.get_pos())
    free = Player()
    free.run(int(fps), fps)
    most, count = 0.0, int(2.5 * fps)
    for k in range(count):
        # the others move on
        head.set_x(0.01 * np.sin(k / fps))
        if how == "not finite":
            hand.set_pos(p3d.LPoint3f(float("inf"), 0, 0))
        elif how == "leaps":
            hand.set_pos(good + p3d.LVector3f(0, 0, 3.0 * (1 + k % 2)))
        elif how == "removed" and k == 0:
            hand.detach_node()
        most = max(most, player.run(1, fps))
    # the hand hangs down again
    assert np.linalg.norm(player.place("left_hand") - np.array(good)) > 0.1
    if how == "removed":
        hand.reparent_to(player.world)
    hand.set_pos(good + p3d.LVector3f(0, 0, 0.01))
    for k in range(int(fps)):
        head.set_x(0.01 * np.sin((count + k) / fps))
        hand.set_z(good.z + 0.01 + 0.0001 * k)
        most = max(most, player.run(1, fps))
    assert player.miss("left_hand") < 1e-3
    assert most < 15.0


def test_calibration_keeps_offsets_and_scales_the_room() -> None:
    size = 1.25
    player, reference = Player(), Player()
    # a larger player, whose trackers sit askew on the hands; the headset looks ahead
    held = {}
    for name in THREE:
        askew = p3d.LMatrix4f.rotate_mat(70.0, p3d.LVector3f(0.6, 0.0, 0.8))
        mat = askew * p3d.LMatrix4f(player.start[name])
        place = p3d.LPoint3f(player.start[name].get_row3(3)) * size
        if name == "head":
            mat = p3d.LMatrix4f.rotate_mat(180.0, p3d.LVector3f(0, 0, 1))
        mat.set_row(3, place)
        player.trackers[name].set_mat(mat)
        held[name] = mat
    saved = player.body.calibrate()
    assert saved["scale"] == pytest.approx(1.0 / size, rel=1e-3)
    player.run(30)
    reference.run(30)
    for name in player.joints:
        gap = player.place(name) - reference.place(name)
        assert np.linalg.norm(gap) < 5e-3, name
    # what it did for one body it does for another
    other = Player()
    for name in THREE:
        other.trackers[name].set_mat(held[name])
    other.body.calibration = saved
    assert other.body.calibration["scale"] == saved["scale"]
    for name, row in other.body.calibration["offsets"].items():
        assert row == pytest.approx(saved["offsets"][name])
    for each in (player, other):
        node = each.trackers["left_hand"]
        node.set_pos(node.get_pos() + p3d.LVector3f(0, -0.2, 0.2) * size)
        each.run(60)
    assert angles(player.turns(), other.turns()).max() < 2.0
    wanted = reference.place("left_hand") + np.array((0.0, -0.2, 0.2))
    assert np.linalg.norm(player.place("left_hand") - wanted) < 2e-3


def test_calibrating_again_changes_nothing() -> None:
    player = Player()
    for node in player.trackers.values():
        node.set_pos(node.get_pos() * 1.2)
        node.set_quat(p3d.LQuaternionf(0.8, 0.36, 0.0, 0.48) * node.get_quat())
    first = player.body.calibrate()
    player.run(30)
    stands = {name: player.place(name) for name in player.joints}
    # where the body was led meanwhile does not count, only where the trackers are
    node = player.trackers["left_hand"]
    place = node.get_pos()
    node.set_pos(place + p3d.LVector3f(0.0, -0.3, 0.3))
    player.run(30)
    node.set_pos(place)
    again = player.body.calibrate()
    assert again["scale"] == pytest.approx(first["scale"], rel=1e-6)
    for name, row in again["offsets"].items():
        assert row == pytest.approx(first["offsets"][name], abs=1e-5)
    player.run(60)
    for name, place in stands.items():
        assert np.linalg.norm(player.place(name) - place) < 5e-3, name


@pytest.mark.parametrize("heading", [0.0, 100.0])
def test_calibration_finds_where_a_player_looks_by_any_axes(heading: float) -> None:
    player, reference = Player(), Player()
    # as the head of a capture: its y is up
    tilted = p3d.LMatrix4f.rotate_mat(90.0, p3d.LVector3f(1, 0, 0))
    spun = p3d.LMatrix4f.rotate_mat(heading, p3d.LVector3f(0, 0, 1))
    for name in THREE:
        node = player.trackers[name]
        mat = p3d.LMatrix4f(player.start[name]) * spun
        if name == "head":
            place = mat.get_row3(3)
            mat = tilted * spun
            mat.set_row(3, place)
        node.set_mat(mat)
    player.body.calibrate()
    player.run(60)
    reference.run(60)
    for name in player.joints:
        wanted = spun.xform_point(p3d.LPoint3f(*reference.place(name)))
        assert np.linalg.norm(player.place(name) - np.array(wanted)) < 5e-3, name


def test_elbows_and_knees_bend_to_their_trackers() -> None:
    names = (*THREE, "left_foot", "right_foot", "right_elbow", "left_knee")
    world = {}
    for at in ((-0.7, 0.0, 1.4), (-0.2, 0.0, 0.6)):
        player = Player(THREE)
        player.body.remove()
        for name in names[3:]:
            player.trackers[name] = player.world.attach_new_node(name)
            if name in player.start:
                player.trackers[name].set_mat(player.start[name])
        player.trackers["right_hand"].set_pos(-0.25, -0.3, 1.2)
        player.trackers["right_elbow"].set_pos(*at)
        player.trackers["left_knee"].set_pos(0.4, -0.4, 0.5)
        player.body = ikrig.TrackedBody(player.rig, **player.trackers)  # type: ignore[arg-type]
        player.run(60)
        assert max(player.miss(name) for name in names[:5]) < 2e-3
        elbow = player.body._model.limbs["right_hand"][1]
        world[at] = np.array(player.rig.joint(elbow).get_pos(player.world))
        player.trackers["right_elbow"].remove_node()
        assert player.run(60) < 15.0
    high, low = world.values()
    assert high[2] > low[2] + 0.05


def test_height_and_arm_span_scale_the_room() -> None:
    player = Player()
    assert player.body.calibrate(height=2.0)["scale"] < 1.0
    assert player.body.calibrate(arm_span=1.0)["scale"] > 1.0


def test_more_trackers_are_reached_too() -> None:
    names = (*THREE, "hips", "left_foot", "right_foot")
    player = Player(names)
    for name in names:
        node = player.trackers[name]
        low = 0.0 if "foot" in name else 0.12 if name == "hips" else 0.16
        node.set_z(node.get_z() - low)
    player.run(60)
    assert max(player.miss(name) for name in names) < 3e-3


def test_errors_name_tracker_and_value() -> None:
    player = Player()
    head = player.trackers["head"]
    with pytest.raises(ikrig.BindError, match="head and left_hand are one node"):
        ikrig.TrackedBody(player.rig, head, head, player.trackers["right_hand"])
    for bad in (0.0, -1.0, float("nan")):
        with pytest.raises(ikrig.SettingError, match="height must be"):
            player.body.calibrate(height=bad)
    with pytest.raises(ikrig.SettingError, match="calibration must be what"):
        player.body.calibration = {"scale": 1.0}
    head.set_pos(float("inf"), 0, 0)
    with pytest.raises(ikrig.BindError, match="tracker head has no finite position"):
        player.body.calibrate()


def test_trackers_are_nodes_and_settings_may_be_huge() -> None:
    player = Player(())
    player.body.shoulder_weight = player.body.hips_weight = 1e300
    player.run(3)
    player.body.remove()
    with pytest.raises(ikrig.BindError, match="head must be a NodePath in a scene"):
        ikrig.TrackedBody(player.rig, p3d.NodePath())
