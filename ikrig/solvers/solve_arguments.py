"""Converts the arguments of a solve to plain numbers, or names the bad one.

A solve uses its arguments directly, which is fast; only arguments for which that fails,
such as numbers of other types, are converted here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..checks import array_of, entries, floats
from ..errors import ModelError, SettingError, shown
from ..kernels.joints import JointKernel
from ..kernels.rest_pose import StartPose

LONGEST = 1e150
"""A longer time between two frames [s] counts as 0, like an infinite one."""


def plain_points(given: Mapping[str, object]) -> dict[str, Any]:
    """Return a point, or a rotation, for each name as a list of numbers; None stays."""
    return {
        name: _numbers(values, 4 if name == "goal_rotation" else 3, name)
        for name, values in given.items()
        if values is not None or name == "goal"
    }


def find_bad(**inputs: Sequence[float] | None) -> str:
    """Return an error message for the arguments of a solve, or ""."""
    for name, values in inputs.items():
        if values is not None and not all(abs(v) < 1e149 for v in values):
            return f"{name} is not finite: {shown(tuple(values))}"
    return f"goal_rotation is not a rotation: {shown(inputs['goal_rotation'])}"


def plain_time(dt: object) -> float:
    """Return a time between two frames as a float; 0 for one out of range."""
    found = floats(dt)
    if found is None or found.ndim:
        # an int beyond all floats counts as 0, too
        if isinstance(dt, int):
            return 0.0
        raise SettingError(f"dt must be a number of seconds, not {shown(dt)}")
    return float(found) if 0.0 <= found <= LONGEST else 0.0


def plain_rows(
    count: int,
    goals: object,
    rotations: object,
    weights: object,
    orientation_weights: object,
    root: object,
) -> dict[str, Any]:
    """Return the arguments of a tree's solve as lists, one entry for each effector."""
    rows = {"goals": 3, "rotations": 4}
    found: dict[str, object] = {
        "root": None if root is None else _numbers(root, 3, "root")
    }
    for name, values in (("goals", goals), ("rotations", rotations)):
        each = entries(values)
        if each is None or len(each) != count:
            raise SettingError(
                f"{name} must have an entry for each of {count} effectors, not "
                f"{shown(values)}"
            )
        found[name] = [
            None
            if row is None and name == "rotations"
            else _numbers(row, rows[name], f"each of {name}")
            for row in each
        ]
    for name, values in (
        ("weights", weights),
        ("orientation_weights", orientation_weights),
    ):
        found[name] = _numbers(values, count, name)
    return found


def _numbers(values: object, count: int, what: str) -> Sequence[float]:
    found: Sequence[float] = array_of(
        values, (count,), what, SettingError, finite=False
    ).tolist()
    return found


def animated(kernel: StartPose | JointKernel, which: str) -> float:
    """Set a kernel's start pose from its animated joints; return their unevenness.

    Raises:
        ModelError: They can't be solved for.
    """
    try:
        uneven: float = kernel.set_from_locals()
    except (ArithmeticError, ValueError):
        # where numbers are not finite machine code continues and Python raises
        uneven = -1.0
    if uneven < 0.0:
        raise ModelError(
            f"the joints {which} are all at one position, or not finite: a node may be "
            "scaled to 0"
        )
    return uneven
