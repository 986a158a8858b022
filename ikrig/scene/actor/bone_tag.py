"""Standard names of a model's joints, its springs and its gaze, as tags.

Tags survive copying, caching and writing to .bam.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

import panda3d.core as p3d

from ...formats.vrm import gaze_of, springs_of, text_of, values_in
from ...model.springs import Collider, Spring

TAG = "ikrig-bones"
AVATAR_TAG = "ikrig-avatar"


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


def tag_avatar(model: p3d.NodePath, values: Mapping[str, object]) -> None:
    """Tag a model's characters with values of ``read_springs`` and ``read_gaze``."""
    for character in model.find_all_matches("**/+Character") if values else ():
        character.set_tag(AVATAR_TAG, text_of(values))


def springs_in(
    character: p3d.NodePath, joints: Collection[str]
) -> tuple[dict[str, Spring], dict[str, Collider]]:
    return springs_of(values_in(character.get_tag(AVATAR_TAG)), joints)


def gaze_in(character: p3d.NodePath) -> dict[str, tuple[float, ...]]:
    """Return where a character looks from, and how far, as ``gaze_of`` does."""
    return gaze_of(values_in(character.get_tag(AVATAR_TAG)))
