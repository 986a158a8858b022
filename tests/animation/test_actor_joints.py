"""Joints and animations moved by clips, compared with a plain Actor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import Clip
from ikrig.clip import Key, Track
from tests.scene.actor.stage import Stage
from tests.scene.actor.stage import update as force

JOINT = "LeftArm"
HELD = np.array([0.6, 0.0, 0.8, 0.0])
NOD = Clip("nod", [Track(JOINT, "rotation", {0.0: Key(tuple(HELD))})])
WAVE = Clip("wave", [Track("RightHand", "weight", {0.0: Key(0.0)})])


class Pair:
    """Two Actors that play alike; clips move the first."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.actor, self.plain = (stage.body("humanoid") for _ in range(2))
        for actor in (self.actor, self.plain):
            actor.loop("walk")
        stage.step(3)
        self.rig = ikrig.ActorRig(self.actor)
        self.rig.chain("RightHand", weight=0.0)
        self.rig.start(stage.task_mgr)

    def play(self, clip: Clip) -> ikrig.ClipPlayer:
        return ikrig.ClipPlayer(clip, self.rig).play(self.stage.task_mgr)

    def turns(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint's rotation now, and that of its animation alone."""
        return turn(self.actor), turn(self.plain)

    def left_alone(self) -> bool:
        found = []
        for _ in range(20):
            self.stage.step()
            found.append(apart(*self.turns()))
        return max(found) < 1e-3


def turn(actor: Actor) -> np.ndarray:
    return local(actor, JOINT)


def local(actor: Actor, name: str) -> np.ndarray:
    """Return a joint's local rotation, as computed by Panda3D."""
    force(actor)
    joint = actor.get_part_bundle("modelRoot").find_child(name)
    return np.array(tuple(joint.get_transform_state().get_norm_quat()))


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """The angle between two rotations [rad]."""
    chord = min(np.linalg.norm(a - b), np.linalg.norm(a + b))
    return 4.0 * float(np.arcsin(min(1.0, 0.5 * chord)))


@pytest.fixture
def pair() -> Iterator[Pair]:
    stage = Stage()
    yield Pair(stage)
    stage.close()


def test_removed_or_faded_layer_releases_its_joints(pair):
    player = pair.play(WAVE)
    layer = player.add_layer(NOD)
    assert not pair.left_alone()
    layer.weight = 0.0
    assert pair.left_alone()
    layer.weight = 1.0
    pair.stage.step()
    layer.remove()
    assert pair.left_alone()


def test_layer_blends_from_the_animation_of_the_same_frame(pair):
    pair.play(WAVE).add_layer(NOD, 0.5)
    for _ in range(20):
        pair.stage.step()
        now, animated = pair.turns()
        whole = apart(HELD, animated)
        assert apart(now, animated) == pytest.approx(0.5 * whole, abs=1e-3)
        assert apart(now, HELD) == pytest.approx(0.5 * whole, abs=1e-3)


@pytest.mark.parametrize("starts", [True, False])
def test_cross_fade_blends_with_the_animation_of_the_same_frame(pair, starts):
    player = pair.play(WAVE if starts else NOD)
    pair.stage.step(2)
    player.cross_fade(NOD if starts else WAVE, 0.35)
    shares = []
    for _ in range(20):
        pair.stage.step()
        now, animated = pair.turns()
        whole = apart(HELD, animated)
        shares.append(apart(now, animated) / whole)
        # on the way from the one to the other
        assert apart(now, animated) + apart(now, HELD) == pytest.approx(whole, abs=1e-3)
    assert shares == sorted(shares, reverse=not starts)
    assert min(shares) < 0.2 and max(shares) > 0.8


def test_additive_layer_adds_to_the_animation_of_the_same_frame(pair):
    nod = Clip(
        "nod",
        [Track(JOINT, "rotation", {0.0: Key((1, 0, 0, 0)), 1e-3: Key(tuple(HELD))})],
    )
    pair.play(WAVE).add_layer(nod, additive=True)
    pair.stage.step(3)
    for _ in range(20):
        pair.stage.step()
        now, animated = pair.turns()
        assert apart(now, animated) == pytest.approx(2 * np.arccos(0.6), abs=1e-3)


def test_clip_moves_each_joint_and_releases_it(pair: Pair) -> None:
    """Several joints that no chain turns, by an Actor with no rig before."""
    actor = pair.plain
    actor.stop()
    rig = ikrig.ActorRig(actor)
    joints = ("LeftArm", "RightArm", "Head")
    before = {name: local(actor, name) for name in joints}
    tracks = [Track(name, "rotation", {0.0: Key(tuple(HELD))}) for name in joints]
    player = ikrig.ClipPlayer(Clip("nods", tracks), rig)
    player.time = 0.0
    rig.solve()
    for name in joints:
        assert apart(local(actor, name), HELD) < 1e-3
    layers = rig.layers
    player.stop()
    rig.solve()
    assert len(layers) == 1 and rig.layers == ()
    for name in joints:
        assert apart(local(actor, name), before[name]) < 1e-3


@pytest.mark.parametrize(("channel", "value"), [("time", 0.3), ("weight", 0.6)])
def test_animation_of_a_clip_starts_at_its_beginning_with_full_weight(
    pair, channel, value
):
    actor = pair.plain
    actor.stop()
    rig = ikrig.ActorRig(actor)
    clip = Clip("one", [Track("walk", channel, {0.0: Key(value)})])
    ikrig.ClipPlayer(clip, rig).time = 0.0
    rig.solve()
    control = actor.get_anim_control("walk")
    time = control.get_full_fframe() / control.get_frame_rate()
    weight = control.get_part().get_control_effect(control)
    wanted = (value, 1.0) if channel == "time" else (0.0, value)
    assert (time, weight) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("order", [-0.5, 0.5])
def test_layers_of_the_animate_phase_run_before_or_after_a_clip(pair, order):
    """By their order: a clip's joints are set at 0."""

    class Layer:
        phase = ikrig.Phase.ANIMATE
        started = True

        def __init__(self) -> None:
            self.order = order

        def apply(self, pose: object, dt: float) -> None:
            node = pair.rig.joint(JOINT)
            self.found = np.array(tuple(node.get_quat()))

    layer = Layer()
    pair.rig.add(layer, [JOINT])
    pair.play(NOD)
    for _ in range(3):
        pair.stage.step()
        assert (apart(layer.found, HELD) < 1e-3) == (order > 0.0)
