"""What a model's file calls its joints beside their names, as a tag of the model.

Tags come along when models are copied, cached and written as .bam.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import panda3d.core as p3d

TAG = "ikrig-bones"


def tag_bones(model: p3d.NodePath, bones: Mapping[str, str]) -> None:
    """Write down what the joints of a model's characters are called.

    Args:
        model: The model.
        bones: "leftHand" and the like by the joint's name; for none nothing is done.
    """
    for character in model.find_all_matches("**/+Character") if bones else ():
        character.set_tag(TAG, json.dumps(dict(bones)))


def bones_of(character: p3d.NodePath) -> dict[str, str]:
    """Return what was written down of a character; empty for nothing."""
    try:
        found = json.loads(character.get_tag(TAG) or "{}")
    except (ValueError, RecursionError):
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {joint: bone for joint, bone in pairs if isinstance(bone, str)}
