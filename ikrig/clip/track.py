"""Track: the motion of one channel of one part of a rig."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from ..copies import ReadOnly
from ..errors import ClipError, shown, suggest
from ..value_shapes import LARGEST, Number, Text, checked
from .channels import CHANNELS, Channel, Value
from .curves import CURVE, Curve
from .paths import PATHS, Path

TIME = Number(f"seconds within ±{LARGEST:g}")
MIN_KEY_GAP = 1e-6
"""Minimum time between keys [s]: rates of change stay finite."""


class Key(NamedTuple):
    """The value of a channel at a time, and the curve from there."""

    value: Any
    """A number; (3,) for a position; a quaternion (4,) w x y z or (3,) roll, pitch,
    yaw [rad], Rz(yaw) Ry(pitch) Rx(roll), for a rotation."""
    then: Curve | None = None
    """The curve to the next key. None: the track's."""


Keys = Mapping[float, Key]


@dataclass(frozen=True)
class Track(ReadOnly):
    """The motion of one channel of one part of a rig.

    Before the first and after the last key, the value is that of this key.

    Args:
        part: Name of a chain, effector, joint or body in the rig.
        channel: The property that moves, from ``CHANNELS``: "target", "pole"...
        motion: Values by time [s], ``{0: (0, 0, 1), 0.5: Key((0, 1, 1), "ease_out")}``,
            or a path: ``Circle``, ``Spline`` or ``Noise``. Angles are radians; a
            rotation is a quaternion (w, x, y, z) or (roll, pitch, yaw).
        curve: Interpolation between keys, unless a key has its own. "step" keeps a
            value until the next key; "linear"; "cubic" passes smoothly through the keys
            without overshoot; "ease_in", "ease_out" and "ease_in_out" are Bézier
            easings; four numbers x1, y1, x2, y2, as in CSS, make your own. Rotations
            follow the shorter arc, by slerp, or by squad where the curve is cubic.

    Raises:
        ClipError: Names the track, the value and allowed values.
    """

    part: str
    channel: str
    motion: Keys | Path
    curve: Curve = "linear"

    def __post_init__(self) -> None:
        what = f"part {shown(self.part)}"
        object.__setattr__(
            self, "part", checked(Text(), self.part, "part of a track", ClipError)
        )
        if not isinstance(self.channel, str) or self.channel not in CHANNELS:
            raise ClipError(
                f"{what} has no channel {shown(self.channel)}: "
                f"{suggest(self.channel, CHANNELS)}"
            )
        name = self.name
        curve = checked(CURVE, self.curve, f"curve of {name}", ClipError)
        object.__setattr__(self, "curve", curve)
        if isinstance(self.motion, tuple(PATHS.values())):
            if self.kind.kind != "position":
                raise ClipError(f"{name} is not a position, so it can't follow a path")
            return
        if not isinstance(self.motion, Mapping) or not self.motion:
            raise ClipError(
                f"motion of {name} must be a dict of values by time, or a path, not "
                f"{shown(self.motion)}"
            )
        keys: dict[float, Key] = {}
        for time, given in self.motion.items():
            key = given if isinstance(given, Key) else Key(given)
            second = checked(TIME, time, f"time of a key of {name}", ClipError)
            where = f"of {name} at {second:g}"
            value = checked(self.kind.shape, key.value, f"value {where}", ClipError)
            then = key.then
            if then is not None:
                then = checked(CURVE, then, f"curve {where}", ClipError)
            keys[second] = Key(value, then)
        in_order = {time: keys[time] for time in sorted(keys)}
        for _, message in near_keys(in_order):
            raise ClipError(f"{name}: {message}")
        object.__setattr__(self, "motion", MappingProxyType(in_order))

    def __hash__(self) -> int:
        return hash(self.address)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the constructor's arguments: a view of a dict can't be pickled."""
        motion = dict(self.keys) if self.path is None else self.path
        return Track, (*self.address, motion, self.curve)

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"{self.channel} of {shown(self.part)}"

    @property
    def address(self) -> tuple[str, str]:
        """Part and channel, by which a clip finds it."""
        return self.part, self.channel

    @property
    def kind(self) -> Channel:
        """The type of its values."""
        return CHANNELS[self.channel]

    @property
    def keys(self) -> Keys:
        """Its keys by time, sorted; none when it follows a path."""
        return self.motion if isinstance(self.motion, Mapping) else MappingProxyType({})

    @property
    def path(self) -> Path | None:
        """The path that it follows; None when it has keys."""
        return None if isinstance(self.motion, Mapping) else self.motion

    def with_key(self, time: float, value: Value, then: Curve | None = None) -> Track:
        """Return a copy of the track with a key added or replaced.

        Raises:
            ClipError: The key is not allowed, or the track follows a path.
        """
        if self.path is not None:
            raise ClipError(f"{self.name} follows a path and has no keys")
        time = checked(TIME, time, f"time of a key of {self.name}", ClipError)
        return self._with({**self.keys, time: Key(value, then)})

    def without_key(self, time: float) -> Track:
        """Return a copy of the track with a key removed.

        Raises:
            ClipError: There is no key at that time, or it is the only one.
        """
        self._key(time)
        if len(self.keys) == 1:
            raise ClipError(
                f"{self.name} has only this key: a track needs at least one"
            )
        return self._with({at: key for at, key in self.keys.items() if at != time})

    def moved_key(self, time: float, to: float) -> Track:
        """Return a copy of the track with a key moved to another time.

        Raises:
            ClipError: There is no key at ``time``, or one at ``to`` already.
        """
        key = self._key(time)
        to = checked(TIME, to, f"new time of a key of {self.name}", ClipError)
        others = {at: key for at, key in self.keys.items() if at != time}
        if to in others:
            raise ClipError(f"{self.name} already has a key at {to:g}")
        return self._with({**others, to: key})

    def _key(self, time: float) -> Key:
        time = checked(TIME, time, f"time of a key of {self.name}", ClipError)
        if time not in self.keys:
            times = [f"{at:g}" for at in self.keys]
            raise ClipError(
                f"{self.name} has no key at {time:g}: {suggest(f'{time:g}', times)}"
            )
        return self.keys[time]

    def _with(self, keys: Keys) -> Track:
        return Track(*self.address, keys, self.curve)


def near_keys(times: Mapping[float, object]) -> Iterator[tuple[float, str]]:
    before = -2.0 * LARGEST
    for time in times:
        if time - before < MIN_KEY_GAP:
            yield (
                time,
                f"the keys at {shown(before)} and {shown(time)} are less than "
                f"{MIN_KEY_GAP:g} "
                "seconds apart",
            )
        before = time
