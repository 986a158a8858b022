"""The humanoid's joints: names, places, axes, and poses of them.

The figure stands on z = 0, faces -y, and its left is +x. Of every joint +y points along
the bone and x is what it bends about: a positive pitch bends the spine, the hips' balls
of the feet, elbows and fingers the natural way, and knees backwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

AHEAD, UP, DOWN, BACK = (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0, 1.0, 0)
PALM = (-0.7071, -0.10, -0.7071)  # what the left palm faces

# name, parent, place, what its y axis points at, what its z axis leans to
_MIDDLE = (
    ("Hips", "", (0.0, 0.008, 0.965), (0.0, 0.008, 1.06), AHEAD),
    ("Spine", "Hips", (0.0, 0.008, 1.06), (0.0, 0.012, 1.175), AHEAD),
    ("Spine1", "Spine", (0.0, 0.012, 1.175), (0.0, 0.018, 1.295), AHEAD),
    ("Spine2", "Spine1", (0.0, 0.018, 1.295), (0.0, 0.02, 1.45), AHEAD),
    ("Neck", "Spine2", (0.0, 0.02, 1.45), (0.0, 0.002, 1.54), AHEAD),
    ("Head", "Neck", (0.0, 0.002, 1.54), (0.0, 0.002, 1.75), AHEAD),
)
_LEFT = (
    ("Eye", "Head", (0.036, -0.07, 1.632), (0.036, -1.0, 1.632), UP),
    ("Shoulder", "Spine2", (0.03, 0.012, 1.412), (0.168, 0.016, 1.398), AHEAD),
    ("Arm", "Shoulder", (0.168, 0.016, 1.398), (0.364, 0.022, 1.202), AHEAD),
    ("ForeArm", "Arm", (0.364, 0.022, 1.202), (0.5445, 0.0, 1.0215), AHEAD),
    ("Hand", "ForeArm", (0.5445, 0.0, 1.0215), (0.62, -0.006, 0.946), PALM),
    ("UpLeg", "Hips", (0.093, 0.004, 0.925), (0.098, -0.008, 0.505), BACK),
    ("Leg", "UpLeg", (0.098, -0.008, 0.505), (0.1, 0.022, 0.085), BACK),
    ("Foot", "Leg", (0.1, 0.022, 0.085), (0.106, -0.118, 0.022), DOWN),
    ("ToeBase", "Foot", (0.106, -0.118, 0.022), (0.109, -0.2, 0.022), DOWN),
)
# fingers stand in the hand's own axes: x back, y along, z out of the palm
_FINGERS = (
    ("HandThumb1", "Hand", (-0.018, 0.022, 0.009), (-0.046, 0.052, 0.020)),
    ("HandThumb2", "HandThumb1", (-0.046, 0.052, 0.020), (-0.062, 0.092, 0.026)),
    ("HandIndex1", "Hand", (-0.033, 0.088, 0.003), (-0.039, 0.126, 0.006)),
    ("HandIndex2", "HandIndex1", (-0.039, 0.126, 0.006), (-0.0456, 0.177, 0.014)),
    ("HandMiddle1", "Hand", (0.009, 0.090, 0.003), (0.010, 0.130, 0.006)),
    ("HandMiddle2", "HandMiddle1", (0.010, 0.130, 0.006), (0.013, 0.185, 0.014)),
)


@dataclass(frozen=True)
class Bone:
    """One joint and the bone that starts there, in the bind pose.

    Attributes:
        name: Mixamo's name, without prefix.
        parent: Name of the joint above; empty for the topmost.
        place: Of the joint, (3,) [scene unit].
        end: Where the bone ends, (3,).
        axes: Columns are its x, y and z axis, (3, 3).
    """

    name: str
    parent: str
    place: Floats
    end: Floats
    axes: Floats


def make_bones() -> dict[str, Bone]:
    """Return all bones by name, parents before children."""
    bones: dict[str, Bone] = {}
    for name, parent, place, end, lean in _MIDDLE:
        bones[name] = _bone(name, parent, place, end, lean)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        mirror = np.array((sign, 1.0, 1.0))

        def above(parent: str, side: str = side) -> str:
            return parent if parent in ("Head", "Spine2", "Hips") else side + parent

        for name, parent, place, end, lean in _LEFT:
            bones[side + name] = _bone(
                side + name, above(parent), place * mirror, end * mirror, lean * mirror
            )
        # a mirrored frame would be left-handed: its x axis is turned round
        hand = bones[side + "Hand"]
        turn = hand.axes @ np.diag((sign, 1.0, 1.0))
        for name, parent, place, end in _FINGERS:
            start, tip = hand.place + turn @ place, hand.place + turn @ end
            bones[side + name] = _bone(
                side + name, above(parent), start, tip, hand.axes[:, 2]
            )
    return bones


def _bone(
    name: str, parent: str, place: ArrayLike, end: ArrayLike, lean: ArrayLike
) -> Bone:
    start, stop = np.array(place, float), np.array(end, float)
    y = (stop - start) / np.linalg.norm(stop - start)
    z = np.asarray(lean, float) - (lean @ y) * y
    z /= np.linalg.norm(z)
    axes = np.column_stack((np.cross(y, z), y, z))
    return Bone(name, parent, start, stop, axes)


def about(axis: ArrayLike, degrees: float) -> Floats:
    """Return the rotation about an axis, (3, 3)."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    angle = np.radians(degrees)
    turn: Floats = (
        np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    )
    return turn


class Pose:
    """Turns of joints away from the bind pose.

    Attributes:
        turns: By joint name (3, 3). Written in the figure's axes as they lie at that
            joint: what is above has turned them, and the identity is the bind pose.
        shift: How far the topmost joint is from its place, (3,).
    """

    def __init__(self, bones: dict[str, Bone]) -> None:
        """Start in the bind pose."""
        self.bones = bones
        self.turns = {name: np.eye(3) for name in bones}
        self.shift = np.zeros(3)

    def net(self, name: str) -> Floats:
        """Return how far a joint has turned in all, (3, 3)."""
        bone = self.bones[name]
        turn = self.turns[name]
        return self.net(bone.parent) @ turn if bone.parent else turn

    def place(self, name: str) -> Floats:
        """Return where a joint is, (3,)."""
        bone = self.bones[name]
        if not bone.parent:
            return bone.place + self.shift
        offset = bone.place - self.bones[bone.parent].place
        moved: Floats = self.place(bone.parent) + self.net(bone.parent) @ offset
        return moved

    def local(self, name: str) -> tuple[Floats, Floats]:
        """Return a joint's place (3,) and axes (3, 3) in the joint above it."""
        bone = self.bones[name]
        if not bone.parent:
            return bone.place + self.shift, self.turns[name] @ bone.axes
        above = self.bones[bone.parent]
        offset = above.axes.T @ (bone.place - above.place)
        return offset, above.axes.T @ self.turns[name] @ bone.axes
