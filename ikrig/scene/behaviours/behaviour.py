"""Behaviour: base class of the behaviours of an ActorRig."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, cast

import panda3d.core as p3d
from direct.actor.Actor import Actor
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...copies import Uncopied
from ...errors import BindError, shown
from ...formats.rig_file.sections import BEHAVIOURS, COMMON
from ...kernels.node_frame import NodeReader
from ...math3d.quaternion import Floats
from ...math3d.timestep import LONGEST, SHORTEST, sound_dt
from ...model.pose import Pose, joint_index
from ...records import Record
from ..actor.actor_figure import joint_named
from ..actor.actor_rig import ActorRig
from ..checked_setting import Checked, flag, fraction, order_of
from ..fade import Fade, Fading
from ..ik.component import IKComponent
from ..ik.dependencies import note_change
from ..ik.node_rig import NodeRig
from ..ik.phase import Phase, phase_of

if TYPE_CHECKING:
    from direct.task.Task import TaskManager
    from typing_extensions import Self


def check_rig(rig: object, *, on_nodes: bool = False) -> ActorRig:
    # an Actor is a node too, but has joints of its own
    if on_nodes and isinstance(rig, p3d.NodePath) and not isinstance(rig, Actor):
        return cast(ActorRig, NodeRig(rig))
    if not isinstance(rig, ActorRig | NodeRig):
        raise BindError(f"rig must be an ActorRig, not {shown(rig)}")
    return cast(ActorRig, rig)


def joint_in(rig: ActorRig | NodeRig, name: object, what: str) -> str:
    if isinstance(rig, NodeRig):
        pose = rig.skeleton.pose
        return pose.names[joint_index(pose, name, what)]
    return joint_named(rig.skeleton, name, what)


class Behaviour(Fading, Uncopied):
    """A layer with a weight that can fade.

    A subclass defines ``_frame(dt)``, and ``_reset()``, which is called when it is
    stopped and while its weight is 0. ``_frame`` raises BindError when it can't work;
    that is logged once.

    Attributes:
        kind: Its word in rig files. A class with a kind and a record is known to rig
            files, ``dump_rig``, the JSON Schema and the studio.
        record: The keys of its entry in rig files: arguments of the constructor.
        title: Its name in menus. Default: its kind.
        first: Values with which an editor begins one, besides target and joints.
        handles_key: Key of a node whose children are handles along its joints, which an
            editor makes.

    Args:
        rig: The rig that it belongs to.
        order: Inside its phase, layers with a lower order run first.
        weight: 0: no effect; 1: full effect.

    Raises:
        BindError: ``rig`` is not an ActorRig.
        SettingError: The weight is out of range.
    """

    kind: ClassVar[str]
    record: ClassVar[Record]
    title: ClassVar[str] = ""
    first: ClassVar[Mapping[str, object]] = MappingProxyType({})
    handles_key: ClassVar[str] = ""

    phase = Checked(phase_of, Phase.LIMBS, changed=note_change)
    """Phase of the frame in which it changes the pose."""
    order = Checked(order_of, changed=note_change)
    """Inside a phase, layers with a lower order run first."""
    _phase: Phase
    _on_pose = True
    """It changes the skeleton's pose, not the joints' nodes."""
    _on_nodes = False
    """Whether it works on plain nodes too."""
    started = Checked(flag, changed=lambda self: self._started or self._reset())
    """Whether the rig updates it. Where not, its chains stop, too."""
    weight: Checked[float] = Checked(fraction)
    """Weight of its effect, 0 to 1; ``fade`` changes it gradually."""

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            BEHAVIOURS[cls.kind] = cls
            cls.title = vars(cls).get("title") or cls.kind.replace("_", " ")

    def __init__(
        self, rig: ActorRig | p3d.NodePath, order: float, weight: float
    ) -> None:
        self.rig = check_rig(rig, on_nodes=self._on_nodes)
        self._skeleton = self.rig.skeleton
        self._space = self._skeleton.space
        self.order = order
        self._started = True
        self.weight = weight
        self._fading: Fade | None = None
        self._last_error = ""
        self._was_disabled = False
        """Whether the weight was 0 in the last frame."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.rig._title}>"

    @property
    def parts(self) -> tuple[IKComponent, ...]:
        """The chains that it has made and moves."""
        return ()

    def _lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        """Return pairs of a joint that points or reaches and its target, for gizmos.

        The targets can then be dragged.
        """
        return []

    def _outlines(self) -> list[tuple[p3d.NodePath, list[Floats]]]:
        """Return lines to draw, (n, 3) each, and the node in whose space they are."""
        return []

    def _dragged(self, node: p3d.NodePath) -> dict[tuple[str, ...], object]:
        """Return what a rig file must say after a node of ``_lines`` was dragged.

        Values by the keys that lead to them in its entry; none for a node of the rig
        file or of the game.
        """
        return {}

    def _entries(self) -> dict[str, object]:
        """Return the values that make an equal behaviour, by the keys of rig files.

        Nodes are NodePaths. ``weight``, ``phase``, ``order`` and default values are
        left out. These are the attributes that have the names of the record's keys,
        perhaps with an underscore before.
        """
        keys = [key for key in self.record.fields if key not in COMMON]
        return {k: getattr(self, k, getattr(self, f"_{k}", None)) for k in keys}

    def reads(self) -> Sequence[p3d.NodePath | None]:
        """Return the nodes that it reads: it runs after the layers that move them."""
        return []

    def _parents_of(self, joints: Iterable[str]) -> list[p3d.NodePath]:
        """Return the parent node of each joint, as far as rigs may move it."""
        if isinstance(self.rig, NodeRig):
            return []
        skeleton = self._skeleton
        above = (skeleton.parents[joint] for joint in joints)
        return [skeleton.space if up is None else skeleton.own_node(up) for up in above]

    def start(self, task_mgr: TaskManager | None = None) -> Self:
        """Start it; one of an Actor is started when it is made.

        Args:
            task_mgr: On plain nodes, the task manager to run in. Default: the running
                ShowBase's.
        """
        self.started = True
        if isinstance(self.rig, NodeRig):
            self.rig.start(task_mgr)
        return self

    def stop(self) -> None:
        """Return the joints to the animation at once; ``fade`` does so gradually."""
        self.started = False

    def remove(self) -> None:
        """Remove it from its rig."""
        self.stop()
        self.rig.remove(self)

    @property
    def _acts(self) -> bool:
        """Whether it would change the pose at a weight above 0."""
        return True

    @property
    def _idle(self) -> bool:
        """Whether a frame changes neither joints nor weight."""
        rests = (self._was_disabled and self.weight == 0.0) or not self._acts
        return rests and self._fading is None

    def apply(self, _pose: Pose, dt: float) -> None:
        """Change the pose of its Actor for a frame of dt seconds. Never raises."""
        if type(dt) is not float or not SHORTEST <= dt <= LONGEST:
            dt = sound_dt(dt)
        if self._fading is not None:
            self._step_fade(dt)
            if not self._acts:
                return
        if self.weight == 0.0:
            self._was_disabled = True
            self._reset()
            return
        try:
            self._frame(dt)
            message = ""
        except (BindError, AssertionError) as error:
            # Panda3D raises AssertionError for numbers that it can't use
            message = str(error)
        self._was_disabled = False
        if message != self._last_error:
            self._log(message)

    def _log(self, message: str) -> None:
        """Log an error once."""
        if message and message != self._last_error:
            directNotify.newCategory("ikrig").warning(f"{self}: {message}")
        self._last_error = message

    def _frame(self, dt: float) -> None:
        """Change the pose for a frame of dt seconds."""
        raise NotImplementedError

    def _reset(self) -> None:
        """Discard the state, so that the next frame starts anew."""


def reader_of(node: p3d.NodePath | None, space: p3d.NodePath) -> NodeReader | None:
    """Return a reader of a target's transform in a space."""
    # a separate handle, which the user cannot empty
    return None if node is None else NodeReader(p3d.NodePath(node), space)
