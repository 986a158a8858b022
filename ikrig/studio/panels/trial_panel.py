"""Test objects for behaviours: ground, a flying target, objects to reach for."""

from __future__ import annotations

from imgui_bundle import imgui

from ...records import Record
from ..actions import GROUNDS
from ..session import StudioSession
from .windows import tip, wrapped


def draw_trial(session: StudioSession, name: str, record: Record) -> None:
    """Draw the test objects for a behaviour; none of them is saved in the rig."""
    tests = session.tests
    if tests is None:
        return
    imgui.spacing()
    imgui.text_disabled("TRY IT")
    if "ground" in record.fields:
        imgui.set_next_item_width(-1)
        words = [f"ground: {word}" for word in GROUNDS]
        changed, k = imgui.combo("##ground", GROUNDS.index(tests.ground), words)
        if changed:
            tests.ground = GROUNDS[k]
        tip("Ground below the feet; with an animation that walks it goes by")
    if "target" in record.fields:
        flying = tests.flying == ("behaviours", name)
        changed, flying = imgui.checkbox("the target flies", flying)
        if changed:
            tests.flying = ("behaviours", name) if flying else None
        _, tests.things = imgui.checkbox("things to click at", tests.things)
        wrapped("Click anything in the picture: the target goes there.")
