"""IKComponent: what every chain and tree in a scene has in common, whatever it solves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from math import dist, inf, isfinite
from types import MappingProxyType
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    TypedDict,
    TypeVar,
    overload,
)

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.showbase.MessengerGlobal import messenger

from ...errors import BindError, ModelError, SettingError, shown
from ...math3d.quaternion import Floats
from ...math3d.timestep import LONGEST, SHORTEST, sound_dt
from ...model.limits import Limit, LimitsByJoint, copy_limits
from ...solvers import SolveResult, SolveSettings, SolveStatus
from ...solvers.settings import DEFAULT
from ..checked_setting import flag, number
from .effector import Effector, tip_position
from .node_binding import NodeBinding, OrientationMode, PoseChange
from .system import IKSystem, Startable

__all__ = ["IKComponent", "RigState", "SettingValues"]

T = TypeVar("T")

_frame_time = p3d.ClockObject.get_global_clock().get_dt


class SettingValues(TypedDict, total=False):
    """The settings of a solve that a rig takes by keyword; see ``SolveSettings``."""

    iterations: int
    tolerance: float | None
    weight: float
    soften: float
    snap_back_strength: float | None
    stretch: float
    max_step: float | None
    twist_spread: float
    roll_from: Literal["start", "parent"]
    orientation_weight: float
    orientation_tolerance: float
    step_size: float


class Setting(Generic[T]):
    """A field of ``settings`` that reads and writes like a plain attribute."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, rig: None, owner: type) -> Setting[T]: ...

    @overload
    def __get__(self, rig: Any, owner: type) -> T: ...

    def __get__(self, rig: Any, owner: type) -> Any:
        return self if rig is None else getattr(rig.settings, self.name)

    def __set__(self, rig: Any, value: T) -> None:
        change: dict[str, Any] = {self.name: value}
        rig.settings = replace(rig.settings, **change)


def mode_of(match_rotation: Any) -> OrientationMode:
    """Return how effectors on ordinary nodes turn.

    Raises:
        SettingError: It is neither True nor False.
    """
    return "target" if flag(match_rotation, "match_rotation") else "bone"


class MatchRotation:
    """Whether all of a rig's effectors turn as their targets do."""

    @overload
    def __get__(self, rig: None, owner: type) -> MatchRotation: ...

    @overload
    def __get__(self, rig: Any, owner: type) -> bool: ...

    def __get__(self, rig: Any, owner: type) -> Any:
        if rig is None:
            return self
        return all(end.orientation_mode == "target" for end in rig.effectors)

    def __set__(self, rig: Any, value: bool) -> None:
        mode = mode_of(value)
        for effector in rig.effectors:
            effector.orientation_mode = mode


class Fade:
    """A number on its way to another, gently at both ends."""

    def __init__(self, start: float, end: float, seconds: float) -> None:
        self.start, self.end, self.seconds = start, end, seconds
        self.time = 0.0

    @property
    def done(self) -> bool:
        """Whether it has arrived."""
        return self.time >= self.seconds

    def step(self, dt: float) -> float:
        """Go on by dt seconds; return the number there."""
        self.time += dt
        if self.done:
            return self.end
        fraction = self.time / self.seconds
        # the last digit must not lead past the end
        fraction = min(fraction * fraction * (3.0 - 2.0 * fraction), 1.0)
        return self.start * (1.0 - fraction) + self.end * fraction


class RigState(NamedTuple):
    """The pose of a rig's last frame."""

    rotations: Floats
    """Of the bones, (n, 4) w x y z, root space."""
    pulled: Sequence[float]
    """How far a free root is from where it starts, (3,), root space."""
    shifts: Mapping[int, float]
    """How far the nodes that slide are, by index."""


class IKComponent(Startable):
    """Settings, frames and status of a rig; a subclass adds the frame itself.

    Raises:
        SettingError: A setting is unknown or out of range.
    """

    # a misspelt setting is an error, not a new attribute
    __slots__ = (
        "__weakref__",
        "_effectors",
        "_inputs",
        "_limits",
        "_order",
        "_posed",
        "_settings",
        "_solver_name",
        "_system",
        "_tipped",
        "_unchanged",
        "binding",
        "fading",
        "given_limits",
        "result",
    )

    binding: NodeBinding
    """What reads and writes the bones."""
    _effectors: tuple[Effector, ...]
    _inputs: Any
    _unchanged: bool
    _solver: Any
    _limits: dict[str | int, Limit]

    section: ClassVar[str]
    """Where rig files have rigs of this kind."""
    rig: Any = None
    """The ``ActorRig`` that it belongs to, if any."""
    without: ClassVar[Mapping[str, str]] = {}
    """Settings that this kind of rig does not have, and why."""

    iterations = Setting[int]()
    tolerance = Setting["float | None"]()
    weight = Setting[float]()
    soften = Setting[float]()
    snap_back_strength = Setting["float | None"]()
    stretch = Setting[float]()
    max_step = Setting["float | None"]()
    twist_spread = Setting[float]()
    roll_from = Setting[Literal["start", "parent"]]()
    orientation_weight = Setting[float]()
    orientation_tolerance = Setting[float]()
    step_size = Setting[float]()

    def __init__(
        self,
        solver: str,
        limits: LimitsByJoint | None,
        order: float,
        settings: Mapping[str, Any],
    ) -> None:
        known = [field.name for field in fields(SolveSettings)]
        for name in settings:
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise SettingError(
                    f"there is no setting {name!r}: {hint}There are {', '.join(known)}"
                )
        self.settings = SolveSettings(**settings)
        self.order = order
        self._solver_name = solver
        self.given_limits = copy_limits(limits)
        """The limits that were given, without those that nodes have of their own."""
        self.result: SolveResult | None = None
        self._system: IKSystem | None = None
        self.fading: Fade | None = None
        """How ``weight`` changes now, or None."""
        self._posed = False
        self._tipped = False

    @property
    def settings(self) -> SolveSettings:
        """All settings of the solve at once, checked."""
        return self._settings

    @settings.setter
    def settings(self, settings: SolveSettings) -> None:
        if not isinstance(settings, SolveSettings):
            raise SettingError(
                f"settings must be a SolveSettings, not {shown(settings)}"
            )
        for name, reason in self.without.items():
            if getattr(settings, name) != getattr(DEFAULT, name):
                raise SettingError(f"{type(self).__name__} has no {name}: {reason}")
        self._settings = settings

    def bind(self, nodes: list[p3d.NodePath], parents: list[int]) -> NodeBinding:
        """Return what reads and writes bones of the kind that the rig has.

        Raises:
            BindError: The nodes can't be a rig; names the node and the fix.
        """
        return NodeBinding(nodes, parents)

    @property
    def effectors(self) -> tuple[Effector, ...]:
        """What reaches for what: a chain has one, a tree several."""
        return self._effectors

    def reconnect(self) -> None:
        """Take notice that an effector reaches for another node, or turns otherwise."""
        raise NotImplementedError

    @property
    def figure(self) -> p3d.NodePath:
        """What it moves as a whole: the Actor, or the node above the first bone."""
        return self.root

    @property
    def bones(self) -> list[p3d.NodePath]:
        """The nodes that turn, parents before children: from the root to the ends."""
        return [p3d.NodePath(node) for node in self.binding.nodes]

    @property
    def root(self) -> p3d.NodePath:
        """The node above the first bone; its coordinate system is root space."""
        return p3d.NodePath(self.binding.root)

    @property
    def solver(self) -> str:
        """The method, by name. Set it to go on from the same pose by another one."""
        return self._solver_name

    @solver.setter
    def solver(self, name: str) -> None:
        self._swap_solver(name, self.given_limits)

    @property
    def limits(self) -> Mapping[str | int, Limit]:
        """How far joints may turn or slide, by name or index. Set it to change them.

        Nodes that know their own joint, as those of an articulated tree do, have its
        limit where none is set.
        """
        return MappingProxyType(self._limits)

    @limits.setter
    def limits(self, limits: Mapping[str | int, Limit] | None) -> None:
        self._swap_solver(self._solver_name, copy_limits(limits))

    def _swap_solver(self, name: str, given: dict[str | int, Limit]) -> None:
        """Take another solver, which goes on from the pose of the last one."""
        raise NotImplementedError

    def _shifts(self) -> dict[int, float]:
        """Return how far the nodes that slide are, by index."""
        slides = self.binding.slides
        return self.binding.shifts(self._solver.joint_angles) if slides else {}

    def _read_bones(self) -> bool:
        """Return whether anybody else has touched the nodes since they were written.

        With weight 0 what they have done stays, so that to take it back is a touch too.
        """
        change = self.binding.read()
        if change is PoseChange.RESIZED:
            self._set_rest_pose()
        touched = change is not PoseChange.UNCHANGED
        posed, self._posed = self._posed, touched and self.weight == 0.0
        return touched or posed

    def _set_rest_pose(self) -> None:
        """Take notice that somebody has moved or scaled a bone."""
        if self.binding.slides:
            # the ranges of slides may be larger or smaller now
            self._swap_solver(self._solver_name, self.given_limits)
        else:
            self._solver.set_rest_pose(self.binding.model)
            if self._tipped:
                self.take_tips()

    def controls(self) -> dict[str, Effector]:
        """Return what clips and files steer by names of its own, beside the rig."""
        return {}

    def state(self) -> RigState:
        """Return the pose of the last frame, for ``resume`` on the same bones."""
        solver = self._solver
        pulled = getattr(solver, "pulled", (0.0, 0.0, 0.0))
        return RigState(solver.rotations, pulled, self._shifts())

    def resume(self, state: RigState) -> None:
        """Go on from a pose; where an animation is the start pose, that counts."""
        raise NotImplementedError

    def take_tips(self) -> None:
        """Give the solver the tips of the effectors as they are now.

        Raises:
            SettingError: It is a solver of the user's own, which takes none.
        """
        tipped = any(any(end.tip) for end in self._effectors)
        if tipped or self._tipped:
            self._check_tips(self._solver, self._solver_name)
            offsets = [self.binding.tip_offset(end) for end in self._effectors]
            self._solver.take_tips(offsets)
        self._tipped = tipped
        self.reconnect()

    def _check_tips(self, solver: Any, name: str) -> None:
        """See that a solver takes the tips that there are.

        Raises:
            SettingError: It is one of the user's own, which takes none.
        """
        tipped = any(any(end.tip) for end in self._effectors)
        if tipped and not hasattr(solver, "take_tips"):
            raise SettingError(
                f"solver {name!r} takes no tip: a solver of your own must be a "
                "ChainSolver for that"
            )

    def solve(self) -> SolveResult:
        """Solve one frame now and return how it went. Never raises."""
        return self.update(_frame_time())

    def fade(self, weight: float, seconds: float = 0.3) -> None:
        """Bring ``weight`` there gently, from now on, while the rig runs.

        Args:
            weight: Where to, 0 to 1.
            seconds: How long it takes.

        Raises:
            SettingError: One is out of range.
        """
        end = replace(self._settings, weight=weight).weight
        self.fading = Fade(self.weight, end, number(seconds, "seconds"))

    @property
    def final_weight(self) -> float:
        """What ``weight`` is, or what it fades to."""
        return self.weight if self.fading is None else self.fading.end

    def update(self, dt: float) -> SolveResult:
        """Solve one frame of dt seconds and return how it went. Never raises.

        When the status changes, ``messenger`` sends "ikrig-status" with the rig and the
        result, and what makes a target invalid is logged once (category ``ikrig``).
        """
        if type(dt) is not float or not SHORTEST <= dt <= LONGEST:
            # in hardly any frame
            dt = sound_dt(dt)
        if self.fading is not None:
            self.weight = self.fading.step(dt)
            if self.fading.done:
                self.fading = None
        try:
            result = self._frame(dt)
        except (BindError, ModelError, AssertionError) as error:
            # AssertionError is Panda3D's answer to numbers it can't work with
            result = self._invalid(str(error))
        before = self.result
        if result is before:
            return result
        if before is None or result.status is not before.status or result.detail:
            self._log(result.detail)
            self._take(result)
        else:
            self.result = result
        return result

    def _log(self, detail: str) -> None:
        """Log what is wrong, once."""
        if detail and (self.result is None or self.result.detail != detail):
            directNotify.newCategory("ikrig").warning(
                f"{self._label()}: {detail}; the pose stays as it was"
            )

    def _take(self, result: SolveResult) -> None:
        """Keep a result, and send word when the status is another one."""
        before, self.result = self.result, result
        if before is None or before.status is not result.status:
            messenger.send("ikrig-status", [self, result])

    def _gap(self, effector: Effector, goal: Any) -> float:
        """Return how far an effector's tip is from a goal in root space."""
        leaf, root = effector.leaf, self.binding.root
        position = tip_position(leaf, effector.tip, root)
        gap = dist(position, goal)
        if not isfinite(gap):
            raise BindError(f"{leaf} is nowhere: its place is {position}")
        return gap

    def _frame(self, dt: float) -> SolveResult:
        """Read, solve, write."""
        raise NotImplementedError

    def _label(self) -> str:
        """Return which rig this is, for messages."""
        raise NotImplementedError

    def _invalid(self, detail: str) -> SolveResult:
        return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, 1.0, detail)
