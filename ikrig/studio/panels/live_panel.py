"""The panel over a running game: all rigs, their values, live; saved as a rig file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from imgui_bundle import ImVec2, imgui

from ...errors import IkrigError
from ...formats.rig_file.sections import BEHAVIOUR, CHAIN, TREE
from ...records import Field
from ...value_shapes import Name, Number
from .fields import label_cell, live_value, value_widget
from .style import ICONS, STATUS, colour, gap_words
from .windows import clipped, wrapped


class LiveEntry(NamedTuple):
    owner: object  # the object to save it with: a Rig, an ActorRig or itself
    title: str  # title of the owner
    name: str
    kind: str  # "chain", "tree", or the kind of a behaviour in rig files: "look_at"
    part: object
    word: str  # its status in the last frame


class LivePanel:
    def __init__(self, save: Callable[..., str]) -> None:
        self.save = save  # writes a rig to a file; returns a message
        self.selected: object = None
        self.path = "rig.yaml"
        self.message = ""
        self.failed = False

    def draw(self, entries: Sequence[LiveEntry], key: str, cost: str) -> None:
        size = imgui.get_io().display_size
        em = imgui.get_font_size()
        once = imgui.Cond_.first_use_ever
        imgui.set_next_window_pos(ImVec2(12, 12), once)
        height = min(size.y - 24, 40 * em)
        imgui.set_next_window_size(ImVec2(min(22 * em, 0.5 * size.x), height), once)
        imgui.begin(f"ikrig   {key.upper()} hides###inspector")
        imgui.text_disabled(f"{len(entries)} parts   {cost}")
        if not entries:
            wrapped("No rig is running: start one with rig.start().", "text")
        imgui.begin_child("list", ImVec2(0, 0.34 * imgui.get_window_height()))
        self._list(entries)
        imgui.end_child()
        imgui.separator()
        entry = next((e for e in entries if e.part is self.selected), None)
        if entry is not None:
            self._values(entry)
        imgui.end()

    def _list(self, entries: Sequence[LiveEntry]) -> None:
        title = None
        for k, entry in enumerate(entries):
            if entry.title != title:
                title = entry.title
                imgui.text_disabled(clipped(title))
            tone = STATUS.get(entry.word, "dim")
            width = imgui.get_content_region_avail().x
            imgui.text_colored(colour(tone), ICONS.get(tone, ICONS["off"]))
            imgui.same_line()
            label = clipped(f"{entry.name}   {entry.word}", width - 30)
            chosen = entry.part is self.selected
            if imgui.selectable(f"{label}##{k}", chosen)[0]:
                self.selected, self.message = entry.part, ""

    def _values(self, entry: LiveEntry) -> None:
        part = entry.part
        icon = ICONS.get(entry.kind, ICONS["behaviour"])
        imgui.text(f"{icon} {entry.name}")
        result = getattr(part, "result", None)
        if result is not None and hasattr(result, "error"):
            imgui.same_line()
            imgui.text_disabled(gap_words(result.error))
        for joint in getattr(result, "blocked_by", ()):
            text = f"{ICONS['limit']} held back by {joint.name} ({joint.limit})"
            imgui.text_colored(colour("warn"), text)
        imgui.begin_child("values", ImVec2(0, -2.6 * imgui.get_frame_height()))
        if imgui.begin_table("values", 2):
            for key, field in _fields(entry).items():
                now = live_value(part, key)
                if isinstance(now, (bool, int, float, str)) or (
                    isinstance(field.shape, Number) and now is None
                ):
                    self._value(part, key, field, now)
            imgui.end_table()
        imgui.end_child()
        imgui.set_next_item_width(-5.0 * imgui.get_font_size())
        _, self.path = imgui.input_text("##path", self.path)
        imgui.same_line()
        if imgui.button("Save", ImVec2(-1, 0)):
            self._try(lambda: self.save(entry.owner, self.path))
        if self.message:
            tone = "bad" if self.failed else "good"
            imgui.text_colored(colour(tone), clipped(self.message))
            imgui.set_item_tooltip(self.message)

    def _value(self, part: object, key: str, field: Field, now: object) -> None:
        label_cell(key.replace("_", " "), field.about)
        imgui.set_next_item_width(-1)
        imgui.push_id(key)
        changed, new = value_widget(now, field)
        imgui.pop_id()
        if changed and new is not None:

            def change() -> str:
                setattr(part, key, new)
                return ""

            self._try(change)

    def _try(self, run: Callable[[], str]) -> None:
        try:
            self.message, self.failed = run(), False
        except (IkrigError, AttributeError) as error:
            self.message, self.failed = str(error), True


def _fields(entry: LiveEntry) -> dict[str, Field]:
    if entry.kind in BEHAVIOUR.kinds:
        fields = BEHAVIOUR.kinds[entry.kind].fields
    else:
        fields = (CHAIN if entry.kind == "chain" else TREE).fields
    return {
        key: field
        for key, field in fields.items()
        if isinstance(field, Field)
        and not isinstance(field.shape, Name)
        and key != "chain_length"
    }
