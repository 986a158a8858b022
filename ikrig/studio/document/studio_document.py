"""StudioDocument: an edited rig with its history, selection and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ...clip import Clip
from ...errors import Diagnostic, IkrigError, OutputError
from ...formats.part import Values
from ...formats.rig_file import Part
from .clip_file import ClipFile
from .edited_rig import Edit, EditedRig, Selection, numbered, same
from .history import History
from .python_code import python_code
from .rig_file import RigFile, read_rig
from .skeleton_info import SkeletonInfo

NEW_SECONDS = 2.0  # length of a new clip [s]


class State(NamedTuple):
    parts: Part
    selection: Selection
    clip: Clip | None = None


Command = Callable[..., Edit]


class StudioDocument:
    """An edited rig. Every change is a command, and each can be undone."""

    def __init__(
        self, parts: Part, skeleton: SkeletonInfo, *, label: str = "Open"
    ) -> None:
        self.file = RigFile(unnamed=lambda: self.model)
        self.skeleton = skeleton
        self.history: History[State] = History(label, State(parts, Selection()))
        self.version = 0
        self._selection = Selection()
        self.clip_work = ClipWork(self)  # the edited clip, in the same history

    @classmethod
    def new(
        cls,
        skeleton: SkeletonInfo,
        model: str,
        name: str,
        animations: Mapping[str, str] | None = None,
    ) -> StudioDocument:
        values: Values = {"name": name, **({"model": model} if model else {})}
        if animations:
            files = {n: Part(n, {"": file}) for n, file in animations.items()}
            values["animations"] = files
        parts = Part("", values)
        document = cls(parts, skeleton, label=f"New rig for {name}")
        document._find_autosaves()
        return document

    @classmethod
    def open(cls, path: str | Path, skeleton: SkeletonInfo) -> StudioDocument:
        file = RigFile()
        parts = file.load(Path(path))
        document = cls(parts, skeleton, label=f"Open {Path(path).name}")
        document.file = file
        document._find_autosaves()
        return document

    @property
    def parts(self) -> Part:
        """The current rig, as the tables of rig files; never change it in place."""
        return self.history.state.parts

    @property
    def rig(self) -> EditedRig:
        return EditedRig(self.parts, self.skeleton)

    @property
    def path(self) -> Path | None:
        return self.file.path

    @property
    def selection(self) -> Selection:
        return self._selection

    @property
    def text(self) -> str:
        return self.file.text(self.parts)

    @property
    def python(self) -> str:
        return python_code(self.parts, self.skeleton)

    @property
    def model(self) -> str:
        return str(self.parts.values.get("model", ""))

    @property
    def part(self) -> str:
        return str(self.parts.values.get("part", "modelRoot"))

    @property
    def name(self) -> str:
        return str(self.parts.values.get("name", "rig"))

    @property
    def unsaved(self) -> bool:
        return self.file.differs(self.parts)

    def do(
        self, command: Command, *given: object, merge: str = "", **named: object
    ) -> str:
        """Run a command of ``adding``, ``changing`` or ``mirroring``; return its label.

        It gets the rig first; the label is "" if nothing changes. Changes with
        one ``merge`` word form one step, as in a drag, until ``end_drag``.
        """
        edit = command(self.rig, *given, **named)
        selection = self._selection if edit.select is None else edit.select
        return self._push(edit.label, edit.rig.parts, selection, merge)

    def end_drag(self) -> None:
        self.history.seal()

    def select(self, selection: Selection) -> None:
        """Select something that exists, else nothing. Not a step of the history."""
        self._selection = selection if self._is_there(selection) else Selection()

    def undo(self) -> bool:
        return self._went(self.history.undo())

    def redo(self) -> bool:
        return self._went(self.history.redo())

    def go_to(self, step: int) -> bool:
        return self._went(self.history.go_to(step))

    def edit_text(self, text: str) -> str:
        parts = read_rig(self.path or Path(f"{self.name}.yaml"), text)
        return self._push("Edit YAML", parts, self._selection)

    @property
    def clip(self) -> Clip | None:
        return self.history.state.clip

    def set_clip(
        self, label: str, clip: Clip | None, merge: str = "", parts: Part | None = None
    ) -> None:
        """Set another clip, or none, as one step; called by ``ClipWork``."""
        parts = self.parts if parts is None else parts
        self.history.push(label, State(parts, self._selection, clip), merge)
        self.version += 1

    def save(self, path: str | Path | None = None, *, replace: bool = False) -> Path:
        file = path if path is None else Path(path)
        return self.file.save(self.parts, file, replace=replace)

    def autosave(self) -> Path:
        return self.file.autosave(self.parts)

    def close(self) -> None:
        """Remove the autosaves of unchanged files, and unlock all. Never raises."""
        self.clip_work.remove_autosave()
        if not self.unsaved or self.history.index == 0:
            self.file.remove_autosave()
        self.unlock()

    def unlock(self) -> None:
        """Leave the autosaves to others; the next one locks again."""
        self.file.unlock()
        self.clip_work.unlock()

    def recover(self) -> str:
        parts, self.file.recovered = self.file.recovered, None
        if parts is None:
            return ""
        return self._push("Recover unsaved work", parts, Selection())

    def reload_if_changed(self) -> bool:
        """Merge changes that others made to the file. Never raises.

        This is a step of the history like any other. A file that has errors changes
        nothing, nor does one with ``file.conflicts``: see ``resolve``.
        """
        new = self.file.reload_if_changed(self.parts)
        return new is not None and self._edited_outside(new)

    def resolve(self, *, keep_mine: bool) -> bool:
        return self._edited_outside(self.file.resolve(self.parts, keep_mine=keep_mine))

    def _edited_outside(self, parts: Part) -> bool:
        label = f"Edit {self.file.name} outside"
        return bool(self._push(label, parts, self._selection))

    def _push(
        self, label: str, parts: Part, selection: Selection, merge: str = ""
    ) -> str:
        if same(parts, self.parts):
            self.select(selection)
            return ""
        state = State(parts, selection, self.history.state.clip)
        self.history.push(label, state, merge)
        self.version += 1
        self.select(selection)
        return label

    def _went(self, moved: bool) -> bool:
        if moved:
            self.version += 1
            self.select(self.history.state.selection)
        return moved

    def _is_there(self, selection: Selection) -> bool:
        if selection.kind == "joint":
            return selection.name in self.skeleton.by_name
        return bool(selection.kind) and self.rig.value(selection.path) is not None

    def _find_autosaves(self) -> None:
        self.clip_work.file.find_autosave(None)
        self.file.find_autosave(self.parts)


class ClipWork:
    """The clip of a document, its file and its autosave."""

    def __init__(self, document: StudioDocument) -> None:
        self._document = document
        self._files: dict[tuple[str, Path | None], ClipFile] = {}
        self._unnamed = self._unnamed_file()

    @property
    def clip(self) -> Clip | None:
        return self._document.clip

    @property
    def file(self) -> ClipFile:
        """Its file; one without a path while it has none."""
        clip = self.clip
        if clip is None:
            return self._unnamed
        return self._files.get((clip.name, clip.path), self._unnamed)

    @property
    def text(self) -> str:
        """Its file's text, without comments; "" without a clip."""
        return "" if self.clip is None else self.file.text(self.clip)

    @property
    def unsaved(self) -> bool:
        return self.clip is not None and self.file.differs(self.clip)

    def new(self, name: str = "clip") -> str:
        free = numbered(name, {name for name, _ in self._files})
        return self._push(f"New clip {free}", Clip(free, duration=NEW_SECONDS))

    def open(self, path: str | Path) -> str:
        file = ClipFile()
        clip = file.load(Path(path).absolute())
        self._files[clip.name, clip.path] = file
        file.find_autosave(clip)
        return self._push(f"Open {Path(path).name}", clip)

    def close(self) -> str:
        clip = self.clip
        return self._push(f"Close {clip.name}", None) if clip is not None else ""

    def recover(self) -> str:
        file, now = self.file, self.clip
        clip, file.recovered = file.recovered, None
        if clip is None:
            return ""
        # it belongs to the open file
        clip = clip.with_changes(path=None if now is None else now.path)
        if file.path is not None:
            self._files[clip.name, clip.path] = file
        return self._push("Recover unsaved clip", clip)

    def do(
        self,
        label: str,
        change: Callable[[Clip], Clip],
        merge: str = "",
        *,
        parts: Part | None = None,
    ) -> str:
        clip = self.clip
        if clip is None:
            raise IkrigError("no clip is open: create one with New clip")
        changed = change(clip)
        if parts is None and self.text == self.file.text(changed):
            return ""
        self._document.set_clip(label, changed, merge, parts)
        return label

    def save(self, path: str | Path | None = None, *, replace: bool = False) -> Path:
        clip, file = self.clip, self.file
        if clip is None:
            raise OutputError("the clip", [Diagnostic(0, 0, "no clip is open")])
        target = path if path is None else Path(path).absolute()
        done = file.save(clip, target, replace=replace)
        self._files[clip.name, clip.path] = file
        if file is self._unnamed:
            self._unnamed = self._unnamed_file()
        return done

    def reload_if_changed(self) -> bool:
        new = None if self.clip is None else self.file.reload_if_changed(self.clip)
        return new is not None and self._edited_outside(new)

    def resolve(self, *, keep_mine: bool) -> bool:
        clip = self.clip
        if clip is None:
            return False
        return self._edited_outside(self.file.resolve(clip, keep_mine=keep_mine))

    def _edited_outside(self, new: Clip) -> bool:
        file, clip = self.file, self.clip
        new = new.with_changes(path=None if clip is None else clip.path)
        self._files[new.name, new.path] = file
        if clip == new:
            return False
        return bool(self._push(f"Edit {file.name} outside", new))

    def autosave(self) -> None:
        if self.clip is not None:
            self.file.autosave(self.clip)

    def remove_autosave(self) -> None:
        if self.clip is not None and not self.unsaved:
            self.file.remove_autosave()

    def unlock(self) -> None:
        for file in (self._unnamed, *self._files.values()):
            file.unlock()

    def _unnamed_file(self) -> ClipFile:
        document = self._document
        return ClipFile(unnamed=lambda: f"clip of {document.path or document.model}")

    def _push(self, label: str, clip: Clip | None) -> str:
        self._document.set_clip(label, clip)
        return label
