"""Export: videos, animations and joint clips, made by the command line.

Each runs in a separate process, on copies of rig and clip, so that the window never
freezes and the result is that of ``python -m ikrig``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from ..clip import Clip
from ..errors import Diagnostic, IkrigError, OutputError
from ..files.output_file import check_output
from ..formats.clip_yaml import dump_clip
from .document.studio_document import StudioDocument
from .host import Host


class ExportKind(NamedTuple):
    name: str
    about: str
    endings: tuple[str, ...]  # suffixes of its files; the first is the default
    command: str  # command of ``python -m ikrig``
    option: str  # option that names the file


_FILM = "The picture as a video. Needs the extra [video]."
_ANIMATION = "For a plain Actor, in a game without ikrig."
_JOINTS = "The rotations of all joints as keys; needs no IK."
_ENDINGS = (".mp4", ".gif", ".webp"), (".bam", ".egg", ".bam.pz", ".egg.pz")
KINDS = {
    "film": ExportKind("Film", _FILM, _ENDINGS[0], "play", "--record"),
    "animation": ExportKind("Animation", _ANIMATION, _ENDINGS[1], "bake", "-o"),
    "joints": ExportKind("Clip of joints", _JOINTS, (".yaml", ".yml"), "record", "-o"),
}


class Export:
    def __init__(
        self,
        kind: str,
        document: StudioDocument,
        clip: Clip,
        path: Path,
        fps: float,
        options: Sequence[str] = (),
    ) -> None:
        how = KINDS[kind]
        self.path = path.expanduser().absolute()
        check_output(self.path, endings=how.endings, make_folder=True)
        self.began = time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix="ikrig-studio-")
        made = Path(self._folder.name) / "clip.yaml"
        dump_clip(clip.with_changes(path=None, sources=()), made)
        words = [sys.executable, "-m", "ikrig", how.command]
        words += [str(document.autosave()), str(made), how.option, str(self.path)]
        words += ["--fps", f"{fps:g}", *options]
        model = Path(document.model)
        if model.is_absolute():
            words += ["--allow", str(model.parent)]
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=self._said, stderr=self._said
        )

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def poll(self) -> bool:
        """Return whether it is finished; raise an error if it failed."""
        code = self._process.poll()
        if code is None:
            return False
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace").strip()
        self._said.close()
        self._folder.cleanup()
        if code:
            said = said.replace(str(self._folder.name), "") or "no reason"
            text = said.splitlines()
            raise OutputError(self.path, [Diagnostic(0, 0, " ".join(text[-3:]))])
        return True

    def cancel(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._said.close()
        self._folder.cleanup()


class Exports:
    def __init__(self, session: Host) -> None:
        self._session = session
        self.current: Export | None = None  # the running export, or None

    @property
    def recording(self) -> bool:
        return self._session.is_open and self._session.live.recorder is not None

    def toggle_record(self) -> None:
        """Start to record the joints; or stop, and write them as a clip."""
        if not self.recording:
            self._session.attempt(self._session.live.start_recording)
            self._session.report("Recording: play, and drag what should move")
            return

        def stop() -> None:
            name = self._session.document.name
            clip = self._session.live.stop_recording(f"{name} recording")
            path = free_path(self.folder / f"{name}_recording.yaml")
            dump_clip(clip, path)
            keys = sum(len(track.keys) for track in clip.tracks)
            self._session.report(
                f"Recorded {clip.duration:.1f} s: {len(clip.tracks)} tracks, {keys} "
                f"keys, {path}"
            )

        self._session.attempt(stop)

    @property
    def folder(self) -> Path:
        document = self._session.document
        beside = document.path or Path(document.model or "rig.yaml")
        folder = beside.absolute().parent
        return folder if os.access(folder, os.W_OK) else Path.cwd()

    def begin(self, kind: str, path: str, fps: float, size: str) -> bool:
        options = []
        if kind == "film":
            heading, pitch = self._session.camera()
            options = ["--size", size, f"--camera={heading:.2f},{pitch:.2f}"]

        def run() -> bool:
            clip = self.played_clip()
            self.current = Export(
                kind, self._session.document, clip, Path(path), fps, options
            )
            self._session.report(f"Exporting {self.current.path} ...")
            return True

        return bool(self.current is None and self._session.attempt(run))

    def played_clip(self) -> Clip:
        """Return one clip with everything that plays: the clip over the animation."""
        clip, play = self._session.document.clip, self._session.live.playback
        if clip is None and not play.name:
            raise IkrigError(
                "nothing plays: choose an animation, or add keys to a clip first"
            )
        end = play.duration
        clip = clip or Clip(play.name, wrap="loop", duration=end)
        names = {track.address for track in clip.tracks}
        if play.name and (play.name, "time") not in names:
            clip = clip.with_track(play.name, "time", {0.0: 0.0, end: end})
        return clip

    def update(self) -> None:
        """Finish a completed export; its result is logged. Never raises."""
        export = self.current
        if export is None:
            return
        try:
            if not export.poll():
                return
            self._session.report(f"Exported {export.path} in {export.seconds:.1f} s")
        except IkrigError as error:
            self._session.report(str(error), "error")
        self.current = None

    def cancel(self) -> None:
        if self.current is not None:
            self.current.cancel()
            self.current = None


def free_path(path: Path) -> Path:
    count, found = 1, path
    while found.exists():
        count += 1
        found = path.with_name(f"{path.stem}_{count}{path.suffix}")
    return found
