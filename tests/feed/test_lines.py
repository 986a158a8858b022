"""Lines of a stream that comes in pieces, compared with the whole text."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from ikrig.feed.sources import Lines, read_connection


class Listener:
    """Takes lines, of which those with an x are bad."""

    def __init__(self, most: int) -> None:
        self.max_bytes = most
        self.stopping = Event()
        self.lines: list[bytes] = []
        self.waits: list[float] = []

    def receive(self, line: bytes) -> bool:
        self.lines.append(line)
        return b"x" not in line

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        return False


@pytest.mark.parametrize("seed", range(5))
def test_lines_are_those_of_the_text_however_it_is_cut(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = bytes(rng.choice(list(b"ab x\n\r"), 400).astype(np.uint8))
    listener = Listener(1000)
    lines, at = Lines(listener), 0
    while at < len(text):
        size = int(rng.integers(1, 30))
        seen = len(listener.lines)
        good = lines.push(text[at : at + size])
        assert good == any(b"x" not in line for line in listener.lines[seen:])
        at += size
        # what is not ended yet waits
        wanted = [line for line in text[:at].split(b"\n")[:-1] if line.strip()]
        assert listener.lines == wanted
    assert not listener.waits


def test_endless_line_is_kept_only_as_far_as_it_is_judged() -> None:
    listener = Listener(50)
    lines = Lines(listener)
    lines.push(b"a" * 50)
    assert not listener.waits
    for _ in range(9):
        assert not lines.push(b"a" * 40)
        assert len(lines._rest) == 51
    # it is read slowly
    assert listener.waits == [0.001] * 9
    assert lines.push(b"\nb\n")
    assert listener.lines == [b"a" * 51, b"b"]


def test_no_line_is_taken_after_the_stop() -> None:
    listener = Listener(50)
    listener.stopping.set()
    assert not Lines(listener).push(b"a\nb\n")
    assert listener.lines == []


class Connection:
    """Half a second between any two pieces, and a clock of its own."""

    def __init__(self, *pieces: bytes | None) -> None:
        self.pieces = list(pieces)
        self.now, self.timeouts = 0.0, []

    def settimeout(self, seconds: float) -> None:
        self.timeouts.append(seconds)

    def recv(self, size: int) -> bytes:
        self.now += 0.5
        piece = self.pieces.pop(0)
        if piece is None:
            raise TimeoutError
        return piece


@pytest.mark.parametrize(
    ("pieces", "left"),
    [
        # good ones keep it open, until the sender ends it
        ((b"a\n", None, b"b\nc", b"\n", b"", b"d\n"), 1),
        # after more than two seconds without a good one it is closed
        ((b"a\n", None, b"\n", b"x\n", b"b", None, b"c\n"), 1),
        ((None, None, None, None, None, b"c\n"), 1),
        ((None, None, None, b"a\n", None, None, None, None, None, b""), 1),
    ],
)
def test_connection_ends_when_nothing_good_comes(pieces, left) -> None:
    connection, listener = Connection(*pieces), Listener(50)
    listener.clock = lambda: connection.now
    read_connection(connection, listener, 2.0)
    assert len(connection.pieces) == left
    # it looks ten times a second whether it should stop
    assert connection.timeouts == [0.1]
