"""FootPlanner: plants the feet of an animated figure on uneven ground.

The animation walks on a plane. Under each foot this plane is raised or lowered and
tilted until it lies on the real ground, and while the foot stands it is shifted so that
the foot stays in place. Hips move up and down with the feet that they carry.
Engine-free: positions are in world space, z is up.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass

from ..kernels import buffer, index_buffer
from ..kernels.feet import Feet
from ..kernels.foot import Foot
from ..kernels.hips import Hips
from ..kernels.leg import Leg
from ..kernels.sole import Sole
from ..records import CheckedRecord, entry
from ..value_shapes import Number

Point = Sequence[float]

TILTED, FLAT = 1, 3
"""The kernel's codes for a figure that is not upright, and one scaled to 0."""
SOLE, CORNERS = 13, 16
"""Numbers of a foot's pose before its corners, and the maximum number of corners, in
the layout of the kernels."""


@dataclass(frozen=True)
class FootLayout:
    """The joints and the sole of a foot, by joint index.

    Attributes:
        bones: Joints from the hip to the ankle.
        sole: Corners of the sole: a joint, and a point in its space.
        side: Offset by which the knee is bent, in the thigh's space, as long as no pose
            bends it more; (0, 0, 0): it bends to the toes.
        rims: How high each corner of the sole is as the foot stands flat [leg lengths];
            default: on the ground.
    """

    bones: Sequence[int]
    sole: Sequence[tuple[int, Point]]
    side: Point = (0.0, 0.0, 0.0)
    rims: Sequence[float] = ()


def make_leg(layout: FootLayout) -> tuple[Leg, MutableSequence[float]]:
    """Return the kernel of a leg and the buffer of its foot's pose."""
    corners = len(layout.sole)
    if not 1 <= corners <= CORNERS:
        raise ValueError(f"a sole must have 1 to {CORNERS} corners, not {corners}")
    now = buffer([0.0] * (SOLE + 3 * corners))
    leg = Leg(
        Foot(Sole(corners, now, buffer(layout.rims or [0.0] * corners))),
        index_buffer(layout.bones),
        index_buffer([joint for joint, _ in layout.sole]),
        buffer([x for _, point in layout.sole for x in point]),
        tuple(layout.side),
    )
    return leg, now


class FootPlanner:
    """Plans all feet of a figure, frame by frame.

    Args:
        parents: Index of each joint's parent, parents first; -1: the figure itself.
        feet: The feet.
        bodies: Joints that carry feet and move up and down, with the feet's indices.
        mats: Matrices of the joints in their parents' space: rows of 16 numbers in
            single precision, read again each frame.
        world: Matrix of the figure in world space, in the same layout.
    """

    def __init__(
        self,
        parents: Sequence[int],
        feet: Sequence[FootLayout],
        bodies: Sequence[tuple[int, Sequence[int]]],
        mats: object,
        world: Sequence[float],
    ) -> None:
        self.legs = [make_leg(foot)[0] for foot in feet]
        self.feet = [leg.foot for leg in self.legs]
        self.bodies = [
            Hips(joint, [self.legs[f] for f in own]) for joint, own in bodies
        ]
        carriers = [
            next((b for b, (_, own) in enumerate(bodies) if f in own), -1)
            for f in range(len(feet))
        ]
        joints = [joint for joint, _ in bodies]
        above = [_above(parents, joint, joints) for joint in joints]
        self.moves = buffer([0.0] * max(1, len(bodies)))
        """Offset up of each body's joint, relative to the bodies above it [unit]."""
        self.goals = buffer([0.0] * (16 * len(feet)))
        """Goal of each ankle: matrices in rows, world space."""
        self.settings: FootSettings | None = None
        """Those that are in use."""
        self.kernel = Feet(
            self.legs,
            self.bodies,
            index_buffer(parents),
            mats,
            world,
            self.goals,
            buffer([0.0] * (16 * len(parents) + 18)),
            index_buffer(carriers),
            index_buffer(above or [0]),
            self.moves,
        )

    @property
    def leg(self) -> float:
        """Length of the longest leg, as read last [unit]."""
        return float(self.kernel.leg)

    def reset(self) -> None:
        """Reset: the next frame starts without a history."""
        self.kernel.reset()

    def message(self, code: int, world: Sequence[float]) -> str:
        """Return what is wrong with a pose that the kernel refuses, in the world."""
        if code == TILTED:
            rows = [[round(world[4 * r + k], 3) for k in range(3)] for r in range(4)]
            return f"the Actor is not upright: {rows}"
        if code == FLAT:
            return "it is scaled or sheared too much to move its hips"
        return "its legs have no length"

    def use(self, settings: FootSettings) -> None:
        """Use settings from now on."""
        self.settings = settings
        for foot in self.feet:
            foot.set_settings(
                settings.step_height,
                settings.max_tilt,
                settings.lock,
                settings.lock_distance,
                settings.foot_seconds,
                settings.release_seconds,
                settings.look_ahead,
            )


def _above(parents: Sequence[int], joint: int, joints: Sequence[int]) -> int:
    """Return the index in ``joints`` of the nearest ancestor of a joint, or -1."""
    joint = parents[joint]
    while joint >= 0 and joint not in joints:
        joint = parents[joint]
    return joints.index(joint) if joint >= 0 else -1


_SIZE = Number("a number of at least 0", 0.0)
_FRACTION = Number("a number from 0 to 1", 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class FootSettings(CheckedRecord):
    """Settings of foot placement. Lengths are in leg lengths, to fit any figure.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    step_height: float = entry(0.5, _SIZE, "Maximum height of a step, in leg lengths.")
    """Ground higher or lower than the figure's own by more than this is ignored."""
    max_tilt: float = entry(
        0.7,
        Number("an angle from 0 to 1.4 rad (80°)", 0.0, 1.4),
        "Maximum tilt of a foot.",
        degrees=True,
    )
    """Maximum tilt of a foot on the ground [rad]."""
    lock: float = entry(
        1.0, _FRACTION, "Strength by which a standing foot is held in place."
    )
    """Strength by which a standing foot is held in place, 0 to 1."""
    lock_distance: float = entry(
        0.3, _SIZE, "Distance at which a held foot slips, in leg lengths."
    )
    """Maximum distance from its animated position before a foot slips."""
    foot_seconds: float = entry(
        0.15, _SIZE, "Time of a foot to adapt to the ground, in seconds."
    )
    """Time that a foot takes to adapt to a new height or tilt of the ground [s]."""
    hips_seconds: float = entry(
        0.4, _SIZE, "Time of the hips to adapt to the feet, in seconds."
    )
    """Time that the hips take to adapt to the height of the feet [s]."""
    release_seconds: float = entry(
        0.35, _SIZE, "Time of a foot back to its animated path, in seconds."
    )
    """Time that a foot takes back to its animated path after leaving the ground [s]."""
    look_ahead: float = entry(
        0.25, _SIZE, "Time by which a step is anticipated, in seconds."
    )
    """Time by which a foot in the air anticipates a step in its path [s]."""
