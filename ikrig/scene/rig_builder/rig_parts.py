"""RigParts: the objects that a rig file was built into."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...files.file_access import FileAccess
from ...files.signature import Signature
from ...formats.part import Values
from ...formats.rig_file import Part
from ..actor.actor_rig import ActorRig
from ..behaviours.behaviour import Behaviour
from ..ik.chain import IKChain
from ..ik.component import IKComponent
from ..ik.effector import Effector
from ..ik.tree import IKTree
from ..robot.robot_nodes import Robot

Model = Actor | p3d.NodePath | Robot | None


def node_of(model: Model) -> p3d.NodePath | None:
    """Return the node of a model; for a robot its root."""
    return model.root if isinstance(model, Robot) else model


def default_parent(model: Model) -> p3d.NodePath:
    """Return the parent of a model; without a model, ``render``."""
    node = node_of(model)
    if node is not None:
        return node.get_parent() if node.has_parent() else node
    base = getattr(builtins, "base", None)
    return p3d.NodePath() if base is None else p3d.NodePath(base.render)


@dataclass
class RigParts:
    """The objects that one reading of a file has made."""

    parts: Part
    """The file's content."""
    root: p3d.NodePath
    """The node above all that the file has made, or the top of the scene."""
    folder: Path
    """Folder of the file."""
    access: FileAccess
    """The files that it may open."""
    model_given: bool = False
    """Whether the caller has named the file of the model."""
    model: Model = None
    """The rigged model."""
    grounds: Mapping[str, object] = field(default_factory=dict)
    """Grounds that were given, by the names of the behaviours that use them."""
    model_key: tuple[str, Values, object] | None = None
    """Source of a loaded model; None when it was given."""
    actor_rig: ActorRig | None = None
    nodes: dict[str, p3d.NodePath] = field(default_factory=dict)
    placed: dict[str, p3d.TransformState] = field(default_factory=dict)
    """Transform of each node from the file."""
    bodies: dict[str, Robot] = field(default_factory=dict)
    body_keys: dict[str, object] = field(default_factory=dict)
    """Source of each robot."""
    chains: dict[str, IKChain] = field(default_factory=dict)
    trees: dict[str, IKTree] = field(default_factory=dict)
    effectors: dict[str, Effector] = field(default_factory=dict)
    """Effectors of the trees, which have names of their own."""
    behaviours: dict[str, Behaviour] = field(default_factory=dict)
    behaviour_keys: dict[str, object] = field(default_factory=dict)
    """Source of each behaviour."""
    behaviour_settings: dict[str, Values] = field(default_factory=dict)
    """Settings of each behaviour when it was made."""
    files: dict[Path, Signature] = field(default_factory=dict)
    """The files that were read, with their signatures at that time."""

    @property
    def file(self) -> Path | None:
        """The file itself; None for rigs built in code."""
        return next(iter(self.files), None)

    @property
    def solved(self) -> dict[tuple[str, str], IKComponent]:
        """The chains and trees, by section and name."""
        chains = {("chains", name): chain for name, chain in self.chains.items()}
        return {**chains, **{("trees", name): t for name, t in self.trees.items()}}

    @property
    def named(self) -> list[tuple[str, object]]:
        """Parts that clips control by name: behaviours, effectors, chains and trees.

        A tree may have the name of one of its effectors.
        """
        kinds = (self.behaviours, self.effectors, self.chains, self.trees)
        return [pair for kind in kinds for pair in kind.items()]

    @property
    def robots(self) -> list[Robot]:
        """The robots of the file, and the model if it is one."""
        model = [self.model] if isinstance(self.model, Robot) else []
        return [*self.bodies.values(), *model]

    @property
    def model_node(self) -> p3d.NodePath | None:
        """The node of the model; for a robot its root."""
        found: p3d.NodePath | None = node_of(self.model)
        return found

    @property
    def layers(self) -> tuple[object, ...]:
        return self.actor_rig.layers if self.actor_rig is not None else ()
