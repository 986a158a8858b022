"""HitReaction: a body that gives way to hits, and comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import atan2, cos, exp, sin, sqrt
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d

from ...checks import array_of
from ...errors import SettingError, shown
from ...formats.rig_file.sections import COMMON, PLUS
from ...kernels import buffer
from ...math3d.quaternion import Floats, about, multiply
from ...records import Field, Record
from ...solvers.body import GOAL, BodySolver
from ..actor.actor_figure import joint_named
from ..checked_setting import Checked, number
from ..ik.dependencies import note_change
from ..ik.node_transforms import matrices
from ..ik.phase import Phase
from .behaviour import Behaviour
from .full_body import FullBody, body_of

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

DAMPING = 0.5
"""Of the push: it comes back through the animated place by a sixth."""
FADED = 3.9
"""``seconds`` as a multiple of the time in which a push falls to 1/e: 2 % are left."""
PEAK = atan2(sqrt(1.0 - DAMPING**2), DAMPING) / sqrt(1.0 - DAMPING**2)
"""Time of the peak [1/frequency]."""
INERTIA = 20.0
"""Weight with which head and hands stay behind when a hit comes, over what is left."""
HIPS = 0.95
"""Weight with which hips that are not hit stay where they are: they are heavy."""
KICKED = 0.7
"""Weight with which the foot of a leg that is hit stays where it is."""
LOOSENED = 0.02
"""Push of a leg from which its foot has that weight, as a fraction of the size."""
TILTED = 0.8
"""Weight of the tilt of a head that is hit."""
TILT = 5.0
"""How far a head tilts that is pushed by the figure's size [rad]."""
FOLLOWS = 0.12
"""Time in which that falls to 1/e, as a fraction of ``seconds``."""
RISES = 0.1
"""Time in which it rises, as a fraction of that time."""
FARTHEST = 0.3
"""Bound of all pushes of a joint together, as a fraction of the figure's size."""
NOTHING = 1e-4
"""Push that ends, as a fraction of the figure's size."""


@dataclass
class Push:
    """How far a joint is pushed, in world space.

    Args:
        place: Distance from where it would be, (3,).
        speed: Its speed there, (3,).
    """

    place: Floats = field(default_factory=lambda: np.zeros(3))
    speed: Floats = field(default_factory=lambda: np.zeros(3))

    def step(self, frequency: float, dt: float) -> None:
        decay = DAMPING * frequency
        free = sqrt(frequency**2 - decay**2)
        c, s = cos(free * dt), sin(free * dt) / free
        place, speed = self.place, self.speed
        e = exp(-decay * dt)
        self.place = e * (c * place + s * (speed + decay * place))
        self.speed = e * (c * speed - s * (decay * speed + frequency**2 * place))


class HitReaction(Behaviour):
    """Let a body give way to hits: each runs through it and fades.

        reaction = ikrig.HitReaction(rig)
        reaction.hit("Chest", bullet_velocity, 0.12)

    The joint that is hit moves by ``strength`` at most, and the whole body with it, as
    far as each joint turns easily; head and hands stay behind at first, and a head that
    is hit tilts. Feet stay where
    they are, and so do hands that a chain, a ``Reach`` or a ``FullBody`` holds
    somewhere; the foot of a leg that is hit may move. Elbows and knees keep their
    limits. It comes on top of all else that moves the body; what hangs on the body,
    such as hair, follows. While nothing hits, it costs nothing.

    Several hits add up, in one place and in several, up to 0.3 of the figure's height
    for each joint. The time of the peak and of the way back does not depend on the
    frame rate.

    Args:
        rig: The Actor's rig.
        limbs: Limbs besides those found, or in their place, as for ``ActorRig.auto``.
        seconds: Time in which a hit fades [s]; its peak comes after a seventh of that.
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, SECONDARY.

    Raises:
        BindError: No limbs were found or given.
        SettingError: A setting is out of range.
    """

    kind = "hit_reaction"
    title = "hit reaction"
    record = Record(
        "hit_reaction",
        "The body gives way to hits, which come from code.",
        {
            "seconds": Field(
                PLUS, "Time in which a hit fades, in seconds; default: 0.6."
            ),
            **COMMON,
        },
    )
    _phase = Phase.SECONDARY
    seconds = Checked(number)
    """Time in which a hit fades [s]."""

    def __init__(
        self,
        rig: ActorRig,
        limbs: Mapping[str, object] | None = None,
        *,
        seconds: float = 0.6,
        weight: float = 1.0,
        order: float = 1,
    ) -> None:
        self._pushes: dict[str, Push] = {}
        super().__init__(rig, order, weight)
        self.seconds = seconds
        skeleton = self._skeleton
        model = body_of(rig, {} if limbs is None else limbs)
        names = [joint.name for joint in model.joints if joint.name]
        skeleton.numbers(names)
        led = set(model.ends.values())
        # any joint can be hit
        ends = {**model.ends, **{name: name for name in names if name not in led}}
        self._solver = BodySolver(skeleton.pose, replace(model, ends=ends), matrices(1))
        self._goals = {joint: self._solver.goals[end] for end, joint in ends.items()}
        self._hips = model.ends.get("hips", "")
        self._legs: dict[str, list[str]] = {}
        """The joints of the legs, by their ends."""
        for name, (first, _, foot) in model.limbs.items():
            if name.endswith("foot"):
                lineage = skeleton.lineage(foot)
                self._legs[foot] = lineage[: lineage.index(first) + 1]
        self._head = model.ends.get("head", "")
        ends_of = model.ends.items()
        self._loose = [j for x, j in ends_of if x.endswith("hand") or x == "head"]
        self._inertia = self._onset = 0.0
        """How much head and hands stay behind, and what it rises to."""
        rig.add(self, names)

    def hit(self, joint: str, direction: Sequence[float], strength: float) -> None:
        """Hit a joint.

        Args:
            joint: The joint, or its limb, such as "head"; fingers and the like pass the
                hit to the nearest joint above that belongs to the body.
            direction: Where the hit pushes, (3,), world space; any length above 0.
            strength: How far the joint moves at most [scene unit].

        Raises:
            BindError: There is no such joint.
            SettingError: The direction is 0, or a number is out of range.
        """
        skeleton = self._skeleton
        name = joint_named(skeleton, joint, "joint")
        way = array_of(direction, (3,), "direction", SettingError)
        # lengths whose squares are finite
        largest = float(np.abs(way).max())
        if not largest > 0.0:
            raise SettingError(f"direction must not be 0: {shown(direction)}")
        way = way / largest
        number(strength, "strength")
        place = next((j for j in skeleton.lineage(name) if j in self._goals), None)
        if place is None or strength == 0.0:
            return
        if not self._pushes:
            note_change(self)
        push = self._pushes.setdefault(place, Push())
        frequency = self._frequency
        fastest = strength * frequency * exp(DAMPING * PEAK)
        push.speed = push.speed + fastest / float(np.linalg.norm(way)) * way
        self._onset = INERTIA

    @property
    def _frequency(self) -> float:
        return FADED / DAMPING / max(self.seconds, 1e-3)

    @property
    def _acts(self) -> bool:
        return bool(self._pushes)

    def _reset(self) -> None:
        self._pushes.clear()
        self._solver.kernel.reset()
        self._inertia = self._onset = 0.0

    def _frame(self, dt: float) -> None:
        solver, size = self._solver, self._solver.model.size
        kernel, numbers = solver.kernel, solver.numbers
        frequency = self._frequency
        top = self.rig.actor.get_top()
        pushed: dict[str, Floats] = {}
        for joint, push in list(self._pushes.items()):
            push.step(frequency, dt)
            x, y, z = push.place
            u, v, w = push.speed / frequency
            into = self._space.get_relative_vector
            way = np.array(into(top, p3d.LVector3f(x, y, z)), float)
            rest = np.array(into(top, p3d.LVector3f(u, v, w)), float)
            far = sqrt(way @ way)
            if not far + sqrt(rest @ rest) > NOTHING * size:
                del self._pushes[joint]
                continue
            bound = FARTHEST * size
            pushed[joint] = way * min(1.0, bound / max(far, 1e-300))
        if not self._pushes:
            self._reset()
            note_change(self)
            return
        if not kernel.read():
            return
        self._stay_behind(dt)
        held = self._held(pushed)
        for joint, g in self._goals.items():
            k = GOAL * g
            kernel.goals.pin(g)
            shift = pushed.get(joint)
            weight = turn = 0.0
            if shift is not None:
                weight = 1.0
                if joint == self._head:
                    turn = TILTED
                    tilted = multiply(self._tilt(shift), numbers[k + 3 : k + 7])
                    numbers[k + 3 : k + 7] = buffer(tilted)
            elif joint in held:
                weight = turn = held[joint]
            elif joint in self._loose:
                weight = self._inertia / (1.0 + self._inertia)
                turn = weight if joint == self._head else 0.0
            elif joint == self._hips:
                weight = turn = HIPS
            if shift is not None:
                numbers[k : k + 3] = buffer(np.add(numbers[k : k + 3], shift))
            numbers[k + 7 : k + 10] = buffer((weight, turn, 1.0))
        solver.solve_read(self.weight, -1.0)

    def _stay_behind(self, dt: float) -> None:
        slow = FOLLOWS * max(self.seconds, 1e-3)
        fast = RISES * slow
        a, b = exp(-dt / slow), exp(-dt / fast)
        rising = self._onset * slow / (slow - fast) * (a - b)
        self._inertia = b * self._inertia + rising
        self._onset *= a

    def _tilt(self, shift: Floats) -> Floats:
        model = self._solver.model
        (a, b, c), (x, y, z) = model.up, shift.tolist()
        axis = np.array((b * z - c * y, c * x - a * z, a * y - b * x))
        return about(axis, min(TILT * sqrt(axis @ axis) / model.size, 1.0))

    def _held(self, pushed: Mapping[str, Floats]) -> dict[str, float]:
        """Return the joints that stay where they are, with weights."""
        held = {}
        for foot, joints in self._legs.items():
            far = sum(sqrt(pushed[j] @ pushed[j]) for j in joints if j in pushed)
            part = min(1.0, far / (LOOSENED * self._solver.model.size))
            held[foot] = 1.0 - part * (1.0 - KICKED)
        for layer in self.rig.layers:
            if isinstance(layer, FullBody) and layer.started:
                for one in layer._effectors.values():
                    if one.active:
                        held[one.joint] = layer.weight * one.weight
        for chain in self.rig._components:
            if chain.started and chain.weight > 0.0:
                for end in chain.effectors:
                    joint = self._skeleton.joint_of(end.leaf)
                    if joint in self._goals:
                        held[joint] = chain.weight * end.weight
        return held
