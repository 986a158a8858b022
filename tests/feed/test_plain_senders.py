"""Senders without ikrig's format: plain numbers, serial ports, other units."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

import ikrig
from ikrig.feed.unit_watch import UnitWatch

from .hand import Clock, Hand, HandSource


def feed_of(count: int, **given) -> tuple[ikrig.JointFeed, HandSource]:
    source = HandSource()
    feed = ikrig.JointFeed(source, count, delay=0, clock=Clock(), **given).start()
    source._ready.wait(5.0)
    return feed, source


def until(condition, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


@pytest.mark.parametrize(
    "line",
    [
        b"6,5,4,3,2,1", b" 6, 5 ,4\t,3, 2, 1 \r", b"6;5;4;3;2;1;", b"6 5  4 3 2 1",
        b"[6, 5, 4, 3, 2, 1]", b"(6.0,5e0,4,3,2,1)", b"p[6, 5, 4, 3, 2, 1]",
    ],
)  # fmt: skip
def test_plain_numbers_are_read(line):
    feed, source = feed_of(6, parse="csv")
    with feed:
        assert source.receiver.receive(line)
        assert feed.newest.tolist() == [6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "json"),
        (b"1,2,x", "json"),
        (b"1,,2", "json"),
        (b"1,2", "joints"),
        (b"1,nan,2", "number"),
        (b"1,2e9,2", "number"),
        (b"\xff\xfe", "encoding"),
        (b"0x10,1,2", "json"),
    ],
)
def test_lines_that_are_not_numbers_are_counted(line, reason):
    feed, source = feed_of(3, parse="csv")
    with feed:
        assert not source.receiver.receive(line)
        assert feed.counts[reason] == 1
        assert feed.problem.startswith(f"{reason}: ")


def test_function_reads_any_format():
    def read(text: str):
        head, _, rest = text.partition(":")
        if head == "names":
            return {"a": 1, "b": rest}
        return [float(word) for word in rest.split("|")] if head == "J" else None

    source = HandSource()
    with ikrig.JointFeed(source, ["a", "b"], clock=Clock(), parse=read) as feed:
        source._ready.wait(5.0)
        assert source.receiver.receive(b"J:0.5|0.25")
        assert feed.newest.tolist() == [0.5, 0.25]
        assert source.receiver.receive(b"names:3")
        assert feed.newest.tolist() == [1, 3]
        for line, words in (
            (b"?", "returned an empty packet"),
            (b"J:x|1", "ValueError"),
        ):
            assert not source.receiver.receive(line)
            assert words in feed.problem
        assert feed.counts["json"] == 2


@pytest.mark.parametrize("parse", [3, "cvs", [1]])
def test_unknown_formats_are_refused(parse):
    with pytest.raises(ikrig.SettingError, match="parse must be 'json', 'csv' or a"):
        ikrig.JointFeed(HandSource(), 6, parse=parse)


RANGES = [[-3, 3], [-1.5, 2.0], [-math.inf, math.inf]]


def test_degrees_used_as_radians_are_detected():
    feed, source = feed_of(3, ranges=RANGES)
    with feed:
        for k in range(4):
            source.receiver.receive(f"[90, {10 + k}, 0]".encode())
        assert feed.hint == ""
        source.receiver.receive(b"[90, 45, 0]")
        assert feed.hint == (
            "joint 0 is at 90, far outside its range -3 to 3: does the sender use "
            "degrees?"
        )
        # the sender is mended: after a while nothing is said any more
        for _ in range(30):
            source.receiver.receive(b"[1, 0.5, 6]")
        assert feed.hint == ""


def test_random_values_are_not_taken_for_a_unit():
    feed, source = feed_of(3, ranges=RANGES)
    with feed:
        for _ in range(9):
            source.receiver.receive(b"[900, 45, 0]")
        assert feed.hint.endswith("are the units and the order of the joints right?")
    # an arm a little beyond its range is a real arm
    feed, source = feed_of(3, ranges=RANGES)
    with feed:
        for _ in range(9):
            source.receiver.receive(b"[3.2, 2.1, 9]")
        assert feed.hint == ""


def test_radians_used_as_degrees_are_detected():
    feed, source = feed_of(3, ranges=RANGES, degrees=True)
    with feed:
        for k in range(60):
            source.receiver.receive(json.dumps([math.sin(k), 1, 0]).encode())
        # the largest of all: the second joint's
        assert feed.hint == (
            "values are read as degrees, but none was beyond 1° so far: does the "
            "sender use radians?"
        )
        source.receiver.receive(b"[40, 1, 0]")
        assert feed.hint == ""


def hints(ranges: object, *values: object, degrees: bool = False) -> list[str]:
    """Return the hint after each packet."""
    watch = UnitWatch(ranges, np.full(len(values[0]), degrees), ())
    found = []
    for packet in values:
        watch.see(np.array(packet, float))
        found.append(watch.hint)
    return found


@pytest.mark.parametrize(
    ("lower", "upper", "slack"),
    # a quarter of the range, and a thousandth for joints that do not move
    [
        (0.0, 0.0, 1e-3),
        (-0.1, 0.3, 0.101),
        (-2.0, 3.0, 1.251),
        (-math.inf, math.inf, 2 * math.pi + 1e-3),
    ],
)
def test_values_may_be_beyond_their_range_by_a_quarter(lower, upper, slack):
    low, high = max(lower, -4 * math.pi), min(upper, 4 * math.pi)
    inside, outside = slack - 1e-4, slack + 1e-4
    for off, said in ((inside, False), (outside, True)):
        for value in (low - off, high + off):
            found = hints([[lower, upper]], *[[value]] * 6)
            assert [bool(text) for text in found] == [False] * 4 + [said] * 2
    assert hints([[lower, upper]], *[[low]] * 6) == [""] * 6


def test_hint_needs_most_of_at_least_five_packets():
    bad, good = [9.0], [0.0]
    mixed = hints([[-1, 1]], bad, bad, bad, good, good, good, bad)
    assert [bool(text) for text in mixed] == [False] * 4 + [True, False, True]
    # earlier ones count less and less: half of a hundred, then half of those again
    late = hints([[-1, 1]], *[good] * 100, *[bad] * 60)
    assert [bool(text) for text in late].index(True) == 150
    for scale, question in ((50.0, "use degrees?"), (200.0, "units and the order")):
        assert question in hints([[-1, 1]] * 2, *[[scale, 1.0]] * 5)[-1]
        assert "joint 0 is at" in hints([[-1, 1]] * 2, *[[scale, 1.0]] * 5)[-1]
        assert "joint 1 is at" in hints([[-1, 1]] * 2, *[[-1.5, -scale]] * 5)[-1]


def test_small_degrees_are_questioned_after_fifty_packets():
    for largest, said in ((6.9, True), (7.1, False), (0.0, False)):
        still = np.radians([[largest, 0.0], [-largest, 0.0]]).tolist()
        found = hints([[-9, 9]] * 2, *(still * 30), degrees=True)
        assert [bool(text) for text in found] == [False] * 49 + [said] * 11
        if said:
            assert "none was beyond 6.9°" in found[-1]
        assert not any(hints([[-9, 9]] * 2, *(still * 30)))


@pytest.mark.parametrize(
    "ranges", [3, [[0, 1]], [[0, "a"]] * 3, np.full((3, 2), np.nan)]
)
def test_ranges_must_match_the_joints(ranges):
    with pytest.raises(ikrig.SettingError, match="ranges must be the smallest"):
        ikrig.JointFeed(HandSource(), 3, ranges=ranges)


def test_500_packets_per_second_with_garbage():
    rng = random.Random(3)
    garbage = [b"\xff\xff", b"1,2,3", b"hello", b"1,2,3,4,5,nan", b"," * 60_000]
    source = ikrig.UdpSource(0)
    with (
        ikrig.JointFeed(source, 6, parse="csv", max_rate=1000) as feed,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link,
    ):
        good = bad = 0
        start = time.monotonic()
        for k in range(500):
            spoilt = rng.random() < 0.01
            line = ",".join([str(math.sin(0.01 * k))] * 6).encode()
            packet = rng.choice(garbage) if spoilt else line
            link.sendto(packet, ("127.0.0.1", source.port))
            good, bad = good + (not spoilt), bad + spoilt
            time.sleep(max(0.0, start + (k + 1) / 500 - time.monotonic()))
        assert bad > 0
        assert until(lambda: feed.counts["good"] + feed.dropped == 500)
        assert (feed.counts["good"], feed.dropped) == (good, bad)
        assert np.allclose(feed.newest, math.sin(4.99), atol=1e-12)


C_SENDER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    FILE *port = fdopen(atoi(argv[1]), "w");
    for (int k = 0; k < 40; k++) {
        if (k % 20 == 7) fprintf(port, "boot\xff\r\n");
        fprintf(port, "%d,%.1f,-30\r\n", k, 2.0 * k);
        fflush(port);
        usleep(2000);
    }
    return 0;
}
"""


def test_c_program_on_a_serial_port(tmp_path):
    pytest.importorskip(
        "serial", reason="the package pyserial is not installed: pip install pyserial"
    )
    pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (tmp_path / "sender.c").write_text(C_SENDER)
    sender = str(tmp_path / "sender")
    subprocess.run([compiler, "-o", sender, str(tmp_path / "sender.c")], check=True)
    ours, theirs = pty.openpty()
    try:
        source = ikrig.SerialSource(os.ttyname(theirs), baud=115200)
        with ikrig.JointFeed(source, 3, degrees=True, parse="csv") as feed:
            # what is written to one end of the pair comes out at the other
            subprocess.run([sender, str(ours)], check=True, pass_fds=[ours])
            assert until(lambda: feed.counts["good"] == 40)
            assert np.allclose(np.degrees(feed.newest), [39, 78, -30])
            assert feed.counts["encoding"] == 2
            assert feed.dropped == 2
    finally:
        os.close(ours)
        os.close(theirs)


def test_missing_serial_port_is_reported():
    pytest.importorskip(
        "serial", reason="the package pyserial is not installed: pip install pyserial"
    )
    feed = ikrig.JointFeed(ikrig.SerialSource("/dev/ttyNONE"), 3)
    with pytest.raises(ikrig.SettingError, match=r"ttyNONE: .*available"):
        feed.start()
    x = "/dev/x"
    for device, baud in ((3, 9600), ("", 9600), (x, 49), (x, 12_000_001), (x, "fast")):
        with pytest.raises(ikrig.SettingError, match=r"(device|baud) must"):
            ikrig.SerialSource(device, baud=baud)


def test_missing_pyserial_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(ikrig.MissingPackageError, match=r"panda3d-ikrig\[serial\]"):
        ikrig.SerialSource("/dev/ttyUSB0")


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_joints_without_one_end_turn_twice_round_at_most(side):
    """As far as units are judged: 4 π, and a quarter of the range more."""
    ends = sorted((side, -side * math.inf))
    least = -side * (4.0 * math.pi + 0.25 * (4.0 * math.pi + 1.0))
    for value, outside in ((0.99 * least, False), (1.01 * least, True)):
        with Hand(1, ranges=[ends]) as hand:
            for k in range(10):
                hand.give([value], at=100 + k)
            assert bool(hand.feed.hint) == outside
            if outside:
                # a joint's whole range, with what is taken for its missing end
                words = " to ".join(
                    f"{end:.3g}" for end in sorted((side, -12.6 * side))
                )
                assert f"far outside its range {words}" in hand.feed.hint
