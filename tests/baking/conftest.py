"""Actors on a manual clock, without a window and ShowBase."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scene.actor.stage import Stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()
