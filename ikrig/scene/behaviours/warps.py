"""Warps: one walk for many speeds, directions and slopes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, pairwise
from math import pi
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d

from ...errors import BindError, SettingError, name_list, shown
from ...formats.rig_file.sections import COMMON, PLUS
from ...kernels import buffer, index_buffer, zeros
from ...kernels.stride import StrideKernel
from ...kernels.walk import TurnKernel, WalkKernel
from ...math3d.quaternion import Floats
from ...records import Field, Record
from ...value_shapes import Numbers, checked
from ..actor.actor_figure import limbs_of
from ..actor.actor_limbs import knee_side
from ..checked_setting import Checked, number
from ..ik.phase import Phase
from .behaviour import Behaviour
from .clip_feet import ClipFeet, Led, Paced
from .full_body import body_of
from .legs import find_feet
from .pace_watch import expect_other_paces
from .sole import Corner, soles_of, standing_pose

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from ...kernels.foot import Foot
    from ...model.pose import Pose
    from ..actor.actor_rig import ActorRig

LEGS, FIGURE, WALK, TURN = 20, 11, 11, 6
"""Numbers of a leg and of a figure, of its walk and of what turns, see the kernels."""
UPRIGHT = 0.8
"""Part of a lean that the neck turns back."""
BESIDE = 0.5
"""Legs are a pair whose hips are less far ahead of each other [leg lengths]."""
ACCELERATION, NEAREST = 6.0, 0.03
"""Largest acceleration of thighs that go round with what turns, so far before or behind
its middle at least [leg lengths / s2, leg lengths]."""
BALL = 0.7
"""Place of the ball of a foot, from its heel / its length."""
_LIMITS = Numbers("two factors above 0, the lower first", 2)


class Walk:
    """How an Actor moves and how its clips walk: once a frame for all its warps.

    Args:
        rig: The Actor's rig.
    """

    def __init__(self, rig: ActorRig) -> None:
        self._skeleton = skeleton = rig.skeleton
        actor = rig.actor
        find_feet(skeleton, None)
        expect_other_paces(skeleton)
        self.model = model = body_of(rig, {})
        self.legs = {name: x for name, x in model.limbs.items() if "foot" in name}
        """Joints of each leg, by the name of its goal."""
        if not self.legs:
            raise BindError(
                f"no leg of Actor {actor.get_name()!r} has a thigh and a shin, which a "
                f"warp needs; its feet: {name_list(find_feet(skeleton, None))}"
            )
        self.feet = feet = [model.ends[name] for name in self.legs]
        soles = dict(zip(feet, soles_of(skeleton, feet, None), strict=True))
        self._rest = rest = standing_pose(skeleton, None)
        self._forward = np.array(limbs_of(skeleton).forward)
        self.toes = {f: {joint for joint, _ in soles[f]} - {f} for f in feet}
        """Joints that bend where a foot rolls, by foot."""
        self._balls = {foot: self._ball_of(foot, sole) for foot, sole in soles.items()}
        self._mat = mat = actor.get_mat(skeleton.space)
        lines = [[rest[joint].get_row3(3) for joint in x] for x in self.legs.values()]
        lengths = [sum((b - a).length() for a, b in pairwise(x)) for x in lines]
        leg = max(lengths, default=1.0)
        hips = np.array([tuple(line[0]) for line in lines])
        center = hips.mean(axis=0)
        self.middle = tuple(mat.xform_point(tuple(center.tolist())))
        """What it turns about, in the skeleton's space."""
        ahead = hips @ self._forward
        far = max(0.5 * float(np.ptp(ahead)) / leg, NEAREST)
        self.turning = ACCELERATION / far, 1.0 / far
        """Its largest acceleration as it turns [rad / s2], and turn / way of thighs."""
        # legs beside each other are led about their middle
        beside = np.abs(ahead[:, None] - ahead) < BESIDE * leg
        middles = [hips[pair].mean(axis=0)[:2] for pair in beside]
        axes = np.array([tuple(mat.get_row3(k)) for k in range(3)])
        self._unit = float(np.linalg.norm(axes[2])) or 1.0
        """The Actor's unit in the skeleton's space."""
        self.up = axes[2] / self._unit
        """The vertical in the skeleton's space, a unit vector, (3,)."""
        led = [
            self._led(*each) for each in zip(self.legs.values(), middles, strict=True)
        ]
        self._clips = ClipFeet(skeleton, soles, leg, led)
        frame = [*axes[:2].ravel(), *self.up, self._unit, leg, *center[:2]]
        self._frame = buffer([*frame, *np.ravel(middles)])
        self._state = zeros(WALK)
        self.kernel = self.make(skeleton.now().world.obj, self._state)
        self._measured = -1
        """Number of the last frame that was measured."""

    def make(self, world: object, state: MutableSequence[float]) -> WalkKernel:
        """Return a kernel that measures figures such as this one.

        Args:
            world: A figure's matrix in the world, 16 numbers in single precision.
            state: ``WALK`` numbers for each.
        """
        return WalkKernel(len(self.feet), self._frame, world, state)

    def resume(self, state: Sequence[float], paces: Sequence[Paced]) -> None:
        """Go on where a figure such as this one is, as ``kept`` tells."""
        self._measured = self._skeleton.frame
        self._state[:] = buffer(state)
        self._clips.paces = paces

    def kept(self) -> tuple[Sequence[float], Sequence[Paced]]:
        """Return what counts in the next frame: numbers, and the clips that play."""
        return self._state, self._clips.paces

    def step(self, dt: float) -> None:
        """Measure a frame of dt seconds, unless another warp has had it measured."""
        frame = self._skeleton.frame
        if frame == self._measured:
            return
        if frame != self._measured + 1:
            # no warp asked for what the Actor did since
            self.kernel.reset(0)
        self._measured = frame
        self._skeleton.now()
        self._clips.walk(self.kernel, dt)

    def ball_of(self, foot: str) -> Floats:
        """Return the numbers of a foot's ball for a ``StrideKernel``, (9,)."""
        ball, mat = self._balls[foot], self._rest[foot]
        joint = np.array(tuple(mat.get_row3(3))) - ball
        inverse = p3d.LMatrix4f()
        inverse.invert_from(mat)
        x, y, z = map(float, ball)
        ahead, unit = float(joint @ self._forward), self._unit
        place = np.array(tuple(self._mat.xform_point((x, y, z))))
        return np.array(
            (
                *inverse.xform_point((x, y, z)),
                *(unit * ahead, unit * joint[2], place @ self.up),
                *inverse.xform_vec((-self._forward[1], self._forward[0], 0.0)),
            )
        )

    def _led(self, joints: Sequence[str], about: Floats) -> Led:
        """Return how a leg is led, about a point."""
        foot = joints[-1]
        ball, stands = self._balls[foot], np.array(tuple(self._rest[foot].get_row3(3)))
        point = p3d.LPoint3f(*self.ball_of(foot)[:3])
        height, ahead = float(ball[2]), self._forward[:2]
        hips = "hips" in self.model.ends
        return Led((foot, point), joints, about, stands - ball, height, ahead, hips)

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

    def spine(self, chest: str, hips: str) -> list[str]:
        """Return what bends from the chest down to the hips, without these."""
        line = self._skeleton.lineage(chest) if chest and len(self.legs) < 3 else []
        line = line[: line.index(hips)] if hips in line else []
        return [joint for joint in line if joint in self.model.spine]


class Warp(Behaviour):
    """A warp, by how its Actor moves and how the clips walk that it plays."""

    _phase = Phase.BODY
    _size = TURN
    """How many numbers its kernel keeps."""
    _parts: Mapping[str, float]
    """By which part of an angle each joint turns."""
    seconds = Checked(number)
    """Time in which it follows [s]."""

    def __init__(
        self, rig: ActorRig, seconds: float, weight: float, order: float
    ) -> None:
        super().__init__(rig, order, weight)
        self.seconds = seconds
        others = (x._walk for x in rig.layers if isinstance(x, Warp))
        self._walk: Walk = next(others, None) or Walk(rig)

    def _begin(self, joints: Iterable[str]) -> None:
        """Make its kernel, and add it to the rig as what moves joints."""
        self._state = zeros(self._size)
        """What its kernel keeps from frame to frame."""
        self._kernel = self._make(self._skeleton.pose, self._walk.kernel, self._state)
        self._kernel.reset(0)
        self.rig.add(self, list(joints))

    def _make(
        self, pose: Pose, kernel: WalkKernel, state: MutableSequence[float]
    ) -> TurnKernel | StrideKernel:
        """Return a kernel for figures such as this one; by default one that turns.

        Args:
            pose: The pose that it changes.
            kernel: What measures the figures.
            state: ``_size`` numbers for each.
        """
        walk, joints = self._walk, index_buffer(pose.index[x] for x in self._parts)
        middle = buffer([*walk.middle, *walk.up, *walk.turning, 0.0, 0.0, 0.0])
        parts = buffer(self._parts.values())
        return TurnKernel(pose, kernel, joints, parts, middle, state)

    def _numbers(self) -> tuple[float, ...]:
        """Return the settings, as a crowd's kernel takes them."""
        raise NotImplementedError

    def _reset(self) -> None:
        self._kernel.reset(0)


class OrientationWarp(Warp):
    """Turn hips and legs into the direction in which the Actor moves.

        warp = ikrig.OrientationWarp(rig)
        actor.set_x(actor, 1.2 * dt)  # its walk for straight ahead now goes sideways

    Up to a right angle to both sides, while chest, arms and head keep their heading:
    the spine turns back what the hips turn. Beyond that the legs walk backwards, for
    which a ``StrideWarp`` is needed too. Where no joint carries all legs, as in some
    animals, the whole figure turns. Animals turn more slowly, as their feet step round.
    A walk that is held, at rate 0, stays turned; where another clip takes over, hips
    turn back.

    It runs before ``StrideWarp`` and ``FootPlacement``.

    Args:
        rig: The Actor's rig.
        most: How far the hips turn at most [rad].
        seconds: Time in which they turn [s].
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, BODY.

    Raises:
        BindError: No legs of two bones are found.
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
        roots = [ends["hips"]] if "hips" in ends else []
        # what an animal's hips carry turns with them
        spine = walk.spine(ends.get("chest", ""), roots[0]) if roots else []
        if not roots:
            roots = [joint for joint, above in skeleton.parents.items() if not above]
        back = dict.fromkeys(spine, -1.0 / max(len(spine), 1))
        self._parts = {**dict.fromkeys(roots, 1.0), **back}
        self._begin(self._parts)

    def _numbers(self) -> tuple[float, ...]:
        return self.most, self.seconds

    @property
    def angle(self) -> float:
        """How far the hips are turned to the left, in full effect [rad]."""
        return float(self._kernel.angle)

    @property
    def backwards(self) -> bool:
        """Whether the legs walk backwards."""
        return bool(self._kernel.backwards(0))

    def _teller(self, feet: Mapping[str, Foot]) -> Callable[[float], object]:
        """Return what tells feet where their steps end, as it turns them."""
        return partial(self._kernel.tell, [feet.get(x) for x in self._walk.feet])

    def _frame(self, dt: float) -> None:
        self._walk.step(dt)
        self._kernel.heads(0, self.most, self.seconds, self.weight, dt)


class SlopeWarp(Warp):
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
        ends = self._walk.model.ends
        chest = ends.get("chest", "")
        spine = self._walk.spine(chest, ends.get("hips", ""))
        if not spine:
            name = rig.actor.get_name()
            raise BindError(f"{name!r} has no spine above two legs that could lean")
        neck = self._walk.spine(ends.get("head", ""), chest)
        back = dict.fromkeys(neck[-1:], -UPRIGHT)
        self._parts = {**dict.fromkeys(spine, 1.0 / len(spine)), **back}
        self._begin(self._parts)

    def _numbers(self) -> tuple[float, ...]:
        return self.uphill, self.downhill, self.seconds

    @property
    def angle(self) -> float:
        """How far it leans ahead, in full effect [rad]."""
        return float(self._kernel.angle)

    def _frame(self, dt: float) -> None:
        self._walk.step(dt)
        self._kernel.leans(0, self.uphill, self.downhill, self.seconds, self.weight, dt)


class StrideWarp(Warp):
    """Lengthen or shorten strides until they fit the speed of the Actor.

        warp = ikrig.StrideWarp(rig)
        actor.set_y(actor, -0.6 * dt)  # its walk at 1.25 m/s now walks at 0.6

    The feet of a clip move backwards as fast as the clip walks (``clip_speed``). They
    are led so much farther, or less far, along the way of the Actor that those on the
    ground do not slide. For long strides heels go up, and the hips come down, as far as
    the legs need, which is found once a clip: by about a quarter of a leg at most, less
    between the steps. A foot that its leg then cannot keep on the ground lands later
    and leaves earlier, as in a run.

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
        BindError: No legs of two bones are found.
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
    _size = FIGURE

    def __init__(
        self,
        rig: ActorRig,
        *,
        limits: Sequence[float] = (0.3, 2.0),
        seconds: float = 0.3,
        weight: float = 1.0,
        order: float = -1,
    ) -> None:
        super().__init__(rig, seconds, weight, order)
        self.limits = limits
        self._others: object = None
        self._turns: list[OrientationWarp] = []
        walk = self._walk
        hips = walk.model.ends.get("hips")
        self._hips = -1 if hips is None else self._skeleton.pose.index[hips]
        self._toes = [sorted(walk.toes[foot]) for foot in walk.feet]
        moved = dict.fromkeys([*([hips] if hips else []), *chain(*walk.legs.values())])
        self._begin([*moved, *chain.from_iterable(self._toes)])

    def _numbers(self) -> tuple[float, ...]:
        return *self.limits, self.seconds

    def _make(
        self, pose: Pose, walk: WalkKernel, state: MutableSequence[float]
    ) -> StrideKernel:
        legs, shape = self._walk.legs.values(), []
        for foot, (_, knee, _) in zip(self._walk.feet, legs, strict=True):
            side = knee_side(self._skeleton, knee, foot)
            shape += [*self._walk.ball_of(foot), *side]
        toes = [pose.index[name] for name in chain.from_iterable(self._toes)]
        return StrideKernel(
            pose,
            walk,
            self._hips,
            index_buffer(pose.index[name] for line in legs for name in line),
            buffer(shape),
            index_buffer(toes),
            index_buffer(accumulate(map(len, self._toes))),
            (zeros(4 * len(legs)), zeros(LEGS * len(legs) + 15)),
            state,
        )

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
        return float(self._kernel.factor)

    def _teller(self, feet: Mapping[str, Foot]) -> Callable[[float], object]:
        """Return what tells feet where their steps end, as it leads them."""
        return partial(self._kernel.tell, 0, [feet.get(x) for x in self._walk.feet])

    def _frame(self, dt: float) -> None:
        self._walk.step(dt)
        turned, stack = 0.0, self.rig._stack
        if stack.parts is not self._others:
            # other layers are in it from now on
            self._others = stack.parts
            self._turns = [x for x in stack.layers if isinstance(x, OrientationWarp)]
        for layer in self._turns:
            if layer._started:
                turned += layer._kernel.angle * layer.weight
        self._kernel.step(0, *self._limits, self.seconds, turned, self.weight, dt)
