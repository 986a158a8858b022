"""Actors made by code, with clips, and their joints as Panda3D has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig

FRAMES = 60  # of every clip, a second long
TIME = 1 / 60
LEG = ("UpLeg", "Leg", "Foot", "ToeBase")
ODD = (3, -2, 1, 40, 10, -15, -2, 2, 2)
"""Place, turn and mirrored scale of an Actor."""


class Person:
    """An Actor made by code in a world, with a rig and a target."""

    def __init__(self, joints, clips, placed: Sequence[float] = ODD) -> None:
        self.world = p3d.NodePath("world")
        self.actor = make_actor(joints, clips)
        self.actor.reparent_to(self.world)
        if placed:
            self.actor.set_pos_hpr_scale(*placed)
        self.rig = ikrig.ActorRig(self.actor)
        self.target = self.world.attach_new_node("target")

    def frame(self, dt: float = TIME) -> None:
        self.rig.update(dt)

    def run(self, seconds: float, dt: float = TIME) -> None:
        for _ in range(round(seconds / dt)):
            self.frame(dt)

    def place(self, joint: str) -> p3d.LPoint3f:
        return p3d.LPoint3f(net(self.actor, joint).get_row3(3))


def make_actor(
    joints: Sequence[tuple[str, str | None, tuple, tuple]],
    clips: Mapping[str, Mapping[str, Sequence[Sequence[float]]]] = {},
    frames: int = FRAMES,
) -> Actor:
    """An Actor with these joints: name, parent, place and hpr, below each other.

    A clip has, by joint, the hpr that come on top of the joint's own: one per frame,
    and after it, if it goes anywhere, by how much.
    """
    character = p3d.Character("person")
    bundle = character.get_bundle(0)
    made: dict[str | None, p3d.PartGroup] = {None: p3d.PartGroup(bundle, "<skeleton>")}
    for name, parent, place, hpr in joints:
        made[name] = p3d.CharacterJoint(
            character, bundle, made[parent], name, _mat(place, hpr)
        )
    actor = Actor(p3d.NodePath(character))
    for name, moves in clips.items():
        actor.load_anims({name: _clip(name, joints, moves, frames)})
    return actor


def two_legs(x: float, *bones: Sequence[float]) -> list[Any]:
    """Joints of hips and two legs: the places of shin, foot and toes, one by one."""
    joints: list[Any] = [("Hips", None, (0.0, 0.0, 0.9), (0.0, 0.0, 0.0))]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        above = "Hips"
        places = ((sign * x, 0.0, 0.0), *bones)
        for part, place in zip(
            ("UpLeg", "Leg", "Foot", "ToeBase"), places, strict=True
        ):
            joints.append((side + part, above, place, (0.0, 0.0, 0.0)))
            above = side + part
    return joints


def _mat(place: Sequence[float], hpr: Sequence[float]) -> p3d.LMatrix4f:
    state = p3d.TransformState.make_pos_hpr(p3d.LPoint3(*place), p3d.LVecBase3(*hpr))
    return p3d.LMatrix4f(state.get_mat())


def _clip(name, joints, moves, frames) -> p3d.NodePath:
    bundle = p3d.AnimBundle(name, float(FRAMES), frames)
    made: dict[str | None, p3d.AnimGroup] = {None: p3d.AnimGroup(bundle, "<skeleton>")}
    for joint, parent, place, hpr in joints:
        channel = p3d.AnimChannelMatrixXfmTable(made[parent], joint)
        made[joint] = channel
        states = [
            p3d.TransformState.make_mat(
                _mat(turn[3:] or (0, 0, 0), turn[:3]) * _mat(place, hpr)
            )
            for turn in moves.get(joint, [(0.0, 0.0, 0.0)])
        ]
        tables = {
            "xyz": [state.get_pos() for state in states],
            "hpr": [state.get_hpr() for state in states],
        }
        for letters, values in tables.items():
            for k, letter in enumerate(letters):
                table = p3d.PTA_float([value[k] for value in values])
                channel.set_table(letter, p3d.CPTA_float(table))
    node = p3d.AnimBundleNode(name, bundle)
    return p3d.NodePath(node)


def net(actor: Actor, joint: str) -> p3d.LMatrix4f:
    """Where a joint is in the space of the Actor, as it will be drawn."""
    mat = p3d.LMatrix4f()
    bundle = actor.get_part_bundle("modelRoot")
    bundle.find_child(joint).get_net_transform(mat)
    return mat * actor.get_part("modelRoot").get_mat(actor)


def locals_of(actor: Actor) -> dict[str, p3d.LMatrix4f]:
    """The transform of every joint against the one above it."""
    found = {}
    for joint in actor.get_joints():
        mat = p3d.LMatrix4f()
        joint.get_transform(mat)
        found[joint.get_name()] = mat
    return found


def most_apart(a: Mapping[str, p3d.LMatrix4f], b: Mapping[str, p3d.LMatrix4f]) -> float:
    return max(
        abs(a[name].get_cell(i, j) - b[name].get_cell(i, j))
        for name in a
        for i in range(4)
        for j in range(4)
    )


def angle(a, b) -> float:
    """Angle between two directions [rad]."""
    x, y = p3d.LVector3d(*a), p3d.LVector3d(*b)
    return math.atan2(x.cross(y).length(), x.dot(y))
