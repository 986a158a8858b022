"""Grounds below feet: the same hill in every form, and moving ones."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.behaviours.ground import make_ground, mat_of
from ikrig.scene.behaviours.node_ground import SCAN_FRAMES, NodeGround

from .course import HUMANOID, nets, skin
from .people import make_actor, two_legs
from .stage import Stage

FEET = ["LeftFoot", "RightFoot"]
RISES = 0.25, -0.15
SIZE = 4.0


def height(x: float, y: float) -> float:
    return RISES[0] * x + RISES[1] * y + 0.05


def person(stage: Stage, at: tuple[float, float] = (0.0, 0.0)) -> Actor:
    actor = stage.add(Actor(str(HUMANOID)))
    actor.set_blend(frameBlend=True)
    actor.loop("idle")
    actor.set_pos(*at, height(*at))
    return actor


def corners(size: float = SIZE) -> list[p3d.LPoint3]:
    spots = ((-size, -size), (size, -size), (size, size), (-size, size))
    return [p3d.LPoint3(x, y, height(x, y)) for x, y in spots]


def polygon(stage: Stage) -> p3d.NodePath:
    node = p3d.CollisionNode("hill")
    node.add_solid(p3d.CollisionPolygon(*corners()))
    return stage.render.attach_new_node("level").attach_new_node(node).get_parent()


def mirrored(stage: Stage) -> p3d.NodePath:
    node = p3d.CollisionNode("hill")
    points = [p3d.LPoint3(-x, y, z) for x, y, z in corners()]
    node.add_solid(p3d.CollisionPolygon(*points[::-1]))
    level = stage.render.attach_new_node("level")
    level.attach_new_node(node).set_sx(-1.0)
    return level


def plane(stage: Stage) -> p3d.NodePath:
    # a solid without triangles: rays hit it
    a, b, c, _ = corners()
    node = p3d.CollisionNode("hill")
    node.add_solid(p3d.CollisionPlane(p3d.LPlane(a, b, c)))
    return stage.render.attach_new_node("level").attach_new_node(node).get_parent()


def visible(stage: Stage) -> p3d.NodePath:
    maker = p3d.CardMaker("hill")
    a, b, c, d = corners()
    maker.set_frame(a, b, c, d)
    return stage.render.attach_new_node(maker.generate())


def field(stage: Stage) -> ikrig.Heightfield:
    ways = np.linspace(-SIZE, SIZE, 5)
    heights = [[height(x, y) for x in ways] for y in ways]
    return ikrig.Heightfield(heights, (-SIZE, -SIZE), (2 * SIZE, 2 * SIZE))


def bullet(stage: Stage):
    physics = pytest.importorskip("panda3d.bullet", reason="panda3d without Bullet")
    mesh = physics.BulletTriangleMesh()
    a, b, c, d = corners()
    mesh.add_triangle(a, b, c)
    mesh.add_triangle(a, c, d)
    body = physics.BulletRigidBodyNode("hill")
    body.add_shape(physics.BulletTriangleMeshShape(mesh, dynamic=False))
    body.set_into_collide_mask(p3d.BitMask32.all_on())
    world = physics.BulletWorld()
    world.attach(stage.render.attach_new_node(body).node())
    return world


KINDS = {
    "function": lambda stage: height,
    "field": field,
    "polygon": polygon,
    "mirrored": mirrored,
    "plane": plane,
    "visible": visible,
    "bullet": bullet,
}


@pytest.mark.parametrize("kind", KINDS)
def test_soles_lie_on_the_hill_in_every_form(stage: Stage, kind: str) -> None:
    actor = person(stage, (0.3, -0.4))
    mask = p3d.GeomNode.get_default_collide_mask() if kind == "visible" else None
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, KINDS[kind](stage), mask=mask)
    rig.start(stage.task_mgr)
    stage.step(60)
    points = skin(actor)
    above = points[:, 2] - points[:, :2] @ RISES - 0.05
    assert above.min() == pytest.approx(0.0, abs=0.008)
    for foot in nets(actor, FEET)[:, 3, :3]:
        near = np.linalg.norm(points[:, :2] - foot[:2], axis=1) < 0.2
        assert above[near].min() == pytest.approx(0.0, abs=0.012)


@pytest.mark.parametrize(("clip", "most"), [("idle", 50), ("walk", 100)])
def test_function_is_asked_little_on_smooth_ground(stage: Stage, clip, most) -> None:
    asked = []

    def hill(x: float, y: float) -> float:
        asked.append(x)
        return height(x, y) + 0.02 * math.sin(x + y)

    actor = person(stage)
    actor.loop(clip)
    ikrig.FootPlacement(ikrig.ActorRig(actor).start(stage.task_mgr), ground=hill)
    stage.step(60)
    asked.clear()
    stage.step(60)
    # 8 corners of 2 soles, twice a frame, and what is ahead: 240 with each one's slope
    assert len(asked) / 60 < most


def test_model_without_collision_geometry_is_refused_with_the_fix(stage: Stage):
    level = visible(stage)
    rig = ikrig.ActorRig(person(stage))
    with pytest.raises(ikrig.BindError, match="has no geometry with mask 0xfffff") as e:
        ikrig.FootPlacement(rig, level)
    call = str(e.value).rsplit(" with ", 1)[1]
    assert call == "mask=GeomNode.get_default_collide_mask()"
    ikrig.FootPlacement(rig, level, mask=p3d.GeomNode.get_default_collide_mask())


def box(above: p3d.NodePath, top: float, size: float = 1.0) -> p3d.NodePath:
    node = p3d.CollisionNode("box")
    node.add_solid(p3d.CollisionBox(p3d.LPoint3(0, 0, top - 1.0), size, size, 1.0))
    return above.attach_new_node(node)


def settled(stage: Stage, actor: Actor, frames: int = 40) -> float:
    stage.step(frames)
    return float(nets(actor, FEET)[:, 3, 2].mean() - actor.get_z())


def test_added_ground_is_searched_for_every_16_frames() -> None:
    scene = p3d.NodePath("scene")
    level, actor = (scene.attach_new_node(name) for name in ("level", "actor"))
    box(level, 0.0)
    ground = NodeGround(level, p3d.BitMask32.all_on())
    for known in (1, 2):
        box(level, 0.2)
        for frame in range(SCAN_FRAMES):
            assert mat_of(ground.mats, known) is None, frame
            ground.begin(actor, 1.0, 1.0)
        assert mat_of(ground.mats, known) is not None


def test_added_moved_hidden_and_removed_ground_counts(stage: Stage) -> None:
    above = stage.render.attach_new_node("above")
    level = above.attach_new_node("level")
    box(level, 0.0, 5.0)
    actor = person(stage)
    actor.set_z(0.0)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, level)
    rig.start(stage.task_mgr)
    rest = settled(stage, actor)
    new = box(level, 0.2)
    assert settled(stage, actor, SCAN_FRAMES + 40) == pytest.approx(
        rest + 0.2, abs=0.01
    )
    new.set_z(-0.1)
    assert settled(stage, actor) == pytest.approx(rest + 0.1, abs=0.01)
    new.set_pos(0.0, 3.0, 0.0)
    assert settled(stage, actor) == pytest.approx(rest, abs=0.01)
    new.set_pos(0.0, 0.0, 0.0)
    new.set_collide_mask(p3d.BitMask32.all_off())
    assert settled(stage, actor, SCAN_FRAMES + 40) == pytest.approx(rest, abs=0.01)
    new.set_collide_mask(p3d.BitMask32.all_on())
    assert settled(stage, actor, SCAN_FRAMES + 40) == pytest.approx(
        rest + 0.2, abs=0.01
    )
    new.remove_node()
    assert settled(stage, actor, SCAN_FRAMES + 40) == pytest.approx(rest, abs=0.01)
    above.set_z(0.1)
    assert settled(stage, actor) == pytest.approx(rest + 0.1, abs=0.01)


def test_bullet_rays_ignore_the_actors_own_body(stage: Stage) -> None:
    """The body of each floor is told from the next, whichever was hit first."""
    physics = pytest.importorskip("panda3d.bullet", reason="panda3d without Bullet")
    world = physics.BulletWorld()

    def slab(above: p3d.NodePath, top: float, pitch: float = 0.0) -> p3d.NodePath:
        node = physics.BulletRigidBodyNode("slab")
        half = p3d.LVector3(2.0, 2.0, 0.05)
        node.add_shape(physics.BulletBoxShape(half))
        node.set_into_collide_mask(p3d.BitMask32.all_on())
        world.attach(node)
        path = above.attach_new_node(node)
        path.set_pos_hpr(0.0, 0.0, top - 0.05, 0.0, pitch, 0.0)
        return path

    actor = stage.add(Actor(str(HUMANOID)))
    slab(stage.render, -0.5)
    floor, own = slab(stage.render, 0.0), slab(actor, 0.9)
    ground = make_ground(world, p3d.BitMask32.all_on())

    def seen(depth: float = 5.0) -> tuple | None:
        ground.begin(actor, 1.0, depth)
        return ground._query(0.1, 0.2, 2.0)

    height, a, b, number = seen()
    assert (height, a, b) == pytest.approx((0.0, 0.0, 0.0), abs=1e-5)
    assert mat_of(ground.mats, number) == floor.get_mat()
    floor.set_p(20.0)
    height, a, b, _ = seen()
    assert (a, b) == pytest.approx((0.0, math.tan(math.radians(20))), abs=1e-4)
    assert height == pytest.approx(
        -0.05 + 0.05 / math.cos(math.radians(20)) + 0.2 * b, abs=1e-4
    )
    floor.node().set_into_collide_mask(p3d.BitMask32.all_off())
    assert seen()[0] == pytest.approx(-0.5, abs=1e-5)
    # no deeper than asked
    assert seen(2.4) is None
    own.detach_node()
    world.remove(own.node())
    assert seen()[0] == pytest.approx(-0.5, abs=1e-5)


def test_rigs_share_a_ground_that_moves_in_the_same_frame(stage: Stage):
    level = stage.render.attach_new_node("level")
    lift = box(level, 0.0, 9.0)
    people = [person(stage, (2.0 * k, 0.0)) for k in range(3)]
    rigs = []
    for actor in people:
        actor.set_z(0.0)
        rigs.append(ikrig.ActorRig(actor))
        ikrig.FootPlacement(rigs[-1], level)
    mask = p3d.CollisionNode.get_default_collide_mask()
    assert NodeGround.of(level, mask) is NodeGround.of(level, mask)
    stage.step(30)
    for rig in rigs:
        rig.update(1 / 60)
    before = [nets(actor, FEET)[:, 3, :3] for actor in people]
    for k in range(20):
        # no clock ticks here: each rig's next frame is the ground's next frame
        lift.set_z(0.01 * (k + 1))
        for actor, rig in zip(people, rigs, strict=True):
            actor.set_z(0.01 * (k + 1))
            rig.update(1 / 60)
    for actor, feet in zip(people, before, strict=True):
        moved = nets(actor, FEET)[:, 3, :3] - feet
        assert moved[:, 2] == pytest.approx(0.2, abs=0.005)
        assert np.abs(moved[:, :2]).max() < 0.01


def test_feet_rotate_with_a_turntable(stage: Stage) -> None:
    level = stage.render.attach_new_node("level")
    table = box(level, 0.0, 9.0)
    actor = person(stage)
    actor.set_z(0.0)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, level)
    rig.start(stage.task_mgr)
    stage.step(30)
    start = [table.get_relative_point(stage.render, p3d.LPoint3(*p))
             for p in nets(actor, FEET)[:, 3, :3]]  # fmt: skip
    for k in range(90):
        table.set_h(0.8 * (k + 1))
        actor.set_h(0.8 * (k + 1))
        stage.step()
        for foot, place in zip(nets(actor, FEET)[:, 3, :3], start, strict=True):
            on = table.get_relative_point(stage.render, p3d.LPoint3(*foot))
            assert (on - place).length() < 0.012


# -- stairs, and what stands still -----------------------------------------------------


def knees(actor: Actor) -> np.ndarray:
    angles = []
    for side in ("Left", "Right"):
        names = [f"{side}{part}" for part in ("UpLeg", "Leg", "Foot")]
        hip, knee, foot = nets(actor, names)[:, 3, :3]
        a, b = knee - hip, foot - knee
        cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        angles.append(math.degrees(math.acos(max(-1.0, min(1.0, cosine)))))
    return np.array(angles)


def stairs(way: float, rise: float) -> float:
    return rise * min(max(math.floor((way - 1.5) / 0.29) + 1, 0), 5)


def ramp(way: float, rise: float) -> float:
    return rise * min(max(way - 1.5, 0.0), 1.5)


def corner(way: float, rise: float) -> float:
    return rise * max(0.0, 1.2 - abs(way - 2.7))


@pytest.fixture(scope="module")
def flat_step() -> float:
    return largest_step(lambda way: 0.0)


def largest_step(profile) -> float:
    made = Stage()
    try:
        actor = made.add(Actor(str(HUMANOID)))
        actor.set_blend(frameBlend=True)
        rig = ikrig.ActorRig(actor)
        ikrig.FootPlacement(rig, lambda x, y: profile(-y))
        seen = []
        for k in range(230):
            way = 1.25 * k / 60
            actor.set_pos(0.0, -way, profile(way))
            actor.get_anim_control("walk").pose(k % actor.get_num_frames("walk"))
            rig.update(1 / 60)
            seen.append(knees(actor))
    finally:
        made.close()
    return float(np.abs(np.diff(seen, axis=0)).max())


@pytest.mark.parametrize("rise", [0.17, -0.17])
def test_knees_do_not_snap_on_stairs(rise: float, flat_step: float) -> None:
    assert largest_step(lambda way: stairs(way, rise)) < 2.0 * flat_step


@pytest.mark.parametrize("rise", [0.36, -0.36])
@pytest.mark.parametrize("shape", [ramp, corner])
def test_knees_do_not_snap_where_a_slope_begins(shape, rise: float, flat_step) -> None:
    assert largest_step(lambda way: shape(way, rise)) < 2.0 * flat_step


def test_figure_that_stops_in_mid_stride_brings_its_feet_together(stage: Stage) -> None:
    actor, other = (stage.add(Actor(str(HUMANOID))) for _ in range(2))
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.0)
    for each in (actor, other):
        each.set_blend(animBlend=True, frameBlend=True)
    seen = []
    for k in range(240):
        go = max(0.0, min(1.0, (70 - k) / 20))
        for each in (actor, other):
            for clip, share in (("walk", go), ("idle", 1.0 - go)):
                each.set_control_effect(clip, share)
                each.pose(clip, k % each.get_num_frames(clip))
            each.set_y(each.get_y() - 1.25 * go / 60)
        rig.update(1 / 60)
        seen.append(nets(actor, [*FEET, "Hips"])[:, 3, :3])
    other.get_part_bundle("modelRoot").force_update()
    stands = nets(other, [*FEET, "Hips"])[:, 3, :3]
    assert np.linalg.norm(seen[-1] - stands, axis=1).max() < 0.02
    # both feet have not gone at the same time, nor in a jump
    steps = np.linalg.norm(np.diff(np.array(seen)[95:, :2], axis=0), axis=2)
    assert steps.max() < 0.03
    assert np.minimum(steps[:, 0], steps[:, 1]).max() < 0.004


def on_a_floor(
    stage: Stage, kind: str, move: float, frames: int = 12, clip: str = "walk"
) -> tuple[np.ndarray, Actor]:
    """The way of both feet on a floor that is moved sideways, which then goes."""
    level = stage.render.attach_new_node("level")
    ground: object = level
    if kind == "bullet":
        physics = pytest.importorskip("panda3d.bullet", reason="panda3d without Bullet")
        node = physics.BulletRigidBodyNode("box")
        node.add_shape(physics.BulletBoxShape(p3d.LVector3(5, 5, 1)),
                       p3d.TransformState.make_pos((0, 0, -1)))  # fmt: skip
        node.set_into_collide_mask(p3d.BitMask32.all_on())
        ground = physics.BulletWorld()
        ground.attach(level.attach_new_node(node).node())
    else:
        box(level, 0.0, 5.0)
    actor = person(stage)
    actor.set_z(0.0)
    actor.stop()
    actor.pose(clip, 0)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, ground)
    rig.start(stage.task_mgr)
    stage.step(30)
    path = [nets(actor, FEET)[:, 3, :3]]
    moved = level if kind == "polygon" else level.get_child(0)
    for _ in range(frames):
        moved.set_x(moved.get_x() + move)
        stage.step()
        path.append(nets(actor, FEET)[:, 3, :3])
    # what is taken away holds nothing, and breaks nothing
    level.remove_node()
    stage.step(3)
    assert np.isfinite(nets(actor, FEET)).all()
    rig.stop()
    actor.detach_node()
    return np.array(path), actor


@pytest.mark.parametrize("move", [0.0, 0.0047, 0.01, 0.0107, 0.02, 0.022])
def test_bullet_body_carries_feet_like_a_collision_node(stage: Stage, move: float):
    ways = [on_a_floor(stage, kind, move)[0] for kind in ("polygon", "bullet")]
    assert np.allclose(ways[0], ways[1], atol=2e-3)
    carried = np.ptp(ways[0][:, :, 0], axis=0).max()
    assert (carried > 0.05) == (move > 0.0)


@pytest.mark.parametrize("clip", ["walk", "idle"])
@pytest.mark.parametrize("move", [0.01, -0.01])
def test_of_feet_that_are_carried_alike_the_one_ahead_steps_back(stage, move, clip):
    # it leaves as fast as the floor
    way, _ = on_a_floor(stage, "polygon", move, 18, clip)
    side = np.sign(move) * way[:, :, 0]
    ahead = side[0].argmin()
    back = side.max(axis=0) - side[-1]
    assert back[ahead] > 0.02 and back[1 - ahead] < 1e-4


def make_beast() -> Actor:
    """One whose shoulders hang on its hips, as most animals' do."""
    flat = (0.0, 0.0, 0.0)
    joints = [("Hips", None, (0.0, 0.5, 0.8), flat)]
    joints.append(("Shoulders", "Hips", (0.0, -1.0, 0.0), flat))
    for body, part in (("Hips", "Leg"), ("Shoulders", "Arm")):
        for side, x in (("Left", 0.2), ("Right", -0.2)):
            for name, parent, place in (
                (f"{side}Up{part}", body, (x, 0.0, 0.0)),
                (f"{side}{part}", f"{side}Up{part}", (0.0, -0.04, -0.4)),
                (f"{side}{part}Foot", f"{side}{part}", (0.0, 0.04, -0.3)),
            ):
                joints.append((name, parent, place, flat))
    return make_actor(joints, {"stand": {}})


def test_shoulders_below_hips_rise_as_needed(stage: Stage) -> None:
    actor = stage.add(make_beast())
    actor.pose("stand", 0)
    rig = ikrig.ActorRig(actor)
    bodies = ["Hips", "Shoulders"]
    feet = [f"{s}{part}Foot" for part in ("Leg", "Arm") for s in ("Left", "Right")]
    ikrig.FootPlacement(rig, lambda x, y: 0.12, feet=feet, hips=bodies)
    actor.get_part_bundle("modelRoot").force_update()
    before = nets(actor, [*bodies, *feet])[:, 3, 2]
    for _ in range(90):
        rig.update(1 / 60)
    after = nets(actor, [*bodies, *feet])[:, 3, 2]
    # each by the height of the ground, not the shoulders by that of both
    assert after - before == pytest.approx(0.12, abs=0.01)


STRIDE = 30


def stepping(sunk: float) -> Actor:
    """One on straight legs that swing, whose hips are lower than in its model."""
    u = 2.0 * np.pi * np.arange(STRIDE + 1) / STRIDE
    moves = {"Hips": [(0.0, 0.0, 0.0, 0.0, 0.0, -sunk)] * (STRIDE + 1)}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        swing, lift = 22.0 * sign * np.cos(u), 30.0 * np.maximum(sign * np.sin(u), 0.0)
        for part, turns in (("UpLeg", swing - lift), ("Leg", 2.0 * lift)):
            moves[side + part] = [(0.0, float(turn), 0.0) for turn in turns]
        moves[side + "Foot"] = [(0.0, float(t), 0.0) for t in -swing - lift]
    legs = two_legs(0.12, (0, 0.01, -0.4), (0, -0.01, -0.4), (0, -0.15, -0.08))
    return make_actor(legs, {"walk": moves}, STRIDE + 1)


@pytest.mark.parametrize("sunk", [0.3, 0.1, -0.05])
@pytest.mark.parametrize("slope", [0.0, 0.4, -0.4])
def test_clip_that_stands_below_its_origin_walks_as_if_it_did_not(stage, sunk, slope):
    joints = ["Hips", *FEET, "LeftLeg", "RightLeg"]
    ways = []
    for down in (0.0, sunk):
        actor = stage.add(stepping(down))
        actor.set_blend(frameBlend=True)
        rig = ikrig.ActorRig(actor)
        ikrig.FootPlacement(rig, lambda x, y: slope * y)
        way = []
        for k in range(90):
            y = -1.2 * k / 60.0
            actor.set_pos(0.0, y, slope * y)
            actor.pose("walk", 0.5 * k % STRIDE)
            rig.update(1 / 60)
            way.append(nets(actor, joints)[:, 3, :3])
        ways.append(np.array(way))
    apart = np.linalg.norm(ways[0] - ways[1], axis=2)
    assert apart.max() < 0.004
