"""Makes `humanoid.bam` and `humanoid.json`: `python -m assets.models.humanoid`."""

from __future__ import annotations

import json
from pathlib import Path

from .clips import RATE, make_clips
from .figure import make_skin
from .notes import make_notes
from .skeleton import make_bones
from .writer import write


def make(folder: Path) -> None:
    """Write both files into a folder."""
    bones = make_bones()
    clips = make_clips(bones)
    write(folder / "humanoid.bam", bones, make_skin(bones), clips, RATE)
    notes = json.dumps(make_notes(), indent=2)
    (folder / "humanoid.json").write_text(notes + "\n", encoding="utf-8")


if __name__ == "__main__":
    make(Path(__file__).parents[1])
