"""glTF files that panda3d-gltf alone does not open.

VRM avatars, which are glTF with another ending; skins beside their joints, of which it
makes no Actor; compressed meshes and broken files, on which it fails. Without it,
Panda3D's own importer takes glTF files, and loses joints, textures and the up axis.
"""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import panda3d.core as p3d

from ...errors import BindError, MissingPackageError
from ...formats import vrm
from ...formats.part import Values
from ..actor.bone_tag import tag_avatar, tag_bones

SUFFIXES = (".glb", ".gltf", ".vrm")
COMPRESSIONS = ("EXT_meshopt_compression", "KHR_draco_mesh_compression")
"""Extensions of glTF without which a file's meshes can't be read."""
BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
"""Bytes of a number, by ``componentType``."""
NUMBERS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
NUMBERS |= {"MAT2": 4, "MAT3": 9, "MAT4": 16}
"""Numbers of an element, by ``type``."""
MAX_HEADER = 1 << 28
"""Longest JSON description that is read before a file is loaded [bytes]."""


class VrmLoader:
    """Loads VRM avatars for the engine."""

    name = "VRM"
    extensions: ClassVar[list[str]] = ["vrm"]
    supports_compressed = False

    @staticmethod
    def load_file(path: Any, options: Any, record: Any = None) -> Any:
        if record is not None:
            # another version of these may find more: then the engine's cache is old
            for file in (__file__, vrm.__file__):
                record.add_dependent_file(p3d.Filename.from_os_specific(file))
        return load_under_one_node(Path(path))


def load_under_one_node(path: Path) -> p3d.PandaNode:
    """Return the node of a glTF file, with all its content below one node.

    For a skin beside its joints, as the glTF validator advises, panda3d-gltf makes an
    Actor only if both are below one node.
    """
    try:
        from gltf._converter import (  # type: ignore[import-untyped]
            Converter,
            GltfSettings,
        )
        from gltf.parseutils import (  # type: ignore[import-untyped]
            parse_gltf_file,
        )
    except ImportError:
        raise _missing(path) from None
    try:
        data = parse_gltf_file(path)
        for scene in data.get("scenes", []):
            roots = scene.get("nodes", [])
            if len(roots) > 1:
                data["nodes"].append({"name": path.stem, "children": roots})
                scene["nodes"] = [len(data["nodes"]) - 1]
        converter = Converter(p3d.Filename.from_os_specific(str(path)), GltfSettings())
        converter.update(data)
        scene, bones = converter.active_scene, _human_bones(data)
        if bones and scene.find("**/+Character").is_empty():
            scene = _with_joints(scene)
        tag_bones(scene, bones)
        tag_avatar(scene, {**vrm.read_springs(data), **vrm.read_gaze(data)})
        node: p3d.PandaNode = scene.node()
    # of any type: it does not check what files contain
    except Exception as error:
        first = str(error).partition("\n")[0][:200]
        raise _broken(path, f"{type(error).__name__}: {first}") from None
    return node


def _with_joints(scene: p3d.NodePath) -> p3d.NodePath:
    """Return an avatar of rigid parts, without a skin, as a character with joints.

    Each node becomes a joint, and its meshes move with it.
    """
    made = p3d.NodePath(scene.node().make_copy())
    character = p3d.Character(scene.get_name())
    bundle, below = character.get_bundle(0), made.attach_new_node(character)
    top = p3d.PartGroup(bundle, "<skeleton>")
    waiting = [(node, top) for node in scene.get_children()]
    while waiting:
        node, above = waiting.pop(0)
        name, mat = node.get_name(), node.get_mat()
        joint = p3d.CharacterJoint(character, bundle, above, name, mat)
        for child in node.get_children():
            if not child.node().is_geom_node():
                waiting.append((child, joint))
                continue
            carried = below.attach_new_node(p3d.ModelNode(name))
            carried.node().set_preserve_transform(p3d.ModelNode.PT_net)
            joint.add_net_transform(carried.node())
            child.copy_to(carried)
    bundle.force_update()
    return made


def _broken(path: Path, reason: str) -> BindError:
    return BindError(
        f"{path.name} can't be loaded: it is damaged, or has something that "
        f"panda3d-gltf does not support ({reason}): export it again, for example with "
        "Blender"
    )


def _missing(path: Path) -> MissingPackageError:
    return MissingPackageError(
        f"{path.name} can't be loaded: {path.suffix} files need panda3d-gltf: "
        'pip install "panda3d-ikrig[gltf]"'
    )


def _human_bones(data: vrm.Json) -> dict[str, str]:
    """Return the VRM names of a file's joints, by joint name.

    VRM 1.0 has a table of bones, VRM 0.x a list; other values are left out.
    Source: https://github.com/vrm-c/vrm-specification (humanoid.md of both).
    """
    nodes = data.get("nodes", [])
    found: dict[str, str] = {}
    for name in ("VRMC_vrm", "VRM"):
        try:
            bones = data["extensions"][name]["humanoid"]["humanBones"]
            if isinstance(bones, list):
                bones = {bone["bone"]: bone for bone in bones}
            for word, bone in bones.items():
                number = int(bone["node"])
                # panda3d-gltf's name
                joint = nodes[number].get("name", f"bone{number}")
                found.setdefault(str(joint), str(word))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            continue
    return found


def check_gltf(path: Path) -> None:
    """Check that panda3d-gltf can open a file, if it is glTF.

    Panda3D's ``Loader`` must have been made before: it registers panda3d-gltf.
    """
    if not is_gltf(path):
        return
    registry = p3d.LoaderFileTypeRegistry.get_global_ptr()
    kind = registry.get_type_from_extension(path.suffix[1:].lower())
    if kind is None or kind.get_name() == "Assimp Importer":
        raise _missing(path)
    description = _description(path)
    # glTF 1.0 has its nodes by name
    if isinstance(description.get("nodes"), dict):
        raise BindError(
            f"{path.name} can't be loaded: it is glTF 1.0, which panda3d-gltf does not "
            "read: convert it to glTF 2.0, for example with Blender or gltf-pipeline"
        )
    required = description.get("extensionsRequired")
    listed = required if isinstance(required, list) else []
    found = [name for name in COMPRESSIONS if name in listed]
    if found:
        raise BindError(
            f"{path.name} can't be loaded: its meshes are compressed ({found[0]}), "
            "which panda3d-gltf does not support: export it without compression"
        )
    # what else is wrong, panda3d-gltf finds
    with suppress(AttributeError, KeyError, IndexError, TypeError):
        _check_bounds(path, description)
        children = [
            k for node in description["nodes"] for k in node.get("children", ())
        ]
        tops = {k for scene in description["scenes"] for k in scene.get("nodes", ())}
        if len({*children, *tops}) < len(children) + len(tops):
            # it never ends on a cycle
            raise _broken(path, "a node has several parents")


def _check_bounds(path: Path, description: vrm.Json) -> None:
    views, buffers = description.get("bufferViews", []), description.get("buffers", [])
    for k, view in enumerate(views):
        start, size = view.get("byteOffset", 0), view["byteLength"]
        if not 0 <= start <= start + size <= buffers[view["buffer"]]["byteLength"]:
            raise _broken(path, f"buffer view {k} is outside its buffer")
    for k, accessor in enumerate(description.get("accessors", [])):
        if "bufferView" not in accessor:
            continue
        view, start = views[accessor["bufferView"]], accessor.get("byteOffset", 0)
        size = BYTES[accessor["componentType"]] * NUMBERS[accessor["type"]]
        step = view.get("byteStride", size)
        end = start + step * (accessor["count"] - 1) + size
        if start < 0 or step < 0 or not start < end <= view["byteLength"]:
            raise _broken(path, f"accessor {k} is outside its buffer view")


def is_gltf(path: Path) -> bool:
    """Return whether a file is glTF, judged by its suffix."""
    return path.suffix.lower() in SUFFIXES


def has_skin(path: Path) -> bool:
    return bool(_description(path).get("skins"))


def _description(path: Path) -> Values:
    """Return the JSON of a glTF file on disk; empty if it can't be read."""
    if not is_gltf(path):
        return {}
    try:
        with path.open("rb") as file:
            head = file.read(20)
            if head[:4] == b"glTF":
                (size,) = struct.unpack("<I", head[12:16])
                text = file.read(min(size, MAX_HEADER))
            else:
                text = head + file.read(MAX_HEADER)
        data = json.loads(text)
    except (OSError, ValueError, RecursionError, struct.error):
        return {}
    return data if isinstance(data, dict) else {}
