"""Rigs from files, and clips to play on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d

import ikrig
from tests.scene.actor.stage import Stage, bundle, skin

RIGS = Path(__file__).parents[2] / "assets" / "rigs"
FRAMES = {"walk": 64, "run": 40}


def load(stage: Stage, name: str) -> ikrig.Rig:
    rig = ikrig.load_rig(RIGS / f"{name}.yaml", parent=stage.render)
    stage._made.append(rig.model)
    return rig


def walking_panda(stage: Stage) -> tuple[ikrig.Rig, ikrig.Clip]:
    """The panda paws the air with its left front foot as it walks."""
    rig = load(stage, "panda")
    place = rig.targets["left_front_foot"].get_pos()
    up = place + p3d.LVector3f(15, -25, 50)
    clip = ikrig.Clip("paw", wrap="loop", duration=2.0)
    clip = clip.with_track("walk", "time", {0: 0, 2: 2})
    clip = clip.with_track(
        "left_front_foot",
        "target",
        {0: tuple(place), 0.9: tuple(up), 2: tuple(place)},
        "cubic",
    )
    for foot in ("right_front_foot", "left_rear_foot", "right_rear_foot"):
        clip = clip.with_track(foot, "weight", {0: 0})
    return rig, clip


def moving_humanoid(stage: Stage, animation: str) -> tuple[ikrig.Rig, ikrig.Clip]:
    """The humanoid walks or runs, and its left hand draws an arc."""
    rig = load(stage, "humanoid")
    seconds = FRAMES[animation] / 60
    place = rig.targets["left_hand"].get_pos()
    up = place + p3d.LVector3f(0.1, -0.05, 0.3)
    clip = ikrig.Clip(animation, wrap="loop", duration=seconds)
    clip = clip.with_track(animation, "time", {0: 0, seconds: seconds})
    clip = clip.with_track(
        "left_hand",
        "target",
        {0: tuple(place), 0.4 * seconds: tuple(up), seconds: tuple(place)},
        "cubic",
    )
    return rig, clip


def live_skins(stage: Stage, rig: ikrig.Rig, clip: ikrig.Clip) -> np.ndarray:
    """The skin in each frame of the second round, as a game sees it."""
    frames = round(clip.duration * 60)
    player = ikrig.ClipPlayer(clip, rig)
    rig.start(stage.task_mgr)
    player.play(stage.task_mgr)
    # what is shown after a frame of 1/60 s is the clip's second frame
    stage.step(frames)
    found = [skin(rig.model)]
    for _ in range(frames - 1):
        stage.step()
        found.append(skin(rig.model))
    assert abs(player.time - (2 * frames - 1) / 60) < 1e-9
    player.stop()
    rig.stop()
    return np.array(found)


def height(actor: Any) -> float:
    bundle(actor).force_update()
    return float(np.ptp(skin(actor)[:, 2]))
