"""A clip among Panda3D's intervals."""

from __future__ import annotations

import panda3d.core as p3d
import pytest
from direct.interval.FunctionInterval import Func
from direct.interval.IntervalManager import ivalMgr
from direct.interval.LerpInterval import LerpPosInterval
from direct.interval.MetaInterval import Parallel, Sequence
from panda3d.direct import CInterval

import ikrig
from tests.animation.test_player import push, x_of

EVENTS = [(0.0, "begin"), (0.5, "half"), (2.0, "end")]


@pytest.fixture
def player(arm) -> ikrig.ClipPlayer:
    return ikrig.ClipPlayer(push(events=EVENTS), arm)


def test_it_takes_as_long_as_the_clip_at_the_players_speed(player):
    assert player.interval().getDuration() == 2.0
    assert player.interval(0.5, 1.5).getDuration() == 1.0
    assert player.interval(duration=5).getDuration() == 5.0
    player.speed = 2.0
    assert player.interval().getDuration() == 1.0


def test_in_a_sequence_it_shows_its_time(player, arm):
    done = []
    sequence = Sequence(player.interval(), Func(done.append, 1), player.interval(2, 0))
    for t, x in ((0.5, 0.5), (1.9, 1.9), (2.5, 1.5), (3.9, 0.1), (1.0, 1.0)):
        sequence.setT(t)
        assert x_of(arm) == pytest.approx(x, abs=1e-6), t
    assert done


def test_events_come_on_the_way_once_and_again_in_each_round(
    player, hear, task_mgr, tick
):
    heard = hear("begin", "half", "end")
    interval = player.interval()
    interval.loop()
    for _ in range(36):
        tick(0.13)
        task_mgr.step()
    interval.pause()
    assert heard.names == ["begin", "half", "end"] * 2 + ["begin", "half"]


def test_skipped_as_a_whole_its_events_are_sent(player, hear):
    heard = hear("begin", "half", "end")
    sequence = Sequence(player.interval(), Func(str))
    sequence.start()
    sequence.finish()
    assert heard.names == ["begin", "half", "end"]


def test_lerps_work_beside_it_in_the_same_frame(player, arm):
    pole = arm.chains["arm"].pole
    both = Parallel(
        player.interval(),
        LerpPosInterval(pole, 2.0, p3d.LPoint3f(2, 0, 0), p3d.LPoint3f(0, 0, 0)),
    )
    both.setT(1.0)
    arm.solve()
    assert x_of(arm) == pytest.approx(1.0) and pole.get_x() == pytest.approx(1.0)


def test_played_by_panda_it_moves_before_the_rig_is_solved(arm, player, task_mgr, tick):
    """A chain that is solved at sort 40 has this frame's target."""
    arm.start(task_mgr)
    task_mgr.add(lambda task: ivalMgr.step() or task.cont, "ivalLoop", sort=20)
    interval = player.interval()
    interval.start()
    for frame in range(1, 9):
        tick(0.1)
        task_mgr.step()
        chain = arm.chains["arm"]
        assert x_of(arm) == pytest.approx(0.1 * frame, abs=1e-6)
        gap = chain.leaf.get_pos(arm.root) - chain.target.get_pos(arm.root)
        assert gap.length() == pytest.approx(chain.result.error, abs=1e-5)
    assert chain.result.converged
    interval.pause()
    arm.stop()


@pytest.mark.parametrize(
    "wrong", [{"start_time": float("nan")}, {"end_time": "x"}, {"duration": -1}]
)
def test_bad_times_are_refused(player, wrong):
    with pytest.raises(ikrig.SettingError, match=next(iter(wrong))):
        player.interval(**wrong)


def test_skipped_backwards_it_is_at_its_beginning_and_can_start_anew(player, arm):
    interval = player.interval(0.5, 1.5)
    interval.privInitialize(0.2)
    assert interval.state == CInterval.S_started
    interval.privReverseInstant()
    assert interval.state == CInterval.S_initial
    assert player.time == pytest.approx(0.5)
    assert x_of(arm) == pytest.approx(0.5)
    interval.privInstant()
    assert interval.state == CInterval.S_final
    assert player.time == pytest.approx(1.5)


def test_layers_that_play_at_their_own_speed_send_what_they_come_by(player, hear, arm):
    layer = player.add_layer(ikrig.Clip("own", events=[(0.9, "own")], duration=4.0))
    layer.speed = 2.0
    heard = hear("own")
    player.advance_to(0.4)
    assert heard.names == []
    player.advance_to(0.5)
    assert heard.names == ["own"]


def test_of_a_player_that_stands_still_it_takes_as_long_as_the_clip(player):
    player.speed = 0.0
    assert player.interval().getDuration() == 2.0
