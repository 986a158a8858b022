"""A fade is a smooth step in time at any frame rate."""

from __future__ import annotations

import pytest

from ikrig.scene.fade import Fade


@pytest.mark.parametrize(("start", "end"), [(0.0, 1.0), (0.8, 0.3), (-2.0, 5.0)])
def test_fade_is_a_smoothstep(start, end):
    for frames in (1, 3, 60):
        fade, dt = Fade(start, end, 0.5), 0.5 / frames
        for k in range(1, frames):
            u = k / frames
            assert not fade.has_ended
            # the cubic with 0 and 1 at its ends, and no slope there
            expected = start + (3.0 * u**2 - 2.0 * u**3) * (end - start)
            assert fade.step(dt) == pytest.approx(expected, abs=1e-12)
        assert not fade.has_ended
        assert fade.step(1.001 * dt) == end and fade.has_ended
        assert fade.step(9.0) == end
