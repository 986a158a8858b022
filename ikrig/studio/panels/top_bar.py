"""The bar at the top: menus, undo, weight of all, status of the rig."""

from __future__ import annotations

from imgui_bundle import imgui

from ..actions import MODES
from ..document.changing import set_weights
from ..session import StudioSession
from .layout import Rect
from .style import ICONS, STATUS, colour
from .windows import button_width, clipped, menu_items, panel, tip

MENUS = ("File", "Edit", "Rig", "Clip", "View")
TOOLS = ("undo", "redo", "save")
MODE_WIDTH = 6.5  # width of the list of modes [width of a letter]


def draw_top_bar(session: StudioSession, rect: Rect, cost: str) -> None:
    with panel("Top", rect, scroll=False):
        em = imgui.get_font_size()
        room = rect.width - sum(button_width(ICONS[name]) for name in TOOLS) - 12 * em
        room -= sum(map(button_width, MENUS))
        # with large text, a row of buttons becomes a menu
        modes_fit = sum(map(button_width, MODES)) < room
        _menus(session, folded=not modes_fit and room < MODE_WIDTH * em)
        if not session.is_open:
            return
        imgui.same_line(0, 14)
        for name in TOOLS:
            action = next(a for a in session.actions if a.name.lower() == name)
            imgui.begin_disabled(not action.enabled())
            if imgui.button(ICONS[name]):
                session.attempt(action.run)
            imgui.end_disabled()
            tip(f"{action.name} ({action.keys})")
            imgui.same_line()
        imgui.same_line(0, 14)
        _modes(session, folded=not modes_fit)
        _weight(session)
        _status(session, rect, cost)


def _menus(session: StudioSession, *, folded: bool) -> None:
    for menu in (ICONS["menu"],) if folded else MENUS:
        if imgui.button(menu):
            imgui.open_popup(menu)
        low = imgui.get_item_rect_min()
        high = imgui.get_item_rect_max()
        imgui.set_next_window_pos(imgui.ImVec2(low.x, high.y + 2))
        if imgui.begin_popup(menu):
            if not folded:
                menu_items(session, menu)
            for name in MENUS if folded else ():
                if imgui.begin_menu(name):
                    menu_items(session, name)
                    imgui.end_menu()
            imgui.end_popup()
        imgui.same_line()


def _modes(session: StudioSession, *, folded: bool) -> None:
    if folded:
        imgui.set_next_item_width(MODE_WIDTH * imgui.get_font_size())
        names = list(MODES)
        changed, k = imgui.combo("##mode", names.index(session.mode), names)
        if changed:
            session.set_mode(names[k])
        tip(MODES[session.mode])
        imgui.same_line(0, 14)
        return
    for k, (mode, about) in enumerate(MODES.items(), 1):
        lit = session.mode == mode
        if lit:
            imgui.push_style_color(imgui.Col_.button, colour("accent_dim"))
        if imgui.button(mode):
            session.set_mode(mode)
        if lit:
            imgui.pop_style_color()
        tip(f"{about} ({k})")
        imgui.same_line(0, 2)
    imgui.same_line(0, 14)


def _weight(session: StudioSession) -> None:
    document = session.document
    values = [
        0.0 if entry.values.get("dormant") else entry.values.get("weight", 1.0)
        for section in ("chains", "trees")
        for entry in document.parts.parts(section).values()
    ]
    if not values:
        return
    imgui.set_next_item_width(imgui.get_font_size() * 6)
    mean = sum(values) / len(values)
    changed, new = imgui.slider_float("IK", mean, 0.0, 1.0, "%.2f")
    if changed:
        session.do(set_weights, round(new, 3), merge="weights")
    tip("Weight of all chains and trees")


def _status(session: StudioSession, rect: Rect, cost: str) -> None:
    document = session.document
    states = [s for s in session.live.statuses() if s.section in ("chains", "trees")]
    resting = [s for s in states if s.word == "off"]
    states = [s for s in states if s.word != "off"]
    good = sum(STATUS.get(s.word) == "good" for s in states)
    name = document.path.name if document.path else f"{document.name} (not saved)"
    words = [(f"{name}{' *' if document.unsaved and document.path else ''}", "text")]
    if document.file.owners:
        words.append((f"{ICONS['warn']} open elsewhere", "warn"))
    if states:
        tone = "good" if good == len(states) else "warn"
        words.append((f"{ICONS[tone]} {good} of {len(states)} reached", tone))
    elif resting:
        words.append((f"{ICONS['off']} {len(resting)} as animated", "dim"))
    words.append((cost, "dim"))
    gap = imgui.get_font_size()
    imgui.same_line()
    room = rect.width - imgui.get_cursor_pos_x() - 10
    if room < 4 * gap:
        return
    while True:
        width = sum(imgui.calc_text_size(text).x + gap for text, _ in words)
        if width <= room:
            break
        # the least important item is dropped first
        if len(words) > 1:
            words.pop()
        else:
            words = [(clipped(words[0][0], room - gap), "text")]
    imgui.set_cursor_pos_x(rect.width - width - 4)
    for text, tone in words:
        imgui.align_text_to_frame_padding()
        imgui.text_colored(colour(tone), text)
        if "elsewhere" in text:
            tip("\n".join(document.file.owners))
        imgui.same_line(0, gap)
