"""Writes the page of all keys of files: ``python docs/file_keys.py``.

It comes from the records that limits, settings, behaviours, parts of robots and the
sections of files declare, as the readers and the JSON Schemas do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ikrig.clip.paths import PATHS
from ikrig.formats.clip_yaml import HEAD, WORDS, path_record
from ikrig.formats.rig_file.sections import FILE
from ikrig.formats.robot_yaml import part_record
from ikrig.model.body_spec import Body, parts_of
from ikrig.records import Choice, Field, Named, Record, word_of

PAGE = Path(__file__).parent / "pages" / "api" / "file_keys.md"
HEADING = """\
# Keys of files

All keys of rig files, clips and YAML robots, with the values that they may have. \
A key in bold is required; one in `_deg` is in degrees. \
Guides: [Rig files](../rig_files.md), [Clips](../clips.md), [Robots](../robots.md).
"""


def page() -> str:
    """Return the text of the page."""
    done: list[object] = []
    lines = [HEADING, "## Rig files", "", *_record("The file", FILE, done)]
    lines += ["## Clips", "", *_table("The file", "A clip.", HEAD)]
    tracks = {token: field for token, (_, field) in WORDS.items()}
    lines += _table("Tracks", "What of a part of the rig moves.", tracks, plain=True)
    for token in PATHS:
        lines += _record(f"{token.capitalize()}s", path_record(token), done)
    lines += ["## Robots", ""]
    for kind in (Body, *parts_of(Body).values()):
        record = part_record(kind)
        lines += _record(f"Each {record.what}", record, done)
    return "\n".join(lines).rstrip() + "\n"


def _record(title: str, record: Record, done: list[object]) -> Iterator[str]:
    """Yield the table of a record, then those of what its keys hold."""
    if any(one is record for one in done):
        return
    done.append(record)
    yield from _table(title, record.about, record.fields)
    for key, field in record.fields.items():
        if not isinstance(field, Named):
            continue
        if isinstance(field.item, Record):
            yield from _record(f"Each entry of `{key}`", field.item, done)
        elif isinstance(field.item, Choice) and field.item not in done:
            done.append(field.item)
            for kind, one in field.item.kinds.items():
                name = f"{field.item.what.capitalize()} of kind `{kind}`"
                yield from _record(name, one, done)


def _table(
    title: str, about: str, fields: Mapping[str, Field | Named], *, plain: bool = False
) -> Iterator[str]:
    yield from (f"### {title}", "", about, "")
    if not fields:
        return
    yield from ("| Key | Value | |", "| --- | --- | --- |")
    for key, field in fields.items():
        word = key if plain else word_of(key, field)
        mark = "**" if field.required else ""
        shape = None if isinstance(field, Named) else field.shape
        words = "entries by name" if shape is None else shape.words
        yield f"| {mark}`{word}`{mark} | {words} | {field.about} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
