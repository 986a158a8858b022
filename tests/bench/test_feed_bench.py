"""A short run of the feed soak; counts are checked, timings are not."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.bench import feed


@pytest.fixture
def stage() -> Iterator[feed.Stage]:
    stage = feed.Stage(60.0)
    yield stage
    stage.close()


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads Linux's /proc/net"
)
@pytest.mark.parametrize("tcp", [False, True])
def test_a_hostile_sender_is_counted_exactly(stage, tcp):
    figures = feed.soak(stage, 300.0, 3.0, 1, tcp)
    assert figures["counts"] == figures["sent"]
    assert len(figures["sent"]) > 6
    assert figures["deaths"] == 1
    assert all(s.address.is_loopback for s in figures["sockets"])
    assert len(figures["sockets"]) == 1
    assert figures["left"] == []


def test_runs_are_compared(stage):
    figures = feed.compare(stage, 300.0, 2.0)
    assert all(len(figures[name]) > 3 for name in ("alone", "fed", "sampling"))
