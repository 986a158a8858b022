"""contents_of: the parts of a rig by name, loaded from a file or built in code."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import BindError, shown, suggest
from ...files.file_access import FileAccess, Signature
from ...formats.part import Values
from ...formats.rig_file import Part
from ..actor.actor_rig import ActorRig
from ..behaviours.behaviour import Behaviour
from ..ik.chain import IKChain
from ..ik.component import IKComponent
from ..ik.effector import Effector
from ..ik.system import LayeredRig
from ..ik.tree import IKTree
from ..robot.robot_nodes import Robot
from .behaviour_part import kind_of_behaviour
from .model_loader import files_of

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
    behaviour_entries: dict[str, Values] = field(default_factory=dict)
    """What each behaviour was when it was made."""
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


def sources_of(rig: object) -> frozenset[Path]:
    """Return the files that a rig was loaded from, as far as they are known.

    Args:
        rig: A rig, as ``ClipPlayer`` accepts. Of a ``Rig`` all files are known; of an
            Actor that the game has loaded, textures and animations, as Panda3D does
            not store the model's file.
    """
    found: set[Path] = set()
    for part in rig.values() if isinstance(rig, Mapping) else [rig]:
        if hasattr(part, "sources"):
            found |= part.sources
        elif hasattr(part, "_figure"):
            found.update(files_of(part._figure))
    return frozenset(found)


class NameResolver:
    """Nodes by name: first the rig's own, then its robots', then the model's.

    A name that several nodes have is written as a path, "left/hand": the hand below the
    node or robot "left".

    Args:
        made: The nodes, robots and model of the rig.
        scene: Node to search last, for the ground or a door.
    """

    def __init__(self, made: RigParts, scene: p3d.NodePath) -> None:
        self.nodes = made.nodes
        self.bodies = made.bodies
        self._made = made
        self._scene = scene
        self._below: dict[str, list[p3d.NodePath]] | None = None

    def is_joint(self, name: str) -> bool:
        return (
            name not in self.nodes
            and self._made.actor_rig is not None
            and name in self._made.actor_rig.joints
        )

    def find(self, name: str) -> p3d.NodePath:
        found = self._all(name)
        if not found and "/" in name:
            first, _, rest = name.partition("/")
            if first in self.bodies:
                found = _in_tree(self.bodies[first], rest)
            else:
                above = self._all(first)
                found = [
                    node
                    for top in above
                    for node in top.find_all_matches("**")
                    if node != top and node.get_name() == rest
                ]
        if len(found) == 1:
            return p3d.NodePath(found[0])
        if found:
            raise BindError(
                f"{len(found)} nodes are named {name!r}: add the parent's name, such "
                f"as '{_distinct_ancestor(found)}/{name}'"
            )
        near = suggest(name, self.known())
        if not near.startswith("did you mean") and not (
            self._made.model or self._made.robots
        ):
            near += (
                ". No model is loaded: if the name is one of its joints, add 'model: "
                "FILE' to the rig file, or pass it as load_rig(path, model) or --model "
                "FILE"
            )
        raise BindError(f"there is no node {name!r}: {near}")

    def _all(self, name: str) -> list[p3d.NodePath]:
        if name in self.nodes:
            return [self.nodes[name]]
        if name in self.bodies:
            return [self.bodies[name].root]
        found = [node for tree in self._made.robots for node in _in_tree(tree, name)]
        if found:
            return found
        actor_rig = self._made.actor_rig
        if actor_rig is not None and name in actor_rig.joints:
            return [actor_rig.joint(name)]
        found = self._in_model().get(name, [])
        if found or self._scene.is_empty():
            return found
        return [n for n in self._scene.find_all_matches("**") if n.get_name() == name]

    def _in_model(self) -> dict[str, list[p3d.NodePath]]:
        """Return the model's nodes by name; searched when first needed."""
        if self._below is None:
            self._below = {}
            model = self._made.model
            if isinstance(model, p3d.NodePath):
                for node in [model, *model.find_all_matches("**/*")]:
                    self._below.setdefault(node.get_name(), []).append(node)
        return self._below

    def known(self) -> list[str]:
        """Return all known names, without those of nameless nodes."""
        names = [*self.nodes, *self.bodies]
        for tree in self._made.robots:
            model = tree.model
            names += [*model.body_names[1:], *model.site_names, *model.joint_names]
        if self._made.actor_rig is not None:
            names += self._made.actor_rig.joints
        names += self._in_model()
        return [name for name in dict.fromkeys(names) if name]


def _distinct_ancestor(nodes: list[p3d.NodePath]) -> str:
    first, *others = (
        [n.get_name() for n in node.get_ancestors()[1:]] for node in nodes
    )
    taken = {name for names in others for name in names}
    return next((name for name in first if name not in taken), "above")


def _in_tree(tree: Robot, name: str) -> list[p3d.NodePath]:
    model = tree.model
    if name in model.body_names:
        return [tree.body(name)]
    if name in model.site_names:
        return [tree.site(name)]
    return [tree.joint(name)] if name in tree.joints else []
