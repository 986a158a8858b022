"""Bodies follow the project's own clips as closely as the bench says of captures."""

from __future__ import annotations

import pytest

from tests.bench import bodies
from tests.motions import humanoid


@pytest.mark.parametrize(
    "goals, clip, mean",
    [("five", "walk", 1.0), ("five", "run", 2.5), ("seven", "run", 1.2)],
)
def test_body_is_near_to_the_clip(goals: str, clip: str, mean: float) -> None:
    row = bodies.run(humanoid(clip), "body", goals)
    assert row["mean"] < mean and row["ends"] < 0.1
    assert row["jumps"] <= 3
    # one tree with the same goals is several times as far off
    assert bodies.run(humanoid(clip), "tree", goals)["mean"] > 3.0 * row["mean"]
