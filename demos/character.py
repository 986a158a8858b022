"""A figure whose hands, feet, head and hips can be dragged while its animation plays.

The violet diamonds are poles: drag one, and the elbow or knee points to it. What you do
not drag follows the animation; what you drag stays where you put it. The
hand is solved with one of three sets of joints: the arm; arm and upper body; everything
above the hips. For the larger sets, trees bend the back and the arms reach the rest of
the way, so switching between sets is a fade of weights. The legs are separate chains,
so the feet stay in place when the hips move. A `LookAt` keeps the eyes on the ball, and
a `Hand` closes its fingers on it.

Order: 20
Keys:
    Space  play
    1      the arm
    2      arm and upper body
    3      everything above the hips
    C      clip
    S      solver
    F      release all
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import panda3d.core as p3d

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.demo import Demo, Handle, Note, Rig, Slider, smoothstep
from demos._shared.humanoid import humanoid_notes, load_humanoid
from demos._shared.mesh import MeshBuilder
from ikrig.scene.viewer.orbit_camera import View

SETS = ("the arm", "arm and upper body", "everything above the hips")
CLIPS = ("idle", "walk", "wave", "run")
SOLVERS = ("fabrik", "dls")
HANDS, FEET = ("RightHand", "LeftHand"), ("RightFoot", "LeftFoot")
# joints that poles bend: the joint above and below, and the side of a straight limb
POLES = {
    "RightForeArm": ("RightArm", "RightHand", p3d.LVector3(0, 1, 0)),
    "LeftForeArm": ("LeftArm", "LeftHand", p3d.LVector3(0, 1, 0)),
    "RightLeg": ("RightUpLeg", "RightFoot", p3d.LVector3(0, -1, 0)),
    "LeftLeg": ("LeftUpLeg", "LeftFoot", p3d.LVector3(0, -1, 0)),
}
AWAY = 0.3  # distance of a pole from its joint [m]
EACH = 7.0  # time of the movement for each set [s]
FREE = 0.15  # weight of free effectors in a tree
BALL = 0.045
CUPPED = p3d.LPoint3(0.007, 0.051, 0.066)  # a ball in the palm, in the hand's space
NEAR, FAR = 0.005, 0.03  # distances at which the fingers close and open [m]
CHANGE = 6.0  # rate at which sets of joints blend [1/s]
BELT = (0.62, 2.1)  # the treadmill's width and length
STRIPE = 0.3  # distance between its stripes
# position of the ball relative to the figure's feet
PATH = (
    (0.0, (-0.35, -0.30, 1.15)),
    (0.9, (-0.35, -0.45, 1.35)),
    (2.2, (-0.68, -0.48, 1.30)),
    (3.4, (0.10, -0.70, 1.10)),
    (4.6, (-0.42, -0.55, 0.85)),
    (5.8, (-0.42, -0.25, 1.80)),
    (7.0, (-0.35, -0.30, 1.15)),
)


class Character(Demo):
    """One Actor, one rig, three sets of joints to choose from."""

    view = View(
        focus=(-0.1, -0.1, 0.98),
        distance=4.5,
        heading=28,
        pitch=6,
        radius=2.2,
        fov=28,
        daylight=True,
    )
    duration = 3.0 * EACH
    picture = 2.0 * EACH + 4.7
    clean_gizmos = True
    show_status = False

    def build(self) -> None:
        """Load the figure and add all layers to its rig."""
        self.actor = load_humanoid()
        self.actor.reparent_to(self.stage)
        self.actor.set_blend(animBlend=True, frameBlend=True)
        self.clip, self.solver, self.set, self.chosen = 0, 0, 0, False
        self.weight = 1.0
        self._gone = 0.0  # distance that the treadmill has moved [m]
        self.shares = {name: float(name == CLIPS[0]) for name in CLIPS}
        for name in CLIPS:
            self.actor.loop(name)
            self.actor.set_control_effect(name, self.shares[name])
        self.rig = rig = ikrig.ActorRig(self.actor)
        self.holds = {
            joint: _Hold(rig, joint, self.stage)
            for joint in ("Hips", "Head", *HANDS, *FEET, *POLES)
        }
        nodes = {joint: hold.wrist for joint, hold in self.holds.items()}
        self.legs = [rig.chain(foot, 2, nodes[foot]) for foot in FEET]
        self.neck = rig.chain("Head", 2, nodes["Head"], order=-0.5)
        right, left = HANDS
        self.arms = [
            rig.chain(right, 2, nodes[right], orientation_mode="target", soften=0.04),
            rig.chain(left, 2, nodes[left], orientation_mode="bone", soften=0.02),
        ]
        self.poled = dict(zip(POLES, (*self.arms, *self.legs), strict=True))
        # the palm is turned up, as its target is
        self.arms[0].effectors[0].target_offset = (1.0, 0.0, 0.0, 0.0)
        self.trees = []
        for root, ends in (
            ("Spine1", HANDS), ("Spine", HANDS), ("Spine", (*HANDS, "Head")),
        ):  # fmt: skip
            goals = {joint: nodes[joint] for joint in ends}
            tree = rig.tree(
                goals, root_joint=root, orientation_mode="bone", order=-0.25
            )
            self.trees.append(tree)
        self.bends = [0.0 for _ in self.trees]
        rig.add(_Layer(-1.0, self._prepare), ["Hips"])
        mesh = MeshBuilder()
        mesh.add(mesh_shapes.sphere(BALL), theme.ORANGE)
        self.ball = mesh.attach(self.holds["RightHand"].target, "ball")
        self.fingers = rig.hand("right_hand")
        self.fingers.seconds = 0.25
        self._make_belt()
        # after the layers that move the head; no animation, so none of it is kept
        self.look = ikrig.LookAt(
            rig, self.ball, {"Head": 1.0}, keep_motion=0.0, order=1
        )
        rig.start()

    def play(self, time: float) -> None:
        """Move the ball along the same path, with one set after the other."""
        time %= self.duration
        if not self.chosen:
            self._choose(int(time / EACH))
            # on its treadmill it walks while the upper body reaches
            self.clip = int(EACH <= time < 2.0 * EACH)
        bow = smoothstep((time - 2.0 * EACH - 3.6) / 1.0)
        bow *= smoothstep((3.0 * EACH - 1.2 - time) / 0.8)
        if bow > 0.0:
            self.holds["Hips"].take(p3d.LPoint3(0.0, 0.03, 0.965 - 0.2 * bow))
        else:
            self.holds["Hips"].let_go()
        time %= EACH
        k = max(i for i, (start, _) in enumerate(PATH[:-1]) if start <= time)
        (start, a), (end, b) = PATH[k], PATH[k + 1]
        share = smoothstep((time - start) / (end - start))
        place = p3d.LPoint3(*a) + (p3d.LPoint3(*b) - p3d.LPoint3(*a)) * share
        self.holds["RightHand"].take(place)

    def update(self, dt: float) -> None:
        """Fade from clip to clip."""
        step = 1.0 - math.exp(-6.0 * dt)
        for k, name in enumerate(CLIPS):
            self.shares[name] += (float(k == self.clip) - self.shares[name]) * step
            self.actor.set_control_effect(name, self.shares[name])
        speed = sum(self.shares[name] * self._speeds.get(name, 0.0) for name in CLIPS)
        self._gone = (self._gone + speed * dt) % STRIPE
        self._stripes.set_y(self._gone)

    def after_ik(self) -> None:
        """Move the free handles with the figure; the ball in the palm is held."""
        for hold in self.holds.values():
            hold.show()
        far, held = self._gap(), self.holds["RightHand"].held > 0.0
        if self.fingers.thing is None:
            if held and far < NEAR:
                self.fingers.grasp(self.ball)
        elif not held or far > FAR:
            self.fingers.release()

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return the components that reach."""
        return [(SETS[self.set], rig) for rig in self._active()]

    def handles(self) -> Sequence[Handle]:
        """Return all handles."""
        return [
            Handle(hold.target, f"{joint} pole", theme.POLE, 0.04, pole=True)
            if joint in POLES
            else Handle(hold.target, joint, radius=0.05)
            for joint, hold in self.holds.items()
        ]

    def sliders(self) -> Sequence[Slider]:
        """Return the slider for the weight of all IK."""
        return (Slider("weight", 0.0, 1.0, 1.0, self._weigh),)

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        keys = {str(k + 1): lambda k=k: self._choose(k, True) for k in range(len(SETS))}
        return {
            **keys,
            "c": self._next_clip,
            "s": self._next_solver,
            "f": self._let_go,
        }

    def notes(self) -> Sequence[Note]:
        """Return the set of joints, and the distance of the hand from the ball."""
        return (
            Note("joints", SETS[self.set]),
            Note("clip", CLIPS[self.clip]),
            Note("solver", SOLVERS[self.solver]),
            Note("hand to ball", f"{100.0 * self._gap():.1f} cm"),
        )

    def close(self) -> None:
        """Detach the rig and remove the figure."""
        self.rig.detach()
        self.actor.cleanup()

    def _gap(self) -> float:
        """Return the distance of the palm from the ball."""
        hand, target = self.rig.joint("RightHand"), self.holds["RightHand"].target
        far = self.stage.get_relative_point(hand, CUPPED) - target.get_pos(self.stage)
        return far.length()

    def _prepare(self, dt: float) -> None:
        """Set targets and weights; runs on the animated pose, before IK."""
        holds = self.holds
        for joint in ("Hips", *FEET):
            holds[joint].follow(dt)
        hips, target = holds["Hips"].animated, holds["Hips"].target
        place = hips + (target.get_pos() - hips) * self.weight
        self.rig.joint("Hips").set_pos(self.stage, place)
        # free joints move with the hips
        for joint in ("Head", *HANDS, *POLES):
            holds[joint].follow(dt)
        for joint, chain in self.poled.items():
            pole = holds[joint].target if holds[joint].held else None
            if chain.pole != pole:
                chain.pole = pole
        step = 1.0 - math.exp(-CHANGE * dt)
        chosen = self._tree()
        for k, tree in enumerate(self.trees):
            self.bends[k] += (float(k == chosen) - self.bends[k]) * step
            if abs(self.bends[k] - float(k == chosen)) < 1e-3:
                self.bends[k] = float(k == chosen)
            tree.weight = self.weight * self.bends[k]
            tree.started = self.bends[k] > 0.0
        self.neck.started = holds["Head"].held > 0.0 and self.set < 2
        for arm, hand, elbow in zip(self.arms, HANDS, POLES, strict=False):
            arm.weight = self.weight * max(holds[hand].held, holds[elbow].eased)
        for tree in self.trees:
            for effector in tree.effectors:
                held = self.holds[effector.leaf.get_name()].held
                effector.weight = FREE + (1.0 - FREE) * held

    def _active(self) -> Sequence[ikrig.IKChain | ikrig.IKTree]:
        """Return the components that bring the hands to their targets."""
        chosen = self._tree()
        return self.arms if chosen is None else [self.trees[chosen], *self.arms]

    def _tree(self) -> int | None:
        """Return the index of the tree that bends the back, or None."""
        if self.set == 0:
            return None
        # the head moves with the back unless it is held itself
        if self.set == 1:
            return 0
        return 2 if self.holds["Head"].held else 1

    def _choose(self, number: int, chosen: bool = False) -> None:
        self.set, self.chosen = number, chosen or self.chosen

    def _weigh(self, weight: float) -> None:
        self.weight = self.look.weight = weight
        for rig in (*self.legs, self.neck):
            rig.weight = weight

    def _all(self) -> Sequence[ikrig.IKChain | ikrig.IKTree]:
        return (*self.legs, self.neck, *self.arms, *self.trees)

    def _make_belt(self) -> None:
        """Make a treadmill, so that walking feet stand on a moving surface."""
        clips = humanoid_notes()["clips"]
        self._speeds: dict[str, float] = {name: clips[name]["speed"] for name in clips}
        width, length = BELT
        mesh = MeshBuilder()
        # feet stand on the floor: the belt is flush with it
        mesh.add(mesh_shapes.box(width, length, 0.012).moved(z=-0.004), theme.CHARCOAL)
        for side in (-1.0, 1.0):
            rail = mesh_shapes.box(0.05, length + 0.1, 0.05, bevel=0.01)
            mesh.add(rail.moved(x=side * (0.5 * width + 0.03), z=0.01), theme.SLATE)
        mesh.attach(self.stage, "treadmill")
        self._stripes: p3d.NodePath = self.stage.attach_new_node("stripes")
        mesh = MeshBuilder()
        for k in range(round(length / STRIPE) - 1):
            y = -0.5 * length + STRIPE * (k + 0.5)
            stripe = mesh_shapes.box(width - 0.06, 0.025, 0.004)
            mesh.add(stripe.moved(y=y, z=0.003), theme.DARK_STEEL)
        mesh.attach(self._stripes, "stripes")

    def _next_clip(self) -> None:
        self.clip = (self.clip + 1) % len(CLIPS)

    def _next_solver(self) -> None:
        self.solver = (self.solver + 1) % len(SOLVERS)
        for rig in self._all():
            rig.solver = SOLVERS[self.solver]

    def _let_go(self) -> None:
        self.playing = False
        for hold in self.holds.values():
            hold.let_go()


class _Layer:
    """A layer that calls a function each frame."""

    started = True

    def __init__(self, order: float, step: Callable[[float], None]) -> None:
        self.order, self._step = order, step

    def apply(self, _pose: ikrig.Pose, dt: float) -> None:
        """Call the function."""
        self._step(dt)


class _Hold:
    """A target or pole that follows its joint's animation until it is dragged.

    Attributes:
        target: The node that is dragged.
        wrist: Goal of the joint: the target, or a child of it.
        held: How far it is held, 0 to 1: at once when it is dragged.
        eased: The same, gradually.
    """

    def __init__(self, rig: ikrig.ActorRig, joint: str, stage: p3d.NodePath) -> None:
        self.joint, self.stage = rig.joint(joint), stage
        above, below, self._side = POLES.get(joint, ("", "", p3d.LVector3()))
        self._ends = [rig.joint(end) for end in (above, below) if end]
        kind = "pole" if self._ends else "target"
        self.target = stage.attach_new_node(f"{joint} {kind}")
        self.wrist, self._held_at = self.target, p3d.LPoint3()
        if joint == HANDS[0]:
            self._held_at = CUPPED
            self.wrist = self.target.attach_new_node(f"{joint} wrist")
        self.target.set_pos(self._spot())
        self.animated = self._last = self.place = self.target.get_pos()
        self.held, self._goal, self.eased = 0.0, 0.0, 0.0

    def take(self, place: p3d.LPoint3) -> None:
        """Hold a position, as if the target was dragged there."""
        self.place, self._goal = place, 1.0

    def let_go(self) -> None:
        """Return to the animation."""
        self._goal = 0.0

    def follow(self, dt: float) -> None:
        """Move the target for this frame; runs on the animated pose."""
        self.animated = self._spot()
        if self.target.get_pos() != self._last:
            self.place, self.held, self._goal = self.target.get_pos(), 1.0, 1.0
        self.held += (self._goal - self.held) * (1.0 - math.exp(-5.0 * dt))
        if abs(self._goal - self.held) < 1e-3:
            self.held = self._goal
        self.eased += (self.held - self.eased) * (1.0 - math.exp(-5.0 * dt))
        place = self.animated + (self.place - self.animated) * self.held
        self.target.set_pos(place)
        self._last = self.target.get_pos()
        if self.wrist != self.target:
            self._turn_wrist()

    def _turn_wrist(self) -> None:
        """Turn the palm up below the ball, by the weight of the hold."""
        free, up = self.joint.get_quat(self.stage), p3d.LQuaternion()
        up.set_hpr((180.0, 0.0, 0.0))
        sign = -1.0 if free.dot(up) < 0.0 else 1.0
        rotation = p3d.LQuaternion(free * (1.0 - self.eased) + up * (sign * self.eased))
        rotation.normalize()
        self.wrist.set_pos(self.target, -rotation.xform(CUPPED))
        self.wrist.set_quat(self.stage, rotation)

    def show(self) -> None:
        """Move the handle to the solved joint, unless it is held."""
        if self.held == 0.0:
            self.target.set_pos(self._spot())
            self._last = self.target.get_pos()

    def _spot(self) -> p3d.LPoint3:
        """Return the position of the joint's held point, or of its pole."""
        place = self.stage.get_relative_point(self.joint, self._held_at)
        if not self._ends:
            return place
        # away from the line between the joints above and below
        above, below = (end.get_pos(self.stage) for end in self._ends)
        line = (below - above).normalized()
        bend = place - above
        bend -= line * bend.dot(line)
        if bend.length() < 0.01:
            bend = self._side
        return place + bend.normalized() * AWAY
