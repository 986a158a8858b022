"""Sampled poses, compared with an Actor animated by Panda3D."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.kernels import COMPILED
from ikrig.scene.actor import clip_sampling
from ikrig.scene.actor.clip_sampling import MATCH_FRAMES, MATCH_TOLERANCE
from tests.studio.vrm import build

from .people import make_actor
from .stage import KINDS, LIMBS, Stage, bundle, joint, nets, walk

needs_kernels = pytest.mark.skipif(
    not COMPILED, reason="needs compiled kernels: interpreted ones do not sample"
)


def local(actor: Actor, name: str) -> np.ndarray:
    """A joint's transform in its parent's space, (4, 4)."""
    mat = joint(actor, name).get_transform_state().get_mat()
    return np.array([tuple(row) for row in mat.rows])


def sampled(rig: ikrig.ActorRig) -> bool:
    """Whether the next frame would be read from clips."""
    sampler = rig.skeleton._sampler
    return sampler is not None and sampler.ready()


def hold(actor: Actor, tips: dict[str, int]) -> ikrig.ActorRig:
    rig = ikrig.ActorRig(actor)
    for tip, bones in tips.items():
        rig.chain(tip, bones)
    return rig


def gaps(stage: Stage, rig: ikrig.ActorRig, other: Actor, frames: int = 40) -> float:
    """Largest difference to the other Actor's joints, as a share of their size."""
    worst = 0.0
    skeleton = rig.skeleton
    for _ in range(frames):
        stage.step()
        skeleton.look()
        skeleton.begin()
        bundle(other).force_update()
        for name in skeleton._nodes:
            mat = skeleton.pose.local[skeleton.pose.index[name]]
            wanted = local(other, name)
            worst = max(worst, abs(mat - wanted).max() / abs(wanted).max())
        rig.update(1 / 60)
    return worst


@needs_kernels
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", LIMBS)
def test_pose_matches_panda3d(stage: Stage, body: str, kind: str) -> None:
    actor, other = (stage.body(body, kind) for _ in range(2))
    tips, bones = LIMBS[body]
    rig = hold(actor, dict.fromkeys(tips, bones))
    assert gaps(stage, rig, other) < MATCH_TOLERANCE
    assert sampled(rig)


def waving(letters: str) -> Actor:
    """An Actor with a clip that moves its joints by these of Panda3D's 12 tables."""
    joints = [
        ("hips", None, (0, 0, 1), (0, 0, 0)),
        ("thigh", "hips", (0.1, 0, 0), (10, 20, 170)),
        ("shin", "thigh", (0, 0, 0.5), (0, 15, 0)),
        ("foot", "shin", (0, 0, 0.5), (0, -40, 0)),
    ]
    actor = make_actor(joints)
    rng = np.random.default_rng(7)
    clips = {}
    for clip, frames in (("one", 30), ("two", 17)):
        anim = p3d.AnimBundle(clip, 24.0, frames)
        above: Any = p3d.AnimGroup(anim, "<skeleton>")
        for name, *_ in joints:
            above = channel = p3d.AnimChannelMatrixXfmTable(above, name)
            for letter in letters:
                size = 60.0 if letter in "hpr" else 0.3
                base = 1.0 if letter in "ijk" else 0.0
                phase, length = rng.uniform(0, 6), 1 if letter == "x" else frames
                turns = np.sin(phase + np.arange(length) * 2 * np.pi / frames)
                table = p3d.PTA_float((base + size * turns).tolist())
                channel.set_table(letter, p3d.CPTA_float(table))
        clips[clip] = p3d.NodePath(p3d.AnimBundleNode(clip, anim))
    actor.load_anims(clips)
    return actor


@needs_kernels
@pytest.mark.parametrize("blended", [False, True])
@pytest.mark.parametrize("letters", ["hprxyz", "ijkhprxyz", "ijkabchprxyz"])
def test_scale_and_shear_tracks_match_panda3d(stage, letters, blended):
    made = []
    for _ in range(2):
        actor = waving(letters)
        stage.add(actor)
        made.append(actor)
        if blended:
            actor.set_blend(animBlend=True, frameBlend=True)
            actor.set_control_effect("one", 0.3)
            actor.set_control_effect("two", 1.1)
            actor.loop("two")
        actor.loop("one")
    actor, other = made
    rig = hold(actor, {"foot": 2})
    assert gaps(stage, rig, other) < MATCH_TOLERANCE
    assert sampled(rig)


def two_subparts(actor: Actor) -> None:
    actor.make_subpart("legs", ["Bone_hips"], ["Bone_chest"])
    actor.make_subpart("torso", ["Bone_chest"])
    actor.set_subparts_complete(True)
    actor.load_anims({"walk": "models/panda-walk4"}, "legs")
    actor.load_anims({"other": "models/panda-walk4"}, "torso")
    actor.loop("walk", partName="legs")
    actor.loop("other", partName="torso", fromFrame=20)


def user_controls(actor: Actor) -> None:
    walk(actor, "frame-blended", "other")
    actor.control_joint(None, "modelRoot", "Bone_hips").set_hpr(20, 30, 5)


def stands(actor: Actor) -> None:
    actor.stop()


def other_blend_type(actor: Actor) -> None:
    walk(actor, "two", "other")
    bundle(actor).set_blend_type(p3d.PartBundle.BT_componentwise)


def linear_blend(actor: Actor) -> None:
    walk(actor, "two", "other")
    bundle(actor).set_blend_type(p3d.PartBundle.BT_linear)


@pytest.mark.parametrize(
    ("how", "fast"),
    [
        (two_subparts, True),
        (user_controls, True),
        (stands, True),
        (linear_blend, True),
        (other_blend_type, False),
    ],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_any_playback_state_matches_panda3d(stage, monkeypatch, how, fast):
    # what a ShowBase defines, and Actor.make_subpart reads
    monkeypatch.setattr(builtins, "__dev__", False, raising=False)
    made = []
    for _ in range(2):
        files = {"walk": "models/panda-walk4", "other": "models/panda-walk4"}
        made.append(stage.add(Actor("models/panda-model", files), scale=0.005))
        how(made[-1])
    actor, other = made
    rig = hold(actor, dict.fromkeys(("Bone_lf_foot", "Bone_rr_foot"), 3))
    assert gaps(stage, rig, other) < MATCH_TOLERANCE
    assert sampled(rig) == (fast and COMPILED)


@needs_kernels
def test_gltf_actor_matches_panda3d(stage: Stage, tmp_path: Path) -> None:
    pytest.importorskip("gltf", reason="needs panda3d-gltf (extra: gltf)")
    path = tmp_path / "person.glb"
    build(path, lambda number, word: word, frames=9)
    made = [stage.add(Actor(p3d.Filename.from_os_specific(str(path)))) for _ in "ab"]
    for actor in made:
        actor.set_blend(frameBlend=True)
        actor.loop(actor.get_anim_names()[0])
    actor, other = made
    rig = hold(actor, {"rightHand": 2, "rightFoot": 2})
    assert gaps(stage, rig, other) < MATCH_TOLERANCE
    assert sampled(rig)


@needs_kernels
def test_unknown_clip_is_left_to_panda3d(stage: Stage) -> None:
    actor, other = (stage.body("panda", "two") for _ in range(2))
    rig = hold(actor, {"Bone_lf_foot": 3})
    stage.step(MATCH_FRAMES)
    for body in (actor, other):
        file = p3d.Loader.get_global_ptr().load_sync("models/panda-walk4")
        anim = p3d.NodePath(file).find("**/+AnimBundleNode").node().get_bundle()
        part = bundle(body)
        control = part.bind_anim(anim, -1)
        part.set_control_effect(control, 2.0)
        control.pose(45)
        body.set_python_tag("kept", control)
    # noticed within as many frames as there are joints
    for _ in range(len(rig.skeleton._nodes) + 1):
        stage.step()
        rig.update(1 / 60)
    assert gaps(stage, rig, other, 10) < MATCH_TOLERANCE
    assert not sampled(rig)


def forced(actor: Actor) -> list[str]:
    """Names of the joints that are controlled."""
    return [j.get_name() for j in actor.get_joints() if j.get_forced_channel()]


@pytest.mark.parametrize("way", ["weight", "stopped", "behaviour"])
def test_rig_without_effect_lets_the_actor_play(stage: Stage, way: str) -> None:
    actor, other = (stage.body("humanoid", "frame-blended") for _ in range(2))
    rig = ikrig.ActorRig(actor).start(stage.task_mgr)
    target = stage.render.attach_new_node("target")
    target.set_pos(0.2, -0.5, 1.4)
    layer: Any
    if way == "behaviour":
        layer = ikrig.LookAt(rig, target, {"Neck": 1, "Head": 2})
    else:
        layer = rig.chain("RightHand", 2, target)
    stage.step(3)
    assert forced(actor)
    for _ in range(2):
        if way == "stopped":
            layer.stop()
        else:
            layer.weight = 0.0
        stage.step(2)
        for _ in range(20):
            stage.step()
            assert not forced(actor)
            bundle(other).force_update()
            mine, wanted = nets(actor), nets(other)
            assert all((mine[name] == wanted[name]).all() for name in wanted)
            at = np.array([tuple(r) for r in rig.joint("Head").get_mat(actor).rows])
            assert abs(at - wanted["Head"]).max() < 1e-5
        # back in the very frame in which it is asked for
        if way == "stopped":
            layer.start()
        else:
            layer.weight = 1.0
        stage.step()
        bundle(other).force_update()
        mine, wanted = nets(actor), nets(other)
        assert max(abs(mine[name] - wanted[name]).max() for name in wanted) > 0.05
    layer.weight = 0.0
    stage.step(2)
    layer.fade(1.0, 0.05)
    stage.step(4)
    assert layer.weight == 1.0 and forced(actor)


def test_lost_joint_control_is_restored(stage: Stage) -> None:
    actor = stage.body("humanoid", "frame-blended")
    rig = ikrig.ActorRig(actor).start(stage.task_mgr)
    chain = rig.chain("RightHand", 2)
    chain.target.set_pos(chain.target, 0.1, 0.0, 0.1)
    stage.step(3)
    actor.release_joint("modelRoot", "RightArm")
    # noticed within as many frames as the rig moves joints
    stage.step(len(chain.bones) + 1)
    hand = p3d.LPoint3f(*nets(actor)["RightHand"][3, :3].tolist())
    assert (chain.target.get_pos(actor) - hand).length() < 2e-3


@needs_kernels
def test_unloaded_clips_are_not_kept(stage: Stage) -> None:
    actor = stage.body()
    rig = hold(actor, {LIMBS["panda"][0][0]: 3}).start(stage.task_mgr)
    stage.step(MATCH_FRAMES + 2)
    for _ in range(20):
        actor.unload_anims(["walk"])
        actor.load_anims({"walk": "models/panda-walk4"})
        actor.loop("walk")
        stage.step(MATCH_FRAMES + 2)
    # new ones are noticed joint by joint
    stage.step(60)
    assert sampled(rig)
    assert len(rig.skeleton._sampler._clips) <= 2
    rig.detach()


@needs_kernels
def test_cache_of_a_long_clip_is_bounded(stage, monkeypatch):
    monkeypatch.setattr(clip_sampling, "MAX_CACHED_FRAMES", 5)
    clip_sampling._tables.clear()
    actor, other = (stage.body() for _ in range(2))
    rig = hold(actor, {LIMBS["panda"][0][0]: 3})
    assert gaps(stage, rig, other) < MATCH_TOLERANCE
    (table,) = [table for _, table in rig.skeleton._sampler._clips.values()]
    assert 0 < len(table.rows) <= 5
