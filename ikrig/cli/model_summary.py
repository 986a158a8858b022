"""Summary of a model, as text and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .report import Document
from .text_tables import axis_text, columns, indented, number, section


def describe(path: Path) -> Document:
    """Load a model and return its content as plain data."""
    from ..scene.rig_builder.model_loader import load_file
    from ..scene.rig_builder.summary import ANIMATIONS, summary

    found = summary(path)
    if is_animation(found):
        # from the engine's cache: ``summary`` has just loaded it
        model = load_file(path.name, path.parent)
        nodes = model.find_all_matches(ANIMATIONS) if model is not None else ()
        for animation, node in zip(found["animations"], nodes, strict=True):
            bundle: Any = node.node()
            animation["joints"] = _channels(bundle.get_bundle())
    return found


def is_animation(found: Document) -> bool:
    """Return whether a file has only animations, for an Actor of another file."""
    empty = not found["joints"] and not found["vertices"]
    return empty and bool(found["animations"])


def _channels(group: Any) -> int:
    """Return the number of joints in an animation, without morph targets."""
    return sum(
        child.get_type().get_name().startswith("AnimChannelMatrix") + _channels(child)
        for child in group.get_children()
    )


def lines(found: Document) -> list[str]:
    """Return the result of ``describe`` as lines of text."""
    if is_animation(found):
        return [
            f"animation {found['name']}, for {a['name']}: {a['frames']} frames, "
            f"{number(a['fps'])} fps, {number(a['seconds'])} s, {a['joints']} joints"
            for a in found["animations"]
        ]
    size = " x ".join(map(number, found["size"]))
    parents = {joint["name"]: joint["parent"] for joint in found["joints"]}
    what = "model" if not parents else "Actor"
    called = {j["name"]: f": {j['called']}" for j in found["joints"] if j["called"]}
    tree = [
        f"  {'  ' * depth}{name}{called.get(name, '')}"
        for depth, name in indented(parents)
    ]
    animations = [
        (
            a["name"],
            f"{a['frames']} frames",
            f"{number(a['fps'])} fps",
            f"{number(a['seconds'])} s",
        )
        for a in found["animations"]
    ]
    limbs = [
        (limb["name"], " > ".join(limb["joints"]) + _end(limb), limb["reason"])
        for limb in found["limbs"]
    ]
    findings = [(f["limb"], f["message"]) for f in found["findings"]]
    faces = [f"  {axis_text(found['forward'])}"] if parents else []
    counts = [f"{len(parents)} joints", f"{found['vertices']} vertices"]
    return [
        f"{what} {found['name']}: {', '.join(counts)}, size {size}",
        *section("joints", tree),
        *section("animations", columns(animations)),
        *section("limbs that ikrig.ActorRig.auto would rig", columns(limbs)),
        *section("eyes", [f"  {', '.join(found['eyes'])}"] if found["eyes"] else []),
        *section("faces", faces),
        *section("not found or doubtful", columns(findings)),
    ]


def _end(limb: Document) -> str:
    return "" if limb["end"] is None else " > end of its skin"
