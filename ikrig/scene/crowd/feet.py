"""CrowdFeet: the feet of a crowd's members on the ground."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import cos, sin
from typing import TYPE_CHECKING, Any

import numpy as np
import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify
from numpy.typing import ArrayLike

from ...character.crowd_batch import LARGEST, BatchFeet, BatchLimb, copy_into
from ...character.foot_planner import FootPlanner, fold_legs
from ...character.heightfield import Heightfield
from ...errors import BindError, ModelError
from ...kernels.foot_ground import SpotGround
from ...math3d.quaternion import Floats
from ...model.pose import Goals, Pose
from ..actor.actor_model import numbers_of
from ..behaviours.clip_feet import Played
from ..behaviours.foot_placement import FootPlacement, foot_settings
from ..behaviours.ground import make_ground
from ..checked_setting import Checked

if TYPE_CHECKING:
    from .crowd import Crowd

Ground = p3d.NodePath | Heightfield | Callable[[Floats, Floats], object] | object
"""Kinds of ground; the last is a ``BulletWorld``."""


class CrowdFeet:
    """The feet of all members: they stand on the ground, as with ``FootPlacement``.

    Grounds do not carry members along, as lifts carry an Actor's feet.
    """

    settings = Checked(foot_settings)
    """The settings, ``FootSettings``: set others to change them."""

    def __init__(self, crowd: Crowd, leg: Callable[[Any], BatchLimb]) -> None:
        batch, skeleton = crowd._batch, crowd._rig.skeleton
        made = FootPlacement(crowd._rig, _nowhere)
        self.settings = made.settings
        self._ground: Any = None
        self._given: Ground | None = None
        self._kernel: object = None
        self._parent = crowd.parent
        self._batch = batch
        names = skeleton.pose.names
        self._joints = [batch.index(names[j]) for j in made._joints]
        self._feet = [foot.name for foot in made._feet]
        self._legs = [[batch.index(names[j]) for j in leg] for leg in made._legs]
        self._hips = [[batch.index(names[j]) for j in body] for body in made._hips]
        thighs = [foot.chain._binding.nodes[0] for foot in made._feet]
        self._thighs = [
            np.array(numbers_of(skeleton.rest_state(thigh).get_mat())).reshape(4, 4)[
                :3, :3
            ]
            for thigh in thighs
        ]
        self._mats = array("f", bytes(64 * len(made._layouts[0])))
        self._below_top = memoryview(self._mats)[16:]
        self._world = array("f", bytes(64))
        self._mats[:16] = array("f", np.asarray(batch.space, np.float32).ravel())
        # up in the space of the skeleton
        self._up = np.linalg.inv(batch.space[:3, :3])[2].tolist()
        legs = [leg(foot.chain) for foot in made._feet]
        self._clips = made._clips
        actor = crowd._rig.actor
        self._controls = [actor.get_anim_control(name) for name in crowd.clips]
        self._played = [Played() for _ in range(len(crowd))]
        made.remove()
        self._planners = [self._planner(made._layouts) for _ in range(len(crowd))]
        self._layer = BatchFeet(len(crowd), legs, self._plan)
        self.error = self._reported = ""
        """Why members can't stand on the ground in this frame, or ""."""

    def _planner(self, layouts: Any) -> FootPlanner:
        parents, feet, bodies = layouts
        planner = FootPlanner(parents, feet, bodies, self._mats, self._world)
        # straight knees bend to the side of the model file
        rest = self._batch.character.rest[self._joints].astype(np.float32)
        self._below_top[:] = array("f", rest.ravel())
        self._world[:] = array("f", np.identity(4, np.float32).ravel())
        planner.read()
        planner.reset()
        planner.poles[3::4] = array("d", [0.0] * len(self._feet))
        return planner

    @property
    def ground(self) -> Ground | None:
        """What they stand on: a node with collision geometry, a ``Heightfield``, a
        ``BulletWorld``; or a function of arrays x and y, called once a frame with the
        places of all feet, which returns heights, or heights and normals. None: as
        animated.
        """
        return self._given

    @ground.setter
    def ground(self, ground: Ground | None) -> None:
        mask = p3d.CollisionNode.get_default_collide_mask()
        function = callable(ground) and not isinstance(ground, p3d.NodePath)
        found = None
        if ground is not None and not function:
            found = make_ground(ground, mask)
        count = len(self._feet)
        self._spots = (
            _Spots(ground, len(self._batch.places), count) if function else None
        )
        self._ground, self._given = found, ground
        for planner in self._planners:
            planner.reset()
        self.weights[:] = 0.0 if ground is None else 1.0

    @property
    def weights(self) -> Floats:
        """From 0, as animated, to 1, full effect, (n,); 1 once there is a ground."""
        return self._layer.weights

    @weights.setter
    def weights(self, values: ArrayLike) -> None:
        copy_into(values, self._layer.weights, "weights")

    def begin(self) -> None:
        """Find the ground for a frame."""
        batch = self._batch
        self._kernel = None
        self.error = ""
        if self._given is None or not self.weights.any():
            return
        leg = max(planner.leg for planner in self._planners[:1])
        sizes = np.abs(batch.scales)
        leg *= float(sizes[sizes < LARGEST].max(initial=0.0))
        try:
            if self._spots is not None:
                places = batch.places[:, [batch.index(name) for name in self._feet]]
                self._kernel = self._spots.begin(places)
            else:
                deep = 2.0 * self.settings.step_height * leg
                self._kernel = self._ground.begin(self._parent, leg, deep)
        except (BindError, ModelError) as error:
            self.error = str(error)

    def report(self) -> None:
        """Log an error of the frame, unless that of the frame before is the same."""
        if self.error and self.error != self._reported:
            directNotify.newCategory("ikrig").warning(f"feet of a crowd: {self.error}")
        self._reported = self.error

    def _plan(self, i: int, dt: float, pose: Pose, goals: Goals, legs: Any) -> None:
        """Move the hips of a member, and set the goals of its feet."""
        batch, planner, ground = self._batch, self._planners[i], self._kernel
        goals.weights[:] = 0.0
        if ground is None:
            return
        if self._spots is not None:
            self._spots.kernel.who = i
        size = float(batch.scales[i])
        c, s = size * cos(batch.headings[i]), size * sin(batch.headings[i])
        x, y, z = batch.positions[i].tolist()
        self._world[:] = array(
            "f", [c, s, 0, 0, -s, c, 0, 0, 0, 0, size, 0, x, y, z, 1]
        )
        pose.copy_to(self._joints, self._below_top)
        message = planner.read()
        if message:
            self.error = message
            return
        weight = min(float(self.weights[i]), 1.0)
        clips = zip(
            batch.clip[i].tolist(),
            batch.time[i].tolist(),
            batch.weight[i].tolist(),
            strict=True,
        )
        playing = [(self._controls[k], at, part) for k, at, part in clips if part > 0.0]
        known = self._clips
        planner.plan(known.plans(self._played[i], playing, dt), known.floor(playing))
        planner.step(ground, self.settings, weight, dt)
        for body, move in zip(self._hips, planner.moves, strict=True):
            x, y, z = (move / size * part for part in self._up)
            for hips in body:
                pose.shift(hips, x, y, z)
        planner.pass_goals(goals, weight)
        fold_legs(pose, self._legs, goals, weight)
        for k, leg in enumerate(legs):
            if planner.poles[4 * k + 3]:
                way = np.array(planner.knee_side(k)) @ self._thighs[k]
                if way.any():
                    leg.bend(*way.tolist())


class _Spots:
    """The ground below all feet, found by one call of a function of arrays.

    Each foot stands on a plane, until the next frame.
    """

    def __init__(self, function: Any, members: int, feet: int) -> None:
        self.function = function
        self._planes = np.zeros((members * feet, 5))
        self.kernel: Any = SpotGround(self._planes.reshape(-1).data, feet)

    def begin(self, places: Any) -> object:
        """Call the function; return the kernel for this frame.

        Raises:
            ModelError: It fails, or returns neither heights nor heights and normals.
        """
        x, y = places[:, :, :2].reshape(-1, 2).T.astype(float)
        found = normals = np.tile((0.0, 0.0, 1.0), (len(x), 1))
        try:
            found = self.function(x.copy(), y.copy())
            heights = found
            if isinstance(found, tuple):
                heights, normals = found
            heights = np.asarray(heights, float)
            normals = np.asarray(normals, float)
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
