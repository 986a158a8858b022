"""FootPlacement in single situations, checked on Panda3D's joints and skin."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.motions import humanoid

from .course import HUMANOID, nets, skin
from .stage import Stage

FEET = ["LeftFoot", "RightFoot"]
JOINTS = [
    "Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightLeg", "RightFoot", "Head",
]  # fmt: skip
LEG = 0.84
SPEED = 1.25  # of the walk


def level(x: float, y: float) -> float:
    return 0.0


def person(stage: Stage, clip: str = "idle") -> Actor:
    actor = stage.add(Actor(str(HUMANOID)))
    actor.set_blend(frameBlend=True)
    actor.loop(clip)
    return actor


def place_feet(
    stage: Stage, actor: Actor, ground=level, **settings
) -> tuple[ikrig.ActorRig, ikrig.FootPlacement]:
    rig = ikrig.ActorRig(actor)
    feet = ikrig.FootPlacement(rig, ground, **settings)
    rig.start(stage.task_mgr)
    return rig, feet


def places(actor: Actor, joints: list[str] = JOINTS) -> np.ndarray:
    # nothing is drawn here that would update an Actor without a rig
    actor.get_part_bundle("modelRoot").force_update()
    return nets(actor, joints)[:, 3, :3]


def plate(
    above: p3d.NodePath, z: float = 0.0, size: float = 5.0, *, tangible: bool = True
) -> p3d.NodePath:
    node = p3d.CollisionNode("plate")
    corners = ((-size, -size), (size, -size), (size, size), (-size, size))
    solid = p3d.CollisionPolygon(*(p3d.LPoint3(x, y, z) for x, y in corners))
    solid.set_tangible(tangible)
    node.add_solid(solid)
    return above.attach_new_node(node)


def frames(
    stage: Stage, actor: Actor, count: int, move: Callable[[float], None] | None = None
) -> np.ndarray:
    """Run frames; return where the joints were, (count, joints, 3)."""
    found = []
    for k in range(count):
        if move is not None:
            move((k + 1) / 60.0)
        stage.step()
        found.append(places(actor))
    return np.array(found)


# -- what it must not change -----------------------------------------------------------


@pytest.mark.parametrize("clip", ["idle", "walk", "run"])
def test_flat_ground_keeps_the_animation(stage: Stage, clip: str) -> None:
    speed = {"idle": 0.0, "walk": SPEED, "run": 3.3}[clip]
    actor, other = person(stage, clip), person(stage, clip)
    place_feet(stage, actor)

    def move(time: float) -> None:
        for each in (actor, other):
            each.set_y(-speed * time)

    for k in range(60):
        move(k / 60.0)
        stage.step()
        away = np.abs(places(actor) - places(other)).max(axis=1) / LEG
        # a foot that leaves the ground is held for a moment more
        assert away.max() < 0.08
        assert away[JOINTS.index("Hips")] < 0.01


def test_weight_0_keeps_the_animation(stage: Stage) -> None:
    actor, other = person(stage, "walk"), person(stage, "walk")
    place_feet(stage, actor, lambda x, y: 0.3 * x + 0.1, weight=0.0)
    for _ in range(20):
        stage.step()
        assert np.abs(places(actor) - places(other)).max() < 1e-4


def test_fade_causes_no_jump(stage: Stage) -> None:
    actor = person(stage)
    _, feet = place_feet(stage, actor, lambda x, y: 0.15 if x > 0.0 else -0.1)
    frames(stage, actor, 60)
    for weight in (0.0, 1.0):
        feet.fade(weight, 0.5)
        seen = frames(stage, actor, 60)
        steps = np.linalg.norm(np.diff(seen, axis=0), axis=2)
        assert steps.max() < 0.02
        assert feet.weight == weight
    left, right = places(actor, FEET)[:, 2]
    assert left - right == pytest.approx(0.25, abs=0.01)


# -- standing --------------------------------------------------------------------------


def test_feet_stand_on_separate_steps(stage: Stage) -> None:
    actor = person(stage)
    rest = places(actor)
    place_feet(stage, actor, lambda x, y: 0.1 if x > 0.0 else -0.2)
    stage.step(60)
    now = dict(zip(JOINTS, places(actor) - rest, strict=True))
    assert now["LeftFoot"][2] == pytest.approx(0.1, abs=0.01)
    assert now["RightFoot"][2] == pytest.approx(-0.2, abs=0.01)
    # the lower foot's leg was nearly straight: the hips follow it
    assert -0.25 < now["Hips"][2] < -0.12
    assert now["Head"][2] == pytest.approx(now["Hips"][2], abs=0.02)


@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, 1.0), (-0.7, 0.7)])
@pytest.mark.parametrize("kind", ["heights", "normals"])
def test_soles_lie_on_a_slope(stage: Stage, way: tuple, kind: str) -> None:
    rise = math.tan(math.radians(20.0))
    slope = rise * np.array(way)

    def ground(x: float, y: float):
        height = float(slope @ (x, y))
        if kind == "heights":
            return height
        # a normal of any length
        return height, (-0.4 * slope[0], -0.4 * slope[1], 0.4)

    actor = person(stage)
    place_feet(stage, actor, ground)
    stage.step(60)
    points = skin(actor)
    above = points[:, 2] - points[:, :2] @ slope
    assert above.min() == pytest.approx(0.0, abs=0.008)
    # heel and ball of both feet, not only an edge of one
    for side in (-1.0, 1.0):
        low = points[(above < 0.012) & (side * points[:, 0] > 0.0)]
        assert np.ptp(low[:, 1]) > 0.15


def test_too_steep_slopes_are_not_followed(stage: Stage) -> None:
    actor = person(stage)
    before = nets(actor, ["LeftFoot"])[0, :3, :3]
    place_feet(stage, actor, lambda x, y: y, max_tilt=math.radians(25.0))
    stage.step(60)
    turn = before.T @ nets(actor, ["LeftFoot"])[0, :3, :3]
    angle = math.acos((np.trace(turn) - 1.0) / 2.0)
    assert angle == pytest.approx(math.radians(25.0), abs=math.radians(2.0))


def test_walls_and_pits_are_not_stepped_on(stage: Stage) -> None:
    actor, other = person(stage), person(stage)
    place_feet(stage, actor, lambda x, y: 3.0 if x > 0.0 else -3.0)
    stage.step(60)
    assert np.abs(places(actor) - places(other)).max() < 0.03


def test_floating_actor_is_lowered_to_the_ground(stage: Stage) -> None:
    actor, other = person(stage), person(stage)
    place_feet(stage, actor)
    stage.step(30)
    for height in (0.15, -0.1):
        actor.set_z(height)
        stage.step(60)
        assert np.abs(places(actor) - places(other)).max() < 0.02


# -- what moves ------------------------------------------------------------------------


def test_standing_feet_stay_while_the_actor_rotates_and_drifts(stage: Stage) -> None:
    actor = person(stage)
    _, feet = place_feet(stage, actor)
    stage.step(30)
    assert all(target_offset > 0.99 for target_offset in feet.planted.values())

    def move(time: float) -> None:
        actor.set_pos_hpr(0.1 * time, 0.12 * time, 0.0, 20.0 * time, 0.0, 0.0)

    seen = frames(stage, actor, 50, move)
    for name in FEET:
        track = seen[:, JOINTS.index(name)]
        # the ankle is above what stands and turns with the idling leg a bit
        assert np.linalg.norm(track - track[0], axis=1).max() < 0.012


def test_foot_slips_before_it_is_too_far_behind(stage: Stage) -> None:
    actor = person(stage)
    place_feet(stage, actor, lock_distance=0.2)
    stage.step(30)

    def move(time: float) -> None:
        actor.set_y(-0.5 * time)

    seen = frames(stage, actor, 90, move)
    behind = seen[-1, :, 1] + 0.5 * 90 / 60.0 - seen[0, :, 1]
    assert max(behind[JOINTS.index(name)] for name in FEET) < 0.2 * LEG + 0.01
    steps = np.linalg.norm(np.diff(seen, axis=0), axis=2)
    # feet step after it, one by one, at three times its speed
    assert steps.max() < 3.0 * 0.5 / 60.0
    stood = steps[:, [JOINTS.index(name) for name in FEET]] < 0.001
    assert stood.any(axis=1).mean() > 0.7


def test_unlocked_feet_move_with_the_actor(stage: Stage) -> None:
    actor = person(stage)
    place_feet(stage, actor, lock=0.0)
    stage.step(10)
    before = places(actor, FEET)
    actor.set_y(-0.1)
    stage.step()
    assert (places(actor, FEET) - before)[:, 1] == pytest.approx(-0.1, abs=0.01)


@pytest.mark.parametrize("carries", [True, False], ids=["carried", "left behind"])
def test_platform_carries_feet(stage: Stage, carries: bool) -> None:
    ground = stage.render.attach_new_node("level")
    platform = plate(ground)
    actor = person(stage)
    place_feet(stage, actor, ground)
    stage.step(30)

    def move(time: float) -> None:
        platform.set_pos_hpr(0.0, 0.0, 0.2 * time, 10.0 * time, 0.0, 0.0)
        if carries:
            actor.set_pos_hpr(platform.get_pos(), platform.get_hpr())
        else:
            actor.set_z(platform.get_z())

    start = [platform.get_relative_point(stage.render, p3d.LPoint3(*p))
             for p in places(actor, FEET)]  # fmt: skip
    for k in range(60):
        move((k + 1) / 60.0)
        stage.step()
        for foot, place in zip(places(actor, FEET), start, strict=True):
            on = platform.get_relative_point(stage.render, p3d.LPoint3(*foot))
            assert (on - place).length() < 0.012


def test_hips_rise_with_a_lift_without_delay(stage: Stage) -> None:
    ground = stage.render.attach_new_node("level")
    platform = plate(ground)
    actor = person(stage)
    place_feet(stage, actor, ground)
    stage.step(30)
    before = places(actor)[0, 2]

    def move(time: float) -> None:
        platform.set_z(0.5 * time)
        actor.set_z(0.5 * time)

    seen = frames(stage, actor, 60, move)[:, 0, 2]
    expected = before + 0.5 * np.arange(1, 61) / 60.0
    assert np.abs(seen - expected).max() < 0.01


def test_teleports_reset_the_feet(stage: Stage) -> None:
    actor, other = person(stage), person(stage)
    place_feet(stage, actor, lambda x, y: 0.0 if y > -10.0 else 4.0)
    stage.step(30)
    for each in (actor, other):
        each.set_pos(3.0, -20.0, 4.0)
    stage.step()
    assert np.abs(places(actor) - places(other)).max() < 0.015


@pytest.mark.parametrize("first", range(0, 40, 4))
def test_a_figure_that_enters_as_it_walks_keeps_its_animation(stage, first) -> None:
    actor, other = person(stage, "walk"), person(stage, "walk")
    _, feet = place_feet(stage, actor)
    count = actor.get_num_frames("walk")
    rate = actor.get_anim_control("walk").get_frame_rate()

    def move(time: float) -> None:
        for each in (actor, other):
            each.pose("walk", (first / 40.0 * count + time * rate) % count)
            each.set_y(-SPEED * time)

    found, own = [], []
    for k in range(6):
        move(k / 60.0)
        stage.step()
        found.append(places(actor, FEET))
        own.append(places(other, FEET))
        # two frames tell how fast the clip goes, and so what it does
        assert k == 0 or all(foot.plan.state for foot in feet._planner.feet)
    # feet that were taken to stand were dragged by 5 cm in the second frame
    steps, clip = np.diff(found, axis=0), np.diff(own, axis=0)
    assert np.abs(steps - clip)[..., :2].max() < 0.002
    # one that is to swing is soon off the ground, and comes down later than its clip
    up, own_up = steps[..., 2], clip[..., 2]
    assert (up - np.maximum(own_up, 0.0)).max() < 0.01
    assert (np.minimum(own_up, 0.0) - up).max() < 0.01


# -- rays ------------------------------------------------------------------------------


def test_rays_use_the_collision_mask(stage: Stage) -> None:
    ground = stage.render.attach_new_node("level")
    plate(ground, 0.1)
    plate(ground, 0.2).set_collide_mask(p3d.BitMask32.bit(5))
    plate(ground, 0.3, tangible=False)
    heights = {}
    for bit in (1, 5):
        actor = person(stage)
        rest = places(actor, FEET)[:, 2]
        place_feet(stage, actor, ground, mask=p3d.BitMask32.bit(bit))
        stage.step(60)
        heights[bit] = places(actor, FEET)[:, 2] - rest
    assert heights[1] == pytest.approx(0.1, abs=0.005)
    assert heights[5] == pytest.approx(0.2, abs=0.005)


def test_own_hit_boxes_are_not_ground(stage: Stage) -> None:
    plate(stage.render)
    actor = person(stage)
    plate(actor, 0.25, 0.4)
    rest = places(actor, FEET)
    place_feet(stage, actor, stage.render)
    stage.step(30)
    assert np.abs(places(actor, FEET) - rest).max() < 0.01


# -- bodies ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "above"),
    [((1, 1, 1), 1.0), ((2.5, 2.5, 2.5), 1.0), ((1, 1, 1), 0.01), ((-1, 1, 1), 3.0)],
)
def test_figures_of_any_size_stand_on_a_slope(stage, scale, above):
    rise = math.tan(math.radians(15.0))
    holder = stage.render.attach_new_node("holder")
    holder.set_scale(above)
    holder.set_h(40.0)
    actor = person(stage)
    actor.reparent_to(holder)
    actor.set_scale(*scale)
    size = abs(scale[0]) * above
    place_feet(stage, actor, lambda x, y: rise * y)
    stage.step(60)
    points = skin(actor)
    lowest = (points[:, 2] - rise * points[:, 1]).min()
    assert lowest == pytest.approx(0.0, abs=0.01 * size)


def test_feet_survive_flatten_and_detach_leaves_nothing(stage: Stage) -> None:
    actor, other = person(stage), person(stage)
    rig, _ = place_feet(stage, actor, lambda x, y: 0.1)
    stage.step(10)
    actor.flatten_strong()
    stage.step(30)
    assert places(actor, FEET)[:, 2] - places(other, FEET)[:, 2] == pytest.approx(
        0.1, abs=0.01
    )
    rig.detach()
    stage.step()
    assert np.abs(places(actor) - places(other)).max() < 1e-4


def test_feet_and_hips_of_the_panda_are_found(stage: Stage) -> None:
    actor = stage.body("panda")
    rig, feet = place_feet(stage, actor, stance=("walk", 30))
    assert set(feet.planted) == {f"Bone_{leg}_foot" for leg in ("lf", "rf", "lr", "rr")}
    assert all(name in str(feet) for name in feet.planted)
    names = [chain.leaf.get_name() for chain in rig.chains]
    feet.remove()
    assert sorted(names) == sorted(feet.planted)
    assert rig.chains == ()


def test_joints_without_skin_have_soles(stage: Stage) -> None:
    actor = person(stage)
    for node in actor.find_all_matches("**/+GeomNode"):
        node.remove_node()
    rest = places(actor, FEET)[:, 2]
    place_feet(stage, actor, lambda x, y: 0.1)
    stage.step(60)
    assert places(actor, FEET)[:, 2] - rest == pytest.approx(0.1, abs=0.01)


# -- mistakes --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"feet": ["LeftFot"]}, ["LeftFot", "LeftFoot"]),
        ({"feet": "LeftFoot"}, ["list of joint names"]),
        ({"feet": []}, ["list of joint names"]),
        ({"hips": ["Hip"]}, ["'Hip'", "Hips"]),
        ({"stance": ("wlk", 0)}, ["wlk", "walk"]),
        ({"ground": 3.0}, ["ground", "3.0"]),
        ({"ground": p3d.NodePath("empty")}, ["mask", "CollisionNode"]),
        ({"max_tilt": 2.0}, ["max_tilt", "1.4", "2.0"]),
        ({"lock": -0.1}, ["lock", "-0.1"]),
        ({"foot_seconds": float("nan")}, ["foot_seconds"]),
        ({"max_tlt": 0.5}, ["max_tlt", "max_tilt"]),
        ({"weight": 2.0}, ["weight"]),
        ({"chain_length": 40}, ["chain_length"]),
    ],
)
def test_errors_are_named(stage: Stage, settings: dict, words: list[str]) -> None:
    actor = person(stage)
    rig = ikrig.ActorRig(actor)
    with pytest.raises(ikrig.IkrigError) as caught:
        ikrig.FootPlacement(rig, **{"ground": level, **settings})
    for word in words:
        assert word in str(caught.value)
    assert rig.layers == ()


@pytest.mark.parametrize("name", ["step_height", "lock", "hips_seconds", "max_tilt"])
def test_settings_are_checked_when_set(stage: Stage, name: str) -> None:
    _, feet = place_feet(stage, person(stage))
    with pytest.raises(ikrig.SettingError, match=name):
        setattr(feet, name, -1.0)
    setattr(feet, name, 0.25)
    assert getattr(feet, name) == 0.25


def test_every_setting_accepts_0(stage: Stage) -> None:
    actor = person(stage, "walk")
    _, feet = place_feet(stage, actor, lambda x, y: 0.2 * x - 0.1)
    for name in vars(feet.settings):
        setattr(feet, name, 0.0)
    frames(stage, actor, 20, lambda time: actor.set_y(-SPEED * time))
    assert np.isfinite(places(actor)).all()


@pytest.mark.parametrize("kind", ["raises", "nan", "none", "text"])
def test_failing_ground_counts_as_none(stage: Stage, kind: str, capfd) -> None:
    bad = [False]

    def ground(x: float, y: float):
        if not bad[0]:
            return 0.1
        if kind == "raises":
            raise RuntimeError("no map")
        return {"nan": float("nan"), "none": None, "text": "high"}[kind]

    actor, other = person(stage), person(stage)
    place_feet(stage, actor, ground)
    stage.step(30)
    bad[0] = True
    stage.step(60)
    assert np.abs(places(actor) - places(other)).max() < 0.015
    said = capfd.readouterr().err
    assert said.count("failed: ") == (kind in ("raises", "text"))
    bad[0] = False
    stage.step(60)
    assert (places(actor) - places(other))[:, 2] == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("loss", ["ground", "platform", "lying", "size"])
def test_removed_nodes_do_not_raise(stage: Stage, loss: str, capfd) -> None:
    ground = stage.render.attach_new_node("level")
    platform = plate(ground, 0.1)
    actor = person(stage)
    place_feet(stage, actor, ground)
    stage.step(30)
    if loss == "ground":
        ground.remove_node()
    elif loss == "platform":
        platform.remove_node()
    elif loss == "lying":
        actor.set_p(90.0)
    else:
        actor.set_scale(0.0)
    stage.step(30)
    assert capfd.readouterr().err.count("ikrig") == (loss != "platform")
    actor.set_p(0.0)
    actor.set_scale(1.0)
    stage.step(30)
    assert np.isfinite(places(actor)).all()


def test_feet_that_a_clip_holds_up_while_they_stand_are_put_down(stage: Stage) -> None:
    motion = humanoid("idle")
    places = motion.positions.copy()
    turn = np.linspace(0.0, 2.0 * math.pi, len(motion))
    places[:, 0, 2] -= 0.03 * np.cos(turn)
    figure = stage.add(ikrig.StickFigure(motion.with_changes(positions=places)))
    figure.set_blend(frameBlend=True)
    rig, _ = place_feet(stage, figure)
    seen = ikrig.quality.watch(rig, ground=0.0, task_mgr=stage.task_mgr)
    figure.loop(figure.get_anim_names()[0])
    stage.step(len(motion))
    float_ = seen.report()["float"].found
    # 3 cm above where they mostly stand in the clip
    assert float_.value < 0.7
