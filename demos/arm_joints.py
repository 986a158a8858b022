"""Six axes in a row: turn one, and all links after it move along.

Each slider turns one axis within its range. The axis that moves shows its dial, and the
links before it are dimmed. The table shows the position of every axis, and the position
and rotation of the tool.

Order: 150
Keys:
    Space  play
    F      frames
    0      zero
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import six_axis, table, theme
from demos._shared.demo import Button, Demo, Note, Slider, smoothstep, wave
from demos._shared.dials import Dial
from demos._shared.frames import attach_frame
from demos._shared.layout import Layout
from demos._shared.table import Table
from ikrig.math3d.quaternion import Floats
from ikrig.scene.viewer.orbit_camera import View

START = np.radians((-20.0, 20.0, 65.0, 25.0, 50.0, 30.0))
EACH = 2.5  # time for which the movement turns each axis [s]
SWING = np.radians((55.0, 32.0, 40.0, 110.0, 60.0, 150.0))
# inner and outer radius of each axis's dial [the arm's unit]
DIALS = ((2.2, 3.4), (1.3, 2.5), (1.1, 2.2), (0.8, 1.8), (0.5, 1.4), (0.55, 1.3))
FRAMES = (3.6, 2.7, 2.3, 1.7, 1.2, 1.1)  # length of each axis's arrows
BRIGHT, DIM = p3d.LVecBase4(1.0), p3d.LVecBase4(0.5, 0.5, 0.5, 1.0)
WIDTH, COLUMNS = 340.0, (0.34, 0.56, 0.78, 1.0)


class ArmJoints(Demo):
    """The arm as nested nodes, and its forward kinematics.

    Attributes:
        tree: The arm.
        active: Index of the last moved axis.
    """

    view = View(
        focus=(0.65, 0.0, 1.42), distance=7.4, heading=-32, pitch=14, radius=3.4
    )
    duration = EACH * 6.0
    fills_picture = True
    picture = 6.9

    def build(self) -> None:
        """Make the arm, its dials and frames."""
        self.tree = six_axis.attach(self.stage)
        self.joints = list(self.tree.joints.values())
        # the same axes again, translucent
        self.glass = ikrig.Robot(six_axis.model(), self.overlay, shapes=None)
        self.glass.root.set_scale(six_axis.SCALE)
        self.dials = [
            Dial(joint, "yz"[int(axis[2])], *radii)
            for joint, axis, radii in zip(
                self.glass.joints.values(),
                self.glass.model.joint_axes,
                DIALS,
                strict=True,
            )
        ]
        self.links = [self.tree.body(link) for link in six_axis.LINKS]
        attach_frame(self.tree.body("tool"), 1.6, "tool frame")
        self.frames = [
            attach_frame(joint.node, length, "frame")
            for joint, length in zip(self.joints, FRAMES, strict=True)
        ]
        for frame in self.frames:
            # hidden by the castings
            frame.set_depth_test(False)
            frame.set_bin("fixed", 0)
        self.show_frames(False)
        self.tree.set_qpos(START)
        self.activate(0)

    def play(self, time: float) -> None:
        """Swing one axis after the other."""
        k = int(time / EACH) % 6
        since = time % EACH
        ease = smoothstep(2.5 * since / EACH) * smoothstep(2.5 * (1.0 - since / EACH))
        q = START.copy()
        q[k] += SWING[k] * ease * wave(since, EACH)
        self.tree.set_qpos(q)
        self.activate(k)

    def update_visuals(self) -> None:
        """Update the dials."""
        self.glass.set_qpos(self.tree.qpos)

    def activate(self, k: int) -> None:
        """Show the dial of an axis and the links that it moves."""
        self.active = k
        for i, (dial, link) in enumerate(zip(self.dials, self.links, strict=True)):
            dial.show(i == k)
            link.set_color_scale(BRIGHT if i >= k else DIM)

    def show_frames(self, shown: bool) -> None:
        """Show or hide the frames of the axes."""
        self.framed = shown
        for frame in self.frames:
            (frame.show if shown else frame.hide)()

    def pose(self) -> tuple[Floats, Floats]:
        """Return the shown tool pose: position (3,) [the arm's unit], rotation."""
        matrix = self.tree.body("tool").get_mat(self.tree.root)
        axes = [list(matrix.get_row3(i)) for i in range(3)]
        return np.array(matrix.get_row3(3)), np.array(axes).T

    def sliders(self) -> Sequence[Slider]:
        """Return one slider for each axis."""
        return [
            Slider(
                f"{joint.name}   {math.degrees(joint.range[0]):.0f}° to "
                f"{math.degrees(joint.range[1]):.0f}°",
                math.degrees(joint.range[0]),
                math.degrees(joint.range[1]),
                self._degrees(k),
                partial(self._turn, k),
                show="{:.1f}°",
                read=partial(self._degrees, k),
            )
            for k, joint in enumerate(self.joints)
        ]

    def buttons(self) -> Sequence[Button]:
        """Return the buttons "frames" and "zero"."""
        return (
            Button("frames", self._toggle_frames, lit=lambda: self.framed),
            Button("all to zero", self._zero),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"f": self._toggle_frames, "0": self._zero}

    def notes(self) -> Sequence[Note]:
        """Return the tool's pose."""
        position, rotation = self.pose()
        angles = six_axis.angles_of(rotation)
        rows = [
            Note(f"tool {name}", f"{value:.3f}")
            for name, value in zip("xyz", position, strict=True)
        ]
        return rows + [
            Note(f"tool {name}", f"{value:.1f}°")
            for name, value in zip(("yaw", "pitch", "roll"), angles, strict=True)
        ]

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Make the table of positions."""
        names = [f"{'  ' * k}{name}" for k, name in enumerate(six_axis.AXES)]
        rows = [
            ("axis", "angle", "x", "y", "z"),
            *((name, *4 * ("",)) for name in names),
            ("tool frame", "", "a = x", "y", "b = z"),
            *((name, *4 * ("",)) for name in "xyz"),
        ]
        top = layout.bottom - 8.0 - table.height(len(rows))
        place = (20.0, top, WIDTH)
        self._table = Table(layout, panels, place, COLUMNS, rows)

    def refresh(self) -> None:
        """Update the table."""
        for k, joint in enumerate(self.joints):
            place = joint.node.get_pos(self.tree.root)
            texts = [f"{self._degrees(k):.1f}°", *(f"{x:.3f}" for x in place)]
            colour = theme.ACCENT if k == self.active else theme.TEXT
            self._table.set(1 + k, texts, colour)
        _, rotation = self.pose()
        for i in range(3):
            self._table.set(8 + i, ["", *(f"{x:.3f}" for x in rotation[i])])

    def _degrees(self, k: int) -> float:
        return math.degrees(self.joints[k].value)

    def _turn(self, k: int, degrees: float) -> None:
        self.playing = False
        self.joints[k].value = math.radians(degrees)
        self.activate(k)

    def _toggle_frames(self) -> None:
        self.show_frames(not self.framed)

    def _zero(self) -> None:
        self.playing = False
        self.tree.set_qpos(np.zeros(6))
