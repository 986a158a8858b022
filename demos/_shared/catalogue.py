"""The list of demos, read from their docstrings without running them."""

from __future__ import annotations

import ast
import difflib
import importlib
from dataclasses import dataclass
from pathlib import Path

from demos._shared.demo import Demo
from demos._shared.demo_error import DemoError
from demos._shared.sender import Sender

DEMOS = Path(__file__).resolve().parent.parent
ASSETS = DEMOS.parent / "assets"
THUMBNAIL_SIZE = (480, 270)


@dataclass(frozen=True)
class Entry:
    """One demo in the catalogue.

    Attributes:
        name: Name on the command line, the module's.
        line: Description in one line.
        keys: Its own keys and what they do.
        order: Sort key in the catalogue.
        file: File to show; None: the demo's own.
        allow: Further folders from which the file may load other files.
        sender: Source of joint angles; None: no source.
    """

    name: str
    line: str
    keys: tuple[tuple[str, str], ...]
    order: int = 100
    file: Path | None = None
    allow: tuple[Path, ...] = ()
    sender: Sender | None = None

    @property
    def title(self) -> str:
        """The name as a heading."""
        return self.name.replace("_", " ").capitalize()

    @property
    def thumbnail(self) -> Path:
        """Path of its thumbnail, whether the file exists or not."""
        return ASSETS / "images" / f"demo_{self.name}.png"

    def load(self) -> type[Demo]:
        """Import the demo's module and return its class.

        Raises:
            DemoError: There is no such module, or a file is given and it shows none.
        """
        module = importlib.import_module(f"demos.{self.name}")
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Demo)
                and value.__module__ == module.__name__
            ):
                if self.file is not None and not value.takes_file:
                    raise DemoError(
                        f"{self.name} takes no FILE, but {self.file} was given"
                    )
                if self.sender is not None and not value.takes_sender:
                    raise DemoError(
                        f"{self.name} can't mirror another program: only robot can"
                    )
                return value
        raise DemoError(
            f"{self.name}: demos/{self.name}.py has no class derived from Demo"
        )


def read(folder: Path = DEMOS) -> list[Entry]:
    """Return all demos of a folder in catalogue order."""
    files = [path for path in folder.glob("*.py") if not path.stem.startswith("_")]
    return sorted(map(parse, files), key=lambda entry: (entry.order, entry.name))


def parse(path: Path) -> Entry:
    """Read one demo's docstring: first line, and the lines below "Keys:"."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines = (ast.get_docstring(tree) or path.stem).splitlines()
    keys: list[tuple[str, str]] = []
    order = 100
    inside = False
    for line in lines[1:]:
        if line.startswith("Order:"):
            order = int(line.removeprefix("Order:"))
        if line.rstrip() == "Keys:":
            inside = True
        elif inside and line.startswith("    ") and "  " in line.strip():
            key, text = line.strip().split("  ", 1)
            keys.append((key, text.strip()))
        elif line.strip():
            inside = False
    return Entry(path.stem, lines[0].rstrip("."), tuple(keys), order)


def find(name: str, entries: list[Entry]) -> Entry:
    """Return a demo by its name.

    Raises:
        DemoError: There is no such demo; the message lists all names.
    """
    for entry in entries:
        if entry.name == name:
            return entry
    names = [entry.name for entry in entries]
    near = difflib.get_close_matches(name.lower().replace("-", "_"), names, 1, 0.4)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise DemoError(f"there is no demo {name!r}{hint}; available: {', '.join(names)}")
