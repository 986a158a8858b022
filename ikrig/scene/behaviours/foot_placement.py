"""FootPlacement: keeps a character's feet on the ground."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import accumulate, chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...character.foot_planner import FLAT, FootLayout, FootPlanner, FootSettings
from ...character.heightfield import Heightfield
from ...errors import BindError, SettingError, shown, suggest
from ...formats.rig_file.sections import COMMON
from ...kernels import index_buffer
from ...kernels.feet import PosedFeet
from ...kernels.foot_ground import GroundKernel
from ...model.pose import Goals
from ...records import Field, Record, fields_of
from ...value_shapes import JOINTS, NODE, Either, FilePath, Moment, Number, Numbers
from ..actor.actor_figure import limbs_of
from ..actor.actor_limbs import knee_side
from ..checked_setting import Checked
from ..ik.chain import IKChain
from ..ik.node_transforms import GOAL_BUFFER
from ..ik.phase import Phase
from ..ik.setting_attributes import Setting
from .behaviour import Behaviour
from .clip_feet import ClipFeet
from .ground import Mats, make_ground
from .legs import find_feet, find_hips, make_leg
from .pace_watch import PaceWatch
from .placed_foot import PlacedFoot
from .sole import rims_of, soles_of, standing_pose

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

Ground = p3d.NodePath | Heightfield | Callable[[float, float], object] | object
"""Kinds of ground; the last is a ``BulletWorld``."""


def foot_settings(settings: object, what: str) -> FootSettings:
    if not isinstance(settings, FootSettings):
        raise SettingError(f"{what} must be FootSettings, not {shown(settings)}")
    return settings


_NOTHING = GroundKernel()
_MATS, _NUMBERS = GOAL_BUFFER[:2]


Layout = tuple[list[int], list[FootLayout], list[tuple[int, list[int]]]]
"""Parents of the nodes that feet read, the feet, and what carries some of them."""


class FootPlacement(Behaviour):
    """Keeps a character's feet on the ground of the scene.

    An animation walks on a plane: the Actor's own z = 0, or where the soles of its clip
    stand, if that is more than 1 % of a leg off. On a hill, one foot would sink
    in while the other floats. With this behaviour, in each frame,

    - the plane under each foot is moved up or down to the ground, and tilted with it:
      a foot that is flat in the animation is flat on the slope, and one that is a hand
      above the plane is a hand above the hill;
    - a foot in the air goes to its next foothold, which the clip's contacts tell, over
      every step on its way, and lands beside an edge where there is room; where they
      don't, it looks ahead on its path;
    - a foot in the air goes round those beside it, on its own side of them; where feet
      stand crossed as the figure stops, one steps at once;
    - a standing foot keeps its position, however fast the Actor moves, and is carried
      along by a lift or a boat below it, until the animation lifts it again;
    - the hips are at a height that suits the feet, lower when a leg would have to be
      too long, and move smoothly on stairs although the Actor itself may jump from
      step to step.

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
        ground: A node with collision geometry: its polygons are read once and shared by
            all rigs; moving geometry is followed. Or a ``Heightfield``, or a
            ``BulletWorld``. Or a function of x and y, in the coordinates of the scene's
            top node, that returns the height, or height and normal, or None where there
            is no ground.
        feet: Names of the feet's joints, the ankles. Default: those of the legs found.
        hips: Names of the joints above legs that move up and down. Default: those above
            several feet and the trunk.
        stance: Clip and frame in which all feet stand flat on the ground. Default: the
            pose of the model file.
        chain_length: Number of bones of a leg, above the foot's joint. Where a leg has
            no joint at its end, its last joint is the foot, and counts as one of them;
            twist joints do not count. Default: those of the legs found, or 2.
        mask: Collision geometry to use. Default:
            ``CollisionNode.get_default_collide_mask()``; for visible geometry use
            ``GeomNode.get_default_collide_mask()``.
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, BODY.
        settings: Fields of ``FootSettings``, such as ``max_tilt=0.5``.

    Raises:
        BindError: A joint or the clip is unknown, or there is no ground.
        SettingError: A setting is unknown or out of range.
    """

    kind = "feet"
    title = "feet on the ground"
    # flat, at the model's origin; a node of the scene can be named instead
    first = MappingProxyType({"ground": 0.0})
    record = Record(
        "feet",
        "The feet stand on the ground of the scene.",
        {
            "ground": Field(
                Either("the name of a node or a height", (NODE, Number())),
                "The node with collision geometry, or the height of a flat "
                "ground; default: the node to which the rig is attached.",
            ),
            "heightfield": Field(
                FilePath("the path of an image or a .npy file"),
                "A file with the ground's heights: an image, from black = 0 "
                "to white = 1, its upper edge at the largest y, or an array "
                "whose y increases from row to row.",
            ),
            "origin": Field(
                Numbers("two numbers", 2), "x and y of the heightfield's first height."
            ),
            "size": Field(
                Numbers("two numbers above 0", 2, Number("", 0.0, above=True)),
                "Extent of the heightfield along x and y; default: [1, 1].",
            ),
            "height": Field(
                Number(), "Factor that multiplies the heights of the heightfield."
            ),
            "stance": Field(
                Moment(),
                "The frame in which all feet stand flat; default: the pose "
                "of the model file.",
            ),
            "feet": Field(
                JOINTS,
                "The joints of the ankles; default: those of the legs found.",
            ),
            "hips": Field(
                JOINTS,
                "The joints above the legs, which move up and down; default: found.",
            ),
            "chain_length": Field(
                Number("a whole number from 1 to 100", 1, 100, whole=True),
                "Number of bones of a leg; default: those of the legs found, or 2.",
            ),
            **fields_of(FootSettings),
            **COMMON,
        },
        [("ground", "heightfield")],
    )
    _phase = Phase.BODY
    settings = Checked(foot_settings)
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
        ground: Ground,
        feet: Sequence[str] | None = None,
        hips: Sequence[str] | None = None,
        *,
        stance: tuple[str, int] | None = None,
        chain_length: int | None = None,
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
        self._feet: list[PlacedFoot] = []
        self.ground = ground
        self._mats: Mats = ()
        """Those of the ground's owners in the last frame."""
        self._is_carried = False
        self._parts: object = None
        self._tellers: list[tuple[Any, Callable[[float], object]]] = []
        """Layers that change what clips do with feet, and what tells feet so."""
        self._done = p3d.NodePath("planned feet")
        """What a layer reads that runs after it."""
        skeleton = rig.skeleton
        names = find_feet(skeleton, feet)
        soles = soles_of(skeleton, names, stance)
        bodies = find_hips(skeleton, names, hips)
        rig.add(self, [joint for body in bodies for joint in body])
        self._given = hips, chain_length
        made: list[PlacedFoot] = []
        try:
            self._goals = Goals(len(names))
            for k, (name, sole) in enumerate(zip(names, soles, strict=True)):
                leg = make_leg(rig, name, self._goals[k], chain_length, order)
                made.append(PlacedFoot(name, leg, sole))
        except Exception:
            for foot in made:
                rig.remove(foot.chain)
            self.remove()
            raise
        self._bind(made, bodies)
        self._feet = made
        feet_soles = {foot.name: foot.sole for foot in made}
        scale = rig.actor.get_mat(rig.actor.get_top()).xform_vec((0, 0, 1)).length()
        self._clips = ClipFeet(skeleton, feet_soles, self._planner.leg / scale)
        self._pace = PaceWatch(skeleton, self._clips)
        # stop the legs even if it was off before it had any
        self._was_disabled = False

    def _layout(
        self, feet: Sequence[PlacedFoot], bodies: Mapping[tuple[str, ...], list[str]]
    ) -> Layout:
        """Number the joints that are read each frame; return what a planner needs."""
        # the skeleton's space is not always the Actor's own
        nodes: dict[p3d.NodePath, int] = {self._space: 0}
        parents: list[int] = [-1]

        def number(node: p3d.NodePath) -> int:
            if node in nodes:
                return nodes[node]
            parent = number(node.get_parent())
            nodes[node] = len(parents)
            parents.append(parent)
            return nodes[node]

        node_of = self._skeleton.own_node
        bones = [foot.chain._binding.nodes for foot in feet]
        pose = standing_pose(self._skeleton, self._stance)
        rims = rims_of(
            [foot.sole for foot in feet], pose, [self._length_of(leg) for leg in bones]
        )
        layouts = [
            FootLayout(
                [number(bone) for bone in leg],
                [(number(node_of(joint)), tuple(point)) for joint, point in foot.sole],
                knee_side(self._skeleton, leg[1].get_name(), foot.name),
                rim,
            )
            for foot, leg, rim in zip(feet, bones, rims, strict=True)
        ]
        names = [foot.name for foot in feet]
        carried = [
            (number(node_of(body[0])), [names.index(name) for name in own])
            for body, own in bodies.items()
        ]
        rigid = {j for limb in limbs_of(self._skeleton).limbs for j in limb.rigid}
        self._legs = [
            # the last may be the end of a bone, which is no joint
            [self._skeleton.number(x) for x in leg if x.get_name() not in rigid]
            for leg in bones
        ]
        self._joints = [self._skeleton.number(node) for node in list(nodes)[1:]]
        return parents, layouts, carried

    def _length_of(self, leg: Sequence[p3d.NodePath]) -> float:
        """Return the length of a leg, in the Actor's own space."""
        scale = self._space.get_mat(self.rig.actor).xform_vec((0, 0, 1)).length()
        bones = (self._skeleton.rest_state(node).get_pos().length() for node in leg[1:])
        return scale * sum(bones)

    def _bind(
        self, feet: Sequence[PlacedFoot], bodies: Mapping[tuple[str, ...], list[str]]
    ) -> None:
        self._layouts = self._layout(feet, bodies)
        mats = array("f", bytes(64 * len(self._layouts[0])))
        self._numbers = memoryview(mats)
        self._hips = [self._skeleton.numbers(body) for body in bodies]
        world = self._skeleton.now().world
        self._plan_by(FootPlanner(*self._layouts, mats, world), feet)
        # straight knees bend to the side of the model file
        self._skeleton.set_rest_pose()
        self._skeleton.now()
        self._read_pose()
        self._skeleton.forget()
        self._planner.reset()
        for leg in self._planner.legs:
            leg.poled = 0

    def _plan_by(self, planner: FootPlanner, feet: Sequence[PlacedFoot]) -> None:
        """Plan by a planner of such a figure."""
        self._planner = planner
        # others tell these feet
        self._parts = None
        for foot, leg in zip(feet, planner.legs, strict=True):
            foot.leg, foot.kernel = leg, leg.foot
        folds = [leg if len(leg) == 4 else [-1] * 4 for leg in self._legs]
        self._posed = PosedFeet(
            self._skeleton.pose,
            self._numbers.obj,
            self._skeleton.now().world.obj,
            self._goals.numbers,
            {
                "joints": index_buffer(self._joints),
                "hips": index_buffer(chain.from_iterable(self._hips)),
                "ends": index_buffer(accumulate(map(len, self._hips))),
                "folds": index_buffer(chain.from_iterable(folds)),
            },
        )

    def __repr__(self) -> str:
        names = ", ".join(foot.name for foot in self._feet)
        return f"<FootPlacement {self.rig._title} {names}>"

    @property
    def ground(self) -> Ground:
        """The ground that the feet stand on. Set it to change the level."""
        return self._given_ground

    @ground.setter
    def ground(self, ground: Ground) -> None:
        self._ground = make_ground(ground, self._mask)
        self._given_ground = ground
        for foot in self._feet:
            foot.kernel.stands_on = -1

    @property
    def parts(self) -> tuple[IKChain, ...]:
        """The legs' chains."""
        return tuple(foot.chain for foot in self._feet)

    def _entries(self) -> dict[str, object]:
        """Return the values that make an equal behaviour, by the keys of rig files."""
        return {
            "ground": self.ground,
            "stance": self._stance,
            "feet": [foot.name for foot in self._feet],
            "hips": self._given[0],
            "chain_length": self._given[1],
            **{
                key: value
                for key, value in vars(self.settings).items()
                if value != getattr(FootSettings(), key)
            },
        }

    @property
    def planted(self) -> dict[str, float]:
        """Contact weight of each foot, 0 to 1, by its joint's name."""
        return {foot.name: foot.kernel.contact_weight for foot in self._feet}

    def writes(self) -> list[p3d.NodePath]:
        """Return the node that layers read that run after it."""
        return [self._done]

    def reset(self) -> None:
        """Discard the state after the Actor was moved; long moves are detected."""
        if self._feet:
            self._planner.reset()
            self._pace.restart()

    def remove(self) -> None:
        """Remove it and its legs from its rig."""
        super().remove()
        for foot in self._feet:
            self.rig.remove(foot.chain)

    def _reset(self) -> None:
        self.reset()
        for foot in self._feet:
            foot.chain.stop()

    # -- a frame -----------------------------------------------------------------------

    def _frame(self, dt: float) -> None:
        """Find the ground, then set hips and targets; the chains solve afterwards."""
        if not self._feet:
            return
        try:
            self._plan_feet(dt)
        except (BindError, AssertionError):
            # targets must not keep their last positions
            self._reset()
            raise
        self._pace.measure(dt, self._planner.kernel.leg)
        if self._ground.error:
            raise BindError(self._ground.error)

    def _read_pose(self) -> int:
        """Read the joints' current pose; return what is wrong with it, or 0."""
        _MATS[0] = self._space.get_mat(self.rig.actor)
        self._numbers[:16] = _NUMBERS
        return int(self._posed.read(self._planner.kernel))

    def _plan_feet(self, dt: float) -> None:
        planner, settings, weight = self._planner, self.settings, self.weight
        kernel, ground, skeleton = planner.kernel, self._ground, self._skeleton
        now = skeleton.now()
        code = self._read_pose()
        if code:
            raise BindError(planner.message(code, now.world))
        found, no_ground = _NOTHING, ""
        try:
            deep = 2.0 * settings.step_height * kernel.leg
            found = ground.begin(self.rig.actor, kernel.leg, deep)
        except BindError as error:
            no_ground = str(error)
        if self._is_carried or ground.mats is not self._mats:
            self._carry(ground.mats)
        self._clips.tell(kernel, dt)
        stack = self.rig._stack
        if stack.parts is not self._parts:
            # others are in it from now on
            self._parts = stack.parts
            feet = {foot.name: foot.kernel for foot in self._feet}
            warps = [x for x in stack.layers if hasattr(x, "_teller")]
            self._tellers = [(warp, warp._teller(feet)) for warp in warps]
        for layer, tell in self._tellers:
            if layer._started:
                tell(layer.weight)
        if settings is not planner.settings:
            planner.use(settings)
        kernel.advance(found, settings.hips_seconds, weight, dt)
        if self._posed.write(kernel, weight) == FLAT:
            names = skeleton.pose.names
            hips = ", ".join(repr(names[j]) for body in self._hips for j in body)
            raise BindError(
                f"Actor {self.rig.actor.get_name()!r} is scaled or sheared too much to "
                f"move joint {hips}"
            )
        for foot in self._feet:
            if foot.leg.poled:
                foot.bend_knee(skeleton)
            if not foot.chain._started:
                foot.chain.start()
        if no_ground:
            raise BindError(no_ground)

    def _carry(self, mats: Mats) -> None:
        """Move feet along with the ground's owners that have moved."""
        moves = [foot.carry(self._mats, mats) for foot in self._feet]
        self._mats, self._is_carried = mats, any(map(any, moves))
        if any(x or y for x, y, _ in moves):
            self._pace.restart()
