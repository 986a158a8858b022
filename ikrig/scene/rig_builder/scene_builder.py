"""SceneBuilder: makes the nodes and robots of a rig file, and loads its model."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import AccessError, BindError, IkrigError, suggest
from ...files.file_access import FileAccess, signature
from ...formats.part import Values, entry_values
from ...formats.rig_file import Part, make_limit
from ...formats.rig_file.sections import JOINT_SETTINGS, names_in
from ...formats.yaml_reader import Node, YamlFile
from ...math3d.quaternion import from_rpy
from ...model.body_spec import JointKind
from ...model.grip import Grip
from ...model.limits import LIMITS, Limit
from ...model.robot import RobotModel
from ..actor.actor_rig import ActorRig
from ..behaviours.grips import own_grips, set_grips
from ..ik.targets import tip_position
from ..robot.robot_nodes import Robot
from .contents import Model, NameResolver, RigParts
from .model_loader import (
    find_file,
    is_description,
    load_description,
    load_model,
    remove_model,
)


class LocatedError(IkrigError):
    """An error in the scene, with its position in the file."""

    def __init__(self, position: Node, message: str) -> None:
        super().__init__(message)
        self.position = position


class ErrorReporter:
    """Reports errors as diagnostics of the file, each at its line.

    Args:
        file: The file.
    """

    def __init__(self, file: YamlFile) -> None:
        self.file = file

    @contextmanager
    def report(self, part: Part, key: str = "") -> Iterator[None]:
        """Report the error for which a part can't be made.

        Args:
            part: The part.
            key: Key of the error; by default as in the message, or the whole part.
        """
        try:
            yield
        except LocatedError as error:
            self.file.report_error(error.position, str(error))
        except (IkrigError, AssertionError) as error:
            text = "; ".join(str(error).splitlines())
            # messages begin with the key that they are about
            about = text.replace(":", " ").partition(" ")[0]
            named = [k for k, value in part.values.items() if value == about]
            source = key or (named[0] if named else about)
            position = _source_node(part, source, text)
            self.file.report_error(position, f"{key}: {text}" if key else text)


def _source_node(part: Part, key: str, text: str) -> Node:
    """Return the position of a key; of entries, that of the first one in the text."""
    value = part.values.get(key)
    if isinstance(value, dict):
        named = [name for name in value if repr(name) in text]
        if named:
            first: Part = value[min(named, key=lambda name: text.index(repr(name)))]
            return first.positions[""]
    return part.positions.get(key, part.positions[""])


class SceneBuilder:
    """Makes the nodes that chains of a rig file are on and reach for.

    Objects of the last reading are kept, with their transforms, as long as their
    entries in the file are the same.

    Args:
        made: Receives the objects.
        old: The parts of the last reading.
        root: The node above everything.
        reporter: Reports errors.
        undo: Receives callbacks that restore the former state.
    """

    def __init__(
        self,
        made: RigParts,
        old: RigParts | None,
        root: p3d.NodePath,
        reporter: ErrorReporter,
        undo: ExitStack,
    ) -> None:
        self.made = made
        self.old = old
        self.root = root
        self.reporter = reporter
        self.undo = undo
        self.models: dict[Path, RobotModel] = {}
        """Robot models that were read."""
        with reporter.report(made.parts, "model"):
            self._set_model()
        self.names = NameResolver(made, root.get_parent())
        waiting = {**made.parts.parts("bodies"), **made.parts.parts("nodes")}
        while waiting:
            # parents first; not recursive, since chains may be a thousand long
            path = dict.fromkeys([next(iter(waiting))])
            while path:
                last = next(reversed(path))
                above = _waiting_parent(waiting[last], waiting, path)
                if above is None:
                    del path[last]
                    self._attach(last, waiting.pop(last))
                else:
                    path[above] = None

    def find(self, part: Part, key: str) -> p3d.NodePath:
        try:
            return self.names.find(part.values[key])
        except BindError as error:
            raise LocatedError(part.positions[key], f"{key}: {error}") from None

    def target_at(self, name: str, tip: Sequence[float]) -> p3d.NodePath:
        """Return a target at the current tip, for an entry without one."""
        made = self.made
        if made.actor_rig is not None:
            # its nodes have the joints' pose from now on
            made.actor_rig.update(0.0)
        if made.actor_rig is not None and self.names.is_joint(name):
            # it need not follow
            leaf = made.actor_rig.skeleton.own_node(name)
            made.actor_rig.skeleton.show_all()
        else:
            leaf = self.names.find(name)
        own = f"{leaf.get_name()} Target"
        while own in made.nodes:
            own += "'"
        node, fresh = self._node(own, self.root)
        if fresh:
            pos, quat = tip_position(leaf, tip, self.root), leaf.get_quat(self.root)
            node.set_pos_quat(pos, quat)
            made.placed[own] = node.get_transform()
        elif self.old is not None:
            made.placed[own] = self.old.placed[own]
        return node

    # -- model -------------------------------------------------------------------------

    def _set_model(self) -> None:
        made, old, values = self.made, self.old, self.made.parts.values
        if made.model is None and "model" in values:
            text = values["model"]
            files = made.parts.parts("animations")
            animations = {name: part.values[""] for name, part in files.items()}
            path = made.folder / text
            made.model_key = text, animations, signature(path)
            if made.model_key[2]:
                made.files[path] = made.model_key[2]
            if old is not None and old.model_key == made.model_key:
                made.model = old.model
            else:
                made.model = self._load(text)
                self.undo.callback(remove_model, made.model)
        if isinstance(made.model, Actor):
            part = values.get("part", "modelRoot")
            former = old.actor_rig if old and old.model is made.model else None
            if former is None or former.part != part:
                former = ActorRig(made.model, part)
                self.undo.callback(former.detach)
            made.actor_rig = former

    def _load(self, text: str) -> Model:
        made, path = self.made, self.made.folder / text
        given = made.model_given
        if is_description(text):
            if not given:
                made.access.check(path, text)
            own = FileAccess(path, made.access) if given else made.access
            return Robot(load_description(path, own), self.root)
        animations = {}
        access = None if given else made.access
        before = self.reporter.file.error_count
        for name, part in made.parts.parts("animations").items():
            file = part.values[""]
            with self.reporter.report(part):
                try:
                    found = find_file(file, made.folder, made.access)
                except AccessError as error:
                    about = f"animation {name!r}: {error}"
                    raise LocatedError(part.positions[""], about) from None
                animations[name] = file if found is None else found
        if self.reporter.file.error_count > before:
            # that of the model too
            find_file(text, made.folder, access)
            return None
        return load_model(text, made.folder, self.root, animations, access)

    # -- nodes and robots --------------------------------------------------------------

    def _attach(self, name: str, part: Part) -> None:
        above = self.root
        if "parent" in part.values:
            with self.reporter.report(part):
                above = self.find(part, "parent")
        key = "bodies" if name in self.made.parts.parts("bodies") else "nodes"
        if key == "nodes":
            node, fresh = self._node(name, above)
        else:
            fresh = self._body(name, part, above)
            if name not in self.made.bodies:
                return
            node = self.made.bodies[name].root
        former = None if fresh or not self.old else self.old.parts.parts(key).get(name)
        self._set_transform(part, former, node, above)
        self._set_grips(part, former, node)

    def _node(self, name: str, above: p3d.NodePath) -> tuple[p3d.NodePath, bool]:
        node = self.old.nodes.get(name) if self.old else None
        fresh = node is None or node.is_empty()
        if node is None or fresh:
            node = above.attach_new_node(name)
            self.undo.callback(node.remove_node)
        self.made.nodes[name] = node
        return node, fresh

    def _set_transform(
        self, part: Part, former: Part | None, node: p3d.NodePath, above: p3d.NodePath
    ) -> None:
        """Set a node's transform from the file, unless the entry is unchanged."""
        keys = ("parent", "pos", "quat", "rpy", "scale")
        if former is not None and self.old is not None and node.get_parent() == above:
            before, now = former.values, part.values
            if all(before.get(key) == now.get(key) for key in keys):
                self.made.placed[part.name] = self.old.placed[part.name]
                return
        self.undo.callback(node.set_transform, node.get_transform())
        self.undo.callback(node.reparent_to, node.get_parent())
        node.reparent_to(above)
        node.set_transform(_transform(part))
        self.made.placed[part.name] = node.get_transform()

    def _set_grips(self, part: Part, former: Part | None, node: p3d.NodePath) -> None:
        """Tag a node with its grips in the file, if those have changed."""
        now, before = (
            {name: Grip(**entry.values) for name, entry in each.parts("grips").items()}
            for each in (part, former or Part(""))
        )
        if now != before:
            self.undo.callback(set_grips, node, own_grips(node))
            set_grips(node, now)

    def _body(self, name: str, part: Part, above: p3d.NodePath) -> bool:
        """Make a robot if its file is valid; return whether it is new."""
        made, values, old = self.made, part.values, self.old
        path = made.folder / values["file"]
        made.files[path] = signature(path)
        starts = [
            {joint: at.values[""] for joint, at in part.parts(key).items()}
            for key in ("angles", "slides")
        ]
        key = (path, made.files[path], values.get("shapes"), starts)
        fresh = old is None or old.body_keys.get(name) != key
        if old is None or fresh:
            with self.reporter.report(part, "file"):
                if not is_description(path.name):
                    raise BindError(f"{path.name} is not a YAML, URDF or MJCF file")
                made.access.check(path, values["file"])
                # the file of a robot that is used several times is read once
                if path not in self.models:
                    self.models[path] = load_description(path, made.access)
                model = self.models[path]
                shapes = values.get("shapes", "visual")
                tree = Robot(model, above, shapes=None if shapes == "none" else shapes)
                self.undo.callback(tree.remove)
                self._start(tree, part)
                made.bodies[name] = tree
        else:
            made.bodies[name] = old.bodies[name]
        made.body_keys[name] = key
        return fresh

    def _start(self, tree: Robot, part: Part) -> None:
        for key, kind in (("angles", JointKind.HINGE), ("slides", JointKind.SLIDE)):
            for name, at in part.parts(key).items():
                try:
                    joint = tree.joints[name]
                    if joint.kind is not kind:
                        raise BindError(
                            f"joint {name!r} is a {joint.kind.value}: give hinges in "
                            "angles_deg, slides in slides"
                        )
                    joint.value = at.values[""]
                except IkrigError as error:
                    self.reporter.file.report_error(at.positions[""], str(error))


def _waiting_parent(
    part: Part, waiting: Container[str], path: Container[str]
) -> str | None:
    """Return the parent of a part if it waits and is not on the current path."""
    parent: str = part.values.get("parent", "")
    names = (parent, parent.partition("/")[0])
    found = (name for name in names if name in waiting and name not in path)
    return next(found, None)


def _transform(part: Part) -> p3d.TransformState:
    values: Values = part.values
    quat = values.get("quat", (1.0, 0.0, 0.0, 0.0))
    if "rpy" in values:
        quat = from_rpy(values["rpy"]).tolist()
    rotation = p3d.LQuaternionf(*quat)
    rotation.normalize()
    size = values.get("scale", 1.0)
    return p3d.TransformState.make_pos_quat_scale(
        p3d.LPoint3f(*values.get("pos", (0.0, 0.0, 0.0))),
        rotation,
        p3d.LVector3f(*(size if isinstance(size, tuple) else (size,) * 3)),
    )


def limits_by_joint(part: Part, names: Sequence[str]) -> dict[str | int, Limit]:
    """Return the limits by joint; numbers that are not names are indices."""
    found: dict[str | int, Limit] = {}
    for name, entry in part.parts("limits").items():
        values = dict(entry.values)
        for key in names_in(LIMITS[values["kind"]].record, joints=True):
            if key in values:
                node = entry.positions[key]
                values[key] = _joint(values[key], names, key, node)
        joint = _joint(name, names, "limits", entry.positions[""])
        found[joint] = make_limit(Part(name, values))
    return found


def settings_by_joint(
    part: Part, names: Sequence[str], others: Collection[str]
) -> Values:
    """Return the settings that have a value for each joint, by joint as the limits."""
    found: Values = {}
    for key in JOINT_SETTINGS:
        entries = part.values.get(key)
        if not isinstance(entries, dict):
            continue
        found[key] = values = {}
        for name, value in entry_values(entries).items():
            # a posture's values are plain; others are entries with positions
            nodes = getattr(entries[name], "positions", {})
            node = nodes.get("", part.positions[key])
            values[_joint(name, names, key, node, others)] = value
    return found


def _joint(
    name: str, names: Sequence[str], what: str, node: Node, others: Collection[str] = ()
) -> str | int:
    if name in names or name in others:
        return name
    if name.lstrip("-").isdecimal():
        return int(name)
    text = f"{what}: there is no joint {name!r} here: {suggest(name, names)}"
    raise LocatedError(node, text)
