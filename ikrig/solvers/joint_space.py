"""JointSpace: joints as coordinates inside their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot, inf
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..copies import Uncopied
from ..errors import SettingError, shown
from ..kernels import COMPILED, buffer, index_buffer
from ..kernels.limited_sweeps import LimitedSweepKernel
from ..math3d.quaternion import Floats
from ..model.limits import (
    FARTHEST,
    AxesLimit,
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    Limit,
    SlideLimit,
)
from ..model.skeleton import SkeletonModel
from .bone_frames import bone_directions, cone_frame
from .joint_limits import follows
from .settings import Blocked, SolveSettings, SolveStatus
from .slides import FREE, find_slides, whole_size

__all__ = ["JointSpace", "Linearization"]

BALL, AXES, CONE, FIXED, SLIDE, RANGED = range(6)
MOST_TURN = 2.0 * FARTHEST
"""No joint turns farther [rad]: beyond, an angle is not exact enough for a pose."""
AT_LIMIT = 1e-6
"""How near a coordinate counts as at its bound [rad, or share of the size]."""
RESTARTS = 100
CREEP = 0.05
"""Share of the size that goals move between frames without a jump, on the mean; and
what the numbers of their turns change by, where these count."""
FINISH = 30
"""Steps that the finish after a method may take in any case."""
FINE = 1e-4
"""Share of the tolerance to go on to while iterations are left: so the pose depends on
the goal, not on where within the tolerance a solve happened to end."""


class Linearization(NamedTuple):
    """How a pose's errors change with its m degrees of freedom."""

    jacobian: Floats
    """Change of each of R error terms per step, (R, m)."""
    residual: Floats
    """What is left to the goals, (R): places as shares of the size, turns in rad."""
    gradient: Floats
    """Change of half the squared error per step, (m)."""
    low: Floats
    """Least step inside the limits, (m)."""
    high: Floats
    """Largest step inside the limits, (m)."""

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which degrees of freedom downhill does not push through a limit, (m)."""
        pushed = np.where(self.gradient > 0.0, -self.low, self.high) < AT_LIMIT
        free: NDArray[np.bool_] = ~pushed
        return free

    def best_fraction(self, step: Floats) -> float:
        """Return how much of a step brings the errors down most, to first order."""
        effect = self.jacobian @ step
        size = float(effect @ effect)
        return abs(float(self.gradient @ step)) / size if size > 0.0 else 0.0


class JointSpace(Uncopied):
    """A tree of joints in coordinates, with effectors; the kernel and its buffers.

    A method moves the pose by ``slope`` and ``move`` (see ``descent``), or by one of
    the kernel's own ways. No way leads out of the limits.

    Args:
        model: The tree.
        limits: By joint index.
        effectors: Joints that have goals.
        shared: Buffers that something else owns too, by name.
    """

    kernel_type: ClassVar[Any] = LimitedSweepKernel

    def __init__(
        self,
        model: SkeletonModel,
        limits: Mapping[int, Limit],
        effectors: Sequence[int],
        shared: Mapping[str, Any] | None = None,
    ) -> None:
        self.limits = dict(limits)
        self.limited = bool(self.limits)
        n, e = len(model.parents), len(effectors)
        kinds = [_kind(self.limits.get(j)) for j in range(n)]
        first = [0]
        for j in range(n):
            first.append(first[-1] + _freedom(self.limits.get(j)))
        m = max(first[-1], 1)
        rows = 6 * e
        zeros = {
            **dict.fromkeys(("offset", "bone", "across", "up", "joint_pos"), 3 * n),
            "points": 3 * n,
            **dict.fromkeys(("half", "q", "shown_q", "kept_q", "first_q"), 4 * n),
            **dict.fromkeys(("rotations", "mean", "start_q", "rest_to_anim"), 4 * n),
            **dict.fromkeys(("lower", "upper", "value", "shown_value"), m),
            **dict.fromkeys(("kept_value", "first_value", "gradient", "step"), m),
            **dict.fromkeys(("low", "high", "start_value"), m),
            **dict.fromkeys(("axis", "columns"), 3 * m),
            **dict.fromkeys(("tool", "goal", "last_goal", "tips"), 3 * e),
            **dict.fromkeys(("residual", "solved"), rows),
            **dict.fromkeys(("goal_rot", "last_rotation"), 4 * e),
            "weights": 2 * e,
            "work": 16,
            "jacobian": rows * m,
            "normal": rows * rows,
            "goals": 3 * n,
            "pull": n,
        }
        self.buffers: dict[str, Any] = {
            name: buffer([0.0] * size) for name, size in zeros.items()
        }
        self.buffers.update(shared or {})
        first_child, next_child = _children(model.parents)
        found = {j: follows(limit) for j, limit in self.limits.items()}
        couplings = {j: coupling for j, coupling in found.items() if coupling}
        followers = list(couplings)
        leading = [first[lead] for lead, _, _ in couplings.values()]
        terms = [x for _, *pair in couplings.values() for x in pair]
        self.buffers["coupling"] = buffer(terms or [0.0])
        for name, values in (
            ("parent", model.parents),
            ("kind", kinds),
            ("first", first),
            ("effector", effectors),
            ("held", [0] * m),
            ("first_child", first_child),
            ("next_child", next_child),
            ("follower", followers or [0]),
            ("leading", leading or [0]),
        ):
            self.buffers[name] = index_buffer(values)
        self.first = first
        # the kernels are untyped Python: Cython declares their types beside them
        self.kernel: Any = self.kernel_type(n, first[-1], e, self.buffers)
        self.kernel.coupled = len(followers)
        self.goal_continuous = False
        """Whether the goals are near the last frame's, whose pose is the start."""
        self.tracking = False
        """Whether they have been so ever since a pose reached them."""
        self.verdict: SolveStatus | None = None
        """The status of this frame's goals where the method knows that no pose reaches
        them; None: it does not."""
        self._begun = self._arrived = False
        self.set_rest_pose(model)
        self.forget()

    def set_rest_pose(self, model: SkeletonModel) -> None:
        """Take the start pose; the coordinates stay as they are."""
        self.model = model
        """The start pose."""
        self.prepared: Any = None
        """What the method has worked out for this start pose; None: not yet."""
        buffers = self.buffers
        buffers["offset"][:] = buffer(model.offsets.ravel().tolist())
        buffers["start_q"][:] = buffer([1.0, 0.0, 0.0, 0.0] * len(model.parents))
        buffers["start_value"][:] = buffer([0.0] * len(buffers["start_value"]))
        bones = bone_directions(model)
        self.kernel.size = whole_size(model, self.limits)
        for j, limit in self.limits.items():
            a = self.first[j]
            if isinstance(limit, ConeLimit):
                right, up = cone_frame(bones[j], np.array(limit.up))
                _put(buffers["bone"], 3 * j, bones[j])
                _put(buffers["across"], 3 * j, -right)
                _put(buffers["up"], 3 * j, up)
                r, u, le, d = limit.half_angles  # type: ignore[misc]
                _put(buffers["half"], 4 * j, (le, u, r, d))
                lower, upper = limit.twist or (-inf, inf)
                _put_bounds(buffers, a, [-inf, -inf, lower], [inf, inf, upper])
            elif isinstance(limit, BallLimit):
                buffers["half"][4 * j] = limit.most
                _put_bounds(buffers, a, [-limit.most] * 3, [limit.most] * 3)
            elif isinstance(limit, (HingeLimit, AxesLimit, SlideLimit)):
                axes, lows, highs = _axes(limit)
                _put(buffers["axis"], 3 * a, np.ravel(axes))
                if follows(limit):
                    # its range is that of the joint that leads it
                    lows, highs = [-inf], [inf]
                slides = isinstance(limit, SlideLimit)
                _put_bounds(buffers, a, lows, highs, FREE if slides else MOST_TURN)

    def note_goals(self, snap_back: float) -> None:
        """Set ``goal_continuous`` and ``tracking``, once the frame's goals are set.

        A pose that has arrived follows goals that creep. A search then does not start
        again elsewhere: what can't follow is blocked, and says so, which looks better
        than to snap to another pose. Before it has arrived, restarts go on from frame
        to frame until they are used up.
        """
        kernel = self.kernel
        self.verdict = None
        # one that hops among many does not unsettle the others
        change: float = kernel.goal_change()
        self.goal_continuous = change < CREEP and self._begun and snap_back < 1.0
        self.tracking = self.goal_continuous and (self.tracking or self._arrived)
        if not self.goal_continuous:
            kernel.seed, kernel.tried = 1.0, 0
        self._begun = True

    def note_arrival(self, settings: SolveSettings, tolerance: float) -> None:
        """Take notice of how the frame ended."""
        self._arrived = self.reached(settings, tolerance)

    def shift(self, lengths: Mapping[int, float]) -> None:
        """Shift the joints that slide to these lengths, by index, the others to 0."""
        for j in find_slides(self.limits):
            self.buffers["value"][self.first[j]] = lengths.get(j, 0.0)

    def unsettle(self) -> None:
        """Take the next goals for new ones: the pose has not come from the last."""
        self._begun = self._arrived = False

    def forget(self) -> None:
        """Put the pose back to the start pose, or the nearest inside the limits."""
        self.unsettle()
        self.kernel.rest()
        self.kernel.show(1.0, -1.0)

    def reached(self, settings: SolveSettings, tolerance: float) -> bool:
        """Whether every effector is within the tolerances of its goal."""
        turn_tolerance = settings.orientation_tolerance
        return bool(self.kernel.reached(tolerance, turn_tolerance))

    def slope(self) -> Linearization:
        """Return how the errors change as the pose moves; ``kernel.measure()`` first.

        A step has one number per degree of freedom: an angle [rad] about a hinge's axis
        or one of the axes of root space, or a shift in sizes of the whole.
        """
        kernel = self.kernel
        kernel.linearise()
        m, rows = kernel.m, kernel.rows
        jacobian = self._numbers("jacobian", rows * m).reshape(rows, m)
        return Linearization(
            jacobian,
            self._numbers("residual", rows),
            *(self._numbers(name, m) for name in ("gradient", "low", "high")),
        )

    def _numbers(self, name: str, count: int) -> Floats:
        """Return a copy of a buffer's first numbers."""
        if COMPILED:
            numbers: Floats = np.frombuffer(self.buffers[name], count=count).copy()
            return numbers
        return np.array(self.buffers[name][:count])

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
        """Return the largest turn of a joint in a step [rad]."""
        self._take_step(step)
        longest: float = self.kernel.longest_rotation()
        return longest

    def move(self, step: Floats, fraction: float = 1.0) -> float:
        """Move the pose by a share of a step; return half the squared error there."""
        self._take_step(step)
        self.kernel.advance(fraction)
        cost: float = self.kernel.measure()
        return cost

    def search(self, settings: SolveSettings, tolerance: float) -> int:
        """Damped least squares with restarts; return the iterations used."""
        used: int = self.kernel.search(
            settings.iterations,
            tolerance,
            settings.orientation_tolerance,
            FINE,
            0 if self.tracking else RESTARTS,
        )
        return used

    def finish(self, settings: SolveSettings, tolerance: float, used: int) -> None:
        """Close the gap that a method left, with the iterations it left or FINISH.

        What that takes counts in ``kernel.uncounted``.
        """
        self.kernel.uncounted += self.kernel.search(
            max(settings.iterations - used, FINISH),
            tolerance,
            settings.orientation_tolerance,
            FINE,
            0 if self.tracking else RESTARTS,
        )

    def angles(self) -> dict[int, tuple[float, ...]]:
        """Return angles and lengths of joints that have limits, as they are shown."""
        value, first = self.buffers["shown_value"], self.first
        return {j: tuple(value[first[j] : first[j + 1]]) for j in sorted(self.limits)}

    def blocked(self, names: tuple[str, ...]) -> tuple[Blocked, ...]:
        """Return the joints that sit at a limit in the pose that is shown."""
        value = self.buffers["shown_value"]
        lower, upper = self.buffers["lower"], self.buffers["upper"]
        found = []
        for j, limit in sorted(self.limits.items()):
            if isinstance(limit, BallLimit):
                rotation = value[self.first[j] : self.first[j + 1]]
                if hypot(*rotation) >= limit.most - AT_LIMIT:
                    found.append(Blocked(j, names[j], "upper"))
                continue
            near = AT_LIMIT
            if isinstance(limit, SlideLimit):
                near *= self.kernel.size
            start, prefix = self.first[j], ""
            if isinstance(limit, ConeLimit):
                if self._at_edge(j):
                    found.append(Blocked(j, names[j], "cone"))
                start, prefix = start + 2, "twist "
            for k in range(start, self.first[j + 1]):
                if isinstance(limit, AxesLimit):
                    prefix = f"axis {k - start} "
                if value[k] - lower[k] <= near:
                    found.append(Blocked(j, names[j], prefix + "lower"))
                if upper[k] - value[k] <= near:
                    found.append(Blocked(j, names[j], prefix + "upper"))
        return tuple(found)

    def _at_edge(self, j: int) -> bool:
        half, k = self.buffers["half"], self.first[j]
        x, y = self.buffers["shown_value"][k], self.buffers["shown_value"][k + 1]
        a = half[4 * j] if x >= 0.0 else half[4 * j + 2]
        b = half[4 * j + 1] if y >= 0.0 else half[4 * j + 3]
        return bool((x / a) ** 2 + (y / b) ** 2 >= (1.0 - AT_LIMIT) ** 2)


def _children(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return each joint's first child and next sibling, -1 for none."""
    first, following = [-1] * len(parents), [-1] * len(parents)
    for j in range(len(parents) - 1, 0, -1):
        following[j] = first[parents[j]]
        first[parents[j]] = j
    return first, following


def _kind(limit: Limit | None) -> int:
    if limit is None:
        return BALL
    kinds = {
        BallLimit: RANGED,
        ConeLimit: CONE,
        FixedLimit: FIXED,
        SlideLimit: SLIDE,
    }
    return kinds.get(type(limit), AXES)


def _freedom(limit: Limit | None) -> int:
    if isinstance(limit, AxesLimit):
        return len(limit.axes)
    return {FIXED: 0, AXES: 1, SLIDE: 1}.get(_kind(limit), 3)


def _axes(limit: HingeLimit | AxesLimit | SlideLimit) -> tuple[Any, Any, Any]:
    if isinstance(limit, AxesLimit):
        return limit.axes, limit.lower, limit.upper
    return [limit.axis], [limit.lower], [limit.upper]


def _put_bounds(
    buffers: Any, start: int, lower: Any, upper: Any, most: float = MOST_TURN
) -> None:
    """Write a joint's bounds; to kernels one that is none is ``most`` away."""
    _put(buffers["lower"], start, np.maximum(lower, -most))
    _put(buffers["upper"], start, np.minimum(upper, most))


def _put(into: Any, start: int, values: Any) -> None:
    for i, value in enumerate(values):
        into[start + i] = float(value)
