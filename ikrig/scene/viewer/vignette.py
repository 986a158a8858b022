"""A vignette: darker corners of a picture."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d

STRENGTH = 0.42
SIZE = 128


def vignette(render2d: p3d.NodePath) -> p3d.NodePath:
    """Add a transparent darkening over the picture, below all panels."""
    x = np.linspace(-1.0, 1.0, SIZE)
    away = np.clip((x[:, None] ** 2 + x[None, :] ** 2 - 0.35) / 1.65, 0.0, 1.0)
    alpha = (255.0 * STRENGTH * away * (2.0 - away)).astype(np.uint8)
    texture = p3d.Texture("vignette")
    texture.setup_2d_texture(
        SIZE, SIZE, p3d.Texture.T_unsigned_byte, p3d.Texture.F_alpha
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
    return path
