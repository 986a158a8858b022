"""The root node of gizmos, and the camera mask that shows them."""

from __future__ import annotations

import panda3d.core as p3d

from .canvas import Canvas

GIZMO_MASK = p3d.BitMask32.bit(30)
"""Only cameras whose mask has this bit see gizmos; by default every camera's has.

Gizmos never write depth, so they cast no shadow even into the shadow map of a light
that has the bit. To spare that camera the work, or to keep gizmos out of a mirror or a
minimap: ``camera_node.set_camera_mask(camera_node.get_camera_mask() & ~GIZMO_MASK)``.
"""

OVERRIDE = 1000  # priority: no attribute of the scene reaches the gizmos
_HIDDEN_BONES = 0.35  # alpha of bones behind geometry
_HIDDEN_KNOBS = 0.75  # of handles, which must be easy to find inside a model


def make_root(
    render: p3d.NodePath, canvas: Canvas, regions: p3d.PandaNode
) -> p3d.NodePath:
    """Attach all geometry to the scene in two passes: opaque, and dim where hidden."""
    root = render.attach_new_node("ikrig-gizmos")
    everyone = p3d.PandaNode.get_all_camera_mask()
    root.node().adjust_draw_mask(
        GIZMO_MASK, everyone & ~GIZMO_MASK, p3d.BitMask32.all_off()
    )
    root.set_light_off(OVERRIDE)
    root.set_shader_off(OVERRIDE)
    root.set_material_off(OVERRIDE)
    root.set_fog_off(OVERRIDE)
    root.set_clip_plane_off(OVERRIDE)
    root.set_color_scale_off(OVERRIDE)
    root.set_render_mode_filled(OVERRIDE)
    root.set_two_sided(True, OVERRIDE)
    root.set_depth_write(False, OVERRIDE)
    root.set_transparency(p3d.TransparencyAttrib.M_alpha, OVERRIDE)

    # after the scene, regardless of depth: bones over limits, handles over bones
    passes = (
        (regions, 98, _HIDDEN_BONES),
        (regions, 99, None),
        (canvas.skeleton, 100, _HIDDEN_BONES),
        (canvas.skeleton, 101, None),
        (canvas.knobs, 102, _HIDDEN_KNOBS),
        (canvas.knobs, 103, None),
    )
    for geometry, order, hidden_alpha in passes:
        parent = root.attach_new_node("pass")
        parent.attach_new_node(geometry)
        parent.set_bin("fixed", order, OVERRIDE)
        parent.set_depth_test(hidden_alpha is None, OVERRIDE)
        if hidden_alpha is not None:
            parent.set_color_scale((1.0, 1.0, 1.0, hidden_alpha), OVERRIDE + 1)
        parent.set_texture_off(OVERRIDE)
        parent.set_attrib(p3d.ColorAttrib.make_vertex(), OVERRIDE)
    return root
