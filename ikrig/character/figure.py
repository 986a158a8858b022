"""Figure: the joints and skin of a character, in the pose of its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..math3d.quaternion import Floats
from .bone_names import BoneName, parse_name, repeats, shared_prefix
from .bone_words import Meaning

_LIMB = frozenset[Meaning](("hand", "foot", "arm", "leg"))


class Figure:
    """The skeleton of a character, with joint positions and skin.

    Lengths are in any unit; z is up.

    Args:
        parents: The parent of each joint, by name, parents first; None for roots.
        positions: The position of each joint, 3 numbers.
        skin: Points of the skin by the joint with the largest weight, arrays (n, 3).
            Joints without skin may be left out.
        called: Names from the file for joints whose own names mean nothing, such as
            "leftHand" from the bones of a VRM avatar. They replace the names.

    Raises:
        ValueError: A joint has no position, or a number is not finite.
    """

    def __init__(
        self,
        parents: Mapping[str, str | None],
        positions: Mapping[str, Iterable[float]],
        skin: Mapping[str, Floats] | None = None,
        called: Mapping[str, str] | None = None,
    ) -> None:
        self.parents = dict(parents)
        self.called = dict(called or {})
        self.positions: dict[str, Floats] = {}
        self.children: dict[str | None, list[str]] = {None: []}
        for joint, parent in self.parents.items():
            if joint not in positions:
                raise ValueError(f"joint {joint!r} has no position")
            position = np.array(tuple(positions[joint]), dtype=float)
            if position.shape != (3,) or not np.isfinite(position).all():
                raise ValueError(f"position of joint {joint!r} is {position}")
            self.positions[joint] = position
            self.children[joint] = []
            self.children[parent].append(joint)
        self.skin: dict[str, Floats] = {}
        for joint, given in (skin or {}).items():
            points = np.asarray(given, dtype=float).reshape(-1, 3)
            points = points[np.isfinite(points).all(axis=1)]
            if joint in self.parents and len(points):
                self.skin[joint] = points

    def name_of(self, joint: str) -> BoneName:
        return self._names[joint]

    @cached_property
    def _names(self) -> dict[str, BoneName]:
        called = {joint: self.called.get(joint, joint) for joint in self.parents}
        prefix = shared_prefix(called.values())
        names = {
            joint: parse_name(text.removeprefix(prefix))
            for joint, text in called.items()
        }
        # "L5" of a spine is not a left joint: there is no right one, and both sides
        # are below it
        known = {(name.words, name.side) for name in names.values()}
        for joint, name in names.items():
            other = "right" if name.side == "left" else "left"
            if name.side and (name.words, other) in known:
                continue
            below = [names[own] for own in self.below(joint)]
            if name.side and any(own.side == other for own in below):
                names[joint] = replace(name, side="")
            elif {"left", "right"} <= {own.side for own in below if own.means & _LIMB}:
                # "Main" of a whole figure is no hand, whatever it means in French
                names[joint] = replace(name, means=name.means - _LIMB)
        return self._without_controls(names)

    def _without_controls(self, names: dict[str, BoneName]) -> dict[str, BoneName]:
        """Return names in which joints that move skin are no controls, if most are so.

        Then the word belongs to a game's rig in which controls are the bones.
        """
        called = [names[joint] for joint in self.skin if names[joint].is_any("control")]
        bones = [name for name in called if len(name.means) > 1]
        if not bones or len(called) <= 0.5 * len(self.skin):
            return names
        return {
            joint: replace(name, means=name.means - {"control"})
            if joint in self.live
            else name
            for joint, name in names.items()
        }

    def repeats(self, joint: str, above: str) -> bool:
        """Return whether two names differ only by numbers or a word such as "twist"."""
        called = self.called
        return repeats(called.get(joint, joint), called.get(above, above))

    def lineage(self, joint: str) -> list[str]:
        found = [joint]
        while (above := self.parents[found[-1]]) is not None:
            found.append(above)
        return found

    def below(self, joint: str) -> list[str]:
        found = [joint]
        for above in found:
            found += self.children[above]
        return found

    def is_below(self, joint: str, above: str) -> bool:
        """Return whether a joint is ``above`` or below it."""
        return above in self.lineage(joint)

    @cached_property
    def live(self) -> set[str]:
        """Joints that move skin, themselves or through joints below them.

        All others are controls, markers or ends. Without any skin, all joints.
        """
        if not self.skin:
            return set(self.parents)
        return {above for joint in self.skin for above in self.lineage(joint)}

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The smallest and largest coordinates of the skin, or else of the joints."""
        points = list(self.skin.values()) or [np.array(list(self.positions.values()))]
        if not self.positions:
            return np.zeros(3), np.zeros(3)
        every = np.concatenate(points)
        return every.min(axis=0), every.max(axis=0)

    @property
    def ground(self) -> float:
        return float(self.bounds[0][2])

    @property
    def height(self) -> float:
        return float(self.bounds[1][2] - self.bounds[0][2])

    @property
    def size(self) -> float:
        return float((self.bounds[1] - self.bounds[0]).max())

    def distance(self, a: str, b: str) -> float:
        return float(np.linalg.norm(self.positions[a] - self.positions[b]))

    def points(self, joint: str) -> Floats:
        """Return the joints from a joint down and their skin points, (n, 3)."""
        below = [name for name in self.below(joint) if name in self.live] or [joint]
        joints = np.array([self.positions[name] for name in below])
        return np.concatenate(
            [joints, *(self.skin[name] for name in below if name in self.skin)]
        )


END = 0.1
"""Fraction of a bone's skin, along the bone, that counts as its end."""
ROUND = 0.06
"""Maximum standard deviation of a ball's radius / its mean radius."""
BALL_POINTS = 16
"""Minimum number of points in a ball's skin."""


def skin_end(figure: Figure, joint: str, beyond: Floats | None = None) -> Floats | None:
    """Return the end of the skin of the bone that begins at a joint, or None.

    It is the middle of the outermost tenth of the skin, along the line from the joint
    to the middle of the skin; with a direction ``beyond``, of the skin on that side of
    the joint. None if the joint has no skin, or is in its middle.
    """
    points = figure.skin.get(joint)
    if points is None:
        return None
    joint_position = figure.positions[joint]
    if beyond is not None:
        points = points[(points - joint_position) @ beyond > 0.0]
        if not len(points):
            return None
    away = points - joint_position
    extent = float(np.ptp(points, axis=0).max())
    if extent == 0.0:
        # one point
        extent = float(np.linalg.norm(away[0]))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0 - joint_position
    length = float(np.linalg.norm(middle))
    if not length > 0.1 * extent > 0.0:
        return None
    along = away @ (middle / length)
    last = along >= (1.0 - END) * along.max()
    cap = points[last]
    return np.asarray((cap.min(axis=0) + cap.max(axis=0)) / 2.0)


def is_ball(figure: Figure, joint: str) -> bool:
    """Return whether the skin of a joint is a ball around it, such as an eye's."""
    points = figure.skin.get(joint)
    if points is None or len(points) < BALL_POINTS:
        return False
    extents = np.ptp(points, axis=0)
    away = np.linalg.norm(points - figure.positions[joint], axis=1)
    round_enough = away.std() < ROUND * away.mean()
    return bool(round_enough and extents.min() > 0.6 * extents.max())
