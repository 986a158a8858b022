"""Loads the files that a rig file names: models, Actors, robot descriptions."""

from __future__ import annotations

import glob
import zlib
from collections.abc import Iterator, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor
from direct.showbase.Loader import Loader

from ...errors import AccessError, BindError, IkrigError
from ...files.file_access import FileAccess, exists, is_file
from ...formats.load_robot import load_robot
from ...model.robot import RobotModel
from ..robot.mesh_loader import silent
from ..robot.robot_nodes import Robot
from .gltf_files import (
    VrmLoader,
    check_gltf,
    has_skin,
    is_gltf,
    load_under_one_node,
)

ENDINGS = tuple(
    kind + packed
    for kind in ("", ".egg", ".bam", ".glb", ".gltf", ".vrm")
    for packed in ("", ".pz", ".gz")
)
"""Endings that Panda3D may add to the name of a model or an animation."""
PACKED = (".pz", ".gz")
MOST_UNPACKED = 512 << 20
"""Maximum size of a packed file's content [bytes]."""
DESCRIPTIONS = (".yaml", ".yml", ".urdf", ".xacro", ".xml", ".mjcf")
ANIMATIONS = (".bam", ".egg", ".pz", ".glb")
MOST_BESIDE = 40
"""Maximum number of files beside a model that are searched for animations."""


def _register_vrm_loader() -> None:
    """Make the engine open .vrm files, unless another loader already does."""
    registry = p3d.LoaderFileTypeRegistry.get_global_ptr()
    if registry.get_type_from_extension("vrm") is None:
        registry.register_type(VrmLoader)


_register_vrm_loader()


def is_description(path: str) -> bool:
    return path.lower().endswith(DESCRIPTIONS)


def file_access(path: Path, allow: FileAccess) -> FileAccess:
    """Return the files that a file may open in a scene, including the model-path.

    The root of the file system is excluded. It is on the model-path as $MAIN_DIR of a
    program that was started there, and would allow all files.
    """
    folders = p3d.get_model_path().get_directories()
    positions = [Path(folder.to_os_specific()) for folder in folders]
    found = (place for place in map(Path.resolve, positions) if place.is_dir())
    searched = [place for place in found if place != place.parent]
    return FileAccess(path, [*allow.allow, *searched])


def load_description(path: Path, access: FileAccess) -> RobotModel:
    if not is_file(path):
        raise BindError(f"there is no file {path}")
    return load_robot(path, allow=access)


def load_model(
    text: str,
    folder: Path,
    root: p3d.NodePath,
    animations: Mapping[str, str],
    access: FileAccess | None,
) -> Actor | p3d.NodePath:
    """Return a model, or an Actor if it has joints.

    Args:
        text: Path from the folder, or on Panda3D's model-path.
        folder: Folder of the rig file.
        root: The node to attach it to.
        animations: Files of the Actor's animations by name, from ``find_file``.
        access: Allowed files, as for ``find_file``.
    """
    model = load_file(text, folder, access)
    if model is None:
        reason = "it is neither in the folder of the rig file nor on the model-path"
        if find_file(text, folder, access) is not None:
            reason = "it is no model, or it is damaged"
        raise BindError(f"{text} can't be loaded: {reason}")
    if model.find("**/+Character").is_empty():
        model.reparent_to(root)
        return model
    for animation in animations.values():
        path = Path(p3d.Filename(animation).to_os_specific())
        check_gltf(path)
        _check_size(path)
    actor = Actor(model, dict(animations) or None, okMissing=True)
    for name, animation in animations.items():
        if actor.get_num_frames(name) is None:
            raise BindError(f"animation {name!r} can't be loaded from {animation}")
    actor.set_name(Path(text).stem)
    actor.reparent_to(root)
    return actor


def find_file(text: str, folder: Path, access: FileAccess | None) -> str | None:
    """Return the path of a model in Panda3D's notation; None if there is no file.

    Args:
        text: A path from the folder, or on Panda3D's model-path.
        folder: Folder of the file that names it.
        access: Files that that file may open, besides those in archives that the game
            has mounted. None: any, as the caller has named the model.
    """
    beside = folder / text
    if exists(beside):
        if access is not None:
            access.check(beside, text)
        return _regular(p3d.Filename.from_os_specific(str(beside.absolute())))
    if "\0" in text:
        raise AccessError(f"{text!r} can't be the name of a file")
    found = _searched(text)
    if found is None:
        # do not reveal which files exist elsewhere
        if access is not None:
            access.check(beside, text)
        return None
    mount = found.get_mount() if isinstance(found, p3d.VirtualFileSimple) else None
    on_disk = isinstance(mount, p3d.VirtualFileMountSystem)
    if on_disk and access is not None:
        info = p3d.SubfileInfo()
        found.get_system_info(info)
        access.check(info.get_filename().to_os_specific(), text)
    return _regular(found.get_filename())


def load_file(
    text: str, folder: Path, access: FileAccess | None = None, *, keep: bool = True
) -> p3d.NodePath | None:
    """Return the model in a file, unchanged; None if there is no file or no content."""
    file = find_file(text, folder, access)
    if file is None:
        return None
    path = Path(p3d.Filename(file).to_os_specific())
    _check_size(path)
    gltf = is_gltf(path)
    loader = Loader(None)  # type: ignore[arg-type]
    try:
        check_gltf(path)
        with silent() if gltf else nullcontext():
            model = loader.loadModel(file, noCache=not keep, okMissing=True)
            bare = model is None or model.find("**/+Character").is_empty()
            if gltf and bare and (model is None or has_skin(path)):
                model = p3d.NodePath(load_under_one_node(path))
    finally:
        loader.destroy()
    return None if model is None or _is_nothing(model) else model


def find_animations(
    path: Path, like: str = "", *, keep: bool = False
) -> Iterator[tuple[str, Path]]:
    """Yield animation files beside a model whose names start with the model's.

    ``ralph-walk.egg.pz`` beside ``ralph.egg.pz`` is "walk".

    Args:
        path: The model.
        like: What names must contain.
        keep: Whether the engine keeps them in memory, to be loaded again.
    """
    own = stem_of(path)
    beside = sorted(path.parent.glob(f"{glob.escape(own)}[-_]*"))[:MOST_BESIDE]
    for file in beside:
        name = stem_of(file)[len(own) + 1 :]
        if file.suffix.lower() not in ANIMATIONS or not name or not file.is_file():
            continue
        if like not in name.lower():
            continue
        try:
            node = load_file(file.name, file.parent, keep=keep)
        except IkrigError:
            continue
        if node is None or node.find("**/+AnimBundleNode").is_empty():
            continue
        if node.find("**/+Character").is_empty():
            yield name, file


def stem_of(path: Path) -> str:
    """Return a file's name without its suffixes: "ralph" of ralph.egg.pz."""
    name = path.name
    for ending in (*PACKED, *ENDINGS, *DESCRIPTIONS):
        if ending and name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return name


def _check_size(path: Path) -> None:
    """Check that a packed file is not too large when the engine unpacks it."""
    if not path.exists():
        # the engine looks for this too
        path = path.with_name(f"{path.name}.pz")
    if path.suffix.lower() not in PACKED or not path.is_file():
        return
    size, unpack = 0, zlib.decompressobj(wbits=47)
    # a file with errors is the engine's to report
    with path.open("rb") as file, suppress(zlib.error):
        while not unpack.eof and (data := unpack.unconsumed_tail or file.read(1 << 16)):
            size += len(unpack.decompress(data, 1 << 20))
            if size > MOST_UNPACKED:
                raise BindError(
                    f"{path.name} can't be loaded: unpacked it has more than "
                    f"{MOST_UNPACKED >> 20} MB; unpack it with punzip or gunzip if you "
                    "trust it"
                )


def _is_nothing(model: p3d.NodePath) -> bool:
    return model.node().is_exact_type(p3d.ModelRoot) and not model.get_num_children()


def files_of(node: p3d.NodePath) -> Iterator[Path]:
    """Yield the files that a node and the nodes below it were loaded from.

    These are the models that it is part of, textures, and an Actor's animations; the
    file of an Actor's model is unknown.
    """
    if node.is_empty():
        return
    above = [path.node() for path in node.get_ancestors()]
    roots = [*above, *(path.node() for path in node.find_all_matches("**/+ModelRoot"))]
    names = [root.get_fullpath() for root in roots if isinstance(root, p3d.ModelRoot)]
    for texture in node.find_all_textures():
        names += [texture.get_fullpath(), texture.get_alpha_fullpath()]
    if isinstance(node, Actor):
        files = [node.get_anim_filename(name) for name in node.get_anim_names()]
        for file in filter(None, files):
            yield from on_model_path(str(file))
    paths = (Path(name.to_os_specific()) for name in names if not name.empty())
    yield from (path for path in paths if path.is_file())


def on_model_path(text: str) -> Iterator[Path]:
    """Yield the files that the engine may find under a name."""
    for ending in ENDINGS:
        name = p3d.Filename(text + ending)
        files = p3d.VirtualFileSystem.get_global_ptr()
        if files.resolve_filename(name, p3d.get_model_path().get_value()):
            path = Path(name.to_os_specific())
            if path.is_file():
                yield path


def holds_model(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        model = load_file(path.name, path.parent, keep=False)
    except IkrigError:
        # it is a model, though it can't be opened
        return True
    return model is not None and any(
        model.find_all_matches(f"**/+{kind}") for kind in ("Character", "GeomNode")
    )


def remove_model(model: object) -> None:
    if isinstance(model, Robot):
        model.remove()
    elif isinstance(model, Actor):
        model.cleanup()
    elif isinstance(model, p3d.NodePath):
        model.remove_node()


def _searched(text: str) -> p3d.VirtualFile | None:
    """Return the file of a name on the model-path, also in archives, or None."""
    files = p3d.VirtualFileSystem.get_global_ptr()
    # as Panda3D's loader: "models/panda" means "models/panda.egg"
    ending = p3d.ConfigVariableString("default-model-extension").get_value()
    for name in (text, text + ending):
        file = p3d.Filename(name)
        if files.resolve_filename(file, p3d.get_model_path().get_value()):
            return files.get_file(file)
        if Path(text).suffix:
            break
    return None


def _regular(file: p3d.Filename) -> str | None:
    """Return a path, or None for a folder, a pipe or a device."""
    path = file.to_os_specific()
    return None if exists(path) and not is_file(path) else file.get_fullpath()
