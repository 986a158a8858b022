"""A drawing surface in layout pixels: texts and filled rectangles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panda3d.core as p3d
from direct.gui import DirectGuiGlobals
from direct.gui.DirectFrame import DirectFrame

from demos._shared import theme
from demos._shared.theme import Colour, Fonts

LAYOUT_HEIGHT = 720.0
SMALLEST_SCALE = 0.84  # below this, text would be too small to read
COMPACT = 700.0  # below this height panels share their space


class Layout:
    """Places texts and panels by pixels of a 720 lines high picture, y down.

    Attributes:
        width: Layout width; depends on the window's aspect ratio.
        height: Layout height.
        bottom: Upper edge of the panels along the lower edge.
        root: Parent of everything that is drawn.
        scale: Window pixels per layout pixel.
        panels: All panels that `panel` made.
        compact: Whether the height is too small for all panels at once.
    """

    def __init__(
        self,
        pixel2d: p3d.NodePath,
        size: tuple[int, int],
        dots: int = 1,
        watcher: p3d.MouseWatcher | None = None,
        ui_scale: float = 1.0,
    ) -> None:
        """Cover a window.

        Args:
            pixel2d: Panda3D's node with one unit per window pixel.
            size: Window size in pixels.
            dots: Window pixels per picture pixel (supersampling).
            watcher: The mouse watcher of the window.
            ui_scale: Factor on the size of everything.
        """
        scale = dots * ui_scale * max(SMALLEST_SCALE, size[1] / dots / LAYOUT_HEIGHT)
        self.width, self.height = size[0] / scale, size[1] / scale
        self.bottom = self.height
        self.compact = self.height < COMPACT
        self.panels: list[DirectFrame] = []
        self.fonts = Fonts(scale)
        self.root = pixel2d.attach_new_node("layout")
        self.root.set_scale(scale)
        self.scale = scale
        self._watcher = watcher

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the layout position of a window position from -1 to 1, y up."""
        return 0.5 * (1.0 + x) * self.width, 0.5 * (1.0 - y) * self.height

    @property
    def pointer(self) -> tuple[float, float] | None:
        """Position of the mouse; None if there is none, or while it is outside."""
        watcher = self._watcher
        if watcher is None or not watcher.has_mouse():
            return None
        return self.place(watcher.get_mouse_x(), watcher.get_mouse_y())

    @property
    def button_down(self) -> bool:
        """Whether the left mouse button is held."""
        watcher = self._watcher
        return watcher is not None and watcher.is_button_down(p3d.MouseButton.one())

    def remove(self) -> None:
        """Remove everything that was drawn."""
        for frame in self.panels:
            frame.destroy()
        self.root.remove_node()

    def panel(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        parent: p3d.NodePath | None = None,
        on_wheel: Callable[[float], None] | None = None,
    ) -> p3d.NodePath:
        """Fill a rectangle; the mouse does not reach the scene behind it.

        Args:
            x: Left edge.
            y: Upper edge.
            width: Its width.
            height: Its height.
            parent: Parent node.
            on_wheel: Called with steps of the mouse wheel over it, up positive.
        """
        frame = DirectFrame(
            parent=parent or self.root,
            frameSize=(x, x + width, -(y + height), -y),
            frameColor=theme.PANEL,
            relief=DirectGuiGlobals.FLAT,
            state=DirectGuiGlobals.NORMAL,
        )
        frame.set_transparency(p3d.TransparencyAttrib.M_alpha)
        if on_wheel is not None:
            bind_wheel(frame, on_wheel)
        self.panels.append(frame)
        return frame

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        colour: Colour,
        parent: p3d.NodePath | None = None,
    ) -> p3d.NodePath:
        """Fill a rectangle; (x, y) is its top left corner."""
        card = p3d.CardMaker("rectangle")
        card.set_frame(x, x + width, -(y + height), -y)
        card.set_color(p3d.LColor(*colour))
        node = (parent or self.root).attach_new_node(card.generate())
        node.set_transparency(p3d.TransparencyAttrib.M_alpha)
        return node

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 15.0,
        colour: Colour = theme.TEXT,
        align: int = p3d.TextNode.A_left,
        wrap: float = 0.0,
        parent: p3d.NodePath | None = None,
    ) -> Label:
        """Write a text; y is its baseline."""
        node = p3d.TextNode("text")
        node.set_font(self.fonts.get(size))
        node.set_align(align)  # type: ignore[arg-type]
        node.set_text_color(p3d.LColor(*colour))
        if wrap > 0.0:
            node.set_wordwrap(wrap / size)
        node.set_text(text)
        path = (parent or self.root).attach_new_node(node)
        path.set_scale(size)
        label = Label(node, path, size)
        label.move(x, y, self.scale)
        return label


def bind_wheel(widget: Any, on_wheel: Callable[[float], None]) -> None:
    """Call a function with the steps of the mouse wheel over a widget."""
    turns = {p3d.MouseButton.wheel_up(): 1.0, p3d.MouseButton.wheel_down(): -1.0}
    for button, steps in turns.items():
        event = f"{p3d.PGItem.get_press_prefix()}{button.get_name()}-"
        widget.bind(event, lambda _, steps=steps: on_wheel(steps))


class Label:
    """A text that can change.

    Attributes:
        path: Its node.
    """

    def __init__(self, node: p3d.TextNode, path: p3d.NodePath, size: float) -> None:
        """Wrap a text node."""
        self._node = node
        self.path = path
        self._size = size
        self._shown: tuple[str, Colour | None] = (node.get_text(), None)

    def move(self, x: float, y: float, snap: float) -> None:
        """Move it; whole window pixels (``snap`` per unit) keep letters sharp."""
        self.path.set_pos(round(x * snap) / snap, 0.0, -round(y * snap) / snap)

    def set(self, text: str, colour: Colour | None = None) -> None:
        """Change the text; an unchanged text costs nothing."""
        if (text, colour) == self._shown:
            return
        self._shown = (text, colour)
        self._node.set_text(text)
        if colour is not None:
            self._node.set_text_color(p3d.LColor(*colour))

    def fit(self, text: str, width: float) -> str:
        """Return a text of one line, shortened to a width in layout pixels."""
        room = width / self._size
        if self._node.calc_width(text) <= room:
            return text
        while text and self._node.calc_width(f"{text}…") > room:
            text = text[:-1]
        return f"{text}…"

    @property
    def height(self) -> float:
        """Height of the lines in layout pixels."""
        return float(
            self._node.get_num_rows() * self._node.get_line_height() * self._size
        )

    @property
    def width(self) -> float:
        """Width of the longest line in layout pixels."""
        return float(self._node.get_width() * self._size)
