"""Plays a clip on a rig frame by frame, without a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import panda3d.core as p3d

from ...clip import Clip
from ...clip.clip import FPS
from ...errors import ClipError, SettingError, shown
from ...value_shapes import checked
from ..animation import ClipPlayer
from ..ik.plan import Plan

Progress = Callable[[int, int], object]
"""Called with the number of frames done and the number in all."""

MOST_FRAMES = 1_000_000
"""Maximum number of frames of a recording: 4.6 h at 60 per second."""


def offline_frames(
    rig: Any, clip: Clip, fps: float, progress: Progress | None = None
) -> Iterator[float]:
    """Yield the time of each frame of a clip, with the rig solved at it.

    A loop is played once before, so that swinging and following parts repeat from
    then on. Its last frame is the one before its first repeats.
    """
    if progress is not None and not callable(progress):
        raise SettingError(f"progress must be a function, not {shown(progress)}")
    count, seconds = frame_count(clip, fps)
    frames = range(count)
    if clip.wrap != "once":
        frames = range(-count, count)
    player = ClipPlayer(clip, rig)
    try:
        with own_clock(seconds) as tick:
            for i in frames:
                tick()
                # the time starts at the extra round, so that it is never negative
                player.time = (i - frames.start) * seconds
                solve(rig)
                if i >= 0:
                    yield i * seconds
                if progress is not None:
                    progress(i - frames.start + 1, len(frames))
    finally:
        player.stop()


def frame_count(clip: Clip, fps: float) -> tuple[int, float]:
    if not isinstance(clip, Clip):
        raise ClipError(
            f"clip must be a Clip, not {shown(clip)}: load one with load_clip(path)"
        )
    fps = checked(FPS, fps, "fps", SettingError)
    round_trip = clip.duration * (2.0 if clip.wrap == "ping_pong" else 1.0)
    if round_trip * fps > MOST_FRAMES:
        raise SettingError(
            f"{clip.name} takes {round_trip:g} s, {round_trip * fps:.3g} frames at "
            f"{fps:g} fps; the maximum is {MOST_FRAMES}: use a lower fps or "
            "a shorter clip"
        )
    stretches = max(round(round_trip * fps), 1)
    seconds = round_trip / stretches if round_trip else 1.0 / fps
    return stretches + (clip.wrap == "once" and round_trip > 0.0), seconds


def solve(rig: Any) -> None:
    """Solve a frame of a rig of any kind."""
    if not isinstance(rig, Mapping):
        rig.solve()
        return
    # layers of an Actor are solved by its rig
    Plan(part.rig or part for part in rig.values()).run(
        p3d.ClockObject.get_global_clock().get_dt()
    )


@contextmanager
def own_clock(seconds: float) -> Iterator[Callable[[], None]]:
    """Stop Panda3D's clock between calls of the yielded function; the first is now."""
    clock = p3d.ClockObject.get_global_clock()
    mode, time, dt = clock.mode, clock.get_frame_time(), clock.get_dt()
    # slightly late, so that rounding does not decide which frame is shown
    now = time - (1.0 - 1e-4) * seconds
    clock.mode = p3d.ClockObject.M_slave

    def tick() -> None:
        nonlocal now
        now += seconds
        clock.set_frame_time(now)
        clock.set_dt(seconds)
        clock.set_frame_count(clock.get_frame_count() + 1)
        # as ShowBase's task does for unused states
        p3d.TransformState.garbage_collect()

    try:
        yield tick
    finally:
        clock.set_frame_time(time)
        clock.mode = mode
        if mode == p3d.ClockObject.M_normal:
            # so that no time passes for the game
            clock.set_real_time(time)
        elif dt > 0.0:
            clock.set_dt(dt)
