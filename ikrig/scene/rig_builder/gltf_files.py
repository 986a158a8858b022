"""glTF files that panda3d-gltf alone does not open.

VRM avatars, which are glTF with another ending; skins beside their joints, of which it
makes no Actor; compressed meshes, on which it fails.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, ClassVar

import panda3d.core as p3d

from ...errors import BindError, MissingPackageError
from ..actor.bone_tag import tag_bones

SUFFIXES = (".glb", ".gltf")
COMPRESSIONS = ("EXT_meshopt_compression", "KHR_draco_mesh_compression")
"""Extensions of glTF without which a file's meshes can't be read."""
MAX_HEADER = 1 << 28
"""Longest JSON description that is read before a file is loaded [bytes]."""


class VrmLoader:
    """Loads VRM avatars for the engine."""

    name = "VRM"
    extensions: ClassVar[list[str]] = ["vrm"]
    supports_compressed = False

    @staticmethod
    def load_file(path: Any, options: Any, record: Any = None) -> Any:
        """Return the node of a file.

        Raises:
            MissingPackageError: panda3d-gltf is not installed.
        """
        return load_under_one_node(Path(path))


def load_under_one_node(path: Path) -> p3d.PandaNode:
    """Return the node of a glTF file, with all its content below one node.

    For a skin beside its joints, as the glTF validator advises, panda3d-gltf makes an
    Actor only if both are below one node.

    Raises:
        MissingPackageError: panda3d-gltf is not installed.
    """
    try:
        from gltf._converter import (  # type: ignore[import-untyped]
            Converter,
            GltfSettings,
        )
        from gltf.parseutils import (  # type: ignore[import-untyped]
            parse_gltf_file,
        )
    except ImportError as error:
        raise MissingPackageError(
            f"{path.suffix} files need panda3d-gltf: pip install "
            f'"panda3d-ikrig[gltf]" ({error})'
        ) from None
    data = parse_gltf_file(path)
    for scene in data.get("scenes", []):
        roots = scene.get("nodes", [])
        if len(roots) > 1:
            data["nodes"].append({"name": path.stem, "children": roots})
            scene["nodes"] = [len(data["nodes"]) - 1]
    converter = Converter(p3d.Filename.from_os_specific(str(path)), GltfSettings())
    converter.update(data)
    tag_bones(converter.active_scene, _human_bones(data))
    node: p3d.PandaNode = converter.active_scene.node()
    return node


def _human_bones(data: dict[str, Any]) -> dict[str, str]:
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

    Raises:
        BindError: It is glTF 1.0, or its meshes are compressed; names the fix.
    """
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


def has_loose_skin(path: Path, model: p3d.NodePath) -> bool:
    """Return whether a glTF file has a skin of which the engine has made no Actor.

    Args:
        path: The file.
        model: The node that the engine has loaded from it.
    """
    return model.find("**/+Character").is_empty() and bool(
        _description(path).get("skins")
    )


def _description(path: Path) -> dict[str, Any]:
    """Return the JSON of a glTF file on disk; empty if it can't be read."""
    if path.suffix.lower() not in SUFFIXES:
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
