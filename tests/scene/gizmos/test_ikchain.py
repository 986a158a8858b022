"""The layer with real chains: sizes, dragging and colours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ikrig import IKChain, SolveStatus
from ikrig.scene.gizmos import STATUS_COLORS, Handle
from tests.scene.conftest import limb

from .stage import Stage


def chain_of(stage: Stage, **options: object) -> IKChain:
    root = stage.render.attach_new_node("root")
    bones = limb(root, bones=3)
    pole = stage.node(0, -4, 1)
    return IKChain(bones[-1], chain_length=3, pole=pole, **options)


@pytest.fixture
def chain(stage: Stage) -> IKChain:
    chain = chain_of(stage)
    stage.gizmos.add(chain)
    chain.solve()
    return chain


def radii(stage: Stage) -> list[float]:
    return [handle.radius for handle in stage.gizmos.handles]


def world_length(chain: IKChain) -> float:
    """Sum of bone lengths from matrices that numpy multiplies up to the top."""
    points = []
    for node in chain.bones:
        point = np.array([0.0, 0.0, 0.0, 1.0])
        while True:
            point = point @ np.array(node.get_mat())
            if not node.has_parent():
                break
            node = node.get_parent()
        points.append(point[:3])
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def drag(stage: Stage, handle: Handle, dx: float, dy: float) -> None:
    at = stage.screen(handle.node)
    assert stage.gizmos.press(*at) is handle
    stage.gizmos.move(at.x + dx, at.y + dy)


# -- size


@pytest.mark.parametrize(
    "scale",
    [(1, 1, 1), (1 / 260,) * 3, (40, 40, 40), (0.01, 1, 7), (3, 0.2, -0.5)],
)
def test_handle_size_follows_the_chains_world_size(
    stage: Stage, scale: tuple[float, float, float]
) -> None:
    chain = chain_of(stage)
    above = stage.render.attach_new_node("above")
    above.set_hpr(20, 40, -30)
    above.set_scale(*scale)
    chain.root.reparent_to(above)
    stage.gizmos.add(chain)
    expected = 0.02 * world_length(chain)
    assert radii(stage) == pytest.approx([expected] * 2, rel=1e-4)
    # and stays so when the scale changes later
    above.set_scale(2.5, 0.3, 0.3)
    stage.gizmos.update()
    changed = 0.02 * world_length(chain)
    assert changed != pytest.approx(expected, rel=0.01)
    assert radii(stage) == pytest.approx([changed] * 2, rel=1e-4)


def test_given_radius_is_kept(stage: Stage) -> None:
    chain = chain_of(stage)
    stage.gizmos.add_handle(chain.target, radius=0.3)
    stage.gizmos.add(chain)
    chain.root.set_scale(5)
    stage.gizmos.update()
    assert radii(stage)[0] == 0.3
    assert radii(stage)[1] == pytest.approx(0.3, rel=1e-4)  # 0.02 × 5 × 3 bones


@pytest.mark.parametrize("why", ["flat", "infinite", "away"])
def test_chain_without_size_has_default_handles(stage: Stage, why: str) -> None:
    chain = chain_of(stage)
    target, pole = chain.target, chain.pole
    assert pole is not None
    target.wrt_reparent_to(stage.render)
    if why == "flat":
        for bone in chain.bones:
            bone.set_pos(0, 0, 0)
    elif why == "infinite":
        chain.bones[1].set_pos(math.inf, 0, 0)
    else:
        chain.root.detach_node()
    stage.gizmos.add(chain)
    stage.gizmos.update()
    assert radii(stage) == [0.12, 0.12]


# -- dragging


def test_leaf_follows_a_dragged_target(stage: Stage, chain: IKChain) -> None:
    target = stage.gizmos.handles[0]
    assert target.node == chain.target
    at = stage.screen(chain.target)
    drag(stage, target, -0.06, -0.05)
    assert chain.solve().status is SolveStatus.CONVERGED
    stage.gizmos.update()
    leaf = stage.screen(chain.leaf)
    assert (leaf.x, leaf.y) == pytest.approx((at.x - 0.06, at.y - 0.05), abs=2e-3)


def test_chain_bends_towards_a_dragged_pole(stage: Stage, chain: IKChain) -> None:
    drag(stage, stage.gizmos.handles[0], -0.05, -0.15)
    stage.gizmos.release()
    pole = stage.gizmos.handles[1]
    sides = []
    for dx in (0.9, -1.8):
        drag(stage, pole, dx, 0.0)
        stage.gizmos.release()
        chain.solve()
        sides.append(stage.screen(chain.bones[1]).x)
    assert sides[0] > sides[1] + 0.01


@pytest.mark.parametrize("how", ["own", "other"])
def test_target_removed_during_a_drag(stage: Stage, chain: IKChain, how: str) -> None:
    drag(stage, stage.gizmos.handles[0], 0.02, 0.02)
    chain.solve()
    pose = [bone.get_mat() for bone in chain.bones]
    if how == "own":
        chain.target.remove_node()
    else:
        stage.render.find(f"**/{chain.target.get_name()}").remove_node()
    stage.gizmos.move(0.3, 0.3)
    assert stage.gizmos.dragging is None
    assert chain.solve().status is SolveStatus.INVALID_TARGET
    assert [bone.get_mat() for bone in chain.bones] == pose
    stage.gizmos.update()
    assert [handle.node for handle in stage.gizmos.handles] == [chain.pole]

    chain.target = stage.node(0.5, 0, 2)
    chain.solve()
    stage.gizmos.update()
    drag(stage, stage.gizmos.handles[0], 0.01, 0.0)
    assert chain.solve().status is SolveStatus.CONVERGED


# -- colours


def test_colours_show_the_last_status(stage: Stage, chain: IKChain) -> None:
    def look() -> SolveStatus:
        status = chain.solve().status
        stage.gizmos.update()
        target = next(h for h in stage.gizmos.handles if h.node == chain.target)
        assert target.color == STATUS_COLORS[status.name]
        return status

    assert look() is SolveStatus.CONVERGED
    chain.target.set_pos(stage.render, 50, 0, 0)
    assert look() is SolveStatus.UNREACHABLE
    chain.target.set_pos(math.inf, 0, 0)
    assert look() is SolveStatus.INVALID_TARGET
    chain.target.set_pos(stage.render, 0.4, 0, 1.5)
    assert look() is SolveStatus.CONVERGED
    # too little time for the way
    chain.max_step = 1e-3
    chain.target.set_pos(stage.render, -1.5, 0.5, 1.0)
    assert look() not in (SolveStatus.CONVERGED, SolveStatus.UNREACHABLE)
