"""Translucent arms: other poses that the six-axis arm could take, or took."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import six_axis
from demos._shared.theme import Colour
from ikrig.math3d.quaternion import Floats

TURN = 2.0 * math.pi
SAME = 2e-4  # angles that differ by less are equal [turn]


class Ghost:
    """A translucent arm.

    Only its nearest surface is visible. Of two links at the same
    position, the one of lower rank is drawn, so nothing flickers.

    Attributes:
        q: Its joint angles, (6,) [rad].
    """

    def __init__(self, overlay: p3d.NodePath, colour: Colour, rank: int = 0) -> None:
        """Make it.

        Args:
            overlay: Parent of translucent shapes.
            colour: sRGB and opacity.
            rank: Its rank among the ghosts.
        """
        self._node = overlay.attach_new_node("ghost")
        # first its depth, then the surfaces that it does not hide
        depth = self._node.attach_new_node("depth")
        look = self._node.attach_new_node("look")
        self._tree = ikrig.Robot(six_axis.outline(), look)
        root = self._tree.root
        root.set_scale(six_axis.SCALE)
        root.instance_to(depth)
        if overlay.get_shader() is None:
            # the CPU rasteriser's depths differ between passes
            depth.hide()
        write = p3d.ColorWriteAttrib.make(p3d.ColorWriteAttrib.C_off)
        depth.set_attrib(write)
        test = p3d.DepthTestAttrib.make(p3d.RenderAttrib.M_less_equal)
        look.set_attrib(test)
        look.set_depth_write(False)
        look.set_transparency(p3d.TransparencyAttrib.M_alpha, 1)
        self._look, self._colour = look, colour
        self.dim(colour[3])
        for pass_, node in enumerate((depth, look)):
            node.set_bin("fixed", 2 * rank + pass_, 1)
            node.set_depth_offset(-1 - rank, 1)
        self._links = [self._tree.body(link) for link in six_axis.LINKS]
        self._tree.body("base").hide()
        self.q: Floats = np.zeros(6)

    def show(self, q: Floats, besides: Sequence[Floats] = ()) -> None:
        """Show a pose.

        Args:
            q: Joint angles, (6,) [rad].
            besides: Poses of other arms; links that coincide with theirs are hidden.
        """
        self.q = q
        self._tree.set_qpos(q, clamp=False)
        self._node.show()
        # links coincide as long as all angles below them are equal
        same = max((_leading(q, p) for p in besides), default=0)
        for k, link in enumerate(self._links):
            (link.hide if k < same else link.show)()

    @property
    def shown(self) -> bool:
        """Whether any of its links is shown."""
        return not self._node.is_hidden()

    @property
    def links_shown(self) -> tuple[bool, ...]:
        """Which of its links are shown, for the axes from S to T."""
        return tuple(not link.is_hidden() for link in self._links)

    def dim(self, density: float) -> None:
        """Set the opacity."""
        self._look.set_color(p3d.LColor(*self._colour[:3], density), 1)

    def hide(self) -> None:
        """Hide all links."""
        self._node.hide()


def _leading(q: Floats, p: Floats) -> int:
    """Return how many angles, from the first on, are equal in two poses."""
    rotations = ((q - p) / TURN).tolist()
    differs = (abs(turn - round(turn)) > SAME for turn in rotations)
    return next((k for k, other in enumerate(differs) if other), len(rotations))
