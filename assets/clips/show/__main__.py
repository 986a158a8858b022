"""Computes what nobody would set by hand: `python -m assets.clips.show`.

It rewrites the end of two clips, from the line `MARK` on: the grips of robots and hand
in `show_arms.yaml`, and the steps of the creature in `show_creature.yaml`. All that is
above that line is the animator's; the end follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ikrig

from .grips import grips
from .steps import steps

MARK = "  # -- below this line: made by python -m assets.clips.show"


def make(folder: Path) -> None:
    """Bring the computed ends of the clips up to date."""
    for name, compute in (("show_arms", grips), ("show_creature", steps)):
        path = folder / f"{name}.yaml"
        head = path.read_text(encoding="utf-8").split(MARK)[0]
        path.write_text(head, encoding="utf-8")
        tracks: Mapping[str, Any] = compute(ikrig.load_clip(path))
        lines = [MARK]
        for part, channels in tracks.items():
            lines.append(f"  {part}:")
            for channel, keys in channels.items():
                lines += [f"    {channel}:", "      curve: cubic", "      keys:"]
                lines += _rows(keys)
        path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def _rows(keys: Mapping[float, Any]) -> list[str]:
    """Return keys a few to a line."""
    rows, row = [], "        {"
    for time, value in keys.items():
        entry = f"{time:g}: {value}"
        if len(row) + len(entry) > 84:
            rows.append(row.rstrip())
            row = "         "
        row += f"{entry}, "
    return [*rows, row.rstrip(", ") + "}"]


if __name__ == "__main__":
    make(Path(__file__).parents[1])
