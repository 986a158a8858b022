"""Solvers, limits, poles and other settings, measured on Panda3D's joints."""

from __future__ import annotations

from math import radians

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

from ikrig import HingeLimit
from ikrig.scene.actor.actor_rig import ActorRig
from tests.methods import CHAIN_METHODS

from .stage import (
    Stage,
    character,
    draw_in,
    gap,
    joint,
    leg,
    length,
    net,
    only,
    place,
    skin,
)
from .stage import update as force

FOOT = "Bone_lf_foot"
BONES = 3


@pytest.fixture
def walker(stage: Stage):
    """Make a walking panda, its untouched twin and a rig with one pinned foot."""

    def make(**settings):
        actor, reference = stage.body(), stage.body()
        stage.step(9)
        rig = ActorRig(actor)
        bones = settings.pop("bones", BONES)
        chain = rig.chain(FOOT, bones, **settings)
        draw_in(stage, actor, chain, bones)
        rig.start(stage.task_mgr)
        return actor, reference, chain

    return make


def step(stage, reference) -> None:
    stage.step()
    force(reference)


def missed(actor, chain) -> float:
    """How far the foot is from its target, in leg lengths."""
    tip = chain.leaf.get_name()
    names = leg(actor, tip, chain.chain_length)
    gone = net(actor, tip)[3, :3] - place(actor, chain.target)
    return float(np.linalg.norm(gone)) / length(actor, names)


def turn(matrix: np.ndarray) -> np.ndarray:
    """Rotation in a row matrix with even scale; of a mirror minus it."""
    rows = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=1)[:, None]
    return rows * np.sign(np.linalg.det(rows))


def angle(rotation: np.ndarray) -> float:
    return float(np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1)))


@pytest.mark.parametrize("solver", CHAIN_METHODS)
def test_every_solver_pins_the_foot(stage, walker, solver):
    bones = 2 if solver == "two_bone" else BONES
    actor, reference, chain = walker(solver=solver, bones=bones)
    mask = only(actor, FOOT)
    for _ in range(20):
        step(stage, reference)
        assert missed(actor, chain) < 0.002
        shift = place(actor, chain.target) - net(reference, FOOT)[3, :3]
        names = leg(actor, FOOT, bones)
        error = gap(skin(actor)[mask], skin(reference)[mask] + shift)
        assert error < 0.002 * length(actor, names)


def rest_nets(actor: Actor) -> dict[str, np.ndarray]:
    """Net transforms in the pose that the model came in, composed by hand."""
    found: dict[str, np.ndarray] = {}

    def look(group, above):
        for child in group.get_children():
            mat = above
            if isinstance(child, p3d.CharacterJoint):
                rows = child.get_default_value().rows
                mat = np.array([tuple(row) for row in rows]) @ above
                found[child.get_name()] = mat
            look(child, mat)

    look(actor.get_part_bundle("modelRoot"), np.eye(4))
    return found


@pytest.mark.parametrize("solver", ["fabrik", "dls"])
def test_knee_hinge_holds_while_walking(stage, walker, solver):
    lower, upper = radians(20), radians(45)
    knee = 2
    actor, reference, chain = walker(
        solver=solver, limits={knee: HingeLimit("y", lower, upper)}
    )
    names = leg(actor, FOOT, BONES)
    rest = rest_nets(actor)
    above = above_of(actor, names[0])
    frame = turn(rest[above]) if above else np.eye(3)
    seen = []
    for i in range(60):
        chain.target.set_z(chain.target.get_z() + 0.02 * np.sin(i / 5))
        step(stage, reference)
        top = turn(net(actor, above)) if above else np.eye(3)
        # how each joint has turned since the model's pose, in the frame above the chain
        rotations = []
        for name in names[knee - 1 : knee + 1]:
            now = turn(net(actor, name)) @ np.linalg.inv(top)
            start = turn(rest[name]) @ np.linalg.inv(frame)
            rotations.append(np.linalg.inv(start) @ now)
        # rows: the knee's own turn comes first, then what carries it
        own = rotations[1] @ np.linalg.inv(rotations[0])
        axis = np.array(
            [own[1, 2] - own[2, 1], own[2, 0] - own[0, 2], own[0, 1] - own[1, 0]]
        )
        bend = angle(own) * np.sign(axis[1])
        assert abs(own[1, 1] - 1.0) < 1e-4
        assert lower - 1e-3 <= bend <= upper + 1e-3
        seen.append(bend)
    # it bends as it needs to, and the upper limit is in its way
    assert np.ptp(seen) > radians(5)
    assert max(seen) > upper - radians(2)


def above_of(actor: Actor, name: str) -> str | None:
    return rig_parents(actor)[name]


def rig_parents(actor: Actor) -> dict[str, str | None]:
    found: dict[str, str | None] = {}

    def look(group, above):
        for child in group.get_children():
            here = above
            if isinstance(child, p3d.CharacterJoint):
                here = child.get_name()
                found[here] = above
            look(child, here)

    look(actor.get_part_bundle("modelRoot"), None)
    return found


@pytest.mark.parametrize("bones", [2, 3])
def test_tip_rotation_animation_keeps_the_foots_rotation(stage, walker, bones):
    actor, reference, chain = walker(bones=bones)
    for _ in range(10):
        chain.target.set_hpr(stage.render, 30, 50, 70)
        step(stage, reference)
        apart = turn(net(actor, FOOT)) @ np.linalg.inv(turn(net(reference, FOOT)))
        assert angle(apart) < 2e-3


def test_tip_rotation_target_rotates_the_foot_with_the_target(stage, walker):
    actor, reference, chain = walker(orientation_mode="target")
    space = p3d.NodePath(character(actor))
    first = turn(net(actor, FOOT))
    force(reference)
    start = turn(net(reference, FOOT)), mat(chain.target, space)
    assert angle(np.linalg.inv(first) @ start[0]) < 1e-3
    for i in range(10):
        chain.target.set_hpr(5 * i, -4 * i, 3 * i)
        step(stage, reference)
        moved = np.linalg.inv(start[1]) @ mat(chain.target, space)
        wanted = start[0] @ moved
        assert angle(np.linalg.inv(wanted) @ turn(net(actor, FOOT))) < 2e-3
        assert missed(actor, chain) < 1e-5


def mat(node: p3d.NodePath, space: p3d.NodePath) -> np.ndarray:
    return turn(np.array([tuple(row) for row in node.get_mat(space).rows]))


def test_tip_rotation_normal_tilts_the_foot_with_the_ground(stage, walker):
    actor, reference, chain = walker(orientation_mode="normal")
    space = p3d.NodePath(character(actor))
    for i in range(10):
        # the heading of the ground does not matter, its slope does
        chain.target.set_hpr(stage.render, 36 * i, 20, 10)
        step(stage, reference)
        normal = mat(chain.target, space)[2]
        tilt = np.linalg.inv(turn(net(reference, FOOT))) @ turn(net(actor, FOOT))
        assert np.allclose(np.array([0, 0, 1]) @ tilt, normal, atol=2e-3)
        # by the smallest turn there is
        assert angle(tilt) == pytest.approx(np.arccos(normal[2]), abs=2e-3)


def test_tip_rotation_bone_follows_the_last_bone(stage, walker):
    actor, reference, _ = walker(orientation_mode="bone")
    above = leg(actor, FOOT, 1)[0]
    for _ in range(10):
        step(stage, reference)
        held = []
        for body in (actor, reference):
            m = p3d.LMatrix4f()
            joint(body, FOOT).get_transform(m)
            held.append(np.array([tuple(row) for row in m.rows]))
        assert np.abs(held[0] - held[1]).max() < 1e-3
        apart = turn(net(actor, above)) @ np.linalg.inv(turn(net(reference, above)))
        assert angle(apart) > 0.01
