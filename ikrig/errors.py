"""Errors raised during set-up. Solving a frame never raises."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, NamedTuple

MOST_CHOICES = 30
"""Largest number of names in a message."""
MOST_LETTERS = 200
"""Longest text of a value in a message."""


class IkrigError(Exception):
    """Base of every error that ikrig raises on purpose."""

    file: object = None
    """The file of the error, where it is known."""


class ModelError(IkrigError, ValueError):
    """The numbers of a model do not describe a chain or a tree."""


class PartError(ModelError):
    """A part of a tree is wrong; who read it from a file knows where it stands."""

    def __init__(self, message: str, part: object, field: str) -> None:
        super().__init__(message)
        self.part = part
        self.field = field


class ClipError(IkrigError, ValueError):
    """A clip, one of its tracks, or a request to it is not valid."""


class Diagnostic(NamedTuple):
    """One error in a file."""

    line: int
    """Counted from 1; 0 when it is about the file as a whole."""
    column: int
    """Counted from 1; 0 when it is about the file as a whole."""
    message: str


class FileError(IkrigError, ValueError):
    """A YAML file has errors: ``mistakes`` lists all, each is a line of the message.

    Args:
        path: The file.
        mistakes: The errors in it.
    """

    def __init__(self, path: object, mistakes: Iterable[Diagnostic]) -> None:
        self.path = path
        self.mistakes = sorted(mistakes)
        lines = [
            f"{path}:{line}:{column}: {message}" if line else f"{path}: {message}"
            for line, column, message in self.mistakes
        ]
        super().__init__("\n".join(lines))

    def __reduce__(self) -> Any:
        """Go whole from process to process."""
        return type(self), (self.path, self.mistakes)


class RigFileError(FileError, ModelError):
    """A YAML file of a rig, or of its bodies, has errors."""


class ClipFileError(FileError, ClipError):
    """A YAML file of a clip has errors."""


class OutputError(FileError):
    """A file cannot be written, or must not be because it is a source of the result."""


class AccessError(IkrigError, ValueError):
    """A file names another one that it is not allowed to open."""


class VideoError(IkrigError, RuntimeError):
    """There is no graphics output, or a picture or video cannot be written."""


class MissingPackageError(IkrigError, ImportError):
    """A feature needs a package that is not installed."""


class CopyError(IkrigError, TypeError):
    """An object owns memory that cannot be copied or pickled."""


class SettingError(IkrigError, ValueError):
    """A setting is out of its range or of the wrong type."""


class BindError(IkrigError, ValueError):
    """A rig does not fit the scene graph it was attached to."""


def shown(value: object) -> str:
    """Return a value as it stands in a message: on one line, and not endless."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        # whole numbers of thousands of digits, and objects whose repr is broken
        text = f"a {type(value).__name__} that can't be written out"
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


def suggest(word: object, allowed: Iterable[str]) -> str:
    """Return the end of a message: the allowed words, the nearest one first."""
    words = list(allowed)
    near = get_close_matches(word if isinstance(word, str) else shown(word), words, 1)
    there = f"did you mean {near[0]!r}? There is" if near else "there is"
    return f"{there} {name_list(words)}"


def name_list(words: Iterable[str]) -> str:
    """Return words in a row; of very many the first, and how many more there are."""
    found = list(words)
    names = ", ".join(found[:MOST_CHOICES]) or "none"
    more = len(found) - MOST_CHOICES
    return f"{names} and {more} more" if more > 0 else names
