"""Characters without an engine, in numbers that this file computes itself."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest

import ikrig

NAMES = ("hips", "shoulder", "twist", "elbow", "hand", "tip")
PARENTS = (-1, 0, 1, 2, 3, 4)
PLACES = np.array(
    [
        [0, 0, 1],
        [0.2, 0, 0.5],
        [0.1, 0, 0],
        [0.2, 0.05, 0],
        [0.3, -0.05, 0],
        [0.1, 0, 0],
    ]
)


def mats_of(angles: Any, size: float = 1.0) -> np.ndarray:
    """Joints turned about z, the first one scaled, as rows."""
    found = np.tile(np.eye(4), (len(PLACES), 1, 1))
    for mat, angle in zip(found, angles, strict=True):
        c, s = np.cos(angle), np.sin(angle)
        mat[:2, :2] = [[c, s], [-s, c]]
    found[:, 3, :3] = PLACES
    found[0, :3, :3] *= size
    return found


def net_of(mats: np.ndarray, j: int) -> np.ndarray:
    net = np.eye(4)
    while j >= 0:
        net, j = net @ mats[j], PARENTS[j]
    return net


def figure(size: float = 1.0) -> ikrig.Character:
    return ikrig.Character(NAMES, PARENTS, mats_of(np.zeros(6), size))


@pytest.mark.parametrize("size", [1.0, 0.01, -2.0])
@pytest.mark.parametrize("solver", ["fabrik", "ccd", "dls", "two_bone"])
def test_a_hand_reaches_its_goal_from_any_pose(solver, size):
    pose = figure(size).pose()
    start = mats_of(np.zeros(6), size)
    hand = ikrig.PoseChain(pose, "hand", 2, solver=solver)
    assert np.allclose(hand.goal.position, net_of(start, 4)[3, :3])
    rng = np.random.default_rng(3)
    for _ in range(20):
        animated = mats_of(rng.uniform(-0.5, 0.5, 6), size)
        pose.local[:] = animated
        pose.note_all()
        by = size * np.array(rng.uniform(-0.08, 0.08, 3))
        hand.goal.position[:] = net_of(animated, 4)[3, :3] + by
        result = hand.apply(pose, 1 / 60)
        assert hand.result is result
        found = np.array(pose.local, float)
        gap = np.linalg.norm(net_of(found, 4)[3, :3] - hand.goal.position)
        if result.converged:
            assert gap < 2e-3 * abs(size)
        # the error is in the space of the joint above, which is scaled
        assert abs(gap / abs(size) - result.error) < 2e-3
        # only the bones between turn, and none of them moves or changes its size
        for j, name in enumerate(NAMES):
            if name in ("hips", "shoulder", "tip"):
                assert np.allclose(found[j], animated[j], atol=1e-6)
            assert np.allclose(found[j, 3, :3], animated[j, 3, :3], atol=1e-6)
            axes = found[j, :3, :3] @ found[j, :3, :3].T
            assert np.allclose(
                axes, animated[j, :3, :3] @ animated[j, :3, :3].T, atol=1e-4
            )
        # as animated, whatever the bones do
        now, before = (net_of(x, 4)[:3, :3] for x in (found, animated))
        if result.converged:
            assert np.allclose(now, before, atol=1e-4 * abs(size))


def test_rotation_pole_tip_and_weight():
    pose = figure().pose()
    goals = ikrig.Goals(3)
    hand = ikrig.PoseChain(
        pose, "hand", 2, goals[2], tip=(0.1, 0, 0), snap_back_strength=1
    )
    assert hand.goal == goals[2]
    goal = hand.goal
    goal.position[:] = 0.7, 0.1, 1.4
    goal.turn((np.cos(0.4), 0, 0, np.sin(0.4)))
    assert hand.apply(pose, 1 / 60).converged
    found = np.array(pose.local, float)
    # the tip is the next joint
    assert np.allclose(net_of(found, 5)[3, :3], goal.position, atol=1e-4)
    assert np.allclose(
        net_of(found, 4)[0, :3], [np.cos(0.8), np.sin(0.8), 0], atol=1e-4
    )
    sides = []
    for pole in ((0.6, 9.0, 1.5), (0.6, -9.0, 1.5)):
        pose.reset(0, 6)
        goal.turn(None)
        goal.bend_to(pole)
        assert hand.apply(pose, 1 / 60).converged
        sides.append(net_of(np.array(pose.local, float), 3)[3, 1])
    assert sides[0] > 0.02 and sides[1] < -0.02
    whole = np.array(pose.local, float)
    for weight in 0.0, 0.5, 1.0:
        pose.reset(0, 6)
        goals.weights[2] = weight
        hand.apply(pose, 1 / 60)
        part = np.array(pose.local, float)
        if weight == 0.0:
            assert np.allclose(part, mats_of(np.zeros(6)), atol=1e-6)
        elif weight == 1.0:
            assert np.allclose(part, whole, atol=1e-6)
        else:
            assert np.abs(part - mats_of(np.zeros(6))).max() > 0.05


def test_limits_hold():
    pose = figure().pose()
    limits = {"elbow": ikrig.HingeLimit("z", -0.1, 0.1)}
    hand = ikrig.PoseChain(pose, "hand", 3, solver="dls", limits=limits)
    hand.goal.position[:] = 0.3, 0.4, 1.5
    for _ in range(5):
        hand.apply(pose, 1 / 60)
    angle = np.arctan2(pose.local[3, 0, 1], pose.local[3, 0, 0])
    assert abs(angle) < 0.1 + 1e-4
    assert abs(pose.local[3, 2, 2] - 1.0) < 1e-5


def test_errors_name_what_is_there():
    pose = figure().pose()
    with pytest.raises(ikrig.ModelError, match=r"no joint 'han'.*hand"):
        ikrig.PoseChain(pose, "han")
    with pytest.raises(ikrig.ModelError, match=r"chain_length must be 1 to 4.*elbow"):
        ikrig.PoseChain(pose, "hand", 5)
    with pytest.raises(ikrig.SettingError, match=r"no setting 'wieght'.*weight"):
        ikrig.PoseChain(pose, "hand", wieght=1)
    with pytest.raises(ikrig.SettingError, match="orientation_mode"):
        ikrig.PoseChain(pose, "hand", orientation_mode="target")
    hand = ikrig.PoseChain(pose, "hand")
    before = np.array(pose.local)
    hand.goal.position[:] = np.nan
    assert hand.apply(pose, 1 / 60).status.name == "INVALID_TARGET"
    assert hand.apply(figure().pose(), 1 / 60).detail.endswith("of another pose")
    assert (pose.local == before).all()
    pose.local[0, :3, :3] = 0.0
    pose.note_all()
    hand.goal.position[:] = 0.0
    assert "scaled to 0" in hand.apply(pose, 1 / 60).detail


def clip_of(angles: Any) -> ikrig.PoseClip:
    frames = []
    for frame in angles:
        mats, ones = mats_of(frame), np.ones((6, 3))
        moved = [[1], [1], [1], [1], [1], [0]]
        row = np.hstack((mats[:, :, :3].reshape(6, 12), ones, 0.0 * ones, moved))
        frames.append(array("f", row.ravel().tolist()))
    return ikrig.PoseClip(frames, 10.0)


def test_clips_play_blend_and_end():
    angles = np.zeros((4, 6))
    angles[:, 1] = 0.0, 0.1, 0.2, 0.3
    other = np.zeros((2, 6))
    other[:, 3] = 0.4
    clips = {"turn": clip_of(angles), "bend": clip_of(other)}
    character = ikrig.Character(NAMES, PARENTS, mats_of(np.zeros(6)), clips)
    pose = character.pose()
    player = character.player(pose)

    def angle(j: int) -> float:
        return float(np.arctan2(pose.local[j, 0, 1], pose.local[j, 0, 0]))

    player.sample(pose, 0.1)
    assert not pose.animated
    player.play("turn")
    for k in range(1, 9):
        player.sample(pose, 0.05)
        # half of a frame each, and from the last one to the first
        at = 0.5 * k % 4
        wanted = 0.1 * at if at <= 3 else 0.3 * (4 - at)
        assert angle(1) == pytest.approx(wanted, abs=2e-4)
    assert pose.animated
    player.play("turn", loop=False, rate=2.0)
    for _ in range(9):
        player.sample(pose, 0.05)
    assert angle(1) == pytest.approx(0.3, abs=1e-5)
    player.play("bend")
    player.sample(pose, 0.0)
    assert angle(1) == pytest.approx(0.15, abs=1e-3)
    assert angle(3) == pytest.approx(0.2, abs=1e-3)
    player.play("bend", weight=0.0)
    player.sample(pose, 0.0)
    assert angle(3) == 0.0
    with pytest.raises(ikrig.SettingError, match=r"no clip 'bnd'.*bend"):
        player.play("bnd")
    player.stop()
    player.sample(pose, 0.1)
    assert np.allclose(pose.local, mats_of(np.zeros(6)))
    for dt in (np.nan, -1.0, 1e300):
        player.play("turn", rate=-3.0)
        player.sample(pose, dt)
        assert np.isfinite(pose.local).all()
