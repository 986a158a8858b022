"""ClipViewer: shows a rig that plays a clip, framed so that all of it is visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...clip import Clip
from ...math3d.quaternion import Floats
from ..animation import ClipPlayer
from ..gizmos import Gizmos
from ..rig_builder import Rig, load_rig
from .display import Screen
from .framing import far_points, framed
from .materials import draw_bones, finish, is_drawn
from .viewer_app import ViewerApp

SIZE = 2.4
"""How large what is shown is made for the room [the room's unit]."""
SAMPLES = 24
"""Times at which it is looked how far a rig goes."""


@dataclass(frozen=True)
class Scene:
    """What is shown, and from where.

    Args:
        rig: The rig's file.
        clip: What it plays.
        model: A file to rig instead of the one that the rig names.
        start: Where in the clip it begins [s].
        end: Where it ends.
        heading: Turn of the camera about z; 0 looks along +y [deg].
        pitch: How far the camera looks down [deg].
        zoom: 1 shows all; 2 twice as large.
        gizmos: Whether bones, targets and poles are marked. None: where the rig has no
            looks of its own.
        allow: Folders whose files the rig may name too.
    """

    rig: Path
    clip: Clip
    model: str | None
    start: float
    end: float
    heading: float = -30.0
    pitch: float = 14.0
    zoom: float = 1.0
    gizmos: bool | None = None
    allow: Sequence[Path] = ()


class ClipViewer(ViewerApp):
    """Plays a clip on a rig.

    Attributes:
        scene: What it shows.
        rig: The rig.
        player: What plays the clip on it.
        gizmos: The marks over it.
    """

    def __init__(
        self,
        screen: Screen,
        scene: Scene,
        size: tuple[int, int] = (1280, 720),
        frame_time: float = 1.0 / 60.0,
    ) -> None:
        """Open the window or buffer and load the rig.

        Args:
            screen: From ``display.find``.
            scene: What is shown.
            size: Width and height of the picture.
            frame_time: Seconds from frame to frame where no one watches.

        Raises:
            VideoError: The window cannot be opened.
            RigFileError: The rig's file is wrong.
            BindError: The clip does not fit the rig.
        """
        super().__init__(screen, size, frame_time)
        try:
            self._set_up(scene, size[0] / size[1])
        except BaseException:
            self.destroy()
            raise

    def _set_up(self, scene: Scene, aspect: float) -> None:
        self.scene = scene
        # whatever unit a rig is built in, the room is made for persons
        self._carrier = self.studio.stage.attach_new_node("carrier")
        points = self._rehearse()
        low, high = points.min(axis=0), points.max(axis=0)
        scale = SIZE / max(float(np.max(high - low)), 1e-6)
        floor = _floor(low[2], high[2])
        self._carrier.set_scale(scale)
        self._carrier.set_z(-floor * scale)
        points = points * scale - (0.0, 0.0, floor * scale)

        self.rig, self.player = self._load()
        marked = self._marked(self.rig)
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
        """Take everything down; nothing of it is solved any more."""
        self.player.stop()
        self.gizmos.destroy()
        self.rig.remove()
        super().__exit__(*given)

    def pose(self, time: float) -> None:
        """Put the rig where it is at a time of the clip [s]."""
        self.player.time = time
        self.rig.solve()
        self.gizmos.update()

    def draw(self) -> None:
        """Draw the picture as everything is now."""
        self.graphicsEngine.render_frame()
        # what the task manager does, which does not run here
        p3d.TransformState.garbage_collect()
        p3d.RenderState.garbage_collect()

    def _marked(self, rig: Rig) -> bool:
        """Whether bones and targets are marked."""
        wanted = self.scene.gizmos
        return not is_drawn(rig) if wanted is None else wanted

    def _load(self) -> tuple[Rig, ClipPlayer]:
        rig = load_rig(
            self.scene.rig, self.scene.model, self._carrier, allow=self.scene.allow
        )
        return rig, ClipPlayer(self.scene.clip, rig)

    def _rehearse(self) -> Floats:
        """Return points that hold all that is ever shown, in the rig's unit."""
        rig, player = self._load()
        found: list[Any] = []
        for time in np.linspace(self.scene.start, self.scene.end, SAMPLES):
            player.time = float(time)
            rig.solve()
            found += far_points(rig, self._carrier, marked=self._marked(rig))
        rig.remove()
        return np.array(found)


def _floor(low: float, high: float) -> float:
    """Return how high the floor is: at 0, if nothing sinks in or floats high above."""
    gap = 0.3 * max(high - low, 1e-6)
    return 0.0 if 0.0 <= low <= gap else low - gap if low > 0.0 else low
