"""Guesses the arms, legs, head and tail of a skeleton from its joint names.

Names are taken apart into words, so that those of Mixamo (``mixamorig:LeftForeArm``),
Rigify (``DEF-upper_arm.L.001``), Blender (``hand.R``), Unreal (``calf_l``), 3ds Max
(``Bip01 L Thigh``), VRM (``J_Bip_L_Hand``) and Daz (``lForeArm``) all say the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Limb", "find_eyes", "find_limbs"]

Side = Literal["left", "right", ""]

LEFT = {"left", "l", "lf", "lr", "lh", "fl", "bl", "hl"}
RIGHT = {"right", "r", "rf", "rr", "rh", "fr", "br", "hr"}
FRONT = {"front", "lf", "rf", "fl", "fr"}
REAR = {"rear", "back", "hind", "lr", "rr", "lh", "rh", "bl", "br", "hl", "hr"}
TIPS = {
    "hand": {"hand", "wrist"},
    "foot": {"foot", "ankle", "paw", "hoof"},
    "head": {"head", "skull"},
    "tail": {"tail"},
}
ENDS = {"end", "nub", "tip", "top", "site", "effector"}
"""Words of joints that only say where the last bone ends."""
OTHER = {
    *("thumb", "index", "middle", "ring", "pinky", "little", "finger", "palm"),
    *("toe", "toes", "heel", "ball", "roll"),
    *("ik", "fk", "ctrl", "control", "mch", "org", "vis", "pole", "target", "tweak"),
    *("eye", "jaw", "ear", "hair", "prop", "item", "weapon", "attach", "slot"),
}
"""Words of joints that are no ends of limbs, whatever else they are called."""
AROUND_EYES = {"lid", "lids", "brow", "lash", "socket", "target", "ctrl", "control"}
"""Words of joints that are only near an eye, or that it follows."""
TRUNK = {"shoulder", "clavicle", "collar", "scapula", "shldr"}
"""Words of joints that a limb hangs on and that are not its own, if it has others."""


@dataclass(frozen=True)
class Limb:
    """A limb of a skeleton.

    Args:
        name: "left_hand", "right_rear_foot", "head", "tail"; or its last joint's name.
        kind: "hand", "foot", "head", "tail", or "limb" where names say nothing.
        side: "left", "right" or "".
        joints: Names of its joints, from the first to the one that reaches.
        reason: What the guess goes by.
    """

    name: str
    kind: str
    side: Side
    joints: tuple[str, ...]
    reason: str

    @property
    def rigid(self) -> tuple[str, ...]:
        """Joints that only pass a twist along and don't bend: ``upper_arm.L.001``."""
        pairs = zip(self.joints[1:-1], self.joints, strict=False)
        found = tuple(joint for joint, above in pairs if _only_numbered(joint, above))
        # an arm or leg that is named so throughout has its elbow or knee among them
        bends = self.kind in ("hand", "foot") and len(self.joints) - len(found) > 2
        return found if bends else ()

    def __str__(self) -> str:
        """Say what it is and why."""
        return f"{self.name}: {' > '.join(self.joints)} ({self.reason})"


def find_limbs(parents: Mapping[str, str | None]) -> tuple[Limb, ...]:
    """Return the limbs of a skeleton.

    Where names say nothing, each joint without children ends a limb, which begins where
    the skeleton branches.

    Args:
        parents: Each joint's parent by name, parents first; None for none.
    """
    words = {name: _words(name) for name in parents}
    found: dict[str, Limb] = {}
    for joint in parents:
        kind = _kind(words[joint])
        lineage = _lineage(joint, parents)
        if kind == "tail":
            # the last of them that hang on one another
            if any(parents[j] == joint and _kind(words[j]) == kind for j in parents):
                continue
        elif kind is None or any(_kind(words[j]) == kind for j in lineage[1:]):
            continue
        limb = _named(joint, kind, lineage, words)
        if len(limb.joints) > 1:
            found.setdefault(limb.name, limb)
    return tuple(found.values()) or _unnamed(parents, words)


def find_eyes(parents: Mapping[str, str | None], head: str) -> tuple[str, ...]:
    """Return the joints below a head that are called eyes, and not lids or brows."""
    return tuple(
        joint
        for joint in parents
        if head in _lineage(joint, parents)[1:]
        and _words(joint) & {"eye", "eyes", "eyeball"}
        and not _words(joint) & AROUND_EYES
    )


def _named(
    joint: str, kind: str, lineage: list[str], words: Mapping[str, set[str]]
) -> Limb:
    """Return the limb that ends in a joint of a known kind."""
    side = _side(words[joint])
    own = [joint]
    for above in lineage[1:]:
        if kind in ("head", "tail"):
            wanted = {"head": {"neck"}, "tail": {"tail"}}[kind]
            if not words[above] & wanted:
                break
        elif _side(words[above]) != side or (words[above] & TRUNK and len(own) > 2):
            break
        own.append(above)
    if kind in ("hand", "foot"):
        if side == "" or len(own) < 3:
            # nothing to go by: two bones, as arms and legs have
            own = lineage[:3]
    elif len(own) < 2:
        own = lineage[:2]
    position = ""
    if kind in ("hand", "foot"):
        if words[joint] & FRONT:
            position = "front_"
        elif words[joint] & REAR:
            position = "rear_"
    name = f"{side}_{position}{kind}".lstrip("_")
    word = sorted(words[joint] & TIPS[kind])[0]
    return Limb(name, kind, side, tuple(own[::-1]), f"{joint!r} says {word}")


def _unnamed(
    parents: Mapping[str, str | None], words: Mapping[str, set[str]]
) -> tuple[Limb, ...]:
    """Return a limb for each joint without children."""
    above = list(parents.values())
    found = []
    for joint in parents:
        if joint in above:
            continue
        own = []
        for name in _lineage(joint, parents):
            own.append(name)
            parent = parents[name]
            if parent is None or above.count(parent) > 1:
                break
        if words[joint] & ENDS and len(own) > 2:
            own = own[1:]
        if len(own) > 1:
            reason = f"{joint!r} has no children"
            limb = Limb(own[0], "limb", _side(words[joint]), tuple(own[::-1]), reason)
            found.append(limb)
    return tuple(found)


def _words(name: str) -> set[str]:
    """Return the words of a name: "DEF-upperArm.L.001" has def, upper, arm and l."""
    name = name.rpartition(":")[2]
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def _only_numbered(joint: str, above: str) -> bool:
    """Whether a joint has its parent's name, but for a number or "twist"."""
    a, b = _words(joint) - {"twist"}, _words(above) - {"twist"}
    return a == b and joint != above


def _kind(words: set[str]) -> str | None:
    if words & (OTHER | ENDS):
        return None
    for kind, names in TIPS.items():
        if words & names:
            return kind
    return None


def _side(words: set[str]) -> Side:
    if words & LEFT:
        return "left"
    return "right" if words & RIGHT else ""


def _lineage(joint: str, parents: Mapping[str, str | None]) -> list[str]:
    found = [joint]
    while (above := parents[found[-1]]) is not None:
        found.append(above)
    return found
