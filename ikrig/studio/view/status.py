"""Status of chains, trees and behaviours, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...scene.gizmos import STATUS_LOOKS
from ..document.edited_rig import MOVERS


class PartStatus(NamedTuple):
    section: str
    name: str
    word: str  # "reached", "out of reach", "blocked", "off", "waiting"
    error: float  # distance to its goal [the rig's unit]; the largest of a tree
    blocked: tuple[str, ...]  # joints whose limits keep it from its goal
    iterations: int


def statuses_of(rig: object) -> Iterator[PartStatus]:
    if rig is None:
        return
    for section in MOVERS:
        for name, part in getattr(rig, section).items():
            result = getattr(part, "result", None)
            yield PartStatus(
                section,
                name,
                status_word(part),
                float(getattr(result, "error", 0.0)),
                tuple(b.name for b in getattr(result, "blocked_by", ())),
                int(getattr(result, "iterations", 0)),
            )


def status_word(part: object) -> str:
    result = getattr(part, "result", None)
    weight = getattr(part, "weight", 1.0)
    if result is None:
        # None for chains before their first frame and for behaviours without chains
        return "waiting" if hasattr(part, "result") else ("running", "off")[weight == 0]
    if weight < 1.0:
        return "off" if weight == 0.0 else "partly"
    if getattr(result, "blocked_by", ()) and not result.converged:
        return "blocked"
    status = getattr(result, "status", None)
    return "running" if status is None else STATUS_LOOKS[status.name][1]
