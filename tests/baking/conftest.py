"""Actors on a clock that ticks when told; no window, no ShowBase."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scene.actor.stage import Stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()
