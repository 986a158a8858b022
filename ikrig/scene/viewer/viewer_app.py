"""ViewerApp: the application of demos and videos: window or buffer, room, camera."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d
from direct.showbase.ShowBase import ShowBase

from ...errors import VideoError
from ...math3d.quaternion import Floats
from . import picture
from .display import Screen, Surface
from .environment import Environment
from .orbit_camera import OrbitCamera, View
from .picture import Picture

if TYPE_CHECKING:
    from typing_extensions import Self

SIZE = 2.4  # size to which models are scaled for the room [the room's unit]
VIGNETTE = 0.42  # alpha of the darkened corners
SOFTWARE_DOTS = 2  # the CPU rasteriser smooths by drawing at twice the size


class ViewerApp(ShowBase):
    """A lit room with a camera, in a window, in a buffer or undrawn."""

    def __init__(
        self, screen: Screen, size: tuple[int, int], frame_time: float
    ) -> None:
        super().__init__(windowType="none")
        self.screen = screen
        self.picture_size = size
        offscreen = screen.surface is not Surface.WINDOW
        self.dots = SOFTWARE_DOTS if offscreen and screen.software else 1
        self.real_time = not offscreen
        clock = p3d.ClockObject.get_global_clock()
        self._clock_was = clock.get_mode(), clock.get_max_dt()
        if offscreen:
            clock.set_mode(p3d.ClockObject.M_non_real_time)
            clock.set_dt(frame_time)
        if screen.surface is not Surface.NONE:
            self._open_window(screen, size)
        self.studio = Environment(
            self.render, self.camera if self.win else None, self.win or None
        )
        self.orbit = OrbitCamera()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()
        clock = p3d.ClockObject.get_global_clock()
        mode, longest = self._clock_was
        clock.set_mode(mode)
        clock.set_max_dt(longest)

    def look(self, view: View) -> None:
        self.orbit.reset(view)
        self.camLens.set_min_fov(view.fov)
        self.camLens.set_near_far(0.1, 2000.0)
        self.orbit.apply(self.camera)
        _, forward, _ = self.orbit.axes()
        self.studio.look_at(
            p3d.LPoint3(*view.focus), view.radius, forward, view.daylight
        )

    def grab(self) -> Picture:
        image = picture.grab(self.win)
        return picture.shrink(image, *self.picture_size) if self.dots > 1 else image

    def _open_window(self, screen: Screen, size: tuple[int, int]) -> None:
        properties = p3d.WindowProperties.get_default()
        properties.set_size(size[0] * self.dots, size[1] * self.dots)
        try:
            self.open_main_window(
                props=properties, pipe=screen.pipe, type=screen.surface.value
            )
        except Exception as error:  # ShowBase raises bare Exception
            self.destroy()
            raise VideoError(f"cannot open a window with {screen.module}") from error
        if not self.win:
            self.destroy()
            raise VideoError(f"cannot open a window with {screen.module}")
        self.disable_mouse()
        self.render.set_antialias(p3d.AntialiasAttrib.M_multisample)
        self.win.set_clear_color(p3d.LColor(0.09, 0.10, 0.12, 1.0))
        _darken_corners(self.render2d)


def stand(carrier: p3d.NodePath, points: Floats, *, centred: bool = False) -> Floats:
    """Scale and place a node that holds points (n, 3), at human size on the floor.

    The floor is at 0 of the node, unless the points go below or are far above it.
    ``centred`` moves points that are far from the middle of the room.

    Returns:
        The points in the room.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    size = max(float(np.max(high - low)), 1e-6)
    gap = 0.3 * max(high[2] - low[2], 1e-6)
    shift = np.array([0.0, 0.0, min(low[2], max(low[2] - gap, 0.0))])
    middle = 0.5 * (low + high)[:2]
    if centred and np.abs(middle).sum() >= 0.5 * size:
        shift[:2] = middle
    carrier.set_scale(SIZE / size)
    carrier.set_pos(*(-shift * (SIZE / size)).tolist())
    found: Floats = (points - shift) * (SIZE / size)
    return found


def _darken_corners(render2d: p3d.NodePath) -> None:
    size = 128
    x = np.linspace(-1.0, 1.0, size)
    away = np.clip((x[:, None] ** 2 + x[None, :] ** 2 - 0.35) / 1.65, 0.0, 1.0)
    alpha = (255.0 * VIGNETTE * away * (2.0 - away)).astype(np.uint8)
    texture = p3d.Texture("vignette")
    texture.setup_2d_texture(
        size, size, p3d.Texture.T_unsigned_byte, p3d.Texture.F_alpha
    )
    texture.set_ram_image(alpha.tobytes())
    texture.set_wrap_u(p3d.SamplerState.WM_clamp)
    texture.set_wrap_v(p3d.SamplerState.WM_clamp)
    card = p3d.CardMaker("vignette")
    card.set_frame_fullscreen_quad()
    card.set_color(p3d.LColor(0.01, 0.014, 0.02, 1.0))
    path = render2d.attach_new_node(card.generate())
    path.set_texture(texture)
    path.set_transparency(p3d.TransparencyAttrib.M_alpha)
    path.set_bin("background", -100)
