"""Label: the text beside the handle under the mouse."""

from __future__ import annotations

import panda3d.core as p3d

from .gizmo_root import OVERRIDE
from .handle import SCREEN_RADIUS
from .viewpoint import Vec3, View

_HEIGHT = 17.0  # [pixel of a 720-line window]


class Label:
    """One line of text that faces the screen."""

    def __init__(self, parent: p3d.NodePath) -> None:
        """Make an empty, hidden label."""
        self._text = p3d.TextNode("label")
        self._text.set_text_color(0.95, 0.96, 0.98, 1.0)
        self._text.set_card_color(0.08, 0.09, 0.11, 0.78)
        self._text.set_card_as_margin(0.45, 0.45, 0.12, 0.12)
        self._text.set_card_decal(True)
        self._node = parent.attach_new_node(self._text)
        self._node.set_bin("fixed", 110, OVERRIDE)
        self._node.set_depth_test(False, OVERRIDE)
        self._node.hide()

    def show(
        self, view: View, point: Vec3 | None, text: str, away: float = SCREEN_RADIUS
    ) -> None:
        """Show a text beside a world-space point; hide it if either is missing.

        Args:
            view: The camera.
            point: Position, world space.
            text: One line.
            away: Radius around the point to keep free [pixel of a 720-line window].
        """
        spot = view.project(point) if point and text else None
        if point is None or spot is None:
            self._node.hide()
            return
        if self._text.get_text() != text:
            self._text.set_text(text)
        pixel = view.pixel(spot.w) * view.unit
        size = _HEIGHT * pixel
        (rx, ry, rz), (fx, fy, fz), (ux, uy, uz) = view.right, view.forward, view.up
        # text lies in the x-z plane of its node
        aside, down = (away + 14.0) * pixel, 0.3 * size
        x, y, z = point
        self._node.set_mat(
            p3d.LMatrix4f(
                (size * rx, size * ry, size * rz, 0.0),
                (size * fx, size * fy, size * fz, 0.0),
                (size * ux, size * uy, size * uz, 0.0),
                (
                    x + aside * rx - down * ux,
                    y + aside * ry - down * uy,
                    z + aside * rz - down * uz,
                    1.0,
                ),
            )
        )
        self._node.show()
