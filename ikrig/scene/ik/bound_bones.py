"""BoundBones: the bones of a chain or tree, with their solver, settings and limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple

import panda3d.core as p3d

from ...errors import SettingError, shown, suggest
from ...math3d.quaternion import Floats
from ...model.limits import Limit, LimitsByJoint, copy_limits
from ...solvers import SolveSettings
from ...solvers.settings import DEFAULT
from .dependencies import note_change
from .effector import Effector
from .phase import Phase
from .pose_binding import FrameOwner, OrientationMode, PoseBinding, PoseChange
from .setting_attributes import Setting
from .system import LayeredRig

Bind = Callable[[list[p3d.NodePath], list[int]], PoseBinding]
"""Returns the binding of nodes, given the index of each one's parent."""


class RigState(NamedTuple):
    """The pose of a rig's last frame."""

    rotations: Floats
    """Rotation of each bone, (n, 4) w x y z, root space."""
    pulled: Sequence[float]
    """Offset of a free root from its start position, (3,), root space."""
    shifts: Mapping[int, float]
    """Displacement of the nodes that slide, by index."""


class BoundBones(LayeredRig):
    """Bones, their effectors, and the settings of their solve."""

    # a misspelt setting is an error, not a new attribute
    __slots__ = (
        "_bind",
        "_binding",
        "_changed_at_zero",
        "_effectors",
        "_given_limits",
        "_limits",
        "_order",
        "_phase",
        "_settings",
        "_solver",
        "_solver_name",
        "_spare_limits",
        "_tipped",
        "rig",
    )

    _binding: PoseBinding
    """Reads and writes the bones."""
    _effectors: tuple[Effector, ...]
    _solver: Any
    _limits: dict[str | int, Limit]

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

    def __init__(
        self,
        bind: Bind,
        rig: FrameOwner | None,
        solver: str,
        limits: LimitsByJoint | None,
        order: float,
        settings: Mapping[str, Any],
    ) -> None:
        known = SolveSettings.__dataclass_fields__
        for name in settings:
            if name not in known:
                raise SettingError(
                    f"there is no setting {name!r}: {suggest(name, known)}"
                )
        self._bind, self.rig = bind, rig
        self.settings = DEFAULT.with_values(**settings)
        self.phase = Phase.LIMBS
        self.order = order
        self._solver_name = solver
        self._given_limits = copy_limits(limits)
        """The limits that were given, without those that nodes have of their own."""
        self._spare_limits: dict[str | int, Limit] = {}
        """Limits of bones that a smaller ``chain_length`` dropped."""
        self._changed_at_zero = False
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

    def _reconnect(self) -> None:
        """Make a new update after a change of target, pole or orientation."""
        raise NotImplementedError

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
        self._spare_limits = {}

    def _swap_solver(self, name: str, given: dict[str | int, Limit]) -> None:
        """Set a new solver, which continues from the pose of the last one."""
        limits = self._binding.all_limits(given)
        solver = self._make_solver(name, self._binding, limits)
        self._check_solver(solver, name)
        state = self._state()
        self._solver_name, self._solver = name, solver
        self._continue_from(state)
        self._given_limits, self._limits = given, limits
        self._binding.set_sliding(limits)
        self._update_tips()

    def _make_solver(
        self, name: str, binding: PoseBinding, limits: dict[str | int, Limit]
    ) -> Any:
        """Return a solver for the bones of a binding."""
        raise NotImplementedError

    def _rebind_to(
        self,
        binding: PoseBinding,
        leaves: Sequence[p3d.NodePath],
        given: dict[str | int, Limit],
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
            effector.rebind(leaf, offset)
        self._bound()

    def _bound(self) -> None:
        """Prepare newly bound bones and their effectors."""
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
        if change is PoseChange.RESIZED:
            self._set_rest_pose()
        touched = change is not PoseChange.UNCHANGED
        before = self._changed_at_zero
        self._changed_at_zero = touched and self.weight == 0.0
        return touched or before

    def _set_rest_pose(self) -> None:
        """Update the solver's rest pose after a bone was moved or scaled."""
        if self._binding.slides:
            # the ranges of slides may have changed with it
            self._swap_solver(self._solver_name, self._given_limits)
        else:
            self._binding.pass_rest_pose(self._solver)
            if self._tipped:
                self._pass_tips()

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

    def _continue_from(self, state: RigState) -> None:
        """Pass the solver a pose to continue from."""
        raise NotImplementedError

    def _update_tips(self) -> None:
        """Pass the effectors' tips to the solver.

        Raises:
            SettingError: It is a custom solver without support for tips.
        """
        tipped = any(any(end.tip) for end in self._effectors)
        if tipped or self._tipped:
            self._check_solver(self._solver, self._solver_name)
            # over an animation each frame passes them
            if not (tipped and self._binding.animated):
                self._pass_tips()
        self._tipped = tipped
        self._reconnect()

    def _pass_tips(self) -> None:
        """Pass the offsets of the tips in the start pose to the solver."""
        offsets = [self._binding.tip_offset(end) for end in self._effectors]
        self._solver.set_tips(offsets)

    def _check_solver(self, solver: Any, name: str) -> None:
        """Check that a solver supports the tips in use, and animation.

        Raises:
            SettingError: It is a custom solver that does not.
        """
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
