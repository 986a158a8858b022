"""Watch: records what moves in a scene as Motions, and measures their quality."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import panda3d.core as p3d

from ...clip import Clip
from ...copies import Uncopied
from ...errors import BindError, SettingError, shown
from ...math3d.quaternion import Floats
from ...math3d.timestep import sound_dt
from ...model.motion import Motion
from ...model.pose import nets_of
from ...quality import Report, measure
from ...value_shapes import Number, checked
from ..actor.actor_figure import limbs_of, net_transforms, skins_of
from ..actor.actor_model import joints_of, model_of
from ..actor.actor_skeleton import TAG, ActorSkeleton
from ..baking.offline_frames import offline_frames
from ..behaviours.foot_placement import FootPlacement
from ..behaviours.sole import Corner, find_sole
from ..checked_setting import Checked
from ..ik.dependencies import note_change
from ..ik.node_transforms import decomposed, matrices
from ..ik.phase import Phase, phase_of
from ..ik.system import Startable
from ..rig_builder.contents import contents_of, node_of
from .actor_motion import Sole, soles_of

SECONDS = Number("seconds above 0, at most 600", 0.0, 600.0, above=True)
MOST_FRAMES = 36_000
NODES = "nodes"
T = TypeVar("T")
"""Name of the motion of everything that is no Actor."""


def watch(
    rig: object,
    *,
    ground: object = None,
    source: object = None,
    seconds: float = 60.0,
    task_mgr: object = None,
) -> Watch:
    """Watch a rig in a running game; return the ``Watch``, started.

        watched = ikrig.quality.watch(rig)
        ...  # play
        print(watched.report())

    Args:
        rig: A rig, or a node: all Actors and nodes below it are watched.
        ground: Height of the ground: a number or a function of x and y, in the scene.
            Default: the ground of the rig's ``FootPlacement`` if it is one of these,
            or else the level on which the feet stand most.
        source: A second Actor that plays the same without IK.
        seconds: How much to keep: the last so many seconds.
        task_mgr: The task manager that runs the rig. Default: the running ShowBase's.

    Raises:
        BindError: It is no rig or node.
        SettingError: An argument is invalid.
    """
    made = Watch(rig, ground=ground, source=source, seconds=seconds)
    return made.start(task_mgr)


def played(rig: object, clip: Clip, fps: float, ground: object = None) -> Watch:
    """Return a watch that has seen a rig play a clip, frame by frame."""
    seen, last = Watch(rig, ground=ground, seconds=600.0), 0.0
    for time in offline_frames(rig, clip, fps):
        seen.update(time - last)
        last = time
    return seen


class _Body(NamedTuple):
    names: list[str]
    parents: list[int]
    joints: list[p3d.CharacterJoint]
    soles: dict[str, Sole]
    corners: dict[str, list[tuple[int, p3d.LPoint3f]]]
    """The same, by the index of the joint, in joints as they are scaled."""
    rest: tuple[Floats, Floats]
    mats: tuple[p3d.PTA_LMatrix4f, memoryview[float]]
    """Where a frame's matrices are written."""


class _Frame(NamedTuple):
    """What is seen in a frame: by name, all by path below the node."""

    time: float
    nodes: dict[str, Floats]
    mats: dict[str, Floats]
    below: dict[str, dict[str, list[float]]]
    """Heights of the ground below the soles' points, by foot."""


class Watch(Startable, Uncopied):
    """Records a rig, or all Actors and nodes below a node, after each frame's IK.

    Args:
        rig: As for ``watch``.
        ground: As for ``watch``.
        source: As for ``watch``.
        seconds: As for ``watch``.

    Raises:
        BindError: It is no rig or node.
        SettingError: An argument is invalid.
    """

    phase = Checked(phase_of, Phase.RECORD, changed=note_change)
    """After all rigs of the frame."""

    def __init__(
        self,
        rig: object,
        *,
        ground: object = None,
        source: object = None,
        seconds: float = 60.0,
    ) -> None:
        self.seconds = checked(SECONDS, seconds, "seconds", SettingError)
        self._tops = [rig] if isinstance(rig, p3d.NodePath) else _tops_of(rig)
        if source is not None and not isinstance(source, p3d.NodePath):
            raise BindError(f"source must be an Actor or a node, not {shown(source)}")
        self._source = None if source is None else Watch(source, seconds=seconds)
        self._soles: Mapping[str, Sequence[Corner]] = {}
        own = None
        if not isinstance(rig, p3d.NodePath):
            own, self._soles = _feet_of(rig)
        self.ground: Any = own if ground is None else ground
        self._system = None
        self._bodies: dict[str, _Body] = {}
        self._mats = matrices(1)
        self._frames: deque[_Frame] = deque(maxlen=MOST_FRAMES)
        self._cuts: dict[float, str] = {}
        self._cut = ""

    def mark(self, cause: str) -> None:
        """Announce a leap before the next frame, such as "teleport"."""
        self._cut = cause

    def update(self, dt: float) -> None:
        """Record a frame, dt seconds after the last one."""
        dt, frames = sound_dt(dt), self._frames
        if frames and dt <= 0.0:
            return
        frame = _Frame(frames[-1].time + dt if frames else 0.0, {}, {}, {})
        nodes: dict[str, p3d.NodePath] = {}
        for top in self._tops:
            for name, path in _walk(top) if not top.is_empty() else ():
                if isinstance(path.node(), p3d.Character):
                    self._record(name, path, frame)
                else:
                    nodes[name] = path
        # numbers, as ShowBase looks through all held states in each frame
        if len(nodes) > len(self._mats[0]):
            self._mats = matrices(len(nodes))
        mats, flat = self._mats
        for k, path in enumerate(nodes.values()):
            mats[k] = path.get_mat()
        rows = np.array(flat).reshape(-1, 4, 4)
        frame.nodes.update(zip(nodes, rows, strict=False))
        if self._cut:
            self._cuts[frame.time], self._cut = self._cut, ""
        frames.append(frame)
        while frame.time - frames[0].time > self.seconds:
            self._cuts.pop(frames.popleft().time, None)
        if self._source is not None:
            self._source.update(dt)

    def _record(self, name: str, path: p3d.NodePath, frame: _Frame) -> None:
        body = self._bodies.get(name)
        node = path.node()
        assert isinstance(node, p3d.Character)
        node.get_bundle(0).force_update()
        if body is None:
            body = self._bodies[name] = _body(path, self._soles)
        top, net = path.get_net_transform().get_mat(), p3d.LMatrix4f()
        for k, joint in enumerate(body.joints):
            joint.get_net_transform(net)
            body.mats[0][k] = net * top
        mats = frame.mats[name] = np.array(body.mats[1]).reshape(-1, 4, 4)
        if callable(self.ground):
            frame.below[name] = {
                foot: [self._height(np.array((*at, 1.0)) @ mats[k]) for k, at in sole]
                for foot, sole in body.corners.items()
            }

    def _height(self, point: Floats) -> float:
        return float(self.ground(float(point[0]), float(point[1])))

    def motions(self) -> dict[str, Motion]:
        """Return what was recorded: a motion of each Actor, and one of all other nodes.

        Raises:
            BindError: No frame was recorded.
        """
        if not self._frames:
            raise BindError("no frame was recorded: run at least one frame before")
        times = np.array([frame.time for frame in self._frames])
        order = {time: k for k, time in enumerate(times.tolist())}
        rest = {
            "times": times - times[0],
            "cuts": {order[time]: cause for time, cause in self._cuts.items()},
        }
        found = {}
        mats = _filled([frame.mats for frame in self._frames])
        for name, body in self._bodies.items():
            if name in mats:
                found[name] = Motion.from_world(
                    *decomposed(np.array(mats[name])),
                    rest=body.rest,
                    names=body.names,
                    parents=body.parents,
                    name=name,
                    soles=body.soles,
                    **rest,
                )
        nodes = _filled([frame.nodes for frame in self._frames])
        if nodes:
            turns = decomposed(np.array(list(nodes.values())))[0]
            found[NODES] = Motion(
                names=list(nodes),
                parents=[-1] * len(nodes),
                offsets=np.zeros((len(nodes), 3)),
                rotations=np.swapaxes(turns, 0, 1),
                name=NODES,
                **rest,
            )
        return found

    def reports(self, limits: Mapping[str, float | None] | None = None) -> list[Report]:
        """Return the quality of each motion.

        Args:
            limits: As for ``measure``.
        """
        sources = list(self._source.motions().values()) if self._source else []
        below = _filled([frame.below for frame in self._frames])
        found = []
        for name, motion in self.motions().items():
            ground = self.ground
            if callable(ground):
                rows = below.get(name, [{}])
                ground = {foot: [row[foot] for row in rows] for foot in rows[0]} or None
            same = (s for s in sources if s.names == motion.names)
            source = next((s for s in same if len(s) == len(motion)), None)
            found.append(measure(motion, ground, source, limits))
        return found

    def report(self, limits: Mapping[str, float | None] | None = None) -> Report:
        """Return the quality of the Actor, or of the nodes where there is none."""
        return self.reports(limits)[0]


def _tops_of(rig: object) -> list[p3d.NodePath]:
    parts = contents_of(rig)
    node = node_of(parts.model)
    if node is not None:
        return [node]
    chains = [*parts.chains.values(), *parts.trees.values()]
    bones = [bone for chain in chains for bone in chain.bones]
    return [b for b in bones if not any(a in bones for a in list(b.ancestors)[1:])]


def _feet_of(
    rig: object,
) -> tuple[Callable[..., float] | None, Mapping[str, Sequence[Corner]]]:
    """Return the ground of a rig's feet if it is a function, and their soles."""
    for layer in contents_of(rig).behaviours.values():
        if isinstance(layer, FootPlacement):
            ground = getattr(layer.ground, "height", layer.ground)
            soles = {foot.name: foot.sole for foot in layer._feet}
            return ground if callable(ground) else None, soles
    return None, {}


def _walk(top: p3d.NodePath) -> Iterator[tuple[str, p3d.NodePath]]:
    """Yield path and node of all below a node, but not below Actors, and itself."""
    nodes: list[tuple[p3d.NodePath, str]] = [(top, "")]
    seen: set[str] = set()
    while nodes:
        path, above = nodes.pop()
        if isinstance(path.node(), p3d.Character):
            # Panda3D's name of an Actor's character says nothing
            yield above or path.get_name(), path
            continue
        name = f"{above}/{path.get_name()}" if above else path.get_name()
        while name in seen:
            name += "+"
        seen.add(name)
        yield name, path
        nodes += [(child, name) for child in path.children]


def _body(path: p3d.NodePath, known: Mapping[str, Sequence[Corner]]) -> _Body:
    """Return a character's joints, soles and rest pose, from its rig if it has one."""
    node = path.node()
    assert isinstance(node, p3d.Character)
    bundle = node.get_bundle(0)
    own = model_of(bundle).joints
    rest = nets_of(np.reshape(own.rest_numbers, (-1, 4, 4)), own.parents)
    soles: dict[str, Sole] = {}
    standing: dict[str, Sequence[Corner]] = {}
    for child in path.children:
        tag = child.get_python_tag(TAG)
        skeleton = tag() if tag is not None else None
        if isinstance(skeleton, ActorSkeleton) and skeleton.is_current:
            nets = net_transforms(skeleton)
            feet = [b.joints[-1] for b in limbs_of(skeleton).limbs if b.kind == "foot"]
            standing = {
                foot: known[foot] if foot in known else find_sole(skeleton, foot, nets)
                for foot in feet
            }
            size = float(skeleton.actor.get_net_transform().get_scale()[0])
            soles = soles_of(nets, standing, size)
    bearing = {joint for sole in standing.values() for joint, _ in sole}
    seen = _in_sight(own.names, own.parents, _movers(path) | bearing | set(standing))
    index = {own.names[k]: n for n, k in enumerate(seen)}
    corners = {
        foot: [(index[joint], point) for joint, point in sole]
        for foot, sole in standing.items()
    }
    turns, places = decomposed(rest[seen])
    # of the size that it has in the scene
    still = turns, places * float(path.get_net_transform().get_scale()[0])
    above = [seen.index(own.parents[k]) if own.parents[k] >= 0 else -1 for k in seen]
    joints = joints_of(bundle)
    return _Body(
        list(index), above, [joints[name] for name in index], soles, corners, still,
        matrices(len(index)),
    )  # fmt: skip


def _movers(path: p3d.NodePath) -> set[str]:
    """Return the joints that move a character's skin."""
    found = set()
    for data in skins_of(path):
        table = data.get_transform_blend_table()
        assert table is not None
        for k in range(table.get_num_blends()):
            blend = table.get_blend(k)
            for n in range(blend.get_num_transforms()):
                moved_by = blend.get_transform(n)
                if isinstance(moved_by, p3d.JointVertexTransform):
                    found.add(moved_by.get_joint().get_name())
    return found


def _in_sight(
    names: Sequence[str], parents: Sequence[int], movers: set[str]
) -> list[int]:
    """Return the joints that move something, those above and those below them.

    The others are aids of whoever animated it, and may leap. All, if none moves skin.
    """
    below = [name in movers for name in names]
    above = list(below)
    for k, parent in enumerate(parents):
        below[k] |= parent >= 0 and below[parent]
    for k in reversed(range(len(names))):
        if above[k] and parents[k] >= 0:
            above[parents[k]] = True
    seen = [k for k in range(len(names)) if below[k] or above[k]]
    return seen or list(range(len(names)))


def _filled(rows: Sequence[Mapping[str, T]]) -> dict[str, list[T]]:
    """Return the values of all frames by name; what is away is as it was seen last."""
    known: dict[str, T] = {}
    for row in reversed(rows):
        known |= row
    found: dict[str, list[T]] = {name: [] for name in known}
    for row in rows:
        known |= row
        for name, values in found.items():
            values.append(known[name])
    return found
