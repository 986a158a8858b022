"""A fade is a smooth step in time at any frame rate."""

from __future__ import annotations

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.fade import Fade
from tests.scene.actor.stage import HUMANOID


@pytest.mark.parametrize(("start", "end"), [(0.0, 1.0), (0.8, 0.3), (-2.0, 5.0)])
def test_fade_is_a_smoothstep(start, end):
    for frames in (1, 3, 60):
        fade, dt = Fade(start, end, 0.5), 0.5 / frames
        for k in range(1, frames):
            u = k / frames
            assert not fade.has_ended
            # the cubic with 0 and 1 at its ends, and no slope there
            expected = start + (3.0 * u**2 - 2.0 * u**3) * (end - start)
            assert fade.step(dt) == pytest.approx(expected, abs=1e-12)
        assert not fade.has_ended
        assert fade.step(1.001 * dt) == end and fade.has_ended
        assert fade.step(9.0) == end


@pytest.mark.parametrize(
    "make", [ikrig.HitReaction, ikrig.FullBody, lambda rig: rig.hand("left_hand")]
)
def test_fade_goes_on_while_there_is_nothing_to_do(make):
    rig = ikrig.ActorRig(Actor(str(HUMANOID)))
    part = make(rig)
    rig.actor.reparent_to(p3d.NodePath("scene"))
    part.fade(0.25, 0.1)
    seen = []
    for _ in range(8):
        rig.update(1 / 60)
        seen.append(part.weight)
    assert seen == sorted(seen, reverse=True) and 0.25 < seen[2] < 1.0
    assert seen[-1] == 0.25
    part.fade(0.0, 0.1)
    for _ in range(8):
        rig.update(1 / 60)
    assert part.weight == 0.0
