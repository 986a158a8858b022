"""Which way the poses of the tests' Actors are written."""

from __future__ import annotations

import os

import pytest

from ikrig.scene.actor import clip_sampling, joint_memory

AT_ONCE = "IKRIG_DIRECT_AT_ONCE"
"""Set by ``python -m tests.bench.sinks``."""


@pytest.fixture(autouse=True)
def direct_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write joints' memory from the second frame on, where that is asked for."""
    if os.environ.get(AT_ONCE):
        monkeypatch.setattr(clip_sampling, "MATCH_FRAMES", 1)
        monkeypatch.setattr(joint_memory, "MATCH_FRAMES", 0)
