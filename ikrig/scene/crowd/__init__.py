"""Crowds: many characters of one model, posed and drawn together."""

from .crowd_shader import INCLUDE, skinned_by_palette
from .draw import CrowdDrawing

__all__ = ["INCLUDE", "CrowdDrawing", "skinned_by_palette"]
