"""Arguments of a robot's solver: the forms of goals, rotations and settings."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    Body,
    Joint,
    RobotModel,
    RobotSolver,
    SettingError,
    Site,
    SolveSettings,
    forward_kinematics,
)
from tests import limit_oracle, reference

SETTINGS = SolveSettings(iterations=100)


def robot() -> RobotModel:
    """A turning post with two arms of three hinges each."""
    bodies = [Body("post", joints=[Joint("turn", axis="z", qpos0=0.2)])]
    for side, x in (("l", -0.5), ("r", 0.5)):
        above = "post"
        for k in range(3):
            joint = Joint(f"{side}{k}", axis="xyz"[k], range=(-2.0, 2.0), qpos0=0.3)
            bodies.append(Body(f"{side} {k}", above, (x, 0.1, 0.6), joints=[joint]))
            above = f"{side} {k}"
        site = Site(f"{side} tool", (x, 0, 0.2), reference.unit([1.0, 0.4, 0.2, x]))
        bodies.append(Body(f"{side} hand", above, (0, 0, 0.3), sites=[site]))
    return RobotModel(bodies, name="two arms")


def goals_of(rng, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Poses near the start, positions (n, 2, 3) and rotations (n, 2, 3, 3) of tools."""
    model = robot()
    qpos = model.qpos0 + rng.uniform(-0.4, 0.4, (count, len(model.qpos0)))
    pose = forward_kinematics(model, qpos)
    return qpos, pose.site_xpos, pose.site_xmat


def quats(matrices) -> np.ndarray:
    flat = [limit_oracle.quaternion(m) for m in np.reshape(matrices, (-1, 3, 3))]
    return np.reshape(flat, (*np.shape(matrices)[:-2], 4))


def test_one_effectors_goal_and_rotation_may_be_given_without_a_list():
    _, places, turns = goals_of(np.random.default_rng(1), 1)
    place, turn = places[0, 0], turns[0, 0]
    quat = quats(turn)
    found = []
    for goal in (place, place.tolist(), [place], place[None]):
        for rotation in (
            *(quat, -quat, 3.0 * quat, quat.tolist(), [quat], quat[None]),
            *(turn, turn.tolist(), [turn], turn[None], [turn.tolist()]),
        ):
            solver = RobotSolver(robot(), "l tool")
            result = solver.solve(goal, rotation, settings=SETTINGS)
            assert result.converged
            found.append(result.qpos)
        for rotation in (None, [None]):
            solver = RobotSolver(robot(), ["l tool"])
            assert solver.solve(goal, rotation, settings=SETTINGS).converged
    assert np.allclose(found, found[0], atol=1e-6)
    end = forward_kinematics(robot(), found[0])
    assert np.linalg.norm(end.site_xpos[0] - place) < 5e-3
    assert reference.angle_between(end.site_xmat[0], turn) < 2e-3


def test_each_of_two_effectors_may_have_another_form_of_rotation():
    _, places, turns = goals_of(np.random.default_rng(2), 1)
    left, right = turns[0]
    found = []
    for pair in ((left, right), (quats(left), right), (left, quats(right)), turns[0]):
        solver = RobotSolver(robot(), ["l tool", "r tool"])
        result = solver.solve(places[0], pair, settings=SETTINGS)
        assert result.converged
        found.append(result.qpos)
    assert np.allclose(found, found[0], atol=1e-6)
    # one of them alone
    solver = RobotSolver(robot(), ["l tool", "r tool"])
    result = solver.solve(places[0], [None, right], settings=SETTINGS)
    end = forward_kinematics(robot(), result.qpos)
    assert reference.angle_between(end.site_xmat[1], right) < 2e-3


@pytest.mark.parametrize("effectors", [["l tool"], ["l tool", "r tool"]])
def test_goals_of_a_batch_have_the_same_forms(effectors):
    count, e = 6, len(effectors)
    qpos, places, turns = goals_of(np.random.default_rng(3), count)
    places, turns = places[:, :e], turns[:, :e]
    forms = [(places, turns), (places, quats(turns)), (places.tolist(), turns.tolist())]
    if e == 1:
        forms += [(places[:, 0], turns[:, 0]), (places[:, 0], quats(turns[:, 0]))]
    found = []
    for goals, rotations in forms:
        solver = RobotSolver(robot(), effectors)
        batch = solver.solve_batch(goals, rotations, settings=SETTINGS)
        assert batch.converged.all()
        found.append(batch.qpos)
    assert np.allclose(found, found[0], atol=1e-9)
    ends = forward_kinematics(robot(), found[0])
    assert np.linalg.norm(ends.site_xpos[:, :e] - places, axis=2).max() < 5e-3
    for k in range(count):
        for j in range(e):
            off = reference.angle_between(ends.site_xmat[k, j], turns[k, j])
            assert off < 2e-3
    # from where they are nothing has to move, from one start for all or their own
    solver = RobotSolver(robot(), effectors)
    batch = solver.solve_batch(places, turns, starts=qpos)
    assert np.allclose(batch.qpos, qpos, atol=1e-12) and not batch.iterations.any()
    one = solver.solve_batch(places[:1], turns[:1], starts=qpos[0])
    assert np.allclose(one.qpos, qpos[:1], atol=1e-12)


@pytest.mark.parametrize("effectors", [["l tool"], ["l tool", "r tool"]])
@pytest.mark.parametrize(
    "rotations",
    [
        *(5, "abcd", [], [[]], [1.0, 0.0], [[1.0, 0.0, 0.0]], np.zeros((3, 2))),
        *([["a"] * 4], np.zeros((2, 2, 5)), np.zeros((2, 3, 3, 3)), [[[1.0]]], {}),
    ],
    ids=repr,
)
def test_rotations_of_other_shapes_are_refused(rotations, effectors):
    solver = RobotSolver(robot(), effectors)
    goals = np.ones((len(effectors), 3))
    with pytest.raises(SettingError, match="rotations must"):
        solver.solve(goals, rotations)
    with pytest.raises(SettingError, match="rotations must"):
        solver.solve_batch([goals] * 2, rotations)


def test_batch_of_two_effectors_needs_a_rotation_for_each():
    solver = RobotSolver(robot(), ["l tool", "r tool"])
    for rotations in (np.tile(np.eye(3), (2, 1, 1)), np.ones((2, 4))):
        with pytest.raises(SettingError, match=r"rotations must be of shape \(n, 2, 4"):
            solver.solve_batch(np.ones((2, 2, 3)), rotations)


@pytest.mark.parametrize("name", ["joint_speeds", "posture", "posture_weights"])
def test_settings_of_joints_by_name_and_by_index_are_the_same(name):
    model = robot()
    rng = np.random.default_rng(4)
    values = dict(zip(model.joint_names, rng.uniform(0.1, 0.9, 7), strict=True))
    _, places, _ = goals_of(rng, 1)
    more = {"posture_weight": 0.5}
    if name == "posture_weights":
        more["posture"] = "middle"
    found = []
    for given in (values, {model.joint_index(key): x for key, x in values.items()}):
        solver = RobotSolver(model, ["l tool", "r tool"])
        settings = SolveSettings(**{name: given}, **more)
        for _ in range(3):
            result = solver.solve(places[0], settings=settings, dt=0.02)
        found.append(result.qpos)
    plain = RobotSolver(model, ["l tool", "r tool"])
    other = plain.solve(places[0], settings=SolveSettings(**more), dt=0.02)
    assert np.array_equal(found[0], found[1])
    assert np.abs(np.subtract(found[0], other.qpos)).max() > 1e-3
    for wrong in (7, -1, "l3"):
        settings = SolveSettings(**{name: {wrong: 0.5}})
        with pytest.raises(SettingError, match=f"{name}: two arms has no joint"):
            RobotSolver(model, "l tool").solve(places[0, 0], settings=settings)
