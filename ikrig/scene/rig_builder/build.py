"""Builds a rig from its file: nodes, robots, then chains and trees on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack

import panda3d.core as p3d

from ...errors import BindError
from ...files.file_access import FileAccess, signature
from ...formats.part import Values
from ...formats.rig_file import Part, RigDocument
from ...formats.rig_file.sections import BY_EFFECTOR
from ..actor.actor_limbs import SKIN, skin_tip
from ..ik.chain import IKChain
from ..ik.component import IKComponent
from ..ik.tree import IKTree
from .behaviour_factory import make_behaviour
from .contents import Model, RigParts
from .scene_builder import (
    ErrorReporter,
    LocatedError,
    SceneBuilder,
    limits_by_joint,
    settings_by_joint,
)

HANDLED_KEYS = (
    "leaf",
    "chain_length",
    "root_joint",
    "target",
    "pole",
    "target_offset",
    "phase",
    "dormant",
)
"""Keys that are not passed on unchanged; nor are any keys with entries."""


def build(
    plan: RigDocument,
    root: p3d.NodePath,
    given: Model,
    old: RigParts | None,
    *,
    access: FileAccess,
    model_given: bool,
    grounds: Mapping[str, object],
) -> RigParts:
    """Return the objects that a file describes, in a scene.

    Nodes, robots and the model of the last reading are kept as long as the file
    describes them; chains and trees are new, bound in the start pose. On an error
    everything is restored.
    """
    file, parts = plan
    path = file.path.resolve()
    made = RigParts(
        parts, root, path.parent, access, model_given, given, grounds=grounds
    )
    made.files[path] = signature(path)
    sections = (parts.parts("nodes"), parts.parts("bodies"))
    named = [part for section in sections for part in section.values()]
    if not all(part.complete for part in (parts, *named)):
        # missing names would cause errors that are not real
        file.check()
    with ExitStack() as undo:
        if old is not None:
            _restore_start_poses(old, undo)
        reporter, before = ErrorReporter(file), file.error_count
        builder = SceneBuilder(made, old, root, reporter, undo)
        if file.error_count == before:
            _solve(made, builder, reporter)
        file.check()
        undo.pop_all()
    return made


def _solve(made: RigParts, builder: SceneBuilder, reporter: ErrorReporter) -> None:
    for name, part in made.parts.parts("chains").items():
        if part.complete:
            with reporter.report(part):
                chain = made.chains[name] = _chain(part, builder)
                _complete(chain, part, [part])
    for name, part in made.parts.parts("trees").items():
        effectors = part.parts("effectors").values()
        if part.complete and all(effector.complete for effector in effectors):
            with reporter.report(part):
                tree = made.trees[name] = _tree(part, builder)
                entries = part.parts("effectors")
                made.effectors |= zip(entries, tree.effectors, strict=True)
                _complete(tree, part, effectors)
    for name, part in made.parts.parts("behaviours").items():
        if part.complete:
            with reporter.report(part):
                made.behaviours[name] = make_behaviour(name, part, builder)


def _restore_start_poses(old: RigParts, undo: ExitStack) -> None:
    rigs = [rig for rig in old.solved.values() if rig not in old.layers]
    for rig in rigs:
        for node in rig.bones:
            undo.callback(node.set_transform, node.get_transform())
    for rig in rigs:
        rig._binding.restore_start_pose()


def _chain(part: Part, builder: SceneBuilder) -> IKChain:
    made, values = builder.made, part.values
    on_joints = builder.names.is_joint(values["leaf"])
    # asking for the node of a joint would have it follow from now on
    leaf = None if on_joints else builder.find(part, "leaf")
    given = _unchanged_values(part, builder, values["leaf"])
    given["pole"] = builder.find(part, "pole") if "pole" in values else None
    given["target"] = _target(part, values["leaf"], builder)
    length = values.get("chain_length")
    if made.actor_rig is not None and leaf is None:
        names = list(made.actor_rig.joints)
        given["root_joint"] = values.get("root_joint")
        given |= settings_by_joint(part, names, ())
        given["limits"] = limits_by_joint(part, names)
        chain = made.actor_rig.chain(values["leaf"], length, **given)
        builder.undo.callback(made.actor_rig.remove, chain)
        if values.get("dormant") and not _was_used(part, builder.old):
            made.actor_rig._set_dormant(chain)
        return chain
    assert leaf is not None
    if values.get("dormant"):
        raise LocatedError(
            part.positions["dormant"], f"dormant: {leaf} is not a joint of an Actor"
        )
    if "root_joint" in values:
        first = builder.find(part, "root_joint")
        if first == leaf or not first.is_ancestor_of(leaf):
            raise LocatedError(
                part.positions["root_joint"], f"root_joint {first} is not above {leaf}"
            )
        length, node = 0, leaf
        while node != first:
            length, node = length + 1, node.get_parent()
    length = length or 2
    names = [node.get_name() for node in [leaf, *leaf.get_ancestors()[1 : length + 1]]]
    given |= settings_by_joint(part, names, builder.names.known())
    return IKChain(leaf, length, limits=limits_by_joint(part, names), **given)


def _was_used(part: Part, old: RigParts | None) -> bool:
    before = old.parts.parts("chains").get(part.name) if old else None
    if old is None or before is None or not before.values.get("dormant"):
        return False
    rig = old.actor_rig
    return rig is None or rig._dormant_weight(old.chains[part.name]) is None


def _tree(part: Part, builder: SceneBuilder) -> IKTree:
    made, entries = builder.made, part.parts("effectors")
    first = next(iter(entries))
    on_joints = made.actor_rig is not None and builder.names.is_joint(first)
    leaves: Values = {}
    for name, effector in entries.items():
        leaves[name] = name
        if not builder.names.is_joint(name):
            try:
                leaf = builder.names.find(name)
            except BindError as error:
                about = f"effector: {error}"
                raise LocatedError(effector.positions[""], about) from None
            leaves[name] = name if on_joints else leaf
    given = _unchanged_values(part, builder, first)
    for word, key in BY_EFFECTOR.items():
        given[word] = {
            leaves[name]: builder.find(end, key) if key == "pole" else end.values[key]
            for name, end in entries.items()
            if key in end.values
        }
    targets = {leaves[name]: _target(e, name, builder) for name, e in entries.items()}
    if made.actor_rig is not None and on_joints:
        names, known = list(made.actor_rig.joints), []
        given["root_joint"] = part.values.get("root_joint")
    elif "root_joint" in part.values:
        root = builder.find(part, "root_joint")
        names = [node.get_name() for node in (root, *root.find_all_matches("**"))]
        known = builder.names.known()
    else:
        raise BindError("a tree of nodes needs a root_joint")
    given |= settings_by_joint(part, names, known)
    given["limits"] = limits_by_joint(part, names)
    if made.actor_rig is None or not on_joints:
        return IKTree(root, targets, **given)
    tree = made.actor_rig.tree(targets, **given)
    builder.undo.callback(made.actor_rig.remove, tree)
    return tree


def _complete(rig: IKComponent, part: Part, ends: Iterable[Part]) -> None:
    rig.phase = part.values.get("phase", rig.phase)
    for effector, end in zip(rig.effectors, ends, strict=True):
        if "target_offset" in end.values:
            effector.target_offset = end.values["target_offset"]


def _target(part: Part, name: str, builder: SceneBuilder) -> p3d.NodePath:
    """Return the node to reach: that of the file, or a new one at the tip."""
    if "target" in part.values:
        return builder.find(part, "target")
    tip, rig = part.values.get("tip", (0.0, 0.0, 0.0)), builder.made.actor_rig
    if tip == SKIN:
        if rig is None or not builder.names.is_joint(name):
            raise LocatedError(
                part.positions["tip"], f"tip: {name!r} is not a joint of an Actor"
            )
        tip = skin_tip(rig.skeleton, name)
    return builder.target_at(name, tip)


def _unchanged_values(part: Part, builder: SceneBuilder, leaf: str) -> Values:
    on_joints = builder.names.is_joint(leaf)
    wrong = "match_rotation" if on_joints else "orientation_mode"
    if wrong in part.values:
        kind, other = (
            ("joints of an Actor", "orientation_mode")
            if on_joints
            else ("nodes", "match_rotation")
        )
        raise BindError(f"{wrong} does not apply to {kind}: use {other} instead")
    return {
        key: value
        for key, value in part.values.items()
        if key not in HANDLED_KEYS and not isinstance(value, dict)
    }
