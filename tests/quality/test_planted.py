"""Planted faults and clean clips of the project; ``tests.bench.quality`` has all."""

from __future__ import annotations

import pytest

from ikrig.quality import measure
from tests.bench.quality import CLEAN, FAULTS, Fault, at_hand, find

PLANTED = list(at_hand(FAULTS))


def test_the_table_has_fifty_faults_and_twenty_clips():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) == 50
    assert len(CLEAN) == 20
    assert len(PLANTED) >= 38


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_planted_faults_are_found(fault: Fault):
    found, words = find(fault)
    assert found, words


@pytest.mark.parametrize("name", list(at_hand(CLEAN)))
def test_clean_clips_raise_no_alarm(name: str):
    make, ground = CLEAN[name]
    report = measure(make(), ground)
    assert report.ok, str(report)
