"""Compiled and interpreted kernels give the same bits."""

from __future__ import annotations

import pytest

import ikrig
from tests.interpreted import interpreted_kernel

from .both_ways import CASES, check


def test_sources_run_interpreted():
    assert interpreted_kernel("fabrik_sweep").__file__.endswith(".py")


@pytest.mark.skipif(not ikrig.COMPILED, reason="the kernels are not compiled here")
@pytest.mark.parametrize("names", [tuple(CASES)[k::2] for k in range(2)], ids=",".join)
def test_the_same_bits(names):
    # two processes: one takes longer to start than most cases do
    check(names, 1)
