"""IKComponent: the bones, effectors, settings and frames of a chain or tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import atan2, dist, hypot, inf, isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.showbase.MessengerGlobal import messenger

from ...errors import BindError, ModelError, SettingError, shown, suggest
from ...kernels.frame_update import ChainUpdate, TreeUpdate
from ...kernels.node_frame import Goal as GoalReader
from ...math3d.quaternion import Floats
from ...math3d.timestep import LONGEST, SHORTEST, sound_dt
from ...model.limits import Limit, LimitsByJoint, copy_limits
from ...model.pose import Pose
from ...solvers import (
    ChainSolver,
    MultiEffectorSolver,
    Solver,
    SolveResult,
    SolveSettings,
    SolveStatus,
)
from ...solvers.settings import DEFAULT
from ..checked_setting import flag
from ..fade import Fade, Fading
from .dependencies import note_change
from .effector import Effector
from .node_transforms import bone_rotation
from .phase import Phase
from .pose_binding import FrameOwner, OrientationMode, PoseBinding, PoseChange
from .setting_attributes import Setting
from .system import IKSystem, LayeredRig
from .targets import tip_position

if TYPE_CHECKING:
    from typing_extensions import Self

    FramePart = object
else:
    from ...kernels.frame_update import FramePart

Bind = Callable[[list[p3d.NodePath], Sequence[int]], PoseBinding]
"""Returns the binding of nodes, given the index of each one's parent."""


NO_LIMITS: LimitsByJoint = MappingProxyType({})


class RigState(NamedTuple):
    """The pose of a rig's last frame."""

    rotations: Floats
    """Rotation of each bone, (n, 4) w x y z, root space."""
    pulled: Sequence[float]
    """Offset of a free root from its start position, (3,), root space."""
    shifts: Mapping[int, float]
    """Displacement of the nodes that slide, by index."""


CORRECTIONS = 8
"""Maximum number of extra solves for uneven scales."""
GAP_TOLERANCE = 1e-4
"""Change of the gaps, as a fraction of the rig's size, below which they end."""

NOISE = 1e-5
"""Fraction of its size by which a rig's error may differ in single precision."""

NOISE_ANGLE = 2e-3
"""Angle by which its rotation may differ in single precision [rad]."""

_frame_time = p3d.ClockObject.get_global_clock().get_dt


class IKComponent(LayeredRig, Fading, FramePart):
    """Bones, their effectors and settings, solved in each frame: a chain or a tree.

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

    if not TYPE_CHECKING:
        # a misspelt setting is an error, not a new attribute
        __slots__ = (
            "__weakref__",
            "_bind",
            "_binding",
            "_changed_at_zero",
            "_effectors",
            "_given_limits",
            "_goals",
            "_limits",
            "_order",
            "_phase",
            "_schedules",
            "_solver",
            "_solver_name",
            "_spare_limits",
            "_system",
            "_tipped",
            "rig",
        )

    _binding: PoseBinding
    """Reads and writes the bones."""
    _effectors: tuple[Effector, ...]
    _solver: Solver | MultiEffectorSolver
    _limits: LimitsByJoint

    # what chains and trees define
    _make_solver: Callable[
        [str, PoseBinding, dict[str | int, Limit]], Solver | MultiEffectorSolver
    ]
    _reconnect: Callable[[], None]
    """Makes a new update from nodes and solver; the next frame solves again."""
    _continue_from: Callable[[RigState], None]
    """Passes the solver a pose to continue from."""
    _start_rotations: Callable[[], list[Sequence[float] | None] | None]
    """Returns the rotation of each effector in the start pose, root space.

    An entry is None where the rotation does not count. None: they are unknown, and
    ``orientation_error`` stays that of the solve.
    """
    _label: Callable[[], str]
    """Returns its name in messages."""

    _section: ClassVar[str]
    """Section of rig files that describes rigs of this kind."""
    _without: ClassVar[Mapping[str, str]] = {}
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
    damping = Setting[float]()
    posture_weight = Setting[float]()
    posture = Setting['Literal["start", "middle"] | Mapping[str | int, float]']()
    posture_weights = Setting["Mapping[str | int, float] | None"]()
    joint_speeds = Setting["Mapping[str | int, float] | None"]()

    _on_pose: ClassVar[bool] = True
    """On an Actor, it changes the skeleton's pose, not the joints' nodes."""
    _default_solver: ClassVar[str] = "fabrik"
    """Name of the default method."""
    _goals: Sequence[GoalReader]
    """Readers of the effectors' goals, one per effector."""
    _update: ChainUpdate | TreeUpdate
    """The compiled frame: reads, solves, writes."""

    def __init__(
        self,
        bind: Bind,
        rig: FrameOwner | None,
        solver: str,
        limits: LimitsByJoint | None,
        order: float,
        settings: Mapping[str, object],
    ) -> None:
        known = SolveSettings.__dataclass_fields__
        for name in settings:
            if name not in known:
                raise SettingError(
                    f"there is no setting {name!r}: {suggest(name, known)}"
                )
        self._bind, self.rig = bind, rig
        self.settings = _settings_of(settings)
        self.phase = Phase.LIMBS
        self.order = order
        self._solver_name = solver
        self._given_limits: LimitsByJoint = copy_limits(limits) or NO_LIMITS
        """The limits that were given, without those that nodes have of their own."""
        self._spare_limits = NO_LIMITS
        """Limits of bones that a smaller ``chain_length`` dropped."""
        self._changed_at_zero = False
        self._tipped = False
        self._started = True
        self._idle_since: SolveSettings | None = None
        self._usual: SolveSettings | None = None
        self._acted = -1
        self._result: SolveResult | None = None
        self._system: IKSystem | None = None
        self._fading: Fade | None = None

    @classmethod
    def _on_joints(
        cls,
        rig: FrameOwner,
        bind: Bind,
        bones: tuple[object, ...],
        solver: str,
        limits: LimitsByJoint | None,
        order: float,
        settings: Mapping[str, object],
    ) -> Self:
        made: Any = cls.__new__(cls)
        IKComponent.__init__(made, bind, rig, solver, limits, order, settings)
        made._set_up(*bones)
        found: Self = made
        return found

    # -- bones and settings ------------------------------------------------------------

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
        for name, reason in self._without.items():
            if getattr(settings, name) != getattr(DEFAULT, name):
                raise SettingError(f"{type(self).__name__} has no {name}: {reason}")
        self._settings = settings

    @property
    def effectors(self) -> tuple[Effector, ...]:
        """The effectors: a chain has one, a tree several."""
        return self._effectors

    @property
    def joint_angles(self) -> Mapping[int, tuple[float, ...]]:
        """Current angles of the joints that have limits, by index [rad].

        A hinge has one, an ``AxesLimit`` one for each axis. A cone has three: the swing
        to the left and up, as a rotation vector, and the twist. A slide has its
        displacement from the start pose [units of root space].
        """
        angles: Mapping[int, tuple[float, ...]] = self._solver.joint_angles
        return angles

    @property
    def orientation_mode(self) -> OrientationMode:
        """The effectors' orientation mode, see ``Effector``; setting it sets all."""
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
        """Return the nodes that it reads: it runs after the rigs that move them."""
        return [self._binding.root, *(x for e in self._effectors for x in e.reads())]

    def writes(self) -> list[p3d.NodePath]:
        """Return the nodes that it moves."""
        return list(self._binding.nodes)

    def _mark_weights_changed(self) -> None:
        """Mark the effectors' weights as changed."""

    @property
    def _figure(self) -> p3d.NodePath:
        """The object that it poses: the Actor, or the node above the first bone."""
        return self.root if self.rig is None else self.rig.actor

    @property
    def bones(self) -> list[p3d.NodePath]:
        """The nodes that turn, parents before children: from the root to the ends."""
        shown = self._binding.shown
        return [p3d.NodePath(shown(node)) for node in self._binding.nodes]

    @property
    def root(self) -> p3d.NodePath:
        """The node above the first bone; its coordinate system is root space."""
        return p3d.NodePath(self._binding.shown(self._binding.root))

    @property
    def solver(self) -> str:
        """Name of the method. A new one continues from the current pose."""
        return self._solver_name

    @solver.setter
    def solver(self, name: str) -> None:
        self._swap_solver(name, self._given_limits)

    @property
    def limits(self) -> Mapping[str | int, Limit]:
        """Limits of the joints, by name or index. Set a new mapping to change them.

        Nodes that know their own joint, as a robot's do, have its limit where none is
        given.
        """
        return MappingProxyType(self._limits)

    @limits.setter
    def limits(self, limits: Mapping[str | int, Limit] | None) -> None:
        self._swap_solver(self._solver_name, copy_limits(limits))
        self._spare_limits = NO_LIMITS

    def _swap_solver(self, name: str, given: LimitsByJoint) -> None:
        limits = self._binding.all_limits(given)
        solver = self._make_solver(name, self._binding, limits)
        self._check_solver(solver, name)
        state = self._state()
        self._solver_name, self._solver = name, solver
        self._continue_from(state)
        self._given_limits, self._limits = given, limits
        self._binding.set_sliding(limits)
        self._update_tips()

    def _rebind_to(
        self,
        binding: PoseBinding,
        leaves: Sequence[p3d.NodePath],
        given: LimitsByJoint,
    ) -> None:
        """Bind new bones, or the same in a new pose; an error changes nothing."""
        limits = binding.all_limits(given)
        solver = self._make_solver(self._solver_name, binding, limits)
        offsets = [end.offset_on(binding) for end in self._effectors]
        self._binding, self._solver, self._limits = binding, solver, limits
        self._given_limits = given
        for effector, leaf, offset in zip(
            self._effectors, leaves, offsets, strict=True
        ):
            effector._leaf, effector._offset[:] = leaf, offset
        self._bound()

    def _bound(self) -> None:
        self._binding.set_sliding(self._limits)
        self._update_tips()
        note_change(self)

    def _shifts(self) -> dict[int, float]:
        """Return the displacement of the nodes that slide, by index."""
        slides = self._binding.slides
        return self._binding.shifts(self._solver.joint_angles) if slides else {}

    def _read_bones(self) -> bool:
        """Return whether the nodes were changed from outside since the last write.

        At weight 0 a change stays, so that the frame after it counts as changed too.
        """
        change = self._binding.read()
        if change is PoseChange.RESIZED and self._binding.slides:
            # the ranges of slides may have changed with it
            self._swap_solver(self._solver_name, self._given_limits)
        elif change is PoseChange.RESIZED:
            self._binding.pass_rest_pose(self._solver)
            if self._tipped:
                self._pass_tips()
        touched = change is not PoseChange.UNCHANGED
        before = self._changed_at_zero
        self._changed_at_zero = touched and self.weight == 0.0
        return touched or before

    def _check_pole(self, effector: Effector) -> None:
        """Check that an effector has bones that a pole can bend.

        Raises:
            SettingError: It has none.
        """

    def _controls(self) -> dict[str, Effector]:
        """Return the parts that clips and files control by names of their own."""
        return {}

    def _state(self) -> RigState:
        """Return the pose of the last frame, for ``_resume`` on the same bones."""
        solver = self._solver
        pulled = getattr(solver, "pulled", (0.0, 0.0, 0.0))
        return RigState(solver.rotations, pulled, self._shifts())

    def _resume(self, state: RigState) -> None:
        """Continue from a pose; no effect where an animation is the start pose."""
        if not self._binding.animated:
            self._continue_from(state)

    def _update_tips(self) -> None:
        tipped = any(any(end.tip) for end in self._effectors)
        if tipped or self._tipped:
            self._check_solver(self._solver, self._solver_name)
            # over an animation each frame passes them
            if not (tipped and self._binding.animated):
                self._pass_tips()
        self._tipped = tipped
        self._reconnect()

    def _pass_tips(self) -> None:
        offsets = [self._binding.tip_offset(end) for end in self._effectors]
        cast(ChainSolver, self._solver).set_tips(offsets)

    def _check_solver(self, solver: object, name: str) -> None:
        missing = ""
        if self._binding.animated and not hasattr(solver, "animate"):
            missing = "can't follow an animation"
        elif any(any(end.tip) for end in self._effectors):
            missing = "" if hasattr(solver, "set_tips") else "does not support tips"
        if missing:
            raise SettingError(
                f"solver {name!r} {missing}: a custom solver must be a ChainSolver "
                "for that"
            )

    # -- running -----------------------------------------------------------------------

    @property
    def layers(self) -> tuple[Self]:
        """The rig itself."""
        return (self,)

    @property
    def _components(self) -> tuple[Self]:
        return (self,)

    def _named_components(self) -> dict[str, IKComponent]:
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

    def start(self, task_mgr: object = None) -> Self:
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
        self._usual = None
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
            # ``run_parts`` does the same, from the next frame on
            self._usual = settings
        except Exception as error:
            result = self._failed(error)
        if result is not self._result:
            self._take(result)
        return result

    def _failed(self, error: Exception) -> SolveResult:
        """Return the result of a frame that has failed; raise what is no such error."""
        # Panda3D raises AssertionError for numbers that it can't use
        if isinstance(error, BindError | ModelError | SettingError | AssertionError):
            return self._invalid(str(error))
        raise error

    def _take(self, result: SolveResult) -> None:
        """Store the result of a frame; log its detail, and tell of a new status."""
        before = self._result
        if before is None or result.status is not before.status or result.detail:
            self._log(result.detail)
            self._store_result(result)
        else:
            self._result = result

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
        starts, nodes, most = self._start_rotations(), self._binding, 0.0
        if starts is None:
            return found.orientation_error
        for end, start in zip(self._effectors, starts, strict=True):
            if start is not None:
                goal = nodes.goal_rotation(end, p3d.LQuaternionf(*start))
                if goal is not None:
                    w, *xyz = goal.conjugate() * bone_rotation(end._leaf, nodes.root)
                    most = max(most, 2.0 * atan2(hypot(*xyz), abs(w)))
        return most

    @property
    def _size(self) -> float:
        """Length of the bones to the farthest effector [units of root space]."""
        raise NotImplementedError

    def _gap(self, effector: Effector, goal: Sequence[float] | p3d.LPoint3f) -> float:
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
        nodes = self._binding
        goals, ends = self._goals, self._effectors
        before, last = result, [p3d.LVector3f(0)] * len(ends)
        for _ in range(CORRECTIONS):
            meant = cast(ChainSolver, self._solver).reached.tolist()
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

    def _invalid(self, detail: str) -> SolveResult:
        self._update.unchanged = False
        found = SolveResult(SolveStatus.INVALID_TARGET, inf, 0, 1.0, detail)
        return found._replace(lengthening=self._binding.lengthening)


@lru_cache(64)
def _cached(given: tuple[tuple[str, type, object], ...]) -> SolveSettings:
    return DEFAULT.with_values(**{name: value for name, _, value in given})


def _settings_of(given: Mapping[str, object]) -> SolveSettings:
    try:
        # the types, because 1 == True
        return _cached(tuple((name, type(x), x) for name, x in given.items()))
    except TypeError:
        # a mapping among them
        return DEFAULT.with_values(**given)
