"""Records the result of IK as a clip of joints: live, or frame by frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.showbase.DirectObject import DirectObject

from ...clip import Clip
from ...clip.clip import FPS
from ...clip.reduce import check_tolerances
from ...copies import Uncopied
from ...errors import BindError
from ...math3d.timestep import sound_dt
from ...value_shapes import LARGEST
from ..behaviours.reach import EVENT, Reach
from ..checked_setting import Checked, names_of, shaped
from ..ik.dependencies import note_change
from ..ik.phase import Phase, phase_of
from ..ik.system import Startable
from .offline_frames import MOST_FRAMES, Progress, frame_count, offline_frames
from .pose_recorder import PoseRecorder

if TYPE_CHECKING:
    from typing_extensions import Self


class Recorder(Startable, Uncopied):
    """Records the motion of a rig while the game runs.

        recorder = ikrig.Recorder(rig).start()
        ...  # play
        clip = recorder.stop("kick")
        ikrig.dump_clip(clip, "kick.yaml")

    The clip has the rotations, and where they change the positions, of all joints that
    IK or an animation moves: an Actor's joints, bones that are plain nodes, and the
    joints of robots. It plays on the same rig, whose IK it sets to weight 0, or, with
    ``ik_off=False``, on a model that has no IK at all. An Actor plays no animation
    meanwhile. It also has the events of the rig's hands: "ikrig-touched", "ikrig-held",
    "ikrig-left" and those of grips. Like any clip it sends them with its player, so
    handlers of both take ``*args``.

    Args:
        rig: A rig, as ``ClipPlayer`` accepts.
        fps: Maximum frames per second.
        joints: Names of an Actor's joints, for a clip of some, such as of an arm to be
            played over a walk. Default: all that differ from the model.

    Raises:
        BindError: It is not a rig, or has no such joint.
        SettingError: ``fps`` is out of range.
    """

    phase = Checked(phase_of, Phase.RECORD, changed=note_change)
    """After all rigs of the frame."""
    fps: Checked[float] = Checked(shaped(FPS))
    """Maximum frames per second."""

    def __init__(
        self, rig: object, fps: float = 60.0, *, joints: Iterable[str] | None = None
    ) -> None:
        self._rig = rig
        self.fps = fps
        self._joints = None if joints is None else names_of(joints, "joints")
        self._system = None
        self._film = PoseRecorder(rig, self._joints)
        self._duration = 0.0
        self._over = ""
        self._ear = DirectObject()
        self._heard: list[str] = []
        """Events since the last frame."""
        self._events: list[tuple[float, str]] = []

    @property
    def rig(self) -> object:
        """The rig that is recorded."""
        return self._rig

    @property
    def duration(self) -> float:
        """Duration of the recording so far [s]."""
        return self._duration

    @property
    def recording(self) -> bool:
        """Whether it records."""
        return self._system is not None

    def start(self, task_mgr: object = None) -> Self:
        """Record anew, from the next frame on; return the recorder.

        Args:
            task_mgr: The task manager that runs the rig. Default: the running
                ShowBase's.
        """
        self._leave()
        self._film = PoseRecorder(self.rig, self._joints)
        self._duration = 0.0
        self._over = ""
        self._heard, self._events = [], []
        super().start(task_mgr)
        self._ear.accept(EVENT, self._hear)
        return self

    def stop(  # type: ignore[override]
        self,
        name: str = "recording",
        *,
        wrap: str = "once",
        tolerance_deg: float = 0.1,
        tolerance: float | None = None,
        ik_off: bool | None = None,
    ) -> Clip:
        """Stop, and return the recording since ``start``.

        Args:
            name: Name of the clip.
            wrap: Motion beyond its end: "once", "loop" or "ping_pong".
            tolerance_deg: Largest error of a joint's own rotation [deg].
            tolerance: Largest error of its position [scene unit]. None: a 2000th of the
                size of the Actor; without an Actor, a thousandth of its path.
            ik_off: Whether the clip sets the weights of the rig's chains, trees and
                behaviours to 0. None: if it has all joints.

        Raises:
            ClipError: No frame has passed, or a value is not allowed.
        """
        check_tolerances(tolerance_deg, tolerance)
        self._leave()
        clip = self._film.clip(
            name, wrap, self._duration, tolerance_deg, tolerance, ik_off=ik_off
        )
        end = self._duration
        events = [(min(time, end), word) for time, word in self._events]
        return clip.with_changes(events=events) if events else clip

    def _hear(self, reach: Reach, _thing: p3d.NodePath | None, name: str) -> None:
        if reach.rig is self._rig:
            self._heard.append(name)

    def update(self, dt: float) -> None:
        """Record a frame, dt seconds after the last. Never raises.

        When a node was removed, or after ``MOST_FRAMES`` frames or 31 years, the
        recording ends, which is logged (category ``ikrig``); recorded frames are kept.
        """
        first = not self._film.times
        dt = 0.0 if first else sound_dt(dt)
        full = len(self._film.times) >= MOST_FRAMES
        if full or self._duration + dt > LARGEST:
            self._end("it reached the maximum length")
            return
        self._duration += dt
        self._events += [(self._duration, name) for name in self._heard]
        self._heard.clear()
        # also record a frame that comes slightly early
        gap = (1.0 - 1e-3) / self.fps
        if not first and self._duration - self._film.times[-1] <= gap:
            return
        try:
            self._film.sample(self._duration)
        except BindError as error:
            self._duration -= dt
            self._end(str(error))

    def _end(self, why: str) -> None:
        self._leave()
        if why != self._over:
            directNotify.newCategory("ikrig").warning(f"recording ended: {why}")
        self._over = why

    def _leave(self) -> None:
        self._ear.ignore_all()
        super()._leave()


def record_clip(
    rig: object,
    clip: Clip,
    fps: float = 60.0,
    *,
    joints: Iterable[str] | None = None,
    tolerance_deg: float = 0.1,
    tolerance: float | None = None,
    ik_off: bool | None = None,
    progress: Progress | None = None,
) -> Clip:
    """Return the motion that a clip gives a rig's joints: a clip that needs no IK.

        rig = ikrig.load_rig("assets/rigs/arm.yaml")
        wave = ikrig.load_clip("assets/clips/wave.yaml")
        ikrig.dump_clip(ikrig.record_clip(rig, wave), "wave_joints.yaml")

    It is played frame by frame as fast as possible, without a window. See ``Recorder``
    for the content of the clip. The rig stays in the pose of the clip's end.

    Args:
        rig: A rig, as ``ClipPlayer`` accepts.
        clip: The clip.
        fps: Approximate frames per second, adjusted so that frames divide the clip.
        joints: Names of joints, as for ``Recorder``.
        tolerance_deg: Largest error of a joint's own rotation [deg].
        tolerance: Largest error of its position [scene unit]. None: a 2000th of the
            size of the Actor; without an Actor, a thousandth of its path.
        ik_off: Whether it sets the weights of IK to 0, as for ``Recorder.stop``.
        progress: Called after each frame with the numbers of frames done and in all.

    Raises:
        BindError: The clip does not fit the rig, or there is no such joint.
        SettingError: ``fps`` is out of range.
        ClipError: A tolerance is invalid.
    """
    check_tolerances(tolerance_deg, tolerance)
    film = PoseRecorder(rig, joints)
    for time in offline_frames(rig, clip, fps, progress):
        film.sample(time)
    count, seconds = frame_count(clip, fps)
    wrap = "loop" if clip.wrap == "ping_pong" else clip.wrap
    end = (count - 1) * seconds if wrap == "once" else count * seconds
    recorded = film.clip(clip.name, wrap, end, tolerance_deg, tolerance, ik_off=ik_off)
    for time, token in clip.events:
        recorded = recorded.with_event(min(time, end), token)
        if clip.wrap == "ping_pong" and 0.0 < time < clip.duration:
            # and again in the second half
            recorded = recorded.with_event(end - time, token)
    sources = {*recorded.sources, *clip.sources, *([clip.path] if clip.path else [])}
    return recorded.with_changes(sources=sources)
