"""Character: joints, rest pose and clips of a model file, without an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..copies import Uncopied
from ..errors import ModelError, SettingError, shown, suggest
from ..kernels import index_buffer, zeros
from ..kernels.clip_blend import ROW, ClipBlend
from ..math3d.timestep import sound_dt
from ..model.pose import Pose
from ..value_shapes import Flag, Number, checked

FASTEST = 1e3
"""Maximum speed of a clip, as a multiple of its own."""


class PoseClip(NamedTuple):
    """A clip of all joints: see ``ClipBlend`` for the numbers of its frames."""

    frames: Sequence[Any]
    """A row of each frame."""
    fps: float
    """Frames in a second."""


class Character(Uncopied):
    """What a model file says of a character: its joints, their rest pose, its clips.

    ``ikrig.load_character`` reads it; ``pose`` and ``player`` then run it::

        walker = ikrig.load_character("walker.bam")
        pose = walker.pose()
        player = walker.player(pose)
        player.play("walk")
        player.sample(pose, 1 / 60)
        print(pose.net_matrix("Head"))

    Args:
        names: The joints, parents before children.
        parents: Index of each joint's parent; -1: the character itself.
        rest: Matrices of the joints in the rest pose, (n, 4, 4), see ``Pose``.
        clips: The clips, by name.

    Raises:
        ModelError: They don't match.
    """

    def __init__(
        self,
        names: Sequence[str],
        parents: Sequence[int],
        rest: ArrayLike,
        clips: Mapping[str, PoseClip] | None = None,
    ) -> None:
        # checks them
        pose = Pose(names, parents, rest)
        self.names = pose.names
        self.parents = pose.parents
        self.rest = np.array(pose.local)
        self.clips = _checked_clips(clips, pose)
        """The clips, by name."""

    def __repr__(self) -> str:
        return f"<Character {len(self.names)} joints, {', '.join(self.clips) or '-'}>"

    def pose(self) -> Pose:
        """Return a new pose, at rest."""
        return Pose(self.names, self.parents, self.rest)

    def player(self, pose: Pose) -> PosePlayer:
        """Return a source that plays the clips on a pose."""
        return PosePlayer(pose, self.clips)


class _Playing:
    """A clip that plays, and its time [frames]."""

    def __init__(self, clip: PoseClip, weight: float, rate: float, loop: bool) -> None:
        self.clip, self.weight, self.rate, self.loop = clip, weight, rate, loop
        self.at = 0.0


class PosePlayer:
    """Poses a character by its clips: the source of a frame.

    Clips that play at once are blended by their weights, and between two frames, as
    Panda3D does ("normalized linear", with frame blending).

    Args:
        pose: The pose of a ``Character``.
        clips: Its clips.

    Raises:
        ModelError: They are not those of one character.
    """

    def __init__(self, pose: Pose, clips: Mapping[str, PoseClip]) -> None:
        if not isinstance(pose, Pose):
            raise ModelError(f"pose must be a Pose, not {shown(pose)}")
        self.clips = _checked_clips(clips, pose)
        """The clips, by name."""
        self._pose = pose
        self._playing: dict[str, _Playing] = {}
        self._blend = ClipBlend(
            index_buffer(range(pose.n)),
            zeros(ROW * pose.n),
            pose.rest_numbers,
            pose.memory,
        )

    def play(
        self,
        name: str,
        *,
        weight: float = 1.0,
        rate: float = 1.0,
        loop: bool = True,
        start: float = 0.0,
    ) -> None:
        """Play a clip, beside others; one that plays already starts again.

        Args:
            name: Name of the clip.
            weight: Its weight among those that play, 0 to 1e6; 0 stops it.
            rate: Its speed, as a multiple of its own; below 0 backwards.
            loop: Whether its first frame follows its last. Else it stays there.
            start: Time at which it starts [s].

        Raises:
            SettingError: There is no such clip, or a number is out of range.
        """
        clip = self.clips.get(name) if isinstance(name, str) else None
        if clip is None:
            raise SettingError(
                f"there is no clip {shown(name)}: {suggest(name, self.clips)}"
            )
        weight = checked(Number("", 0.0, 1e6), weight, "weight", SettingError)
        rate = checked(Number("", -FASTEST, FASTEST), rate, "rate", SettingError)
        loop = checked(Flag(), loop, "loop", SettingError)
        start = checked(Number("", 0.0, 1e6), start, "start", SettingError)
        self._playing.pop(name, None)
        if weight > 0.0:
            self._playing[name] = playing = _Playing(clip, weight, rate, loop)
            playing.at = start * clip.fps

    def stop(self) -> None:
        """Stop all clips: the pose is at rest."""
        self._playing.clear()

    def sample(self, pose: Pose, dt: float) -> None:
        """Advance the clips by dt seconds and write their pose. Never raises.

        A pose of another character, or of another player, stays as it is.
        """
        if pose is not self._pose:
            return
        dt = sound_dt(dt)
        blend, first = self._blend, True
        for playing in self._playing.values():
            frames, fps = playing.clip
            last = len(frames) - 1
            at = playing.at + dt * playing.rate * fps
            at = at % (last + 1) if playing.loop else min(max(at, 0.0), last)
            playing.at = at if isfinite(at) else 0.0
            k = min(floor(playing.at), last)
            part = playing.at - k
            if part < 1.0:
                blend.add(frames[k], playing.weight * (1.0 - part), first)
                first = False
            if part > 0.0:
                after = (k + 1) % (last + 1) if playing.loop else min(k + 1, last)
                blend.add(frames[after], playing.weight * part, first)
                first = False
        if first:
            blend.rest_all()
        else:
            blend.finish(False)
        pose.animated = not first
        pose.note_all()


def _checked_clips(clips: Any, pose: Pose) -> dict[str, PoseClip]:
    found = {} if clips is None else clips
    sound = isinstance(found, Mapping) and all(
        isinstance(name, str)
        and isinstance(clip, PoseClip)
        and len(clip.frames) > 0
        and all(len(row) == ROW * pose.n for row in clip.frames)
        for name, clip in found.items()
    )
    if not sound:
        raise ModelError(
            f"clips must be PoseClips of these {pose.n} joints, by name, not "
            f"{shown(clips)}"
        )
    return dict(found)
