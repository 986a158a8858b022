"""A chain's joints as coordinates inside their limits, for the methods that need it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import SettingError
from ..kernels import buffer, index_buffer
from ..kernels.sweeps import SweepKernel
from ..limits import AxesLimit, ConeLimit, FixedLimit, HingeLimit, Limit
from ..model import ChainModel
from ..spatial import Floats
from .settings import Blocked, SolveSettings

__all__ = ["JointSpace", "LimitsByJoint", "check_limits"]

LimitsByJoint = Mapping[str | int, Limit]

BALL, AXES, CONE, FIXED = range(4)
FREE = 1e30
"""A bound that is none."""
AT_LIMIT = 1e-6
"""How near a coordinate counts as at its bound [rad]."""
RESTARTS = 20
FINISH = 30
"""Most steps of the finish after sweeps."""
FINE = 1e-4
"""Share of the tolerance to go on to while iterations are left: so the pose depends on
the goal, not on where within the tolerance a solve happened to end."""


def check_limits(model: ChainModel, limits: LimitsByJoint) -> dict[int, Limit]:
    """Return the limits by joint index.

    Raises:
        SettingError: A key is no joint, or a value no limit.
    """
    found: dict[int, Limit] = {}
    names = model.names
    for key, limit in limits.items():
        if isinstance(key, str):
            places = [i for i, name in enumerate(names) if name == key]
        elif isinstance(key, int) and not isinstance(key, bool):
            places = [key % len(names)] if -len(names) <= key < len(names) else []
        else:
            places = []
        if len(places) != 1:
            problem = "is the name of several joints" if places else "is no joint"
            raise SettingError(
                f"limits: {key!r} {problem} of this chain; it has "
                f"{', '.join(names)} (0 to {len(names) - 1})"
            )
        if not isinstance(limit, Limit):
            raise SettingError(
                f"limits: {key!r} must have a HingeLimit, AxesLimit, ConeLimit or "
                f"FixedLimit, not {limit!r}"
            )
        found[places[0]] = limit
    return found


class JointSpace:
    """The joints of a chain in coordinates; the kernel and what Python adds to it.

    Args:
        model: The chain.
        limits: By name or index.
        turns: The buffer that the joints' turns in root space go to, 4 (n + 1).
        goal_turn: The buffer that the turn asked of the leaf is in, 4.
    """

    def __init__(
        self, model: ChainModel, limits: LimitsByJoint, turns: Any, goal_turn: Any
    ) -> None:
        self.limits = check_limits(model, limits)
        self.limited = bool(self.limits)
        count = model.bone_count + 1
        kinds = [_kind(self.limits.get(j)) for j in range(count)]
        sizes = [_freedom(self.limits.get(j)) for j in range(count)]
        first = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        m = max(first[-1], 1)
        zeros = {
            **dict.fromkeys(("offset", "bone", "across", "up", "places"), 3 * count),
            **dict.fromkeys(("half", "q", "shown_q", "kept_q", "first_q"), 4 * count),
            **dict.fromkeys(("lower", "upper", "value", "shown_value"), m),
            **dict.fromkeys(("kept_value", "first_value", "gradient", "step"), m),
            **dict.fromkeys(("low", "high"), m),
            **dict.fromkeys(("axis", "columns"), 3 * m),
            **dict.fromkeys(("tool", "goal", "tips"), 3),
            **dict.fromkeys(("residual", "solved"), 6),
            "weights": 2,
            "work": 16,
            "jacobian": 6 * m,
            "normal": 36,
            "goals": 3 * count,
        }
        self.buffers: dict[str, Any] = {
            name: buffer([0.0] * size) for name, size in zeros.items()
        }
        self.buffers["turns"], self.buffers["goal_turn"] = turns, goal_turn
        for name, values in (
            ("parent", range(-1, count - 1)),
            ("kind", kinds),
            ("first", first),
            ("effector", [count - 1]),
            ("held", [0] * m),
        ):
            self.buffers[name] = index_buffer(values)
        self.kinds, self.first = kinds, first
        # the kernels are untyped Python: Cython declares their types beside them
        kernel_type: Any = SweepKernel
        self.kernel: Any = kernel_type(count, first[-1], 1, self.buffers)
        self.remodel(model)
        self.kernel.rest()
        self.kernel.show(1.0, -1.0)

    def remodel(self, model: ChainModel) -> None:
        """Take the start pose; the coordinates stay as they are."""
        buffers = self.buffers
        offsets = np.vstack([np.zeros(3), model.start_directions])
        buffers["offset"][:] = buffer(offsets.ravel().tolist())
        bones = bone_directions(model)
        self.kernel.size = model.reach
        for j, limit in self.limits.items():
            a, b = self.first[j], self.first[j + 1]
            if isinstance(limit, ConeLimit):
                right, up = _cone_frame(bones[j], np.array(limit.up))
                _put(buffers["bone"], 3 * j, bones[j])
                _put(buffers["across"], 3 * j, -right)
                _put(buffers["up"], 3 * j, up)
                r, u, le, d = limit.half_angles  # type: ignore[misc]
                _put(buffers["half"], 4 * j, (le, u, r, d))
                lower, upper = limit.twist or (-FREE, FREE)
                _put(buffers["lower"], a, (-FREE, -FREE, lower))
                _put(buffers["upper"], a, (FREE, FREE, upper))
            elif isinstance(limit, (HingeLimit, AxesLimit)):
                axes, lows, highs = _axes(limit)
                _put(buffers["axis"], 3 * a, np.ravel(axes))
                _put(buffers["lower"], a, np.maximum(lows, -FREE))
                _put(buffers["upper"], a, np.minimum(highs, FREE))
                assert b - a == len(lows)

    def aim(self, kernel: Any, orientation_weight: float) -> None:
        """Take the frame's goal from the chain's kernel."""
        buffers = self.buffers
        goal = buffers["goal"]
        goal[0], goal[1], goal[2] = kernel.gx, kernel.gy, kernel.gz
        buffers["weights"][0] = 1.0
        buffers["weights"][1] = orientation_weight
        self.kernel.scale = kernel.lengthening
        self.kernel.stuck = 0

    def search(self, settings: SolveSettings, tolerance: float) -> int:
        """Damped least squares with restarts; return the iterations used."""
        used: int = self.kernel.search(
            settings.iterations,
            tolerance,
            settings.orientation_tolerance,
            FINE,
            RESTARTS,
        )
        return used

    def sweep(self, sweep: Any, settings: SolveSettings, tolerance: float) -> int:
        """Sweep, then close the gap that is left; return the iterations used."""
        turn_tolerance = settings.orientation_tolerance
        used: int = sweep(settings.iterations, tolerance, turn_tolerance)
        self.kernel.search(FINISH, tolerance, turn_tolerance, FINE, 0)
        return used

    def blocked(self, names: tuple[str, ...]) -> tuple[Blocked, ...]:
        """Return the joints that sit at a limit in the pose that is shown."""
        value = self.buffers["shown_value"]
        lower, upper = self.buffers["lower"], self.buffers["upper"]
        found = []
        for j, limit in sorted(self.limits.items()):
            start, cone = self.first[j], isinstance(limit, ConeLimit)
            if cone and self._at_edge(j):
                found.append(Blocked(j, names[j], "cone"))
            for k in range(start + (2 if cone else 0), self.first[j + 1]):
                for end, gap in (
                    ("lower", value[k] - lower[k]),
                    ("upper", upper[k] - value[k]),
                ):
                    if gap <= AT_LIMIT:
                        word = f"twist {end}" if cone else end
                        found.append(Blocked(j, names[j], word))
        return tuple(found)

    def _at_edge(self, j: int) -> bool:
        half, k = self.buffers["half"], self.first[j]
        x, y = self.buffers["shown_value"][k], self.buffers["shown_value"][k + 1]
        a = half[4 * j] if x >= 0.0 else half[4 * j + 2]
        b = half[4 * j + 1] if y >= 0.0 else half[4 * j + 3]
        return bool((x / a) ** 2 + (y / b) ** 2 >= (1.0 - AT_LIMIT) ** 2)


def bone_directions(model: ChainModel) -> Floats:
    """Return the unit direction of each joint's bone, (n + 1, 3); the leaf's is the
    last bone's."""
    found = np.zeros((model.bone_count + 1, 3))
    rows = model.start_directions / np.maximum(model.bone_lengths, 1e-300)[:, None]
    last = rows[int(model.bone_lengths.argmax())]
    for j in range(model.bone_count + 1):
        if j < model.bone_count and model.bone_lengths[j] > 0.0:
            last = rows[j]
        found[j] = last
    return found


def _kind(limit: Limit | None) -> int:
    if limit is None:
        return BALL
    if isinstance(limit, FixedLimit):
        return FIXED
    return CONE if isinstance(limit, ConeLimit) else AXES


def _freedom(limit: Limit | None) -> int:
    if isinstance(limit, AxesLimit):
        return len(limit.axes)
    return {FIXED: 0, AXES: 1}.get(_kind(limit), 3)


def _axes(limit: HingeLimit | AxesLimit) -> tuple[Any, Any, Any]:
    if isinstance(limit, HingeLimit):
        return [limit.axis], [limit.lower], [limit.upper]
    return limit.axes, limit.lower, limit.upper


def _cone_frame(bone: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Return right and up, unit and square to the bone."""
    off = up - (up @ bone) * bone
    if np.linalg.norm(off) < 1e-6:
        # up is along the bone: the axis furthest from it
        up = np.eye(3)[np.abs(bone).argmin()]
        off = up - (up @ bone) * bone
    off /= np.linalg.norm(off)
    return np.cross(bone, off), off


def _put(into: Any, start: int, values: Any) -> None:
    for i, value in enumerate(values):
        into[start + i] = float(value)
