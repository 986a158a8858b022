"""Records the sources of a folder of results, to detect outdated results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

from ..files.file_access import is_file, read_file
from ..files.output_file import write_bytes

NAME = ".ikrig-bake.json"


class Ledger:
    """Records the sources of each result in a file of the result folder.

    Files are compared by content, not by date: a restored file counts as unchanged,
    and an edited one as changed.

    Args:
        folder: The folder of the results.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._digests: dict[Path, str] = {}
        self._entries = self._read()

    def key(self, sources: Iterable[Path], settings: Mapping[str, object]) -> str:
        parts = [self._digest(path) for path in sources]
        text = json.dumps([*parts, settings], sort_keys=True, default=str)
        return blake2b(text.encode("utf-8"), digest_size=16).hexdigest()

    def has(self, out: Path, key: str) -> bool:
        return out.is_file() and self._entries.get(self._name(out)) == key

    def add(self, out: Path, key: str) -> None:
        # a concurrent batch may have added entries
        self._entries = {**self._read(), self._name(out): key}
        text = json.dumps(self._entries, indent=1, sort_keys=True)
        content = text.encode("utf-8")
        write_bytes(self.folder / NAME, content, sync=False, follow=False)

    def _name(self, out: Path) -> str:
        return out.relative_to(self.folder).as_posix()

    def _read(self) -> dict[str, str]:
        """Return the entries; none when the file is missing or not valid."""
        try:
            found = json.loads(read_file(self.folder / NAME))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            try:
                # opening a pipe would block
                content = path.read_bytes() if is_file(path) else b""
                self._digests[path] = blake2b(content).hexdigest()
            except OSError as error:
                # baking reports the error
                self._digests[path] = str(error)
        return self._digests[path]
