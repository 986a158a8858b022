"""Host: what keying and exports use of a session, which makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from .document.edited_rig import Selection
from .document.studio_document import StudioDocument

if TYPE_CHECKING:
    from .view.live_rig import LiveRig

T = TypeVar("T")


class Host(Protocol):
    live: LiveRig
    tab: str
    camera: Callable[[], tuple[float, float]]

    @property
    def document(self) -> StudioDocument: ...

    @property
    def is_open(self) -> bool: ...

    @property
    def selection(self) -> Selection: ...

    def report(self, text: str, kind: str = "note") -> None: ...

    def attempt(self, run: Callable[[], T]) -> T | None: ...
