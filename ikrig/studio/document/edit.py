"""Results of the studio's commands, and helpers that they share."""

from __future__ import annotations

import itertools
from collections.abc import Container
from typing import NamedTuple

from ...formats.rig_file import Part
from .skeleton_info import SkeletonInfo

MOVERS = ("chains", "trees", "behaviours")  # sections that move joints
SECTIONS = (*MOVERS, "nodes", "bodies")  # all that are edited


class Selection(NamedTuple):
    kind: str = ""  # "joint", a section such as "chains", "limit", or "": nothing
    name: str = ""  # name of the joint or the entry; for a limit, of the joint
    owner: str = ""  # for a limit: section and entry of its owner, "chains/arm"


class Edit(NamedTuple):
    label: str  # label in the history
    parts: Part  # the rig after it
    select: Selection | None = None  # after it; None: the current one


def free_name(parts: Part, skeleton: SkeletonInfo, wanted: str, section: str) -> str:
    taken = set(parts.parts(section))
    if section in ("nodes", "bodies"):
        # a node would hide the joint of the same name
        taken |= {*parts.parts("nodes"), *parts.parts("bodies"), *skeleton.names}
    if section == "chains":
        taken |= effector_names(parts)
    return numbered(wanted, taken)


def numbered(wanted: str, taken: Container[str]) -> str:
    """Return a name that is not taken: the wanted one, or with a number from 2 on."""
    others = (f"{wanted} {count}" for count in itertools.count(2))
    return next(name for name in itertools.chain([wanted], others) if name not in taken)


def effector_names(parts: Part) -> set[str]:
    return {
        e for tree in parts.parts("trees").values() for e in tree.parts("effectors")
    }
