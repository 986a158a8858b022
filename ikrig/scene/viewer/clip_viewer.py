"""ClipViewer: shows a rig that plays a clip, with a camera that shows all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import panda3d.core as p3d
from direct.task.Task import Task

from ...clip import Clip
from ...errors import MissingPackageError, VideoError
from ...math3d.quaternion import Floats
from ..animation import ClipPlayer
from ..gizmos import Gizmos
from ..rig_builder import Rig, load_rig
from . import display
from .display import Screen, Surface
from .materials import draw_bones, finish, is_drawn
from .orbit_camera import CameraMouse, far_points, framed
from .video_writer import check_video_path, open_video_writer
from .viewer_app import ViewerApp, stand

STEP = 1.0 / 30.0  # step of the arrow keys [s]
LONGEST_FRAME = 0.1
SAMPLES = 24  # number of times at which the extent of a rig is measured


@dataclass(frozen=True)
class Scene:
    """The rig and clip to show, and the camera's direction."""

    rig: Path
    clip: Clip
    model: str | None
    start: float  # time in the clip at which it starts [s]
    end: float  # time at which it ends [s]
    heading: float = -30.0  # rotation of the camera about z; 0 looks along +y [deg]
    pitch: float = 14.0  # angle of the camera below the horizon [deg]
    zoom: float = 1.0  # 1 shows all; 2 twice as large
    # whether bones, targets and poles are drawn. None: if the rig has no geometry of
    # its own
    gizmos: bool | None = None
    allow: Sequence[Path] = ()


class ClipViewer(ViewerApp):
    """Plays a clip on a rig."""

    def __init__(
        self,
        screen: Screen,
        scene: Scene,
        size: tuple[int, int] = (1280, 720),
        frame_time: float = 1.0 / 60.0,
    ) -> None:
        super().__init__(screen, size, frame_time)
        try:
            self._set_up(scene, size[0] / size[1])
        except BaseException:
            self.destroy()
            raise

    def _set_up(self, scene: Scene, aspect: float) -> None:
        self.scene = scene
        # the room has human size, whatever the rig's unit
        self._carrier = self.studio.stage.attach_new_node("carrier")
        points = stand(self._carrier, self._sample_points())

        self.rig, self.player = self._load()
        marked = self._shows_gizmos(self.rig)
        finish(self._carrier, shaded=self.studio.shaded)
        if not is_drawn(self.rig):
            draw_bones(self.rig)
        self.gizmos = Gizmos(
            self.render, self.camera, lens_source=self.camNode, auto_update=False
        )
        self.gizmos.add(self.rig)
        self.gizmos.visible = marked
        self.gizmos.limits = bool(scene.gizmos)
        view = framed(points, scene.heading, scene.pitch, aspect)
        self.look(replace(view, distance=view.distance / scene.zoom))

    def __exit__(self, *given: object) -> None:
        self.player.stop()
        self.gizmos.destroy()
        self.rig.remove()
        super().__exit__(*given)

    def pose(self, time: float) -> None:
        """Pose the rig at a time of the clip [s]."""
        self.player.time = time
        self.rig.solve()
        self.gizmos.update()

    def draw(self) -> None:
        self.graphicsEngine.render_frame()
        # done by a task otherwise, but the task manager does not run here
        p3d.TransformState.garbage_collect()
        p3d.RenderState.garbage_collect()

    def start(self) -> None:
        self._mouse = CameraMouse(self, self.orbit)
        keys = {
            "escape": self.userExit,
            "space": self._toggle,
            "g": self._toggle_gizmos,
            "r": self.orbit.reset,
        }
        for key, action in keys.items():
            self.accept(key, action)
        for prefix, step in (("", STEP), ("shift-", 1.0)):
            for key, sign in (("arrow_left", -1.0), ("arrow_right", 1.0)):
                for repeat in ("", "-repeat"):
                    self.accept(prefix + key + repeat, self._step, [sign * step])
        # the clip must not advance by the first frame, which is slow
        self.draw()
        p3d.ClockObject.get_global_clock().set_max_dt(LONGEST_FRAME)
        self.rig.start(self.task_mgr)
        self.player.time = self.scene.start
        self.player.play(self.task_mgr)
        self._was_playing = True
        self.gizmos.attach_mouse(self)
        self.task_mgr.add(self._follow, "ikrig-watch", sort=45)

    def _toggle(self) -> None:
        if self.player.playing:
            self.player.pause()
        else:
            self.player.play(self.task_mgr)

    def _toggle_gizmos(self) -> None:
        self.gizmos.visible = not self.gizmos.visible

    def _step(self, seconds: float) -> None:
        self.player.pause()
        self.player.time += seconds

    def _follow(self, task: Task) -> int:
        scene, player = self.scene, self.player
        if self.gizmos.dragging:
            player.pause()
        elif self._was_playing and player.time >= scene.end:
            player.time = scene.start
            player.play(self.task_mgr)
        self._was_playing = player.playing
        self._mouse.update()
        self.orbit.apply(self.camera)
        return task.cont

    def _shows_gizmos(self, rig: Rig) -> bool:
        wanted = self.scene.gizmos
        return not is_drawn(rig) if wanted is None else wanted

    def _load(self) -> tuple[Rig, ClipPlayer]:
        rig = load_rig(
            self.scene.rig, self.scene.model, self._carrier, allow=self.scene.allow
        )
        return rig, ClipPlayer(self.scene.clip, rig)

    def _sample_points(self) -> Floats:
        rig, player = self._load()
        found: list[object] = []
        for time in np.linspace(self.scene.start, self.scene.end, SAMPLES):
            player.time = float(time)
            rig.solve()
            found += far_points(rig, self._carrier, marked=self._shows_gizmos(rig))
        rig.remove()
        return np.array(found)


Progress = Callable[[int, int], None]

MAX_FRAMES = 216_000  # maximum number of frames of a video: an hour at 60 per second


def record_video(
    scene: Scene,
    path: Path,
    *,
    fps: float = 30.0,
    size: tuple[int, int] = (1280, 720),
    loops: int = 1,
    progress: Progress | None = None,
) -> int:
    """Draw and write all frames of a scene; return their number."""
    display.configure()
    screen = display.find(Surface.OFFSCREEN)
    if screen.surface is Surface.NONE:
        raise MissingPackageError(display.NO_PIPE)
    # checked before anything is drawn
    check_video_path(path, size, fps)
    span = scene.end - scene.start
    if span * loops * fps > MAX_FRAMES:
        raise VideoError(
            f"{span * loops:g} s at {fps:g} fps are too many frames: the maximum is "
            f"{MAX_FRAMES}"
        )
    total = max(1, round(span * loops * fps))
    with ExitStack() as stack:
        viewer = stack.enter_context(ClipViewer(screen, scene, size, 1 / fps))
        sources = {*viewer.rig.sources, *([scene.clip.path] if scene.clip.path else [])}
        writer = stack.enter_context(open_video_writer(path, size, fps, sources))
        for frame in range(total):
            time = frame / fps
            if loops == 1 or span <= 0.0:
                time = scene.start + time
            else:
                time = scene.start + time % span
            viewer.pose(time)
            viewer.draw()
            writer(viewer.grab())
            if progress is not None:
                progress(frame + 1, total)
    return total


def watch(scene: Scene, size: tuple[int, int]) -> None:
    display.configure()
    screen = display.find(Surface.WINDOW)
    if screen.surface is Surface.NONE:
        raise VideoError("no window can be opened here: use --record wave.mp4")
    with ClipViewer(screen, scene, size) as viewer:
        viewer.start()
        try:
            # not run(), which would end normally on Ctrl-C
            while True:
                viewer.task_mgr.step()
        except SystemExit:
            # ShowBase ends so when its window is closed
            return
