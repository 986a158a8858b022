"""The bottom panel: timeline, YAML, Python, history, log."""

from __future__ import annotations

import time

from imgui_bundle import imgui

from ...errors import IkrigError
from ..session import StudioSession
from .layout import Rect
from .style import CODE, ICONS, colour
from .timeline import Timeline
from .windows import panel, wrapped

TABS = ("Timeline", "YAML", "Python", "History", "Log")


class Bottom:
    def __init__(self) -> None:
        self.typed: str | None = None  # the text while it differs from the rig's
        self.error = ""
        self.timeline = Timeline()
        self._base = ""
        self._last_tab = ""

    def draw(self, session: StudioSession, rect: Rect) -> None:
        with panel("Bottom", rect):
            if not session.is_open or not imgui.begin_tab_bar("tabs"):
                return
            wanted = session.tab if session.tab != self._last_tab else ""
            for name in TABS:
                flags = imgui.TabItemFlags_.none
                if wanted == name:
                    flags = imgui.TabItemFlags_.set_selected
                label = name
                if name == "YAML" and (self.error or session.document.file.error):
                    label = f"{ICONS['warn']} YAML"
                shown, _ = imgui.begin_tab_item(f"{label}###{name}", None, flags)
                if shown:
                    if not wanted or wanted == name:
                        session.tab = self._last_tab = name
                    getattr(self, f"_{name.lower()}")(session)
                    imgui.end_tab_item()
            imgui.end_tab_bar()

    def draw_timeline(self, session: StudioSession, rect: Rect) -> None:
        with panel("Timeline", rect, scroll=False):
            document = session.document
            name = document.path.name if document.path else document.name
            count = len(document.skeleton.names)
            imgui.text(name)
            imgui.same_line()
            imgui.text_disabled(f"{count} joints   Space: play   F: frame   F11: alone")
            self._timeline(session)

    def _timeline(self, session: StudioSession) -> None:
        self.timeline.draw(session)

    def _yaml(self, session: StudioSession) -> None:
        document = session.document
        text = document.text
        if text != self._base and self.typed is None:
            self._base = text
        problem = self.error or document.file.error or session.live.problem
        line = imgui.get_text_line_height_with_spacing()
        room = imgui.get_content_region_avail()
        lower = 1.3 * imgui.get_frame_height() if self.typed is not None else 0.0
        lower += line * min(3, problem.count("\n") + 1) if problem else 0.0
        shown = self.typed if self.typed is not None else text
        with_code()
        size = imgui.ImVec2(-1, max(line * 2, room.y - lower - 4))
        changed, new = imgui.input_text_multiline("##yaml", shown, size)
        imgui.pop_font()
        if changed:
            self.typed = new if new != text else None
            self.error = ""
        apply = imgui.is_item_focused() and imgui.is_key_chord_pressed(
            imgui.Key.mod_ctrl | imgui.Key.enter
        )
        if self.typed is not None:
            if imgui.button("Apply (Ctrl+Enter)") or apply:
                try:
                    session.report(document.edit_text(self.typed))
                    self.typed, self.error = None, ""
                except IkrigError as error:
                    self.error = str(error)
            imgui.same_line()
            if imgui.button("Discard"):
                self.typed, self.error = None, ""
        if problem:
            imgui.text_colored(colour("bad"), "\n".join(problem.splitlines()[:3]))

    def _python(self, session: StudioSession) -> None:
        if imgui.button(f"{ICONS['copy']} Copy Python"):
            session.copy_python()
        with_code()
        flags = imgui.InputTextFlags_.read_only
        size = imgui.ImVec2(-1, -1)
        imgui.input_text_multiline("##python", session.document.python, size, flags)
        imgui.pop_font()

    @staticmethod
    def _history(session: StudioSession) -> None:
        history = session.document.history
        imgui.begin_child("steps")
        clipper = imgui.ListClipper()
        clipper.begin(len(history.steps))
        while clipper.step():
            for k in range(clipper.display_start, clipper.display_end):
                step = history.steps[k]
                if k > history.index:
                    imgui.push_style_color(imgui.Col_.text, colour("dim"))
                clicked = imgui.selectable(f"{step.name}##{k}", k == history.index)[0]
                if k > history.index:
                    imgui.pop_style_color()
                if clicked:
                    session.document.go_to(k)
        clipper.end()
        imgui.end_child()

    @staticmethod
    def _log(session: StudioSession) -> None:
        imgui.begin_child("lines")
        for line in session.log:
            when = time.strftime("%H:%M:%S", time.localtime(line.when))
            imgui.text_disabled(when)
            imgui.same_line()
            tone = "bad" if line.kind == "error" else "text"
            wrapped(line.text, tone)
        if imgui.get_scroll_y() >= imgui.get_scroll_max_y() - 1:
            imgui.set_scroll_here_y(1.0)
        imgui.end_child()


def with_code() -> None:
    imgui.push_font(CODE[0] if CODE else None, imgui.get_style().font_size_base)
