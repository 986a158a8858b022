"""Characters read from files move as Actors and their rigs do."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig

from .stage import HUMANOID, LIMBS, Stage

PANDA = {"walk": "models/panda-walk4"}


def load(name: str) -> ikrig.Character:
    if name == "panda":
        return ikrig.load_character("models/panda-model", PANDA)
    return ikrig.load_character(HUMANOID)


def actor_of(stage: Stage, name: str) -> Actor:
    files = ("models/panda-model", PANDA) if name == "panda" else (str(HUMANOID),)
    actor = stage.add(Actor(*files))
    actor.set_blend(frameBlend=True)
    return actor


def drawn(actor: Actor, character: ikrig.Character) -> np.ndarray:
    """The joints' matrices as Panda3D has them."""
    bundle, mat = actor.get_part_bundle("modelRoot"), p3d.LMatrix4f()
    found = []
    for name in character.names:
        bundle.find_child(name).get_transform(mat)
        found.append(np.array(mat).reshape(4, 4))
    return np.array(found)


@pytest.mark.parametrize("name", ["panda", "humanoid"])
def test_clips_play_as_on_an_actor(stage: Stage, name):
    character, actor = load(name), actor_of(stage, name)
    pose = character.pose()
    rest = drawn(actor, character)
    assert pose.names == character.names
    assert np.allclose(pose.local, rest, atol=1e-4 * np.abs(rest).max())
    player = character.player(pose)
    control = actor.get_anim_control("walk")
    fps, count = control.get_frame_rate(), control.get_num_frames()
    for time in (0.0, 0.1, 0.517, (count - 1.3) / fps, 1.37):
        player.play("walk", start=time)
        player.sample(pose, 0.0)
        control.pose(time * fps % count)
        actor.update(force=True)
        found = drawn(actor, character)
        size = np.abs(found).max()
        assert np.allclose(pose.local, found, atol=1e-5 * size), time


def test_clips_blend_as_on_an_actor(stage: Stage):
    character, actor = load("humanoid"), actor_of(stage, "humanoid")
    pose = character.pose()
    player = character.player(pose)
    actor.enable_blend()
    for name, weight, frame in (("walk", 0.7, 5.25), ("run", 0.3, 2.5)):
        actor.set_control_effect(name, weight)
        control = actor.get_anim_control(name)
        control.pose(frame)
        player.play(name, weight=weight, start=frame / control.get_frame_rate())
    actor.update(force=True)
    player.sample(pose, 0.0)
    assert np.allclose(pose.local, drawn(actor, character), atol=1e-5)


@pytest.mark.parametrize("solver", ["two_bone", "dls"])
@pytest.mark.parametrize("name", ["panda", "humanoid"])
def test_chains_solve_as_on_an_actor(stage: Stage, name, solver):
    character, actor = load(name), actor_of(stage, name)
    feet, length = LIMBS[name]
    rig = ikrig.ActorRig(actor)
    pose = character.pose()
    player = character.player(pose)
    goals = ikrig.Goals(2)
    solver = "fabrik" if length != 2 and solver == "two_bone" else solver
    layers = []
    for k, foot in enumerate(feet[:2]):
        rig.chain(foot, length, goals[k], solver=solver)
        layers.append(ikrig.PoseChain(pose, foot, length, goals[k], solver=solver))
    rng = np.random.default_rng(7)
    control = actor.get_anim_control("walk")
    for frame in range(1, 12, 2):
        control.pose(frame)
        player.play("walk", start=frame / control.get_frame_rate())
        player.sample(pose, 0.0)
        for k, layer in enumerate(layers):
            reach = layer.model.reach
            start = pose.net_matrix(feet[k])[3, :3]
            goals.positions[k] = start + rng.normal(0, 0.15 * reach, 3)
        if frame > 5:
            goals[0].turn(rng.normal(0, 1, 4))
            goals[1].bend_to(rng.normal(0, 3 * reach, 3))
        stage.step()
        rig.update(1 / 60)
        for layer in layers:
            layer.apply(pose, 1 / 60)
        found = drawn(actor, character)
        size = np.abs(found).max()
        assert np.abs(pose.local - found).max() < 1e-4 * size, frame


def test_errors_name_the_file(tmp_path):
    with pytest.raises(ikrig.BindError, match=r"gone\.bam' can't be loaded"):
        ikrig.load_character(tmp_path / "gone.bam")
    with pytest.raises(ikrig.BindError, match=r"no joints"):
        ikrig.load_character("models/misc/sphere")
    with pytest.raises(ikrig.BindError, match=r"sphere' has no animation"):
        ikrig.load_character(HUMANOID, {"roll": "models/misc/sphere"})
    character = load("humanoid")
    assert set(character.clips) == {"walk", "run", "idle", "wave"}
    bent = character.names.index("LeftHand")
    assert character.names[character.parents[bent]] == "LeftForeArm"
