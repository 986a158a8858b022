"""The way of a limb through its branch of a skeleton: where it begins and ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..math3d.quaternion import Floats
from .bone_names import Side, rigid_joints
from .bone_words import Meaning
from .figure import Figure
from .limb import LimbKind
from .skin_shape import skin_end
from .symmetry import Symmetry

CONTACT = 0.08
"""How far above the lowest point what touches the ground may be, of the height."""
LOW = 0.25
"""How high above the ground an ankle may be, as a share of the hip's height."""
NEAR_GROUND = 0.4
"""How high above it the end of a leg may be, as a share of where the leg begins."""
CENTRAL = 0.35
"""A joint that is this share as far from the middle as the next one is a stub."""
SIDEWAYS = 0.6
"""Share of a leg's first bone across the body that makes it a part of the pelvis."""
SHORT = 0.6
"""A bone of this share of its neighbour's length is no upper arm, and no forearm."""
ENDS: tuple[Literal["hand", "foot"], ...] = ("hand", "foot")


@dataclass
class Branch:
    """A branch of the skeleton that may be a limb.

    Args:
        root: Its first joint.
        side: Its side by name, or "".
        path: The joints of the limb, as far as they are known.
        kind: What it is.
        named: Whether names say so.
        ended: Whether the last joint is the hand or foot itself, by its name.
        end: Where its last bone's skin ends, if that is where the limb ends.
    """

    root: str
    side: Side
    path: list[str]
    kind: LimbKind
    named: bool
    ended: bool = False
    end: Floats | None = None
    reason: str = ""
    means: set[Meaning] = field(default_factory=set)

    def points(self, figure: Figure) -> list[Floats]:
        """Return where its joints are, and its end."""
        found = [figure.positions[joint] for joint in self.path]
        return found if self.end is None else [*found, self.end]

    def length(self, figure: Figure) -> float:
        """Return the length of all its bones."""
        points = np.array(self.points(figure))
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())

    def touches(self, figure: Figure) -> bool:
        """Whether it stands on the ground, its end not far above it."""
        points = self.points(figure)
        first, last = (float(points[k][2]) - figure.ground for k in (0, -1))
        return _low(figure, self) and last < NEAR_GROUND * first


def follow_branch(figure: Figure, symmetry: Symmetry, root: str) -> Branch | None:
    """Return the branch that begins at a joint, or None if it is no limb by name."""
    name = figure.name_of(root)
    if name.is_helper or name.is_any("finger", "lid", "face", "eye"):
        return None
    end = _named_end(figure, root)
    if end is not None:
        joint, kind = end
        path = figure.lineage(joint)
        path = path[: path.index(root) + 1][::-1]
        branch = Branch(root, name.side, path, kind, True, ended=True)
        branch.reason = f"{joint!r} is called a {kind}"
    else:
        branch = Branch(root, name.side, _longest(figure, root), "limb", False)
    for joint in branch.path:
        branch.means |= figure.name_of(joint).means
        branch.side = branch.side or figure.name_of(joint).side
    if end is None:
        _classify(figure, branch)
    return branch


def _named_end(figure: Figure, root: str) -> tuple[str, LimbKind] | None:
    """Return the first joint below that is called a hand or foot, and which it is."""
    below = [joint for joint in figure.below(root) if joint in figure.live]
    below.sort(key=lambda joint: len(figure.lineage(joint)))
    for joint in below:
        for kind in ENDS:
            if figure.name_of(joint).is_end(kind):
                return _last_of_its_name(figure, joint, kind), kind
    palms = [joint for joint in below if figure.name_of(joint).is_end("palm")]
    return (palms[0], "hand") if palms else None


def _last_of_its_name(figure: Figure, joint: str, kind: LimbKind) -> str:
    """Return the last of several joints with the name of a foot that go down steeply.

    Of Foot01 and Foot02 below it the first is the hock of an animal on its toes.
    """
    if kind == "foot":
        for child in figure.children[joint]:
            down = figure.positions[joint] - figure.positions[child]
            steep = down[2] > np.hypot(down[0], down[1])
            far = down[2] > CONTACT * figure.height
            if child in figure.live and figure.repeats(child, joint) and steep and far:
                return _last_of_its_name(figure, child, kind)
    return joint


def _longest(figure: Figure, joint: str) -> list[str]:
    """Return the longest way down from a joint."""
    found = [joint]
    while True:
        hanging = [
            child for child in figure.children[found[-1]] if child in figure.live
        ]
        bones = [
            child
            for child in hanging
            if not figure.name_of(child).is_helper
            and not figure.name_of(child).is_any("lid", "face")
        ]
        if not bones:
            return found
        found.append(max(bones, key=lambda child: _reach(figure, found[-1], child)))


def _reach(figure: Figure, above: str, joint: str) -> float:
    """Return how far it is from a joint to the end of what hangs on it."""
    own = figure.distance(above, joint)
    hanging = [child for child in figure.children[joint] if child in figure.live]
    if hanging:
        return own + max(_reach(figure, joint, child) for child in hanging)
    end = skin_end(figure, joint)
    if end is not None:
        own += float(np.linalg.norm(end - figure.positions[joint]))
    return own


def _classify(figure: Figure, branch: Branch) -> None:
    """Decide by the rest of the names, or by the ground, what a branch is."""
    means = branch.means
    if means & {"leg", "foot"} and not means & {"arm", "hand"}:
        branch.kind, branch.named = "foot", True
        branch.reason = "its joints are called a leg"
    elif means & {"arm", "hand", "shoulder", "collar", "finger"}:
        branch.kind, branch.named = "hand", True
        branch.reason = "its joints are called an arm"
    elif _low(figure, branch):
        branch.kind, branch.reason = "foot", "it stands on the ground"
    else:
        branch.kind, branch.reason = "hand", "it hangs free on the trunk's side"


def _low(figure: Figure, branch: Branch) -> bool:
    low = figure.points(branch.root)[:, 2].min() - figure.ground
    return bool(low < CONTACT * figure.height)


# -- where it begins and ends ----------------------------------------------------------


def shorten(figure: Figure, symmetry: Symmetry, branch: Branch) -> None:
    """Leave out stubs at the beginning of a limb, and what is beyond its end."""
    path = branch.path
    tail = None if branch.ended else skin_end(figure, path[-1])
    # joints in one place turn as one
    while len(path) > 1 and figure.distance(path[0], path[1]) < 1e-3 * figure.size:
        del path[0]
    while True:
        points = [figure.positions[joint] for joint in path]
        if tail is not None:
            points.append(tail)
        # what only passes a twist along is no bone of its own
        twists = len(rigid_joints(path))
        if len(points) - twists < 4 or not _is_stub(
            figure, symmetry, branch, path, points
        ):
            break
        del path[0]
    if branch.ended:
        return
    if branch.kind == "foot":
        _end_leg(figure, branch)
    else:
        _end_arm(figure, branch)


def _is_stub(
    figure: Figure,
    symmetry: Symmetry,
    branch: Branch,
    path: Sequence[str],
    points: Sequence[Floats],
) -> bool:
    """Whether the first joint belongs to what the limb hangs on."""
    name = figure.name_of(path[0])
    rest = [figure.name_of(joint) for joint in path[1:]]
    if name.is_any("collar"):
        return True
    limb: tuple[Meaning, ...] = ("arm",) if branch.kind == "hand" else ("leg",)
    if name.is_any("shoulder", "hip", "trunk") and any(r.is_any(*limb) for r in rest):
        if not name.is_any(*limb):
            return True
    elif name.is_any(*limb) and (
        branch.kind == "foot" or not figure.repeats(path[1], path[0])
    ):
        return False
    first, second, third = points[:3]
    bone, following = second - first, third - second
    here, there = (abs(symmetry.across(point)) for point in (first, second))
    if here < CENTRAL * there:
        return True
    length = float(np.linalg.norm(bone))
    if branch.kind == "foot":
        return abs(float(bone @ symmetry.axis)) > SIDEWAYS * length
    if name.is_any("shoulder"):
        # the upper arm of some, and the collar bone of others
        return length < SHORT * float(np.linalg.norm(following))
    return not name.means and length < SHORT * float(np.linalg.norm(following))


def _end_leg(figure: Figure, branch: Branch) -> None:
    """Find the ankle of a leg: low, and what follows goes ahead rather than down."""
    path = branch.path
    heights = [float(figure.positions[joint][2]) - figure.ground for joint in path]
    low = LOW * heights[0]
    last = skin_end(figure, path[-1])
    far = figure.positions[path[-1]] if last is None else last
    for k in range(1, len(path)):
        rest = far - figure.positions[path[k]]
        flat = abs(rest[2]) < np.hypot(rest[0], rest[1])
        if heights[k] < low and (flat or k == len(path) - 1):
            del path[k + 1 :]
            return
    branch.end = _beyond(figure, path, last)


def _end_arm(figure: Figure, branch: Branch) -> None:
    """Find the hand of an arm: after two bones, or more as long as those."""
    path = branch.path
    if len(path) < 3:
        branch.end = _beyond(figure, path, skin_end(figure, path[-1]))
        return
    k = 2
    while k + 1 < len(path):
        bone = figure.distance(path[k - 1], path[k])
        hanging = [j for j in figure.children[path[k]] if j in figure.live]
        if len(hanging) > 2 or figure.distance(path[k], path[k + 1]) < SHORT * bone:
            break
        k += 1
    del path[k + 1 :]


def _beyond(figure: Figure, path: Sequence[str], end: Floats | None) -> Floats | None:
    """Return the end of the last bone's skin, if that goes on from the bone above."""
    if end is None:
        return None
    tip = figure.positions[path[-1]]
    if len(path) > 1:
        above = tip - figure.positions[path[-2]]
        on = float((end - tip) @ above)
        if on <= 0.15 * float(above @ above):
            return None
    return end
