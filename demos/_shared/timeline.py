"""A timeline of a clip: ruler, playhead, a row of keys for each track.

Press and drag in the ruler to move the playhead; press a key to go there, drag it to
change its time. A drag that starts in the panel continues outside of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import panda3d.core as p3d
from direct.showbase.DirectObject import DirectObject

import ikrig
from demos._shared import theme
from demos._shared.flat import Flat
from demos._shared.layout import Label, Layout
from demos._shared.theme import Colour
from demos._shared.time_rows import RULER, TimeRows
from ikrig.clip.editing import KeyName, sampled

MARGIN = 20.0
DEEP = 3.0  # a key that moves less than this is only pressed [layout pixel]
COLOURS: dict[str, Colour] = {
    "target": theme.ACCENT,
    "target_rotation": (1.0, 0.76, 0.40, 1.0),
    "pole": (*theme.POLE, 1.0),
    "weight": theme.GOOD,
}
PLAIN: Colour = (0.45, 0.76, 1.0, 1.0)
AXES: tuple[Colour, ...] = (
    (0.95, 0.38, 0.36, 0.60),
    (0.45, 0.85, 0.45, 0.60),
    (0.42, 0.62, 1.00, 0.60),
    (0.80, 0.80, 0.80, 0.45),
)


class Timeline(DirectObject):
    """Draws a clip and reports the user's actions on it.

    Attributes:
        rows: The positions of tracks and keys.
        chosen: The selected key.
        held: The grabbed key, True for the playhead, or None.
    """

    def __init__(
        self,
        layout: Layout,
        parent: p3d.NodePath,
        bottom: float,
        *,
        scrub: Callable[[float], None],
        choose: Callable[[KeyName], None],
        move: Callable[[KeyName, float], KeyName],
    ) -> None:
        """Make an empty timeline along the lower edge.

        Args:
            layout: The drawing surface.
            parent: Parent node.
            bottom: Its lower edge.
            scrub: Called with the new time of the playhead.
            choose: Called with a key that is pressed.
            move: Called with a key and its new time; returns its actual time.
        """
        super().__init__()
        self._layout, self._bottom = layout, bottom
        self._scrub, self._choose, self._move = scrub, choose, move
        self._node = parent.attach_new_node("timeline")
        self._item = p3d.PGItem("timeline")
        self._item.set_active(True)
        # keeps presses from the camera and from handles
        self._item.set_suppress_flags(p3d.MouseWatcherRegion.SF_mouse_button)
        self._node.attach_new_node(self._item)
        self._back = Flat(self._node, "back")
        self._curves = Flat(self._node, "curves")
        self._keys = Flat(self._node, "keys")
        self._head = Flat(self._node, "playhead")
        self._texts = self._node.attach_new_node("texts")
        self._now = layout.text(
            0.0, 0.0, "", size=12.0, align=p3d.TextNode.A_center, parent=self._node
        )
        self._drawn: tuple[ikrig.Clip, KeyName | None, KeyName | None] | None = None
        self._ground: object = None
        self._pressed = 0.0
        self._deep = False
        self.rows = TimeRows(ikrig.Clip(), 0.0, 1.0, 0.0)
        self.chosen: KeyName | None = None
        self.hovered: KeyName | None = None
        self.held: KeyName | bool | None = None
        self.accept(self._item.get_press_event(p3d.MouseButton.one()), self._on_press)

    def remove(self) -> None:
        """Remove the timeline."""
        self.ignore_all()
        self._node.remove_node()

    def show(self, clip: ikrig.Clip, time: float) -> None:
        """Show a clip at a time.

        Args:
            clip: The clip.
            time: Time of the playhead within the clip [s].
        """
        layout = self._layout
        self.rows = TimeRows(clip, MARGIN, layout.width - 2.0 * MARGIN, self._bottom)
        tracks = [(track.part, track.channel) for track in clip.tracks]
        ground = (clip.name, clip.duration, clip.events, tracks)
        if self._ground != ground:
            self._ground = ground
            self._draw_back()
        if self._drawn is None or self._drawn[0] is not clip:
            self._draw_curves()
        if self._drawn != (clip, self.chosen, self.hovered):
            self._draw_keys()
            self._drawn = clip, self.chosen, self.hovered
        x = self.rows.x(max(0.0, time))
        self._head.path.set_x(x)
        self._now.set(f"{time:.2f}")
        self._now.move(x, self.rows.top - 6.0, layout.scale)

    # -- the mouse, in layout pixels ---------------------------------------------------

    def press(self, x: float, y: float) -> None:
        """Grab the key or the playhead at a position."""
        rows = self.rows
        key = rows.key_at(x, y)
        self._pressed, self._deep = x, False
        if key is not None:
            self.held = self.chosen = key
            self._choose(key)
        elif x >= rows.start - 6.0:
            self.held = True
            self._scrub(round(rows.time(x), 2))

    def move(self, x: float, y: float) -> None:
        """Drag the grabbed item, or highlight the key under the mouse."""
        if self.held is None:
            self.hovered = self.rows.key_at(x, y) if self.rows.covers(x, y) else None
        elif self.held is True:
            self._scrub(round(self.rows.time(x), 2))
        elif isinstance(self.held, KeyName):
            self._deep = self._deep or abs(x - self._pressed) > DEEP
            time = self.rows.grid_time(x)
            if self._deep and time != self.held.time:
                self.held = self.chosen = self.hovered = self._move(self.held, time)

    def release(self) -> None:
        """Release the grabbed item."""
        self.held = None

    def _on_press(self, event: p3d.MouseWatcherParameter) -> None:
        mouse = event.get_mouse()
        self.press(*self._layout.place(mouse.x, mouse.y))

    def follow(self) -> None:
        """Process the mouse's actions since the last frame."""
        # a button released over another window sends no event to this one
        if not self._layout.button_down:
            self.release()
        spot = self._layout.pointer
        if spot is not None:
            self.move(*spot)
        elif self.held is None:
            self.hovered = None

    # -- drawing -----------------------------------------------------------------------

    def _draw_back(self) -> None:
        """Draw the background: panel, ruler, names, events."""
        rows, back = self.rows, self._back
        left, top, width, height = rows.left, rows.top, rows.width, rows.height
        self._item.set_frame(left, left + width, -rows.bottom, -top)
        back.rectangle(left, top, width, height, theme.PANEL)
        back.rectangle(left, top, 3.0, height, theme.ACCENT)
        back.rectangle(left + 3.0, top, width - 3.0, RULER, (1.0, 1.0, 1.0, 0.05))
        self._draw_ruler()
        for row, track in enumerate(rows.clip.tracks):
            y, high = rows.y(row), rows.row
            if row % 2 == 0:
                band = (1.0, 1.0, 1.0, 0.028)
                back.rectangle(left + 3.0, y - 0.5 * high, width - 3.0, high, band)
            back.rectangle(
                rows.start, y - 0.5, rows.end - rows.start, 1.0, (1.0, 1.0, 1.0, 0.07)
            )
            back.rectangle(left + 11.0, y - 3.5, 3.0, 7.0, _colour(track))
        back.show()
        self._draw_head()
        self._write_names()

    def _draw_ruler(self) -> None:
        rows, back = self.rows, self._back
        step = rows.ruler_step()
        parts = 5 if step in (0.5, 0.1, 1.0, 5.0) else 4
        count = int(rows.clip.duration / step * parts + 1e-6)
        for k in range(count + 1):
            whole = k % parts == 0
            x, high = rows.x(k * step / parts), 9.0 if whole else 4.0
            back.rectangle(
                x - 0.5, rows.top + RULER - high, 1.0, high, (1.0, 1.0, 1.0, 0.35)
            )
            if whole:
                back.rectangle(
                    x - 0.5, rows.top + RULER, 1.0, rows.height - RULER - 5.0,
                    (1.0, 1.0, 1.0, 0.06),
                )  # fmt: skip
        for event in rows.clip.events:
            x, y = rows.x(event.time), rows.top + 3.0
            back.rectangle(x - 0.6, y, 1.2, rows.height - 8.0, (*theme.GOOD[:3], 0.35))
            flag = [(x, y), (x + 11.0, y + 4.5), (x, y + 9.0)]
            back.polygon(flag, theme.GOOD)

    def _draw_curves(self) -> None:
        """Draw the curves of each track, scaled to its row."""
        rows = self.rows
        times, values = sampled(rows.clip)
        x = np.array([rows.x(time) for time in times])
        for row, track in enumerate(rows.clip.tracks):
            curves = values[track.part, track.channel]
            middle = 0.5 * (curves.max(0) + curves.min(0))
            # one scale per track, so that values that hardly move look flat
            size = max(float(np.ptp(curves, axis=0).max()), 1e-9)
            y = rows.y(row) - (curves - middle) / size * (rows.row - 5.0)
            for k in range(curves.shape[1]):
                colour = AXES[k % 4]
                if curves.shape[1] == 1:
                    colour = (*_colour(track)[:3], 0.6)
                self._curves.line(np.column_stack((x, y[:, k])), 1.6, colour)

        self._curves.show()

    def _draw_keys(self) -> None:
        rows = self.rows
        for row, track in enumerate(rows.clip.tracks):
            y, colour = rows.y(row), _colour(track)
            for time in track.keys:
                key = KeyName(track.part, track.channel, time)
                x = rows.x(time)
                if key == self.chosen:
                    self._keys.diamond(x, y, 9.0, (1.0, 1.0, 1.0, 1.0))
                elif key == self.hovered:
                    self._keys.diamond(x, y, 8.5, (1.0, 1.0, 1.0, 0.55))
                self._keys.diamond(x, y, 6.6, (0.05, 0.06, 0.075, 1.0))
                self._keys.diamond(x, y, 5.0, colour)
        self._keys.show()

    def _draw_head(self) -> None:
        rows, head = self.rows, self._head
        head.rectangle(-0.9, rows.top, 1.8, rows.height, (1.0, 1.0, 1.0, 0.92))
        tip = [(-6.0, 0.0), (6.0, 0.0), (6.0, 8.0), (0.0, 14.0), (-6.0, 8.0)]
        head.polygon([(x, rows.top + y) for x, y in tip], (1.0, 1.0, 1.0, 1.0))
        # the time stands on a chip above the panel
        head.rectangle(-21.0, rows.top - 19.0, 42.0, 19.0, theme.PANEL)
        head.show()

    def _write_names(self) -> None:
        layout, rows = self._layout, self.rows
        self._texts.get_children().detach()

        def text(x: float, y: float, words: str, **looks: object) -> Label:
            return layout.text(x, y, words, parent=self._texts, **looks)  # type: ignore[arg-type]

        step = rows.ruler_step()
        for k in range(int(rows.clip.duration / step + 1e-6) + 1):
            text(
                rows.x(k * step) + 4.0, rows.top + 25.0, f"{k * step:g}", size=11.0,
                colour=theme.MUTED,
            )  # fmt: skip
        text(rows.left + 11.0, rows.top + 19.0, rows.clip.name, size=13.0)
        for event in rows.clip.events:
            text(
                rows.x(event.time) + 14.0, rows.top + 12.0, event.name, size=11.0,
                colour=theme.GOOD,
            )  # fmt: skip
        before = ""
        for row, track in enumerate(rows.clip.tracks):
            y = rows.y(row) + 4.0
            if track.part != before:
                text(rows.left + 20.0, y, track.part, size=12.0)
            channel = text(
                0.0, 0.0, track.channel.replace("_", " "), size=12.0,
                colour=theme.MUTED, align=p3d.TextNode.A_right,
            )  # fmt: skip
            channel.move(rows.start - 16.0, y, layout.scale)
            before = track.part


def _colour(track: ikrig.Track) -> Colour:
    return COLOURS.get(track.channel, PLAIN)
