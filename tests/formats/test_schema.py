"""Records of a table of fields: read, reported and described alike."""

from __future__ import annotations

import json
from math import inf, radians

import jsonschema
import numpy as np
import pytest

from ikrig import ClipFileError
from ikrig.formats.schema import read_part, schema_of
from ikrig.formats.yaml_reader import YamlFile
from ikrig.records import Field, Record
from ikrig.value_shapes import VECTOR, Flag, Number, Text, Word

FIELDS = {
    "size": Field(Number("a number above 0", 0.0, 9.0, above=True), "", required=True),
    "turn": Field(Number("an angle", -inf, inf), "", degrees=True, required=True),
    "bend": Field(VECTOR, "", degrees=True),
    "place": Field(VECTOR, ""),
    "mode": Field(Word(["on", "off"]), "", required=True),
    "label": Field(Text(), ""),
    "whole": Field(Flag(), ""),
}
PART = Record("part", "A part.", FIELDS)
WORDS = {name: f"{name}_deg" if f.degrees else name for name, f in FIELDS.items()}
GOOD = {
    "size": [1, 0.5, 9],
    "turn": [90, -450.5, 0],
    "bend": [[0, 90, -180]],
    "place": [[0, 1, 2.5]],
    "mode": ["on", "off"],
    "label": ["a", "b c"],
    "whole": [True, False],
}
BAD = {
    "size": [0, -1, 9.5, "a", [1], None],
    "turn": ["a", [1], True, None],
    "bend": [[0, 90], 90, [0, 0, "a"], None],
    "place": [[0, 1], {"x": 1}, None],
    "mode": ["of", 3, None],
    "label": [3, "", None],
    "whole": [1, "true", None],
}


def read(tmp_path, content) -> tuple[object, list[str]]:
    """The values of a record in a file, and the messages of its errors."""
    file = YamlFile(tmp_path / "x.yaml", ClipFileError, json.dumps(content))
    part = read_part(file, file.root, file.root, PART, "a part")
    found = part.values if part.complete else None
    try:
        file.check()
    except ClipFileError as error:
        return found, [diagnostic.message for diagnostic in error.diagnostics]
    return found, []


@pytest.mark.parametrize("seed", range(40))
def test_records_are_read_or_every_error_is_reported(tmp_path, seed):
    rng = np.random.default_rng(seed)
    content, expected, wrong, missing = {}, {}, [], []
    for name, field in FIELDS.items():
        kind = rng.choice(["good", "bad", "none"], p=[0.75, 0.1, 0.15])
        if kind == "none":
            missing += [WORDS[name]] * field.required
            continue
        choices = (GOOD if kind == "good" else BAD)[name]
        value = content[WORDS[name]] = choices[rng.integers(len(choices))]
        if kind == "bad":
            wrong.append(f"{WORDS[name]} must be {field.shape.words}, not ")
        elif field.degrees:
            expected[name] = (
                tuple(map(radians, value))
                if isinstance(value, list)
                else radians(value)
            )
        else:
            expected[name] = tuple(value) if isinstance(value, list) else value
    if rng.random() < 0.15:
        content["sise"] = 1
        wrong.append("a part has no key 'sise': did you mean 'size'")
    elif missing:
        # else it may be the key that is not known
        wrong.append(f"a part needs {' and '.join(missing)}")
    found, messages = read(tmp_path, content)
    assert len(messages) == len(wrong)
    for words in wrong:
        assert any(message.startswith(words) for message in messages), messages
    if wrong:
        assert found is None
    else:
        assert found == expected
    # an editor says the same
    schema = jsonschema.Draft7Validator(schema_of(PART))
    assert schema.is_valid(content) == (not wrong)


def test_angles_are_in_degrees_with_infinities_as_they_are(tmp_path):
    text = "{size: 1, mode: on, turn_deg: %s}"
    for given, angle in ((".inf", inf), ("-.inf", -inf), ("180", radians(180))):
        file = YamlFile(tmp_path / "x.yaml", ClipFileError, text % given)
        found = read_part(file, file.root, file.root, PART, "a part").values
        assert found == {"size": 1.0, "mode": "on", "turn": angle}


def test_schema_of_a_record_describes_each_key():
    schema = schema_of(PART)
    assert schema["description"] == "A part."
    assert list(schema["properties"]) == list(WORDS.values())
    assert schema["required"] == ["size", "turn_deg", "mode"]
    optional = schema_of(Record("", "", {"label": Field(Text(), "Its label.")}))
    assert "required" not in optional
    assert optional["properties"]["label"]["description"] == "Its label."
