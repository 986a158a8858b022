"""Dials around the axes of an arm: the range and the current angle of each."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d

from demos._shared import theme
from demos._shared.mesh import MeshBuilder, Part
from demos._shared.theme import Colour
from ikrig.scene.robot.joint_nodes import RobotJoint

RING: Colour = (0.40, 0.70, 1.0, 1.3)
HAND: Colour = (1.0, 0.80, 0.35, 4.0)
STEP = math.radians(3.0)


class Dial:
    """A translucent ring over a hinge's range, with a hand for the current angle."""

    def __init__(
        self, joint: RobotJoint, axis: str, inner: float, outer: float
    ) -> None:
        """Draw it.

        Args:
            joint: Its node is the centre, and turns the hand.
            axis: The hinge's direction: "y", where angles count from z on, or "z",
                where they count from x on.
            inner: Inner radius of the ring [the arm's unit].
            outer: Outer radius.
        """
        low, high = (max(-math.pi, min(math.pi, end)) for end in joint.range)
        ring = _sector(axis, low, high, inner, outer)
        hand = _sector(axis, -0.05, 0.05, inner, 1.08 * outer)
        above = joint.node.get_parent()
        self._nodes = [_attach(above, ring, RING), _attach(joint.node, hand, HAND)]
        self._nodes[0].set_pos(joint.node.get_pos())
        for rank, node in enumerate(self._nodes):
            node.set_bin("fixed", rank)
        self.show(False)

    def show(self, shown: bool) -> None:
        """Show or hide it."""
        for node in self._nodes:
            (node.show if shown else node.hide)()


def _sector(axis: str, low: float, high: float, inner: float, outer: float) -> Part:
    """Return a flat sector of a ring."""
    angles = np.linspace(low, high, max(2, math.ceil((high - low) / STEP)))
    ahead, aside, nothing = np.cos(angles), np.sin(angles), np.zeros(len(angles))
    if axis == "z":
        flat = np.column_stack((ahead, aside, nothing))
    else:
        flat = np.column_stack((aside, nothing, ahead))
    count = len(angles)
    near = np.arange(count - 1)
    strip = [(near, near + 1, near + count), (near + 1, near + count + 1, near + count)]
    triangles = np.vstack([np.column_stack(three) for three in strip])
    return Part(np.vstack((inner * flat, outer * flat)), triangles)


def _attach(parent: p3d.NodePath, part: Part, colour: Colour) -> p3d.NodePath:
    mesh = MeshBuilder()
    mesh.add(part, theme.WHITE)
    node = mesh.attach(parent, "dial")
    node.set_color(p3d.LColor(*colour))
    node.set_two_sided(True)
    node.set_transparency(p3d.TransparencyAttrib.M_alpha)
    node.set_depth_write(False)
    return node
