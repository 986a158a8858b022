"""RigParts: the objects that a rig file was built into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import panda3d.core as p3d

from ...files.file_access import FileAccess
from ...files.signature import Signature
from ...formats.rig_file import Part
from ..actor import ActorRig
from ..behaviours.behaviour import Behaviour
from ..ik.chain import IKChain
from ..ik.component import IKComponent
from ..ik.effector import Effector
from ..ik.tree import IKTree
from ..robot.robot_nodes import Robot


def node_of(model: Any) -> Any:
    """Return the node of what is rigged: of a robot the one that carries it."""
    return model.root if isinstance(model, Robot) else model


@dataclass
class RigParts:
    """Nodes, chains and all else that one reading of a file has made."""

    parts: Part
    """The file."""
    root: p3d.NodePath
    """The node that all that the file has made hangs on, or the top of the scene."""
    folder: Path
    """Where the file is."""
    access: FileAccess
    """What it may have opened."""
    model_given: bool = False
    """Whether the file of the model was named by whoever loads the rig."""
    model: Any = None
    """What is rigged."""
    grounds: Mapping[str, Any] = field(default_factory=dict)
    """Ground that was given, by the names of the behaviours that stand on it."""
    model_key: Any = None
    """What a loaded model was loaded from; None when it was given."""
    actor_rig: ActorRig | None = None
    nodes: dict[str, p3d.NodePath] = field(default_factory=dict)
    placed: dict[str, p3d.TransformState] = field(default_factory=dict)
    """Where the file has put each node."""
    bodies: dict[str, Robot] = field(default_factory=dict)
    body_keys: dict[str, Any] = field(default_factory=dict)
    """What each body was made from."""
    chains: dict[str, IKChain] = field(default_factory=dict)
    trees: dict[str, IKTree] = field(default_factory=dict)
    effectors: dict[str, Effector] = field(default_factory=dict)
    """Those of the trees that have names of their own."""
    behaviours: dict[str, Behaviour] = field(default_factory=dict)
    behaviour_keys: dict[str, Any] = field(default_factory=dict)
    """What each behaviour was made from."""
    behaviour_settings: dict[str, Any] = field(default_factory=dict)
    """What was set of each when it was made."""
    files: dict[Path, Signature] = field(default_factory=dict)
    """What was read, as it was then."""

    @property
    def file(self) -> Path | None:
        """The file itself; None of what was built in code."""
        return next(iter(self.files), None)

    @property
    def solved(self) -> dict[tuple[str, str], IKComponent]:
        """The chains and trees, by section and name."""
        chains = {("chains", name): chain for name, chain in self.chains.items()}
        return {**chains, **{("trees", name): t for name, t in self.trees.items()}}

    @property
    def named(self) -> dict[str, Any]:
        """What clips steer by name: behaviours, effectors, chains and trees."""
        return {**self.behaviours, **self.effectors, **self.chains, **self.trees}

    @property
    def robots(self) -> list[Robot]:
        """The bodies, and the model if it is a robot."""
        model = [self.model] if isinstance(self.model, Robot) else []
        return [*self.bodies.values(), *model]

    @property
    def model_node(self) -> p3d.NodePath | None:
        """The node of the model; of a robot the one that carries it."""
        found: p3d.NodePath | None = node_of(self.model)
        return found

    @property
    def layers(self) -> tuple[Any, ...]:
        """Those of them that belong to the Actor."""
        return self.actor_rig.layers if self.actor_rig is not None else ()
