"""Every method on arms and trees that its mathematics allows; the others say why not.

Poses are judged by the robot's own forward kinematics, and by distances alone.
"""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    BallLimit,
    Body,
    HingeLimit,
    Joint,
    ModelError,
    RobotModel,
    SkeletonModel,
    SolveSettings,
    forward_kinematics,
)
from ikrig.solvers import MultiEffectorSolver, RobotSolver
from ikrig.solvers.learned.franka_network import ARM
from tests.methods import METHODS

LONG = SolveSettings(iterations=300)


def arms(count: int, joints: int = 5) -> RobotModel:
    """A column that turns, with arms of hinges about axes in turn."""
    column = Joint("column", axis=(0, 0, 1), range=(-2, 2))
    bodies = [Body("trunk", pos=(0, 0, 0.5), joints=[column])]
    for side in range(count):
        above = "trunk"
        for k in range(joints):
            axis = ((0, 0, 1), (0, 1, 0), (1, 0, 0))[k % 3]
            joint = Joint(f"joint {side} {k}", axis=axis, range=(-1.8, 1.8))
            name = f"link {side} {k}"
            pos = (0.3, 0.0, 0.05)
            if k == 0:
                pos = (0.3, 0.25 * (1 - 2 * side), 0.0)
            bodies.append(Body(name, parent=above, pos=pos, joints=[joint]))
            above = name
        bodies.append(Body(f"hand {side}", parent=above, pos=(0.25, 0.0, 0.0)))
    return RobotModel(bodies, name="arms")


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("method", METHODS)
def test_arms_reach_by_every_method(method, count):
    model, rng = arms(count), np.random.default_rng(3)
    hands = [f"hand {side}" for side in range(count)]
    solver = RobotSolver(model, hands, method=method)
    rows = [model.body_index(hand) for hand in hands]
    low, high = model.joint_ranges.T
    for _ in range(6):
        pose = forward_kinematics(model, rng.uniform(0.6 * low, 0.6 * high))
        goals = pose.xpos[rows]
        result = solver.solve(goals, start=model.qpos0, settings=LONG)
        assert result.converged, result
        found = forward_kinematics(model, result.qpos).xpos[rows]
        assert np.linalg.norm(found - goals, axis=1).max() < 2e-3
        assert (low - 1e-9 <= result.qpos).all() and (result.qpos <= high + 1e-9).all()


def limbs(bones: int) -> SkeletonModel:
    """Two limbs of bones on a trunk."""
    places = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    parents, names = [-1, 0], ["hip", "neck"]
    for side in (-1.0, 1.0):
        above = 1
        for k in range(bones + 1):
            places.append((side * (0.2 + 0.5 * k), 0.05 * (k == 1), 1.0))
            parents.append(above)
            names.append(f"{side:+.0f} {k}")
            above = len(places) - 1
    return SkeletonModel(places, parents, names=names)


@pytest.mark.parametrize("elbow", [HingeLimit("z", -2.5, 2.5), BallLimit(2.5), None])
def test_limbs_of_two_bones_need_no_iteration(elbow):
    model, rng = limbs(2), np.random.default_rng(5)
    limits = {} if elbow is None else {"-1 1": elbow, "+1 1": elbow}
    solver = MultiEffectorSolver(model, limits=limits, method="two_bone")
    start = model.positions[[2, 5]]
    for _ in range(20):
        solver.reset()
        goals = start + rng.normal(size=(2, 3)) * 0.2 + [[-0.5, 0, 0], [0.5, 0, 0]]
        result = solver.solve(goals)
        assert result.converged
        # the closed form is exact; what is left is the descent's last digits
        assert result.iterations <= 2
        assert np.linalg.norm(solver.reached - goals, axis=1).max() < 1e-3
        lengths = np.linalg.norm(
            solver.positions[1:] - solver.positions[list(model.parents[1:])], axis=1
        )
        assert np.allclose(lengths, np.linalg.norm(model.offsets[1:], axis=1))


def test_limbs_of_three_bones_are_refused_with_the_count():
    with pytest.raises(ModelError, match=r"two bones that move -1 3 alone, .* are 3"):
        MultiEffectorSolver(limbs(3), method="two_bone")


def franka() -> RobotModel:
    """The learned arm as a robot."""
    bodies, last = [], np.zeros(3)
    for j, place in enumerate(ARM.model.positions):
        limit = ARM.limits[j]
        joints = []
        if isinstance(limit, HingeLimit):
            ends = (limit.lower, limit.upper)
            joints = [Joint(f"joint {j}", axis=limit.axis, range=ends)]
        above = f"link {j - 1}" if j else "world"
        offset = place - last
        bodies.append(Body(f"link {j}", parent=above, pos=offset, joints=joints))
        last = place
    return RobotModel(bodies, name="franka")


def test_network_guesses_for_the_arm_of_a_robot():
    model, rng = franka(), np.random.default_rng(6)
    learned = RobotSolver(model, "link 7", method="learned")
    plain = RobotSolver(model, "link 7")
    row, (low, high) = model.body_index("link 7"), model.joint_ranges.T
    used = []
    for _ in range(20):
        pose = forward_kinematics(model, rng.uniform(low, high))
        goal = pose.xpos[row], pose.xquat[row]
        results = [s.solve(*goal, start=0.5 * (low + high)) for s in (learned, plain)]
        used.append([result.iterations for result in results])
        found = forward_kinematics(model, results[0].qpos)
        assert results[0].converged
        assert np.allclose(found.xpos[row], pose.xpos[row], atol=2e-3)
    # a good guess leaves less to do
    assert np.median(used, axis=0)[0] < np.median(used, axis=0)[1]


def test_refusals_are_one_sentence():
    for method, words in (
        ("learned", "several effectors"),
        ("six_axis", "not 2 effectors"),
        ("two_bone", "move hand 0 alone, but there are 5"),
    ):
        with pytest.raises(ModelError) as caught:
            RobotSolver(arms(2), ["hand 0", "hand 1"], method=method)
        assert words in str(caught.value) and "\n" not in str(caught.value)
