"""Animations converted to controls and back, compared with the Actor's own playback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.scene.actor.stage import HUMANOID, Stage, bundle, joint, nets

from .scripts import RIGS, load

PANDA_FEET = ("Bone_lf_foot", "Bone_rf_foot", "Bone_lr_foot", "Bone_rr_foot")


def actor_of(stage: Stage, name: str) -> Actor:
    if name == "humanoid":
        return stage.add(Actor(str(HUMANOID)))
    files = {"walk": "models/panda-walk4"}
    return stage.add(Actor("models/panda-model", files))


def locals_of(actor: Actor) -> np.ndarray:
    """Each joint's matrix against the one above it."""
    states = [joint(actor, name).get_transform_state() for name in nets(actor)]
    return np.array([np.array(state.get_mat()) for state in states])


def animated(stage: Stage, name: str, animation: str) -> tuple[np.ndarray, np.ndarray]:
    """Local and net matrices of all joints in all frames, from Panda3D alone."""
    actor = actor_of(stage, name)
    shots: list[Any] = []
    for frame in range(actor.get_num_frames(animation)):
        actor.pose(animation, frame)
        bundle(actor).force_update()
        shots.append((locals_of(actor), np.array(list(nets(actor).values()))))
    return np.array([shot[0] for shot in shots]), np.array([shot[1] for shot in shots])


def played(rig: Any, actor: Actor, clip: ikrig.Clip, rate: float, frames: int):
    """The same, of a rig that plays a clip."""
    player = ikrig.ClipPlayer(clip, rig)
    shots: list[Any] = []
    for frame in range(frames):
        player.time = frame / rate
        rig.solve()
        shots.append((locals_of(actor), np.array(list(nets(actor).values()))))
    return np.array([shot[0] for shot in shots]), np.array([shot[1] for shot in shots])


def degrees_off(shown: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Angles between the axes of matrices: (frames, joints)."""
    axes = [
        m[..., :3, :3] / np.linalg.norm(m[..., :3, :3], axis=-1, keepdims=True)
        for m in (shown, wanted)
    ]
    gaps = np.linalg.norm(axes[0] - axes[1], axis=-1).max(axis=-1)
    return np.degrees(2 * np.arcsin(0.5 * gaps))


def counts(clip: ikrig.Clip) -> dict[str, list[int]]:
    """Numbers of keys by channel."""
    found: dict[str, list[int]] = {}
    for track in clip.tracks:
        found.setdefault(track.channel, []).append(len(track.keys))
    return found


def chains_on(actor: Actor, name: str, bones: int, orientation_mode: Any) -> Any:
    rig = ikrig.ActorRig(actor)
    tips = PANDA_FEET if name == "panda" else ("LeftHand",)
    if name == "panda" and bones == 4:
        # more would share joints
        tips = ("Bone_rf_foot", "Bone_lr_foot")
    for tip in tips:
        rig.chain(tip, bones, orientation_mode=orientation_mode)
    return rig


CASES = [
    # every frame or every third, from the rig files: two bones, with poles and without
    (1, "panda", "walk", 0, "animation"),
    (3, "humanoid", "walk", 0, "animation"),
    (1, "humanoid", "run", 0, "animation"),
    (3, "panda", "walk", 2, "target"),
    # the panda's legs from the clavicle and hip, mirrored on one side
    (3, "panda", "walk", 3, "animation"),
    (3, "panda", "walk", 4, "bone"),
    # from hand to spine
    (3, "humanoid", "run", 6, "target"),
    (3, "humanoid", "run", 6, "normal"),
]


@pytest.mark.parametrize(
    ("step", "name", "animation", "bones", "orientation_mode"), CASES
)
def test_controls_reproduce_the_animation(
    stage, step, name, animation, bones, orientation_mode
):
    def rigged() -> tuple[Any, Actor]:
        if not bones:
            rig = load(stage, name)
            return rig, rig.model
        actor = actor_of(stage, name)
        return chains_on(actor, name, bones, orientation_mode), actor

    wanted, wanted_nets = animated(stage, name, animation)
    rig, actor = rigged()
    rate = actor.get_base_frame_rate(animation)
    clip = ikrig.bake_to_controls(rig, animation, rate / step)
    assert clip.duration == pytest.approx((len(wanted) - 1) / rate)
    wanted, wanted_nets, rate = wanted[::step], wanted_nets[::step], rate / step
    # on another rig that has never played anything
    rig, actor = rigged()
    shown, shown_nets = played(rig, actor, clip, rate, len(wanted))
    off = degrees_off(shown, wanted)
    away = np.linalg.norm((shown_nets - wanted_nets)[..., 3, :3], axis=-1)
    size = np.ptp(wanted_nets[0, :, 3, :3], axis=0).max()
    keys = counts(clip)
    frames = len(wanted)
    print(
        f"{name} {animation} {bones or 'file'} {orientation_mode}: {off.max():.2f}°, "
        f"{100 * away.max() / size:.2f} % of its size; {frames} frames, "
        f"{ {channel: f'{len(n)} x {np.mean(n):.0f}' for channel, n in keys.items()} }"
    )
    assert off.max() <= 0.5
    assert away.max() < 0.02 * size
    # it moves at all, and with fewer keys than frames
    assert degrees_off(wanted, wanted[:1]).max() > 20
    assert len(keys["target"]) == len(rig.chains)
    if step == 1:
        assert np.mean(keys["target"]) < 0.85 * frames
        assert np.mean(keys["rotation"]) < 0.5 * frames


def test_tree_with_three_effectors(stage: Stage) -> None:
    def rigged() -> tuple[Any, Actor]:
        actor = actor_of(stage, "humanoid")
        rig = ikrig.ActorRig(actor)
        ends = {"LeftHand": None, "RightHand": None, "Head": None}
        tree = rig.tree(ends, orientation_mode="target")
        return tree, actor

    wanted, _ = animated(stage, "humanoid", "run")
    tree, _ = rigged()
    clip = ikrig.bake_to_controls({"body": tree}, "run")
    tree, actor = rigged()
    player = ikrig.ClipPlayer(clip, {"body": tree})
    for frame, pose in enumerate(wanted):
        player.time = frame / 60
        tree.solve()
        assert degrees_off(locals_of(actor), pose).max() <= 0.5
    assert len(counts(clip)["target"]) == 3


def test_loop_stays_closed(stage: Stage) -> None:
    wanted, _ = animated(stage, "humanoid", "run")
    rig = load(stage, "humanoid")
    clip = ikrig.bake_to_controls(rig, "run", wrap="loop")
    assert (clip.wrap, clip.duration) == ("loop", pytest.approx(40 / 60))
    shown, _ = played(rig, rig.model, clip, 60.0, 80)
    assert degrees_off(shown, np.tile(wanted, (2, 1, 1, 1))).max() <= 0.5


def test_stopped_chain_is_not_baked(stage: Stage) -> None:
    rig = load(stage, "panda")
    for name, chain in rig.chains.items():
        if name != "left_front_foot":
            chain.stop()
    clip = ikrig.bake_to_controls(rig, "walk", fps=10)
    parts = [track.part for track in clip.tracks if track.channel == "target"]
    assert parts == ["left_front_foot"]
    wanted, _ = animated(stage, "panda", "walk")
    shown, _ = played(rig, rig.model, clip, 10.0, 21)
    assert degrees_off(shown, wanted[::3]).max() <= 0.5
    assert [chain.started for chain in rig.chains.values()].count(True) == 1


def test_moved_key_moves_the_limb(stage: Stage, tmp_path: Path) -> None:
    rig = load(stage, "humanoid")
    clip = ikrig.bake_to_controls(rig, "walk", fps=20)
    ikrig.dump_clip(clip, tmp_path / "walk.yaml")
    clip = ikrig.load_clip(tmp_path / "walk.yaml")
    track = clip.track("left_foot", "target")
    times = list(track.keys)
    time = times[len(times) // 2]
    place = p3d.LPoint3f(*track.keys[time].value)
    moved = place + p3d.LVector3f(0.05, -0.05, 0.1)
    dragged = track.with_key(time, tuple(moved))
    edited = clip.with_track("left_foot", "target", dragged.motion, track.curve)
    foot = rig.chains["left_foot"].leaf
    player = ikrig.ClipPlayer(clip, rig)
    for now, there in ((clip, place), (edited, moved)):
        player.clip = now
        player.time = time
        rig.solve()
        assert (foot.get_pos(rig.root) - there).length() < 1e-3
    # and nothing else: far from the key all is as before
    player.time = times[-1]
    rig.solve()
    assert (
        foot.get_pos(rig.root) - p3d.LPoint3f(*track.keys[times[-1]].value)
    ).length() < 1e-3


def test_clip_sets_values_that_would_limit_limbs(stage: Stage) -> None:
    rig = load(stage, "humanoid")
    left, right = rig.chains["left_hand"], rig.chains["right_hand"]
    left.twist_spread, left.snap_back_strength, left.max_step = 0.5, 0.25, 2.0
    right.stretch, right.weight, right.soften = 0.5, 0.25, 0.0
    clip = ikrig.bake_to_controls(rig, "walk", fps=6, tolerance_deg=5)
    found: dict[str, dict[str, Any]] = {}
    for track in clip.tracks:
        if track.channel in ("position", "rotation", "target", "pole"):
            continue
        (key,) = track.keys.values()
        found.setdefault(track.part, {})[track.channel] = key.value
    steps = found["left_hand"].pop("max_step")
    # more in a frame than any limb turns
    assert steps > 1000.0
    assert found == {
        "left_hand": {"soften": 0, "twist_spread": 0, "snap_back_strength": 1},
        "right_hand": {"stretch": 0, "weight": 1},
        "left_foot": {"weight": 1},
        "right_foot": {"weight": 1},
        # what else turns joints is put off
        "gaze": {"weight": 0},
    }


def test_impossible_requests_are_explained(stage: Stage) -> None:
    rig = load(stage, "panda")
    with pytest.raises(ikrig.BindError, match=r"no animation 'wlak'.*'walk'"):
        ikrig.bake_to_controls(rig, "wlak")
    with pytest.raises(ikrig.BindError, match="has no Actor"):
        ikrig.bake_to_controls(load_arm(stage), "walk")
    for wrong in (-1, "1", float("nan")):
        with pytest.raises(ikrig.SettingError, match="tolerance_deg must be degrees"):
            ikrig.bake_to_controls(rig, "walk", tolerance_deg=wrong)
    actor = actor_of(stage, "panda")
    poled = ikrig.ActorRig(actor)
    pole = stage.render.attach_new_node("pole")
    poled.chain("Bone_lf_foot", 3, pole=pole)
    with pytest.raises(ikrig.BindError, match=r"3 bones and a pole.*to None"):
        ikrig.bake_to_controls(poled, "walk")
    poled.chains[0].pole = None
    assert ikrig.bake_to_controls(poled, "walk", fps=5, tolerance_deg=3)
    # knees that bend less than the animation bends them
    stiff = ikrig.ActorRig(actor_of(stage, "panda"))
    limit = {"Bone_lf_leg_lower": ikrig.BallLimit(0.05)}
    stiff.chain("Bone_lf_foot", 2, limits=limit)
    with pytest.raises(ikrig.BindError, match=r"off at .* limits of 'Bone_lf_foot'"):
        ikrig.bake_to_controls(stiff, "walk", fps=5)


def load_arm(stage: Stage) -> ikrig.Rig:
    return ikrig.load_rig(RIGS / "arm.yaml", parent=stage.render)
