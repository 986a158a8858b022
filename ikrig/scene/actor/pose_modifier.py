"""PoseModifier: the interface of layers that change an Actor's pose."""

from __future__ import annotations

from typing import Any, Protocol


class PoseModifier(Protocol):
    """A layer that changes an Actor's pose each frame: a chain, a tree, a behaviour.

    It may have a ``phase``, and methods ``reads()`` and ``writes()`` that return the
    NodePaths whose positions it reads, and those that it moves besides its joints. It
    may have a property ``_idle``: whether ``update`` would change nothing. Then it is
    not called, and a rig with no other layers lets the Actor play by itself.
    """

    @property
    def order(self) -> float:
        """Order inside its phase (``phase``, LIMBS by default)."""

    @property
    def started(self) -> bool:
        """Whether the rig calls ``update``."""

    def update(self, dt: float) -> Any:
        """Change the pose for a frame of dt seconds. Must not raise."""
