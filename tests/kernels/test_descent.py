"""Damped least squares accepts, damps, gives up and restarts, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from tests.interpreted import interpreted_kernel

search = interpreted_kernel("joint_search")


STEPS = ("prepare_step", "damped_step", "accelerate", "longest_rotation", "advance")


@pytest.fixture(autouse=True)
def scripted(monkeypatch):
    """Steps that a script has of its own are taken in place of the functions."""
    for name in STEPS:
        monkeypatch.setattr(
            search, name, lambda joints, *given, n=name: getattr(joints, n)(*given)
        )


class Script(search.JointSearch):
    """A kernel whose costs come from a list; it notes what is asked of it.

    Args:
        costs: Of each pose that a step leads to, one after the other.
        turns: The longest turn of each step [rad].
        cyclic: Whether it may be accelerated.
    """

    def __init__(self, costs, turns=(0.5,), cyclic=0) -> None:
        self.costs, self.turns, self.cyclic = iter(costs), list(turns), cyclic
        self.joints = self
        self.log: list = []
        self.at = self.kept = self.start = 1.0
        self.cost, self.error, self.orientation_error = 1.0, 1.0, 0.0
        self.strength = 0.3
        self.step_limit = search.LONGEST

    def measure(self):
        self.log.append("measure")
        self.error = self.cost
        return self.cost

    def prepare_step(self):
        self.log.append("prepare")

    def damped_step(self, damping):
        self.log.append(damping)
        self.longest = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]

    def longest_rotation(self):
        return self.longest

    def accelerate(self, damping, s):
        self.log.append(("accelerate", s))
        self.longest = 2.0 * s

    def reached(self, tolerance, orientation_tolerance):
        return self.error <= tolerance and (
            self.orientation_error <= orientation_tolerance
        )

    def keep(self):
        self.kept = self.cost

    def restore(self):
        self.log.append("restore")
        self.cost = self.kept

    def advance(self, fraction):
        self.log.append(("advance", fraction))
        self.cost = next(self.costs)


def descend(costs, turns, cyclic, iterations, patience):
    """The same by its rules: what is asked for, how many steps, and whether stuck."""
    costs, turns = iter(costs), list(turns)
    log, cost, factor, slow = ["measure"], 1.0, 1.0, 0
    for used in range(1, iterations + 1):
        if used == 1 or log[-1] != "again":
            log.append("prepare")
        log[:] = [entry for entry in log if entry != "again"]
        log.append(0.3 * factor * cost + 1e-12)
        turn = turns.pop(0) if len(turns) > 1 else turns[0]
        if slow and cyclic and turn < 1.0:
            log.append(("accelerate", turn))
            turn *= 2.0
        # a linear model is good for one radian
        share = min(1.0, 1.0 / turn)
        log += [("advance", share), "measure"]
        new = next(costs)
        if new >= cost:
            log += ["restore", "measure", ("advance", 0.5 * share), "measure"]
            new = next(costs)
        if new < cost:
            slow = slow + 1 if 1.0 - new / cost < patience else 0
            cost, factor = new, max(0.4 * factor, 1e-6)
        else:
            log += ["restore", "measure", "again"]
            factor, slow = 8.0 * factor, slow + 1
        if slow == 2 or turn < 1e-9:
            return [entry for entry in log if entry != "again"], used, 1, cost
    return [entry for entry in log if entry != "again"], iterations, 0, cost


COSTS = {
    "downhill": [0.5**k for k in range(1, 40)],
    "overshoots": [2.0, 0.5, 2.0, 0.25, 0.1, 0.3, 0.05, 0.01, *[1e-3] * 9],
    "no way": [1.0] * 9,
    "once uphill": [1.0, 1.0, 0.5, 0.6, 0.5, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1],
    "slower and slower": [0.85, 0.6, 0.55, 0.2, 0.19, 0.18, 0.1],
    "as fast as patience": [0.5, 0.45, 0.3, 0.27, 0.1, 0.09, 0.05],
}


@pytest.mark.parametrize("cyclic", [0, 1])
@pytest.mark.parametrize("iterations", [0, 1, 2, 3, 30])
@pytest.mark.parametrize("costs", COSTS.values(), ids=COSTS)
def test_steps_that_improve_are_kept_and_lower_the_damping(costs, iterations, cyclic):
    for turns in ((0.5,), (2.0, 0.7, 4.0, 1.0), (0.5, 0.5, 1e-10)):
        for patience in (0.1, 0.3):
            script = Script([*costs, *[0.0] * 99], turns, cyclic)
            # none is ever near enough
            used = script.iterate(iterations, -1.0, -1.0, 1.0, patience)
            expected = descend(
                [*costs, *[0.0] * 99], turns, cyclic, iterations, patience
            )
            log = [pytest.approx(x) if isinstance(x, float) else x for x in expected[0]]
            assert script.log == log
            assert (used, script.stuck) == expected[1:3]
            assert script.cost == expected[3]


def test_search_ends_within_the_requested_fraction_of_the_tolerance():
    for tolerance, steps in ((0.5, 2), (0.49, 3), (0.13, 4), (1.0, 1)):
        script = Script([0.5**k for k in range(1, 9)])
        assert script.iterate(9, 2.0 * tolerance, 1.0, 0.25, 0.1) == steps
    script = Script([0.5**k for k in range(1, 9)])
    script.orientation_error = 0.3
    assert script.iterate(5, 9.0, 0.29, 1.0, 0.1) == 5
    assert script.iterate(5, 9.0, 0.3, 1.0, 0.1) == 0


class Restarts(search.JointSearch):
    """A kernel whose descents end where a list says, at a number and a turn."""

    def __init__(self, arrives, steps=7) -> None:
        self.joints = self
        self.n, self.m, self.e = 1, 2, 1
        self.value, self.first_value = [1.0, 2.0], [0.0, 0.0]
        self.q, self.first_q = [1.0, 0.0, 0.0, 0.0], [0.0] * 4
        self.arrives, self.steps = iter(arrives), steps
        self.log: list = []
        self.tried = self.cyclic = self.uncounted = 0
        self.stuck = 1
        self.there = False

    def iterate(self, iterations, tolerance, orientation_tolerance, fine, patience):
        self.log.append((iterations, fine, patience, self.cyclic))
        self.there = next(self.arrives)
        # each descent ends elsewhere
        self.value[:] = [3.0 + len(self.log), 0.0]
        self.q[0] = -float(len(self.log))
        return min(self.steps, iterations)

    def copy_pose(self, value, q, to_value, to_q):
        to_value[:], to_q[:] = value[: self.m], q[: 4 * self.n]

    def reached(self, tolerance, orientation_tolerance):
        assert (tolerance, orientation_tolerance) == (0.1, 0.2)
        return int(self.there)

    def weigh_rotations(self, factor):
        self.log.append(("weigh", factor))

    def scatter_pose(self, count):
        assert count == 0
        self.log.append("scatter")

    def go(self, iterations, restarts):
        return self.search(iterations, 0.1, 0.2, 0.5, restarts, 0)


def test_search_that_converges_at_once_does_not_restart():
    kernel = Restarts([True])
    assert kernel.go(30, 3) == 7
    assert kernel.log == [(30, 0.5, 0.1, 0)] and kernel.tried == 0


@pytest.mark.parametrize("arrives_at", [1, 2, 3, 4])
def test_restarts_continue_until_one_converges(arrives_at):
    kernel = Restarts([False] * arrives_at + [True])
    assert kernel.go(1000, 9) == 7 * (arrives_at + 1)
    assert kernel.tried == arrives_at and kernel.cyclic == 0
    # the pose is the one that arrived, and no polish follows
    assert kernel.uncounted == 0
    expected = [(1000, 0.5, 0.1, 0)]
    for k in range(1, arrives_at + 1):
        # rotations count less at first; each third time even less
        faint = 0.25 if k % 3 else 0.0625
        expected += [("weigh", faint), "scatter", (20, 0.5, 0.3, 1)]
        expected += [("weigh", 1.0 / faint)]
    assert kernel.log == expected
    assert kernel.value[0] != kernel.first_value[0]


@pytest.mark.parametrize(
    ("restarts", "steps", "uncounted", "stuck"), [(2, 7, 7, 1), (9, 7, 7, 0)]
)
def test_failed_restarts_return_to_the_first_descent(restarts, steps, uncounted, stuck):
    kernel = Restarts([False] * 20, steps)
    kernel.tried = 1
    used = kernel.go(25, restarts)
    # one restart of what is left, at most 20 each; then no iterations are left
    expected = [(25, 0.5, 0.1, 0), (18, 0.5, 0.3, 1)]
    if restarts == 9:
        expected += [(11, 0.5, 0.3, 1), (4, 0.5, 0.3, 1)]
    expected.append((60, 0.5, 1e-6, 0))
    assert [entry for entry in kernel.log if len(entry) == 4] == expected
    assert used == (14 if restarts == 2 else 25)
    assert kernel.tried == (2 if restarts == 2 else 4)
    # the first ended at 4 and -1, which the polish began with
    assert kernel.first_value == [4.0, 0.0] and kernel.first_q[0] == -1.0
    assert (kernel.uncounted, kernel.stuck) == (uncounted, stuck)


def test_polish_that_uses_all_steps_has_not_converged():
    kernel = Restarts([False] * 3, steps=60)
    kernel.uncounted = 5
    kernel.go(60, 0)
    assert (kernel.uncounted, kernel.stuck) == (65, 0)
    kernel = Restarts([False] * 3, steps=59)
    kernel.go(60, 0)
    assert (kernel.uncounted, kernel.stuck) == (59, 1)


def test_rotation_weight_is_reduced_only_beside_positions():
    kernel = Restarts([])
    kernel.e, kernel.weights = 3, [1.0, 2.0, 0.0, 3.0, 0.5, 4.0]
    search.JointSearch.weigh_rotations(kernel, 0.25)
    assert kernel.weights == [1.0, 0.5, 0.0, 3.0, 0.5, 1.0]


def test_best_of_many_scattered_poses_is_used():
    for tried, count in ((1, 32), (2, 64), (3, 96), (4, 4), (7, 224), (9, 256)):
        kernel, costs = Restarts([]), []
        kernel.tried = tried
        rng = np.random.default_rng(tried)
        kernel.scatter_joints = lambda c=costs, r=rng: c.append(r.random())
        kernel.measure = lambda c=costs: c[-1]
        kept: list[int] = []
        kernel.keep = lambda c=costs, k=kept: k.append(len(c) - 1)
        kernel.restore = lambda k=kept: k.append(-1)
        search.JointSearch.scatter_pose(kernel, 0)
        assert len(costs) == count
        assert kept[-1] == -1 and kept[-2] == int(np.argmin(costs))
        # each that is better than all before
        assert kept[:-1] == [
            k for k, cost in enumerate(costs) if cost == min(costs[: k + 1])
        ]


def test_random_numbers_match_the_generator_and_are_uniform():
    kernel = Restarts([])
    kernel.seed, state, found = 1.0, 1, []
    for _ in range(2000):
        state = (state * 1664525 + 12345679) % 2**26
        found.append(kernel.random())
        assert found[-1] == 2.0 * state / 2**26 - 1.0
    counts, _ = np.histogram(found, bins=8, range=(-1.0, 1.0))
    assert counts.min() > 200


def test_goal_motion_is_the_mean_of_weighted_goals():
    rng = np.random.default_rng(3)
    kernel = Restarts([])
    kernel.e, kernel.size = 4, 2.5
    # both, places alone, turns alone, none
    kernel.weights = [1.0, 2.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0]
    last = rng.normal(size=(4, 3)), rng.normal(size=(4, 4))
    kernel.last_goal, kernel.last_rotation = (x.ravel().tolist() for x in last)
    for scale in (1.0, 0.01):
        goals = last[0] + scale * rng.normal(size=(4, 3))
        turns = last[1] + scale * rng.normal(size=(4, 4)) * [[9], [1], [1], [1]]
        kernel.goal = [*goals.ravel().tolist(), 7.0]
        kernel.goal_rot = [*turns.ravel().tolist(), 7.0]
        away = np.abs(goals - last[0]).max(axis=1) / 2.5
        turned = np.abs(turns - last[1]).max(axis=1)
        expected = max(away[0], turned[0]) + away[1] + turned[2]
        # one with both counts once
        assert kernel.goal_change() == pytest.approx(expected / 3.0)
        assert kernel.goal_change() == 0.0
        assert kernel.last_goal == goals.ravel().tolist()
        assert kernel.last_rotation == turns.ravel().tolist()
        last = goals, turns
    kernel.weights = [0.0] * 8
    kernel.goal[0] += 1.0
    assert kernel.goal_change() == 0.0


def test_joints_are_scattered_over_the_nearby_part_of_their_range():
    rng = np.random.default_rng(4)
    kernel = Restarts([])
    # free, hinges of all kinds of range, a cone, two axes, slides, and a fixed one
    kernel.kind = [0, 1, 1, 1, 1, 1, 2, 3, 4, 4, 3]
    kernel.first = [0, 3, 4, 5, 6, 7, 8, 11, 13, 14, 15, 15]
    kernel.n, kernel.m, kernel.seed = 11, 15, 5.0
    ranges = {
        3: (-1.0, 2.0),
        4: (-9.0, 9.0),
        5: (-9.0, -4.0),
        6: (-12.0, -4.0),
        7: (4.0, 12.0),
        10: (-0.3, 0.8),
        11: (4.0, 9.0),
        12: (-2.0, 0.5),
        13: (-2.0, 7.0),
        14: (-1e30, 1e30),
    }
    # of wide ones the six radians that are next to 0, and 3 to each side at most
    near = ranges | {4: (-3.0, 3.0), 5: (-9.0, -4.0), 6: (-10.0, -4.0), 7: (4.0, 10.0)}
    near |= {8: (-0.7, 0.5), 9: (-0.8, 0.6), 14: (0.4, 0.4)}
    kernel.lower, kernel.upper = [9.0] * 15, [-9.0] * 15
    for k, (low, high) in ranges.items():
        kernel.lower[k], kernel.upper[k] = low, high
    kernel.half = rng.random(44).tolist()
    kernel.half[24:28] = [0.5, 0.6, 0.7, 0.8]
    kernel.value, kernel.q = [0.4] * 15, [9.0] * 44
    projected, values, turns = [], [], []
    kernel.project = projected.append
    for _ in range(300):
        kernel.scatter_joints()
        values.append(list(kernel.value))
        turns.append(kernel.q[:4])
    assert kernel.q[4:] == [9.0] * 40, "only free joints have turns"
    assert projected == [1, 2, 3, 4, 5, 6, 7, 10] * 300
    for k, (low, high) in near.items():
        found = np.array(values)[:, k]
        assert low <= found.min() and found.max() <= high
        # all of it
        assert found.min() <= low + 0.03 * (high - low)
        assert found.max() >= high - 0.03 * (high - low)
    # about each axis up to 1.2 radians
    w, *axis = np.array(turns).T
    vectors = np.array(axis) / np.sin(np.arccos(w)) * 2.0 * np.arccos(w)
    assert np.abs(vectors).max(axis=1) == pytest.approx([1.2] * 3, abs=0.05)
    assert np.abs(np.corrcoef(vectors)[~np.eye(3, dtype=bool)]).max() < 0.2
