"""Host: what keying and exports need of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .document import Selection, StudioDocument


class Host(Protocol):
    """What ``Keying`` and ``Exports`` need of a ``StudioSession``."""

    live: Any
    """The rig in the scene; None on the start screen."""
    tab: str
    """The tab at the bottom that is shown."""
    camera: Callable[[], tuple[float, float]]
    """Returns heading and pitch of the picture [deg]."""

    @property
    def document(self) -> StudioDocument:
        """The document; only when a file is open."""

    @property
    def is_open(self) -> bool:
        """Whether a file is open."""

    @property
    def selection(self) -> Selection:
        """What is selected."""

    def say(self, text: str, kind: str = "note") -> None:
        """Add a line to the log."""

    def attempt(self, run: Callable[[], Any]) -> Any:
        """Run something; an error of it is a line of the log."""
