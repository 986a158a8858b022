"""Panels over a demo: status on the left, controls on the right, keys below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.catalogue import Entry
from demos._shared.controls import (
    BUTTON,
    SLIDER,
    ButtonControl,
    Control,
    SliderControl,
)
from demos._shared.demo import Button, Demo, Slider
from demos._shared.focus import Focus
from demos._shared.help_bar import draw_help, keys_of
from demos._shared.layout import Label, Layout
from demos._shared.scroll_panel import ScrollPanel

MARGIN = 20.0
STATUS_WIDTH = 252.0
CONTROL_WIDTH = 228.0
ROW = 21.0
GAP = 6.0
LEAST_ROOM = 96.0  # least height of a panel between others


@dataclass
class _ChainRows:
    """The labels of one chain."""

    status: Label
    error: Label
    iterations: Label


class Hud:
    """All panels of one demo.

    Attributes:
        focus: The keyboard focus.
    """

    def __init__(
        self,
        layout: Layout,
        entry: Entry,
        demo: Demo,
        handles: Sequence[Control] = (),
        *,
        timed: bool = True,
        page: int = 0,
    ) -> None:
        """Lay out the panels.

        Args:
            layout: The drawing surface.
            entry: The demo's catalogue entry.
            demo: The demo, after `build`.
            handles: Handles that the keyboard moves in the scene.
            timed: Whether to show frame rate and solve times, which differ
                from run to run.
            page: Index of the panels to show, as counted by ``page``.
        """
        self._layout = layout
        self._demo = demo
        self._panels = layout.root.attach_new_node("panels")
        self._main = self._panels.attach_new_node("main")
        self._over = self._panels.attach_new_node("over")
        self._chains: list[_ChainRows] = []
        self._notes: list[Label] = []
        self._time: Label | None = None
        self._rate: Label | None = None
        self._caption: Label | None = None
        self._controls: list[SliderControl | ButtonControl] = []
        bar = draw_help(layout, self._panels, keys_of(demo, entry.keys), MARGIN)
        self._covered = bar / layout.height
        # it may raise the lower end of the other panels
        demo.draw_over(layout, self._over, timed)
        self._status_panel(entry, timed)
        below = self._slider_panel(demo.sliders())
        self._button_panel(demo.buttons(), below)
        self.focus = Focus([*self._controls, *handles])
        # without room for both, what is drawn over has a page of its own
        self.pages = 2 + (layout.compact and demo.fills_picture)
        self.page = page % self.pages
        self.show_page(self.page)
        self.update(None, 0.0)

    def update(self, microseconds: float | None, rate: float) -> None:
        """Show the chains' last results.

        Args:
            microseconds: Solve time; None: not measured.
            rate: Frames per second.
        """
        for rows, (_, chain) in zip(self._chains, self._demo.chains(), strict=False):
            result = chain.result
            rows.status.set(*theme.status_text(result))
            if result is not None:
                rows.error.set(theme.percent(result.error / chain.model.size))
                rows.iterations.set(str(result.iterations))
        for label, note in zip(self._notes, self._demo.notes(), strict=False):
            label.set(note.value, note.colour)
        if self._time is not None and microseconds is not None:
            self._time.set(f"{microseconds:.0f} µs")
        if self._rate is not None and rate > 0.0:
            self._rate.set(f"{rate:.0f}")
        for control in self._controls:
            control.read()
        self._demo.refresh()

    @property
    def covered(self) -> float:
        """Fraction of the picture's height that the help bar covers."""
        return 0.0 if self._panels.is_hidden() else self._covered

    def next_page(self) -> None:
        """Show the next page: all panels, then none; small windows have three pages."""
        self.show_page((self.page + 1) % self.pages)

    def show_page(self, page: int) -> None:
        """Show some of the panels; the last page has none."""
        self.page = page
        apart = self.pages > 2
        shown = {
            self._panels: page < self.pages - 1,
            self._main: not apart or page == 0,
            self._over: not apart or page == 1,
        }
        for node, visible in shown.items():
            (node.show if visible else node.hide)()

    def show_panels(self, shown: bool) -> None:
        """Show or hide all panels; captions stay."""
        self.show_page(0 if shown else self.pages - 1)

    def caption(self, text: str) -> None:
        """Write text into the lower left corner, for contact sheets."""
        if self._caption is None:
            y = self._layout.height - 26.0
            self._caption = self._layout.text(24.0, y, "", size=26.0)
        self._caption.set(text)

    def remove(self) -> None:
        """Remove all panels."""
        self.focus.drop()
        for control in self._controls:
            control.destroy()
        self._layout.remove()

    def _room(self, top: float) -> float:
        """Return the height from ``top`` to the lower panels."""
        return max(LEAST_ROOM, self._layout.bottom - 8.0 - top)

    def _status_panel(self, entry: Entry, timed: bool) -> None:
        layout, x = self._layout, MARGIN + 16.0
        right = MARGIN + STATUS_WIDTH - 16.0
        place = (MARGIN, MARGIN, STATUS_WIDTH)
        panel = ScrollPanel(layout, self._main, place, accent=True)
        node = panel.node
        y = MARGIN + 32.0
        layout.text(x, y, entry.title, size=22.0, parent=node)
        line = layout.text(
            x, y + 24.0, entry.line, size=13.0, colour=theme.MUTED,
            wrap=STATUS_WIDTH - 32.0, parent=node,
        )  # fmt: skip
        y += 29.0 + line.height

        def row(label: str, size: float = 14.0) -> Label:
            nonlocal y
            layout.text(x, y, label, size=size, colour=theme.MUTED, parent=node)
            value = layout.text(
                right, y, "–", size=size, align=p3d.TextNode.A_right, parent=node
            )
            y += ROW
            return value

        def rule() -> None:
            nonlocal y
            layout.rectangle(x, y - 8.0, right - x, 1.25, theme.LINE, parent=node)
            y += 18.0

        chains = self._demo.chains() if self._demo.show_status else ()
        for name, _ in chains:
            rule()
            if len(chains) > 1:
                layout.text(x, y, name, size=14.0, colour=theme.ACCENT, parent=node)
                y += ROW
            self._chains.append(
                _ChainRows(row("status"), row("error"), row("iterations"))
            )
        notes = self._demo.notes()
        if notes or timed:
            rule()
        self._notes = [row(note.label) for note in notes]
        if timed and self._demo.chains():
            self._time = row("solve time per frame")
        if timed:
            self._rate = row("frames per second")
        panel.close(y - MARGIN - 4.0, self._room(MARGIN))

    def _slider_panel(self, sliders: Sequence[Slider]) -> float:
        """Lay out the sliders; return the upper edge of the next panel."""
        if not sliders:
            return MARGIN
        layout = self._layout
        left = layout.width - MARGIN - CONTROL_WIDTH
        panel = ScrollPanel(layout, self._main, (left, MARGIN, CONTROL_WIDTH))
        y = MARGIN + 28.0
        for slider in sliders:
            place = (left + 16.0, y, CONTROL_WIDTH - 32.0)
            self._controls.append(SliderControl(layout, panel, slider, place))
            y += SLIDER
        rows = -(-len(self._demo.buttons()) // 2)
        below = min(rows, 2) * (BUTTON + GAP) + GAP + 10.0 if rows else 0.0
        panel.close(18.0 + SLIDER * len(sliders), self._room(MARGIN) - below)
        return panel.bottom + 10.0

    def _button_panel(self, buttons: Sequence[Button], top: float) -> None:
        if not buttons:
            return
        layout = self._layout
        left = layout.width - MARGIN - CONTROL_WIDTH
        panel = ScrollPanel(layout, self._main, (left, top, CONTROL_WIDTH))
        width = 0.5 * (CONTROL_WIDTH - 3.0 * GAP)
        for i, button in enumerate(buttons):
            row, column = divmod(i, 2)
            x = left + GAP + column * (width + GAP)
            place = (x, top + GAP + row * (BUTTON + GAP), width)
            self._controls.append(ButtonControl(layout, panel, button, place))
        rows = -(-len(buttons) // 2)
        room = max(BUTTON + 2.0 * GAP, self._layout.bottom - 8.0 - top)
        panel.close(rows * (BUTTON + GAP) + GAP, room)
