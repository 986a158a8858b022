"""Scenes in which anything may happen: nothing raises, breaks or lies."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.figures import Figure
from tests.fuzz.scenes import Scene
from tests.scene.actor.stage import Stage

SHORT = settings(max_examples=40, derandomize=True, database=None)
seeds = st.integers(0, 2**32 - 1)


@SHORT
@given(seeds, st.integers(1, 12))
def test_chains_and_trees_of_nodes(seed: int, actions: int) -> None:
    scene = Scene(Random(seed))
    for _ in range(actions):
        scene.act()
        scene.frame()


@settings(max_examples=8, derandomize=True, database=None)
@given(seeds)
def test_an_actor_that_does_all_it_can(seed: int) -> None:
    stage = Stage()
    try:
        figure = Figure(stage, Random(seed))
        for _ in range(12):
            figure.act()
            figure.frame()
    finally:
        stage.close()
