"""The benchmark of forward kinematics runs; timings are not checked."""

from __future__ import annotations

import pytest

from tests.bench import kinematics


@pytest.mark.parametrize("name", kinematics.WORK)
def test_benchmark_runs_and_peers_agree(name):
    # measuring compares the results with those of the peers that are installed
    times = kinematics.measure(name, repeat=1, poses=3)
    assert {"ikrig single", "ikrig batch", "ikrig function"} <= set(times)
    assert all(value > 0.0 for value in times.values())


def test_sizes_match_their_names():
    sizes = [make().dof_count for make in kinematics.WORK.values()]
    assert sizes == [6, 27, 100, 90]
