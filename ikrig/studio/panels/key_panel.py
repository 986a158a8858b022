"""The panel of the selected keys: their time, value and curve."""

from __future__ import annotations

from imgui_bundle import ImVec2, imgui

from ...clip import Key, Track
from ...clip.curves import CURVES, EASES, Curve
from ...clip.editing import KeyName, angles_of
from ..session import StudioSession
from .fields import value_widget
from .style import ICONS, packed
from .windows import chosen_of, tip

OWN = "own Bezier"
AS_TRACK = "as its track"


def draw_keys(session: StudioSession) -> None:
    keys = session.keying
    chosen = sorted(keys.chosen)
    first = chosen[0]
    track = keys.find_track(first.part, first.channel)
    if track is None or first.time not in track.keys:
        return
    key = track.keys[first.time]
    if len(chosen) > 1:
        imgui.text(f"{len(chosen)} keys")
    else:
        _time(session, first)
        _value(session, track, first, key)
    _curve(session, track, key)
    if imgui.button(f"{ICONS['trash']} Delete"):
        keys.delete()
    tip("Delete the selected keys (Del)")


def _time(session: StudioSession, name: KeyName) -> None:
    imgui.set_next_item_width(5 * imgui.get_font_size())
    changed, new = imgui.drag_float("##at", name.time, 0.01, 0.0, 3600.0, "%.3f s")
    if changed:
        keys = session.keying
        keys.move({name}, new - name.time, start=keys.clip)
    tip("When")
    imgui.same_line()
    imgui.text_disabled(name.channel.replace("_", " "))


def _value(session: StudioSession, track: Track, name: KeyName, key: Key) -> None:
    # of rotations the last field is that of angles
    *_, field = track.kind.fields.values()
    turns = track.kind.kind == "rotation"
    imgui.set_next_item_width(-1)
    changed, new = value_widget(angles_of(key.value) if turns else key.value, field)
    if changed and new is not None:
        session.keying.set_value(name, new)
    about = field.about.rstrip(".")
    tip(f"{about}. Double-click or Ctrl+click to type.")


def _curve(session: StudioSession, track: Track, key: Key) -> None:
    keys = session.keying
    now = key.then if key.then is not None else track.curve
    word = now if isinstance(now, str) else OWN
    word = AS_TRACK if key.then is None else word
    imgui.set_next_item_width(-1)
    curves: dict[str, Curve | None] = {name.replace("_", " "): name for name in CURVES}
    curves = {AS_TRACK: None, **curves, OWN: _numbers(now)}
    name = chosen_of("##curve", curves, word.replace("_", " "))
    if name:
        keys.set_curve(curves[name])
    tip("The curve to the next key (C: the next one)")
    if now not in ("step", "cubic"):
        _ease_box(session, _numbers(now))


def _numbers(curve: Curve) -> tuple[float, ...]:
    if isinstance(curve, str):
        return EASES.get(curve, (0.33, 0.33, 0.67, 0.67))
    return tuple(curve)


def _ease_box(session: StudioSession, numbers: tuple[float, ...]) -> None:
    x1, y1, x2, y2 = numbers
    em = imgui.get_font_size()
    side = min(6.5 * em, max(3.5 * em, imgui.get_content_region_avail().y - 2.2 * em))
    corner = imgui.get_cursor_screen_pos()
    lines = imgui.get_window_draw_list()
    high = ImVec2(corner.x + side, corner.y + side)
    lines.add_rect_filled(corner, high, packed("field"), 4.0)
    # values may overshoot both keys: the box shows -0.25 to 1.25
    margin = side / 6.0

    def at(x: float, y: float) -> tuple[float, float]:
        return corner.x + x * side, corner.y + side - margin - y * (side - 2 * margin)

    points = [at(0, 0), at(x1, y1), at(x2, y2), at(1, 1)]
    spots = [ImVec2(*p) for p in points]
    a, b, c, d = spots
    lines.add_bezier_cubic(a, b, c, d, packed("accent"), 2.0)
    new: list[float] | None = None
    for k in (1, 2):
        end = spots[0 if k == 1 else 3]
        lines.add_line(end, spots[k], packed("lit", 0.7), 1.5)
        lines.add_circle_filled(spots[k], 0.32 * em, packed("lit"))
        imgui.set_cursor_screen_pos(ImVec2(spots[k].x - 8, spots[k].y - 8))
        imgui.invisible_button(f"tangent{k}", ImVec2(16, 16))
        if imgui.is_item_active() and imgui.is_mouse_dragging(0, 1.0):
            mouse = imgui.get_mouse_pos()
            x = min(max((mouse.x - corner.x) / side, 0.0), 1.0)
            y = (corner.y + side - margin - mouse.y) / (side - 2 * margin)
            y = min(max(y, -2.0), 3.0)
            new = [x1, y1, x2, y2]
            new[2 * k - 2 : 2 * k] = [round(x, 2), round(y, 2)]
        tip(
            "Drag: how the motion leaves this key" if k == 1 else "Drag: how it arrives"
        )
    imgui.set_cursor_screen_pos(ImVec2(corner.x + side + 6, corner.y))
    imgui.begin_group()
    wide = imgui.get_content_region_avail().x
    for k, text in ((0, "x1"), (1, "y1"), (2, "x2"), (3, "y2")):
        imgui.set_next_item_width(wide - 1.6 * em)
        low, most = (0.0, 1.0) if k % 2 == 0 else (-2.0, 3.0)
        changed, one = imgui.drag_float(text, numbers[k], 0.01, low, most, "%.2f")
        if changed:
            new = list(numbers)
            new[k] = round(min(max(one, low), most), 3)
        if (k + 1) * (imgui.get_frame_height() + 4) > side:
            break
    imgui.end_group()
    bottom = max(corner.y + side, imgui.get_item_rect_max().y) + 4
    imgui.set_cursor_screen_pos(ImVec2(corner.x, bottom))
    if new is not None:
        keys = session.keying
        keys.set_curve(tuple(new), "curve")
