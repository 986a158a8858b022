"""Loads what a rig file names: models, Actors, descriptions of bodies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    "files_of",
    "holds_model",
    "is_description",
    "load_description",
    "load_file",
    "load_model",
    "on_model_path",
    "take_out",
]

ENDINGS = tuple(
    kind + packed
    for kind in ("", ".egg", ".bam", ".glb", ".gltf")
    for packed in ("", ".pz", ".gz")
)
"""What Panda3D may add to the name of a model or an animation."""
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


def load_file(text: str, folder: Path, *, keep: bool = True) -> Any:
    """Return a model as it is in its file; None when there is none.

    Args:
        text: As for ``load_model``.
        folder: As for ``load_model``.
        keep: Whether the engine keeps it for whoever loads it next.
    """
    loader: Any = Loader(None)  # type: ignore[arg-type]
    try:
        name = _filename(text, folder)
        return loader.loadModel(name, noCache=not keep, okMissing=True)
    finally:
        loader.destroy()


def files_of(node: p3d.NodePath) -> Iterator[Path]:
    """Yield the files that a node, and what is below it, was loaded from.

    Models it is part of, textures, and an Actor's animations; the model of an Actor is
    not known.
    """
    if node.is_empty():
        return
    above = [path.node() for path in node.get_ancestors()]
    roots = [*above, *(path.node() for path in node.find_all_matches("**/+ModelRoot"))]
    names = [root.get_fullpath() for root in roots if isinstance(root, p3d.ModelRoot)]
    names += [texture.get_fullpath() for texture in node.find_all_textures()]
    if isinstance(node, Actor):
        files = [node.get_anim_filename(name) for name in node.get_anim_names()]
        for file in filter(None, files):
            yield from on_model_path(str(file))
    paths = (Path(name.to_os_specific()) for name in names if not name.empty())
    yield from (path for path in paths if path.is_file())


def on_model_path(text: str) -> Iterator[Path]:
    """Yield the files that the engine may mean by a name."""
    for ending in ENDINGS:
        name = p3d.Filename(text + ending)
        files = p3d.VirtualFileSystem.get_global_ptr()
        if files.resolve_filename(name, p3d.get_model_path().get_value()):
            path = Path(name.to_os_specific())
            if path.is_file():
                yield path


def holds_model(path: Path) -> bool:
    """Whether there is a file that has something to see or to move in it."""
    if not path.is_file():
        return False
    model = load_file(path.name, path.parent, keep=False)
    return model is not None and any(
        model.find_all_matches(f"**/+{kind}") for kind in ("Character", "GeomNode")
    )


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
