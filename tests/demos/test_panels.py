"""Panels and browser at every size: nothing overlaps, all can be reached."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import panda3d.core as p3d
import pytest

from demos._shared import catalogue
from demos._shared.app import DemoApp
from demos._shared.browser import HEADER, SMALLEST_CARD, Browser, grid
from demos._shared.demo import Demo, Handle
from demos._shared.help_bar import keys_of
from demos._shared.hud import Hud
from demos._shared.layout import Layout
from ikrig.scene.viewer import display

ENTRIES = {entry.name: entry for entry in catalogue.read()}
SIZES = ((640, 360), (800, 600), (1280, 720), (1920, 1080))
Area = tuple[float, float, float, float]


@pytest.fixture(scope="module")
def drawn() -> Iterator[DemoApp]:
    """An app that draws into a buffer."""
    display.configure()
    screen = display.find(display.Surface.OFFSCREEN)
    if screen.surface is display.Surface.NONE:
        pytest.skip(display.NO_PIPE)
    with DemoApp(screen, (640, 360)) as app:
        yield app


# -- panels


def areas(layout: Layout) -> list[Area]:
    """Return the panels that are shown: left, right, bottom, top."""
    found = []
    for panel in layout.panels:
        if not panel.is_empty() and not hidden(panel):
            left, right, bottom, top = panel["frameSize"]
            found.append((left, right, bottom, top))
    return found


def hidden(node: p3d.NodePath) -> bool:
    hider = node.get_hidden_ancestor()
    return not hider.is_empty()


def overlap(a: Area, b: Area) -> bool:
    return min(a[1], b[1]) - max(a[0], b[0]) > 0.5 and (
        min(a[3], b[3]) - max(a[2], b[2]) > 0.5
    )


@pytest.mark.parametrize("name", ENTRIES)
def test_panels_never_overlap_nor_leave_the_window(drawn: DemoApp, name: str) -> None:
    demo = drawn.open(ENTRIES[name])
    for (width, height), scale in itertools.product(SIZES, (1.0, 1.5)):
        if scale > 1.0 and height < 720:
            continue
        layout = Layout(drawn.pixel2d, (width, height), ui_scale=scale)
        hud = Hud(layout, ENTRIES[name], demo)
        for page in range(hud.pages):
            hud.show_page(page)
            shown = areas(layout)
            if page < hud.pages - 1:
                assert shown
            elif name != "playback":  # whose file belongs to the picture
                assert not shown
            for a, b in itertools.combinations(shown, 2):
                assert not overlap(a, b), (width, height, page, a, b)
            for left, right, bottom, top in shown:
                assert left >= 0.0 and right <= layout.width + 0.01, (width, height)
                assert top <= 0.0 and -bottom <= layout.height + 0.01, (width, height)
        hud.remove()
    drawn.close()


def test_help_lists_the_demos_controls() -> None:
    class Still(Demo):
        """Nothing to drag, to set or to solve."""

    class Handles(Still):
        def handles(self) -> list[Handle]:
            return [Handle(p3d.NodePath("ball"))]

    def names(kind: type[Demo]) -> dict[str, str]:
        stage = p3d.NodePath("stage")
        return dict(keys_of(kind(stage, stage, drawn=False), [("G", "go")]))

    assert names(Still)["Drag"] == "orbit"
    assert not {"X Y Z", "Tab", "B"} & names(Still).keys()
    assert names(Handles)["Drag"] == "handle or orbit"
    assert {"G", "X Y Z", "Tab", "R", "H", "F11", "Esc"} <= names(Handles).keys()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_browser_cards_are_readable_and_fit_the_width(width: int, height: int) -> None:
    scale = max(0.84, height / 720.0)
    room = width / scale - 80.0
    for count in (1, 5, 18, 40):
        columns, card = grid(count, room, height / scale - 140.0)
        assert card >= min(SMALLEST_CARD, room)
        assert columns * card + (columns - 1) * 22.0 <= room + 0.01


def test_browser_scrolls_to_the_selection(drawn: DemoApp) -> None:
    browser = Browser(drawn, [*ENTRIES.values()] * 3, lambda entry: None)
    browser.show()
    for _ in range(len(ENTRIES) * 3):
        frame = browser._frames[browser.selected]
        low, high = p3d.LPoint3(), p3d.LPoint3()
        assert browser._layout is not None
        frame.calc_tight_bounds(low, high, browser._layout.root)
        assert -high.z >= HEADER - 4.1
        assert -low.z <= browser._layout.height - 40.0
        browser.move(1)
    browser.hide()
