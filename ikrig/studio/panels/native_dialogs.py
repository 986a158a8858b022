"""The desktop's own file dialogs, if it has any, and pasted paths."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse

HELPERS = ("zenity", "kdialog", "matedialog", "qarma")  # on Linux


def available() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(shown) and any(shutil.which(word) for word in HELPERS)


def native_dialog(
    saving: bool, title: str, path: str, endings: Sequence[str]
) -> Callable[[], str | None]:
    """Open a dialog of the desktop; the studio keeps running meanwhile.

    Returns:
        What tells the chosen path, "" if there is none; None while it is open.
    """
    from imgui_bundle import portable_file_dialogs as dialogs

    ask = dialogs.save_file if saving else dialogs.open_file
    dialog = ask(title, path, ["Files", " ".join(f"*{ending}" for ending in endings)])

    def chosen() -> str | None:
        if not dialog.ready(0):
            return None
        result = dialog.result()
        return str(result if saving else next(iter(result), ""))

    return chosen


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
