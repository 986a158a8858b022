"""Arms that reach around their own body, judged by the drawn skin of both."""

from __future__ import annotations

import pytest

from ikrig.scene.behaviours import clearance
from tests.bench.hands import around


@pytest.fixture
def without(monkeypatch):
    for name in ("apply", "lead"):
        monkeypatch.setattr(clearance.Clearance, name, lambda *_: None)


def test_arms_stay_out_of_trunk_and_head() -> None:
    found = around(count=12, seconds=0.3)
    assert found["inside at the end"] == found["inside on the way"] == 0
    assert found["not reached"] == 0 and found["turn"] < 40.0


def test_without_clearance_they_do_not(without) -> None:
    found = around(count=12, seconds=0.3)
    assert found["inside on the way"] > 0
