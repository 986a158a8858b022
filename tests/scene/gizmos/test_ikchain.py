"""The layer with real chains: sizes, dragging and colours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ikrig import IKChain, SolveStatus
from ikrig.scene.gizmos import Handle

from .stage import Stage, limb_chain, place


@pytest.fixture
def chain(stage: Stage) -> IKChain:
    chain = limb_chain(stage)
    stage.gizmos.add(chain)
    return chain


def radii(stage: Stage) -> list[float]:
    return [handle.radius for handle in stage.gizmos.handles]


def world_length(chain: IKChain) -> float:
    points = [place(node) for node in chain.bones]
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def drag(stage: Stage, handle: Handle, dx: float, dy: float) -> None:
    at = stage.screen(handle.node)
    assert stage.gizmos.press(*at) is handle
    stage.gizmos.move(at.x + dx, at.y + dy)


# -- size


@pytest.mark.parametrize(
    "scale", [(1, 1, 1), (1 / 260,) * 3, (40, 40, 40), (0.01, 1, 7), (3, 0.2, -0.5)]
)
def test_handle_size_follows_the_chains_world_size(stage, scale):
    chain = limb_chain(stage)
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


@pytest.mark.parametrize("why", ["flat", "infinite", "away"])
def test_chain_without_size_has_default_handles(stage: Stage, why: str) -> None:
    chain = limb_chain(stage)
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
