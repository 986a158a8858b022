"""A whole body that follows seven handles, or the trackers of a headset.

Drag hands, feet, head, hips and chest: `FullBody` moves all joints, each as far as it
turns easily, and what you do not drag follows the animation. The dark figure has the
same targets on one `IKTree`. T shows a recording of a headset and two controllers
instead, and the player who wore them: larger, with controllers askew in the hands.

Order: 22
Keys:
    Space  play
    T      handles or trackers
    F      release all
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace

import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.demo import Demo, Handle, Note, Slider, smoothstep
from demos._shared.humanoid import load_humanoid
from demos._shared.mesh import MeshBuilder
from demos._shared.player import TALL, Player, read
from ikrig.scene.viewer.orbit_camera import View

NAMES = (
    "left_hand", "right_hand", "left_foot", "right_foot", "head", "hips", "chest"
)  # fmt: skip
ASIDE = 0.72  # distance of the two figures from the middle
EACH = 3.4  # time of a pose [s]
MOVES = 1.3  # time in which it is taken [s]
# where handles are led; what a pose does not name follows the animation
POSES: tuple[dict[str, tuple[float, float, float]], ...] = (
    {"right_hand": (-0.42, -0.3, 1.75)},
    {
        "hips": (0.0, 0.22, 0.5), "head": (0.0, -0.2, 1.0),
        "left_hand": (0.3, -0.45, 0.3), "right_hand": (-0.3, -0.4, 0.45),
    },
    {
        "left_hand": (0.2, -0.4, 1.75), "right_hand": (-0.25, -0.42, 1.45),
        "left_foot": (0.12, -0.3, 0.55), "hips": (0.0, -0.1, 1.02),
    },
    {"right_hand": (-0.4, 0.45, 1.15)},
    {"left_hand": (0.28, -0.5, 0.12)},
)  # fmt: skip


class Body(Demo):
    """Two figures: one with the body, beside another way or a player."""

    view = View(
        focus=(0.0, -0.1, 0.95),
        distance=5.4,
        heading=24,
        pitch=7,
        radius=2.6,
        fov=30,
        daylight=True,
    )
    duration = len(POSES) * EACH
    picture = EACH + 2.4
    clean_gizmos = True
    show_chains = False
    show_status = False

    def build(self) -> None:
        """Load both figures, and give one a body."""
        self.tracking = False
        self._load()

    def _load(self) -> None:
        """Make the figures of the tab."""
        self.actor = self._figure(load_humanoid(), ASIDE)
        self.actor.loop("idle")
        self.rig = ikrig.ActorRig(self.actor)
        if self.tracking:
            self._load_player()
        else:
            self._load_twin()
        self.rig.start()

    def _figure(self, actor: Actor, x: float) -> Actor:
        actor.reparent_to(self.stage)
        actor.set_blend(animBlend=True, frameBlend=True)
        actor.set_x(x)
        return actor

    # -- handles -----------------------------------------------------------------------

    def _load_twin(self) -> None:
        """Lead two figures by the same handles."""
        self.body = ikrig.FullBody(self.rig)
        joints = {name: self.body[name].joint for name in NAMES}
        self.holds = {
            name: _Hold(self.rig.joint(joint), self.actor, name)
            for name, joint in joints.items()
        }
        for name, hold in self.holds.items():
            self.body[name].target = hold.node
        layer = SimpleNamespace(
            phase=ikrig.Phase.BODY, order=-1, started=True, apply=self._follow
        )
        self.rig.add(layer, list(joints.values()))
        self.other = self._figure(load_humanoid(), -ASIDE)
        self.other.set_color_scale(0.5, 0.53, 0.6, 1.0)
        self.other.loop("idle")
        self.twin = ikrig.ActorRig(self.other)
        self.copies = {
            joints[name]: self.other.attach_new_node(name) for name in NAMES[:5]
        }
        for name in NAMES[:5]:
            self.copies[joints[name]].set_pos(self.holds[name].node.get_pos())
        self.tree = self.twin.tree(self.copies, root_joint=joints["hips"], pinned=False)
        self.twin.start()

    def _follow(self, _pose: ikrig.Pose, dt: float) -> None:
        """Move handles that nobody holds along with the animation."""
        for name, hold in self.holds.items():
            share = hold.follow(dt)
            effector = self.body[name]
            # feet stand where they are animated, the others are free
            weight = 1.0 if name.endswith("foot") else share
            if effector.weight != weight:
                effector.weight = weight
        for name, end in zip(NAMES[:5], self.tree.effectors, strict=True):
            hold = self.holds[name]
            end.target.set_pos(hold.node.get_pos())
            end.weight = 1.0 if name.endswith("foot") else max(hold.share, 0.05)

    def play(self, time: float) -> None:
        """Take one pose after the other; in the other tab, one clip."""
        if self.tracking:
            return
        number = int(time / EACH)
        part = smoothstep(min((time % EACH) / MOVES, 1.0))
        # it begins as animated
        last = POSES[(number - 1) % len(POSES)] if number else {}
        now = POSES[number % len(POSES)]
        for name, hold in self.holds.items():
            hold.lead(last.get(name), now.get(name), part)

    # -- trackers ----------------------------------------------------------------------

    def _load_player(self) -> None:
        """Let a recording lead the figure, and show its player."""
        self.player = Player(self.stage)
        self.player.actor.set_color_scale(0.62, 0.72, 1.0, 1.0)
        self.player.actor.set_pos_hpr_scale(-ASIDE, 0, 0, 0, 0, 0, TALL, TALL, TALL)
        self.fps, names, self.frames = read()
        self.trackers = {name: self.actor.attach_new_node(name) for name in names}
        mesh = MeshBuilder()
        mesh.add(mesh_shapes.sphere(0.035), theme.ORANGE)
        for node in self.trackers.values():
            mesh.attach(node, "tracker")
        self.body = body = ikrig.TrackedBody(self.rig, **self.trackers)  # type: ignore[arg-type]
        self._track(0)
        larger = 1.0 / body.calibrate()["scale"]
        self.player_note = Note("player", f"{larger:.2f} times as tall")
        self.time = 0.0

    def _track(self, frame: int) -> None:
        """Move the trackers to where they were in a frame of the recording."""
        for node, pose in zip(self.trackers.values(), self.frames[frame], strict=True):
            x, y, z, *turn = pose
            node.set_pos_quat((x, y, z), p3d.LQuaternionf(*turn))

    # -- a frame -----------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Go on with the recording."""
        if not self.tracking:
            return
        self.time += dt
        count = len(self.frames) - 1
        frame = int(self.time * self.fps) % count
        self._track(1 + frame)
        self.player.show(frame / self.fps)

    def after_ik(self) -> None:
        """Move free handles with the body."""
        if not self.tracking:
            for hold in self.holds.values():
                hold.show()

    def handles(self) -> Sequence[Handle]:
        """Return the handles that are not trackers."""
        if self.tracking:
            return ()
        return [
            Handle(hold.node, name.replace("_", " "), radius=0.05)
            for name, hold in self.holds.items()
        ]

    def sliders(self) -> Sequence[Slider]:
        """Return the settings of the body."""
        body = self.body
        return (
            Slider("weight", 0.0, 1.0, 1.0, lambda x: setattr(body, "weight", x)),
            Slider(
                "spine stiffness", 0.2, 5.0, 1.0,
                lambda x: setattr(body, "spine_stiffness", x),
            ),
        )  # fmt: skip

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"t": self._change, "f": self._release}

    def notes(self) -> Sequence[Note]:
        """Return what is shown, and how far the worst handle is off."""
        if self.tracking:
            return (Note("led by", "a recording"), self.player_note)
        held = [(n, h.node) for n, h in self.holds.items() if h.share > 0.99]
        gaps = [
            self.rig.joint(self.body[name].joint).get_distance(node)
            for name, node in held
        ]
        return (
            Note("led by", "seven handles"),
            Note("farthest off", f"{1000.0 * max(gaps, default=0.0):.1f} mm"),
        )

    def close(self) -> None:
        """Detach the rigs and remove the figures."""
        self.rig.detach()
        self.actor.cleanup()
        if self.tracking:
            self.player.actor.cleanup()
        else:
            self.twin.detach()
            self.other.cleanup()

    def _change(self) -> None:
        """Show the other tab."""
        self.close()
        for node in self.stage.find_all_matches("**/+Character"):
            node.get_parent().remove_node()
        self.tracking = not self.tracking
        self._load()
        self.redraw = True

    def _release(self) -> None:
        self.playing = False
        if not self.tracking:
            for hold in self.holds.values():
                hold.lead(None, None, 1.0)


class _Hold:
    """A handle that follows its joint until it is dragged or led.

    Attributes:
        node: The node that is dragged.
        share: How far it is held, 0 to 1.
    """

    def __init__(self, joint: p3d.NodePath, actor: Actor, name: str) -> None:
        self.joint, self.actor = joint, actor
        self.node = actor.attach_new_node(name)
        self.node.set_pos(joint.get_pos(actor))
        self._last = self.place = self.node.get_pos()
        self.share = 0.0

    def lead(self, last: object, now: object, part: float) -> None:
        """Lead it from one place to another; None: as animated."""
        ends = [p3d.LPoint3(*x) for x in (last, now) if x is not None]  # type: ignore[misc]
        if ends:
            self.place = ends[0] + (ends[-1] - ends[0]) * part
        if last is None or now is None:
            share = part if now is not None else (1.0 - part) * bool(ends)
            self.share = min(max(share, 0.0), 1.0)
        else:
            self.share = 1.0

    def follow(self, dt: float) -> float:
        """Move the node for this frame, on the animated pose; return its share."""
        if self.node.get_pos() != self._last:
            self.place, self.share = self.node.get_pos(), 1.0
        animated = self.joint.get_pos(self.actor)
        self.node.set_pos(animated + (self.place - animated) * self.share)
        self._last = self.node.get_pos()
        return self.share

    def show(self) -> None:
        """Move a free handle to the solved joint."""
        if self.share == 0.0:
            self.node.set_pos(self.joint.get_pos(self.actor))
            self._last = self.node.get_pos()
