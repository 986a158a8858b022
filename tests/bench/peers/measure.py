"""Runs candidates on one work, times every solve and judges every answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from .candidate import Candidate, Solve
from .work import PeerWork

BLOCK = 20
"""Goals in a row for one candidate before it is the next one's turn."""

BUDGET = 20.0
"""Seconds after which a candidate gets no more goals of a work."""


@dataclass(frozen=True)
class Row:
    """The result of one candidate in one task."""

    candidate: Candidate
    goals: int  # how many it was given within the budget
    seconds: float  # that they took
    success: float  # share of them reached inside the limits
    outside: float  # share of answers outside the limits
    median: float  # [µs] per solve
    slow: float  # [µs], 90th percentile
    iterations: float | None  # mean

    @property
    def name(self) -> str:
        """Name of the candidate in tables."""
        return self.candidate.name


@dataclass
class Turn:
    """The measurements of a candidate so far."""

    candidate: Candidate
    solve: Solve
    times: list[float] = field(default_factory=list)  # [s]
    iterations: list[float] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    spent: float = 0.0  # [s]

    def take(self, k: int) -> None:
        """Solve the k-th goal."""
        begin = perf_counter()
        answer, iterations = self.solve(k)
        self.times.append(perf_counter() - begin)
        self.spent += self.times[-1]
        self.answers.append(answer)
        if iterations is not None:
            self.iterations.append(iterations)

    def row(self, work: PeerWork) -> Row:
        """Return the figures."""
        poses = [self.candidate.read(work, answer) for answer in self.answers]
        reached, inside = work.judge(np.array(poses))
        return Row(
            candidate=self.candidate,
            goals=len(self.times),
            seconds=self.spent,
            success=float(np.mean(reached & inside)),
            outside=float(np.mean(~inside)),
            median=1e6 * float(np.median(self.times)),
            slow=1e6 * float(np.percentile(self.times, 90)),
            iterations=float(np.mean(self.iterations)) if self.iterations else None,
        )


def installed(candidates: Iterable[Candidate]) -> tuple[list[Candidate], list[str]]:
    """Return who can take part, and one line for each who cannot."""
    here, missing = [], []
    for one in candidates:
        try:
            if one.module:
                import_module(one.module)
            here.append(one)
        except Exception as error:
            # a package may also be there and not fit the others
            missing.append(f"left out: {one.name} (pip install {one.package}): {error}")
    return here, missing


def run(
    work: PeerWork, candidates: Iterable[Candidate], budget: float = BUDGET
) -> list[Row]:
    """Return one row per candidate that can do the work, the fastest first."""
    turns = []
    for one in candidates:
        solve = one.build(work)
        if solve is not None:
            # what is made at the first call is no part of a solve
            solve(0)
            turns.append(Turn(one, solve))
    # taking turns spreads the machine's slow moments over everybody
    for first in range(0, len(work.goals), BLOCK):
        for turn in turns:
            for k in range(first, min(first + BLOCK, len(work.goals))):
                if turn.spent < budget:
                    turn.take(k)
    return sorted((turn.row(work) for turn in turns), key=lambda row: row.median)
