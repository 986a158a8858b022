"""A scene with gizmos for each test."""

from __future__ import annotations

import pytest

from .stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage()
