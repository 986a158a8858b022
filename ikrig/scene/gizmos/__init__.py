"""Draggable targets and poles, and drawings of rigs.

``Gizmos`` is the layer; the rest are its parts: ``view`` (screen and world), ``handle``
(dragging), ``figure`` (what is read of chains
and trees), ``entry`` (a rig, whatever it does), ``drawing`` (looks), ``regions`` and
``region_shapes`` (joint limits), ``canvas``, ``painter`` and ``icons`` (triangles),
``mouse`` (the only part that knows the mouse), ``checks`` (what may be given).
Wrong set-up raises; nothing does in a frame.
"""

from __future__ import annotations

from .gizmo_checks import Axis
from .gizmo_layer import Gizmos
from .gizmo_root import GIZMO_MASK
from .handle import Handle
from .rig_view import STATUS_COLORS, ChainLike, TreeLike

__all__ = [
    "GIZMO_MASK",
    "STATUS_COLORS",
    "Axis",
    "ChainLike",
    "Gizmos",
    "Handle",
    "TreeLike",
]
