"""Jogging: moves a tool's pose by hand at a speed, as a teach pendant does."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite

from ..checks import array_of
from ..errors import SettingError, shown
from .quaternion import about, multiply, rotate
from .timestep import sound_dt

FRAMES = ("world", "tool")
LONGEST_JOG = 0.1
"""Maximum time step of a frame [s]: after a hitch the tool must not jump."""
FASTEST = 1e6

Numbers = Sequence[float]


def jog(
    position: Numbers,
    rotation: Numbers,
    velocity: Numbers,
    spin: Numbers,
    dt: float,
    *,
    frame: str = "world",
) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
    """Return a pose moved by velocity and spin for one frame.

        position, rotation = ikrig.jog(position, rotation, (0, 0, -0.1), (0, 0, 0), dt)
        result = solver.solve(position, rotation, dt=dt)

    Args:
        position: Position of the tool, (3,) [scene unit], world space.
        rotation: Rotation of the tool, (4,) w x y z, world space.
        velocity: Velocity of the tool, (3,) [scene unit/s].
        spin: Angular velocity: an axis whose length is the speed, (3,) [rad/s]. The
            tool rotates about its own origin.
        dt: Time since the last frame [s]; more than ``LONGEST_JOG`` counts as that.
        frame: The axes of velocity and spin: "world" or "tool".

    Returns:
        Position and rotation; unchanged where a number is not finite, or a speed beyond
        1e6.

    Raises:
        SettingError: ``frame`` is neither, or an argument is not of this shape.
    """
    if not isinstance(frame, str) or frame not in FRAMES:
        raise SettingError(f"frame must be 'world' or 'tool', not {shown(frame)}")
    given = {"position": position, "velocity": velocity, "spin": spin}
    place, move, turn = (
        array_of(values, (3,), what, SettingError, finite=False)
        for what, values in given.items()
    )
    held = array_of(rotation, (4,), "rotation", SettingError, finite=False)
    time, size = min(sound_dt(dt), LONGEST_JOG), hypot(*held)
    move, turn = time * move, time * turn
    is_valid = all(map(isfinite, (*place, size, *move, *turn))) and size > 1e-12
    slow = hypot(*move) <= FASTEST * time and hypot(*turn) <= FASTEST * time
    if is_valid and slow:
        held = held / size
        if frame == "tool":
            move, turn = rotate(held, move), rotate(held, turn)
        place, held = place + move, multiply(about(turn, hypot(*turn)), held)
    x, y, z = place.tolist()
    w, a, b, c = held.tolist()
    return (x, y, z), (w, a, b, c)
