"""Channels: the properties of a rig's parts that clips can animate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from ..model.hand_poses import HAND_VALUES
from ..records import Field
from ..solvers.settings import NUMBERS, SETTINGS
from ..value_shapes import LARGEST, QUATERNION, ROTATION, RPY, VECTOR, Number, Shape

Value = float | tuple[float, ...]


NUMBER = Number()


@dataclass(frozen=True)
class Channel:
    """A property of a rig's part that changes over time.

    Args:
        name: Its name in tracks.
        kind: "number", "position" (3,) [scene unit] or "rotation".
        about: A description.
        shape: The allowed values of a key.
        angle: Whether the number is an angle [rad]; in files in degrees.
        blends: Whether values of two clips may be interpolated.
    """

    name: str
    kind: Literal["number", "position", "rotation"]
    about: str
    shape: Shape = NUMBER
    angle: bool = False
    blends: bool = True

    @property
    def is_setting(self) -> bool:
        return self.name in NUMBERS

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of its values in files, by their keys."""
        if self.kind == "rotation":
            turns = f"{self.about}: [roll, pitch, yaw], Rz(yaw) Ry(pitch) Rx(roll)"
            return {
                self.name: Field(QUATERNION, f"{self.about}: [w, x, y, z]"),
                f"{self.name}_deg": Field(RPY, turns, degrees=True),
            }
        token = f"{self.name}_deg" if self.angle else self.name
        return {token: Field(self.shape, self.about, degrees=self.angle)}


def _position(name: str, about: str) -> Channel:
    return Channel(name, "position", about, VECTOR)


def _rotation(name: str, about: str) -> Channel:
    return Channel(name, "rotation", about, ROTATION)


def _setting(name: str) -> Channel:
    field, shape = SETTINGS[name], NUMBERS[name]
    # in files, as all numbers
    shape = replace(shape, most=min(shape.most, LARGEST))
    return Channel(name, "number", field.about, shape, field.degrees)


CHANNELS = MappingProxyType(
    {
        channel.name: channel
        for channel in (
            _position("target", "Position of the target of a chain or effector"),
            _rotation(
                "target_rotation", "Rotation of the target of a chain or effector"
            ),
            _position("pole", "Position of the pole of a chain"),
            _position("root", "Position of the parent node of a chain or tree"),
            _rotation(
                "root_rotation", "Rotation of the parent node of a chain or tree"
            ),
            Channel("angle", "number", "Angle of a hinge", NUMBER, True),
            Channel("slide", "number", "Offset of a slide"),
            Channel(
                "time",
                "number",
                "Time in an Actor's animation, in seconds; after its end the "
                "animation repeats",
                blends=False,
            ),
            _position("position", "Position of a free joint or bone"),
            _rotation("rotation", "Rotation of a ball joint, free joint or bone"),
            *map(_setting, NUMBERS),
            *(Channel(k, "number", x.about, x.shape) for k, x in HAND_VALUES.items()),
        )
    }
)
"""All channels by name."""
