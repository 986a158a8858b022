"""Opens all files that the studio can edit: rig files, models and robots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import RigFileError
from ...files.file_access import FileAccess
from ...formats.rig_file import Part
from ...scene.rig_builder.contents import Model
from ...scene.rig_builder.model_loader import (
    is_description,
    load_description,
    load_model,
)
from ...scene.robot.robot_nodes import Robot
from ..document.rig_file import read_rig

# suffixes of files that the studio opens
KNOWN = (
    *(".yaml", ".yml", ".bam", ".egg", ".pz", ".glb", ".gltf"),
    *(".vrm", ".urdf", ".xml"),
)


def is_rig(path: Path) -> bool:
    if path.suffix.lower() not in (".yaml", ".yml"):
        return False
    try:
        read_rig(path)
    except RigFileError as error:
        try:
            load_description(path, FileAccess(path))
        except Exception:
            raise error from None
        return False
    return True


def open_model(
    text: str, folder: Path, parent: p3d.NodePath, animations: Mapping[str, str]
) -> Model:
    if is_description(text):
        path = folder / text
        return Robot(load_description(path, FileAccess(path)), parent)
    files = {}
    for name, file in animations.items():
        there = folder / file
        found = p3d.Filename.from_os_specific(str(there.absolute()))
        files[name] = found.get_fullpath() if there.exists() else file
    model = load_model(text, folder, parent, {}, None)
    if isinstance(model, Actor) and files:
        model.load_anims(files)
    return model


def animation_files(parts: Part) -> dict[str, str]:
    return {n: str(p.values[""]) for n, p in parts.parts("animations").items()}
