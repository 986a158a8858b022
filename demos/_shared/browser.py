"""The catalogue as a screen: a card with a picture for each demo, chosen by keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import panda3d.core as p3d
from direct.gui import DirectGuiGlobals
from direct.gui.DirectButton import DirectButton

from demos._shared import theme
from demos._shared.app import DemoApp
from demos._shared.catalogue import Entry
from demos._shared.layout import Layout, bind_wheel
from ikrig.scene.viewer.orbit_camera import View

HEADER = 96.0
FOOTER = 44.0
CAPTION = 74.0
GAP = 22.0
MARGIN = 40.0
LARGEST_CARD = 360.0
SMALLEST_CARD = 176.0  # smaller cards can't be read: the page scrolls instead
WHEEL = 90.0
KEYS = ("arrow_left", "arrow_right", "arrow_up", "arrow_down", "enter")


def grid(count: int, width: float, height: float) -> tuple[int, float]:
    """Return the number of columns and the card width that fill an area best."""
    best = (1, 0.0)
    for columns in range(1, count + 1):
        rows = -(-count // columns)
        by_width = (width - GAP * (columns - 1)) / columns
        by_height = ((height - GAP * (rows - 1)) / rows - CAPTION) * 16.0 / 9.0
        card = min(by_width, by_height, LARGEST_CARD)
        if card >= best[1]:
            best = (columns, card)
    if best[1] >= SMALLEST_CARD:
        return best
    columns = max(1, int((width + GAP) / (SMALLEST_CARD + GAP)))
    return columns, min((width + GAP) / columns - GAP, LARGEST_CARD)


class Browser:
    """Shows the demos as cards; opens the one that is chosen."""

    def __init__(
        self, app: DemoApp, entries: Sequence[Entry], choose: Callable[[Entry], None]
    ) -> None:
        """Prepare the screen.

        Args:
            app: The application to show it in.
            entries: The demos.
            choose: Called with the chosen demo.
        """
        self._app = app
        self._entries = entries
        self._choose = choose
        self._layout: Layout | None = None
        self._buttons: list[DirectButton] = []
        self._frames: list[p3d.NodePath] = []
        self._columns = 1
        self._row_height = self._room = self._most = 0.0
        self._offset = 0.0
        self._window: p3d.NodePath | None = None
        self._cards: p3d.NodePath | None = None
        self.selected = 0

    def show(self) -> None:
        """Draw the cards and listen for keys."""
        self._app.look(View(focus=(0, 0, 1.2), distance=9, heading=0, pitch=9))
        self._draw()
        app = self._app
        app.on_resize = self._redraw
        moves = {"arrow_left": -1, "arrow_right": 1}
        for key, step in moves.items():
            app.accept(key, self.move, [step])
        app.accept("arrow_up", lambda: self.move(-self._columns))
        app.accept("arrow_down", lambda: self.move(self._columns))
        app.accept("enter", self.open_selected)
        app.accept("wheel_up", self._scroll, [-WHEEL])
        app.accept("wheel_down", self._scroll, [WHEEL])
        for number in range(1, min(9, len(self._entries)) + 1):
            app.accept(str(number), self.open_number, [number])

    def hide(self) -> None:
        """Remove the cards."""
        for key in (*KEYS, *map(str, range(1, 10)), "wheel_up", "wheel_down"):
            self._app.ignore(key)
        self._app.on_resize = self._app.draw_hud
        self._clear()

    def move(self, step: int) -> None:
        """Move the selection by a number of cards, within the catalogue."""
        self.selected = max(0, min(len(self._entries) - 1, self.selected + step))
        self._reveal()
        self._mark()

    def open_selected(self) -> None:
        """Open the demo whose card is selected."""
        self._choose(self._entries[self.selected])

    def open_number(self, number: int) -> None:
        """Open a demo by its number, from 1."""
        self.selected = number - 1
        self.open_selected()

    def _clear(self) -> None:
        for button in self._buttons:
            button.destroy()
        self._buttons.clear()
        if self._layout is not None:
            self._layout.remove()
            self._layout = None

    def _redraw(self) -> None:
        """Lay out the cards for the current window size."""
        self._clear()
        self._draw()

    def _draw(self) -> None:
        layout = self._app.make_layout()
        self._layout = layout
        self._frames = []
        layout.text(MARGIN, 52.0, "ikrig", size=34.0)
        layout.text(
            MARGIN, 77.0, "inverse kinematics for Panda3D", size=15.0,
            colour=theme.MUTED,
        )  # fmt: skip
        layout.text(
            MARGIN, layout.height - 20.0,
            "arrows choose     Enter or a number opens     wheel scrolls     Esc quits",
            size=13.0, colour=theme.MUTED,
        )  # fmt: skip
        self._room = layout.height - HEADER - FOOTER
        self._columns, card = grid(
            len(self._entries), layout.width - 2.0 * MARGIN, self._room
        )
        rows = -(-len(self._entries) // self._columns)
        picture = card * 9.0 / 16.0
        self._row_height = picture + CAPTION + GAP
        height = rows * self._row_height - GAP
        self._most = max(0.0, height - self._room)
        top = HEADER + max(0.0, 0.4 * (self._room - height))
        full = self._columns * (card + GAP) - GAP
        left = 0.5 * (layout.width - full)
        self._window = layout.root.attach_new_node("window")
        self._cards = self._window.attach_new_node("cards")
        if self._most > 0.0:
            # 4: width of the frame around the selected card
            self._window.set_scissor(
                p3d.LPoint3(0.0, 0.0, 4.0 - HEADER),
                p3d.LPoint3(layout.width, 0.0, FOOTER - 4.0 - layout.height),
            )
        for i, entry in enumerate(self._entries):
            row, column = divmod(i, self._columns)
            x, y = left + column * (card + GAP), top + row * self._row_height
            self._card(layout, i, entry, (x, y, card, picture))
        self._scroll(0.0)
        self._mark()

    def _scroll(self, distance: float) -> None:
        """Scroll down by a distance, within the page."""
        self._offset = max(0.0, min(self._most, self._offset + distance))
        if self._cards is not None:
            self._cards.set_z(self._offset)

    def _reveal(self) -> None:
        """Scroll to the selected card."""
        top = self.selected // self._columns * self._row_height
        bottom = top + self._row_height - GAP
        if top < self._offset:
            self._scroll(top - self._offset)
        elif bottom > self._offset + self._room:
            self._scroll(bottom - self._room - self._offset)

    def _card(
        self,
        layout: Layout,
        index: int,
        entry: Entry,
        place: tuple[float, float, float, float],
    ) -> None:
        x, y, width, picture = place
        height = picture + CAPTION
        cards = self._cards
        frame = layout.rectangle(
            x - 3.0, y - 3.0, width + 6.0, height + 6.0, theme.ACCENT, parent=cards
        )
        self._frames.append(frame)
        back = (0.075, 0.088, 0.105, 1.0)
        layout.rectangle(x, y, width, height, back, parent=cards)
        button = DirectButton(
            parent=cards,
            relief=DirectGuiGlobals.FLAT,
            frameSize=(x, x + width, -(y + height), -y),
            frameColor=(0.0, 0.0, 0.0, 0.0),
            rolloverSound=None,
            clickSound=None,
            command=partial(self._choose, entry),
        )
        button.bind(DirectGuiGlobals.ENTER, lambda _: self._select(index))
        bind_wheel(button, lambda steps: self._scroll(-WHEEL * steps))
        self._buttons.append(button)
        texture = _thumbnail(entry)
        if texture is not None:
            node = layout.rectangle(
                x, y, width, picture, (1.0, 1.0, 1.0, 1.0), parent=cards
            )
            node.set_texture(texture)
        else:
            layout.rectangle(
                x, y, width, picture, (0.13, 0.15, 0.175, 1.0), parent=cards
            )
            layout.text(
                x + 0.5 * width, y + 0.5 * picture, "no picture yet", size=14.0,
                colour=theme.MUTED, align=p3d.TextNode.A_center, parent=cards,
            )  # fmt: skip
        number = f"{index + 1}  " if index < 9 else ""
        layout.text(
            x + 12.0, y + picture + 23.0, f"{number}{entry.title}", size=17.0,
            parent=cards,
        )  # fmt: skip
        layout.text(
            x + 12.0, y + picture + 41.0, entry.line, size=12.0, colour=theme.MUTED,
            wrap=width - 24.0, parent=cards,
        )  # fmt: skip

    def _select(self, index: int) -> None:
        self.selected = index
        self._mark()

    def _mark(self) -> None:
        for i, frame in enumerate(self._frames):
            if i == self.selected:
                frame.show()
            else:
                frame.hide()


def _thumbnail(entry: Entry) -> p3d.Texture | None:
    """Load a demo's thumbnail; return nothing if the file is missing or damaged."""
    image = p3d.PNMImage()
    path = p3d.Filename.from_os_specific(str(entry.thumbnail))
    if not entry.thumbnail.is_file() or not image.read(path):
        return None
    texture = p3d.Texture(entry.name)
    texture.load(image)
    texture.set_minfilter(p3d.SamplerState.FT_linear_mipmap_linear)
    return texture
