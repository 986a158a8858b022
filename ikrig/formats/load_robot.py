"""Loads robots from YAML, URDF and MJCF files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
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
    source: object, *, allow: Iterable[str | Path] | FileAccess = ()
) -> RobotModel:
    """Load a robot, or any other tree of bodies.

        arm = ikrig.load_robot("ur5.urdf")

    Args:
        source: The path of a YAML description (.yaml, .yml), or of a URDF or MJCF file
            (any other ending), or a ``mujoco.MjModel``. The ``mujoco`` package reads
            MJCF; YAML and URDF need no package.
        allow: Further folders with files that the robot may use: meshes, textures,
            included files. Files below the robot's own folder, or below its parent, are
            always allowed. ROS packages are searched for in these folders as well.

    Returns:
        The model, for ``forward_kinematics``, ``RobotState`` and ``Robot``. Its
        ``warnings`` list what can't be drawn, such as missing meshes.

    Raises:
        RigFileError: Lists all errors of a YAML description: file, line, column, key,
            value and allowed values; also files outside the allowed folders.
        AccessError: A URDF or MJCF robot includes a file outside the allowed folders,
            or one of its meshes refers to one. A URDF robot's mesh or texture that is
            itself outside is a warning, and is not read.
        MissingPackageError: The ``mujoco`` package is not installed.
        ModelError: The file has an error; names the file, the element, its value and
            allowed values, or quotes ``mujoco``.
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
        if root.tag.lower() != "mujoco":
            raise ModelError(
                f"starts with <{root.tag}>: a URDF file starts with <robot>, an MJCF "
                "file with <mujoco>; what starts with <mujocoinclude> is a part of one"
            )
        return mujoco_model(load_mujoco(file), file.stem)
    except AccessError as error:
        raise AccessError(f"{file}: {error}") from None
    except OSError as error:
        raise ModelError(f"{file}: {error.strerror}") from None
    except (ElementTree.ParseError, ValueError, ModelError) as error:
        raise ModelError(f"{file}: {' '.join(str(error).split())}") from None
