"""The desktop's own file dialogs, if it has any, and pasted paths."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

HELPERS = ("zenity", "kdialog", "matedialog", "qarma")  # on Linux


def available() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(shown) and any(shutil.which(word) for word in HELPERS)


class NativeDialog:
    """An open dialog of the desktop; the studio keeps running meanwhile."""

    def __init__(
        self,
        saving: bool,
        title: str,
        path: str,
        endings: Sequence[str],
        done: Callable[[str], object],
    ) -> None:
        from imgui_bundle import portable_file_dialogs as dialogs

        filters = ["Files", " ".join(f"*{ending}" for ending in endings)]
        self._saving, self._done = saving, done
        if saving:
            self._dialog: Any = dialogs.save_file(title, path, filters)
        else:
            self._dialog = dialogs.open_file(title, path, filters)

    def poll(self) -> bool:
        """Return whether it is closed; a chosen path was then passed on."""
        if not self._dialog.ready(0):
            return False
        result = self._dialog.result()
        chosen = result if self._saving else next(iter(result), "")
        if chosen:
            self._done(chosen)
        return True


def pasted_path(text: str) -> str:
    """Return the path in a text: as file managers copy it, in quotes, or a URL."""
    lines = text.strip().splitlines()
    word = lines[0].strip() if lines else ""
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        word = word[1:-1]
    if word.startswith("file://"):
        word = unquote(urlparse(word).path)
        if sys.platform == "win32":
            word = word.lstrip("/")
    return str(Path(word).expanduser()) if word else ""
