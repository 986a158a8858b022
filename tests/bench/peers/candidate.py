"""A library in the comparison: its name, how to build it, notes for readers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .work import PeerWork

Solve = Callable[[int], tuple[Any, float | None]]
"""Solves the k-th goal of a work from its k-th start: (answer, iterations or None).

The answer is kept until all goals are done, so it must not be changed later.
"""


def angles_or_balls(work: PeerWork, answer: Any) -> np.ndarray:
    """Return the pose of an answer to ``work`` or to ``work.hinged``."""
    pose = np.array(answer, float)
    return work.unhinged(pose) if work.axes is None and pose.ndim == 1 else pose


@dataclass(frozen=True)
class Candidate:
    """A solver that takes part.

    Args:
        name: What the tables call it.
        build: Makes its ``Solve`` for a work, or None when it cannot do that work.
            Whatever can be made before a solve (models, goals in the library's own
            types) is made here: only calls of ``Solve`` are timed.
        package: What ``pip install`` calls it; empty for what is always there.
        module: What ``import`` calls it.
        read: Turns an answer into a pose, outside the measured time.
        note: What a reader must know to compare fairly.
        published: Iterations in the published table.
    """

    name: str
    build: Callable[[PeerWork], Solve | None]
    package: str = ""
    module: str = ""
    read: Callable[[PeerWork, Any], np.ndarray] = angles_or_balls
    note: str = ""
    published: float | None = None
