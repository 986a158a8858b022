"""JointSpace: joints as coordinates inside their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..copies import Uncopied
from ..errors import SettingError, shown
from ..kernels import KERNELS, buffer, zeros
from ..kernels.rest_pose import find_bend
from ..math3d.quaternion import Floats
from ..model.limits import Limit
from ..model.skeleton import STRAIGHT, SkeletonModel
from .buffers import NONE, Block
from .joint_limits import (
    AT_LIMIT,
    find_blocked,
    follows,
    freedom,
    kind_number,
    write_limits,
)
from .settings import (
    BAD_NUMBERS,
    STATUSES,
    Blocked,
    SolveResult,
    SolveSettings,
    SolveStatus,
)
from .slides import find_slides, longest_bones, whole_size
from .tree_segments import (
    count_effectors,
    find_children,
    find_mobility,
    find_segments,
)

EXACT = 1e-6
"""Maximum bend of straight bones, as a fraction of their length, to rounding."""

BY_JOINT = {
    1: "speed pull",
    3: "offset bone across up joint_pos points local_pos goals",
    4: "half q shown_q kept_q start_q first_q last_q other_q best_q carried_q begin_q "
    "target_q settled_q rotations mean rest_to_anim limit_rot rest_rot mirror frames "
    "rot local",
    5: "child_frame",
    10: "local_trs",
}
"""Buffers with so many numbers for each joint."""
BY_FREEDOM = {
    1: "lower upper value shown_value kept_value start_value first_value last_value "
    "other_value best_value carried_value begin_value target_value settled_value "
    "gradient step wish low high mobility posture posture_weight to_posture ease",
    3: "axis columns",
}
"""Those with so many for each degree of freedom."""
BY_EFFECTOR = {
    1: "far gap",
    2: "weights",
    3: "tool goal last_goal tips point tip_arm pole aimed held last_held",
    4: "goal_rot last_rotation side",
    6: "residual solved kept_residual wanted",
}
"""And for each effector."""


class Linearization(NamedTuple):
    """The errors of a pose, and their derivatives by m degrees of freedom."""

    jacobian: Floats
    """Change of each of R error terms per step, (R, m)."""
    residual: Floats
    """Remaining errors, (R): positions as fractions of the size, rotations in rad."""
    gradient: Floats
    """Change of half the squared error per step, (m)."""
    low: Floats
    """Least step inside the limits, (m)."""
    high: Floats
    """Largest step inside the limits, (m)."""

    @property
    def free(self) -> NDArray[np.bool_]:
        """Degrees of freedom that a descent does not push through a limit, (m)."""
        pushed = np.where(self.gradient > 0.0, -self.low, self.high) < AT_LIMIT
        free: NDArray[np.bool_] = ~pushed
        return free

    def best_fraction(self, step: Floats) -> float:
        effect = self.jacobian @ step
        size = float(effect @ effect)
        return abs(float(self.gradient @ step)) / size if size > 0.0 else 0.0


class JointSpace(Uncopied):
    """A tree of joints in coordinates, with effectors; its kernels and their buffers.

    A method moves the pose by ``slope`` and ``move`` (see ``descent``), or by
    ``search`` and the sweeps. None of them leaves the limits.

    Args:
        model: The tree.
        limits: Limits by joint index.
        effectors: Joints that have goals.
        more: Sizes of further buffers, for other kernels.
        aliases: Further names of buffers.
    """

    modules: ClassVar[Mapping[str, ModuleType]] = KERNELS

    def __init__(
        self,
        model: SkeletonModel,
        limits: Mapping[int, Limit],
        effectors: Sequence[int],
        more: Mapping[str, int] = NONE,
        aliases: Mapping[str, str] = NONE,
    ) -> None:
        self.limits = dict(limits)
        self.limited = bool(self.limits)
        n, e = len(model.parents), len(effectors)
        first = [0]
        for j in range(n):
            first.append(first[-1] + freedom(self.limits.get(j)))
        m, rows = max(first[-1], 1), 6 * e
        found = {j: follows(limit) for j, limit in self.limits.items()}
        couplings = {j: coupling for j, coupling in found.items() if coupling}
        # a joint that follows one in a different segment couples the two
        segments = find_segments(model.parents, effectors, bool(couplings))
        count = len(segments["segment_parent"])
        width = rows if couplings else 6
        tables = ((n, BY_JOINT), (m, BY_FREEDOM), (e, BY_EFFECTOR))
        sizes = {
            name: width * count
            for count, table in tables
            for width, names in table.items()
            for name in names.split()
        }
        sizes.update(
            coupling=2 * max(len(couplings), 1),
            joint_row=width * m,
            segment=count * (width * (3 * width + 2) + 9),
            work=16,
            **more,
        )
        first_child, next_child = find_children(model.parents)
        at = {joint: i for i, joint in enumerate(effectors)}
        whole: dict[str, Sequence[int]] = {
            "parent": model.parents,
            "kind": [kind_number(self.limits.get(j)) for j in range(n)],
            "first": first,
            "effector": effectors,
            "effector_at": [at.get(j, -1) for j in range(n)],
            "effector_row": [0] * e,
            **{name: [0] * e for name in ("turned", "rigid", "held_off", "loose")},
            "leaf": [int(first_child[joint] < 0) for joint in effectors],
            "folds_at": [-1] * e,
            "swings_at": [-1] * e,
            "at_bound": [0] * m,
            "marked": [0] * n,
            "effectors_below": count_effectors(model.parents, effectors),
            "first_child": first_child,
            "next_child": next_child,
            "follower": list(couplings) or [0],
            "leading": [first[lead] for lead, _, _ in couplings.values()] or [0],
            **segments,
        }
        self.buffers = Block(sizes, whole, aliases)
        terms = [x for _, *pair in couplings.values() for x in pair]
        self.buffers["coupling"][:] = buffer(terms or [0.0, 0.0])
        loose = find_mobility(model.parents, effectors)
        mobility = [loose[j] for j in range(n) for _ in range(first[j], first[j + 1])]
        self.buffers["mobility"][:] = buffer(mobility or [0.0])
        self.first = first
        self._jacobian: object = None
        # the kernels are untyped Python: Cython declares their types beside them
        self.kernels = made = self.modules
        self.kernel = made["joints"].JointKernel(n, first[-1], e, self.buffers)
        """The joints: coordinates, pose and goals."""
        self.kernel.coupled = len(couplings)
        self.descent = made["joint_search"].JointSearch(self.kernel, self.buffers)
        """The search for their goals, and what leads them from frame to frame."""
        self.posture = made["posture"].Posture(self.kernel, self.buffers)
        self.sweeps = made["limited_sweeps"].LimitedSweeps(self.kernel, self.buffers)
        self.frame = made["tree_frame"].TreeFrame(
            self.kernel, self.descent, self.posture, self.buffers, SolveResult,
            STATUSES, BAD_NUMBERS,
        )  # fmt: skip
        """A frame of the joints, and what leads from one to the next."""
        self.set_rest_pose(model)
        self.reset()

    def set_rest_pose(self, model: SkeletonModel) -> None:
        """Set the start pose; the coordinates stay as they are."""
        self.model = model
        """The start pose."""
        self.prepared: Any = None
        """Data that the method has prepared for this start pose; None: not yet."""
        buffers = self.buffers
        buffers["offset"][:] = buffer(model.offsets.ravel().tolist())
        buffers["start_q"][:] = buffer([1.0, 0.0, 0.0, 0.0] * len(model.parents))
        buffers["start_value"][:] = zeros(len(buffers["start_value"]))
        self.longest_bones = longest_bones(model, self.limits)
        """Greatest distance of each joint from its parent, (n) [scene unit]."""
        self.kernel.size = whole_size(model, self.longest_bones)
        write_limits(buffers, self.first, model, self.limits)

    @property
    def goal_continuous(self) -> bool:
        """Whether the goals are near the last frame's, whose pose is the start."""
        return bool(self.frame.continuous)

    @property
    def tracking(self) -> bool:
        return bool(self.frame.tracking)

    @property
    def verdict(self) -> SolveStatus | None:
        """The status of the frame when the method has found that no pose reaches the
        goals, else None."""
        found: SolveStatus | None = self.frame.verdict
        return found

    @verdict.setter
    def verdict(self, status: SolveStatus | None) -> None:
        self.frame.verdict = status

    @property
    def crossing(self) -> bool:
        return bool(self.descent.crossing >= 0.0)

    def shift(self, lengths: Mapping[int, float]) -> None:
        """Set the shifts of sliding joints, by index; the others to 0."""
        for j in find_slides(self.limits):
            self.buffers["value"][self.first[j]] = lengths.get(j, 0.0)

    def reset(self) -> None:
        self.frame.forget_motion()
        self.kernel.rest()
        self.kernel.show(1.0, -1.0, -1.0)

    def reached(self, settings: SolveSettings, tolerance: float) -> bool:
        turn_tolerance = settings.orientation_tolerance
        return bool(self.kernel.reached(tolerance, turn_tolerance))

    def slope(self) -> Linearization:
        """Return errors and derivatives at the pose; call ``kernel.measure()`` first.

        A step has one number per degree of freedom: an angle [rad] about a hinge's axis
        or one of the axes of root space, or a shift as a fraction of the size.
        """
        kernel = self.kernel
        m, rows = kernel.m, kernel.rows
        if self._jacobian is None:
            # most methods do not need it
            self._jacobian = zeros(max(6 * kernel.e * m, 1))
        self.kernels["jacobian"].linearise(kernel, self._jacobian)
        return Linearization(
            _copied(self._jacobian, rows * m).reshape(m, rows).T,
            _copied(self.buffers["residual"], rows),
            *(_copied(self.buffers[name], m) for name in ("gradient", "low", "high")),
        )

    def _take_step(self, step: Floats) -> None:
        count = self.kernel.m
        if np.shape(step) != (count,):
            raise SettingError(
                f"a step must have {count} numbers, one for each degree of "
                f"freedom, not {shown(step)}"
            )
        if count:
            self.buffers["step"][:count] = buffer(step.tolist())

    def longest_rotation(self, step: Floats) -> float:
        """Return the largest rotation of a joint in a step [rad]."""
        self._take_step(step)
        longest: float = self.kernels["jacobian"].longest_rotation(self.kernel)
        return longest

    def move(self, step: Floats, fraction: float = 1.0) -> float:
        """Move the pose by a fraction of a step; return half the squared error."""
        self._take_step(step)
        self.kernels["jacobian"].advance(self.kernel, fraction)
        cost: float = self.kernel.measure()
        return cost

    def search(self, settings: SolveSettings, tolerance: float) -> int:
        """Descend by damped least squares with restarts; return the iterations."""
        used: int = self.frame.descend(
            settings.iterations, tolerance, settings.orientation_tolerance
        )
        return used

    def sweep(
        self, settings: SolveSettings, tolerance: float, *, by_joint: bool
    ) -> int:
        """Sweep by FABRIK, or joint by joint; follow slow goals by ``search``."""
        if self.goal_continuous:
            return self.search(settings, tolerance)
        used: int = self.sweeps.sweep(
            by_joint, settings.iterations, tolerance, settings.orientation_tolerance
        )
        return used

    def angles(self) -> dict[int, tuple[float, ...]]:
        value, first = self.buffers["shown_value"], self.first
        return {j: tuple(value[first[j] : first[j + 1]]) for j in sorted(self.limits)}

    def blocked(self, names: tuple[str, ...]) -> tuple[Blocked, ...]:
        return find_blocked(
            self.buffers, self.first, self.limits, names, self.kernel.size
        )


def straight_side(
    positions: Floats, bend: Floats | None
) -> tuple[float, float, float, float]:
    """Return the last four arguments of the kernel's ``fold`` for a row of joints.

    Args:
        positions: The joints in the start pose, (n, 3).
        bend: The side that they bend to where the start pose is straight, (3,).
    """
    side = zeros(3)
    if find_bend(buffer(positions.ravel().tolist()), STRAIGHT, side):
        x, y, z = side
    elif bend is not None:
        x, y, z = bend.tolist()
    else:
        return EXACT, 0.0, 1.0, 0.0
    return STRAIGHT, x, y, z


def _copied(numbers: Any, count: int) -> Floats:
    return np.array(numbers[:count])
