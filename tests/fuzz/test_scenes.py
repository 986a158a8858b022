"""Random scenes: nothing raises, breaks, or is reported wrongly."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from tests.fuzz import SEEDS, fuzz
from tests.fuzz.figures import Figure
from tests.fuzz.scenes import Scene
from tests.scene.actor.stage import Stage


@fuzz(40, seed=SEEDS, actions=st.integers(1, 12))
def test_random_scenes_of_chains_and_trees(seed: int, actions: int) -> None:
    scene = Scene(Random(seed))
    for _ in range(actions):
        scene.act()
        scene.frame()


@fuzz(8, seed=SEEDS)
def test_random_scenes_of_an_actor(seed: int) -> None:
    stage = Stage()
    try:
        figure = Figure(stage, Random(seed))
        for _ in range(12):
            figure.act()
            figure.frame()
    finally:
        stage.close()
