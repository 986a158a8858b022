"""StudioDocument: an edited rig with its history, selection and files."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ...clip import Clip
from ...errors import Diagnostic, IkrigError, OutputError
from ...files.output_file import prepare_folder, write_bytes
from ...files.signature import signature
from ...formats.rig_file import Part, read_rig_file, rig_text, with_moved_files
from . import recovery
from .clip_work import ClipWork
from .edit import Edit, Selection
from .history import History
from .part_paths import same, value
from .python_code import python_code
from .skeleton_info import SkeletonInfo


class State(NamedTuple):
    """A state that a step of the history restores."""

    parts: Part
    selection: Selection
    clip: Clip | None = None


Command = Callable[..., Edit]


class StudioDocument:
    """An edited rig. Every change is a command, and each can be undone.

    Args:
        parts: The initial rig.
        skeleton: The joints of its model.
        path: Its file, or None.

    Attributes:
        path: Its file.
        skeleton: The joints of its model.
        history: All states.
        problem: The errors that others wrote into the file, or "".
        recovered: Unsaved work from a crash, for ``recover``; or None.
        version: A number that changes with the state.
    """

    def __init__(
        self,
        parts: Part,
        skeleton: SkeletonInfo,
        path: Path | None = None,
        *,
        label: str = "Open",
    ) -> None:
        self.path = path
        self.skeleton = skeleton
        self.history: History[State] = History(label, State(parts, Selection()))
        self.problem = ""
        self.recovered: Part | None = None
        self.version = 0
        self._saved: str | None = None
        self._seen: tuple[int, ...] = ()
        self._kept = ""
        self._text: tuple[Part, Path | None, str] | None = None
        self._selection = Selection()
        self.clip_work = ClipWork(self)
        """The edited clip, in the same history."""

    # -- opening -----------------------------------------------------------------------

    @classmethod
    def new(cls, skeleton: SkeletonInfo, model: str, name: str) -> StudioDocument:
        """Return an empty rig for a model.

        Args:
            skeleton: The model's joints.
            model: Its file, as the rig file will name it.
            name: The rig's name.
        """
        parts = Part("", {"name": name, **({"model": model} if model else {})})
        document = cls(parts, skeleton, label=f"New rig for {name}")
        document._look_for_autosave()
        return document

    @classmethod
    def open(cls, path: str | Path, skeleton: SkeletonInfo) -> StudioDocument:
        """Return the rig of a file.

        Raises:
            RigFileError: Lists the errors in it.
        """
        file = Path(path)
        parts = read_rig(file)
        document = cls(parts, skeleton, file, label=f"Open {file.name}")
        document._saved = document.text
        document._seen = signature(file)
        document._look_for_autosave()
        return document

    # -- current state -----------------------------------------------------------------

    @property
    def parts(self) -> Part:
        """The current rig, as the tables of rig files; never change it in place."""
        return self.history.state.parts

    @property
    def selection(self) -> Selection:
        """The current selection, which always exists."""
        return self._selection

    @property
    def text(self) -> str:
        """The rig file."""
        folder = None if self.path is None else self.path.absolute().parent
        if self._text is None or self._text[:2] != (self.parts, folder):
            parts = self.parts
            if folder is not None:
                parts = with_moved_files(parts, folder, folder)
            self._text = self.parts, folder, rig_text(parts)
        return self._text[2]

    @property
    def python(self) -> str:
        """Python code that builds the same rig."""
        return python_code(self.parts, self.skeleton)

    @property
    def model(self) -> str:
        """The model that the file names, or ""."""
        return str(self.parts.values.get("model", ""))

    @property
    def name(self) -> str:
        """The rig's name."""
        return str(self.parts.values.get("name", "rig"))

    @property
    def unsaved(self) -> bool:
        """Whether it differs from its file."""
        return self._saved != self.text

    # -- changing ----------------------------------------------------------------------

    def do(self, command: Command, *given: Any, merge: str = "", **named: Any) -> str:
        """Run a command of ``adding``, ``changing`` or ``mirroring`` on the rig.

        Args:
            command: The command.
            given: Its arguments after rig and skeleton.
            merge: A word shared by changes that form one step, as in a drag;
                ``end_drag`` ends it.
            named: Its named arguments.

        Returns:
            Its label in the history; "" if nothing changes.

        Raises:
            IkrigError: The change is invalid; nothing is changed.
        """
        edit = command(self.parts, self.skeleton, *given, **named)
        selection = self._selection if edit.select is None else edit.select
        return self._push(edit.label, edit.parts, selection, merge)

    def end_drag(self) -> None:
        """Make the next change a separate step."""
        self.history.seal()

    def select(self, selection: Selection) -> None:
        """Select something that exists, else nothing. Not a step of the history."""
        self._selection = selection if self._is_there(selection) else Selection()

    def undo(self) -> bool:
        """Go back a step; return whether there was one."""
        return self._went(self.history.undo())

    def redo(self) -> bool:
        """Go forward a step; return whether there was one."""
        return self._went(self.history.redo())

    def go_to(self, step: int) -> bool:
        """Go to a step of the history by its number; return whether it exists."""
        return self._went(self.history.go_to(step))

    def edit_text(self, text: str) -> str:
        """Replace the rig by that in the text of a rig file, as one step.

        Raises:
            RigFileError: Lists the errors in it; nothing is changed.
        """
        parts = read_rig(self.path or Path(f"{self.name}.yaml"), text)
        return self._push("Edit YAML", parts, self._selection)

    @property
    def clip(self) -> Clip | None:
        """The current clip; None: none is open."""
        return self.history.state.clip

    def set_clip(
        self,
        label: str,
        clip: Clip | None,
        merge: str = "",
        parts: Part | None = None,
    ) -> None:
        """Set another clip, or none, as one step; called by ``ClipWork``."""
        parts = self.parts if parts is None else parts
        self.history.push(label, State(parts, self._selection, clip), merge)
        self.version += 1

    # -- files -------------------------------------------------------------------------

    def save(self, path: str | Path | None = None) -> Path:
        """Write the rig file; return its path.

        Args:
            path: The file. Default: its own.

        Raises:
            OutputError: It can't be written; work and files are unchanged.
        """
        target = self.path if path is None else Path(path)
        if target is None:
            message = "the rig has no file yet: give a path, such as rigs/fox.yaml"
            raise OutputError("the rig", [Diagnostic(0, 0, message)])
        # the work is on disk, even if the file can't be written
        self.keep()
        moved = self.path is None or target.absolute() != self.path.absolute()
        before, former = self.autosave, self.path
        self.path = target
        try:
            recovery.save_over(target, self.text)
        except OutputError:
            self.path = former
            raise
        self._saved = self.text
        self._seen, self.problem = signature(target), ""
        if moved:
            with suppress(OSError):
                before.unlink()
            self.keep(always=True)
        return target

    @property
    def autosave(self) -> Path:
        """Path of the autosave."""
        path = self.path
        if path is not None and not os.access(path.absolute().parent, os.W_OK):
            return recovery.autosave_path(None, str(path.absolute()))
        return recovery.autosave_path(path, self.model)

    def keep(self, *, always: bool = False) -> Path:
        """Write the autosave if the rig has changed since; return its path.

        Raises:
            OutputError: It can't be written.
        """
        path, text = self.autosave, self.text
        if self.path is not None and path.parent != self.path.absolute().parent:
            # in a different folder, paths are absolute
            text = rig_text(self.parts)
        if always or self._kept != f"{path}\n{text}":
            prepare_folder(path.parent)
            # no fsync, which is slow: a crash of this process keeps written data
            write_bytes(path, text.encode("utf-8"), sync=False)
            self._kept = f"{path}\n{text}"
        return path

    def close(self) -> None:
        """Remove the autosave if it equals the file. Never raises."""
        self.clip_work.remove_autosave()
        if not self.unsaved or self.history.index == 0:
            with suppress(OSError):
                self.autosave.unlink()

    def recover(self) -> str:
        """Restore the unsaved work from a crash, as one step."""
        parts, self.recovered = self.recovered, None
        if parts is None:
            return ""
        return self._push("Recover unsaved work", parts, Selection())

    def look(self) -> bool:
        """Apply changes that others made to the file. Never raises.

        This is a step of the history like any other. A file that has errors changes
        nothing; ``problem`` lists them until it has none.

        Returns:
            Whether the rig has changed.
        """
        if self.path is None:
            return False
        now = signature(self.path)
        if now == self._seen:
            return False
        self._seen = now
        if not now:
            self.problem, self._saved = f"{self.path} was removed", None
            return False
        try:
            parts = read_rig(self.path)
        except IkrigError as error:
            self.problem, self._saved = str(error), None
            return False
        self.problem = ""
        label = f"Edit {self.path.name} outside"
        changed = self._push(label, parts, self._selection)
        self._saved = self.text
        return bool(changed)

    # -- inside ------------------------------------------------------------------------

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
        kind, name, owner = selection
        if kind == "joint":
            return name in self.skeleton.by_name
        if kind == "limit":
            section, _, entry = owner.partition("/")
            return value(self.parts, (section, entry, "limits", name)) is not None
        return name in self.parts.parts(kind) if kind else False

    def _look_for_autosave(self) -> None:
        self.clip_work.look_for_unnamed()
        text = recovery.read_text(self.autosave)
        if text is None or text == self.text:
            return
        try:
            self.recovered = read_rig(self.autosave, text)
        except IkrigError:
            # half of nothing: a file that was never whole
            self.recovered = None


def read_rig(path: Path, text: str | None = None) -> Part:
    """Return the contents of a rig file.

    Args:
        path: The file.
        text: Text to read instead of the file.

    Returns:
        Its parts; paths of existing files are made absolute.

    Raises:
        RigFileError: Lists the errors in it.
    """
    plan = read_rig_file(path, text)
    plan.file.check()
    return with_moved_files(plan.parts, path.absolute().parent, None)
