"""Finds the first and last joint of a limb in a branch of a skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..math3d.quaternion import Floats
from .bone_names import Side, rigid_joints
from .bone_words import Meaning
from .figure import Figure, skin_end
from .limb import LimbKind
from .symmetry import Symmetry

CONTACT = 0.08
"""Maximum height of ground contact above the lowest point / figure's height."""
LOW = 0.25
"""Maximum height of an ankle above the ground / height of the hip."""
NEAR_GROUND = 0.4
"""Maximum height of a leg's end above the ground / height of its first joint."""
CENTRAL = 0.35
"""A joint is a stub when its distance to the middle / that of the next is less."""
CARRIED = 0.6
"""A stub in the middle is shorter than this factor times all that hangs on it."""
SIDEWAYS = 0.6
"""A leg's first bone is pelvis when the sideways part of its length is more."""
INSTEP = 0.4
"""A leg's last bone is a foot when its length / that of the shin is less."""
SHORT = 0.6
"""A bone is no upper arm or forearm when its length / its neighbour's is less."""
IN_LINE = 0.99
"""Minimum cosine of the angle between two bones that are parts of one."""
ENDS: tuple[Literal["hand", "foot"], ...] = ("hand", "foot")


@dataclass
class Branch:
    """A branch of the skeleton that may be a limb.

    Args:
        root: Its first joint.
        side: Its side by name, or "".
        path: The joints of the limb that are known so far.
        kind: The kind of limb.
        named: Whether the kind is known from names.
        ended: Whether the last joint is named as the hand or foot itself.
        end: End of the last bone's skin, if the limb ends there.
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
        """Return the positions of its joints, and of its end if it has one."""
        found = [figure.positions[joint] for joint in self.path]
        return found if self.end is None else [*found, self.end]

    def length(self, figure: Figure) -> float:
        """Return the total length of its bones."""
        points = np.array(self.points(figure))
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())

    def touches(self, figure: Figure) -> bool:
        points = self.points(figure)
        first, last = (float(points[k][2]) - figure.ground for k in (0, -1))
        return _low(figure, self) and last < NEAR_GROUND * first


def follow_branch(figure: Figure, root: str) -> Branch | None:
    """Return the branch from a joint, or None if its name excludes a limb."""
    name = figure.name_of(root)
    if name.is_helper or name.is_any("finger", "lid", "face", "eye"):
        return None
    end = _named_end(figure, root)
    if end is not None:
        joint, kind = end
        path = figure.lineage(joint)
        path = path[: path.index(root) + 1][::-1]
        branch = Branch(root, name.side, path, kind, True, ended=True)
        branch.reason = f"{joint!r} is named like a {kind}"
    else:
        branch = Branch(root, name.side, _longest(figure, root), "limb", False)
    for joint in branch.path:
        branch.means |= figure.name_of(joint).means
        branch.side = branch.side or figure.name_of(joint).side
    if end is None:
        _classify(figure, branch)
    return branch


def _named_end(figure: Figure, root: str) -> tuple[str, LimbKind] | None:
    below = [joint for joint in figure.below(root) if joint in figure.live]
    below.sort(key=lambda joint: len(figure.lineage(joint)))
    for joint in below:
        for kind in ENDS:
            if figure.name_of(joint).is_end(kind):
                return _last_of_its_name(figure, joint, kind), kind
    palms = [joint for joint in below if figure.name_of(joint).is_end("palm")]
    return (palms[0], "hand") if palms else None


def _last_of_its_name(figure: Figure, joint: str, kind: LimbKind) -> str:
    """Return the last of several joints of one foot that descend steeply.

    For an animal on its toes, Foot01 above Foot02 is the hock, and so is Foot above
    Toe.
    """
    last = joint
    own = [joint] if kind == "foot" else []
    for above in own:
        for child in figure.children[above]:
            down = figure.positions[above] - figure.positions[child]
            steep = down[2] > np.hypot(down[0], down[1])
            foot = figure.repeats(child, above) or figure.name_of(child).is_any("toe")
            if child in figure.live and foot and steep:
                own.append(child)
                fallen = figure.positions[last] - figure.positions[child]
                if fallen[2] > CONTACT * figure.height:
                    last = child
    return last


def _longest(figure: Figure, joint: str) -> list[str]:
    found = [joint]
    while True:
        bones = [
            child
            for child in figure.children[found[-1]]
            if child in figure.live
            and not figure.name_of(child).is_helper
            and not figure.name_of(child).is_any("lid", "face")
        ]
        if not bones:
            return found
        found.append(max(bones, key=lambda child: _reach(figure, found[-1], child)))


def _reach(figure: Figure, above: str, joint: str) -> float:
    own = figure.distance(above, joint)
    hanging = [child for child in figure.children[joint] if child in figure.live]
    if hanging:
        return own + max(_reach(figure, joint, child) for child in hanging)
    end = skin_end(figure, joint)
    if end is not None:
        own += float(np.linalg.norm(end - figure.positions[joint]))
    return own


def _classify(figure: Figure, branch: Branch) -> None:
    means = branch.means
    if means & {"leg", "foot"} and not means & {"arm", "hand"}:
        branch.kind, branch.named = "foot", True
        branch.reason = "its joints are named like a leg's"
    elif means & {"arm", "hand", "shoulder", "collar", "finger"}:
        branch.kind, branch.named = "hand", True
        branch.reason = "its joints are named like an arm's"
    elif _low(figure, branch):
        branch.kind, branch.reason = "foot", "it stands on the ground"
    else:
        branch.kind, branch.reason = ("hand", "it is a free branch of the trunk")


def _low(figure: Figure, branch: Branch) -> bool:
    low = figure.points(branch.root)[:, 2].min() - figure.ground
    return bool(low < CONTACT * figure.height)


# -- where it begins and ends ----------------------------------------------------------


def shorten(figure: Figure, symmetry: Symmetry, branch: Branch) -> None:
    path = branch.path
    tail = None if branch.ended else skin_end(figure, path[-1])
    # joints at one position act as one
    while len(path) > 1 and figure.distance(path[0], path[1]) < 1e-3 * figure.size:
        del path[0]
    while True:
        points = [figure.positions[joint] for joint in path]
        if tail is not None:
            points.append(tail)
        # twist joints do not count as bones
        twists = len(twist_joints(figure, path))
        if len(points) - twists < 4 or not _is_stub(
            figure, symmetry, branch, path, points
        ):
            break
        del path[0]
    if branch.ended:
        return
    if branch.kind != "foot":
        _end_arm(figure, branch)
        return
    _end_leg(figure, branch)
    girdle = figure.name_of(path[0]).is_any("hip", "trunk")
    if len(path) == 2 and branch.end is None and tail is not None and girdle:
        # a leg of one bone, below a joint in the middle
        del path[0]
        _end_leg(figure, branch)


def twist_joints(figure: Figure, path: Sequence[str]) -> tuple[str, ...]:
    """Return the joints of an arm or leg that only twist, and lie on a bone's line.

    ``Leg02`` below ``Leg01`` is a knee where the leg bends there.
    """
    found = []
    for joint in rigid_joints(path):
        k = path.index(joint)
        here, above, below = (figure.positions[path[i]] for i in (k, k - 1, k + 1))
        lengths = np.linalg.norm(here - above) * np.linalg.norm(below - here)
        if float((here - above) @ (below - here)) >= IN_LINE * float(lengths):
            found.append(joint)
    return tuple(found)


def _is_stub(
    figure: Figure,
    symmetry: Symmetry,
    branch: Branch,
    path: Sequence[str],
    points: Sequence[Floats],
) -> bool:
    """Return whether the first joint belongs to the trunk, not to the limb."""
    name = figure.name_of(path[0])
    rest = [figure.name_of(joint) for joint in path[1:]]
    if name.is_any("collar"):
        return True
    # front legs may be named as arms
    limb: tuple[Meaning, ...] = ("arm",) if branch.kind == "hand" else ("leg", "arm")
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
    length = float(np.linalg.norm(bone))
    carried = np.linalg.norm(np.diff(np.array(points[1:]), axis=0), axis=1).sum()
    if here < CENTRAL * there and length < CARRIED * float(carried):
        return True
    if branch.kind == "foot":
        return abs(float(bone @ symmetry.axis)) > SIDEWAYS * length
    if name.is_any("shoulder"):
        # "shoulder" means the upper arm in some skeletons, the collar bone in others
        return length < SHORT * float(np.linalg.norm(following))
    return not name.means and length < SHORT * float(np.linalg.norm(following))


def _end_leg(figure: Figure, branch: Branch) -> None:
    """End a leg at its ankle: a low joint with a child that lies ahead or is near."""
    path = branch.path
    heights = [float(figure.positions[joint][2]) - figure.ground for joint in path]
    low = LOW * heights[0]
    last = skin_end(figure, path[-1])
    far = figure.positions[path[-1]] if last is None else last
    for k in range(1, len(path)):
        rest = far - figure.positions[path[k]]
        flat = abs(rest[2]) < np.hypot(rest[0], rest[1])
        shin = figure.distance(path[k - 1], path[k])
        foot = np.linalg.norm(rest) < INSTEP * shin
        if heights[k] < low and (flat or foot or k == len(path) - 1):
            del path[k + 1 :]
            return
    branch.end = _skin_end(figure, path, last)


def _end_arm(figure: Figure, branch: Branch) -> None:
    """End an arm at its hand: after two bones, or more of similar length."""
    path = branch.path
    if len(path) < 3:
        end = skin_end(figure, path[-1])
        branch.end = _skin_end(figure, path, end)
        if end is not None and len(path) == 2:
            # a forearm may be folded, but is no shorter than a hand
            upper, lower = (figure.positions[joint] for joint in path)
            if np.linalg.norm(end - lower) > SHORT * np.linalg.norm(lower - upper):
                branch.end = end
        return
    k = 2
    while k + 1 < len(path):
        bone = figure.distance(path[k - 1], path[k])
        hanging = [j for j in figure.children[path[k]] if j in figure.live]
        if len(hanging) > 2 or figure.distance(path[k], path[k + 1]) < SHORT * bone:
            break
        k += 1
    del path[k + 1 :]


def _skin_end(figure: Figure, path: Sequence[str], end: Floats | None) -> Floats | None:
    """Return the end of the last bone's skin, if it continues the bone above."""
    if end is None:
        return None
    tip = figure.positions[path[-1]]
    if len(path) > 1:
        above = tip - figure.positions[path[-2]]
        on = float((end - tip) @ above)
        if on <= 0.15 * float(above @ above):
            return None
    return end
