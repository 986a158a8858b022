"""The timeline: playback, and the keys of the edited clip."""

from __future__ import annotations

import numpy as np
from imgui_bundle import ImVec2, imgui

from ...clip import Clip, Track
from ...clip.editing import KeyName, sampled
from ..keying import GRID
from ..session import StudioSession
from .key_panel import draw_keys
from .style import colour, packed
from .transport import draw_transport
from .windows import clipped, wrapped

NEAR = 7.0  # maximum distance of a press from a key [pixel at scale 1]
LEAST_LANES = 6.0  # minimum height of ruler and lanes [height of a letter]
Points = list[ImVec2 | tuple[int | float, int | float] | list[int | float]]
AXES = ("bad", "good", "accent", "dim")
TINTS = {"target": "accent", "pole": "in_chain", "weight": "good"}


class Timeline:
    def __init__(self) -> None:
        self.spots: dict[KeyName, tuple[float, float]] = {}
        self.span: tuple[float, float] | None = None  # the visible times [s]; None: all
        self._drag = ""
        self._base: tuple[Clip, set[KeyName], float] | None = None
        self._corner = (0.0, 0.0)
        self._ends = (0.0, 1.0)

    def draw(self, session: StudioSession) -> None:
        draw_transport(session)
        clip = session.keying.clip
        self.spots = {}
        if clip is None:
            self._animation(session)
        else:
            self._clip(session, clip)

    def _animation(self, session: StudioSession) -> None:
        play = session.live.playback
        if not play.names:
            imgui.text_disabled(
                "This model has no animations: it keeps the pose of its file."
            )
            return
        if not play.name:
            return
        imgui.set_next_item_width(-1)
        text = f"%.2f of {play.duration:.2f} s"
        changed, new = imgui.slider_float("##time", play.time, 0.0, play.duration, text)
        if changed:
            play.playing = False
            play.seek(new)
        corner = imgui.get_cursor_screen_pos()
        width = imgui.get_content_region_avail().x
        self._ends, self.span = (corner.x, corner.x + width), None
        self._ruler(play.duration, play.time, corner.y, 0.0)
        imgui.dummy(ImVec2(width, 2 * imgui.get_font_size()))

    def _clip(self, session: StudioSession, clip: Clip) -> None:
        em = imgui.get_font_size()
        room = imgui.get_content_region_avail()
        panel = 17.0 * em if session.keying.chosen and room.x > 34 * em else 0.0
        # if the buttons leave no space, the panel scrolls
        size = ImVec2(room.x - panel, max(room.y, LEAST_LANES * em))
        flags = (
            imgui.WindowFlags_.no_scrollbar | imgui.WindowFlags_.no_scroll_with_mouse
        )
        imgui.begin_child("lanes", size, 0, flags)
        corner = imgui.get_cursor_screen_pos()
        width = imgui.get_content_region_avail().x
        left = corner.x + min(11.0 * em, 0.35 * width)
        right = corner.x + width - imgui.get_style().scrollbar_size - 0.8 * em
        self._ends = (left, max(right, left + 10.0))
        high = 1.5 * em
        imgui.set_cursor_screen_pos(ImVec2(left - 6, corner.y))
        imgui.invisible_button("ruler", ImVec2(right - left + 12, high))
        if imgui.is_item_active():
            session.keying.go(self._second(imgui.get_mouse_pos().x, clip))
        self._zoom(clip)
        self._ruler(clip.duration, session.keying.time, corner.y, high)
        imgui.set_cursor_screen_pos(ImVec2(corner.x, corner.y + high))
        imgui.begin_child("rows")
        for track in clip.tracks:
            self._row(session, clip, track)
        if not clip.tracks:
            imgui.dummy(ImVec2(0, 4))
            wrapped(
                "No keys yet. Drag a target: it gets a key at the playhead. Then drag "
                "the playhead to another second, and the target again."
            )
        self._finish_drag(session, clip)
        now = self._x(session.keying.time, clip)
        if self._ends[0] - 1 <= now <= self._ends[1] + 1:
            low = imgui.get_window_pos()
            end = ImVec2(now, low.y + imgui.get_window_height())
            lines = imgui.get_window_draw_list()
            lines.add_line(ImVec2(now, low.y), end, packed("text", 0.8), 1.5)
        imgui.end_child()
        imgui.end_child()
        if panel:
            imgui.same_line()
            imgui.begin_child("key", ImVec2(0, size.y))
            draw_keys(session)
            imgui.end_child()

    def _x(self, time: float, clip: Clip | None = None) -> float:
        a, b = self.span or (0.0, clip.duration if clip else 1.0)
        left, right = self._ends
        return left + (time - a) / max(b - a, 1e-9) * (right - left)

    def _second(self, x: float, clip: Clip) -> float:
        a, b = self.span or (0.0, clip.duration)
        left, right = self._ends
        time = a + (x - left) / (right - left) * (b - a)
        return round(min(max(time, 0.0), clip.duration), 2)

    def _zoom(self, clip: Clip) -> None:
        io = imgui.get_io()
        hovered = imgui.is_window_hovered(imgui.HoveredFlags_.child_windows)
        if not (io.key_ctrl and io.mouse_wheel and hovered):
            return
        a, b = self.span or (0.0, clip.duration)
        at = self._second(io.mouse_pos.x, clip)
        factor = 0.8**io.mouse_wheel
        a, b = at + (a - at) * factor, at + (b - at) * factor
        a, b = max(a, 0.0), min(b, clip.duration)
        whole = b - a > 0.98 * clip.duration
        self.span = None if whole or b - a < 0.05 else (a, b)

    def _ruler(self, duration: float, now: float, top: float, high: float) -> None:
        lines, em = imgui.get_window_draw_list(), imgui.get_font_size()
        left, right = self._ends
        a, b = self.span or (0.0, duration)
        steps = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
        room = (right - left) / max(b - a, 1e-9)
        step = next((s for s in steps if s * room >= 4.0 * em), duration or 1.0)
        k = int(a / step)
        while k * step <= b + 1e-9:
            x = left + (k * step - a) * room
            if x >= left - 1:
                end = ImVec2(x, top + 5)
                lines.add_line(ImVec2(x, top), end, packed("dim"))
                text = f"{k * step:.4g}"
                wide = imgui.calc_text_size(text).x
                position = ImVec2(min(x + 3, right - wide + 6), top + 4)
                lines.add_text(position, packed("dim"), text)
            k += 1
        x = left + (now - a) * room
        if left - 1 <= x <= right + 1:
            tip_of = [(x - 5, top), (x + 5, top), (x + 5, top + 7), (x, top + 12)]
            points: Points = [ImVec2(*p) for p in (*tip_of, (x - 5, top + 7))]
            lines.add_convex_poly_filled(points, packed("text"))
            if high:
                text = f"{now:.2f}"
                wide = imgui.calc_text_size(text).x
                at = x + 8 if x + 12 + wide < right else x - wide - 8
                low = ImVec2(at - 3, top)
                lines.add_rect_filled(
                    low, ImVec2(at + wide + 3, top + em), packed("hover"), 3.0
                )
                lines.add_text(ImVec2(at, top), packed("text"), text)

    def _row(self, session: StudioSession, clip: Clip, track: Track) -> None:
        keys, em = session.keying, imgui.get_font_size()
        name = track.address
        chosen = keys.track == name
        high = (3.0 if chosen else 1.45) * em
        corner = imgui.get_cursor_screen_pos()
        left, right = self._ends
        lines = imgui.get_window_draw_list()
        wrong = session.live.playback.unfit.get(name, "")
        low = ImVec2(left - 6, corner.y)
        end = ImVec2(right + 6, corner.y + high - 2)
        lines.add_rect_filled(low, end, packed("field", 0.9 if chosen else 0.45), 3.0)
        imgui.push_id(f"{track.part}/{track.channel}")
        text = clipped(
            f"{track.part}  {track.channel.replace('_', ' ')}", left - corner.x - em
        )
        imgui.push_style_color(imgui.Col_.text, colour("warn" if wrong else "text"))
        size = ImVec2(left - corner.x - 10, 1.45 * em - 4)
        if imgui.selectable(f"{text}##name", chosen, 0, size)[0]:
            keys.choose_track(*name)
        imgui.pop_style_color()
        if imgui.is_item_hovered():
            about = track.kind.about
            imgui.set_tooltip(wrong or f"{track.part}: {about}")
        self._track_menu(session, track)
        imgui.set_cursor_screen_pos(ImVec2(left - 6, corner.y))
        imgui.set_next_item_allow_overlap()
        imgui.invisible_button("lane", ImVec2(right - left + 12, high - 2))
        hovered = imgui.is_item_hovered()
        lines.push_clip_rect(low, ImVec2(end.x, end.y), True)
        self._curve(clip, track, corner.y, high, strong=chosen)
        self._draw_keys(session, clip, track, corner.y + 0.5 * high - 1, hovered)
        lines.pop_clip_rect()
        if imgui.is_item_activated():
            self._press(session, clip, track)
        if hovered and imgui.is_mouse_double_clicked(0) and not self._under(track):
            time = self._second(imgui.get_mouse_pos().x, clip)
            if track.path is None:
                keys.go(time)
                keys.set_key(*name, clip.with_changes(wrap="once").sample(time)[name])
        imgui.pop_id()
        imgui.set_cursor_screen_pos(ImVec2(corner.x, corner.y + high))
        imgui.dummy(ImVec2(0, 0))

    def _track_menu(self, session: StudioSession, track: Track) -> None:
        if not imgui.begin_popup_context_item("track"):
            return
        keys = session.keying
        if imgui.menu_item("Select its keys", "", False)[0]:
            keys.choose_track(*track.address)
        if imgui.menu_item("Key it here", "K", False, track.path is None)[0]:
            keys.track, keys.chosen = track.address, set()
            keys.key_now()
        if imgui.menu_item("Remove track", "", False)[0]:
            keys.remove_track(*track.address)
        imgui.end_popup()

    def _curve(
        self, clip: Clip, track: Track, top: float, high: float, *, strong: bool
    ) -> None:
        times, values = sampled(clip)
        curves = values[track.address]
        spread = float(np.ptp(curves, axis=0).max())
        if spread < 1e-9:
            return
        middle = 0.5 * (curves.max(0) + curves.min(0))
        y = top + 0.5 * high - (curves - middle) / spread * (high - 9.0)
        x = np.array([self._x(float(t), clip) for t in times])
        lines = imgui.get_window_draw_list()
        single = TINTS.get(track.channel, "accent")
        for k in range(curves.shape[1]):
            points: Points = [ImVec2(*p) for p in np.stack((x, y[:, k]), 1).tolist()]
            tone = single if curves.shape[1] == 1 else AXES[k % 4]
            lines.add_polyline(points, packed(tone, 0.8 if strong else 0.35), 0, 1.2)

    def _draw_keys(
        self, session: StudioSession, clip: Clip, track: Track, y: float, hovered: bool
    ) -> None:
        lines = imgui.get_window_draw_list()
        size = 0.34 * imgui.get_font_size()
        chosen = session.keying.chosen
        under = self._under(track) if hovered else None
        left, right = self._ends
        for time in track.keys:
            key = KeyName(*track.address, time)
            x = self._x(time, clip)
            if not left - 6 <= x <= right + 6:
                continue
            self.spots[key] = (x, y)
            grown = size * (1.35 if key == under or key in chosen else 1.0)
            tone = "lit" if key in chosen else TINTS.get(track.channel, "accent")
            _diamond(lines, x, y, grown + 1.5, packed("back"))
            _diamond(lines, x, y, grown, packed(tone))
        if track.path is not None:
            text = "follows a path: edit it in the clip's file"
            lines.add_text(ImVec2(left, y - 8), packed("dim"), text)

    def _under(self, track: Track) -> KeyName | None:
        mouse = imgui.get_mouse_pos()
        near = NEAR * imgui.get_style().font_scale_main
        found = None
        for key, (x, _) in self.spots.items():
            if key[:2] == track.address and abs(x - mouse.x) <= near:
                near, found = abs(x - mouse.x), key
        return found

    def _press(self, session: StudioSession, clip: Clip, track: Track) -> None:
        keys, io = session.keying, imgui.get_io()
        self._corner = (io.mouse_pos.x, io.mouse_pos.y)
        key = self._under(track)
        if key is None:
            self._drag = "box"
            if not io.key_shift:
                keys.chosen = set()
            keys.track = track.address
            return
        if io.key_shift or io.key_ctrl:
            keys.choose(key, add=True)
        elif key not in keys.chosen:
            keys.choose(key)
        else:
            keys.track = key[:2]
        self._drag = "keys"
        self._base = (clip, set(keys.chosen), key.time)

    def _finish_drag(self, session: StudioSession, clip: Clip) -> None:
        if not self._drag:
            return
        keys, io = session.keying, imgui.get_io()
        mouse = (io.mouse_pos.x, io.mouse_pos.y)
        far = max(abs(a - b) for a, b in zip(mouse, self._corner, strict=True)) > 3.0
        if self._drag == "keys" and self._base is not None and far:
            base, chosen, grip = self._base
            by = self._x_seconds(mouse[0] - self._corner[0], base)
            grid = 0.001 if io.key_alt else GRID
            to = round(round((grip + by) / grid) * grid, 4)
            keys.move(chosen, to - grip, start=base)
        elif self._drag == "box" and far:
            a, b = (ImVec2(*map(f, mouse, self._corner)) for f in (min, max))
            lines = imgui.get_window_draw_list()
            lines.add_rect_filled(a, b, packed("accent", 0.15))
            lines.add_rect(a, b, packed("accent"))
            keys.chosen = {
                key
                for key, (x, y) in self.spots.items()
                if a.x <= x <= b.x and a.y <= y <= b.y
            }
        if not io.mouse_down[0]:
            if self._drag == "keys":
                session.document.end_drag()
            self._drag, self._base = "", None

    def _x_seconds(self, pixels: float, clip: Clip) -> float:
        a, b = self.span or (0.0, clip.duration)
        left, right = self._ends
        return pixels / (right - left) * (b - a)


def _diamond(
    lines: imgui.ImDrawList, x: float, y: float, size: float, tone: int
) -> None:
    points = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)]
    lines.add_convex_poly_filled([ImVec2(*p) for p in points], tone)
