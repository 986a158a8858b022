"""Values that are invalid for most calls."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np

import ikrig

JUNK: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "-1": lambda: -1,
    "1.5": lambda: 1.5,
    "nan": lambda: nan,
    "inf": lambda: inf,
    "huge": lambda: 10**400,
    # more digits than Python writes out
    "endless": lambda: 10**5000,
    "complex": lambda: 1j,
    "empty text": lambda: "",
    "text": lambda: "junk",
    "nul": lambda: "a\0b",
    "surrogate": lambda: "\udc80",
    "long text": lambda: "w" * 5000,
    "bytes": lambda: b"junk",
    "empty list": list,
    "empty dict": dict,
    "dict": lambda: {"junk": 1},
    "odd dict": lambda: {(1, 2): None, None: [nan]},
    "set": lambda: {1.0},
    "ints": lambda: [1, 2],
    "texts": lambda: ["junk"],
    "nones": lambda: [None, None, None],
    "huge ones": lambda: [10**400] * 3,
    "ragged": lambda: [[1.0, 2.0], [3.0]],
    "one": lambda: np.ones(1),
    "column": lambda: np.ones((3, 1)),
    "complexes": lambda: [1j, 1j, 1j],
    "singles": lambda: np.ones(3, np.float32),
    "nested": lambda: [[[[]]]],
    "three": lambda: np.zeros(3),
    "four": lambda: np.ones(4),
    "six nans": lambda: np.full(6, nan),
    "table": lambda: np.zeros((2, 3)),
    "no rows": lambda: np.zeros((0, 3)),
    "scalar": lambda: np.array(2.0),
    "objects": lambda: np.array([None, "x", 1j], object),
    "words": lambda: np.array(["x", "y", "z"]),
    "truths": lambda: np.array([True, False, True]),
    "object": object,
    "class": lambda: dict,
    "function": lambda: len,
    "generator": lambda: (x for x in "junk"),
    "model": lambda: ikrig.ChainModel([[0, 0, i] for i in range(4)]),
    "limit": ikrig.FixedLimit,
    "clip": ikrig.Clip,
}
