"""What the solution of a body must be."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig.character.body_model import body_model
from ikrig.character.limb import FoundLimbs, Limb
from ikrig.errors import BindError, SettingError
from ikrig.model.pose import Pose
from ikrig.solvers.body import BodySolver

# name, parent, place in the parent; facing -y, arms at the sides
JOINTS = (
    ("hips", None, (0, 0, 1.0)),
    ("spine", "hips", (0, 0, 0.15)), ("ribs", "spine", (0, 0, 0.15)),
    ("neck", "ribs", (0, 0, 0.2)), ("head", "neck", (0, 0, 0.1)),
    *(
        (f"{side}_{name}", f"{side}_{above}" if own else above, (sign * x, y, z))
        for side, sign in (("left", 1), ("right", -1))
        for name, above, own, x, y, z in (
            ("collar", "ribs", False, 0.03, 0, 0.15),
            ("arm", "collar", True, 0.15, 0, 0),
            ("elbow", "arm", True, 0.02, 0, -0.28),
            ("hand", "elbow", True, 0, -0.02, -0.25),
            ("thigh", "hips", False, 0.1, 0, -0.05),
            ("knee", "thigh", True, 0, -0.01, -0.43),
            ("foot", "knee", True, 0, 0.01, -0.42),
        )
    ),
)  # fmt: skip


def figure() -> tuple[Pose, BodySolver]:
    names = [name for name, _, _ in JOINTS]
    parents = [-1 if above is None else names.index(above) for _, above, _ in JOINTS]
    local = np.tile(np.eye(4), (len(names), 1, 1))
    local[:, 3, :3] = [place for _, _, place in JOINTS]
    net = local.copy()
    for j, p in enumerate(parents):
        if p >= 0:
            net[j] = local[j] @ net[p]
    limbs = [Limb("head", "head", "", ("neck", "head"), "")]
    for side in ("left", "right"):
        arm = tuple(f"{side}_{x}" for x in ("arm", "elbow", "hand"))
        leg = tuple(f"{side}_{x}" for x in ("thigh", "knee", "foot"))
        limbs += [
            Limb(f"{side}_hand", "hand", side, arm, ""),  # type: ignore[arg-type]
            Limb(f"{side}_foot", "foot", side, leg, ""),  # type: ignore[arg-type]
        ]
    pose = Pose(names, parents, local)
    found = FoundLimbs(tuple(limbs), "head")
    model = body_model(pose, found, limbs, dict(zip(names, net, strict=True)))
    return pose, BodySolver(pose, model)


def run(frames: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lead all ends; return the last pose, their places, and their goals."""
    pose, solver = figure()
    rest, start = pose.local.copy(), {}
    ends = [name for name in solver.goals if name not in ("hips", "chest")]
    for name in ends:
        start[name] = pose.net_matrix(solver.model.ends[name])[3, :3]
    for k in range(frames):
        pose.local[:] = rest
        pose.note_all()
        goals = []
        for i, name in enumerate(ends):
            way = np.sin(0.1 * k * np.array([1.0, 1.3, 0.7]) + i) - np.sin(i)
            # all but the feet sink, so that everything stays in reach
            drop = 0.0 if "foot" in name else min(0.02 * k, 0.2)
            place = start[name] + 0.03 * way - [0.0, 0.0, drop]
            solver.set_goal(name, place, (1, 0, 0, 0), 1.0, 1.0)
            goals.append(place)
        solver.solve()
    places = [pose.net_matrix(solver.model.ends[name])[3, :3] for name in ends]
    return np.array(pose.memory[: 16 * pose.n]), np.array(places), np.array(goals)


def test_ends_are_at_their_goals() -> None:
    _, places, goals = run(40)
    assert np.abs(places - goals).max() < 1e-4


def test_a_figure_turned_and_moved_does_the_same() -> None:
    pose, solver = figure()
    other, again = figure()
    c, s = np.cos(0.4), np.sin(0.4)
    turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
    move = np.array([3.0, -2.0, 0.5])
    other.local[0, :3, :3] = turn
    other.local[0, 3, :3] = other.local[0, 3, :3] @ turn + move
    other.note_all()
    place = pose.net_matrix("left_hand")[3, :3] + [0.1, -0.4, 0.3]
    solver.set_goal("left_hand", place)
    again.set_goal("left_hand", place @ turn + move)
    for name in ("left_foot", "right_foot"):
        foot = pose.net_matrix(name)[3, :3]
        solver.set_goal(name, foot)
        again.set_goal(name, foot @ turn + move)
    solver.solve()
    again.solve()
    for name in pose.names:
        a, b = pose.net_matrix(name), other.net_matrix(name)
        assert np.abs(a[3, :3] @ turn + move - b[3, :3]).max() < 2e-3, name


def test_what_a_goal_costs_grows_with_its_distance() -> None:
    pose, solver = figure()
    rest = pose.local.copy()
    start = pose.net_matrix("left_hand")[3, :3]
    for name in ("left_foot", "right_foot"):
        solver.set_goal(name, pose.net_matrix(name)[3, :3], orientation_weight=1.0)
    costs = []
    for part in np.linspace(0.0, 1.0, 9):
        pose.local[:] = rest
        pose.note_all()
        solver.kernel.reset()
        solver.set_goal("left_hand", start + part * np.array([0.15, -0.45, 0.35]))
        solver.solve()
        total = 0.0
        for joint in solver.model.joints[1:]:
            j = pose.index[joint.name]
            cosine = (np.trace(pose.local[j, :3, :3] @ rest[j, :3, :3].T) - 1) / 2
            total += (np.arccos(np.clip(cosine, -1, 1)) / np.mean(joint.ease)) ** 2
        costs.append(total)
    assert costs[0] < 1e-3 and (np.diff(costs) > 0.0).all()


def test_errors_name_the_goal() -> None:
    _, solver = figure()
    with pytest.raises(BindError, match="no goal 'hand'"):
        solver.set_goal("hand", (0, 0, 0))
    with pytest.raises(SettingError, match="position"):
        solver.set_goal("head", (0, 0, float("nan")))
    with pytest.raises(SettingError, match="weights must be from 0 to 1"):
        solver.set_goal("head", (0, 0, 1), weight=2.0)
