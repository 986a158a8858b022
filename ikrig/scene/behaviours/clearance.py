"""Clearance: keeps the arm of a reach out of the Actor's trunk and head."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d

from ...character.body_shape import BodyPart, body_parts, thickness
from ...character.hands import FoundHand
from ...kernels import buffer, zeros
from ...kernels.arm_clearance import ArmClearance
from ...math3d.timestep import sound_dt
from ...model.pose import Pose
from ..actor.actor_figure import anatomy_of, figure_of, hand_named, limbs_of, to_joint
from ..ik.phase import Phase

if TYPE_CHECKING:
    from ..actor.actor_skeleton import ActorSkeleton
    from .reach import Reach

HAND = 0.3
"""Radius of a hand, of which skin may touch / length of the palm."""


class Clearance:
    """The layer after the arm of a reach, while that has an effect."""

    _on_pose = True
    phase = Phase.LIMBS

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self.order = reach.order
        skeleton = reach._skeleton
        arm = reach.chain._binding.nodes
        names = [node.get_name() for node in arm]
        parts = _parts_of(skeleton)
        self._kernel: ArmClearance | None = None
        # an arm may end in the end of a bone, where no joint is: it has no hand
        if len(names) < 3 or not parts or names[-1] not in skeleton.parents:
            return
        figure = figure_of(skeleton)
        elbow = _elbow(np.array([figure.positions[x] for x in names]))
        first, last = names[0], names[-1]
        length = figure.distance(first, names[elbow]) + figure.distance(
            names[elbow], last
        )
        thick = (
            thickness(figure, first, names[elbow]) / length,
            thickness(figure, names[elbow], last) / length,
        )
        index = skeleton.pose.index
        numbers = [
            x
            for part in parts
            for x in (
                index[part.joint],
                *to_joint(skeleton, part.joint, tuple(part.start)),
                *to_joint(skeleton, part.joint, tuple(part.end)),
                part.radius / _unit_of(skeleton, part.joint),
            )
        ]
        points = _hand_points(skeleton, hand_named(skeleton, reach._hand))
        trunk = skeleton.parents[first] or first
        self._kernel = ArmClearance(
            skeleton.pose,
            (index[first], index[names[elbow]], index[last]),
            buffer(numbers),
            buffer(points),
            thick,
            (index[trunk], *_way_in(skeleton, trunk, limbs_of(skeleton).forward)),
            zeros(7 * len(parts) + 2 * len(points) + 40),
        )
        # declared as moving the hand only, so that it can read what the chain moves
        reach.rig.add(self, [last])

    def remove(self) -> None:
        if self._kernel is not None:
            self._reach.rig.remove(self)

    @property
    def started(self) -> bool:
        """Whether the arm is somewhere that it was not animated to."""
        reach = self._reach
        return reach._started and reach.clearance and reach.chain.started

    def reads(self) -> list[p3d.NodePath]:
        """Return a joint of the arm, which the chain moves: it runs after that."""
        return [self._reach.chain._binding.nodes[-2]]

    def apply(self, _pose: Pose, dt: float) -> None:
        """Move the arm out of the body for a frame of dt seconds."""
        kernel, reach = self._kernel, self._reach
        weight = reach.chain.weight
        if kernel is None or weight == 0.0:
            return
        x, y, z = reach._pose[7:10]
        keeps = reach.chain.orientation_mode == "target"
        kernel.step(x, y, z, weight, keeps, sound_dt(dt))

    def lead(self, begins: bool) -> None:
        if self._kernel is not None and self._reach.clearance:
            self._kernel.lead(self._reach._pose, begins)

    def reset(self) -> None:
        """Forget the last frame."""
        if self._kernel is not None:
            self._kernel.reset()


def _parts_of(skeleton: ActorSkeleton) -> list[BodyPart]:
    anatomy = anatomy_of(skeleton)
    if anatomy.body is None:
        anatomy.body = body_parts(anatomy.figure, anatomy.limbs)
    return anatomy.body


def _elbow(places: np.ndarray) -> int:
    along = np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))
    return 1 + int(np.argmin(np.abs(along[:-1] - 0.5 * along[-1])))


def _hand_points(skeleton: ActorSkeleton, hand: FoundHand) -> list[float]:
    """Return places of a hand in its joint's space, each with a radius."""
    wrist = figure_of(skeleton).positions[hand.joint]
    centre = np.array(hand.centre)
    size = HAND * hand.length
    # the skin of the palm is not its middle
    middle = centre - size * np.array(hand.normal)
    places = [(wrist, size), (middle, size)]
    for finger in hand.fingers:
        # its tip, and halfway from the knuckle
        radius = finger.spheres[-1][2]
        ends = np.array((finger.points[0], finger.tip))
        places += [(ends.mean(axis=0), radius), (ends[1], radius)]
    if not hand.fingers:
        places.append((wrist + hand.length * np.array(hand.forward), size))
    unit = _unit_of(skeleton, hand.joint)
    found = []
    for place, radius in places:
        found += [*to_joint(skeleton, hand.joint, tuple(place)), radius / unit]
    return found


def _unit_of(skeleton: ActorSkeleton, joint: str) -> float:
    """Return the length of a joint's axis in the figure's unit."""
    return float(anatomy_of(skeleton).rest[joint].get_row3(0).length()) or 1.0


def _way_in(
    skeleton: ActorSkeleton, joint: str, way: Iterable[float]
) -> tuple[float, ...]:
    mat = p3d.LMatrix4f(anatomy_of(skeleton).rest[joint])
    mat.invert_in_place()
    return tuple(mat.xform_vec(p3d.LVector3f(*way)))
