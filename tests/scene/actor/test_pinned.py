"""Limbs pinned while a walk plays, checked on joints and skinned vertices."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest
from panda3d.core import LVector3f

from ikrig.scene.actor.actor_rig import ActorRig

from .stage import (
    KINDS,
    LIMBS,
    Stage,
    draw_in,
    gap,
    hanging,
    leg,
    length,
    net,
    nets,
    only,
    place,
    size,
    skin,
    update,
)

both = pytest.mark.parametrize("body", LIMBS)
ways = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def pinned(stage: Stage):
    """Make a body whose four limbs are held, and one that only walks."""

    def make(body: str, kind: str = "single", **settings):
        actor, reference = stage.body(body, kind), stage.body(body, kind)
        stage.step(7)
        rig = ActorRig(actor)
        tips, bones = LIMBS[body]
        for tip in tips:
            draw_in(stage, actor, rig.chain(tip, bones, **settings), bones)
        rig.start(stage.task_mgr)
        return actor, reference, rig

    return make


def step(stage: Stage, reference) -> None:
    stage.step()
    update(reference)


@ways
@both
def test_skin_of_four_limbs_is_at_their_targets(stage, pinned, body, kind):
    actor, reference, rig = pinned(body, kind)
    bones = LIMBS[body][1]
    masks = [only(actor, chain.leaf.get_name()) for chain in rig.chains]
    assert all(mask.sum() > 5 for mask in masks)
    walked = 0.0
    for _ in range(40):
        step(stage, reference)
        moved, animated = skin(actor), skin(reference)
        for chain, mask in zip(rig.chains, masks, strict=True):
            tip = chain.leaf.get_name()
            reach = length(reference, leg(reference, tip, bones))
            # turned as animated: what hangs on the tip alone is shifted, no more
            shift = place(actor, chain.target) - net(reference, tip)[3, :3]
            assert gap(moved[mask], animated[mask] + shift) < 1e-5 * reach
            walked = max(walked, float(np.linalg.norm(shift)) / reach)
    assert walked > 0.1


@ways
@both
def test_skin_stays_at_rotating_targets(stage, pinned, body, kind):
    actor, _, rig = pinned(body, kind, orientation_mode="target")
    masks = [only(actor, chain.leaf.get_name()) for chain in rig.chains]
    stage.step()
    first = skin(actor)
    for _ in range(40):
        stage.step()
        now = skin(actor)
        for mask in masks:
            assert gap(now[mask], first[mask]) < 1e-5 * size(now)


@both
def test_knees_and_elbows_bend_as_animated_for_any_target(stage, pinned, body):
    # a plain FABRIK from the animated joints lets them snap to the other side
    actor, reference, rig = pinned(body)
    bones = LIMBS[body][1]
    around = [c.target.get_pos() for c in rig.chains]
    for i in range(60):
        for chain, middle in zip(rig.chains, around, strict=True):
            reach = 0.2 * chain.reach * actor.get_sx()
            chain.target.set_pos(middle + LVector3f(sin(i / 5), cos(i / 7), 0) * reach)
        step(stage, reference)
        for chain in rig.chains:
            names = leg(actor, chain.leaf.get_name(), bones)
            for upper, joint, lower in zip(names, names[1:], names[2:], strict=False):
                bends = []
                for body_now in (actor, reference):
                    a, b, c = (net(body_now, n)[3, :3] for n in (upper, joint, lower))
                    # as the upper bone's own frame sees it
                    frame = np.linalg.inv(net(body_now, upper)[:3, :3])
                    bend = np.cross((b - a) @ frame, (c - b) @ frame)
                    bends.append(bend / np.linalg.norm(bend))
                    lengths = np.linalg.norm(b - a) * np.linalg.norm(c - b)
                    straight = np.linalg.norm(np.cross(b - a, c - b)) < 0.05 * lengths
                    if straight:
                        break
                assert straight or bends[0] @ bends[1] > 0.8


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
@both
def test_other_joints_are_untouched_at_every_weight(stage, pinned, body, weight):
    actor, reference, rig = pinned(body, weight=weight)
    bones = LIMBS[body][1]
    moved = {n for c in rig.chains for n in leg(actor, c.leaf.get_name(), bones)}
    below = {n for n in rig.joints if moved & set(rig.skeleton.lineage(n))}
    free = hanging(actor, lambda names: not names & below)
    assert free.sum() > 100
    for _ in range(20):
        step(stage, reference)
        expected = skin(reference)
        assert np.array_equal(skin(actor)[free], expected[free])
        mine, theirs = nets(actor), nets(reference)
        for name in theirs.keys() - below:
            assert np.array_equal(mine[name], theirs[name])


@both
def test_fading_out_and_in_never_jumps(stage, pinned, body):
    actor, reference, rig = pinned(body)
    actor.stop()
    reference.stop()
    step(stage, reference)
    apart, poses = [], []
    for weight in (0.0, 1.0):
        for chain in rig.chains:
            chain.fade(weight, 0.5)
        for _ in range(36):
            step(stage, reference)
            expected = skin(reference)
            poses.append(skin(actor) - expected)
            apart.append(gap(poses[-1], 0.0 * expected) / size(expected))
        assert (apart[-1] < 1e-6) == (weight == 0.0)
    jumps = list(map(gap, poses, poses[1:]))
    # smoothstep over 30 frames rises by 1.5/30 at most
    assert max(jumps) < 0.1 * max(apart) * size(expected)


@both
def test_stopped_chains_and_rigs_leave_the_animation(stage, pinned, body):
    actor, reference, rig = pinned(body)
    step(stage, reference)
    first = rig.chains[0]
    first.stop()
    step(stage, reference)
    alone = only(actor, first.leaf.get_name())
    assert gap(skin(actor)[alone], skin(reference)[alone]) < 1e-6 * size(skin(actor))
    assert gap(skin(actor), skin(reference)) > 0.01 * size(skin(actor))
    rig.stop()
    for _ in range(3):
        step(stage, reference)
        update(actor)
        assert np.array_equal(skin(actor), skin(reference))
    first.start()
    rig.start(stage.task_mgr)
    step(stage, reference)
    goal = place(actor, first.target)
    assert np.linalg.norm(net(actor, first.leaf.get_name())[3, :3] - goal) < 0.01
