"""Results of the studio's commands, and helpers that they share."""

from __future__ import annotations

from typing import NamedTuple

from ...formats.rig_file import Part
from .skeleton_info import SkeletonInfo

SECTIONS = ("chains", "trees", "behaviours", "nodes", "bodies")


class Selection(NamedTuple):
    """The selected entry or joint."""

    kind: str = ""
    """"joint", a section such as "chains", "limit", or "": nothing."""
    name: str = ""
    """Name of the joint or the entry; for a limit, of the joint."""
    owner: str = ""
    """For a limit: section and entry of its owner, "chains/arm"."""


class Edit(NamedTuple):
    """The result of a command."""

    label: str
    """Label in the history."""
    parts: Part
    """The rig after it."""
    select: Selection | None = None
    """The selection after it; None to keep the current one."""


def free_name(parts: Part, skeleton: SkeletonInfo, wanted: str, section: str) -> str:
    """Return a free name: the wanted one, with a number if it is taken."""
    taken = set(parts.parts(section))
    if section in ("nodes", "bodies"):
        # a node would hide the joint of the same name
        taken |= {*parts.parts("nodes"), *parts.parts("bodies"), *skeleton.names}
    if section == "chains":
        taken |= effector_names(parts)
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted} {count}"
    return name


def effector_names(parts: Part) -> set[str]:
    """Return the names of all effectors of trees."""
    return {
        e for tree in parts.parts("trees").values() for e in tree.parts("effectors")
    }
