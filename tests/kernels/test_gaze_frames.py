"""Gazes over many frames: what they forget, and averages of a moving head."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

import ikrig

from .figures_of_nodes import WAYS, Figure
from .test_gaze import HEAD, axes_of, direction, gaze, look

ways = pytest.mark.parametrize("way", WAYS)
WIDE = ikrig.LookLimits(1.0, 1.0, 0.7, 0.7)
DT = 1 / 30


class Gaze:
    """A gaze on a figure that is animated in one pose."""

    def __init__(self, way: str) -> None:
        self.figure = Figure(way)
        self.made = look(self.figure).kernel
        self.node = self.figure.top.attach_new_node("target")
        self.made.keep_motion = 0.5
        self.made.set_eyes(WIDE, 0.05)

    def frames(self, count: int, place=None) -> np.ndarray:
        """Return the joints after frames with a target, or without one."""
        self.made.target = None
        if place is not None:
            self.node.set_pos(*place)
            self.made.target = self.figure.reader(self.node)
        for _ in range(count):
            self.figure.pose(np.random.default_rng(3), 0.1)
            self.made.step(WIDE, 0.3, 3.0, 1.0, False, DT)
        return self.figure.nets_now()


@ways
def test_gaze_that_has_let_go_starts_anew(way) -> None:
    old, new = Gaze(way), Gaze(way)
    plain = old.frames(1)
    old.frames(20, (-1.5, -1.5, 2.2))
    # it lets go gradually
    found = np.abs([old.frames(1) - plain for _ in range(15)]).max(axis=(1, 2, 3))
    assert (np.diff(found) < 0.0).all() and found[0] > 0.05
    assert np.abs(old.frames(60) - plain).max() < 1e-6
    for k in range(1, 12):
        place = (1.5, -1.5 + 0.1 * k, 1.4)
        assert np.allclose(old.frames(1, place), new.frames(1, place), atol=1e-6), k


@pytest.mark.parametrize("keep", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_direction_of_a_moving_head_is_averaged(seed: int, keep: float) -> None:
    rng = np.random.default_rng(seed)
    figure = Figure("source")
    made = look(figure)
    made.kernel.keep_motion = keep
    mean = np.zeros(3)
    for frame in range(6):
        figure.pose(rng, 0.3)
        figure.joints.read()
        # the head faces -y at rest
        ahead = -figure.net(HEAD)[1, :3]
        ahead /= np.linalg.norm(ahead)
        fraction = 1.0 - exp(-rng.uniform(0.01, 0.5))
        if frame == 0:
            made.kernel.set_frame(gaze.BODY, 0, 1)
            made.kernel.begin()
            mean = axes_of(made, gaze.BODY) @ ahead
        made.kernel.average(fraction)
        now = axes_of(made, gaze.BODY) @ ahead
        mean = mean + fraction * (now - mean)
        shown = now + keep * (mean - now)
        found = direction(made.kernel.start_yaw, made.kernel.start_pitch)
        assert np.allclose(found, shown / np.linalg.norm(shown), atol=1e-6)
        kernel = made.kernel
        known = [-kernel.mean_right, kernel.mean_ahead, kernel.mean_up]
        assert np.allclose(known, mean * [-1.0, 1.0, 1.0], atol=1e-6)
