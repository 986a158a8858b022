"""Displayed chains: handles that follow them, and drawn geometry."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import IKChain, SolveStatus
from ikrig.scene.gizmos import STATUS_COLORS, Gizmos

from .stage import Stage, vertices


def make_chain(stage: Stage, bones: int = 3) -> IKChain:
    parent = stage.render.attach_new_node("root")
    for k in range(bones + 1):
        parent = parent.attach_new_node(f"joint{k}")
        parent.set_pos(0.3 if k % 2 else 0.0, 0, 1 if k else 0)
    target, pole = (stage.render.attach_new_node(x) for x in ("target", "pole"))
    target.set_pos(1.5, 0, 2)
    pole.set_pos(-2, 0, 1.5)
    return IKChain(parent, bones, target=target, pole=pole if bones > 1 else None)


@pytest.fixture
def stage() -> Stage:
    found = Stage()
    found.camera.set_pos_hpr(0, -14, 1.5, 0, 0, 0)
    return found


@pytest.fixture
def render(stage: Stage) -> p3d.NodePath:
    return stage.render


@pytest.fixture
def gizmos(stage: Stage) -> Gizmos:
    return stage.gizmos


@pytest.fixture
def chain(stage: Stage) -> IKChain:
    return make_chain(stage)


def nodes(gizmos: Gizmos) -> list[p3d.NodePath]:
    return [handle.node for handle in gizmos.handles]


# -- handles of a chain


def test_chain_makes_handles_for_target_and_pole(gizmos, chain):
    gizmos.add(chain)
    gizmos.add(chain)
    assert nodes(gizmos) == [chain.target, chain.pole]
    assert [handle.shape for handle in gizmos.handles] == ["sphere", "diamond"]
    assert [handle.label for handle in gizmos.handles] == ["target", "pole"]


def test_handles_follow_a_live_replaced_target_and_pole(gizmos, chain, render):
    gizmos.add(chain)
    gizmos.update()
    old = chain.target
    chain.target, chain.pole = render.attach_new_node("other"), None
    gizmos.update()
    assert nodes(gizmos) == [chain.target]
    chain.pole = old
    gizmos.update()
    assert nodes(gizmos) == [chain.target, old]


def test_replaced_target_is_released(stage, gizmos, chain, render):
    gizmos.add(chain)
    assert gizmos.press(*stage.screen(chain.target)).node == chain.target
    chain.target = render.attach_new_node("other")
    gizmos.move(0, 0)
    assert gizmos.dragging is None


def test_removed_target_comes_back_with_a_new_one(gizmos, chain, render):
    gizmos.add(chain)
    for how in ("own", "other"):
        if how == "own":
            chain.target.remove_node()
        else:
            render.find("target").remove_node()
        gizmos.update()
        assert nodes(gizmos) == [chain.pole]
        chain.target = render.attach_new_node("target")
        gizmos.update()
        assert nodes(gizmos) == [chain.target, chain.pole]


def test_removing_a_chain_keeps_shared_handles(stage, gizmos, chain, render):
    other = make_chain(stage)
    other.target = chain.target
    gizmos.add(chain)
    gizmos.add(other)
    gizmos.add_handle(chain.pole, color=(1, 1, 0))
    gizmos.update()
    assert len(gizmos.handles) == 3
    assert gizmos.handles[0].color == (1, 1, 0, 1)  # the caller's colour stays
    gizmos.remove(chain)
    assert set(map(str, nodes(gizmos))) == {"render/target", "render/pole"}
    gizmos.remove(chain.pole)
    assert set(nodes(gizmos)) == {other.target, other.pole}
    gizmos.remove(chain)
    gizmos.clear()
    gizmos.update()
    assert gizmos.handles == ()
    assert len(vertices(stage).reshape(-1, 3)) == 0


def far(chain: IKChain) -> None:
    chain.target.set_pos(50, 0, 0)


def held_back(chain: IKChain) -> None:
    chain.weight = 0.5


def nowhere(chain: IKChain) -> None:
    chain.pole.set_pos(math.inf, 0, 0)


STATES = {
    "CONVERGED": (lambda chain: None, "sphere", "reached"),
    "UNREACHABLE": (far, "hollow", "out of reach"),
    "STALLED": (held_back, "hollow", "stalled"),
    "MAX_ITERATIONS": (lambda chain: None, "hollow", "not there yet"),
    "INVALID_TARGET": (nowhere, "crossed", "no target"),
}


@pytest.mark.parametrize("status", STATES)
def test_target_shows_the_status_by_colour_shape_and_text(
    gizmos, chain, render, status
):
    gizmos.add(chain)
    change, shape, word = STATES[status]
    handle = gizmos.handles[0]
    assert handle.color not in STATUS_COLORS.values()
    assert (handle.shape, handle.status_text) == ("sphere", "")
    change(chain)
    result = chain.solve()
    if status == "MAX_ITERATIONS":
        # with the exact finish hardly any chain gets there: have it say so
        chain._store_result(result._replace(status=SolveStatus.MAX_ITERATIONS))
    assert chain.result.status.name == status
    gizmos.update()
    assert handle.color == STATUS_COLORS[status]
    assert (handle.shape, handle.status_text) == (shape, word)
    gizmos.marked = chain.target
    gizmos.update()
    label = render.find("**/label")
    if status != "UNREACHABLE":  # out of the window
        assert label.node().get_text() == f"target  {word}"


def test_disabled_chain_has_no_status(gizmos: Gizmos, chain: IKChain) -> None:
    gizmos.add(chain)
    plain = gizmos.handles[0].color
    chain.weight = 0.0
    chain.solve()
    gizmos.update()
    assert gizmos.handles[0].color == plain
    assert (gizmos.handles[0].shape, gizmos.handles[0].status_text) == ("sphere", "")


def test_every_status_has_a_colour() -> None:
    from ikrig.solvers import SolveStatus

    assert {status.name for status in SolveStatus} == set(STATUS_COLORS)


# -- what is drawn


def test_geometry_covers_joints_target_and_pole(stage, gizmos, chain, render):
    gizmos.add(chain)
    gizmos.update()
    points = vertices(stage).reshape(-1, 3)
    for node in (*chain.bones, chain.target, chain.pole):
        gap = np.linalg.norm(points - np.array(node.get_pos(render)), axis=1).min()
        assert gap < 0.08
    # and follows
    chain.bones[0].get_parent().set_pos(3, 1, -1)
    gizmos.update()
    points = vertices(stage).reshape(-1, 3)
    for node in chain.bones:
        gap = np.linalg.norm(points - np.array(node.get_pos(render)), axis=1).min()
        assert gap < 0.08


def test_drawing_is_the_same_under_any_parent(stage, gizmos, chain, render):
    gizmos.add(chain)
    gizmos.update()
    plain = vertices(stage).reshape(-1, 3)
    # the same world positions under a mirrored, non-uniformly scaled parent
    parent = render.attach_new_node("parent")
    parent.set_pos_hpr_scale((1, 2, 3), (20, 30, 40), (2, 0.5, -1))
    for node in (chain.root, chain.target, chain.pole):
        node.wrt_reparent_to(parent)
    gizmos.update()
    assert vertices(stage).reshape(-1, 3) == pytest.approx(plain, abs=1e-4)


def test_unchanged_scene_is_not_redrawn(stage, gizmos, chain, render):
    def stamps() -> list[str]:
        return [
            str(path.node().get_geom(0).get_vertex_data().get_modified())
            for path in render.find_all_matches("**/ikrig-gizmos/pass/+GeomNode")
        ]

    gizmos.add(chain)
    gizmos.update()
    first = stamps()
    gizmos.update()
    assert stamps() == first
    stage.camera.set_x(0.1)
    gizmos.update()
    assert stamps() != first


def test_broken_chain_is_not_drawn_and_comes_back(stage, gizmos, chain):
    gizmos.add(chain)
    gizmos.update()
    whole = len(vertices(stage).reshape(-1, 3))
    chain.bones[2].detach_node()
    gizmos.update()
    assert 0 < len(vertices(stage).reshape(-1, 3)) < whole  # the handles stay
    chain.bones[2].reparent_to(chain.bones[1])
    chain.bones[1].set_pos(math.inf, 0, 0)
    gizmos.update()
    chain.bones[1].set_pos(0.3, 0, 1)
    gizmos.update()
    assert len(vertices(stage).reshape(-1, 3)) == whole
    chain.root.remove_node()
    gizmos.update()


def test_axis_guide_is_drawn_while_dragging(stage, gizmos, chain):
    gizmos.add(chain)
    gizmos.axis = "z"
    gizmos.update()
    assert np.abs(vertices(stage).reshape(-1, 3)[:, 2]).max() < 10
    gizmos.press(*stage.screen(chain.target))
    gizmos.update()
    assert np.abs(vertices(stage).reshape(-1, 3)[:, 2]).max() > 100
    gizmos.release()
    gizmos.update()
    assert np.abs(vertices(stage).reshape(-1, 3)[:, 2]).max() < 10


def test_geometry_does_not_accumulate(stage, gizmos, chain, render):
    gizmos.add(chain)
    gizmos.update()
    before = len(render.find_all_matches("**"))
    for k in range(50):
        chain.pole = None if k % 2 else render.find("pole")
        gizmos.hover(*stage.screen(chain.target))
        gizmos.update()
    assert len(render.find_all_matches("**")) == before
