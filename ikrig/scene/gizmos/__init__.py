"""Draggable targets and poles, and drawings of rigs.

``Gizmos`` is the layer; the rest are its parts: ``viewpoint`` (screen and world),
``handle``, ``rings`` and ``drag`` (what can be held, and where it goes), ``grip`` (what
is held), ``rig_view`` (what is read of rigs), ``entry`` (a rig, whatever it does),
``shown`` (what was added), ``drawing`` (looks), ``limit_shapes`` and
``limit_templates`` (joint limits), ``canvas``, ``painter``, ``strokes`` and ``icons``
(triangles), ``gizmo_mouse`` (the only part that knows the mouse), ``gizmo_checks``
(what may be given).
Wrong set-up raises; nothing does in a frame.
"""

from __future__ import annotations

from .gizmo_checks import Axis
from .gizmo_layer import Gizmos
from .gizmo_root import GIZMO_MASK
from .handle import Handle
from .rig_view import STATUS_COLORS, STATUS_SHAPES, STATUS_WORDS

__all__ = [
    "GIZMO_MASK",
    "STATUS_COLORS",
    "STATUS_SHAPES",
    "STATUS_WORDS",
    "Axis",
    "Gizmos",
    "Handle",
]
