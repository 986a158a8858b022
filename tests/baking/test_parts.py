"""Parts of baking: files of joints, the clock, frames, and where elbows point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import Clip, SettingError, Track
from ikrig.scene.actor.actor_model import joints_of
from ikrig.scene.animation.property_bindings import PropertyBindings
from ikrig.scene.baking.bake_rig import LETTERS, file_bytes, read_frames
from ikrig.scene.baking.bake_rig import _reduced as reduced
from ikrig.scene.baking.bake_to_controls import LimbControls
from ikrig.scene.baking.offline_frames import frame_count, offline_frames, own_clock
from ikrig.scene.baking.pose_recorder import PoseRecorder
from ikrig.value_shapes import LARGEST
from tests.scene.actor.stage import HUMANOID, Stage, joint, nets

# -- files -----------------------------------------------------------------------------


@pytest.fixture
def body() -> Any:
    """A group, as in any model, with an arm of two joints and a leg."""
    character = p3d.Character("body")
    bundle = character.get_bundle(0)
    group = p3d.PartGroup(bundle, "<skeleton>")
    rest = p3d.LMatrix4f.ident_mat()
    arm = p3d.CharacterJoint(character, bundle, group, "arm", rest)
    p3d.CharacterJoint(character, bundle, arm, "hand", rest)
    p3d.CharacterJoint(character, bundle, group, "leg", rest)
    # keeps what the bundle belongs to alive
    return character, bundle


PLAIN = [1.0] * 3 + [0.0] * 9


def matrix(numbers: np.ndarray) -> np.ndarray:
    """A joint's matrix of scale, shear, angles and position, by Panda3D itself."""
    mat = p3d.LMatrix3f()
    scale, shear, hpr = (p3d.LVecBase3f(*numbers[k : k + 3]) for k in (0, 3, 6))
    p3d.compose_matrix(mat, scale, shear, hpr)
    return np.array(p3d.LMatrix4f(mat, p3d.LVecBase3f(*numbers[9:])))


def animation(content: bytes, kind: str) -> p3d.AnimBundle:
    """What Panda3D reads from a file."""
    stream = p3d.StringStream(content)
    if kind == ".egg":
        from panda3d import egg

        data = egg.EggData()
        data.read(stream)
        node = p3d.NodePath(egg.load_egg_data(data))
    else:
        file = p3d.BamFile()
        file.open_read(stream)
        node = p3d.NodePath(file.read_node())
    found: Any = node.find("**/+AnimBundleNode").node()
    return found.get_bundle()


@pytest.mark.parametrize("frames", [1, 2, 3, 7])
@pytest.mark.parametrize("kind", [".egg", ".bam"])
def test_file_holds_every_number_of_every_frame(body, kind: str, frames: int) -> None:
    rng = np.random.default_rng(frames)
    numbers = {
        name: np.tile(np.array(PLAIN), (frames, 1))
        + rng.uniform(-0.5, 0.5, (frames, 12)) * ([1] * 6 + [90] * 3 + [3] * 3)
        for name in ("arm", "hand", "leg")
    }
    # some never change: by a value of their own, and as Panda3D has them anyway
    numbers["arm"][:, ::2] = numbers["arm"][0, ::2]
    numbers["leg"][:, 1::2] = np.array(PLAIN)[1::2]
    # and some only begin as Panda3D has them
    numbers["hand"][0] = PLAIN
    tables = {
        name: [
            column[:1] if (column == column[0]).all() else column for column in rows.T
        ]
        for name, rows in numbers.items()
    }
    content = file_bytes(kind, body[1], tables, 12.5)
    played = read_frames(content, kind, body[1])
    names = list(joints_of(body[1]))
    assert set(names) == set(numbers) and played.shape == (frames, 3, 4, 4)
    for k, name in enumerate(names):
        wanted = np.array([matrix(row) for row in numbers[name]])
        assert np.allclose(played[:, k], wanted, atol=1e-4)
    anim = animation(content, kind)
    assert anim.get_base_frame_rate() == pytest.approx(12.5)
    leg: Any = anim.find_child("leg")
    assert [leg.has_table(letter) for letter in LETTERS] == [
        column is not None and not (len(column) == 1 and column[0] == plain)
        for column, plain in zip(tables["leg"], PLAIN, strict=True)
    ]


def test_channels_are_reduced_within_what_is_allowed() -> None:
    rng = np.random.default_rng(2)
    # scale, shear, angles in degrees, position
    allowed = np.repeat([0.01, 0.01, np.degrees(0.01), 0.2], 3)
    for share, fixed in ((0.99, True), (1.01, False)):
        numbers = rng.normal(size=12) + allowed * share * rng.uniform(-1, 1, (40, 12))
        middle = rng.normal(size=12)
        numbers = middle + allowed * share * np.linspace(-1, 1, 41)[:, None]
        parts = reduced(numbers, 0.01, 0.2)
        assert [len(part) == 1 for part in parts] == [fixed] * 12
        for k, part in enumerate(parts):
            if fixed:
                assert part[0] == pytest.approx(middle[k], abs=1e-9)
            else:
                gaps = np.abs(part - numbers[:, k])
                assert gaps.max() <= 0.011 * allowed[k]
                # as few digits as that takes: each is a multiple of a power of ten
                unit = 10.0 ** np.floor(np.log10(0.02 * allowed[k]))
                assert np.allclose(part / unit, np.round(part / unit), atol=1e-6)


# -- frames ----------------------------------------------------------------------------


@pytest.fixture
def clock() -> Iterator[p3d.ClockObject]:
    clock = p3d.ClockObject.get_global_clock()
    mode, time = clock.mode, clock.get_frame_time()
    yield clock
    clock.mode = p3d.ClockObject.M_non_real_time
    clock.set_frame_time(time)
    clock.mode = mode


def test_own_clock_ticks_evenly_and_returns_the_time(clock) -> None:
    clock.mode = p3d.ClockObject.M_normal
    clock.set_real_time(50.0)
    clock.tick()
    before, frames = clock.get_frame_time(), clock.get_frame_count()
    with own_clock(0.5) as tick:
        for k in range(20):
            tick()
            # a little after each frame's beginning, the first of which is now
            late = clock.get_frame_time() - (before + 0.5 * k)
            assert 0.5e-4 * 0.5 < late < 1.5e-4 * 0.5
            assert clock.get_dt() == 0.5
            assert clock.get_frame_count() == frames + k + 1
        # however long it takes
        clock.set_real_time(before + 1000.0)
    assert clock.mode == p3d.ClockObject.M_normal
    assert clock.get_frame_time() == before
    # the game's time goes on from there
    assert clock.get_real_time() == pytest.approx(before, abs=1.0)
    clock.tick()
    assert 0.0 <= clock.get_frame_time() - before < 1.0


def test_number_of_frames_is_bounded() -> None:
    for wrap, seconds in (("once", 100.0), ("loop", 100.0), ("ping_pong", 50.0)):
        clip = Clip("a", [Track("x", "slide", {0.0: 1.0})], wrap=wrap, duration=seconds)
        count, _ = frame_count(clip, 200.0)
        assert count == 20_000 + (wrap == "once")
        long = Clip("a", clip.tracks, wrap=wrap, duration=50.0 * seconds)
        assert frame_count(long, 200.0)[0] >= 1_000_000
        longer = Clip("a", clip.tracks, wrap=wrap, duration=50.1 * seconds)
        with pytest.raises(SettingError, match="the maximum is 1000000"):
            frame_count(longer, 200.0)


def test_player_of_frames_leaves_the_joints_to_the_actor(stage: Stage) -> None:
    actor = stage.add(Actor(str(HUMANOID)))
    rig = ikrig.ActorRig(actor)
    clip = Clip("nod", [Track("Head", "rotation", {0.0: (0.0, 0.0, 1.0)})])
    with pytest.raises(SettingError, match="progress must be a function, not 'often'"):
        next(offline_frames(rig, clip, 10.0, progress="often"))  # type: ignore[arg-type]
    before = nets(actor)["Head"]
    for _ in offline_frames(rig, clip, 10.0):
        assert rig.layers and not np.allclose(nets(actor)["Head"], before, atol=0.1)
    assert rig.layers == ()
    rig.update(0.1)
    assert np.allclose(nets(actor)["Head"], before, atol=1e-5)


def mats_of(states: list[p3d.TransformState]) -> np.ndarray:
    return np.array([state.get_mat() for state in states])


@pytest.mark.parametrize("far", [0.0, 1000.0])
def test_actor_that_hardly_moves_has_no_tracks(stage: Stage, far: float) -> None:
    rig = ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))
    for turn, shift, channels in (
        (0.95, 0.0, set()),
        (1.05, 0.0, {"root_rotation"}),
        (0.0, 0.95, set()),
        (0.0, 1.05, {"root"}),
    ):
        film = PoseRecorder(rig, ["Head"])
        film.times += [0.0, 1.0]
        head = joint(rig.actor, "Head").get_default_value()
        for k in (0.0, 1.0):
            place = far, 0.0, k * shift * 1e-4 * max(1.0, far)
            angle = k * turn * np.degrees(1e-4)
            root = p3d.TransformState.make_pos_hpr(place, (angle, 0, 0))
            film.frames.append(mats_of([p3d.TransformState.make_mat(head), root]))
        clip = film.clip("a", "once", 1.0, 1e-3, 1e-5, ik_off=False)
        assert {track.channel for track in clip.tracks} == channels


@pytest.mark.parametrize("limbs", [False, True])
@pytest.mark.parametrize("solved", [False, True])
@pytest.mark.parametrize("other", ["", "controls", "freezes", "asks", "stops", "fades"])
def test_frames_are_the_joints_of_the_actor(
    stage: Stage, limbs: bool, solved: bool, other: str
) -> None:
    actor = stage.add(Actor(str(HUMANOID)))
    actor.loop("walk")
    rig = ikrig.ActorRig(actor)
    for name in ("LeftHand", "RightFoot") if limbs else ():
        rig.chain(name, 2).target.set_z(0.5)
    if other == "controls":
        actor.control_joint(None, "modelRoot", "Head").set_hpr(20.0, 10.0, 5.0)
    if other == "freezes":
        actor.freeze_joint("modelRoot", "Spine1", hpr=(5.0, 6.0, 7.0))
    film, wanted = PoseRecorder(rig), []
    for k in range(6):
        actor.pose("walk", 3 * k)
        actor.update(force=True)
        if other == "stops" and k == 3:
            rig.stop()
        for chain in rig.chains if other == "fades" else ():
            chain.weight = float(k < 3)
        if solved and not (other == "stops" and k >= 3):
            rig.update(0.1)
        if other == "asks":
            rig.joint("Head")
        film.sample(0.1 * k)
        joints = (joint(actor, name) for name in film.names)
        wanted.append(mats_of([found.get_transform_state() for found in joints]))
    found = np.array(film.frames)[:, : len(film.names)]
    assert np.allclose(found, wanted, atol=1e-6)
    assert np.ptp(found, axis=0).max() > 0.1


def test_recorder_keeps_frames_that_come_a_little_early(stage: Stage) -> None:
    rig = ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))
    for early, kept in ((0.9985, 6), (0.9995, 11), (1.0, 11)):
        recorder = ikrig.Recorder(rig, fps=10.0).start(stage.task_mgr)
        for _ in range(11):
            recorder.update(early / 10.0)
        assert recorder.duration == pytest.approx(early)
        assert len(recorder._film.times) == kept
        recorder.stop()


def test_full_recorder_keeps_what_it_has(stage: Stage) -> None:
    rig = ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))
    recorder = ikrig.Recorder(rig, fps=10.0)
    recorder._duration = LARGEST
    # whether it was started or not: the first frame takes no time, the next one some
    recorder.update(1.0)
    recorder.update(1.0)
    assert recorder._film.times == [LARGEST] and not recorder.recording
    recorder.start(stage.task_mgr)
    recorder.update(1.0)
    recorder._duration = LARGEST
    recorder.update(1.0)
    assert recorder._film.times == [0.0] and not recorder.recording


# -- elbows ----------------------------------------------------------------------------


def test_pole_is_beside_the_middle_of_the_limb(stage: Stage) -> None:
    rig = ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))
    hand = rig.chain("LeftHand", 2, pole=stage.render.attach_new_node("pole"))
    limb = LimbControls("LeftHand", hand, PropertyBindings(rig))

    def pole(*places: tuple[float, float, float]) -> np.ndarray:
        for bone, place in zip(hand.bones, places, strict=True):
            bone.set_pos(hand.root, *place)
        found = {channel: value for _, channel, value in limb.controls()}
        return np.array(found["pole"])

    def at(*place: float) -> np.ndarray:
        return np.array(
            stage.render.get_relative_point(hand.root, p3d.LPoint3f(*place))
        )

    # straight from the first frame: any side will do
    beside = pole((1, 1, 1), (2, 1, 1), (3, 1, 1)) - at(2, 1, 1)
    assert np.linalg.norm(beside) < 2.001
    # bones of 5 each; the side is straight up
    bent = pole((0, 0, 0), (4, 0, 3), (8, 0, 0))
    assert np.allclose(bent, at(4, 0, 10), atol=1e-4)
    # of 5 and 13: away from the line, wherever the elbow is along it
    uneven = pole((0, 0, 0), (0, 3, 4), (0, 15, 9))
    line, side = np.array([0, 15, 9]), np.array([0, 3, 4])
    side = side - line * (side @ line) / (line @ line)
    wanted = line / 2 + 18 * side / np.linalg.norm(side)
    assert np.allclose(uneven, at(*wanted), atol=1e-3)
    # straight again: as far as possible to the last side
    pole((0, 0, 0), (4, 0, 3), (8, 0, 0))
    again = pole((0, 0, 0), (4, 0, 0.01), (8, 0, 0))
    assert np.allclose(again, at(4, 0, 8), atol=1e-3)
    tilted = pole((0, 0, 0), (3, 0, 3), (6, 0, 6))
    reach, half = 6 * 2**0.5, 0.5**0.5
    assert np.allclose(tilted, at(3 - half * reach, 0, 3 + half * reach), atol=1e-3)
