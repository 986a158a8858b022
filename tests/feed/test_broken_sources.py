"""Sockets, ports and functions that break, disappear or are too slow."""

from __future__ import annotations

import os
import threading
import time
from types import SimpleNamespace

import pytest

import ikrig

from .test_sources import line, nothing_left, udp_socket, until  # noqa: F401


def test_broken_stream_ends_with_its_reason():
    read, write = os.pipe()
    os.close(read)
    try:
        # what can only be written to
        with ikrig.JointFeed(ikrig.StreamSource(write), 1) as feed:
            until(lambda: not feed.running)
        assert feed.counts["source"] == 1
        assert "stream: " in feed.problem
    finally:
        os.close(write)


@pytest.mark.parametrize("kind", [ikrig.UdpSource, ikrig.TcpSource])
def test_broken_socket_is_retried(kind):
    source = kind(0)
    with ikrig.JointFeed(source, 1) as feed:
        if kind is ikrig.UdpSource:
            # its thread waits for packets from now on
            with udp_socket() as sender:
                sender.sendto(line(1), ("127.0.0.1", source.port))
            until(lambda: feed.counts["good"] == 1)
        # as when the network goes away under it
        source._socket.close()
        until(lambda: feed.counts["source"] >= 2)
        assert feed.running
        assert "Bad file descriptor" in feed.problem
    # it lets go, and the port opens again
    with ikrig.JointFeed(source, 1) as feed:
        assert feed.running


@pytest.mark.parametrize("kind", [ikrig.UdpSource, ikrig.TcpSource])
def test_port_in_use_is_named(kind):
    with ikrig.JointFeed(kind(0), 1) as feed:
        port = feed.source.port
        other = ikrig.JointFeed(kind(port), 1)
        with pytest.raises(ikrig.SettingError, match=f"port {port} at 127.0.0.1: Addr"):
            other.start()
        assert not other.running


class Pace:
    """A receiver whose clock stands still but for who waits."""

    def __init__(self, end):
        self.now, self.end, self.taken = 0.0, end, []
        self.stopping = threading.Event()

    def clock(self):
        return self.now

    def wait(self, seconds):
        self.now += seconds
        return self.now > self.end

    def enqueue(self, packet):
        self.taken.append(round(self.now, 6))

    def drop(self, reason, detail):
        raise AssertionError(detail)


def test_slow_calls_are_not_caught_up():
    receiver, calls = Pace(10.0), []

    def ask():
        calls.append(receiver.now)
        if len(calls) == 2:
            receiver.now += 5.5
        return [1.0]

    ikrig.FunctionSource(ask, rate=2.0).run(receiver)
    # the second took until 6: from then on each half second again
    assert receiver.taken == [0, 6, *(6 + 0.5 * k for k in range(9))]


def test_stop_waits_three_seconds_for_a_call_that_hangs(monkeypatch):
    waits = []

    class Hung:
        """A thread whose function never returns."""

        def __init__(self, **given):
            self.given = given

        def start(self):
            pass

        def is_alive(self):
            return True

        def join(self, seconds):
            waits.append(seconds)

    monkeypatch.setattr("ikrig.feed.joint_feed.Thread", Hung)
    feed = ikrig.JointFeed(ikrig.FunctionSource(lambda: [0.0]), 1).start()
    # what hangs keeps no program alive
    assert feed._thread.given["daemon"]
    feed.stop()
    assert waits == [3.0]
    with pytest.raises(ikrig.SettingError, match="can't be restarted yet"):
        feed.start()


def test_serial_port_is_read_as_far_as_it_has_bytes():
    pytest.importorskip("serial", reason="the package pyserial is not installed")
    source, sizes = ikrig.SerialSource("/dev/ttyNONE"), []
    receiver = Pace(1.0)

    class Port:
        """What waits in it: nothing, some, more than is taken at once."""

        waits = (0, 5, 100_000)

        @property
        def in_waiting(self):
            return self.waits[len(sizes)]

        def read(self, count):
            sizes.append(count)
            if len(sizes) == 3:
                receiver.stopping.set()
            return b""

        def close(self):
            pass

    source._port = Port()
    source.run(receiver)
    assert sizes == [1, 5, 16384]


def test_lost_serial_port_is_tried_twice_a_second():
    pytest.importorskip("serial", reason="the package pyserial is not installed")
    source, receiver = ikrig.SerialSource("/dev/ttyNONE"), Pace(9.0)
    times, said = [], []

    def opened(device, baud, timeout):
        assert (device, baud, timeout) == ("/dev/ttyNONE", 115200, 0.1)
        times.append(receiver.now)
        if len(times) == 4:
            receiver.stopping.set()
        raise OSError("gone")

    receiver.drop = lambda reason, detail: said.append((reason, detail))
    source._serial = SimpleNamespace(Serial=opened)
    source.run(receiver)
    assert times == [0.0, 0.5, 1.0, 1.5]
    assert said == [("source", "serial port /dev/ttyNONE: gone")] * 4


def test_serial_port_is_reopened():
    pytest.importorskip("serial", reason="the package pyserial is not installed")
    opened = []

    class Port:
        """Half a line, then it is pulled; whole ones the next time."""

        def __init__(self, device, baud, timeout):
            opened.append(self)
            self.in_waiting, self.closed = 5, False
            first = [line(9)[:8], OSError("pulled")]
            self.said = iter(first if len(opened) == 1 else [line(2)])

        def read(self, count):
            assert not self.closed and count == 5
            said = next(self.said, b"")
            if isinstance(said, OSError):
                raise said
            time.sleep(0.0 if said else 0.01)
            return said

        def close(self):
            self.closed = True

    source = ikrig.SerialSource("/dev/ttyNONE")
    source._serial = SimpleNamespace(Serial=Port)
    with ikrig.JointFeed(source, 1, delay=0) as feed:
        until(lambda: feed.counts["good"] == 1)
        assert feed.sample() == [2]
        assert "serial port /dev/ttyNONE: pulled" in feed.problem
        assert feed.dropped == feed.counts["source"] == 1
    assert [port.closed for port in opened] == [True, True]
