"""BoundBones: the bones of a chain or tree, with their solver, settings and limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple

import panda3d.core as p3d

from ...errors import SettingError, shown
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
"""Returns what reads and writes nodes, given the index of each one's parent."""


class RigState(NamedTuple):
    """The pose of a rig's last frame."""

    rotations: Floats
    """Of the bones, (n, 4) w x y z, root space."""
    pulled: Sequence[float]
    """How far a free root is from where it starts, (3,), root space."""
    shifts: Mapping[int, float]
    """How far the nodes that slide are, by index."""


class BoundBones(LayeredRig):
    """Bones, effectors that they reach with, and what is set of their solve."""

    # a misspelt setting is an error, not a new attribute
    __slots__ = (
        "_effectors",
        "_limits",
        "_order",
        "_phase",
        "_posed",
        "_settings",
        "_solver",
        "_solver_name",
        "_tipped",
        "bind",
        "binding",
        "given_limits",
        "rig",
    )

    binding: PoseBinding
    """What reads and writes the bones."""
    _effectors: tuple[Effector, ...]
    _solver: Any
    _limits: dict[str | int, Limit]

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
        known = [field.name for field in fields(SolveSettings)]
        for name in settings:
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise SettingError(
                    f"there is no setting {name!r}: {hint}There are {', '.join(known)}"
                )
        self.bind, self.rig = bind, rig
        self.settings = SolveSettings(**settings)
        self.phase = Phase.LIMBS
        self.order = order
        self._solver_name = solver
        self.given_limits = copy_limits(limits)
        """The limits that were given, without those that nodes have of their own."""
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

    def reweigh(self) -> None:
        """Take notice that an effector has another weight."""

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
