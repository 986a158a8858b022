"""What every chain solver has in common: settings, result and the frame around it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..errors import ModelError, SettingError
from ..kernels import buffer
from ..kernels.chain import ChainKernel
from ..model import ChainModel
from ..spatial import Floats, conjugate, multiply

__all__ = [
    "ChainSolver",
    "SolveResult",
    "SolveSettings",
    "SolveStatus",
]

Numbers = Sequence[float]

MOST_ITERATIONS = 1_000_000
HELD_BY_STEP = 2
"""What the kernel returns when ``max_step`` keeps the pose back."""
TINY, HUGE = sys.float_info.min, sys.float_info.max
ROLLS = ("start", "parent")


class SolveStatus(Enum):
    """How a solve ended."""

    CONVERGED = "converged"
    """The tip is within tolerance of the goal."""
    UNREACHABLE = "unreachable"
    """The goal is out of reach (or inside the dead zone of a long bone, or held off by
    ``soften``): the chain comes as near as it can."""
    STALLED = "stalled"
    """The solution is known but not shown: ``weight`` or ``max_step`` holds it back."""
    MAX_ITERATIONS = "max_iterations"
    """The iterations ran out; more of them would come nearer."""
    INVALID_TARGET = "invalid_target"
    """Target or pole is missing or not finite: the pose stays as it was."""

    # members of an enum that is used in every frame: identity is enough, and cheap
    __hash__ = object.__hash__


class SolveResult(NamedTuple):
    """What one solve did, always true of the pose that is shown."""

    status: SolveStatus
    """How it ended."""
    error: float
    """Distance from the tip to the goal [scene unit, root space]."""
    iterations: int
    """Iterations used; the closed finish after them is not counted."""
    lengthening: float = 1.0
    """By how much ``stretch`` lengthened the bones; 1 is not at all."""
    detail: str = ""
    """What was wrong, when the status is INVALID_TARGET."""

    @property
    def converged(self) -> bool:
        """Whether the tip is within tolerance of the goal."""
        return self.status is SolveStatus.CONVERGED


@dataclass(frozen=True, kw_only=True)
class SolveSettings:
    """How a chain is solved. Every value is checked once, when it is set.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    iterations: int = 10
    """Most iterations per solve, at least 1."""
    tolerance: float | None = None
    """How near the tip must come [scene unit]. None: a thousandth of the reach. The
    closed finish usually leaves far less."""
    weight: float = 1.0
    """Blend from the start pose (0) to the solution (1)."""
    soften: float = 0.0
    """Last part of the reach, 0 to 0.99, in which the chain eases into full extension
    instead of snapping straight."""
    snap_back_strength: float = 1.0
    """1: every frame starts from the start pose, so the pose depends on the goal alone.
    0: it starts from the last frame, so the chain keeps bends it was pulled into."""
    stretch: float = 0.0
    """How much longer the bones may become to reach; 0.1 is 10 %."""
    max_step: float | None = None
    """Most turn of a joint against its parent [rad/s]. None: no limit."""
    twist_spread: float = 0.0
    """Share, 0 to 1, of the leaf's roll that the bones before it take up gradually."""

    roll_from: Literal["start", "parent"] = "start"
    """What a bone's roll is least against. "start": its own start direction, so that it
    depends on nothing but where the bone points; it spins where the bone comes to point
    straight back. "parent": the bone before it, which has no such place unless the
    joint folds right over; for tentacles and others that swing all round."""

    def __post_init__(self) -> None:
        """Check every value and keep plain numbers."""
        count = self.iterations
        if (
            isinstance(count, bool)
            or not isinstance(count, Integral)
            or not 1 <= count <= MOST_ITERATIONS
        ):
            raise SettingError(
                f"iterations must be a whole number from 1 to {MOST_ITERATIONS}, "
                f"not {count!r}"
            )
        object.__setattr__(self, "iterations", int(count))
        self._check("tolerance", "None or a distance > 0", above=0.0, none=True)
        self._check("weight", "0 to 1", most=1.0)
        self._check("soften", "0 to 0.99", most=0.99)
        self._check("snap_back_strength", "0 to 1", most=1.0)
        self._check("stretch", ">= 0")
        self._check("max_step", "None or an angle > 0", above=0.0, none=True)
        self._check("twist_spread", "0 to 1", most=1.0)
        if not isinstance(self.roll_from, str) or self.roll_from not in ROLLS:
            raise SettingError(
                f"roll_from must be 'start' or 'parent', not {self.roll_from!r}"
            )

    def _check(
        self,
        name: str,
        allowed: str,
        *,
        above: float = -TINY,
        most: float = HUGE,
        none: bool = False,
    ) -> None:
        value: Any = getattr(self, name)
        if value is None and none:
            return
        if (
            isinstance(value, bool)
            or not isinstance(value, Real)
            or not above < float(value) <= most
        ):
            raise SettingError(f"{name} must be {allowed}, not {value!r}")
        object.__setattr__(self, name, float(value))


DEFAULT = SolveSettings()


class ChainSolver:
    """A chain, its workspace and one frame of solving; methods add the iteration.

    The workspace keeps the last pose, which is where the next frame starts when
    ``snap_back_strength`` is below 1.
    """

    kernel_type: ClassVar[type[ChainKernel]] = ChainKernel

    def __init__(self, model: ChainModel) -> None:
        self._buffers = make_buffers(model)
        # the kernels are untyped Python: Cython declares their types beside them
        self._kernel: Any = self.kernel_type(model.bone_count, self._buffers)
        self._tolerance = 0.0
        self.local_buffer: Numbers = self._buffers["local"]
        """The numbers of ``local_rotations``, flat and live."""
        self.settled = False
        """Whether the same goal again needs no solve: nothing would come nearer."""
        self.remodel(model)
        self.reset()

    def remodel(self, model: ChainModel) -> None:
        """Take another start pose of as many bones; keep the pose of the last frame.

        Raises:
            ModelError: The number of bones is another one.
        """
        kernel = self._kernel
        if model.bone_count != kernel.n:
            raise ModelError(
                f"the solver is for {kernel.n} bones, but the model has "
                f"{model.bone_count}: make a new solver"
            )
        self.model = model
        for name, values in start_values(model).items():
            self._buffers[name][:] = buffer(values)
        lengths = model.bone_lengths
        kernel.reach = model.reach
        kernel.longest = int(lengths.argmax())
        kernel.dead_zone = max(0.0, 2.0 * float(lengths.max()) - model.reach)
        self._settings: SolveSettings | None = None
        self._start: Numbers = tuple(model.positions[0].tolist())
        self._root: Numbers = self._start

    def reset(self) -> None:
        """Forget the last frame: put the pose back to the start pose."""
        kernel, buffers = self._kernel, self._buffers
        buffers["pos"][:] = buffers["rest"]
        identity = [1.0, 0.0, 0.0, 0.0] * (self.model.bone_count + 1)
        buffers["delta"][:] = buffer(identity)
        frame = buffers["frame"]
        kernel.cx, kernel.cy, kernel.cz = frame[0], frame[1], frame[2]
        kernel.bx, kernel.by, kernel.bz = frame[3], frame[4], frame[5]
        kernel.lengthening = 1.0
        kernel.write()

    @property
    def positions(self) -> Floats:
        """Joint positions of the last solve, (n + 1, 3) [scene unit], root space."""
        joints: Floats = np.array(self._buffers["old"]).reshape(-1, 3)
        joints += self._root
        return joints

    @property
    def rotations(self) -> Floats:
        """Joint rotations of the last solve, (n + 1, 4) w x y z, root space."""
        return np.array(self._buffers["rot"]).reshape(-1, 4)

    @property
    def local_rotations(self) -> Floats:
        """Joint rotations of the last solve, (n + 1, 4) w x y z, each in its frame."""
        return np.array(self._buffers["local"]).reshape(-1, 4)

    def solve(
        self,
        goal: Numbers,
        *,
        pole: Numbers | None = None,
        root: Numbers | None = None,
        tip_turn: Numbers | None = None,
        settings: SolveSettings = DEFAULT,
        dt: float = 1.0 / 60.0,
    ) -> SolveResult:
        """Move the workspace pose towards ``goal``.

        Args:
            goal: Where the tip should be, (3,) [scene unit], root space.
            pole: Point that the chain bends towards, (3,) [scene unit], root space. The
                joints then lie in the plane of root, goal and pole, in one arc on the
                pole's side. Within 6° of the goal's line the pole's pull fades, so that
                nothing snaps when they line up.
            root: Where the chain's root joint is now, (3,) [scene unit], root space.
                Default: where the model has it.
            tip_turn: Rotation of the leaf from its start rotation, (4,) w x y z, root
                space. Default: the leaf turns with the last bone.
            settings: Limits and blending.
            dt: Time since the last frame [s]; only ``max_step`` uses it.

        Returns:
            Status, remaining error and iterations used. A goal out of reach gives a
            straight chain pointing at it and ``SolveStatus.UNREACHABLE``; one that is
            not finite leaves the pose alone and gives ``INVALID_TARGET``.

        Raises:
            SettingError: An argument is not of this shape.
        """
        kernel = self._kernel
        if settings is not self._settings:
            self._apply(settings)
        if root is None:
            root = self._start
        px = py = pz = 0.0
        size = 1.0
        try:
            rx, ry, rz = root
            gx, gy, gz = goal
            if pole is not None:
                px, py, pz = pole
            if tip_turn is not None:
                tip = self._buffers["tip"]
                w, x, y, z = tip[0], tip[1], tip[2], tip[3] = tip_turn
                size = w * w + x * x + y * y + z * z
            # one sum tells whether anything is not finite, or too large to be squared
            total = gx * gx + gy * gy + gz * gz + rx * rx + ry * ry + rz * rz
            total += px * px + py * py + pz * pz + size
        except (TypeError, ValueError):
            raise SettingError(
                "a solve takes 3 numbers for goal, pole and root and 4 for tip_turn, "
                f"not goal={goal!r}, pole={pole!r}, root={root!r}, "
                f"tip_turn={tip_turn!r}"
            ) from None
        if not isfinite(total) or size < 1e-12:
            detail = _find_bad(goal=goal, pole=pole, root=root, tip_turn=tip_turn)
            return SolveResult(
                SolveStatus.INVALID_TARGET, inf, 0, kernel.lengthening, detail
            )
        if not 0.0 <= dt < inf:
            dt = 0.0
        self._root = root
        held = kernel.solve(
            gx - rx,
            gy - ry,
            gz - rz,
            pole is not None,
            px - rx,
            py - ry,
            pz - rz,
            tip_turn is not None,
            dt,
        )
        error = kernel.error
        if error <= self._tolerance:
            status = SolveStatus.CONVERGED
        elif held:
            status = SolveStatus.STALLED
        elif kernel.out_of_reach:
            status = SolveStatus.UNREACHABLE
        else:
            status = SolveStatus.MAX_ITERATIONS
        self.settled = held != HELD_BY_STEP and (
            kernel.snap_back == 1.0
            or status is SolveStatus.CONVERGED
            or status is SolveStatus.UNREACHABLE
        )
        return SolveResult(status, error, kernel.used, kernel.lengthening)

    def _apply(self, settings: SolveSettings) -> None:
        if not isinstance(settings, SolveSettings):
            raise SettingError(f"settings must be a SolveSettings, not {settings!r}")
        kernel = self._kernel
        self._settings = settings
        self._tolerance = (
            1e-3 * kernel.reach if settings.tolerance is None else settings.tolerance
        )
        kernel.tolerance = self._tolerance
        kernel.iterations = settings.iterations
        kernel.weight = settings.weight
        kernel.soften = settings.soften
        kernel.snap_back = settings.snap_back_strength
        kernel.stretch = settings.stretch
        kernel.max_step = settings.max_step or 0.0
        kernel.twist_spread = settings.twist_spread
        kernel.roll_from_parent = settings.roll_from == "parent"


def _find_bad(**inputs: Numbers | None) -> str:
    """Say which of the inputs of a solve can't be used, and why."""
    for name, values in inputs.items():
        if values is not None and not all(abs(v) < 1e150 for v in values):
            return f"{name} is not finite: {tuple(values)}"
    return f"tip_turn is no rotation: {inputs['tip_turn']}"


def make_buffers(model: ChainModel) -> dict[str, Any]:
    """Return the buffers of a kernel by name: the start pose's, and zeros."""
    n = model.bone_count
    sizes = {
        "pos": 3 * n + 3,
        "old": 3 * n + 3,
        "dir": 3 * n,
        "delta": 4 * n + 4,
        "wanted": 4 * n + 4,
        "rot": 4 * n + 4,
        "local": 4 * n + 4,
        "tip": 4,
        "scratch": 12,
    }
    values = start_values(model)
    values.update((name, [0.0] * size) for name, size in sizes.items())
    return {name: buffer(numbers) for name, numbers in values.items()}


def start_values(model: ChainModel) -> dict[str, list[float]]:
    """Return the numbers of a start pose by the name of their buffer."""
    lengths = model.bone_lengths
    unit = np.divide(
        model.start_directions,
        lengths[:, None],
        out=np.zeros((model.bone_count, 3)),
        where=lengths[:, None] > 0.0,
    )
    # from each joint's predecessor to the frame that the joint's rotation is given in
    before = np.vstack([[1.0, 0.0, 0.0, 0.0], model.rotations[:-1]])
    mirror = multiply(conjugate(before), model.frame_rotations)
    turned = float(np.abs(np.abs(mirror[1:, 0]) - 1.0).max() > 1e-9)
    return {
        "length": lengths.tolist(),
        "rest": (model.positions - model.positions[0]).ravel().tolist(),
        "rest_dir": unit.ravel().tolist(),
        "rest_rot": model.rotations.ravel().tolist(),
        "mirror": mirror.ravel().tolist(),
        "frame": [*np.concatenate(start_bend(model)).tolist(), turned],
    }


def start_bend(model: ChainModel) -> tuple[Floats, Floats]:
    """Return the start pose's unit chord and the unit direction it is bent in.

    A straight start pose bends towards root space's +Y, the way Panda3D's nodes face,
    or +X when it runs along Y.
    """
    rest = model.positions - model.positions[0]
    chord = rest[-1].copy()
    if np.linalg.norm(chord) < 1e-9 * model.reach:
        # a closed loop has no chord: take the joint farthest from the root
        chord = rest[np.linalg.norm(rest, axis=1).argmax()].copy()
    chord /= np.linalg.norm(chord)
    off_line = rest - np.outer(rest @ chord, chord)
    bend = off_line.sum(axis=0)
    if np.linalg.norm(bend) < 1e-6 * model.reach:
        bend = off_line[np.linalg.norm(off_line, axis=1).argmax()]
    if np.linalg.norm(bend) < 1e-6 * model.reach:
        axis = [1.0, 0.0, 0.0] if abs(chord[1]) > 0.99 else [0.0, 1.0, 0.0]
        bend = np.array(axis) - np.dot(axis, chord) * chord
    bend = bend - (bend @ chord) * chord
    return chord, bend / np.linalg.norm(bend)
