"""Colours, fonts and sizes of the studio."""

from __future__ import annotations

from pathlib import Path

import imgui_bundle
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as icons

Rgba = tuple[float, float, float, float]

COLOURS: dict[str, Rgba] = {
    "back": (0.086, 0.094, 0.110, 1.0),
    "panel": (0.115, 0.125, 0.147, 1.0),
    "field": (0.165, 0.180, 0.210, 1.0),
    "hover": (0.220, 0.245, 0.290, 1.0),
    "line": (0.200, 0.215, 0.250, 1.0),
    "text": (0.900, 0.915, 0.940, 1.0),
    "dim": (0.560, 0.590, 0.640, 1.0),
    "accent": (0.250, 0.560, 0.960, 1.0),
    "accent_dim": (0.180, 0.340, 0.560, 1.0),
    "joint": (0.860, 0.890, 0.940, 0.75),
    "in_chain": (0.330, 0.850, 0.800, 1.0),
    "limited": (0.990, 0.760, 0.300, 1.0),
    "lit": (1.000, 0.560, 0.160, 1.0),
    "good": (0.350, 0.780, 0.480, 1.0),
    "warn": (0.960, 0.700, 0.260, 1.0),
    "bad": (0.950, 0.400, 0.380, 1.0),
}
_ICONS = """
    menu BARS, undo ROTATE_LEFT, redo ROTATE_RIGHT, reset ARROW_ROTATE_LEFT, chain
    LINK, tree SITEMAP, behaviour WAND_MAGIC_SPARKLES, node CROSSHAIRS, joint BONE,
    limit LOCK, play PLAY, pause PAUSE, save FLOPPY_DISK, open FOLDER_OPEN, folder
    FOLDER, file FILE, copy COPY, trash TRASH, plus PLUS, search MAGNIFYING_GLASS,
    good CIRCLE_CHECK, warn TRIANGLE_EXCLAMATION, bad CIRCLE_XMARK, off CIRCLE, up
    CHEVRON_UP, down CHEVRON_DOWN, key DIAMOND, learn GRADUATION_CAP, record
    CIRCLE_DOT, mirror LEFT_RIGHT, grip HAND
"""
ICONS = {
    word: getattr(icons, f"ICON_FA_{icon}")
    for word, icon in map(str.split, _ICONS.split(","))
}
STATUS = {
    "reached": "good",
    "running": "good",
    "partly": "dim",
    "out of reach": "warn",
    "blocked": "warn",
    "stalled": "warn",
    "not there yet": "warn",
    "no target": "bad",
    "off": "dim",
    "waiting": "dim",
}  # the colour of each status, which is always shown with its name
CODE: list[imgui.ImFont] = []  # the code font, once it is loaded


def colour(name: str) -> imgui.ImVec4:
    return imgui.ImVec4(*COLOURS[name])


def packed(name: str, alpha: float = 1.0) -> int:
    r, g, b, a = COLOURS[name]
    number: int = imgui.color_convert_float4_to_u32(imgui.ImVec4(r, g, b, a * alpha))
    return number


def gap_words(error: float) -> str:
    """Return a text for the distance to a goal; rounding errors count as 0."""
    return f"gap {round(error, 9):.3g}"


def load_fonts() -> None:
    folder = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
    atlas = imgui.get_io().fonts
    atlas.clear()
    atlas.add_font_from_file_ttf(str(folder / "Roboto" / "Roboto-Regular.ttf"), 15.0)
    merged = imgui.ImFontConfig()
    merged.merge_mode = True
    merged.glyph_min_advance_x = 17.0
    merged.glyph_offset = ImVec2(0.0, 1.0)
    icon_file = folder / "Font_Awesome_6_Free-Solid-900.otf"
    atlas.add_font_from_file_ttf(str(icon_file), 13.0, merged)
    CODE[:] = [
        atlas.add_font_from_file_ttf(str(folder / "Inconsolata-Medium.ttf"), 15.0)
    ]


def apply(scale: float) -> None:
    """Set colours, spacing and text size; 1 for a window of 720 lines."""
    style, fresh = imgui.get_style(), imgui.Style()
    for name in dir(fresh):
        # scaling multiplies the current style and rounds down: restart each time
        size = getattr(fresh, name)
        if isinstance(size, float | ImVec2):
            setattr(style, name, size)
    style.window_padding = ImVec2(10, 8)
    style.frame_padding = ImVec2(7, 4)
    style.item_spacing = ImVec2(7, 5)
    style.item_inner_spacing = ImVec2(5, 4)
    style.indent_spacing = 14.0
    style.scrollbar_size = 11.0
    style.grab_min_size = 9.0
    style.window_rounding = 0.0
    style.child_rounding = 4.0
    style.frame_rounding = style.grab_rounding = style.tab_rounding = 4.0
    style.popup_rounding = 6.0
    style.window_border_size = 0.0
    style.child_border_size = 0.0
    style.tab_bar_border_size = 1.0
    style.scale_all_sizes(scale)
    # rounded down, these would be 0, which fails an assertion
    for name in ("separator_size", "window_border_hover_padding"):
        setattr(style, name, max(1.0, getattr(style, name)))
    style.font_size_base = 15.0
    style.font_scale_main = scale
    plain = {
        "text": "text",
        "dim": "text_disabled",
        "panel": (
            "window_bg child_bg popup_bg menu_bar_bg title_bg title_bg_active tab "
            "scrollbar_bg"
        ),
        "line": "border separator",
        "field": "frame_bg button tab_selected",
        "hover": (
            "frame_bg_hovered frame_bg_active button_hovered header_hovered "
            "tab_hovered scrollbar_grab"
        ),
        "accent_dim": "button_active header header_active text_selected_bg",
        "accent": (
            "check_mark slider_grab slider_grab_active plot_lines nav_cursor "
            "drag_drop_target tab_selected_overline"
        ),
    }
    for name, words in plain.items():
        for word in words.split():
            style.set_color_(getattr(imgui.Col_, word), colour(name))
    style.set_color_(imgui.Col_.modal_window_dim_bg, imgui.ImVec4(0, 0, 0, 0))
