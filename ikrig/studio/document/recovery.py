"""Protects work from loss: the autosave, the last file, and recent files.

Beside ``NAME.yaml`` there are ``.NAME.autosave.yaml``, the rig as it is in the studio,
and ``.NAME.last.yaml``, the file before it was last saved. Each of the three
is only ever replaced as a whole, so that at any instant one of them has the work.
Each studio that has the file open has its own autosave and locks it:
``.NAME.autosave.lock``, ``.NAME.autosave-2.yaml``... What a change from outside
replaces is kept in the state folder.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ...errors import IkrigError, OutputError
from ...files.file_access import read_file
from ...files.output_file import prepare_folder, write_text

MOST_RECENT = 10
MOST_KEPT = 50  # maximum number of copies that ``keep`` leaves
HOME = "IKRIG_STUDIO_HOME"  # variable: folder of recent and unnamed files


def state_folder() -> Path:
    """Return the folder of the list of recent files and of rigs without a file."""
    if os.environ.get(HOME):
        return Path(os.environ[HOME])
    home = Path.home()
    if sys.platform == "win32":
        above = Path(os.environ.get("LOCALAPPDATA") or home / "AppData/Local")
    elif sys.platform == "darwin":
        above = home / "Library/Application Support"
    else:
        above = Path(os.environ.get("XDG_STATE_HOME") or home / ".local/state")
    return above / "ikrig-studio"


def autosave_path(rig: Path | None, model: str, number: int = 1) -> Path:
    """Return the path of a rig's autosave; of its model's, while it has no file.

    The number is that of the studio among those that have it open.
    """
    end = "autosave.yaml" if number == 1 else f"autosave-{number}.yaml"
    if rig is not None:
        return rig.absolute().with_name(f".{_stem(rig)}.{end}")
    name = sha256(model.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return state_folder() / f".{name}.{end}"


def keep(path: Path, text: str) -> Path:
    folder = state_folder() / "kept"
    prepare_folder(folder)
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**9:09d}"
    copy = folder / f"{path.stem[:80]}-{stamp}.yaml"
    write_text(copy, text, follow=False)
    for old in sorted(folder.glob("*.yaml"), key=os.path.getmtime)[:-MOST_KEPT]:
        with suppress(OSError):
            old.unlink()
    return copy


def last_path(rig: Path) -> Path:
    return rig.with_name(f".{_stem(rig)}.last.yaml")


def _stem(path: Path) -> str:
    """Return a name for the files beside one; hero.yml has others than hero.yaml."""
    return path.stem if path.suffix == ".yaml" else path.name


def read_text(path: Path) -> str | None:
    try:
        text = read_file(path).decode("utf-8")
    except (OSError, ValueError):
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def recent_files() -> list[Path]:
    text = read_text(state_folder() / "recent.txt") or ""
    paths = [Path(line) for line in text.splitlines() if line.strip()]
    found = []
    for path in paths[:MOST_RECENT]:
        with suppress(OSError, ValueError):
            if path.is_file():
                found.append(path)
    return found


def add_recent(path: Path) -> None:
    """Put a file first among the recent ones. Never raises: failure does no harm."""
    with suppress(IkrigError, OutputError, OSError, ValueError):
        paths = dict.fromkeys([path.absolute(), *recent_files()])
        lines = [str(p) for p in paths if "\n" not in str(p)][:MOST_RECENT]
        prepare_folder(state_folder())
        file = state_folder() / "recent.txt"
        text = "\n".join(lines) + "\n"
        write_text(file, text, endings=(".txt",), follow=False)
