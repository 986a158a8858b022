"""Cameras that see nothing or have unusual lenses do not raise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import panda3d.core as p3d
import pytest

from .stage import Stage, all_calls, is_drawn, limb_chain, vertices

INF = math.inf


def lens_of(stage: Stage) -> p3d.Lens:
    return stage.camera_node.get_lens()


def take_lens(stage: Stage, lens: p3d.Lens) -> None:
    stage.camera_node.set_lens(lens)


def matrix_lens(*numbers: float) -> p3d.Lens:
    lens = p3d.MatrixLens()
    lens.set_user_mat(p3d.LMatrix4f(*numbers))
    return lens


def flat_film() -> p3d.Lens:
    lens = p3d.OrthographicLens()
    lens.set_film_size(0, 0)
    return lens


def below(stage: Stage, **transform: tuple[float, float, float]) -> None:
    parent = stage.render.attach_new_node("above")
    stage.camera.reparent_to(parent)
    for name, value in transform.items():
        getattr(parent, f"set_{name}")(*value)


BLIND: dict[str, Callable[[Stage], object]] = {
    "scale 0": lambda s: s.camera.set_scale(0),
    "flat": lambda s: s.camera.set_scale(1, 0, 1),
    "scale inf": lambda s: s.camera.set_scale(INF),
    "flat parent": lambda s: below(s, scale=(1, 0, 1)),
    "infinite parent": lambda s: below(s, pos=(INF, 0, 0)),
    "inf": lambda s: s.camera.set_pos(INF, 0, 0),
    "-inf": lambda s: s.camera.set_pos(0, 0, -INF),
    "turn inf": lambda s: s.camera.set_hpr(INF, 0, 0),
    "quat inf": lambda s: s.camera.set_quat((INF, 0, 0, 0)),
    "shear inf": lambda s: s.camera.set_shear(INF, 0, 0),
    "matrix of zeros": lambda s: s.camera.set_mat(p3d.LMatrix4f(*[0] * 16)),
    "matrix of ones": lambda s: s.camera.set_mat(p3d.LMatrix4f(*[1] * 16)),
    "removed": lambda s: s.camera.remove_node(),
    "detached": lambda s: s.camera.detach_node(),
    "other scene": lambda s: s.camera.reparent_to(p3d.NodePath("elsewhere")),
    "fov 0": lambda s: lens_of(s).set_fov(0),
    "focal length 0": lambda s: lens_of(s).set_focal_length(0),
    "focal length inf": lambda s: lens_of(s).set_focal_length(INF),
    "near = far": lambda s: lens_of(s).set_near_far(5, 5),
    "near = far = 0": lambda s: lens_of(s).set_near_far(0, 0),
    "film 0": lambda s: lens_of(s).set_film_size(0, 0),
    "film inf": lambda s: lens_of(s).set_film_size(INF, INF),
    "orthographic film 0": lambda s: take_lens(s, flat_film()),
    "lens of zeros": lambda s: take_lens(s, matrix_lens(*[0] * 16)),
    "lens of 1e38": lambda s: take_lens(s, matrix_lens(*[1e38] * 16)),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("how", BLIND)
def test_camera_that_sees_nothing_does_not_raise(stage: Stage, how: str) -> None:
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    stage.gizmos.add(limb_chain(stage))
    at = stage.screen(node)
    stage.gizmos.press(*at)
    stage.gizmos.update()
    assert is_drawn(stage)
    before = node.get_pos()

    BLIND[how](stage)
    all_calls(stage, *at)
    assert stage.gizmos.hover(*at) is None
    assert stage.gizmos.press(*at) is None
    assert node.get_pos() == before
    assert not is_drawn(stage)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "change",
    [
        lambda s: lens_of(s).set_near_far(10, 1),
        lambda s: lens_of(s).set_near_far(-1, 1),
        lambda s: lens_of(s).set_near_far(1e-30, 1e30),
        lambda s: lens_of(s).set_near_far(1, INF),
        lambda s: lens_of(s).set_fov(179.9999),
        lambda s: lens_of(s).set_fov(360),
        lambda s: lens_of(s).set_fov(1e-6),
        lambda s: lens_of(s).set_film_offset(INF, 0),
        lambda s: lens_of(s).set_aspect_ratio(1e-30),
        lambda s: take_lens(s, matrix_lens(*[1, 0, 0, 0, 0, 0, 1, 1e30] + [1] * 8)),
        lambda s: s.camera.set_scale(1e-30),
        lambda s: s.camera.set_scale(1e20),
        lambda s: s.camera.set_scale(-1, 1e-8, 1e8),
        lambda s: s.camera.set_pos(1e30, -1e30, 3e38),
    ],
)
def test_unusual_cameras_draw_finite_geometry(stage, change):
    node = stage.node(0, 0, 1)
    stage.gizmos.add_handle(node)
    stage.gizmos.add(limb_chain(stage))
    at = stage.screen(node)
    change(stage)
    all_calls(stage, *at)
    assert np.isfinite(vertices(stage)).all()
    assert np.isfinite(np.array(node.get_mat())).all()


def test_lens_without_aspect_ratio_counts_as_square(stage: Stage) -> None:
    lens = matrix_lens(*np.array(lens_of(stage).get_projection_mat()).ravel())
    lens.set_aspect_ratio(0)
    take_lens(stage, lens)
    handle = stage.gizmos.add_handle(stage.node(0, 0, 1))
    stage.gizmos.update()
    assert handle in stage.gizmos.handles
    assert np.isfinite(vertices(stage)).all()


def test_restored_camera_draws_again(stage: Stage) -> None:
    node = stage.node(0, 0, 1)
    handle = stage.gizmos.add_handle(node)
    at = stage.screen(node)
    stage.gizmos.press(*at)
    stage.camera.set_scale(0)
    stage.gizmos.update()
    assert stage.gizmos.dragging is handle  # a flicker does not let go
    stage.camera.set_scale(1)
    stage.gizmos.update()
    assert is_drawn(stage)
    stage.gizmos.move(at.x + 0.1, at.y)
    assert stage.screen(node).x == pytest.approx(at.x + 0.1, abs=2e-5)
    # hidden stays hidden, whatever the camera does
    stage.camera.set_scale(0)
    stage.gizmos.update()
    stage.gizmos.visible = False
    stage.camera.set_scale(1)
    stage.gizmos.update()
    assert not is_drawn(stage)
    stage.gizmos.visible = True
    stage.gizmos.update()
    assert is_drawn(stage)
