"""What functions given as ``parse`` may return and raise."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ikrig.feed.packet import BadPacket, parser_of


@pytest.mark.parametrize(
    "found",
    [
        {1.0, 2.0},
        frozenset((1.0, 2.0)),
        b"12",
        bytearray(b"12"),
        "12",
        [True, False],
        np.array([True, False]),
        {"a": True, "b": 1.0},
    ],
)
def test_values_without_order_or_number_are_dropped(found):
    with pytest.raises(BadPacket, match="parse: TypeError"):
        parser_of(lambda text: found)(b"x")


def test_exit_in_a_parser_is_counted_with_its_message():
    with pytest.raises(BadPacket, match=r"parse: SystemExit\('enough'\)"):
        parser_of(lambda text: sys.exit("enough"))(b"x")


@pytest.mark.parametrize(
    "found", [[1, 2.0], (1, 2), np.array([1.0, 2.0]), map(int, "12")]
)
def test_values_in_order_are_taken(found):
    assert parser_of(lambda text: found)(b"x").joints == [1.0, 2.0]
