"""Errors raised while something is set up. Solving a frame never raises."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "BindError",
    "IkrigError",
    "MissingPackageError",
    "ModelError",
    "RigFileError",
    "SettingError",
]


class IkrigError(Exception):
    """Base of every error that ikrig raises on purpose."""


class ModelError(IkrigError, ValueError):
    """The numbers of a model do not describe a chain or a tree."""


class PartError(ModelError):
    """A part of a tree is wrong; who read it from a file knows where it stands."""

    def __init__(self, message: str, part: object, field: str) -> None:
        super().__init__(message)
        self.part = part
        self.field = field


class RigFileError(ModelError):
    """A YAML description is wrong; the message begins with file and line."""


class MissingPackageError(IkrigError, ImportError):
    """Something needs a package that is not installed."""


class SettingError(IkrigError, ValueError):
    """A setting is out of its range or of the wrong type."""


class BindError(IkrigError, ValueError):
    """A rig does not fit the scene graph it was attached to."""


def choices(word: object, allowed: Iterable[str]) -> str:
    """Return the end of a message: the allowed words, the nearest one first."""
    words = list(allowed)
    near = get_close_matches(str(word), words, 1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return f"{meant}There is {', '.join(words) or 'none'}"
