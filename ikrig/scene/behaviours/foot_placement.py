"""FootPlacement: keeps a character's feet on the ground."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import pairwise
from math import atan2, ceil
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...character.foot_planner import FootPlanner, FootSettings
from ...character.leg_pose import GroundPoint, LegPose, Plane, Point
from ...character.pelvis import PelvisOffset
from ...errors import BindError, SettingError, shown, suggest
from ..checked_setting import Checked
from ..ik.chain import IKChain
from ..ik.dependencies import note_change
from ..ik.phase import Phase, phase_of
from ..ik.setting_attributes import Setting
from .behaviour import Behaviour
from .ground import Hit, make_ground
from .sole import Corner, find_feet, find_hips, find_sole, foot_tip, stand

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

__all__ = ["FootPlacement"]

PIECE = 1.0 / 100.0
"""Time in which a foot is taken to move straight on [s]."""
PIECES = 12
"""Most such times in a frame: one of more than 0.12 s is cut into this many longer
ones, so that a frame that comes late does not make the next one late as well."""
LEAP = 1.0
"""An Actor that moves further than this in a frame was put there [leg lengths]."""
UPRIGHT = 0.5
"""Least cosine of the angle between the Actor's z axis and the world's."""


def _footing(settings: Any, what: str) -> FootSettings:
    if not isinstance(settings, FootSettings):
        raise SettingError(f"{what} must be FootSettings, not {shown(settings)}")
    return settings


class FootPlacement(Behaviour):
    """Keep a character's feet on the ground of the scene.

    An animation walks on a plane: the Actor's own z = 0. Put on a hill, one foot would
    sink in while the other one floats. With this, each frame,

    - the plane under each foot is moved up or down until it lies on the ground, and
      tilted with it, so a foot that is flat in the animation is flat on the slope, and
      one that is a hand above the plane is a hand above the hill;
    - a foot in the air looks ahead on its way and is over a step before it gets there;
    - a foot that stands stays where it is, however fast the Actor goes, and is taken
      along by a lift or a boat below it, until the animation lifts it again;
    - the hips are carried at the height that suits the feet, lower when a leg would
      have to be too long, and quietly on stairs although the Actor itself may jump
      from step to step.

    A game only has to move the Actor along the ground, as if it had no legs:

        rig = ikrig.ActorRig(actor)
        feet = ikrig.FootPlacement(rig, ground=level)
        rig.start()
        feet.fade(0.0, 0.1)      # while it jumps, swims or climbs

    Turn on frame blending (``actor.set_blend(frameBlend=True)``): without it a clip
    moves by jerks at its own frame rate, and so do the feet.

    The settings are those of ``FootSettings``, and may be changed at any time.

    Args:
        rig: The Actor's rig. Give the feet no other chains.
        ground: A function of x and y, in the coordinates of the scene's top node, that
            returns the height there, or height and normal, or None where there is no
            ground. Or a node with collision geometry: rays look down on it.
        feet: Names of the feet's joints, the ankles. Default: those called so.
        hips: Names of the joints that carry legs and go up and down. Default: those
            that several feet hang on.
        stance: Clip and frame in which all feet stand flat on the ground. Default: the
            pose that the model came in.
        chain_length: Number of bones of a leg, above the foot's joint. Where a leg has
            no joint at its end, its last joint is the foot, and one of them.
        mask: Which collision geometry counts. Default: what
            ``CollisionNode.get_default_collide_mask()`` has; visible geometry has
            ``GeomNode.get_default_collide_mask()`` instead, and is slow.
        weight: 0: as animated; 1: full effect.
        order: Place among the layers of its phase, BODY.
        settings: Fields of ``FootSettings``, such as ``max_tilt=0.5``.

    Raises:
        BindError: A joint or the clip is unknown, or there is no ground.
        SettingError: A setting is unknown or out of range.
    """

    phase = Checked(phase_of, Phase.BODY, changed=note_change)
    """When in a frame it moves the hips; its legs are solved among the limbs."""
    settings = Checked(_footing)
    """All settings at once."""
    step_height = Setting[float]()
    max_tilt = Setting[float]()
    lock = Setting[float]()
    lock_distance = Setting[float]()
    foot_seconds = Setting[float]()
    hips_seconds = Setting[float]()
    release_seconds = Setting[float]()
    look_ahead = Setting[float]()

    def __init__(
        self,
        rig: ActorRig,
        ground: p3d.NodePath | Callable[[float, float], Any],
        feet: Sequence[str] | None = None,
        hips: Sequence[str] | None = None,
        *,
        stance: tuple[str, int] | None = None,
        chain_length: int = 2,
        mask: p3d.BitMask32 | None = None,
        weight: float = 1.0,
        order: float = 0,
        **settings: float,
    ) -> None:
        super().__init__(rig, order, weight)
        known = [field.name for field in fields(FootSettings)]
        for name in settings:
            if name not in known:
                raise SettingError(
                    f"there is no setting {name!r}: {suggest(name, known)}"
                )
        self.settings = FootSettings(**settings)
        if mask is None:
            mask = p3d.CollisionNode.get_default_collide_mask()
        if not isinstance(mask, p3d.BitMask32):
            raise SettingError(f"mask must be a BitMask32, not {shown(mask)}")
        self._mask = mask
        self._stance = stance
        self.ground = ground
        self._before: p3d.LPoint3f | None = None
        self._no_ground = ""
        self._feet: list[_Foot] = []
        skeleton = rig._skeleton
        names = find_feet(skeleton, feet)
        pose = stand(skeleton, stance)
        self._bodies = [
            _Body(skeleton.node(joint), platform_delta)
            for joint, platform_delta in find_hips(skeleton, names, hips).items()
        ]
        rig.add(self, [body.node.get_name() for body in self._bodies])
        whole = isinstance(chain_length, int)
        solver = "two_bone" if whole and chain_length == 2 else "fabrik"
        made: list[_Foot] = []
        try:
            for name in names:
                chain = rig.chain(
                    name,
                    chain_length,
                    tip=foot_tip(skeleton, name),
                    orientation_mode="target",
                    solver=solver,
                    order=order,
                )
                # the target is where the joint belongs, whatever its axes
                chain.target.set_mat(chain.leaf, p3d.LMatrix4f.ident_mat())
                chain.set_offset()
                made.append(_Foot(name, chain, find_sole(skeleton, name, pose)))
        except Exception:
            for foot in made:
                rig.remove(foot.chain)
            self.remove()
            raise
        self._feet = made
        # the legs are to be let go even when it was off before it had any
        self._was_off = False

    def __repr__(self) -> str:
        """Say whose feet it places."""
        names = ", ".join(foot.name for foot in self._feet)
        return f"<FootPlacement {self.rig.actor.get_name()} {names}>"

    @property
    def ground(self) -> p3d.NodePath | Callable[[float, float], Any]:
        """The ground that the feet stand on. Set it for another level."""
        return self._given_ground

    @ground.setter
    def ground(self, ground: p3d.NodePath | Callable[[float, float], Any]) -> None:
        self._ground = make_ground(ground, self._mask)
        self._given_ground = ground

    @property
    def parts(self) -> tuple[IKChain, ...]:
        """The legs' chains."""
        return tuple(foot.chain for foot in self._feet)

    def entries(self) -> dict[str, Any]:
        """Return what makes another one like it."""
        return {
            "ground": self.ground,
            "stance": self._stance,
            "feet": [foot.name for foot in self._feet],
            "hips": [body.node.get_name() for body in self._bodies],
            "chain_length": self._feet[0].chain.chain_length,
            **{
                key: value
                for key, value in vars(self.settings).items()
                if value != getattr(FootSettings(), key)
            },
        }

    @property
    def planted(self) -> dict[str, float]:
        """How firmly each foot stands, 0 to 1, by its joint's name."""
        return {foot.name: foot.footing.contact_weight for foot in self._feet}

    def reset(self) -> None:
        """Start over after the Actor was moved; long moves are detected."""
        self._before = None
        for foot in self._feet:
            foot.reset()
        for body in self._bodies:
            body.hips.reset()
            body.before = None

    def remove(self) -> None:
        """Remove it from its rig."""
        super().remove()
        for foot in self._feet:
            self.rig.remove(foot.chain)

    def _forget(self) -> None:
        self.reset()
        for foot in self._feet:
            foot.chain.stop()

    # -- a frame -----------------------------------------------------------------------

    def _frame(self, dt: float) -> None:
        """Find the ground, then set hips and targets; the chains follow."""
        if not self._feet:
            return
        try:
            self._plan_feet(dt)
        except (BindError, AssertionError):
            # no target may stay where it is
            self._forget()
            raise
        if self._no_ground:
            raise BindError(self._no_ground)

    def _plan_feet(self, dt: float) -> None:
        actor, world = self.rig.actor, self.rig.actor.get_top()
        mat = actor.get_mat(world)
        up = p3d.LVector3f(mat.get_row3(0)).cross(p3d.LVector3f(mat.get_row3(1)))
        origin = p3d.LPoint3f(mat.get_row3(3))
        if not up.normalize() or not abs(up[2]) >= UPRIGHT or origin.is_nan():
            raise BindError(f"the Actor does not stand upright, but as {mat}")
        plane = Plane(_point(origin), (-up[0] / up[2], -up[1] / up[2]))
        for foot in self._feet:
            foot.read(world, plane)
        for body in self._bodies:
            body.read(world)
        leap = LEAP * max(foot.stance.leg for foot in self._feet)
        if self._before is not None and (origin - self._before).length() > leap:
            self.reset()
        self._before, self._no_ground = origin, ""
        platform_delta = {foot.name: foot.carry(world) for foot in self._feet}
        # long frames in pieces, or a foot would pass an edge unseen
        pieces = min(max(1, ceil(dt / PIECE)), PIECES)
        for k in range(pieces):
            self._go((k + 1) / pieces, 1.0 / pieces, platform_delta, dt / pieces)
        for body in self._bodies:
            body.move(world, self.weight)
        for foot in self._feet:
            foot.settle(world)
            foot.chain.weight = self.weight
            foot.chain.start()

    def _go(
        self,
        until: float,
        fraction: float,
        platform_delta: dict[str, tuple[Point, float]],
        dt: float,
    ) -> None:
        """Let feet and hips go on for a part of the frame.

        Args:
            until: Where in the frame it ends; 1 is its end.
            share: How much of the frame it is.
            carried: What the ground does to each foot in the whole frame.
            dt: The time [s].
        """
        settings = self.settings
        spots: list[GroundPoint] = []
        tops: list[float] = []
        counts = []
        for foot in self._feet:
            stance = foot.stance.after(foot.before, until)
            (x, y, z), platform_yaw = platform_delta[foot.name]
            moved = x * fraction, y * fraction, z * fraction
            found = foot.footing.aim(
                stance, moved, platform_yaw * fraction, settings, dt
            )
            spots += found
            counts.append(len(found))
            # what is higher than the knee is no ground to step on
            knee = settings.step_height * stance.leg
            tops += [stance.plane.height(spot) + knee for spot in found]
        leg = self._feet[0].stance.leg
        hits: list[Hit | None] = [None] * len(spots)
        try:
            hits = self._ground.look(self.rig.actor, spots, tops, leg)
        except BindError as error:
            self._no_ground = str(error)
        for foot, count in zip(self._feet, counts, strict=True):
            foot.hits, hits = hits[:count], hits[count:]
            foot.footing.settle([hit and hit.ground for hit in foot.hits], dt)
        for body in self._bodies:
            feet = [f.footing for f in self._feet if f.name in body.feet]
            body.hips.follow(body.spot(until), feet[0].stance.plane, feet, settings, dt)


class _Foot:
    """A foot of the Actor: its joints, its sole, and how it stands."""

    def __init__(self, name: str, chain: IKChain, sole: Sequence[Corner]) -> None:
        self.name = name
        self.chain = chain
        self.bones = chain.bones
        self.sole = sole
        self.footing = FootPlanner()
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.footing.reset()
        self.before: LegPose | None = None
        self.axes: p3d.LMatrix3f | None = None
        self.heading = 0.0
        self.hits: list[Hit | None] = []
        self.support: p3d.NodePath | None = None
        self.support_mat = p3d.LMatrix4f()

    def read(self, world: p3d.NodePath, plane: Plane) -> None:
        """Read how it is animated in this frame."""
        positions = [bone.get_pos(world) for bone in self.bones]
        leg = sum((b - a).length() for a, b in pairwise(positions))
        if not leg > 0.0:
            raise BindError(f"the leg of {self.name!r} has no length")
        self.mat = self.bones[-1].get_mat(world)
        axes = self.mat.get_upper_3()
        if self.axes is not None:
            self.heading += _turned(self.axes, axes)
        self.axes = axes
        self.stance = LegPose(
            plane,
            [_point(node.get_mat(world).xform_point(p)) for node, p in self.sole],
            _point(positions[0]),
            _point(positions[-1]),
            self.heading,
            leg,
        )

    def carry(self, world: p3d.NodePath) -> tuple[Point, float]:
        """Return how what it stands on has moved and turned it since the last frame."""
        node = self.support
        if node is None or node.is_empty() or not node.is_same_graph(world):
            return (0.0, 0.0, 0.0), 0.0
        direction = p3d.LMatrix4f()
        direction.invert_from(self.support_mat)
        direction *= node.get_mat(world)
        contact = p3d.LPoint3f(*self.footing.contact)
        ahead = direction.xform_vec(p3d.LVector3f(1, 0, 0))
        return _point(direction.xform_point(contact) - contact), atan2(
            ahead[1], ahead[0]
        )

    def settle(self, world: p3d.NodePath) -> None:
        """Put the target where the joint belongs, within reach of the leg."""
        footing, stance = self.footing, self.stance
        self.before = stance
        under = [hit for hit in self.hits[: len(self.sole)] if hit is not None]
        highest = max(under, key=lambda hit: hit.ground.height, default=None)
        self.support = highest and highest.node
        if self.support is not None:
            self.support_mat = p3d.LMatrix4f(self.support.get_mat(world))
        # rows there, columns here
        rotation = p3d.LMatrix3f(*(x for row in footing.rotation for x in row))
        rotation.transpose_in_place()
        hip = self.bones[0].get_pos(world)
        direction = p3d.LPoint3f(*footing.goal) - hip
        if direction.length() > footing.longest:
            direction *= footing.longest / direction.length()
        mat = self.mat * p3d.LMatrix4f(rotation, hip + direction)
        mat.set_row(3, hip + direction)
        self.chain.target.set_mat(world, mat)


class _Body:
    """Hips of the Actor, and the names of the feet that they carry."""

    def __init__(self, node: p3d.NodePath, feet: Sequence[str]) -> None:
        self.node = node
        self.feet = feet
        self.hips = PelvisOffset()
        self.before: GroundPoint | None = None

    def read(self, world: p3d.NodePath) -> None:
        """Read where the animation has them in this frame."""
        x, y, _ = self.node.get_pos(world)
        self.now = x, y

    def spot(self, fraction: float) -> GroundPoint:
        """Return where they were in between: 0 is before, 1 is now."""
        (x, y), (a, b) = self.before or self.now, self.now
        return x + (a - x) * fraction, y + (b - y) * fraction

    def move(self, world: p3d.NodePath, weight: float) -> None:
        """Put them as high as they belong."""
        up = p3d.LVector3f(0, 0, weight * self.hips.up)
        self.node.set_pos(world, self.node.get_pos(world) + up)
        self.before = self.now


def _turned(before: p3d.LMatrix3f, now: p3d.LMatrix3f) -> float:
    """Return how far about the upright something has turned [rad].

    This is the twist of the turn in between. Unlike the direction in which a foot
    points it has no jump where the toes point straight down.
    """
    turn = p3d.LMatrix3f()
    if not turn.invert_from(before):
        return 0.0
    turn *= now
    size = turn.determinant() ** (1.0 / 3.0) if turn.determinant() > 0.0 else 1.0
    trace = sum(turn.get_cell(k, k) for k in range(3))
    return 2.0 * atan2(turn.get_cell(0, 1) - turn.get_cell(1, 0), size + trace)


def _point(vector: p3d.LVecBase3f) -> Point:
    return vector[0], vector[1], vector[2]
