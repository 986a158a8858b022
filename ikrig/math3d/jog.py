"""Jogging: moves a tool's pose by hand at a speed, as a teach pendant does."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, hypot, isfinite, sin

from ..checks import array_of
from ..errors import SettingError, shown
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
    x, y, z = _floats(position, 3, "position")
    w, a, b, c = _floats(rotation, 4, "rotation")
    size = hypot(w, a, b, c)
    time = min(sound_dt(dt), LONGEST_JOG)
    shift = [part * time for part in _floats(velocity, 3, "velocity")]
    turn = [part * time for part in _floats(spin, 3, "spin")]
    is_valid = all(map(isfinite, (x, y, z, size, *shift, *turn))) and size > 1e-12
    if not is_valid or hypot(*shift) > FASTEST * time or hypot(*turn) > FASTEST * time:
        return (x, y, z), (w, a, b, c)
    w, a, b, c = w / size, a / size, b / size, c / size
    if frame == "tool":
        shift, turn = _rotated(w, a, b, c, shift), _rotated(w, a, b, c, turn)
    angle = hypot(*turn)
    half = 0.5 * angle
    s = sin(half) / angle if angle > 1e-12 else 0.5
    p, q, r, t = cos(half), s * turn[0], s * turn[1], s * turn[2]
    return (
        (x + shift[0], y + shift[1], z + shift[2]),
        (
            p * w - q * a - r * b - t * c,
            p * a + q * w + r * c - t * b,
            p * b - q * c + r * w + t * a,
            p * c + q * b - r * a + t * w,
        ),
    )


def _floats(values: object, count: int, what: str) -> list[float]:
    found = array_of(values, (count,), what, SettingError, finite=False)
    plain: list[float] = found.tolist()
    return plain


def _rotated(
    w: float, a: float, b: float, c: float, vector: list[float]
) -> list[float]:
    """Return a vector rotated by a unit quaternion."""
    x, y, z = vector
    p = 2.0 * (b * z - c * y)
    q = 2.0 * (c * x - a * z)
    r = 2.0 * (a * y - b * x)
    return [
        x + w * p + b * r - c * q,
        y + w * q + c * p - a * r,
        z + w * r + a * q - b * p,
    ]
