"""StudioSession: the state and the commands of the window, without a window.

Panels, keys, menus and the command palette read it and call its actions.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..character.limb import Finding, Limb
from ..errors import IkrigError
from ..formats.rig_file.sections import BEHAVIOURS, new_limit
from ..model.limits import HingeLimit
from .document.adding import (
    add_behaviour,
    add_chain,
    add_entry,
    add_limbs,
    lengthen,
    wanted_joint,
)
from .document.changing import move_node, remove, set_limit
from .document.clip_file import is_clip
from .document.edited_rig import MOVERS, SECTIONS, Edit, Owner, Selection, own_entries
from .document.learning import learn_limits
from .document.mirroring import mirror_chain, mirror_limits
from .document.recovery import add_recent
from .document.studio_document import ClipWork, StudioDocument
from .document.watched_file import UnseenError
from .exporting import Exports
from .keying import Keying

if TYPE_CHECKING:
    from .view.live_rig import LiveRig
    from .view.trial_stage import TrialStage

T = TypeVar("T")

MOST_LINES = 500  # of the log that are kept


class LogLine(NamedTuple):
    when: float
    kind: str  # "note" or "error"
    text: str


@dataclass(frozen=True)
class Action:
    name: str  # "Save", "Add pole"
    run: Callable[[], object]
    keys: str = ""  # "Ctrl+S"; "" for none
    menu: str = ""  # "File", "Edit", "Rig", "Clip", "View"; "" for the palette alone
    enabled: Callable[[], bool] = lambda: True


class Unseen(NamedTuple):
    """A file that others have changed, and that saving would replace."""

    word: str  # the dialog that saves it elsewhere
    owner: StudioDocument | ClipWork
    path: str | Path | None  # the file; None: its own
    text: str  # the reason why it was not replaced; "": it was not saved

    @property
    def conflicts(self) -> list[str]:
        return self.owner.file.conflicts if self.path is None else []


class StudioSession:
    def __init__(self) -> None:
        self.live: LiveRig = None  # type: ignore[assignment]  # on the start screen
        self.bones = 2
        self.dialog = ""  # the open dialog: "open", "save", "limbs", "palette" or ""
        self.tab = "Timeline"
        self.bare = False  # whether only the viewport is shown (F11)
        self.viewing = False  # whether the file is only viewed
        self.limbs: tuple[Limb, ...] = ()
        self.findings: tuple[Finding, ...] = ()
        self.log: deque[LogLine] = deque(maxlen=MOST_LINES)
        self.actions: list[Action] = []  # all actions; the window sets them
        self.opener: Callable[[Path], LiveRig] | None = None  # the window's
        self.copy: Callable[[str], None] = lambda text: None
        self.quit: Callable[[], None] = lambda: None
        self.frame_view: Callable[[], None] = lambda: None
        self.camera: Callable[[], tuple[float, float]] = lambda: (-30.0, 14.0)
        """Heading and pitch of the picture [deg]."""
        self.tests: TrialStage | None = None  # ground and things, the window's
        self.mode = "Chain"  # the mode of clicks on joints: a key of ``MODES``
        self.unseen: Unseen  # what the dialog "changed" is about
        self._shared: list[object] = []
        self.keying, self.exports = Keying(self), Exports(self)

    @property
    def document(self) -> StudioDocument:
        """The document; available only while a file is open."""
        return self.live.document

    @property
    def is_open(self) -> bool:
        return self.live is not None

    @property
    def selection(self) -> Selection:
        return self.document.selection if self.is_open else Selection()

    def pending_chain(self) -> tuple[str, ...]:
        if not self.is_open or self.selection.kind != "joint":
            return ()
        lineage = self.document.skeleton.lineage(self.selection.name)
        return lineage[: 1 + min(self.bones, len(lineage) - 1)]

    def selected_joints(self) -> tuple[str, ...]:
        kind, name, _ = self.selection
        if kind == "joint":
            return self.pending_chain()
        if kind == "limits":
            return (name,)
        with suppress(IkrigError):
            if kind in MOVERS:
                return self.document.rig.bones((kind, name))
        return ()

    def report(self, text: str, kind: str = "note") -> None:
        if text:
            self.log.append(LogLine(time.time(), kind, text))

    def attempt(self, run: Callable[[], T]) -> T | None:
        try:
            return run()
        except IkrigError as error:
            self.report(str(error), "error")
        except OSError as error:
            self.report(f"{error.filename or ''}: {error.strerror or error}", "error")
        return None

    def do(
        self,
        command: Callable[..., Edit],
        *given: object,
        merge: str = "",
        **named: object,
    ) -> str:
        run = partial(self.document.do, command, *given, merge=merge, **named)
        label = self.attempt(run)
        if label and not merge:
            self.report(label)
        return label or ""

    def select(self, kind: str, name: str = "", owner: Owner = ()) -> None:
        """Select something; after a joint, a new chain has two bones."""
        if (kind, name) != self.selection[:2]:
            self.bones = 2
        self.document.select(Selection(kind, name, owner))

    def select_next(self, by: int = 1) -> None:
        """Select the next target or pole; after the last one the first."""
        names = list(self.document.parts.parts("nodes"))
        kind, name, _ = self.selection
        if names:
            at = names.index(name) if kind == "nodes" else -1 if by > 0 else 0
            self.select("nodes", names[(at + by) % len(names)])

    def set_mode(self, mode: str) -> None:
        self.mode = mode
        if self.is_open:
            play = self.live.playback
            if mode == "Play" and not play.playing:
                play.toggle()
            if mode != "Chain" and self.selection.kind == "joint":
                self.select("")

    def click_joint(self, name: str) -> None:
        if self.mode != "Limit":
            self.select("joint", name)
            return
        rig = self.document.rig
        owner = next(filter(rig.takes_limits, rig.movers(name)), ())
        if not owner:
            self.report(f"{name}: no chain bends it yet; make a chain first", "error")
            return
        if name not in rig.limits(owner):
            self.do(set_limit, owner, name, new_limit(name, HingeLimit.kind))
        self.select("limits", name, owner)

    def place_target(self, position: Sequence[float]) -> None:
        kind, name, _ = self.selection
        node = self.document.rig.value((kind, name, "target"))
        if node:
            self.do(move_node, node, position)
            self.select(kind, name)

    def open(self, path: str | Path) -> bool:
        file = Path(path).expanduser()
        if self.is_open and not self.viewing and is_clip(file):
            return self.open_clip(file)

        def run() -> bool:
            assert self.opener is not None
            live = self.opener(file)
            self.live = live
            if not self.viewing:
                add_recent(file)
            self.report(f"Opened {file}")
            return True

        done = bool(self.attempt(run))
        if done:
            self.dialog = ""
            self._greet()
        return done

    def _greet(self) -> None:
        document = self.document
        if self.viewing:
            document.file.recovered = None
        elif document.file.recovered or document.clip_work.file.recovered:
            self.dialog = "recover"
        elif document.path is None and document.skeleton.kind == "actor":
            self.find_limbs()

    def find_limbs(self) -> None:
        self.limbs, self.findings = self.live.limbs, self.live.findings
        self.dialog = "limbs"

    def rig_limbs(self, limbs: Iterable[Limb]) -> None:
        self.dialog = ""
        chosen = list(limbs)
        if chosen:
            self.do(add_limbs, chosen)

    def make_chain(self) -> None:
        if self.selection.kind == "joint":
            self.do(add_chain, self.selection.name, self.bones, pole=self.bones > 1)

    def change_length(self, by: int) -> None:
        kind, name, _ = self.selection
        if kind == "joint":
            most = len(self.document.skeleton.lineage(name)) - 1
            self.bones = min(max(1, self.bones + by), max(1, most))
        elif kind == "chains":
            self.do(lengthen, name, by)

    def remove_selected(self) -> None:
        """Remove the selection: keys first."""
        kind, name, owner = self.selection
        if self.keying.chosen:
            self.keying.delete()
            return
        if owner or kind in SECTIONS:
            self.do(remove, kind, name, owner)

    def mirror(self, command: Callable[..., Edit]) -> None:
        owner, _ = self.limit_selection()
        if owner and command is mirror_limits:
            self.do(mirror_limits, owner)
        elif owner[:1] == ("chains",):
            self.do(mirror_chain, owner[1])

    def limit_selection(self) -> tuple[Owner, str]:
        """Return owner and joint for learning limits; empty if there are none."""
        kind, name, owner = self.selection
        if kind == "limits":
            return owner, name
        return ((kind, name) if kind in MOVERS else ()), ""

    def learn(self) -> None:
        owner, joint = self.limit_selection()
        if owner:
            self.do(learn_limits, owner, self.live.motion(), joint)

    def sweep(self) -> None:
        owner, joint = self.limit_selection()
        self.attempt(lambda: self.live.sweep(owner, joint))

    def save(self, path: str | Path | None = None, *, replace: bool = False) -> bool:
        if not self.is_open:
            return False
        clip = self.document.clip_work
        if path is None and clip.clip is not None and clip.unsaved:
            # with a clip both are saved; a missing path is asked for
            if not self.save_clip(replace=replace):
                return False
            if self.document.path is not None and not self.document.unsaved:
                return True
        return self._saved("save", self.document, path, replace=replace)

    def save_clip(
        self, path: str | Path | None = None, *, replace: bool = False
    ) -> bool:
        return self._saved("save clip", self.document.clip_work, path, replace=replace)

    def _saved(
        self,
        word: str,
        owner: StudioDocument | ClipWork,
        path: str | Path | None,
        *,
        replace: bool,
    ) -> bool:
        """Save a rig or a clip; ask where that replaces what nobody has seen here."""
        if path is None and owner.file.path is None:
            self.dialog = word
            return False

        def run() -> Path:
            try:
                return owner.save(path, replace=replace)
            except UnseenError as error:
                self.unseen = Unseen(word, owner, path, str(error))
                self.dialog = "changed"
                raise

        done = self.attempt(run)
        if done is None:
            return False
        self.dialog = ""
        if owner is self.document:
            add_recent(done)
        if replace and owner.file.kept is not None:
            self.report(f"What was replaced is kept in {owner.file.kept}")
        self.report(f"Saved {done}")
        return True

    def resolve(self, *, keep_mine: bool) -> None:
        owner = self.unseen.owner
        self.dialog = ""
        if self.unseen.conflicts and owner.resolve(keep_mine=keep_mine):
            self.report(self.document.history.steps[-1].name)

    def open_clip(self, path: str | Path) -> bool:
        file = Path(path).expanduser()
        done = self.attempt(lambda: self.document.clip_work.open(file))
        if done is None:
            return False
        self.report(done)
        self.tab = "Timeline"
        self.dialog = "recover" if self.document.clip_work.file.recovered else ""
        return True

    def copy_python(self) -> None:
        self.copy(self.document.python)
        self.report("Copied the Python code")

    def add_behaviour_here(self, kind: str) -> None:
        joint = self.selection.name if self.selection.kind == "joint" else ""
        made = BEHAVIOURS[kind]
        wanted = wanted_joint(made.record)
        if wanted and not joint:
            title = made.title.capitalize()
            self.report(f"{title}: select the joint of the {wanted} first", "error")
            return
        self.do(add_behaviour, kind, joint, self.live.limbs)

    def add_entry_here(self, key: str) -> None:
        """Add a grip, a collider or the like to the selected entry."""
        kind, name, owner = self.selection
        self.do(add_entry, owner or (kind, name), key)

    def takes(self, key: str) -> bool:
        """Return whether the selection may have such entries."""
        kind, name, owner = self.selection
        if not owner and kind not in SECTIONS:
            return False
        return key in own_entries(self.document.rig.record(owner or (kind, name)))

    def held_grip(self) -> Selection | None:
        """Return the selected grip; if none is, that which a hand holds, or None."""
        if self.document.rig.grip(self.selection) is not None:
            return self.selection
        return self.tests.hold.grip if self.tests is not None else None

    def hold(self) -> None:
        """Send a hand to the selected grip, or back."""
        tests, grip = self.tests, self.held_grip()
        if tests is not None and grip is not None:
            self.attempt(lambda: tests.hold.toggle(self.live, grip))

    def update(self) -> None:
        """Follow files and document. Never raises."""
        if not self.is_open:
            return
        document = self.document
        self.exports.update()
        self._follow_file("save", document)
        self._follow_file("save clip", document.clip_work)
        problem = self.live.problem
        self.live.sync()
        if self.live.problem and self.live.problem != problem:
            self.report(self.live.problem, "error")
        self.live.playback.follow(self.live.rig, document.clip, document.parts)
        self.keying.prune()

    def _follow_file(self, word: str, owner: StudioDocument | ClipWork) -> None:
        """Take over what others write to a file; report it, and ask if it conflicts."""
        file = owner.file
        error, kept, conflicts = file.error, file.kept, file.conflicts
        if owner.reload_if_changed():
            self.report(f"{self.document.history.steps[-1].name}")
        if file.error and file.error != error:
            self.report(file.error, "error")
        if file.kept is not None and file.kept != kept:
            self.report(f"Your work before that is kept in {file.kept}")
        if file.conflicts and file.conflicts is not conflicts:
            self.unseen = Unseen(word, owner, None, "")
            self.dialog = "changed"
        if file.owners and file not in self._shared:
            self._shared.append(file)
            self.report(
                f"{file.name or self.document.name} is open elsewhere too "
                f"({'; '.join(file.owners)}): changes are merged when either is saved",
                "error",
            )

    def undo(self) -> None:
        history = self.document.history
        name = history.steps[history.index].name
        if self.document.undo():
            self.report(f"Undone: {name}")

    def redo(self) -> None:
        if self.document.redo():
            history = self.document.history
            self.report(f"Redone: {history.steps[history.index].name}")
