"""Invalid limits are refused; valid ones can be solved with."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from ikrig import (
    AxesLimit,
    BallLimit,
    ChainModel,
    ConeLimit,
    HingeLimit,
    SettingError,
    SlideLimit,
)
from ikrig.solvers import make_solver
from tests import limit_oracle, reference
from tests.methods import CHAIN_METHODS

BAD = {
    "axis without length": (lambda: HingeLimit((0, 0, 0)), "(0, 0, 0)"),
    "axis of words": (lambda: HingeLimit(("a", "b", "c")), "('a', 'b', 'c')"),
    "infinite axis": (lambda: HingeLimit((inf, 0, 0)), "(inf, 0, 0)"),
    "upper first": (lambda: HingeLimit("x", 1, -1), "(1, -1)"),
    "no number": (lambda: HingeLimit("x", nan, 1), "(nan, 1)"),
    "nowhere up there": (lambda: HingeLimit("x", inf, inf), "(inf, inf)"),
    "nowhere down there": (lambda: HingeLimit("x", -inf, -inf), "(-inf, -inf)"),
    "far up": (lambda: HingeLimit("x", 1e20, inf), "(1e+20, inf)"),
    "infinite twist": (lambda: ConeLimit(1, twist=(inf, inf)), "(inf, inf)"),
    "four axes": (lambda: AxesLimit("xyzx"), "'xyzx'"),
    "one bound": (lambda: AxesLimit("xz", 0, 1), "'xz', not 0 and 1"),
    "no bounds": (lambda: AxesLimit("xz", None, None), "None and None"),
    "too few bounds": (lambda: AxesLimit("xz", (0,), (1,)), "(0,) and (1,)"),
    "cone of no angle": (lambda: ConeLimit(nan), "nan"),
    "negative cone": (lambda: ConeLimit((1, 1, -1, 1)), "(1, 1, -1, 1)"),
}


@pytest.mark.parametrize("what", BAD)
def test_invalid_limits_are_named(what):
    build, value = BAD[what]
    with pytest.raises(SettingError) as caught:
        build()
    assert value in str(caught.value)


EXTREME = {
    "needle": ConeLimit(5e-324),
    "needle and plate": ConeLimit((1e-300, 1.0, 1e-9, 3.0)),
    "all round": ConeLimit(inf),
    "point": HingeLimit("x", 0.5, 0.5),
    "without bounds": HingeLimit("x", -inf, inf),
    "many turns on": HingeLimit("x", 1e5, 1e5 + 1),
    "the same axis thrice": AxesLimit("xxx", (-1, -1, -1), (1, 1, 1)),
    "hardly a ball": BallLimit(1e-300),
    "any turn": BallLimit(inf),
    "endless slide": SlideLimit("x"),
    "hair's breadth": SlideLimit("y", 0.0, 1e-12),
    "longest slide": SlideLimit("z", -1e15, 1e15),
    "start pose far outside": SlideLimit("z", 1e6, 1e7),
    "start pose outside": AxesLimit("xyz", (1, 1, 1), (2, 2, 2)),
}


@pytest.mark.parametrize("method", CHAIN_METHODS)
@pytest.mark.parametrize("name", EXTREME)
def test_extreme_limits_give_finite_poses(name, method):
    rng = np.random.default_rng(7)
    bones = 2 if method == "two_bone" else 4
    model = ChainModel(reference.bent_positions(rng, np.ones(bones)))
    solver = make_solver(method, model, dict.fromkeys(range(bones + 1), EXTREME[name]))
    for _ in range(10):
        result = solver.solve(
            3.0 * rng.normal(size=3),
            pole=None,
            root=None,
            goal_rotation=reference.unit(rng.normal(size=4)),
        )
        sizes = np.linalg.norm(solver.rotations, axis=1)
        assert np.allclose(sizes, 1.0, atol=1e-9)
        assert np.isfinite(result.error)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    "limit",
    [
        HingeLimit((1, 2, 3), -0.3, 0.8),
        BallLimit(0.7),
        ConeLimit((0.3, 0.5, 0.7, 0.9), twist=(-0.2, 0.6), up=(1, 2, 3)),
        ConeLimit((0.3, 0.5, 0.7, 0.9), up="x"),
    ],
    ids=lambda limit: type(limit).__name__,
)
def test_limits_in_another_space_allow_the_same_poses(limit, mirrored):
    rng = np.random.default_rng(4)
    for _ in range(20):
        space = reference.matrix(rng.normal(size=4))
        if mirrored:
            space = space @ np.diag(rng.permutation([-1.0, 1.0, 1.0]))
        other, bone = limit.in_space(space), reference.unit(rng.normal(size=3))
        # some outside, some in
        turn = reference.axis_angle(rng.normal(size=3), rng.uniform(0.0, 1.0))
        if isinstance(limit, HingeLimit):
            turn = reference.axis_angle(limit.axis, rng.uniform(-1.0, 1.0))
        before = limit_oracle.excess(limit, turn, bone)
        after = limit_oracle.excess(other, space @ turn @ space.T, space @ bone)
        assert after == pytest.approx(before, abs=1e-9)
