"""IKComponent: the common part of chains and trees in a scene."""

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
from ...model.pose import Pose
from ...solvers import SolveResult, SolveSettings, SolveStatus
from ..checked_setting import flag
from ..fade import Fade, Fading
from .bound_bones import Bind, BoundBones
from .effector import Effector
from .node_transforms import bone_rotation
from .pose_binding import FrameOwner
from .system import IKSystem
from .targets import tip_position

if TYPE_CHECKING:
    from typing_extensions import Self


CORRECTIONS = 8
"""Maximum number of extra solves for uneven scales."""
GAP_TOLERANCE = 1e-4
"""Change of the gaps, as a fraction of the rig's size, below which they end."""

NOISE = 1e-5
"""Fraction of its size by which a rig's error may differ in single precision."""

NOISE_ANGLE = 2e-3
"""Angle by which its rotation may differ in single precision [rad]."""

_frame_time = p3d.ClockObject.get_global_clock().get_dt


class IKComponent(BoundBones, Fading):
    """Frame update and status of chains and trees; subclasses add the solve.

    Args:
        bind: Makes the binding: of plain nodes, or of an Actor's joints.
        rig: The ``ActorRig`` that solves it, if any.
        solver: The method.
        limits: Given limits, by node name or index.
        order: Its order inside the phase.
        settings: Fields of ``SolveSettings``.

    Raises:
        SettingError: A setting is unknown or out of range.
    """

    __slots__ = (
        "__weakref__",
        "_fading",
        "_goals",
        "_idle_since",
        "_result",
        "_schedules",
        "_started",
        "_system",
        "_update",
    )

    _on_pose: ClassVar[bool] = True
    """On an Actor, it changes the skeleton's pose, not the joints' nodes."""
    _section: ClassVar[str]
    """Section of rig files that describes rigs of this kind."""
    _default_solver: ClassVar[str] = "fabrik"
    """Name of the default method."""
    _goals: list[Any]
    """Readers of the effectors' goals, one per effector."""
    _update: Any
    """The compiled frame: reads, solves, writes."""

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
        self._fading: Fade | None = None

    @classmethod
    def _on_joints(
        cls,
        rig: FrameOwner,
        bind: Bind,
        bones: tuple[Any, ...],
        solver: str,
        limits: LimitsByJoint | None,
        order: float,
        settings: Mapping[str, Any],
    ) -> Self:
        """Return a chain or tree on an Actor's joints.

        Args:
            rig: As for the class, and so on.
            bind: Makes the binding of the joints' nodes.
            bones: The arguments of its ``_set_up``.
            solver: The method.
            limits: Given limits.
            order: Its order among the layers of the rig.
            settings: Fields of ``SolveSettings``.

        Raises:
            BindError: It does not fit the joints.
            SettingError: A setting is out of range.
        """
        made: Any = cls.__new__(cls)
        IKComponent.__init__(made, bind, rig, solver, limits, order, settings)
        made._set_up(*bones)
        found: Self = made
        return found

    @property
    def layers(self) -> tuple[Self]:
        """The rig itself."""
        return (self,)

    @property
    def _components(self) -> tuple[Self]:
        """The rig itself."""
        return (self,)

    def _named_components(self) -> dict[str, Any]:
        """Return the rig itself, by the name of its last node."""
        return {self._binding.nodes[-1].get_name(): self}

    @property
    def started(self) -> bool:
        """Whether every frame solves it: the system's, or that of its Actor's rig."""
        return self._started if self.rig is not None else self._system is not None

    @started.setter
    def started(self, value: bool) -> None:
        started = flag(value, "started")
        if self.rig is not None:
            self._started = started
        elif started != self.started:
            self.start() if started else self.stop()

    def start(self, task_mgr: Any = None) -> Self:
        """Solve in every frame from now on; return the rig.

        On an Actor, the Actor's rig solves it; there it is started by default.

        Args:
            task_mgr: Task manager to run in. Default: the running ShowBase's.
        """
        if self.rig is None:
            return super().start(task_mgr)
        self._started = True
        return self

    def stop(self) -> None:
        """Stop solving and leave all nodes as they are; no error when not started.

        An Actor's joints return to the animation at once; ``fade`` does it gradually.
        """
        if self.rig is None:
            super().stop()
        self._started = False

    @property
    def _idle(self) -> bool:
        """Whether an Actor's joints stay as animated, and the result reports it."""
        return self._settings is self._idle_since and self._fading is None

    def _set_invalid(self, detail: str) -> None:
        """Set a result with status INVALID_TARGET and this detail."""
        self._store_result(self._invalid(detail))

    def solve(self) -> SolveResult:
        """Solve one frame now and return the result. Never raises.

        On an Actor the whole rig is solved, since its layers build on one another.
        """
        if self.rig is None:
            return self.update(_frame_time())
        self.rig.solve()
        if self._result is not None:
            return self._result
        away = "its Actor is out of the scene" if self._started else "it is stopped"
        return self._invalid(away)

    def apply(self, _pose: Pose, dt: float) -> SolveResult:
        """Solve one frame on the pose of its Actor; see ``update``."""
        return self.update(dt)

    def update(self, dt: float) -> SolveResult:
        """Solve one frame of dt seconds and return the result. Never raises.

        When the status changes, ``messenger`` sends "ikrig-status" with the rig and the
        result. The reason for an invalid target is logged once (category ``ikrig``).
        """
        if type(dt) is not float or not SHORTEST <= dt <= LONGEST:
            # rare
            dt = sound_dt(dt)
        if self._fading is not None:
            self._step_fade(dt)
        try:
            # compiled: reads, solves and writes, and calls back if needed
            settings = self._settings
            if self.rig is not None:
                self._idle_since = settings if settings.weight == 0.0 else None
            result: SolveResult = self._update.step(self, settings, dt)
            if self._binding.uneven:
                result = self._corrected(result)
            for move_followers in self._binding.follower_updates:
                move_followers()
        except (BindError, ModelError, SettingError, AssertionError) as error:
            # Panda3D raises AssertionError for numbers that it can't use
            result = self._invalid(str(error))
        before = self._result
        if result is before:
            return result
        if before is None or result.status is not before.status or result.detail:
            self._log(result.detail)
            self._store_result(result)
        else:
            self._result = result
        return result

    def _log(self, detail: str) -> None:
        """Log the detail of a result, unless the last result has the same."""
        if detail and (self._result is None or self._result.detail != detail):
            directNotify.newCategory("ikrig").warning(
                f"{self._label()}: {detail}; the pose is left unchanged"
            )

    def _store_result(self, result: SolveResult) -> None:
        """Store a result; send "ikrig-status" when the status has changed."""
        before, self._result = self._result, result
        if before is None or before.status is not result.status:
            messenger.send("ikrig-status", [self, result])

    @property
    def result(self) -> SolveResult | None:
        """Result of the last frame; None before the first one.

        Distances and ``orientation_error`` are measured when this is read, so they
        include what a later part did to leaf or target. CONVERGED may then become
        STALLED, and any status INVALID_TARGET when a node was removed; ``detail`` has
        the reason.
        """
        found = self._result
        if found is None or found.status is SolveStatus.INVALID_TARGET:
            return found
        try:
            found = self._measured(found)
        except (BindError, AssertionError) as error:
            # reported here: at weight 0 an Actor's parts have no next frame
            detail = f"{self._label()} or its target was removed: {error}"
            return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, 1.0, detail)
        if not found.converged and not found.detail:
            found = found._replace(detail=self._held_back())
        return found

    def _forget_result(self) -> None:
        """Discard the result until the next frame."""
        self._result = None

    def _measured(self, found: SolveResult) -> SolveResult:
        """Return a result with distances and angles as measured now."""
        self._binding.show()
        angle = self._rotation_error(found)
        if abs(angle - found.orientation_error) > NOISE_ANGLE:
            found = found._replace(orientation_error=angle)
        gaps = []
        counted = 0.0
        size = self._size
        for effector in self._effectors:
            goal = effector.target.get_pos(self._binding.root)
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
                detail=self._held_back()
                or f"{self._label()} or its target was moved after the solve",
            )
        return moved

    def _held_back(self) -> str:
        """Return the reason why the pose is not the solved one, or ""."""
        weight = self.weight
        return (
            f"weight is {weight:.3g}: the pose is blended with the start pose"
            if weight < 1.0
            else ""
        )

    def _rotation_error(self, found: SolveResult) -> float:
        """Return the largest angle of effectors from their goal rotations now [rad]."""
        starts = self._start_rotations()
        if starts is None:
            return found.orientation_error
        ends = zip(self._effectors, starts, strict=True)
        angles = [
            self._effector_rotation_error(end, x) for end, x in ends if x is not None
        ]
        return max(angles, default=0.0)

    def _effector_rotation_error(self, effector: Effector, start: Any) -> float:
        """Return the angle of an effector from its goal rotation now [rad]."""
        nodes = self._binding
        goal = nodes.goal_rotation(effector, p3d.LQuaternionf(*start))
        if goal is None:
            return 0.0
        now = bone_rotation(effector._leaf, nodes.root)
        apart = goal.conjugate() * now
        sine = p3d.LVector3f(apart[1], apart[2], apart[3]).length()
        return 2.0 * atan2(sine, abs(apart[0]))

    def _start_rotations(self) -> list[Any] | None:
        """Return the rotation of each effector in the start pose, root space.

        An entry is None where the rotation does not count. None: they are unknown, and
        ``orientation_error`` stays that of the solve.
        """
        raise NotImplementedError

    @property
    def _size(self) -> float:
        """Length of the bones to the farthest effector [units of root space]."""
        raise NotImplementedError

    def _gap(self, effector: Effector, goal: Any) -> float:
        """Return the distance of an effector's tip from a goal in root space."""
        leaf, root = effector._leaf, self._binding.root
        self._binding.show()
        position = tip_position(leaf, effector.tip, root)
        gap = dist(position, goal)
        if not isfinite(gap):
            raise BindError(f"{leaf} has an invalid position: {position}")
        return gap

    def _corrected(self, result: SolveResult) -> SolveResult:
        """Solve again where scales are uneven, with goals shifted by the last gap."""
        nodes: Any = self._binding
        goals, ends = self._goals, self._effectors
        before, last = result, [p3d.LVector3f(0)] * len(ends)
        for _ in range(CORRECTIONS):
            meant = self._solver.reached.tolist()
            nodes.show()
            leads = [
                p3d.LPoint3f(*tip) - tip_position(end._leaf, end.tip, nodes.root)
                for tip, end in zip(meant, ends, strict=True)
            ]
            apart = (a - b for a, b in zip(leads, last, strict=True))
            if max(map(p3d.LVector3f.length, apart)) < GAP_TOLERANCE * self._size:
                break
            nodes.restore_animated_pose()
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
        """Return a label of the rig for messages."""
        raise NotImplementedError

    def _invalid(self, detail: str) -> SolveResult:
        return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, 1.0, detail)
