"""Writes a rig in its current state in the scene to a rig file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np
import panda3d.core as p3d

from ...errors import BindError
from ...files.output_file import YAML, check_output, write_text
from ...formats.part import Values, entry_parts
from ...formats.rig_file import (
    Part,
    limit_part,
    make_limit,
    rig_text,
    with_moved_files,
)
from ...formats.rig_file.sections import JOINT_SETTINGS
from ...model.grip import Grip, grip_values
from ...solvers.settings import DEFAULT
from ..actor.actor_limbs import SKIN
from ..actor.actor_rig import ActorRig
from ..behaviours.behaviour import Behaviour
from ..behaviours.grips import own_grips
from ..ik.chain import IKChain
from ..ik.component import IKComponent
from ..ik.effector import Effector
from ..ik.phase import Phase
from ..ik.tree import IKTree
from .behaviour_part import behaviour_part, changed_part
from .contents import (
    NameResolver,
    RigParts,
    contents_of,
    default_parent,
    not_a_rig,
    sources_of,
)
from .rig import Rig


def dump_rig(
    rig: Rig | ActorRig | IKComponent | Mapping[str, IKComponent],
    path: str | Path | None = None,
) -> str:
    """Return a rig as YAML text, and write it to a file when a path is given.

    A loaded ``Rig`` is written in its current state: nodes at their dragged positions,
    weights and settings as set since. Unchanged values stay as written in its file.
    Bones are written in their start pose. Comments are lost.

    Chains and trees that were built in code can be written too: one, an ``ActorRig``
    with its behaviours, or several by name. Their targets and poles become nodes of the
    file, below the joints that carry them; ``load_rig(path, model=...)`` finds bones,
    and nodes that are ground, by their names. Ground that is not a node can't be
    written; that is logged.

    Args:
        rig: The rig to write.
        path: The file. It is replaced as a whole. Models stay where they are: in a
            folder far from them it needs ``load_rig(..., allow=[...])``.

    Raises:
        BindError: It is not a rig, or a node that it uses was removed.
        OutputError: The file can't be written, or is one that the rig was loaded
            from: the model, a robot. Its own YAML file may be replaced.
    """
    target = None if path is None else check_output(path, endings=YAML)
    built = contents_of(rig, "rig" if target is None else target.stem)
    if not (built.solved or built.behaviours or built.file):
        raise not_a_rig(rig)
    try:
        parts = _Capture(built).file()
    except AssertionError:
        # Panda3D raises it for a node that is gone
        raise BindError(f"{rig!r}: {_removed(built)} was removed") from None
    if target is not None and built.file is not None:
        parts = with_moved_files(parts, built.folder, target.parent)
    text = rig_text(parts)
    if path is not None:
        write_text(path, text, sources=sources_of(rig) - {built.file})
    return text


def _removed(built: RigParts) -> str:
    for part in built.solved.values():
        for end in part.effectors:
            for what in ("leaf", "target", "pole"):
                node = getattr(end, what)
                if node is not None and node.is_empty():
                    return f"{what} of {part!r}"
    return "a node that it uses"


class _Capture:
    """Makes the parts of a file from the objects in a scene.

    Args:
        built: The objects, and the content of their file.
    """

    def __init__(self, built: RigParts) -> None:
        self.built = built
        self.root = root = built.root
        """The node that positions without another parent are relative to."""
        self.names = NameResolver(built, root.get_parent())
        if built.file is None and built.actor_rig is not None:
            self.root = default_parent(built.model)
        self.names.nodes = dict(built.nodes)
        rig = built.actor_rig
        bones = [bone for part in built.solved.values() for bone in part.bones]
        self.bones = {*map(p3d.NodePath.get_name, bones), *(rig.joints if rig else ())}
        """Names that the file uses for bones."""
        self.made: dict[str, Part] = {}
        """The nodes of the new file."""
        self.starts = {
            node: position
            for rig in built.solved.values()
            if not rig._binding.animated
            for node, position in zip(
                rig.bones, rig._binding.start_positions, strict=True
            )
        }

    def file(self) -> Part:
        built, parts = self.built, self.built.parts
        values = dict(parts.values)
        for name, node in built.nodes.items():
            former = parts.parts("nodes").get(name, Part(name))
            self.made[name] = self.placed(former, node)
        values["bodies"] = {
            name: self.placed(part, built.bodies[name].root)
            for name, part in parts.parts("bodies").items()
        }
        values["chains"] = {
            name: self.chain(parts.parts("chains").get(name, Part(name)), chain)
            for name, chain in built.chains.items()
        }
        values["trees"] = {
            name: self.tree(parts.parts("trees").get(name, Part(name)), tree)
            for name, tree in built.trees.items()
        }
        written = parts.parts("behaviours")
        values["behaviours"] = {
            name: self.behaviour(written[name], behaviour)
            if name in written
            else behaviour_part(name, behaviour, self.behaviour_node)
            for name, behaviour in built.behaviours.items()
        }
        return Part("", {**values, "nodes": self.made})

    # -- nodes -------------------------------------------------------------------------

    def placed(self, part: Part, node: p3d.NodePath) -> Part:
        """Return a node or robot with its grips, as written where it is unchanged."""
        values = {**part.values, "grips": self.grips(part, node)}
        if not values["grips"]:
            del values["grips"]
        before = self.built.placed.get(part.name)
        known = self.root
        if "parent" in values:
            known = self.names.find(values["parent"])
        if node.get_parent() != known:
            before, known = None, self.root
            values.pop("parent", None)
            if carrier := self.carrier(node):
                values["parent"], known = carrier, node.get_parent()
        pose = node.get_transform(known)
        if pose.is_invalid() or pose.get_pos().is_nan() or pose.get_quat().is_nan():
            return part
        pos, rotation, size = pose.get_pos(), pose.get_quat(), pose.get_scale()
        if before is not None:
            pos, rotation = self.starts.get(node, (pos, rotation))
        if before is None or before.get_pos() != pos:
            values["pos"] = _numbers(pos)
        if before is None or not before.get_quat().almost_same_direction(
            rotation, 1e-6
        ):
            # Panda3D 1.10.13 returns a rotation that can't be changed
            rotation = p3d.LQuaternionf(rotation)
            rotation.normalize()
            values.pop("rpy", None)
            values["quat"] = _numbers(rotation)
            if rotation.almost_equal(p3d.LQuaternionf.ident_quat(), 1e-9):
                del values["quat"]
        if before is None or before.get_scale() != size:
            values["scale"] = _numbers(size)
            if size == p3d.LVector3f(1.0):
                del values["scale"]
        return Part(part.name, values)

    def grips(self, part: Part, node: p3d.NodePath) -> dict[str, Part]:
        written, own = part.parts("grips"), own_grips(node)
        return {
            name: written[name]
            if name in written and Grip(**written[name].values) == grip
            else Part(name, grip_values(grip))
            for name, grip in own.items()
        }

    def name(self, node: p3d.NodePath, written: str | None, fallback: str) -> str:
        """Return a node's name in the file; add the node to it if necessary."""
        for found, own in self.names.nodes.items():
            if own == node:
                return found
        attached = self.carrier(node) is not None
        for known in () if attached else (written, node.get_name()):
            try:
                if known and self.names.find(known) == node:
                    return known
            except BindError:
                pass
        found = node.get_name() or fallback
        while found in self.names.nodes or found in self.bones:
            found += "'"
        self.names.nodes[found] = node
        self.made[found] = self.placed(Part(found), node)
        return found

    def carrier(self, node: p3d.NodePath) -> str | None:
        """Return the name of the joint or node that a game has attached a node to.

        "" is the Actor itself. None: the node is part of the model, or outside of it.
        """
        rig, above = self.built.actor_rig, node.get_parent()
        if rig is None or above == rig.actor or not rig.actor.is_ancestor_of(above):
            return "" if rig is not None and above == rig.actor else None
        if above.get_name() in rig.joints:
            return above.get_name()
        return None if self.carrier(above) is None else self.name(above, None, "node")

    # -- chains, trees and behaviours --------------------------------------------------

    def chain(self, part: Part, chain: IKChain) -> Part:
        leaf = (
            chain.rig.skeleton.joint_of(chain.leaf)
            if chain.rig
            else chain.leaf.get_name()
        )
        values = {"leaf": part.values.get("leaf", leaf)}
        first = part.values.get("root_joint")
        # on nodes, a new chain_length means a new first joint
        if first and (chain.rig or self.names.find(first) == chain.bones[0]):
            values["root_joint"] = first
        else:
            values["chain_length"] = chain.chain_length
        written = part.values.get("target")
        values["target"] = self.name(chain.target, written, f"{part.name} target")
        if chain.pole is not None:
            written = part.values.get("pole")
            values["pole"] = self.name(chain.pole, written, f"{part.name} pole")
        values |= self.effector_entries(part.values, chain.effectors[0])
        if leaf != chain.leaf.get_name():
            values["tip"] = SKIN
        # before the weight is read: this wakes a chain used since the last frame
        rig = self.built.actor_rig
        weight = rig._dormant_weight(chain) if rig else None
        if weight is not None:
            values["dormant"] = True
        return Part(part.name, {**values, **self.method(part, chain, weight)})

    def tree(self, part: Part, tree: IKTree) -> Part:
        words = list(part.parts("effectors"))
        words = words or [effector.leaf.get_name() for effector in tree.effectors]
        effectors = {}
        for leaf, effector in zip(words, tree.effectors, strict=True):
            former = part.parts("effectors").get(leaf, Part(leaf)).values
            target = effector.target
            own = self.name(target, former.get("target"), f"{leaf} target")
            values: Values = {"target": own}
            if effector.pole is not None:
                own = self.name(effector.pole, former.get("pole"), f"{leaf} pole")
                values["pole"] = own
            # a tree's default for its root
            turns = 1.0 if effector.leaf == tree.bones[0] else 0.0
            for key, default in (("weight", 1.0), ("orientation_weight", turns)):
                if key in former or getattr(effector, key) != default:
                    values[key] = getattr(effector, key)
            values |= self.effector_entries(former, effector)
            effectors[leaf] = Part(leaf, values)
        found: Values = {"effectors": effectors}
        if "root_joint" in part.values or not part.values:
            root = tree.bones[0].get_name()
            found["root_joint"] = part.values.get("root_joint", root)
        if "pinned" in part.values or not tree.pinned:
            found["pinned"] = tree.pinned
        return Part(part.name, {**found, **self.method(part, tree)})

    def effector_entries(
        self, former: Mapping[str, object], effector: Effector
    ) -> Values:
        """Return an effector's tip, and its offset if binding would not restore it."""
        found: Values = {}
        if "tip" in former or any(effector.tip):
            found["tip"] = effector.tip
        if "target_offset" in former or effector.needs_saved_offset:
            offset = effector.target_offset
            side = -1.0 if offset[0] < 0.0 else 1.0
            found["target_offset"] = _numbers(side * part for part in offset)
        return found

    def behaviour(self, part: Part, behaviour: Behaviour) -> Part:
        before = self.built.behaviour_entries[part.name]
        return changed_part(part, behaviour, before, self.behaviour_node)

    def behaviour_node(
        self, node: p3d.NodePath | Behaviour, fallback: str, key: str
    ) -> str | None:
        if isinstance(node, Behaviour):
            return next(
                (x for x, made in self.built.behaviours.items() if made is node), None
            )
        if key == "ground":
            # geometry is found by its name, or is above the rig
            return node.get_name() if node.has_parent() else None
        return self.name(node, None, fallback)

    def method(
        self, part: Part, rig: IKComponent, weight: float | None = None
    ) -> Values:
        """Return the solver, settings and limits that differ from the defaults.

        Args:
            part: What the file says.
            rig: The chain or tree.
            weight: Its weight. Default: its present one, or the one it fades to.
        """
        limits = self.limits(part, rig)
        found: Values = {"limits": limits} if limits else {}
        on_joints = rig._binding.animated
        defaults: Values = {"solver": rig._default_solver, "order": 0.0}
        if on_joints:
            defaults["orientation_mode"] = "animation"
        else:
            defaults["match_rotation"] = True
        for setting in fields(DEFAULT):
            if setting.name not in rig._without:
                defaults[setting.name] = getattr(DEFAULT, setting.name)
        if on_joints and rig._section == "chains":
            defaults["snap_back_strength"] = 1.0
        if "phase" in part.values or rig.phase is not Phase.LIMBS:
            found["phase"] = rig.phase.name.lower()
        for key, default in defaults.items():
            value = getattr(rig, key)
            if key == "weight":
                value = rig._final_weight if weight is None else weight
            if value is None or (key not in part.values and value == default):
                continue
            if key == "posture" and not isinstance(value, str):
                value = {str(joint): number for joint, number in value.items()}
            elif key in JOINT_SETTINGS and key != "posture":
                value = entry_parts(value)
            found[key] = value
        return found

    def limits(self, part: Part, rig: IKComponent) -> dict[str, Part]:
        """Return the limits that were given, as written in the file if unchanged."""
        names = [node.get_name() for node in rig.bones]
        found = {}
        for key, limit in rig._given_limits.items():
            joint = _joint_word(key, names)
            written = part.parts("limits").get(joint)
            same = written is not None and make_limit(written) == limit
            found[joint] = written if written and same else limit_part(joint, limit)
            coupling = getattr(limit, "follows", None)
            if coupling and not same:
                found[joint].values["follows"] = _joint_word(coupling[0], names)
        return found


def _joint_word(key: str | int, names: list[str]) -> str:
    """Return a joint's name, or its index when several have this name."""
    if isinstance(key, int):
        own = names[key] if -len(names) <= key < len(names) else ""
        return own if own and names.count(own) == 1 else str(key)
    return key


def _numbers(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(str(np.float32(value))) + 0.0 for value in values)
