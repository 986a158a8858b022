"""Motion captures from .bvh files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import NoReturn

import numpy as np

from ..errors import Diagnostic, MotionFileError, SettingError, suggest
from ..files.file_access import path_of, read_file
from ..math3d.quaternion import Floats, multiply
from ..model.motion import Motion, unique_names
from ..value_shapes import LARGEST, Number, Word, checked

MOST_JOINTS = 500
MOST_POSES = 4_000_000
"""Maximum number of frames times joints: 230 MB of poses."""
FRAME_TIME = 0.001, 10.0
"""Allowed time of a frame [s]."""
HEIGHT = 1.7
"""The height by which a unit is guessed [m]."""
UNITS = {"metres": 1.0, "centimetres": 0.01, "millimetres": 0.001, "inches": 0.0254}
UNITS |= {"units of the CMU captures": 0.0564}
AXES = "XYZ"
CHANNELS = [f"{axis}{kind}" for kind in ("position", "rotation") for axis in AXES]
SCALE = Number("a number above 0", 0.0, LARGEST, above=True)


@dataclass
class _Joint:
    name: str
    parent: int
    line: int
    offset: Floats | None = None
    channels: list[str] = field(default_factory=list)


def load_bvh(path: str | Path, *, scale: float | None = None, up: str = "y") -> Motion:
    """Return the motion in a BVH file.

    Channels may stand in any order, at any joint. A joint's ends ("End Site") become
    joints called NAME_end. What the file does not say is in ``Motion.notes``.

    Args:
        path: The file.
        scale: Length of its unit [m]. Default: the unit that makes the figure most
            nearly as tall as a person.
        up: The file's axis that points up, "y" or "z". The motion's is z; of a figure
            that faces +z with y up, it faces -y, as Panda3D's characters do.

    Raises:
        MotionFileError: It can't be read; names line and reason.
        SettingError: An argument is invalid.
    """
    file = path_of(path, MotionFileError)
    checked(Word(("y", "z")), up, "up", SettingError)
    if scale is not None:
        scale = checked(SCALE, scale, "scale", SettingError)
    try:
        data = read_file(file)
        wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = data.decode("utf-16" if wide else "utf-8-sig", "replace")
    except OSError as error:
        raise MotionFileError(
            file, [Diagnostic(0, 0, error.strerror or str(error))]
        ) from None
    return _Reader(file, text).motion(scale, up)


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.words = self._split()
        self.line = 0
        self.joints: list[_Joint] = []
        self.notes: list[str] = []

    def _split(self) -> Iterator[tuple[int, str]]:
        for k, line in enumerate(self.lines, 1):
            self.line = k
            # a name may hold blanks, and an end have one
            named = re.match(
                r"\s*(ROOT|JOINT)\s+(.*?)\s*(\{?)\s*$", line, re.IGNORECASE
            ) or re.match(r"\s*(End)\s+(Site)\b[^{]*(\{?)\s*$", line, re.IGNORECASE)
            if named is not None:
                words = [word for word in named.groups() if word]
            elif re.match(r"\s*(Frames|Frame\s+Time)\b", line, re.IGNORECASE):
                # its colon may stand anywhere, or nowhere
                words = line.replace(":", " ", 1).split()
            else:
                words = line.split()
            yield from ((k, word) for word in words)
        self.line = 0

    def fail(self, reason: str, line: int | None = None) -> NoReturn:
        where = self.line if line is None else line
        raise MotionFileError(self.path, [Diagnostic(where, int(where > 0), reason)])

    def next(self, wanted: str) -> str:
        self.line, word = next(self.words, (0, ""))
        if not word:
            self.fail(f"ends where {wanted} should be", len(self.lines))
        return word

    def expect(self, *wanted: str) -> None:
        for word in wanted:
            found = self.next(word)
            if found.lower() != word.lower():
                self.fail(f"{found!r} should be {word}")

    def number(self, what: str, word: str | None = None) -> float:
        given = self.next(what) if word is None else word
        try:
            value = float(given)
        except ValueError:
            self.fail(f"{what}: {given!r} is not a number")
        if not isfinite(value) or abs(value) > LARGEST:
            self.fail(f"{what} must be within ±{LARGEST:g}, not {given}")
        return value

    def whole(self, what: str, most: int) -> int:
        value = self.number(what)
        if not 0 <= value <= most or value != int(value):
            self.fail(f"{what} must be a whole number from 0 to {most}, not {value:g}")
        return int(value)

    def motion(self, scale: float | None, up: str) -> Motion:
        self.hierarchy()
        frames, fps = self.timing()
        rows = self.rows(frames)
        offsets = np.array([joint.offset for joint in self.joints])
        turns, places = self.poses(rows, offsets)
        if up == "y":
            offsets, places = (
                a[..., [0, 2, 1]] * [1, -1, 1] for a in (offsets, places)
            )
            turns = turns[..., [0, 1, 3, 2]] * [1, 1, -1, 1]
        names = unique_names([joint.name for joint in self.joints])
        for joint, name in zip(self.joints, names, strict=True):
            if joint.name != name:
                self.notes.append(f"a second joint {joint.name!r} is called {name!r}")
        parents = [joint.parent for joint in self.joints]
        rest = np.zeros_like(offsets)
        for k, above in enumerate(parents):
            rest[k] = offsets[k] + (rest[above] if above >= 0 else 0.0)
        unit = self.unit(rest, scale, up)
        return Motion(
            names=names,
            parents=parents,
            offsets=unit * offsets,
            rotations=turns,
            positions=unit * places,
            fps=fps,
            name=self.path.stem,
            notes=self.notes,
        )

    def hierarchy(self) -> None:
        """Read the joints: their parents, offsets and channels."""
        self.expect("HIERARCHY")
        above: list[int] = []
        while True:
            word = self.next("JOINT, } or MOTION").lower()
            if word == "motion" and self.joints and not above:
                break
            if (word == "root" and not above) or (word == "joint" and above):
                self.joint(self.next("a name"), above)
            elif word == "end" and above:
                self.expect("Site")
                self.joint(f"{self.joints[above[-1]].name}_end", above)
            elif word == "}" and above:
                joint = self.joints[above.pop()]
                if joint.offset is None:
                    self.fail(f"joint {joint.name!r} has no OFFSET", joint.line)
            elif word == "offset" and above:
                what = f"OFFSET of {self.joints[above[-1]].name!r}"
                offset = [self.number(what) for _ in AXES]
                self.joints[above[-1]].offset = np.array(offset)
            elif word == "channels" and above:
                self.channels(self.joints[above[-1]])
            else:
                self.fail(f"{word!r} can't stand here: JOINT, End Site, OFFSET, "
                          "CHANNELS, } or MOTION")  # fmt: skip

    def joint(self, name: str, above: list[int]) -> None:
        if len(self.joints) == MOST_JOINTS:
            self.fail(f"has more than {MOST_JOINTS} joints")
        self.joints.append(_Joint(name, above[-1] if above else -1, self.line))
        self.expect("{")
        above.append(len(self.joints) - 1)

    def channels(self, joint: _Joint) -> None:
        known = {channel.lower(): channel for channel in CHANNELS}
        for _ in range(self.whole(f"CHANNELS of {joint.name!r}", 12)):
            word = self.next("a channel")
            if word.lower() not in known:
                self.fail(f"channel {word!r} is unknown: {suggest(word, CHANNELS)}")
            joint.channels.append(known[word.lower()])

    def timing(self) -> tuple[int, float]:
        self.expect("Frames")
        most = MOST_POSES // len(self.joints)
        frames = self.whole("Frames", most)
        if not frames:
            self.fail("has 0 frames: there is no motion in it")
        self.expect("Frame", "Time")
        line, seconds = self.line, self.number("Frame Time")
        if self.line > line:
            self.fail("Frame Time has no value", line)
        least, longest = FRAME_TIME
        if not least <= seconds <= longest:
            self.fail(
                f"Frame Time must be seconds from {least:g} to {longest:g}, not "
                f"{seconds:g}"
            )
        fps = 1.0 / seconds
        if abs(fps - round(fps)) < 2e-3 * fps and fps != round(fps):
            self.notes.append(
                f"{round(fps)} frames per second, from a rounded Frame Time of "
                f"{seconds:g} s"
            )
            fps = float(round(fps))
        return frames, fps

    def rows(self, frames: int) -> Floats:
        """Read the values of the channels, (frames, channels)."""
        wanted = sum(len(joint.channels) for joint in self.joints)
        found: list[list[float]] = []
        for k, line in enumerate(self.lines[self.line :], self.line + 1):
            words = line.split()
            if not words:
                continue
            self.line = k
            if len(found) == frames:
                self.fail(f"frame {frames + 1}, but Frames is {frames}: correct Frames")
            if len(words) != wanted:
                self.fail(
                    f"frame {len(found) + 1} has {len(words)} values, but there are "
                    f"{wanted} channels"
                )
            try:
                row = [float(word) for word in words]
            except ValueError:
                row = []
            if not row or not all(-LARGEST <= value <= LARGEST for value in row):
                # again, for the message
                for word in words:
                    self.number(f"frame {len(found) + 1}", word)
            found.append(row)
        if len(found) < frames:
            self.fail(
                f"ends after {len(found)} frames, but Frames is {frames}: it was cut "
                "off, or Frames is wrong",
                len(self.lines),
            )
        return np.array(found).reshape(frames, wanted)

    def poses(self, rows: Floats, offsets: Floats) -> tuple[Floats, Floats]:
        turns = np.zeros((len(rows), len(self.joints), 4))
        turns[..., 0] = 1.0
        places = np.tile(offsets, (len(rows), 1, 1))
        column = 0
        for k, joint in enumerate(self.joints):
            for channel in joint.channels:
                values, axis = rows[:, column], AXES.index(channel[0])
                column += 1
                if channel.endswith("position"):
                    places[:, k, axis] = values
                    continue
                about = np.zeros((len(rows), 4))
                half = 0.5 * np.radians(values)
                about[:, 0], about[:, 1 + axis] = np.cos(half), np.sin(half)
                turns[:, k] = multiply(turns[:, k], about)
        return turns, places

    def unit(self, rest: Floats, scale: float | None, up: str) -> float:
        """Return the length of the file's unit [m], and note what was guessed."""
        extent = np.ptp(rest, axis=0)
        if extent[2] < 0.5 * extent.max():
            other = {"y": "z", "z": "y"}[up]
            self.notes.append(
                f"the figure lies in its rest pose: up={other!r} may be meant"
            )
        size = float(extent.max())
        if scale is not None:
            return scale
        if size <= 0.0:
            self.fail("all joints are in one place", 0)
        misses = {abs(np.log(size * of / HEIGHT)): unit for unit, of in UNITS.items()}
        unit = misses[min(misses)]
        found = UNITS[unit]
        self.notes.append(
            f"lengths are taken for {unit}, so that the figure is {size * found:.2g} m "
            f"tall; scale={found:g} says so"
        )
        return float(found)
