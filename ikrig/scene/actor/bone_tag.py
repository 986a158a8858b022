"""Standard names of a model's joints from its file, as a tag of the model.

Tags survive copying, caching and writing to .bam.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import panda3d.core as p3d

TAG = "ikrig-bones"


def tag_bones(model: p3d.NodePath, bones: Mapping[str, str]) -> None:
    """Tag a model's characters with the standard names of their joints.

    Args:
        model: The model.
        bones: "leftHand" and the like by the joint's name; if empty, nothing is tagged.
    """
    for character in model.find_all_matches("**/+Character") if bones else ():
        character.set_tag(TAG, json.dumps(dict(bones)))


def bones_of(character: p3d.NodePath) -> dict[str, str]:
    """Return the standard names that a character is tagged with, by joint."""
    try:
        found = json.loads(character.get_tag(TAG) or "{}")
    except (ValueError, RecursionError):
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {joint: bone for joint, bone in pairs if isinstance(bone, str)}
