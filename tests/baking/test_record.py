"""Recordings of IK, replayed without IK and read from Panda3D's nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.scene.actor.stage import HUMANOID, Stage, nets

from .scripts import RIGS, load, moving_humanoid, walking_panda


def joint_mats(actor: Actor) -> np.ndarray:
    return np.array(list(nets(actor).values()))


def most_off(shown: np.ndarray, wanted: np.ndarray) -> tuple[float, float]:
    """Largest angle between joints' axes [deg] and distance of places, of nets."""
    axes = [
        m[..., :3, :3] / np.linalg.norm(m[..., :3, :3], axis=-1, keepdims=True)
        for m in (shown, wanted)
    ]
    gaps = np.linalg.norm(axes[0] - axes[1], axis=-1)
    places = np.linalg.norm(shown[..., 3, :3] - wanted[..., 3, :3], axis=-1)
    return float(np.degrees(2 * np.arcsin(0.5 * gaps)).max()), float(places.max())


def bare_actor(stage: Stage, name: str) -> Actor:
    """An Actor that has no IK and plays nothing."""
    model = "models/panda-model" if name == "panda" else str(HUMANOID)
    return stage.add(Actor(model))


def shown_by(clip: ikrig.Clip, rig: Any, actor: Actor, frames: int) -> np.ndarray:
    """Joints in each sixtieth of a second of a clip."""
    player, found = ikrig.ClipPlayer(clip, rig), []
    for i in range(frames):
        player.time = i / 60
        rig.solve()
        found.append(joint_mats(actor))
    player.stop()
    return np.array(found)


@pytest.mark.parametrize("name", ["panda", "run"])
def test_recording_replays_without_ik(stage: Stage, name: str) -> None:
    """Offline; played on an Actor without chains, and on the rig with IK at 0."""
    rig, clip = (
        walking_panda(stage) if name == "panda" else moving_humanoid(stage, name)
    )
    count = round(clip.duration * 60)
    if name == "run":
        # it looks about at a pace of its own; here it is what the clip says
        clip = clip.with_track("gaze", "weight", {0: 0})
    wanted = shown_by(clip, rig, rig.model, count)
    recorded = ikrig.record_clip(rig, clip, tolerance_deg=0.02, ik_off=False)
    assert {track.channel for track in recorded.tracks} <= {"rotation", "position"}
    assert (recorded.wrap, recorded.duration) == ("loop", clip.duration)
    keys = sum(len(track.keys) for track in recorded.tracks)
    print(f"{name}: {keys} keys in {len(recorded.tracks)} tracks, {count} frames")
    assert keys < 0.7 * count * len(recorded.tracks)

    actor = bare_actor(stage, name)
    shown = shown_by(recorded, ikrig.ActorRig(actor), actor, count)
    size = np.ptp(wanted[0, :, 3, :3], axis=0).max()
    # a few joints hang on one another, each with its own error
    assert most_off(shown, wanted)[0] < 6 * 0.02
    assert most_off(shown, wanted)[1] < 4e-3 * size

    other = load(stage, "panda" if name == "panda" else "humanoid")
    recorded = ikrig.record_clip(rig, clip, tolerance_deg=0.02)
    assert most_off(shown_by(recorded, other, other.model, count), shown)[0] < 1e-3


def test_recorder_stops_at_its_frame_limit(stage: Stage) -> None:
    rig, _ = walking_panda(stage)
    rig.start(stage.task_mgr)
    recorder = ikrig.Recorder(rig, fps=20).start(stage.task_mgr)
    stage.step(61)
    assert len(recorder._film.times) == 21
    with pytest.raises(ikrig.ClipError, match="no frame was recorded"):
        ikrig.Recorder(rig).stop()
    with pytest.raises(ikrig.SettingError, match="fps must be"):
        ikrig.Recorder(rig, fps=0)
    # a slip does not cost the recording
    with pytest.raises(ikrig.ClipError, match="tolerance_deg must be"):
        recorder.stop(tolerance_deg="x")
    assert recorder.recording


def test_removed_rig_ends_a_recording(stage: Stage) -> None:
    rig = load(stage, "humanoid")
    recorder = ikrig.Recorder(rig).start(stage.task_mgr)
    stage.step(10)
    rig.remove()
    stage.step(10)
    assert not recorder.recording
    assert recorder.stop().duration == pytest.approx(9 / 60, abs=1e-6)
    with pytest.raises(ikrig.ClipError, match="clip must be a Clip"):
        ikrig.record_clip(load(stage, "panda"), "wave.yaml")


def test_recorded_joints_play_over_another_animation(stage: Stage) -> None:
    rig, clip = moving_humanoid(stage, "walk")
    arm = ["LeftArm", "LeftForeArm", "LeftHand"]
    recorded = ikrig.record_clip(rig, clip, joints=arm)
    assert {track.part for track in recorded.tracks} == set(arm)
    with pytest.raises(ikrig.BindError, match="did you mean 'LeftHand'"):
        ikrig.record_clip(rig, clip, joints=["LeftHnad"])


def test_recording_keeps_events(stage: Stage) -> None:
    rig = ikrig.load_rig(RIGS / "arm.yaml", parent=stage.render)
    clip = ikrig.Clip("w", events=[(0.0, "begin"), (0.4, "top"), (1.0, "end")])
    clip = clip.with_track("arm", "target", {0: (1, 0, 1), 1: (0.8, 0, 1.8)})
    assert ikrig.record_clip(rig, clip).events == clip.events
    back = ikrig.Clip("w", clip.tracks, events=clip.events, wrap="ping_pong")
    recorded = ikrig.record_clip(rig, back)
    assert (recorded.wrap, recorded.duration) == ("loop", 2.0)
    times = [(round(time, 9), name) for time, name in recorded.events]
    assert times == [(0.0, "begin"), (0.4, "top"), (1.0, "end"), (1.6, "top")]


@pytest.mark.parametrize("name", ["arm", "tentacle"])
def test_records_plain_nodes(stage: Stage, tmp_path: Path, name: str) -> None:
    rig = ikrig.load_rig(RIGS / f"{name}.yaml", parent=stage.render)
    chain = rig.chains[name]
    near = rig.targets[name].get_pos()
    far = near + p3d.LVector3f(0.4, 0.2, -0.3)
    clip = ikrig.Clip("reach", duration=1.0)
    # longer than it is, at the end
    clip = clip.with_track(name, "stretch", {0: 0.3})
    clip = clip.with_track(
        name, "target", {0: tuple(near), 0.5: tuple(far), 1: tuple(far * 3.0)}
    )
    recorded = ikrig.record_clip(rig, clip, tolerance_deg=0.01, tolerance=1e-4)
    # a file is as good
    ikrig.dump_clip(recorded, tmp_path / "recorded.yaml")
    recorded = ikrig.load_clip(tmp_path / "recorded.yaml")
    bare = ikrig.load_rig(RIGS / f"{name}.yaml", parent=stage.render)
    bones = [bone.get_name() for bone in chain.bones]
    live, shown = ikrig.ClipPlayer(clip, rig), ikrig.ClipPlayer(recorded, bare)
    for i in range(61):
        live.time = shown.time = i / 60
        rig.solve()
        # its chain has weight 0 and leaves the bones alone
        bare.solve()
        for bone in bones:
            here, there = rig.nodes[bone], bare.nodes[bone]
            wanted = here.get_pos(rig.root)
            assert (there.get_pos(bare.root) - wanted).length() < 3e-3
            dot = abs(here.get_quat(rig.root).dot(there.get_quat(bare.root)))
            assert np.degrees(2 * np.arccos(min(dot, 1.0))) < 0.2
    assert chain.result.lengthening > 1.1


def test_records_joints_of_robots(stage: Stage) -> None:
    """Hinges, slides, balls and free joints come back as they were."""
    kinds = ("free", "hinge", "slide", "ball")
    model = ikrig.RobotModel(
        [
            ikrig.Body(
                f"body {kind}",
                parent=f"body {kinds[i - 1]}" if i else "world",
                pos=(0, 0, 0.4),
                joints=[ikrig.Joint(kind, kind=kind, axis="y")],
            )
            for i, kind in enumerate(kinds)
        ]
    )
    tree = ikrig.Robot(model, stage.render)
    rng = np.random.default_rng(5)
    ends = rng.uniform(-1, 1, (3, len(model.qpos0)))
    clip = ikrig.Clip("dance", duration=1.0)
    for name, channel, rows in (
        ("free", "position", slice(0, 3)),
        ("free", "rotation", slice(3, 7)),
        ("hinge", "angle", 7),
        ("slide", "slide", 8),
        ("ball", "rotation", slice(9, 13)),
    ):
        values = ends[:, rows].tolist()
        keys = dict(zip((0.0, 0.4, 1.0), values, strict=True))
        clip = clip.with_track(name, channel, keys, "cubic")
    recorded = ikrig.record_clip(tree, clip, tolerance_deg=0.01, tolerance=1e-4)
    assert {(track.part, track.channel) for track in recorded.tracks} == {
        (track.part, track.channel) for track in clip.tracks
    }
    other = ikrig.Robot(model, stage.render)
    first, second = ikrig.ClipPlayer(clip, tree), ikrig.ClipPlayer(recorded, other)
    for i in range(61):
        first.time = second.time = i / 60
        wanted, found = np.array(tree.qpos), np.array(other.qpos)
        for rows in (slice(3, 7), slice(9, 13)):
            found[rows] *= np.sign(found[rows] @ wanted[rows])
        assert np.abs(wanted - found).max() < 5e-4


def test_nodes_of_two_arms_have_distinct_names(stage: Stage) -> None:
    chains = {}
    for side in ("left", "right"):
        node = stage.render.attach_new_node(side)
        for name in ("upper", "lower", "hand"):
            node = node.attach_new_node(name)
            node.set_pos(0.1, 0, 1)
        chains[side] = ikrig.IKChain(node)
    clip = ikrig.Clip("clap")
    clip = clip.with_track("left", "target", {0: (0, 0, 2), 1: (1, 0, 2)})
    recorded = ikrig.record_clip(chains, clip)
    turned = [track for track in recorded.tracks if track.channel == "rotation"]
    assert {track.part for track in turned} == {
        f"{side}/{name}" for side in chains for name in ("upper", "lower", "hand")
    }
    assert ikrig.ClipPlayer(recorded, chains)
