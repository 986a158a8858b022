"""The text beside a handle, measured by its view."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig.scene.gizmos.handle import SCREEN_RADIUS
from ikrig.scene.gizmos.label import Label

from .test_view import camera


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("away", [SCREEN_RADIUS, 40.0])
def test_text_stands_right_of_its_point_on_any_screen(seed: int, away: float) -> None:
    render, _, node, view = camera(seed)
    parent = render.attach_new_node("gizmos")
    label = Label(parent)
    text = parent.find("**/label")
    assert text.is_hidden()
    point = tuple(render.get_relative_point(node, (0.1, 8.0, 0.2)))
    label.show(view, point, "ball", away)
    assert not text.is_hidden() and text.node().get_text() == "ball"
    spot = view.project(point)
    pixel = view.pixel(spot.w) * view.unit
    matrix = np.array(text.get_mat())
    # facing the screen, 17 pixels high
    axes = np.stack([view.right, view.forward, view.up])
    assert np.allclose(matrix[:3, :3], 17.0 * pixel * axes, atol=1e-5)
    # clear of the handle, its middle as high as that
    gap = matrix[3, :3] - np.array(point)
    assert gap @ view.right == pytest.approx((away + 14.0) * pixel, rel=1e-3)
    assert gap @ view.up == pytest.approx(-0.3 * 17.0 * pixel, rel=1e-3, abs=1e-5)
    assert gap @ view.forward == pytest.approx(0.0, abs=1e-5)
    behind = tuple(render.get_relative_point(node, (0.1, -8.0, 0.2)))
    for where, words in ((point, ""), (None, "ball"), (behind, "ball")):
        label.show(view, point, "ball")
        label.show(view, where, words)
        assert text.is_hidden()


def test_text_is_light_on_a_dark_card() -> None:
    parent = p3d.NodePath("gizmos")
    Label(parent)
    path = parent.find("**/label")
    text = path.node()
    assert text.has_text_color() and min(text.get_text_color()) > 0.9
    *dark, dim = text.get_card_color()
    assert min(dark) > 0.0 and max(dark) < 0.15 and 0.7 < dim < 0.9
    # which is a little larger than the text, and behind it
    text.set_text("ball")
    ends = text.get_left(), text.get_right(), text.get_bottom(), text.get_top()
    margins = np.array(text.get_card_actual()) - ends
    assert margins == pytest.approx((-0.45, 0.45, -0.12, 0.12), abs=1e-5)
    assert text.get_card_decal()
    # drawn over all else
    assert (path.get_bin_name(), path.get_bin_draw_order()) == ("fixed", 110)
    assert not path.get_depth_test()
