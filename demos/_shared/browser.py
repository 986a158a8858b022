"""The catalogue as a screen: pictures of all demos, keys to go through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import panda3d.core as p3d
from direct.gui import DirectGuiGlobals
from direct.gui.DirectButton import DirectButton

from demos._shared import theme
from demos._shared.app import DemoApp
from demos._shared.catalogue import Entry
from demos._shared.layout import Layout
from ikrig.scene.viewer.orbit_camera import View

HEADER = 96.0
FOOTER = 44.0
CAPTION = 74.0
GAP = 22.0
LARGEST_CARD = 360.0
KEYS = ("arrow_left", "arrow_right", "arrow_up", "arrow_down", "enter")


def grid(count: int, width: float, height: float) -> tuple[int, float]:
    """Return the columns and the card width that fill an area best."""
    best = (1, 0.0)
    for columns in range(1, count + 1):
        rows = -(-count // columns)
        by_width = (width - GAP * (columns - 1)) / columns
        by_height = ((height - GAP * (rows - 1)) / rows - CAPTION) * 16.0 / 9.0
        card = min(by_width, by_height, LARGEST_CARD)
        if card >= best[1]:
            best = (columns, card)
    return best


class Browser:
    """Shows the demos as cards; opens the one that is chosen."""

    def __init__(
        self, app: DemoApp, entries: Sequence[Entry], choose: Callable[[Entry], None]
    ) -> None:
        """Prepare the screen.

        Args:
            app: Where to show it.
            entries: What to show.
            choose: Called with the chosen demo.
        """
        self._app = app
        self._entries = entries
        self._choose = choose
        self._layout: Layout | None = None
        self._buttons: list[DirectButton] = []
        self._frames: list[p3d.NodePath] = []
        self._columns = 1
        self.selected = 0

    def show(self) -> None:
        """Draw the cards and listen to the keys."""
        self._app.look(View(focus=(0, 0, 1.2), distance=9, heading=0, pitch=9))
        self._draw()
        moves = {"arrow_left": -1, "arrow_right": 1}
        for key, step in moves.items():
            self._app.accept(key, self.move, [step])
        self._app.accept("arrow_up", lambda: self.move(-self._columns))
        self._app.accept("arrow_down", lambda: self.move(self._columns))
        self._app.accept("enter", self.open_selected)
        for number in range(1, min(9, len(self._entries)) + 1):
            self._app.accept(str(number), self.open_number, [number])

    def hide(self) -> None:
        """Take the cards away."""
        for key in (*KEYS, *map(str, range(1, 10))):
            self._app.ignore(key)
        for button in self._buttons:
            button.destroy()
        self._buttons.clear()
        if self._layout is not None:
            self._layout.remove()
            self._layout = None

    def move(self, step: int) -> None:
        """Select another card; stays within the catalogue."""
        self.selected = max(0, min(len(self._entries) - 1, self.selected + step))
        self._mark()

    def open_selected(self) -> None:
        """Open the demo whose card is selected."""
        self._choose(self._entries[self.selected])

    def open_number(self, number: int) -> None:
        """Open a demo by its place, from 1."""
        self.selected = number - 1
        self.open_selected()

    def _draw(self) -> None:
        layout = self._app.make_layout()
        self._layout = layout
        self._frames = []
        layout.text(40.0, 52.0, "ikrig", size=34.0)
        layout.text(
            40.0, 77.0, "inverse kinematics for Panda3D", size=15.0, colour=theme.MUTED
        )
        layout.text(
            40.0, layout.height - 20.0,
            "arrows choose     Enter or a number opens     Esc quits",
            size=13.0, colour=theme.MUTED,
        )  # fmt: skip
        area = (layout.width - 80.0, layout.height - HEADER - FOOTER)
        self._columns, card = grid(len(self._entries), *area)
        rows = -(-len(self._entries) // self._columns)
        picture = card * 9.0 / 16.0
        row_height = picture + CAPTION + GAP
        top = HEADER + max(0.0, 0.4 * (area[1] - rows * row_height))
        full = self._columns * (card + GAP) - GAP
        left = 0.5 * (layout.width - full)
        for i, entry in enumerate(self._entries):
            row, column = divmod(i, self._columns)
            x, y = left + column * (card + GAP), top + row * row_height
            self._card(layout, i, entry, (x, y, card, picture))
        self._mark()

    def _card(
        self,
        layout: Layout,
        index: int,
        entry: Entry,
        place: tuple[float, float, float, float],
    ) -> None:
        x, y, width, picture = place
        height = picture + CAPTION
        frame = layout.rectangle(
            x - 3.0, y - 3.0, width + 6.0, height + 6.0, theme.ACCENT
        )
        self._frames.append(frame)
        layout.rectangle(x, y, width, height, (0.075, 0.088, 0.105, 1.0))
        button = DirectButton(
            parent=layout.root,
            relief=DirectGuiGlobals.FLAT,
            frameSize=(x, x + width, -(y + height), -y),
            frameColor=(0.0, 0.0, 0.0, 0.0),
            rolloverSound=None,
            clickSound=None,
            command=partial(self._choose, entry),
        )
        button.bind(DirectGuiGlobals.ENTER, lambda _: self._select(index))
        self._buttons.append(button)
        texture = _thumbnail(entry)
        if texture is not None:
            node = layout.rectangle(x, y, width, picture, (1.0, 1.0, 1.0, 1.0))
            node.set_texture(texture)
        else:
            layout.rectangle(x, y, width, picture, (0.13, 0.15, 0.175, 1.0))
            layout.text(
                x + 0.5 * width, y + 0.5 * picture, "no picture yet", size=14.0,
                colour=theme.MUTED, align=p3d.TextNode.A_center,
            )  # fmt: skip
        number = f"{index + 1}  " if index < 9 else ""
        layout.text(x + 12.0, y + picture + 23.0, f"{number}{entry.title}", size=17.0)
        layout.text(
            x + 12.0, y + picture + 41.0, entry.line, size=12.0, colour=theme.MUTED,
            wrap=width - 24.0,
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
    """Load a demo's small picture; a missing or broken one is no reason to stop."""
    image = p3d.PNMImage()
    path = p3d.Filename.from_os_specific(str(entry.thumbnail))
    if not entry.thumbnail.is_file() or not image.read(path):
        return None
    texture = p3d.Texture(entry.name)
    texture.load(image)
    texture.set_minfilter(p3d.SamplerState.FT_linear_mipmap_linear)
    return texture
