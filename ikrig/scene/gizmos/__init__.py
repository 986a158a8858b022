"""Draggable targets and poles, and drawings of rigs.

``Gizmos`` is the layer; the rest are its parts: ``viewpoint`` (screen and world),
``handle``, ``rings`` and ``drag`` (draggable objects and their movement), ``mouse``
(the hovered and the dragged object), ``rig_view`` (the drawn state of rigs),
``displayed`` (all rigs and handles on display), ``drawing`` (looks), ``limit_shapes``
(joint limits), ``canvas`` and ``meshes`` (triangles), ``gizmo_checks`` (arguments).
Wrong arguments raise at set-up; frames never raise.
"""

from __future__ import annotations

from .canvas import GIZMO_MASK
from .gizmo_checks import Axis
from .gizmo_layer import Gizmos
from .handle import Handle
from .rig_view import STATUS_COLORS, STATUS_SHAPES, STATUS_TEXTS

__all__ = [
    "GIZMO_MASK",
    "STATUS_COLORS",
    "STATUS_SHAPES",
    "STATUS_TEXTS",
    "Axis",
    "Gizmos",
    "Handle",
]
