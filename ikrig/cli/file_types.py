"""Detects the type of a file (rig, clip, description) from its content."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from ..errors import Diagnostic, FileError, suggest
from ..formats.clip_yaml import CLIP
from ..formats.rig_file.sections import FILE
from ..formats.yaml_reader import YamlFile
from .arguments import UsageError

YAML = (".yaml", ".yml")
ROBOTS = (".urdf", ".xacro", ".mjcf", ".xml")
CAPTURES = (".bvh",)
MODELS = (".egg", ".bam", ".pz", ".gz", ".glb", ".gltf", ".vrm")

KINDS = {
    "rig": "a rig",
    "clip": "a clip",
    "robot": "a robot",
    "model": "a model",
    "capture": "a motion capture",
}
"""The kinds of files, and their names in messages."""

CLIP_WORDS = set(CLIP.fields) - {"name"}
RIG_WORDS = set(FILE.fields) - {"name"}


class UnknownFileError(FileError):
    """A file of a kind that ikrig does not read."""


def file_kind(path: Path) -> str:
    """Return the kind of a file, a key of ``KINDS``."""
    suffix = path.suffix.lower()
    if suffix in ROBOTS:
        return "robot"
    if suffix in MODELS:
        return "model"
    if suffix in CAPTURES:
        return "capture"
    if suffix not in YAML:
        known = ", ".join((*YAML, *ROBOTS, *MODELS, *CAPTURES))
        raise UnknownFileError(path, [Diagnostic(0, 0, f"must end in one of {known}")])
    root = YamlFile(path, FileError).root
    if root is None:
        reason = "is empty: a rig needs chains, a clip tracks, a robot bodies"
        raise UnknownFileError(path, [Diagnostic(0, 0, reason)])
    pairs = root.content if root.kind == "keys" else []
    nodes = {key.text: (key, value) for key, value in pairs}
    if "bodies" in nodes and nodes["bodies"][1].kind == "list":
        return "robot"
    clip, rig = len(CLIP_WORDS & nodes.keys()), len(RIG_WORDS & nodes.keys())
    if not clip and not rig:
        words = sorted(CLIP_WORDS | RIG_WORDS)
        first = next((key for word, (key, _) in nodes.items() if word != "name"), root)
        what = "not a rig, clip or robot description"
        reason = f"{what}, because of {first.words!r}: {suggest(first.words, words)}"
        raise UnknownFileError(path, [Diagnostic(first.line, first.column, reason)])
    return "clip" if clip > rig else "rig"


def check_kinds(options: Namespace) -> None:
    for wanted, path in (("rig", options.rig), ("clip", options.clip)):
        try:
            kind = file_kind(path)
        except FileError:
            # loading it gives a better message
            continue
        if kind != wanted:
            raise UsageError(
                f"{path} is {KINDS[kind]}, not {KINDS[wanted]}: the rig comes first, "
                "then the clip",
                path,
            )


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that may be a rig, a clip or a robot."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        known = path.suffix.lower() in (*YAML, ".urdf", ".mjcf", *CAPTURES)
        if known and not hidden and path.is_file():
            yield path
