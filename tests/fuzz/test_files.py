"""Nearly valid files: schema and reader agree, and errors have their location.

Values of the files in ``assets`` are taken out, doubled, renamed and replaced by
hostile ones; what the JSON Schema says of the result is what the reader must say. Then
their text is edited at random.
"""

from __future__ import annotations

import copy
import json
import math
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import jsonschema
import pytest

from ikrig import FileError, load_clip
from ikrig.formats.clip_yaml import clip_schema, dump_clip
from ikrig.formats.load_robot import load_robot
from ikrig.formats.rig_file import read_rig_file, rig_schema, rig_text
from ikrig.formats.robot_yaml import dump_robot
from ikrig.formats.yaml_reader import YamlFile
from tests.fuzz import SEEDS, count_case, fuzz

ASSETS = Path(__file__).parents[2] / "assets"


def load_plan(path: Path) -> Any:
    """A rig file as it is before it meets a scene."""
    plan = read_rig_file(path)
    plan.file.check()
    return plan.parts


KINDS: dict[
    str, tuple[list[Path], Callable[[Path], Any], Callable[[Any], str], Any]
] = {
    "rig": (sorted((ASSETS / "rigs").glob("*.yaml")), load_plan, rig_text,
            jsonschema.Draft7Validator(rig_schema())),
    "clip": (sorted((ASSETS / "clips").glob("*.yaml")), load_clip, dump_clip,
     jsonschema.Draft7Validator(clip_schema())),
    # of robots there is no schema
    "robot": (sorted((ASSETS / "models").glob("*.yaml")), load_robot, dump_robot, None),
}  # fmt: skip
TEXTS = {path: path.read_text("utf-8") for row in KINDS.values() for path in row[0]}
VALUES = {path: YamlFile(path, FileError).root.plain for path in TEXTS}

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.5, 1.5, 3.0, 1e9, 1e10, -1e10, 1e300, -1e300),
    *(10**20, math.inf, -math.inf, math.nan, 1e-300, 1e-7, 361, -720, 100000),
    *("", " ", "x", "1", "~", "true", "a b", "0", "-0.5", "\0", "x" * 300, "é",
      "../.."),
    *([], [1], [0, 0, 0], [1, 2, 3], [0, 0, 0, 0], [1, 0, 0, 0], ["x"], [None], [[]]),
    *([1, "x"], [math.nan] * 3, [1e300] * 3, [2, 1], [1, 2], [math.inf, 1], [-1] * 4),
    *({}, {"x": 1}, {"kind": "hinge"}, {"value": 1}, {"": 1}, {"0": 1}, {"x": {}}),
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield everything inside of something: what it is in, and its key or index."""
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def mutated(rng: random.Random, data: Any, others: list[Any]) -> Any:
    """The data of a file with one to three things changed."""
    data = copy.deepcopy(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = list(places(data))
        if not found:
            break
        inside, key = rng.choice(found)
        kind = rng.randrange(7)
        if kind == 0:
            del inside[key]
        elif kind == 1 and isinstance(inside, dict):
            new = rng.choice(
                (f"{key}x", f"{key}_deg", str(key)[:-1], "", "0", "weight")
            )
            inside[new] = copy.deepcopy(inside[key])
            if rng.random() < 0.7 and new != key:
                del inside[key]
        elif kind == 2 and isinstance(inside, list):
            inside.append(copy.deepcopy(inside[key]))
        elif kind == 3:
            # something that is right elsewhere
            from_inside, from_key = rng.choice(list(places(rng.choice(others))))
            inside[key] = copy.deepcopy(from_inside[from_key])
        elif kind == 4 and isinstance(inside[key], (int, float)):
            inside[key] = inside[key] * rng.choice((-1, 0, 1e3, 1e-3, 1e12))
        else:
            inside[key] = copy.deepcopy(rng.choice(HOSTILE))
    return data


def written(value: Any) -> str:
    """The text of a file: of its own, not of the library's."""
    if isinstance(value, dict):
        pairs = (f"{key_written(str(key))}: {written(v)}" for key, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
    return json.dumps(value)


def key_written(key: str) -> str:
    # seconds are keys, and no texts
    return key if re.fullmatch(r"-?\d+\.?\d*", key) else json.dumps(key)


# What the reader refuses and no schema can say: how things fit each other. NaN is left
# aside: to a schema it is a number, within all bounds.
UNSAID = {
    "rig": (
        "the parents form a cycle",
        "is the name of both a node and a body$",
        "has the same name as (a chain|another effector)$",
        "the smaller first, not ",
        r"^(HingeLimit|ConeLimit|AxesLimit|SlideLimit)\b",
        "^lower|^upper|^half_angles|^twist",
        # a section without entries is null to a schema, but may not say so
        "must consist of keys and values, not null$",
    ),
    "clip": ("after the clip's end, ", "before the clip's start", "has two keys at ",
     "a Spline are equal", "has no duration, from ", "are closer than|too close|nearer",
     "^(begin|end) "),
}  # fmt: skip


def check_error(error: FileError, path: Path, text: str) -> None:
    """Each mistake is one sentence at a place that is there."""
    assert error.diagnostics and error.path == path
    # where YAML, too, begins a new line
    lines = re.split("\r\n|[\r\n\x85\u2028\u2029]", text)
    for line, column, message in error.diagnostics:
        assert message and "\n" not in message and len(message) < 1600
        assert "Traceback" not in message and " object at 0x" not in message
        if line:
            # the place behind the last character is where something is missing
            assert 1 <= line <= len(lines) + 1
            assert 1 <= column <= len((*lines, "")[line - 1]) + 1
        else:
            assert column == 0


def read(load: Callable[[Path], Any], path: Path, text: str) -> Any:
    """Return the contents of a file, or the error."""
    path.write_text(text, "utf-8", newline="")
    begin = process_time()
    try:
        return load(path)
    except FileError as error:
        check_error(error, path, text)
        return error
    finally:
        assert process_time() - begin < 1.0
        count_case()


def has_nan(value: Any) -> bool:
    return any(
        part != part for inside, key in places([value]) for part in [inside[key]]
    )


def check_agreement(kind: str, data: Any, found: Any) -> None:
    """Whether the schema says of a file what its reader says."""
    errors = [error.message for error in KINDS[kind][3].iter_errors(data)]
    if not isinstance(found, FileError):
        assert not errors, errors[0]
    elif not errors and not has_nan(data):
        for mistake in found.diagnostics:
            said = any(re.search(rule, mistake.message) for rule in UNSAID[kind])
            assert said, mistake.message


@pytest.mark.parametrize("kind", KINDS)
@fuzz(30, seed=SEEDS)
def test_schema_and_reader_agree(kind, seed, tmp_path_factory):
    paths, load, dump, schema = KINDS[kind]
    rng = random.Random(seed)
    data = mutated(rng, VALUES[rng.choice(paths)], [VALUES[rng.choice(paths)]])
    file = folder(tmp_path_factory) / "file.yaml"
    found = read(load, file, written(data))
    if schema is not None:
        check_agreement(kind, data, found)
    if not isinstance(found, FileError):
        text = dump(found)
        assert dump(read(load, file, text)) == text


@pytest.mark.parametrize("kind", KINDS)
@fuzz(40, seed=SEEDS)
def test_errors_have_the_right_location(kind, seed, tmp_path_factory):
    paths, load, _, _ = KINDS[kind]
    rng = random.Random(seed)
    text = TEXTS[rng.choice(paths)]
    for _ in range(rng.choice((1, 1, 2, 5))):
        start = rng.randrange(len(text) + 1)
        end = start + rng.choice((0, 0, 1, 1, 3, 40, 10**6))
        text = text[:start] + rng.choice(PIECES) + text[end:]
    read(load, folder(tmp_path_factory) / "file.yaml", text)


@pytest.mark.parametrize("kind", KINDS)
def test_unchanged_files_are_valid(kind):
    paths, load, _, schema = KINDS[kind]
    for path in paths:
        load(path)
        assert schema is None or not list(schema.iter_errors(VALUES[path]))


PIECES = (
    *("", " ", "\n", "\t", "\r", ":", ": ", ",", "[", "]", "{", "}", "- ", "#", "'",
      '"'),
    *("&a ", "*a", "!x ", "? ", "|", ">", "%", "@", "`", "---\n", "...\n", "\\",
      "\ufeff"),
    *("\x00", "\x85", "\u2028", "é", "\U0001f600", "null", "~", "1e999", ".nan", "0x1"),
    *("x" * 5000, "[" * 50, "<<: ", "\n  ", "\n" * 9, "0", "-", "é: [\n"),
)  # fmt: skip


def folder(factory: pytest.TempPathFactory) -> Path:
    return factory.getbasetemp()
