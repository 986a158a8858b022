"""Robots from files of any kind: ikrig's own YAML, MJCF and URDF."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..files.file_access import FileAccess
from ..model.robot import RobotModel
from .robot_mujoco import read_mujoco
from .robot_yaml import load_robot_yaml

__all__ = ["load_robot"]

YAML = (".yaml", ".yml")


def load_robot(
    source: Any, *, allow: Iterable[str | Path] | FileAccess = ()
) -> RobotModel:
    """Read a robot or any other tree of bodies.

        arm = ikrig.load_robot("ur5.urdf")

    Args:
        source: The path of a YAML description (.yaml, .yml), or of an MJCF or URDF file
            (any other ending), or an ``mujoco.MjModel``. Of the last three, names,
            ranges, sites, meshes and primitive shapes are kept; the ``mujoco`` package
            reads them.
        allow: Folders of files that it may have opened (meshes, textures, further
            files) besides what is below its folder and the parent of that.

    Returns:
        The model, for ``forward_kinematics``, ``RobotState`` and ``Robot``.

    Raises:
        RigFileError: Reports every mistake in a YAML description: file, line, column,
            key, value and what is allowed.
        AccessError: It names a file that it may not open.
        MissingPackageError: The ``mujoco`` package is not installed.
        ModelError: Names the file and says what ``mujoco`` says about it.
    """
    if isinstance(source, str | Path) and Path(source).suffix.lower() in YAML:
        return load_robot_yaml(source)
    return read_mujoco(source, allow)
