"""What is in a model, for people and for JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .tables import columns, indented, number, section

__all__ = ["describe", "lines"]


def describe(path: Path) -> dict[str, Any]:
    """Load a model and return what it has as plain data.

    Raises:
        BindError: It can't be loaded.
    """
    from ..scene.rigs.contents import contents

    return contents(path)


def lines(found: dict[str, Any]) -> list[str]:
    """Return what ``describe`` has found, for people."""
    size = " x ".join(map(number, found["size"]))
    parents = {joint["name"]: joint["parent"] for joint in found["joints"]}
    what = "model" if not parents else "Actor"
    tree = [f"  {'  ' * depth}{name}" for depth, name in indented(parents)]
    animations = [
        (
            a["name"],
            f"{a['frames']} frames",
            f"{number(a['fps'])} fps",
            f"{number(a['seconds'])} s",
        )
        for a in found["animations"]
    ]
    limbs = [(limb["name"], " > ".join(limb["joints"])) for limb in found["limbs"]]
    counts = [f"{len(parents)} joints", f"{found['vertices']} vertices"]
    return [
        f"{what} {found['name']}: {', '.join(counts)}, {size} large",
        *section("joints", tree),
        *section("animations", columns(animations)),
        *section("limbs that ikrig.ActorRig.auto would rig", columns(limbs)),
    ]
