"""A figure whose hands, feet, head and hips can be dragged while its animation plays.

The violet diamonds are poles: drag one, and the elbow or knee points to it. What you do
not drag follows the animation; what you drag stays where you put it. One `FullBody`
brings all of it there, with one of three sets of joints: the arm, while chest and hips
are held as animated; arm and upper body, while the hips are; or the whole body. To
switch between sets is a fade of those weights. A `LookAt` keeps the eyes on the ball,
and a `Hand` closes its fingers on it.

Order: 20
Keys:
    Space  play
    1      the arm
    2      arm and upper body
    3      the whole body
    C      clip
    F      release all
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import panda3d.core as p3d

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.demo import Demo, Handle, Note, Slider, smoothstep
from demos._shared.humanoid import humanoid_notes, load_humanoid
from demos._shared.mesh import MeshBuilder
from ikrig.scene.viewer.orbit_camera import View

SETS = ("the arm", "arm and upper body", "the whole body")
CLIPS = ("idle", "walk", "wave", "run")
HANDS, FEET = ("RightHand", "LeftHand"), ("RightFoot", "LeftFoot")
LEADS = {
    "Hips": "hips", "Head": "head", "RightHand": "right_hand",
    "LeftHand": "left_hand", "RightFoot": "right_foot", "LeftFoot": "left_foot",
}  # fmt: skip
LOCKS = {"chest": 1, "hips": 2}  # the set from which each gives way
SOFT = 0.15  # share of the arm alone that straightens gradually
FIRM = 20.0  # how much they win against a hand that is out of reach
# joints that poles bend: the joint above and below, and the side of a straight limb
POLES = {
    "RightForeArm": ("RightArm", "RightHand", p3d.LVector3(0, 1, 0)),
    "LeftForeArm": ("LeftArm", "LeftHand", p3d.LVector3(0, 1, 0)),
    "RightLeg": ("RightUpLeg", "RightFoot", p3d.LVector3(0, -1, 0)),
    "LeftLeg": ("LeftUpLeg", "LeftFoot", p3d.LVector3(0, -1, 0)),
}
AWAY = 0.3  # distance of a pole from its joint [m]
EACH = 7.0  # time of the movement for each set [s]
BALL = 0.045
CUPPED = p3d.LPoint3(0.007, 0.051, 0.066)  # a ball in the palm, in the hand's space
NEAR, FAR = 0.005, 0.03  # distances at which the fingers close and open [m]
CHANGE = 0.8  # time in which sets of joints blend [s]
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
        self.clip, self.set, self.chosen = 0, 0, False
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
        self.body = body = ikrig.FullBody(rig)
        self.chest = self.stage.attach_new_node("chest")
        self.locks = dict.fromkeys(LOCKS, 1.0)
        body["chest"].target = self.chest
        for joint, name in LEADS.items():
            body[name].target = self.holds[joint].wrist
        self.poled = {
            joint: body[LEADS[below]] for joint, (_, below, _) in POLES.items()
        }
        layer = SimpleNamespace(
            phase=ikrig.Phase.BODY, order=-1, started=True, apply=self._prepare
        )
        rig.add(layer, list(LEADS))
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
            "f": self._let_go,
        }

    def notes(self) -> Sequence[Note]:
        """Return the set of joints, and the distance of the hand from the ball."""
        return (
            Note("joints", SETS[self.set]),
            Note("clip", CLIPS[self.clip]),
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

    def _prepare(self, _pose: ikrig.Pose, dt: float) -> None:
        """Set targets and weights; runs on the animated pose, before IK."""
        holds, body = self.holds, self.body
        for hold in holds.values():
            hold.follow(dt)
        for name, free in LOCKS.items():
            way = dt / CHANGE if self.set < free else -dt / CHANGE
            self.locks[name] = min(max(self.locks[name] + way, 0.0), 1.0)
        locks = {name: smoothstep(share) for name, share in self.locks.items()}
        chest, hips = self.rig.joint(body["chest"].joint), holds["Hips"]
        # what is locked moves with the hips
        self.chest.set_pos_quat(
            chest.get_pos(self.stage) + hips.target.get_pos() - hips.animated,
            chest.get_quat(self.stage),
        )
        hips.target.set_quat(hips.joint.get_quat(self.stage))
        self._fall_short(locks["chest"] * holds["RightHand"].held)
        weights = {name: holds[joint].held for joint, name in LEADS.items()}
        for joint, effector in self.poled.items():
            pole = holds[joint]
            effector.pole = pole.wrist if pole.held else None
            weights[effector.name] = max(weights[effector.name], pole.held)
        for foot in FEET:
            weights[LEADS[foot]] = 1.0
        for name, lock in locks.items():
            weights[name] = max(weights.get(name, 0.0), lock)
            body[name].orientation_weight = lock
            body[name].pull = 1.0 + (FIRM - 1.0) * lock
        body.shoulder_weight = 1.0 - locks["chest"]
        for name, weight in weights.items():
            body[name].weight = weight
        body["right_hand"].orientation_weight = holds["RightHand"].eased

    def _fall_short(self, part: float) -> None:
        """Keep the wrist's goal within the arm's reach, without a corner."""
        joints = (
            self.rig.joint(name) for name in ("RightArm", "RightForeArm", HANDS[0])
        )
        shoulder, elbow, hand = (joint.get_pos(self.stage) for joint in joints)
        hips, wrist = self.holds["Hips"], self.holds[HANDS[0]].wrist
        reach = (elbow - shoulder).length() + (hand - elbow).length()
        shoulder += hips.target.get_pos() - hips.animated
        way = wrist.get_pos(self.stage) - shoulder
        far, over = way.length(), way.length() - (1.0 - SOFT) * reach
        if over > 0.0:
            near = reach * (1.0 - SOFT * math.exp(-over / (SOFT * reach)))
            wrist.set_pos(
                self.stage, shoulder + way * (1.0 + part * (near / far - 1.0))
            )

    def _choose(self, number: int, chosen: bool = False) -> None:
        self.set, self.chosen = number, chosen or self.chosen

    def _weigh(self, weight: float) -> None:
        self.body.weight = self.look.weight = weight

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

    def _let_go(self) -> None:
        self.playing = False
        for hold in self.holds.values():
            hold.let_go()


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
        elif self._ends:
            self.wrist = stage.attach_new_node(f"{joint} pole, eased")
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
        if self._ends:
            self.wrist.set_pos(self.animated + (place - self.animated) * self.eased)
        elif self.wrist != self.target:
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
