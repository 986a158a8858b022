"""A crowd looks at a firefly with eyes, heads and backs.

Every figure plays its own idle animation; a `LookAt` on top of it turns spine, neck,
head and eyes. They look for a firefly behind them on the nearer side. Now and then, one
looks at a neighbour, and a figure close to the firefly waves. Drag the firefly.

Order: 40
Keys:
    Space  play
    E      eyes only
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from demos._shared import creature_meshes, mesh_shapes, theme
from demos._shared.demo import Demo, Handle, Note, Slider, smoothstep
from demos._shared.humanoid import load_humanoid
from demos._shared.mesh import Material, MeshBuilder
from ikrig.scene.viewer.orbit_camera import View

ROWS = (7, 8, 9)
WIDTH = 0.68  # distance between neighbours
STEP = (0.4, 0.85)  # height and depth of a step
JOINTS = {"Spine1": 1.0, "Spine2": 1.0, "Neck": 2.0, "Head": 3.5}
NEAR = 1.5  # distance below which they wave
CLOTH = Material((0.115, 0.125, 0.15), 0.7)


class Look(Demo):
    """Three rows of people on steps, and a firefly."""

    view = View(
        focus=(0.0, 0.5, 1.5),
        distance=7.9,
        heading=-12,
        pitch=4,
        radius=4.5,
        fov=28,
        daylight=True,
    )
    duration = 24.0
    picture = 9.1
    show_chains = False

    def build(self) -> None:
        """Put the crowd on its steps."""
        self.firefly = self.stage.attach_new_node("firefly")
        creature_meshes.firefly(self.firefly)
        self.firefly.set_scale(1.4)
        first = load_humanoid()
        self.people: list[_Person] = []
        for row, count in enumerate(ROWS):
            for k in range(count):
                actor = Actor(other=first) if self.people else first
                x = (k - 0.5 * (count - 1)) * WIDTH
                x += 0.07 * self.random.normal()
                y = row * STEP[1] + 0.12 * self.random.uniform(-1.0, 1.0)
                # an arc: those at the sides stand nearer, and face the middle
                actor.set_pos(x, y - 0.035 * x * x, row * STEP[0])
                actor.set_h(-5.0 * x + self.random.normal(0.0, 5.0))
                actor.reparent_to(self.stage)
                self.people.append(_Person(self, actor))
        _steps(self.stage)

    def play(self, time: float) -> None:
        """Fly back and forth before them, over them, behind them, and rest."""
        self.firefly.set_pos(*_path(time % self.duration))

    def update(self, dt: float) -> None:
        """Update every figure."""
        for person in self.people:
            person.live(dt)

    def handles(self) -> Sequence[Handle]:
        """Return the firefly."""
        return (Handle(self.firefly, "firefly"),)

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders for weight and reaction time."""

        def set_weight(value: float) -> None:
            for person in self.people:
                person.look.weight = value

        def set_pace(value: float) -> None:
            for person in self.people:
                person.look.seconds = person.seconds * value

        return (
            Slider("weight", 0.0, 1.0, 1.0, set_weight),
            Slider("reaction time", 0.25, 3.0, 1.0, set_pace),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"e": self._eyes_only}

    def notes(self) -> Sequence[Note]:
        """Return the number of figures, and of those who wave."""
        waving = sum(person.waving > 0.5 for person in self.people)
        return (Note("figures", str(len(self.people))), Note("waving", str(waving)))

    def close(self) -> None:
        """Remove the crowd."""
        for person in self.people:
            person.rig.detach()
            person.actor.cleanup()

    def _eyes_only(self) -> None:
        still = ikrig.LookLimits(0.0, 0.0, 0.0, 0.0)
        for person in self.people:
            free = person.look.limits == still
            person.look.limits = ikrig.LookLimits() if free else still


class _Person:
    """One of the crowd: an Actor, its rig, and its current behaviour."""

    def __init__(self, demo: Look, actor: Actor) -> None:
        random = demo.random
        self.demo, self.actor = demo, actor
        actor.set_scale(random.uniform(0.94, 1.04))
        shade = random.uniform(0.75, 1.0)
        tint = np.clip(shade + random.normal(0.0, 0.02, 3), 0.55, 1.0)
        red, green, blue = tint.tolist()
        actor.set_color_scale(red, green, blue, 1.0)
        actor.set_blend(animBlend=True, frameBlend=True)
        self.phase, self.pace = random.uniform(0.0, 4.0), random.uniform(0.8, 1.15)
        self.waving, self.wave_phase = 0.0, random.uniform(0.0, 3.0)
        self.seconds = random.uniform(0.35, 0.8)
        self.time = 0.0
        self.glance = random.uniform(2.0, 14.0)  # time of its next look at a neighbour
        self.back = 0.0  # time at which it looks at the firefly again
        self.rig = ikrig.ActorRig(actor)
        self.look = ikrig.LookAt(self.rig, demo.firefly, JOINTS, seconds=self.seconds)
        self.rig.start()

    def live(self, dt: float) -> None:
        """Breathe, glance, wave."""
        self.time += dt
        demo = self.demo
        if self.time > self.glance:
            # not at someone who glances too: both could not follow the other at once
            others = [other for other in demo.people if other is not self]
            others = [other for other in others if other.look.target == demo.firefly]
            others.sort(key=lambda other: other.actor.get_distance(self.actor))
            friend = others[int(demo.random.integers(0, 4))]
            self.look.target = friend.rig.joint("Head")
            self.back = self.time + demo.random.uniform(0.8, 1.8)
            self.glance = self.back + demo.random.uniform(5.0, 16.0)
        elif self.time > self.back:
            self.look.target = demo.firefly
        far = demo.firefly.get_distance(self.rig.joint("Head"))
        near = float(far < NEAR)
        self.waving += (near - self.waving) * (1.0 - math.exp(-3.0 * dt))
        for name, weight, phase in (
            ("idle", 1.0 - self.waving, self.phase),
            ("wave", self.waving, self.wave_phase),
        ):
            self.actor.set_control_effect(name, weight)
            clip = self.actor.get_anim_control(name)
            assert clip is not None
            frame = (phase + self.pace * self.time) * clip.get_frame_rate()
            clip.pose(frame % clip.get_num_frames())


def _path(time: float) -> tuple[float, float, float]:
    """Return the position of the firefly."""
    stops = (
        (0.0, (-2.0, -1.6, 1.5)), (2.8, (2.0, -1.6, 1.9)), (4.8, (0.9, -1.3, 0.9)),
        (7.2, (-1.2, -0.9, 2.2)), (9.2, (-0.4, 0.5, 2.9)), (11.2, (0.5, 2.9, 3.1)),
        (13.2, (2.9, 1.8, 2.5)), (15.2, (2.2, -1.7, 1.3)), (15.7, (-1.7, -1.8, 1.5)),
        (18.2, (-1.5, -1.5, 0.9)), (20.8, (-0.2, -2.4, 2.3)), (24.0, (-2.0, -1.6, 1.5)),
    )  # fmt: skip
    for (start, a), (end, b) in pairwise(stops):
        if time < end:
            share = smoothstep((time - start) / (end - start))
            x, y, z = (p + (q - p) * share for p, q in zip(a, b, strict=True))
            return x, y, z + 0.08 * math.sin(5.0 * time)
    return stops[0][1]


def _steps(stage: p3d.NodePath) -> None:
    """Make the steps for the crowd."""
    for row, count in enumerate(ROWS[1:], 1):
        mesh = MeshBuilder()
        wide, (height, depth) = count * WIDTH + 0.9, STEP
        box = mesh_shapes.box(wide, 2.0 * depth, row * height, bevel=0.03)
        mesh.add(box, CLOTH)
        edge = mesh_shapes.box(wide, 0.05, 0.02).moved(y=-depth, z=0.5 * row * height)
        mesh.add(edge, theme.BRASS)
        node = mesh.attach(stage, "step")
        node.set_pos(0.0, row * depth + 0.5 * depth, 0.5 * row * height)
