"""ActorChain: a limb of an Actor that reaches for a target over its animation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import panda3d.core as p3d

from ...errors import SettingError
from ...limits import Limit
from ...solvers import ChainSolver, SolveResult
from ..chain import IKChain
from ..rig import SettingValues
from ..transforms import read_turn
from .bones import ActorBones

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .rig import ActorRig

__all__ = ["ActorChain", "TipRotation"]

TipRotation = Literal["animation", "target", "normal", "bone"]

CORRECTIONS = 8
"""Most solves more where scales are uneven, each led by what the last one missed."""
CLOSE = 1e-4
"""Share of the reach that they may miss."""


class ActorChain(IKChain):
    """A limb of an Actor: an ``IKChain`` that starts from each frame's animation.

    ``ActorRig.chain`` makes them. All settings of an ``IKChain`` are there; ``start``
    and ``stop`` say whether the rig solves it.

    Args:
        rig: What it belongs to.
        leaf: Node of the joint that should reach the target.
        chain_length: Number of bones.
        target: Node to reach.
        pole: Node that the limb bends towards. Default: it bends as in the animation.
        tip_rotation: How the last joint is turned: as in the "animation", as the
            "target" (from how both were when the chain was made), from the animation to
            stand square on the "normal", the target's z axis, or with its "bone".
        solver: The method.
        limits: How far joints may turn from the pose that the model came in.
        settings: As for ``IKChain``.
    """

    __slots__ = ("_grip", "_lead", "_tip_rotation", "rig", "started")

    bones_type: ClassVar[type[ActorBones]] = ActorBones
    _nodes: ActorBones
    _solver: ChainSolver

    def __init__(
        self,
        rig: ActorRig,
        leaf: p3d.NodePath,
        chain_length: int,
        target: p3d.NodePath,
        pole: p3d.NodePath | None,
        *,
        tip_rotation: TipRotation,
        solver: str,
        limits: Mapping[str | int, Limit] | None,
        order: float,
        **settings: Unpack[SettingValues],
    ) -> None:
        self.rig = rig
        self.started = True
        self._lead: p3d.LVector3f | None = None
        self.tip_rotation = tip_rotation
        # from the animation each frame: what was before must not matter
        if settings.get("snap_back_strength") is None:
            settings["snap_back_strength"] = 1.0
        super().__init__(
            leaf,
            chain_length,
            target,
            pole,
            solver=solver,
            limits=limits,
            order=order,
            **settings,
        )
        if not isinstance(self._solver, ChainSolver):
            raise SettingError(
                f"solver {solver!r} can't follow an animation: a solver of your own "
                "must be a ChainSolver for that"
            )

    @property
    def tip_rotation(self) -> TipRotation:
        """How the last joint is turned: "animation", "target", "normal" or "bone"."""
        return self._tip_rotation

    @tip_rotation.setter
    def tip_rotation(self, value: TipRotation) -> None:
        if value not in get_args(TipRotation):
            raise SettingError(
                f"tip_rotation must be one of {', '.join(get_args(TipRotation))}, not "
                f"{value!r}"
            )
        self._tip_rotation: TipRotation = value

    def start(self, task_mgr: Any = None) -> Self:
        """Let the rig solve this chain too, which it does from the beginning."""
        self.started = True
        return self

    def stop(self) -> None:
        """Leave the limb to the animation; ``fade`` does it gently."""
        self.started = False

    def solve(self) -> SolveResult:
        """Solve a frame of the whole rig and return how this chain went."""
        self.rig.solve()
        assert self.result is not None
        return self.result

    def grip(self) -> None:
        """Take how target and last joint are turned now for how they belong."""
        self._grip = self._turn(self.leaf) * self._turn(self.target).conjugate()

    def _turn(self, node: p3d.NodePath) -> p3d.LQuaternionf:
        turn = read_turn(node.get_transform(self._nodes.root))
        turn.normalize()
        return turn

    def _read_target(self) -> tuple[Any, Any]:
        """Return the goal, and how the leaf turns from its animation."""
        nodes = self._nodes
        goal, _ = self._target.read(nodes, False)
        kind = self._tip_rotation
        turn: tuple[float, ...] | None = None
        if kind == "animation":
            turn = (1.0, 0.0, 0.0, 0.0)
        elif kind == "target":
            # rows first: from the animation back, then to where the target has it
            now = self._turn(self.leaf).conjugate()
            turn = tuple(now * self._grip * self._turn(self.target))
        elif kind == "normal":
            up = nodes.root.get_relative_vector(self.rig.actor, p3d.LVector3f(0, 0, 1))
            normal = nodes.root.get_relative_vector(self.target, p3d.LVector3f(0, 0, 1))
            turn = tuple(_between(up, normal))
        if self._lead is not None:
            goal = tuple(p3d.LPoint3f(*goal) + self._lead)
        return goal, turn

    def _frame(self, dt: float) -> SolveResult:
        """Solve; where scales are uneven again, led by what the model misses."""
        nodes = self._nodes
        self._lead = None
        result = super()._frame(dt)
        for _ in range(CORRECTIONS if nodes.uneven else 0):
            meant = p3d.LPoint3f(*self._solver.positions[-1])
            lead = meant - self.leaf.get_pos(nodes.root)
            missed = (lead - (self._lead or p3d.LVector3f(0))).length()
            if missed < CLOSE * self.reach:
                break
            self._lead = lead
            nodes.put_back()
            result = super()._frame(dt)._replace(error=missed)
        return result


def _between(a: p3d.LVector3f, b: p3d.LVector3f) -> p3d.LQuaternionf:
    """Return the smallest turn from one direction to another."""
    a.normalize()
    b.normalize()
    half = a + b
    if half.length_squared() < 1e-12:
        # straight back: about anything square to it
        half = a.cross(
            p3d.LVector3f(1, 0, 0) if abs(a[0]) < 0.9 else p3d.LVector3f.up()
        )
    half.normalize()
    return p3d.LQuaternionf(a.dot(half), a.cross(half))
