"""Fuzzers: random input, and conditions that hold for all of it.

Each ``test_*.py`` here is found by itself, by pytest and by ``python -m tests.fuzz``.
A fuzzer is a function decorated with ``fuzz``; in a run of all tests it takes a few
examples, always the same, and in a long run many times as many from a fresh seed.

    @fuzz(20, seed=SEEDS, count=st.integers(1, 50))
    def test_nothing_breaks(seed, count): ...

A state machine gets the same numbers by ``Machine.TestCase.settings = budget(20)``, and
a loop of one's own by ``more(20)``; both call ``count_case`` for each case.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

__all__ = ["MORE", "SEEDS", "budget", "count_case", "fuzz", "more", "over"]

MORE = int(os.environ.get("IKRIG_FUZZ_MORE", "0"))
"""How many times as many examples a long run takes; 0: this is a run of all tests."""
UNTIL = float(os.environ.get("IKRIG_FUZZ_UNTIL", "inf"))
"""When a long run ends [s, time.time()]."""

SEEDS = st.integers(0, 2**32 - 1)
"""For ``numpy.random.default_rng``, which draws many numbers quicker."""

cases = 0
"""How many cases were tried in this process."""


def count_case() -> None:
    """Count one case that was tried."""
    global cases
    cases += 1


def more(examples: int) -> int:
    """Return how many examples to take: as many, or many more in a long run."""
    return examples * (MORE or 1)


def over() -> bool:
    """Whether the time of a long run is over: what is still to come need not run."""
    return time.time() > UNTIL


def budget(examples: int) -> settings:
    """Return the settings for so many examples in a run of all tests."""
    return settings(
        max_examples=more(examples),
        derandomize=not MORE,
        database=None,
        deadline=None,
        print_blob=True,
        report_multiple_bugs=False,
        # to shrink what was found takes long: in a long run alone
        phases=(Phase.explicit, Phase.generate, *((Phase.shrink,) if MORE else ())),
        suppress_health_check=list(HealthCheck),
    )


def fuzz(
    examples: int, **strategies: st.SearchStrategy[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with so many examples of its arguments; in a long run with more."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def counted(*args: Any, **kwargs: Any) -> None:
            if not over():
                test(*args, **kwargs)
                count_case()

        run: Callable[..., None] = budget(examples)(given(**strategies)(counted))
        return run

    return decorate
