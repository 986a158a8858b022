"""The stage: shows models of any unit at the height of a person."""

from __future__ import annotations

from dataclasses import replace
from math import atan2, degrees

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats
from ...scene.viewer.materials import draw_bones, finish, is_drawn
from ...scene.viewer.orbit_camera import framed
from ...scene.viewer.viewer_app import ViewerApp, stand
from .live_rig import LiveRig


class Stage:
    def __init__(self, app: ViewerApp) -> None:
        self.app = app
        self.live: LiveRig | None = None
        self._carrier: p3d.NodePath | None = None
        self._points = np.zeros((2, 3))
        self._boned: object = None

    def carrier(self) -> p3d.NodePath:
        return p3d.NodePath(self.app.studio.stage.attach_new_node("carrier"))

    def show(self, carrier: p3d.NodePath, live: LiveRig) -> None:
        if self._carrier is not None:
            self._carrier.remove_node()
        self._carrier, self.live, self._boned = carrier, live, None
        carrier.set_scale(1.0)
        carrier.set_pos(0, 0, 0)
        self._points = stand(carrier, self._extent(live), centred=True)
        finish(carrier, shaded=self.app.studio.shaded)

    def follow(self) -> None:
        live = self.live
        if live is None or live.rig is None or live.model is not None:
            return
        chains = [*live.rig.chains.values(), *live.rig.trees.values()]
        if chains != self._boned:
            self._boned = chains
            if not is_drawn(live.rig):
                draw_bones(live.rig)

    def frame(self, aspect: float) -> None:
        x, y = (0.0, -1.0)
        if self.live is not None:
            x, y, _ = self.live.document.skeleton.forward
        # a face is seen from the side of its right cheek
        heading = degrees(atan2(x, -y)) - 30.0
        view = framed(self._points, heading, 12.0, aspect)
        self.app.look(replace(view, distance=view.distance * 1.05))

    def _extent(self, live: LiveRig) -> Floats:
        """Return points that enclose the model, in its own unit.

        Joints count only without a mesh: those of an animator's controls are far away.
        """
        space = live.parent
        points: list[tuple[float, ...]] = []
        if live.rig is not None:
            nodes = [*live.rig.nodes.values()]
            points += [tuple(node.get_pos(space)) for node in nodes]
        ends = space.get_tight_bounds(space)
        if ends is not None:
            points += [tuple(ends[0]), tuple(ends[1])]
        else:
            points += [joint.position for joint in live.document.skeleton.joints]
        finite = [p for p in points if all(abs(x) < 1e9 for x in p)]
        return np.array(finite or [(0, 0, 0), (1, 1, 1)], float)
