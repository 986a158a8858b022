"""FootPlacement on a lift and a turntable, after a jump, and at a ramp's corner.

Skin and joints are read from Panda3D; where the ground is, the test says itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.characters import catalog

from .course import nets, skin
from .stage import Stage

SINK = 0.04
"""So deep a vertex may be in the ground while it moves [leg lengths]."""
RESTS = 0.02
"""So near the ground each foot is again when it is over [leg lengths]."""
PEOPLE = ("humanoid", "rebecca", "sofia")
SLOPE = 0.25
BLOCK = 0.3
"""How high what is jumped on is [leg lengths]."""

SECONDS = {"lift": 0.5, "turntable": 0.5, "landing": 0.5, "jump": 1.4, "corner": 0.6}
"""How soon it is there after the event; who glides steps one foot after the other."""

Event = Callable[[Actor, p3d.NodePath, float, float], None]


def lift(actor: Actor, ground: p3d.NodePath, leg: float, time: float) -> None:
    """Rise by two legs in two seconds, and stop dead."""
    ground.set_z(leg * min(time, 2.0))
    actor.set_z(ground.get_z())


def turntable(actor: Actor, ground: p3d.NodePath, leg: float, time: float) -> None:
    """Turn by a quarter a second below one who stands beside its middle."""
    angle = 90.0 * min(time, 2.0)
    ground.set_h(angle)
    turn = math.radians(angle)
    actor.set_pos(leg * math.cos(turn), leg * math.sin(turn), 0.0)
    actor.set_h(angle)


def landing(actor: Actor, ground: p3d.NodePath, leg: float, time: float) -> None:
    """Jump by a leg, and come down after two seconds."""
    air = min(time / 2.0, 1.0)
    actor.set_z(4.0 * leg * air * (1.0 - air))


def jump(actor: Actor, ground: p3d.NodePath, leg: float, time: float) -> None:
    """Jump on to a block, and come down on it after two seconds."""
    air = min(time / 2.0, 1.0)
    actor.set_pos(0.0, -2.0 * leg * air, leg * (BLOCK * air + 4.0 * air * (1.0 - air)))


def corner(actor: Actor, ground: p3d.NodePath, leg: float, time: float) -> None:
    """Glide from the flat onto a ramp, and stop across its corner."""
    actor.set_y(-leg * (0.5 + 0.25 * min(time, 2.0)))


EVENTS: dict[str, Event] = {
    event.__name__: event for event in (lift, turntable, landing, jump, corner)
}


def height(event: str, ground: p3d.NodePath, leg: float, points: np.ndarray):
    """Return how high the ground is below some points."""
    if event == "corner":
        return SLOPE * np.maximum(0.0, -points[:, 1] - leg)
    if event == "jump":
        return np.where(points[:, 1] < -leg, BLOCK * leg, 0.0)
    return np.full(len(points), ground.get_z())


def make_ground(event: str, leg: float) -> p3d.NodePath:
    far = 20.0 * leg
    node = p3d.CollisionNode("ground")
    strips = [(far, 0.0, -far, 0.0)]
    if event == "corner":
        strips = [(far, 0.0, -leg, 0.0), (-leg, 0.0, -far, SLOPE * (far - leg))]
    if event == "jump":
        block = BLOCK * leg
        strips = [(far, 0.0, -leg, 0.0), (-leg, block, -far, block)]
    for y, z, to, high in strips:
        corners = [(-far, y, z), (-far, to, high), (far, to, high), (far, y, z)]
        node.add_solid(p3d.CollisionPolygon(*(p3d.LPoint3f(*at) for at in corners)))
    return p3d.NodePath(node)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("name", PEOPLE)
def test_feet_rest_on_the_ground_again(stage: Stage, name: str, event: str) -> None:
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    actor = stage.add(catalog.load(name))
    rig = ikrig.ActorRig(actor)
    legs = [
        list(joints)
        for limb, joints in catalog.EXPECTED[name].limbs.items()
        if "foot" in limb
    ]
    assert len(legs) == 2
    rest = [nets(actor, line[:3])[:, 3, :3] for line in legs]
    lengths = [
        float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum()) for line in rest
    ]
    leg = lengths[0]
    # each foot's own skin: low, and on its side
    points = skin(actor)
    low = points[:, 2] < points[:, 2].min() + 0.1 * leg
    middle = np.mean([line[-1, 0] for line in rest])
    feet = [
        np.flatnonzero(low & ((points[:, 0] > middle) == (line[-1, 0] > middle)))
        for line in rest
    ]
    bottom = [points[foot, 2].min() for foot in feet]
    assert np.abs(bottom).max() < RESTS * leg, "it has to stand on its own z = 0"
    ground = make_ground(event, leg)
    ground.reparent_to(stage.render)
    placement = ikrig.FootPlacement(rig, ground)
    move = EVENTS[event]
    last = 0.0
    for frame in range(210):
        time = frame / 60.0
        move(actor, ground, leg, time)
        if event in ("landing", "jump"):
            placement.weight = 0.0 if 0.05 < time < 1.9 else 1.0
        rig.update(1.0 / 60.0)
        points = skin(actor)
        above = points[:, 2] - height(event, ground, leg, points)
        assert np.isfinite(points).all()
        assert min(above[foot].min() for foot in feet) > -SINK * leg, time
        if max(abs(above[foot].min()) for foot in feet) > RESTS * leg:
            last = time
        for line, length in zip(legs, lengths, strict=True):
            hip, _, ankle = nets(actor, line[:3])[:, 3, :3]
            assert np.linalg.norm(ankle - hip) < 1.002 * length, time
    assert last < 2.0 + SECONDS[event]
