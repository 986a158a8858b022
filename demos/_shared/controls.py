"""Sliders, buttons and handles, operated by mouse and keyboard."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Protocol

import panda3d.core as p3d
from direct.gui import DirectGuiGlobals
from direct.gui.DirectButton import DirectButton
from direct.gui.DirectSlider import DirectSlider

from demos._shared import theme
from demos._shared.demo import Button, Handle, Slider
from demos._shared.layout import Layout, bind_wheel
from demos._shared.scroll_panel import ScrollPanel

BUTTON = 27.0
SLIDER = 46.0
NUDGE = 1.0 / 50.0  # step of an arrow key, as a fraction of a slider's range
STEP = 0.01  # the same for handles, as a fraction of the camera's distance
TYPED = frozenset("0123456789.-")


class Control(Protocol):
    """A widget or handle that can have the keyboard focus."""

    def mark(self, focused: bool) -> None:
        """Show whether it has the focus."""

    def key(self, name: str) -> bool:
        """Handle a key; return whether the control uses it."""

    def read(self) -> None:
        """Update it if the value was changed elsewhere."""

    def destroy(self) -> None:
        """Remove its widgets."""


class SliderControl:
    """A slider in a panel."""

    def __init__(
        self,
        layout: Layout,
        panel: ScrollPanel,
        slider: Slider,
        place: tuple[float, ...],
    ) -> None:
        """Draw it.

        Args:
            layout: The drawing surface.
            panel: Its panel.
            slider: The slider to show.
            place: Left edge, base line of its label, width.
        """
        x, y, width = place
        self._slider, self._panel = slider, panel
        self._x, self._y, self._width = x, y, width
        self._value, self._typed = slider.value, ""
        node = panel.node
        self._outline = layout.rectangle(
            x - 8.0, y - 17.0, width + 16.0, SLIDER - 4.0, theme.FOCUS, parent=node
        )
        layout.text(x, y, slider.label, size=14.0, colour=theme.MUTED, parent=node)
        self._label = layout.text(
            x + width, y, "", size=14.0, align=p3d.TextNode.A_right, parent=node
        )
        self._bar = layout.rectangle(x, y + 13.0, 0.01, 3.0, theme.ACCENT, parent=node)
        self._widget = DirectSlider(
            parent=node,
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
        bind_wheel(self._widget, panel.scroll)
        self._widget["command"] = self._moved
        self._show()
        self.mark(False)

    def mark(self, focused: bool) -> None:
        """Show whether it has the focus."""
        self._outline.show() if focused else self._outline.hide()
        self._typed = ""
        self._show()
        if focused:
            self._panel.reveal(self._y - 28.0, self._y + 22.0)

    def key(self, name: str) -> bool:
        """Handle an arrow key, or a character of a number that Enter confirms."""
        slider = self._slider
        nudge = slider.step or NUDGE * (slider.high - slider.low)
        if name in ("arrow_left", "arrow_right"):
            self._set(self._value + (nudge if name == "arrow_right" else -nudge))
        elif name in ("home", "end"):
            self._set(slider.low if name == "home" else slider.high)
        elif name in TYPED:
            self._typed = f"{self._typed}{name}"[:12]
        elif name == "backspace" and self._typed:
            self._typed = self._typed[:-1]
        elif name == "enter" and self._typed:
            with contextlib.suppress(ValueError):
                self._set(float(self._typed))
            self._typed = ""
        else:
            return False
        self._show()
        return True

    def read(self) -> None:
        """Update it if the value was changed elsewhere."""
        read = self._slider.read
        if read is not None and read() != self._value:
            self._value = self._slider.snap(read())
            self._widget["value"] = self._value
            self._show()

    def destroy(self) -> None:
        """Remove what takes the mouse."""
        self._widget.destroy()

    def _moved(self) -> None:
        """Apply the widget's value; the widget stores single precision."""
        slider = self._slider
        new = slider.snap(float(self._widget["value"]))
        if abs(new - self._value) > 1e-6 * (slider.high - slider.low):
            self._take(new)

    def _set(self, value: float) -> None:
        self._take(self._slider.snap(value))
        # the widget's own event, a frame later, then finds no change
        self._widget["value"] = self._value

    def _take(self, value: float) -> None:
        self._value = value
        self._show()
        self._slider.apply(value)

    def _show(self) -> None:
        slider, x = self._slider, self._x
        share = (self._value - slider.low) / (slider.high - slider.low)
        self._bar.set_pos(x * (1.0 - share * self._width / 0.01), 0.0, 0.0)
        self._bar.set_sx(max(share, 1e-4) * self._width / 0.01)
        if self._typed:
            self._label.set(f"{self._typed}_", theme.ACCENT)
        else:
            self._label.set(slider.text(self._value), theme.TEXT)


class ButtonControl:
    """A button in a panel."""

    def __init__(
        self,
        layout: Layout,
        panel: ScrollPanel,
        button: Button,
        place: tuple[float, ...],
    ) -> None:
        """Draw it.

        Args:
            layout: The drawing surface.
            panel: Its panel.
            button: The button to show.
            place: Left and upper edge, width.
        """
        x, y, width = place
        self._button, self._panel, self._y = button, panel, y
        self._shown: tuple[bool, bool] | None = None
        node = panel.node
        self._outline = layout.rectangle(
            x - 3.0, y - 3.0, width + 6.0, BUTTON + 6.0, theme.FOCUS, parent=node
        )
        self._widget = DirectButton(
            parent=node,
            frameSize=(0.0, width, -BUTTON, 0.0),
            relief=DirectGuiGlobals.FLAT,
            pos=(x, 0.0, -y),
            command=button.press,
            rolloverSound=None,
            clickSound=None,
        )
        bind_wheel(self._widget, panel.scroll)
        self._mark: p3d.NodePath | None = None
        if button.colour is not None:
            self._mark = layout.rectangle(x, y, 4.0, BUTTON, button.colour, parent=node)
        self._label = layout.text(
            x + (11.0 if self._mark else 9.0), y + 0.5 * BUTTON + 4.5, button.label,
            size=13.0, parent=node,
        )  # fmt: skip
        self.mark(False)
        self.read()

    def mark(self, focused: bool) -> None:
        """Show whether it has the focus."""
        self._outline.show() if focused else self._outline.hide()
        if focused:
            self._panel.reveal(self._y - 6.0, self._y + BUTTON + 6.0)

    def key(self, name: str) -> bool:
        """Press the button by Enter."""
        if name == "enter" and self._button.enabled():
            self._button.press()
        return name == "enter"

    def read(self) -> None:
        """Show whether the button is lit and whether it is enabled."""
        lit, enabled = state = (self._button.lit(), self._button.enabled())
        if state == self._shown:
            return
        self._shown = state
        plain = (*theme.ACCENT[:3], 0.34) if lit else (1.0, 1.0, 1.0, 0.07)
        over = (1.0, 1.0, 1.0, 0.18) if enabled else plain
        self._widget["frameColor"] = (plain, over, over, plain)
        colour = theme.TEXT if enabled else theme.DISABLED
        self._label.set(self._button.label, colour)
        if self._mark is not None:
            self._mark.set_alpha_scale(1.0 if enabled else 0.3)

    def destroy(self) -> None:
        """Remove what takes the mouse."""
        self._widget.destroy()


class HandleControl:
    """A handle in the scene, moved by keys along the axes of the camera."""

    def __init__(
        self,
        handle: Handle,
        axes: Callable[[], tuple[p3d.LVector3, ...]],
        show: Callable[[Handle | None], None],
    ) -> None:
        """Store the handle and how to move and show it.

        Args:
            handle: The handle.
            axes: Returns the offsets by one key: to the right, away and up, world.
            show: Called with the handle when it gets the focus, with None at its loss.
        """
        self._handle, self._axes, self._announce = handle, axes, show

    def mark(self, focused: bool) -> None:
        """Show whether it has the focus."""
        self._announce(self._handle if focused else None)

    def key(self, name: str) -> bool:
        """Move it by the arrow keys; Page up and Page down move it away and nearer."""
        moves = {
            "arrow_right": (0, 1.0), "arrow_left": (0, -1.0),
            "page_up": (1, 1.0), "page_down": (1, -1.0),
            "arrow_up": (2, 1.0), "arrow_down": (2, -1.0),
        }  # fmt: skip
        node = self._handle.node
        if name not in moves or node.is_empty():
            return False
        axis, sign = moves[name]
        top = node.get_top()
        node.set_pos(top, node.get_pos(top) + self._axes()[axis] * sign)
        return True

    def read(self) -> None:
        """Show nothing: the gizmos follow the node."""

    def destroy(self) -> None:
        """Remove nothing."""
