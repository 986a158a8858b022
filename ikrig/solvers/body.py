"""BodySolver: a whole body at its goals, in the pose nearest to the animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ..checks import array_of
from ..errors import BindError, SettingError, shown, suggest
from ..kernels import buffer, index_buffer, zeros
from ..kernels.body import SIZES, BodyKernel
from ..kernels.body_goals import BodyGoals
from ..math3d.quaternion import unit_rotations
from ..model.pose import Pose

__all__ = ["BodyJoint", "BodyModel", "BodySolver"]

SHAPE, STATE, NOW, TREE, GOAL, LAST, REACHING = SIZES
POLE, POLED = 10, 13
"""Where in a goal its pole's position and weight begin."""
ROUNDS = 12
"""Most iterations in a frame; the first takes twice as many."""


@dataclass(frozen=True)
class BodyJoint:
    """How a joint of a body turns.

    Args:
        name: The joint.
        ease: Standard deviations of its turns from the animation about three axes:
            hinge, bone, across, (3,) [rad].
        axes: The axes as a rotation in the joint's own space, w x y z.
        middle: Its rotation in its parent's space from which limits count, w x y z.
        limits: Lower and upper limit about each axis, (3, 2) [rad].
    """

    name: str
    ease: tuple[float, ...]
    axes: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    middle: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    limits: tuple[tuple[float, float], ...] = ((-inf, inf),) * 3


@dataclass(frozen=True)
class BodyModel:
    """What a body consists of.

    Args:
        joints: Its joints, those above first and each limb's together. The first one's
            name is "" where no joint carries all others.
        ends: The joint that reaches each goal, by the goal's name.
        limbs: First joint, knee and end of limbs that are set in closed form, by the
            name of their goal.
        size: Height of the figure.
        up: The vertical, a unit vector.
        spine: The joints of spine, neck and head.
        shoulders: The joints between trunk and arms.
    """

    joints: tuple[BodyJoint, ...]
    ends: Mapping[str, str]
    limbs: Mapping[str, tuple[str, str, str]]
    size: float
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    spine: tuple[str, ...] = ()
    shoulders: tuple[str, ...] = ()

    @property
    def crouching(self) -> tuple[str, ...]:
        """The goals of hands for which hips come down."""
        kinds = [name.rpartition("_")[2] for name in self.limbs]
        if "foot" not in kinds or "hips" not in self.ends:
            return ()
        return tuple(x for x, k in zip(self.limbs, kinds, strict=True) if k == "hand")


class BodySolver:
    """Brings a body's ends to goals, in the pose nearest to the animation.

    Nearest: with the smallest sum of squares of the joints' turns from the animated
    pose, each divided by its ``ease``. All goals count at once; none has to be given.

    Args:
        pose: The pose that it changes.
        model: The body.

    Raises:
        BindError: A joint is not in the pose.
    """

    def __init__(self, pose: Pose, model: BodyModel, matrix: object = None) -> None:
        self.model = model
        self.pose = pose
        names = [joint.name for joint in model.joints]
        for name in (*names, *model.ends.values()):
            if name and name not in pose.index:
                raise BindError(f"no joint {shown(name)}: {suggest(name, pose.names)}")
        self.places = {name: k for k, name in enumerate(names)}
        self.goals = {name: g for g, name in enumerate(model.ends)}
        above = [-1]
        for name in names[1:]:
            p = pose.parents[pose.index[name]]
            above.append(self.places[pose.names[p]] if p >= 0 else 0)
        ends = [self.places[joint] for joint in model.ends.values()]
        limbs: list[int] = []
        for goal, line in model.limbs.items():
            first, knee, end = (self.places[j] for j in line)
            after = first + 1
            while after < len(names) and above[after] >= first:
                after += 1
            limbs += [first, knee, end, after, self.goals[goal]]
        m = len(names)
        self._shape = buffer(x for joint in model.joints for x in _numbers(joint))
        self.numbers = zeros(GOAL * len(ends))
        """GOAL numbers a goal, see the kernel."""
        for g in range(len(ends)):
            # rotations, also those of the frame before the first
            self.numbers[GOAL * g + 3] = self.numbers[GOAL * g + LAST + 3] = 1.0
        self.carriers = index_buffer([-1] * len(ends))
        """The joint that carries each goal, by its place in the model; -1: none."""
        goals = BodyGoals(
            index_buffer(ends), index_buffer(limbs), buffer([model.size, *model.up]),
            zeros(NOW * m), self.numbers, self.carriers, matrix,
        )  # fmt: skip
        self.kernel = BodyKernel(
            pose,
            index_buffer([pose.index[name] if name else -1 for name in names]),
            index_buffer(above),
            self._shape,
            goals,
            zeros(STATE * m + 16),
            zeros(TREE * m),
        )
        self.kernel.head = self.goals.get("head", -1)

    def set_goal(
        self,
        name: str,
        position: Sequence[float],
        rotation: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        weight: float = 1.0,
        orientation_weight: float = 0.0,
    ) -> None:
        """Set a goal, in the skeleton's space.

        Args:
            name: The goal: a limb, "hips" or "chest".
            position: Where its joint is to be, (3,).
            rotation: The joint's rotation there, w x y z.
            weight: Weight of the position, 0 to 1; 0: it is free.
            orientation_weight: Weight of the rotation, 0 to 1.
        """
        if name not in self.goals:
            raise BindError(f"no goal {shown(name)}: {suggest(name, self.goals)}")
        place = array_of(position, (3,), "position", SettingError)
        turn = unit_rotations(array_of(rotation, (4,), "rotation", SettingError), (4,))
        weights = array_of((weight, orientation_weight), (2,), "weights", SettingError)
        if not ((weights >= 0.0) & (weights <= 1.0)).all():
            raise SettingError(f"weights must be from 0 to 1, not {weights.tolist()}")
        k = GOAL * self.goals[name]
        self.numbers[k : k + 10] = buffer((*place, *turn, *weights, 1.0))

    def ease(self, factors: Mapping[str, float]) -> None:
        """Multiply how easily joints turn; those not named turn as in the model."""
        for joint, k in self.places.items():
            factor = factors.get(joint, 1.0)
            for c, ease in enumerate(self.model.joints[k].ease):
                stiffness = 1.0 / min(max(ease * factor, 1e-3), 1e15) ** 2
                self._shape[SHAPE * k + 4 + c] = stiffness

    def apply(self, pose: Pose, dt: float = 0.0) -> None:
        """Move the pose, which is as animated, to the goals. Never raises.

        With a ``dt`` above 0, joints turn at most as far as suits that time and how far
        goals and animation moved.
        """
        self.solve(1.0, dt if dt > 0.0 else -1.0)

    def solve(self, part: float = 1.0, dt: float = -1.0) -> None:
        if self.kernel.read():
            self.solve_read(part, dt)

    def solve_read(self, part: float, dt: float) -> None:
        kernel = self.kernel
        kernel.solve(ROUNDS if kernel.is_warm else 3 * ROUNDS, dt)
        kernel.write(part)


def _numbers(joint: BodyJoint) -> list[float]:
    stiffness = [1.0 / max(ease, 1e-4) ** 2 for ease in joint.ease]
    limits = [max(min(x, 1e9), -1e9) for pair in joint.limits for x in pair]
    return [*joint.axes, *stiffness, *joint.middle, *limits]
