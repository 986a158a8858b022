"""Action: a command of the studio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Action:
    """A command of the studio, run by menu, key or palette."""

    name: str
    """"Save", "Add pole" ..."""
    run: Callable[[], object]
    keys: str = ""
    """"Ctrl+S"; "" for none."""
    menu: str = ""
    """"File", "Edit", "Rig", "Clip", "View"; "" for the palette alone."""
    enabled: Callable[[], bool] = field(default=lambda: True)
