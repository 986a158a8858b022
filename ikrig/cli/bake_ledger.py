"""Records the sources of a folder of results, to detect outdated results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..files.output_file import write_bytes

NAME = ".ikrig-bake.json"


class Ledger:
    """Remembers, in a file of a folder, what each result there was made from.

    Contents of files count, not their times: a file that was restored is as it was, and
    one that was changed is not, whatever its date.

    Args:
        folder: Where the results are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._digests: dict[Path, str] = {}
        self._entries = self._read()

    def key(self, sources: Iterable[Path], settings: Mapping[str, Any]) -> str:
        """Return what changes when a source or a setting does."""
        parts = [self._digest(path) for path in sources]
        text = json.dumps([*parts, settings], sort_keys=True, default=str)
        return blake2b(text.encode("utf-8"), digest_size=16).hexdigest()

    def has(self, out: Path, key: str) -> bool:
        """Whether a result is there and was made from just this."""
        return out.is_file() and self._entries.get(self._name(out)) == key

    def add(self, out: Path, key: str) -> None:
        """Take down what a result was made from.

        Raises:
            OutputError: The folder can't be written to.
        """
        # a batch that runs at the same time may have added others
        self._entries = {**self._read(), self._name(out): key}
        text = json.dumps(self._entries, indent=1, sort_keys=True)
        write_bytes(self.folder / NAME, text.encode("utf-8"), sync=False)

    def _name(self, out: Path) -> str:
        return out.relative_to(self.folder).as_posix()

    def _read(self) -> dict[str, str]:
        """Return the entries; none when the file is not there or is none of ours."""
        try:
            found = json.loads((self.folder / NAME).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            try:
                self._digests[path] = blake2b(path.read_bytes()).hexdigest()
            except OSError as error:
                # who bakes it says what is wrong with it
                self._digests[path] = str(error)
        return self._digests[path]
