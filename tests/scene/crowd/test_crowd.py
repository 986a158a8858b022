"""Members of a crowd, compared with Actors that have rigs, as Panda3D shows them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.characters import catalog

from .twins import HUMANOID, MODELS, TIME, Twin, make


@pytest.fixture(params=MODELS)
def model(request) -> Iterator[str]:
    yield request.param


def test_members_play_as_actors_do(model):
    crowd = make(model)
    first, last = crowd.clips[0], crowd.clips[-1]
    crowd.play(first, phase=[0.1, 0.4, 0.6, 0.8, 0.9], speed=1.2)
    if first != last:
        crowd.update(0.0)
        crowd.play(last, members=[1, 3], phase=0.3, fade=0.4)
    twins = [Twin(crowd, model, i) for i in (1, 4)]
    for _ in range(40):
        crowd.update(TIME)
        for twin in twins:
            twin.frame()
            assert twin.away() < 1e-5
    for twin in twins:
        own = twin.skinning()
        assert own.keys() == set(crowd.joints)
        for k, name in enumerate(crowd.joints):
            found = crowd.palette[twin.i, k]
            assert np.abs(found - own[name]).max() < 1e-5 * max(1, twin.height)
        center, radius = crowd.spheres[twin.i, :3], crowd.spheres[twin.i, 3]
        low, high = twin.actor.get_tight_bounds()
        for corner in (low, high):
            assert radius > 0.5 * (high - low).length() * 0.5
            assert math.dist(corner, center) < 2.0 * radius


@pytest.mark.parametrize("poles", [False, True])
def test_limbs_reach_as_actors_do(model, poles):
    crowd = make(model, 6, seed=2)
    crowd.play(crowd.clips[0], phase=np.linspace(0, 1, 6))
    names = ["left_hand", "right_foot"]
    if model == "panda":
        names = ["left_front_foot", "right_rear_foot"]
    twins = [Twin(crowd, model, i) for i in (0, 3)]
    rng = np.random.default_rng(3)
    for name in names:
        limb = crowd.limb(name)
        limb.weights[:] = [1.0, 1.0, 1.0, 0.4, 0.0, 1.0]
        if poles:
            limb.poles = crowd.positions + rng.normal(size=(6, 3))
        for twin in twins:
            twin.limb(name, poles)
    crowd.update(0.0)
    base = {name: crowd.joint_positions(name) for name in names}
    for frame in range(60):
        for k, name in enumerate(names):
            angle = 0.1 * frame + k
            way = np.array([math.cos(angle), math.sin(angle), math.sin(2 * angle)])
            size = 0.4 * crowd.scales * (200 if model == "panda" else 1)
            crowd.limb(name).targets = base[name] + size[:, None] * way
        crowd.update(TIME)
        for twin in twins:
            twin.frame()
            assert twin.away() < 1e-4, frame


def test_gazes_turn_as_actors_do(model):
    """With hands that reach, while clips fade, and weights that come and go."""
    crowd = make(model, 6, seed=4)
    crowd.play(crowd.clips[0], phase=np.linspace(0, 1, 6))
    hand = "left_front_foot" if model == "panda" else "right_hand"
    twins = [Twin(crowd, model, i) for i in (1, 2, 5)]
    for twin in twins:
        twin.limb(hand)
        twin.gaze()
    crowd.limb(hand).weights[:] = 0.8
    head = crowd.positions
    for frame in range(120):
        if frame == 30 and model != "panda":
            crowd.play(crowd.clips[-1], members=[2], phase=0.5, fade=0.3)
        crowd.look.weights[:] = [1, 1, frame > 10, 0, 1, not 40 < frame < 60]
        angle = 0.05 * frame
        size = crowd.scales * (300 if model == "panda" else 1.5)
        way = np.array([math.cos(angle), math.sin(angle), 1.0 + 0.5 * math.sin(angle)])
        crowd.look.targets = head + size[:, None] * way
        crowd.limb(hand).targets = head + 0.3 * size[:, None] * way
        crowd.update(TIME)
        for twin in twins:
            twin.frame()
            assert twin.away() < 1e-4, (frame, twin.i)


def field(size: float) -> ikrig.Heightfield:
    x, y = np.mgrid[0:60, 0:60]
    hills = np.sin(0.3 * x) * np.cos(0.4 * y)
    return ikrig.Heightfield(0.2 * size * hills, origin=(-9, -9), size=(18, 18))


@pytest.mark.parametrize("model", ["humanoid"], indirect=True)
def test_feet_stand_as_those_of_actors(model):
    """On hills, walking, while clips fade."""
    crowd = make(model, 5, seed=7)
    crowd.scales[:] = np.linspace(0.8, 1.2, 5)
    crowd.positions[:, 2] = 0.0
    ground = field(1.0)
    crowd.feet.ground = ground
    crowd.play("walk", phase=np.linspace(0, 1, 5))
    twins = [Twin(crowd, model, i) for i in (0, 3)]
    for twin in twins:
        twin.feet = ikrig.FootPlacement(twin.rig, ground)
        twin.limb("left_hand")
    crowd.limb("left_hand").weights[:] = 1.0
    for frame in range(120):
        if frame == 40:
            crowd.play("run", members=[3], phase=0.77, fade=0.3)
        crowd.positions[:, 0] += 0.02 * np.sin(crowd.headings)
        crowd.positions[:, 1] -= 0.02 * np.cos(crowd.headings)
        crowd.limb("left_hand").targets = crowd.positions + np.array([0.3, 0.2, 1.0])
        crowd.update(TIME)
        assert crowd.feet.error == ""
        for twin in twins:
            twin.frame()
            assert twin.away() < 1e-4, (frame, twin.i)


@pytest.mark.parametrize("file", ["ralph", "robot", None])
def test_a_ground_is_found_beside_members_and_where_these_are_moved(file):
    """Stairs in the scene, whose top node the crowd hangs on, or a node that is moved.

    A robot's legs end in no joint.
    """
    path = catalog.find_file(file) if file else HUMANOID
    if path is None:
        pytest.skip(catalog.missing(file))
    world = p3d.NodePath("world")
    stairs = p3d.CollisionNode("stairs")
    for k in range(30):
        box = p3d.LPoint3(k - 15.0, -30, -9), p3d.LPoint3(k - 14.0, 30, 0.1 * (k % 4))
        stairs.add_solid(p3d.CollisionBox(*box))
    ground = world.attach_new_node(stairs)
    stage = world.attach_new_node("stage")
    for parent in (world, stage):
        crowd = ikrig.Crowd(str(path), 2, parent, draw=False)
        crowd.positions[:, 0] = 1.0, 4.0
        crowd.headings[:] = 0.4
        crowd.feet.ground = ground
        actor = Actor(str(path))
        actor.reparent_to(parent)
        rig = ikrig.ActorRig(actor)
        ikrig.FootPlacement(rig, ground)
        for _ in range(60):
            actor.set_pos(*crowd.positions[1])
            actor.set_h(math.degrees(0.4))
            crowd.update(TIME)
            rig.update(TIME)
            assert crowd.feet.error == ""
            crowd.positions[:, 1] -= 0.02
        twin = np.array([rig.joint(name).get_pos(parent) for name in crowd.names])
        found = crowd._batch.places[1]
        assert np.abs(found - twin).max() < 1e-4 * np.ptp(twin, axis=0).max()
        bare = ikrig.Crowd(str(path), 1, parent, draw=False)
        bare.positions[0] = crowd.positions[1]
        bare.headings[:] = 0.4
        bare.update(TIME)
        assert np.abs(bare._batch.places[0] - found).max() > 0.02
        stage.set_pos_hpr((0.0, 3.0, 0.1), (30.0, 0.0, 0.0))
        stage.set_scale(1.1)


def test_a_ground_may_be_a_function_of_arrays():
    crowd = make("humanoid", 20, seed=8)
    crowd.scales[:] = 1.0
    crowd.play("idle", phase=np.linspace(0, 1, 20))
    calls = []

    def ground(x, y):
        calls.append(len(x))
        return 0.1 * x + 0.5

    crowd.positions[:, 2] = 0.1 * crowd.positions[:, 0] + 0.5
    crowd.update(TIME)
    names = "left_foot", "right_foot"
    before = [crowd.joint_positions(name)[:, 2] for name in names]
    crowd.feet.ground = ground
    for _ in range(90):
        crowd.update(TIME)
    assert calls == [40] * 90
    for name, heights in zip(names, before, strict=True):
        x, _, z = crowd.joint_positions(name).T
        over = heights - crowd.positions[:, 2]
        assert np.abs(z - (0.1 * x + 0.5) - over).max() < 0.03
    crowd.feet.ground = None
    crowd.update(TIME)
    assert len(calls) == 90


def test_a_function_is_asked_where_members_are_in_the_first_frame_and_after_a_jump():
    tall = ikrig.Crowd(str(HUMANOID), 2, p3d.NodePath("world"), draw=False)
    flat = ikrig.Crowd(str(HUMANOID), 2, p3d.NodePath("world"), draw=False)
    tall.feet.ground = lambda x, y: np.where(x > 5.0, 0.15, 0.0)
    flat.feet.ground = lambda x, y: 0.0 * x
    for x, z in ((10.0, 0.15), (0.0, 0.0), (7.0, 0.15)):
        for crowd in (tall, flat):
            crowd.positions[:, 0] = x, x + 1.0
        tall.positions[:, 2] = z
        for _ in range(3):
            tall.update(TIME)
            flat.update(TIME)
            away = tall._batch.places - flat._batch.places
            assert np.abs(away - (0.0, 0.0, z)).max() < 1e-4, (x, z)


@pytest.mark.parametrize("size", [1.0, 0.01])
def test_members_of_any_size_stand_on_bodies_of_bullet(size):
    bullet = pytest.importorskip("panda3d.bullet")
    world = bullet.BulletWorld()
    body = bullet.BulletRigidBodyNode("floor")
    body.add_shape(bullet.BulletPlaneShape(p3d.Vec3.up(), 0.06 * size))
    world.attach(body)
    found = []
    for ground in (world, lambda x, y: 0.06 * size + 0.0 * x):
        crowd = ikrig.Crowd(str(HUMANOID), 1, p3d.NodePath("world"), draw=False)
        crowd.scales[:] = size
        crowd.feet.ground = ground
        for _ in range(60):
            crowd.update(TIME)
        assert crowd.feet.error == ""
        found.append(crowd._batch.places[0] / size)
    assert np.abs(found[0] - found[1]).max() < 1e-3


def rocks(crowd: ikrig.Crowd, round_ones: bool) -> tuple[p3d.NodePath, p3d.NodePath]:
    """Collision geometry in the scene of a crowd, and a part of it that moves."""
    node = crowd.parent.attach_new_node("rocks")
    still = p3d.CollisionNode("still")
    still.add_solid(p3d.CollisionBox((-30, -30, -1), (30, 30, 0)))
    moving = p3d.CollisionNode("moving")
    for x in range(-8, 8, 2):
        spot = p3d.LPoint3f(x, 0, -0.3)
        moving.add_solid(
            p3d.CollisionSphere(spot, 0.5)
            if round_ones
            else p3d.CollisionBox(spot, 0.6, 8, 0.4)
        )
    node.attach_new_node(still)
    return node, node.attach_new_node(moving)


@pytest.mark.parametrize("kind", ["field", "function", "boxes", "spheres"])
def test_poses_do_not_depend_on_threads(model, kind):
    found = []
    # more than those for whom one thread is enough; spheres are slow
    count = 300 if kind != "spheres" else 140
    for threads in (1, 3):
        crowd = make(model, count, seed=5)
        crowd.threads = threads
        crowd.play(crowd.clips[0], phase=np.linspace(0, 1, count))
        crowd.look.weights[:] = 1.0
        crowd.positions[:, 2] *= 0.05
        crowd.update(0.0)
        before, moving = crowd.palette.copy(), None
        if kind == "field":
            crowd.feet.ground = field(1.0)
        elif kind == "function":
            crowd.feet.ground = lambda x, y: 0.1 * np.sin(3.0 * x) * np.cos(2.0 * y)
        else:
            crowd.feet.ground, moving = rocks(crowd, kind == "spheres")
        crowd.update(0.0)
        moved = (crowd.palette != before).any(axis=(1, 2, 3))
        assert moved.mean() > 0.3, "the ground counts"
        for k in range(12):
            crowd.look.targets = crowd.positions + np.array([1.0, k, 1.0])
            if moving is not None:
                moving.set_pos(0.05 * k, 0.0, 0.01 * k)
            crowd.update(TIME)
            crowd.positions[:, 1] -= 0.02
        assert crowd.feet.error == ""
        found.append(crowd.palette.tobytes())
    assert found[0] == found[1]


def test_numbers_that_are_not_finite_keep_the_last_pose(model):
    crowd = make(model, 6)
    name = "left_front_foot" if model == "panda" else "left_hand"
    crowd.play(crowd.clips[0])
    crowd.limb(name).weights[:] = 1.0
    crowd.look.weights[:] = 1.0
    crowd.update(TIME)
    last = crowd.palette.copy()
    crowd.positions[0, 1] = np.nan
    crowd.headings[1] = np.inf
    crowd.limb(name).targets[2] = np.nan
    crowd.look.targets[3, 0] = np.nan
    crowd.look.weights[4] = np.nan
    crowd.update(TIME)
    assert crowd.bad.tolist() == [True] * 5 + [False]
    assert (crowd.palette[:5] == last[:5]).all()
    assert (crowd.palette[5] != last[5]).any()
    assert np.isfinite(crowd.palette).all()
    crowd.positions[0, 1] = 0.0
    crowd.update(TIME)
    assert not crowd.bad[0]


def test_arrays_are_live_and_checked():
    crowd = make("humanoid", 4)
    crowd.positions = [[k, 0.0, 0.0] for k in range(4)]
    assert crowd.nearest((2.2, 0.0, 0.0), 2).tolist() == [2, 3]
    crowd[1].position = 5.0, 1.0, 0.0
    assert crowd.positions[1].tolist() == [5.0, 1.0, 0.0]
    with pytest.raises(ikrig.SettingError, match=r"positions must be \(4, 3\) numbers"):
        crowd.positions = [1.0, 2.0]
    with pytest.raises(ikrig.SettingError, match=r"there is no clip 'wolk'.*walk"):
        crowd.play("wolk")
    with pytest.raises(ikrig.BindError, match="left_hand"):
        crowd.limb("left_hnd")
    with pytest.raises(ikrig.SettingError, match="members must be indices below 4"):
        crowd.play("walk", members=[4])


@pytest.mark.parametrize("name", ["positions", "headings", "scales"])
@pytest.mark.parametrize("value", [np.nan, 1e30, 1e39, -1e308])
def test_numbers_beyond_all_bounds_keep_the_last_pose(name, value):
    crowd = make("humanoid", 3)
    crowd.limb("left_hand").weights[:] = 1.0
    crowd.feet.ground = lambda x, y: 0.0 * x
    rig = crowd.promote(0)
    crowd.update(TIME)
    last, actor = crowd.palette.copy(), rig.actor.get_mat()
    getattr(crowd, name)[:2] = value
    crowd.update(TIME)
    assert crowd.bad.tolist() == [True, True, False]
    assert (crowd.palette[1] == last[1]).all() and rig.actor.get_mat() == actor
    assert np.isfinite(crowd.palette).all() and np.isfinite(crowd.spheres).all()
    with pytest.raises(ikrig.SettingError, match="member 1 has numbers"):
        crowd.promote(1)


@pytest.mark.parametrize("value", [np.nan, 1e30])
def test_goals_of_a_promoted_member_that_are_not_finite_keep_the_last(value):
    crowd = make("humanoid", 2)
    limb = crowd.limb("left_hand")
    limb.weights[:] = 1.0
    limb.targets = crowd.positions + np.array([0.0, -0.5, 1.0])
    rig = crowd.promote(0)
    crowd.update(TIME)
    before = rig.joint("LeftHand").get_pos(rig.actor)
    for values in (limb.targets, limb.weights, crowd.look.targets):
        kept = values[0].copy()
        crowd.look.weights[0] = 1.0
        values[0] = value
        crowd.update(TIME)
        assert crowd.bad[0]
        assert rig.joint("LeftHand").get_pos(rig.actor).almost_equal(before, 1e-4)
        values[0] = kept
    crowd.look.weights[0] = 0.0
    crowd.update(TIME)
    assert not crowd.bad.any()


@pytest.mark.parametrize("body", [False, True])
def test_nothing_that_is_not_finite_is_kept_whatever_is_given(body):
    """Positions, goals, times and clips jump in each frame; two are promoted."""
    odd = [np.nan, np.inf, -np.inf, 1e300, 1e15, 1e14, 1e-300, 0.0, -1.0]
    rng = np.random.default_rng(0)
    crowd = make("humanoid", 12)
    names = ["left_hand", "right_hand"]
    led = crowd.body() if body else None
    goals = [crowd.limb(x) if led is None else led[x] for x in names] + [crowd.look]
    crowd.feet.ground = lambda x, y: 0.0 * x
    weights = [*(goal.weights for goal in goals), crowd.feet.weights]
    arrays = [crowd.positions, crowd.headings, crowd.scales, *weights]
    arrays += [goal.targets for goal in goals]
    for frame in range(120):
        crowd.positions[:] = rng.normal(size=(12, 3))
        crowd.headings[:] = rng.uniform(-9.0, 9.0, 12)
        crowd.scales[:] = 1.0
        for each in weights:
            each[:] = 1.0
        for goal in goals:
            far = rng.choice([0.3, 1.0, 30.0, 1e6])
            goal.targets[:] = crowd.positions + far * rng.normal(size=(12, 3))
        if frame == 3:
            rigs = [crowd.promote(i) for i in (1, 5)]
        if frame % 2:
            speed, fade = rng.choice([0.0, -1.0, 1e3]), rng.choice([0.0, 0.2, 1e6])
            crowd.play(crowd.clips[frame // 2 % 3], phase=0.3, speed=speed, fade=fade)
        arrays[rng.integers(len(arrays))][rng.integers(0, 12, 4)] = rng.choice(odd)
        crowd.update(float(rng.choice([TIME, TIME, 0.0, 5.0, np.nan, -1.0, 1e300])))
        batch = crowd._batch
        kept = [crowd.palette, crowd.spheres, batch.places, batch.time, batch.weight]
        kept += [x.states for x in batch._layers if hasattr(x, "states")]
        assert all(np.isfinite(x).all() for x in kept), frame
    for rig in rigs:
        assert np.isfinite(np.array(rig.joint("Head").get_mat())).all()


def fail(x, y):
    raise RuntimeError("no map")


@pytest.mark.parametrize(
    "ground, words",
    [
        (fail, "no map"),
        (lambda x, y: [[0.0], [1.0, 2.0]], "failed"),
        (lambda x, y: (1, 2, 3), "failed"),
        (lambda x, y: x[:2], "must return 8 heights"),
        (lambda x, y: (0 * x, np.zeros((len(x), 3))), ""),
        (lambda x, y: 0 * x - np.inf, ""),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_ground_that_fails_is_logged_once_and_stops_no_frame(ground, words, capfd):
    crowds = [make("humanoid", 4) for _ in range(2)]
    crowds[0].feet.ground = ground
    for _ in range(3):
        for crowd in crowds:
            crowd.update(TIME)
    assert words in crowds[0].feet.error and bool(crowds[0].feet.error) == bool(words)
    assert "".join(capfd.readouterr()).count("feet of a crowd") == bool(words)
    assert np.isfinite(crowds[0].palette).all()
    if words:
        # as animated
        assert np.abs(crowds[0].palette - crowds[1].palette).max() < 1e-5


def test_a_ground_that_is_refused_leaves_the_former():
    crowd = make("humanoid", 2)
    crowd.feet.ground = ground = lambda x, y: 0.0 * x
    with pytest.raises(ikrig.BindError, match="ground must be"):
        crowd.feet.ground = "floor"
    assert crowd.feet.ground is ground
    with pytest.raises(ikrig.SettingError, match="settings must be FootSettings"):
        crowd.feet.settings = None
    crowd.update(TIME)


def test_members_whose_actor_is_removed_are_shown_by_the_crowd():
    crowd = make("humanoid", 2)
    rig = crowd.promote(1)
    rig.actor.cleanup()
    crowd.update(TIME)
    crowd.update(TIME)
    assert crowd.promote(1) is not rig
    crowd.parent.remove_node()
    crowd.update(TIME)
    crowd.demote(1)
    with pytest.raises(ikrig.BindError, match="its parent was removed"):
        crowd.promote(1)


@pytest.mark.parametrize(
    "misuse, words",
    [
        (lambda c: setattr(c[1], "position", (1, 2)), r"position must be \(3,\)"),
        (lambda c: setattr(c[1], "heading", "x"), "heading must be"),
        (lambda c: setattr(c.feet, "weights", "x"), r"weights must be \(2,\)"),
        (lambda c: c.play("walk", [[1], [0, 1]]), "members must be indices"),
        (lambda c: ikrig.Crowd(p3d.NodePath(), 1), "model must be a node"),
        (lambda c: ikrig.Crowd(HUMANOID, 1, animations=["a"]), "animations must be"),
        (
            lambda c: ikrig.Crowd(HUMANOID, 1, animations={"a": "no.bam"}),
            r"animation 'a' can't be loaded from no\.bam",
        ),
        (
            lambda c: ikrig.Crowd(HUMANOID, 1, animations={"a": "models/panda-walk4"}),
            "animation 'a' moves no joint of the model",
        ),
    ],
)
def test_misuse_is_one_clear_error(misuse, words):
    with pytest.raises((ikrig.BindError, ikrig.SettingError), match=words):
        misuse(make("humanoid", 2))


@pytest.mark.parametrize("whole", [False, True])
def test_promotion_and_demotion_pop_nothing(whole):
    """A crowd whose members come and go as Actors 500 times, beside one without.

    Feet, a hand, by a limb or the whole body, gaze and springs, all at once.
    """
    rng = np.random.default_rng(9)
    crowds = [make("humanoid", 6, seed=9) for _ in range(2)]
    ground = field(1.0)
    for crowd in crowds:
        crowd.scales[:] = 1.0
        crowd.positions[:, 2] = 0.0
        crowd.play("walk", phase=np.linspace(0, 1, 6))
        crowd.feet.ground = ground
        crowd.look.weights[:] = 1.0
        crowd.springs(["LeftHandIndex1"], gravity_power=0.4, stiffness=0.3)
    hands = [
        each.body()["right_hand"] if whole else each.limb("right_hand")
        for each in crowds
    ]
    for hand, each in zip(hands, crowds, strict=True):
        hand.weights[:] = 1.0
        each.update(TIME)
    crowd, still = crowds
    rigs = {}
    names = "Head", "RightHand", "LeftFoot", "LeftLeg", "Spine", "LeftHandIndex2"
    before, steps = {}, {name: [0.0, 0.0] for name in names}
    for frame in range(500):
        i = int(rng.integers(6))
        if i in rigs:
            crowd.demote(i)
            del rigs[i]
        else:
            rigs[i] = crowd.promote(i)
        for hand, each in zip(hands, crowds, strict=True):
            if frame % 60 == 30:
                name = "walk" if frame % 120 == 90 else "idle"
                each.play(name, members=[0, 1, 2], phase=0.4, fade=0.3)
            # in circles
            each.headings += 0.01
            each.positions[:, 0] += 0.015 * np.sin(each.headings)
            each.positions[:, 1] -= 0.015 * np.cos(each.headings)
            way = np.array([0.3, 0.2 * math.sin(0.1 * frame), 1.2])
            hand.targets = each.positions + way
            each.look.targets = each.positions + 2.0 * way
            each.update(TIME)
        for name in names:
            ours, theirs = (each.joint_positions(name) for each in crowds)
            for k, rig in rigs.items():
                rig.actor.get_part_bundle("modelRoot").force_update()
                mat = p3d.LMatrix4f()
                rig.skeleton.joints[name].get_net_transform(mat)
                space = rig.actor.find("**/+Character")
                ours[k] = crowd.parent.get_relative_point(space, mat.get_row3(3))
            away = np.abs(ours - theirs).max(axis=1)
            # later, rounding decides when a foot steps, of those that stop first
            alike, most = (away, 1e-4) if frame < 70 else (away[3:], 3e-4)
            # bodies pass on to heads and hands how feet step
            last = 70 if whole else 250
            assert frame >= last or alike.max() < most * 1.75, (frame, name, away)
            for k, places in enumerate((ours, theirs)):
                if frame > 0:
                    step = np.linalg.norm(places - before[name, k], axis=1).max()
                    steps[name][k] = max(steps[name][k], step)
                before[name, k] = places.copy()
    for name, (ours, theirs) in steps.items():
        assert ours < 1.01 * theirs, (name, ours, theirs)
    assert still.nearest((0, 0, 0)).shape == (1,)
