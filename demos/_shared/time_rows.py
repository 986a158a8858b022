"""Positions of seconds, tracks and keys on a timeline, and hit tests for the mouse."""

from __future__ import annotations

from dataclasses import dataclass

import ikrig
from ikrig.clip.editing import KeyName

RULER = 29.0
ROW, HIGHEST = 19.0, 320.0  # height of a row, and maximum height of all
LABELS = 152.0  # width of the names of tracks
END = 22.0  # space behind the end
NEAR = 8.0  # maximum distance at which the mouse grabs a key
GRID = 0.05  # keys are dragged in steps of this [s]


@dataclass(frozen=True)
class TimeRows:
    """A timeline's layout: a ruler, and below it a row for each track.

    Attributes:
        clip: The clip to show.
        left: Left edge [layout pixel], as all lengths here.
        width: Its width.
        bottom: Its lower edge.
    """

    clip: ikrig.Clip
    left: float
    width: float
    bottom: float

    @property
    def row(self) -> float:
        """Height of one row."""
        return min(ROW, HIGHEST / max(1, len(self.clip.tracks)))

    @property
    def height(self) -> float:
        """Its height."""
        return RULER + self.row * len(self.clip.tracks) + 8.0

    @property
    def top(self) -> float:
        """Its upper edge."""
        return self.bottom - self.height

    @property
    def start(self) -> float:
        """X coordinate of second 0."""
        return self.left + LABELS

    @property
    def end(self) -> float:
        """X coordinate of the clip's end."""
        return self.left + self.width - END

    def x(self, time: float) -> float:
        """Return the x coordinate of a time."""
        share = time / self.clip.duration if self.clip.duration else 0.0
        return self.start + (self.end - self.start) * share

    def time(self, x: float) -> float:
        """Return the time at an x coordinate, within the clip."""
        share = (x - self.start) / (self.end - self.start)
        return max(0.0, min(1.0, share)) * self.clip.duration

    def grid_time(self, x: float) -> float:
        """Return the time, on the grid, of a key that is dragged to an x coordinate."""
        return min(round(round(self.time(x) / GRID) * GRID, 3), self.clip.duration)

    def y(self, row: int) -> float:
        """Return the y coordinate of a row's middle."""
        return self.top + RULER + 3.0 + self.row * (row + 0.5)

    def covers(self, x: float, y: float) -> bool:
        """Return whether a position is on the timeline."""
        return self.left <= x <= self.left + self.width and self.top <= y <= self.bottom

    def key_at(self, x: float, y: float) -> KeyName | None:
        """Return the key at a position, the nearest of several."""
        row = int((y - self.top - RULER - 3.0) // self.row)
        if not 0 <= row < len(self.clip.tracks):
            return None
        track = self.clip.tracks[row]
        near = min(track.keys, key=lambda time: abs(self.x(time) - x), default=None)
        if near is None or abs(self.x(near) - x) > NEAR:
            return None
        return KeyName(track.part, track.channel, near)

    def ruler_step(self) -> float:
        """Return the distance between the numbers of the ruler [s]."""
        room = (self.end - self.start) / max(self.clip.duration, 1e-6)
        steps = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
        last = self.clip.duration / 10.0
        return next((step for step in steps if step * room >= 48.0), last)
