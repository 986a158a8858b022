"""Loads what a rig file names: models, Actors, descriptions of bodies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import panda3d.core as p3d
from direct.actor.Actor import Actor
from direct.showbase.Loader import Loader

from ...errors import BindError
from ...rigfile import load_tree
from ...tree_model import TreeModel
from ..articulated import ArticulatedTree

__all__ = [
    "is_description",
    "load_description",
    "load_file",
    "load_model",
    "take_out",
]

DESCRIPTIONS = (".yaml", ".yml", ".urdf", ".xml", ".mjcf")


def is_description(path: str) -> bool:
    """Whether a file describes an articulated body."""
    return path.lower().endswith(DESCRIPTIONS)


def load_description(path: Path) -> TreeModel:
    """Return the model of an articulated body from its YAML, URDF or MJCF file.

    Raises:
        IkrigError: It can't be read; says why.
    """
    if path.suffix.lower() in (".yaml", ".yml"):
        return load_tree(path)
    if not path.is_file():
        raise BindError(f"there is no file {path}")
    return TreeModel.from_mujoco(str(path))


def load_model(
    text: str,
    folder: Path,
    root: p3d.NodePath,
    animations: Mapping[str, str],
) -> Any:
    """Return a model, an Actor when it has joints, or an articulated body.

    Args:
        text: Path from the folder, or on Panda3D's model-path.
        folder: Where the rig file is.
        root: The node to hang it on.
        animations: Files of the Actor's animations by name.

    Raises:
        IkrigError: It can't be loaded.
    """
    if is_description(text):
        return ArticulatedTree(load_description(folder / text), root)
    model = load_file(text, folder)
    if model is None:
        raise BindError(
            f"{text} can't be loaded: it is neither in the folder of the rig file nor "
            "on the model-path, or is no model"
        )
    if model.find("**/+Character").is_empty():
        model.reparent_to(root)
        return model
    files = {name: _filename(file, folder) for name, file in animations.items()}
    actor: Any = Actor(model, files or None, okMissing=True)
    for name, file in animations.items():
        if actor.get_num_frames(name) is None:
            take_out(actor)
            raise BindError(f"animation {name!r} can't be loaded from {file}")
    actor.set_name(Path(text).stem)
    actor.reparent_to(root)
    return actor


def load_file(text: str, folder: Path) -> Any:
    """Return a model as it is in its file; None when there is none."""
    loader: Any = Loader(None)  # type: ignore[arg-type]
    try:
        return loader.loadModel(_filename(text, folder), okMissing=True)
    finally:
        loader.destroy()


def take_out(model: Any) -> None:
    """Take a model that was loaded out of the scene for good."""
    if isinstance(model, ArticulatedTree):
        model.remove()
    elif isinstance(model, Actor):
        model.cleanup()
    elif isinstance(model, p3d.NodePath):
        model.remove_node()


def _filename(text: str, folder: Path) -> str:
    """Return a file beside the rig file when it is there, else as on the model-path."""
    beside = (folder / text).absolute()
    if beside.exists():
        return p3d.Filename.from_os_specific(str(beside)).get_fullpath()
    return text
