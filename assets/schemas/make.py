"""Writes the JSON Schemas: ``python assets/schemas/make.py``.

They come from the tables that the readers of the files use.
"""

from __future__ import annotations

import json
from pathlib import Path

from ikrig.clipfile import clip_schema

FOLDER = Path(__file__).parent


def schema_texts() -> dict[str, str]:
    """Return the text of every schema by its file's name."""
    return {"clip.schema.json": json.dumps(clip_schema(), indent=1) + "\n"}


if __name__ == "__main__":
    for name, text in schema_texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
