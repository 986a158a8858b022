"""Status of the selection: in words, over five seconds, with the reason."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui

from ..session import PLOT_SECONDS, StudioSession
from .style import ICONS, STATUS, colour, gap_words
from .windows import wrapped

WHY = {
    "out of reach": "The target is too far away, or nearer than a long bone allows.",
    "stalled": "It comes no nearer: it bends the wrong way, or limits block it.",
    "not there yet": "It needs more iterations, or max step limits its speed.",
    "no target": "Its target was removed, or the target's position is not finite.",
    "partly": "Its weight is below 1: the pose is between animation and target.",
    "off": "It stays as animated: drag its target, or raise its weight.",
}  # explanations of statuses that are not self-evident


def draw_status(session: StudioSession, section: str, name: str) -> None:
    states = session.live.statuses()
    state = next((s for s in states if (s.section, s.name) == (section, name)), None)
    if state is None:
        return
    tone = STATUS.get(state.word, "dim")
    icon = ICONS.get(tone, ICONS["off"])
    imgui.text_colored(colour(tone), f"{icon} {state.word}")
    why = "" if state.blocked else WHY.get(state.word, "")
    if why and imgui.is_item_hovered():
        imgui.set_tooltip(why)
    if section == "behaviours":
        return
    text = gap_words(state.error)
    imgui.same_line()
    if imgui.calc_text_size(text).x > imgui.get_content_region_avail().x:
        imgui.new_line()
    imgui.text_disabled(text)
    values = session.errors.get(f"{section}/{name}", ())
    if len(values) > 1:
        heights = np.array([error for _, error in values], np.float32)
        top = max(float(heights.max()), 1e-6)
        height = 2.2 * imgui.get_font_size()
        size = imgui.ImVec2(imgui.get_content_region_avail().x, height)
        note = f"last {PLOT_SECONDS:g} s"
        imgui.plot_lines("##errors", heights, 0, note, 0.0, top, size)
    if why:
        wrapped(why)
    for joint in state.blocked:
        text = f"{ICONS['limit']} held back by {joint}"
        imgui.push_style_color(imgui.Col_.text, colour("warn"))
        clicked = imgui.selectable(f"{text}##blocked", False)[0]
        imgui.pop_style_color()
        if clicked:
            session.select("limit", joint, f"{section}/{name}")
            if not session.selection.kind:
                session.select("joint", joint)
    imgui.spacing()
