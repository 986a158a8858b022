"""Drawn over a clip that is edited: timeline, file, motion paths."""

from __future__ import annotations

from collections.abc import Callable

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.clip_session import ClipSession, ShownClipFile
from demos._shared.file_panel import FilePanel
from demos._shared.layout import Layout
from demos._shared.motion_path import MotionPath
from demos._shared.timeline import MARGIN, Timeline
from ikrig.clip.editing import KeyName, sampled

PER_BEAD = 3  # samples between two beads
PANEL = (330.0, 240.0)  # width of the file's panel, and its upper edge
LEAST = 110.0  # height below which the file's panel is hidden


class ClipTools:
    """Timeline, file and motion paths of one session.

    Attributes:
        age: Seconds since the file has changed.
    """

    def __init__(
        self,
        layout: Layout,
        overlay: p3d.NodePath,
        session: ClipSession,
        halt: Callable[[], None],
        bottom: float,
    ) -> None:
        """Draw them.

        Args:
            layout: The drawing surface.
            overlay: Parent of translucent shapes.
            session: The session to show.
            halt: Called when the user grabs something.
            bottom: Their lower edge.
        """
        self.session, self._halt = session, halt
        self.age = 9.0
        # stays visible when panels are hidden
        self._node = layout.root.attach_new_node("tools")
        self._names = self._tracks()
        self._overlay = overlay
        self._paths: dict[tuple[str, str], MotionPath] = {}
        self._drawn: object = None
        self._changes = session.document.changes
        self._timeline = Timeline(
            layout,
            self._node,
            bottom - 10.0,
            scrub=self._scrub,
            choose=self._choose,
            move=session.move,
        )
        self._timeline.show(session.clip, session.time)
        width, top = PANEL
        height = self._timeline.rows.top - top - 30.0
        path = session.path
        title = path.name if path.is_absolute() else str(path)
        self._file: FilePanel | None = None
        if height >= LEAST:
            place = (MARGIN, top, width, height)
            self._file = FilePanel(layout, self._node, place, title)

    @property
    def top(self) -> float:
        """Upper edge of the timeline."""
        return self._timeline.rows.top - 26.0

    @property
    def stale(self) -> bool:
        """Whether the clip's tracks have changed, so that the layout is out of date."""
        return self._names != self._tracks()

    def show(self) -> None:
        """Apply the user's actions and show the current state."""
        session, document = self.session, self.session.document
        self._timeline.follow()
        self._timeline.chosen = session.chosen
        self._timeline.show(session.clip, session.time)
        if document.changes != self._changes:
            self._changes, self.age = document.changes, 0.0
        self._show_file(document)
        if self._drawn != (session.clip, session.chosen):
            self._drawn = session.clip, session.chosen
            self._draw_paths()

    def _show_file(self, document: ShownClipFile) -> None:
        """Show the lines of the file that matter now, if there is room for them."""
        session = self.session
        if self._file is None:
            return
        chosen = document.key_lines.get(session.chosen) if session.chosen else None
        # errors come first, then the last change, then the selection
        fresh = document.changed[:1] if self.age < 0.5 else []
        wrong = document.error_line
        centre = wrong if wrong is not None else [*fresh, chosen][0]
        note = session.message, theme.WARN if session.refused else theme.MUTED
        if document.error:
            note = (document.error, theme.BAD)
        self._file.show(
            document.lines, centre=centre, chosen=chosen, lit=document.changed,
            since=self.age, wrong=wrong, note=note,
        )  # fmt: skip

    def remove(self) -> None:
        """Remove all of it."""
        self._timeline.remove()
        self._node.remove_node()
        for path in self._paths.values():
            path.remove()

    def _scrub(self, time: float) -> None:
        self._halt()
        self.session.go(time)

    def _choose(self, key: KeyName) -> None:
        self._halt()
        self.session.choose(key)

    def _tracks(self) -> list[tuple[str, str]]:
        return [(track.part, track.channel) for track in self.session.clip.tracks]

    def _draw_paths(self) -> None:
        clip, chosen = self.session.clip, self.session.chosen
        _, values = sampled(clip)
        for name, node in self.session.nodes().items():
            if name not in self._paths:
                colour = theme.ACCENT if name[1] == "target" else (*theme.POLE, 1.0)
                self._paths[name] = MotionPath(self._overlay, colour)
            line = values[name]
            keys = [
                (key.value, chosen == KeyName(*name, time))
                for time, key in clip.track(*name).keys.items()
            ]
            self._paths[name].show(node.get_parent(), line, line[::PER_BEAD], keys)
