"""Springs: compiled and interpreted kernels give the same bits."""

from __future__ import annotations

from importlib.util import find_spec, module_from_spec

import ikrig.kernels.pose
import numpy as np
import pytest

import ikrig
import ikrig.model.springs
from tests.interpreted import interpreted_kernel
from tests.model.test_springs import BODIES, Strands, both, motion

pytestmark = pytest.mark.skipif(
    not ikrig.COMPILED, reason="the kernels are not compiled here"
)


@pytest.mark.parametrize("limit", [None, "cone", "hinge", "spherical"])
def test_same_bits(limit, monkeypatch):
    poses = []
    for way in ("compiled", "source"):
        figure = Strands()
        if way == "source":
            source = interpreted_kernel("pose").PoseKernel
            monkeypatch.setattr(ikrig.kernels.pose, "PoseKernel", source)
            spec = find_spec("ikrig.model.pose")
            plain = module_from_spec(spec)
            spec.loader.exec_module(plain)
            figure.pose = plain.Pose(figure.names, figure.parents, figure.rest)
            springs = interpreted_kernel("springs").SpringKernel
            monkeypatch.setattr(ikrig.model.springs, "SpringKernel", springs)
        made, _ = both(figure, tuple(BODIES), limit, "body")
        made.kernel.set_wind(0.3, 0.2, 0.1)
        rng, found, t = np.random.default_rng(1), [], 0.0
        for frame in range(40):
            dt = float(rng.choice([0.0, 1.0 / 60.0, 0.007, 0.04, 0.3]))
            t += dt
            turns, pos = motion(t)
            figure.set(turns, np.array(pos) + (frame > 20) * 5.0)
            made.weight = 1.0 if frame < 30 else 0.5
            made.apply(figure.pose, dt)
            found.append(figure.pose.local.copy())
        poses.append(np.array(found))
    assert np.array_equal(*poses)
