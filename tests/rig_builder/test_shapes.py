"""Shapes of a rig file's values, judged by their own JSON Schemas."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

import jsonschema
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.formats.rig_file.sections import PHASES
from ikrig.solvers.settings import SETTINGS
from ikrig.value_shapes import (
    AXES,
    BOUND,
    VECTOR,
    Bounds,
    Either,
    Moment,
    Number,
    Word,
    one_or_more,
)

VALUES = (
    *(-1, 0, 0.0, 1e-9, 1, 1.5, 10**6, 10**6 + 1, 1e7, True, None, "", "x", "skin"),
    *([], [1], [1, 2], [2, 1], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5], [0, 1, 2]),
    *(["x"], ["x", "z"], ["x", "y", "z"], ["x", "y", "z", "x"], ["x", [0, 1, 1]]),
    *([[0, 1, 1]], [[0, 0, 0]], ["w"], ["walk", 30], ["walk", -1], ["walk", 2.5]),
    *(["walk"], ["walk", 30, 1], [30, "walk"], ["", 3], ["walk", 10**6 + 1]),
    *(["walk", 10**6], ["walk", 0], [True, 1], ["walk", True], {}, {"a": 1}, "walk"),
    *({"a": 1, "b": -2.5}, {"": 1}, {"a": "x"}, {"a": True}, "middle", "start"),
)
SHAPES = (
    BOUND,
    one_or_more("", Number("", 0.0, above=True), 4),
    one_or_more("", Number("", 0.5, 2.5), 3),
    Either("", (VECTOR, Word(("skin",)))),
    Either("", (Number("", 1, 2), Number("", 0.0))),
    Moment(),
    SETTINGS["posture"].shape,
    AXES,
)


def plain(value: object) -> object:
    return tuple(map(plain, value)) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_shapes_accept_what_their_schemas_accept(shape) -> None:
    schema = jsonschema.Draft7Validator(shape.schema())
    taken = 0
    for value in VALUES:
        try:
            kept = shape.of(value)
        except ValueError:
            assert not schema.is_valid(value), value
        else:
            assert schema.is_valid(value), value
            # letters of axes are vectors from then on
            if shape is not AXES:
                assert plain(kept) == plain(value)
            taken += 1
    assert 0 < taken < len(VALUES)


def test_axes_are_letters_or_vectors() -> None:
    assert plain(AXES.of(["x", [0, 1, 1]])) in (
        ("x", (0.0, 1.0, 1.0)),
        ((1.0, 0.0, 0.0), (0.0, 1.0, 1.0)),
    )


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ([1, 2], (1.0, 2.0)),
        ((-1.5, -1.5), (-1.5, -1.5)),
        ([-inf, 3], (-inf, 3.0)),
        ([3, inf], (3.0, inf)),
        ([-inf, inf], (-inf, inf)),
        *((wrong, None) for wrong in ([2, 1], [inf, inf], [-inf, -inf], [nan, 1])),
        *((wrong, None) for wrong in ([1], [1, 2, 3], [], 1, "12", [1, "2"], None)),
    ],
)
def test_bounds_are_in_their_order(value, kept) -> None:
    if kept is None:
        with pytest.raises(ValueError):
            Bounds().of(value)
    else:
        assert Bounds().of(value) == kept


@pytest.mark.parametrize("key", ["limits", "posture_weights", "joint_speeds_deg"])
def test_entries_by_joint_are_at_most_a_thousand(tmp_path: Path, key: str) -> None:
    entry = "{kind: fixed}" if key == "limits" else "1"
    rows = ", ".join(f"e{k}: {entry}" for k in range(1001))
    path = tmp_path / "rig.yaml"
    path.write_text(
        f"nodes: {{b: {{}}}}\nchains: {{c: {{leaf: b, {key}: {{{rows}}}}}}}"
    )
    with pytest.raises(ikrig.RigFileError, match="1001 entries; the maximum is 1000"):
        ikrig.load_rig(path, parent=p3d.NodePath("scene"))


def test_files_accept_all_phases() -> None:
    assert tuple(phase.name.lower() for phase in ikrig.Phase) == PHASES
