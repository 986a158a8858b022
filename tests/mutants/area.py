"""An area of the library: sources, and the tests that answer for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def each(pattern: str, names: str) -> tuple[str, ...]:
    """Return a pattern once for each name, in the place of its ``*``."""
    return tuple(pattern.replace("*", name) for name in names.split())


@dataclass(frozen=True)
class Area:
    """Sources that the same tests answer for; each area gets as many mutants."""

    name: str
    sources: tuple[str, ...]
    """Files from the root of the tree; ``*`` for any letters."""
    tests: tuple[str, ...]

    def files(self) -> list[str]:
        """Return its files, sorted.

        Raises:
            FileNotFoundError: A pattern finds none.
        """
        found = set()
        for pattern in self.sources:
            paths = [p.relative_to(ROOT).as_posix() for p in ROOT.glob(pattern)]
            if not paths:
                raise FileNotFoundError(f"area {self.name}: there is no {pattern}")
            found |= {p for p in paths if not Path(p).name.startswith("_")}
        return sorted(found)
