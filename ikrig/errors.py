"""Errors raised during set-up. Solving a frame never raises."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

MOST_CHOICES = 30
"""Maximum number of names in a message."""
MOST_LETTERS = 200
"""Maximum length of a value in a message, in characters."""
SAME = 0.85
"""Similarity of a name and its misspelling, 0 to 1."""


class IkrigError(Exception):
    """Base of every error that ikrig raises on purpose."""

    file: object = None
    """The file of the error, where it is known."""


class ModelError(IkrigError, ValueError):
    """The numbers of a model do not describe a chain or a tree."""


class PartError(ModelError):
    """A part of a robot has an error; a file's reader adds its position."""

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
    """A file has errors: ``diagnostics`` lists them, one per line of the message.

    Args:
        path: The file.
        diagnostics: The errors in it.
    """

    def __init__(self, path: object, diagnostics: Iterable[Diagnostic]) -> None:
        self.path = path
        self.diagnostics = sorted(diagnostics)
        lines = [
            f"{path}:{line}:{column}: {message}" if line else f"{path}: {message}"
            for line, column, message in self.diagnostics
        ]
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the path and the errors, for worker processes."""
        return type(self), (self.path, self.diagnostics)


class RigFileError(FileError, ModelError):
    """A YAML file of a rig or a robot has errors."""


class ClipFileError(FileError, ClipError):
    """A YAML file of a clip has errors."""


class MotionFileError(FileError, ModelError):
    """A file of a motion capture has errors."""


class OutputError(FileError):
    """A file cannot be written, or must not be: it is a source of the result."""


class AccessError(IkrigError, ValueError):
    """A file refers to another one that it may not open."""


class VideoError(IkrigError, RuntimeError):
    """There is no graphics output, or a picture or video cannot be written."""


class GraphicsError(IkrigError, RuntimeError):
    """The graphics card, its driver or a shader can't draw what is asked for."""


class MissingPackageError(IkrigError, ImportError):
    """A feature needs a package that is not installed."""


class CopyError(IkrigError, TypeError):
    """An object owns memory that cannot be copied or pickled."""


class SettingError(IkrigError, ValueError):
    """A setting is out of its range or of the wrong type."""


class BindError(IkrigError, ValueError):
    """A rig does not fit the scene graph it was attached to."""


def shown(value: object) -> str:
    """Return a value for a message: on one line and shortened."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        # integers with thousands of digits, and objects with a broken repr
        text = f"a {type(value).__name__} that can't be written out"
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


def suggest(word: object, allowed: Iterable[str], meant: str = "") -> str:
    """Return the end of a message: the name that was meant, then all allowed ones.

    Args:
        word: The name given.
        allowed: The names.
        meant: One of them that is meant unless another one differs by a letter or two.
            Default: the most similar one, if any is similar.
    """
    words = list(allowed)
    text = word if isinstance(word, str) else shown(word)
    near = get_close_matches(text, words, 1, SAME if meant else 0.6) or [meant]
    there = f"did you mean {near[0]!r}? Available:" if near[0] else "available:"
    return f"{there} {name_list(words)}"


def name_list(words: Iterable[str]) -> str:
    """Return names separated by commas; of many the first, and the number left."""
    found = list(words)
    names = ", ".join(found[:MOST_CHOICES]) or "none"
    more = len(found) - MOST_CHOICES
    return f"{names} and {more} more" if more > 0 else names
