"""Makes the model of a body from a figure and its limbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, radians
from typing import Any

import numpy as np

from ..errors import BindError
from ..math3d.quaternion import (
    Floats,
    about,
    conjugate,
    from_matrix,
    from_to,
    multiply,
    to_matrix,
)
from ..model.pose import Pose
from ..solvers.body import BodyJoint, BodyModel
from .limb import FoundLimbs, Limb

UPRIGHT = (8.0, 30.0)
"""How easily hips tilt and turn, apart from what all goals do together [degrees]."""
SPINE, NECK = 10.5, 16.0
"""How easily the whole spine and the whole neck bend [degrees]."""
EVEN = 0.4
"""How much more easily the uppermost joint of the spine bends than the middle."""
SHOULDER = (4.0, 6.0, 6.0)
"""How easily a shoulder turns about the side, the bone and across [degrees]."""
TAIL = 12.0
ARM = ((35.0, 25.0, 25.0), (40.0, 25.0, 5.0), (35.0, 15.0, 20.0))
LEG = ((30.0, 10.0, 10.0), (35.0, 4.0, 2.0), (15.0, 8.0, 8.0))
"""How easily the first joint, elbow or knee, and hand or foot turn: about the axis of
the hinge, about the bone, and across both [degrees]."""
TWIST = (0.1, 12.0, 0.1)
"""The same for a joint that only twists."""
STILL = (0.05, 0.05, 0.05)
FLEXION = (6.0, 150.0)
"""Limits of elbows and knees from straight [degrees]."""
SWINGS = {
    "hand": ((140.0, 65.0), (110.0, 110.0), 105.0),
    "foot": ((135.0, 40.0), (65.0, 45.0), 60.0),
}
"""Limits of a person's first joints, from arms to the sides and legs straight down:
forwards and backwards; up and down, for legs outwards and inwards; twist each way
[degrees]. Somewhat wider than ranges of motion in textbooks of anatomy, since they hold
for each axis by itself."""
NO_JOINT = ""
BENT = 12.0
"""Bend in the rest pose from which it shows the axis of a hinge [degrees]."""
UP = np.array((0.0, 0.0, 1.0))
"""The vertical of a figure."""


def body_model(
    pose: Pose,
    found: FoundLimbs,
    limbs: Sequence[Limb],
    rest: Mapping[str, Floats],
) -> BodyModel:
    """Return the body of a figure with these limbs.

    Args:
        pose: The figure's pose.
        found: What it faces and how its limbs bend.
        limbs: Its limbs.
        rest: Matrices of all joints in the rest pose in the figure's space, rows x, y,
            z and position, (4, 4).
    """
    return _Plan(pose, found, limbs, rest).model()


class _Plan:
    """Works out the joints of a body."""

    def __init__(
        self,
        pose: Pose,
        found: FoundLimbs,
        limbs: Sequence[Limb],
        rest: Mapping[str, Floats],
    ) -> None:
        self.pose, self.found, self.rest = pose, found, rest
        self.shoulders: list[str] = []
        self.limbs = [limb for limb in limbs if limb.kind != "tail"]
        names, parents = pose.names, pose.parents
        self.above = {
            name: names[p] if p >= 0 else None
            for name, p in zip(names, parents, strict=True)
        }
        if not self.limbs:
            raise BindError("a body needs limbs: none were found or given")
        lines = {limb.name: self._line(limb.joints[-1]) for limb in self.limbs}
        outer = [self._line(limb.joints[0])[:-1] for limb in self.limbs]
        shared = [j for j in outer[0] if all(j in line for line in outer)]
        # where no joint carries all limbs, a point does
        self.root = shared[-1] if shared else NO_JOINT
        self.lines = {
            name: line[line.index(self.root) :] if shared else [NO_JOINT, *line]
            for name, line in lines.items()
        }
        self.chest = self._chest()

    def _line(self, name: str) -> list[str]:
        line: list[str] = []
        joint: str | None = name
        while joint is not None:
            line.append(joint)
            joint = self.above[joint]
        return line[::-1]

    def _chest(self) -> str | None:
        upper = [
            self.lines[limb.name]
            for limb in self.limbs
            if limb.kind in ("hand", "head") or "front" in limb.name
        ]
        if len(upper) < 2:
            return None
        shared = [j for j in upper[0][:-1] if all(j in line for line in upper)]
        return shared[-1] if shared[-1] != self.root else None

    def _place(self, joint: str) -> Floats:
        return np.asarray(self.rest[joint], float)[3, :3]

    def _rotation(self, joint: str) -> Floats:
        if joint == NO_JOINT:
            return np.array([1.0, 0.0, 0.0, 0.0])
        rows = np.asarray(self.rest[joint], float)[:3, :3]
        return np.asarray(from_matrix(_squared(rows).T))

    def model(self) -> BodyModel:
        made: dict[str, BodyJoint] = {}
        closed: dict[str, tuple[str, str, str]] = {}
        users: dict[str, int] = {}
        for line in self.lines.values():
            for joint in line:
                users[joint] = users.get(joint, 0) + 1
        trunk = [j for j, count in users.items() if count > 1 and j != self.root]
        made[self.root] = self._hips()
        for k, joint in enumerate(trunk):
            # the lowest ones would bend most: they move the rest by the longest lever
            share = 1.0 + EVEN * (2.0 * k - len(trunk) + 1) / max(len(trunk) - 1, 1)
            made[joint] = self._spread(joint, share * SPINE, len(trunk))
        for limb in self.limbs:
            own = [j for j in self.lines[limb.name] if j not in made]
            first = own.index(limb.joints[0]) if limb.joints[0] in own else 0
            for joint in own[:first]:
                made[joint] = self._carrier(joint, limb)
            own = own[first:]
            if limb.kind == "head" or len(own) < 3:
                for joint in own:
                    made[joint] = self._spread(
                        joint, NECK if limb.kind == "head" else TAIL, len(own)
                    )
                continue
            knee = self._knee(own)
            closed[limb.name] = own[0], knee, own[-1]
            for joint in own:
                made[joint] = self._limb_joint(joint, own, knee, limb)
        order = self._ordered(made)
        places = np.array([self._place(j) for j in self.rest])
        heights = places @ UP
        size = float(max(np.ptp(heights), 0.5 * np.max(np.ptp(places, axis=0))))
        ends = {limb.name: limb.joints[-1] for limb in self.limbs}
        if self.root != NO_JOINT:
            ends["hips"] = self.root
        named = [j for j in trunk if j.lower().endswith("chest")]
        if self.chest is not None:
            ends["chest"] = named[0] if named else self.chest
        x, y, z = UP.tolist()
        heads = [j for limb in self.limbs if limb.kind == "head" for j in limb.joints]
        return BodyModel(
            tuple(made[j] for j in order), ends, closed, size, (x, y, z),
            tuple(dict.fromkeys((*trunk, *heads))), tuple(self.shoulders),
        )  # fmt: skip

    def _ordered(self, made: Mapping[str, BodyJoint]) -> list[str]:
        below: dict[str, list[str]] = {joint: [] for joint in made}
        for joint in made:
            if joint != self.root:
                below[self.above[joint] or NO_JOINT].append(joint)
        order, rest = [], [self.root]
        while rest:
            joint = rest.pop()
            order.append(joint)
            rest += below[joint][::-1]
        return order

    def _axes(self, joint: str, hinge: Floats, bone: Floats) -> tuple[float, ...]:
        columns = _frame(hinge, bone)
        q = np.asarray(from_matrix(columns))
        return tuple(multiply(conjugate(self._rotation(joint)), q).tolist())

    def _hips(self) -> BodyJoint:
        side = np.cross(np.asarray(self.found.forward, float), UP)
        tilt, turn = UPRIGHT
        axes = self._axes(self.root, side, UP)
        return BodyJoint(self.root, _radians((tilt, turn, tilt)), axes)

    def _spread(self, joint: str, whole: float, count: int) -> BodyJoint:
        return BodyJoint(joint, _radians((whole / count**0.5,) * 3))

    def _carrier(self, joint: str, limb: Limb) -> BodyJoint:
        """Return a joint between the trunk and a limb: a collar, or a rigid one."""
        if limb.kind == "head":
            return self._spread(joint, SPINE, 2)
        if limb.kind != "hand" and "front" not in limb.name:
            return BodyJoint(joint, _radians(STILL))
        self.shoulders.append(joint)
        side = np.cross(np.asarray(self.found.forward, float), UP)
        return BodyJoint(joint, _radians(SHOULDER), self._axes(joint, side, UP))

    def _knee(self, own: Sequence[str]) -> str:
        places = np.array([self._place(j) for j in own])
        way = np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))
        k = int(np.argmin(np.abs(way[:-1] - 0.5 * way[-1])))
        return own[k + 1]

    def _limb_joint(
        self, joint: str, own: Sequence[str], knee: str, limb: Limb
    ) -> BodyJoint:
        first, end = own[0], own[-1]
        upper = self._place(knee) - self._place(first)
        lower = self._place(end) - self._place(knee)
        size = np.linalg.norm(upper) * np.linalg.norm(lower)
        if not size > 0.0:
            return BodyJoint(joint, _radians(STILL))
        hinge = np.cross(upper, lower)
        sine = float(np.linalg.norm(hinge) / size)
        bend = float(np.arctan2(sine, float(upper @ lower) / size))
        side = self.found.bend_of(end)
        if side is not None:
            by_side = np.cross(np.asarray(side, float), upper + lower)
            if bend < radians(BENT):
                hinge = by_side
                across = np.cross(upper, lower) @ by_side
                bend = float(np.copysign(bend, across))
        bone = upper if joint == first else lower
        if joint == end:
            bone = lower
        eases = ARM if limb.kind == "hand" else LEG
        axes = self._axes(joint, hinge, bone)
        if joint == first:
            ease = _radians(eases[0])
            return BodyJoint(joint, ease, axes, *self._swings(joint, limb, bone, axes))
        if joint == end:
            return BodyJoint(joint, _radians(eases[2]), axes)
        if joint != knee:
            between = limb.kind == "foot" and own.index(joint) > own.index(knee)
            ease = (18.0, 4.0, 4.0) if between else TWIST
            return BodyJoint(joint, _radians(ease), axes)
        straight = multiply(about(hinge, -bend), self._rotation(joint))
        low, high = _radians(FLEXION)
        limits = (low, high), (-inf, inf), (-inf, inf)
        middle = self._inside(joint, straight)
        return BodyJoint(joint, _radians(eases[1]), axes, middle, limits)

    def _inside(self, joint: str, rotation: Floats) -> tuple[float, ...]:
        """Return a rotation of a joint in the space of its parent."""
        above = self._rotation(self.above[joint] or NO_JOINT)
        return tuple(multiply(conjugate(above), rotation).tolist())

    def _swings(
        self, joint: str, limb: Limb, bone: Floats, axes: tuple[float, ...]
    ) -> tuple[Any, ...]:
        """Return middle and limits of a shoulder or hip; none but for people."""
        kinds = [one.kind for one in self.limbs]
        if limb.kind not in SWINGS or kinds.count("hand") != 2 != kinds.count("foot"):
            return ()
        ahead = np.asarray(self.found.forward, float)
        out = np.cross(UP, ahead)
        away = self._place(joint) - np.mean(
            [self._place(one.joints[0]) for one in self.limbs if one.kind == limb.kind],
            axis=0,
        )
        out = out * np.copysign(1.0, away @ out)
        straight, lift = (out, UP) if limb.kind == "hand" else (-UP, out)
        turn = from_to(bone, straight)
        at_middle = multiply(turn, self._rotation(joint))
        columns = to_matrix(multiply(at_middle, axes).tolist())
        swing, raised, twist = SWINGS[limb.kind]
        limits = [(-radians(twist), radians(twist))] * 3
        for c in (0, 2):
            # where the end goes that turns about this axis
            way = np.cross(columns[:, c], straight)
            a, b = way @ ahead, way @ lift
            most, least = swing if abs(a) > abs(b) else raised
            if (a if abs(a) > abs(b) else b) < 0.0:
                most, least = least, most
            limits[c] = (-radians(least), radians(most))
        return self._inside(joint, at_middle), tuple(limits)


def _radians(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(map(radians, values))


def _squared(rows: Floats) -> Floats:
    axes = rows if np.linalg.det(rows) > 0.0 else -rows
    y = axes[1] / max(float(np.linalg.norm(axes[1])), 1e-300)
    z = axes[2] - (axes[2] @ y) * y
    z /= max(float(np.linalg.norm(z)), 1e-300)
    return np.array([np.cross(y, z), y, z])


def _frame(first: Floats, second: Floats) -> Floats:
    """Return a rotation matrix: the second direction, the first square to it."""
    b = second / max(float(np.linalg.norm(second)), 1e-30)
    a = first - (first @ b) * b
    if not np.linalg.norm(a) > 1e-6 * max(float(np.linalg.norm(first)), 1e-30):
        a = np.cross(b, np.eye(3)[int(np.argmin(np.abs(b)))])
    a = a / np.linalg.norm(a)
    return np.column_stack((a, b, np.cross(a, b)))
