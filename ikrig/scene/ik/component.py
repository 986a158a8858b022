"""IKComponent: what chains and trees in a scene have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from math import dist, inf, isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

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
from ..fade import Fade
from .dependencies import note_change
from .effector import Effector, tip_position
from .node_binding import OrientationMode, PoseChange
from .phase import Phase
from .pose_binding import PoseBinding
from .setting_attributes import Setting
from .system import IKSystem, Startable

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..actor.actor_rig import ActorRig

__all__ = ["Bind", "IKComponent", "RigState"]

NOISE = 1e-5
"""Share of its size by which a rig's error may differ in single precision."""

Bind = Callable[[list[p3d.NodePath], list[int]], PoseBinding]
"""Returns what reads and writes nodes, given the index of each one's parent."""

_frame_time = p3d.ClockObject.get_global_clock().get_dt


class RigState(NamedTuple):
    """The pose of a rig's last frame."""

    rotations: Floats
    """Of the bones, (n, 4) w x y z, root space."""
    pulled: Sequence[float]
    """How far a free root is from where it starts, (3,), root space."""
    shifts: Mapping[int, float]
    """How far the nodes that slide are, by index."""


class IKComponent(Startable):
    """Settings, frames and status of a chain or tree, which adds the solve itself.

    Args:
        bind: What makes its binding: that of plain nodes, or of an Actor's joints.
        rig: The ``ActorRig`` that solves it, if any.
        solver: The method.
        limits: Those that are given.
        order: Its place in a frame.
        settings: Those of ``SolveSettings``.

    Raises:
        SettingError: A setting is unknown or out of range.
    """

    # a misspelt setting is an error, not a new attribute
    __slots__ = (
        "__weakref__",
        "_effectors",
        "_idle_since",
        "_limits",
        "_order",
        "_phase",
        "_posed",
        "_result",
        "_settings",
        "_solver",
        "_solver_name",
        "_started",
        "_system",
        "_tipped",
        "bind",
        "binding",
        "fading",
        "given_limits",
        "rig",
    )

    binding: PoseBinding
    """What reads and writes the bones."""
    _effectors: tuple[Effector, ...]
    _solver: Any
    _limits: dict[str | int, Limit]

    section: ClassVar[str]
    """Where rig files have rigs of this kind."""
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
        bind: Bind,
        rig: ActorRig | None,
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
        self.bind, self.rig = bind, rig
        self._started = True
        self._idle_since: SolveSettings | None = None
        self.settings = SolveSettings(**settings)
        self.phase = Phase.LIMBS
        self.order = order
        self._solver_name = solver
        self.given_limits = copy_limits(limits)
        """The limits that were given, without those that nodes have of their own."""
        self._result: SolveResult | None = None
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

    @property
    def effectors(self) -> tuple[Effector, ...]:
        """What reaches for what: a chain has one, a tree several."""
        return self._effectors

    @property
    def orientation_mode(self) -> OrientationMode:
        """How effectors turn, see ``Effector.orientation_mode``; setting sets all."""
        return self._effectors[0].orientation_mode

    @orientation_mode.setter
    def orientation_mode(self, value: OrientationMode) -> None:
        for effector in self._effectors:
            effector.orientation_mode = value

    def set_offset(self) -> None:
        """Store the targets' current rotations as the offsets to their effectors."""
        for effector in self._effectors:
            effector.set_offset()

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes whose places count: a rig that moves one comes before."""
        ends = self._effectors
        poles = [end.pole for end in ends if end.pole is not None]
        return [self.binding.root, *(end.target for end in ends), *poles]

    def writes(self) -> list[p3d.NodePath]:
        """Return the nodes that it moves."""
        return list(self.binding.nodes)

    def reconnect(self) -> None:
        """Take notice that an effector reaches for another node, or turns otherwise."""
        raise NotImplementedError

    @property
    def figure(self) -> p3d.NodePath:
        """What it moves as a whole: the Actor, or the node above the first bone."""
        return self.root if self.rig is None else self.rig.actor

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
        limits = self.binding.all_limits(given)
        solver = self._make_solver(name, self.binding, limits)
        self._check_solver(solver, name)
        state = self.state()
        self._solver_name, self._solver = name, solver
        self._go_on_from(state)
        self.given_limits, self._limits = given, limits
        self.binding.set_sliding(limits)
        self.take_tips()

    def _make_solver(
        self, name: str, binding: PoseBinding, limits: dict[str | int, Limit]
    ) -> Any:
        """Return a solver for the bones of a binding."""
        raise NotImplementedError

    def _rebind_to(self, binding: PoseBinding, leaves: Sequence[p3d.NodePath]) -> None:
        """Take other bones, or the same as they are now; all of it or nothing."""
        limits = binding.all_limits(self.given_limits)
        solver = self._make_solver(self._solver_name, binding, limits)
        offsets = [end.offset_on(binding) for end in self._effectors]
        self.binding, self._solver, self._limits = binding, solver, limits
        for effector, leaf, offset in zip(
            self._effectors, leaves, offsets, strict=True
        ):
            effector.rebind(leaf, offset)
        self._bound()

    def _bound(self) -> None:
        """Take up bones that are bound, and effectors that are there."""
        self.binding.set_sliding(self._limits)
        self.take_tips()
        note_change()

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
            self.binding.give_rest(self._solver)
            if self._tipped:
                self._give_tips()

    def check_pole(self, effector: Effector) -> None:
        """See that an effector has bones that a pole can bend.

        Raises:
            SettingError: It has none.
        """

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
        if not self.binding.animated:
            self._go_on_from(state)

    def _go_on_from(self, state: RigState) -> None:
        """Give the solver a pose to go on from."""
        raise NotImplementedError

    def take_tips(self) -> None:
        """Give the solver the tips of the effectors as they are now.

        Raises:
            SettingError: It is a solver of the user's own, which takes none.
        """
        tipped = any(any(end.tip) for end in self._effectors)
        if tipped or self._tipped:
            self._check_solver(self._solver, self._solver_name)
            self._give_tips()
        self._tipped = tipped
        self.reconnect()

    def _give_tips(self) -> None:
        """Give the solver the tips as they are in the start pose."""
        offsets = [self.binding.tip_offset(end) for end in self._effectors]
        self._solver.take_tips(offsets)

    def _check_solver(self, solver: Any, name: str) -> None:
        """See that a solver takes the tips that there are, and the animation.

        Raises:
            SettingError: It is one of the user's own, which does not.
        """
        missing = ""
        if self.binding.animated and not hasattr(solver, "animate"):
            missing = "can't follow an animation"
        elif any(any(end.tip) for end in self._effectors):
            missing = "" if hasattr(solver, "take_tips") else "takes no tip"
        if missing:
            raise SettingError(
                f"solver {name!r} {missing}: a solver of your own must be a "
                "ChainSolver for that"
            )

    # -- running -----------------------------------------------------------------------

    @property
    def started(self) -> bool:
        """Whether each frame solves it: the system's, or that of its Actor's rig."""
        return self._started if self.rig is not None else self._system is not None

    @started.setter
    def started(self, value: bool) -> None:
        started = flag(value, "started")
        if self.rig is not None:
            self._started = started
        elif started != self.started:
            self.start() if started else self.stop()

    def start(self, task_mgr: Any = None) -> Self:
        """Solve every frame from now on; returns the rig.

        Of an Actor, the Actor's rig then solves it too, as it does from the beginning.

        Args:
            task_mgr: Task manager to run in. Default: the running ShowBase's.
        """
        if self.rig is None:
            return super().start(task_mgr)
        self._started = True
        return self

    def stop(self) -> None:
        """Leave everything as it is from now on; no error when not started.

        An Actor's joints are left to the animation; ``fade`` does it gently.
        """
        if self.rig is None:
            super().stop()
        self._started = False

    @property
    def idle(self) -> bool:
        """Whether an Actor's joints stay as animated, and a result says so."""
        return self._settings is self._idle_since and self.fading is None

    def fail(self, detail: str) -> None:
        """Have the result say why nothing could be solved."""
        self._take(self._invalid(detail))

    def solve(self) -> SolveResult:
        """Solve one frame now and return how it went. Never raises.

        Of an Actor the whole rig is solved, since layers stand on one another.
        """
        if self.rig is None:
            return self.update(_frame_time())
        self.rig.solve()
        assert self._result is not None
        return self._result

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
        before = self._result
        if result is before:
            return result
        if before is None or result.status is not before.status or result.detail:
            self._log(result.detail)
            self._take(result)
        else:
            self._result = result
        return result

    def _log(self, detail: str) -> None:
        """Log what is wrong, once."""
        if detail and (self._result is None or self._result.detail != detail):
            directNotify.newCategory("ikrig").warning(
                f"{self._label()}: {detail}; the pose stays as it was"
            )

    def _take(self, result: SolveResult) -> None:
        """Keep a result, and send word when the status is another one."""
        before, self._result = self._result, result
        if before is None or before.status is not result.status:
            messenger.send("ikrig-status", [self, result])

    @property
    def result(self) -> SolveResult | None:
        """How the last frame went; None before the first one.

        Distances are measured on the nodes as they are when it is read: a part that ran
        later, and moved leaf or target, shows in ``error``. Then CONVERGED may become
        STALLED, and ``detail`` says why.
        """
        found = self._result
        if found is None or found.status is SolveStatus.INVALID_TARGET:
            return found
        try:
            return self._measured(found)
        except (BindError, AssertionError):
            # leaf or target has gone: the next frame reports it
            return found

    def forget_result(self) -> None:
        """Have no result until the next frame."""
        self._result = None

    def _measured(self, found: SolveResult) -> SolveResult:
        """Return a result with the distances that there are now."""
        gaps = []
        counted = 0.0
        size = self._size
        for effector in self._effectors:
            goal = effector.target.get_pos(self.binding.root)
            gaps.append(self._gap(effector, goal))
            size = max(size, max(map(abs, goal)))
            if effector.weight > 0.0:
                counted = max(counted, gaps[-1])
        if abs(counted - found.error) <= NOISE * size:
            return found
        errors = tuple(gaps) if found.errors else ()
        moved = found._replace(error=counted, errors=errors)
        tolerance = self._settings.tolerance
        if counted <= (1e-3 * self._size if tolerance is None else tolerance):
            return moved
        if found.status is SolveStatus.CONVERGED:
            moved = moved._replace(
                status=SolveStatus.STALLED,
                detail=f"{self._label()} or its target was moved after it was solved",
            )
        return moved

    @property
    def _size(self) -> float:
        """Length of the bones to the farthest effector [units of root space]."""
        raise NotImplementedError

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
