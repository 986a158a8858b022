"""RigFile: the file of an edited rig."""

from __future__ import annotations

from pathlib import Path

from ...formats.rig_file import Part, read_rig_file, rig_text, with_moved_files
from .watched_file import WatchedFile


class RigFile(WatchedFile[Part]):
    """The file of a rig; paths in its content are absolute if their files exist."""

    kind, example = "rig", "rigs/fox.yaml"

    def read(self, path: Path, text: str | None = None) -> Part:
        return read_rig(path, text)

    def dump(self, content: Part, folder: Path | None) -> str:
        if folder is not None:
            content = with_moved_files(content, folder, folder)
        return rig_text(content)


def read_rig(path: Path, text: str | None = None) -> Part:
    plan = read_rig_file(path, text)
    plan.file.check()
    return with_moved_files(plan.parts, path.absolute().parent, None)
