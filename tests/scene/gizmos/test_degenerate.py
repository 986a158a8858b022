"""Degenerate nodes and chains are skipped without raising."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import IKChain
from ikrig.scene.gizmos import STATUS_COLORS
from tests.scene.conftest import limb

from .stage import Stage, all_calls, limb_chain, vertices

INF = math.inf


# -- nodes


def flat_above(node: p3d.NodePath, *scale: float) -> None:
    node.reparent_to(node.get_top().attach_new_node("above"))
    node.get_parent().set_scale(*scale)


LOST: dict[str, Callable[[p3d.NodePath], object]] = {
    "removed": lambda n: n.remove_node(),
    "removed by another path": lambda n: p3d.NodePath(n).remove_node(),
    "detached": lambda n: n.detach_node(),
    "other scene": lambda n: n.reparent_to(p3d.NodePath("elsewhere")),
    "inf": lambda n: n.set_pos(INF, 0, 0),
    "huge": lambda n: n.set_pos(3e38, -3e38, 3e38),
    "infinite parent": lambda n: flat_above(n, INF),
    "huge parent": lambda n: flat_above(n, 3e38),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("how", LOST)
def test_node_with_infinite_position_is_skipped(stage: Stage, how: str) -> None:
    node, other = stage.node(0, 0, 1), stage.node(2, 0, 1)
    stage.gizmos.add_handle(node)
    kept = stage.gizmos.add_handle(other)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    LOST[how](node)
    all_calls(stage, *at)
    assert stage.gizmos.hover(*at) is None
    assert np.isfinite(vertices(stage)).all()
    # the others are not touched
    assert stage.gizmos.hover(*stage.screen(other)) is kept
    assert len(vertices(stage))
    if how == "inf":
        node.set_pos(0, 0, 1)
        assert stage.gizmos.hover(*at)


@pytest.mark.parametrize("scale", [(0, 0, 0), (1, 1, 0), (1e-30,) * 3, (1e30,) * 3])
def test_singular_parent_keeps_the_node_in_place(stage, scale):
    node = stage.node(0, 0, 0)
    stage.gizmos.add_handle(node)
    flat_above(node, *scale)
    at, before = stage.screen(node), node.get_pos()
    all_calls(stage, *at)
    stage.gizmos.press(*at)
    stage.gizmos.move(at.x + 0.1, at.y + 0.1)
    assert np.isfinite(np.array(node.get_mat())).all()
    assert 0 not in scale or node.get_pos() == before


@pytest.mark.parametrize("which", ["top", "camera"])
def test_handle_on_the_top_node_or_the_camera(stage: Stage, which: str) -> None:
    node = stage.render if which == "top" else stage.camera
    stage.gizmos.add_handle(node)
    all_calls(stage, *stage.screen(stage.render))
    assert np.isfinite(np.array(stage.render.get_mat())).all()


@pytest.mark.parametrize("how", ["render", "copy", "children"])
def test_removed_scene_does_not_raise(stage: Stage, how: str) -> None:
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    stage.gizmos.add(limb_chain(stage))
    at = stage.screen(node)
    stage.gizmos.press(*at)
    if how == "render":
        stage.render.remove_node()
    elif how == "copy":
        p3d.NodePath(stage.render).remove_node()
    else:
        stage.render.get_children().detach()
    all_calls(stage, *at)
    stage.gizmos.destroy()


@pytest.mark.parametrize(
    "spot",
    [(math.nan, 0), (INF, -INF), (1e30, 1e30), ("a", 0), (None, None), (10**400, 0)],
)
def test_invalid_mouse_position_is_ignored(stage, spot):
    node = stage.node(0, 0, 1)
    handle = stage.gizmos.add_handle(node)
    assert stage.gizmos.hover(*spot) is None
    assert stage.gizmos.press(*spot) is None
    stage.gizmos.move(*spot)
    before = node.get_pos()
    stage.gizmos.press(*stage.screen(node))
    stage.gizmos.move(*spot)
    stage.gizmos.update()
    assert stage.gizmos.dragging is handle
    assert spot == (1e30, 1e30) or node.get_pos() == before
    assert np.isfinite(np.array(node.get_mat())).all()


# -- chains


RUINS = (
    lambda c: c.target.remove_node(), lambda c: c.target.set_pos(INF, 0, 0),
    lambda c: c.leaf.remove_node(), lambda c: p3d.NodePath(c.root).remove_node(),
    lambda c: c.root.set_scale(0), lambda c: c.root.set_scale(1, 1, 0),
    lambda c: c.root.set_pos(INF, 0, 0), lambda c: c.bones[1].set_pos(INF, 0, 0),
    lambda c: c.bones[1].set_pos(0, 0, 0), lambda c: c.bones[1].set_pos(3e38, -3e38, 0),
    lambda c: [bone.set_pos(0, 0, 0) for bone in c.bones],
    lambda c: c.bones[1].reparent_to(p3d.NodePath("elsewhere")),
)  # fmt: skip


@pytest.mark.parametrize("ruin", [*RUINS, lambda c: c.pole.remove_node()])
def test_unsolvable_chain_does_not_raise(stage, ruin):
    chain = limb_chain(stage)
    stage.gizmos.add(chain)
    at = stage.screen(chain.target)
    stage.gizmos.press(*at)
    stage.gizmos.update()
    ruin(chain)
    for _ in range(2):
        chain.solve()
        all_calls(stage, *at)
    assert np.isfinite(vertices(stage)).all()
    stage.gizmos.remove(chain)
    stage.gizmos.update()
    assert stage.gizmos.handles == ()
    assert len(vertices(stage)) == 0


class Broken(IKChain):
    """A chain one of whose attributes fails, while told to."""

    fails = ""

    def __getattribute__(self, name: str) -> object:
        if name == Broken.fails:
            raise RuntimeError("a property of the chain")
        return super().__getattribute__(name)


@pytest.mark.parametrize("name", ["effectors", "result", "_binding"])
def test_unreadable_chain_is_skipped(stage, name, monkeypatch, capfd):
    leaf = limb(stage.render.attach_new_node("other"), bones=2)[-1]
    broken = Broken(leaf, 2, pole=stage.node(-2, 0, 1))
    broken.solve()
    whole = limb_chain(stage)
    stage.gizmos.add(broken)
    stage.gizmos.add(whole)
    stage.gizmos.update()
    all_of_it = len(vertices(stage))
    assert stage.gizmos.handles[0].color == STATUS_COLORS["CONVERGED"]

    monkeypatch.setattr(Broken, "fails", name)
    for _ in range(3):
        all_calls(stage, 0.0, 0.0)
    assert 0 < len(vertices(stage)) < all_of_it
    assert whole.target in [handle.node for handle in stage.gizmos.handles]
    other = stage.node(0, 0, 1)
    stage.gizmos.add_handle(other)  # nor does it keep others from being added
    assert capfd.readouterr().err.count("gizmos skip a Broken") == 1

    stage.gizmos.remove(other)
    monkeypatch.setattr(Broken, "fails", "")
    stage.gizmos.update()
    assert len(vertices(stage)) == all_of_it
