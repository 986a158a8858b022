"""The outliner: the skeleton with a search, and the entries of the rig."""

from __future__ import annotations

from imgui_bundle import imgui

from ..document.changing import rename, reorder
from ..document.skeleton_info import SkeletonInfo
from ..session import StudioSession
from .layout import Rect
from .style import ICONS, STATUS, colour
from .windows import clipped, panel, wrapped

MOST_OPEN = 400  # joints; more start folded, because open rows cost time each frame
SHORT = 24.0  # height of a panel that shows one tree at a time [letters]
INDENT = 0.5  # indent of a joint below its parent [width of a letter]
LEAF = (
    imgui.TreeNodeFlags_.leaf
    | imgui.TreeNodeFlags_.no_tree_push_on_open
    | imgui.TreeNodeFlags_.span_avail_width
)
SECTIONS = (
    ("chains", "Chains", "chain"),
    ("trees", "Trees", "tree"),
    ("behaviours", "Behaviours", "behaviour"),
    ("nodes", "Targets, poles and things", "node"),
    ("bodies", "Bodies", "node"),
)


class Outliner:
    def __init__(self) -> None:
        self.search = ""
        self.renaming: tuple[str, str] | None = None
        self.new_name = ""
        self._shown: tuple[object, ...] = ()
        self._movers: dict[str, bool] = {}
        self._limited: set[str] = set()
        self._lit: frozenset[str] = frozenset()
        self._children: dict[str | None, list[str]] = {}

    def draw(self, session: StudioSession, rect: Rect) -> None:
        if session.is_open:
            self.look(session)
        if rect.height < SHORT * imgui.get_font_size():
            self._tabs(session, rect)
            return
        upper = Rect(rect.x, rect.y, rect.width, round(0.5 * rect.height))
        rest = rect.height - upper.height
        lower = Rect(rect.x, rect.y + upper.height, rect.width, rest)
        with panel("Skeleton", upper):
            heading("Skeleton")
            if session.is_open:
                self._skeleton(session)
        with panel("Rig", lower):
            heading("Rig")
            if session.is_open:
                self._rig(session)

    def _tabs(self, session: StudioSession, rect: Rect) -> None:
        with panel("Trees", rect):
            if not session.is_open or not imgui.begin_tab_bar("trees"):
                return
            for name, draw in (("Skeleton", self._skeleton), ("Rig", self._rig)):
                if imgui.begin_tab_item(name)[0]:
                    draw(session)
                    imgui.end_tab_item()
            imgui.end_tab_bar()

    def look(self, session: StudioSession) -> None:
        document = session.document
        key = document.version, document.skeleton, document.parts
        if key == self._shown:
            return
        self._shown = key
        parts, skeleton = document.parts, document.skeleton
        self._children = {}
        for joint in skeleton.joints:
            self._children.setdefault(joint.parent, []).append(joint.name)
        self._movers = {n: any(document.rig.movers(n)) for n in skeleton.names}
        self._limited = {
            joint
            for section in ("chains", "trees")
            for entry in parts.parts(section).values()
            for joint in entry.parts("limits")
        }

    def is_moved(self, joint: str) -> bool:
        return self._movers.get(joint, False)

    def is_end_or_fork(self, joint: str) -> bool:
        return len(self._children.get(joint, ())) != 1

    def is_limited(self, joint: str) -> bool:
        return joint in self._limited

    def _skeleton(self, session: StudioSession) -> None:
        imgui.set_next_item_width(-1)
        hint = f"{ICONS['search']} joints"
        _, self.search = imgui.input_text_with_hint("##search", hint, self.search)
        imgui.begin_child("joints")
        skeleton = session.document.skeleton
        self._lit = frozenset(session.selected_joints())
        indent = INDENT * imgui.get_font_size()
        imgui.push_style_var(imgui.StyleVar_.indent_spacing, indent)
        if self.search:
            wanted = self.search.lower()
            for joint in skeleton.joints:
                if wanted in joint.label.lower():
                    self._joint(session, skeleton, joint.name, deep=False)
        else:
            for name in self._children.get(None, []):
                self._joint(session, skeleton, name, deep=True)
        imgui.pop_style_var()
        imgui.end_child()

    def _joint(
        self, session: StudioSession, skeleton: SkeletonInfo, name: str, *, deep: bool
    ) -> None:
        below = self._children.get(name, []) if deep else []
        kind, selected, _ = session.selection
        flags = LEAF
        if below:
            flags = imgui.TreeNodeFlags_.open_on_arrow
            if len(skeleton.joints) <= MOST_OPEN:
                flags |= imgui.TreeNodeFlags_.default_open
            flags |= imgui.TreeNodeFlags_.span_avail_width
        is_selected = kind == "joint" and selected == name
        if is_selected:
            flags |= imgui.TreeNodeFlags_.selected
        marks, label = "", skeleton.by_name[name].label
        if self.is_limited(name):
            marks += f" {ICONS['limit']}"
        room = imgui.get_content_region_avail().x
        room -= imgui.get_tree_node_to_label_spacing()
        both = f" {ICONS['chain']}{marks}"
        # the colour replaces the mark if there is no space for it
        if self.is_moved(name) and imgui.calc_text_size(label + both).x <= room:
            marks = both
        tone = "in_chain" if self.is_moved(name) else "text"
        tone = "lit" if name in self._lit else tone
        imgui.push_style_color(imgui.Col_.text, colour(tone))
        is_open = imgui.tree_node_ex(f"{label}{marks}###{name}", flags)
        imgui.pop_style_color()
        clicked = imgui.is_item_clicked() and not imgui.is_item_toggled_open()
        if clicked or (
            imgui.is_item_focused() and imgui.is_key_pressed(imgui.Key.space)
        ):
            session.select("joint", name)
        if below and is_open:
            for child in below:
                self._joint(session, skeleton, child, deep=True)
            imgui.tree_pop()

    def _rig(self, session: StudioSession) -> None:
        parts = session.document.parts
        words = {(s.section, s.name): s.word for s in session.live.statuses()}
        empty = True
        for section, title, icon in SECTIONS:
            entries = list(parts.parts(section))
            if not entries:
                continue
            empty = False
            flags = imgui.TreeNodeFlags_.default_open
            flags |= imgui.TreeNodeFlags_.span_avail_width
            if not imgui.tree_node_ex(f"{title} ({len(entries)})###{section}", flags):
                continue
            for index, name in enumerate(entries):
                self._entry(session, section, name, index, icon, words)
            imgui.tree_pop()
        if empty:
            wrapped("Nothing reaches yet. Click a joint in the picture.")
            if imgui.button("Find limbs"):
                session.find_limbs()

    def _entry(
        self,
        session: StudioSession,
        section: str,
        name: str,
        index: int,
        icon: str,
        words: dict[tuple[str, str], str],
    ) -> None:
        if self.renaming == (section, name):
            self._rename(session)
            return
        selected = session.selection[:2] == (section, name)
        word = words.get((section, name), "")
        mark = ""
        room = imgui.get_content_region_avail().x
        if word:
            tone = STATUS.get(word, "dim")
            mark = ICONS.get(tone, ICONS["off"])
            room -= imgui.calc_text_size(mark).x + 6
        label = clipped(f"{ICONS[icon]} {name}", room)
        if imgui.selectable(
            f"{label}##{section}/{name}", selected, 0, imgui.ImVec2(room, 0)
        )[0]:
            session.select(section, name)
        if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(0):
            self.renaming, self.new_name = (section, name), name
        # dragged over a neighbour, it swaps with it
        if imgui.is_item_active() and not imgui.is_item_hovered():
            step = -1 if imgui.get_mouse_drag_delta(0).y < 0 else 1
            if session.do(reorder, section, name, index + step, merge=f"order {name}"):
                imgui.reset_mouse_drag_delta()
        if selected and imgui.is_key_pressed(imgui.Key.f2):
            self.renaming, self.new_name = (section, name), name
        if word:
            imgui.same_line()
            imgui.text_colored(colour(STATUS.get(word, "dim")), mark)
            imgui.set_item_tooltip(word)

    def _rename(self, session: StudioSession) -> None:
        assert self.renaming is not None
        section, name = self.renaming
        imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(-1)
        flags = imgui.InputTextFlags_.enter_returns_true
        flags |= imgui.InputTextFlags_.auto_select_all
        done, self.new_name = imgui.input_text("##rename", self.new_name, flags)
        if done:
            session.do(rename, section, name, self.new_name)
        if done or imgui.is_key_pressed(imgui.Key.escape):
            self.renaming = None


def heading(text: str) -> None:
    imgui.text_disabled(text.upper())
