"""The panda that ships with Panda3D, all four legs on IK.

Each leg uses plain Panda3D nodes: expose the joint above the leg, control the leg's
joints, parent them to each other, and bind an `IKChain` to the last one. The hind paws
stay planted while the body sways; the front paws touch the ball in turn.

Order: 55
Keys:
    Space  play
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.demo import Demo, Handle, Slider, smoothstep, wave
from demos._shared.demo_error import DemoError
from demos._shared.mesh import Material, MeshBuilder, Part, finish_textured
from ikrig.scene.viewer.orbit_camera import View

MODEL = "models/panda-model"
SCALE = 1.0 / 260.0
BALL = 0.36


@dataclass(frozen=True)
class _Leg:
    """Joints of a leg and the position of its paw, in model units."""

    name: str
    above: str
    joints: tuple[str, str, str]
    stand: tuple[float, float, float]
    pole: tuple[float, float, float]


LEGS = (
    _Leg(
        "left front", "Bone_lf_clavicle",
        ("Bone_lf_leg_upper", "Bone_lf_leg_lower", "Bone_lf_foot"),
        (158.0, -120.0, 20.0), (230.0, 500.0, 260.0),
    ),
    _Leg(
        "right front", "Bone_rf_clavicle",
        ("Bone_rf_leg_upper", "Bone_rf_leg_lower", "Bone_rf_foot"),
        (-158.0, -120.0, 20.0), (-230.0, 500.0, 260.0),
    ),
    _Leg(
        "left hind", "Bone_lr_leg_hip",
        ("Bone_lr_leg_upper", "Bone_lr_leg_lower", "Bone_lr_foot"),
        (156.0, 205.0, 25.0), (230.0, -600.0, 260.0),
    ),
    _Leg(
        "right hind", "Bone_rr_leg_hip",
        ("Bone_rr_leg_upper", "Bone_rr_leg_lower", "Bone_rr_foot"),
        (-156.0, 250.0, 25.0), (-230.0, -600.0, 260.0),
    ),
)  # fmt: skip


class PandaLeg(Demo):
    """Four chains on a skinned Actor."""

    view = View(
        focus=(0.0, -0.7, 0.98),
        distance=7.8,
        heading=50,
        pitch=11,
        radius=3.8,
        daylight=True,
    )
    duration = 8.0
    picture = 2.0

    def build(self) -> None:
        """Load the panda and put a chain on each leg."""
        try:
            self.actor = Actor(MODEL)
        except OSError as error:
            raise DemoError(f"panda_leg: cannot load {MODEL}: {error}") from error
        self.actor.reparent_to(self.stage)
        self.actor.set_scale(SCALE)
        finish_textured(self.actor)
        bundle = self.actor.get_part_bundle("modelRoot")
        assert bundle is not None
        self.bundle = bundle
        self.targets: list[p3d.NodePath] = []
        self._chains = [(leg.name, self._rig(leg)) for leg in LEGS]
        for _, chain in self._chains:
            chain.start()
        self._make_ball()

    def play(self, time: float) -> None:
        """Sway the body; pat the ball with one paw, then with the other."""
        t = (time % self.duration) / self.duration
        self._sway(time)
        for i, leg in enumerate(LEGS):
            stand = p3d.LPoint3(*leg.stand) * SCALE
            phase = (t * 2.0 - i) % 2.0
            if i > 1 or phase >= 1.0:
                self.targets[i].set_pos(stand)
                self.targets[i].set_hpr(0.0, 0.0, 0.0)
                continue
            side = 1.0 if i == 0 else -1.0
            lift = smoothstep(phase / 0.32) * smoothstep((1.0 - phase) / 0.32)
            pat = wave(phase, 0.5) ** 2 * lift
            reach = p3d.LPoint3(0.42 * side, -1.28, 0.80 - 0.22 * pat)
            self.targets[i].set_pos(stand + (reach - stand) * lift)
            self.targets[i].set_hpr(0.0, -22.0 * lift + 30.0 * pat, 0.0)
        self._roll_ball(t)

    def after_ik(self) -> None:
        """Update the skin within this frame."""
        self.bundle.force_update()

    def chains(self) -> Sequence[tuple[str, ikrig.IKChain]]:
        """Return the four legs."""
        return self._chains

    def handles(self) -> Sequence[Handle]:
        """Return the four paws; the chains add the handles of their poles."""
        return [
            Handle(target, f"{leg.name} paw", radius=0.13)
            for leg, target in zip(LEGS, self.targets, strict=True)
        ]

    def sliders(self) -> Sequence[Slider]:
        """Return one weight for all legs."""

        def set_weight(value: float) -> None:
            for _, chain in self._chains:
                chain.weight = value

        return (Slider("weight", 0.0, 1.0, 1.0, set_weight),)

    def close(self) -> None:
        """Stop the chains and free the Actor."""
        super().close()
        self.actor.cleanup()

    def _rig(self, leg: _Leg) -> ikrig.IKChain:
        """Nest the controlled joints below an exposed one, and add a chain."""
        node = self.actor.expose_joint(None, "modelRoot", leg.above)  # type: ignore[arg-type]
        if node is None:
            raise DemoError(f"panda_leg: {MODEL} has no joint {leg.above}")
        for name in leg.joints:
            control = self.actor.control_joint(None, "modelRoot", name)
            control.reparent_to(node)  # keeps its local transform
            node = control
        target = self.stage.attach_new_node(f"{leg.name} target")
        target.set_pos(node.get_pos(self.stage))
        pole = self.actor.attach_new_node(f"{leg.name} pole")
        pole.set_pos(*leg.pole)
        self.targets.append(target)
        return ikrig.IKChain(node, chain_length=2, target=target, pole=pole)

    def _sway(self, time: float) -> None:
        """Shift the weight away from the lifted paw."""
        side = wave(time, self.duration)
        self.actor.set_pos(-0.09 * side, 0.03 * side * side, -0.07 * side * side)
        self.actor.set_hpr(2.0 * side, 1.2 * wave(time, self.duration / 2), -2.2 * side)

    def _make_ball(self) -> None:
        self.ball = self.stage.attach_new_node("ball")
        mesh = MeshBuilder()
        colours = (theme.ORANGE, Material((0.92, 0.91, 0.88), 0.35))
        slices = 8
        for k in range(slices):
            mesh.add(_slice(k, slices), colours[k % 2])
        for side in (1.0, -1.0):
            cap = mesh_shapes.lathe([(0.0, BALL * 1.006), (BALL * 0.2, BALL * 0.985)])
            mesh.add(cap.scaled(1, 1, side), theme.SLATE)
        mesh.attach(self.ball, "ball")

    def _roll_ball(self, t: float) -> None:
        """Roll the ball from side to side as it is patted."""
        x = -0.1 * math.cos(2.0 * math.pi * t)
        self.ball.set_pos(x, -2.0, BALL)
        self.ball.set_hpr(0.0, 25.0, 70.0 + math.degrees(x / BALL))


def _slice(index: int, slices: int) -> Part:
    """Return one coloured slice of the ball."""
    whole = mesh_shapes.sphere(BALL, segments=slices * 5)
    centre = whole.points[whole.triangles].mean(axis=1)
    turn = np.arctan2(centre[:, 1], centre[:, 0]) / (2.0 * math.pi) % 1.0
    mine = (turn * slices).astype(int) == index
    return Part(whole.points, whole.triangles[mine], math.pi)
