"""CrowdFeet: the feet of a crowd's members on the ground."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...character.crowd_batch import (
    LARGEST,
    SLOTS,
    BatchFeet,
    BatchLimb,
    MemberArray,
)
from ...character.foot_planner import FootPlanner
from ...character.heightfield import Heightfield
from ...errors import BindError, ModelError
from ...kernels import zeros
from ...kernels.foot_ground import SpotGround
from ...math3d.quaternion import Floats
from ...model.pose import rest_nets
from ..behaviours.clip_feet import (
    Clip,
    clip_tables,
    paces_of,
    read_paces,
)
from ..behaviours.foot_placement import FootPlacement, Layout, foot_settings
from ..behaviours.ground import AnyGround, make_ground
from ..checked_setting import Checked

if TYPE_CHECKING:
    from ..ik.chain import IKChain
    from .crowd import Crowd

HeightsOf = Callable[[Floats, Floats], object]
Ground = p3d.NodePath | Heightfield | HeightsOf | object
"""Kinds of ground; the last is a ``BulletWorld``."""


class CrowdFeet:
    """The feet of all members: they stand on the ground, as with ``FootPlacement``.

    Ground that moves sideways does not carry members along, as it does an Actor's feet.
    """

    settings = Checked(foot_settings)
    """The settings, ``FootSettings``: set others to change them."""
    weights = MemberArray("_layer")
    """From 0, as animated, to 1, full effect, (n,); 1 once there is a ground."""

    def __init__(self, crowd: Crowd, leg: Callable[[IKChain], BatchLimb]) -> None:
        batch, skeleton = crowd._batch, crowd._rig.skeleton
        made = FootPlacement(crowd._rig, _nowhere)
        self.settings = made.settings
        self._ground: AnyGround | None = None
        self._spots: _Spots | None = None
        self._given: Ground | None = None
        # what is below it is none of the ground
        self._node = crowd.parent.attach_new_node("feet of a crowd")
        # from the space of members to that of the ground
        self._above = array("d", np.identity(4).ravel())
        self._batch = batch
        names = skeleton.pose.names
        # ends of bones are no joints of members: they stay as they are at first
        self._joints = [
            batch.index(names[j]) if names[j] in batch.names else -1
            for j in made._joints
        ]
        nodes = [skeleton.pose.rest_numbers[16 * j : 16 * j + 16] for j in made._joints]
        self._rest = array("f", [x for node in nodes for x in node])
        self._ankles = [batch.index(foot.name) for foot in made._feet]
        bends = [
            [batch.names.index(names[j]) for j in leg if names[j] in batch.names]
            for leg in made._legs
        ]
        hips = [[batch.index(names[j]) for j in body] for body in made._hips]
        thighs = [foot.chain._binding.nodes[0] for foot in made._feet]
        sides = [
            np.array(skeleton.rest_state(thigh).get_mat())[:3, :3] for thigh in thighs
        ]
        self._mats = array("f", bytes(64 * len(made._layouts[0])))
        self._world = array("f", bytes(64))
        self._mats[:16] = array("f", np.asarray(batch.space, np.float32).ravel())
        legs = [leg(foot.chain) for foot in made._feet]
        self._clips = made._clips
        self._anims = [control.get_anim() for control in crowd._controls.values()]
        made.remove()
        self._planners = [self._planner(made._layouts) for _ in range(len(crowd))]
        # of a member of size 1: later they tell those of the members
        self._leg = self._planners[0].leg
        rest = rest_nets(batch.character.pose())[self._ankles, 3] @ batch.space
        self._far = float(np.hypot(rest[:, 0], rest[:, 1]).max()) + self._leg
        self._used = self.settings
        for planner in self._planners:
            planner.use(self.settings)
        self._seconds = zeros(1)
        # of clips that have not played yet nothing is known
        self._known: list[Clip | None] = [None] * len(self._anims)
        self._layer = BatchFeet(
            len(crowd),
            legs,
            [planner.kernel for planner in self._planners],
            clip_tables(self._known),
            {
                "joints": np.array(self._joints, np.intc),
                "hips": np.array([j for body in hips for j in body], np.intc),
                "ends": np.cumsum([len(body) for body in hips], dtype=np.intc),
                "folds": np.array(
                    [leg if len(leg) == 4 else [-1] * 4 for leg in bends], np.intc
                ),
                "thighs": np.array(sides),
                "seconds": self._seconds,
                "above": self._above,
                "mats": self._mats,
                "world": self._world,
            },
        )
        self.error = self._reported = ""
        """Why members can't stand on the ground in this frame, or ""."""

    def _planner(self, layouts: Layout) -> FootPlanner:
        parents, feet, bodies = layouts
        planner = FootPlanner(parents, feet, bodies, self._mats, self._world)
        # straight knees bend to the side of the model file
        self._mats[16:] = self._rest
        self._world[:] = array("f", np.identity(4, np.float32).ravel())
        planner.kernel.begin()
        planner.reset()
        for leg in planner.legs:
            leg.poled = 0
        return planner

    @property
    def ground(self) -> Ground | None:
        """What they stand on: a node with collision geometry, a ``Heightfield``, a
        ``BulletWorld``; or a function of arrays x and y, called once a frame with the
        places of all feet, which returns heights, or heights and normals: feet don't
        see steps before them, for which there are the other kinds. None: as animated.
        """
        return self._given

    @ground.setter
    def ground(self, ground: Ground | None) -> None:
        found = spots = None
        if callable(ground) and not isinstance(ground, p3d.NodePath):
            spots = _Spots(ground, len(self._batch.places), len(self._ankles))
        elif ground is not None:
            found = make_ground(ground, p3d.CollisionNode.get_default_collide_mask())
        self._ground, self._spots, self._given = found, spots, ground
        for planner in self._planners:
            planner.reset()
        self.weights[:] = 0.0 if ground is None else 1.0

    def begin(self) -> None:
        """Find the ground for a frame."""
        batch, frame = self._batch, self._layer.frame
        frame[0] = None
        self.error = ""
        self._layer.codes[:] = 0
        if self._given is None or not self.weights.any():
            return
        settings = self.settings
        self._seconds[0] = settings.hips_seconds
        if settings is not self._used:
            self._used = settings
            for planner in self._planners:
                planner.use(settings)
        playing = set(batch.clip[batch.weight > 0.0].tolist())
        new = [c for c in playing if self._known[c] is None]
        for c in new:
            self._known[c] = self._clips.clip(self._anims[c])
        if new:
            self._layer.tables = clip_tables(self._known)
            batch.relink()
        sizes = np.abs(batch.scales)
        leg = self._leg * float(sizes[sizes < LARGEST].max(initial=0.0))
        try:
            if self._spots is not None:
                frame[0] = self._spots.begin(self._places())
            elif self._ground is not None:
                deep = 2.0 * settings.step_height * leg
                mat = self._node.get_mat(self._node.get_top())
                size = mat.get_row3(2).length()
                self._above[:] = array("d", np.array(mat, float).ravel())
                frame[0] = self._ground.begin(self._node, leg * size, deep * size)
        except (BindError, ModelError) as error:
            self.error = str(error)

    def _places(self) -> Floats:
        """Return where feet were last; where members are now that have moved away."""
        batch = self._batch
        found: Floats = batch.places[:, self._ankles, :2].astype(float)
        here = batch.positions[:, None, :2]
        with np.errstate(all="ignore"):
            away = np.hypot(*np.moveaxis(found - here, 2, 0))
            lost = away > self._far * np.abs(batch.scales)[:, None]
        lost &= np.abs(here).max(axis=2) < LARGEST
        return np.where(lost[:, :, None], here, found)

    def report(self) -> None:
        """Log an error of the frame, unless that of the frame before is the same."""
        codes = self._layer.codes
        if not self.error and codes.any():
            code = int(codes[codes.argmax()])
            self.error = self._planners[0].message(code, self._world)
        if self.error and self.error != self._reported:
            directNotify.newCategory("ikrig").warning(f"feet of a crowd: {self.error}")
        self._reported = self.error

    def lend(self, i: int, feet: FootPlacement) -> None:
        """Let an Actor's feet go on where those of a member are."""
        feet._plan_by(self._planners[i], feet._feet)
        feet._clips.paces = read_paces(self._layer.paced[i], self._known)

    def take_back(self, i: int, feet: FootPlacement) -> None:
        """Let the feet of a member go on where those of an Actor are."""
        self._planners[i].use(self._used)
        self._layer.paced[i] = paces_of(SLOTS, feet._clips.paces, self._known)
        # it must not reset the planner, which the crowd goes on with
        feet._feet = []


class _Spots:
    """The ground below all feet, found by one call of a function of arrays.

    Each foot stands on a plane, until the next frame.
    """

    def __init__(self, function: HeightsOf, members: int, feet: int) -> None:
        self.function = function
        self._planes = np.zeros((members * feet, 5))
        self.kernel = SpotGround(self._planes.reshape(-1).data, feet)

    def begin(self, places: Floats) -> object:
        """Call the function at places, (n, feet, 2); return the frame's kernel."""
        x, y = places.reshape(-1, 2).T
        up = np.tile((0.0, 0.0, 1.0), (len(x), 1))
        try:
            found = self.function(x.copy(), y.copy())
            pair = found if isinstance(found, tuple) else (found, up)
            heights, normals = (np.asarray(numbers, float) for numbers in pair)
        except Exception as error:
            raise ModelError(f"ground {self.function!r} failed: {error!r}") from error
        if heights.shape != x.shape or normals.shape != (len(x), 3):
            raise ModelError(
                f"ground must return {len(x)} heights, or those and as many normals, "
                f"not arrays of shapes {heights.shape} and {normals.shape}"
            )
        # walls have no slope, and are no ground
        with np.errstate(all="ignore"):
            slopes = -normals[:, :2] / normals[:, 2:]
        self._planes[:] = np.column_stack([x, y, heights, slopes])
        return self.kernel


def _nowhere(x: float, y: float) -> None:
    """A ground for feet that are only looked up."""
