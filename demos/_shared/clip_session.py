"""A clip that is edited while it plays on a rig, as in an animation tool."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import panda3d.core as p3d

import ikrig
from ikrig.clip.editing import KeyName, key_beside, with_key_at
from ikrig.formats.clip_yaml import key_lines
from ikrig.formats.yaml_reader import YamlFile
from ikrig.studio.document.clip_file import ClipFile
from ikrig.studio.document.recovery import read_text

TOUCH = 1.5e-3  # a target farther from its track than this was dragged [scene unit]
DIGITS = 3  # decimals of numbers that edits write


class ShownClipFile(ClipFile):
    """A clip's file with its lines, of which the last change and errors are known.

    Attributes:
        lines: Its lines.
        changed: Indices of those that the last change has changed.
        changes: Number of changes.
        error_line: Index of the line with the first error.
        key_lines: Indices of the lines of keys.
    """

    def __init__(self, path: Path, check: Callable[[ikrig.Clip], object]) -> None:
        """Open a file; ``check`` may refuse a clip that is read."""
        super().__init__(path)
        self._check = check
        self.lines: list[str] = []
        self.changed: list[int] = []
        self.changes = 0
        self.error_line: int | None = None
        self.key_lines: dict[tuple[str, str, float], int] = {}

    def read(self, path: Path, text: str | None = None) -> ikrig.Clip:
        if text is None:
            self._show(read_text(path) or "")
        clip = super().read(path, text)
        if text is None:
            self._check(clip)
            self._find_keys(path)
        return clip

    def _write(self, content: ikrig.Clip, path: Path) -> str:
        text = super()._write(content, path)
        self._show(text)
        self._find_keys(path)
        return text

    def _accept(self, content: ikrig.Clip, disk: str | None) -> None:
        super()._accept(content, disk)
        self.error_line = None

    def _report(self, error: ikrig.IkrigError) -> None:
        # the first error, and its line
        self.error, self.error_line = str(error).splitlines()[0], None
        if isinstance(error, ikrig.FileError):
            first = error.diagnostics[0]
            self.error = first.message
            if first.line:
                self.error = f"line {first.line}: {first.message}"
                self.error_line = first.line - 1

    def _find_keys(self, path: Path) -> None:
        file = YamlFile(path, ikrig.ClipFileError, "\n".join(self.lines))
        self.key_lines = {key: n - 1 for key, n in key_lines(file).items()}

    def _show(self, text: str) -> None:
        lines = text.splitlines()
        matcher = SequenceMatcher(None, self.lines, lines, autojunk=False)
        self.changed = [
            k
            for what, _, _, start, end in matcher.get_opcodes()
            for k in range(start, end)
            if what != "equal"
        ]
        self.changes += 1
        self.lines = lines


class ClipSession:
    """A rig, the player on it, and the working copy of a clip that it plays.

    Attributes:
        rig: The animated rig.
        player: Plays the clip.
        source: The clip that was copied. This file is never written.
        path: The working copy, which edits write.
        document: The clip in it.
        chosen: The selected key.
        message: The last action, or why it was refused.
        refused: Whether the last action was refused.
    """

    def __init__(self, rig: ikrig.Rig, source: Path, folder: Path) -> None:
        """Open a clip on a rig.

        Args:
            rig: From `load_rig`, started.
            source: The clip to copy.
            folder: Folder of the working copy.

        Raises:
            IkrigError: The clip has errors or does not fit the rig.
        """
        self.rig = rig
        self.player = ikrig.ClipPlayer(ikrig.Clip(), rig)
        self.chosen: KeyName | None = None
        self.message, self.refused = "", False
        self._recorder: ikrig.Recorder | None = None
        self.source, self._first = source, ikrig.load_clip(source)
        self._take(self._first)
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / source.name
        self.document = ShownClipFile(self.path, self._take)
        if not self.path.exists():
            self._copy()
        self.document.reload_if_changed()
        self.document.changed = []

    @property
    def clip(self) -> ikrig.Clip:
        """The current clip."""
        return self.document.content or self._first

    @property
    def loops(self) -> bool:
        """Whether the clip repeats, or plays back and forth, instead of ending."""
        loop = self.player.loop
        return self.clip.wrap != "once" if loop is None else loop

    @property
    def time(self) -> float:
        """Time of the playhead, within the clip [s]."""
        wrap = self.clip.wrap
        if self.player.loop is not None:
            wrap = "loop" if self.player.loop else "once"
        return self.clip.with_changes(wrap=wrap).local_time(self.player.time)

    def close(self) -> None:
        """Stop playing and write the recording, if there is one."""
        if self.recording:
            self.record()
        self.player.stop()

    # -- playing -----------------------------------------------------------------------

    def play(self) -> None:
        """Play from the playhead."""
        self.player.play()

    def pause(self) -> None:
        """Pause, at a time rounded for files."""
        self.player.pause()
        self.go(self.time)

    def go(self, time: float) -> None:
        """Move the playhead to a time of the clip."""
        last = self.clip.duration
        # a loop's end is its beginning
        last -= min(0.01, last) * self.loops
        self.player.time = min(max(0.0, round(time, 2)), last)

    def toggle_loop(self) -> None:
        """Switch between looping and playing once; the file is not changed."""
        time = self.time
        self.player.loop = not self.loops
        self.player.time = time

    # -- keys --------------------------------------------------------------------------

    def choose(self, key: KeyName) -> None:
        """Select a key and move the playhead to it."""
        self.chosen = key
        self._say("")
        self.go(key.time)

    def step(self, direction: int) -> None:
        """Select the next or previous key of all tracks."""
        key = key_beside(self.clip, self.time, direction, self.chosen)
        if key is not None:
            self.choose(key)

    def move(self, key: KeyName, time: float) -> KeyName:
        """Move a key to a different time; return its new time."""
        part, channel, old = key
        if self._edit(lambda c: c.moved_key(part, channel, old, time)):
            key = key._replace(time=time)
            self._done(key)
            self.go(time)
        self.chosen = key
        return key

    def key_here(self) -> None:
        """Insert a key at the playhead, in the track of the selected key."""
        if self.chosen is None:
            return
        part, channel, _ = self.chosen
        value = self.clip.sample(self.player.time)[part, channel]
        value = np.round(value, DIGITS).tolist()
        key = KeyName(part, channel, round(self.time, 2))
        if self._edit(lambda c: c.with_key(part, channel, key.time, value)):
            self.chosen = key
            self._done(key)

    def delete(self) -> None:
        """Delete the selected key."""
        if self.chosen is None:
            return
        part, channel, time = key = self.chosen
        if self._edit(lambda clip: clip.without_key(part, channel, time)):
            self._say(f"deleted {_words(key)}")
            self.chosen = None

    def take_drags(self) -> None:
        """Set keys from dragged targets and poles: those that are not on their tracks.

        The player puts them there; while it is paused, only the user moves them.
        """
        values = self.clip.sample(self.player.time)
        for (part, channel), node in self.nodes().items():
            place = np.array(node.get_pos(), float)
            if np.linalg.norm(place - values[part, channel]) > TOUCH:
                self._set_key(part, channel, tuple(place.round(DIGITS).tolist()))

    def nodes(self) -> dict[tuple[str, str], p3d.NodePath]:
        """Return the targets and poles that the clip moves, by part and channel."""
        found = {}
        for track in self.clip.tracks:
            node = None
            if track.channel == "target":
                node = self.rig.targets.get(track.part)
            elif track.channel == "pole" and track.part in self.rig.chains:
                node = self.rig.chains[track.part].pole
            if node is not None:
                found[track.part, track.channel] = node
        return found

    # -- files -------------------------------------------------------------------------

    def look(self) -> None:
        """Reload the file if it was changed outside."""
        if self.document.reload_if_changed():
            self._say("loaded from the changed file")
            if self.chosen not in self.document.key_lines:
                self.chosen = None

    @property
    def recording(self) -> bool:
        """Whether the joints are being recorded."""
        return self._recorder is not None

    def record(self) -> None:
        """Start to record the joints; or stop, and write them beside the clip."""
        if self._recorder is None:
            self._recorder = ikrig.Recorder(self.rig).start()
            self._say("recording ...")
            return
        recorder, self._recorder = self._recorder, None
        path = self.path.with_name(f"{self.path.stem}_joints.yaml")
        try:
            clip = recorder.stop(name=f"{self.clip.name} joints")
            ikrig.dump_clip(clip, path)
        except ikrig.IkrigError as error:
            self._say(str(error), refused=True)
            return
        keys = sum(len(track.keys) for track in clip.tracks)
        self._say(
            f"recorded {clip.duration:.1f} s: {len(clip.tracks)} joints, {keys} keys, "
            f"in {path.name}"
        )

    def revert(self) -> None:
        """Replace the working copy by the original."""
        self.chosen = None
        self._copy()
        self.document.reload_if_changed()
        self._say(f"reset to {self.source.name}")

    def _take(self, clip: ikrig.Clip) -> None:
        self.player.clip = clip

    def _copy(self) -> None:
        """Make a new working copy."""
        path = self.path
        half = path.with_name(f"{path.name}.new")
        shutil.copyfile(self.source, half)
        half.replace(path)

    def _set_key(self, part: str, channel: str, value: tuple[float, ...]) -> None:
        """Set the value of the key at the playhead; insert one if there is none."""
        time = round(self.time, 2)

        def change(clip: ikrig.Clip) -> ikrig.Clip:
            clip, self.chosen = with_key_at(
                clip, part, channel, time, value, loops=self.loops
            )
            return clip

        if self._edit(change) and self.chosen is not None:
            self._done(self.chosen)

    def _done(self, key: KeyName) -> None:
        line = self.document.key_lines.get(key)
        where = f", line {line + 1}" if line is not None else ""
        self._say(f"{_words(key)}{where}")

    def _edit(self, change: Callable[[ikrig.Clip], ikrig.Clip]) -> bool:
        """Change the clip and its file; return whether the change was possible."""
        try:
            self.document.reload_if_changed()
            if self.document.error:
                # nothing is written over what somebody is writing
                raise ikrig.IkrigError(self.document.error)
            clip = change(self.clip)
            self._take(clip)
            self.document.write(clip)
        except ikrig.IkrigError as error:
            self._take(self.clip)
            self._say(str(error), refused=True)
            return False
        return True

    def _say(self, message: str, *, refused: bool = False) -> None:
        self.message, self.refused = message.partition("\n")[0], refused


def _words(key: KeyName) -> str:
    return f"{key.part} {key.channel.replace('_', ' ')} at {key.time:g} s"
