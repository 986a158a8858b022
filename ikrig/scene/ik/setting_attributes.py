"""Attributes of chains and trees that read and write their settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Literal, TypedDict, TypeVar, overload

from ..checked_setting import flag
from .pose_binding import OrientationMode

T = TypeVar("T")


class SettingValues(TypedDict, total=False):
    """The settings of a solve as keyword arguments, see ``SolveSettings``."""

    iterations: int
    tolerance: float | None
    weight: float
    soften: float
    snap_back_strength: float | None
    stretch: float
    max_step: float | None
    twist_spread: float
    roll_from: Literal["start", "parent"]
    orientation_weight: float
    orientation_tolerance: float
    step_size: float
    damping: float
    posture_weight: float
    posture: Literal["start", "middle"] | Mapping[str | int, float]
    posture_weights: Mapping[str | int, float] | None
    joint_speeds: Mapping[str | int, float] | None


class Setting(Generic[T]):
    """A field of ``settings`` that reads and writes like a plain attribute."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, rig: None, owner: type) -> Setting[T]: ...

    @overload
    def __get__(self, rig: object, owner: type) -> T: ...

    def __get__(self, rig: Any, owner: type) -> object:
        return self if rig is None else getattr(rig.settings, self.name)

    def __set__(self, rig: Any, value: T) -> None:
        rig.settings = rig.settings.with_values(**{self.name: value})


def mode_of(match_rotation: object) -> OrientationMode:
    return "target" if flag(match_rotation, "match_rotation") else "bone"


class MatchRotation:
    """Whether all of a rig's effectors turn as their targets do."""

    @overload
    def __get__(self, rig: None, owner: type) -> MatchRotation: ...

    @overload
    def __get__(self, rig: object, owner: type) -> bool: ...

    def __get__(self, rig: Any, owner: type) -> object:
        if rig is None:
            return self
        return all(end.orientation_mode == "target" for end in rig.effectors)

    def __set__(self, rig: Any, value: bool) -> None:
        mode = mode_of(value)
        for effector in rig.effectors:
            effector.orientation_mode = mode
