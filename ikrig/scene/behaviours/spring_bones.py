"""SpringBones: hair, tails, skirts and straps that swing behind what they hang from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import panda3d.core as p3d

from ...character.spring_finder import find_springs
from ...errors import BindError, SettingError, shown
from ...formats.rig_file.sections import COMMON, LIMIT
from ...math3d.quaternion import Floats
from ...model.pose import chains_below
from ...model.springs import (
    ANY,
    COLLIDER_RECORD,
    DOWN,
    FRACTION,
    PLUS,
    Collider,
    Spring,
    Springs,
    each,
    nodes_of,
)
from ...records import Field, Named, Record
from ...value_shapes import JOINT, JOINTS, VECTOR, Either, Number, Word
from ..actor.actor_figure import limbs_of
from ..actor.bone_tag import springs_in
from ..checked_setting import Checked, vector
from ..ik.node_rig import KNOB, NodeRig
from ..ik.node_transforms import matrices
from ..ik.phase import Phase
from .behaviour import Behaviour, joint_in

if TYPE_CHECKING:
    from typing_extensions import Self

    from ...model.limits import Limit
    from ..actor.actor_rig import ActorRig

Wind = Sequence[float] | Callable[[p3d.LPoint3f, float], Sequence[float]] | None


def _wind(value: object, what: str) -> object:
    return value if value is None or callable(value) else vector(value, what)


class SpringBones(Behaviour):
    """Hair, tails, ears, skirts and straps swing behind what they hang from.

        hair = ikrig.SpringBones(rig, ["Hair_L", "Hair_R"], gravity_power=0.3)

    Motion is that of VRM's spring bones, the same at any frame rate and scale. A
    teleport, a late frame and a pause carry the joints along; ``reset`` starts anew.

    Args:
        rig: The rig of an Actor; or a node, above those of a model without joints.
            Then call ``start``.
        joints: First joint of each chain; it and all below it swings. Or ``Spring``
            objects; "file": the springs of the model's file, such as a VRM avatar's.
        stiffness: Force back to the pose: one number, or one for each joint of a chain.
            Forces are those of VRM: lengths of the model in a second and 60th of one.
        gravity_power: Force along ``gravity_dir``; one number, or one for each joint.
        gravity_dir: Its direction in the scene.
        drag_force: Part of the speed lost in a 60th of a second, 0 to 1; or for each.
        hit_radius: Radius of the bones' ends [unit of the model]; or for each.
        center: A joint or a node: its own motion does not swing them, such as that of a
            vehicle.
        colliders: What they don't enter, by names of your choice.
        tail: Length of a bone that the last joint of each chain gets [unit of the
            model]. Default: none where there is a joint before it, which the last one
            then ends.
        limits: Limits by joint.
        wind: A force, as ``gravity_power`` times a direction; or a function of the
            model's position and the time [s], which is called once a frame.
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, SECONDARY.

    Raises:
        BindError: A joint is unknown or in two chains, chains hang from one another, or
            the file has no springs. Names it.
        SettingError: A value is out of range.
    """

    kind = "springs"
    record = Record(
        "springs",
        "Hair, tails, skirts and straps swing behind what they hang from.",
        {
            "joints": Field(
                Either("a list of joints, or file", (Word(["file"]), JOINTS)),
                "The first joint of each chain; all below swing. Or file: the springs "
                "of the model's file.",
                True,
            ),
            "stiffness": Field(
                each(PLUS), "Force back to the pose; for each joint of a chain."
            ),
            "gravity_power": Field(each(ANY), "Force of gravity, likewise."),
            "gravity_dir": Field(VECTOR, "Direction of gravity; default: down."),
            "drag_force": Field(
                each(FRACTION),
                "Part of the speed lost in a 60th of a second, likewise.",
            ),
            "hit_radius": Field(each(PLUS), "Radius of the bones' ends, likewise."),
            "center": Field(JOINT, "A joint whose own motion does not swing them."),
            "colliders": Named(COLLIDER_RECORD, "What they don't enter."),
            "tail": Field(
                Number("a length above 0", 0.0, above=True),
                "Length of a bone that the last joint of each chain gets.",
            ),
            "limits": Named(LIMIT, "The limits of joints."),
            "wind": Field(VECTOR, "A force, as gravity's power times a direction."),
            **COMMON,
        },
    )
    title = "springs"
    _on_nodes = True
    _phase = Phase.SECONDARY
    wind: Checked[Any] = Checked(_wind)
    """The wind: a force, or a function of position and time."""

    def __init__(
        self,
        rig: ActorRig | p3d.NodePath,
        joints: Sequence[str | Spring] | Literal["file"] = "file",
        *,
        stiffness: float | Sequence[float] = 1.0,
        gravity_power: float | Sequence[float] = 0.0,
        gravity_dir: Sequence[float] = DOWN,
        drag_force: float | Sequence[float] = 0.4,
        hit_radius: float | Sequence[float] = 0.0,
        center: str | p3d.NodePath | None = None,
        colliders: Mapping[str, Collider | Mapping[str, object]] | None = None,
        tail: float | None = None,
        limits: Mapping[str, Limit] | None = None,
        wind: Wind = None,
        weight: float = 1.0,
        order: float = 0,
    ) -> None:
        super().__init__(rig, order, weight)
        self.wind = wind
        self._time = 0.0
        self._values: dict[str, Any] = {
            "stiffness": stiffness,
            "gravity_power": gravity_power,
            "gravity_dir": gravity_dir,
            "drag_force": drag_force,
            "hit_radius": hit_radius,
            "center": center,
            "tail": tail,
        }
        self._limits = {} if limits is None else dict(limits)
        bodies = _bodies(colliders)
        self._given = joints
        self._of_model: dict[str, Collider] = {}
        """Colliders of the model's file."""
        self._knobs: dict[tuple[str, str], p3d.NodePath] = {}
        """Nodes that drag colliders, by name and key, once something draws them."""
        if isinstance(joints, str) and joints == "file":
            springs, bodies = self._of_file(bodies)
        else:
            springs = self._springs(joints)
        nodes = nodes_of(springs, bodies)
        for node in nodes:
            if not isinstance(node, p3d.NodePath) or node.is_empty():
                raise BindError(f"a place must be a joint or a node, not {shown(node)}")
        self._nodes = [p3d.NodePath(node) for node in nodes]
        self._mats, given = matrices(1 + len(nodes))
        self._springs_made = Springs(self._skeleton.pose, springs, bodies, given)
        names = self._skeleton.pose.names
        # sampled from now on
        self._skeleton.numbers(names[j] for j in self._springs_made.reads)
        self.rig.add(self, [names[j] for j in self._springs_made.joints])

    @property
    def springs(self) -> dict[str, Spring]:
        """The chains by name."""
        return self._springs_made.springs

    @property
    def colliders(self) -> dict[str, Collider]:
        """What they don't enter, by name."""
        return self._springs_made.colliders

    @classmethod
    def auto(cls, rig: ActorRig, **settings: Any) -> Self:
        """Return springs for all that hangs from a character.

        Those of its file; else hair, tails, ears, skirts, straps and the like, found by
        the names of joints, with forces and colliders for its size.

        Args:
            rig: The Actor's rig.
            settings: As for the class, instead of what is found.

        Raises:
            BindError: Nothing is found; names the joints.
        """
        skeleton = rig.skeleton
        if springs_in(skeleton.space.get_parent(), skeleton.joints)[0]:
            return cls(rig, **settings)
        springs, colliders = find_springs(skeleton.pose, limbs_of(skeleton))
        if not springs:
            raise BindError(
                f"nothing that swings was found in Actor {rig.actor.get_name()!r}: "
                "pass the first joints of its chains; joints: "
                f"{', '.join(skeleton.joints)}"
            )
        settings.setdefault("colliders", colliders)
        return cls(rig, list(springs.values()), **settings)

    def _of_file(
        self, bodies: dict[str, Collider]
    ) -> tuple[dict[str, Spring], dict[str, Collider]]:
        if not isinstance(self.rig, NodeRig):
            skeleton = self._skeleton
            found, own = springs_in(skeleton.space.get_parent(), skeleton.joints)
            if found:
                self._of_model = own
                return found, {**own, **bodies}
        raise BindError(
            f"the file of {self.rig._title!r} has no springs: pass the first joints of "
            "its chains, such as ['hair_left'], or use SpringBones.auto"
        )

    def _springs(self, joints: object) -> dict[str, Spring]:
        if isinstance(joints, str) or not isinstance(joints, Sequence) or not joints:
            raise BindError(
                "joints must be a list of joints or Spring objects, not "
                f"{shown(joints)}"
            )
        pose, found = self._skeleton.pose, dict[str, Spring]()
        for given in joints:
            if isinstance(given, Spring):
                lines = [given]
            else:
                chains = chains_below(pose, joint_in(self.rig, given, "joints"))
                lines = [self._spring(line) for line in chains]
            for spring in lines:
                name, count = spring.joints[0], 1
                while name in found:
                    count += 1
                    name = f"{spring.joints[0]} {count}"
                found[name] = spring
        return found

    def _spring(self, line: Sequence[str]) -> Spring:
        """Return the spring of a chain; values for each joint go as far as it."""
        values = dict(self._values)
        if len(line) == 1 and values["tail"] is None:
            values["tail"] = self._last_length(line[0])
        bones = len(line) - (values["tail"] is None)
        for key in ("stiffness", "gravity_power", "drag_force", "hit_radius"):
            value = values[key]
            if isinstance(value, Sequence) and value:
                values[key] = [value[min(k, len(value) - 1)] for k in range(bones)]
        limits = {joint: x for joint, x in self._limits.items() if joint in line}
        return Spring(line, limits=limits, **values)

    def _last_length(self, joint: str) -> float:
        """Return the length of a lone joint's bone: half of what leads to it."""
        pose = self._skeleton.pose
        mat = pose.rest_numbers[16 * pose.index[joint] :][12:15]
        return max(0.5 * float(p3d.LVector3f(*mat).length()), 1e-3)

    def reset(self) -> None:
        """Start anew at rest with the next frame, as after a cut."""
        self._springs_made.kernel.reset()

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes that it reads."""
        joints = [spring.joints[0] for spring in self.springs.values()]
        return [*self._parents_of(joints), *self._nodes]

    def _reset(self) -> None:
        self.reset()

    def remove(self) -> None:
        """Remove it from its rig."""
        super().remove()
        for knob in self._knobs.values():
            knob.remove_node()
        self._knobs = {}

    def _place(self, body: Collider) -> p3d.NodePath:
        """Return the node in whose space a collider is."""
        skeleton, place = self._skeleton, body.joint
        if not isinstance(place, str):
            return self._space if place is None else p3d.NodePath(place)
        if isinstance(self.rig, NodeRig):
            return skeleton.nodes[skeleton.pose.index[place]]
        return skeleton.node(place)

    def _lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        found = []
        for name, body in list(self.colliders.items()):
            place = self._place(body)
            for key in ("offset", "tail"):
                end = getattr(body, key)
                if end is None or place.is_empty():
                    continue
                knob = self._knobs.get((name, key))
                if knob is None or knob.is_empty():
                    words = name if key == "offset" else f"{name} {key}"
                    knob = place.attach_new_node(words)
                    knob.set_tag(KNOB, key)
                    knob.set_pos(*end)
                    self._knobs[name, key] = knob
                now = tuple(knob.get_pos())
                # compared as the engine keeps it
                if now != tuple(p3d.LPoint3f(*end)) and not knob.get_pos().is_nan():
                    self._springs_made.move(name, **{key: now})
                found.append((place, knob))
        return found

    def _outlines(self) -> list[tuple[p3d.NodePath, list[Floats]]]:
        extent = self._springs_made.extent
        bodies = self.colliders.values()
        return [(self._place(body), body.outlines(extent)) for body in bodies]

    def _dragged(self, node: p3d.NodePath) -> dict[tuple[str, ...], object]:
        """Return the new end of a collider; all values of one of the model's file."""
        self._lines()
        for (name, key), knob in self._knobs.items():
            if knob == node:
                values = _values(self.colliders[name])
                if name not in self._of_model:
                    values = {key: values[key]}
                return {("colliders", name, word): x for word, x in values.items()}
        return {}

    def _entries(self) -> dict[str, object]:
        joints = self._given
        if joints != "file":
            joints = [x.joints[0] if isinstance(x, Spring) else x for x in joints]
        bodies = {
            name: _values(body)
            for name, body in self.colliders.items()
            if body != self._of_model.get(name)
        }
        return {
            **self._values,
            "joints": joints,
            "colliders": bodies,
            "limits": self._limits,
            "wind": self.wind,
        }

    def _frame(self, dt: float) -> None:
        space, kernel = self._space, self._springs_made.kernel
        net = space.get_net_transform().get_mat()
        self._mats[0] = net
        for k, node in enumerate(self._nodes, 1):
            if node.is_empty():
                raise BindError(f"{self}: a collider's or center's node was removed")
            self._mats[k] = node.get_net_transform().get_mat()
        wind = self.wind
        if callable(wind):
            self._time += dt
            wind = wind(net.get_row3(3), self._time)
        if wind is not None:
            x, y, z = wind
            if not isfinite(x + y + z):
                raise BindError(f"{self}: the wind is not finite: {shown(tuple(wind))}")
            kernel.set_wind(x, y, z)
        else:
            kernel.set_wind(0.0, 0.0, 0.0)
        kernel.swing(dt, self.weight)


def _values(body: Collider) -> dict[str, object]:
    return {key: value for key, value in vars(body).items() if value is not None}


def _bodies(colliders: object) -> dict[str, Collider]:
    if colliders is None:
        return {}
    if not isinstance(colliders, Mapping):
        raise SettingError(
            "colliders must be a mapping, such as {'head': Collider('head', 0.1)}, not "
            f"{shown(colliders)}"
        )
    found = {}
    for name, body in colliders.items():
        if isinstance(body, Mapping):
            body = Collider(**body)
        if not isinstance(body, Collider):
            raise SettingError(
                f"collider {name!r} must be a Collider, not {shown(body)}"
            )
        found[str(name)] = body
    return found
