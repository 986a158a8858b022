"""Random examples for tests that are cheaper than Hypothesis' search for examples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np


def examples(
    count: int, *more: dict[str, Any], **choices: Sequence[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with the seeds below ``count``, and values drawn from the choices.

    The values of an example that fails are printed.

    Args:
        count: Number of examples.
        more: Further examples, each with all values of ``choices`` and a ``seed``.
        choices: Values to draw from, by the name of the test's argument. Of a pair of
            floats, any number between them; its ends come first.
    """

    def drawn(seed: int) -> dict[str, Any]:
        rng = np.random.default_rng([seed, 1])
        found: dict[str, Any] = {"seed": seed}
        for name, values in choices.items():
            if isinstance(values[0], float):
                low, high = values
                found[name] = values[seed] if seed < 2 else rng.uniform(low, high)
            else:
                found[name] = values[rng.integers(len(values))]
        return found

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            for values in (*more, *map(drawn, range(count))):
                try:
                    test(**fixtures, **values)
                except BaseException:
                    print(f"failed with {values}")
                    raise

        signature = inspect.signature(test)
        left = [
            parameter
            for name, parameter in signature.parameters.items()
            if name != "seed" and name not in choices
        ]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate
