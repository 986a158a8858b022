"""Sweep: shows a limit by moving its joint through its whole range."""

from __future__ import annotations

from typing import Any

import panda3d.core as p3d

from ...clip import Clip
from ...math3d.quaternion import Floats, from_matrix
from ...scene import ClipPlayer

SECONDS_A_POSE = 0.03


class Sweep:
    """Moves a joint through poses, once; meanwhile chains and behaviours are off.

    ``rest`` is its frame in the model file, in that of the joint above, (3, 3);
    ``turns`` are relative to it, (n, 3, 3); rows.
    """

    def __init__(self, rig: Any, joint: str, rest: Floats, turns: Floats) -> None:
        matrix = p3d.LMatrix3f(*(float(x) for x in rest.ravel()))
        state = p3d.TransformState.make_mat(p3d.LMatrix4f(matrix))
        keys = {}
        for k, turn in enumerate(turns):
            quat = state.get_quat() * p3d.LQuaternionf(*from_matrix(turn.T))
            keys[k * SECONDS_A_POSE] = tuple(quat)
        clip = Clip("sweep").with_track(joint, "rotation", keys)
        self.joint = joint
        self._player = ClipPlayer(clip, rig)
        parts = (rig.chains, rig.trees, rig.behaviours)
        self._off = [p for section in parts for p in section.values()]
        self._time = 0.0

    def update(self, dt: float) -> bool:
        """Advance by a time step; return whether it has ended."""
        self._time += dt
        for part in self._off:
            # weights are restored by the rebuild at the end
            part._fading, part.weight = None, 0.0
        self._player.time = min(self._time, self._player.duration)
        return self._time >= self._player.duration

    def stop(self) -> None:
        self._player.stop()
