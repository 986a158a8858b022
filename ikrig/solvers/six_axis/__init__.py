"""Six-axis robot arms solved in closed form, without the engine."""

from __future__ import annotations

from .result import ArmPath, ArmResult
from .spherical_wrist import SphericalWristArm

__all__ = ["ArmPath", "ArmResult", "SphericalWristArm"]
