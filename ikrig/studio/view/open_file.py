"""Opens all files that the studio can edit: rig files, models and robots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import IkrigError, RigFileError
from ...files.file_access import FileAccess
from ...formats.rig_file import Part
from ...scene.rig_builder.contents import Model
from ...scene.rig_builder.model_loader import (
    is_description,
    load_description,
    load_file,
    load_model,
)
from ...scene.robot.robot_nodes import Robot
from ..document.rig_file import read_rig

# suffixes of files that the studio opens
KNOWN = (
    *(".yaml", ".yml", ".bam", ".egg", ".pz", ".glb", ".gltf"),
    *(".vrm", ".urdf", ".xml"),
)
ANIMATIONS = (".bam", ".egg", ".pz", ".glb")
MOST_BESIDE = 40  # files beside a model that are searched for animations


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


def find_animations(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield animation files beside a model whose names start with the model's.

    ``ralph-walk.egg.pz`` beside ``ralph.egg.pz`` is "walk".
    """
    own = stem_of(path)
    beside = sorted(path.parent.glob(f"{own}[-_]*"))[:MOST_BESIDE]
    for file in beside:
        name = stem_of(file)[len(own) + 1 :]
        if file.suffix.lower() not in ANIMATIONS or not name or not file.is_file():
            continue
        try:
            node = load_file(file.name, file.parent, keep=False)
        except IkrigError:
            continue
        if node is None or node.find("**/+AnimBundleNode").is_empty():
            continue
        if node.find("**/+Character").is_empty():
            yield name, file


def stem_of(path: Path) -> str:
    """Return a file's name without its suffixes: "ralph" of ralph.egg.pz."""
    name = path.name
    for ending in (".pz", ".gz", *KNOWN, ".xml", ".mjcf"):
        if name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return name


def animation_files(parts: Part) -> dict[str, str]:
    return {n: str(p.values[""]) for n, p in parts.parts("animations").items()}
