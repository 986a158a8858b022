"""Host: the interface of a session that keying and exports use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .document import Selection, StudioDocument


class Host(Protocol):
    """The part of a ``StudioSession`` that ``Keying`` and ``Exports`` use."""

    live: Any
    """The rig in the scene; None on the start screen."""
    tab: str
    """The visible tab at the bottom."""
    camera: Callable[[], tuple[float, float]]
    """Returns heading and pitch of the picture [deg]."""

    @property
    def document(self) -> StudioDocument:
        """The document; available only while a file is open."""

    @property
    def is_open(self) -> bool:
        """Whether a file is open."""

    @property
    def selection(self) -> Selection:
        """The current selection."""

    def report(self, text: str, kind: str = "note") -> None:
        """Add a line to the log."""

    def attempt(self, run: Callable[[], object]) -> Any:
        """Run a function; errors are logged."""
