"""The row of buttons above the timeline: play, animation, clip, record, export."""

from __future__ import annotations

from imgui_bundle import imgui

from ...clip import Clip
from ...clip.clip import WRAPS
from ..session import StudioSession
from .style import ICONS, colour
from .windows import chosen_of, clipped, menu_items, tip

WRAP_WORDS = {"once": "once", "loop": "loop", "ping_pong": "to and fro"}


def draw_transport(session: StudioSession) -> None:
    play, keys = session.live.playback, session.keying
    em = imgui.get_font_size()
    square = imgui.ImVec2(imgui.get_frame_height() * 1.3, 0)
    if imgui.button(f"{ICONS['pause' if play.playing else 'play']}##play", square):
        play.toggle()
    tip("Play or pause (Space)")
    if play.names:
        flow(8 * em)
        imgui.set_next_item_width(em * 8)
        name = chosen_of("##animation", ("", *play.names), play.name, "no animation")
        if name is not None:
            play.choose(name)
            play.playing = bool(name)
        tip("The animation below the rig")
    flow(4.5 * em)
    imgui.set_next_item_width(em * 4.5)
    # a slider's handle would cover so short a number
    _, play.speed = imgui.drag_float("##speed", play.speed, 0.01, 0.1, 2.0, "%.1fx")
    tip("Speed")
    if session.viewing:
        return
    flow(8 * em)
    if keys.clip is None:
        if imgui.button(f"{ICONS['plus']} New clip"):
            keys.new()
        tip("Key targets, poles and weights over time (Ctrl+N)")
        flow(8 * em)
        if imgui.button("Open clip..."):
            session.dialog = "open clip"
        flow(7 * em)
        _export(session)
        return
    _clip_buttons(session, keys.clip)


def _clip_buttons(session: StudioSession, clip: Clip) -> None:
    keys, em = session.keying, imgui.get_font_size()
    mark = " *" if session.document.clip_work.unsaved else ""
    if imgui.button(f"{clipped(clip.name, 9 * em)}{mark} {ICONS['down']}##clip"):
        imgui.open_popup("clip")
    tip("The clip: save, close, open another one")
    if imgui.begin_popup("clip"):
        menu_items(session, "Clip")
        imgui.end_popup()
    flow(4 * em)
    if imgui.button(f"{ICONS['key']} Key"):
        keys.key_now()
    tip("Key what is selected, at the playhead (K)")
    flow(5 * em)
    if imgui.button(f"{ICONS['plus']} Track"):
        session.dialog = "track"
    tip("Key another channel: weight, pole, rotation, setting (T)")
    flow(5 * em)
    _, keys.auto = imgui.checkbox("auto", keys.auto)
    tip("Dragging a target makes keys, also of targets that have no track yet")
    flow(4 * em)
    imgui.set_next_item_width(em * 4)
    changed, end = imgui.drag_float(
        "##end", clip.duration, 0.02, 0.05, 3600.0, "%.2f s"
    )
    if changed:
        keys.set_duration(end)
    tip("Length of the clip")
    flow(6 * em)
    imgui.set_next_item_width(em * 5.5)
    words = [WRAP_WORDS[wrap] for wrap in WRAPS]
    changed, k = imgui.combo("##wrap", WRAPS.index(clip.wrap), words)
    if changed:
        keys.set_wrap(WRAPS[k])
    tip("After its end: it keeps its last pose, starts again, or plays back and forth")
    flow(7 * em)
    _export(session)


def _export(session: StudioSession) -> None:
    em = imgui.get_font_size()
    recording = session.exports.recording
    imgui.push_style_color(imgui.Col_.text, colour("bad" if recording else "text"))
    if imgui.button(f"{ICONS['record']}##record"):
        session.exports.toggle_record()
    imgui.pop_style_color()
    tip(
        "Stop: write the motion as a clip" if recording else "Record what the joints do"
    )
    flow(4 * em)
    if imgui.button("Export..."):
        session.dialog = "export"
    tip("Film, animation without IK, or a clip of joints")


def flow(width: float) -> None:
    """Continue in the same line if a width fits, else in the next one."""
    imgui.same_line()
    if imgui.get_content_region_avail().x < width:
        imgui.new_line()
