"""Times the sampling of clips: ``python -m tests.bench.clips [--repeat N]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ikrig import Clip, Track

from .__main__ import print_table

LEGEND = """\
Medians of alternating blocks, random times in a clip of 10 seconds and 20 keys a track.
mixed: a third each of numbers, positions and rotations, their curves step, linear,
cubic and ease_in_out by turns. np.interp: numpy's own linear interpolation, called once
for every number, the least that a loop over tracks can cost. build: from Python values
to the first sample."""

LENGTH = 10.0
CURVES = ("step", "linear", "cubic", "ease_in_out")
CHANNELS = {"slide": 1, "target": 3, "rotation": 4}
SIZES = (1, 10, 100, 1000)


def make_tracks(
    count: int, channels: tuple[str, ...], curves: tuple[str, ...], keys: int = 20
) -> list[Track]:
    """Return seeded tracks of channels and curves by turns."""
    rng = np.random.default_rng(count)
    tracks = []
    for i in range(count):
        channel = channels[i % len(channels)]
        times = np.sort(rng.choice(10_000, keys, replace=False)) * LENGTH / 1e4
        values = rng.normal(size=(keys, CHANNELS[channel])).tolist()
        motion: dict[float, Any] = {
            time: value if len(value) > 1 else value[0]
            for time, value in zip(times.tolist(), values, strict=True)
        }
        curve = curves[i // len(channels) % len(curves)]
        tracks.append(Track(f"part {i}", channel, motion, curve))
    return tracks


def candidates(count: int) -> dict[str, Callable[[float], Any]]:
    """Return what samples so many tracks, by name."""
    plain = make_tracks(count, ("slide",), ("linear",))
    work = {
        "mixed": make_tracks(count, tuple(CHANNELS), CURVES),
        "numbers, linear": plain,
        "positions, cubic": make_tracks(count, ("target",), ("cubic",)),
        "positions, eased": make_tracks(count, ("target",), ("ease_in_out",)),
        "rotations, slerp": make_tracks(count, ("rotation",), ("linear",)),
        "rotations, squad": make_tracks(count, ("rotation",), ("cubic",)),
    }
    clips = {name: Clip("bench", tracks, wrap="loop") for name, tracks in work.items()}
    curves = [
        (np.array(list(track.keys)), np.array([k.value for k in track.keys.values()]))
        for track in plain
    ]

    def loop(time: float) -> list[Any]:
        return [np.interp(time, *curve) for curve in curves]

    return {**{name: clip.sample for name, clip in clips.items()}, "np.interp": loop}


def measure(count: int, repeat: int, samples: int = 200) -> dict[str, float]:
    """Return median µs a sample of all tracks, for each candidate."""
    times = np.random.default_rng(0).uniform(0.0, LENGTH, samples).tolist()
    result = {}
    tracks = make_tracks(count, tuple(CHANNELS), CURVES)
    begin = perf_counter()
    Clip("bench", tracks).sample(0.0)
    result["build ms"] = 1e3 * (perf_counter() - begin)
    work = candidates(count)
    spent: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(repeat):
        for name, sample in work.items():
            begin = perf_counter()
            for time in times:
                sample(time)
            spent[name].append(1e6 * (perf_counter() - begin) / samples)
    return {**{f"{name} us": median(t) for name, t in spent.items()}, **result}


def main(argv: list[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.clips", description=__doc__
    )
    parser.add_argument("--repeat", type=int, default=11, metavar="N")
    args = parser.parse_args(argv)
    if args.repeat < 1:
        parser.error("--repeat must be at least 1")
    print_table({f"{count} tracks": measure(count, args.repeat) for count in SIZES})
    print(f"\n{LEGEND}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
