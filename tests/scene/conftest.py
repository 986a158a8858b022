"""Scene graphs for chains; no window, no ShowBase."""

from __future__ import annotations

from collections.abc import Iterator

import panda3d.core as p3d
import pytest
from direct.task.TaskManagerGlobal import taskMgr

from ikrig import IKChain


@pytest.fixture(autouse=True)
def no_gizmos_are_left() -> Iterator[None]:
    """Gizmos draw until they are destroyed: those of one test not in the next."""
    yield
    taskMgr.remove("ikrig-gizmos-draw")


@pytest.fixture
def world() -> p3d.NodePath:
    return p3d.NodePath("world")


def limb(parent, bones: int = 4, name: str = "bone", scales=None) -> list[p3d.NodePath]:
    """A bent limb of bones + 1 nested nodes below parent, one unit apart."""
    nodes = []
    for i in range(bones + 1):
        node = parent.attach_new_node(f"{name} {i}")
        node.set_pos(*((0, 0, 1) if i else (0.2, 0.1, 0.3)))
        node.set_hpr(10 * i, 8, 5 * i)
        if scales is not None:
            node.set_scale(scales[i])
        nodes.append(node)
        parent = node
    return nodes


def gap(chain: IKChain) -> float:
    """How far a chain's leaf is from its target."""
    root = chain.root
    return (chain.leaf.get_pos(root) - chain.target.get_pos(root)).length()
