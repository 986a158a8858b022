"""ClipPlayer on rigs: playback, fades, layers, events and errors."""

from __future__ import annotations

from math import nan

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.scene.animation import check_clip
from tests.animation.conftest import ASSETS

WAVE, CIRCLING = (ASSETS / "clips" / f"{name}.yaml" for name in ("wave", "circling"))


def bones(rig: ikrig.Rig) -> np.ndarray:
    return np.array(
        [np.array(bone.get_mat(rig.root)) for bone in rig.chains["arm"].bones]
    )


def push(*, wrap: str = "once", **more) -> ikrig.Clip:
    """The arm's target goes along x, one unit a second for two seconds."""
    clip = ikrig.Clip("push", wrap=wrap, **more)
    return clip.with_track("arm", "target", {0: (0, 0, 1), 2: (2, 0, 1)})


def x_of(rig: ikrig.Rig) -> float:
    return rig.targets["arm"].get_x()


# -- what is shown ---------------------------------------------------------------------


@pytest.mark.parametrize("path", [WAVE, CIRCLING], ids=["wave", "circling"])
def test_clip_moves_all_its_properties(arm, path):
    clip = ikrig.load_clip(path)
    player = ikrig.ClipPlayer(path, arm)
    for time in (0.0, 0.3, 1.37, 2.9, 5.0, -1.3):
        player.time = time
        values = clip.sample(time)
        chain = arm.chains["arm"]
        assert chain.target.get_pos() == p3d.LPoint3f(*values["arm", "target"])
        assert chain.pole.get_pos() == p3d.LPoint3f(*values["arm", "pole"])
        if ("arm", "weight") in values:
            assert chain.weight == values["arm", "weight"]
        else:
            turn = np.abs(
                np.dot(chain.target.get_quat(), values["arm", "target_rotation"])
            )
            assert turn == pytest.approx(1.0, abs=1e-6)


def test_the_pose_depends_on_the_time_alone(arm):
    """At 30, 60 and 144 frames a second, and backwards: the same to 1e-6."""
    player = ikrig.ClipPlayer(CIRCLING, arm)
    found = {}
    for rate in (30, 60, 144):
        player.time = 0.0
        for frame in range(1, 3 * rate + 1):
            player.update(1.0 / rate)
            arm.solve()
            if frame % rate == 0:
                found[rate, frame // rate] = bones(arm)
    for second in (3, 2, 1):
        for step in range(4, -1, -1):
            player.time = second + 0.05 * step
            arm.solve()
        for rate in (30, 60, 144):
            off = abs(found[rate, second] - bones(arm)).max()
            assert off < 1e-6, (rate, second)


# -- Actors ----------------------------------------------------------------------------


def reference(clip: str, frame: float) -> dict[str, np.ndarray]:
    """Local joint transforms of another Actor that shows a frame of an animation."""
    from direct.actor.Actor import Actor

    actor = Actor(str(ASSETS / "models" / "humanoid.bam"))
    actor.set_blend(frameBlend=True)
    actor.pose(clip, frame)
    bundle = actor.get_part_bundle("modelRoot")
    bundle.force_update()
    found = {
        joint.get_name(): np.array(joint.get_transform_state().get_mat())
        for joint in actor.get_joints()
    }
    actor.cleanup()
    return found


def joints(rig: ikrig.Rig) -> dict[str, np.ndarray]:
    return {
        joint.get_name(): np.array(joint.get_transform_state().get_mat())
        for joint in rig.model.get_joints()
    }


def test_animation_is_displayed_at_the_clips_time(humanoid):
    """As another Actor that is posed there, also over its end and back."""
    clip = ikrig.Clip(wrap="once").with_track("walk", "time", {0: 0, 9: 9})
    player = ikrig.ClipPlayer(clip, humanoid)
    for chain in humanoid.chains.values():
        chain.weight = 0.0
    humanoid.behaviours["gaze"].weight = 0.0
    control = humanoid.model.get_anim_control("walk")
    rate, frames = control.get_anim().get_base_frame_rate(), control.get_num_frames()
    for time in (0.0, 0.4, 0.411, 5.003, 0.2):
        player.time = time
        humanoid.solve()
        expected = reference("walk", (time * rate) % frames)
        for name, mat in joints(humanoid).items():
            assert abs(mat - expected[name]).max() < 2e-5, (time, name)


def test_two_animations_blend_by_their_weights(humanoid):
    from direct.actor.Actor import Actor

    clip = (
        ikrig.Clip()
        .with_track("walk", "time", {0: 0.5})
        .with_track("idle", "time", {0: 0.25})
        .with_track("walk", "weight", {0: 0.3})
        .with_track("idle", "weight", {0: 0.7})
    )
    ikrig.ClipPlayer(clip, humanoid).time = 0.0
    for chain in humanoid.chains.values():
        chain.weight = 0.0
    humanoid.behaviours["gaze"].weight = 0.0
    humanoid.solve()
    actor = Actor(str(ASSETS / "models" / "humanoid.bam"))
    actor.set_blend(animBlend=True, frameBlend=True)
    for name, time, weight in (("walk", 0.5, 0.3), ("idle", 0.25, 0.7)):
        rate = actor.get_anim_control(name).get_anim().get_base_frame_rate()
        actor.pose(name, time * rate)
        actor.set_control_effect(name, weight)
    actor.get_part_bundle("modelRoot").force_update()
    expected = {
        j.get_name(): np.array(j.get_transform_state().get_mat())
        for j in actor.get_joints()
    }
    for name, mat in joints(humanoid).items():
        assert abs(mat - expected[name]).max() < 2e-5, name
    actor.cleanup()


@pytest.mark.parametrize("flags", [(True, False), (False, True), (False, False)])
def test_animations_of_a_clip_are_blended_whatever_the_actor_does(humanoid, flags):
    model = humanoid.model
    model.set_blend(animBlend=flags[0], frameBlend=flags[1])
    clip = ikrig.Clip().with_track("walk", "time", {0: 0.5})
    ikrig.ClipPlayer(clip, humanoid).time = 0.0
    bundle = model.get_part_bundle("modelRoot")
    assert bundle.get_anim_blend_flag() and bundle.get_frame_blend_flag()


def test_the_actor_itself_is_moved_by_the_rigs_name(humanoid):
    clip = ikrig.Clip().with_track("humanoid", "root", {0: (0, 0, 0), 1: (0, -2, 0)})
    ikrig.ClipPlayer(clip, humanoid).time = 0.5
    assert humanoid.model.get_pos() == p3d.LPoint3f(0, -1, 0)


# -- going on --------------------------------------------------------------------------


def test_it_plays_frame_by_frame_and_stays_at_the_end(arm, task_mgr, tick, hear):
    heard = hear("ikrig-clip-end")
    player = ikrig.ClipPlayer(push(), arm).play(task_mgr)
    arm.start(task_mgr)
    seen = []
    for _ in range(12):
        tick(0.25)
        task_mgr.step()
        seen.append(x_of(arm))
    arm.stop()
    assert seen == pytest.approx([*np.arange(1, 9) * 0.25, 2, 2, 2, 2])
    assert not player.playing and player.time == 2.0
    assert heard.calls == [("ikrig-clip-end", (player,))]


def test_play_restarts_a_finished_clip(arm, task_mgr):
    player = ikrig.ClipPlayer(push(), arm)
    player.time = 2.0
    player.play(task_mgr)
    assert player.time == 0.0 and player.playing
    player.speed = -1.0
    player.play(task_mgr)
    assert player.time == 2.0
    player.update(0.5)
    assert x_of(arm) == pytest.approx(1.5)
    player.stop()
    assert not player.playing and player.time == 0.0
    # what has been moved is left there
    assert x_of(arm) == pytest.approx(1.5)


def test_play_continues_from_the_current_time(arm, task_mgr, tick):
    player = ikrig.ClipPlayer(push(), arm)
    player.time = 0.5
    player.play(task_mgr)
    assert player.time == 0.5
    tick(0.25)
    task_mgr.step()
    player.pause()
    player.play(task_mgr)
    assert player.time == 0.75
    player.pause()
    player.time = 0.25
    player.play(task_mgr).play(task_mgr)
    assert player.time == 0.25 and player.playing
    player.cross_fade(still("b", 1), 0.5)
    tick(0.25)
    task_mgr.step()
    half = x_of(arm)
    player.pause()
    player.play(task_mgr)
    assert x_of(arm) == half and len(player._base) == 2
    player.stop()


def test_stop_ends_a_cross_fade(arm):
    player = ikrig.ClipPlayer(push(), arm)
    player.update(0.25)
    player.cross_fade(still("b", 7), 0.5)
    player.update(0.25)
    assert len(player._base) == 2
    player.stop()
    # nothing of the clip before is played again
    assert [layer.clip.name for layer in player._base] == ["b"]
    # and it plays by itself, not by the half that it had faded to
    player.write()
    assert x_of(arm) == 7.0
    player.update(0.05)
    assert x_of(arm) == 7.0


def test_plays_backwards_to_the_beginning(arm, task_mgr, tick, hear):
    heard = hear("ikrig-clip-end")
    player = ikrig.ClipPlayer(push(), arm)
    player.speed = -1.0
    player.play(task_mgr)
    for _ in range(9):
        tick(0.25)
        task_mgr.step()
    assert x_of(arm) == 0.0 and not player.playing
    assert heard.names == ["ikrig-clip-end"]


@pytest.mark.parametrize(
    ("speed", "expected"), [(2.0, 1.0), (0.5, 0.25), (0.0, 0.0), (-1.0, 0.0)]
)
def test_speed(arm, speed, expected):
    player = ikrig.ClipPlayer(push(), arm)
    player.speed = speed
    player.update(0.5)
    assert player.time == pytest.approx(expected) and x_of(arm) == pytest.approx(
        expected
    )


def test_loop_overrides_the_clip(arm):
    player = ikrig.ClipPlayer(push(), arm)
    player.loop = True
    player.update(2.5)
    assert x_of(arm) == pytest.approx(0.5)
    player.loop = False
    assert x_of(arm) == pytest.approx(2.0)
    player.loop = None
    player.time = 0.0
    player.update(9.0)
    assert player.time == 2.0
    with pytest.raises(ikrig.SettingError, match="loop must be"):
        player.loop = "yes"


def test_paused_player_leaves_dragged_targets_alone(arm, task_mgr):
    player = ikrig.ClipPlayer(push(), arm).play(task_mgr)
    player.pause()
    arm.targets["arm"].set_pos(7, 7, 7)
    task_mgr.step()
    player.update(0.1)
    assert x_of(arm) == 7
    player.play(task_mgr)
    player.update(0.5)
    assert x_of(arm) == pytest.approx(0.5)
    player.stop()


# -- events ----------------------------------------------------------------------------


def test_events_are_sent_once_at_any_frame_rate(arm, hear):
    clip = push(wrap="loop", events=[(0.0, "begin"), (0.5, "half"), (2.0, "end")])
    for rate in (7, 30, 144):
        heard = hear("begin", "half", "end")
        player = ikrig.ClipPlayer(clip, arm)
        for _ in range(4 * rate):
            player.update(1.0 / rate)
        player.update(0.01)
        assert heard.names == ["begin", "half", "end"] * 2 + ["begin"]
        assert all(given == (player,) for _, given in heard.calls)
        heard.ignoreAll()


def test_scrubbing_sends_no_events_and_playing_sends_those_at_its_start(arm, hear):
    heard = hear("half", "end")
    player = ikrig.ClipPlayer(push(events=[(0.5, "half"), (2.0, "end")]), arm)
    for time in (1.9, 0.1, 0.5):
        player.time = time
    assert heard.names == []
    player.update(0.1)
    assert heard.names == ["half"]
    player.speed = -1.0
    player.update(0.3)
    assert heard.names == ["half", "half"]


# -- several clips ---------------------------------------------------------------------


def still(name: str, x: float, channel: str = "target") -> ikrig.Clip:
    return ikrig.Clip(name).with_track("arm", channel, {0: (x, 0, 1)})


def test_cross_fade_is_smooth_and_ends(arm):
    player = ikrig.ClipPlayer(still("a", 0), arm)
    player.time = 0.0
    player.cross_fade(still("b", 1), 0.5)
    assert x_of(arm) == pytest.approx(0)
    seen = []
    for _ in range(60):
        player.update(0.01)
        seen.append(x_of(arm))
    steps = np.diff([0.0, *seen])
    assert (steps >= -1e-6).all() and steps.max() < 0.04
    assert seen[24] == pytest.approx(0.5, abs=0.01) and seen[50] == 1.0
    assert player.clip.name == "b" and len(player._base) == 1


def test_cross_fades_within_cross_fades_never_jump(arm):
    player = ikrig.ClipPlayer(still("a", 0), arm)
    last, most = 0.0, 0.0
    for frame in range(120):
        if frame in (5, 15, 25):
            player.cross_fade(still(str(frame), (-1) ** frame * 2.0), 0.4)
        player.update(1 / 60)
        most, last = max(most, abs(x_of(arm) - last)), x_of(arm)
    assert most < 4.0 * 1.5 / (0.4 * 60) + 1e-6 and last == -2.0


def test_properties_of_only_the_old_clip_return_to_rest(arm):
    pole = arm.chains["arm"].pole
    before = p3d.LPoint3f(pole.get_pos())
    player = ikrig.ClipPlayer(
        still("a", 0).with_track("arm", "pole", {0: (9, 9, 9)}), arm
    )
    player.update(0.1)
    assert pole.get_x() == 9
    player.cross_fade(still("b", 1), 0.2)
    player.update(0.1)
    assert pole.get_x() == pytest.approx(0.5 * (before[0] + 9))
    player.update(0.2)
    assert pole.get_pos() == before


def test_additive_layer_adds_its_motion(arm):
    player = ikrig.ClipPlayer(push(wrap="loop"), arm)
    nod = ikrig.Clip("nod", wrap="loop").with_track(
        "arm", "target", {0: (5, 5, 5), 1: (5, 5, 5.4), 2: (5, 5, 5)}
    )
    layer = player.add_layer(nod, 0.5, additive=True)
    assert repr(layer) == "<ClipLayer nod added by 0.5>"
    player.update(0.5)
    assert arm.targets["arm"].get_pos() == p3d.LPoint3f(0.5, 0, 1.1)
    player.time = 1.0
    assert layer.time == 1.0 and arm.targets["arm"].get_z() == pytest.approx(1.2)
    layer.speed = 0.0
    player.update(0.5)
    assert arm.targets["arm"].get_pos() == p3d.LPoint3f(1.5, 0, 1.2)
    layer.fade(0.0, 0.1)
    player.update(0.1)
    assert arm.targets["arm"].get_z() == pytest.approx(1.0)
    layer.remove()
    assert player.layers == ()


def test_layer_blends_over_its_properties_by_weight(arm):
    player = ikrig.ClipPlayer(push(), arm)
    layer = player.add_layer(still("over", -4), 0.25)
    player.time = 2.0
    assert x_of(arm) == pytest.approx(0.75 * 2 - 0.25 * 4)
    layer.weight = 1.0
    player.time = 1.0
    assert x_of(arm) == -4


# -- files, reloads, mistakes ----------------------------------------------------------


def test_changed_file_is_reloaded_and_an_invalid_one_is_not(arm, tmp_path, task_mgr):
    path = tmp_path / "push.yaml"
    ikrig.dump_clip(push(), path)
    player = ikrig.ClipPlayer(path, arm, watch=True).play(task_mgr)
    player.pause()
    player.update(0.0)
    ikrig.dump_clip(still("push", 3), path)
    player.update(0.0)
    assert x_of(arm) == 3 and not player.playing
    path.write_text("tracks: {arm: {targt: {}}}")
    player.update(0.0)
    assert "targt" in player.errors and x_of(arm) == 3
    path.write_text("tracks: {leg: {target: {keys: {0: [0, 0, 0]}}}}")
    player.update(0.0)
    assert "'leg'" in player.errors and player.clip.name == "push"
    ikrig.dump_clip(still("push", 4), path)
    player.update(0.0)
    assert x_of(arm) == 4 and player.errors == ""
    player.stop()


def test_file_is_read_once_per_change(arm, tmp_path):
    path = tmp_path / "push.yaml"
    ikrig.dump_clip(push(), path)
    player = ikrig.ClipPlayer(path, arm, watch=True)
    for x in (3, 4):
        ikrig.dump_clip(still("push", x), path)
        player.update(0.0)
        read = player.clip
        for _ in range(5):
            player.update(0.0)
        assert player.clip is read and x_of(arm) == x


def test_player_continues_after_a_rig_reload(scene, tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text((ASSETS / "rigs" / "arm.yaml").read_text())
    rig = ikrig.load_rig(path, parent=scene)
    player = ikrig.ClipPlayer(WAVE, rig)
    player.time = 1.0
    rig.reload()
    player.time = 0.2
    assert rig.chains["arm"].weight == player.clip.sample(0.2)["arm", "weight"]
    path.write_text(path.read_text().replace("  arm:  ", "  limb: "))
    rig.reload()
    player.time = 1.5
    # the clip's part is gone: that is told, and nothing is raised
    assert "weight of 'arm'" in player.errors and "limb" in player.errors


def test_all_unknown_tracks_are_reported_at_once(arm):
    clip = (
        push()
        .with_track("arms", "pole", {0: (0, 0, 0)})
        .with_track("elbo", "rotation", {0: (0, 0, 0)})
        .with_track("arm", "angle", {0: 0})
    )
    lines = check_clip(clip, arm)
    assert len(lines) == 3
    assert "pole of 'arms'" in lines[0] and "did you mean 'arm'" in lines[0]
    assert "rotation of 'elbo'" in lines[1] and "did you mean 'elbow'" in lines[1]
    assert "angle of 'arm'" in lines[2] and "available: none" in lines[2]
    with pytest.raises(ikrig.BindError) as reported:
        ikrig.ClipPlayer(clip, arm)
    assert str(reported.value).count("\n") == 2
    assert check_clip(push(), arm) == []


@pytest.mark.parametrize("value", [nan, float("inf"), 10**400, "1", None, True])
@pytest.mark.parametrize("name", ["time", "speed"])
def test_invalid_numbers_are_refused(arm, name, value):
    player = ikrig.ClipPlayer(push(), arm)
    with pytest.raises(ikrig.SettingError, match=name):
        setattr(player, name, value)


@pytest.mark.parametrize("rig", [None, 3, "arm", {}, p3d.NodePath("x")])
def test_objects_that_are_not_rigs_are_refused(rig):
    with pytest.raises(ikrig.BindError, match="rig must be"):
        ikrig.ClipPlayer(push(), rig)


def test_objects_that_are_not_clips_are_refused(arm):
    with pytest.raises(ikrig.ClipFileError, match="nowhere"):
        ikrig.ClipPlayer("nowhere.yaml", arm)
    player = ikrig.ClipPlayer(push(), arm)
    for wrong in (3, None, b"x", []):
        with pytest.raises(ikrig.BindError, match="clip must be"):
            player.clip = wrong
        with pytest.raises(ikrig.BindError, match="clip must be"):
            ikrig.ClipPlayer(wrong, arm)
        with pytest.raises(ikrig.BindError, match="clip must be"):
            player.cross_fade(wrong)
        with pytest.raises(ikrig.BindError, match="clip must be"):
            player.add_layer(wrong)


def test_removed_target_is_logged_once(arm):
    player = ikrig.ClipPlayer(push(), arm)
    arm.targets["arm"].remove_node()
    for _ in range(3):
        player.update(0.1)
    assert "target of 'arm'" in player.errors


def test_cleaned_up_actor_is_logged_without_raising(humanoid):
    clip = ikrig.Clip("walk").with_track("walk", "time", {0.0: 0.0, 1.0: 1.0})
    player = ikrig.ClipPlayer(clip, humanoid)
    player.update(0.1)
    humanoid.model.cleanup()
    player.update(0.1)
    assert "the Actor was cleaned up" in player.errors
