"""Parses packets: JSON, plain numbers or a custom format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import SettingError, shown, suggest

REASONS = (
    "oversize",  # more bytes than max_bytes
    "rate",  # more packets than max_rate
    "encoding",  # not UTF-8
    "nesting",  # more brackets than a packet has
    "json",  # garbage, or cut off: no JSON, no numbers, refused by ``parse``
    "duplicate",  # a key twice in one object
    "layout",  # JSON, but neither an array nor an object with "joints"
    "joints",  # too few or too many values, or a name is missing
    "number",  # NaN, infinite, huge, or no number at all
    "late",  # overtaken by a newer packet, or delayed
    "early",  # its time lies ahead of all others
    "source",  # the connection or the function failed
)
"""Reasons to drop packets, in the order of the checks."""

LARGEST = 1e6
"""Values beyond this, in the packet's units, are not valid."""
LARGEST_TIME = 1e12
MOST_BRACKETS = 16
"""A valid packet opens two or three; counting them is cheaper than parsing, and keeps
the parser from deep recursion."""


class Packet(NamedTuple):
    """One pose as it was sent."""

    joints: Sequence[float] | Mapping[str, float]
    """The values in order, or by name."""
    time: float | None = None
    """Its time by the sender's clock [s]."""
    seq: float | None = None
    """Its sequence number, which increases from packet to packet."""


Parser = Callable[[bytes | memoryview], Packet]
"""Returns the content of a packet, or raises BadPacket."""

# brackets around numbers, also the "p[...]" of URScript, and separators
_ENDS = re.compile(r"\s*p?[\[(]?\s*(.*?)\s*[\])]?\s*", re.DOTALL)
_BETWEEN = re.compile(r"\s*[,;\t ]\s*")


class BadPacket(Exception):  # noqa: N818 - not an error: it is counted, not shown
    """A packet that is not usable: one of REASONS, and a message."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def decode(data: bytes | memoryview) -> Packet:
    """Return the content of a JSON packet; its joint values are not checked yet."""
    text = _text(data)
    if text.count("[") + text.count("{") > MOST_BRACKETS:
        raise BadPacket("nesting", f"more than {MOST_BRACKETS} brackets")
    try:
        parsed = _DECODER.decode(text)
    except ValueError as error:
        raise BadPacket("json", f"not JSON: {error}") from None
    if isinstance(parsed, list):
        return Packet(parsed)
    if not isinstance(parsed, dict) or not isinstance(
        parsed.get("joints"), list | dict
    ):
        raise BadPacket(
            "layout",
            'must be an array, or an object whose "joints" is an array or an object',
        )
    time, seq = parsed.get("time"), parsed.get("seq")
    if time is not None:
        time = number(time, LARGEST_TIME, "time")
    if seq is not None:
        seq = number(seq, LARGEST_TIME, "seq")
    return Packet(parsed["joints"], time, seq)


def parser_of(parse: object) -> Parser:
    """Return the parser for the ``parse`` argument of a feed."""
    if parse is None or parse == "json":
        return decode
    if parse == "csv":
        return decode_numbers
    if callable(parse):
        return lambda data: _parsed(parse, data)
    raise SettingError(
        f"parse must be 'json', 'csv' or a function of a packet's text, not "
        f"{shown(parse)}: {suggest(parse, ('json', 'csv'))}"
    )


def decode_numbers(data: bytes | memoryview) -> Packet:
    """Return the numbers of a line such as ``6, 5, 4, 3, 2, 1``.

    Separators are commas, semicolons, tabs and spaces; brackets are optional.
    """
    found = _ENDS.fullmatch(_text(data))
    words = _BETWEEN.split(found.group(1)) if found else []
    # senders often leave a comma at the end
    while words and not words[-1]:
        words.pop()
    if not words:
        raise BadPacket("json", "no numbers")
    try:
        return Packet([float(word) for word in words])
    except ValueError as error:
        raise BadPacket("json", f"not numbers: {error}") from None


def _parsed(parse: Callable[[str], Any], data: bytes | memoryview) -> Packet:
    text = _text(data)
    try:
        found = parse(text)
        if isinstance(found, Packet):
            return found
        if isinstance(found, Mapping):
            return Packet({key: _plain(value) for key, value in found.items()})
        if isinstance(found, str | bytes | bytearray | memoryview | set | frozenset):
            raise TypeError(f"returned {shown(found)} instead of values in order")
        if found is not None:
            return Packet([_plain(value) for value in found])
    # the caller's code may raise anything, and on this thread it would be lost, as
    # sys.exit would be
    except (Exception, SystemExit) as error:
        raise BadPacket("json", f"parse: {error!r}") from None
    raise BadPacket("json", "parse: returned an empty packet")


def _plain(value: Any) -> float:
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{value} is not a number")
    return float(value)


def _text(data: bytes | memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise BadPacket("encoding", f"not UTF-8: {error.reason}") from None


def number(value: Any, largest: float = LARGEST, what: str = "value") -> float:
    """Return a value as a float."""
    # a bool is an int to Python; a huge int must not reach float()
    if type(value) in (float, int) and -largest <= value <= largest:
        return float(value)
    raise BadPacket("number", f"{what} must be from {-largest:g} to {largest:g}")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise BadPacket("duplicate", "an object has the same key twice")
    return result


# without the hook, json would keep the last of two equal keys
_DECODER = json.JSONDecoder(object_pairs_hook=_unique)
