"""A model's joints as plain data: names, parents, positions and mirrored joints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...character.bone_names import Side, parse_name
from ...errors import BindError, suggest

Vec3 = tuple[float, float, float]
Frame = tuple[Vec3, Vec3, Vec3]  # unit vectors of a joint's space, in the model's space

UNIT: Frame = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
OTHER: dict[str, Side] = {"left": "right", "right": "left"}
MIRROR_GAP = 0.05  # maximum distance of a mirrored joint, in sizes of the skeleton


@dataclass(frozen=True)
class JointInfo:
    name: str
    parent: str | None  # its parent's name, or None
    # its position, (3,) [model unit], the model's space
    position: Vec3 = (0.0, 0.0, 0.0)
    frame: Frame = UNIT  # its own unit vectors, (3, 3), the model's space
    called: str = ""  # its second name in the file, such as that of a VRM bone, or ""

    @property
    def label(self) -> str:
        return f"{self.name}: {self.called}" if self.called else self.name


@dataclass(frozen=True, eq=False)
class SkeletonInfo:
    joints: tuple[JointInfo, ...]
    # "actor": joints of an Actor; "nodes": nodes that turn
    kind: Literal["actor", "nodes"] = "actor"
    forward: Vec3 = (0.0, -1.0, 0.0)  # where it faces: a unit vector, model space
    by_name: Mapping[str, JointInfo] = field(init=False)  # the joints by name

    def __post_init__(self) -> None:
        known: dict[str, JointInfo] = {}
        for joint in self.joints:
            if joint.name in known:
                raise BindError(f"two joints are named {joint.name!r}")
            if joint.parent is not None and joint.parent not in known:
                raise BindError(
                    f"joint {joint.name!r} has the parent {joint.parent!r}, which is "
                    f"not listed before it: {suggest(joint.parent, known)}"
                )
            known[joint.name] = joint
        object.__setattr__(self, "by_name", known)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    def children(self, name: str) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints if joint.parent == name)

    def check(self, name: str) -> str:
        if name not in self.by_name:
            raise BindError(f"there is no joint {name!r}: {suggest(name, self.names)}")
        return name

    def lineage(self, name: str) -> tuple[str, ...]:
        found = [self.check(name)]
        while (above := self.by_name[found[-1]].parent) is not None:
            found.append(above)
        return tuple(found)

    def between(self, first: str, last: str) -> tuple[str, ...]:
        lineage = self.lineage(last)
        if first not in lineage[1:]:
            above = ", ".join(lineage[1:]) or "none"
            raise BindError(
                f"{first!r} is not above {last!r}; joints above it: {above}"
            )
        return lineage[: lineage.index(first) + 1][::-1]

    def frame_above(self, name: str) -> Frame:
        """Return the parent's frame of a joint: that of limits of its chain."""
        parent = self.by_name[self.check(name)].parent
        return UNIT if parent is None else self.by_name[parent].frame

    @property
    def size(self) -> float:
        """The longest side of the box about all joints [model unit]; never 0."""
        points = [joint.position for joint in self.joints] or [(0.0, 0.0, 0.0)]
        sides = [max(axis) - min(axis) for axis in zip(*points, strict=True)]
        longest: float = max(*sides, 1e-9)
        return longest

    def mirrored(self, name: str) -> str | None:
        """Return the joint of the other side, or None.

        By what the file calls it or by name, with left and right exchanged;
        exporters' numbers at its end may differ. Else by place: mirrored at x = 0, as
        deep in the skeleton.
        """
        own = self.by_name[self.check(name)]
        for attribute, ending in (("called", ""), ("name", ""), ("name", r"_\d+$")):
            words, side = _sided(re.sub(ending, "", getattr(own, attribute)))
            twins = [
                joint.name
                for joint in self.joints
                if (words, OTHER.get(side))
                == _sided(re.sub(ending, "", getattr(joint, attribute)))
            ]
            if len(twins) == 1:
                return twins[0]
        x, y, z = own.position
        gap = MIRROR_GAP * self.size
        if abs(x) < gap:
            return None
        depth, best = len(self.lineage(name)), None
        for joint in self.joints:
            a, b, c = joint.position
            off = max(abs(a + x), abs(b - y), abs(c - z))
            if off < gap and len(self.lineage(joint.name)) == depth:
                gap, best = off, joint.name
        return best


def _sided(name: str) -> tuple[tuple[str, ...], Side]:
    """Return the words and numbers of a name without its side, and the side."""
    parsed = parse_name(name)
    return (*parsed.words, *re.findall(r"\d+", name)), parsed.side
