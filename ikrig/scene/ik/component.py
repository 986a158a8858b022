"""IKComponent: what chains and trees in a scene have in common."""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, dist, inf, isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.showbase.MessengerGlobal import messenger

from ...errors import BindError, ModelError, SettingError
from ...math3d.timestep import LONGEST, SHORTEST, sound_dt
from ...model.limits import LimitsByJoint
from ...solvers import SolveResult, SolveSettings, SolveStatus
from ..checked_setting import flag
from ..fade import Fade, Fading
from .bound_bones import Bind, BoundBones
from .effector import Effector, tip_position
from .node_transforms import bone_rotation
from .pose_binding import FrameOwner
from .system import IKSystem

if TYPE_CHECKING:
    from typing_extensions import Self


CORRECTIONS = 8
"""Most solves more where scales are uneven, each led by what the last one missed."""
CLOSE = 1e-4
"""Share of its size by which they may miss."""

NOISE = 1e-5
"""Share of its size by which a rig's error may differ in single precision."""

NOISE_ANGLE = 2e-3
"""Angle by which its rotation may differ in single precision [rad]."""

_frame_time = p3d.ClockObject.get_global_clock().get_dt


class IKComponent(BoundBones, Fading):
    """Frames and status of a chain or tree, which adds the solve itself.

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

    __slots__ = (
        "__weakref__",
        "_goals",
        "_idle_since",
        "_result",
        "_started",
        "_system",
        "_update",
        "fading",
    )

    section: ClassVar[str]
    """Where rig files have rigs of this kind."""
    default_solver: ClassVar[str] = "fabrik"
    """The method where none is given."""
    _goals: list[Any]
    """What reads the goal of each effector in each frame."""
    _update: Any
    """The frame: reads, solves, writes."""

    def __init__(
        self,
        bind: Bind,
        rig: FrameOwner | None,
        solver: str,
        limits: LimitsByJoint | None,
        order: float,
        settings: Mapping[str, Any],
    ) -> None:
        super().__init__(bind, rig, solver, limits, order, settings)
        self._started = True
        self._idle_since: SolveSettings | None = None
        self._result: SolveResult | None = None
        self._system: IKSystem | None = None
        self.fading: Fade | None = None

    @property
    def layers(self) -> tuple[Self]:
        """The rig itself."""
        return (self,)

    @property
    def components(self) -> tuple[Self]:
        """The rig itself."""
        return (self,)

    def named_components(self) -> dict[str, Any]:
        """Return itself by the name of its last node."""
        return {self.binding.nodes[-1].get_name(): self}

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

    def update(self, dt: float) -> SolveResult:
        """Solve one frame of dt seconds and return how it went. Never raises.

        When the status changes, ``messenger`` sends "ikrig-status" with the rig and the
        result, and what makes a target invalid is logged once (category ``ikrig``).
        """
        if type(dt) is not float or not SHORTEST <= dt <= LONGEST:
            # in hardly any frame
            dt = sound_dt(dt)
        if self.fading is not None:
            self.step_fade(dt)
        try:
            result = self._frame(dt)
            for lead in self.binding.leads:
                lead()
        except (BindError, ModelError, SettingError, AssertionError) as error:
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

        Distances and ``orientation_error`` are measured on the nodes as they are when
        it is read: a part that ran later, and moved leaf or target,
        shows in them. Then CONVERGED may become STALLED, and INVALID_TARGET any when
        one is gone; ``detail`` says why.
        """
        found = self._result
        if found is None or found.status is SolveStatus.INVALID_TARGET:
            return found
        try:
            return self._measured(found)
        except (BindError, AssertionError) as error:
            # not left to the next frame: at weight 0 an Actor's parts have none
            detail = f"{self._label()} or its target is gone: {error}"
            return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, 1.0, detail)

    def forget_result(self) -> None:
        """Have no result until the next frame."""
        self._result = None

    def _measured(self, found: SolveResult) -> SolveResult:
        """Return a result with the distances and angles that there are now."""
        angle = self._misturned(found)
        if abs(angle - found.orientation_error) > NOISE_ANGLE:
            found = found._replace(orientation_error=angle)
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

    def _misturned(self, found: SolveResult) -> float:
        """Return how far effectors are from how they are to be turned now [rad]."""
        starts = self._start_rotations()
        if starts is None:
            return found.orientation_error
        ends = zip(self._effectors, starts, strict=True)
        angles = [self._turn_left(end, x) for end, x in ends if x is not None]
        return max(angles, default=0.0)

    def _turn_left(self, effector: Effector, start: Any) -> float:
        """Return how far an effector is from how it is to be turned now [rad]."""
        nodes = self.binding
        wanted = nodes.wanted_rotation(effector, p3d.LQuaternionf(*start))
        if wanted is None:
            return 0.0
        now = bone_rotation(effector.leaf, nodes.root)
        apart = wanted.conjugate() * now
        sine = p3d.LVector3f(apart[1], apart[2], apart[3]).length()
        return 2.0 * atan2(sine, abs(apart[0]))

    def _start_rotations(self) -> list[Any] | None:
        """Return the rotation of each effector in the start pose, root space.

        None in the place of one whose rotation does not count; None for all: nobody
        knows them, and errors of rotation are as of the solve.
        """
        raise NotImplementedError

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
        """Read, solve, write. The update asks for what is not so in every frame."""
        settings = self._settings
        if self.rig is None:
            result: SolveResult = self._update.step(self, settings, dt)
            return result
        self._idle_since = settings if settings.weight == 0.0 else None
        result = self._update.step(self, settings, dt)
        return self._corrected(result) if self.binding.uneven else result

    def _corrected(self, result: SolveResult) -> SolveResult:
        """Solve again where scales are uneven, led by what the last solve missed."""
        nodes: Any = self.binding
        goals, ends = self._goals, self._effectors
        before, last = result, [p3d.LVector3f(0)] * len(ends)
        for _ in range(CORRECTIONS):
            meant = self._solver.tip_positions.tolist()
            leads = [
                p3d.LPoint3f(*tip) - tip_position(end.leaf, end.tip, nodes.root)
                for tip, end in zip(meant, ends, strict=True)
            ]
            apart = (a - b for a, b in zip(leads, last, strict=True))
            if max(map(p3d.LVector3f.length, apart)) < CLOSE * self._size:
                break
            nodes.put_back()
            last = leads
            try:
                for goal, lead in zip(goals, leads, strict=True):
                    goal.lead = lead
                # no time has passed: max_step lets joints turn no further
                result = self._update.step(self, self._settings, 0.0)
            finally:
                for goal in goals:
                    goal.lead = None
        if result is before:
            return result
        gaps = [
            self._gap(end, p3d.LPoint3f(goal.gx, goal.gy, goal.gz) - lead)
            for end, goal, lead in zip(ends, goals, last, strict=True)
        ]
        counted = [gap for gap, end in zip(gaps, ends, strict=True) if end.weight > 0.0]
        errors = tuple(gaps) if result.errors else ()
        return result._replace(error=max(counted, default=0.0), errors=errors)

    def _label(self) -> str:
        """Return which rig this is, for messages."""
        raise NotImplementedError

    def _invalid(self, detail: str) -> SolveResult:
        return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, 1.0, detail)
