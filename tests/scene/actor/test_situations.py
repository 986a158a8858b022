"""Limbs reach in the same frame in any state of the Actor."""

from __future__ import annotations

import builtins

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

from ikrig import BindError
from ikrig.scene.actor.actor_rig import ActorRig

from .stage import Stage, character, gap, joint, leg, length, net, only, size, skin
from .stage import update as force

FEET = ("Bone_lf_foot", "Bone_rr_foot")
PANDA = "models/panda-model"
WALK = {"walk": "models/panda-walk4"}


def hold(stage: Stage, actor: Actor, part: str = "modelRoot") -> ActorRig:
    """Two pinned feet, running."""
    rig = ActorRig(actor, part)
    for foot in FEET:
        chain = rig.chain(foot, 3)
        root = net(actor, leg(actor, foot, 3, part)[0], part)[3, :3]
        near = 0.85 * net(actor, foot, part)[3, :3] + 0.15 * root
        space = character(actor, part)
        chain.target.set_pos(space, *near.tolist())
    return rig.start(stage.task_mgr)


def held(actor: Actor, rig: ActorRig) -> float:
    """Largest distance of a foot from its target, in leg lengths."""
    worst = 0.0
    for chain in rig.chains:
        foot = chain.leaf.get_name()
        names = leg(actor, foot, 3, rig.part)
        space = character(actor, rig.part)
        goal = np.array(tuple(chain.target.get_pos(space)))
        error = np.linalg.norm(net(actor, foot, rig.part)[3, :3] - goal)
        worst = max(worst, float(error) / length(actor, names, rig.part))
    return worst


def test_an_exposed_joint_read_before_and_after_ik(stage):
    actor = stage.body()
    stage.step(5)
    rig = hold(stage, actor)
    early = actor.expose_joint(None, "modelRoot", FEET[0])
    spots = []

    def read(task):
        spots.append(np.array(tuple(early.get_pos(stage.render))))
        return task.cont

    stage.task_mgr.add(read, "early", sort=10)
    stage.task_mgr.add(read, "late", sort=45)
    for _ in range(20):
        stage.step()
        assert held(actor, rig) < 1e-5
        goal = np.array(tuple(rig.chains[0].target.get_pos(stage.render)))
        assert np.linalg.norm(spots[-1] - goal) < 1e-4
        node = rig.joint(FEET[0]).get_pos(stage.render)
        assert np.linalg.norm(np.array(tuple(node)) - goal) < 1e-4


STATES = {
    "never animated": (None, lambda a: None),
    "bound, not played": (WALK, lambda a: a.bind_anim("walk")),
    "posed": (WALK, lambda a: a.pose("walk", 11)),
    "paused": (WALK, lambda a: (a.loop("walk"), a.stop())),
    "at rate 0": (WALK, lambda a: (a.set_play_rate(0, "walk"), a.loop("walk"))),
    "backwards": (WALK, lambda a: (a.set_play_rate(-1, "walk"), a.loop("walk"))),
    "to its end": (WALK, lambda a: a.play("walk", fromFrame=1, toFrame=4)),
}


@pytest.mark.parametrize("state", STATES)
def test_limbs_reach_in_any_playback_state(stage, state):
    anims, act = STATES[state]
    actors = [stage.add(Actor(PANDA, anims or {})) for _ in range(2)]
    for actor in actors:
        act(actor)
    actor, reference = actors
    stage.step(2)
    rig = hold(stage, actor)
    for _ in range(10):
        stage.step()
        force(reference)
        assert held(actor, rig) < 1e-5
    for chain in rig.chains:
        chain.weight = 0.0
    stage.step()
    force(reference)
    assert gap(skin(actor), skin(reference)) < 1e-6 * size(skin(reference))
    rig.detach()
    for _ in range(3):
        stage.step()
        force(actor)
        force(reference)
        assert np.array_equal(skin(actor), skin(reference))


@pytest.mark.parametrize("rigged", [False, True])
def test_copy_and_original_have_separate_rigs(stage, rigged):
    original = stage.body()
    first = hold(stage, original) if rigged else None
    stage.step(3)
    copy = stage.add(Actor(other=original))
    copy.loop("walk")
    copy.set_x(3)
    if not rigged:
        first = hold(stage, original)
    assert first is not None
    second = hold(stage, copy)
    assert len(copy.find_all_matches("**/ikrig")) == 1
    assert len(original.find_all_matches("**/ikrig")) == 1
    for chain in second.chains:
        chain.target.set_x(chain.target.get_x() + 0.05)
    for _ in range(10):
        stage.step()
        assert held(original, first) < 1e-5
        assert held(copy, second) < 1e-5
    second.detach()
    stage.step()
    assert held(original, first) < 1e-5


def test_subparts_play_separately(stage, monkeypatch):
    # ShowBase sets it, and make_subpart() asks for it
    monkeypatch.setattr(builtins, "__dev__", False, raising=False)
    actor, reference = (stage.add(Actor(PANDA, WALK)) for _ in range(2))
    for body in (actor, reference):
        body.make_subpart("front", ["Dummy_shoulders"])
        body.make_subpart("rear", ["Dummy_hips"])
        body.loop("walk", partName="front")
        body.pose("walk", 20, partName="rear")
    stage.step(4)
    rig = hold(stage, actor)
    with pytest.raises(BindError, match="has an ActorRig"):
        ActorRig(actor, "front")
    for _ in range(10):
        stage.step()
        force(reference)
        assert held(actor, rig) < 1e-5
    skull = only(actor, "Bone_skull")
    assert np.array_equal(skin(actor)[skull], skin(reference)[skull])
    rig.detach()
    part = hold(stage, actor, "front")
    stage.step()
    assert held(actor, part) < 1e-5


def test_actor_of_two_parts(stage):
    actor = Actor({"one": PANDA, "two": PANDA}, {"one": dict(WALK), "two": dict(WALK)})
    stage.add(actor)
    actor.loop("walk", partName="one")
    actor.pose("walk", 30, partName="two")
    stage.step(3)
    with pytest.raises(BindError, match=r"no part .*one"):
        ActorRig(actor)
    rigs = [hold(stage, actor, part) for part in ("one", "two")]
    for _ in range(5):
        stage.step()
        for rig in rigs:
            assert held(actor, rig) < 1e-5


@pytest.mark.parametrize("merge", [True, False])
def test_actor_with_levels_of_detail(stage, merge):
    models = {"high": PANDA, "low": PANDA}
    actor, reference = (
        stage.add(Actor(models, dict(WALK), mergeLODBundles=merge)) for _ in range(2)
    )
    for body in (actor, reference):
        body.set_lod("high", 50, 0)
        body.set_lod("low", 1000, 50)
        body.loop("walk")
    stage.step(3)
    rig = hold(stage, actor)
    for _ in range(5):
        stage.step()
        assert held(actor, rig) < 1e-5
        high, low = (skin(actor.get_lod(name)) for name in ("high", "low"))
        assert gap(high, low) < 1e-6 * size(high)
    rig.detach()
    for name in ("high", "low"):
        for body in (actor, reference):
            body.get_part_bundle("modelRoot", name).force_update()
        mine, plain = (skin(body.get_lod(name)) for body in (actor, reference))
        assert np.array_equal(mine, plain)


PLACES = {
    "turned": lambda a, above: (above.set_hpr(30, 50, 10), a.set_hpr(0, 70, 0)),
    "mirrored": lambda a, above: a.set_scale(-0.005, 0.005, 0.005),
    "uneven": lambda a, above: a.set_scale(0.01, 0.005, 0.002),
    "uneven above": lambda a, above: (above.set_scale(2, 1, 0.5), a.set_hpr(40, 30, 0)),
    "sheared": lambda a, above: above.set_shear(0.5, 0.2, -0.3),
    "mirrored above": lambda a, above: (above.set_sy(-3), a.set_h(20)),
}


@pytest.mark.parametrize("where", PLACES)
def test_limbs_reach_under_any_actor_transform(stage, where):
    actor, reference = stage.body(), stage.body()
    above = stage.render.attach_new_node("above")
    actor.reparent_to(above)
    stage.step(3)
    rig = hold(stage, actor)
    # it moves while the targets stay: they come along
    for chain in rig.chains:
        chain.target.wrt_reparent_to(actor)
    PLACES[where](actor, above)
    for _ in range(10):
        stage.step()
        force(reference)
        assert held(actor, rig) < 1e-5
    # in its own space it does the same as one that stands plainly
    twin = hold(stage, reference)
    for chain, other in zip(rig.chains, twin.chains, strict=True):
        other.target.reparent_to(reference)
        other.target.set_transform(chain.target.get_transform())
    stage.step()
    assert gap(skin(actor), skin(reference)) < 1e-4 * size(skin(reference))


def build(stage: Stage, mats: list[p3d.LMatrix4f], parents=None) -> Actor:
    """An Actor of joints that no file could hold; each hangs on the one before it."""
    node = p3d.Character("built")
    bundle = node.get_bundle(0)
    top = p3d.PartGroup(bundle, "<skeleton>")
    joints: list[p3d.PartGroup] = []
    for i, mat in enumerate(mats):
        above = i - 1 if parents is None else parents[i]
        group = joints[above] if above >= 0 else top
        joints.append(p3d.CharacterJoint(node, bundle, group, f"j{i}", mat))
    return stage.add(Actor(p3d.NodePath(node)))


def odd(scale=(1, 1, 1), shear=(0, 0, 0), hpr=(0, 0, 0), pos=(0, 0, 1)):
    mat = p3d.LMatrix4f()
    p3d.compose_matrix(
        mat,
        p3d.LVecBase3f(*scale),
        p3d.LVecBase3f(*shear),
        p3d.LVecBase3f(*hpr),
        p3d.LVecBase3f(*pos),
    )
    return mat


PARTS = {
    "chain": lambda rig: rig.chain("j4", 3),
    "tree": lambda rig: rig.tree({"j4": None}, root_joint="j1"),
}
JOINTS = {
    "plain": [{}, {}, {}],
    "uniform": [{"scale": (2, 2, 2)}, {"scale": (0.3, 0.3, 0.3)}, {}],
    "mirrored": [{"scale": (1, -1, 1)}, {"scale": (-2, -2, -2)}, {"scale": (1, 1, -1)}],
    "uneven": [{"scale": (1.2, 0.8, 1)}, {"scale": (1, 1, 1.5)}, {}],
    "sheared": [{"shear": (0.2, 0, 0.1)}, {"shear": (0, -0.3, 0)}, {}],
    "uneven, mirrored": [{"scale": (1, -1.3, 1)}, {"scale": (1, 1, 0.8)}, {}],
    "uneven above": [{}, {}, {}],
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("kind", JOINTS)
def test_limbs_reach_with_scaled_and_sheared_joints(stage, kind, part):
    top = {"scale": (1.4, 0.9, 1)} if kind == "uneven above" else {}
    rows = [
        odd(**top, hpr=(10, 20, 30)),
        *(odd(**row, hpr=(5, 25, 15)) for row in JOINTS[kind]),
    ]
    rows.append(odd())
    actor = build(stage, rows)
    stage.step()
    force(actor)
    before = {n: net(actor, n) for n in ("j0", "j1", "j2", "j3", "j4")}
    # how far it reaches, measured: the tip where the animation has it, and nearer
    rig = ActorRig(actor)
    layer = part(rig)
    (end,) = layer.effectors
    rig.start(stage.task_mgr)
    stage.step()
    for name in before:
        assert np.abs(net(actor, name) - before[name]).max() < 1e-3, name
    layer.weight = 0.0
    stage.step()
    for name in before:
        assert np.abs(net(actor, name) - before[name]).max() < 1e-5, name
    layer.weight = 1.0
    reach = length(actor, ["j1", "j2", "j3", "j4"])
    rng = np.random.default_rng(3)
    tip, root = before["j4"][3, :3], before["j1"][3, :3]
    for _ in range(20):
        goal = root + 0.8 * (tip - root) + rng.uniform(-0.15, 0.15, 3) * reach
        end.target.set_pos(actor, *goal.tolist())
        stage.step()
        assert np.linalg.norm(net(actor, "j4")[3, :3] - goal) < 1e-3 * reach
        # scale and shear of each joint stay what they are
        for i in range(1, 5):
            m = p3d.LMatrix4f()
            joint(actor, f"j{i}").get_transform(m)
            a, b = p3d.TransformState.make_mat(m), p3d.TransformState.make_mat(rows[i])
            assert a.get_scale().almost_equal(b.get_scale(), 1e-3)
            assert a.get_shear().almost_equal(b.get_shear(), 1e-3)


@pytest.mark.parametrize("kind", ["uneven", "sheared", "uneven, mirrored"])
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_error_of_unevenly_scaled_joints_is_the_remaining_distance(stage, kind, part):
    rows = [odd(hpr=(10, 20, 30)), *(odd(**row) for row in JOINTS[kind]), odd()]
    actor = build(stage, rows)
    stage.step()
    rig = ActorRig(actor)
    layer = part(rig)
    (end,) = layer.effectors
    for place in ((0.3, 0.2, 3.0), (0.1, 1.5, 2.0), (9.0, 0.0, 0.0)):
        end.target.set_pos(actor, *place)
        stage.step()
        error = layer.solve().error
        goal = end.target.get_pos(layer.root)
        left = (end.leaf.get_pos(layer.root) - goal).length()
        assert error == pytest.approx(left, abs=1e-5)


@pytest.mark.parametrize("scale", [(1, 1, -1), (-2, 2, 2), (1, -1, 1), (-1, -1, -1)])
@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_mirrored_joint_rotates_with_its_target(stage, kind, scale):
    rows = [odd(hpr=(10 * i, 20, 30)) for i in range(4)]
    actor = build(stage, [*rows, odd(scale=scale, hpr=(20, -10, 40))])
    stage.step()
    force(actor)
    before = net(actor, "j4").copy()
    rig = ActorRig(actor)
    if kind == "chain":
        part = rig.chain("j4", 3, orientation_mode="target")
    else:
        part = rig.tree({"j4": None}, root_joint="j1", orientation_mode="target")
    rig.start(stage.task_mgr)
    stage.step()
    assert np.abs(net(actor, "j4") - before).max() < 1e-4
    target = part.effectors[0].target
    turn = p3d.LQuaternionf()
    turn.set_from_axis_angle(40.0, p3d.LVector3f(0.6, 0, 0.8))
    target.set_quat(target.get_quat() * turn)
    stage.step()
    mat = p3d.LMatrix3f()
    turn.extract_to_matrix(mat)
    wanted = before[:3, :3] @ np.array([tuple(row) for row in mat.rows])
    assert np.abs(net(actor, "j4")[:3, :3] - wanted).max() < 1e-4
    assert part.result.orientation_error < 1e-3
