"""Writes the JSON Schemas: ``python assets/schemas/make.py``.

They come from the tables that the readers of the files use.
"""

from __future__ import annotations

import json
from pathlib import Path

from ikrig.formats.clip_yaml import clip_schema
from ikrig.formats.rig_file import rig_schema
from ikrig.formats.robot_yaml import robot_schema

FOLDER = Path(__file__).parent


def schema_texts() -> dict[str, str]:
    """Return the text of every schema by its file's name."""
    schemas = {
        "clip.schema.json": clip_schema(),
        "rig.schema.json": rig_schema(),
        "robot.schema.json": robot_schema(),
    }
    return {
        name: json.dumps(schema, indent=1) + "\n" for name, schema in schemas.items()
    }


if __name__ == "__main__":
    for name, text in schema_texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
