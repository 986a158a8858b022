"""FullBody: a whole body that follows a few handles, over the animation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import panda3d.core as p3d

from ...character.body_model import body_model
from ...character.limb import Limb
from ...character.stepping import Stance
from ...errors import BindError, SettingError, shown, suggest
from ...formats.rig_file.sections import COMMON, FRACTION, PLUS
from ...kernels import buffer, zeros
from ...math3d.quaternion import Floats, between
from ...records import Field, Named, Record
from ...solvers.body import GOAL, LAST, REACHING, BodyModel, BodySolver
from ...value_shapes import NODE, Items, Word
from ..actor.actor_figure import limbs_of, rest_transform
from ..actor.actor_limbs import choose_limbs
from ..checked_setting import Checked, fraction, node_or_none, number
from ..fade import Fade, Fading
from ..ik.dependencies import note_change
from ..ik.node_transforms import matrices, rotation_in
from ..ik.phase import Phase
from .behaviour import Behaviour, reader_of
from .foot_placement import FootPlacement

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig
    from .reach import Reach

NAMES = (
    "left_hand", "right_hand", "left_foot", "right_foot", "left_front_foot",
    "right_front_foot", "left_rear_foot", "right_rear_foot", "head", "hips", "chest",
)  # fmt: skip
KINDS = ("hand", "foot", "head", "tail")
LOCKS = ("head", "hips")
EASE_LEAST = 1e-3
GONE = 1
"""The error of a reader whose node was removed."""
TRUNK = ("head", "hips", "chest")
PINNED = 4.0
"""How much a pinned handle wins against a target that is out of reach."""


class Help(NamedTuple):
    """What a hand asks of the body.

    Args:
        goal: Where its joint is to be, (3,).
        weight: How far it is there, 0 to 1.
        step: How far the feet should step, (3,).
    """

    goal: Floats
    weight: float
    step: Floats


class BodyEffector(Fading):
    """A handle of a body: what one of its joints reaches for.

    ``FullBody`` makes them: ``body["left_hand"]``.
    """

    _fading: Fade | None = None
    _is_read = False
    """Whether its weight is read each frame."""

    def __init__(self, body: FullBody, name: str, joint: str) -> None:
        self.body = body
        self.name = name
        self.joint = joint
        self.pinned = name.endswith("_foot")
        """Whether it stays where it is animated while it has no target."""
        self._target: p3d.NodePath | None = None
        self._pole: p3d.NodePath | None = None
        self._planned: tuple[object, ...] = ()
        """The nodes that the body has planned with."""
        self._seen = False
        """Whether its target had a place since the body was reset."""

    def __repr__(self) -> str:
        return f"<BodyEffector {self.name}: {self.joint} -> {self._target}>"

    def _note(self) -> None:
        self.body._note()

    def _note_node(self) -> None:
        # games set the same one in each frame
        if self._nodes() != self._planned:
            self._note()

    def _nodes(self) -> tuple[object, ...]:
        target = self._target
        carrier = target and not target.is_empty() and target.get_parent()
        return target, carrier, self._pole

    def _note_weight(self) -> None:
        if not (self._is_read and self.active):
            self._note()

    target = Checked[p3d.NodePath | None](node_or_none, changed=_note_node)
    """The node to reach, or None. With ``orientation_weight``, the joint takes its
    rotation: the node's axes are those of the joint."""
    pole = Checked[p3d.NodePath | None](node_or_none, changed=_note_node)
    """The node to which elbow or knee points, or None: as in the animation."""
    weight = Checked(fraction, 1.0, changed=_note_weight)
    """Weight of the position, 0 to 1: at 1 it is reached exactly."""
    orientation_weight = Checked(fraction, 0.0, changed=_note_weight)
    """Weight of the rotation, 0 to 1."""
    pull = Checked(number, 1.0, changed=_note)
    """How much it wins against others where not all can be reached."""

    @property
    def active(self) -> bool:
        return self._target is not None and (
            self.weight > 0.0 or self.orientation_weight > 0.0
        )


class FullBody(Behaviour):
    """Move a whole body by a few handles, as near to its animation as they allow.

        body = ikrig.FullBody(rig)
        body["left_hand"].target = door_handle
        body["head"].target = headset
        body.pin("right_hand")          # stays where it is animated
        body.release("left_foot")       # may leave the ground

    Hips, spine and shoulders move only as far as the limbs need; what is farther from
    its range moves less. Knees and elbows bend on their own side, within their limits.
    The pose is that with the smallest turns of all joints from the animation, each
    divided by how easily the joint turns. The search starts from the last frame's.

    Feet stay where they are animated, or where a ``FootPlacement`` places them; other
    handles are free, until they get a target.
    A target below another joint of the body, such as a grip on a rifle that the other
    hand holds, is followed within the frame.

    Args:
        rig: The Actor's rig.
        limbs: Limbs besides those found, or in their place, as for ``ActorRig.auto``.
        spine_stiffness: How stiff spine and neck are: 2 bends half as easily as 1.
        hips_weight: How easily the hips tilt and turn by themselves.
        shoulder_weight: How easily the shoulders move; 0: not at all.
        bend_weight: How strongly elbows and knees keep the animated direction.
        lock: Which handle wins where not all can be reached: "head", "hips" or None.
        orientation_weights: Weights of the handles' rotations, by their names.
        dormant: Handles without effect until their target is moved or replaced, or
            their weight is raised.
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, BODY.
        targets: Targets of handles by their names, such as ``left_hand=ball``.

    Raises:
        BindError: No limbs were found or given, or a handle or joint is unknown.
        SettingError: A setting is out of range.
    """

    kind = "full_body"
    title = "full body"
    record = Record(
        "full_body",
        "The whole body follows handles: hands, feet, head, hips and chest.",
        {
            **{
                name: Field(
                    NODE, f"The node that the {name.replace('_', ' ')} follows."
                )
                for name in NAMES
            },
            "orientation_weights": Named(
                Field(FRACTION, "Weight of the handle's rotation."),
                "Weights of the handles' rotations; default: 0.",
            ),
            "dormant": Field(
                Items("a list of handles", Word(NAMES)),
                "Handles without effect until their target is moved or replaced.",
            ),
            "spine_stiffness": Field(
                PLUS,
                "How stiff spine and neck are; default: 1, 2 bends half as easily.",
            ),
            "hips_weight": Field(
                PLUS, "How easily the hips tilt and turn by themselves; default: 1."
            ),
            "shoulder_weight": Field(
                PLUS, "How easily the shoulders move; default: 1, 0: not at all."
            ),
            "bend_weight": Field(
                PLUS, "How strongly elbows and knees bend as animated; default: 1."
            ),
            "lock": Field(
                Word(LOCKS), "The handle that wins where not all can be reached."
            ),
            **COMMON,
        },
    )
    _phase = Phase.BODY

    def __init__(
        self,
        rig: ActorRig,
        limbs: Mapping[str, object] | None = None,
        *,
        spine_stiffness: float = 1.0,
        hips_weight: float = 1.0,
        shoulder_weight: float = 1.0,
        bend_weight: float = 1.0,
        lock: str | None = None,
        orientation_weights: Mapping[str, float] | None = None,
        dormant: Sequence[str] = (),
        weight: float = 1.0,
        order: float = 0,
        **targets: p3d.NodePath | None,
    ) -> None:
        self._is_set = self._active = False
        self._at_rest = -1.0
        """What a frame of no time counts as: 0: joints stay as in the last frame; below
        0: they turn as far as they must."""
        self._wrong = ""
        super().__init__(rig, order, weight)
        skeleton = self._skeleton
        self._given = {} if limbs is None else limbs
        self._model = body_of(rig, self._given)
        names = [joint.name for joint in self._model.joints if joint.name]
        skeleton.numbers(names)
        self._solver = BodySolver(skeleton.pose, self._model, matrices(1))
        self._effectors = {
            name: BodyEffector(self, name, joint)
            for name, joint in self._model.ends.items()
        }
        self.spine_stiffness, self.hips_weight = spine_stiffness, hips_weight
        self.shoulder_weight, self.bend_weight = shoulder_weight, bend_weight
        self.lock = lock
        for name, node in targets.items():
            self[name].target = node
        if not isinstance(orientation_weights or {}, Mapping):
            raise SettingError(
                "orientation_weights must be numbers by name, such as {'head': 1.0}, "
                f"not {shown(orientation_weights)}"
            )
        for name, value in (orientation_weights or {}).items():
            self[name].orientation_weight = value
        asleep = [e for e in map(self.__getitem__, dormant) if e.target is not None]
        self._reads: list[tuple[Any, ...]] = []
        self._placed: list[tuple[int, FootPlacement, int]] = []
        """Goals that are pinned where one of the feet of a behaviour is placed."""
        self._layers: list[object] = []
        self._helped: dict[Reach, str] = {}
        """The handles of hands that reach by behaviours of their own."""
        self._leading: list[Reach] = []
        """Those that do so now."""
        feet = [name for name in self._model.limbs if name.endswith("foot")]
        self._arms = self._model.crouching
        self._stance = Stance(feet, 0.5 * self._model.size)
        rig.add(self, names)
        for effector in asleep:
            rig._set_dormant(effector)

    def _rival(self) -> str:
        """Return what is wrong where a chain or tree moves the limbs as well, or ""."""
        rig = self.rig
        inner = [x for layer in rig.layers for x in getattr(layer, "parts", ())]
        for part in rig._components:
            both = [
                joint
                for joint in rig._stack.moved_by(part)
                if joint in self._solver.places
            ]
            if part.weight > 0.0 and both and part not in inner:
                return (
                    f"{part!r} moves {both[0]!r}, which a FullBody moves too: set its "
                    "weight to 0, or remove() it"
                )
        return ""

    # -- handles -----------------------------------------------------------------------

    def __getitem__(self, name: str) -> BodyEffector:
        """Return a handle by its name, such as "left_hand", "head" or "hips"."""
        if name not in self._effectors:
            raise BindError(
                f"there is no handle {shown(name)}: {suggest(name, self._effectors)}"
            )
        return self._effectors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._effectors)

    def pin(self, name: str) -> None:
        """Keep a handle without a target where it is animated.

        Raises:
            BindError: There is no such handle.
        """
        self[name].pinned = True
        self._note()

    def release(self, name: str) -> None:
        """Take a handle's target and its pin away: it moves with the body.

        Raises:
            BindError: There is no such handle.
        """
        self[name].pinned = False
        self[name].target = None

    @property
    def lock(self) -> str | None:
        """The handle that wins where not all can be reached."""
        return self._lock

    @lock.setter
    def lock(self, value: str | None) -> None:
        known = [name for name in LOCKS if name in self._effectors]
        if value is not None and not (isinstance(value, str) and value in known):
            raise BindError(
                f"lock must be None or one of {', '.join(known)}, not {shown(value)}"
            )
        self._lock = value
        self._note()

    def _note(self) -> None:
        if hasattr(self, "_effectors"):
            self._is_set = False
            self._active = any(e.active for e in self._effectors.values())
            if not self._active:
                self._solver.kernel.reset()
            note_change(self)

    spine_stiffness = Checked(number, 1.0, changed=_note)
    hips_weight = Checked(number, 1.0, changed=_note)
    shoulder_weight = Checked(number, 1.0, changed=_note)
    bend_weight = Checked(number, 1.0, changed=_note)

    @property
    def _acts(self) -> bool:
        return (
            self._active
            or any(e._fading is not None for e in self._effectors.values())
            or not self._stance.is_home
            or any(reach._needs_help for reach in self._helped)
        )

    def _help(self, reach: Reach, joint: str) -> None:
        """Lead a handle by a behaviour from now on, while that reaches."""
        names = {effector.joint: name for name, effector in self._effectors.items()}
        if joint not in names:
            raise BindError(
                f"body: no handle of it is at {joint!r}: {suggest(joint, names)}"
            )
        self._helped[reach] = names[joint]

    def _end_help(self, reach: Reach) -> None:
        """Lead the handle by its own target again."""
        self._helped.pop(reach, None)

    def soft_reads(self) -> list[p3d.NodePath | None]:
        """Return what hands reach for; what moves it may depend on the body."""
        return [reach.target for reach in self._helped]

    def reads(self) -> list[p3d.NodePath | None]:
        """Return the nodes that it reads, but for those that its own joints carry."""
        nodes = [e.target for e in self._effectors.values()]
        nodes += [e.pole for e in self._effectors.values()]
        read = [n for n in nodes if n is not None and not self._carrier(n)]
        layers = self.rig._stack.layers
        placed = [x._done for x in layers if isinstance(x, FootPlacement)]
        return [*read, *placed]

    def _lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        return [
            (self._skeleton.node(e.joint), e.target)
            for e in self._effectors.values()
            if e.target is not None
        ]

    def _entries(self) -> dict[str, object]:
        effectors = self._effectors
        turned = {n: e.orientation_weight for n, e in effectors.items()}
        return {
            **super()._entries(),
            **{n: e.target for n, e in effectors.items() if n in NAMES},
            "orientation_weights": {n: w for n, w in turned.items() if w > 0.0},
            "dormant": tuple(n for n, e in effectors.items() if self._sleeps(e)),
        }

    def _sleeps(self, effector: BodyEffector) -> bool:
        return self.rig._dormant_weight(effector) is not None

    # -- a frame -----------------------------------------------------------------------

    def _reset(self) -> None:
        self._solver.kernel.reset()
        self._stance.reset()
        for effector in self._effectors.values():
            effector._seen = False

    def _frame(self, dt: float) -> None:
        solver = self._solver
        kernel = solver.kernel
        for effector in self._effectors.values():
            effector._step_fade(dt)
        leading = [reach for reach in self._helped if reach._needs_help]
        if leading != self._leading or self._layers != self.rig._stack.layers:
            self._leading, self._layers = leading, list(self.rig._stack.layers)
            self._is_set = False
        if not self._is_set:
            self._set()
        if not kernel.read():
            return
        for g in self._pins:
            kernel.goals.pin(g)
        for g, placement, j in self._placed:
            if placement.started and placement.weight > 0.0:
                self._place_foot(g, placement, j)
        missing = self._goals(dt)
        if self._helped or not self._stance.is_home:
            self._lead_hands(dt)
        if self._arms:
            self._crouch()
        solver.solve_read(self.weight, dt if dt > 0.0 else self._at_rest)
        for reach in self._leading:
            reach._note_shoulder()
        if self._wrong:
            raise BindError(self._wrong)
        if missing is not None:
            raise BindError(
                f"target {missing.target} of {missing.name!r} is not in the scene, or "
                "its position is not finite"
            )

    def _place_foot(self, g: int, placement: FootPlacement, j: int) -> None:
        """Pin a goal where a foot is placed on the ground."""
        numbers, goals, k = self._solver.numbers, placement._goals, GOAL * g
        part = placement.weight * float(goals.weights[j])
        place, turn = np.split(np.array(numbers[k : k + 7]), [3])
        place += part * (goals.positions[j] - place)
        if goals.turned[j]:
            turn = between(turn, goals.rotations[j], part)
        numbers[k : k + 7] = buffer((*place, *turn))

    def _lead_hands(self, dt: float) -> None:
        numbers, goals = self._solver.numbers, self._solver.goals
        up = np.array(self._model.up)
        step = np.zeros(3)
        for reach in self._leading:
            wanted, name = reach._led(up, dt), self._helped[reach]
            k = GOAL * goals[name]
            if wanted.weight > 0.0:
                numbers[k : k + 3] = buffer(wanted.goal)
                pull = self._effectors[name].pull
                numbers[k + 7 : k + 10] = buffer((wanted.weight, 0.0, pull))
            asked = wanted.weight * wanted.step
            if np.linalg.norm(asked) > np.linalg.norm(step):
                step = asked
        self._stance.update(step, dt)
        if self._stance.is_home:
            return
        for name, foot in self._stance.feet.items():
            if self._effectors[name].pinned and not self._effectors[name].active:
                k = GOAL * goals[name]
                place = foot.place + foot.height * up
                numbers[k : k + 3] = buffer(np.add(numbers[k : k + 3], place))

    def _crouch(self) -> None:
        trunk = [self._effectors[name] for name in TRUNK if name in self._effectors]
        led_by = max((e.weight for e in trunk if e.active), default=0.0)
        hips = self._effectors["hips"]
        if hips.pinned or led_by >= 1.0:
            return
        feet = [foot.place for foot in self._stance.feet.values()]
        self._solver.kernel.goals.crouch(
            self._solver.goals["hips"], hips.active, led_by, *np.mean(feet, axis=0)
        )

    def _goals(self, _dt: float) -> BodyEffector | None:
        """Read the targets; return a handle whose target has no place."""
        missing = None
        kernel, numbers = self._solver.kernel, self._solver.numbers
        for g, effector, reader, pole in self._reads:
            k = GOAL * g
            if reader is not None:
                error = kernel.goals.take(g, reader)
                if error:
                    missing = effector
                    # one that is not finite keeps the last place that it had
                    if error == GONE or not effector._seen:
                        numbers[k + 7] = numbers[k + 8] = 0.0
                    continue
                effector._seen = True
                numbers[k + 7] = effector._weight
                numbers[k + 8] = effector._orientation_weight
            if pole is not None:
                lost = kernel.goals.take_pole(g, pole)
                numbers[k + 13] = 0.0 if lost else 1.0
        return missing

    def _set(self) -> None:
        self._is_set = True
        self._wrong = self._rival()
        solver = self._solver
        self._reads, self._pins, self._placed = [], [], []
        feet = {
            foot.name: (layer, j)
            for layer in self._layers
            if isinstance(layer, FootPlacement)
            for j, foot in enumerate(layer._feet)
        }
        led = [self._helped[reach] for reach in self._leading]
        for name, g in solver.goals.items():
            effector, k = self._effectors[name], GOAL * g
            node, pole = effector.target, effector.pole
            effector._planned = effector._nodes()
            kept = solver.numbers[k + 7 : k + 9]
            solver.numbers[k + 7 : k + LAST] = zeros(LAST - 7)
            if effector.active and effector._seen:
                solver.numbers[k + 7 : k + 9] = kept
            solver.numbers[k + 9] = effector.pull
            reaches = name in self._arms and (effector.active or name in led)
            solver.numbers[k + REACHING] = max(effector.pull, 1e-9) if reaches else 0.0
            solver.carriers[g] = -1
            reader, effector._is_read = None, False
            if effector.active and node is not None:
                carrier = self._carrier(node)
                if carrier and carrier != effector.joint:
                    self._hang(g, node, carrier)
                else:
                    reader, effector._is_read = reader_of(node, self._space), True
            elif effector.pinned:
                self._pins.append(g)
                if effector.joint in feet:
                    self._placed.append((g, *feet[effector.joint]))
                solver.numbers[k + 7] = solver.numbers[k + 8] = 1.0
                solver.numbers[k + 9] = PINNED * effector.pull
            pole_reader = reader_of(pole, self._space)
            if reader is not None or pole_reader is not None:
                self._reads.append((g, effector, reader, pole_reader))
        lock = None if self._lock is None else self._effectors[self._lock]
        solver.kernel.lock = -1 if lock is None else solver.goals[lock.name]
        if lock is not None and not lock.active:
            self._pins.append(solver.goals[lock.name])
            k = GOAL * solver.goals[lock.name]
            solver.numbers[k + 7] = solver.numbers[k + 8] = 1.0
        solver.ease(self._factors())

    def _factors(self) -> dict[str, float]:
        """Return how much more easily joints turn than the model's, by settings."""
        factors: dict[str, float] = {}
        model = self._model
        limbs = [joint for line in model.limbs.values() for joint in line[:2]]
        # the later counts where a joint is of two kinds
        for names, factor in (
            (model.spine, 1.0 / max(self.spine_stiffness, EASE_LEAST)),
            (limbs, 1.0 / max(self.bend_weight, EASE_LEAST)),
            (model.shoulders, self.shoulder_weight),
            ([model.joints[0].name], self.hips_weight),
        ):
            factors |= dict.fromkeys(names, factor)
        return factors

    def _carrier(self, node: p3d.NodePath) -> str:
        """Return the joint of the body that carries a node, or ""."""
        if node.is_empty():
            return ""
        skeleton = self._skeleton
        nodes = {one: one.get_name() for one in skeleton.nodes}
        for above in node.get_ancestors():
            if above in nodes:
                for joint in skeleton.lineage(nodes[above]):
                    if joint in self._solver.places:
                        return joint
        return ""

    def _hang(self, g: int, node: p3d.NodePath, carrier: str) -> None:
        solver, skeleton = self._solver, self._skeleton
        solver.carriers[g] = solver.places[carrier]
        above = skeleton.node(carrier)
        # lengths as in the skeleton's space, whatever the joint's scale
        offset = self._space.get_relative_vector(
            above, p3d.LVector3f(node.get_pos(above))
        )
        turn = rotation_in(above, self._space)
        back = turn.conjugate()
        held = (*back.xform(offset), *(rotation_in(node, self._space) * back))
        effector, k = self._effectors[list(solver.goals)[g]], GOAL * g
        solver.numbers[k + 14 : k + 14 + len(held)] = buffer(held)
        solver.numbers[k + 7] = effector.weight
        solver.numbers[k + 8] = effector.orientation_weight


def body_of(rig: ActorRig, limbs: Mapping[str, object]) -> BodyModel:
    skeleton, actor = rig.skeleton, rig.actor
    chosen, _ = choose_limbs(skeleton, limbs)
    rest = {
        name: np.array(rest_transform(skeleton, name)).reshape(4, 4)
        for name in skeleton.parents
    }
    known = [_with_kind(limb) for limb in chosen]
    model = body_model(skeleton.pose, limbs_of(skeleton), known, rest)
    up = skeleton.space.get_relative_vector(actor, p3d.LVector3f.up())
    scale = up.length() or 1.0
    x, y, z = up / scale
    return replace(model, size=model.size * scale, up=(x, y, z))


def _with_kind(limb: Limb) -> Limb:
    """Return a limb whose kind is that of its name, if it was given without one."""
    word = limb.name.rpartition("_")[2]
    if limb.kind == "limb" and word in KINDS:
        side = limb.name.partition("_")[0]
        return replace(limb, kind=word, side=side if side in ("left", "right") else "")  # type: ignore[arg-type]
    return limb
