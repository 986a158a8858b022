"""Random chains, trees and arms, compiled and interpreted: the same bits."""

from __future__ import annotations

import pytest

import ikrig
from tests.fuzz import SEEDS, fuzz
from tests.kernels.both_ways import check


@pytest.mark.skipif(not ikrig.COMPILED, reason="the kernels are not compiled here")
@fuzz(1, seed=SEEDS)
def test_the_same_bits(seed):
    check(("random_chains", "random_trees", "arms"), seed)
