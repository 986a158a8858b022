"""Valid values: each shape compared with its JSON Schema, and at its bounds."""

from __future__ import annotations

import math
import pickle

import jsonschema
import numpy as np
import pytest

from ikrig import IkrigError, RigFileError, SettingError
from ikrig.checks import (
    array_of,
    checked_instance,
    entries,
    listed,
    texts,
)
from ikrig.clip.curves import CURVE
from ikrig.clip.paths import PATHS
from ikrig.errors import Diagnostic, name_list, shown
from ikrig.model.body_spec import Body, Geom, Joint, Site
from ikrig.model.grip import Grip
from ikrig.model.springs import Collider, Spring
from ikrig.records import arguments_in, fields_of
from ikrig.scene.checked_setting import (
    flag,
    fraction,
    names_of,
    number,
    order_of,
    vector,
)
from ikrig.value_shapes import (
    LETTERS,
    VECTOR,
    Axis,
    Flag,
    Items,
    Number,
    Numbers,
    Text,
    Word,
)

SHAPES = (
    Number("", -2.0, 3.0), Number("", 0.0, 3.0, above=True),
    Number("", 1, 5, whole=True), Number(), Numbers("", 2),
    Numbers("", 3, Number("", 0.0, 1.0)), Items("", Number("", 0.0, 1.0)),
    Items("", Text(), 2), Items("", Flag(), 0), Text(), Flag(), Word(["on", "off"]),
    Axis(), VECTOR, CURVE,
)  # fmt: skip
VALUES = (
    *(-3, -2, -2.0, -1e-9, 0, 0.0, 1e-9, 1, 1.0, 1.5, 3, 3.0, 3.001, 5, 6, 7.0),
    *(1e9, -1e9, 1.1e9, 10**400, True, False, None, "", " ", "x", "on", "ON", "xy"),
    *([], [0], [1], [2], [0, 0], [0, 1], [0, 0, 0], [0, 0, 1], [1, 1, 2], ["a"]),
    *(["a", "b"], ["a", ""], [True], [True, False], [None], [[0, 0]], {}, {"a": 1}),
    *([1e9, 0, 0], [1.1e9, 0, 0], [0, 0, 0, 1], ["0", 1], "01", "010"),
    *("cubic", "cubc", [1, -10, 0.5, 10], [1.1, 0, 0, 1], [0, 0, -0.1, 1]),
    *([0, 10.1, 0, 0], [0, 0, 1, -10.1], [0, 0, 1], [0, 0, 0, 1, 0], [0, 0, 1.1, 0]),
)


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_shapes_accept_what_their_schemas_accept(shape):
    schema = jsonschema.Draft7Validator(shape.schema())
    for value in VALUES:
        if value == {} and isinstance(shape, Items):
            # an empty list to Python, which files never hand over
            continue
        try:
            kept = shape.of(value)
        except ValueError:
            assert not schema.is_valid(value), value
        else:
            assert schema.is_valid(value), value
            same = tuple(value) if isinstance(value, list) else value
            assert kept == same and not isinstance(kept, list)


@pytest.mark.parametrize(
    ("values", "shape", "finite", "message"),
    [
        ([1, 2], (3,), True, "it must be 3 finite numbers, not [1, 2]"),
        ([1, math.inf, 2], (3,), True, "it must be 3 finite numbers, not [1, inf, 2]"),
        ([1, None, 2], (3,), False, "it must be 3 numbers, not [1, None, 2]"),
        ([[1], [2, 3]], (2, 2), True, "it must be finite numbers of shape (2, 2), "),
        ([[1, 2]], ("n", 3), True, "of shape (n, 3), not [[1, 2]] of shape (1, 2)"),
        ([[1, 2]], (2,), True, "2 finite numbers, not [[1, 2]] of shape (1, 2)"),
        ("12", (2,), True, "it must be 2 finite numbers, not '12'"),
        ([True, False], (2,), True, "it must be 2 finite numbers, not [True, False]"),
        ([1, 2], (), True, "it must be a finite number, not [1, 2]"),
        ([10**400], (1,), False, "it must be 1 numbers, not [1000"),
        ([1, 2], ("...", 3), True, "finite numbers of shape (..., 3), not [1, 2]"),
    ],
)
def test_invalid_arrays_are_reported(values, shape, finite, message):
    with pytest.raises(SettingError) as told:
        array_of(values, shape, "it", SettingError, finite=finite)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        *(([1, 2, 3], (3,)), (5, ()), ([[1, 2]] * 4, ("n", 2)), ([], ("n",))),
        *(([1, 2], ("...", 2)), ([[[1, 2]]], ("...", 2)), ([[1, 2]], ("...", "n", 2))),
    ],
)
def test_arrays_are_copied_as_floats(values, shape):
    given = np.array(values, float)
    found = array_of(given, shape, "it", SettingError)
    assert found.dtype == np.float64 and found is not given
    assert not np.shares_memory(found, given)
    np.testing.assert_array_equal(found, given)
    array_of([np.inf], (1,), "it", SettingError, finite=False)


def test_lists_and_their_items_are_checked():
    assert entries("ab") is entries(b"ab") is entries({"a": 1}) is entries(3) is None
    assert entries(range(2)) == (0, 1)
    assert listed(["a", "b"], str, "names", SettingError) == ("a", "b")
    assert checked_instance(3, int, "it", SettingError) == 3
    assert texts(["a", "b"], 2, "names", SettingError) == ("a", "b")
    for wrong, message in (
        (lambda: listed(3, str, "names", SettingError), "names must be a list, not 3"),
        (
            lambda: listed(["a", 3], str, "names", SettingError),
            "names: each must be a str, not 3",
        ),
        (lambda: texts("ab", 2, "names", SettingError), "must be 2 strings, not 'ab'"),
        (lambda: texts(["a"], 2, "names", SettingError), "must be 2 strings, not"),
        (lambda: texts(["a", 1], 2, "names", SettingError), "must be 2 strings, not"),
    ):
        with pytest.raises(SettingError, match=message):
            wrong()


def test_settings_are_accepted_at_their_bounds():
    huge = float(np.finfo(float).max)
    assert [number(x, "it", 2, 3) for x in (2, 3)] == [2, 3]
    assert number(-huge, "it", -huge) == -huge and number(huge, "it") == huge
    assert [fraction(x, "it") for x in (0, 1)] == [0, 1]
    assert [order_of(x) for x in (-math.inf, math.inf, -huge, 3)] == [
        *(-math.inf, math.inf, -huge, 3)
    ]
    assert flag(True, "it") is True and flag(False, "it") is False
    assert tuple(vector([1, 2, 3], "it")) == (1, 2, 3)
    assert names_of(["a"], "it") == ("a",) and names_of([], "it", 0) == ()
    for wrong, message in (
        (lambda: number(-1e-9, "it"), "it must be a number of at least 0, not -1e-09"),
        (lambda: number(math.inf, "it", -huge), "it must be a finite number, not inf"),
        (lambda: number(3.01, "it", 2, 3), "it must be a number from 2 to 3, not 3.01"),
        (lambda: number(True, "it"), "not True"),
        (lambda: fraction(1.01, "it"), "it must be a number from 0 to 1"),
        (lambda: order_of(math.nan), "order must be a number, not nan"),
        (lambda: order_of("x"), "order must be a number, not 'x'"),
        (lambda: flag(1, "it"), "it must be True or False, not 1"),
        (lambda: vector([1, 2], "it"), "it must be three numbers within"),
        (lambda: names_of([], "it"), "it must be names of joints, not"),
        (lambda: names_of("ab", "it"), "it must be names of joints, not 'ab'"),
    ):
        with pytest.raises(IkrigError, match=message):
            wrong()


def test_long_lists_of_names_end_with_how_many_are_left():
    names = [f"n{k}" for k in range(40)]
    assert name_list([]) == "none" and name_list(names[:2]) == "n0, n1"
    assert name_list(names[:30]) == ", ".join(names[:30])
    for count in (31, 32, 40):
        said = f"{', '.join(names[:30])} and {count - 30} more"
        assert name_list(iter(names[:count])) == said


def test_letters_are_the_axes():
    assert [LETTERS[letter] for letter in "xyz"] == [*map(tuple, np.eye(3).tolist())]


def test_shown_values_have_a_maximum_length():
    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert shown("a\n  b") == "'a\\n b'"
    assert shown(Broken()) == "a Broken that can't be written out"
    long = shown("x" * 500)
    assert long.endswith("xxx...") and len(long) == 200
    exact = "x" * (len(long) - 2)
    assert shown(exact) == repr(exact)
    assert shown(exact + "x").endswith("...") and len(shown(exact + "x")) == len(long)


def test_file_errors_are_sorted_and_can_be_pickled():
    rows = [Diagnostic(7, 2, "b"), Diagnostic(0, 0, "a"), Diagnostic(7, 1, "c")]
    error = RigFileError("x.yaml", rows)
    assert str(error).splitlines() == ["x.yaml: a", "x.yaml:7:1: c", "x.yaml:7:2: b"]
    there = pickle.loads(pickle.dumps(error))
    assert type(there) is RigFileError and str(there) == str(error)
    assert (there.path, there.diagnostics) == (error.path, error.diagnostics)


TOLD = """Something.

    Args:
        size: How large it is, (3,) [m/s], as of ``Thing``: in words
            of two lines.
        free: None: all.

    Raises:
        Error: Never.
    """


def test_descriptions_are_those_of_the_docstring():
    found = arguments_in(TOLD)
    assert dict(found) == {
        "size": "How large it is, as of Thing: in words of two lines.",
        "free": "None: all.",
    }
    # as with python -OO
    assert arguments_in("")["size"] == ""
    for kind in (Joint, Site, Geom, Body, Collider, Spring, Grip, *PATHS.values()):
        for name, field in fields_of(kind).items():
            assert field.about.endswith(".") and "`" not in field.about, name
            assert "[" not in field.about and "(3,)" not in field.about, name
