"""Dialogs: open, save, found limbs, unsaved work, the command palette."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from imgui_bundle import ImVec2, imgui

from ..document.recovery import recent_files
from ..session import StudioSession
from .clip_dialogs import ExportDialog, TrackDialog
from .native_dialogs import available, native_dialog, pasted_path
from .style import ICONS, colour
from .windows import Row, SearchList, answered, centred, clipped, tip, wrapped

MOST_FILES = 500
YAML = (".yaml", ".yml")
SAVE_RIG = (
    "A .yaml file. Save it in the model's folder, or in a folder beside that: rig "
    "files may name files of their own folder and the one above."
)
SAVE_CLIP = "A .yaml file, which any rig with such parts plays."
FILES: dict[str, tuple[str, Callable[..., object], str, tuple[str, ...]]]
FILES = {
    "open": ("Open a model or a rig", StudioSession.open, "", ()),
    "save": ("Save the rig as", StudioSession.save, SAVE_RIG, YAML),
    "open clip": ("Open a clip", StudioSession.open_clip, "", YAML),
    "save clip": ("Save the clip as", StudioSession.save_clip, SAVE_CLIP, YAML),
}  # Title, command, explanation and suffixes of each file dialog; (): all suffixes


class Dialogs:
    def __init__(self, endings: Iterable[str], samples: dict[str, str]) -> None:
        self.endings = tuple(endings)
        self.samples = samples  # sample files by name
        self.path = str(Path.cwd())
        self.chosen: dict[str, bool] = {}
        self.tracks, self.exports = TrackDialog(), ExportDialog()
        self._commands = SearchList()
        self._last = ""
        self._desktop = available()
        self._native: (
            tuple[Callable[[], str | None], Callable[[str], object]] | None
        ) = None
        self._listed: tuple[tuple[str, ...], list[Path]] = ((), [])
        self._drawn: dict[str, Callable[[StudioSession, bool], None]] = {
            **dict.fromkeys(FILES, self._file),
            "limbs": self._limbs,
            "track": self.tracks.draw,
            "export": self.exports.draw,
            "palette": self._palette,
            "recover": self._recover,
            "changed": self._changed,
        }

    def draw(self, session: StudioSession) -> None:
        if self._native is not None:
            chosen, run = self._native
            path = chosen()
            if path is not None:
                self._native = None
            if path:
                run(path)
        dialog, fresh = session.dialog, session.dialog != self._last
        if self._last and not dialog:
            # not to the button that had the focus before: keys are the picture's
            imgui.set_window_focus(None)
        self._last = dialog
        draw = self._drawn.get(dialog)
        if draw is not None and (session.is_open or dialog in ("open", "palette")):
            draw(session, fresh)

    def start(self, session: StudioSession) -> None:
        size = imgui.get_io().display_size
        em = imgui.get_font_size()
        width, height = min(size.x - 20, 46 * em), min(size.y - 20, 31 * em)
        imgui.set_next_window_pos(ImVec2(size.x / 2, size.y / 2), 0, ImVec2(0.5, 0.5))
        imgui.set_next_window_size(ImVec2(width, height))
        flags = imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_resize
        flags |= imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_saved_settings
        imgui.begin("Start", None, flags)
        imgui.push_font(None, imgui.get_style().font_size_base * 2.0)
        imgui.text("ikrig studio")
        imgui.pop_font()
        imgui.text_disabled("Open a model, make its limbs reach, save the rig.")
        imgui.dummy(ImVec2(0, 0.4 * em))
        self._path_field("Open", session.open, self.endings)
        imgui.dummy(ImVec2(0, 0.4 * em))
        narrow = width < 32 * em
        if not narrow:
            imgui.begin_child("left", ImVec2(0.42 * width, 0))
        imgui.text_disabled("RECENT FILES")
        recent = recent_files()
        for path in recent:
            text = clipped(f"{ICONS['file']} {path.name}")
            if imgui.selectable(f"{text}##{path}", False)[0]:
                session.open(path)
            imgui.set_item_tooltip(str(path))
        if not recent:
            imgui.text_disabled("none yet")
        imgui.dummy(ImVec2(0, 0.4 * em))
        imgui.text_disabled("SAMPLES")
        for name, file in self.samples.items():
            if imgui.selectable(f"{ICONS['joint']} {name}", False)[0]:
                session.open(file)
        if narrow:
            imgui.dummy(ImVec2(0, 0.4 * em))
        else:
            imgui.end_child()
            imgui.same_line()
            imgui.begin_child("right")
        imgui.text_disabled("FOLDER")
        self._list(session.open, self.endings)
        if not narrow:
            imgui.end_child()
        for line in list(session.log)[-1:]:
            if line.kind == "error":
                imgui.set_cursor_pos_y(height - 2.2 * em)
                text = clipped(line.text.splitlines()[0], width - 2 * em)
                imgui.text_colored(colour("bad"), text)
        imgui.end()

    def _file(self, session: StudioSession, fresh: bool) -> None:
        em = imgui.get_font_size()
        title, run, about, own = FILES[session.dialog]
        endings = own or self.endings
        saving = session.dialog.startswith("save")
        if fresh:
            self._propose(session)
        height = 12 if saving else 26
        with centred(session.dialog, title, 38 * em, height * em, session):
            if fresh:
                imgui.set_keyboard_focus_here()
            self._path_field(
                "Save" if saving else "Open", lambda path: run(session, path), endings
            )
            if about:
                wrapped(about)
            if session.log and session.log[-1].kind == "error":
                wrapped(session.log[-1].text[:400], "bad")
            if not saving:
                imgui.begin_child("files")
                self._list(lambda path: run(session, path), endings)
                imgui.end_child()

    def _propose(self, session: StudioSession) -> None:
        folder = session.exports.folder if session.is_open else Path(self.path)
        if session.dialog == "save":
            document = session.document
            self.path = str(document.path or folder / f"{document.name}.yaml")
        elif "clip" in session.dialog:
            clip = session.keying.clip if session.dialog == "save clip" else None
            name = f"{clip.name.replace(' ', '_')}.yaml" if clip else ""
            self.path = str(session.document.clip_work.file.path or folder / name)

    def _path_field(
        self, verb: str, run: Callable[[str], object], endings: tuple[str, ...]
    ) -> None:
        em = imgui.get_font_size()
        button = imgui.calc_text_size(verb).x + 2.5 * em
        browse = imgui.get_frame_height() + 7 if self._desktop else 0.0
        imgui.set_next_item_width(-button - browse)
        flags = imgui.InputTextFlags_.enter_returns_true
        done, self.path = imgui.input_text(f"##{verb}", self.path, flags)
        if self._desktop:
            imgui.same_line()
            if imgui.button(f"{ICONS['folder']}##{verb}") and self._native is None:
                asked = native_dialog(verb == "Save", verb, self.path, endings)
                self._native = asked, run
            tip("Choose in a window of the desktop")
        imgui.same_line()
        if imgui.button(verb, ImVec2(-1, 0)) or done:
            self.path = pasted_path(self.path)
            if verb != "Open" or not Path(self.path).is_dir():
                run(self.path)

    def _list(self, run: Callable[[Path], object], endings: tuple[str, ...]) -> None:
        typed = Path(self.path).expanduser()
        folder = typed if typed.is_dir() else typed.parent
        listed = str(folder), *endings
        if self._listed[0] != listed:
            self._listed = listed, _files(folder, endings)
        if imgui.selectable(f"{ICONS['folder']} ..", False)[0]:
            self.path = str(folder.absolute().parent)
        for path in self._listed[1]:
            is_folder = path.is_dir()
            icon = ICONS["folder"] if is_folder else ICONS["file"]
            if imgui.selectable(f"{icon} {path.name}", False)[0]:
                self.path = str(path)
                if not is_folder:
                    run(path)

    def _limbs(self, session: StudioSession, fresh: bool) -> None:
        em = imgui.get_font_size()
        limbs = session.limbs
        if fresh:
            self.chosen = {limb.name: True for limb in limbs}
        rows = min(len(limbs), 9) + 0.8 * len(session.findings)
        height = (7.5 + 1.9 * rows) * em
        with centred("limbs", "Limbs", 30 * em, height, session):
            if not limbs:
                imgui.text("No limbs were found. Click a joint and press Enter.")
                return
            word = "limb" if len(limbs) == 1 else "limbs"
            imgui.text(f"{len(limbs)} {word} found: rig them all, or choose.")
            for finding in session.findings:
                imgui.text_colored(colour("warn"), clipped(str(finding)))
                imgui.set_item_tooltip(str(finding))
            imgui.begin_child("found", ImVec2(0, -2.4 * em))
            for limb in limbs:
                on = self.chosen.get(limb.name, False)
                _, self.chosen[limb.name] = imgui.checkbox(limb.name, on)
                imgui.set_item_tooltip(limb.reason)
                imgui.same_line(0.42 * imgui.get_window_width())
                room = imgui.get_content_region_avail().x
                text = f"{limb.joints[0]} > {limb.joints[-1]}"
                imgui.text_disabled(clipped(text, room))
            imgui.end_child()
            chosen = [limb for limb in limbs if self.chosen.get(limb.name)]
            whole = len(chosen) == len(limbs)
            text = "Rig them all (Enter)" if whole else f"Rig {len(chosen)} (Enter)"
            later = "Not now (Esc)"
            answer = answered((text, later) if chosen else (later,))
            if answer == later:
                session.dialog = ""
            elif answer:
                session.rig_limbs(chosen)

    def _recover(self, session: StudioSession, fresh: bool) -> None:
        em = imgui.get_font_size()
        document, clip = session.document, session.document.clip_work
        with centred("recover", "Unsaved work", 30 * em, 9 * em) as wanted:
            wrapped(
                "The studio ended before this rig was saved. That work was kept.",
                "text",
            )
            back = "Bring it back (Enter)"
            answer = answered((back, "Leave it (Esc)"))
            if answer == back:
                session.report(document.recover())
                session.report(clip.recover())
            if answer or not wanted:
                document.file.recovered = clip.file.recovered = None
                session.dialog = ""
                if document.path is None and not document.parts.parts("chains"):
                    session.find_limbs()

    def _changed(self, session: StudioSession, fresh: bool) -> None:
        em = imgui.get_font_size()
        unseen = session.unseen
        name = unseen.owner.file.name
        with centred("changed", "Changed elsewhere", 34 * em, 10 * em, session):
            if unseen.conflicts:
                shown = ", ".join(unseen.conflicts[:6])
                more = len(unseen.conflicts) - 6
                shown += f" and {more} more" if more > 0 else ""
                wrapped(
                    f"Another program has changed {name} where you have changed it "
                    f"too: {shown}. All other changes of both are kept.",
                    "text",
                )
                choices = "Keep mine", "Take theirs"
            else:
                wrapped(f"Not saved: {unseen.text}", "text")
                choices = "Replace it, keep a copy", "Save elsewhere..."
            answer = answered((*choices, "Not now (Esc)"))
            if answer in ("Keep mine", "Take theirs"):
                session.resolve(keep_mine=answer == "Keep mine")
            elif answer == choices[0]:
                save = session.save if unseen.word == "save" else session.save_clip
                save(unseen.path, replace=True)
            elif answer:
                session.dialog = unseen.word if answer == choices[1] else ""

    def _palette(self, session: StudioSession, fresh: bool) -> None:
        em = imgui.get_font_size()
        usable = [action for action in session.actions if action.enabled()]
        rows = [Row(action.name, action.keys) for action in usable]
        with centred("palette", "Commands", 30 * em, 24 * em, session):
            chosen = self._commands.draw(rows, "such as: add pole", fresh=fresh)
        if chosen is not None:
            session.dialog = ""
            session.attempt(usable[chosen].run)


def _files(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    try:
        found = sorted(folder.iterdir(), key=lambda p: (p.is_file(), p.name.lower()))
    except OSError:
        return []
    known = [
        path
        for path in found
        if not path.name.startswith(".")
        and (path.is_dir() or path.name.lower().endswith(endings))
    ]
    return known[:MOST_FILES]
