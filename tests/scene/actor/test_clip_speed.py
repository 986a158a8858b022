"""The speed of a clip, compared with its authored speed and its feet."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.behaviours.clip_speed import velocity_of
from tests.characters import catalog

from .course import HUMANOID
from .people import make_actor, net
from .stage import Stage

NOTES = json.loads(HUMANOID.with_suffix(".json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("clip", ["walk", "run"])
@pytest.mark.parametrize("scale", [1.0, 0.01, 10.0])
def test_clip_speed_matches_the_authored_speed(stage: Stage, clip: str, scale: float):
    actor = stage.add(Actor(str(HUMANOID)), scale)
    speed = ikrig.clip_speed(actor, clip)
    assert speed == pytest.approx(scale * NOTES["clips"][clip]["speed"], rel=0.03)
    # the Actor is as before: another rig can be made
    ikrig.ActorRig(actor)


@pytest.mark.parametrize("begin", range(12))
def test_a_loop_may_begin_in_any_frame(begin: int) -> None:
    # where one foot stood in its end the loop went sideways, by 13 degrees
    phase = np.arange(12) / 12.0
    tracks = []
    for side in (-1.0, 1.0):
        u = (phase + 0.25 + 0.25 * side) % 1.0
        low = u < 0.25
        x = side * (0.2 + np.where(low, 0.3 * u, 0.0))
        y = np.where(low, 0.25 - 2.0 * u, -0.25 + (u - 0.25) / 1.5)
        z = np.where(low, 0.0, 0.2)
        points = np.roll(np.stack((x, y, z), axis=1), -begin, axis=0)
        tracks.append(np.concatenate((points, points[:1]))[:, None])
    x, y = velocity_of(tracks, 24.0)
    assert y == pytest.approx(4.0, rel=0.05)
    assert abs(x) < 0.05 * y


def test_standing_clip_has_speed_0(stage: Stage) -> None:
    actor = stage.add(Actor(str(HUMANOID)))
    assert ikrig.clip_speed(actor, "idle") < 0.05
    joints = [("hips", None, (0, 0, 1), (0, 0, 0))]
    for side, x in (("left", 0.1), ("right", -0.1)):
        joints += [
            (f"{side} thigh", "hips", (x, 0, 0), (0, 0, 0)),
            (f"{side} shin", f"{side} thigh", (0, -0.02, -0.5), (0, 0, 0)),
            (f"{side} foot", f"{side} shin", (0, 0.02, -0.5), (0, 0, 0)),
        ]
    statue = stage.add(make_actor(joints, {"rest": {}}))
    assert ikrig.clip_speed(statue, "rest", feet=["left foot", "right foot"]) == 0.0


def test_speed_on_a_ramp_is_horizontal(stage: Stage) -> None:
    actor = stage.add(Actor(str(HUMANOID)))
    level = ikrig.clip_speed(actor, "walk")
    actor.set_p(30.0)
    slower = level * math.cos(math.radians(30.0))
    assert ikrig.clip_speed(actor, "walk") == pytest.approx(slower, rel=1e-3)


def test_unknown_clips_and_joints_are_named(stage: Stage) -> None:
    actor = stage.add(Actor(str(HUMANOID)))
    with pytest.raises(ikrig.BindError, match="walk"):
        ikrig.clip_speed(actor, "wlk")
    with pytest.raises(ikrig.BindError, match="LeftFoot"):
        ikrig.clip_speed(actor, "walk", feet=["LeftFot"])
    ikrig.ActorRig(actor)


@pytest.mark.parametrize("started", [True, False])
def test_rigged_actor_is_measured_without_change(stage: Stage, started: bool):
    actor = stage.add(Actor(str(HUMANOID)))
    actor.loop("run")
    plain = ikrig.clip_speed(actor, "walk")
    rig = ikrig.ActorRig.auto(actor)
    if started:
        rig["left_hand"].weight = 1.0
        rig.start(stage.task_mgr)
        rig["left_hand"].target.set_z(rig["left_hand"].target, 0.2)
    stage.step(5)
    nodes, layers = list(rig.skeleton.nodes), rig.layers
    before = [state(actor, joint) for joint in rig.joints]
    frame = actor.get_current_frame("run")
    assert ikrig.clip_speed(actor, "walk") == pytest.approx(plain, rel=1e-6)
    assert np.array_equal(before, [state(actor, joint) for joint in rig.joints])
    assert (actor.get_current_anim(), actor.get_current_frame("run")) == ("run", frame)
    assert rig.skeleton.nodes == nodes and rig.layers == layers
    # whoever has no rig gets none
    rig.detach()
    ikrig.clip_speed(actor, "walk")
    assert actor.find("**/ikrig").is_empty()


def state(actor: Any, joint: str) -> np.ndarray:
    mat = net(actor, joint)
    return np.array([[mat.get_cell(r, c) for c in range(4)] for r in range(4)])


FLAT = {
    "eve": (("LeftBall", 6, 18), ("RightBall", 30, 42)),
    "ralph": (("LeftBall", 3, 9), ("RightBall", 15, 21)),
}
"""From which to which frame of the walk a foot rolls over its ball."""


@pytest.mark.parametrize("name", FLAT)
def test_third_party_clip_speed_matches_its_feet(stage: Stage, name: str):
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    actor = stage.add(catalog.load(name))
    bundle = actor.get_part_bundle("modelRoot")
    speeds = []
    for joint, first, last in FLAT[name]:
        places = []
        for frame in (first, last):
            actor.pose("walk", frame)
            bundle.force_update()
            places.append(net(actor, joint).get_row3(3))
        way = p3d.LVector3f(places[1] - places[0]).get_xy().length()
        speeds.append(way / (last - first) * actor.get_base_frame_rate("walk"))
    speed = ikrig.clip_speed(actor, "walk")
    assert speed == pytest.approx(np.mean(speeds), rel=0.1)


class Walker:
    """The humanoid with its feet on flat ground, going at a speed."""

    def __init__(self, stage: Stage, speed: float, scale: float = 1.0) -> None:
        self.stage, self.speed = stage, speed
        self.actor = stage.add(Actor(str(HUMANOID)), scale)
        self.actor.set_name("walker")
        self.actor.set_blend(frameBlend=True)
        self.rig = ikrig.ActorRig(self.actor)
        self.feet = ikrig.FootPlacement(self.rig, lambda x, y: 0.0)

    def go(self, seconds: float, fps: float = 60.0) -> None:
        clock = self.stage.clock
        clock.dt = 1.0 / fps
        for _ in range(round(seconds * fps)):
            clock.tick()
            self.actor.set_y(self.actor.get_y() - self.speed / fps)
            self.rig.update(1.0 / fps)


@pytest.mark.parametrize(("scale", "fps"), [(1.0, 60.0), (0.01, 24.0), (10.0, 144.0)])
def test_wrong_speed_is_warned_once_with_the_play_rate(stage, capfd, scale, fps):
    walker = Walker(stage, 2.5 * scale, scale)
    walker.actor.loop("walk")
    walker.go(0.9, fps)
    assert "set_play_rate" not in capfd.readouterr().err
    walker.go(2.5, fps)
    text = capfd.readouterr().err
    assert text.count("set_play_rate(2, 'walk')") == 1
    assert f"'walker' moves at {2.5 * scale:.3g} units" in text
    assert f"move at {1.25 * scale:.3g}" in text
    # every clip for itself, and the fix is one
    walker.actor.loop("run")
    walker.speed = 1.65 * scale
    walker.go(2.5, fps)
    assert "set_play_rate(0.5" in capfd.readouterr().err
    walker.feet.remove()
    walker.feet = ikrig.FootPlacement(walker.rig, lambda x, y: 0.0)
    walker.go(2.5, fps)
    assert "set_play_rate" not in capfd.readouterr().err


def test_warned_play_rate_is_correct(stage: Stage, capfd: Any):
    walker = Walker(stage, 2.5)
    walker.actor.set_play_rate(2.0, "walk")
    walker.actor.loop("walk")
    walker.go(2.5)
    walker.speed = -2.5
    walker.actor.set_play_rate(-2.0, "walk")
    walker.go(2.5)
    assert "set_play_rate" not in capfd.readouterr().err


def test_unsteady_blended_disabled_or_sitting_figures_are_not_warned(stage, capfd):
    walker = Walker(stage, 2.5)
    walker.actor.loop("walk")
    for k in range(12):
        walker.speed = 2.5 + 1.5 * (k % 3)
        walker.go(0.25)
    walker.speed = 2.5
    walker.feet.weight = 0.0
    walker.go(2.5)
    walker.feet.weight = 1.0
    walker.actor.enable_blend()
    walker.actor.set_control_effect("walk", 0.5)
    walker.actor.set_control_effect("run", 0.5)
    walker.actor.loop("run")
    walker.go(2.5)
    walker.actor.disable_blend()
    walker.actor.stop()
    walker.actor.loop("idle")
    walker.go(2.5)
    assert "set_play_rate" not in capfd.readouterr().err


def test_walking_on_a_moving_deck_is_not_warned(stage: Stage, capfd: Any):
    walker = Walker(stage, 1.25)
    deck = stage.render.attach_new_node(p3d.CollisionNode("deck"))
    deck.node().add_solid(p3d.CollisionPlane(p3d.LPlane(0, 0, 1, 0)))
    walker.feet.ground = deck
    walker.actor.reparent_to(deck)
    walker.actor.loop("walk")
    for _ in range(150):
        deck.set_y(deck.get_y() - 2.0 / 60.0)
        walker.go(1.0 / 60.0)
    assert "set_play_rate" not in capfd.readouterr().err


@pytest.mark.parametrize("change", ["rate", "pause"])
def test_measurement_starts_anew_when_the_clip_changes_or_pauses(stage, capfd, change):
    walker = Walker(stage, 2.5)
    walker.actor.loop("walk")
    if change == "rate":
        # right at first, and wrong from then on
        walker.actor.set_play_rate(2.0, "walk")
        walker.go(2.5)
        walker.actor.set_play_rate(1.0, "walk")
    else:
        walker.go(0.9)
        walker.actor.stop()
        walker.go(0.3)
        walker.actor.loop("walk")
    walker.go(0.6)
    assert "set_play_rate" not in capfd.readouterr().err
    walker.go(2.0)
    assert "set_play_rate(2, 'walk')" in capfd.readouterr().err
