"""Figures with a rotated and scaled armature, as in many glTF files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.scene.behaviours.sole import find_sole, standing_pose

from .people import FRAMES, make_actor, net

LEGS = ("LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot")
ARMATURES = {
    "lying": (p3d.LVecBase3(0, 90, 0), 1.0),
    "centimetres": (p3d.LVecBase3(0, 0, 0), 0.01),
    "both": (p3d.LVecBase3(30, 90, 10), 0.01),
}


def walker(hpr: Any = (0, 0, 0), scale: float = 1.0) -> Any:
    """A walker who faces -y, whose joints hang on a node with this transform."""
    above = p3d.TransformState.make_pos_hpr_scale(
        p3d.LPoint3(0.0), p3d.LVecBase3(*hpr), p3d.LVecBase3(1.0)
    )
    back = above.get_inverse()
    joints: list[Any] = []

    def add(name: str, parent: str | None, *place: float) -> None:
        point, turn = p3d.LPoint3(*place), p3d.LVecBase3(0.0)
        if parent is None:
            point, turn = back.get_mat().xform_point(point), back.get_hpr()
        joints.append((name, parent, tuple(point / scale), tuple(turn)))

    add("Hips", None, 0.0, 0.0, 0.9)
    moves = {}
    for side, x, late in (("Left", 0.1, 0.0), ("Right", -0.1, 0.5)):
        add(f"{side}UpLeg", "Hips", x, 0.0, 0.0)
        add(f"{side}Leg", f"{side}UpLeg", 0.0, -0.02, -0.42)
        add(f"{side}Foot", f"{side}Leg", 0.0, 0.03, -0.4)
        add(f"{side}ToeBase", f"{side}Foot", 0.0, -0.15, -0.07)
        turns = [2.0 * math.pi * (k / FRAMES + late) for k in range(FRAMES)]
        moves[f"{side}UpLeg"] = [(0.0, 20.0 * math.cos(t), 0.0) for t in turns]
        moves[f"{side}Leg"] = [(0.0, 30.0 * max(0.0, math.sin(t)), 0.0) for t in turns]
    actor = make_actor(joints, {"walk": moves})
    actor.get_part("modelRoot").set_hpr(p3d.LVecBase3(*hpr))
    actor.get_part("modelRoot").set_scale(scale)
    actor.set_blend(frameBlend=True)
    return actor


def step(x: float, y: float) -> float:
    return 0.12 if y < -0.5 else 0.0


def walk(actor: Any) -> np.ndarray:
    """Positions of the legs' joints in a walk over a step, (frames, 6, 3)."""
    actor.reparent_to(p3d.NodePath("scene"))
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, step)
    found = []
    for k in range(60):
        actor.get_anim_control("walk").pose(k % (FRAMES - 1))
        actor.set_y(-0.02 * k)
        rig.update(1 / 60)
        found.append([tuple(net(actor, joint).get_row3(3)) for joint in LEGS])
    return np.array(found)


@pytest.fixture(scope="module")
def upright() -> np.ndarray:
    return walk(walker())


@pytest.mark.parametrize("armature", ARMATURES)
def test_rotated_armature_steps_like_an_upright_one(armature, upright) -> None:
    assert np.ptp(upright[:, 2, 2]) > 0.1, "it is a walk"
    assert walk(walker(*ARMATURES[armature])) == pytest.approx(upright, abs=1e-3)


@pytest.mark.parametrize("armature", ARMATURES)
def test_soles_of_a_rotated_armature_are_on_the_ground(armature) -> None:
    actor = walker(*ARMATURES[armature])
    rig = ikrig.ActorRig(actor)
    pose = standing_pose(rig.skeleton, None)
    assert tuple(pose["Hips"].get_row3(3)) == pytest.approx((0, 0, 0.9), abs=1e-4)
    places = [
        tuple(pose[joint].xform_point(point))
        for joint, point in find_sole(rig.skeleton, "LeftFoot", pose)
    ]
    ground = [(0.1, 0.01, 0.0), (0.1, -0.14, 0.0)]
    assert np.array(places) == pytest.approx(np.array(ground), abs=1e-4)


@pytest.mark.parametrize("armature", ARMATURES)
def test_clip_speed_of_a_rotated_armature_is_the_same(armature) -> None:
    speed = ikrig.clip_speed(walker(), "walk")
    assert speed > 0.3
    found = ikrig.clip_speed(walker(*ARMATURES[armature]), "walk")
    assert found == pytest.approx(speed, rel=1e-3)
