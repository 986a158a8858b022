"""Environment: light, floor, backdrop and shadows around rigs and demos.

With shaders, floor, light and shadows are drawn by ``shaders``. The CPU rasteriser has
none; there the room is a floor, three plain lights, and a shadow that is the scene
itself, flattened onto it.
"""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d

from ikrig.scene.viewer import shaders

from ..crowd.crowd_shader import skinned_by_palette
from ..crowd.draw import PRIORITY, CrowdDrawing
from ..robot.geoms import lathe, painted
from .materials import attach_ball

_TONES = {
    "sky": ((0.255, 0.285, 0.325), (0.60, 0.71, 0.81)),
    "floor": ((0.30, 0.325, 0.355), (0.56, 0.54, 0.49)),
    "shadow": ((0.165, 0.18, 0.205), (0.40, 0.39, 0.37)),
    "ambient": ((0.50, 0.54, 0.60), (0.58, 0.62, 0.68)),
    "key": ((0.62, 0.57, 0.50), (0.66, 0.61, 0.52)),
    "rim": ((0.22, 0.27, 0.34), (0.14, 0.18, 0.24)),
}
"""Colours of the room without shaders, sRGB: in the studio, and by day."""


class FallbackLighting:
    """Floor, lights and shadow for the fixed-function pipeline."""

    def __init__(
        self, render: p3d.NodePath, stage: p3d.NodePath, window: p3d.GraphicsOutput
    ) -> None:
        self._root = render.attach_new_node("flat room")
        self._root.set_light_off()
        self._window = window
        self._ambient = p3d.AmbientLight("ambient")
        self._key, self._rim = p3d.DirectionalLight("key"), p3d.DirectionalLight("rim")
        for lamp in (self._ambient, self._key, self._rim):
            stage.set_light(self._root.attach_new_node(lamp))
        self._floor = self._root.attach_new_node("floor")
        shadow = self._shadow = self._root.attach_new_node("shadow")
        shadow.set_light_off(1000)
        shadow.set_texture_off(1000)
        shadow.set_bin("background", 1, 1000)
        shadow.set_depth_write(False, 1000)
        shadow.set_two_sided(True, 1000)
        stage.instance_to(shadow)

    def light(self, key: p3d.LVector3, rim: p3d.LVector3, daylight: bool) -> None:
        """Set the lamps' directions and all colours."""
        tones = {name: p3d.LVector3(*pair[daylight]) for name, pair in _TONES.items()}
        for lamp in (self._ambient, self._key, self._rim):
            lamp.set_color(p3d.LColor(tones[lamp.get_name()], 1.0))
        self._key.set_direction(-key)
        self._rim.set_direction(-rim)
        self._window.set_clear_color(p3d.LColor(tones["sky"], 1.0))
        self._shadow.set_color(p3d.LColor(tones["shadow"], 1.0), 1000)
        flatten = p3d.LMatrix4(p3d.LMatrix4.ident_mat())
        # not quite flat, so that the matrix is invertible
        flatten.set_row(2, p3d.LVecBase4(-key.x / key.z, -key.y / key.z, 1e-3, 0.0))
        self._shadow.set_mat(flatten)
        # a disc that fades into the sky
        radii = np.linspace(0.0, 26.0, 14)
        parts = np.clip((radii - 4.0) / 16.0, 0.0, 1.0)
        parts *= parts * (3.0 - 2.0 * parts)
        points, triangles = lathe([(radius, 0.0) for radius in radii.tolist()], 32)
        shades = [tones["floor"] * (1.0 - t) + tones["sky"] * t for t in parts.tolist()]
        colours = np.repeat([(*shade, 1.0) for shade in shades], 32, axis=0)
        self._floor.remove_node()
        floor = p3d.GeomNode("floor")
        floor.add_geom(painted(points, colours, triangles))
        self._floor = self._root.attach_new_node(floor)
        self._floor.set_bin("background", 0)
        self._floor.set_two_sided(True)
        self._floor.set_depth_write(False)


# for a camera that looks along +y; the lamps stand around the camera
KEY_DIRECTION = p3d.LVector3(-0.75, -0.30, 0.92).normalized()
RIM_DIRECTION = p3d.LVector3(0.85, 0.43, 0.42).normalized()
# of the key and the rim light
LAMP_COLOURS = p3d.LVector3(2.35, 2.12, 1.86), p3d.LVector3(1.25, 1.45, 1.75)
DAY_COLOURS = p3d.LVector3(2.9, 2.55, 2.05), p3d.LVector3(0.75, 0.95, 1.25)
SHADOW_SIZE = 2048
SHADOW_BIT, BELOW_BIT = p3d.BitMask32.bit(7), p3d.BitMask32.bit(8)
"""Of the cameras of depth maps: along the light, and from below the ground."""
DEPTH_TAG = "depth"
"""Tag of crowds, which depth maps draw with a shader of their own."""


def light_crowd(drawing: CrowdDrawing) -> None:
    """Shade a crowd below a stage as all other nodes there."""
    shader = shaders.make_shader(shaders.CROWD_VERTEX, shaders.SURFACE_FRAGMENT)
    drawing.set_shader(shader)
    drawing.root.set_tag(DEPTH_TAG, "crowd")


def stand_on(ground: p3d.NodePath) -> None:
    """Let what stands on a node below a stage darken it around its soles."""
    ground.hide(BELOW_BIT)
    ground.set_shader_input("u_ground", 1.0)


class Environment:
    """Lights ``stage``; all nodes below it are shaded and cast shadows."""

    def __init__(
        self,
        render: p3d.NodePath,
        camera: p3d.NodePath | None = None,
        window: p3d.GraphicsOutput | None = None,
    ) -> None:
        """Build the room; without a window only an empty stage."""
        self.render = render
        self.stage = render.attach_new_node("stage")
        self.overlay = render.attach_new_node("overlay")
        self._maps: list[_DepthMap] = []
        self._flat: FallbackLighting | None = None
        self.shaded = False
        if window is None or camera is None:
            return
        gsg = window.get_gsg()
        self.shaded = bool(gsg is not None and gsg.get_supports_basic_shaders())
        if self.shaded:
            self._build_shaded(window)
        else:
            self._flat = FallbackLighting(render, self.stage, window)
            # everywhere the alpha that the shader gives glass at its centre
            self.overlay.set_alpha_scale(0.24)

    def look_at(
        self,
        centre: p3d.LPoint3,
        radius: float,
        forward: p3d.LVector3,
        daylight: bool = False,
    ) -> None:
        """Set the lamps around what is visible, as the camera first looks at it."""
        rotation = p3d.LQuaternion()
        rotation.set_hpr(
            p3d.LVecBase3(math.degrees(math.atan2(-forward.x, forward.y)), 0, 0)
        )
        key = p3d.LVector3(rotation.xform(KEY_DIRECTION))
        rim = p3d.LVector3(rotation.xform(RIM_DIRECTION))
        if self._flat is not None:
            self._flat.light(key, rim, daylight)
        if not self.shaded:
            return
        key_colour, rim_colour = DAY_COLOURS if daylight else LAMP_COLOURS
        shadow, below = self._maps
        shadow.direction = key
        for depth_map in self._maps:
            depth_map.aim(centre, radius)
        self.render.set_shader_inputs(
            u_glow_dir=p3d.LVector3(forward.x, forward.y, 0.06).normalized(),
            u_centre=centre,
            u_day=float(daylight),
            u_key_colour=key_colour,
            u_rim_colour=rim_colour,
            u_key_dir=key,
            u_rim_dir=rim,
            u_shadow_map=shadow.texture,
            u_shadow_matrix=shadow.matrix(self.render),
            u_shadow_blur=0.045 / shadow.width,
            u_height_map=below.texture,
            u_height_matrix=below.matrix(self.render),
            u_height=p3d.LVector3(1.0 / below.width, below.depth, below.bottom),
        )

    def draw(self, active: bool) -> None:
        for depth_map in self._maps:
            depth_map.buffer.set_active(active)

    def reset(self) -> None:
        for root in (self.stage, self.overlay):
            for child in root.get_children():
                child.remove_node()

    def _build_shaded(self, window: p3d.GraphicsOutput) -> None:
        surface = shaders.make_shader(shaders.SURFACE_VERTEX, shaders.SURFACE_FRAGMENT)
        self.stage.set_shader(surface)
        glass = shaders.make_shader(shaders.SURFACE_VERTEX, shaders.GHOST_FRAGMENT)
        self.overlay.set_shader(glass)
        self.render.set_shader_inputs(u_look=p3d.LVector4(0.0), u_ground=0.0)
        key = _DepthMap(self.stage, window, "shadow", KEY_DIRECTION, compare=True)
        below = _DepthMap(
            self.stage, window, "height", p3d.LVector3(0.0, 0.001, -1.0), compare=False
        )
        self._maps = [key, below]

        room = self.render.attach_new_node("room")
        card = p3d.CardMaker("floor")
        card.set_frame(-60.0, 60.0, -60.0, 60.0)
        floor = room.attach_new_node(card.generate())
        floor.set_p(-90.0)
        floor.set_shader(
            shaders.make_shader(shaders.SURFACE_VERTEX, shaders.FLOOR_FRAGMENT)
        )
        dome = attach_ball(room, 500.0)
        dome.set_two_sided(True)
        dome.set_bin("background", 0)
        dome.set_depth_write(False)
        dome.set_depth_test(False)
        dome.node().set_bounds(p3d.OmniBoundingVolume())
        dome.node().set_final(True)
        dome.set_shader(
            shaders.make_shader(shaders.SURFACE_VERTEX, shaders.BACKDROP_FRAGMENT)
        )


class _DepthMap:
    """The depth of the stage along one direction."""

    def __init__(
        self,
        stage: p3d.NodePath,
        window: p3d.GraphicsOutput,
        name: str,
        direction: p3d.LVector3,
        *,
        compare: bool,
    ) -> None:
        self.direction = direction
        self.width = self.depth = self.bottom = 1.0
        self.texture = p3d.Texture(name)
        self.texture.set_wrap_u(p3d.SamplerState.WM_border_color)
        self.texture.set_wrap_v(p3d.SamplerState.WM_border_color)
        self.texture.set_border_color(p3d.LColor(1.0))
        if compare:
            self.texture.set_minfilter(p3d.SamplerState.FT_shadow)
            self.texture.set_magfilter(p3d.SamplerState.FT_shadow)

        size = SHADOW_SIZE if compare else SHADOW_SIZE // 2
        properties = p3d.FrameBufferProperties()
        properties.set_depth_bits(24)
        buffer = window.get_engine().make_output(
            window.get_pipe(),
            name,
            -20,
            properties,
            p3d.WindowProperties(size=(size, size)),
            p3d.GraphicsPipe.BF_refuse_window,
            window.get_gsg(),
            window.get_host(),
        )
        self.buffer = buffer
        buffer.add_render_texture(
            self.texture,
            p3d.GraphicsOutput.RTM_bind_or_copy,
            p3d.GraphicsOutput.RTP_depth,
        )
        self.lens = p3d.OrthographicLens()
        node = p3d.Camera(name, self.lens)
        node.set_scene(stage)
        node.set_camera_mask(SHADOW_BIT if compare else BELOW_BIT)
        depth = shaders.make_shader(shaders.DEPTH_VERTEX, shaders.DEPTH_FRAGMENT)
        state = p3d.RenderState.make(
            p3d.ShaderAttrib.make(depth, 1000),
            p3d.CullFaceAttrib.make(p3d.CullFaceAttrib.M_cull_none),
        )
        node.set_initial_state(state)
        crowd = shaders.make_shader(shaders.CROWD_DEPTH_VERTEX, shaders.DEPTH_FRAGMENT)
        attrib = p3d.ShaderAttrib.make(skinned_by_palette(crowd), PRIORITY + 1)
        node.set_tag_state_key(DEPTH_TAG)
        node.set_tag_state("crowd", p3d.RenderState.make(attrib))
        self.camera = stage.get_parent().attach_new_node(node)
        region = buffer.make_display_region()
        region.set_camera(self.camera)

    def aim(self, centre: p3d.LPoint3, radius: float) -> None:
        far = 4.0 * radius
        self.width, self.depth = 2.4 * radius, far - 0.1
        self.lens.set_film_size(self.width, self.width)
        self.lens.set_near_far(0.1, far)
        self.camera.set_pos(centre + self.direction * (2.0 * radius))
        self.camera.look_at(centre)
        self.bottom = float(self.camera.get_z()) + 0.1

    def matrix(self, render: p3d.NodePath) -> p3d.LMatrix4:
        bias = p3d.LMatrix4(0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1)
        view = render.get_transform(self.camera).get_mat()
        return view * self.lens.get_projection_mat() * bias
