"""TrialStage: ground to walk on, a target that flies, objects to reach for, a hand.

None of it is written into the rig file.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, floor, pi, sin

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import IkrigError
from ...scene.behaviours.clip_speed import clip_speed
from ...scene.behaviours.foot_placement import FootPlacement
from ...scene.robot.geoms import make_geom, write_array
from ...scene.viewer.materials import attach_ball
from ...scene.viewer.viewer_app import SIZE
from .live_rig import LiveRig
from .trial_hold import TrialHold

RISE, TREAD = 0.06, 0.22  # height and depth of a stair [sizes of the model]
STEPS = 5  # number of stairs up, and down again
SLOPE = 0.27  # about 15 degrees
LIFT = 0.06  # height of the lift's motion [sizes of the model]
LENGTH = 3.0  # length of the visible ground [sizes of the model]
STRIPS = 120
ABOVE = 0.004  # height of the ground above the floor of the room [its unit]
BALLS = ((0.55, -0.35, 0.75), (-0.45, -0.45, 0.45), (0.1, -0.5, 1.0))
"""Positions of objects to reach for [sizes of the model]."""


def ground_height(kind: str, x: float, way: float, time: float) -> float:
    """Return the height of a test ground; lengths in sizes of the model, time in s."""
    if kind == "slope":
        return SLOPE * (2.0 - abs((way + 1.0) % 4.0 - 2.0))
    if kind == "stairs":
        step = floor(way / TREAD - 1.5) % (2 * STEPS)
        return RISE * (STEPS - abs(step - STEPS))
    if kind == "lift":
        side = 0.0 if x > 0.0 else pi
        return LIFT * (1.0 - cos(1.3 * time + side))
    return 0.0


class TrialStage:
    __test__ = False

    def __init__(self, render: p3d.NodePath) -> None:
        self.ground = "none"
        self.flying: tuple[str, str] | None = None
        self.things = False
        self.hold = TrialHold()
        self._render = render
        self._top = render.attach_new_node("test stage")
        self._mesh: _Strip | None = None
        self._balls: list[p3d.NodePath] = []
        self._time = self._way = 0.0
        self._speed: tuple[object, str, float] = (None, "", 0.0)
        self._start: tuple[Actor, p3d.LPoint3f] | None = None
        self._home: tuple[p3d.NodePath, p3d.LPoint3f] | None = None
        self._function: Callable[[float, float], object] = self._height

    def update(self, live: LiveRig, dt: float) -> None:
        self._time += dt
        self._walk(live, dt)
        self._fly(live)
        self.hold.update(live)
        self._show_things()

    def clear(self) -> None:
        self.ground, self.flying, self.things = "none", None, False
        self._start = self._home = None
        self.hold = TrialHold()
        self._hide_ground()
        self._show_things()

    def _hide_ground(self) -> None:
        if self._mesh is not None:
            self._mesh.path.remove_node()
            self._mesh = None

    def _height(self, x: float, y: float) -> float:
        height = ground_height(self.ground, x / SIZE, self._way - y / SIZE, self._time)
        return ABOVE + SIZE * height

    def _walk(self, live: LiveRig, dt: float) -> None:
        feet = []
        if live.rig is not None:
            parts = live.rig.behaviours.values()
            feet = [part for part in parts if isinstance(part, FootPlacement)]
        model = live.model
        if self.ground == "none" or not feet or not isinstance(model, Actor):
            self._leave(live)
            return
        if self._start is None:
            self._start = (model, model.get_pos())
        play = live.playback
        if play.playing and play.name:
            # the ground moves at the speed of the animation's feet
            self._way += dt * play.speed * self._speed_of(live) / SIZE
        for part in feet:
            if part.ground is not self._function:
                part.ground = self._function
        x, y, _ = model.get_pos(self._render)
        model.set_z(self._render, self._height(x, y))
        if self._mesh is None:
            self._mesh = _Strip(self._top)
        self._mesh.show(self._height)

    def _speed_of(self, live: LiveRig) -> float:
        model, name = live.model, live.playback.name
        if isinstance(model, Actor) and self._speed[:2] != (model, name):
            try:
                speed = clip_speed(model, name, live.document.part)
                speed *= model.get_parent().get_scale(self._render).x
            except IkrigError:
                speed = 0.0
            self._speed = (model, name, speed)
        return self._speed[2]

    def _leave(self, live: LiveRig) -> None:
        if self._start is None:
            return
        model, place = self._start
        self._start = None
        self._hide_ground()
        if model is live.model and not model.is_empty():
            model.set_pos(place)
            live.rebuild()

    def _fly(self, live: LiveRig) -> None:
        node = None
        if self.flying is not None:
            part = live.part(*self.flying)
            node = getattr(part, "target", None)
        if self._home is not None and (node is None or node != self._home[0]):
            old, place = self._home
            if not old.is_empty():
                old.set_pos(place)
            self._home = None
        if node is None or node.is_empty():
            return
        if self._home is None:
            self._home = (node, node.get_pos())
        t = self._time
        scale = node.get_parent().get_scale(self._render).x or 1.0
        size = 0.45 * SIZE / scale
        offset = (sin(1.1 * t), 0.5 * sin(0.7 * t + 1.0), 0.6 * sin(1.7 * t))
        node.set_pos(self._home[1] + p3d.LVector3(*(size * x for x in offset)))

    def _show_things(self) -> None:
        if self.things == bool(self._balls):
            return
        for ball in self._balls:
            ball.remove_node()
        self._balls = []
        if not self.things:
            return
        for k, place in enumerate(BALLS):
            node = attach_ball(self._top, 0.045 * SIZE)
            node.set_pos(*(SIZE * x for x in place))
            tones = ((0.95, 0.45, 0.2, 1), (0.25, 0.6, 0.95, 1), (0.4, 0.8, 0.4, 1))
            node.set_color(tones[k % 3], 10)
            self._balls.append(node)

    def pick(
        self, origin: p3d.LPoint3d, way: p3d.LVector3d, model: object
    ) -> p3d.LPoint3f | None:
        """Return where a ray in the top node's space first hits something."""
        node = p3d.CollisionNode("pick")
        node.add_solid(p3d.CollisionRay(p3d.LPoint3f(*origin), p3d.LVector3f(*way)))
        node.set_from_collide_mask(p3d.GeomNode.get_default_collide_mask())
        path = self._render.attach_new_node(node)
        queue, traverser = p3d.CollisionHandlerQueue(), p3d.CollisionTraverser()
        traverser.add_collider(path, queue)
        found = []
        for top in (self._top, model):
            if isinstance(top, p3d.NodePath) and not top.is_empty():
                # each traversal empties the queue first
                traverser.traverse(top)
                hits = queue.entries
                found += [hit.get_surface_point(self._render) for hit in hits]
        path.remove_node()
        if not found and way.z < -1e-6 and 0.0 < origin.z < 100.0:
            # the floor of the room
            found = [p3d.LPoint3f(*(origin - way * (origin.z / way.z)))]
        start = p3d.LPoint3f(*origin)
        return min(found, key=lambda point: (point - start).length(), default=None)


class _Strip:
    """The visible ground: a strip below the model, with the heights there."""

    def __init__(self, parent: p3d.NodePath) -> None:
        self._dark = np.arange(STRIPS) // 6 % 2 == 1
        self._node = p3d.GeomNode("ground")
        layout = p3d.GeomVertexFormat.get_v3n3()
        for own, tone in ((~self._dark, 0.48), (self._dark, 0.42)):
            first = np.arange(0, 8 * int(own.sum()), 4)[:, None]
            triangles = np.add(first, (0, 1, 2, 0, 2, 3)).reshape(-1, 3)
            rows = np.zeros((4 * len(first), 6), np.float32)
            colour = p3d.ColorAttrib.make_flat((tone, tone * 1.04, tone * 1.1, 1.0))
            geom = make_geom(layout, rows, triangles, dynamic=True)
            self._node.add_geom(geom, p3d.RenderState.make(colour))
        self.path = parent.attach_new_node(self._node)
        self.path.set_two_sided(True)
        self._node.set_bounds(p3d.OmniBoundingVolume())
        self._node.set_final(True)

    def show(self, height: Callable[[float, float], float]) -> None:
        far, wide = 0.5 * LENGTH * SIZE, 0.45 * SIZE
        y = np.linspace(-far, far, STRIPS + 1)
        rows = np.zeros((2, STRIPS, 4, 6), np.float32)
        for side, (left, right) in zip(rows, ((-wide, 0.0), (0.0, wide)), strict=True):
            z = np.array([height(0.5 * (left + right), at) for at in y.tolist()])
            side[..., 0] = left, right, right, left
            for corner, ends in enumerate(
                (np.s_[:-1], np.s_[:-1], np.s_[1:], np.s_[1:])
            ):
                side[:, corner, 1], side[:, corner, 2] = y[ends], z[ends]
            rise = np.stack((0.0 * z[1:], -np.diff(z), np.diff(y)), axis=1)
            rise /= np.linalg.norm(rise, axis=1, keepdims=True)
            side[..., 3:] = rise[:, None]
        for k, own in enumerate((~self._dark, self._dark)):
            data = self._node.modify_geom(k).modify_vertex_data()
            write_array(data.modify_array(0), rows[:, own].reshape(-1, 6))
