"""Writes the page of all keys of files: ``python docs/file_keys.py``.

It comes from the records that limits, settings, behaviours, parts of robots and the
sections of files declare, as the readers and the JSON Schemas do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ikrig.formats.clip_yaml import CLIP
from ikrig.formats.rig_file.sections import FILE
from ikrig.formats.robot_yaml import ROBOT
from ikrig.records import Choice, Field, Fields, Named, Record, word_of

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
    lines += ["## Clips", "", *_record("The file", CLIP, done)]
    lines += ["## Robots", "", *_record("The file", ROBOT, done)]
    return "\n".join(lines).rstrip() + "\n"


def _record(title: str, record: Record, done: list[object]) -> Iterator[str]:
    """Yield the table of a record, then those of what its keys hold."""
    if any(one is record for one in done):
        return
    done.append(record)
    yield from _table(title, record.about, record.fields)
    for key, field in record.fields.items():
        # all tracks have the keys of the first, but for its paths
        if isinstance(field, Record) and field.what not in done:
            done.append(field.what)
            one = field if field.what == key else replace(field, about="")
            yield from _record(f"{field.what.capitalize()}s", one, done)
        if not isinstance(field, Named):
            continue
        if isinstance(field.item, Record):
            yield from _record(f"Each entry of `{key}`", field.item, done)
        elif isinstance(field.item, Choice) and field.item not in done:
            done.append(field.item)
            for kind, one in field.item.kinds.items():
                name = f"{field.item.what.capitalize()} of kind `{kind}`"
                yield from _record(name, one, done)


def _table(title: str, about: str, fields: Fields) -> Iterator[str]:
    yield from (f"### {title}", "", about, "")
    if not fields:
        return
    yield from ("| Key | Value | |", "| --- | --- | --- |")
    for key, field in fields.items():
        word = word_of(key, field)
        mark = "**" if field.required else ""
        words = _words(field)
        yield f"| {mark}`{word}`{mark} | {words} | {field.about} |"
    yield ""


def _words(field: Field | Named | Record) -> str:
    if isinstance(field, Field):
        return field.shape.words
    if isinstance(field, Named):
        by = "time" if field.key else "name"
        return "a list of entries" if field.listed else f"entries by {by}"
    match field.fields.get("keys"):
        case Named(item=Record() as item):
            return f"a track of {_words(item.fields[item.short])}"
    return "keys of its own"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
