"""Every rig of assets with every matching clip, played without a window."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import panda3d.core as p3d
from direct.task.Task import TaskManager

import ikrig
from ikrig.scene.animation import check_clip

ASSETS = Path(__file__).parents[2] / "assets"
RATE = 61.0
"""Frames a second: none falls on a key that jumps."""
SETTLED = 5.0
"""After so many seconds behaviours, which are springs, are where they belong."""
OFF_AXES = p3d.LPoint3f(0.1, 0.2, 0.3)
_MANAGER = TaskManager()


@cache
def pairs() -> tuple[tuple[str, str], ...]:
    """Names of each rig and clip that fit each other."""
    clips = {
        path.stem: ikrig.load_clip(path)
        for path in sorted((ASSETS / "clips").glob("*.yaml"))
    }
    found = []
    for path in sorted((ASSETS / "rigs").glob("*.yaml")):
        rig = ikrig.load_rig(path, parent=p3d.NodePath("scene"))
        fitting = (name for name, clip in clips.items() if not check_clip(clip, rig))
        found += [(path.stem, name) for name in fitting]
        rig.remove()
    return tuple(found)


class Stage:
    """A rig on which a clip plays, frame by frame.

    Args:
        rig: Name of its file.
        clip: Name of its file.
    """

    def __init__(self, rig: str, clip: str) -> None:
        self._clock = p3d.ClockObject.get_global_clock()
        self._clock.set_mode(p3d.ClockObject.M_non_real_time)
        self.scene = p3d.NodePath("scene")
        self.rig = ikrig.load_rig(ASSETS / "rigs" / f"{rig}.yaml", parent=self.scene)
        self.bones = [
            node
            for part in (*self.rig.chains.values(), *self.rig.trees.values())
            for node in part.bones
        ]
        if self.rig.behaviours:
            own = self.rig.actor_rig
            self.bones += [own.joint(name) for name in own.joints]
        places = [bone.get_pos(self.scene) for bone in self.bones]
        self.size = max(abs(number) for place in places for number in place)
        self.rig.start(_MANAGER)
        path = ASSETS / "clips" / f"{clip}.yaml"
        self.player = ikrig.ClipPlayer(path, self.rig).play(_MANAGER)

    def close(self) -> None:
        """Remove the whole stage."""
        self.player.stop()
        self.rig.remove()
        self._clock.set_mode(p3d.ClockObject.M_normal)

    def step(self, dt: float = 1.0 / RATE) -> None:
        """Play a frame."""
        self._clock.set_dt(dt)
        self._clock.tick()
        _MANAGER.step()

    def go_to(self, time: float) -> None:
        """Play on up to a time, at ``RATE``; from shortly before it, if that is far."""
        frames = int((time - SETTLED - self.player.time) * RATE)
        if frames > 0:
            self.player.time += frames / RATE
        while self.player.time < time - 0.5 / RATE:
            self.step()

    def marks(self) -> np.ndarray:
        """Return a point beside the axes of each bone, (n, 3), in parts of the size.

        It tells how the bone is turned as well as where it is.
        """
        point = OFF_AXES * self.size
        mats = (bone.get_mat(self.scene) for bone in self.bones)
        return np.array([mat.xform_point(point) for mat in mats]) / self.size
