"""The path of a node through the scene: a line, beads at equal time, dots at keys."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d

from demos._shared import mesh_shapes, theme
from demos._shared.mesh import MeshBuilder
from demos._shared.theme import Colour
from ikrig.math3d.quaternion import Floats

LINE = 2.6
HIDDEN = 0.28  # opacity of parts that are hidden by something
BEAD, DOT = 0.0085, 0.017  # radii [scene unit]


class MotionPath:
    """Draws one path, translucent: not lit, without a shadow."""

    def __init__(self, overlay: p3d.NodePath, colour: Colour) -> None:
        """Make an empty path.

        Args:
            overlay: Parent of translucent shapes.
            colour: Colour of line and keys.
        """
        self._colour = colour
        self._node = overlay.attach_new_node("motion path")
        self._node.set_shader_off(10)
        self._node.set_light_off(10)
        self._node.set_depth_write(False)
        self._node.set_transparency(p3d.TransparencyAttrib.M_alpha)
        self._node.set_antialias(p3d.AntialiasAttrib.M_multisample)
        mesh = MeshBuilder()
        mesh.add(mesh_shapes.sphere(1.0, segments=16), theme.WHITE)
        self._ball = mesh.attach(p3d.NodePath("balls"), "ball")
        self._ball.set_color(1.0, 1.0, 1.0, 1.0)
        self._clear = self._node.attach_new_node("clear")
        self._dim = self._node.attach_new_node("hidden")
        self._dim.set_depth_test(False)
        self._dim.set_alpha_scale(HIDDEN)
        for rank, node in enumerate((self._dim, self._clear)):
            node.set_bin("fixed", 10 + rank)

    def show(
        self,
        frame: p3d.NodePath,
        line: Floats,
        beads: Floats,
        keys: Sequence[tuple[Sequence[float], bool]],
    ) -> None:
        """Show a path in place of the previous one.

        Args:
            frame: The node in whose space the points are.
            line: Points of the line, (n, 3).
            beads: Points at equal time steps, (m, 3).
            keys: Positions of keys, and whether they are selected.
        """
        for root in (self._clear, self._dim):
            root.get_children().detach()
        content = p3d.NodePath("content")
        pen = p3d.LineSegs("line")
        pen.set_thickness(LINE)
        pen.set_color(p3d.LColor(*self._colour[:3], 0.9))
        for k, point in enumerate(line.tolist()):
            (pen.draw_to if k else pen.move_to)(*point)
        content.attach_new_node(pen.create())
        for point in beads.tolist():
            self._put(content, point, BEAD, (*self._colour[:3], 0.75))
        for point, chosen in keys:
            if chosen:
                self._put(content, point, 1.5 * DOT, (1.0, 1.0, 1.0, 0.35))
            white = (1.0, 1.0, 1.0, 1.0)
            self._put(content, point, DOT, white if chosen else self._colour)
        content.set_mat(frame.get_mat(self._node))
        for root in (self._clear, self._dim):
            content.instance_to(root)

    def remove(self) -> None:
        """Remove the path."""
        self._node.remove_node()

    def _put(
        self,
        parent: p3d.NodePath,
        point: Sequence[float],
        radius: float,
        colour: Colour,
    ) -> None:
        ball = parent.attach_new_node("ball")
        self._ball.instance_to(ball)
        ball.set_pos(*point)
        ball.set_scale(radius)
        ball.set_color_scale(*colour)
