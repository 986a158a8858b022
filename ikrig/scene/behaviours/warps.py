"""Warps: one walk for many speeds, directions and slopes."""

from __future__ import annotations

from cmath import exp as turned
from cmath import phase as angle_of
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import atan2, exp, hypot, pi
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d

from ...errors import BindError, SettingError, shown
from ...formats.rig_file.sections import COMMON, PLUS
from ...kernels import buffer, index_buffer, zeros
from ...kernels.spring_damper import Spring
from ...kernels.stride import StrideKernel
from ...math3d.quaternion import Floats
from ...records import Field, Record
from ...solvers.body import GOAL, BodyJoint, BodySolver
from ...value_shapes import Numbers, checked
from ..actor.actor_figure import limbs_of
from ..checked_setting import Checked, number
from ..ik.node_transforms import matrices
from ..ik.phase import Phase
from .behaviour import Behaviour
from .clip_feet import STANDS, ClipFeet, Played
from .full_body import body_of
from .legs import find_feet
from .pace_watch import expect_other_paces
from .sole import Corner, soles_of, standing_pose

if TYPE_CHECKING:
    from ...kernels.foot import Foot
    from ..actor.actor_rig import ActorRig

SMOOTH = 0.08
"""Time over which the speed of the Actor is averaged [s]."""
LEAP = 1.0
"""An Actor that moves this far in a frame is put there [leg lengths]."""
FLIPS = 0.17
"""How far beyond a right angle it begins, and ends, to walk backwards [rad]."""
STEEPEST = 0.7
"""Slope from which a trunk leans no further [rad]."""
UPRIGHT = 0.8
"""Part of a lean that the neck turns back."""
STRAIGHT = 0.995
"""Part of its length that a leg is stretched to."""
STRIDE = 0.6
"""Half the time over which the hips keep as low as a step needs [periods of a clip]."""
SHORTEST, LONGEST = 0.5, 4.0
"""Of periods of clips [s]."""
STATE = 17
"""Numbers of a leg's state, see the kernel."""
BESIDE = 0.5
"""Legs are a pair whose hips are less far ahead of each other [leg lengths]."""
BALL = 0.7
"""Place of the ball of a foot, from its heel / its length."""
_LIMITS = Numbers("two factors above 0, the lower first", 2)


class _Walk:
    """How an Actor moves and how its clips walk, each frame, as complex numbers.

    x + iy is a velocity on the ground of the Actor's own space.

    Args:
        rig: The Actor's rig.
    """

    def __init__(self, rig: ActorRig) -> None:
        self._skeleton = skeleton = rig.skeleton
        self.actor = actor = rig.actor
        find_feet(skeleton, None)
        expect_other_paces(skeleton)
        self.model = model = body_of(rig, {})
        self.legs = {name: x for name, x in model.limbs.items() if "foot" in name}
        """Joints of each leg, by the name of its goal."""
        feet = [model.ends[name] for name in self.legs]
        soles = dict(zip(feet, soles_of(skeleton, feet, None), strict=True))
        self._rest = rest = standing_pose(skeleton, None)
        self._forward = np.array(limbs_of(skeleton).forward)
        self.toes = {f: {joint for joint, _ in soles[f]} - {f} for f in feet}
        """Joints that bend where a foot rolls, by foot."""
        self._balls = {foot: self._ball_of(foot, sole) for foot, sole in soles.items()}
        self._mat = mat = actor.get_mat(skeleton.space)
        lines = [[rest[joint].get_row3(3) for joint in x] for x in self.legs.values()]
        lengths = [sum((b - a).length() for a, b in pairwise(x)) for x in lines]
        self.leg = max(lengths, default=1.0)
        """Length of its longest leg, in the Actor's space."""
        hips = np.array([tuple(line[0]) for line in lines])
        x, y, z = hips.mean(axis=0).tolist()
        self.middle = tuple(mat.xform_point((x, y, z)))
        """What it turns about, in the skeleton's space."""
        self.center = complex(x, y)
        # legs beside each other are led about their middle
        ahead = hips @ self._forward
        beside = np.abs(ahead[:, None] - ahead) < BESIDE * self.leg
        self._middles = [complex(*hips[pair].mean(axis=0)[:2]) for pair in beside]
        axes = np.array([tuple(mat.get_row3(k)) for k in range(3)])
        self._x, self._y = axes[:2].tolist()
        self.unit = float(np.linalg.norm(axes[2])) or 1.0
        """The Actor's unit in the skeleton's space."""
        self.up = axes[2] / self.unit
        """The vertical in the skeleton's space, a unit vector, (3,)."""
        balls = [(f, p3d.LPoint3f(*self.ball_of(f)[:3])) for f in feet]
        self._clips = ClipFeet(skeleton, soles, self.leg, balls)
        self._played = Played()
        self.reset()

    def ball_of(self, foot: str) -> Floats:
        """Return the numbers of a foot's ball for a ``StrideKernel``, (9,)."""
        ball, mat = self._balls[foot], self._rest[foot]
        joint = np.array(tuple(mat.get_row3(3))) - ball
        inverse = p3d.LMatrix4f()
        inverse.invert_from(mat)
        x, y, z = map(float, ball)
        ahead, unit = float(joint @ self._forward), self.unit
        place = np.array(tuple(self._mat.xform_point((x, y, z))))
        return np.array(
            (
                *inverse.xform_point((x, y, z)),
                *(unit * ahead, unit * joint[2], place @ self.up),
                *inverse.xform_vec((-self._forward[1], self._forward[0], 0.0)),
            )
        )

    def _ball_of(self, foot: str, sole: Sequence[Corner]) -> Floats:
        """Return where a foot bends, or else would, as it stands, (3,)."""
        toes = self.toes[foot]
        if toes:
            places = [tuple(self._rest[joint].get_row3(3)) for joint in toes]
            return np.asarray(np.mean(places, axis=0))
        ahead = self._forward
        points = [self._rest[joint].xform_point(at) for joint, at in sole]
        corners = np.array([tuple(point) for point in points])
        low, high = min(corners @ ahead), max(corners @ ahead)
        ball = corners.mean(axis=0)
        ball += (low + BALL * (high - low) - ball @ ahead) * ahead
        ball[2] = corners[:, 2].min()
        return np.asarray(ball)

    def reset(self) -> None:
        self._place: p3d.LPoint3f | None = None
        self.own = self.moved = 0j
        self.share = 0.0
        self.climb = 0.0
        """How fast the Actor goes up, per second in its own space."""
        self.period = SHORTEST

    def step(self, dt: float) -> None:
        """Measure a frame of dt seconds."""
        actor = self.actor
        top = actor.get_top()
        place, before = actor.get_pos(top), self._place
        self._place = place
        if before is None or not dt > 0.0:
            return
        x, y, z = actor.get_relative_vector(top, place - before)
        now = complex(x, y)
        if not hypot(x, y, z) < LEAP * self.leg:
            return
        share = 1.0 - exp(-dt / SMOOTH)
        self.moved += (now / dt - self.moved) * share
        self.climb += (z / dt - self.climb) * share
        playing = self._clips.playing
        self.own, self.share = self._clips.velocity(self._played, playing, dt)
        if playing:
            control, _, _ = max(playing, key=lambda each: each[2])
            clip = self._clips.clip(control.get_anim())
            _, rate = self._played.last[clip]
            period = clip.count / max(abs(rate), 1e-9)
            self.period = min(max(period, SHORTEST), LONGEST)

    @property
    def walks(self) -> bool:
        return self.share > 0.0

    @property
    def moves(self) -> bool:
        return abs(self.moved) > STANDS * self.leg

    def spine(self, chest: str, hips: str) -> list[str]:
        """Return what bends from the chest down to the hips, without these."""
        line = self._skeleton.lineage(chest) if chest and len(self.legs) < 3 else []
        line = line[: line.index(hips)] if hips in line else []
        return [joint for joint in line if joint in self.model.spine]

    def in_world(self, x: float, y: float, w: float) -> complex:
        """Return a point (w = 1) or vector (w = 0) on the ground in the world."""
        mat = self.actor.get_mat(self.actor.get_top())
        x, y, _, _ = mat.xform((x, y, 0.0, w))
        return complex(x, y)

    def leads(self, flat: float) -> list[tuple[complex, complex]]:
        """Return how far each foot is from its middle, and what takes its slide back.

        Args:
            flat: Whether feet are set down flat, 0 to 1.
        """
        leads = self._clips.leads(self._clips.playing, flat)
        leads = leads or [(middle, 0j) for middle in self._middles]
        return [
            (path - middle, slip)
            for (path, slip), middle in zip(leads, self._middles, strict=True)
        ]

    def middles(self, turn: complex) -> dict[str, complex]:
        """Return what each foot is led about, in the Actor's space, turned hips."""
        away = [(middle - self.center) * turn for middle in self._middles]
        return {f: self.center + x for f, x in zip(self.toes, away, strict=True)}

    def vector(self, way: complex) -> list[float]:
        """Return a way on the ground in the skeleton's space."""
        a, b = way.real, way.imag
        return [a * x + b * y for x, y in zip(self._x, self._y, strict=True)]

    def way(self, direction: complex) -> tuple[float, ...]:
        """Return a direction on the ground in the skeleton's space, of length 1."""
        way = self.vector(direction)
        size = hypot(*way) or 1.0
        return tuple(x / size for x in way)


class _Turning(Behaviour):
    """A warp that turns joints by an angle that follows how the Actor moves."""

    _phase = Phase.BODY
    seconds = Checked(number)
    """Time in which they turn [s]."""

    def __init__(
        self, rig: ActorRig, seconds: float, weight: float, order: float
    ) -> None:
        super().__init__(rig, order, weight)
        self.seconds = seconds
        self._walk, self._spring = _Walk(rig), Spring()

    @property
    def angle(self) -> float:
        """How far they are turned, to the left or ahead, in full effect [rad]."""
        return float(self._spring.value)

    def _turn(self, wanted: float, dt: float) -> float:
        """Turn further; return the angle with its weight, 0 where it has no effect."""
        self._spring.step(wanted, self.seconds, dt)
        angle = self._spring.value * self.weight
        return angle if 1e-6 < abs(angle) < 10.0 else 0.0

    def _reset(self) -> None:
        self._walk.reset()
        self._spring.reset(0.0)


class OrientationWarp(_Turning):
    """Turn hips and legs into the direction in which the Actor moves.

        warp = ikrig.OrientationWarp(rig)
        actor.set_x(actor, 1.2 * dt)  # its walk for straight ahead now goes sideways

    Up to a right angle to both sides, while chest, arms and head keep their heading:
    the spine turns back what the hips turn. Beyond that the legs walk backwards, for
    which a ``StrideWarp`` is needed too.

    It runs before ``StrideWarp`` and ``FootPlacement``.

    Args:
        rig: The Actor's rig.
        most: How far the hips turn at most [rad].
        seconds: Time in which they turn [s].
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, BODY.

    Raises:
        BindError: No legs are found.
        SettingError: A setting is out of range.
    """

    kind = "orientation_warp"
    title = "orientation warp"
    record = Record(
        "orientation_warp",
        "Hips and legs turn into the direction in which the Actor moves.",
        {
            "most": Field(
                PLUS, "How far the hips turn at most; default: 90.", degrees=True
            ),
            "seconds": Field(PLUS, "Time in which they turn, in seconds."),
            **COMMON,
        },
    )
    most = Checked(number)
    """How far the hips turn at most [rad]."""

    def __init__(
        self,
        rig: ActorRig,
        *,
        most: float = 0.5 * pi,
        seconds: float = 0.4,
        weight: float = 1.0,
        order: float = -2,
    ) -> None:
        super().__init__(rig, seconds, weight, order)
        self.most = most
        skeleton, walk = self._skeleton, self._walk
        ends = walk.model.ends
        if "hips" not in ends:
            raise BindError(
                f"no joint of {rig.actor.get_name()!r} carries all its legs"
            )
        hips = ends["hips"]
        # what an animal's hips carry turns with them
        spine = walk.spine(ends.get("chest", ""), hips)
        self._hips, *self._spine = skeleton.numbers([hips, *spine])
        self._middle = p3d.LPoint3d(*walk.middle)
        self._up = p3d.LVector3d(*walk.up)
        self.backwards = False
        """Whether the legs walk backwards."""
        rig.add(self, [hips, *spine])

    def _reset(self) -> None:
        super()._reset()
        self.backwards = False

    def _tell_feet(self, feet: Mapping[str, Foot]) -> None:
        walk, turn = self._walk, turned(1j * self.angle * self.weight)
        middle = walk.in_world(walk.center.real, walk.center.imag, 1.0)
        for foot in feet.values():
            place = middle + (complex(foot.plan_x, foot.plan_y) - middle) * turn
            way = complex(foot.way_x, foot.way_y) * turn
            foot.plan_x, foot.plan_y = place.real, place.imag
            foot.way_x, foot.way_y = way.real, way.imag

    def _frame(self, dt: float) -> None:
        walk = self._walk
        walk.step(dt)
        wanted = 0.0
        if walk.walks and walk.moves:
            wanted = angle_of(walk.moved / walk.own)
            beyond = abs(wanted) - 0.5 * pi
            if beyond > FLIPS or beyond < -FLIPS:
                self.backwards = beyond > 0.0
            if self.backwards:
                wanted -= pi if wanted > 0.0 else -pi
            wanted = max(-self.most, min(self.most, wanted))
        angle = self._turn(wanted, dt)
        if not angle:
            return
        pose, hips = self._skeleton.pose, self._hips
        turn, back = p3d.LQuaterniond(), p3d.LQuaterniond()
        turn.set_from_axis_angle_rad(angle, self._up)
        away = p3d.LVector3d(*pose.place(hips)) - self._middle
        x, y, z = turn.xform(away) - away
        pose.rotate(hips, *turn)
        pose.shift(hips, x, y, z)
        back.set_from_axis_angle_rad(-angle / max(len(self._spine), 1), self._up)
        for joint in self._spine:
            pose.rotate(joint, *back)


class SlopeWarp(_Turning):
    """Lean the trunk forwards uphill and backwards downhill, on stairs too.

        ikrig.SlopeWarp(rig)
        actor.set_pos(x, y, height(x, y))  # what goes up leans into the slope

    The slope is that of the Actor's way. The spine bends, evenly; neck and head turn
    back, so that the face leans less. Hips and legs are left to ``FootPlacement``.

    It runs before ``OrientationWarp``.

    Args:
        rig: The rig of an Actor on two legs.
        uphill: Lean / slope where it goes up.
        downhill: The same where it goes down.
        seconds: Time in which it leans [s].
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, BODY.

    Raises:
        BindError: No legs, or no spine above them, are found.
        SettingError: A setting is out of range.
    """

    kind = "slope_warp"
    title = "slope warp"
    record = Record(
        "slope_warp",
        "The trunk leans forwards uphill and backwards downhill.",
        {
            "uphill": Field(PLUS, "Lean / slope where it goes up; default: 0.3."),
            "downhill": Field(PLUS, "Lean / slope where it goes down; default: 0.5."),
            "seconds": Field(PLUS, "Time in which it leans, in seconds."),
            **COMMON,
        },
    )
    uphill = Checked(number)
    """Lean / slope where it goes up."""
    downhill = Checked(number)
    """Lean / slope where it goes down."""

    def __init__(
        self,
        rig: ActorRig,
        *,
        uphill: float = 0.3,
        downhill: float = 0.5,
        seconds: float = 0.5,
        weight: float = 1.0,
        order: float = -3,
    ) -> None:
        super().__init__(rig, seconds, weight, order)
        self.uphill, self.downhill = uphill, downhill
        skeleton = self._skeleton
        ends = self._walk.model.ends
        chest = ends.get("chest", "")
        spine = self._walk.spine(chest, ends.get("hips", ""))
        if not spine:
            name = rig.actor.get_name()
            raise BindError(f"{name!r} has no spine above two legs that could lean")
        neck = self._walk.spine(ends.get("head", ""), chest)
        self._spine, self._neck = skeleton.numbers(spine), skeleton.numbers(neck[-1:])
        self._gone = self._risen = 0.0
        """Mean speeds, along the ground and up."""
        self._way: tuple[float, ...] = (0.0, 0.0, 0.0)
        """The way that it leans along, which stays while it stops."""
        rig.add(self, [*spine, *neck[-1:]])

    def _reset(self) -> None:
        super()._reset()
        self._gone = self._risen = 0.0

    def _frame(self, dt: float) -> None:
        walk = self._walk
        walk.step(dt)
        wanted = 0.0
        if walk.moves:
            self._way = walk.way(walk.moved)
            # stairs are climbed in jumps
            share = 1.0 - exp(-dt / max(self.seconds, 1e-9))
            self._gone += (abs(walk.moved) - self._gone) * share
            self._risen += (walk.climb - self._risen) * share
            slope = max(-STEEPEST, min(STEEPEST, atan2(self._risen, self._gone)))
            wanted = slope * (self.uphill if slope > 0.0 else self.downhill)
        angle = self._turn(wanted, dt)
        if not angle:
            return
        axis = p3d.LVector3d(*walk.up).cross(p3d.LVector3d(*self._way))
        for joints, part in ((self._spine, 1.0), (self._neck, -UPRIGHT)):
            turn = p3d.LQuaterniond()
            turn.set_from_axis_angle_rad(part * angle / max(len(joints), 1), axis)
            for joint in joints:
                self._skeleton.pose.rotate(joint, *turn)


class StrideWarp(Behaviour):
    """Lengthen or shorten strides until they fit the speed of the Actor.

        warp = ikrig.StrideWarp(rig)
        actor.set_y(actor, -0.6 * dt)  # its walk at 1.25 m/s now walks at 0.6

    The feet of a clip move backwards as fast as the clip walks (``clip_speed``). They
    are led so much farther, or less far, along the way of the Actor that those on the
    ground do not slide. For long strides the hips come down as far as the legs need, by
    at most a third of a leg: what a leg then cannot reach, its foot slides.

    It runs after ``OrientationWarp`` and before ``FootPlacement``. Where the Actor
    moves against the way of its legs, they walk backwards.

    Args:
        rig: The Actor's rig.
        limits: Smallest and largest factor of the strides, 0.3 to 2 by default. Beyond
            them feet slide: play the clip at another rate too.
        seconds: Time in which the factor follows the speed [s].
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, BODY.

    Raises:
        BindError: No legs are found.
        SettingError: A setting is out of range.
    """

    kind = "stride_warp"
    title = "stride warp"
    record = Record(
        "stride_warp",
        "Strides fit the speed of the Actor.",
        {
            "limits": Field(_LIMITS, "Smallest and largest factor of the strides."),
            "seconds": Field(PLUS, "Time in which the factor follows, in seconds."),
            **COMMON,
        },
    )
    _phase = Phase.BODY
    seconds = Checked(number)
    """Time in which the factor follows the speed [s]."""

    def __init__(
        self,
        rig: ActorRig,
        *,
        limits: Sequence[float] = (0.3, 2.0),
        seconds: float = 0.3,
        weight: float = 1.0,
        order: float = -1,
    ) -> None:
        super().__init__(rig, order, weight)
        self.limits, self.seconds = limits, seconds
        skeleton = self._skeleton
        self._walk = walk = _Walk(rig)
        model = walk.model
        legs = walk.legs
        ends = {name: model.ends[name] for name in legs}
        if "hips" in model.ends:
            ends["hips"] = model.ends["hips"]
        within = {name for foot in ends.values() for name in skeleton.lineage(foot)}
        # a thigh at its limit would draw the hips along
        thighs = {line[0] for line in legs.values()}
        joints = tuple(
            BodyJoint(x.name, x.ease, x.axes, x.middle) if x.name in thighs else x
            for x in model.joints
            if not x.name or x.name in within
        )
        self._solver = BodySolver(
            skeleton.pose, replace(model, joints=joints, ends=ends, limbs=legs),
            matrices(1),
        )  # fmt: skip
        numbers, solved = self._solver.numbers, self._solver.goals
        self._leads = zeros(4 * len(legs))
        self._stride = StrideKernel(
            skeleton.pose,
            index_buffer(skeleton.numbers(x for line in legs.values() for x in line)),
            buffer(x for foot in legs for x in walk.ball_of(ends[foot])),
            numbers,
            index_buffer(GOAL * solved[foot] for foot in legs),
            buffer(walk.up.tolist()),
            self._leads,
            zeros(STATE * len(legs) + 12),
        )
        self._spring, self._drop, self._flat = Spring(1.0), Spring(), Spring()
        self._along, self._turn = 0j, 1.0 + 0j
        self._way: tuple[float, ...] = (0.0, 0.0, 0.0)
        """The way of the legs, which stays while the factor fades."""
        toes = [walk.toes[ends[foot]] for foot in legs]
        self._toes = [skeleton.numbers(names) for names in toes]
        self._reset()
        rig.add(self, [*(x.name for x in joints if x.name), *set[str]().union(*toes)])

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest factor of the strides."""
        return self._limits

    @limits.setter
    def limits(self, limits: Sequence[float]) -> None:
        low, high = checked(_LIMITS, limits, "limits", SettingError)
        if not 0.0 < low <= high:
            raise SettingError(f"limits must be {_LIMITS.words}, not {shown(limits)}")
        self._limits = low, high

    @property
    def factor(self) -> float:
        """Factor of the strides now; below 0 where they go backwards."""
        return float(self._spring.value)

    def _tell_feet(self, feet: Mapping[str, Foot]) -> None:
        walk, more = self._walk, self._spring.value - 1.0
        for name, middle in walk.middles(self._turn).items():
            foot = feet.get(name)
            if foot is None or not walk.walks:
                continue
            own = walk.in_world(self._along.real, self._along.imag, 0.0)
            middle = walk.in_world(middle.real, middle.imag, 1.0)
            # it does not slide
            place, way = complex(foot.plan_x, foot.plan_y), -foot.plan_half * own
            place += complex(foot.way_x, foot.way_y) - way - middle
            along = (place * own.conjugate()).real / abs(own) ** 2
            place += middle + more * along * own
            foot.plan_x += self.weight * (place.real - foot.plan_x)
            foot.plan_y += self.weight * (place.imag - foot.plan_y)
            foot.way_x += self.weight * ((1.0 + more) * way.real - foot.way_x)
            foot.way_y += self.weight * ((1.0 + more) * way.imag - foot.way_y)

    def _reset(self) -> None:
        self._walk.reset()
        self._solver.kernel.reset()
        self._spring.reset(1.0)
        self._drop.reset(0.0)
        self._flat.reset(0.0)
        self._peaks, self._held = [0.0, 0.0], 0.0
        self._sign = self._asked = 1.0

    def _frame(self, dt: float) -> None:
        walk, solver, skeleton = self._walk, self._solver, self._skeleton
        walk.step(dt)
        turned_by = sum(
            layer.angle * layer.weight
            for layer in self.rig.layers
            if isinstance(layer, OrientationWarp) and layer.started
        )
        turn = self._turn = turned(1j * turned_by)
        wanted, way = 1.0, walk.own * turn
        if walk.walks:
            self._along, self._way = way, walk.way(way)
            along = (walk.moved * way.conjugate()).real / abs(way) ** 2
            if along * self._sign < -STANDS * walk.leg / abs(way):
                self._sign = -self._sign
            low, high = self._limits
            size = max(low, min(high, along * self._sign))
            # while it is blended with a clip that stands, strides may be in between
            large = max(low, min(high, along * self._sign / walk.share))
            wanted = self._sign * max(size, min(large, self._sign * self._asked))
        self._asked = wanted
        self._spring.step(wanted, self.seconds, dt)
        self._flat.step(float(wanted < 0.0), self.seconds, dt)
        more = self._spring.value - 1.0
        kernel, numbers = solver.kernel, solver.numbers
        flat = self._flat.value if self._flat.value > 1e-6 else 0.0
        ahead = self._along / (abs(self._along) or 1.0)
        last = max(abs(more), flat, self._drop.value / walk.leg)
        for k, (path, slip) in enumerate(walk.leads(flat)):
            path, slip = path * turn, slip * turn
            along = (path * ahead.conjugate()).real * walk.unit
            self._leads[4 * k : 4 * k + 4] = buffer((along, *walk.vector(slip)))
            last = max(last, abs(slip) / walk.leg)
        if last < 1e-6 or not abs(more) < 10.0 or not kernel.read():
            return
        for goal in solver.goals.values():
            kernel.pin(goal)
            for c in (7, 8, 9):
                numbers[GOAL * goal + c] = 1.0
        # backwards, feet do not roll from the heel to the toes
        drop = self._stride.lead(*self._way, more, flat)
        if "hips" in solver.goals:
            # as low as the longest step of the last strides needs
            self._held += dt
            if self._held > STRIDE * (walk.period if walk.walks else SHORTEST):
                self._held, self._peaks = 0.0, [0.0, self._peaks[0]]
            self._peaks[0] = max(self._peaks[0], drop)
            # slower than the strides: hips weigh more than feet
            self._drop.step(max(self._peaks), 2.0 * self.seconds, dt)
            k = GOAL * solver.goals["hips"]
            for c in range(3):
                numbers[k + c] -= self._drop.value * float(walk.up[c])
        self._stride.place(self._drop.value)
        solver.solve_read(self.weight, -1.0)
        for k, toes in enumerate(self._toes):
            back = self._stride.back(k, self.weight)
            for toe in toes if back is not None else ():
                skeleton.pose.rotate(toe, *back)
