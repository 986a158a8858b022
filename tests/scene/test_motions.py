"""Motions of Actors, figures and running games, beside what Panda3D itself says."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor
from direct.task.Task import TaskManager

import ikrig
from ikrig.math3d.quaternion import rotate, to_matrix
from ikrig.scene.motion.watch import NODES, Watch
from tests.motions import ASSETS, humanoid, on_rig

HUMANOID = str(ASSETS / "models" / "humanoid.bam")


def net(actor: Actor, joint: str) -> np.ndarray:
    """Panda3D's transform of a joint in the scene, (4, 4) row vectors."""
    bundle = actor.get_part_bundle("modelRoot")
    bundle.force_update()
    mat = p3d.LMatrix4f()
    bundle.find_child(joint).get_net_transform(mat)
    mat = mat * actor.get_part("modelRoot").get_net_transform().get_mat()
    return np.array([list(row) for row in mat.rows])


def same(motion: ikrig.Motion, frame: int, actor: Actor, shift=0.0) -> None:
    for joint in ("Hips", "LeftFoot", "RightHand", "Head"):
        mat, k = net(actor, joint), motion.index(joint)
        at = motion.global_positions[frame, k]
        np.testing.assert_allclose(at, mat[3, :3] + shift, atol=2e-5)
        axes = mat[:3, :3] / np.linalg.norm(mat[:3, :3], axis=1, keepdims=True)
        turn = to_matrix(motion.global_rotations[frame, k])
        np.testing.assert_allclose(turn.T, axes, atol=2e-5)


def test_the_clip_of_an_actor_is_what_panda3d_plays():
    actor = Actor(HUMANOID)
    idle, walk = (ikrig.actor_motion(actor, clip) for clip in ("idle", "walk"))
    assert idle.names == walk.names and "LeftFoot" in idle.soles
    assert (len(idle), idle.fps) == (240, pytest.approx(60.0))
    speed = ikrig.clip_speed(actor, "walk")
    assert speed > 1.0
    for frame in (0, 31, 63):
        for motion, clip, forward in ((idle, "idle", 0.0), (walk, "walk", speed)):
            actor.pose(clip, frame)
            # a walk on the spot goes ahead, to -y
            same(motion, frame, actor, (0.0, -forward * frame / 60.0, 0.0))


@pytest.mark.parametrize("clip", [3, "wlak"])
def test_clips_that_are_not_there_are_named(clip):
    actor = Actor(HUMANOID)
    with pytest.raises(ikrig.BindError, match=r"unknown: (did you mean 'walk'|avail)"):
        ikrig.actor_motion(actor, clip)
    with pytest.raises(ikrig.BindError, match="must be an Actor"):
        ikrig.actor_motion(p3d.NodePath("none"), "walk")  # type: ignore[arg-type]


def test_a_figure_plays_a_motion():
    motion = humanoid("walk")
    figure = ikrig.StickFigure(motion)
    assert isinstance(figure, Actor) and figure.get_anim_names() == ["walk"]
    for frame in (0, 20, 63):
        figure.pose("walk", frame)
        same(motion, frame, figure)
    low, high = figure.get_tight_bounds()
    assert 1.5 < (high - low).z < 1.9
    again = ikrig.actor_motion(figure, "walk")
    order = [motion.index(name) for name in again.names]
    rest = motion.rest_positions[order]
    np.testing.assert_allclose(again.rest_positions, rest, atol=1e-5)


def test_a_figure_of_a_capture_stands_on_soles_below_its_ankles():
    motion = humanoid("idle")
    assert "LeftFoot" in motion.soles
    figure = ikrig.StickFigure(motion.with_changes(soles={}))
    again = ikrig.actor_motion(figure, "idle")
    turns, places = again.global_rotations[0], again.global_positions[0]
    for foot in ("LeftFoot", "RightFoot"):
        ankle = again.index(foot)
        toe = again.index(foot.replace("Foot", "ToeBase"))
        points = np.array(
            [
                places[k] + rotate(turns[k], np.array(at))
                for k, at in ((again.index(j), p) for j, p in again.soles[foot])
            ]
        )
        # on the floor of its joints, from below the ankle to the toes
        np.testing.assert_allclose(points[:, 2], places[toe:, 2].min(), atol=0.02)
        along = (places[toe] - places[ankle]) * (1.0, 1.0, 0.0)
        size = np.linalg.norm(along)
        ways = (points - places[ankle]) @ along / size
        assert ways.min() < 0.02 and ways.max() > size
        # a flat foot, no edge
        aside = np.cross(along / size, (0.0, 0.0, 1.0))
        assert np.ptp(points @ aside) > 0.04


def test_a_figure_names_the_frame_in_which_it_stands(game):
    # its rest pose lies: each bone goes on along x, as in many captures
    motion = humanoid("idle")
    places = motion.positions.copy()
    places[:, 0, 2] += 0.03 * (np.arange(len(motion)) != 70)
    lying = np.zeros_like(motion.offsets)
    for joint, above in enumerate(motion.parents):
        if above >= 0:
            lying[joint] = lying[above] + (np.linalg.norm(motion.offsets[joint]), 0, 0)
    still = np.tile((1.0, 0.0, 0.0, 0.0), (len(motion.names), 1))
    up = motion.with_changes(positions=places, soles={})
    turned = ikrig.Motion.from_world(
        up.global_rotations, up.global_positions, rest=(still, lying),
        names=up.names, parents=up.parents, fps=up.fps, name="idle",
    )  # fmt: skip
    figure = ikrig.StickFigure(turned)
    assert figure.stance == ("idle", 70)
    figure.reparent_to(game.top)
    rig = ikrig.ActorRig(figure)
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.0, stance=figure.stance)
    for foot in feet._feet:
        joints = {joint for joint, _ in foot.sole}
        assert foot.name in joints and len(foot.sole) >= 4
    for k in range(30):
        figure.pose("idle", 71 + k)
        rig.update(1.0 / 60.0)
        figure.get_part_bundle("modelRoot").force_update()
    # 3 cm up in the clip, and put down on its soles
    low = figure.get_tight_bounds()[0]
    assert low.z == pytest.approx(0.0, abs=0.01)


def test_a_figure_that_walks_away_is_not_culled():
    # 30 m ahead
    motion = humanoid("walk", 20)
    figure = ikrig.StickFigure(motion)
    for frame in (0, len(motion) // 2, len(motion) - 1):
        figure.pose("walk", frame)
        figure.get_part_bundle("modelRoot").force_update()
        low, high = figure.get_tight_bounds()
        seen = figure.get_bounds()
        for corner in (low, high):
            assert seen.contains(corner)
    assert (high - figure.get_pos()).length() > 20.0


# -- a running game --------------------------------------------------------------------


class Game:
    """A walk at 60 frames a second, with the clock in hand."""

    def __init__(self, feet: bool = False) -> None:
        self.clock = p3d.ClockObject.get_global_clock()
        self.clock.mode = p3d.ClockObject.M_non_real_time
        self.clock.dt = 1.0 / 60.0
        self.tasks = TaskManager()
        self.tasks.destroy()
        self.tasks.mgr = p3d.AsyncTaskManager("of a test")
        self.top = p3d.NodePath("render")
        self.actor = Actor(HUMANOID)
        self.actor.reparent_to(self.top)
        self.rig = ikrig.ActorRig(self.actor)
        if feet:
            ikrig.FootPlacement(self.rig, lambda x, y: 0.1)
        else:
            self.rig.chain("Head", 1, weight=0.0)

    def run(self, watched: Watch, frames: int, first: int = 0) -> None:
        for k in range(first, first + frames):
            self.actor.pose("idle", k % 240)
            self.rig.update(1.0 / 60.0)
            watched.update(1.0 / 60.0)


@pytest.fixture
def game():
    clock = p3d.ClockObject.get_global_clock()
    mode, dt = clock.mode, clock.dt
    yield Game()
    clock.mode = mode
    if mode != p3d.ClockObject.M_normal:
        clock.dt = dt


def test_a_watch_records_what_is_shown(game):
    game.actor.set_pos_hpr_scale((3, 2, 0), (50, 0, 0), 2.0)
    watched = Watch(game.rig, ground=0.0)
    for k in range(5):
        game.run(watched, 1, k)
        same(watched.motions()["humanoid"], k, game.actor)
    motion = watched.motions()["humanoid"]
    np.testing.assert_allclose(motion.times, np.arange(5) / 60.0)
    report = watched.report()
    assert report.ok and report.feet == ("LeftFoot", "RightFoot")
    # of a figure twice as large the soles are, too
    assert report["penetration"].value < 0.1


def test_joints_that_nobody_sees_may_leap():
    """The panda has a root for each sole, beside its hips: they move no skin."""
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    ikrig.ActorRig(actor).chain("Bone_spine02", 1, weight=0.0)
    joints = {j.get_name(): j for j in actor.get_joints()}
    aids = [name for name in joints if name.endswith(("_heel", "_toe"))]
    watched = Watch(actor, ground=0.0)
    for k in range(40):
        actor.pose("walk", k)
        for name in aids:
            actor.freeze_joint("modelRoot", name, pos=(0, 0, 500.0 * (k == 20)))
        watched.update(1.0 / 60.0)
    motion = watched.motions()[actor.get_name()]
    assert len(aids) == 8 and set(motion.names) == set(joints) - set(aids)
    for name, above in zip(motion.names, motion.parents, strict=True):
        parts = [p for p, j in joints.items() if joints[name] in j.children]
        assert (motion.names[above] if above >= 0 else None) == next(iter(parts), None)
    report = watched.report()
    assert len(report.feet) == 4 and not report.spikes


def test_a_watch_keeps_the_last_seconds_and_what_is_announced(game):
    watched = Watch(game.rig, seconds=0.5)
    game.run(watched, 60)
    watched.mark("teleport")
    game.actor.set_y(4.0)
    game.run(watched, 10, 60)
    motion = watched.motions()["humanoid"]
    # rounding decides
    assert len(motion) in (30, 31)
    frame = len(motion) - 10
    assert motion.cuts == {frame: "teleport"}
    (spike,) = watched.report().spikes
    assert (spike.frame, spike.announced) == (frame, True)
    game.run(watched, 60, 70)
    assert watched.motions()["humanoid"].cuts == {}


def test_the_ground_is_that_of_the_feet_and_of_each_frame():
    game = Game(feet=True)
    watched = Watch(game.rig)
    game.run(watched, 90)
    report = watched.report()
    # the actor stands at 0, and its feet on 0.1
    assert report["penetration"].value < 0.5 and report["float"].value < 0.5
    assert Watch(game.rig, ground=0.0).ground == 0.0
    height = [0.0]
    lift = Watch(game.rig, ground=lambda x, y: height[0])
    for k in range(90):
        height[0] = 0.1 + 0.01 * k
        game.actor.set_z(0.01 * k)
        game.run(lift, 1, k)
    assert lift.report()["float"].value < 12.0


def test_a_second_actor_is_the_source(game):
    other = Actor(HUMANOID)
    other.reparent_to(game.top)
    target = game.top.attach_new_node("target")
    target.set_pos(0.3, -0.4, 1.2)
    game.rig.chain("LeftHand", 2, target=target)
    watched = Watch(game.rig, source=other)
    for k in range(30):
        other.pose("idle", k)
        game.run(watched, 1, k)
    report = watched.report()
    assert report["contact_agreement"].value == 100.0
    assert report["position_difference"].value > 1.0
    with pytest.raises(ikrig.BindError, match="source must be an Actor"):
        Watch(game.rig, source="walk")


def test_nodes_are_watched_too():
    top = p3d.NodePath("stage")
    turning, still = top.attach_new_node("turning"), top.attach_new_node("still")
    late = top.attach_new_node("late")
    late.detach_node()
    watched, heading = Watch(top), 0.0
    for frame in range(60):
        heading += 9.0 if frame == 20 else 2.0
        turning.set_h(heading)
        still.set_p(0.0 if frame < 30 else 1.4)
        if frame == 40:
            late.reparent_to(top)
        watched.update(1.0 / 60.0)
    (report,) = watched.reports()
    assert report.motion.name == NODES
    assert report.motion.names == (
        "stage",
        "stage/late",
        "stage/still",
        "stage/turning",
    )
    assert report["turn"].value == pytest.approx(9.0, abs=1e-3)
    (leap,) = report.spikes
    # 1.4 degrees of a node alone move nothing by 2 cm
    assert (leap.joint, leap.frame) == ("stage/turning", 20)
    assert leap.degrees == pytest.approx(7.0, abs=1e-3)


def test_frames_that_come_late_are_said_to():
    top = p3d.NodePath("stage")
    turning = top.attach_new_node("turning")
    watched, time = Watch(top), 0.0
    for frame in range(60):
        dt = 0.1 if frame == 30 else 1.0 / 60.0
        time += dt
        turning.set_h(100.0 * time)
        watched.update(dt)
    (leap,) = watched.reports()[0].spikes
    assert (leap.frame, leap.cause) == (30, "late frame")


def test_a_rig_that_plays_a_clip_is_watched():
    motion = on_rig("humanoid", "humanoid_greet")[0]
    assert len(motion) == 240 and motion.fps == pytest.approx(60.0)
    assert ikrig.quality.measure(motion).ok


def test_what_can_not_be_watched_is_refused(game):
    with pytest.raises(ikrig.IkrigError):
        Watch(3)
    with pytest.raises(ikrig.SettingError, match="seconds must be seconds above 0"):
        Watch(game.rig, seconds=0.0)
    with pytest.raises(ikrig.BindError, match="no frame was recorded"):
        Watch(game.rig).motions()
    watched = Watch(game.rig)
    game.run(watched, 3)
    game.actor.remove_node()
    # per frame nothing raises
    watched.update(1.0 / 60.0)
    assert math.isfinite(watched.motions()["humanoid"].duration)
