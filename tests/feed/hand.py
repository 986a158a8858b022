"""A source and a clock under manual control."""

from __future__ import annotations

import json
from threading import Event

import numpy as np

import ikrig


class Clock:
    def __init__(self, now=100.0):
        self.now = now

    def __call__(self):
        return self.now


class HandSource:
    """A source that passes on the test's packets, on the test's own thread."""

    def __init__(self):
        self._ready = Event()

    def open(self):
        pass

    def run(self, receiver):
        self.receiver = receiver
        self._ready.set()
        receiver.stopping.wait()

    def close(self):
        pass

    def give(self, packet):
        assert self._ready.wait(5)
        data = packet if isinstance(packet, bytes) else json.dumps(packet).encode()
        return self.receiver.receive(data)


class Hand:
    """A feed with such a source and clock; a context manager."""

    def __init__(self, joints=2, **settings):
        self.clock = Clock()
        self.source = HandSource()
        self.feed = ikrig.JointFeed(self.source, joints, clock=self.clock, **settings)

    def __enter__(self):
        self.feed.start()
        return self

    def __exit__(self, *_):
        self.feed.close()

    def give(self, packet, at=None):
        if at is not None:
            self.clock.now = at
        return self.source.give(packet)

    def sample(self, at):
        self.clock.now = at
        values = self.feed.sample(at)
        assert values.shape == (len(self.feed),)
        assert values.dtype == np.float64
        assert np.isfinite(values).all()
        return values

    def only(self, **counts):
        """Check all counters: those not named are 0."""
        said = {key: n for key, n in self.feed.counts.items() if n}
        assert said == counts, self.feed.problem
