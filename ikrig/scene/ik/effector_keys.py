"""Effectors of a tree by node or by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panda3d.core as p3d

from ...errors import BindError, SettingError, name_list, shown

Key = p3d.NodePath | str


def _find(root: p3d.NodePath, key: Key) -> p3d.NodePath:
    """Return a node, given itself or by its name below the root.

    Raises:
        BindError: No node has the name, or several do.
    """
    if isinstance(key, p3d.NodePath) and not key.is_empty():
        return key
    if not isinstance(key, str):
        raise BindError(
            f"an effector must be a NodePath or the name of a node, not {shown(key)}"
        )
    below = [node for node in root.find_all_matches("**") if node != root]
    found = [node for node in (root, *below) if node.get_name() == key]
    if len(found) != 1:
        names = sorted({node.get_name() for node in below})
        problem = f"{len(found)} nodes are" if len(found) else "no node is"
        raise BindError(
            f"{problem} named {key!r} below the root {root}; available: "
            f"{name_list(names)}"
        )
    return found[0]


def by_node(
    root: p3d.NodePath,
    values: Any,
    what: str,
    leaves: Mapping[p3d.NodePath, Any] | None = None,
) -> dict[p3d.NodePath, Any]:
    """Return values that are given by node or name, by node alone.

    Raises:
        BindError: They are not a mapping, or a node is unknown or there twice.
        SettingError: A node is not one of the leaves.
    """
    values = {} if values is None else values
    if not isinstance(values, Mapping):
        raise BindError(
            f"{what} must be a dict with nodes or names as keys, not {shown(values)}"
        )
    found: dict[p3d.NodePath, Any] = {}
    for key, value in values.items():
        node = _find(root, key)
        if node in found:
            raise BindError(f"{what}: {key!r} names {node}, which has an entry already")
        if leaves is not None and node not in leaves:
            names = name_list(leaf.get_name() for leaf in leaves)
            raise SettingError(f"{what}: {node} is not an effector; available: {names}")
        found[node] = value
    return found
