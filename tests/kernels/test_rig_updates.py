"""Which of its parts the frame of a chain or a tree calls, and with which numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.interpreted import interpreted_kernel

PLACE, POLE = ("gx", "gy", "gz"), ("px", "py", "pz")
ROTATION = ("tw", "tx", "ty", "tz")
BROKEN = (float("nan"), float("inf"), -float("inf"), 1e200, -1e200)
FRAMES = 40
seeds = pytest.mark.parametrize("seed", range(24))


def of(thing: Any, names: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(getattr(thing, name) for name in names)


class Parts:
    """The parts of a rig; each records its calls and answers by chance."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.calls: list[tuple[Any, ...]] = []
        self.results = 0

    def chance(self, part: float = 0.5) -> bool:
        return bool(self.rng.random() < part)

    def records(self, name: str, answer: Any = None):
        def call(*args: Any, **named: Any) -> Any:
            self.calls.append((name, *args, *sorted(named.items())))
            return answer() if callable(answer) else answer

        return call

    def result(self) -> Any:
        self.results += 1
        return SimpleNamespace(name=self.results, lengthening=self.stretch())

    def stretch(self) -> float:
        return float(self.rng.choice([1.0, 1.0, 1.0, 1.2, 0.9]))

    def goal(self) -> SimpleNamespace:
        made = SimpleNamespace(use_tip=self.chance(), use_pole=self.chance())
        made.weighs, made.weight = False, 1.0
        made.read = lambda: made.moved
        made.check = self.records("check")
        self.move(made)
        return made

    def move(self, goal: Any) -> None:
        """Give a goal other numbers, few of them beyond all use."""
        for name in (*PLACE, *POLE, *ROTATION):
            setattr(goal, name, float(self.rng.normal()))
        if self.chance(0.15):
            name = self.rng.choice([*PLACE, *POLE, *ROTATION])
            setattr(goal, name, float(self.rng.choice(BROKEN)))
        elif self.chance(0.05):
            for name in ROTATION:
                setattr(goal, name, 0.0)
        goal.moved = self.chance(0.3)

    def place(self) -> tuple[float, ...]:
        return tuple(self.rng.normal(size=3).tolist())

    def pose(self) -> SimpleNamespace:
        made = SimpleNamespace(touched=lambda: made.is_touched)
        made.write = self.records("write", lambda: made.writes)
        made.pass_rest_pose = self.records("rest pose")
        return made

    def rig(self) -> SimpleNamespace:
        made = SimpleNamespace(_result="the last")
        made._read_bones = self.records("read bones", lambda: made.counts)
        made._pass_tips = self.records("pass tips")
        made._solve = self.records("solve", self.result)
        made._write = self.records("write result")
        made._invalid = self.records("invalid", "no result")
        made._result_at_zero_weight = self.records("at zero", "at zero")
        return made


class Chain(Parts):
    """A chain's frame, and the calls that it should make."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._binding = SimpleNamespace(
            animated=self.chance(), slides=self.chance(0.2), origin=self.place()
        )
        self.aim, self.bones, self.owner = self.goal(), self.pose(), self.rig()
        self.solver = SimpleNamespace(_settings=None, _apply=self.records("apply"))
        self.kernel = SimpleNamespace(local="rotations")
        self.direct = SimpleNamespace(
            kernel=SimpleNamespace(tip=[9.0] * 4),
            solve=self.records("direct", self.result),
        )
        if self.chance(0.2):
            self.direct = None
        self.update = interpreted_kernel("chain_update").ChainUpdate(
            self._binding, self.bones, self.aim, self.solver, self.direct,
            self.kernel if self.chance(0.8) else None,
        )  # fmt: skip
        self.all_settings = [SimpleNamespace(weight=w) for w in (1.0, 0.5, 0.0)]
        self.settings = self.all_settings[0]
        # what the last frames leave behind
        self.posed = self.stretched = True
        self.unchanged, self.solved, self.origin = False, None, None

    def change(self) -> None:
        if self.chance(0.3):
            self.move(self.aim)
        self.aim.moved = self.chance(0.2)
        if self.chance(0.2):
            k = int(self.rng.integers(3))
            spot = list(self._binding.origin)
            spot[k] = (
                float(self.rng.choice(BROKEN)) if self.chance(0.1) else spot[k] + 1
            )
            self._binding.origin = tuple(spot)
        elif not np.isfinite(self._binding.origin).all():
            self._binding.origin = self.place()
        self.bones.x, self.bones.y, self.bones.z = self._binding.origin
        self.bones.is_touched, self.bones.writes = self.chance(0.3), self.chance(0.8)
        owner = self.owner
        owner._tipped, owner.counts = self.chance(0.3), self.chance()
        owner._changed_at_zero = self.chance(0.3)
        owner._update = self.update
        if self.chance(0.05):
            owner._update = SimpleNamespace(step=self.records("other", "other's"))
        if self.direct is not None:
            self.direct.unchanged = self.chance(0.7)
            self.direct.kernel.tipped = self.chance()
            self.direct.kernel.rigid = self.chance()
        self.solver.unchanged = self.chance(0.7)
        if self.chance(0.2):
            self.solver._settings = self.settings
        if self.chance(0.3):
            self.settings = self.all_settings[int(self.rng.integers(3))]
        self.kernel.lengthening = self.stretch()

    def check(self, dt: float) -> None:
        owner, aim, settings = self.owner, self.aim, self.settings
        calls: list[tuple[Any, ...]] = []
        before = self.solver._settings
        result = self.update.step(owner, settings, dt)
        touched = self.bones.is_touched
        if self._binding.animated:
            calls.append(("rest pose", self.solver))
            calls += [("pass tips",)] * owner._tipped
        elif touched or self.posed:
            calls.append(("read bones",))
            touched = owner.counts
            if owner._update is not self.update:
                assert result == "other's"
                calls.append(("other", owner, settings, dt))
                return self.done(calls)
            self.posed = owner._changed_at_zero
        if self._binding.animated or ("read bones",) in calls:
            self.move_origin(self._binding.origin)
        if self.unchanged and not (touched or aim.moved) and settings is self.solved:
            assert result == "the last"
            return self.done(calls)
        self.solved = settings
        calls += [("check",), *self.solve(before, dt)]
        self.calls_of_write(calls, result, touched)
        return self.done(calls)

    def move_origin(self, origin: tuple[float, ...]) -> None:
        # not by tuples: NaN differs from itself
        same = self.origin and all(map(float.__eq__, origin, self.origin))
        if not same:
            self.origin, self.unchanged = origin, False

    def solve(self, before: Any, dt: float) -> list[tuple[Any, ...]]:
        """Return the calls that solve."""
        aim, origin, calls = self.aim, np.array(self.origin), []
        place, pole, turn = of(aim, PLACE), of(aim, POLE), of(aim, ROTATION)
        direct = self.direct
        if direct is not None:
            rigid = direct.kernel.rigid == aim.use_tip
            if not (direct.kernel.tipped and rigid):
                if before is not self.settings:
                    calls.append(("apply", self.settings))
                assert self.solver._root == self.origin
                numbers = np.abs([*place, *pole, *turn, *origin])
                if (numbers < 1e100).all() and max(map(abs, turn)) > 0.0:
                    if aim.use_tip:
                        assert direct.kernel.tip == list(turn)
                    goal, side = (place - origin).tolist(), (pole - origin).tolist()
                    self.unchanged = direct.unchanged
                    args = (*goal, aim.use_pole, *side, aim.use_tip, dt)
                    return [*calls, ("direct", *args)]
        self.unchanged = self.solver.unchanged
        args = (
            place,
            pole if aim.use_pole else None,
            turn if aim.use_tip else None,
            self.origin,
            dt,
        )
        return [*calls, ("solve", *args)]

    def calls_of_write(self, calls: list, result: Any, touched: bool) -> None:
        if touched and self.settings.weight == 0.0:
            assert result == "at zero"
            assert self.calls[-1][0] == "at zero"
            assert self.calls[-1][1].name == self.results
            calls.append((*self.calls[-1][:2], of(self.aim, PLACE)))
            return
        assert result.name == self.results
        moves = self._binding.slides or self.stretched
        if self.update.kernel is None or moves or self.kernel.lengthening != 1.0:
            written = False
        else:
            calls.append(("write", "rotations", touched))
            written = self.bones.writes
        if not written:
            calls.append(("write result", result))
            self.stretched = result.lengthening != 1.0

    def done(self, calls: list) -> None:
        assert repr(self.calls) == repr(calls)
        self.calls.clear()


@seeds
def test_frame_of_a_chain_calls_its_parts_as_needed(seed: int) -> None:
    chain = Chain(seed)
    for frame in range(FRAMES):
        chain.change()
        chain.check(0.01 * frame)
        if chain.direct is not None:
            chain.direct.kernel.tip[:] = [9.0] * 4


@pytest.mark.parametrize("name", [*PLACE, *POLE, *ROTATION, "x", "y", "z"])
@pytest.mark.parametrize("value", BROKEN)
def test_numbers_that_no_kernel_can_use_are_left_to_the_solver(name, value) -> None:
    chain = Chain(1)
    chain.change()
    chain.bones.is_touched = chain.owner._tipped = chain.owner.counts = False
    chain.direct.kernel.tipped = chain.aim.moved = chain.owner._changed_at_zero = False
    chain.owner._update, chain.direct.unchanged = chain.update, False
    chain.solver.unchanged = chain.bones.writes = False
    for good in (*PLACE, *POLE, *ROTATION):
        setattr(chain.aim, good, 1.0)
    for one, method in ((1.0, "direct"), (value, "solve")):
        if name in "xyz":
            spot = {"x": 1.0, "y": 1.0, "z": 1.0} | {name: one}
            chain._binding.origin = tuple(spot.values())
            chain.bones.is_touched = True
        else:
            setattr(chain.aim, name, one)
        chain.calls.clear()
        chain.update.step(chain.owner, chain.settings, 0.1)
        assert [call[0] for call in chain.calls if call[0] in ("direct", "solve")] == [
            method
        ]


class Tree(Parts):
    """A tree's frame, and the calls that it should make."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.aims = [self.goal() for _ in range(int(self.rng.integers(1, 4)))]
        self.bones, self.owner = self.pose(), self.rig()
        self.owner._binding = SimpleNamespace(
            slides=self.chance(0.3), origin=(0.0,) * 3
        )
        self.solver = SimpleNamespace(solve=self.records("solve", lambda: self.found))
        self.ends = [SimpleNamespace() for _ in self.aims]
        self.kernel = SimpleNamespace(local="rotations") if self.chance(0.8) else None
        self.update = interpreted_kernel("tree_update").TreeUpdate(
            self.owner._binding, self.bones, self.aims, self.ends, self.solver,
            self.kernel, "invalid",
        )  # fmt: skip
        self.all_settings = [SimpleNamespace(weight=w) for w in (1.0, 0.5, 0.0)]
        self.settings = self.all_settings[0]
        self.posed, self.unchanged, self.solved = True, False, None
        self.weights: tuple[list[float], list[float]] | None = None

    def change(self) -> None:
        for aim in self.aims:
            if self.chance(0.3):
                self.move(aim)
            aim.moved = self.chance(0.1)
        for end in self.ends:
            end.weight, end.orientation_weight = self.rng.random(2).tolist()
        if self.chance(0.2):
            # as the rig does where an effector's weight is set
            self.update.weighed = False
            self.weights = None
        self.bones.is_touched, self.bones.writes = self.chance(0.3), self.chance(0.8)
        owner = self.owner
        owner.counts, owner._changed_at_zero = self.chance(), self.chance(0.3)
        owner._update = self.update
        if self.chance(0.05):
            owner._update = SimpleNamespace(step=self.records("other", "other's"))
        if self.chance(0.3):
            owner._binding.origin = list(self.place())
        status = "invalid" if self.chance(0.1) else "good"
        self.found = (status, 0.0, 1, 1.0, "the reason")
        self.solver.unchanged = self.chance(0.7)
        if self.chance(0.2):
            self.settings = self.all_settings[int(self.rng.integers(3))]

    def check(self, dt: float) -> None:
        owner, settings, calls = self.owner, self.settings, []
        result = self.update.step(owner, settings, dt)
        touched = self.bones.is_touched
        if touched or self.posed:
            calls.append(("read bones",))
            touched = owner.counts
            if owner._update is not self.update:
                assert result == "other's"
                return self.done([*calls, ("other", owner, settings, dt)])
            self.posed = owner._changed_at_zero
            self.origin = tuple(owner._binding.origin)
        calls += [("check",)] * len(self.aims)
        moved = any(aim.moved for aim in self.aims)
        if self.weights is None:
            moved = True
            self.weights = (
                [end.weight for end in self.ends],
                [end.orientation_weight for end in self.ends],
            )
        if self.unchanged and not (touched or moved) and settings is self.solved:
            assert result == "the last"
            return self.done(calls)
        self.solved = settings
        places = [of(aim, PLACE) for aim in self.aims]
        turns = [of(aim, ROTATION) if aim.use_tip else None for aim in self.aims]
        poles = [of(aim, POLE) if aim.use_pole else None for aim in self.aims]
        named = {
            "rotations": turns,
            "weights": self.weights[0],
            "orientation_weights": self.weights[1],
            "poles": poles if any(aim.use_pole for aim in self.aims) else None,
            "root": self.origin,
            "settings": settings,
            "dt": dt,
        }
        calls.append(("solve", places, *sorted(named.items())))
        self.unchanged = self.found[0] != "invalid" and self.solver.unchanged
        if self.found[0] == "invalid":
            assert result == "no result"
            return self.done([*calls, ("invalid", "the reason")])
        if touched and settings.weight == 0.0:
            assert result == "at zero"
            calls.append(("at zero", self.found, places, self.weights[0]))
            return self.done(calls)
        assert result is self.found
        written = self.kernel is not None and not owner._binding.slides
        if written:
            calls.append(("write", "rotations", touched))
            written = self.bones.writes
        return self.done(calls + [("write result", result)] * (not written))

    def done(self, calls: list) -> None:
        assert repr(self.calls) == repr(calls)
        self.calls.clear()


@seeds
def test_frame_of_a_tree_calls_its_parts_as_needed(seed: int) -> None:
    tree = Tree(seed)
    for frame in range(FRAMES):
        tree.change()
        tree.check(0.01 * frame)
