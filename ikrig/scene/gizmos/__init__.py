"""Draggable targets and poles, and drawings of rigs.

``Gizmos`` is the layer, with its mouse; the rest are its parts: ``viewpoint`` (screen
and world), ``handle`` and ``drag`` (draggable objects, rings, arrows, their movement),
``rig_view`` (the drawn state of rigs), ``drawing`` (looks), ``limit_shapes`` (joint
limits), ``canvas`` and ``meshes`` (triangles). Wrong arguments raise at set-up; frames
never raise.
"""

from __future__ import annotations

from .canvas import GIZMO_MASK
from .gizmo_layer import Gizmos
from .handle import Axis, Handle
from .rig_view import STATUS_COLORS, STATUS_LOOKS

__all__ = [
    "GIZMO_MASK",
    "STATUS_COLORS",
    "STATUS_LOOKS",
    "Axis",
    "Gizmos",
    "Handle",
]
