"""Rig: a rig file in a scene, solved, and reloaded when the file changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.showbase.MessengerGlobal import messenger

from ...errors import BindError, RigFileError, shown
from ...files.file_access import FileAccess, exists, path_of, signature
from ...formats.rig_file import Part, RigDocument, named_files, read_rig_file
from ...formats.xml_limits import robot_sources
from ..actor.actor_rig import ActorRig
from ..behaviours.behaviour import Behaviour
from ..checked_setting import Checked, flag
from ..ik.chain import IKChain
from ..ik.component import IKComponent
from ..ik.dependencies import Step, note_change
from ..ik.phase import Phase, phase_of
from ..ik.plan import Plan
from ..ik.system import IKSystem, LayeredRig
from ..ik.tree import IKTree
from ..robot.robot_nodes import Robot
from .behaviour_factory import checked_grounds
from .build import build
from .contents import RigParts, default_parent
from .model_loader import file_access, files_of, on_model_path, remove_model

if TYPE_CHECKING:
    from typing_extensions import Self


def load_rig(
    path: str | Path,
    model: p3d.NodePath | Robot | str | Path | None = None,
    parent: p3d.NodePath | None = None,
    *,
    watch: bool = False,
    allow: Iterable[str | Path] = (),
    grounds: Mapping[str, object] | None = None,
) -> Rig:
    """Load a rig file into the scene; return the rig, ready to start.

        rig = ikrig.load_rig("assets/rigs/arm.yaml").start()
        rig.targets["arm"].set_pos(1, 0, 2)
        rig.chains["arm"].fade(0.5)

    Args:
        path: The YAML file; the README of ``assets/rigs`` describes its content.
        model: The model to rig: a node above the bones, an Actor, a ``Robot``, or the
            path of a file to load. Default: the file's ``model``, if any.
        parent: The node to attach targets and other made nodes to. Default: beside the
            model; without a model the running ShowBase's ``render``, or nothing if
            there is none.
        watch: Whether to read the file again when it changes while the rig runs. Errors
            are logged once (category ``ikrig``), and the rig continues unchanged.
        allow: Folders whose files it may name besides those below its own folder, below
            the parent of that, and on Panda3D's model-path; links are resolved first.
            ``path`` and ``model`` are the caller's, and may be anywhere.
        grounds: Ground of behaviours of kind ``feet``, by their names, instead of the
            file's: all kinds that ``FootPlacement`` accepts.

    Raises:
        RigFileError: Lists all errors in the file, and all entries that do not fit the
            scene: file, line, column, value, allowed values.
        BindError: ``model``, ``parent`` or ``grounds`` can't be used.
        SettingError: ``allow`` is not a list of folders.
    """
    return Rig(path, model, parent, watch=watch, allow=allow, grounds=grounds)


class Rig(LayeredRig):
    """A rig file in a scene. ``load_rig`` makes it.

    Chains and trees are new objects after each ``reload``: look them up by name when
    you need them. Nodes, robots and the model are kept as long as they are in the file.

    Attributes:
        path: The file.
        root: The node above all nodes that the file has made.
        errors: The current errors of the file; "" if there are none.
    """

    phase = Checked(phase_of, Phase.RELOAD, changed=note_change)
    """The phase of its check for changes: before any chain is solved."""
    watch = Checked(flag)
    """Whether the file is read again when it changes."""

    def __init__(
        self,
        path: str | Path,
        model: p3d.NodePath | Robot | str | Path | None = None,
        parent: p3d.NodePath | None = None,
        *,
        watch: bool = False,
        allow: Iterable[str | Path] = (),
        grounds: Mapping[str, object] | None = None,
    ) -> None:
        self._model_file = ""
        if isinstance(model, (str, Path)):
            # other names may be on the model-path
            there = exists(model)
            self._model_file = str(Path(model).absolute() if there else model)
            model = None
        if model is not None and not isinstance(model, (p3d.NodePath, Robot)):
            raise BindError(
                "model must be a NodePath, an Actor, a Robot or a path, "
                f"not {shown(model)}"
            )
        self.path = path_of(path, RigFileError)
        self.watch = watch
        self.errors = ""
        self._given = model
        self._system: IKSystem | None = None
        self._run_order: Plan | None = None
        plan = self._plan()
        self._grounds = checked_grounds(grounds, plan.parts)
        self._access = FileAccess(path, allow)
        above = default_parent(model) if parent is None else parent
        if not isinstance(above, p3d.NodePath):
            raise BindError(f"parent must be a NodePath, not {shown(parent)}")
        self.root = p3d.NodePath(str(plan.parts.values["name"]))
        if not above.is_empty():
            self.root.reparent_to(above)
        try:
            self._contents = self._build(plan, None)
            """The parts built from the file; a new object after each ``reload``."""
        except Exception:
            self.root.remove_node()
            raise

    def __repr__(self) -> str:
        names = ", ".join([*self.chains, *self.trees]) or "no chains or trees"
        return f"<Rig {self.name}: {names}>"

    # -- contents ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The rig's name."""
        return str(self._contents.parts.values["name"])

    @property
    def model(self) -> Any:
        """The rigged model: a NodePath, an Actor, a Robot or None."""
        return self._contents.model

    @property
    def actor_rig(self) -> ActorRig | None:
        """The ``ActorRig`` of the model, if it is an Actor."""
        return self._contents.actor_rig

    @property
    def chains(self) -> Mapping[str, IKChain]:
        """The chains by name."""
        return MappingProxyType(self._contents.chains)

    @property
    def trees(self) -> Mapping[str, IKTree]:
        """The trees by name."""
        return MappingProxyType(self._contents.trees)

    @property
    def behaviours(self) -> Mapping[str, Behaviour]:
        """The behaviours by name."""
        return MappingProxyType(self._contents.behaviours)

    @property
    def bodies(self) -> Mapping[str, Robot]:
        """The robots that the file has made, by name."""
        return MappingProxyType(self._contents.bodies)

    @property
    def nodes(self) -> Mapping[str, p3d.NodePath]:
        """The nodes that the file has made, by name."""
        return MappingProxyType(self._contents.nodes)

    @property
    def layers(self) -> tuple[object, ...]:
        """Chains, trees and behaviours."""
        return tuple(layer for _, layer in self._named_layers())

    @property
    def _title(self) -> str:
        return f"{self.name} ({self.path.name})"

    def _named_layers(self) -> list[tuple[str, object]]:
        sections = (self.chains, self.trees, self.behaviours)
        return [pair for section in sections for pair in section.items()]

    def _named_components(self) -> dict[str, IKComponent]:
        return {**self._contents.chains, **self._contents.trees}

    @property
    def targets(self) -> Mapping[str, p3d.NodePath]:
        """The target of each chain and each effector, by its name."""
        built = self._contents
        found = {name: chain.target for name, chain in built.chains.items()}
        found |= {name: end.target for name, end in built.effectors.items()}
        return MappingProxyType(found)

    @property
    def sources(self) -> frozenset[Path]:
        """The files that it was read from: its own, those that it names, textures.

        Results that are made with the rig never overwrite them.
        """
        built = self._contents
        named = [built.parts.values.get("model")]
        named += [part.values[""] for part in built.parts.parts("animations").values()]
        found = {*named_files(built.parts, built.folder)}
        found.update(*map(robot_sources, built.files))
        found.update(*(on_model_path(name) for name in named if name))
        for node in (built.model_node, *(body.root for body in built.bodies.values())):
            if node is not None:
                found.update(files_of(node))
        return frozenset(found)

    # -- running -----------------------------------------------------------------------

    def start(self, task_mgr: object = None) -> Self:
        """Solve in every frame from now on; return the rig.

        Args:
            task_mgr: Task manager to run in. Default: the running ShowBase's.
        """
        super().start(task_mgr)
        for rig in self._rigs():
            rig.start(task_mgr)
        return self

    def stop(self) -> None:
        """Stop solving and leave all nodes as they are; no error when not started."""
        for rig in self._rigs():
            rig.stop()
        super().stop()

    def update(self, dt: float) -> None:
        """Solve a frame of dt seconds of all its parts, in order. Never raises.

        First it reads the file again, if that has changed and ``watch`` is set. Once
        started, the system does both in each frame.
        """
        self._check_file(dt)
        self._solve(dt)

    def _steps(self, key: tuple[object, ...]) -> list[Step]:
        # the check for changes: its parts are started too
        return [Step(self, self, self._check_file, key)]

    def _check_file(self, dt: float) -> None:
        """Read the file again if it has changed and ``watch`` is set. Never raises."""
        files = self._contents.files
        if not self.watch or all(
            signature(path) == seen for path, seen in files.items()
        ):
            return
        before = self.errors
        try:
            self.reload()
        except Exception as error:
            # no content of the file may end the frame for all rigs
            self._contents.files = {path: signature(path) for path in files}
            self.errors = str(error)
            if self.errors != before:
                directNotify.newCategory("ikrig").warning(
                    f"{self.errors}\n{self!r} keeps its last valid state"
                )

    def solve(self) -> None:
        """Solve one frame now. Never raises."""
        self.update(p3d.ClockObject.get_global_clock().get_dt())

    def _solve(self, dt: float) -> None:
        if self._run_order is None:
            self._run_order = Plan(self._rigs())
        self._run_order.run(dt)

    def reload(self) -> None:
        """Read the file again; when it has errors nothing changes.

        Entries that are the same keep their current state: positions of nodes, weights.
        Changed weights fade to their new values, and new chains fade in. ``messenger``
        sends "ikrig-reloaded" with the rig.

        Raises:
            RigFileError: Lists all errors.
            BindError: The rig was removed.
        """
        if self.root.is_empty():
            raise BindError(f"{self!r} was removed: load it again")
        old = self._contents
        if old.actor_rig is not None:
            old.actor_rig._outgoing = tuple(old.chains.values())
        try:
            new = self._build(self._plan(), old)
        finally:
            if old.actor_rig is not None:
                old.actor_rig._outgoing = ()
        before, after = old.solved, new.solved
        running = self._system is not None
        task_mgr = self._system.task_mgr if self._system is not None else None
        for rig in before.values():
            rig.stop()
        if old.actor_rig is not None:
            for rig in before.values():
                old.actor_rig.remove(rig)
        for key, rig in after.items():
            section, name = key
            if key not in before:
                fade_in(rig)
                continue
            parts = [built.parts.parts(section)[name] for built in (old, new)]
            carry_over(rig, before[key], *parts)
        for name, behaviour in new.behaviours.items():
            last = old.behaviours.get(name)
            if last is not behaviour:
                wanted = behaviour.weight
                behaviour.weight = last.weight if last is not None else 0.0
                behaviour.fade(wanted)
        self._contents, self._run_order = new, None
        self.errors = ""
        self.root.set_name(self.name)
        remove_unused(old, new)
        if running:
            for part in self._rigs():
                part.start(task_mgr)
            # if called outside a frame, the next drawn frame is posed already
            self._solve(0.0)
        messenger.send("ikrig-reloaded", [self])

    def remove(self) -> None:
        """Stop it, and remove all nodes that the file has made from the scene."""
        self.stop()
        self._run_order = None
        built = self._contents
        if built.actor_rig is not None:
            built.actor_rig.detach()
        for tree in built.bodies.values():
            tree.remove()
        if self._given is None:
            remove_model(built.model)
        self.root.remove_node()

    def _plan(self) -> RigDocument:
        plan = read_rig_file(self.path)
        if self._model_file:
            plan.parts.values["model"] = self._model_file
        return plan

    def _build(self, plan: RigDocument, old: RigParts | None) -> RigParts:
        """Build the file's content; it may open no more than at first."""
        return build(
            plan,
            self.root,
            self._given,
            old,
            access=file_access(self.path, self._access),
            model_given=bool(self._model_file),
            grounds=self._grounds,
        )

    def _rigs(self) -> list[LayeredRig]:
        built = self._contents
        rigs: list[LayeredRig] = [
            rig for rig in built.solved.values() if rig not in built.layers
        ]
        return rigs if built.actor_rig is None else [*rigs, built.actor_rig]


def fade_in(rig: IKComponent) -> None:
    weight, rig.weight = rig.weight, 0.0
    rig.fade(weight)


def carry_over(rig: IKComponent, old: IKComponent, former: Part, part: Part) -> None:
    """Copy the state that is not in the file: weight, pose, and target offsets.

    The weight that the game has set is kept if the file has not changed it.
    """
    wanted = rig.weight
    rig.weight = old.weight
    if all(former.values.get(k) == part.values.get(k) for k in ("weight", "dormant")):
        rig._fading = old._fading
    elif wanted != old.weight:
        rig.fade(wanted)
    before = {effector.leaf: effector for effector in old.effectors}
    for effector in rig.effectors:
        last = before.get(effector.leaf)
        if last is not None and last.target == effector.target:
            effector.target_offset = last.target_offset
    if rig.bones == old.bones:
        rig._resume(old._state())


def remove_unused(old: RigParts, new: RigParts) -> None:
    for name, tree in old.bodies.items():
        if new.bodies.get(name) is not tree:
            tree.remove()
    for name, behaviour in old.behaviours.items():
        if new.behaviours.get(name) is not behaviour:
            behaviour.remove()
    for name, node in old.nodes.items():
        if new.nodes.get(name) != node:
            node.remove_node()
    if old.actor_rig is not None and old.actor_rig is not new.actor_rig:
        old.actor_rig.detach()
    if old.model is not new.model:
        remove_model(old.model)
