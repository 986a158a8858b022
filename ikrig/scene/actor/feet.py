"""FootPlacement: a character's feet stand on the ground, whatever it plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import atan2, ceil, hypot, sqrt
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ...footing import Footing, FootingSettings, Point, Stance
from ...springs import Follower
from .behaviour import Behaviour
from .chain import ActorChain
from .ground import Hit, make_ground
from .sole import find_feet, find_hips, find_sole, stand

if TYPE_CHECKING:
    from .rig import ActorRig

__all__ = ["FootPlacement"]

STRAIGHT = 0.98
"""Most of its length that a leg is stretched, unless it is animated so."""
PIECE = 1.0 / 100.0
"""Longest time in which a foot is taken to move straight on [s]."""
LEAP = 1.0
"""An Actor that moves further than this in a frame was put there [leg lengths]."""
UPRIGHT = 0.5
"""Least cosine of the angle between the Actor's z axis and the world's."""


class FootPlacement(Behaviour):
    """..."""

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
        settings: FootingSettings | None = None,
        weight: float = 1.0,
        order: float = 0,
    ) -> None:
        super().__init__(rig, order, weight)
        self.settings = settings or FootingSettings()
        if mask is None:
            mask = p3d.CollisionNode.get_default_collide_mask()
        self._ground = make_ground(ground, mask)
        skeleton = rig._skeleton
        feet = find_feet(skeleton, feet)
        pose = stand(skeleton, stance)
        above = find_hips(skeleton, feet, hips)
        self._hips = {name: _Hips(skeleton.node(name)) for name in set(above.values())}
        rig.add(self, self._hips)
        self._feet: list[_Foot] = []
        self._before: p3d.LPoint3f | None = None
        try:
            for name in feet:
                chain = rig.chain(
                    name,
                    chain_length,
                    tip_rotation="target",
                    solver="two_bone" if chain_length == 2 else "fabrik",
                    order=order,
                )
                # the target is where the joint belongs, whatever its axes
                chain.target.set_mat(chain.leaf, p3d.LMatrix4f.ident_mat())
                chain.grip()
                sole = find_sole(skeleton, name, pose)
                back = p3d.LMatrix4f(pose[name])
                back.invert_in_place()
                ahead = p3d.LVector3f(back.xform_vec(p3d.LVector3f(0, -1, 0)))
                foot = _Foot(chain, [(skeleton.node(j), p) for j, p in sole], ahead)
                self._feet.append(foot)
                if name in above:
                    self._hips[above[name]].feet.append(foot)
        except Exception:
            self.remove()
            raise

    def __repr__(self) -> str:
        """Say whose feet it places."""
        names = ", ".join(foot.name for foot in self._feet)
        return f"<FootPlacement {self.rig.actor.get_name()} {names}>"

    @property
    def planted(self) -> dict[str, float]:
        """How firmly each foot stands, 0 to 1, by its joint's name."""
        return {foot.name: foot.footing.grip for foot in self._feet}

    def reset(self) -> None:
        """Begin anew, after the Actor was put elsewhere; a long way it notices."""
        self._before = None
        for foot in self._feet:
            foot.footing.reset()
            foot.before = None
            foot.support = None
        for hips in self._hips.values():
            hips.begins = True

    def remove(self) -> None:
        """Take it off its rig for good."""
        super().remove()
        for foot in self._feet:
            self.rig.remove(foot.chain)

    def _forget(self) -> None:
        self.reset()
        for foot in self._feet:
            foot.chain.weight = 0.0

    # -- a frame -----------------------------------------------------------------------

    def _frame(self, dt: float) -> None:
        """Find the ground, then set hips and targets; the chains follow."""
        world, actor, settings = self.rig.actor.get_top(), self.rig.actor, self.settings
        mat = actor.get_mat(world)
        up = p3d.LVector3f(mat.get_row3(0)).cross(p3d.LVector3f(mat.get_row3(1)))
        if not up.normalize() or abs(up[2]) < UPRIGHT:
            raise BindError("the Actor does not stand upright")
        origin = p3d.LPoint3f(mat.get_row3(3))
        plane = _Plane(origin, up)
        before, self._before = self._before, origin
        for foot in self._feet:
            foot.read(world, plane)
        leap = LEAP * max(foot.leg for foot in self._feet)
        if before is not None and (origin - before).length() > leap:
            self.reset()
            self._before = origin
        # long frames in pieces, or a foot would pass an edge unseen
        pieces = max(1, ceil(dt / PIECE))
        carries = [foot.carry(world) for foot in self._feet]
        for k in range(pieces):
            self._stand((k + 1) / pieces, carries, 1.0 / pieces, plane, dt / pieces)
        for foot in self._feet:
            foot.settle(world)
        for hips in self._hips.values():
            hips.move(world, plane, settings, dt, self.weight)
        for foot in self._feet:
            foot.aim(world)
            foot.chain.weight = self.weight


    def _stand(self, share, carries, part, plane, dt) -> None:
        spots, tops, counts = [], [], []
        settings = self.settings
        for foot, (carried, spun) in zip(self._feet, carries, strict=True):
            moved = carried[0] * part, carried[1] * part, carried[2] * part
            stance = foot.stance.after(foot.before, share)
            found = foot.footing.aim(stance, moved, spun * part, settings, dt)
            spots += found
            counts.append(len(found))
            knee = settings.step_height * foot.leg
            tops += [plane.height(x, y) + knee for x, y in found]
        trouble = ""
        try:
            hits = self._ground.look(spots, tops, self._feet[0].leg)
        except BindError as error:
            hits, trouble = [None] * len(spots), str(error)
        self._log(trouble)
        for foot, count in zip(self._feet, counts, strict=True):
            foot.hits = hits[:count]
            foot.footing.settle([hit and hit.ground for hit in foot.hits], dt)
            del hits[:count]


class _Plane:
    """What the animation walks on, in world space."""

    def __init__(self, origin: p3d.LPoint3f, up: p3d.LVector3f) -> None:
        self.origin = origin
        self.slope = -up[0] / up[2], -up[1] / up[2]

    def height(self, x: float, y: float) -> float:
        ox, oy, oz = self.origin
        return oz + self.slope[0] * (x - ox) + self.slope[1] * (y - oy)


class _Foot:
    """A foot of the Actor: its joints, its sole, and how it stands."""

    def __init__(
        self,
        chain: ActorChain,
        sole: list[tuple[p3d.NodePath, p3d.LPoint3f]],
        ahead: p3d.LVector3f,
    ) -> None:
        self.chain = chain
        self.sole = sole
        self.ahead = ahead
        self.bones = chain.bones
        self.footing = Footing()
        self.before = None
        self.support: p3d.NodePath | None = None
        self.support_mat = p3d.LMatrix4f()
        self.carried: Point = (0.0, 0.0, 0.0)

    @property
    def name(self) -> str:
        """Name of its joint."""
        return str(self.chain.leaf.get_name())

    def read(self, world: p3d.NodePath, plane: _Plane) -> None:
        """Read how it is animated in this frame."""
        places = [bone.get_pos(world) for bone in self.bones]
        self.hip, self.ankle = places[0], places[-1]
        self.leg = sum((b - a).length() for a, b in pairwise(places))
        self.mat = self.bones[-1].get_mat(world)
        sole = [_point(node.get_mat(world).xform_point(p)) for node, p in self.sole]
        x = sum(p[0] for p in sole) / len(sole)
        y = sum(p[1] for p in sole) / len(sole)
        ahead = self.mat.xform_vec(self.ahead)
        heading = atan2(ahead[1], ahead[0])
        middle = (x, y, plane.height(x, y))
        self.stance = Stance(sole, middle, plane.slope, heading, self.leg)

    def carry(self, world: p3d.NodePath) -> tuple[Point, float]:
        """Return how what it stands on has moved and turned it since last frame."""
        node = self.support
        self.carried = (0.0, 0.0, 0.0)
        if node is None or node.is_empty() or not node.is_same_graph(world):
            return self.carried, 0.0
        way = p3d.LMatrix4f()
        way.invert_from(self.support_mat)
        way *= node.get_mat(world)
        contact = p3d.LPoint3f(*self.footing.contact)
        moved = way.xform_point(contact) - contact
        ahead = way.xform_vec(p3d.LVector3f(1, 0, 0))
        self.carried = _point(moved)
        return self.carried, atan2(ahead[1], ahead[0])

    def settle(self, world: p3d.NodePath) -> None:
        """Put it on the ground."""
        footing = self.footing
        self.before = self.stance
        under = [hit for hit in self.hits[: len(self.sole)] if hit is not None]
        self.support = None
        if under:
            highest = max(under, key=lambda hit: hit.ground.height)
            self.support = highest.node
            if self.support is not None:
                self.support_mat = p3d.LMatrix4f(self.support.get_mat(world))
        self.goal = p3d.LPoint3f(*footing.place(_point(self.ankle)))
        self.longest = max((self.ankle - self.hip).length(), STRAIGHT * self.leg)

    def aim(self, world: p3d.NodePath) -> None:
        """Put the target where the joint belongs, within reach of the leg."""
        middle = p3d.LPoint3f(*self.footing.stance.middle)
        turn = p3d.LMatrix4f()
        p3d.LQuaternionf(*self.footing.turn).extract_to_matrix(turn)
        mat = self.mat * p3d.LMatrix4f.translate_mat(-middle) * turn
        hip = self.bones[0].get_pos(world)
        way = self.goal - hip
        if way.length() > self.longest:
            way *= self.longest / way.length()
        mat.set_row(3, hip + way)
        self.chain.target.set_mat(world, mat)


class _Hips:
    """A joint that carries legs, and how high it goes with the ground."""

    def __init__(self, node: p3d.NodePath) -> None:
        self.node = node
        self.feet: list[_Foot] = []
        self.height = Follower()
        self.begins = True
        self.before = p3d.LPoint3f()

    def move(
        self,
        world: p3d.NodePath,
        plane: _Plane,
        settings: FootingSettings,
        dt: float,
        weight: float,
    ) -> None:
        """Go up and down with the ground, but no higher than the legs reach."""
        place = self.node.get_pos(world)
        own = plane.height(place[0], place[1])
        count = len(self.feet)
        goal = own
        for foot in self.feet:
            footing = foot.footing
            goal += (footing.level - plane.height(*footing.spot)) / count
        if self.begins:
            self.height.reset(goal)
            self.begins = False
        else:
            # with a slope or a lift it goes without delay
            way = place - self.before
            for foot in self.feet:
                slope, (x, y, z) = foot.footing.slope, foot.carried
                rise = slope[0] * (way[0] - x) + slope[1] * (way[1] - y)
                self.height.shift((rise + z) / count)
        self.before = place
        # as high as suits the feet on average, and no leg has to be too long
        most = own + settings.step_height * self.feet[0].leg
        for foot in self.feet:
            hip, end = foot.hip, foot.goal
            flat = hypot(end[0] - hip[0], end[1] - hip[1])
            high = sqrt(max(foot.longest**2 - flat**2, 0.0))
            most = min(most, own + end[2] + high - hip[2])
        most = max(most, own - settings.step_height * self.feet[0].leg)
        height = self.height
        last = height.value
        height.step(min(goal, most), settings.hips_seconds, dt)
        if height.value > most:
            height.value = most
            if dt > 0.0:
                height.speed = (most - last) / dt
        self.up = height.value - own
        self.node.set_pos(world, place + p3d.LVector3f(0, 0, weight * self.up))


def _point(vector: p3d.LVecBase3f) -> Point:
    return vector[0], vector[1], vector[2]
