"""Robots from files of any kind: ikrig's own YAML, MJCF and URDF."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..errors import AccessError, ModelError
from ..files.file_access import FileAccess
from ..model.robot import RobotModel
from .robot_mujoco import load_mujoco, mujoco_model
from .robot_urdf import urdf_model
from .robot_yaml import load_robot_yaml
from .xml_limits import RobotFiles

YAML = (".yaml", ".yml")


def load_robot(
    source: Any, *, allow: Iterable[str | Path] | FileAccess = ()
) -> RobotModel:
    """Read a robot or any other tree of bodies.

        arm = ikrig.load_robot("ur5.urdf")

    Args:
        source: The path of a YAML description (.yaml, .yml), or of a URDF or MJCF file
            (any other ending), or an ``mujoco.MjModel``. The ``mujoco`` package reads
            MJCF; YAML and URDF need no package.
        allow: Folders of files that it may have opened (meshes, textures, further
            files) besides what is below its folder and the parent of that. ROS packages
            are looked for in them, too.

    Returns:
        The model, for ``forward_kinematics``, ``RobotState`` and ``Robot``. Its
        ``warnings`` say what can't be drawn, such as meshes that are not there.

    Raises:
        RigFileError: Reports every mistake in a YAML description: file, line, column,
            key, value and what is allowed.
        AccessError: It names a file that it may not open.
        MissingPackageError: The ``mujoco`` package is not installed.
        ModelError: Names the file, the element, its value and what is allowed, or what
            ``mujoco`` says about it.
    """
    if not isinstance(source, str | Path):
        return mujoco_model(source)
    file = Path(source)
    if file.suffix.lower() in YAML:
        return load_robot_yaml(file, allow)
    try:
        access = allow if isinstance(allow, FileAccess) else FileAccess(file, allow)
        root = RobotFiles(file, access).root
        if root.tag == "robot":
            return urdf_model(root, file, access)
        return mujoco_model(load_mujoco(file), file.stem)
    except AccessError as error:
        raise AccessError(f"{file}: {error}") from None
    except OSError as error:
        raise ModelError(f"{file}: {error.strerror}") from None
    except (ElementTree.ParseError, ValueError, ModelError) as error:
        raise ModelError(f"{file}: {' '.join(str(error).split())}") from None
