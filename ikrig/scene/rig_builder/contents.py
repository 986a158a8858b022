"""contents_of: the parts of a rig by name, loaded from a file or built in code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import panda3d.core as p3d

from ...errors import BindError, shown
from ...files.file_access import FileAccess
from ...formats.rig_file import Part
from ..behaviours.behaviour import Behaviour
from ..ik.component import IKComponent
from ..ik.system import LayeredRig
from ..robot.robot_nodes import Robot
from .behaviour_part import kind_of_behaviour
from .rig_parts import Model, RigParts, node_of


def contents_of(rig: object, name: str = "") -> RigParts:
    """Return the parts of a rig by name, as if a file had made it."""
    if isinstance(own := getattr(rig, "_contents", None), RigParts):
        if own.root.is_empty():
            raise BindError(f"{rig!r} was removed: load it again")
        return own
    if isinstance(rig, Robot):
        return _parts_of(rig.model.name, rig)
    solved = _by_name(rig)
    owners = [part.rig for part in solved.values()]
    own = rig if hasattr(rig, "actor") else getattr(rig, "rig", None)
    actor_rig = next(filter(None, [own, *owners]), None)
    if actor_rig is None:
        built = _parts_of(name, None, next(iter(solved.values())).root)
    elif actor_rig.actor.is_empty():
        raise BindError(f"{rig!r}: its Actor was removed")
    else:
        built = _parts_of(name, actor_rig.actor)
        built.actor_rig = actor_rig
    built.behaviours = _behaviours_of(rig)
    for key, part in solved.items():
        getattr(built, part._section)[key] = part
        built.effectors |= part._controls()
    return built


def _parts_of(name: str, model: Model, node: p3d.NodePath | None = None) -> RigParts:
    node = node_of(model) or node
    assert node is not None
    top = node.get_top()
    parts = Part("", {"name": name})
    return RigParts(parts, top, Path(), FileAccess("."), model=model)


def not_a_rig(rig: object) -> BindError:
    """Return the error for an object that is not a rig."""
    return BindError(
        "rig must be a Rig, an ActorRig with chains, an IKChain, an IKTree, or a "
        f"dict of chains and trees by name, not {shown(rig)}"
    )


def _by_name(rig: object) -> Mapping[str, IKComponent]:
    if isinstance(rig, LayeredRig):
        return rig._named_components()
    if not isinstance(rig, Mapping) or not rig:
        raise not_a_rig(rig)
    for key, part in rig.items():
        if not isinstance(part, IKComponent):
            raise BindError(f"{key!r} must be an IKChain or IKTree, not {shown(part)}")
    return rig


def _behaviours_of(rig: object) -> dict[str, Behaviour]:
    found: dict[str, Behaviour] = {}
    for layer in getattr(rig, "layers", ()):
        kind = kind_of_behaviour(layer)
        if kind is None:
            continue
        same = sum(other.split()[0] == kind for other in found)
        found[kind if not same else f"{kind} {same + 1}"] = layer
    return found
