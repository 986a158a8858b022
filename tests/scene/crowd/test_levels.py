"""Levels of detail of crowds, beside crowds that are posed in each frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.character.crowd_levels import LEVELS

from .twins import HUMANOID, TIME, make

HEIGHT = 1.75
CLIPS = len(LEVELS) - 1
"""The level of clips alone."""


class Walkers:
    """A crowd that walks and runs, with hands and gazes; levels are set by hand."""

    def __init__(self, count: int = 24, layers: bool = True) -> None:
        world = p3d.NodePath("world")
        rng = np.random.default_rng(3)
        self.crowd = crowd = ikrig.Crowd(str(HUMANOID), count, world, draw=False)
        crowd.headings[:] = rng.uniform(-3, 3, count)
        crowd.positions[:, :2] = rng.uniform(-5, 5, (count, 2))
        crowd.play("walk", phase=rng.random(count))
        crowd.update(0.0)
        self.hand = crowd.limb("right_hand")
        self.before = crowd.joint_positions("right_hand") - crowd.positions
        self.hand.weights[:] = layers
        crowd.look.weights[:] = layers
        self.frames = 0

    def levels(self) -> Any:
        """Return the array of levels, which no camera changes."""
        self.crowd._batch.set_levels(self.crowd.levels)
        self.crowd._set_view = lambda: None
        return self.crowd.detail

    def frame(self, dt: float = TIME) -> Any:
        """Return where all joints are, from where their members are."""
        crowd, k = self.crowd, self.frames
        if k % 50 == 20:
            name = "run" if k // 50 % 2 else "walk"
            which = np.arange(k // 50 % 3, len(crowd), 3)
            crowd.play(name, which, phase=0.3, fade=0.3)
        crowd.positions[:, 0] += 1.2 * dt * np.sin(crowd.headings)
        crowd.positions[:, 1] -= 1.2 * dt * np.cos(crowd.headings)
        moved = 0.1 * np.array([np.sin(0.1 * k), np.cos(0.13 * k), np.sin(0.07 * k)])
        self.hand.targets = crowd.positions + self.before + moved
        crowd.look.targets = crowd.positions + np.array(
            [2 * np.sin(0.02 * k), 2 * np.cos(0.02 * k), 1.5]
        )
        crowd.update(dt)
        self.frames += 1
        places = [crowd.joint_positions(joint) for joint in crowd.names]
        return np.array(places).swapaxes(0, 1) - crowd.positions[:, None]


def error_of(level: int, layers: bool = True, levels: Any = LEVELS) -> Any:
    """Return how far joints of members of a level are from where they should be.

    Returns:
        Root mean square and 99 % of it, at the largest size of the level [pixels of a
        picture of 1080].
    """
    ours, theirs = Walkers(layers=layers), Walkers(layers=layers)
    ours.crowd.levels = levels
    ours.levels()[:] = level
    away = []
    for _ in range(200):
        away.append(np.linalg.norm(ours.frame() - theirs.frame(), axis=2))
    pixels = 1080 * levels[max(level - 1, 0)].size / HEIGHT
    error = pixels * np.array(away[10:])
    return np.sqrt((error**2).mean()), np.percentile(error, 99)


@pytest.mark.parametrize(
    "level, mean, most",
    [(0, 0.0, 0.0), (1, 0.6, 2.3), (2, 0.6, 2.0), (CLIPS, 0.13, 0.6)],
)
def test_poses_of_each_level_are_as_near_as_the_guide_says(level, mean, most):
    found = error_of(level, level != CLIPS)
    assert found[0] <= mean and found[1] <= most


def test_no_level_begins_or_ends_with_a_step():
    """Joints are at most twice as fast as those of members of the best level."""
    ours, theirs = Walkers(), Walkers()
    levels = ours.levels()
    rng = np.random.default_rng(0)
    last: Any = None
    steps = []
    for frame in range(400):
        if frame % 7 == 0:
            levels[rng.integers(24, size=4)] = rng.integers(0, CLIPS)
        places = [ours.frame(), theirs.frame()]
        if last is not None:
            steps.append(np.linalg.norm(np.array(places) - last, axis=3))
        last = np.array(places)
    mine, others = np.array(steps).max(axis=0)
    assert (mine <= 2.0 * np.maximum(others, 0.005)).all()
    assert mine.max() < 1.1 * others.max()


@pytest.mark.parametrize("few", [False, ["look"], ["limbs"]])
def test_layers_come_and_go_smoothly(few):
    ours = Walkers()
    ours.crowd.levels = LEVELS[0], ikrig.CrowdLevel(layers=few)
    levels = ours.levels()
    last = ours.frame()
    for frame in range(120):
        levels[:] = frame // 30 % 2
        places = ours.frame()
        # a hand crosses from target to clip, at most as fast as a foot runs
        assert np.linalg.norm(places - last, axis=2).max() < 0.13, frame
        last = places


@pytest.mark.parametrize("kind, other", [("limbs", "look"), ("look", "limbs")])
def test_a_level_has_the_layers_that_it_names(kind, other):
    ours, theirs = Walkers(), Walkers()
    ours.crowd.levels = (ikrig.CrowdLevel(layers=[kind]),)
    ours.levels()[:] = 0
    {"limbs": theirs.hand, "look": theirs.crowd.look}[other].weights[:] = 0.0
    for _ in range(30):
        assert np.array_equal(ours.frame(), theirs.frame())
    hand = ours.crowd.joint_positions("right_hand")
    missed = np.linalg.norm(hand - ours.hand.targets, axis=1)
    assert (missed < 0.01).all() if kind == "limbs" else (missed > 0.01).any()


def test_a_goal_of_a_layer_that_a_level_has_not_does_not_matter():
    ours = Walkers()
    ours.crowd.levels = (ikrig.CrowdLevel(layers=["look"]),)
    ours.levels()[:] = 0
    ours.hand.weights[3] = np.nan
    ours.frame()
    assert not ours.crowd.bad.any()


@pytest.mark.parametrize("layers", [["hair"], [], "look", 1, None])
def test_layers_are_kinds(layers):
    with pytest.raises(ikrig.SettingError, match="limbs, feet, look, springs"):
        ikrig.CrowdLevel(layers=layers)


def looking(count: int = 40) -> tuple[ikrig.Crowd, p3d.NodePath]:
    """Return a crowd along the way of a camera at its origin, and the camera."""
    crowd = make("humanoid", count)
    crowd.scales[:] = 1.0
    crowd.positions[:] = 0.0
    crowd.positions[:, 1] = np.geomspace(2.0, 300.0, count)
    crowd.play("walk", phase=np.linspace(0, 1, count))
    lens = p3d.PerspectiveLens()
    lens.set_fov(40, 30)
    lens.set_near_far(0.1, 1000)
    camera = crowd.parent.attach_new_node(p3d.LensNode("camera", lens))
    camera.set_z(1.0)
    crowd.camera = camera
    return crowd, camera


def test_levels_follow_the_size_in_the_picture():
    crowd, _ = looking()
    crowd.update(TIME)
    # the rest pose is as wide as it is high, from finger to finger
    part = 1.75 / crowd.positions[:, 1] / (2 * np.tan(np.radians(15)))
    sizes = [level.size for level in crowd.levels]
    for level, least, most in zip(range(4), sizes, [np.inf, *sizes], strict=False):
        sure = (part > 1.15 * least) & (part < 0.87 * most)
        assert sure.any() and (crowd.detail[sure] == level).all(), level


def test_a_level_does_not_flicker():
    crowd, camera = looking()
    found = set()
    for frame in range(8):
        camera.set_y(0.02 * frame % 2)
        crowd.positions[:, 1] *= 1.03 if frame % 2 else 1 / 1.03
        crowd.update(TIME)
        found.add(tuple(crowd.detail) if frame else ())
    assert len(found) <= 3


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_members_out_of_view_are_not_posed(scale):
    crowd, camera = looking(60)
    world = crowd.parent.attach_new_node("world")
    world.set_scale(scale)
    rng = np.random.default_rng(5)
    crowd.parent = world
    camera.reparent_to(world)
    camera.set_scale(camera, 1.0 / scale)
    crowd.positions[:] = rng.uniform(-30, 30, (60, 3)) * [1, 1, 0.2]
    crowd.update(TIME)
    before, clocks = crowd.palette.copy(), crowd._batch.time.copy()
    camera.set_h(70)
    crowd.update(TIME)
    seen = np.zeros(60, bool)
    lens: Any = camera.node().get_lens()
    for i, place in enumerate(crowd.positions):
        for height in (0.1, 0.9, 1.7):
            point = p3d.Point3(*place) + p3d.Vec3(0, 0, height)
            spot = camera.get_relative_point(world, point)
            seen[i] |= lens.project(spot, p3d.Point2())
    out = crowd.detail < 0
    assert seen.any() and not (seen & out).any()
    # behind the camera, beyond any margin
    behind = camera.get_mat(world).get_row3(1).normalized()
    along = (crowd.positions - np.array(camera.get_pos(world))) @ np.array(behind)
    assert out[along < -8.0].all() and (along < -8.0).any()
    assert (crowd.palette[out] == before[out]).all()
    assert (crowd._batch.time[out, 0] != clocks[out, 0]).all()
    crowd.camera = None
    crowd.update(TIME)
    assert (crowd.detail == 0).all() and (crowd.palette != before).any(
        axis=(1, 2, 3)
    ).all()


def test_cameras_of_all_kinds_and_none():
    crowd, camera = looking()
    lens = p3d.OrthographicLens()
    lens.set_film_size(40, 20)
    camera.node().set_lens(lens)
    crowd.update(TIME)
    # as large wherever they are
    assert len(set(crowd.detail[crowd.detail >= 0])) == 1
    camera.remove_node()
    crowd.update(TIME)
    assert (crowd.detail == 0).all()
    with pytest.raises(ikrig.BindError, match="camera must be the node of one"):
        crowd.camera = crowd.parent
    with pytest.raises(ikrig.SettingError, match="must fall in size"):
        crowd.levels = LEVELS[::-1]
    with pytest.raises(ikrig.SettingError, match="1 to 8 CrowdLevels"):
        crowd.levels = [1.0]
    with pytest.raises(ikrig.SettingError, match="rate must be"):
        ikrig.CrowdLevel(rate=-1.0)


def test_goals_that_are_not_finite_keep_the_last_pose_between_keys():
    walkers = Walkers(4)
    walkers.levels()[:] = [1, 2, 2, CLIPS]
    for _ in range(12):
        walkers.frame()
    before = walkers.hand.targets.copy()
    for _ in range(12):
        walkers.hand.targets[:2] = np.nan
        walkers.crowd.update(TIME)
    assert walkers.crowd.bad.tolist() == [True, True, False, False]
    assert np.isfinite(walkers.crowd.palette).all()
    walkers.hand.targets = before
    walkers.crowd.update(TIME)
    assert not walkers.crowd.bad.any()


def test_promotion_from_any_level_pops_nothing():
    ours, theirs = Walkers(6), Walkers(6)
    ours.levels()[:] = [0, 1, 1, 2, 2, CLIPS]
    last: Any = None
    step = 0.0
    for frame in range(60):
        places, others = ours.frame(), theirs.frame()
        if frame == 31:
            rigs = [ours.crowd.promote(i) for i in range(5)]
            for i, rig in enumerate(rigs):
                for name in ("Hips", "LeftFoot", "Head"):
                    at = rig.joint(name).get_pos(ours.crowd.parent)
                    k = ours.crowd.names.index(name)
                    away = np.linalg.norm(at - ours.crowd.positions[i] - places[i, k])
                    assert away < 2.5 * step, (i, name)
            break
        if last is not None:
            step = max(step, float(np.linalg.norm(others - last, axis=2).max()))
        last = others
