"""Lines of a stream that comes in pieces, compared with the whole text."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from ikrig.feed.lines import Lines


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
