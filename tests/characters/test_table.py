"""The table of expected limbs matches the files: its joints and positions exist."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig.scene.actor.actor_skeleton import ActorSkeleton

from .catalog import EXPECTED, find_file, load, missing


def character(name: str) -> Any:
    """Return a character; skip the test where its file is not at hand."""
    if find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {missing(name)}")
    return load(name)


@pytest.mark.parametrize("name", EXPECTED)
def test_expected_limbs_are_connected_joints(name: str) -> None:
    expected = EXPECTED[name]
    parents = ActorSkeleton(character(name), "modelRoot").parents
    for joints in expected.limbs.values():
        assert joints[0] in parents
        # a limb may leave joints out, but each hangs below the one before
        for above, joint in pairwise(joints):
            line = [joint]
            while (parent := parents[line[-1]]) is not None:
                line.append(parent)
            assert above in line[1:]
    assert set(expected.eyes) <= set(parents)
    assert not set(expected.without) & set(expected.limbs)


@pytest.mark.parametrize("name", [n for n, e in EXPECTED.items() if e.tip])
def test_expected_tips_are_at_the_end_of_the_figure(name: str) -> None:
    expected, actor = EXPECTED[name], character(name)
    points = []
    for path in actor.find_all_matches("**/+GeomNode"):
        for geom in path.node().get_geoms():
            data = geom.get_animated_vertex_data(True, p3d.Thread.get_current_thread())
            reader = p3d.GeomVertexReader(data, "vertex")
            while not reader.is_at_end():
                point = actor.get_relative_point(path, reader.get_data3())
                points.append(tuple(point))
    skin = np.array(points)
    for limb, tip in expected.tip.items():
        near = np.linalg.norm(skin - tip, axis=1).min()
        assert near < expected.within, limb
