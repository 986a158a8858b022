"""Buffers of kernels are never moved, and copies share none of them."""

from __future__ import annotations

import copy
import pickle
from array import array
from pathlib import Path

import numpy as np
import pytest

import ikrig
from ikrig import (
    ChainModel,
    Circle,
    Clip,
    ConeLimit,
    FabrikSolver,
    HingeLimit,
    IkrigError,
    Key,
    ModelError,
    RobotModel,
    RobotState,
    SettingError,
    SkeletonModel,
    SolveSettings,
    SphericalWristArm,
    Spline,
    Track,
    solvers,
)
from ikrig.kernels import buffer
from ikrig.model.pose import Pose
from ikrig.solvers import MultiEffectorSolver, make_solver
from tests import random_robots

CHAIN = ChainModel([[0, 0.1 * (i % 2), i] for i in range(4)])
LIMITS = {1: HingeLimit("x", -1.0, 1.0)}
TREE = SkeletonModel([[0, 0, 0], [0, 0, 1], [-1, 0.1, 1], [1, 0.1, 1]], [-1, 0, 1, 1])
GOAL = (0.5, 1.0, 1.5)
STILL = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0] * 4
COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}


def chain(name: str):
    return make_solver(name, CHAIN, LIMITS)


MADE = {
    "fabrik": lambda: chain("fabrik"),
    "ccd": lambda: chain("ccd"),
    "bfgs": lambda: chain("bfgs"),
    "free chain": lambda: FabrikSolver(CHAIN),
    "tree": lambda: MultiEffectorSolver(TREE),
    "free tree": lambda: MultiEffectorSolver(TREE, pinned=False),
}


def buffers_of(solver) -> dict[str, array]:
    found = {}
    for part in (solver, *(getattr(solver, "_space", None),)):
        for held in ("_buffers", "buffers"):
            for name, values in getattr(part, held, {}).items():
                found[f"{type(part).__name__} {name}"] = values
    return found


# interpreted kernels work on lists, which nothing points into
needs_compiled = pytest.mark.skipif(
    not ikrig.COMPILED, reason="the kernels are not compiled here"
)


@needs_compiled
@pytest.mark.parametrize("what", MADE)
def test_kernel_buffers_cannot_be_resized(what):
    solver = MADE[what]()
    found = buffers_of(solver)
    assert len(found) >= 24
    for name, values in found.items():
        before = list(values)
        for change in (
            lambda held: held.append(held[0]),
            lambda held: held.extend(held),
            lambda held: held.pop(),
            lambda held: held.__setitem__(slice(None), held[:0]),
            lambda held: held.__setitem__(slice(None), array("d", [0.0] * 999)),
            lambda held: held.__delitem__(slice(None)),
        ):
            # a view has no other length than that of its memory
            with pytest.raises((AttributeError, TypeError, ValueError)):
                change(values)
        memories = solver._buffers if hasattr(solver, "_buffers") else solver._space
        for memory in getattr(memories, "buffers", memories)._memories:
            with pytest.raises(BufferError):
                memory.obj.append(0)
        assert list(values) == before, name


@needs_compiled
def test_buffers_of_poses_cannot_be_resized():
    pose = Pose(["hips", "spine"], [-1, 0], [np.eye(4)] * 2)
    for values in (pose.memory, pose.rest_numbers, pose.joints.above):
        with pytest.raises(BufferError):
            values.append(0)


@needs_compiled
def test_robot_buffers_cannot_be_resized():
    model = RobotModel(random_robots.random_bodies(np.random.default_rng(1), 5))
    state = RobotState(model)
    for name, values in model._kernel_buffers.items():
        with pytest.raises(BufferError):
            values.extend(values[:1])
            pytest.fail(name)
    del state


WRONG = {
    "nothing": [],
    "short": STILL[:-1],
    "long": [*STILL, 0.0],
    "short array": buffer(STILL[:-10]),
    "long array": buffer([*STILL, *STILL]),
    "single precision": array("f", STILL[:-1]),
    "table": np.reshape(STILL, (4, 10)),
    "texts": ["x"] * len(STILL),
    "huge": [10**400] * len(STILL),
    "bytes": bytes(8 * len(STILL)),
    "none": None,
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("what", MADE)
def test_animation_of_wrong_length_is_refused_and_moves_nothing(what, wrong):
    solver = MADE[what]()
    solver.animate(buffer(STILL))
    before = {name: list(values) for name, values in buffers_of(solver).items()}
    with pytest.raises(ModelError, match="joints must be 40 numbers, flat, not "):
        solver.animate(WRONG[wrong])
    assert {k: list(v) for k, v in buffers_of(solver).items()} == before


def test_different_tree_is_refused():
    bigger = SkeletonModel(np.vstack([TREE.positions, [[2, 0, 1]]]), [-1, 0, 1, 1, 3])
    other = SkeletonModel(TREE.positions, [-1, 0, 1, 2])
    for model in (bigger, other):
        with pytest.raises(ModelError, match="create a new solver"):
            MultiEffectorSolver(TREE).set_rest_pose(model)


def test_step_of_wrong_length_is_refused():
    class Wrong(solvers.ChainSolver):
        in_joint_space = True

        @staticmethod
        def iterate(space, settings, tolerance):
            space.move(np.zeros(99))
            return 1

    with pytest.raises(SettingError, match="a step must have 10 numbers"):
        Wrong(CHAIN, LIMITS).solve(GOAL)


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("what", MADE)
def test_solvers_are_not_copied(what, way):
    solver = MADE[what]()
    with pytest.raises(IkrigError, match="create another one instead"):
        COPIES[way](solver)


def arrays_of(thing) -> dict[str, np.ndarray]:
    return {k: v for k, v in vars(thing).items() if isinstance(v, np.ndarray)}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize(
    "model",
    [
        CHAIN,
        TREE,
        RobotModel(random_robots.random_bodies(np.random.default_rng(1), 5)),
        SphericalWristArm().geometry,
    ],
    ids=["chain", "tree", "bodies", "arm"],
)
def test_copies_of_models_are_equal_and_read_only(model, way):
    # what was computed on demand does not come along
    found = COPIES[way](model)
    assert type(found) is type(model)
    assert len(arrays_of(model)) >= 4
    for name, values in arrays_of(model).items():
        copied = getattr(found, name)
        assert np.array_equal(copied, values)
        with pytest.raises(ValueError, match="read-only"):
            copied[...] = 0
    if isinstance(model, RobotModel):
        assert (
            RobotState(found).pose.xpos.tobytes()
            == RobotState(model).pose.xpos.tobytes()
        )
    if isinstance(model, ChainModel):
        results = [FabrikSolver(m).solve(GOAL) for m in (found, model)]
        assert results[0] == results[1]


@pytest.mark.parametrize("way", COPIES)
def test_copies_of_states_are_independent(way):
    bodies = random_robots.random_bodies(np.random.default_rng(1), 5)
    state = RobotState(RobotModel(bodies), (2,))
    state.update()
    # not updated: the pose is older than the coordinates
    state.qpos += 0.1
    found = COPIES[way](state)
    assert np.array_equal(found.qpos, state.qpos)
    for mine, its in zip(found.pose, state.pose, strict=True):
        assert np.array_equal(mine, its)
        with pytest.raises(ValueError, match="read-only"):
            mine[...] = 0
    before = [array.copy() for array in state.pose]
    found.qpos += 0.3
    found.update()
    for mine, its in zip(state.pose, before, strict=True):
        assert np.array_equal(mine, its)
    assert not np.array_equal(found.qpos, state.qpos)


@pytest.mark.parametrize("way", COPIES)
def test_copies_of_arms_are_independent(way):
    arm = SphericalWristArm(lower=[-3.0] * 6)
    found = COPIES[way](arm)
    assert np.array_equal(found.lower, arm.lower)
    position, rotation = arm.forward([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert found._kernel is not arm._kernel
    found.forward(np.zeros(6))
    # the arm's own pose is still the one that it was asked for
    assert np.array_equal(arm._position, position)
    assert np.array_equal(
        found.solve(position, rotation).q, arm.solve(position, rotation).q
    )


CLIP = Clip(
    "wave",
    [
        Track("hand", "target", {0: (0, 0, 1), 1: Key((1, 0, 1), (0.1, 0.2, 0.3, 1))}),
        Track("hand", "rotation", {0: (1, 0, 0, 0), 1: (0.1, 0.2, 0.3)}, "cubic"),
        Track("foot", "target", Circle(radius=2.0)),
        Track("head", "pole", Spline(points=[(0, 0, 0), (1, 0, 0)], end=1.5)),
    ],
    events=[(0.5, "hello"), (1.0, "bye")],
    wrap="ping_pong",
    duration=2.0,
)


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("sampled", [False, True])
def test_copies_of_clips_are_equal(way, sampled):
    here = Path("wave.yaml")
    parts = {"events": CLIP.events, "wrap": CLIP.wrap, "duration": 2.0}
    clip = Clip("wave", CLIP.tracks, **parts, path=here, sources=[here])
    if sampled:
        clip.sample(0.1)
    found = COPIES[way](clip)
    for name in ("name", "events", "wrap", "duration", "path", "sources"):
        assert getattr(found, name) == getattr(clip, name)
    assert len(found.tracks) == len(clip.tracks)
    for mine, its in zip(found.tracks, clip.tracks, strict=True):
        assert (mine.part, mine.channel, mine.curve) == (
            its.part,
            its.channel,
            its.curve,
        )
        assert mine.path == its.path
        assert mine.keys == its.keys
        assert list(mine.keys) == list(its.keys)
        with pytest.raises(TypeError):
            mine.keys[5.0] = Key((0, 0, 0))
    for time in np.linspace(0.0, 5.0, 23):
        values, expected = found.sample(time), clip.sample(time)
        assert list(values) == list(expected)
        for name in expected:
            assert np.array_equal(values[name], expected[name])
    assert found.events_between(0.0, 3.0) == clip.events_between(0.0, 3.0)


@pytest.mark.parametrize("way", COPIES)
def test_copies_of_plain_data_are_equal(way):
    stiff = dict.fromkeys(range(4), HingeLimit("x", -0.1, 0.1))
    result = FabrikSolver(CHAIN, stiff).solve((1.0, 1.0, 0.5))
    assert result.blocked_by
    things = (result, SolveSettings(max_step=2.0), ConeLimit(0.5), LIMITS[1], Circle())
    for thing in things:
        found = COPIES[way](thing)
        assert found == thing
        assert type(found) is type(thing)
    values = CLIP.sample(0.3)
    found = COPIES[way](values)
    assert all(np.array_equal(found[name], values[name]) for name in values)


def test_assigned_coordinates_are_checked():
    model = RobotModel(random_robots.random_bodies(np.random.default_rng(1), 5))
    state, known = RobotState(model, (3,)), RobotState(model, (3,))
    kept = state.qpos
    values = np.random.default_rng(2).normal(size=(3, len(model.qpos0)))
    state.qpos = values
    known.qpos[...] = values
    state.update()
    known.update()
    assert state.qpos is kept
    assert state.pose.xpos.tobytes() == known.pose.xpos.tobytes()
    # one pose for all; adding in place works as on any array
    state.qpos = model.qpos0
    state.qpos += 0.0
    assert np.array_equal(state.qpos, np.tile(model.qpos0, (3, 1)))
    for wrong in (None, 5.0, "x", np.zeros(99), np.zeros((2, len(model.qpos0)))):
        with pytest.raises(ModelError, match="qpos"):
            state.qpos = wrong
    with pytest.raises(ModelError, match="mocap_pos"):
        state.mocap_pos = [1, 2]
