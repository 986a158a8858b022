"""Results that a direct solve reports, and inputs that a tree's frame needs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import pytest

from ikrig.solvers import SolveResult
from tests.interpreted import interpreted_kernel

direct, tree = map(interpreted_kernel, ("direct_solve", "tree_update"))
STATUSES = ("converged", "stalled", "unreachable", "out of iterations")


class Kernel:
    """Ends as it is told to."""

    def __init__(self, held=0, error=0.5, **attributes) -> None:
        self.held, self.error, self.tolerance, self.left = held, error, 0.1, 0.25
        self.used, self.lengthening, self.orientation_error = 7, 1.5, 0.125
        self.out_of_reach, self.snap_back, self.tipped = 0, 1.0, 1
        self.tip_offset = [1.0, 2.0, 3.0]
        self.asked: list = []
        self.__dict__.update(attributes)

    def aim_tip(self):
        self.asked.append("aim_tip")

    def solve(self, *numbers):
        self.asked.append(numbers)
        if isinstance(self.held, Exception):
            raise self.held
        return self.held

    def start_over(self, use_tip):
        self.asked.append(("start_over", use_tip))


@pytest.mark.parametrize(
    ("given", "status", "unchanged"),
    [
        ({"error": 0.1}, "converged", True),
        ({"error": 0.1, "held": 1}, "converged", True),
        ({"error": 0.1, "held": 2}, "converged", False),
        ({"held": 1}, "stalled", True),
        ({"held": 2}, "stalled", False),
        ({"out_of_reach": 1}, "unreachable", True),
        ({}, "out of iterations", True),
        ({"snap_back": 0.5}, "out of iterations", False),
        ({"held": 3, "error": 0.0}, "stalled", False),
        ({"held": ValueError()}, "stalled", False),
        ({"held": ZeroDivisionError()}, "stalled", False),
    ],
)
@pytest.mark.parametrize("use_tip", [False, True])
@pytest.mark.parametrize("tipped", [0, 1])
def test_direct_solve_reports_its_outcome(given, status, unchanged, use_tip, tipped):
    kernel = Kernel(**given, tipped=tipped)
    solve = direct.DirectSolve(kernel, SolveResult, STATUSES, "bad numbers")
    assert solve.unchanged is False
    found = solve.solve(4.0, 5.0, 6.0, True, 7.0, 8.0, 9.0, use_tip, 0.01)
    assert isinstance(found, SolveResult)
    bad = isinstance(kernel.held, Exception) or kernel.held == 3
    left = kernel.error if bad else 0.25
    detail = "bad numbers" if bad else ""
    expected = (status, kernel.error, 7, 1.5, detail, 0.125, (), (), left, 0, ())
    assert tuple(found) == expected
    assert bool(solve.unchanged) is unchanged
    goal = (3.0, 3.0, 3.0) if tipped and use_tip else (4.0, 5.0, 6.0)
    asked = ["aim_tip"] * (tipped and use_tip)
    asked.append((*goal, True, 7.0, 8.0, 9.0, use_tip, 0.01))
    if isinstance(kernel.held, Exception):
        asked.append(("start_over", use_tip))
    assert kernel.asked == asked


class Result(NamedTuple):
    status: str
    error: float = 0.0
    used: int = 0
    lengthening: float = 1.0
    detail: str = "why"


class Goal:
    def __init__(self, number: float, use_tip=False, use_pole=False) -> None:
        self.gx, self.gy, self.gz = number, number + 0.1, number + 0.2
        self.tw, self.tx, self.ty, self.tz = 1.0, 2.0, 3.0, number
        self.px, self.py, self.pz = 5.0, 6.0, number
        self.use_tip, self.use_pole = use_tip, use_pole
        self.weighs, self.weight = False, 1.0
        self.moved, self.checked = False, 0

    def read(self):
        return self.moved

    def check(self):
        self.checked += 1


class Rig:
    """A tree of which all parts note what is asked of them."""

    def __init__(self, poled=True, slides=(), kernel=True, writes=1) -> None:
        self.log: list = []
        self.goals = [Goal(1.0, True, poled), Goal(2.0), Goal(3.0, True)]
        self.effectors = [
            SimpleNamespace(weight=0.5 * k, orientation_weight=k + 1.0)
            for k in range(3)
        ]
        self._binding = SimpleNamespace(origin=[1, 2, 3], slides=slides)
        self.is_touched, self._changed_at_zero, self._result = False, False, "the last"
        self.status, self.unchanged = "fine", True
        pose = SimpleNamespace(
            touched=lambda: self.is_touched,
            write=lambda local, touched: self.log.append((local, touched)) or writes,
        )
        self._update = tree.TreeUpdate(
            self._binding, pose, self.goals, self.effectors, self,
            SimpleNamespace(local="local") if kernel else None, "invalid",
        )  # fmt: skip

    def solve(self, places, **how):
        self.log.append((places, how))
        return Result(self.status)

    def _read_bones(self):
        self.log.append("read bones")
        return self.is_touched

    def _result_at_zero_weight(self, *given):
        return "weight 0", *given

    def _write(self, result):
        self.log.append("write")

    def _invalid(self, detail):
        return "invalid", detail

    def step(self, weight=1.0, settings=None):
        self.log.clear()
        self.settings = settings or SimpleNamespace(weight=weight)
        return self._update.step(self, self.settings, 0.01)


@pytest.mark.parametrize("poled", [False, True])
def test_tree_frame_solves_only_for_changed_input(poled):
    rig = Rig(poled)
    assert rig.step() == Result("fine")
    places = [(k, k + 0.1, k + 0.2) for k in (1.0, 2.0, 3.0)]
    how = {
        "rotations": [(1.0, 2.0, 3.0, 1.0), None, (1.0, 2.0, 3.0, 3.0)],
        "weights": [0.0, 0.5, 1.0],
        "orientation_weights": [1.0, 2.0, 3.0],
        "poles": [(5.0, 6.0, 1.0), None, None] if poled else None,
        "root": (1, 2, 3),
        "settings": rig.settings,
        "dt": 0.01,
    }
    assert rig.log == ["read bones", (places, how), ("local", False)]
    # nothing new: the last result, and all goals are looked at
    assert rig.step(settings=rig.settings) == "the last" and rig.log == []
    assert [goal.checked for goal in rig.goals] == [2, 2, 2]
    for change in ("goal", "settings", "unsettled", "bones", "weights"):
        settings = rig.settings
        if change == "goal":
            rig.goals[1].moved = True
        elif change == "settings":
            settings = SimpleNamespace(weight=0.5)
        elif change == "bones":
            rig.is_touched = True
        elif change == "weights":
            rig.effectors[2].weight, rig._update.weighed = 9.0, False
        else:
            # the solver has more to do: so once more
            rig.goals[1].moved, rig.unchanged = True, False
            rig.step(settings=settings)
            rig.goals[1].moved = False
        rig.unchanged = True
        assert rig.step(settings=settings) == Result("fine"), change
        assert rig.log[-1] == ("local", change == "bones")
        assert (rig.log[0] == "read bones") is (change == "bones")
        assert rig.log[-2][1]["weights"][2] == (9.0 if change == "weights" else 1.0)
        rig.goals[1].moved = rig.is_touched = False
        assert rig.step(settings=settings) == "the last", change


def test_posed_bones_are_read_until_they_are_unchanged():
    rig = Rig()
    rig._changed_at_zero = True
    rig.step()
    rig._binding.origin = [4, 5, 6]
    rig.step()
    assert rig.log[0] == "read bones" and rig.log[1][1]["root"] == (4, 5, 6)
    rig._changed_at_zero = False
    rig.step()
    rig.step()
    assert "read bones" not in rig.log


def test_rare_cases_are_left_to_the_rig():
    rig = Rig()
    rig.status = "invalid"
    assert rig.step() == ("invalid", "why")
    assert len(rig.log) == 2, "and nothing is written"
    rig.status = "fine"
    found = rig.step(settings=rig.settings)
    assert found == Result("fine"), "what was invalid is no last result"
    rig.is_touched = True
    places = [(k, k + 0.1, k + 0.2) for k in (1.0, 2.0, 3.0)]
    found = rig.step(weight=0.0)
    assert found == ("weight 0", Result("fine"), places, [0.0, 0.5, 1.0])
    rig.is_touched = False
    assert rig.step(weight=0.0) == Result("fine")
    for given in ({"slides": [1]}, {"kernel": False}, {"writes": 0}):
        rig = Rig(**given)
        rig.step()
        assert rig.log[-1] == "write"
        assert (("local", False) in rig.log) is ("writes" in given)
    # another solver is asked for while bones are read
    rig, other = Rig(), SimpleNamespace(step=lambda *given: given)

    def read_bones():
        rig._update = other
        return True

    rig._read_bones = read_bones
    update, settings = rig._update, SimpleNamespace(weight=1.0)
    assert update.step(rig, settings, 0.5) == (rig, settings, 0.5)
