"""Unevenly scaled and sheared joints of skeletons in any unit."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ActorRig

from .stage import Stage, net
from .test_situations import JOINTS, PARTS, build, force, odd


def reached(stage: Stage, kind: str, part, size: float) -> np.ndarray:
    """Return joints' matrices and errors at several goals, in lengths of size 1."""
    place = {"pos": (0.0, 0.0, size)}
    rows = [odd(**place, hpr=(10, 20, 30))]
    rows += [odd(**row, **place, hpr=(5, 25, 15)) for row in JOINTS[kind]]
    actor = build(stage, [*rows, odd(**place)])
    stage.step()
    force(actor)
    tip, root = (net(actor, name)[3, :3].copy() for name in ("j4", "j1"))
    rig = ActorRig(actor)
    layer = part(rig)
    rig.start(stage.task_mgr)
    rng = np.random.default_rng(5)
    found = []
    for _ in range(6):
        goal = root + 0.8 * (tip - root) + size * rng.uniform(-0.4, 0.4, 3)
        layer.effectors[0].target.set_pos(actor, *goal.tolist())
        stage.step()
        for k in range(1, 5):
            mat = net(actor, f"j{k}").copy()
            mat[3, :3] /= size
            found.append(mat)
        found.append(np.full((4, 4), layer.result.error / size))
    rig.detach()
    return np.array(found)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("kind", ["uneven", "sheared"])
def test_limbs_reach_alike_in_any_unit(stage: Stage, kind: str, part) -> None:
    plain = reached(stage, kind, part, 1.0)
    for size in (0.01, 100.0):
        assert np.allclose(reached(stage, kind, part, size), plain, atol=2e-3)
