"""Limb, Finding and FoundLimbs: the results of ``find_limbs``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .bone_names import Side

LimbKind = Literal["hand", "foot", "head", "tail", "limb"]
Place = tuple[float, float, float]
Reason = Literal[
    "absent", "no_length", "too_short", "no_bone", "carries_limbs", "both_sides",
    "sides_swapped", "facing", "not_made", "loose", "apart",
]  # fmt: skip


@dataclass(frozen=True)
class Limb:
    """A limb of a skeleton.

    Args:
        name: "left_hand", "right_rear_foot", "head", "tail" or its last joint's name.
        kind: "hand", "foot", "head", "tail"; "limb" where it is unknown.
        side: "left", "right" or "".
        joints: Names of its joints, from the first that turns to the last.
        reason: The reason why it was identified as this limb.
        end: End of the limb beyond the last joint, which then turns as well: the end of
            that joint's skin, in the space of the figure.
        rigid: Joints that twist but do not bend, such as ``upper_arm.L.001``.
    """

    name: str
    kind: LimbKind
    side: Side
    joints: tuple[str, ...]
    reason: str
    end: Place | None = None
    rigid: tuple[str, ...] = ()

    def __str__(self) -> str:
        end = " > end of its skin" if self.end is not None else ""
        return f"{self.name}: {' > '.join(self.joints)}{end} ({self.reason})"


@dataclass(frozen=True)
class Finding:
    """A limb that was not found in a skeleton, or is doubtful.

    Args:
        limb: The limb's name, or "".
        reason: The cause, as a keyword.
        joints: The joints concerned.
        message: A sentence with the cause and, where there is one, the fix.
    """

    limb: str
    reason: Reason
    joints: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        return f"{self.limb}: {self.message}" if self.limb else self.message


@dataclass(frozen=True)
class FoundLimbs:
    """The limbs, head, eyes, face and facing of a figure.

    Args:
        limbs: Its limbs.
        head: Joint of the head, or "".
        eyes: Joints of the eyes.
        face: Joints that carry skin of the face without being below the head, such as a
            jaw below the neck.
        forward: Direction that it faces, a level unit vector in its space.
        findings: Missing and doubtful limbs.
    """

    limbs: tuple[Limb, ...] = ()
    head: str = ""
    eyes: tuple[str, ...] = ()
    face: tuple[str, ...] = ()
    forward: Place = (0.0, -1.0, 0.0)
    findings: tuple[Finding, ...] = field(default=())

    def bend_of(self, joint: str) -> Place | None:
        """Return the direction in which the arm or leg that ends in a joint bends.

        Knees bend ahead, elbows and front legs back; legs of figures with more than
        four bend up. None: the joint ends no arm or leg.
        """
        x, y, _ = self.forward
        many = sum(limb.kind == "foot" for limb in self.limbs) > 4
        for limb in self.limbs:
            if limb.joints[-1] != joint or limb.kind not in ("hand", "foot"):
                continue
            if limb.kind == "foot" and many:
                return 0.0, 0.0, 1.0
            ahead = 1.0 if limb.kind == "foot" and "front" not in limb.name else -1.0
            # tilted for limbs that point ahead: knees bend up and elbows down
            return ahead * x, ahead * y, 0.5 * ahead
        return None
