"""Junk for rigs in scenes: one clear error at once, or none.

What is accepted must not stumble later either: a frame is run after each call.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.task.Task import TaskManager

import ikrig
from ikrig.errors import IkrigError, shown
from ikrig.scene.ik.system import IKSystem
from tests.scene.bodies import body
from tests.scene.conftest import limb

ASSETS = Path(__file__).parents[2] / "assets"
ARM = ASSETS / "rigs" / "arm.yaml"
HUMANOID = ASSETS / "models" / "humanoid.bam"
WHOLE = (
    "limbs", "spine_stiffness", "hips_weight", "shoulder_weight", "bend_weight", "lock",
    "weight",
)  # fmt: skip
JUNK: list[Any] = [
    None, True, "x", b"x", 3, -1, math.nan, 10**400, 1j, [], {"x": 1}, ["x"], (1, 2),
    object(), np.zeros(3), p3d.NodePath(), len,
]  # fmt: skip
Calls = Iterator[tuple[str, str, Callable[[Any], Any]]]
"""What is called, the argument that is junk, and the call with it."""


def arguments(name: str, call: Any, **good: Any) -> Calls:
    """Each argument of a call, the others good."""
    for word, parameter in inspect.signature(call).parameters.items():
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            yield name, word, lambda junk, w=word: call(**{**good, w: junk})


def settings(name: str, thing: Any, *words: str) -> Calls:
    """Settings of a thing, which are afterwards as before."""
    for word in words:

        def put(junk: Any, word: str = word) -> None:
            before = getattr(thing, word)
            try:
                setattr(thing, word, junk)
            finally:
                setattr(thing, word, before)

        yield name, word, put


def run(calls: Calls, frame: Callable[[], Any]) -> None:
    wrong = []
    for name, word, call in calls:
        for junk in JUNK:
            try:
                call(junk)
            except IkrigError as error:
                reported = str(error)
                if not any(
                    part in reported
                    for part in (word, shown(junk)[:40], "'x'", "x: No")
                ):
                    wrong.append(f"{name}({word}={junk!r}) does not say so: {error}")
            except Exception as error:
                wrong.append(f"{name}({word}={junk!r}): {error!r}")
            else:
                frame()
    frame()
    assert not wrong, "\n".join(wrong)


def test_junk_for_chains_and_trees() -> None:
    world = p3d.NodePath("world")
    leaf, pelvis = limb(world)[-1], body(world)
    chain, tree = ikrig.IKChain(leaf, 3), ikrig.IKTree(pelvis)
    words = "weight", "order", "solver", "limits", "settings", "match_rotation"

    def calls() -> Calls:
        yield from arguments("IKChain", ikrig.IKChain, leaf=leaf)
        yield from arguments("IKTree", ikrig.IKTree, root=pelvis)
        for word in ("weight", "soften", "max_step", "iterations", "tolerance"):
            yield "IKChain", word, lambda x, w=word: ikrig.IKChain(leaf, **{w: x})
        yield from settings("chain", chain, "target", "pole", "leaf", *words)
        yield from settings("tree", tree, *words)
        ends = "target", "weight", "orientation_weight"
        yield from settings("effector", tree.effectors[0], *ends)
        for method in (chain.fade, chain.update, chain.start):
            good = {"weight": 1.0} if method.__name__ == "fade" else {}
            yield from arguments(f"chain.{method.__name__}", method, **good)

    run(calls(), lambda: (chain.update(0.01), tree.update(0.01)))


def test_junk_for_robots() -> None:
    world = p3d.NodePath("world")
    rig = ikrig.load_rig(ARM.with_name("six_axis.yaml"), parent=world)
    (tree,) = rig.bodies.values()
    model, joint = tree.model, next(iter(tree.joints.values()))

    def calls() -> Calls:
        good = {"model": model, "parent": world}
        yield from arguments("Robot", ikrig.Robot, **good)
        for name, _, call in arguments("set", tree.set_qpos, values=model.qpos0):
            yield name, "", call
        yield from settings("joint", joint, "value")
        for method in (tree.joint, tree.body, tree.site):
            yield method.__name__, method.__name__, method
        yield "follow", "body", lambda junk: tree.follow(junk, None)

    def frame() -> None:
        assert np.isfinite(tree.qpos).all()

    run(calls(), frame)
    # single precision is infinite from 3.5e38 on
    for much in (1e39, -1e300):
        with pytest.raises(ikrig.SettingError, match=repr(joint.name)):
            joint.value = much
        with pytest.raises(ikrig.SettingError, match="takes 1 finite number below"):
            tree.set_qpos([much] * len(model.qpos0))
    before = tree.qpos
    joint.node.set_quat(p3d.LQuaternionf(math.inf, 0, 0, 0))
    assert (tree.qpos == before).all()


def test_junk_for_actors(stage) -> None:
    actor = stage.body("humanoid")
    rig = ikrig.ActorRig(actor)
    muzzle = rig.joint("RightHand").attach_new_node("muzzle")

    def add_grip(thing, grip_name="a", grip=None):
        ikrig.add_grip(thing, grip_name, grip)

    look, reach = ikrig.LookAt(rig, None), ikrig.Reach(rig, "LeftHand")
    aim = ikrig.Aim(rig, muzzle, None, {"RightArm": 1})
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.0)
    chain = rig.chain("RightHand")
    every = rig.layers
    ease = "weight", "order", "started", "seconds", "target"

    def calls() -> Calls:
        yield from arguments("ActorRig", ikrig.ActorRig, actor=actor)
        yield from arguments("rig.chain", rig.chain, tip_joint="LeftHand")
        yield from arguments("rig.tree", rig.tree, targets={"LeftHand": None})
        yield from arguments("rig.joint", rig.joint)
        yield from arguments("rig.add", rig.add, layer=look, joints=["Head"])
        yield from arguments("rig.remove", rig.remove)
        yield from arguments("rig.update", rig.update)
        yield from arguments("LookAt", ikrig.LookAt, rig=rig, target=None)
        good = {"rig": rig, "pointer": muzzle, "target": None}
        yield from arguments("Aim", ikrig.Aim, **good, joints={"RightArm": 1})
        yield from arguments("Reach", ikrig.Reach, rig=rig, hand="LeftHand")
        good = {"rig": rig, "ground": lambda x, y: 0.0}
        yield from arguments("FootPlacement", ikrig.FootPlacement, **good)
        yield from settings("look", look, *ease, "limits", "eye_limits", "speed")
        yield from settings("aim", aim, *ease, "axis", "pointer")
        yield from settings("reach", reach, *ease, "radius")
        words = "ground", "settings", "step_height", "foot_seconds", "look_ahead"
        yield from settings("feet", feet, "weight", "order", *words)
        yield from settings("chain", chain, "orientation_mode", "started", "limits")
        yield from settings("rig", rig, "order")
        yield from arguments("reach.hold_offset", reach.hold_offset)
        yield from arguments("reach.fade", reach.fade, weight=1.0)
        yield from arguments("reach.grab", reach.grab, thing=muzzle)
        yield from arguments("ikrig.add_grip", add_grip, thing=muzzle)

    def frame() -> None:
        for layer in rig.layers:
            if not any(layer is other for other in every):
                rig.remove(layer)
        rig.update(0.01)

    run(calls(), frame)


def test_junk_for_players_and_gizmos() -> None:
    world, task_mgr = p3d.NodePath("world"), TaskManager()
    camera = world.attach_new_node(p3d.Camera("camera"))
    rig = ikrig.load_rig(ARM, parent=world)
    clip = ikrig.Clip("c", events=[(0, "a"), (1, "b")], wrap="loop")
    player, gizmos = ikrig.ClipPlayer(clip, rig), ikrig.Gizmos(world, camera)
    layer, recorder = player.add_layer(clip), ikrig.Recorder(rig)
    system = IKSystem.of(task_mgr)

    def calls() -> Calls:
        good = {"clip": clip, "rig": rig}
        yield from arguments("ClipPlayer", ikrig.ClipPlayer, **good)
        yield from settings("player", player, "clip", "loop", "speed", "time", "watch")
        yield from settings("layer", layer, "weight", "speed", "time", "additive")
        for method in (
            player.cross_fade,
            player.interval,
            player._advance_to,
            layer.fade,
        ):
            name = method.__name__
            good = {"cross_fade": {"clip": clip}, "fade": {"weight": 1.0}}.get(name, {})
            yield from arguments(name, method, **good)
        yield from arguments("add_layer", player.add_layer, clip=clip)
        yield from arguments("Recorder", ikrig.Recorder, rig=rig)
        yield from arguments("recorder.update", recorder.update)
        yield from arguments("Gizmos", ikrig.Gizmos, render=world, camera=camera)
        yield from settings("gizmos", gizmos, "visible", "axis", "limits", "floor")
        for word in ("add_handle", "add", "remove", "attach_mouse"):
            good = {"nodepath": camera} if word == "add_handle" else {}
            yield from arguments(word, getattr(gizmos, word), **good)
        yield from arguments("gizmos.press", gizmos.press, x=0, y=0)
        yield from arguments("IKSystem.of", IKSystem.of)
        yield from arguments("system.add", system.add)
        yield from arguments("system.remove", system.remove)
        yield from arguments("system.update", system.update)

    def frame() -> None:
        for extra in player.layers:
            if extra is not layer:
                extra.remove()
        player.update(0.01)
        gizmos.update()

    run(calls(), frame)
    task_mgr.destroy()


def test_junk_for_crowds() -> None:
    world = p3d.NodePath("world")

    def crowd() -> ikrig.Crowd:
        return ikrig.Crowd(str(HUMANOID), 2, world, draw=False)

    whole, walking, empty = crowd(), crowd(), [crowd()]
    handles, warps = whole.body(), walking.warps(slope=True)

    def first(call: str, **given: Any) -> None:
        getattr(empty[0], call)(**given)
        # a crowd has one of each: the next call is to another
        empty[0].update(0.01)
        empty[0] = crowd()

    def calls() -> Calls:
        for word in WHOLE:
            yield "body", word, lambda x, w=word: first("body", **{w: x})
        for word in ("stride", "orientation", "slope"):
            yield "warps", word, lambda x, w=word: first("warps", **{w: x})
        yield from settings("body", handles, "weights")
        yield from settings("hand", handles["right_hand"], "targets", "weights")
        yield from settings("warps", warps, "weights")
        yield from arguments("promote", whole.promote, i=0)
        yield from arguments("demote", whole.demote, i=0)

    def frame() -> None:
        for each in (whole, walking):
            each.update(0.01)

    run(calls(), frame)
