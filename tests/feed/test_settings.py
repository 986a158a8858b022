"""Set-up errors of feeds: one message with the argument, the value and the fix."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import time

import numpy as np
import pytest

import ikrig
from ikrig.feed.feed_checks import MOST_JOINTS, _listed

from .hand import HandSource


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"joints": 0}, "joints must be a whole number from 1"),
        ({"joints": True}, "joints must be a whole number"),
        ({"joints": []}, "the number of joints or their names"),
        ({"joints": "ab"}, "or their names .* not 'ab'"),
        ({"joints": ["a", 2]}, "or their names"),
        ({"joints": ["a", "b", "a"]}, "'a' twice"),
        ({"joints": None}, "or their names"),
        ({"mapping": {"elbo": "J3"}}, "did you mean 'elbow'"),
        ({"mapping": {"elbow": 3}}, "'elbow' must be a name, not 3"),
        ({"degrees": ["knee"]}, "degrees has 'knee', .* available: hip, elbow"),
        ({"degrees": [2]}, "degrees has 2"),
        ({"wrap": [True]}, "wrap has True"),
        ({"wrap": "hip"}, "wrap must be True, False or a list of joints"),
        ({"joints": 2, "wrap": ["hip"]}, "available: 0, 1"),
        ({"start": [1]}, "start must be 2 finite values"),
        ({"start": [1, math.nan]}, "start must be 2 finite values"),
        ({"start": ["x", 1]}, "start must be 2 finite values"),
        ({"delay": -0.1}, "delay must be a number of seconds from 0 to 1, not -0.1"),
        ({"delay": math.nan}, "delay"),
        ({"stale_after": 0}, "stale_after must be above 0"),
        ({"max_bytes": 0}, "max_bytes must be a whole number from 1 to 65535"),
        ({"max_rate": "fast"}, "max_rate"),
        ({"source": 9870}, "such as UdpSource"),
    ],
)
def test_feed_arguments_are_checked(settings, message):
    with pytest.raises(ikrig.SettingError, match=message):
        ikrig.JointFeed(
            **{"source": HandSource(), "joints": ["hip", "elbow"], **settings}
        )


def feed_with(**settings):
    return ikrig.JointFeed(HandSource(), **{"joints": 2, **settings})


def sent_by(**settings):
    return ikrig.FunctionSource(print, **settings)


@pytest.mark.parametrize(
    ("make", "name", "inside", "outside"),
    [
        (feed_with, "joints", (1, 10_000), (0, 10_001)),
        (feed_with, "delay", (0, 1), (-1e-9, 1.001)),
        (feed_with, "stale_after", (1e-9, 3600), (0, 3601)),
        (feed_with, "max_bytes", (1, 65_535), (0, 65_536)),
        (feed_with, "max_rate", (1e-9, 100_000), (0, 100_001)),
        (sent_by, "rate", (1e-9, 1000), (0, 1001)),
        (ikrig.UdpSource, "port", (0, 65_535), (-1, 65_536)),
        (ikrig.TcpSource, "port", (0, 65_535), (-1, 65_536)),
        (ikrig.TcpClientSource, "port", (1, 65_535), (0, 65_536)),
    ],
)
def test_arguments_at_the_ends_of_their_ranges(make, name, inside, outside):
    for value in inside:
        make(**{name: value})
    for value in outside:
        with pytest.raises(ikrig.SettingError, match=name):
            make(**{name: value})


@pytest.mark.parametrize("kind", [ikrig.UdpSource, ikrig.TcpSource])
@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.5", "8.8.8.8", "::ffff:0:0"]
)
def test_listens_beyond_loopback_only_on_request(kind, host):
    for remote in (False, 0, 1, "yes", None):
        with pytest.raises(ikrig.SettingError, match="pass remote=True"):
            kind(0, host=host, remote=remote)
    assert kind(0, host=host, remote=True).host == host


@pytest.mark.parametrize("kind", [ikrig.UdpSource, ikrig.TcpSource])
@pytest.mark.parametrize("host", ["", "robot", "127.0.0.1.evil.com", None, 0, "127.1"])
def test_invalid_addresses_are_reported(kind, host):
    with pytest.raises(ikrig.SettingError, match="host must be an address"):
        kind(0, host=host)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ikrig.UdpSource(70000), "port must be .* not 70000"),
        (lambda: ikrig.TcpSource(True), "port"),
        (lambda: ikrig.TcpSource(0, patience=0), "patience"),
        (lambda: ikrig.TcpClientSource(0), "port must be a whole number from 1"),
        (lambda: ikrig.TcpClientSource(1, host=""), "host"),
        (lambda: ikrig.TcpClientSource(1, host="a" * 300), "is not a valid host name"),
        (lambda: ikrig.TcpClientSource(1, host="a..b"), "is not a valid host name"),
        (lambda: ikrig.TcpClientSource(1, host="a\0b"), "is not a valid host name"),
        (lambda: ikrig.StreamSource("x"), "fileno"),
        (lambda: ikrig.RecordingSource("nothing.jsonl"), "nothing.jsonl: no such file"),
        (lambda: ikrig.RecordingSource(__file__, speed=0), "speed"),
        (lambda: ikrig.FunctionSource(3), "function must be callable"),
        (lambda: ikrig.FunctionSource(print, rate=1e9), "rate"),
    ],
)
def test_source_arguments_are_checked(make, message):
    with pytest.raises(ikrig.SettingError, match=message):
        make()


class Broken:
    """Something that can't be shown."""

    def __repr__(self) -> str:
        raise RuntimeError


JUNK = (
    *(None, True, "x", b"x", "\0", "x" * 300, -1, 1.5, math.nan, math.inf, -math.inf),
    *(10**400, -(10**400), 10**5000, 1j, [], ["x"], [None], [10**400], [[1]], {}),
    *({"a": 1}, set(), range(3), np.zeros((2, 2)), np.array("x"), np.float32(3)),
    *(print, object(), Broken(), itertools.count(), itertools.repeat("a")),
)
FEED = ("degrees", "wrap", "mapping", "start", "delay", "stale_after", "max_bytes")
MAKERS = {
    "source": lambda value: ikrig.JointFeed(value, 3),
    "joints": lambda value: ikrig.JointFeed(HandSource(), value),
    **{
        name: lambda value, name=name: ikrig.JointFeed(HandSource(), 3, **{name: value})
        for name in (*FEED, "max_rate", "clock")
    },
    "delay of a feed": lambda value: setattr(FED, "delay", value),
    "UdpSource": ikrig.UdpSource,
    "UDP host": lambda value: ikrig.UdpSource(0, host=value),
    "TcpSource": ikrig.TcpSource,
    "TCP host": lambda value: ikrig.TcpSource(0, host=value),
    "patience": lambda value: ikrig.TcpSource(0, patience=value),
    "TcpClientSource": ikrig.TcpClientSource,
    "client's host": lambda value: ikrig.TcpClientSource(5, host=value),
    "client's patience": lambda value: ikrig.TcpClientSource(5, patience=value),
    "StreamSource": ikrig.StreamSource,
    "FunctionSource": ikrig.FunctionSource,
    "rate": lambda value: ikrig.FunctionSource(print, rate=value),
    "RecordingSource": ikrig.RecordingSource,
    "a long path": lambda value: ikrig.RecordingSource("x" * 300),
    "speed": lambda value: ikrig.RecordingSource(__file__, speed=value),
}
FED = ikrig.JointFeed(HandSource(), 3)


@pytest.mark.parametrize("name", MAKERS)
def test_junk_gives_one_clear_sentence(name):
    refused = 0
    for value in JUNK:
        try:
            MAKERS[name](value)
        except ikrig.SettingError as error:
            refused += 1
            assert len(str(error)) < 600 and "\n" not in str(error)
    assert refused >= 5


def test_recording_of_junk_can_be_stopped(tmp_path):
    path = tmp_path / "junk.jsonl"
    path.write_bytes(b"x\n" * 3_000_000)
    feed = ikrig.JointFeed(ikrig.RecordingSource(path), 3).start()
    begin = time.perf_counter()
    feed.close()
    assert not feed.running and time.perf_counter() - begin < 2.0


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, pickle.dumps], ids=["copy", "deep", "pickle"]
)
def test_feeds_cannot_be_copied(copied):
    feed = ikrig.JointFeed(ikrig.FunctionSource(lambda: [0.0]), 1)
    with pytest.raises(ikrig.CopyError, match="with its own source instead"):
        copied(feed)


def test_stale_after_cannot_be_changed():
    feed = ikrig.JointFeed(ikrig.FunctionSource(lambda: [0.0]), 1, stale_after=0.2)
    with pytest.raises(AttributeError):
        feed.stale_after = "x"
    assert feed.stale_after == 0.2
    assert feed.stale


def test_names_may_come_from_an_iterator():
    most = [f"joint {k}" for k in range(MOST_JOINTS)]
    assert _listed(iter(most)) == tuple(most)
    assert _listed([*most, "one more"]) is None
    assert _listed(itertools.count()) is None
    assert _listed("ab") is None and _listed(3) is None
