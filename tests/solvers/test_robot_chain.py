"""Arms of robots as chains to learn, and the count of goals that a network reaches."""

from __future__ import annotations

from base64 import b64encode

import numpy as np
import pytest

from ikrig import (
    Body,
    Joint,
    RobotModel,
    SettingError,
    Site,
    SolveSettings,
)
from ikrig.solvers import DlsSolver, LearnedSolver
from ikrig.solvers.learned.network import INPUTS, Network
from ikrig.solvers.learned.train import Learner, _gaps, find_tool, measure, robot_chain
from tests import limit_oracle, reference


def arm(rng, hinges: int = 4) -> RobotModel:
    """Hinges in a row with a tool, and a lamp on the way that has its own hinge."""
    bodies = []
    for k in range(hinges):
        joint = Joint(f"j{k}", axis=rng.normal(size=3), range=(-1.0 - 0.1 * k, 1.3))
        above = f"b{k - 1}" if k else "world"
        bodies.append(Body(f"b{k}", above, rng.uniform(0.2, 1.0, 3), joints=[joint]))
    bodies[-1] = Body(
        bodies[-1].name,
        bodies[-1].parent,
        bodies[-1].pos,
        joints=bodies[-1].joints,
        sites=[Site("tip", (0.1, 0.2, 0.3))],
    )
    return RobotModel([*bodies, Body("lamp", "b1", joints=[Joint("turn")])], name="r")


def test_tool_is_the_only_site_or_else_the_only_end():
    rng = np.random.default_rng(1)
    assert find_tool(arm(rng)) == "tip"
    for name in ("tip", "lamp", "b0"):
        assert find_tool(arm(rng), name) == name
    with pytest.raises(SettingError, match=r"r has no site or body 'world': .*tip, b0"):
        find_tool(arm(rng), "world")
    row = [Body("a"), Body("b", "a"), Body("c", "b")]
    assert find_tool(RobotModel(row)) == "c"
    assert find_tool(RobotModel([*row, Body("d", "c", sites=[Site("s")])])) == "s"
    sites = [Site("s"), Site("t")]
    assert find_tool(RobotModel([*row, Body("d", "c", sites=sites)])) == "d"
    with pytest.raises(SettingError, match=r"several ends: .* available: s, t, a, b"):
        find_tool(RobotModel([*row, Body("d", "b", sites=sites)]))


def pose_of(model, limits, angles) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation of the leaf when the hinges have these angles."""
    turn, place = np.eye(3), model.positions[0]
    for j, angle in enumerate(angles):
        place = place + (turn @ model.offsets[j] if j else 0.0)
        turn = turn @ reference.axis_angle(limits[j].axis, angle)
    return place + turn @ model.offsets[len(angles)], turn


def test_gaps_are_the_distance_and_the_angle_to_a_goal():
    rng = np.random.default_rng(3)
    _, model, limits = robot_chain(arm(rng), "tip")
    learner, solver = Learner(model, limits, 0), DlsSolver(model, dict(limits))
    for most in (0.001, 0.3, 3.0):
        solver.solve(model.positions[0] + rng.normal(size=3))
        angles = [solver.joint_angles[j][0] for j in range(4)]
        place, turn = pose_of(model, limits, angles)
        assert np.allclose(place, solver.positions[-1], atol=1e-9)
        away, off = 0.1 * rng.normal(size=3), most * rng.uniform(0.3, 1.0)
        goal = (place - model.positions[0]) / model.size + away
        twist = reference.axis_angle(reference.unit(rng.normal(size=3)), off)
        apart, angle = _gaps(learner, solver, goal, twist @ turn)
        assert apart == pytest.approx(np.linalg.norm(away), abs=1e-5)
        assert angle == pytest.approx(off, rel=1e-3, abs=1e-5)


def test_measured_success_is_that_of_the_solvers():
    rng = np.random.default_rng(4)
    chain = title, model, limits = robot_chain(arm(rng), "tip")
    sizes = (INPUTS, 6, 2 * 4)
    count = INPUTS * 6 + 6 + 6 * 8 + 8
    weights = b64encode(rng.normal(size=count).astype("<f2").tobytes()).decode()
    network = Network(
        title=title,
        positions=model.positions,
        limits=limits,
        sizes=sizes,
        weights=weights,
    )

    class Own(LearnedSolver):
        pass

    Own.network = network
    found = measure(chain, network, 40, 7)
    goals, _ = Learner(model, limits, 7).sample(40)
    for name, kind in (("learned", Own), ("dls", DlsSolver)):
        solver, reached = kind(model, dict(limits)), [0, 0]
        for position, matrix in zip(goals.joint_pos, goals.rotations, strict=True):
            goal = model.positions[0] + model.size * position
            for k, most in enumerate((10, 100)):
                settings = SolveSettings(
                    iterations=most, orientation_weight=1.0, snap_back_strength=1.0
                )
                turn = limit_oracle.quaternion(matrix.astype(float))
                solver.solve(goal, goal_rotation=turn, settings=settings)
                angles = [solver.joint_angles[j][0] for j in range(4)]
                place, now = pose_of(model, limits, angles)
                near = np.linalg.norm(place - goal) < 1.2e-3 * model.size
                turned = reference.angle_between(now, matrix.astype(float)) < 1.2e-3
                reached[k] += bool(near and turned)
        # a pose on the very bound may count or not
        own = found[name].reached, found[name].reached_later
        assert np.abs(np.subtract(own, reached)).max() <= 1
        assert reached[0] <= reached[1] and reached[1] > 0
        assert 1.0 < found[name].microseconds < 1e6
