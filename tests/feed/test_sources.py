"""Sockets, streams, files and functions as sources, without mocks."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import ikrig

from .sockets import listening

ROOT = Path(__file__).parent.parent.parent
LINUX = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads Linux's /proc/net"
)


def until(condition, seconds=10.0):
    """Wait for something that another thread does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.002)


def feed_threads():
    return [t for t in threading.enumerate() if t.name == "ikrig-feed"]


@pytest.fixture(autouse=True)
def nothing_left():
    def own():
        return listening() if sys.platform.startswith("linux") else []

    threads, sockets = feed_threads(), own()
    yield
    assert feed_threads() == threads
    assert own() == sockets


def udp_socket():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def line(*values, **extra):
    return json.dumps({"joints": values, **extra}).encode() + b"\n"


def test_udp_packets_are_received():
    source = ikrig.UdpSource(0)
    with ikrig.JointFeed(source, 2, delay=0) as feed, udp_socket() as sender:
        address = ("127.0.0.1", source.port)
        sender.sendto(b"", address)
        sender.sendto(b"x" * 65507, address)
        # cut at the longest packet this one would be good
        sender.sendto(line(8, 8).ljust(65507), address)
        sender.sendto(line(1, 2), address)
        until(lambda: feed.counts["good"])
        np.testing.assert_array_equal(feed.sample(), [1, 2])
        assert feed.counts["json"] == 1
        assert feed.counts["oversize"] == 2


@LINUX
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
@pytest.mark.parametrize("kind", [ikrig.UdpSource, ikrig.TcpSource])
def test_nothing_listens_beyond_loopback(kind, host):
    before = listening()
    source = kind(0, host=host)
    with ikrig.JointFeed(source, 2):
        (own,) = (s for s in listening() if s not in before)
        assert own.address.is_loopback
        assert own.port == source.port


@LINUX
def test_oracle_detects_a_socket_open_to_all():
    before = listening()
    with socket.create_server(("0.0.0.0", 0)):
        (own,) = (s for s in listening() if s not in before)
        assert not own.address.is_loopback


@LINUX
def test_client_opens_no_port():
    before = listening()
    with ikrig.JointFeed(ikrig.TcpClientSource(1), 2):
        assert listening() == before


def test_tcp_lines_arrive_however_they_are_split():
    source = ikrig.TcpSource(0)
    with (
        ikrig.JointFeed(source, 2, delay=0) as feed,
        socket.create_connection(("127.0.0.1", source.port)) as sender,
    ):
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in line(1, 2):
            sender.sendall(bytes([byte]))
        until(lambda: feed.counts["good"] == 1)
        sender.sendall(line(3, 4) * 3 + b"\r\n\n" + line(5, 6)[:-1] + b"\r\n")
        until(lambda: feed.counts["good"] == 5)
        sender.sendall(b"no json\n" + b"y" * 300_000 + b"\n" + line(7, 8))
        until(lambda: feed.counts["good"] == 6)
        assert (feed.counts["json"], feed.counts["oversize"]) == (1, 1)
        np.testing.assert_array_equal(feed.sample(), [7, 8])


def test_tcp_sender_dies_and_returns():
    source = ikrig.TcpSource(0)
    with ikrig.JointFeed(source, 1, delay=0) as feed:
        for i in range(1, 4):
            with socket.create_connection(("127.0.0.1", source.port)) as sender:
                sender.sendall(line(i) + line(99)[:7])
                until(lambda i=i: feed.counts["good"] == i)
                # closing with something unread resets, as a crash does
                linger = b"\x01\0\0\0\0\0\0\0"
                sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            assert feed.sample() == [i]


def test_silent_tcp_connection_is_replaced():
    source = ikrig.TcpSource(0, patience=0.2)
    address = ("127.0.0.1", source.port)
    with ikrig.JointFeed(source, 1, delay=0) as feed:
        address = ("127.0.0.1", source.port)
        with (
            socket.create_connection(address) as silent,
            socket.create_connection(address) as sender,
        ):
            silent.sendall(b"garbage does not count\n")
            sender.sendall(line(5))
            until(lambda: feed.counts["good"] == 1)
            assert feed.sample() == [5]


def test_tcp_client_connects_and_reconnects():
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    source = ikrig.TcpClientSource(port)
    with ikrig.JointFeed(source, 1, delay=0) as feed:
        until(lambda: feed.counts["source"])
        assert "refused" in feed.problem
        with socket.create_server(("127.0.0.1", port)) as controller:
            for i in range(1, 3):
                connection, _ = controller.accept()
                with connection:
                    connection.sendall(line(i))
                    until(lambda i=i: feed.counts["good"] == i)
        assert feed.sample() == [2]


def test_pipe_is_read_to_its_end():
    read, write = os.pipe()
    try:
        with ikrig.JointFeed(ikrig.StreamSource(read), 1, delay=0) as feed:
            os.write(write, line(1) + b"garbage\n" + line(2)[:5])
            until(lambda: feed.counts["json"] == 1)
            # its last line has no end
            os.write(write, line(2)[5:-1])
            os.close(write)
            until(lambda: not feed.running)
            assert feed.counts["good"] == 2
            assert feed.sample() == [2]
    finally:
        os.close(read)


def test_file_is_read_to_its_end(tmp_path):
    path = tmp_path / "poses.txt"
    path.write_bytes(line(1) + b"\n" + line(2)[:-1])
    with path.open("rb") as stream:
        with ikrig.JointFeed(ikrig.StreamSource(stream), 1, delay=0) as feed:
            until(lambda: not feed.running)
        assert feed.counts["good"] == 2 and feed.dropped == 0
        assert feed.sample() == [2]
        assert not stream.closed


def test_standard_input_is_read():
    code = (
        "import ikrig, time\n"
        "with ikrig.JointFeed(ikrig.StreamSource(), 1, delay=0) as feed:\n"
        "    while feed.running: time.sleep(0.01)\n"
        "    print(feed.sample(), feed.counts['good'], feed.counts['json'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        input=line(1) + b"garbage\n" + line(4),
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == [b"[4.]", b"2", b"1"]


def test_stopping_does_not_wait_for_a_stream():
    read, write = os.pipe()
    try:
        feed = ikrig.JointFeed(ikrig.StreamSource(read), 1).start()
        start = time.monotonic()
        feed.close()
        assert time.monotonic() - start < 2.0
    finally:
        os.close(read)
        os.close(write)


def test_function_source_is_read():
    answers = iter([[1, 2], None, {"b": 4, "a": 3}, "nonsense", [1], np.array([5, 6])])

    def ask():
        try:
            return next(answers)
        except StopIteration:
            raise RuntimeError("robot is off") from None

    source = ikrig.FunctionSource(ask, rate=500)
    with ikrig.JointFeed(source, ["a", "b"], delay=0) as feed:
        until(lambda: "robot is off" in feed.problem)
        np.testing.assert_array_equal(feed.sample(), [5, 6])
        counts = feed.counts
    assert counts["good"] == 3
    assert counts["joints"] == 1
    assert counts["source"] >= 2


def test_hanging_function_delays_no_frame():
    hang = threading.Event()
    with ikrig.JointFeed(ikrig.FunctionSource(lambda: hang.wait()), 2) as feed:
        start = time.monotonic()
        for _ in range(100):
            feed.sample()
        assert time.monotonic() - start < 2.0
        hang.set()


@pytest.mark.parametrize("tcp", [False, True])
def test_sender_example_works(tcp):
    source = ikrig.TcpSource(0) if tcp else ikrig.UdpSource(0)
    with ikrig.JointFeed(source, list("SLURBT"), delay=0.02) as feed:
        # it must not need anything but Python
        sender = subprocess.Popen(
            [sys.executable, "-I", str(ROOT / "demos" / "senders" / "arm_feed.py")]
            + ["--port", str(source.port), "--rate", "400"]
            + (["--tcp"] if tcp else [])
        )
        try:
            until(lambda: feed.counts["good"] >= 100, 30)
            first = feed.sample()
            assert (np.abs(first) > 0).all()
            time.sleep(0.1)
            assert (feed.sample() != first).all()
        finally:
            sender.kill()
            sender.wait()
        assert feed.dropped == 0, feed.problem
