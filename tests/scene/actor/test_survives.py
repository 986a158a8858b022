"""Changes to an Actor while its rig runs."""

from __future__ import annotations

import copy
import gc
import pickle
import tracemalloc
from pathlib import Path
from weakref import ref

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

from ikrig import (
    BallLimit,
    BindError,
    Body,
    CopyError,
    FootPlacement,
    Heightfield,
    Recorder,
    Robot,
    RobotModel,
    SolveStatus,
)
from ikrig.scene.actor.actor_rig import ActorRig

from .stage import Stage, gap, joint, net, only, size, skin
from .stage import update as force
from .test_situations import FEET, PANDA, WALK, held, hold

FLATTEN = ("flatten_light", "flatten_medium", "flatten_strong")


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("how", FLATTEN)
def test_rig_survives_flattening(stage, how, again):
    actor = stage.body()
    actor.set_pos_hpr_scale(1, 2, 3, 40, 50, 60, 0.01, 0.01, 0.01)
    stage.step(3)
    if again:
        getattr(actor, how)()
    rig = hold(stage, actor)
    feet = [only(actor, foot) for foot in FEET]
    for chain in rig.chains:
        chain.orientation_mode = "target"
    stage.step()
    places = [net_world(stage, actor, mask) for mask in feet]
    getattr(actor, how)()
    for _ in range(10):
        stage.step()
        for chain in rig.chains:
            assert chain.result.converged
        for mask, place in zip(feet, places, strict=True):
            moved = net_world(stage, actor, mask)
            assert gap(moved, place) < 1e-4 * size(net_world(stage, actor))
    rig.detach()
    assert not actor.find("**/ikrig")


def net_world(stage: Stage, actor: Actor, mask=slice(None)) -> np.ndarray:
    """Skinned vertices in the world, whatever space the flattened skin is in."""
    geom = actor.find("**/+GeomNode")
    mat = geom.get_mat(stage.render)
    rows = np.array([tuple(row) for row in mat.rows])
    return skin(actor)[mask] @ rows[:3, :3] + rows[3, :3]


def test_ground_that_updates_its_rig_does_not_recurse(stage):
    rig = ActorRig(stage.body("humanoid"))
    depths = [0]

    def height(x: float, y: float) -> float:
        depths.append(depths[-1] + 1)
        rig.update(1 / 60)
        rig.solve()
        depths.append(depths[-1] - 1)
        return 0.1

    feet = FootPlacement(rig, height)
    for _ in range(3):
        rig.update(1 / 60)
    assert max(depths) == 1 and len(depths) > 10
    assert max(feet.planted.values()) > 0.0


def test_rigs_and_their_parts_refuse_to_be_copied(stage):
    rig = ActorRig(stage.body("humanoid"))
    chain = rig.chain("RightHand", 2)
    robot = Robot(RobotModel([Body("arm")]), p3d.NodePath("scene"))
    feet = FootPlacement(rig, lambda x, y: 0.0)
    things = (rig, chain, chain.effectors[0], feet, robot, Recorder(rig))
    for thing in things:
        for take in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(CopyError, match="objects can't be copied or pickled"):
                take(thing)


def test_copies_of_a_heightfield_are_equal():
    hills = Heightfield([[0, 1, 0], [1, 2, np.nan]], origin=(1, 2), size=(4, 3))
    for take in (copy.copy, copy.deepcopy, lambda h: pickle.loads(pickle.dumps(h))):
        other = take(hills)
        assert repr(other) == repr(hills)
        for x, y in ((1, 2), (3.3, 4.2), (5, 5), (9, 9)):
            assert other.height(x, y) == hills.height(x, y)


def test_detach_restores_the_actor(stage):
    actor, reference = stage.body(), stage.body()
    stage.step(3)
    nodes = actor.find_all_matches("**").get_num_paths()
    rig = hold(stage, actor)
    targets = [chain.target for chain in rig.chains]
    stage.step(3)
    assert gap(skin(actor), skin(reference)) > 0.01 * size(skin(actor))
    rig.detach()
    assert actor.find_all_matches("**").get_num_paths() == nodes
    assert all(target.is_empty() for target in targets)
    assert rig.chains == ()
    for _ in range(3):
        stage.step()
        force(actor)
        force(reference)
        assert np.array_equal(skin(actor), skin(reference))
    # and it may have another one
    again = hold(stage, actor)
    stage.step()
    assert held(actor, again) < 1e-5
    with pytest.raises(BindError, match="has an ActorRig"):
        ActorRig(actor)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_hundreds_of_rigs_leave_no_memory_behind(stage):
    actor, other = stage.body(), stage.body()
    stage.step(3)
    # Panda3D itself keeps 128 bytes for each task that was ever added: keep one
    hold(stage, other)

    def round_trip() -> None:
        rig = hold(stage, actor)
        stage.step()
        rig.detach()

    rig = hold(stage, actor)
    gone = ref(rig)
    rig.detach()
    del rig
    gc.collect()
    assert gone() is None
    for _ in range(100):
        round_trip()
    tracemalloc.start()
    try:
        sizes = []
        for count in (20, 80):
            for _ in range(count):
                round_trip()
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    # numpy keeps some small pieces for later; a rig is tens of kilobytes
    assert sizes[1] - sizes[0] < 80 * 1000
    if not Path("/proc/self/statm").exists():
        return
    grown = []
    for _ in range(5):
        memory = resident()
        for _ in range(80):
            round_trip()
        grown.append(resident() - memory)
    # the allocator takes two megabytes more at some time, and then no more: what leaks
    # grows in every round
    assert min(grown) < 80 * 200


ENDS = {
    "cleanup": lambda a: a.cleanup(),
    "delete": lambda a: a.delete(),
    "remove_node": lambda a: a.remove_node(),
    "remove_part": lambda a: a.remove_part("modelRoot"),
    "flush": lambda a: a.flush(),
    "detach_node": lambda a: a.detach_node(),
}


@pytest.mark.parametrize("end", ENDS)
def test_actor_removed_while_its_rig_runs(stage, end, capfd):
    actor, other = stage.body(), stage.body()
    stage.step(3)
    rig, fine = hold(stage, actor), hold(stage, other)
    stage.step()
    ENDS[end](actor)
    for _ in range(5):
        stage.step()
        assert held(other, fine) < 1e-5
    rig.stop()
    rig.start(stage.task_mgr)
    stage.step()
    rig.detach()
    rig.detach()
    with pytest.raises(BindError):
        rig.chain(FEET[0], 3)
    assert capfd.readouterr().err.count(":ikrig(warning)") <= 2


def test_rig_survives_new_animations_and_models(stage):
    actor = stage.body()
    stage.step(3)
    rig = hold(stage, actor)
    stage.step()
    actor.unload_anims()
    stage.step()
    assert held(actor, rig) < 1e-5
    actor.load_anims({"new": WALK["walk"]})
    actor.loop("new")
    for _ in range(5):
        stage.step()
        assert held(actor, rig) < 1e-5
    actor.remove_part("modelRoot")
    stage.step()
    actor.load_model(PANDA)
    actor.load_anims(WALK)
    actor.loop("walk")
    for _ in range(5):
        stage.step()
        assert all(chain.result.converged for chain in rig.chains)
        assert held(actor, rig) < 1e-5
    assert joint(actor, FEET[0])
    assert net(actor, FEET[0]).shape == (4, 4)


def test_new_target_is_reported_at_weight_0(stage):
    actor = stage.body()
    stage.step(3)
    chain = hold(stage, actor).chains[0]
    chain.target.remove_node()
    stage.step()
    chain.weight = 0.0
    stage.step()
    assert chain.result.status is SolveStatus.INVALID_TARGET
    chain.target = stage.node(actor, "another")
    stage.step(2)
    assert chain.result.status is not SolveStatus.INVALID_TARGET
    assert chain._idle


@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_limits_refer_to_the_model_after_rebinding(stage, kind):
    actor = stage.body()
    stage.step(3)
    rig = hold(stage, actor)
    knee = rig.chains[0].bones[1].get_name()
    if kind == "chain":
        part = rig.chain(FEET[0], 2, solver="dls", limits={knee: BallLimit(3.0)})
    else:
        part = rig.tree({FEET[0]: None}, root_joint=knee, limits={knee: BallLimit(3.0)})
    stage.step(9)
    before = [node.get_transform() for node in part.bones]
    model = part.model.rotations.copy()
    part.rebind()
    assert np.array_equal(part.model.rotations, model)
    assert [node.get_transform() for node in part.bones] == before


def test_removed_part_is_named(stage):
    actor = stage.body()
    stage.step(3)
    rig = hold(stage, actor)
    actor.get_part("modelRoot").remove_node()
    with pytest.raises(BindError, match=r"'modelRoot'.*was removed"):
        rig.joint(FEET[0])
    stage.step(2)
    assert "was removed" in rig.chains[0].result.detail


class Layer:
    """A layer of a user's own."""

    order, started = 0.0, True

    def apply(self, pose, dt) -> None:
        """Do nothing."""


@pytest.mark.parametrize("when", ["begin", "apply", "end"])
def test_actor_error_within_a_frame_stops_all_its_chains(stage, monkeypatch, when):
    rig = hold(stage, stage.body())
    rig.add(Layer(), [])
    rig.update(1 / 60)
    assert all(chain.result.detail != "broken" for chain in rig.chains)

    def fail(*_):
        raise BindError("broken")

    with monkeypatch.context() as patched:
        broken = rig.layers[-1] if when == "apply" else rig.skeleton
        patched.setattr(type(broken), when, fail)
        rig.update(1 / 60)
    for chain in rig.chains:
        assert chain.result.detail == "broken"
        assert chain.result.status is SolveStatus.INVALID_TARGET
    rig.update(1 / 60)
    assert all(chain.result.detail != "broken" for chain in rig.chains)
