"""Dialogs of a clip: add a track, and export."""

from __future__ import annotations

from imgui_bundle import imgui

from ...clip import CHANNELS
from ..exporting import KINDS, free_path
from ..session import StudioSession
from .windows import Row, SearchList, centred, wrapped

FIRST = ("target", "target_rotation", "pole", "weight", "angle", "slide", "rotation")
"""Channels that are listed before all others."""
SIZES = ("1280x720", "1920x1080", "640x360", "720x720")


class TrackDialog:
    def __init__(self) -> None:
        self._list = SearchList()
        self._names: list[tuple[str, str]] = []

    def draw(self, session: StudioSession, fresh: bool) -> None:
        em = imgui.get_font_size()
        if fresh:
            self._names = _names(session)
        rows = [
            Row(
                f"{part}   {channel.replace('_', ' ')}",
                "has" if session.keying.has_track(part, channel) else "",
                CHANNELS[channel].about,
            )
            for part, channel in self._names
        ]
        title = "Key a channel at the playhead"
        with centred("track", title, 32 * em, 24 * em, session):
            chosen = self._list.draw(rows, "such as: hand weight", fresh=fresh)
        if chosen is not None:
            session.dialog = ""
            session.keying.track = None
            session.keying.key_channel(*self._names[chosen])


def _names(session: StudioSession) -> list[tuple[str, str]]:
    bindings = session.live.bindings()
    if bindings is None:
        return []
    found = [
        (part, channel)
        for part, channels in bindings.channels().items()
        for channel in channels
    ]
    kind, selected, _ = session.selection
    if kind == "joint":
        found += [(selected, "rotation"), (selected, "position")]

    def order(name: tuple[str, str]) -> tuple[bool, int, str]:
        part, channel = name
        rank = FIRST.index(channel) if channel in FIRST else len(FIRST)
        return part != selected, rank, part

    return sorted(dict.fromkeys(found), key=order)


class ExportDialog:
    def __init__(self) -> None:
        self.kind = "film"
        self.path = ""
        self.fps = 30.0
        self.size = SIZES[0]

    def draw(self, session: StudioSession, fresh: bool) -> None:
        em = imgui.get_font_size()
        if fresh:
            self._propose(session)
        with centred("export", "Export", 34 * em, 15 * em, session):
            for k, (word, how) in enumerate(KINDS.items()):
                if k:
                    imgui.same_line()
                if imgui.radio_button(how.name, self.kind == word):
                    self.kind = word
                    self._propose(session)
            imgui.text_disabled(KINDS[self.kind].about)
            imgui.set_next_item_width(-1)
            if fresh:
                imgui.set_keyboard_focus_here()
            flags = imgui.InputTextFlags_.enter_returns_true
            done, self.path = imgui.input_text("##path", self.path, flags)
            for word, how in KINDS.items():
                # the suffix of the typed path selects the file type
                if done and self.path.lower().endswith(how.endings):
                    self.kind = word
            imgui.set_next_item_width(6 * em)
            _, self.fps = imgui.drag_float(
                "frames a second", self.fps, 0.5, 1.0, 240.0, "%.0f"
            )
            if self.kind == "film":
                imgui.same_line()
                imgui.set_next_item_width(8 * em)
                k = SIZES.index(self.size)
                changed, k = imgui.combo("##size", k, list(SIZES))
                self.size = SIZES[k] if changed else self.size
            imgui.spacing()
            exports = session.exports
            if exports.current is not None:
                imgui.text(f"Working for {exports.current.seconds:.0f} s ...")
                imgui.same_line()
                if imgui.button("Cancel"):
                    exports.cancel()
            elif imgui.button("Export (Enter)") or done:
                exports.begin(self.kind, self.path, self.fps, self.size)
            last = session.log[-1] if session.log else None
            if last is not None and (last.kind == "error" or "Export" in last.text):
                tone = "bad" if last.kind == "error" else "good"
                wrapped(last.text[:400], tone)

    def _propose(self, session: StudioSession) -> None:
        clip = session.keying.clip
        name = (clip.name if clip else session.document.name).replace(" ", "_")
        ending = KINDS[self.kind].endings[0]
        name += "_joints" if self.kind == "joints" else ""
        self.path = str(free_path(session.exports.folder / f"{name}{ending}"))
        self.fps = 30.0 if self.kind == "film" else 60.0
