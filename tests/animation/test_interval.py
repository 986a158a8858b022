"""Clips as Panda3D intervals."""

from __future__ import annotations

import pytest
from direct.interval.FunctionInterval import Func
from direct.interval.IntervalManager import ivalMgr
from direct.interval.MetaInterval import Sequence
from panda3d.direct import CInterval

import ikrig
from tests.animation.test_player import push, x_of

EVENTS = [(0.0, "begin"), (0.5, "half"), (2.0, "end")]


@pytest.fixture
def player(arm) -> ikrig.ClipPlayer:
    return ikrig.ClipPlayer(push(events=EVENTS), arm)


def test_duration_follows_the_players_speed(player):
    assert player.interval().getDuration() == 2.0
    assert player.interval(0.5, 1.5).getDuration() == 1.0
    assert player.interval(duration=5).getDuration() == 5.0
    player.speed = 2.0
    assert player.interval().getDuration() == 1.0


def test_interval_in_a_sequence_shows_its_time(player, arm):
    done = []
    sequence = Sequence(player.interval(), Func(done.append, 1), player.interval(2, 0))
    for t, x in ((0.5, 0.5), (1.9, 1.9), (2.5, 1.5), (3.9, 0.1), (1.0, 1.0)):
        sequence.setT(t)
        assert x_of(arm) == pytest.approx(x, abs=1e-6), t
    assert done


def test_events_are_sent_once_per_loop(player, hear, task_mgr, tick):
    heard = hear("begin", "half", "end")
    interval = player.interval()
    interval.loop()
    for _ in range(36):
        tick(0.13)
        task_mgr.step()
    interval.pause()
    assert heard.names == ["begin", "half", "end"] * 2 + ["begin", "half"]


def test_interval_moves_targets_before_the_rig_is_solved(arm, player, task_mgr, tick):
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
def test_invalid_times_are_refused(player, wrong):
    with pytest.raises(ikrig.SettingError, match=next(iter(wrong))):
        player.interval(**wrong)


def test_interval_skipped_backwards_can_start_again(player, arm):
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


def test_skipped_interval_sends_events_from_its_own_start(player, hear):
    heard = hear("begin", "half", "end")
    interval = player.interval()
    player.time = 1.9
    interval.privInstant()
    assert heard.names == ["begin", "half", "end"]
    heard.calls.clear()
    player.time = 2.0
    player._advance_to(0.0)
    backwards = heard.names
    heard.calls.clear()
    player.time = 0.3
    interval.privInitialize(0.3)
    heard.calls.clear()
    interval.privReverseInstant()
    assert heard.names == backwards and "half" in backwards
    heard.calls.clear()
    player.time = 0.3
    interval.privReverseInitialize(2.0)
    interval.privStep(0.0)
    assert heard.names == backwards


def test_interval_is_named(player):
    assert player.interval(name="nod").getName() == "nod"
    names = {player.interval().getName() for _ in range(3)}
    assert len(names) == 3 and all(name.startswith("clip-push-") for name in names)
    with pytest.raises(ikrig.SettingError, match="name must be a string or None, not"):
        player.interval(name=5)
