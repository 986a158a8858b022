"""Reports errors of a rig file that occur when it is built in a scene."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import IkrigError
from ...formats.rig_file import Part
from ...formats.yaml_reader import Node, YamlFile


class LocatedError(IkrigError):
    """An error in the scene, with its position in the file."""

    def __init__(self, position: Node, message: str) -> None:
        super().__init__(message)
        self.position = position


class ErrorReporter:
    """Reports errors as diagnostics of the file, each at its line.

    Args:
        file: The file.
    """

    def __init__(self, file: YamlFile) -> None:
        self.file = file

    @contextmanager
    def report(self, part: Part, key: str = "") -> Iterator[None]:
        """Report the error for which a part can't be made.

        Args:
            part: The part.
            key: Key of the error; by default as in the message, or the whole part.
        """
        try:
            yield
        except LocatedError as error:
            self.file.report_error(error.position, str(error))
        except (IkrigError, AssertionError) as error:
            text = "; ".join(str(error).splitlines())
            # messages begin with the key that they are about
            about = text.replace(":", " ").partition(" ")[0]
            named = [k for k, value in part.values.items() if value == about]
            source = key or (named[0] if named else about)
            position = _source_node(part, source, text)
            self.file.report_error(position, f"{key}: {text}" if key else text)


def _source_node(part: Part, key: str, text: str) -> Node:
    """Return the position of a key; of entries, that of the first one in the text."""
    value = part.values.get(key)
    if isinstance(value, dict):
        named = [name for name in value if repr(name) in text]
        if named:
            first: Part = value[min(named, key=lambda name: text.index(repr(name)))]
            return first.positions[""]
    return part.positions.get(key, part.positions[""])
