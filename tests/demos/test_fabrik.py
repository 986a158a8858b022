"""The steps of the `fabrik` demo are those of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from demos._shared import catalogue
from demos._shared.app import DemoApp
from demos.fabrik import BONES, LENGTH, ROUNDS, passes


def line() -> np.ndarray:
    points = np.zeros((BONES + 1, 3))
    points[:, 2] = LENGTH * np.arange(BONES + 1)
    points[:, 0] = 0.01 * np.arange(BONES + 1) ** 2
    return points


@pytest.mark.parametrize(
    "goal", [(1.2, 0.0, 1.0), (-0.7, 0.5, 0.4), (5, 0, 0), (0, 0, 0)]
)
def test_each_step_moves_one_joint_along_its_line(goal: tuple[float, ...]) -> None:
    base, end = np.zeros(3), np.array(goal, float)
    before, *steps = passes(line(), base, end)
    assert len(steps) == 2 * ROUNDS * (BONES + 1)
    gaps = []
    for step in steps:
        rest = [i for i in range(BONES + 1) if i != step.moved]
        np.testing.assert_array_equal(step.points[rest], before.points[rest])
        moved = step.points[step.moved]
        if step.fixed < 0:
            np.testing.assert_array_equal(
                moved, end if step.name == "backward" else base
            )
        else:
            away = moved - step.points[step.fixed]
            assert np.linalg.norm(away) == pytest.approx(LENGTH)
            old = before.points[step.moved] - step.points[step.fixed]
            assert np.linalg.norm(np.cross(away, old)) < 1e-9
            assert away @ old >= 0.0
        if step.name == "forward" and step.moved == BONES:
            gaps.append(np.linalg.norm(step.points[-1] - end))
        before = step
    assert sorted(gaps, reverse=True) == pytest.approx(gaps)


def test_arrow_keys_step_forward_and_back(app: DemoApp) -> None:
    demo = app.open(catalogue.find("fabrik", catalogue.read()))
    keys = demo.keys()
    for _ in range(3):
        keys["arrow_right"]()
    assert not demo.playing
    (_, now, *_) = (note.value for note in demo.notes())
    assert now == "backward"
    for _ in range(9):
        keys["arrow_left"]()
    app.step()
    assert demo.notes()[1].value == "start"
