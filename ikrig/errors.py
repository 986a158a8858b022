"""Errors raised while something is set up. Solving a frame never raises."""

from __future__ import annotations

__all__ = ["BindError", "IkrigError", "ModelError", "SettingError"]


class IkrigError(Exception):
    """Base of every error that ikrig raises on purpose."""


class ModelError(IkrigError, ValueError):
    """The numbers of a model do not describe a chain."""


class SettingError(IkrigError, ValueError):
    """A setting is out of its range or of the wrong type."""


class BindError(IkrigError, ValueError):
    """A rig does not fit the scene graph it was attached to."""
