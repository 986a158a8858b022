"""``python -m tests.bench.characters`` has no failing row, and can have one."""

from __future__ import annotations

import pytest

from tests.bench import characters

from .test_table import character


@pytest.mark.parametrize("name", ["abbot", "peter_panda", "polyimpairedperson"])
def test_no_character_fails(name: str) -> None:
    character(name)
    row = characters.measure(name)
    assert characters.is_red(row) == []


def test_regression_is_marked_red() -> None:
    row = {"limbs": "6/5", **dict.fromkeys(characters.WORST, 1e9)}
    assert characters.is_red(row) == ["limbs", "tip", "hips", "knee", "gaze", "gap"]
    assert characters.is_red({"limbs": "2/2", **dict.fromkeys(characters.WORST)}) == []
    row = {"limbs": "2/2", **dict.fromkeys(characters.WORST), "gaze": float("nan")}
    assert characters.is_red(row) == ["gaze"]
