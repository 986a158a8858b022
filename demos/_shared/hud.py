"""Panels over a demo: status at the left, sliders at the right, keys below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import panda3d.core as p3d
from direct.gui import DirectGuiGlobals
from direct.gui.DirectButton import DirectButton
from direct.gui.DirectSlider import DirectSlider

from demos._shared import theme
from demos._shared.catalogue import Entry
from demos._shared.demo import Button, Demo, Slider
from demos._shared.layout import Label, Layout

MARGIN = 20.0
STATUS_WIDTH = 252.0
SLIDER_WIDTH = 228.0
ROW = 21.0
BUTTON = 27.0

COMMON_KEYS = (
    ("Left drag", "handle"),
    ("X Y Z", "axis"),
    ("Right drag", "orbit"),
    ("Middle", "pan"),
    ("Wheel", "zoom"),
    ("R", "view"),
    ("B", "bones"),
    ("H", "panels"),
    ("Esc", "back"),
)


@dataclass
class _ChainRows:
    """The labels of one chain."""

    status: Label
    error: Label
    iterations: Label


class Hud:
    """Everything written over one demo."""

    def __init__(
        self, layout: Layout, entry: Entry, demo: Demo, *, timed: bool = True
    ) -> None:
        """Lay out the panels.

        Args:
            layout: Where to draw.
            entry: The demo's name, line and keys.
            demo: The demo; built.
            timed: Whether to show how long solving took (differs run by run).
        """
        self._layout = layout
        self._demo = demo
        self._panels = layout.root.attach_new_node("panels")
        self._chains: list[_ChainRows] = []
        self._notes: list[Label] = []
        self._time: Label | None = None
        self._widgets: list[DirectSlider | DirectButton] = []
        self._reads: list[Callable[[], None]] = []
        self._caption: Label | None = None
        self._status_panel(entry, timed)
        below = self._slider_panel(demo.sliders())
        self._button_panel(demo.buttons(), below)
        self._help_bar(entry.keys)
        demo.draw_over(layout, self._panels, timed)
        self.update(None)

    def update(self, microseconds: float | None) -> None:
        """Show the chains' last results."""
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
        for read in self._reads:
            read()
        self._demo.refresh()

    def show_panels(self, shown: bool) -> None:
        """Show or hide the panels; a caption stays."""
        if shown:
            self._panels.show()
        else:
            self._panels.hide()

    @property
    def panels_shown(self) -> bool:
        """Whether the panels are on the screen."""
        return not self._panels.is_hidden()

    def caption(self, text: str) -> None:
        """Write into the lower left corner, for contact sheets."""
        if self._caption is None:
            y = self._layout.height - 26.0
            self._caption = self._layout.text(24.0, y, "", size=26.0)
        self._caption.set(text)

    def remove(self) -> None:
        """Take everything off the screen."""
        for widget in self._widgets:
            widget.destroy()
        self._layout.remove()

    def _status_panel(self, entry: Entry, timed: bool) -> None:
        layout, x = self._layout, MARGIN + 16.0
        right = MARGIN + STATUS_WIDTH - 16.0
        back = self._panels.attach_new_node("back")
        y = MARGIN + 32.0
        layout.text(x, y, entry.title, size=22.0, parent=self._panels)
        line = layout.text(
            x, y + 24.0, entry.line, size=13.0, colour=theme.MUTED,
            wrap=STATUS_WIDTH - 32.0, parent=self._panels,
        )  # fmt: skip
        y += 29.0 + line.height

        def row(label: str, size: float = 14.0) -> Label:
            nonlocal y
            layout.text(x, y, label, size=size, colour=theme.MUTED, parent=self._panels)
            value = layout.text(
                right, y, "–", size=size, align=p3d.TextNode.A_right,
                parent=self._panels,
            )  # fmt: skip
            y += ROW
            return value

        def rule() -> None:
            nonlocal y
            layout.rectangle(
                x, y - 8.0, right - x, 1.25, theme.LINE, parent=self._panels
            )
            y += 18.0

        chains = self._demo.chains() if self._demo.show_status else ()
        for name, _ in chains:
            rule()
            if len(chains) > 1:
                layout.text(
                    x, y, name, size=14.0, colour=theme.ACCENT, parent=self._panels
                )
                y += ROW
            self._chains.append(
                _ChainRows(row("status"), row("error"), row("iterations"))
            )
        notes = self._demo.notes()
        timed = timed and bool(self._demo.chains())
        if notes or timed:
            rule()
        self._notes = [row(note.label) for note in notes]
        if timed:
            self._time = row("solving, per frame")
        layout.rectangle(
            MARGIN, MARGIN, STATUS_WIDTH, y - MARGIN - 4.0, theme.PANEL, parent=back
        )
        layout.rectangle(
            MARGIN, MARGIN, 3.0, y - MARGIN - 4.0, theme.ACCENT, parent=back
        )

    def _slider_panel(self, sliders: Sequence[Slider]) -> float:
        """Lay out the sliders; returns where the next panel can begin."""
        if not sliders:
            return MARGIN
        layout = self._layout
        left = layout.width - MARGIN - SLIDER_WIDTH
        step = 46.0
        height = 18.0 + step * len(sliders)
        layout.rectangle(
            left, MARGIN, SLIDER_WIDTH, height, theme.PANEL, parent=self._panels
        )
        y = MARGIN + 28.0
        for slider in sliders:
            self._slider(slider, left + 16.0, y, SLIDER_WIDTH - 32.0)
            y += step
        return MARGIN + height + 10.0

    def _button_panel(self, buttons: Sequence[Button], top: float) -> None:
        if not buttons:
            return
        layout = self._layout
        left = layout.width - MARGIN - SLIDER_WIDTH
        gap = 6.0
        width = 0.5 * (SLIDER_WIDTH - 3.0 * gap)
        rows = -(-len(buttons) // 2)
        layout.rectangle(
            left, top, SLIDER_WIDTH, rows * (BUTTON + gap) + gap, theme.PANEL,
            parent=self._panels,
        )  # fmt: skip
        for i, button in enumerate(buttons):
            row, column = divmod(i, 2)
            x = left + gap + column * (width + gap)
            self._button(button, x, top + gap + row * (BUTTON + gap), width)

    def _button(self, button: Button, x: float, y: float, width: float) -> None:
        layout = self._layout
        widget = DirectButton(
            parent=self._panels,
            frameSize=(0.0, width, -BUTTON, 0.0),
            relief=DirectGuiGlobals.FLAT,
            pos=(x, 0.0, -y),
            command=button.press,
        )
        mark = None
        if button.colour is not None:
            mark = layout.rectangle(
                x, y, 4.0, BUTTON, button.colour, parent=self._panels
            )
        label = layout.text(
            x + (11.0 if mark else 9.0), y + 0.5 * BUTTON + 4.5, button.label,
            size=13.0, parent=self._panels,
        )  # fmt: skip
        shown: list[tuple[bool, bool]] = []

        def read() -> None:
            state = (button.lit(), button.enabled())
            if shown == [state]:
                return
            shown[:] = [state]
            lit, enabled = state
            plain = (*theme.ACCENT[:3], 0.34) if lit else (1.0, 1.0, 1.0, 0.07)
            over = (1.0, 1.0, 1.0, 0.18) if enabled else plain
            widget["frameColor"] = (plain, over, over, plain)
            label.set(button.label, theme.TEXT if enabled else theme.DISABLED)
            if mark is not None:
                mark.set_alpha_scale(1.0 if enabled else 0.3)

        read()
        self._widgets.append(widget)
        self._reads.append(read)

    def _slider(self, slider: Slider, x: float, y: float, width: float) -> None:
        layout = self._layout
        layout.text(
            x, y, slider.label, size=14.0, colour=theme.MUTED, parent=self._panels
        )
        value = layout.text(
            x + width, y, slider.text(slider.value), size=14.0,
            align=p3d.TextNode.A_right, parent=self._panels,
        )  # fmt: skip
        bar = layout.rectangle(
            x, y + 13.0, 0.01, 3.0, theme.ACCENT, parent=self._panels
        )

        def moved() -> None:
            new = slider.snap(float(widget["value"]))
            share = (new - slider.low) / (slider.high - slider.low)
            bar.set_pos(x * (1.0 - share * width / 0.01), 0.0, 0.0)
            bar.set_sx(max(share, 1e-4) * width / 0.01)
            value.set(slider.text(new))
            # the widget keeps single precision
            if abs(new - shown[0]) > 1e-6 * (slider.high - slider.low):
                shown[0] = new
                slider.apply(new)

        def read() -> None:
            if slider.read is not None and slider.read() != shown[0]:
                shown[0] = slider.snap(slider.read())
                widget["value"] = shown[0]
                # its own event comes a frame late
                moved()

        shown = [slider.value]
        widget = DirectSlider(
            parent=self._panels,
            range=(slider.low, slider.high),
            value=slider.value,
            pageSize=max(slider.step, (slider.high - slider.low) / 12.0),
            frameSize=(-0.5 * width, 0.5 * width, -9.0, 9.0),
            frameVisibleScale=(1.0, 0.17),
            frameColor=(1.0, 1.0, 1.0, 0.14),
            relief=DirectGuiGlobals.FLAT,
            thumb_relief=DirectGuiGlobals.FLAT,
            thumb_frameSize=(-5.0, 5.0, -8.0, 8.0),
            thumb_frameColor=(
                theme.TEXT, theme.ACCENT, theme.ACCENT, theme.MUTED,
            ),
            pos=(x + 0.5 * width, 0.0, -(y + 14.5)),
        )  # fmt: skip
        widget["command"] = moved
        moved()
        self._widgets.append(widget)
        self._reads.append(read)

    def _help_bar(self, keys: Sequence[tuple[str, str]]) -> None:
        layout, size, gap = self._layout, 13.0, 22.0
        limit = layout.width - 2.0 * MARGIN
        lines: list[list[tuple[Label, Label, float]]] = [[]]
        used = 0.0
        for key, text in (*keys, *COMMON_KEYS):
            cap = layout.text(0.0, 0.0, key, size=size, parent=self._panels)
            word = layout.text(
                0.0, 0.0, text, size=size, colour=theme.MUTED, parent=self._panels
            )
            width = cap.width + 6.0 + word.width
            if lines[-1] and used + gap + width > limit:
                lines.append([])
                used = 0.0
            used += width + (gap if lines[-1] else 0.0)
            lines[-1].append((cap, word, width))

        height = ROW * len(lines) + 14.0
        top = layout.bottom = layout.height - height
        layout.rectangle(
            0.0, top, layout.width, height, theme.PANEL, parent=self._panels
        ).set_bin("fixed", -10)
        for i, line in enumerate(lines):
            total = sum(width for *_, width in line) + gap * (len(line) - 1)
            x, y = 0.5 * (layout.width - total), top + 22.0 + ROW * i
            for cap, word, width in line:
                cap.move(x, y, layout.scale)
                word.move(x + cap.width + 6.0, y, layout.scale)
                x += width + gap
