"""Widgets for the values of a rig file: one for each shape of value."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import degrees, inf, isfinite, pi, radians

from imgui_bundle import imgui

from ...errors import RigFileError
from ...formats.schema import read_value
from ...formats.yaml_reader import YamlFile
from ...formats.yaml_writer import value_text
from ...records import Field
from ...value_shapes import LETTERS, Axis, Bounds, Flag, Name, Number, Value
from ..document.changing import reset, set_value
from ..document.edited_rig import MOVERS
from ..session import StudioSession
from .style import ICONS, colour
from .windows import chosen_of

DEGREES = "%.1f°"
WIDE = 8.0  # width of three numbers in a row [width of a letter]


def edit_field(
    session: StudioSession, path: Sequence[str], field: Field, live: object = None
) -> None:
    """Draw a value with its name; it can be dragged, typed, chosen and reset.

    ``live`` is its value in the scene, if the file has none.
    """
    document = session.document
    written = document.rig.value(path)
    now = live if written is None else written
    key = path[-1]
    controlled = path[-3] in (*MOVERS, "effectors")
    keyed = controlled and session.keying.has_track(path[-2], key)
    now = live if keyed and live is not None else now
    mark = f"{ICONS['key']} " if keyed else ""
    label_cell(mark + key.replace("_", " "), field.about, written is not None)
    imgui.push_id("/".join(path))
    back = imgui.get_frame_height() if written is not None else 0.0
    back = back if not field.required else 0.0
    imgui.set_next_item_width(-1.0 - (back + 4.0 if back else 0.0))
    if isinstance(field.shape, Name):
        names = _names(session, path, field.shape.joint)
        new = chosen_of("##name", names, str(now or ""))
        changed = new is not None
    else:
        changed, new = value_widget(now, field)
    if changed and new is not None:
        keying, name = session.keying, (path[-2], key)
        if keyed:
            # a value with a track is changed by a key
            keying.set_key(*name, new, f"key {name}")
        else:
            session.do(set_value, path, new, merge="/".join(path))
    if back:
        imgui.same_line(0, 4)
        if imgui.button(ICONS["reset"], imgui.ImVec2(back, 0)):
            session.do(reset, path)
        imgui.set_item_tooltip("Back to the default")
    imgui.pop_id()


def _names(session: StudioSession, path: Sequence[str], joint: bool) -> list[str]:
    """Return what a value may name: joints, or nodes; no entry names itself."""
    rig = session.document.rig
    if "limits" in path:
        return [j for j in rig.turning(tuple(path[:2])) if j != path[-2]]
    names = rig.skeleton.names if joint else rig.section("nodes")
    return [name for name in names if name != path[1]]


def live_value(part: object, key: str) -> object:
    """Return the current setting of a part, in the form of a rig file, or None."""
    now = getattr(part, key, None)
    if isinstance(now, Enum):
        return now.name.lower()
    return now if isinstance(now, (bool, int, float, str, tuple)) else None


def label_cell(text: str, about: str = "", strong: bool = True) -> None:
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    imgui.text_colored(colour("text" if strong else "dim"), text)
    if about and imgui.is_item_hovered():
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(imgui.get_font_size() * 18)
        imgui.text(about)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()
    imgui.table_next_column()


def value_widget(now: Value, field: Field) -> tuple[bool, Value]:
    """Draw a widget for a value; return whether it was changed, and the new value."""
    shape = field.shape
    choices = getattr(shape, "choices", None)
    if choices:
        words = list(choices)
        index = words.index(now) if now in words else -1
        changed, index = imgui.combo("##value", index, words)
        return changed, words[index] if changed else None
    if isinstance(shape, Flag):
        changed, checked = imgui.checkbox("##value", bool(now))
        return changed, checked
    if isinstance(shape, Number) and (now is None or isinstance(now, (int, float))):
        return _number(now, field, shape)
    if isinstance(shape, Bounds):
        return _range(now, in_degrees=field.degrees)
    if isinstance(shape, Axis):
        return _axis(now)
    if isinstance(now, tuple) and len(now) == 3 and all(_finite(x) for x in now):
        return _vector(now, in_degrees=field.degrees)
    return _text(now, field)


def _vector(
    now: tuple[float, ...], *, in_degrees: bool
) -> tuple[bool, tuple[float, ...]]:
    shown = [degrees(x) if in_degrees else x for x in now]
    form, speed = DEGREES, 0.5
    if not in_degrees:
        form, speed = "%.3f", 0.005 * max(0.01, *(abs(x) for x in now))
    width = imgui.calc_item_width()
    if width >= WIDE * imgui.get_font_size():
        changed, new = imgui.drag_float3("##value", shown, speed, format=form)
    else:
        imgui.begin_group()
        new, changed = [], False
        for k, x in enumerate(shown):
            imgui.set_next_item_width(width)
            dragged, x = imgui.drag_float(f"##{k}", x, speed, format=form)
            changed |= dragged
            new.append(x)
        imgui.end_group()
    return changed, tuple(
        radians(round(x, 2)) if in_degrees else round(x, 6) for x in new
    )


def _number(now: Value, field: Field, shape: Number) -> tuple[bool, Value]:
    if shape.whole:
        most = int(min(shape.most, 100_000))
        count = int(now or shape.least)
        turned, whole = imgui.drag_int("##value", count, 0.2, int(shape.least), most)
        return turned, whole if turned else None
    low, high = float(max(shape.least, -1e6)), float(min(shape.most, 1e6))
    if now is None:
        # a missing value can't be dragged: a click sets one
        if imgui.button("not set", imgui.ImVec2(imgui.calc_item_width(), 0)):
            return True, low if shape.least > -1e6 and not shape.above else 1.0
        return False, None
    if field.degrees:
        shown = degrees(now) if isfinite(now) else now
        changed, new = imgui.drag_float("##value", shown, 0.5, 0.0, 0.0, DEGREES)
        return changed, radians(round(new, 3)) if changed else None
    if (low, high) == (0.0, 1.0) or high == 0.99:
        changed, new = imgui.slider_float("##value", now, low, high, "%.3f")
    else:
        speed = max(abs(now), 0.01) * 0.01
        flags = imgui.SliderFlags_.none
        changed, new = imgui.drag_float("##value", now, speed, low, high, "%.4g", flags)
    return changed, float(f"{min(max(new, low), high):.6g}") if changed else None


def _text(now: object, field: Field) -> tuple[bool, object]:
    if field.degrees and isinstance(now, tuple):
        # a hundredth of a degree is the last digit
        now = tuple(radians(round(degrees(x), 2)) if _finite(x) else x for x in now)
    text = "" if now is None else value_text(now, in_degrees=field.degrees)
    flags = imgui.InputTextFlags_.enter_returns_true
    done, new = imgui.input_text("##value", text, flags)
    if not done or not new.strip():
        return False, None
    try:
        file = YamlFile("value.yaml", RigFileError, f"value: {new}\n")
        assert file.root is not None
        ((_, node),) = file.root.content
        found = read_value(file, node, field, "value")
        file.check()
    except (RigFileError, ValueError):
        return False, None
    return True, found


def _finite(value: object) -> bool:
    return isinstance(value, float) and isfinite(value)


def _axis(now: Value) -> tuple[bool, Value]:
    width, chosen = imgui.calc_item_width(), None
    imgui.begin_group()
    for letter in LETTERS:
        if imgui.radio_button(letter, now == letter):
            chosen = letter
        imgui.same_line()
    imgui.new_line()
    imgui.set_next_item_width(width)
    vector = list(LETTERS.get(now) or now or (0.0, 0.0, 0.0))
    changed, new = imgui.drag_float3("##value", vector, 0.01, -1.0, 1.0, "%.2f")
    imgui.end_group()
    if changed and any(abs(x) > 1e-3 for x in new):
        return True, tuple(round(x, 4) for x in new)
    return chosen is not None, chosen


def _range(now: Value, *, in_degrees: bool) -> tuple[bool, Value]:
    """Draw a lower and an upper limit; infinite ones can be dragged back."""
    low, high = now or ((-pi, pi) if in_degrees else (-inf, inf))
    shown = [degrees(x) if in_degrees and isfinite(x) else x for x in (low, high)]
    shown = [max(-360.0, min(360.0, x)) if in_degrees else x for x in shown]
    form = DEGREES if in_degrees else "%.3f"
    # the space before its empty label is not counted in its width
    gap = imgui.get_style().item_inner_spacing.x
    imgui.set_next_item_width(imgui.calc_item_width() - gap)
    changed, a, b = imgui.drag_float_range2(
        "##range", shown[0], shown[1], 0.5, -360.0, 360.0, form, form
    )
    if not changed:
        return False, None
    back = [radians(round(x, 2)) if in_degrees else round(x, 6) for x in (a, b)]
    kept = [
        old if old in (inf, -inf) and new == was else new
        for old, new, was in zip((low, high), back, shown, strict=True)
    ]
    return True, (min(kept), max(kept))
