"""Mistakes in set-up: one message that names the thing, the value and the fix."""

from __future__ import annotations

import math

import pytest

import ikrig

from .hand import HandSource


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"joints": 0}, "joints must be a whole number from 1"),
        ({"joints": True}, "joints must be a whole number"),
        ({"joints": []}, "how many there are, or their names"),
        ({"joints": "ab"}, "or their names, .* not 'ab'"),
        ({"joints": ["a", 2]}, "or their names"),
        ({"joints": ["a", "b", "a"]}, "'a' twice"),
        ({"joints": None}, "or their names"),
        ({"mapping": {"elbo": "J3"}}, "did you mean 'elbow'"),
        ({"mapping": {"elbow": 3}}, "'elbow' must be a name, not 3"),
        ({"degrees": ["knee"]}, "degrees has 'knee', .* There is hip, elbow"),
        ({"degrees": [2]}, "degrees has 2"),
        ({"wrap": [True]}, "wrap has True"),
        ({"wrap": "hip"}, "wrap must be True, False or the joints"),
        ({"joints": 2, "wrap": ["hip"]}, "There is 0, 1"),
        ({"start": [1]}, "start must be 2 finite values"),
        ({"start": [1, math.nan]}, "start must be 2 finite values"),
        ({"start": ["x", 1]}, "start must be 2 finite values"),
        ({"delay": -0.1}, "delay must be above 0 and at most 1, not -0.1"),
        ({"delay": 1.1}, "delay"),
        ({"delay": math.nan}, "delay"),
        ({"stale_after": 0}, "stale_after must be above 0"),
        ({"max_bytes": 0}, "max_bytes must be a whole number from 1 to 65535"),
        ({"max_bytes": 1e3}, "max_bytes"),
        ({"max_rate": math.inf}, "max_rate"),
        ({"max_rate": "fast"}, "max_rate"),
        ({"source": 9870}, "such as UdpSource"),
    ],
)
def test_feed(settings, message):
    with pytest.raises(ikrig.SettingError, match=message):
        ikrig.JointFeed(
            **{"source": HandSource(), "joints": ["hip", "elbow"], **settings}
        )


@pytest.mark.parametrize("kind", [ikrig.UdpSource, ikrig.TcpSource])
@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.5", "8.8.8.8", "::ffff:0:0"]
)
def test_beyond_loopback_only_when_asked(kind, host):
    for remote in (False, 0, 1, "yes", None):
        with pytest.raises(ikrig.SettingError, match="give remote=True"):
            kind(0, host=host, remote=remote)
    assert kind(0, host=host, remote=True).host == host


@pytest.mark.parametrize("kind", [ikrig.UdpSource, ikrig.TcpSource])
@pytest.mark.parametrize("host", ["", "robot", "127.0.0.1.evil.com", None, 0, "127.1"])
def test_no_address(kind, host):
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
        (lambda: ikrig.StreamSource("x"), "fileno"),
        (lambda: ikrig.RecordingSource("nothing.jsonl"), "nothing.jsonl: no such file"),
        (lambda: ikrig.RecordingSource(__file__, speed=0), "speed"),
        (lambda: ikrig.FunctionSource(3), "function must be callable"),
        (lambda: ikrig.FunctionSource(print, rate=1e9), "rate"),
    ],
)
def test_sources(make, message):
    with pytest.raises(ikrig.SettingError, match=message):
        make()


def test_speed_is_checked_when_it_is_changed():
    source = ikrig.RecordingSource(__file__)
    source.speed = 2
    with pytest.raises(ikrig.SettingError, match="speed must be above 0, not -1"):
        source.speed = -1
