"""Key fitting for controls, on a small Actor with known results."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.scene.actor.people import FRAMES, make_actor
from tests.scene.actor.stage import Stage, bundle, joint

from .test_controls import degrees_off

FPS = 20
COUNT = 21
TIMES = np.arange(COUNT) / (COUNT - 1) * (FRAMES - 1) / FRAMES
JOINTS = [
    ("hips", None, (0, 0, 1), (0, 0, 0)),
    ("chest", "hips", (0, 0, 0.5), (5, 0, 0)),
    ("head", "chest", (0, 0, 0.3), (0, 0, 0)),
    ("arm", "chest", (0.2, 0, 0.2), (20, 10, -15)),
    ("fore", "arm", (0.3, 0.02, 0), (40, 0, 25)),
    ("hand", "fore", (0.3, 0, 0), (10, 0, 0)),
    ("left arm", "chest", (-0.2, 0, 0.2), (-20, 10, 15)),
    ("left fore", "left arm", (-0.3, 0.02, 0), (-40, 0, -25)),
    ("left hand", "left fore", (-0.3, 0, 0), (-10, 0, 0)),
]
NAMES = [name for name, *_ in JOINTS]
WAVE = np.sin(np.arange(FRAMES) / (FRAMES - 1) * 3)
ROUND = np.sin(np.arange(FRAMES) / FRAMES * 2 * math.pi)


def turning(*ways: float, by: np.ndarray = WAVE) -> list[tuple[float, ...]]:
    """One row a frame: hpr, and a way."""
    return [tuple(row) for row in (by[:, None] * np.array(ways)).tolist()]


def waving(by: np.ndarray = WAVE) -> dict[str, list[tuple[float, ...]]]:
    """All of it moves, and both arms bend and roll, each its own way."""
    late = np.roll(by, 7) if by is ROUND else by**2
    return {
        "hips": turning(10, 5, 0, 0.1, 0.2, -0.1, by=by),
        "chest": turning(0, 10, 8, by=late),
        "head": turning(25, 10, 0, by=by),
        "arm": turning(20, 35, 15, by=by),
        "fore": turning(30, 0, 20, by=late),
        "hand": turning(15, 25, 30, by=by),
        "left arm": turning(-15, 25, 10, by=late),
        "left fore": turning(-25, 0, 10, by=by),
        "left hand": turning(5, 15, 0, by=late),
    }


def body(stage: Stage, moves: dict[str, Any]) -> Actor:
    return stage.add(make_actor(JOINTS, {"move": moves}))


def locals_of(actor: Actor) -> np.ndarray:
    states = [joint(actor, name).get_transform_state() for name in NAMES]
    return np.array([np.array(state.get_mat()) for state in states])


def animated(stage: Stage, moves: dict[str, Any], times: Any = TIMES) -> np.ndarray:
    """Every joint at some times, from Panda3D alone."""
    actor = body(stage, moves)
    actor.set_blend(frameBlend=True)
    control = actor.get_anim_control("move")
    shots = []
    for time in times:
        control.pose(float(time) * FRAMES)
        bundle(actor).force_update()
        shots.append(locals_of(actor))
    return np.array(shots)


def played(rig: Any, clip: ikrig.Clip, times: Any = TIMES) -> np.ndarray:
    player = ikrig.ClipPlayer(clip, rig)
    shots = []
    for time in times:
        player.time = float(time)
        rig.solve()
        shots.append(locals_of(rig.actor))
    return np.array(shots)


def one_arm(mode: Any = "target", bones: int = 2, **more: Any) -> Any:
    def rigged(actor: Actor) -> Any:
        rig = ikrig.ActorRig(actor)
        rig.chain("hand", bones, orientation_mode=mode, **more)
        return rig

    return rigged


def both_arms(actor: Actor) -> Any:
    """Two chains that share the chest: the later one has the last word on it."""
    rig = ikrig.ActorRig(actor)
    rig.chain("hand", 3, orientation_mode="normal")
    rig.chain("left hand", 3, orientation_mode="bone")
    return rig


def a_tree(actor: Actor) -> Any:
    rig = ikrig.ActorRig(actor)
    rig.tree({"hand": None, "left hand": None}, orientation_mode="animation")
    return rig


def poled(actor: Actor) -> Any:
    rig = one_arm("animation")(actor)
    (chain,) = rig.chains
    chain.pole = actor.attach_new_node("pole")
    # away from where the animation goes: what is fitted is not what is there
    chain.target.set_pos(0.4, -0.5, 1.2)
    return rig


def chained(actor: Actor) -> Any:
    """The leaf of one chain is the first bone of the next."""
    rig = ikrig.ActorRig(actor)
    rig.chain("fore", 1, orientation_mode="bone")
    rig.chain("hand", 1, orientation_mode="normal")
    return rig


def chained_back(actor: Actor) -> Any:
    rig = ikrig.ActorRig(actor)
    rig.chain("hand", 1, orientation_mode="animation")
    rig.chain("fore", 1, orientation_mode="target", order=-1)
    return rig


RIGS: dict[str, Callable[[Actor], Any]] = {
    "target": one_arm(),
    "animation": one_arm("animation"),
    "bone": one_arm("bone", 3),
    "normal": one_arm("normal", 3),
    "pole": poled,
    "tree": a_tree,
    "both": both_arms,
    "chained": chained,
    "chained back": chained_back,
}


def keys_of(clip: ikrig.Clip, part: str, channel: str) -> list[float]:
    return list(clip.track(part, channel).keys)


@pytest.mark.parametrize("kind", RIGS)
@pytest.mark.parametrize("wrap", ["once", "loop"])
def test_keys_reproduce_the_animation(stage: Stage, kind: str, wrap: str) -> None:
    moves = waving(ROUND if wrap == "loop" else WAVE)
    times = np.arange(FPS) / FPS if wrap == "loop" else TIMES
    wanted = animated(stage, moves, times)
    rig = RIGS[kind](body(stage, moves))
    started = [part.started for part in rig._components]
    clip = ikrig.bake_to_controls(rig, "move", FPS, wrap=wrap)
    assert clip.duration == pytest.approx(1.0 if wrap == "loop" else TIMES[-1])
    assert [part.started for part in rig._components] == started
    fresh = RIGS[kind](body(stage, moves))
    off = degrees_off(played(fresh, clip, times), wanted)
    print(kind, wrap, off.max(0))
    assert off.max() <= 0.5
    # what limbs hang on takes a tenth of it, what hangs on nothing else most
    limbs = {node.get_name() for part in rig._components for node in part.bones}
    for name, most in zip(NAMES, off.max(axis=0), strict=True):
        if name in ("hips", "chest") and name not in limbs:
            assert most <= 0.05 + 1e-4
        elif name not in limbs:
            assert most <= 0.45 + 1e-4
    counts = [len(track.keys) for track in clip.tracks if track.channel == "target"]
    if wrap == "once":
        # fewer keys than frames
        assert np.mean(counts) < 0.85 * COUNT
    for track in clip.tracks:
        times_of = list(track.keys)
        if len(times_of) > 1:
            assert times_of[0] == 0.0
            assert times_of[-1] == pytest.approx(clip.duration)
            assert track.curve == "cubic"
        if len(times_of) > 1 and wrap == "loop":
            ends = (track.keys[times_of[0]].value, track.keys[times_of[-1]].value)
            assert ends[0] == ends[1]
    assert len({(track.part, track.channel) for track in clip.tracks}) == len(
        clip.tracks
    )


def test_keys_are_placed_where_the_animation_moves(stage: Stage) -> None:
    """What rests at first has keys only later; what one pose explains has one key."""
    burst = np.zeros(FRAMES)
    burst[36:] = np.sin(np.arange(24) / 24 * math.pi)
    moves = {"arm": turning(8, 0, 0, by=burst), "hand": turning(0, 0, 15, by=burst)}
    seen: list[tuple[int, int]] = []
    rig = poled(body(stage, moves))
    clip = ikrig.bake_to_controls(
        rig, "move", FPS, progress=lambda done, whole: seen.append((done, whole))
    )
    wanted = animated(stage, moves)
    shown = played(poled(body(stage, moves)), clip)
    assert degrees_off(shown, wanted).max() <= 0.5
    # the forearm is bent one way all the time, and nothing else moves
    print({(t.part, t.channel): list(t.keys) for t in clip.tracks}, seen)
    assert keys_of(clip, "fore", "rotation") == [0.0]
    assert {t.part for t in clip.tracks} == {"arm", "fore", "hand"}
    times = np.array(keys_of(clip, "hand", "target"))
    first = TIMES[np.flatnonzero(degrees_off(wanted, wanted[:1]).max(axis=1) > 0)[0]]
    inner = times[(times > 0.0) & (times < TIMES[-1] - 1e-9)]
    assert len(inner) and inner.min() >= first - 0.05 - 1e-9
    assert np.isin(np.round(times, 9), np.round(TIMES, 9)).all()
    # each count is of all frames, and both searches end with all of them
    assert {whole for _, whole in seen} == {len(TIMES)}
    assert [done for done, _ in seen].count(len(TIMES)) == 2
    assert seen[-1][0] == len(TIMES) > seen[-2][0]


def test_resting_joints_need_no_search(stage: Stage) -> None:
    seen: list[tuple[int, int]] = []
    rig = one_arm("animation")(body(stage, {}))
    clip = ikrig.bake_to_controls(
        rig, "move", FPS, progress=lambda done, whole: seen.append((done, whole))
    )
    assert seen == [(COUNT, COUNT)] * 2
    assert keys_of(clip, "hand", "target") == pytest.approx([0.0, TIMES[-1]])


def test_unreachable_motion_is_named_with_its_worst_frame(stage: Stage) -> None:
    bend = np.sin(np.arange(FRAMES) / (FRAMES - 1) * math.pi) ** 2
    moves = {"fore": turning(80, 0, 0, by=bend)}
    free = body(stage, moves)
    limits = {"fore": ikrig.BallLimit(math.radians(20))}
    stiff = ikrig.ActorRig(free)
    stiff.chain("hand", 2, limits=limits, orientation_mode="animation")
    with pytest.raises(ikrig.BindError) as caught:
        ikrig.bake_to_controls(stiff, "move", FPS)
    text = str(caught.value)
    found = re.search(r"joint '(.*)' is (.*)° off at (.*) s: (.*)$", text)
    assert found and text.startswith("the rig can't reproduce 'move': ")
    name, degrees, seconds, reason = found.groups()
    assert name in ("arm", "fore", "hand")
    # 80 degrees in the middle, and 20 are allowed; two joints may share the gap
    assert 20.0 < float(degrees) < 65.0
    assert float(seconds) == pytest.approx(TIMES[10], abs=0.06)
    assert reason == "the limits of 'hand' may prevent it"


def test_allowed_error_0_is_exceeded(stage: Stage) -> None:
    rig = one_arm("animation")(body(stage, waving()))
    with pytest.raises(ikrig.BindError, match="another part of the rig rotates it too"):
        ikrig.bake_to_controls(rig, "move", FPS, tolerance_deg=0)
    assert rig.chains[0].started


@pytest.mark.parametrize("blends", [(True, False), (False, True)])
def test_playing_actor_is_restored_and_stopped(stage, blends):
    other = {"hips": turning(60, 0, 0), "fore": turning(0, 40, 0)}
    actor = stage.add(make_actor(JOINTS, {"move": waving(), "other": other}))
    actor.set_blend(animBlend=blends[0], frameBlend=blends[1])
    body_of = bundle(actor)
    for name in ("move", "other") if blends[0] else ("other",):
        actor.set_control_effect(name, 0.5)
        actor.loop(name)
    rig = poled(actor)
    layers = rig.layers
    clip = ikrig.bake_to_controls(rig, "move", FPS)
    shown = played(poled(body(stage, waving())), clip)
    assert degrees_off(shown, animated(stage, waving())).max() <= 0.5
    assert blends == (body_of.get_anim_blend_flag(), body_of.get_frame_blend_flag())
    for name in ("move", "other"):
        control = actor.get_anim_control(name)
        assert body_of.get_control_effect(control) == 0.0
        assert not control.is_playing()
    assert rig.layers == layers


@pytest.mark.parametrize("wrap", ["once", "loop"])
def test_very_low_rate_samples_both_ends(stage: Stage, wrap: str) -> None:
    """However few frames a second: the first, and of what ends the last."""
    rig = one_arm("animation")(body(stage, waving()))
    seen: list[tuple[int, int]] = []
    clip = ikrig.bake_to_controls(
        rig, "move", 0.01, wrap=wrap, progress=lambda *row: seen.append(row)
    )
    count = 1 if wrap == "loop" else 2
    assert {whole for _, whole in seen} == {count}
    assert clip.duration == pytest.approx(1.0 if wrap == "loop" else TIMES[-1])
    times = [0.0, TIMES[-1]][:count]
    shown = played(one_arm("animation")(body(stage, waving())), clip, times)
    assert degrees_off(shown, animated(stage, waving(), times)).max() <= 0.5
